"""Explanations of graded clauses: votes are shared out to the last miss, and strengths are proved."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from explained import SYMBOLS, Naive, graded_machine, graded_models, loaded_engine, random_model
from hypothesis import given, settings

import graphtm as gtm
from graphtm import codes
from graphtm.explain import Edit, Explanation, matches
from graphtm.model import MachineParams, MachineState, Model

CLASSES = ("a", "b", "c")


def explained(model, graphs, number=0):
    return Explanation(model, graphs[number : number + 1], CLASSES, loaded_engine(model, "reference"))


def test_an_explanation_by_hand():
    """At y, C0 has strength 3; C1 holds B, and misses NOT A and the message: strength 1."""
    model, graphs = graded_machine(2)
    explanation = Explanation(model, graphs.with_readout([["y"]]), ["no", "yes"])
    assert str(explanation).splitlines() == [
        "Predicted yes; votes: yes +3, no +1",
        "Nodes that contribute most to yes: 'y' +3.00",
        "Symbols that contribute most to yes: B +9.00, A -3.00",
        "2 of 2 clauses are true; those that vote most for or against yes:",
        "  C1: at least 1 of: B, NOT A, red:C0   [-2, +3], and once more for each further one   strength 1 at 'y'",
        "  C0: strength 2 always, and 1 more for each of: A   [+1, 0] x strength   strength 3 at 'y'",
        "Clauses that messages refer to, as far as the layer below:",
        "  C0: A",
    ]
    assert explanation.to_markdown(max_rules=1).splitlines() == [
        "**Predicted yes; votes: yes +3, no +1**",
        "",
        "| class | votes |",
        "| --- | --- |",
        "| no | +1 |",
        "| yes | +3 |",
        "",
        "2 of 2 clauses are true; those that vote most for or against yes:",
        "",
        *explanation.rules(top=1).to_markdown().splitlines(),
        "",
        "... and 1 more",
        "",
        "- Nodes that contribute most to yes: 'y' +3.00",
        "- Symbols that contribute most to yes: B +9.00, A -3.00",
    ]
    latex = explanation.to_latex("no").splitlines()
    assert latex[0] == (
        "Predicted yes; votes: yes +3, no +1. 2 of 2 clauses are true; those that vote most for or against no:"
    )
    assert latex[1] == r"\begin{align*}"
    assert latex[-3].startswith(r"\item Nodes that contribute most to no: ")
    assert latex[-1] == r"\end{itemize}"
    with pytest.raises(
        ValueError, match="'max_rules' parameter of to_markdown and to_latex must be an int of at least 0 or None"
    ):
        explanation.to_latex(max_rules=-1)
    # B takes 3 x 3 for class yes, A in spite of NOT A -3, the message that does not arrive -3.
    scores = explanation.scores("yes")
    assert scores.present.toarray().tolist() == [[0, 0], [-3, 9], [0, 0]]
    assert (scores.absent.count_nonzero(), scores.silence, scores.existence) == (0, -3, 0)
    # For class no, A also takes all that C0 gives, 1 x 3.
    scores = explanation.scores("no")
    assert scores.present.toarray().tolist() == [[0, 0], [3 + 2, -6], [0, 0]]
    assert (scores.nodes.tolist(), scores.silence) == ([0, 1, 0], 2)
    assert [(one.clause, one.strength, one.votes) for one in explanation.fired] == [(1, 1, (-2, 3)), (0, 3, (3, 0))]
    assert explanation.to_dict()["fired"][0]["strength"] == 1
    assert str(explanation.witness(1)).splitlines() == [
        "C1 has strength 1 of 3 at 'y':",
        "  B",
        "  missed: NOT A",
        "  missed: red:C0",
    ]
    assert '<td style="text-align: left">3</td>' in explanation._repr_html_()


def test_a_vote_is_split_over_the_strongest_nodes():
    """C0 has strength 3 at x and y, 2 at z; C1 has 3 at z alone, and the message takes 1 of 3 shares."""
    model, graphs = graded_machine(2)
    explanation = Explanation(model, graphs, ["no", "yes"])
    assert explanation.nodes_of(0) == ("x", "y")
    assert explanation.nodes_of(1) == ("z",)
    assert explanation.votes == {"no": 3 - 6, "yes": 9}
    scores = explanation.scores("yes")
    assert scores.nodes.tolist() == [1.5, 1.5, 6]
    assert scores.edges.tolist() == [1.5, 1.5]
    assert scores.absent.toarray().tolist() == [[0, 0], [0, 0], [3, 0]]


def test_a_message_that_must_not_arrive_takes_from_its_sender():
    """C1 wants B and no message of C0; one arrives at z over two edges, and each takes half of the miss."""
    model, graphs = graded_machine(1, second=([1], [2]))
    explanation = Explanation(model, graphs.with_readout([["z"]]), ["no", "yes"])
    scores = explanation.scores("yes")
    assert explanation.votes["yes"] == 3 == scores.nodes.sum()
    assert scores.edges.tolist() == [-1.5, -1.5]
    assert scores.nodes.tolist() == [-1.5, -1.5, 6]
    assert scores.present.toarray().tolist() == [[-1.5, 0], [-1.5, 0], [0, 6]]
    assert str(explanation.witness(1)).splitlines() == [
        "C1 has strength 1 of 2 at 'z':",
        "  B",
        "  missed: NOT red:C0: by C0 at 'x' over red, C0 at 'y' over red",
        "    C0 is true at 'x':",
        "      A",
    ]
    condition = explanation.witness(1).to_dict()[0]["conditions"][1]
    assert (condition["missed"], condition["step"]) == (True, 1)


def test_a_witness_and_the_rule_have_the_same_full_strength():
    """C1 wants B, NOT B and A, and no message of C0 though it asks for it, too: two misses at every node."""
    model, graphs = graded_machine(3, second=([0, 1, 3], [0, 2]))
    explanation = Explanation(model, graphs.with_readout([["z"]]), ["no", "yes"])
    rule = explanation.rule(1)
    assert str(rule) == "C1: strength 1 always, and 1 more for each of: A   [-2, +3] x strength"
    witness = explanation.witness(1)
    assert str(witness).splitlines() == [
        "C1 has strength 1 of 2 at 'z':",
        "  missed: A",
        "  not counted, with its opposite: B",
        "  not counted, with its opposite: NOT B",
        "  not counted, with its opposite: red:C0",
        "  not counted, with its opposite: NOT red:C0",
    ]
    # What is not counted needs no proof.
    assert len(witness.steps) == 1
    conditions = witness.to_dict()[0]["conditions"]
    assert [one.get("constant") for one in conditions] == [None, *["opposed"] * 4]
    assert [one.get("missed", False) for one in conditions] == [True, False, True, False, True]
    # With two misses, all that is left must hold: the rule is an AND.
    model, graphs = graded_machine(2, second=([0, 1, 3], [0, 2]))
    explanation = Explanation(model, graphs, ["no", "yes"])
    assert str(explanation.rule(1)) == "C1: A   [-2, +3]"
    assert str(explanation.witness(1)).startswith("C1 has strength 1 of 1 at 'x':\n  A\n  not counted, with")


def test_a_witness_does_not_count_what_never_and_what_always_holds():
    """C0 is A and NOT A, so that it sends no message: C1 asks for one, C2 for none."""
    params = MachineParams(
        n_outputs=1, n_clauses=3, hypervector_size=2, message_code=codes.one_hot(3), depth=2, max_misses=1
    )
    automata = np.zeros((3, 4), np.uint8), np.zeros((3, 6), np.uint8)
    automata[0][0, [0, 2]] = automata[0][[1, 2], 1] = automata[1][1, 0] = automata[1][2, 3] = 255
    state = MachineState(automata, np.ones((1, 3), np.int32))
    model = Model(gtm.Vocabulary(["A", "B"], ["left"]), codes.one_hot(2), params, state)
    graph = gtm.Graph()
    graph.add_node("x", ["B"])
    explanation = Explanation(model, gtm.GraphBatch.from_graphs([graph], model.vocabulary), ["y"])
    expected = {
        1: ("B   [+1]", "strength 1 of 1", "never holds: left:C0"),
        2: (
            "strength 1 always, and 1 more for each of: B   [+1] x strength",
            "strength 2 of 2",
            "always holds: NOT left:C0",
        ),
    }
    for clause, (rule, strength, not_counted) in expected.items():
        assert str(explanation.rule(clause)) == f"C{clause}: {rule}"
        assert str(explanation.witness(clause)).splitlines() == [
            f"C{clause} has {strength} at 'x':",
            "  B",
            f"  not counted, since it {not_counted}",
        ]


@settings(max_examples=25, deadline=None)
@given(graded_models)
def test_a_witness_proves_the_strength(made):
    model, graphs = made
    for number, graph in enumerate(graphs):
        explanation, naive = explained(model, graphs, number), Naive(model, graph)
        assert list(explanation.votes.values()) == [sum(one.votes[i] for one in explanation.fired) for i in range(3)]
        for fired in explanation.fired:
            assert fired.strength == max(naive.strength(fired.clause, n) for n in naive.readout())
            for node in fired.nodes:
                witness = explanation.witness(fired.clause, node)
                at = naive.nodes.index(node)
                assert witness.strength == naive.strength(fired.clause, at) == fired.strength
                rule = explanation.rule(fired.clause)
                assert witness.max_misses == rule.max_misses == rule.full_strength - 1
                counted = [condition for condition in witness.steps[0].conditions if condition.constant is None]
                assert len(counted) == len(rule.varying) or not rule.max_misses
                for step in witness.steps[1:]:
                    assert not any(condition.constant for condition in step.conditions)
                    assert not any(condition.missed for condition in step.conditions)
                    assert (step.clause, naive.nodes.index(step.node)) in naive.true[step.layer]
                for condition in witness.steps[0].conditions:
                    assert condition.missed != naive.satisfies(condition.literal, at)
        for clause in set(range(model.params.n_clauses)) - {fired.clause for fired in explanation.fired}:
            with pytest.raises(ValueError, match="The clause must be true for the graph"):
                explanation.witness(clause)


def test_random_machines_miss_everything():
    """The properties above are about every kind of miss, in each layer, and about all that votes can go to."""
    missed, shares = Counter(), Counter()
    for seed in range(60):
        model, graphs = random_model(seed, 1 + seed % 20)
        explanation = explained(model, graphs)
        for fired in explanation.fired:
            for condition in explanation.witness(fired.clause).steps[0].conditions:
                literal = condition.literal
                missed[min(literal.layer, 1), literal.negated, bool(literal.owners), condition.missed] += 1
        scores = Naive(model, graphs[0]).share(model.state.weights[0])
        shares.update(name for name, amounts in scores.items() if any(amounts.values()))
    expected = {(layer, negated, True, miss) for layer in (0, 1) for negated in (False, True) for miss in (False, True)}
    assert {kind for kind, number in missed.items() if number > 10} >= expected | {(1, False, False, True)}
    assert set(shares) == {"nodes", "edges", "present", "absent", "silence", "existence"}


@settings(max_examples=15, deadline=None)
@given(graded_models)
def test_a_smallest_change_turns_the_prediction(made):
    model, graphs = made
    explanation = explained(model, graphs, 1)
    change = explanation.smallest_change(max_changes=2, max_tries=200)
    after = Explanation(model, gtm.GraphBatch.from_graphs([change.apply(graphs[1])], model.vocabulary), CLASSES)
    assert after.votes == change.votes
    assert change.found == (after.prediction != explanation.prediction)
    if all(level.is_complete for level in change.searched) and len(change.edits) != 1:
        for node in graphs[1].nodes:
            for symbol in SYMBOLS:
                edit = Edit(node, symbol, symbol not in graphs[1].properties(node))
                graph = type(change)((edit,), None, None, {}, ()).apply(graphs[1])
                once = Explanation(model, gtm.GraphBatch.from_graphs([graph], model.vocabulary), CLASSES)
                assert once.prediction == explanation.prediction


@pytest.fixture(scope="module")
def learned():
    """Three of five symbols make the class: an AND cannot say that, a count can."""
    has = np.array(list(product([False, True], repeat=5)) * 4)
    graphs = gtm.GraphBatch.from_arrays(np.ones(128, int), has, [*"ABCDE"])
    clf = gtm.GraphTMClassifier(
        n_clauses=3, T=10, s=100.0, depth=1, max_misses=2, max_included_literals=5, epochs=20, random_state=1
    )
    y = np.where(has.sum(axis=1) >= 3, "many", "some")
    return clf.fit(graphs, y), graphs, y


def test_a_classifier_counts(learned):
    clf, graphs, y = learned
    assert clf.score(graphs, y) == 1
    rules = clf.rules()
    assert str(clf.rules("many", top=1)[0]).startswith("C0: at least 3 of: A, B, C, D, E   [")
    strengths = matches(rules.unroll(), graphs).astype(int)
    votes = strengths @ np.array([rule.weights for rule in rules])
    np.testing.assert_array_equal(votes, clf.class_sums(graphs))
    for number in range(32):
        explanation = clf.explain(graphs[number])
        assert list(explanation.votes.values()) == votes[number].tolist()
        for class_, vote in explanation.votes.items():
            scores = explanation.scores(class_)
            kinds = scores.symbols.sum() + scores.absences.sum() + scores.silence + scores.existence
            assert scores.nodes.sum() == pytest.approx(vote)
            assert kinds == pytest.approx(vote)
        assert explanation.smallest_change().is_smallest


def test_a_classifier_is_measured(learned):
    """A rule is true for a graph if its strength is above 0: here, if three of five symbols are there."""
    clf, graphs, y = learned
    every = matches(clf.rules(simplify=False).unroll(), graphs)
    assert every.dtype == np.uint8
    measures = clf.rules("many", top=1).measured(every, y)[0].measures
    assert (measures.support, measures.precision, measures.recall) == (64, (1.0, 0.0), (1.0, 0.0))
