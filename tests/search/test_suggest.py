"""Suggestions: planted rules are found, trials are honest, and time only decides how many there are."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import PredefinedSplit, cross_val_predict

import graphtm as gtm
from graphtm.search import RepresentationTrial, trials
from graphtm.search.candidates import Candidate, candidates_for
from graphtm.search.samples import read_samples
from graphtm.search.suggesting import _choice
from graphtm.search.trials import N_FOLDS, trial_machine, trial_sample

SMALL = dict(n_clauses=40, epochs=15, n_jobs=1)


def rings(has, label):
    """Return rings of nodes with symbols A, B, ..., and labels by a function of (graphs, nodes, symbols)."""
    n, size, n_symbols = has.shape
    nodes = np.arange(n * size)
    edges = nodes, nodes // size * size + (nodes + 1) % size, np.zeros(n * size, int)
    properties = has.reshape(n * size, n_symbols)
    graphs = gtm.GraphBatch.from_arrays(
        [size] * n, properties, list("ABCDEF")[:n_symbols], edges=edges, edge_types=["next"]
    )
    return graphs, np.where(label(has), "yes", "no")


def linked(n=300):
    """A node with A comes before one with B. Other symbols are anywhere, so whole looks are rare."""
    has = np.random.default_rng(0).random((n, 4, 6)) < 0.4
    return rings(has, lambda has: (has[:, :, 0] & has[:, [1, 2, 3, 0], 1]).any(axis=1))


def scattered(n=150):
    """Two nodes have A and two have B, wherever they are. Nodes have any symbols, so nodes are recommended."""
    has = np.random.default_rng(0).random((n, 6, 6)) < 0.4
    return rings(has, lambda has: (has[:, :, :2].sum(axis=1) >= 2).all(axis=1))


def counted(n=200):
    """There is an A, and there are two B, wherever they are."""
    has = np.eye(6, dtype=bool)[np.random.default_rng(0).integers(6, size=(n, 8))]
    return rings(has, lambda has: has[:, :, 0].any(axis=1) & (has[:, :, 1].sum(axis=1) >= 2))


@pytest.fixture(scope="module")
def about_linked():
    return gtm.suggest(*linked(), seconds=600, **SMALL)


def names(graphs, **given):
    return [candidate.name for candidate in candidates_for(graphs, given)]


def accuracies(suggestion, kind):
    return [trial.accuracy for trial in suggestion.trials if trial.name.startswith(kind)]


def test_messages_are_suggested_where_a_rule_needs_them(about_linked):
    assert about_linked.representation.startswith("nodes, depth 2")
    assert about_linked.parameters["depth"] == 2
    assert [name for name, _ in about_linked.pipeline.steps] == ["graphtmclassifier"]
    assert max(accuracies(about_linked, "nodes, depth 2")) > max(accuracies(about_linked, "whole graphs")) + 0.1


def test_whole_graphs_are_suggested_where_facts_decide():
    about_scattered = gtm.suggest(*scattered(), seconds=600, **SMALL)
    assert about_scattered.representation.startswith("whole graphs")
    assert "since it is better than the recommended 'nodes, depth 2'" in about_scattered.reasons["representation"]
    suggestion = gtm.suggest(*counted(), seconds=600, n_clauses=40, epochs=10, n_jobs=1)
    assert suggestion.representation.startswith("whole graphs")
    assert max(accuracies(suggestion, "whole graphs")) > max(accuracies(suggestion, "nodes"))


def test_the_accuracy_is_that_of_held_out_graphs(about_linked):
    graphs, y = linked()
    samples = read_samples(graphs, y, False)
    folds = samples.folds(N_FOLDS, 0)
    candidate = candidates_for(graphs, SMALL)[0]
    pipeline = candidate.pipeline(False, {**SMALL, "random_state": 0})
    n_train = len(graphs) * 2 // 3
    pipeline.steps[-1] = ("machine", trial_machine(pipeline[-1], n_train))
    predicted = cross_val_predict(pipeline, graphs, y, cv=PredefinedSplit(folds))
    assert about_linked.trials[0].accuracy == pytest.approx(np.mean(predicted == y))
    right = (predicted == y).astype(float)
    assert about_linked.trials[0].standard_error == pytest.approx(right.std(ddof=1) / np.sqrt(len(y)))


def test_time_stops_further_trials_and_changes_none(about_linked, monkeypatch):
    alone = gtm.suggest(*linked(), seconds=0, **SMALL)
    assert [trial.accuracy for trial in alone.trials] == [about_linked.trials[0].accuracy]
    assert alone.untried == tuple(trial.name for trial in about_linked.trials[1:])
    assert alone.representation == "nodes, depth 2"
    assert "There was no time for 'nodes, depth 2, exact'" in alone.reasons["representation"]

    ticks = iter(range(10**6))
    monkeypatch.setattr(trials, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))
    few = gtm.suggest(*linked(), seconds=150, **SMALL)  # a second for each look at the clock
    assert 1 < len(few.trials) < len(about_linked.trials)
    for cut, whole in zip(few.trials, about_linked.trials, strict=False):
        assert (cut.name, cut.accuracy, cut.gain) == (whole.name, whole.accuracy, whole.gain)
    assert len(few.trials) + len(few.untried) == len(about_linked.trials)


def test_the_pipeline_is_not_fitted_and_has_the_parameters(about_linked):
    graphs, y = counted()
    with pytest.raises(NotFittedError):
        about_linked.pipeline.predict(graphs)
    alone = gtm.suggest(graphs, y, seconds=0, n_clauses=20, random_state=7)
    pipeline = clone(alone.pipeline).set_params(graphtmclassifier__epochs=1).fit(graphs, y)
    used = pipeline[-1].params_
    for name in ("T", "s", "n_clauses", "depth", "max_misses", "max_included_literals"):
        assert alone.parameters[name] == used[name]
    assert used["random_state"] == 7
    assert alone.parameters["epochs"] == pipeline[-1].set_params(epochs="auto").chosen(len(graphs))["epochs"]
    assert alone.parameters["hops"] == pipeline["neighbourhoods"].hops == 2


def test_every_parameter_has_a_reason(about_linked):
    assert list(about_linked.reasons) == ["representation", *about_linked.parameters]
    assert about_linked.reasons["n_clauses"] == "Given by the caller."
    kind = "exact" if about_linked.parameters["max_misses"] == 0 else "graded"
    assert about_linked.reasons["s"] == f"Chosen for 300 graphs and {kind} clauses."
    about_texts = gtm.suggest(["a b c", "c b a"] * 10, [0, 1] * 10, seconds=600, n_clauses=10, epochs=5)
    score = {trial.name.partition(", ")[2]: trial.accuracy for trial in about_texts.trials}
    assert about_texts.reasons["ngrams"].endswith(
        f"accuracy was {score['ngrams=1']:.3f} with 1, {score['']:.3f} with 2, {score['ngrams=3']:.3f} with 3."
    )


def test_the_text_fits_a_terminal(about_linked):
    text = str(about_linked)
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("300 samples; 2 classes (smallest: ")
    assert "4.0 nodes and 4.0 edges a graph" in text
    (line,) = (line for line in text.splitlines() if line.startswith(">"))
    assert line.startswith(f">  {about_linked.representation} ")
    for trial in about_linked.trials:
        assert trial.name in text
    for name in about_linked.reasons:
        assert f"\n{name}" in text
    assert repr(about_linked).startswith(f"<Suggestion '{about_linked.representation}': accuracy ")


def test_trials_as_a_frame(about_linked):
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = about_linked.to_frame()
    assert frame["name"].tolist() == [trial.name for trial in about_linked.trials]
    assert frame.loc[0, "gain"] == 0


def candidate(name):
    return Candidate(candidates_for(["a", "b"], {})[0].representation, {"name": name})


def test_the_recommended_one_stays_unless_another_is_clearly_better():
    def trial(accuracy, gain_error, n_symbols=10):
        return RepresentationTrial("x", accuracy, 0.01, accuracy - 0.75, gain_error, 1.0, n_symbols)

    first, second, third = map(candidate, "abc")
    kept = [(first, trial(0.75, 0.0)), (second, trial(0.76, 0.01)), (third, trial(0.75, 0.0))]
    assert _choice(kept) is first
    assert _choice([*kept, (third, trial(0.7601, 0.01))]) is third
    assert _choice([kept[0], (second, trial(0.8, 0.01)), (third, trial(0.85, 0.09))]) is third
    assert _choice([kept[0], (second, trial(0.8, 0.01)), (third, trial(0.8, 0.01, n_symbols=9))]) is third


def test_candidates_depend_on_what_graphs_have():
    graphs, _ = counted(20)
    whole = ["whole graphs, 2 hops", "whole graphs, 2 hops, exact", "whole graphs, 1 hop", "whole graphs, 3 hops"]
    deep = ["nodes, depth 2", "nodes, depth 2, exact"]
    assert names(graphs) == [*whole, "whole graphs, 0 hops", "nodes, 1 hop", *deep]
    assert names(graphs, depth=3)[-1] == "nodes, depth 3, exact"
    assert not any("exact" in name for name in names(graphs, max_misses=0))
    nameless = gtm.GraphBatch.from_arrays([2, 2], np.zeros((4, 0), bool), [], edges=([0], [1], [0]), edge_types=["e"])
    assert names(nameless) == [*whole, "nodes, 1 hop"]
    single = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], ["a", "b"])
    assert names(single) == ["nodes", "nodes, exact"]


def test_texts_with_several_labels():
    words = {"food": ["bread", "soup"], "sport": ["goal", "race"]}
    rng = np.random.default_rng(0)
    tags = [{tag for tag in words if rng.random() < 0.5} for _ in range(90)]
    texts = [" ".join(["the", "end", *(rng.choice(words[tag]) for tag in sorted(one))]) for one in tags]
    suggestion = gtm.suggest(texts, tags, seconds=600, n_clauses=40, epochs=15)
    recommended = suggestion.trials[0].name
    found = {trial.name.removeprefix(recommended) for trial in suggestion.trials}
    assert found == {"", ", exact", ", ngrams=1", ", ngrams=3"}
    assert max(trial.accuracy for trial in suggestion.trials) > 0.9
    assert suggestion.pipeline.steps[-1][0] == "graphtmmultilabelclassifier"
    assert suggestion.counts["labels"] == 2
    assert suggestion.pipeline.fit(texts, tags).predict(texts[:1])[0] <= {"food", "sport"}


def test_a_table():
    pytest.importorskip("pandas", reason="pandas is not installed")
    X, y = load_iris(return_X_y=True, as_frame=True)
    suggestion = gtm.suggest(X, y, seconds=600, n_clauses=30, epochs=5)
    recommended = suggestion.trials[0].name
    assert {trial.name.removeprefix(recommended) for trial in suggestion.trials} == {
        "",
        ", exact",
        ", bins=4",
        ", bins=16",
    }
    assert suggestion.counts["smallest_class"] == 50
    assert "bins" in suggestion.reasons


def test_samples_are_stratified():
    y = np.repeat(["a", "b", "c"], [900, 90, 10])
    assert isinstance(read_samples(list(counted(20)[0]), counted(20)[1], False).X, gtm.GraphBatch)
    samples = read_samples(["text"] * 1000, y, False)
    assert samples.class_sizes.tolist() == [900, 90, 10]
    part = samples.sample(100, seed=0)
    assert np.bincount(part.truth).tolist() == [90, 9, 1]
    folds = samples.folds(3, seed=0)
    for fold in range(3):
        assert np.abs(np.bincount(samples.truth[folds == fold]) - [300, 30, 10 / 3]).max() < 1
    assert not np.array_equal(folds, samples.folds(3, seed=1))


def test_large_graphs_are_sampled_by_nodes(monkeypatch):
    graphs, y = counted(400)
    samples = read_samples(graphs, y, False)
    assert len(trial_sample(samples, 0)) == 400
    monkeypatch.setattr(trials, "MOST_NODES", 1200)
    assert len(trial_sample(samples, 0)) == 150
    monkeypatch.setattr(trials, "MOST_NODES", 4)
    assert len(trial_sample(samples, 0)) == trials.LEAST_SAMPLES


def test_nothing_is_printed_unless_asked_for(capfd):
    graphs, y = counted(30)
    gtm.suggest(graphs, y, seconds=0, **SMALL)
    assert capfd.readouterr() == ("", "")
    gtm.suggest(graphs, y, seconds=0, verbose=1, **SMALL)
    assert "whole graphs, 2 hops" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (dict(X=counted(11)[0]), gtm.GraphError, r"At least 12 samples are needed .*; got 11\. Use"),
        (dict(y=["a"] * 20), ValueError, "y must have at least two classes to learn from; all labels are 'a'"),
        (dict(y=["a", "b"]), ValueError, "20"),
        (dict(y=np.arange(20) / 2), ValueError, "Unknown label type: 0.5. .*To predict numbers, use GraphTMRegressor"),
        (dict(y=np.full((20, 2), 0.5)), ValueError, "Unknown label type: 0.5. .*use GraphTMRegressor"),
        (dict(X=3.5), TypeError, "The data must be graphs"),
        (dict(seconds=-1), ValueError, "The 'seconds' parameter of suggest must be a number of at least 0. Got -1"),
        (dict(seconds=True), ValueError, "'seconds'"),
        (dict(random_state=-1), ValueError, "The 'random_state' parameter of suggest must be an int from 0"),
        (dict(n_clauses=0), ValueError, "The 'n_clauses' parameter of GraphTMClassifier"),
        (dict(depth="deep"), ValueError, "The 'depth' parameter of GraphTMClassifier"),
        (dict(clauses=10), TypeError, "clauses"),
    ],
)
def test_errors(change, error, message):
    graphs, y = counted(20)
    given = {"X": graphs, "y": y, "seconds": 0, **SMALL, **change}
    with pytest.raises(error, match=message):
        gtm.suggest(**given)
