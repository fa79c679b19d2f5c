"""Graphs built call by call."""

import gc
import pickle
import re

import numpy as np
import pytest

from graphtm import CodeError, GraphBatch, GraphError, UnknownSymbolError
from graphtm.compat.GraphTsetlinMachine.graphs import Graphs


@pytest.fixture(autouse=True)
def _same_codes():
    state = np.random.get_state()
    np.random.seed(1)
    yield
    np.random.set_state(state)


def prepared(*sizes, **parameters):
    """Return graphs with the nodes 0, 1, ..., of which each but the last has an edge to come."""
    graphs = Graphs(len(sizes), **{"symbols": ["A", "B", "C"], "hypervector_size": 20} | parameters)
    for graph, size in enumerate(sizes):
        graphs.set_number_of_graph_nodes(graph, size)
    graphs.prepare_node_configuration()
    for graph, size in enumerate(sizes):
        for node in range(size):
            graphs.add_graph_node(graph, node, int(node < size - 1))
    graphs.prepare_edge_configuration()
    return graphs


def chains(*words, **parameters):
    """Return words as chains of letters."""
    graphs = prepared(*map(len, words), **parameters)
    for graph, word in enumerate(words):
        for node, letter in enumerate(word):
            graphs.add_graph_node_property(graph, node, letter)
            if node:
                graphs.add_graph_node_edge(graph, node - 1, node, "next")
    graphs.encode()
    return graphs


# What scripts read


def test_sizes_and_numbers():
    graphs = chains("ABA", "C", "BB")
    assert len(graphs) == graphs.number_of_graphs == 3
    assert graphs.number_of_graph_nodes.tolist() == [3, 1, 2]
    assert graphs.max_number_of_graph_nodes == 3
    assert graphs.node_index.tolist() == [0, 3, 4]
    assert graphs.symbol_id == {"A": 0, "B": 1, "C": 2}
    assert graphs.edge_type_id == {"next": 0}
    assert graphs.node_type_id == {"Plain": 0}
    assert graphs.number_of_node_types() == 1
    assert graphs.graph_node_id[0] == {0: 0, 1: 1, 2: 2}
    assert len(graphs.graph_node_id) == 3


def test_node_numbers_while_graphs_are_built():
    graphs = Graphs(2, symbols=["A"])
    assert repr(graphs.graph_node_id) == "[{}, {}]"
    for graph in range(2):
        graphs.set_number_of_graph_nodes(graph, 2)
    graphs.prepare_node_configuration()
    for graph in range(2):
        for number, name in enumerate("yx"):
            graphs.add_graph_node(graph, name, 0)
            assert graphs.graph_node_id[graph][name] == len(graphs.graph_node_id[graph]) - 1 == number
    assert repr(graphs.graph_node_id) == "[{'y': 0, 'x': 1}, {'y': 0, 'x': 1}]"
    graphs.prepare_edge_configuration()
    graphs.encode()
    assert graphs.graph_node_id[1:] == [{"y": 0, "x": 1}]


def test_edges_by_source():
    graphs = chains("ABA", "C", "BB")
    assert graphs.edge_index.tolist() == [0, 1, 2, 2, 2, 3]
    assert graphs.edge.tolist() == [[1, 0], [2, 0], [1, 0]]


@pytest.mark.parametrize(
    ("parameters", "size", "bits"),
    [
        ({}, 20, 2),
        ({"hypervector_bits": 3, "hypervector_size": 40}, 40, 3),
        ({"double_hashing": True}, 20, 2),
        ({"one_hot_encoding": True}, 3, 1),
    ],
)
def test_rows_of_x_are_the_bits_of_the_symbols_and_their_negations(parameters, size, bits):
    graphs = chains("AB", **parameters)
    assert (graphs.hypervector_size, graphs.hypervector_bits) == (size, bits)
    assert graphs.hypervectors.shape == (3, bits)
    assert graphs.X.dtype == np.uint32
    assert graphs.X.shape == (2, graphs.number_of_hypervector_chunks) == (2, -(-2 * size // 32))
    for node, symbol in enumerate((0, 1)):
        found = {k for k in range(32 * graphs.X.shape[1]) if graphs.X[node, k // 32] >> (k % 32) & 1}
        positive = set(graphs.hypervectors[symbol].tolist())
        assert found == positive | {size + k for k in range(size) if k not in positive}


def test_codes_follow_the_global_seed():
    np.random.seed(5)
    first = chains("AB").hypervectors
    np.random.seed(5)
    assert (chains("AB").hypervectors == first).all()
    np.random.seed(6)
    assert (chains("AB", hypervector_size=500).hypervectors != chains("AB", hypervector_size=500).hypervectors).any()


def test_graphs_share_what_others_have():
    train = chains("AB")
    test = chains("BAB", init_with=train, hypervector_size=99)
    assert test.hypervector_size == 20
    assert (test.hypervectors == train.hypervectors).all()
    assert test.edge_type_id is train.edge_type_id


def test_symbols_are_collected_if_none_are_declared():
    train = prepared(1, 1, symbols=None)
    test = prepared(1, init_with=train)
    train.add_graph_node_property(0, 0, "x")
    test.add_graph_node_property(0, 0, 2.5)
    with pytest.raises(GraphError, match="Symbols have no hypervectors yet"):
        train.hypervectors  # noqa: B018
    train.encode()
    test.encode()
    assert test.symbol_id == {"x": 0, 2.5: 1}
    assert [graph.properties(0) for graph in test.batch] == [("2.5",)]
    with pytest.raises(UnknownSymbolError, match=r"'z' of node 0 of graph 0 is not one of the 2 symbols: 'x', 2\.5"):
        prepared(1, init_with=train).add_graph_node_property(0, 0, "z")


def test_numbers_as_symbols():
    graphs = prepared(2, symbols=range(300), one_hot_encoding=True)
    graphs.add_graph_node_property(0, 0, np.int64(299))
    graphs.add_graph_node_property(0, 1, 7.0)
    graphs.add_graph_node_edge(0, 0, 1, "next")
    for unknown in (-1, -(1 << 16) - 100, -(1 << 16) - 300, -(10**6), 300, 599, 600, "7"):
        with pytest.raises(UnknownSymbolError, match=rf"The symbol {unknown!r} of node 1 of graph 0"):
            graphs.add_graph_node_property(0, 1, unknown)
    graphs.encode()
    assert [graphs.batch[0].properties(node) for node in (0, 1)] == [(299,), (7,)]


def test_selected_graphs_share_the_numbers_of_symbols():
    graphs = prepared(1, 1, symbols=range(300), one_hot_encoding=True)
    graphs.encode()
    assert graphs[0].symbol_id is graphs.symbol_id


def test_many_graphs_do_not_start_the_garbage_collector():
    graphs, collections = Graphs(20_000, symbols=["A"]), []
    for graph in range(20_000):
        graphs.set_number_of_graph_nodes(graph, 1)
    callback = lambda phase, info: collections.append(info["generation"])  # noqa: E731
    gc.callbacks.append(callback)
    try:
        graphs.prepare_node_configuration()
    finally:
        gc.callbacks.remove(callback)
    assert gc.isenabled()
    assert len(collections) <= 2  # beginning and end of one
    assert collections.count(2) == 0


def test_symbols_of_nodes_in_any_order():
    for parameters in ({}, {"symbols": None}):
        graphs = prepared(2, 1, **parameters)
        graphs.add_graph_node_edge(0, 0, 1, "next")
        for graph, node, symbol in ((1, 0, "C"), (0, 1, "A"), (1, 0, "B"), (0, 0, "B"), (1, 0, "C"), (0, 1, "C")):
            graphs.add_graph_node_property(graph, node, symbol)
        graphs.encode()
        found = [{node: set(graph.properties(node)) for node in graph.nodes} for graph in graphs.batch]
        assert found == [{0: {"B"}, 1: {"A", "C"}}, {0: {"B", "C"}}]


def test_many_nodes_and_symbols():
    rng = np.random.default_rng(0)
    table = rng.random((70_000, 5)) < 0.2
    graphs = prepared(len(table), symbols=range(5), one_hot_encoding=True)
    for node in range(len(table) - 1):
        graphs.add_graph_node_edge(0, node, node + 1, "next")
    for node in rng.permutation(len(table)).tolist():
        for symbol in np.flatnonzero(table[node]):
            graphs.add_graph_node_property(0, node, symbol)
    graphs.encode()
    assert (
        graphs.X[:, 0] == np.packbits(table, axis=1, bitorder="little")[:, 0] + ((~table) << np.arange(5, 10)).sum(1)
    ).all()


def test_node_types():
    graphs = Graphs(1, symbols=["A"], hypervector_size=8)
    graphs.set_number_of_graph_nodes(0, 3)
    graphs.prepare_node_configuration()
    for name, node_type in (("a", "atom"), ("b", "bond"), ("c", "atom")):
        graphs.add_graph_node(0, name, 0, node_type)
    with pytest.raises(GraphError, match="names; node 'a' of graph 0 exists already"):
        graphs.add_graph_node(0, "a", 0, "atom")
    graphs.prepare_edge_configuration()
    graphs.encode()
    assert graphs.node_type_id == {"atom": 0, "bond": 1}
    assert graphs.node_type.tolist() == [0, 1, 0]
    assert [graphs.batch[0].node_type(name) for name in "abc"] == ["atom", "bond", "atom"]


def test_node_types_that_are_no_names():
    graphs = Graphs(1, symbols=["A"])
    graphs.set_number_of_graph_nodes(0, 1)
    graphs.prepare_node_configuration()
    with pytest.raises(GraphError, match=r"A node type must be hashable.*; got \[\] for node 'a' of graph 0"):
        graphs.add_graph_node(0, "a", 0, [])
    graphs.add_graph_node(0, "a", 0, "atom")
    assert graphs.node_type_id == {"atom": 0}


def test_node_types_are_numbered_as_they_appear():
    graphs = Graphs(1, symbols=["A"])
    graphs.set_number_of_graph_nodes(0, 4)
    graphs.prepare_node_configuration()
    for name, node_type in (("a", []), ("b", ["bond"]), ("c", ["Plain"]), ("d", ["atom"])):
        graphs.add_graph_node(0, name, 0, *node_type)
    assert graphs.node_type_id == {"Plain": 0, "bond": 1, "atom": 2}
    graphs.prepare_edge_configuration()
    graphs.encode()
    assert graphs.node_type.tolist() == [0, 1, 0, 2]
    assert graphs.number_of_node_types() == 3


def test_the_native_batch_is_the_same_as_one_built_natively():
    batch = chains("ABA", "C").batch
    native = GraphBatch.from_arrays(
        [3, 1], ([0, 1, 2, 3], [0, 1, 0, 2]), ["A", "B", "C"], ([0, 1], [1, 2], [0, 0]), ["next"]
    )
    assert batch == native
    batch.validate()


def test_calls_in_any_order_of_graphs():
    graphs = Graphs(2, symbols=["A", "B"], hypervector_size=8)
    for graph in (1, 0):
        graphs.set_number_of_graph_nodes(graph, 2)
    graphs.prepare_node_configuration()
    for name in ("x", "y"):
        for graph in (1, 0):
            graphs.add_graph_node(graph, name, 1 - graph)
            graphs.add_graph_node_property(graph, name, "AB"[graph])  # before edges, which is fine
    graphs.prepare_edge_configuration()
    graphs.add_graph_node_edge(0, "y", "x", "e")
    graphs.add_graph_node_edge(0, "x", "x", "f")
    graphs.encode()
    assert [graph.properties("y") for graph in graphs.batch] == [("A",), ("B",)]
    assert [tuple(edge) for edge in graphs.batch[0].edges] == [("x", "x", "f"), ("y", "x", "e")]


def test_signatures_tell_graphs_apart():
    graphs = chains("AB", "BA", "AB")
    assert graphs[0].signature == graphs[2].signature
    assert graphs[0].signature != graphs[1].signature
    assert pickle.loads(pickle.dumps(graphs)).signature == graphs.signature


# Selection and printing


@pytest.mark.parametrize(
    "index",
    [
        2,
        -1,
        np.uint32(1),
        np.array(1),
        slice(1, None),
        slice(None, None, -2),
        [2, 0],
        np.array([1, 1]),
        np.array([True, False, True]),
        [],
    ],
)
def test_indexing_selects_graphs(index):
    words = ["ABA", "C", "BB"]
    graphs = chains(*words)
    part = graphs[index]
    rows = np.array(index, dtype=int) if isinstance(index, list) else index
    chosen = np.atleast_1d(np.array(words)[rows]).tolist()
    assert ["".join(graph.properties(node)[0] for node in graph.nodes) for graph in part.batch] == chosen
    assert part.number_of_graph_nodes.tolist() == list(map(len, chosen))
    assert (part.hypervectors == graphs.hypervectors).all()


def test_wrong_indices_are_refused():
    graphs = chains("A", "B")
    with pytest.raises(IndexError, match=r"graphs 0\.\.1; got 2"):
        graphs[2]
    with pytest.raises(IndexError, match="one entry per graph, 2"):
        graphs[np.array([True])]
    with pytest.raises(IndexError, match=r"got a tuple of arrays, .*\. Pass np\.where\(\.\.\.\)\[0\] or the mask\.$"):
        graphs[np.where(np.array([True, False]))]
    with pytest.raises(IndexError, match=r"slice or a mask; got float64 of shape \(50,\)\.$"):
        graphs[np.zeros(50)]


def test_printing(capsys):
    graphs = chains("AB", "C")
    graphs.print_graph(0)
    graphs.print_graph_nodes(1)
    graphs.print_graph_edges(0)
    assert capsys.readouterr().out == (
        "Graph 0 with 2 nodes and 1 edge\n  0 (Plain): 'A'\n    next -> 1\n  1 (Plain): 'B'\n"
        "Graph 1 with 1 node\n  0 (Plain): 'C'\n"
        "Graph 0 with 1 edge\n  0 next -> 1\n"
    )
    with pytest.raises(GraphError, match="graph_id must be a number from 0 to 1; got 2"):
        graphs.print_graph(2)
    assert repr(graphs) == "Graphs(2 graphs, 3 symbols, encoded)"


# Wrong calls


@pytest.mark.parametrize("graph", [-1, -2, 2, 0.5, "0", None])
def test_graphs_that_do_not_exist(graph):
    graphs = prepared(2, 2)
    match = "graph_id must be a number from 0 to 1; got "
    with pytest.raises(GraphError, match=rf"{match}node 0 of graph {graph!r}\."):
        graphs.add_graph_node_property(graph, 0, "A")
    with pytest.raises(GraphError, match=rf"{match}node 1 of graph {graph!r}\."):
        graphs.add_graph_node_edge(graph, 1, 0, "next")
    growing = Graphs(2, symbols=["A"])
    with pytest.raises(GraphError, match=rf"{match}{graph!r}\."):
        growing.set_number_of_graph_nodes(graph, 1)
    growing.set_number_of_graph_nodes(0, 1)
    growing.set_number_of_graph_nodes(1, 1)
    growing.prepare_node_configuration()
    with pytest.raises(GraphError, match=rf"{match}node 'n' of graph {graph!r}\."):
        growing.add_graph_node(graph, "n", 0)


def test_nodes_that_do_not_exist():
    graphs = prepared(2, 2)
    with pytest.raises(GraphError, match="Graph 1 has no node 'x'; its nodes: 0, 1"):
        graphs.add_graph_node_property(1, "x", "A")
    with pytest.raises(GraphError, match="Graph 1 has no node 'x'"):
        graphs.add_graph_node_edge(1, "x", 0, "next")
    with pytest.raises(GraphError, match="Graph 1 has no node 'y'"):
        graphs.add_graph_node_edge(1, 0, "y", "next")
    assert graphs.edge_type_id == {}
    graphs.add_graph_node_edge(0, 0, 1, "next")
    graphs.add_graph_node_edge(1, 0, 1, "back")
    graphs.encode()
    assert [tuple(edge) for graph in graphs.batch for edge in graph.edges] == [(0, 1, "next"), (0, 1, "back")]


def test_errors_stand_alone():
    graphs = prepared(1, 1)
    wrong = (
        lambda: graphs.add_graph_node_property(0, "x", "A"),
        lambda: graphs.add_graph_node_property(0, 0, "D"),
        lambda: graphs.add_graph_node_edge(0, 0, 0, "self"),
        lambda: graphs.add_graph_node(0, "x", 0),
        lambda: graphs.set_number_of_graph_nodes(0, 3),
        lambda: Graphs(1).set_number_of_graph_nodes(0, -1),
    )
    for call in wrong:
        with pytest.raises((GraphError, UnknownSymbolError)) as raised:
            call()
        assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_symbols_that_do_not_exist():
    graphs = prepared(1, 1)
    with pytest.raises(UnknownSymbolError, match="'D' of node 0 of graph 1 is not one of the 3 symbols: 'A', 'B', 'C'"):
        graphs.add_graph_node_property(1, 0, "D")
    with pytest.raises(GraphError, match=r"A symbol must be hashable.*; got \['A'\] for node 0 of graph 1"):
        graphs.add_graph_node_property(1, 0, ["A"])


def test_wrong_numbers_of_nodes():
    graphs = Graphs(2, symbols=["A"])
    graphs.set_number_of_graph_nodes(0, 1)
    with pytest.raises(GraphError, match=r"from 1 to 4,294,967,295; got 0 for graph 1\. Call"):
        graphs.prepare_node_configuration()
    for size in (-1, 2.5, "2", None, 2**32):
        with pytest.raises(GraphError, match=f"number of nodes of a graph must be an int.*; got {size!r} for graph 1"):
            graphs.set_number_of_graph_nodes(1, size)
    graphs.set_number_of_graph_nodes(1, np.int64(2))
    assert graphs.number_of_graph_nodes.tolist() == [1, 2]
    graphs.prepare_node_configuration()
    with pytest.raises(GraphError, match="The number of nodes of graph 1 must be set before"):
        graphs.set_number_of_graph_nodes(1, 3)
    graphs.add_graph_node(0, "a", 0)
    with pytest.raises(GraphError, match=r"Graph 0 must have 1 node, .*node 'b' is one too many"):
        graphs.add_graph_node(0, "b", 0)
    graphs.add_graph_node(1, "a", 0)
    with pytest.raises(GraphError, match="different names; node 'a' of graph 1 exists already"):
        graphs.add_graph_node(1, "a", 0)
    with pytest.raises(GraphError, match=r"hashable.*; got \{\} for node \{\} of graph 1"):
        graphs.add_graph_node(1, {}, 0)
    with pytest.raises(GraphError, match=r"Graph 1 must have 2 nodes, .*added 1: 'a'"):
        graphs.prepare_edge_configuration()


def test_wrong_numbers_of_edges():
    graphs = prepared(2, 2)
    graphs.add_graph_node_edge(1, 0, 1, "next")
    with pytest.raises(GraphError, match="one too many for node 0 of graph 1"):
        graphs.add_graph_node_edge(1, 0, 1, "next")
    with pytest.raises(GraphError, match="there are 1 too few for node 0 of graph 0"):
        graphs.encode()
    graphs.add_graph_node_edge(0, 0, 1, "next")
    graphs.encode()


@pytest.mark.parametrize("number", ["2", None, -1, 1.5, np.nan, [1, 2], 2**32, 2**70])
def test_a_number_of_edges_that_is_none(number):
    graphs = Graphs(1, symbols=["A"])
    graphs.set_number_of_graph_nodes(0, 1)
    graphs.prepare_node_configuration()
    rule = "number_of_outgoing_edges must be an int from 0 to 4,294,967,295"
    match = rf"{rule}; got {re.escape(repr(number))} for node 'a' of graph 0"
    for wrong in ({"number_of_outgoing_edges": number}, {"number_of_graph_node_edges": number}):
        with pytest.raises(GraphError, match=match):
            graphs.add_graph_node(0, "a", **wrong, node_type_name="atom")
    assert graphs.node_type_id == {}
    graphs.add_graph_node(0, "a", 0)
    graphs.prepare_edge_configuration()
    graphs.encode()


@pytest.mark.parametrize("number", [1.0, np.float64(1), np.bool_(True), True, np.uint8(1), np.array(1)])
def test_whole_numbers_from_arrays(number):
    graphs = Graphs(1, symbols=["A"])
    graphs.set_number_of_graph_nodes(0, number)
    graphs.prepare_node_configuration()
    graphs.add_graph_node(0, "a", number)
    graphs.prepare_edge_configuration()
    graphs.add_graph_node_edge(0, "a", "a", "self")
    graphs.encode()
    assert graphs.number_of_graph_nodes.tolist() == [1]
    assert graphs.edge.tolist() == [[0, 0]]


def test_keywords_that_scripts_use():
    graphs = Graphs(number_of_graphs=2, symbols=["A"])
    graphs.set_number_of_graph_nodes(graph_id=0, number_of_graph_nodes=2)
    graphs.set_number_of_graph_nodes(graph_id=1, n=2)
    graphs.prepare_node_configuration()
    graphs.add_graph_node(graph_id=0, node_name=None, number_of_graph_node_edges=1, node_type_name="end")
    graphs.add_graph_node(graph_id=0, node_name="b", number_of_graph_node_edges=0, node_type_name="end")
    graphs.add_graph_node(graph_id=1, node_name="a", number_of_outgoing_edges=0, node_type_name="end")
    graphs.add_graph_node(graph_id=1, node_name="b", number_of_outgoing_edges=1, node_type_name="end")
    graphs.prepare_edge_configuration()
    graphs.add_graph_node_edge(graph_id=0, source_node_name=None, destination_node_name="b", edge_type_name="to")
    graphs.add_graph_node_edge(graph_id=1, source_name="b", destination_name="a", edge_type_name="to")
    graphs.add_graph_node_property(graph_id=1, node_name="a", symbol="A")
    graphs.encode()
    assert graphs.edge_index.tolist() == [0, 1, 1, 1]
    assert graphs.edge.tolist() == [[1, 0], [0, 0]]


def test_arguments_that_are_missing():
    graphs = prepared(2)
    with pytest.raises(TypeError, match="add_graph_node_edge needs edge_type_name"):
        graphs.add_graph_node_edge(0, 0, 1)
    with pytest.raises(TypeError, match="add_graph_node_edge needs source_name and destination_name"):
        graphs.add_graph_node_edge(0, edge_type_name="next")
    assert graphs.edge_type_id == {}
    with pytest.raises(GraphError, match=r"number of nodes of a graph must be an int.*; got None for graph 0"):
        Graphs(1).set_number_of_graph_nodes(0)


def test_calls_in_the_wrong_order():
    graphs = Graphs(1, symbols=["A"])
    before_nodes = r"prepare_node_configuration\(\) must be called before .* node 'a' of graph 0"
    with pytest.raises(GraphError, match=before_nodes):
        graphs.add_graph_node(0, "a", 0)
    with pytest.raises(GraphError, match=before_nodes):
        graphs.add_graph_node_property(0, "a", "A")
    with pytest.raises(GraphError, match=r"prepare_node_configuration\(\) must be called before encode"):
        graphs.encode()
    graphs.set_number_of_graph_nodes(0, 1)
    graphs.prepare_node_configuration()
    with pytest.raises(GraphError, match="this was the second time"):
        graphs.prepare_node_configuration()
    graphs.add_graph_node(0, "a", 1)
    with pytest.raises(GraphError, match=r"prepare_edge_configuration\(\) must be called before edges .* node 'a'"):
        graphs.add_graph_node_edge(0, "a", "a", "self")
    with pytest.raises(GraphError, match=r"prepare_edge_configuration\(\) must be called before encode"):
        graphs.encode()
    graphs.prepare_edge_configuration()
    with pytest.raises(GraphError, match="this was the second time"):
        graphs.prepare_edge_configuration()
    with pytest.raises(GraphError, match="must add node 'b' of graph 0 before prepare_edge_configuration"):
        graphs.add_graph_node(0, "b", 0)
    with pytest.raises(GraphError, match=r"encode\(\) must be called before the graphs are used"):
        graphs.X  # noqa: B018
    graphs.add_graph_node_edge(0, "a", "a", "self")
    graphs.encode()
    graphs.encode()
    with pytest.raises(GraphError, match=r"cannot be changed after encode\(\); got node 'a' of graph 0"):
        graphs.add_graph_node_property(0, "a", "A")
    for encoded in (graphs, graphs[0]):
        with pytest.raises(GraphError, match=r"cannot be changed after encode\(\); got node 'b' of graph 0"):
            encoded.add_graph_node(0, "b", 0)


def test_names_from_arrays_are_shown_as_those_of_python(capsys):
    graphs = prepared(2, symbols=np.array(["A", "B"]))
    assert repr(graphs.symbol_id) == "{'A': 0, 'B': 1}"
    graphs.add_graph_node_property(0, np.int64(1), np.str_("B"))
    graphs.add_graph_node_edge(np.uint32(0), 0, 1, np.int64(5))
    graphs.encode()
    graphs.print_graph(0)
    assert capsys.readouterr().out == "Graph 0 with 2 nodes and 1 edge\n  0 (Plain):\n    5 -> 1\n  1 (Plain): 'B'\n"


@pytest.mark.parametrize("symbols", ["AB", {"A": 7, "B": 9}, ("A", "B", "A"), iter("AB")])
def test_symbols_are_anything_with_names(symbols):
    assert Graphs(1, symbols=symbols).symbol_id == {"A": 0, "B": 1}


def test_wrong_parameters():
    with pytest.raises(ValueError, match="'number_of_graphs' parameter of Graphs must be an int of at least 0"):
        Graphs("3")
    for name, value in (("size", -4), ("size", 0), ("size", 2.5), ("bits", 0)):
        with pytest.raises(ValueError, match=f"'hypervector_{name}' parameter of Graphs must be an int of at least 1"):
            Graphs(2, **{f"hypervector_{name}": value})
    with pytest.raises(TypeError, match="'init_with' parameter of Graphs must be Graphs or None"):
        Graphs(3, init_with=3)
    with pytest.raises(ValueError, match="must not both be True"):
        Graphs(3, symbols=["A"], double_hashing=True, one_hot_encoding=True)
    with pytest.raises(CodeError, match="4 symbols need as many different codes; 1 of 3 bits give only 3"):
        Graphs(3, symbols=["ABCD", "E", "F", "G"], hypervector_size=3, hypervector_bits=1)
