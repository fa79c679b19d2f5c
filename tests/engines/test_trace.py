"""One graph, evaluated for its explanation: the engines' bits, and what lies below them."""

import numpy as np
import pytest
from explained import Naive, models, oracle
from hypothesis import given, settings

from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.trace import trace_graph
from graphtm.errors import GraphTMError
from graphtm.testing.machines import random_case, wide_cases


def compare(params, state, graphs):
    engine = ReferenceEngine()
    engine.load(params, state)
    truth, outputs, sums = engine.node_outputs(graphs), engine.clause_outputs(graphs), engine.class_sums(graphs)
    for graph in range(graphs.n_graphs):
        traced = trace_graph(params, state, graphs, graph)
        nodes = slice(graphs.node_ptr[graph], graphs.node_ptr[graph + 1])
        assert np.array_equal(traced.truth[-1], truth[nodes].T)
        assert np.array_equal(traced.fired, np.flatnonzero(outputs[graph]))
        assert np.array_equal(traced.votes, sums[graph])
        below = engine._evaluate(graphs, graph)
        for mine, theirs in zip(traced.truth, below.truth, strict=True):
            assert np.array_equal(mine, theirs)
        inboxes = [traced.bits, *(count > 0 for count in traced.messages)]
        for mine, theirs in zip(inboxes, below.literals, strict=True):
            assert np.array_equal(mine, theirs[:, : mine.shape[1]])


@pytest.mark.parametrize("seed", range(40))
def test_every_layer_is_the_oracles(seed):
    case = random_case(seed)
    compare(case.params, case.start, case.graphs)


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
