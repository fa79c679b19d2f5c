"""Short models: prune and refit of fitted estimators, and the path of scores against the number of rules."""

import pickle
import sys
import warnings
from contextlib import nullcontext
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from graded import GRADED, weak_signs
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

import graphtm as gtm
from graphtm.datasets import sequences
from graphtm.estimators.rule_regression import RuleRegression, l1_penalty

KINDS = ["classes", "graded", "deep", "three", "labels", "graded labels"]


def data(kind):
    """Return graphs, labels and the parameters of a small machine."""
    rng = np.random.default_rng(5)
    if kind == "deep":
        return *sequences(150, random_state=1), dict(n_clauses=30, T=30, s=3.0, depth=2)
    graphs, y = weak_signs(240, 0)
    ungraded = dict(n_clauses=40, T=30, s=3.0, depth=1)
    if kind == "three":
        y = np.array(["one", "two", "three"])[(y + (rng.random(len(y)) < 0.2) * 2) % 3]
    if kind in ("labels", "graded labels"):
        has = graphs.pack().properties.pairs()
        y = [{"low"} if one == 0 else set() for one in y]
        for node, symbol in zip(*has, strict=True):
            if symbol in (20, 25):
                y[node] |= {f"has {symbol}"}
    return graphs, y, {**GRADED, "depth": 1} if kind.startswith("graded") else ungraded


def fitted(kind, **changes):
    """Return a fitted estimator, made only once, and its data."""
    return pickle.loads(trained(kind, **changes))


@cache
def trained(kind, **changes):
    graphs, y, parameters = data(kind)
    name = gtm.GraphTMMultiLabelClassifier if kind.endswith("labels") else gtm.GraphTMClassifier
    clf = name(**{**parameters, "epochs": 8, "random_state": 1, **changes}).fit(graphs, y)
    return pickle.dumps((clf, graphs, y))


@pytest.fixture(params=KINDS)
def case(request):
    return fitted(request.param)


def n_voting(clf):
    return int(np.count_nonzero(clf.state_.weights.any(axis=0)))


def same(one, other):
    return one.state_.equals(other.state_) and one.temperature_ == other.temperature_


def equal(one, other):
    return one == other if isinstance(one, list) else np.array_equal(one, other)


# prune


def test_predictions_stay(case):
    clf, graphs, y = case
    before = n_voting(clf)
    sums, predicted, score = clf.class_sums(graphs), clf.predict(graphs), clf.score(graphs, y)
    probabilities = clf.predict_proba(graphs)
    n_literals = sum(len(rule.literals) for rule in clf.rules(simplify=False))
    assert clf.prune(graphs) is clf
    assert np.array_equal(clf.class_sums(graphs), sums)
    assert equal(clf.predict(graphs), predicted)
    assert np.array_equal(clf.predict_proba(graphs), probabilities)
    assert clf.score(graphs, y) == score
    assert sum(len(rule.literals) for rule in clf.rules(simplify=False)) <= n_literals - (n_voting(clf) < before)
    votes = clf.explain(graphs[3]).votes
    assert list(votes.values()) == sums[3].tolist()


def test_a_pruned_model_is_saved_copied_and_trained_further(case, tmp_path):
    clf, graphs, y = case
    clf.prune(graphs)
    clf.save(tmp_path / "short.gtm")
    loaded = gtm.load(tmp_path / "short.gtm")
    assert loaded.n_clauses == clf.n_clauses
    for other in (loaded, pickle.loads(pickle.dumps(clf))):
        assert same(other, clf)
        assert np.array_equal(other.class_sums(graphs), clf.class_sums(graphs))
    assert same(loaded.partial_fit(graphs, y), clf.partial_fit(graphs, y))
    assert clf.epoch_ == 9


def test_parameters_say_what_a_new_fit_does():
    clf, graphs, y = fitted("classes")
    first = clf.state_
    clf.prune(graphs)
    assert clf.state_.weights.shape[1] < clf.n_clauses == 40
    assert clone(clf).n_clauses == 40
    clf.set_params(n_clauses=50)
    with pytest.raises(ValueError, match="'n_clauses' parameter of GraphTMClassifier must stay 40"):
        clf.partial_fit(graphs, y)
    assert clf.set_params(n_clauses=40).fit(graphs, y).state_.equals(first)


def test_a_damaged_number_of_clauses_is_told():
    clf, graphs, _ = fitted("deep")
    clf.prune(graphs)
    with pytest.raises(ValueError, match="'n_clauses' parameter of GraphTMClassifier must stay 30"):
        clf.set_params(n_clauses=31)._restore(clf.model_, {})


def test_a_pruned_model_goes_on_from_a_checkpoint(tmp_path):
    class Stop(gtm.Callback):
        def on_epoch_end(self, training):
            if training.epoch == 10:
                raise KeyboardInterrupt

    path = tmp_path / "run.gtm"
    clf, graphs, y = fitted("classes", warm_start=True)
    clf.prune(graphs).set_params(epochs=4)
    whole = pickle.loads(pickle.dumps(clf)).fit(graphs, y)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(graphs, y, callbacks=[gtm.Checkpoint(path), Stop()])
    resumed = clone(clf).fit(graphs, y, resume_from=path)
    assert resumed.epoch_ == 12
    assert resumed.state_.equals(whole.state_)
    with pytest.raises(ValueError, match="'n_clauses' parameter of GraphTMClassifier must stay 40"):
        clone(clf).set_params(n_clauses=39).fit(graphs, y, resume_from=path)


def test_a_removed_literal_needs_many_updates_to_come_back():
    clf, graphs, y = fitted("classes")
    clf.prune(graphs)
    removed = clf.state_.automata[0] == 0
    clf.partial_fit(graphs, y)
    assert clf.state_.automata[0][removed].max() < 128


def test_calibration_outlives_pruning():
    clf, graphs, y = fitted("three", epochs=1)
    temperature = clf.calibrate(graphs, y).temperature_
    assert clf.prune(graphs).temperature_ == temperature != 1


def test_lists_of_graphs_and_unknown_names():
    clf, graphs, _ = fitted("classes")
    odd = gtm.Graph()
    odd.add_node(0, ["never seen"])
    before = pickle.loads(pickle.dumps(clf))
    with pytest.raises(gtm.UnknownSymbolError, match=r"'never seen'.* prune what it sees: pipeline\[:-1\]"):
        clf.prune([odd, *graphs[:5]])
    assert same(clf, before)
    with pytest.warns(gtm.UnknownNameWarning):
        clf.set_params(unknown="ignore").prune([odd, *graphs[:5]])
    bare = gtm.Graph()
    bare.add_node(0)
    assert same(before.prune([bare, *graphs[:5]]), clf)


def test_progress_bars(capsys):
    clf, graphs, y = fitted("deep")
    clf.set_params(verbose=1).prune(graphs).refit(graphs, y, n_rules=2)
    shown = capsys.readouterr().err
    assert "prune" in shown
    assert "refit" in shown


# refit


def regression_of(clf, graphs, truth, C, weights=None):
    """Return the logits of an L1 regression, made without the library."""
    outputs = clf.transform(graphs).astype(np.float64)
    columns = np.unique(outputs, axis=1, return_index=True)[1]
    features = outputs[:, np.sort(columns)] / outputs.max()
    model = LogisticRegression(**l1_penalty(), solver="liblinear", C=C, fit_intercept=False, tol=1e-8, max_iter=10**5)
    return model.fit(features, truth, sample_weight=weights).decision_function(features)


def logits_of(clf, graphs, truth_of, **arguments):
    return np.array([regression_of(clf, graphs, truth_of(c), **arguments) for c in clf.classes_.tolist()]).T


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_weights_are_those_of_the_regression(kind, C):
    clf, graphs, y = fitted(kind)
    if kind.endswith("labels"):
        logits = logits_of(clf, graphs, lambda name: [name in labels for labels in y], C=C)
        wanted = expit(logits)
    elif kind == "three":
        wanted = softmax(logits_of(clf, graphs, lambda name: y == name, C=C), axis=1)
    else:
        positive = expit(regression_of(clf, graphs, y == clf.classes_[1], C))
        wanted = np.stack([1 - positive, positive], axis=1)
    automata = clf.state_.automata
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of graphs for which no rule votes
        assert clf.refit(graphs, y, C=C) is clf
    found = clf.predict_proba(graphs)
    assert np.abs(found - wanted).max() < 0.02
    if kind.endswith("labels"):
        assert np.mean((found >= 0.5) == (wanted >= 0.5)) > 0.99
    else:
        assert np.mean(clf.predict(graphs) == clf.classes_[wanted.argmax(axis=1)]) > 0.99
    assert np.abs(clf.state_.weights).max() == 1000
    assert all(np.array_equal(*pair) for pair in zip(automata, clf.state_.automata, strict=True))


@pytest.mark.parametrize("n_rules", [1, 2, 3, 7, 20, np.int64(500)])
def test_at_most_so_many_rules(case, n_rules):
    clf, graphs, y = case
    few = pickle.loads(pickle.dumps(clf))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels without rules
        few.refit(graphs, y, n_rules=n_rules)
    assert 1 <= n_voting(few) <= n_rules
    assert n_voting(few) >= min(n_rules, n_voting(clf.refit(graphs, y))) / 2
    assert len(few.prune(graphs).rules()) == n_voting(few) <= n_rules


def test_rules_that_enter_at_once_fill_up_the_number():
    # The first clause tells most; the next three tell the same of different graphs.
    truth = np.arange(120) % 2 == 1
    outputs = np.zeros((120, 4), bool)
    outputs[:, 0] = truth & (np.arange(120) < 90)
    for clause in range(1, 4):
        outputs[80 + 10 * clause : 90 + 10 * clause, clause] = truth[80 + 10 * clause : 90 + 10 * clause]
    regression = RuleRegression(outputs, truth[:, None])
    for n_rules in range(1, 5):
        weights = regression.fit(n_rules, 100.0).weights
        assert np.count_nonzero(weights) == n_rules
        assert weights[0, 0] > 0


def test_few_rules_still_predict():
    clf, graphs, y = fitted("graded")
    full = clf.score(graphs, y)
    assert clf.refit(graphs, y, n_rules=5).score(graphs, y) > full - 0.1


def test_weights_of_graphs_and_classes():
    clf, graphs, y = fitted("classes")
    twice = np.where(y == 1, 3.0, 1.0)
    one, other = pickle.loads(pickle.dumps(clf)), pickle.loads(pickle.dumps(clf))
    one.refit(graphs, y, sample_weight=twice)
    other.set_params(class_weight={1: 3.0}).refit(graphs, y)
    assert same(one, other)
    assert not same(one, clf.refit(graphs, y))
    half = np.arange(len(y)) < len(y) // 2
    one.refit(graphs, y, sample_weight=half)
    other.set_params(class_weight=None).refit(graphs[half], y[half])
    assert np.array_equal(one.predict(graphs), other.predict(graphs))


def test_graphs_without_weight_do_not_count(capfd):
    """Also if no graph without a label has a weight: then there is nothing to learn for that label."""
    clf, graphs, y = fitted("labels")
    has = np.array(["low" in labels for labels in y])
    other = pickle.loads(pickle.dumps(clf)).refit(graphs[has], [labels for labels in y if "low" in labels])
    assert same(clf.refit(graphs, y, sample_weight=has), other)
    assert not clf.state_.weights[clf.classes_.tolist().index("low")].any()
    assert all("low" in labels for labels in clf.predict(graphs))
    assert capfd.readouterr() == ("", "")  # the solver prints its warnings itself


def test_a_refitted_model_is_saved_and_trained_further(case, tmp_path):
    clf, graphs, y = case
    clf.refit(graphs, y, n_rules=8).save(tmp_path / "short.gtm")
    loaded = gtm.load(tmp_path / "short.gtm")
    assert same(loaded, clf)
    assert np.array_equal(loaded.predict_proba(graphs), clf.predict_proba(graphs))
    assert len(clf.rules()) == n_voting(clf)
    silent, wrong = ~clf.state_.weights.any(axis=0), clf.score(graphs, y) < 1
    loaded.partial_fit(graphs, y)
    assert loaded.temperature_ == 1
    assert loaded.state_.weights[:, silent].any() == wrong  # votes are far above T


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(n_rules=0), r"The 'n_rules' parameter of refit must be an int of at least 1 or None. Got 0 instead."),
        (dict(n_rules=2.5), "Got 2.5 instead"),
        (dict(n_rules=True), "Got True instead"),
        (dict(n_rules="20"), "Got '20' instead"),
        (dict(C=0), "The 'C' parameter of refit must be a finite number above 0. Got 0 instead."),
        (dict(C=float("nan")), "Got nan instead"),
        (dict(C="1"), "Got '1' instead"),
        (dict(C=1e-9), "No rule is left with C=1e-09: increase C."),
        (dict(sample_weight=[1.0]), "sample_weight must be one number for each of 240 graphs"),
    ],
)
def test_wrong_arguments_change_nothing(arguments, message):
    clf, graphs, y = fitted("classes")
    before = pickle.loads(pickle.dumps(clf))
    with pytest.raises(ValueError, match=message):
        clf.refit(graphs, y, **arguments)
    assert same(clf, before)


def test_wrong_graphs_and_labels_change_nothing():
    clf, graphs, y = fitted("three")
    before = pickle.loads(pickle.dumps(clf))
    with pytest.raises(ValueError, match="At least one graph is needed to refit; got none"):
        clf.refit(graphs[:0], y[:0])
    with pytest.raises(ValueError, match="At least one graph is needed to prune; got none"):
        clf.prune(graphs[:0])
    with pytest.raises(ValueError, match=r"must be of every class, 'one', 'three', 'two', .* none is of 'two'"):
        clf.refit(graphs[y != "two"], y[y != "two"])
    with pytest.raises(ValueError, match="none is of 'two'"):
        clf.refit(graphs, y, sample_weight=y != "two")
    with pytest.raises(ValueError, match="four"):
        clf.refit(graphs, np.where(y == "one", "four", y))
    assert same(clf, before)
    for call in (clone(clf).prune, lambda one: clone(clf).refit(one, y)):
        with pytest.raises(NotFittedError):
            call(graphs)


def test_labels_of_none_and_of_all_graphs():
    graphs, y, parameters = data("labels")
    y = [{*labels, "always"} for labels in y]
    clf = gtm.GraphTMMultiLabelClassifier(**parameters, epochs=4, random_state=0).fit(graphs, y)
    clf.refit(graphs, y)
    assert all("always" in labels for labels in clf.predict(graphs))
    lacking = np.array(["low" not in labels for labels in y])
    with pytest.raises(ValueError, match="Each label must be present in at least one of the graphs; none has 'low'"):
        clf.refit(graphs[lacking], [labels for labels in y if "low" not in labels])


def test_a_label_without_rules_is_warned_of():
    clf, graphs, y = fitted("labels")
    with (
        pytest.warns(UserWarning, match=r"against 'has 20', 'low': .* every graph is predicted to have such a label"),
        pytest.warns(UserWarning, match=r"against 'has 25' in many graphs"),
    ):
        clf.refit(graphs, y, C=0.02)
    assert clf.state_.weights.any(axis=1).tolist() == [False, True, False]
    assert all({"has 20", "low"} <= labels for labels in clf.predict(graphs))


def test_a_class_without_rules_is_warned_of():
    clf, graphs, y = fitted("three")
    message = (
        r"No rule votes for or against 'one', 'two': .* such a class is predicted only where no other sum is above 0"
    )
    with pytest.warns(UserWarning, match=message):
        clf.refit(graphs, y, C=0.02)
    assert (clf.class_sums(graphs)[:, 1] < 0).all()  # by the only rule, for 'three'
    assert (clf.predict(graphs) == "one").all()


@pytest.mark.parametrize(("share", "warned"), [(0.2, True), (0.05, False)])
def test_many_graphs_without_votes_are_warned_of(share, warned):
    """Labels follow from symbols, of which some graphs have none: there no rule can vote."""
    n = 200
    has = np.eye(2, dtype=bool)[np.arange(n) % 2]
    has[: int(share * n)] = False
    graphs = gtm.GraphBatch.from_arrays([1] * n, has, symbols=["a", "b"])
    clf = gtm.GraphTMMultiLabelClassifier(n_clauses=10, T=10, s=3.0, depth=1, epochs=3, random_state=0)
    clf.fit(graphs, has)
    automata = np.zeros_like(clf.state_.automata[0])
    automata[0, 0] = automata[1:, 1] = 255  # only the clauses "a" and "b"
    clf._replace_machine(clf.model_.params, replace(clf.state_, automata=(automata,)))
    message = r"against 0, 1 in many graphs: .* more than 10% of the graphs are wrongly predicted to have such a label"
    with pytest.warns(UserWarning, match=message) if warned else nullcontext():
        clf.refit(graphs, has)
    assert clf.predict(graphs)[: int(share * n)].all()
    assert (clf.predict(graphs) == has)[int(share * n) :].all()


# The path


def test_the_path_is_what_refit_gives(case):
    clf, graphs, y = case
    before = pickle.loads(pickle.dumps(clf))
    train, test = slice(0, 100), slice(100, None)
    held = (graphs[test], y[test])
    path = gtm.rule_path(clf, graphs[train], y[train], [3, 20, 8], eval_set=held)
    assert same(clf, before)
    assert (np.diff(path.n_rules) > 0).all()
    clf.refit(graphs[train], y[train], n_rules=20)
    assert path.n_rules[-1] == n_voting(clf)
    assert path.scores["accuracy"][-1] == clf.score(graphs[train], y[train])
    assert path.scores["val_accuracy"][-1] == clf.score(*held)
    frame = path.to_frame()
    assert frame["n_rules"].tolist() == path.n_rules.tolist()
    assert set(frame) == {"n_rules", *path.scores}


def test_the_path_as_a_picture():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    clf, graphs, y = fitted("labels")
    path = gtm.rule_path(clf, graphs, y, [5, 10, 40], eval_set=(graphs, y))
    for metric in ("f1", "accuracy"):
        ax = path.plot(metric)
        assert ax.get_xlabel() == "number of rules"
        assert ax.get_ylabel() == metric
        lines = {line.get_label(): line for line in ax.get_lines()}
        assert set(lines) == {metric, f"val_{metric}"}
        assert lines[metric].get_xdata().tolist() == path.n_rules.tolist()
        assert lines[metric].get_ydata().tolist() == path.scores[metric].tolist()
        assert path.plot(metric, ax) is ax
    with pytest.raises(ValueError, match=r"The 'metric' parameter of plot must be a str among \{'accuracy', 'f1'\}"):
        path.plot("precision")
    pyplot.close("all")


def test_a_path_without_matplotlib(monkeypatch):
    clf, graphs, y = fitted("classes")
    path = gtm.rule_path(clf, graphs, y)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(gtm.MissingLibraryError, match=r"pip install 'graphtm\[plots\]'"):
        path.plot()


@pytest.mark.parametrize("n_rules", [[], [0], [None], 2.5, [5, "9"], [True]])
def test_numbers_of_rules_must_be_numbers(n_rules):
    clf, graphs, y = fitted("classes")
    with pytest.raises(ValueError, match=r"The 'n_rules' parameter of rule_path must be ints of at least 1. Got "):
        gtm.rule_path(clf, graphs, y, n_rules)


def test_other_estimators_have_no_path():
    with pytest.raises(TypeError, match=r"must be a fitted GraphTMClassifier .* got a 'LogisticRegression'"):
        gtm.rule_path(LogisticRegression(), [], [])
