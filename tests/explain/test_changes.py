"""The change found turns the prediction, and where it is called the smallest there is no smaller one."""

from itertools import combinations

import pytest
from explained import SYMBOLS, chain_machine, loaded_engine, models, oracle
from hypothesis import given, settings

from graphtm import GraphBatch
from graphtm.explain import Change, Edit, Explanation, Searched

CLASSES = ("a", "b", "c")


def explained(model, graphs, number=0):
    return Explanation(model, graphs[number : number + 1], CLASSES, loaded_engine(model))


def predictions(model, graphs):
    engine, encoded = oracle(model, GraphBatch.from_graphs(graphs, model.vocabulary))
    sums = engine.class_sums(encoded)
    return [CLASSES[place] for place in sums.argmax(axis=1)], sums.tolist()


def all_changes(graph, size):
    """Every change of a size, whether a clause can see it or not."""
    edits = [Edit(node, symbol, symbol not in graph.properties(node)) for node in graph.nodes for symbol in SYMBOLS]
    return [Change(chosen, None, None, {}, ()).apply(graph) for chosen in combinations(edits, size)]


@settings(max_examples=12, deadline=None)
@given(models)
def test_the_prediction_turns(made):
    model, graphs = made
    for number in range(len(graphs)):
        graph, explanation = graphs[number], explained(model, graphs, number)
        change = explanation.smallest_change(max_changes=3, max_tries=60)
        assert change.before == explanation.prediction
        assert sum(level.tried for level in change.searched) <= 60
        (after,), (votes,) = predictions(model, [change.apply(graph)])
        assert after == change.after
        assert votes == list(change.votes.values())
        assert change.found == (after != change.before) == bool(change.edits)
        for edit in change.edits:
            assert edit.adds == (edit.symbol not in graph.properties(edit.node))


@settings(max_examples=12, deadline=None)
@given(models)
def test_nothing_smaller_does_it(made):
    model, graphs = made
    graph, explanation = graphs[1], explained(model, graphs, 1)
    change = explanation.smallest_change(max_changes=2)
    assert all(level.is_complete for level in change.searched)
    assert change.is_smallest == change.found
    for size in range(1, len(change.edits) if change.found else 3 if graph.n_nodes < 4 else 2):
        after, _ = predictions(model, all_changes(graph, size))
        assert set(after) == {change.before}


@settings(max_examples=12, deadline=None)
@given(models)
def test_a_class_that_is_wanted(made):
    model, graphs = made
    graph, explanation = graphs[1], explained(model, graphs, 1)
    for to in set(CLASSES) - {explanation.prediction}:
        change = explanation.smallest_change(to, max_changes=1)
        after, _ = predictions(model, all_changes(graph, 1))
        assert change.found == (to in after)
        assert change.after == (to if change.found else change.before)
        assert change.found or f"turns {change.before!r} into {to!r}" in str(change)


@settings(max_examples=10, deadline=None)
@given(models)
def test_only_some_nodes_and_symbols(made):
    model, graphs = made
    change = explained(model, graphs).smallest_change(nodes=["n0"], symbols=["A", "B"], max_changes=2)
    assert all(edit.node == "n0" and edit.symbol in "AB" for edit in change.edits)
    assert sum(level.total for level in change.searched) <= 3


def test_senders_are_within_reach_and_strangers_are_not():
    model, graphs = chain_machine()
    explanation = Explanation(model, graphs.with_readout([["z"]]), ["no", "yes"], loaded_engine(model))
    assert explanation.votes == {"no": -2, "yes": 3}
    change = explanation.smallest_change(nodes=["x", "y"])
    assert change.edits == (Edit("x", "A", False), Edit("y", "A", False))
    assert change.is_smallest
    assert explanation.smallest_change(max_changes=1).searched == (Searched(1, 6, 6),)
    elsewhere = Explanation(model, graphs.with_readout([["x"]]), ["no", "yes"], loaded_engine(model))
    assert elsewhere.smallest_change(max_changes=1).searched == (Searched(1, 2, 2),)


def test_even_a_single_try_is_made():
    """Fewer tries than sizes are not said to be nothing to try."""
    model, graphs = chain_machine()
    change = Explanation(model, graphs, ("no", "yes"), loaded_engine(model)).smallest_change(max_changes=3, max_tries=2)
    assert change.searched[0] == Searched(1, 1, 6)
    assert sum(level.tried for level in change.searched) <= 2


def test_what_it_says():
    edits = (Edit(0, "A", True), Edit("x", "B", False))
    complete, partly = Searched(1, 1234, 1234), Searched(2, 5, 760_761)
    smallest = Change(edits, "no", "yes", {"no": 1, "yes": 2}, (complete, partly))
    assert str(smallest) == (
        "add 'A' to 0 and remove 'B' from 'x': the smallest change that turns 'no' into 'yes'. "
        "Tried: all 1,234 changes of 1 edit; 5 of 760,761 changes of 2 edits."
    )
    assert smallest.is_smallest
    unsure = Change(edits, "no", "yes", {}, (Searched(1, 7, 1234), partly))
    assert not unsure.is_smallest
    assert "a change, maybe not the smallest, that turns" in str(unsure)
    none = Change((), "no", "no", {"no": 1, "yes": 0}, (complete,))
    assert str(none) == "No change found that turns 'no' into another class. Tried: all 1,234 changes of 1 edit."
    assert "turns 'no' into 'yes'. Tried" in str(Change((), "no", "no", {}, (complete,), "yes"))
    assert not none.is_smallest
    assert none.to_dict() == {
        "found": False,
        "is_smallest": False,
        "edits": [],
        "before": "no",
        "after": "no",
        "to": None,
        "votes": {"no": 1, "yes": 0},
        "searched": [{"size": 1, "tried": 1234, "total": 1234}],
    }
    smallest.to_dict()["edits"][0]["node"] = smallest.to_dict()["searched"][0]["size"] = 9
    assert smallest.edits[0].node == 0
    assert smallest.searched[0].size == 1
    assert "no clause reads a property" in str(Change((), "no", "no", {}, ()))


@settings(max_examples=5, deadline=None)
@given(models)
def test_wrong_questions(made):
    explanation = explained(*made)
    with pytest.raises(ValueError, match=r"must differ from the predicted one; got '[abc]', which is predicted"):
        explanation.smallest_change(explanation.prediction)
    with pytest.raises(ValueError, match="The class must be one of 'a', 'b', 'c'; got 'd'"):
        explanation.smallest_change("d")
    with pytest.raises(ValueError, match=r"Every symbol must be one of 'A', .*; got 'Z'"):
        explanation.smallest_change(symbols=["Z"])
    with pytest.raises(TypeError, match=r"symbols must be a list of names; got the string 'AB'; write \['AB'\]"):
        explanation.smallest_change(symbols="AB")
    for wrong in (0, 1.5, True, None):
        with pytest.raises(ValueError, match="'max_changes' parameter of smallest_change must be an int of at least 1"):
            explanation.smallest_change(max_changes=wrong)
        with pytest.raises(ValueError, match="'max_tries' parameter of smallest_change must be an int of at least 1"):
            explanation.smallest_change(max_tries=wrong)
