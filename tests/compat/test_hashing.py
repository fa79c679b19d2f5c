"""Codes of double hashing for scripts."""

import numpy as np
import pytest

import graphtm as gtm
from graphtm import CodeError
from graphtm.codes import double_hashing
from graphtm.compat.GraphTsetlinMachine.graphs import Graphs
from graphtm.compat.GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine
from graphtm.compat.hashing import hashed_code, is_hashed

SIZES = [3, 4, 5, 6, 10, 16, 17, 32]


@pytest.fixture(autouse=True)
def _same_seeds(monkeypatch):
    state = np.random.get_state()
    monkeypatch.setenv("GRAPHTM_ENGINE", "cpu")
    yield
    np.random.set_state(state)


def shifted(positions, edge_type, size):
    return set(map(tuple, np.sort((positions + edge_type) % size, axis=1).tolist()))


@pytest.mark.parametrize("size", SIZES)
def test_as_many_codes_differ_as_natively(size):
    n = size * ((size - 1) // 2)
    code = hashed_code(n, size, distinct=True)
    assert (np.diff(code.positions) > 0).all()
    assert 0 <= code.positions.min() <= code.positions.max() < size
    assert len(shifted(code.positions, 0, size)) == len(
        shifted(double_hashing(n, size, distinct=True).positions, 0, size)
    )
    assert len(shifted(code.positions, 0, size)) == n
    assert (hashed_code(2 * n, size, distinct=False).positions[n:] == code.positions).all()
    for n_owners, bits, match in ((n + 1, size, f"gives only {n}"), (1, 2, "at least 3 bits; got 2")):
        with pytest.raises(CodeError, match=match):
            hashed_code(n_owners, bits, distinct=True)


@pytest.mark.parametrize("size", SIZES)
def test_the_first_codes_are_disjoint_and_no_shifts_of_one_another(size):
    positions = hashed_code((size - 1) // 2, size, distinct=True).positions
    assert len(np.unique(positions)) == positions.size
    for edge_type in range(1, (size + 1) // 2):
        assert not shifted(positions, edge_type, size) & shifted(positions, 0, size)


@pytest.mark.parametrize(("n_clauses", "size", "n_edge_types"), [(20, 256, 2), (1000, 256, 3), (2000, 8192, 2)])
def test_messages_differ_where_the_native_ones_do_not(n_clauses, size, n_edge_types):
    codes = hashed_code(n_clauses, size, distinct=False), double_hashing(n_clauses, size, distinct=False)
    different = [len(set().union(*(shifted(code.positions, t, size) for t in range(n_edge_types)))) for code in codes]
    assert different[0] == n_clauses * n_edge_types > 1.4 * different[1]


def test_files_and_estimators_keep_the_codes(tmp_path):
    np.random.seed(1)
    graphs = Graphs(20, symbols=range(5), hypervector_size=16, double_hashing=True)
    for graph in range(20):
        graphs.set_number_of_graph_nodes(graph, 2)
    graphs.prepare_node_configuration()
    for graph in range(20):
        graphs.add_graph_node(graph, 0, 1)
        graphs.add_graph_node(graph, 1, 0)
    graphs.prepare_edge_configuration()
    for graph in range(20):
        graphs.add_graph_node_edge(graph, 0, 1, "next")
        graphs.add_graph_node_property(graph, 0, graph % 5)
    graphs.encode()
    machine = MultiClassGraphTsetlinMachine(10, 20, 2.0, depth=2, message_size=64, double_hashing=True)
    machine.fit(graphs, np.arange(20) % 5 > 2, epochs=2)
    assert (graphs.hypervectors == hashed_code(5, 16, distinct=True).positions).all()
    assert (machine.hypervectors == hashed_code(10, 64, distinct=False).positions).all()
    machine.save(tmp_path / "model.gtm")
    loaded = MultiClassGraphTsetlinMachine(1, 1, 1.0)
    loaded.load(fname=tmp_path / "model.gtm")
    assert loaded.double_hashing
    assert loaded.arguments() == machine.arguments()
    for native in (machine.native(), gtm.load(tmp_path / "model.gtm")):
        assert (native.class_sums(graphs.batch) == machine.score(graphs)).all()
        assert (native.model_.params.message_code.positions == machine.hypervectors).all()
    for other in (hashed_code(10, 64, distinct=False), double_hashing(10, 64, distinct=False)):
        assert is_hashed(other)
    drawn = MultiClassGraphTsetlinMachine(10, 20, 2.0, depth=2, message_size=64)
    drawn.fit(graphs, np.arange(20) % 5 > 2, epochs=0)
    assert not is_hashed(drawn.model.params.message_code)
