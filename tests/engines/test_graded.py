"""Graded clauses by hand, on every engine: strengths, votes, focus nodes and feedback (semantics, section 9)."""

import numpy as np
import pytest

from graphtm import GraphBatch, codes
from graphtm.engines import make_engine
from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.targets import value_targets
from graphtm.errors import EngineUnavailableError
from graphtm.model import MachineParams, MachineState

T = 2**20
INCLUDED, EXCLUDED = 200, 50
LIMIT = 2**31 - 1


@pytest.fixture(params=["reference", "cpu", "cuda"])
def engine(request):
    try:
        return make_engine(request.param)
    except EngineUnavailableError as error:
        pytest.skip(str(error))


def loaded(engine, include, graphs, max_misses, weight=1, n_bits=4, **params):
    """Load one clause that includes these literals in each layer; return the encoded graphs."""
    params = {"T": T, "s": 500.0, "seed": 3} | params
    machine = MachineParams(
        n_outputs=1, n_clauses=1, hypervector_size=n_bits, max_misses=max_misses, depth=len(include), **params
    )
    automata = []
    for layer, literals in enumerate(include):
        states = np.full((1, 2 * machine.layer_size(layer)), EXCLUDED, np.uint8)
        states[0, literals] = INCLUDED
        automata.append(states)
    engine.load(machine, MachineState(tuple(automata), np.full((1, 1), weight, np.int32)))
    return engine.prepare(codes.encode(graphs, codes.one_hot(n_bits)))


def taught(engine, graphs, y):
    """Return by how much each automaton of layer 0 moves when an update of the only clause is certain."""
    before = engine.state().automata[0][0].astype(int)
    engine.fit(graphs, value_targets([y], T, weights=[4.0]), np.zeros(1, np.int64))
    return engine.state().automata[0][0].astype(int) - before


NODES = GraphBatch.from_arrays([3], [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0]])
CLAUSE = [[0, 1, 4 + 2]]  # bits 0 and 1, and NOT bit 2: misses 0, 1 and 3 at the nodes


@pytest.mark.parametrize(
    ("max_misses", "strengths"), [(1, [2, 1, 0]), (2, [3, 2, 0]), (3, [4, 3, 1]), (254, [255, 254, 252])]
)
def test_each_miss_lowers_the_strength_by_one(engine, max_misses, strengths):
    graphs = loaded(engine, CLAUSE, NODES, max_misses, weight=-7)
    at_nodes, of_graph = engine.node_outputs(graphs), engine.clause_outputs(graphs)
    assert at_nodes.dtype == of_graph.dtype == np.uint8
    assert at_nodes[:, 0].tolist() == strengths
    assert of_graph.tolist() == [[max(strengths)]]
    assert engine.class_sums(graphs).tolist() == [[-7 * max(strengths)]]


def test_without_grading_outputs_are_truth_values(engine):
    graphs = loaded(engine, CLAUSE, NODES, 0)
    assert engine.node_outputs(graphs).dtype == engine.clause_outputs(graphs).dtype == np.bool_
    assert engine.node_outputs(graphs)[:, 0].tolist() == [True, False, False]


def test_only_readout_nodes_count_for_the_graph(engine):
    graphs = loaded(engine, CLAUSE, NODES.with_readout([[1, 2]]), 2)
    assert engine.node_outputs(graphs)[:, 0].tolist() == [3, 2, 0]
    assert engine.clause_outputs(graphs).tolist() == [[2]]


def test_a_clause_with_few_literals_votes_everywhere(engine):
    graphs = loaded(engine, [[0, 1]], GraphBatch.from_arrays([1], [[0, 0, 0, 0]]), 5)
    assert engine.clause_outputs(graphs).tolist() == [[4]]


def test_misses_add_up_over_layers_and_messages_stay_exact(engine):
    # Node 0 satisfies layer 0 and sends to node 1; node 1 misses one literal and sends nothing to node 2.
    chain = GraphBatch.from_arrays(
        [3], [[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]], edges=([0, 1], [1, 2], [0, 0]), edge_types=["next"]
    )
    graphs = loaded(engine, [[0, 1], [0]], chain, 2, message_code=codes.one_hot(1))
    # Node 0 receives nothing, node 1 misses a symbol only, node 2 a message only.
    assert engine.node_outputs(graphs)[:, 0].tolist() == [2, 2, 2]
    graphs = loaded(engine, [[0, 1], [1]], chain, 2, message_code=codes.one_hot(1))  # NOT next:0
    assert engine.node_outputs(graphs)[:, 0].tolist() == [3, 1, 3]


def test_type_one_moves_true_literals_up_and_excluded_false_ones_down(engine):
    graphs = loaded(engine, [[0, 1]], GraphBatch.from_arrays([1], [[1, 0, 1, 0]]), 1)
    # The missed literal, bit 1, stays where it is; nothing is left to chance.
    assert taught(engine, graphs, T).tolist() == [1, 0, 1, -1, -1, 1, -1, 1]
    assert engine.state().weights.tolist() == [[2]]


def test_a_clause_at_its_limit_grows_no_more_but_is_not_forgotten(engine):
    graphs = loaded(engine, [[0, 1]], GraphBatch.from_arrays([1], [[1, 0, 1, 0]]), 1, max_included_literals=1, s=1.0)
    assert taught(engine, graphs, T).tolist() == [0, 0, 0, -1, -1, 0, -1, 0]


def test_a_clause_without_strength_is_forgotten(engine):
    graphs = loaded(engine, [[1, 3]], GraphBatch.from_arrays([1], [[1, 0, 1, 0]]), 1, s=1.0)
    assert taught(engine, graphs, T).tolist() == [-1] * 8
    assert engine.state().weights.tolist() == [[1]]


def test_type_two_adds_false_literals_to_clauses_that_miss(engine):
    graphs = loaded(engine, [[0, 1]], GraphBatch.from_arrays([1], [[1, 0, 1, 0]]), 1)
    assert taught(engine, graphs, -T).tolist() == [0, 0, 0, 1, 1, 0, 1, 0]
    assert engine.state().weights.tolist() == [[0]]


def test_the_focus_is_a_node_where_the_clause_is_strongest(engine):
    # Nodes 1 and 3 miss least; bits 2 and 3 tell them apart from each other and from the rest.
    nodes = [[0, 0, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 1], [0, 1, 0, 0]]
    seen = set()
    for seed in range(30):
        graphs = loaded(engine, [[0, 1]], GraphBatch.from_arrays([5], nodes), 2, seed=seed)
        moved = taught(engine, graphs, T)
        seen.add(tuple(moved[2:4].tolist()))
    assert seen == {(1, -1), (-1, 1)}


@pytest.mark.parametrize("weight", [LIMIT, -LIMIT])
@pytest.mark.parametrize("n_clauses", [256, 257, 258, 1000])
def test_the_largest_votes_are_summed_exactly(engine, n_clauses, weight):
    """256 clauses of full strength have sums below 2^47, 258 above."""
    params = MachineParams(n_outputs=1, n_clauses=n_clauses, hypervector_size=1, T=T, max_misses=254, s=500.0, seed=1)
    start = MachineState((np.full((n_clauses, 2), EXCLUDED, np.uint8),), np.full((1, n_clauses), weight, np.int32))
    encoded = codes.encode(GraphBatch.from_arrays([1], [[1]]), codes.one_hot(1))
    results = []
    for each in (engine, ReferenceEngine()):
        each.load(params, start)
        graphs = each.prepare(encoded)
        assert each.class_sums(graphs).tolist() == [[255 * n_clauses * weight]]
        each.fit(graphs, value_targets([-T if weight > 0 else T], T), np.zeros(1, np.int64))
        results.append(each.state())
    assert results[0].equals(results[1])
    # All votes are against the target, so every clause was updated.
    assert np.all(results[0].weights == weight - np.sign(weight))
