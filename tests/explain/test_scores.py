"""Votes are shared out exactly: against fractions in plain Python, and nothing is left over."""

import numpy as np
import pytest
from explained import Naive, graded_models, models, oracle
from hypothesis import given, settings

from graphtm.engines.trace import trace_graph
from graphtm.explain.clauses import Clauses
from graphtm.explain.scores import share_votes


def shared(model, graphs, number, weights):
    _, encoded = oracle(model, graphs)
    traced = trace_graph(model.params, model.state, encoded, number)
    packed = graphs[number : number + 1].pack()
    return traced, share_votes(Clauses(model), traced, packed.properties, weights)


def add_up(scores, vote):
    kinds = [scores.symbols.sum(), scores.absences.sum(), scores.silence, scores.existence]
    assert np.isclose(scores.nodes.sum(), vote, rtol=1e-12, atol=1e-9)
    assert np.isclose(sum(kinds), vote, rtol=1e-12, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(models)
def test_shares_are_those_of_the_definition(made):
    compare(made)


def compare(made):
    model, graphs = made
    for number in range(len(graphs)):
        for output, weights in enumerate(model.state.weights):
            traced, scores = shared(model, graphs, number, weights)
            add_up(scores, traced.votes[output])
            expected = Naive(model, graphs[number]).share(weights)
            assert sum(expected["nodes"].values()) == traced.votes[output]
            kinds = [sum(expected[name].values()) for name in ("present", "absent", "silence", "existence")]
            assert sum(kinds) == traced.votes[output]
            tables = {"nodes": scores.nodes, "edges": scores.edges}
            tables |= {"present": scores.present.toarray(), "absent": scores.absent.toarray()}
            for name, table in tables.items():
                wanted = np.zeros(table.shape)
                for place, amount in expected[name].items():
                    wanted[place] = float(amount)
                assert np.allclose(table, wanted, rtol=1e-12, atol=1e-12), name
            for name in ("silence", "existence"):
                assert np.isclose(getattr(scores, name), float(expected[name].get(None, 0)), rtol=1e-12, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(graded_models)
def test_shares_of_graded_clauses_are_those_of_the_definition(made):
    compare(made)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(graded_models)
def test_shares_of_graded_clauses_are_those_of_the_definition_hundreds_of_times(made):
    compare(made)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(models)
def test_shares_are_those_of_the_definition_hundreds_of_times(made):
    compare(made)
