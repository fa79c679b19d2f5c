"""Votes are shared out exactly: against fractions in plain Python, and nothing is left over."""

import numpy as np
import pytest
from explained import Naive, graded_models, models, oracle, random_model
from hypothesis import given, settings

from graphtm.engines.trace import Trace, trace_graph
from graphtm.explain.clauses import Clauses
from graphtm.explain.scores import _Conditions, _GradedShares, share_votes


def shared(model, graphs, number, weights, misses=True):
    _, encoded = oracle(model, graphs)
    traced = trace_graph(model.params, model.state, encoded, number)
    packed = graphs[number : number + 1].pack()
    return traced, share_votes(Clauses(model), traced, packed.properties, weights, misses=misses)


def add_up(scores, vote):
    kinds = [scores.symbols.sum(), scores.absences.sum(), scores.silence, scores.existence]
    assert np.isclose(scores.nodes.sum(), vote, rtol=1e-12, atol=1e-9)
    assert np.isclose(sum(kinds), vote, rtol=1e-12, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(models)
def test_shares_are_those_of_the_definition(made):
    compare(made)


def compare(made, misses=True):
    model, graphs = made
    for number in range(len(graphs)):
        for output, weights in enumerate(model.state.weights):
            traced, scores = shared(model, graphs, number, weights, misses)
            add_up(scores, traced.votes[output])
            expected = Naive(model, graphs[number]).share(weights, misses)
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


@settings(max_examples=4, deadline=None)
@given(graded_models)
def test_shares_without_misses_are_those_of_the_definition(made):
    compare(made, misses=False)
    model, graphs = made
    scores = shared(model, graphs, 0, np.maximum(0, model.state.weights[0]), misses=False)[1]
    assert min(scores.nodes.min(), scores.symbols.min(), scores.absences.min(), scores.silence, scores.existence) >= 0


def found():
    """Whether random graded machines show a difference from the definition."""
    try:
        for seed in range(30):
            compare(random_model(seed, 1 + seed % 4))
    except AssertionError:
        return True
    return False


def test_votes_split_over_weaker_nodes_are_found(monkeypatch):
    monkeypatch.setattr(Trace, "strongest_at", property(lambda self: (self.strengths > 0) & self.readout))
    assert found()


def test_misses_that_take_from_the_wrong_side_are_found(monkeypatch):
    honest = _GradedShares.of

    def swapped(self, layer):
        bits = self._set[layer]
        is_set, not_set = honest(self, layer)
        taken = np.minimum(is_set, 0) * bits
        return is_set - taken, not_set + taken

    monkeypatch.setattr(_GradedShares, "of", swapped)
    assert found()


def test_literals_without_owners_that_take_nothing_are_found(monkeypatch):
    honest = _GradedShares.__init__

    def careless(self, *given, **named):
        honest(self, *given, **named)
        self.existence = self.existence * 0

    monkeypatch.setattr(_GradedShares, "__init__", careless)
    assert found()


def test_bits_of_the_wrong_sign_are_found(monkeypatch):
    honest = _Conditions.of_bits
    monkeypatch.setattr(_Conditions, "of_bits", lambda self, layer: honest(self, layer)[::-1])
    assert found()


def test_nothing_is_found_without_a_mistake():
    assert not found()


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
