"""Pruned machines: the same class sums, nothing new for any clause to hear, and no literal left to remove."""

import numpy as np
import pytest
from fitted import estimator_of, included, model_of, with_state, without
from hypothesis import given, settings
from machines import cases
from sequences import hand_made_model, word_batch

import graphtm as gtm
from graphtm import codes
from graphtm.codes import encode
from graphtm.engines.trace import trace_graph
from graphtm.learning.pruning import merged_weights
from graphtm.model import MachineParams, MachineState, Model
from graphtm.testing.machines import LIMIT, random_case, wide_cases

KINDS = [gtm.GraphTMClassifier, gtm.GraphTMMultiLabelClassifier]


def check_sums_stay(case, kind):
    estimator = estimator_of(case.model, kind)
    sums, literals = estimator.class_sums(case.batch), included(estimator)
    estimator.prune(case.batch)
    assert np.array_equal(estimator.class_sums(case.batch), sums), case.name
    after = included(estimator)
    if len(after[0]) == len(literals[0]):
        for before, now in zip(literals, after, strict=True):
            assert not (now & ~before).any(), case.name
    return sum(map(np.sum, literals)), sum(map(np.sum, after))


@pytest.mark.parametrize("seed", range(24))
def test_class_sums_of_random_machines_stay(seed):
    check_sums_stay(random_case(seed), KINDS[seed % 2])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_class_sums_of_many_machines_stay(kind):
    counts = [check_sums_stay(random_case(seed), kind) for seed in range(1000, 1300)]
    before, after = np.sum(counts, axis=0)
    assert after < before / 2


@pytest.mark.slow
def test_class_sums_of_wide_machines_stay():
    for case in wide_cases():
        check_sums_stay(case, KINDS[0])


# What clauses hear, said naively


def heard(model, batch, reads, votes):
    """Return the outputs of voting clauses, and the bits read in inboxes that can reach a readout node, by layer."""
    params, encoded = model.params, encode(batch, model.symbol_code)
    n_types = max(1, params.n_node_types)
    found = {layer: [] for layer in range(params.depth + 1)}  # the outputs are above all layers
    for graph in range(len(batch)):
        trace = trace_graph(params, model.state, encoded, graph)
        found[params.depth].append(trace.outputs[votes].tolist())
        first = int(encoded.node_ptr[graph])
        edges = list(zip(trace.edges.sources.tolist(), trace.edges.destinations.tolist(), strict=True))
        nodes = set(np.flatnonzero(trace.readout).tolist())
        for layer in range(params.depth - 1, 0, -1):
            for node in sorted(nodes):
                kind = 0 if n_types == 1 else int(encoded.node_types[first + node])
                bits = np.flatnonzero(reads[layer][kind])
                found[layer].append((graph, node, (trace.messages[layer - 1][node, bits] > 0).tolist()))
            nodes |= {source for source, destination in edges if destination in nodes}
    return found


def reads_of(model):
    """Return the bits that clauses of each node type read, for each layer."""
    params, n_types = model.params, max(1, model.params.n_node_types)
    reads = []
    for layer in range(params.depth):
        includes = model.state.includes(layer, params.state_bits)
        halves = np.array([includes[kind::n_types].any(axis=0) for kind in range(n_types)])
        size = halves.shape[1] // 2
        reads.append(halves[:, :size] | halves[:, size:])
    return reads


@given(cases())
@settings(max_examples=60)
def test_nothing_new_is_heard_and_no_literal_is_left_to_remove(case):
    model, batch = model_of(case)
    estimator = estimator_of(model)
    sums = estimator.class_sums(batch)
    now = estimator.prune(batch).model_
    assert np.array_equal(estimator.class_sums(batch), sums)
    reads, votes = reads_of(now), now.state.weights.any(axis=0)
    hears = heard(now, batch, reads, votes)
    if now.params.n_clauses == model.params.n_clauses:
        assert heard(model, batch, reads, votes) == hears
    for layer in range(now.params.depth):
        for clause, literal in np.argwhere(now.state.includes(layer, now.params.state_bits))[:40]:
            shorter = heard(without(now, layer, clause, literal), batch, reads, votes)
            assert any(shorter[above] != hears[above] for above in range(layer + 1, now.params.depth + 1))


@given(cases())
@settings(max_examples=25)
def test_a_second_time_removes_nothing(case):
    model, batch = model_of(case)
    estimator = estimator_of(model).prune(batch)
    once = estimator.state_
    if np.array_equal(merged_weights(estimator.transform(batch), once.weights), once.weights):
        assert estimator.prune(batch).state_.equals(once)


# Clauses


def test_equal_clauses_add_their_weights_as_far_as_32_bits_hold_them():
    outputs = np.array([[1, 1, 1, 0, 1, 1], [3, 3, 3, 0, 3, 2]], np.uint8)
    weights = np.array([[LIMIT - 1, 1, 1, 7, 0, 4], [-5, -5, -5, 7, 0, 4]], np.int32)
    merged = merged_weights(outputs, weights)
    assert merged.tolist() == [[LIMIT, 0, 1, 0, 0, 4], [-10, 0, -5, 0, 0, 4]]
    assert merged.dtype == np.int32
    assert np.array_equal(outputs @ merged.T.astype(np.int64), outputs @ weights.T.astype(np.int64))


def test_votes_that_cancel_are_no_votes():
    outputs = np.array([[True, True], [False, False]])
    assert merged_weights(outputs, np.array([[3, -3], [-1, 1]], np.int32)).tolist() == [[0, 0], [0, 0]]


def test_a_clause_that_others_hear_stays_without_a_vote():
    clauses = [["A"], ["NOT A", "r1:0"], ["A", "l1:1"], ["NOT A", "r1:0", "NOT l1:0"], ["A", "NOT A"]]
    model = hand_made_model(clauses, [[0, 0], [2, -3], [0, 0], [4, 5], [6, 6]], depth=2)
    batch = word_batch(["AA", "AB", "BA", "BB"], ["A"])
    estimator = estimator_of(model)
    sums = estimator.class_sums(batch)
    now = estimator.prune(batch).model_
    assert np.array_equal(estimator.class_sums(batch), sums)
    assert now.state.weights.T.tolist() == [[0, 0], [6, 2], [0, 0], [0, 0], [0, 0]]
    expected = hand_made_model([["A"], ["NOT A", "r1:0"], [], [], []], [[0, 0]] * 5, depth=2)
    for layer in range(2):
        assert np.array_equal(now.state.includes(layer, 8), expected.state.includes(layer, 8))
    # With the word that tells C1 from "any node that is not A", C0 is heard; without it, it is not.
    assert not any(layer.any() for layer in included(estimator_of(model).prune(batch[:1])))


def test_only_readout_nodes_and_what_reaches_them_matter():
    model = hand_made_model([["A"], ["r1:0"]], [[0, 0], [1, -1]], depth=2)
    batch = word_batch(["ABB", "BAB"], ["A"]).with_readout([[1], [1]])
    assert [layer.sum() for layer in included(estimator_of(model).prune(batch))] == [1, 1]
    # Where no message arrives at a readout node, every clause is false and nothing is left.
    first = batch.with_readout([[0], [0]])
    assert [layer.sum() for layer in included(estimator_of(model).prune(first))] == [0, 0]


def test_inboxes_on_the_way_to_a_readout_node_matter():
    model = hand_made_model([["A"], ["r1:0"], ["r2:1"]], [[0, 0], [0, 0], [1, -1]], depth=3)
    batch = word_batch(["AAB", "BAB"], ["A"]).with_readout([[2], [2]])
    estimator = estimator_of(model)
    sums = estimator.class_sums(batch)
    assert np.array_equal(estimator.prune(batch).class_sums(batch), sums)
    assert [layer.sum() for layer in included(estimator)] == [1, 1, 1]


@pytest.mark.parametrize("typed", [False, True])
def test_messages_that_nobody_reads_do_not_matter(typed):
    """C1 reads what C0 (A and B) says over the first edge; over the second edge, nobody listens."""
    graphs = []
    for symbols in ("AB", "A"):
        graph = gtm.Graph()
        graph.add_node("u", [*symbols], type=0)
        graph.add_node("v", [], type=1)
        graph.add_node("other u", ["B"], type=0)
        graph.add_node("other v", [], type=0 if typed else 1)
        graph.add_edge("u", "v")
        graph.add_edge("other u", "other v")
        graph.set_readout(["v", "other v"] if typed else ["v"])
        graphs.append(graph)
    batch = gtm.GraphBatch.from_graphs(graphs)
    code = codes.one_hot(2, stride=1)
    params = MachineParams(
        n_outputs=2, n_clauses=2, hypervector_size=2, message_code=code, depth=2, n_node_types=2, T=5
    )
    automata = np.zeros((2, 4), np.uint8), np.zeros((2, 4), np.uint8)
    automata[0][0, :2] = automata[1][1, 0] = 200
    state = MachineState(automata, np.array([[0, 1], [0, -1]], np.int32))
    estimator = estimator_of(Model(batch.vocabulary, codes.one_hot(2), params, state))
    sums = estimator.class_sums(batch)
    assert sums.tolist() == [[1, -1], [0, 0]]
    assert np.array_equal(estimator.prune(batch).class_sums(batch), sums)
    assert [np.argwhere(layer).tolist() for layer in included(estimator)] == [[[0, 1]], [[1, 0]]]


def table(has, n_types=0):
    """Return graphs of one node each, with node types in turn if there are any."""
    types = (np.arange(len(has)) % n_types, range(n_types)) if n_types else None
    return gtm.GraphBatch.from_arrays(np.ones(len(has), np.int64), has, node_types=types)


def flat_model(batch, includes, weights, max_misses=0):
    """Return a model of depth 1 with these included literals."""
    n_bits = len(batch.vocabulary.symbols)
    params = MachineParams(
        n_outputs=len(weights),
        n_clauses=len(includes),
        hypervector_size=n_bits,
        n_node_types=len(batch.vocabulary.node_types),
        max_misses=max_misses,
    )
    automata = np.full((len(includes), 2 * n_bits), 100, np.uint8)
    for clause, literals in enumerate(includes):
        automata[clause, literals] = 200
    return Model(
        batch.vocabulary, codes.one_hot(n_bits), params, MachineState((automata,), np.array(weights, np.int32))
    )


def test_clauses_without_a_vote_are_gone_where_no_number_matters():
    batch = table([[1, 0], [0, 1], [1, 0]])
    estimator = estimator_of(flat_model(batch, [[0, 2], [1, 2], [0, 3], [1]], [[9, 2, 3, 4], [9, -2, 3, -4]]))
    sums = estimator.class_sums(batch)
    estimator.prune(batch)
    assert np.array_equal(estimator.class_sums(batch), sums)
    assert estimator.state_.weights.tolist() == [[6, 3], [-6, 3]]
    assert estimator.state_.automata[0].tolist() == [[100, 200, 0, 100], [200, 100, 100, 0]]
    assert estimator.model_.params.n_clauses == 2
    assert estimator.n_clauses == 4
    assert estimator.transform(batch).shape == (3, 2)
    assert estimator.get_feature_names_out().tolist() == ["C0", "C1"]
    assert [str(rule) for rule in estimator.rules()] == ["C0: 1   [+6, -6]", "C1: 0   [+3, +3]"]
    assert estimator.explain(batch[0]).votes == {0: 3, 1: 3}


def test_one_clause_is_always_left():
    batch = table([[1, 0], [0, 1]])
    estimator = estimator_of(flat_model(batch, [[0, 1], [0, 2]], [[1, 1], [1, 1]])).prune(batch)
    assert estimator.state_.weights.tolist() == [[0], [0]]
    assert not included(estimator)[0].any()
    assert not estimator.class_sums(batch).any()


def test_clauses_of_node_types_keep_their_numbers():
    batch = table([[1, 0], [0, 1], [1, 0], [1, 1]], n_types=2)
    estimator = estimator_of(flat_model(batch, [[1], [0], [0, 3], [1]], [[1, 2, 3, 4]]))
    sums = estimator.class_sums(batch)
    estimator.prune(batch)
    assert np.array_equal(estimator.class_sums(batch), sums)
    # The first type has symbol 0 only, so that C0 never fires and C2 always does at its nodes.
    assert estimator.state_.weights.tolist() == [[0, 2, 3, 4]]
    assert [np.flatnonzero(row).tolist() for row in included(estimator)[0]] == [[], [0], [], []]


def test_strengths_stay_with_grading():
    batch = table([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 1]])
    model = flat_model(batch, [[0, 1, 2, 3]], [[5], [-5]], max_misses=2)
    estimator = estimator_of(model)
    strengths = estimator.transform(batch)
    assert strengths.T.tolist() == [[1, 1, 2]]
    assert np.array_equal(estimator.prune(batch).transform(batch), strengths)
    # Every literal fails somewhere at a strongest node, and none can go; without grading the clause never fires.
    assert np.flatnonzero(included(estimator)[0]).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("state_bits", [1, 8])
def test_removed_literals_have_the_lowest_state_and_nothing_else_moves(state_bits):
    for seed in range(40):
        case = random_case(seed)
        if case.params.depth == 1 or case.params.state_bits != state_bits:
            continue
        model = with_state(case.model, step=77)
        now = estimator_of(model).prune(case.batch).model_
        assert (now.epoch, now.state.step, now.params) == (model.epoch, 77, model.params)
        for layer in range(case.params.depth):
            before, after = model.state.automata[layer], now.state.automata[layer]
            removed = model.state.includes(layer, state_bits) & ~now.state.includes(layer, state_bits)
            assert not after[removed].any()
            assert np.array_equal(before[~removed], after[~removed])
