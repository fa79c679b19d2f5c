"""Explanations of a classifier: the machine's own votes, in the user's names, the same every time."""

import copy
import json
import pickle
import time

import numpy as np
import pytest
from explained import loaded_engine, models
from hypothesis import given, settings
from shared import shared_data
from sklearn.exceptions import NotFittedError

import graphtm as gtm
from graphtm.datasets import load_mnist, motif_graphs, multivalue_xor, noisy_xor
from graphtm.explain import Explanation, edge_patterns, fidelity, recovery, top_nodes
from graphtm.explain.explanation_text import folded


@pytest.fixture(scope="module")
def star():
    """A machine that has learned B -red-> A <-blue- C, and graphs it has not seen."""
    made = motif_graphs(4000, motif="star", random_state=0)
    graphs, y = made
    clf = gtm.GraphTMClassifier(n_clauses=60, T=120, s=4.0, epochs=30, max_included_literals=8, random_state=1)
    clf.fit(graphs[:3500], y[:3500])
    assert clf.score(graphs[3500:], y[3500:]) > 0.98
    return clf, graphs[3500:], made.rule


def explanations(clf, graphs):
    return [clf.explain(graphs[i : i + 1]) for i in range(len(graphs))]


def test_votes_and_clauses_are_the_machines(star):
    clf, graphs, _ = star
    graphs = graphs[:40]
    sums, outputs, at_nodes = clf.class_sums(graphs), clf.transform(graphs), clf.transform_nodes(graphs).toarray()
    first = np.concatenate([[0], np.cumsum(graphs.node_counts)])
    for i, explanation in enumerate(explanations(clf, graphs)):
        assert list(explanation.votes.values()) == sums[i].tolist()
        assert explanation.prediction == clf.predict(graphs[i : i + 1])[0]
        assert sorted(fired.clause for fired in explanation.fired) == np.flatnonzero(outputs[i]).tolist()
        strengths = [abs(fired.votes[int(sums[i].argmax())]) for fired in explanation.fired]
        assert strengths == sorted(strengths, reverse=True)
        for fired in explanation.fired:
            assert list(fired.nodes) == np.flatnonzero(at_nodes[first[i] : first[i + 1], fired.clause]).tolist()
            assert fired.votes == tuple(clf.state_.weights[:, fired.clause].tolist())


def test_the_planted_motif_has_the_highest_scores_and_is_named(star):
    clf, graphs, rule = star
    chosen = graphs[(rule(graphs) == 1) & (clf.predict(graphs) == 1)]
    made = explanations(clf, chosen)
    scores = np.concatenate([explanation.scores(1, against=0).nodes for explanation in made])
    truth = rule.nodes(chosen)
    assert recovery(scores, truth, chosen.node_counts).precision > 0.98
    assert recovery(scores, truth, chosen.node_counts).complete > 0.95
    n_planted = np.add.reduceat(truth, np.cumsum(chosen.node_counts) - chosen.node_counts)
    measured = fidelity(clf.predict, chosen, top_nodes(scores, chosen.node_counts, n_planted))
    assert min(measured.necessity, measured.sufficiency) > 0.95
    (first, strong), (second, weaker), (_, rest), *_ = edge_patterns(made, 1, against=0)
    assert {first, second} == {(("B",), "red", ("A",)), (("C",), "blue", ("A",))}
    assert "B -red-> A, C -blue-> A" in str(rule)
    assert min(strong, weaker) > 10 * rest


@pytest.mark.slow
def test_a_path_is_found_over_two_edges():
    made = motif_graphs(6000, motif="path", random_state=0)
    graphs, y = made
    clf = gtm.GraphTMClassifier(
        n_clauses=200, T=400, s=5.0, depth=3, epochs=30, max_included_literals=8, random_state=1
    )
    clf.fit(graphs[:5000], y[:5000])
    chosen = graphs[5000:][(y[5000:] == 1) & (clf.predict(graphs[5000:]) == 1)]
    found = explanations(clf, chosen)
    scores = np.concatenate([explanation.scores(1, against=0).nodes for explanation in found])
    assert recovery(scores, made.rule.nodes(chosen), chosen.node_counts).precision > 0.93
    patterns = [pattern for pattern, _ in edge_patterns(found, 1, against=0)[:2]]
    assert set(patterns) == {(("A",), "red", ("B",)), (("B",), "blue", ("C",))}


def test_the_pairs_of_an_exclusive_or_are_found():
    """Every edge joins an even value to an odd one where the prediction is 1; that is what it rests on."""
    graphs, y = multivalue_xor(3000, n_values=4, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=20, T=20, s=3.0, epochs=20, random_state=1).fit(graphs, y)
    assert clf.score(graphs, y) == 1
    for explanation in explanations(clf, graphs[:50]):
        scores = explanation.scores()
        assert scores.nodes.sum() == pytest.approx(explanation.votes[explanation.prediction])
        change = explanation.smallest_change(max_changes=2)
        assert change.is_smallest
        assert clf.predict([change.apply(explanation.graph)])[0] == change.after != explanation.prediction


@settings(max_examples=8, deadline=None)
@given(models)
def test_the_same_every_time(made):
    model, graphs = made

    def everything():
        explanation = Explanation(model, graphs[:1], ["a", "b", "c"], loaded_engine(model))
        found = [str(explanation), explanation.to_dict(), explanation.smallest_change(max_tries=50).to_dict()]
        return json.dumps([*found, *(str(explanation.witness(fired.clause)) for fired in explanation.fired)])

    assert everything() == everything()


def test_graphs_and_batches_of_one_are_alike(star):
    clf, graphs, _ = star
    one, again, packed = clf.explain(graphs[3]), clf.explain([graphs[3]]), clf.explain(graphs[3:4])
    assert one.to_dict() == again.to_dict() == packed.to_dict() == pickle.loads(pickle.dumps(one)).to_dict()
    assert one.graph == graphs[3]
    assert repr(one) == f"Explanation(prediction={one.prediction}, {len(one.fired)} true clauses)"
    with pytest.raises(ValueError, match=r"explain takes one graph; got 2. Write graphs\[i\]"):
        clf.explain(graphs[:2])
    with pytest.raises(NotFittedError):
        gtm.GraphTMClassifier().explain(graphs[0])


def test_data(star):
    clf, graphs, _ = star
    explanation = clf.explain(graphs[3:4])
    data = explanation.to_dict()
    assert list(data) == ["prediction", "votes", "nodes", "edges", "fired", "scores"]
    assert sorted(map(tuple, data["edges"])) == sorted(map(tuple, graphs[3].edges))
    clause = data["fired"][0]["clause"]
    assert data["fired"][0]["rule"] == str(explanation.rule(clause))
    assert str(explanation.rule(clause, simplify=False)) == str(clf.rules(simplify=False)[clause])
    for label, scores in data["scores"].items():
        assert sum(scores["nodes"]) == pytest.approx(explanation.votes[label])
        owed = [value for kind in ("present", "absent") for _, value in scores[kind]]
        assert sum(owed) + scores["silence"] + scores["existence"] == pytest.approx(explanation.votes[label])
    difference = explanation.scores(1).nodes - explanation.scores(0).nodes
    assert np.allclose(explanation.scores(1, against=0).nodes, difference)
    with pytest.raises(ValueError, match="The class must be one of 0, 1; got 2"):
        explanation.scores(2)
    # As everywhere in scikit-learn, and in clf.rules(1.0): labels that are equal are the same class.
    assert explanation.scores(1.0) is explanation.scores(np.int64(1)) is explanation.scores(True)


def test_text(star):
    clf, graphs, _ = star
    text = str(clf.explain(graphs[3:4])).splitlines()
    assert text[0].startswith("Predicted ")
    titles = [line.split(" that")[0] for line in text[1:] if line.startswith(("Nodes", "Edges", "Symbols"))]
    assert titles == ["Nodes", "Edges", "Symbols"]
    (place,) = [number for number, line in enumerate(text) if "clauses are true; those that vote most for" in line]
    assert not any(line.startswith("  C") for line in text[:place])
    assert text[place + 1].startswith("  C")


def test_rules_print_as_those_of_the_machine(star):
    """One way of writing a clause: lines of an explanation are lines of clf.rules(), with the nodes behind them."""
    clf, graphs, _ = star
    lines = set(str(clf.rules()).splitlines())
    explanation = clf.explain(graphs[3:4])
    rules = explanation.rules()
    assert {str(rule) for rule in rules} <= lines
    fired = [clause for rule in rules for clause in (rule.clause, *rule.equal)]
    assert sorted(fired) == sorted(one.clause for one in explanation.fired)
    assert sum(rule.weights[1] for rule in rules) == explanation.votes[1]
    strengths = [abs(rule.weights[1]) for rule in explanation.rules(1)]
    assert strengths == sorted(strengths, reverse=True)
    assert len(explanation.rules(top=2)) == 2
    everything = " ".join(explanation.to_text(max_rules=None).split())
    for rule in rules:
        assert f"{' '.join(str(rule).split())} at " in everything
    assert "more; see" not in everything
    with pytest.raises(ValueError, match="'max_rules' parameter of to_text must be an int of at least 0 or None"):
        explanation.to_text(max_rules=-1)
    narrow, unfolded = explanation.to_text(width=60), explanation.to_text(width=None)
    assert len(narrow.splitlines()) > len(unfolded.splitlines())
    assert max(map(len, narrow.splitlines())) <= 60 < max(map(len, unfolded.splitlines()))
    assert narrow.split() == unfolded.split()
    with pytest.raises(ValueError, match="'width' parameter of to_text must be an int of at least 40 or None"):
        explanation.to_text(width=39)


def test_a_thousand_clauses_make_a_short_text():
    graphs, y = motif_graphs(300, motif="star", random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=1000, T=2000, s=10.0, epochs=1, random_state=4).fit(graphs, y)
    explanation = clf.explain(graphs[4])
    text = str(explanation)
    assert len(text) < 3000
    n_rules = len(explanation.rules())
    assert f"... and {n_rules - 5:,} more; see .rules(), or .to_text(max_rules=None)" in text
    about = explanation.to_text(1, max_rules=2)
    assert "those that vote most for or against 1:" in about
    assert f"... and {n_rules - 2:,} more" in about
    # What messages refer to is said, if it is named.
    assert "Clauses that messages refer to" in text


def test_a_machine_without_votes_has_something_to_say():
    graphs, y = noisy_xor(20, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=2, T=5, depth=1, epochs=0, random_state=0).fit(graphs, y)
    clf = copy.deepcopy(clf)
    explanation = clf.explain(graphs[0])
    assert explanation.scores().existence == explanation.votes[explanation.prediction]
    assert not explanation.smallest_change().found


@pytest.mark.slow
def test_an_image_is_explained_in_a_fifth_of_a_second():
    X, y = load_mnist(data_home=shared_data("mnist").parent)
    graphs = gtm.encoders.ImagePatches().fit_transform(X[:6000])
    clf = gtm.GraphTMClassifier(n_clauses=2500, T=3125, s=10.0, depth=1, epochs=3, max_included_literals=32)
    clf.set_params(random_state=0).fit(graphs[:5000], y[:5000])
    assert clf.score(graphs[5000:], y[5000:6000]) > 0.9
    seconds = []
    for i in range(5000, 5011):
        start = time.perf_counter()
        str(clf.explain(graphs[i]))
        seconds.append(time.perf_counter() - start)
    assert np.median(seconds) < 0.2


def test_changes_are_tried_in_the_engine_of_the_estimator(star, monkeypatch):
    """No other is made, not even after more learning; a pickle goes without, and makes one when it needs it."""
    clf, graphs, _ = star
    explanation = clf.explain(graphs[3:4])
    packed = pickle.dumps(explanation)
    expected = pickle.loads(packed).smallest_change().to_dict()

    def refuse(*arguments):
        raise AssertionError("an engine is made")

    monkeypatch.setattr("graphtm.explain.base_explanation.make_engine", refuse)
    assert explanation.smallest_change().to_dict() == expected
    str(explanation), explanation.fired, explanation._repr_html_()
    assert pickle.dumps(explanation) == packed
    learner = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, random_state=1).partial_fit(graphs, clf.predict(graphs))
    before = learner.explain(graphs[3:4])
    change = learner.explain(graphs[3:4]).smallest_change().to_dict()
    learner.partial_fit(graphs, 1 - clf.predict(graphs))
    assert before.smallest_change().to_dict() == change


def test_long_names_are_broken_after_commas_and_keep_the_indent():
    name = "'C(" + ",".join(["-C(-C,-N)"] * 12) + ")'"
    lines = folded(f"  C0: red AND {name}   [+5, -6]", 40).splitlines()
    assert lines[0] == "  C0: red AND"
    assert all(line.startswith("      ") for line in lines[1:])
    assert max(map(len, lines)) <= 40
    assert "".join("".join(lines).split()) == "".join(f"C0: red AND {name} [+5, -6]".split())
    assert folded(f"  {'x' * 50}, yellow", 40).splitlines() == [f"  {'x' * 50},", "      yellow"]
