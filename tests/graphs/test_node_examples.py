"""A node's surroundings stand for the whole graph: same graphs by a naive walk, same bits from every engine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import batch_of, cases, params_of, random_state
from sklearn.model_selection import train_test_split
from strategies import batches

import graphtm as gtm
from graphtm import codes
from graphtm.engines import class_targets, make_engine
from graphtm.foundation.names import name_key
from graphtm.graphs import node_examples


def reaching(graph, node, hops):
    """Return the nodes that reach a node, with how many edges they need, and the edges that are read on the way."""
    distance, edges = {name_key(node): 0}, list(graph.edges)
    for hop in range(hops):
        for edge in edges:
            if distance.get(name_key(edge.destination)) == hop:
                distance.setdefault(name_key(edge.source), hop + 1)
    return distance, [edge for edge in edges if distance.get(name_key(edge.destination), hops) < hops]


@settings(max_examples=60)
@given(batches(min_size=1), st.integers(1, 4))
def test_examples_are_what_a_naive_walk_finds(pair, depth):
    graphs, batch = pair
    examples = batch.node_examples(depth)
    examples.validate()
    assert examples.vocabulary == batch.vocabulary
    read = [(graph, node) for graph in graphs for node in (graph.nodes if graph.readout is None else graph.readout)]
    assert len(examples) == len(read)
    for example, (graph, centre) in zip(examples, read, strict=True):
        distance, edges = reaching(graph, centre, depth - 1)
        assert list(map(name_key, example.nodes)) == [name for name in map(name_key, graph.nodes) if name in distance]
        assert example.readout is None or example.readout == (centre,)
        assert example.readout is not None or example.n_nodes == 1
        assert sorted(map(repr, example.edges)) == sorted(map(repr, edges))
        for node in example.nodes:
            assert set(map(name_key, example.properties(node))) == set(map(name_key, graph.properties(node)))
            assert example.node_type(node) == graph.node_type(node)


def whole_graphs(batch):
    """For each node the whole graph that it is in, read out at that node."""
    packed = batch.pack()
    graph_of = np.repeat(np.arange(len(batch)), packed.node_counts)
    copies = batch[graph_of]
    ptr = np.cumsum([0, *copies.node_counts])[:-1]
    return copies.with_readout(ptr + np.arange(packed.n_nodes) - packed.node_ptr[graph_of])


def compare_with_whole_graphs(case, seed, more, engine):
    """What clauses answer, and every bit that is learned, must not depend on what lies beyond."""
    rng, params, batch = np.random.default_rng(seed), params_of(case), batch_of(case)
    state, code = random_state(rng, params), codes.one_hot(case["H"])
    numbers = rng.integers(0, case["outputs"], batch.n_nodes)
    targets = class_targets(numbers, case["outputs"], params.T, 1.0)
    order = np.concatenate([rng.permutation(batch.n_nodes) for _ in range(3)])
    machine = make_engine(engine)
    machine.load(params, state)
    at_nodes = machine.node_outputs(machine.prepare(codes.encode(batch, code)))
    learned = []
    all_nodes = batch.with_readout(None)
    for examples in (whole_graphs(all_nodes), all_nodes.node_examples(params.depth + more)):
        machine.load(params, state)
        prepared = machine.prepare(codes.encode(examples, code))
        assert np.array_equal(machine.clause_outputs(prepared), at_nodes)
        machine.fit(prepared, targets, order)
        learned.append(machine.state())
    assert learned[0].equals(learned[1])


anything = given(cases(), st.integers(0, 2**32 - 1), st.integers(0, 2), st.sampled_from(["reference", "cpu"]))


@settings(max_examples=50)
@anything
def test_a_machine_cannot_tell_them_from_the_whole_graph(case, seed, more, engine):
    compare_with_whole_graphs(case, seed, more, engine)


@pytest.mark.slow
@settings(max_examples=1000)
@anything
def test_thousands_of_machines_cannot_tell(case, seed, more, engine):
    compare_with_whole_graphs(case, seed, more, engine)


def relay(n):
    """A chain along which a sign is handed on."""
    graph = gtm.Graph()
    for place in range(n):
        graph.add_node(f"n{place}", ["sign"] if place == 0 else ["plain"])
    for place in range(n - 1):
        graph.add_edge(f"n{place}", f"n{place + 1}", type="next")
    return graph


def test_one_hop_less_is_not_enough():
    """A machine that has learned to look two edges back sees the difference."""
    batch, y = gtm.GraphBatch.from_graphs([relay(6)]), np.arange(6) == 2
    clf = gtm.GraphTMClassifier(n_clauses=20, T=10, s=3.0, depth=3, epochs=60, random_state=1)
    clf.fit(batch.node_examples(3, nodes=[*range(6), 2, 2, 2, 2]), [*y, True, True, True, True])
    assert clf.score(batch.node_examples(3), y) == 1.0
    assert clf.score(batch.node_examples(9), y) == 1.0
    assert clf.score(batch.node_examples(2), y) < 1.0
    votes = clf.transform_nodes(batch).astype(int) @ clf.state_.weights.T
    assert np.array_equal(votes, clf.class_sums(batch.node_examples(3)))


def test_nodes_in_every_form_and_order():
    batch = gtm.GraphBatch.from_graphs([relay(3), relay(2)])
    every = batch.node_examples(2)
    assert [graph.nodes for graph in every] == [("n0",), ("n0", "n1"), ("n1", "n2"), ("n0",), ("n0", "n1")]
    assert every == batch.node_examples(2, nodes=np.ones(5, bool)) == batch.node_examples(2, nodes=range(5))
    assert batch.node_examples(2, nodes=[["n2", "n0"], []]) == batch.node_examples(2, nodes=[2, 0]) == every[[2, 0]]
    assert batch.with_readout([1, 3]).node_examples(2) == every[[1, 3]]
    assert len(batch.node_examples(2, nodes=[])) == 0
    assert list(batch.node_examples(1)[4].nodes) == ["n1"]
    lazy = gtm.GraphBatch.concatenate([every, batch])
    assert len(lazy.node_examples(1)) == lazy.node_examples(1).n_nodes == 5 + 5


@pytest.mark.parametrize(
    ("depth", "nodes", "error", "message"),
    [
        (0, None, ValueError, "'depth' parameter of node_examples must be an int of at least 1. Got 0 instead"),
        (1.5, None, ValueError, "Got 1.5 instead"),
        (True, None, ValueError, "Got True instead"),
        (2, [5], gtm.GraphError, r"must be in 0..4; got 5"),
        (2, [True], gtm.GraphError, "one entry per node, 5"),
        (2, [["n9"], []], gtm.GraphError, "graph 0 has no node 'n9'"),
    ],
)
def test_wrong_questions(depth, nodes, error, message):
    with pytest.raises(error, match=message):
        gtm.GraphBatch.from_graphs([relay(3), relay(2)]).node_examples(depth, nodes)


def test_counts_do_not_depend_on_how_many_are_counted_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    batch = gtm.GraphBatch.from_arrays([200], edges=(rng.integers(0, 200, 500), rng.integers(0, 200, 500)))
    counts = batch.node_examples(3).node_counts
    monkeypatch.setattr(node_examples, "_NODES_AT_ONCE", 50)
    assert np.array_equal(batch.node_examples(3).node_counts, counts)
    assert [len(graph.nodes) for graph in batch.node_examples(3)] == counts.tolist()


def test_a_large_graph_is_kept_once():
    """20,000 nodes with a few neighbours each: the examples are as large as the neighbourhoods, not 20,000 graphs."""
    n = 20_000
    ring = np.arange(n)
    source, destination = np.concatenate([ring, ring]), np.concatenate([(ring + 1) % n, (ring + 7) % n])
    batch = gtm.GraphBatch.from_arrays([n], (ring, ring % 5), range(5), edges=(source, destination))
    examples = batch.node_examples(3)
    assert examples.is_lazy
    assert examples.n_nodes == 6 * n  # oneself, 1 and 7 back, 2, 8 and 14 back
    chunk = next(iter(examples.chunks()))
    assert chunk.pack().nbytes < 200 * chunk.n_nodes


def test_splitting_and_labels():
    batch = gtm.GraphBatch.from_graphs([relay(40)])
    y = np.arange(40) == 1
    train, test, y_train, y_test = train_test_split(batch.node_examples(2), y, random_state=0)
    assert (len(train), len(test)) == (30, 10)
    clf = gtm.GraphTMClassifier(n_clauses=10, T=5, epochs=5, random_state=0).fit(train, y_train)
    assert 0 <= clf.score(test, y_test) <= 1
    with pytest.raises(ValueError, match=r"one label for each of 1 graphs; got shape \(40,\).*node_examples"):
        clf.fit(batch, y)
