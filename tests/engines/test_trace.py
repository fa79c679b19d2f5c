"""One graph, evaluated for its explanation: the engines' bits, and what lies below them."""

import numpy as np
import pytest
from explained import Naive, models, oracle
from hypothesis import given, settings

from graphtm.engines import trace
from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.trace import trace_graph
from graphtm.errors import GraphTMError
from graphtm.testing.machines import random_case, wide_cases


def compare(params, state, graphs):
    engine = ReferenceEngine()
    engine.load(params, state)
    strengths, outputs, sums = engine.node_outputs(graphs), engine.clause_outputs(graphs), engine.class_sums(graphs)
    for graph in range(graphs.n_graphs):
        traced = trace_graph(params, state, graphs, graph)
        nodes = slice(graphs.node_ptr[graph], graphs.node_ptr[graph + 1])
        assert np.array_equal(traced.strengths, strengths[nodes].T)
        assert np.array_equal(traced.outputs, outputs[graph])
        assert np.array_equal(traced.fired, np.flatnonzero(outputs[graph]))
        assert np.array_equal(traced.votes, sums[graph])
        below = engine._evaluate(graphs, graph)
        readout = np.flatnonzero(below.readout)
        for clause in range(params.n_clauses):
            at = below.strengths[clause, readout]
            assert np.flatnonzero(traced.strongest_at[clause]).tolist() == readout[(at > 0) & (at == at.max())].tolist()
        misses, served = np.zeros(traced.strengths.shape, np.int64), np.ones(traced.strengths.shape, bool)
        if params.n_node_types > 1:
            served = np.arange(params.n_clauses)[:, None] % params.n_node_types == graphs.node_types[nodes]
        for layer, truth in enumerate(traced.truth):
            misses += engine._misses(layer, below.literals[layer])
            assert np.array_equal(truth, (misses == 0) & served)
        inboxes = [traced.bits, *(count > 0 for count in traced.messages)]
        for mine, theirs in zip(inboxes, below.literals, strict=True):
            assert np.array_equal(mine, theirs[:, : mine.shape[1]])


@pytest.mark.parametrize("seed", range(40))
def test_every_layer_is_the_oracles(seed):
    case = random_case(seed)
    compare(case.params, case.start, case.graphs)


def test_some_of_these_machines_are_graded():
    """Clauses that miss literals, and whose strongest nodes are not all at which they are true."""
    partly = 0
    for seed in range(40):
        case = random_case(seed)
        traced = trace_graph(case.params, case.start, case.graphs)
        partly += int(np.count_nonzero((traced.strengths > 0) & ~traced.truth[-1] & ~traced.strongest_at))
    assert partly > 100


def test_misses_that_count_once_per_layer_are_found(monkeypatch):
    honest = trace._misses
    monkeypatch.setattr(trace, "_misses", lambda includes, bits: np.minimum(1, honest(includes, bits)))
    graded = [case for case in map(random_case, range(40)) if case.params.max_misses]
    with pytest.raises(AssertionError):
        any(compare(case.params, case.start, case.graphs) for case in graded)


@pytest.mark.slow
def test_every_layer_is_the_oracles_in_wide_machines():
    for case in wide_cases():
        compare(case.params, case.start, case.graphs)


@settings(max_examples=20, deadline=None)
@given(models)
def test_messages_are_counted(made):
    model, graphs = made
    _, encoded = oracle(model, graphs)
    compare(model.params, model.state, encoded)
    traced, naive = trace_graph(model.params, model.state, encoded, 1), Naive(model, graphs[1])
    for layer, counts in enumerate(traced.messages, 1):
        for (node, bit), number in np.ndenumerate(counts):
            assert number == len(naive.granting(layer, bit, node))


def test_a_machine_must_be_able_to_read_the_graph():
    one, other = random_case(1), random_case(2)
    assert one.params.hypervector_size != other.params.hypervector_size
    with pytest.raises(GraphTMError, match="must be encoded into"):
        trace_graph(one.params, one.start, other.graphs)
