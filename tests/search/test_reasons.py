"""Reasons: they are about the suggested candidate, and they are true."""

import pytest

import graphtm as gtm
from graphtm.search import RepresentationTrial
from graphtm.search.candidates import candidates_for
from graphtm.search.reasons import parameters_of, reasons_for

GRAPHS, _ = gtm.datasets.sequences(30, random_state=0)
ACCURACIES = {
    "nodes, 1 hop": 0.95,
    "whole graphs, 1 hop": 0.6,
    "whole graphs, 2 hops": 0.7,
    "whole graphs, 3 hops": 0.65,
    "whole graphs, 2 hops, exact": 0.8,
}


def reasons(name, first=None):
    """Return the reasons for a candidate, with another one as the recommended one."""
    candidates = sorted(candidates_for(GRAPHS, {}), key=lambda one: one.name != (first or one.name))
    tried = []
    for candidate in candidates:
        accuracy = ACCURACIES.get(candidate.name, 0.5)
        tried.append((candidate, RepresentationTrial(candidate.name, accuracy, 0.01, 0.1, 0.01, 1.0, 10)))
    (chosen,) = (one for one in candidates if one.name == name)
    parameters = parameters_of(chosen.pipeline(False, {}), len(GRAPHS))
    return reasons_for(chosen, tried, (), parameters, {}, GRAPHS, len(GRAPHS))


@pytest.mark.parametrize("first", ["whole graphs, 2 hops", "nodes, depth 2"])
def test_values_are_compared_with_the_encoders_of_the_suggestion(first):
    compared = "The accuracy was 0.600 with 1, 0.700 with 2, 0.650 with 3."
    alone = "No other value was tried with this representation."
    assert reasons("whole graphs, 2 hops", first)["hops"] == compared
    assert reasons("whole graphs, 3 hops", first)["hops"] == compared
    assert reasons("nodes, 1 hop", first)["hops"] == alone
    exact = reasons("whole graphs, 2 hops, exact", first)["hops"]
    assert exact == "With graded clauses, the accuracy was 0.600 with 1, 0.700 with 2, 0.650 with 3."


def test_equally_accurate_ones_are_named(monkeypatch):
    monkeypatch.setitem(ACCURACIES, "nodes, depth 2", ACCURACIES["nodes, 1 hop"])
    chosen = reasons("nodes, 1 hop", "whole graphs, 2 hops")["representation"]
    assert chosen.endswith("As accurate: 'nodes, depth 2'; this one has the fewest symbols.")
    assert "As accurate" not in reasons("whole graphs, 2 hops, exact", "whole graphs, 2 hops")["representation"]


def test_the_limit_of_literals_is_called_soft():
    text = reasons("whole graphs, 2 hops")["max_included_literals"]
    assert text.startswith("A soft limit")
