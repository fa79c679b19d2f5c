"""Samples: graphs in any container, and machines that are fitted to the caller's own labels."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit, cross_val_predict

import graphtm as gtm
from graphtm.search.candidates import candidates_for
from graphtm.search.samples import read_samples
from graphtm.search.trials import N_FOLDS

X = np.random.default_rng(0).random((60, 3))
Y = np.where(X[:, 0] > 0.5, "yes", "no")
SMALL = dict(n_clauses=10, epochs=5, random_state=0)
WEIGHTS = {"yes": 5, "no": 0.2}


def test_trials_use_weights_of_classes_by_label():
    suggestion = gtm.suggest(X, Y, seconds=0, class_weight=WEIGHTS, **SMALL)
    folds = PredefinedSplit(read_samples(X, Y, False).folds(N_FOLDS, 0))
    scores = []
    for weights in (WEIGHTS, None):
        pipeline = gtm.make_classifier(X, class_weight=weights, **SMALL)
        scores.append(np.mean(cross_val_predict(pipeline, X, Y, cv=folds) == Y))
    assert suggestion.trials[0].accuracy == pytest.approx(scores[0])
    assert scores[0] != scores[1]
    assert suggestion.pipeline[-1].class_weight == WEIGHTS


def test_tuning_uses_weights_of_classes_by_label():
    pytest.importorskip("optuna", reason="Optuna is not installed")
    pipeline = gtm.make_classifier(X, class_weight=WEIGHTS, **SMALL)
    train, test = np.arange(40), np.arange(40, 60)
    space = {"table__bins": [4]}
    result = gtm.tune(X, Y, 1, pipeline=pipeline, space=space, validation=[(train, test)])
    assert result.start_score == clone(pipeline).fit(X[train], Y[train]).score(X[test], Y[test])
    assert result.pipeline[-1].classes_.tolist() == ["no", "yes"]


def test_a_class_that_a_part_lacks_may_have_a_weight():
    y = Y.astype(object)
    y[7] = "rare"
    suggestion = gtm.suggest(X, y, seconds=0, class_weight={**WEIGHTS, "rare": 9}, **SMALL)
    assert suggestion.pipeline[-1].class_weight["rare"] == 9
    gtm.suggest(X, y, seconds=0, class_weight={"rare": 9}, **SMALL)
    with pytest.raises(ValueError, match=r"The labels of class_weight must be among the classes.*'never'"):
        gtm.suggest(X, y, seconds=0, class_weight={**WEIGHTS, "never": 9}, **SMALL)


def test_correct_predictions():
    samples = read_samples(X, Y, False)
    predicted = Y.copy()
    predicted[3] = "no" if Y[3] == "yes" else "yes"
    assert np.flatnonzero(~samples.correct(predicted)).tolist() == [3]
    sets = [{"a"}, {"a", "b"}, set()] * 5
    several = read_samples(X[:15], sets, True)
    predicted = several.labels.toarray()
    predicted[4, 0] = 0
    assert np.flatnonzero(~several.correct(predicted)).tolist() == [4]


def test_graphs_in_any_container_are_graphs():
    graphs, y = gtm.datasets.sequences(20, random_state=0)
    array = np.empty(len(graphs), object)
    array[:] = list(graphs)
    expected = [one.name for one in candidates_for(graphs, {})]
    assert len(expected) > 2
    containers = [array, tuple(graphs)]
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    containers.append(pandas.Series(array, index=range(100, 120)))
    for container in containers:
        assert isinstance(read_samples(container, y, False).X, gtm.GraphBatch)
    found = gtm.suggest(containers[-1], y, seconds=0, n_clauses=4, epochs=1)
    assert [found.trials[0].name, *found.untried] == expected
    assert found.counts["nodes_per_graph"] == 5
