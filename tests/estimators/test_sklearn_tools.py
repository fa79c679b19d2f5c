"""The classifier among scikit-learn's tools: searches, pipelines, routing, scorers, probabilities."""

import numpy as np
import pytest
import sklearn
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.datasets import sequences
from graphtm.encoders import Table

QUICK = dict(n_clauses=10, T=10, s=3.0, epochs=4, random_state=5)


@pytest.fixture(scope="module")
def data():
    return tuple(sequences(300, noise=0.1, random_state=1))


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 4))
    return X, np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + X[:, 1], [-0.7, 0.7])]


@pytest.fixture(scope="module")
def fitted(data):
    return gtm.GraphTMClassifier(**QUICK).fit(*data)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_parameters(data):
    clf = gtm.GraphTMClassifier(class_weight={0: 2.0}, validation_fraction=0.2, patience=3, warm_start=True)
    twin = clone(clf)
    assert twin.get_params() == clf.get_params()
    assert twin.set_params(patience=None, T=7).get_params()["T"] == 7
    with pytest.raises(ValueError, match="Invalid parameter 'clauses'"):
        clf.set_params(clauses=3)
    html = clf._repr_html_()
    assert "GraphTMClassifier" in html
    assert "validation_fraction" in html


# Other processes take seconds to start.
@pytest.mark.parametrize("n_jobs", [None, pytest.param(2, marks=pytest.mark.slow)])
def test_grid_search(table, n_jobs):
    X, y = table
    pipeline = make_pipeline(Table(), gtm.GraphTMClassifier(**{**QUICK, "epochs": 20}))
    grid = {"table__bins": [2, 8], "graphtmclassifier__T": [10, 20]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=n_jobs).fit(X, y)
    assert search.best_params_["table__bins"] == 8
    assert search.score(X, y) > 0.8
    for number, (train, test) in enumerate(StratifiedKFold(2).split(X, y)):
        alone = clone(pipeline).set_params(**search.cv_results_["params"][3]).fit(X[train], y[train])
        assert search.cv_results_[f"split{number}_test_score"][3] == alone.score(X[test], y[test])


def test_weights_are_routed(data, routing):
    graphs, y = data
    weights = np.arange(len(y)) % 5
    clf = gtm.GraphTMClassifier(**QUICK).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    found = cross_validate(
        clf, graphs, y, cv=StratifiedKFold(2), params={"sample_weight": weights}, return_estimator=True
    )
    for number, (train, test) in enumerate(StratifiedKFold(2).split(y, y)):
        clf = gtm.GraphTMClassifier(**QUICK).fit(graphs[train], y[train], sample_weight=weights[train])
        assert found["estimator"][number].state_.equals(clf.state_)
        assert found["test_score"][number] == clf.score(graphs[test], y[test], sample_weight=weights[test])


def test_weights_are_routed_through_a_pipeline(table, routing):
    X, y = table
    weights = np.arange(len(y)) % 4
    machine = gtm.GraphTMClassifier(**QUICK).set_fit_request(sample_weight=True)
    pipeline = make_pipeline(Table(), machine).fit(X, y, sample_weight=weights)
    alone = gtm.GraphTMClassifier(**QUICK).fit(Table().fit_transform(X), y, sample_weight=weights)
    assert pipeline[-1].state_.equals(alone.state_)


def test_clauses_as_features(data):
    graphs, y = data
    model = make_pipeline(gtm.GraphTMClassifier(**QUICK), LogisticRegression()).fit(graphs, y)
    assert model.score(graphs, y) > 0.8
    clf = gtm.GraphTMClassifier(**QUICK).set_output(transform="pandas")
    frame = clf.fit_transform(graphs, y)
    assert list(frame.columns) == [f"C{number}" for number in range(10)]
    assert np.array_equal(frame.to_numpy(), gtm.GraphTMClassifier(**QUICK).fit(graphs, y).transform(graphs))


def test_fit_parameters_go_through_a_pipeline(table):
    X, y = table
    history = gtm.History()
    make_pipeline(Table(), gtm.GraphTMClassifier(**QUICK)).fit(X, y, graphtmclassifier__callbacks=[history])
    assert len(history.records) == 4


def test_roc_auc(data, table):
    scores = cross_val_score(gtm.GraphTMClassifier(**{**QUICK, "epochs": 20}), *data, cv=2, scoring="roc_auc")
    assert scores.min() > 0.75
    pipeline = make_pipeline(Table(), gtm.GraphTMClassifier(**QUICK))
    for scoring in ("roc_auc_ovr", "roc_auc_ovo", "neg_log_loss", "average_precision"):
        X, y = table
        labels = y == "high" if scoring == "average_precision" else y
        assert np.isfinite(cross_val_score(pipeline, X, labels, cv=2, scoring=scoring)).all()
    assert cross_val_score(pipeline, *table, cv=2, scoring="roc_auc_ovr").min() > 0.8


# Probabilities


def test_probabilities_are_a_softmax_of_votes(fitted, data):
    graphs, y = data
    votes = fitted.class_sums(graphs) / 10
    expected = np.exp(votes) / np.exp(votes).sum(axis=1, keepdims=True)
    probabilities = fitted.predict_proba(graphs)
    assert np.allclose(probabilities, expected, rtol=1e-12)
    assert np.array_equal(fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(graphs))
    assert roc_auc_score(y, probabilities[:, 1]) == roc_auc_score(y, fitted.decision_function(graphs))
    assert fitted.predict_proba([]).shape == (0, 2)


def test_huge_votes_do_no_harm(data):
    clf = gtm.GraphTMClassifier(**{**QUICK, "T": 1, "epochs": 1}).fit(*data)
    clf.temperature_ = 1e-12
    probabilities = clf.predict_proba(data[0])
    assert np.allclose(probabilities.sum(axis=1), 1)


def test_calibration(data, tmp_path):
    graphs, y = data
    held, truth = sequences(400, noise=0.1, random_state=9)
    clf = gtm.GraphTMClassifier(**QUICK).fit(graphs, y)
    before, loss = clf.predict(held), log_loss(truth, clf.predict_proba(held))

    def loss_at(temperature):
        votes = clf.class_sums(held) / (10 * temperature)
        odds = np.exp(votes - votes.max(axis=1, keepdims=True))
        return log_loss(truth, odds / odds.sum(axis=1, keepdims=True))

    best = minimize_scalar(lambda log: loss_at(np.exp(log)), bounds=(-3, 3), method="bounded")
    assert clf.calibrate(held, truth) is clf
    assert log_loss(truth, clf.predict_proba(held)) == pytest.approx(best.fun, rel=1e-6)
    assert best.fun < loss
    assert np.array_equal(clf.predict(held), before)
    assert clf.temperature_ != 1
    clf.save(tmp_path / "m.gtm")
    again = gtm.load(tmp_path / "m.gtm")
    assert np.array_equal(again.predict_proba(held), clf.predict_proba(held))
    assert again.partial_fit(graphs, y).temperature_ == 1
    assert clf.calibrate(held, truth, sample_weight=np.where(truth == 1, 3.0, 1.0)).temperature_ > 0
    with pytest.raises(ValueError, match="must be of at least two classes; all of them are of class 1"):
        clf.calibrate(held, truth, sample_weight=(truth == 1).astype(float))
    with pytest.raises(ValueError, match="one of the 2 classes"):
        clf.calibrate(held, truth + 5)
    with pytest.raises(ValueError, match="At least one graph is needed to calibrate"):
        clf.calibrate([], [])


def test_calibration_needs_two_classes(data):
    clf = gtm.GraphTMClassifier(**QUICK).fit(*data)
    held, truth = sequences(100, random_state=9)
    before = clf.temperature_
    with pytest.raises(ValueError, match=r"must be of at least two classes; all of them are of class 1. Add graphs of"):
        clf.calibrate(held[truth == 1], truth[truth == 1])
    assert clf.temperature_ == before


def test_calibration_where_no_temperature_is_best(data):
    graphs, y = sequences(2000, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=10, random_state=0).fit(graphs, y)
    held = graphs[clf.predict(graphs) == y][:100]
    right = clf.predict(held)
    with pytest.warns(UserWarning, match="All calibration graphs are predicted correctly"):
        clf.calibrate(held, right)
    assert 0.01 < clf.temperature_ < 10
    sure = clf.predict_proba(held).max(axis=1).mean()
    assert 0.95 < sure < 0.999  # about one of 102 wrong
    with pytest.warns(UserWarning, match="vote sums contradict the labels"):
        clf.calibrate(held, 1 - right)
    assert np.allclose(clf.predict_proba(held), 0.5, atol=0.01)
    assert np.array_equal(clf.predict(held), right)


def test_scikit_learns_own_calibration(data):
    graphs, y = data
    model = CalibratedClassifierCV(gtm.GraphTMClassifier(**QUICK), cv=2).fit(graphs, y)
    assert model.predict_proba(graphs).shape == (300, 2)
