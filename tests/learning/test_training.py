"""Training: weights, evaluation sets, held-out graphs, early stopping, warm starts, callbacks."""

import contextlib
import logging
import os
import re
import struct
import subprocess
import sys

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.class_weight import compute_sample_weight

import graphtm as gtm
from graphtm.codes import encode
from graphtm.datasets import sequences
from graphtm.engines import class_targets, initial_state, make_engine
from graphtm.engines.random import epoch_order

QUICK = dict(n_clauses=6, T=8, s=3.0, epochs=3, random_state=5)


@pytest.fixture(scope="module")
def data():
    return tuple(sequences(120, noise=0.1, random_state=1))


@pytest.fixture(scope="module")
def evaluation():
    return tuple(sequences(80, random_state=2))


def fit(data, fit_params=None, **change):
    return gtm.GraphTMClassifier(**{**QUICK, **change}).fit(*data, **(fit_params or {}))


# Weights


def test_weights_are_those_of_the_targets(data):
    graphs, y = data
    weights = np.linspace(0, 3, 120)
    clf = fit(data, dict(sample_weight=weights))
    engine = make_engine("reference")
    params = clf.model_.params
    engine.load(params, initial_state(params))
    prepared = engine.prepare(encode(graphs, clf.model_.symbol_code))
    for epoch in range(3):
        engine.fit(prepared, class_targets(y, 2, 8, weights=weights), epoch_order(5, epoch, 120))
    assert clf.state_.equals(engine.state())
    assert not clf.state_.equals(fit(data).state_)
    assert clf.state_.equals(fit(data, dict(sample_weight=weights.tolist())).state_)


def test_class_weights_are_weights_of_graphs(data):
    graphs, y = data
    few = np.flatnonzero(y)[: len(y) // 8]
    rare = np.sort(np.concatenate([few, np.flatnonzero(y == 0)]))
    graphs, y = graphs[rare], np.array(["no", "yes"])[y[rare]]
    balanced = fit((graphs, y), class_weight="balanced")
    assert balanced.state_.equals(fit((graphs, y), dict(sample_weight=compute_sample_weight("balanced", y))).state_)
    weights = np.arange(len(y)) % 4
    both = fit((graphs, y), dict(sample_weight=weights), class_weight={"yes": 3})
    assert both.state_.equals(fit((graphs, y), dict(sample_weight=weights * np.where(y == "yes", 3, 1))).state_)


def test_balanced_classes_are_heard_alike(data):
    """The sums of weights are equal, whatever weights the graphs have themselves."""
    from graphtm.estimators.class_weights import class_weighted

    numbers, own = np.array([0, 0, 0, 1, 3]), np.array([1.0, 2.0, 0.0, 5.0, 0.5])
    weights = class_weighted("balanced", numbers, np.arange(4), own)
    assert np.allclose(np.bincount(numbers, weights), [8.5 / 3, 8.5 / 3, 0, 8.5 / 3])


def test_a_rare_class_is_learned_if_it_counts():
    graphs, y = sequences(3000, noise=0.05, random_state=3)
    keep = np.concatenate([np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:60]])
    test, truth = sequences(1000, random_state=4)

    def recall(**change):
        settings = dict(n_clauses=10, T=10, s=3.0, epochs=10, random_state=1, **change)
        return np.mean(gtm.GraphTMClassifier(**settings).fit(graphs[keep], y[keep]).predict(test)[truth == 1] == 1)

    assert recall(class_weight="balanced") > 0.95
    assert recall(class_weight="balanced") >= recall()


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"one number for each of 120 graphs; got shape \(2,\)"),
        (np.ones((120, 2)), r"got shape \(120, 2\)"),
        ([1] * 119 + [-1], "at least 0; got -1.0 at place 119"),
        ([np.nan] * 120, "finite numbers .* got nan at place 0"),
        ([0] * 120, "at least one non-zero number"),
    ],
)
def test_wrong_weights(data, weights, message):
    clf = gtm.GraphTMClassifier(**QUICK)
    for method in (clf.fit, clf.partial_fit):
        with pytest.raises(ValueError, match=message):
            method(*data, sample_weight=weights)
    with pytest.raises(ValueError, match=message):
        fit(data).score(*data, sample_weight=weights)


@pytest.mark.parametrize("weight", ["even", 3, {}, {0: -1}, {0: "x"}, {0: float("nan")}])
def test_wrong_class_weights(data, weight):
    with pytest.raises(ValueError, match="'class_weight' parameter of GraphTMClassifier must be a dict from labels"):
        fit(data, class_weight=weight)


def test_class_weights_of_other_classes(data):
    with pytest.raises(ValueError, match="labels of class_weight must be among the classes, 0, 1; got 7"):
        fit(data, class_weight={7: 2.0})


def test_balanced_weights_need_all_graphs(data):
    clf = gtm.GraphTMClassifier(**QUICK, class_weight="balanced")
    with pytest.raises(ValueError, match="must be a dict or None for partial_fit"):
        clf.partial_fit(*data)


def test_partial_fit_takes_weights(data):
    weights = np.arange(120) % 3
    clf = gtm.GraphTMClassifier(**QUICK)
    for _ in range(3):
        clf.partial_fit(*data, sample_weight=weights)
    assert clf.state_.equals(fit(data, dict(sample_weight=weights)).state_)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [1.0, 2.0], [("a", 1), ("b", 2)]])
def test_class_weights_survive_a_file(data, tmp_path, labels):
    graphs, y = data
    clf = fit((graphs, [labels[number] for number in y]), class_weight={labels[1]: 2.5})
    clf.save(tmp_path / "m.gtm")
    assert gtm.load(tmp_path / "m.gtm").class_weight == {labels[1]: 2.5}


def test_a_column_of_labels_is_warned_of(data):
    graphs, y = data
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed") as caught:
        clf = gtm.GraphTMClassifier(**QUICK).fit(graphs, y[:, None])
    assert caught[0].filename == __file__
    assert clf.state_.equals(fit(data).state_)


# Evaluation


def test_evaluation_sets_are_scored_each_epoch(data, evaluation):
    other = (list(evaluation[0][:30]), evaluation[1][:30].tolist())
    clf = fit(data, dict(eval_set=[evaluation, other]))
    for epoch, record in enumerate(clf.history_):
        then = fit(data, epochs=epoch + 1)
        assert record["val_accuracy"] == then.score(*evaluation)
        assert record["val2_accuracy"] == then.score(*other)
    assert "accuracy" not in clf.history_[0]
    assert clf.state_.equals(fit(data).state_)
    scored = fit(data, dict(eval_set=evaluation, callbacks=[gtm.History()]))
    assert scored.history_[-1]["accuracy"] == clf.score(*data)
    assert scored.history_[-1]["val_accuracy"] == clf.score(*evaluation)


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda graphs, y: [graphs, y], TypeError, "a pair .* or a list of such pairs; got a 'GraphBatch'"),
        (lambda graphs, y: graphs[:2], TypeError, "got a 'GraphBatch'"),
        (lambda graphs, y: (graphs, y, y), TypeError, "got 3 items in place of a pair"),
        (lambda graphs, y: ((graphs, y), (graphs, y)), TypeError, "got a tuple of pairs. Write a list"),
        (lambda graphs, y: 7, TypeError, "got an 'int'"),
        (lambda graphs, y: (graphs, y[:-1]), ValueError, "one label for each of 80 graphs"),
        (lambda graphs, y: (graphs[:0], y[:0]), ValueError, "at least one graph; got none"),
        (
            lambda graphs, y: (graphs, y.astype(str)),
            ValueError,
            "An eval_set must have labels of the same type as the classes, such as 0; got '0'",
        ),
    ],
)
def test_wrong_evaluation_sets(data, evaluation, wrong, error, message):
    clf = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(error, match=message):
        clf.fit(*data, eval_set=wrong(*evaluation))
    assert not hasattr(clf, "model_")


def test_labels_of_another_type_are_not_just_wrong(data):
    """A score of 0 would be the answer to another question."""
    graphs, y = data
    clf = fit((graphs, np.array(["no", "yes"])[y]))
    with pytest.raises(
        ValueError, match=r"y must have labels of the same type as the classes, such as 'no'; got 0. Convert"
    ):
        clf.score(graphs, y * 0)
    assert clf.score(graphs, ["maybe"] * 120) == 0.0  # a class that was not there to learn
    assert fit((graphs, y.astype(bool))).score(graphs, y) == fit(data).score(graphs, y.astype(float))
    mixed = np.array([1, "one"], dtype=object)
    clf = gtm.GraphTMClassifier(**QUICK).partial_fit(graphs, mixed[y], classes=mixed)
    assert clf.score(graphs, np.array(["two"] * 120, dtype=object)) == 0.0
    with pytest.raises(ValueError, match=r"same type as the classes, such as 1; got \(1, 2\)"):
        clf.score(graphs, [(1, 2)] * 120)


def test_unknown_names_in_an_evaluation_set(data):
    strange = gtm.Graph()
    strange.add_node(0, properties=["Z"])
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'Z'"):
        fit(data, dict(eval_set=([strange], [0])))


# A share held out


class Look(gtm.Callback):
    """Keeps what the fit was given."""

    def on_fit_begin(self, training):
        self.n_examples = training.n_examples
        self.wanted = training.machine.targets.outputs


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5])
def test_the_same_share_of_each_class_is_held_out(fraction):
    graphs, _ = sequences(200, random_state=1)
    y = np.array(["a"] * 120 + ["b"] * 60 + ["c"] * 20)
    look = Look()
    clf = fit((graphs, y), dict(callbacks=[look]), validation_fraction=fraction)
    assert look.n_examples == 200 - 200 * fraction
    assert np.bincount(look.wanted).tolist() == [round(count * (1 - fraction)) for count in (120, 60, 20)]
    assert all(0 <= record["val_accuracy"] <= 1 for record in clf.history_)


def test_held_out_graphs_depend_on_the_seed_alone(data):
    from graphtm.estimators.fit_inputs import held_out

    graphs, y = data
    out = held_out(y.astype(np.int64), 0.25, 5)
    clf = fit(data, validation_fraction=0.25)
    apart = fit((graphs[~out], y[~out]), dict(eval_set=(graphs[out], y[out])))
    assert clf.state_.equals(apart.state_)
    assert [record["val_accuracy"] for record in clf.history_] == [r["val_accuracy"] for r in apart.history_]
    assert not np.array_equal(out, held_out(y.astype(np.int64), 0.25, 6))
    weights = np.arange(1, 121) / 60
    weighted = fit(data, dict(sample_weight=weights), validation_fraction=0.25)
    assert weighted.state_.equals(fit((graphs[~out], y[~out]), dict(sample_weight=weights[~out])).state_)


def test_a_share_of_nothing(data):
    graphs = data[0]
    with pytest.raises(ValueError, match=r"validation_fraction of 0.1 holds out none of 4 graphs"):
        fit((graphs[:4], [0, 0, 1, 1]), validation_fraction=0.1)
    lone = fit((graphs[:9], [0] * 8 + [1]), validation_fraction=0.5)  # the only 1 stays
    assert lone.state_.step == 3 * 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(validation_fraction=0), "'validation_fraction' parameter .* must be a number between 0 and 1, both excl"),
        (dict(validation_fraction=1.0), "Got 1.0 instead"),
        (dict(validation_fraction="a"), "Got 'a' instead"),
        (dict(patience=0), "'patience' parameter"),
        (dict(warm_start=1), "'warm_start' parameter .* must be a bool"),
        (dict(patience=2), "pass an eval_set to fit, or set validation_fraction"),
    ],
)
def test_wrong_parameters(data, change, message):
    clf = gtm.GraphTMClassifier(**QUICK, **change)
    with pytest.raises(ValueError, match=message):
        clf.fit(*data)
    assert not hasattr(clf, "model_")


# Early stopping


class Scripted(gtm.Callback):
    """A score that follows a script."""

    metrics = ("scripted",)

    def __init__(self, values):
        self.values = values

    def on_epoch_end(self, training):
        training.record["scripted"] = self.values[training.record["epoch"]]


@pytest.mark.parametrize(
    ("values", "settings", "best", "epochs"),
    [
        ([1, 3, 2, 2, 2, 9], dict(patience=3), 1, 5),
        ([1, 3, 2, 2, 4, 2], dict(patience=3), 4, 6),
        ([1, 3, 3, 3, 3, 9], dict(patience=3), 1, 5),  # the first of equal ones
        ([1, 1.5, 2, 2.5, 3, 1], dict(patience=2, min_delta=0.6), 4, 6),
        ([9, 3, 4, 2.5, 4, 4], dict(patience=2, mode="min"), 3, 6),
        ([5, 4, 3, 9, 9, 9], dict(patience=2), 0, 3),
        ([np.nan, 4, np.nan, 5, 5, 5], dict(patience=2), 3, 6),  # any number is better than none
    ],
)
def test_early_stopping(data, values, settings, best, epochs):
    stopping = gtm.EarlyStopping(monitor="scripted", **settings)
    clf = fit(data, dict(callbacks=[stopping, Scripted(values)]), epochs=6)
    assert (stopping.best_epoch, stopping.best_score) == (best, values[best])
    assert [record["scripted"] for record in clf.history_] == values[:epochs]
    assert clf.epoch_ == best + 1
    assert clf.state_.equals(fit(data, epochs=best + 1).state_)
    assert np.array_equal(clf.class_sums(data[0]), fit(data, epochs=best + 1).class_sums(data[0]))
    clf.partial_fit(*data)
    assert clf.state_.equals(fit(data, epochs=best + 2).state_)


def test_what_callbacks_add_is_saved_or_refused(data, tmp_path):
    added = Scripted([np.float32(0.5), [1, np.int64(2)], "text"])
    clf = fit(data, dict(callbacks=[added]))
    clf.save(tmp_path / "m.gtm")
    assert [record["scripted"] for record in gtm.load(tmp_path / "m.gtm").history_] == [0.5, [1, 2], "text"]
    clf = fit(data, dict(callbacks=[Scripted([object()] * 3)]))
    with pytest.raises(
        gtm.GraphTMError, match=r"must be numbers, strings, Booleans or lists .* 'scripted' is a 'object'"
    ):
        clf.save(tmp_path / "m.gtm")


def test_the_last_epoch_can_be_kept(data):
    stopping = gtm.EarlyStopping(monitor="scripted", patience=1, restore_best=False)
    clf = fit(data, dict(callbacks=[Scripted([2, 1, 3]), stopping]))
    assert clf.state_.equals(fit(data, epochs=2).state_)


def test_patience_watches_what_is_held_out(data, evaluation):
    for change, fit_params in ((dict(validation_fraction=0.2), {}), ({}, dict(eval_set=evaluation))):
        clf = fit(data, fit_params, epochs=60, patience=4, **change)
        scores = [record["val_accuracy"] for record in clf.history_]
        assert clf.epoch_ == int(np.argmax(scores)) + 1
        assert len(scores) == clf.epoch_ + 4


def test_training_accuracy_can_be_watched(data):
    stopping = gtm.EarlyStopping(2, monitor="accuracy")
    clf = fit(data, dict(callbacks=[stopping]), epochs=30)
    assert clf.score(*data) == stopping.best_score == max(record["accuracy"] for record in clf.history_)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (dict(patience=0), "'patience' parameter of EarlyStopping must be an int of at least 1. Got 0 instead"),
        (dict(min_delta=-1), "'min_delta' parameter of EarlyStopping must be a finite number of at least 0"),
        (dict(monitor=5), "'monitor' parameter of EarlyStopping must be a str or None. Got 5 instead"),
        (dict(mode="up"), r"'mode' parameter of EarlyStopping must be a str among {'max', 'min'} or None"),
    ],
)
def test_parameters_of_early_stopping(settings, message):
    with pytest.raises(ValueError, match=message):
        gtm.EarlyStopping(**settings)


def test_a_score_that_will_not_be_there(data, evaluation):
    clf = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(ValueError, match=r"must be one of 'val_accuracy', 'epoch', .* Got 'val_acuracy' instead"):
        clf.fit(*data, eval_set=evaluation, callbacks=[gtm.EarlyStopping(monitor="val_acuracy")])
    assert not hasattr(clf, "model_")


@pytest.mark.parametrize(("values", "got"), [([], "nothing"), (["text"] * 3, "'text'")])
def test_a_score_that_a_callback_promised(data, values, got):
    class Promising(Scripted):
        def on_epoch_end(self, training):
            if self.values:
                super().on_epoch_end(training)

    stopping = gtm.EarlyStopping(monitor="scripted")
    with pytest.raises(ValueError, match=f"needs a number as 'scripted' at the end of each epoch; got {got}"):
        fit(data, dict(callbacks=[Promising(values), stopping]))


# Warm starts


def test_a_warm_start_goes_on(data):
    clf = gtm.GraphTMClassifier(**QUICK, warm_start=True).fit(*data).fit(*data)
    assert clf.state_.equals(fit(data, epochs=6).state_)
    assert [record["epoch"] for record in clf.history_] == list(range(6))
    assert clf.set_params(warm_start=False).fit(*data).state_.equals(fit(data).state_)
    with pytest.raises(ValueError, match="The 'T' parameter of GraphTMClassifier must stay 8"):
        clf.set_params(warm_start=True, T=9).fit(*data)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            dict(symbol_encoding="random"),
            "'symbol_encoding' parameter of GraphTMClassifier must stay 'one_hot' or",
        ),
        (dict(hypervector_size=64), "'hypervector_size' parameter of GraphTMClassifier must stay 5 or None"),
        (dict(message_encoding="double_hashing"), "'message_encoding' .* must stay 'random' or 'auto'"),
        (dict(message_size=32), "'message_size' .* must stay 64 or None"),
        (dict(message_bits=3), "'message_bits' .* must stay 2"),
    ],
)
def test_a_warm_start_keeps_its_codes(data, change, message):
    clf = fit(data, message_encoding="random", message_size=64, warm_start=True)
    before = clf.model_
    with pytest.raises(ValueError, match=message):
        clf.set_params(**change).fit(*data)
    assert clf.model_ is before
    same = dict(symbol_encoding="one_hot", hypervector_size=5, symbol_bits=7)
    left_open = dict(message_encoding="auto", message_size=None, message_bits=2)
    clf.set_params(**same, **left_open)
    assert clf.fit(*data).epoch_ == 6


def test_a_warm_start_keeps_its_classes(data):
    graphs, y = data
    clf = gtm.GraphTMClassifier(**QUICK, warm_start=True).fit(*data)
    clf.fit(graphs[y == 1], y[y == 1])
    assert clf.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="one of the 2 classes, 0, 1; got 2"):
        clf.fit(graphs, y + 1)


# Callbacks


class Diary(gtm.Callback):
    def __init__(self, graphs):
        self.graphs, self.calls = graphs, []

    def on_fit_begin(self, training):
        self.calls.append(("fit begins", training.epoch, hasattr(training.estimator, "model_")))

    def on_epoch_begin(self, training):
        self.calls.append(("epoch begins", training.epoch, training.step))

    def on_progress(self, training):
        assert 0 < training.position < training.n_examples
        assert training.estimator.state_.step == training.epoch * training.n_examples
        self.calls.append("progress")

    def on_epoch_end(self, training):
        assert training.estimator.state_.step == training.step == training.record["step"]
        assert training.estimator.predict(self.graphs).shape == (120,)
        self.calls.append(("epoch ends", training.record["epoch"], training.step))

    def on_fit_end(self, training):
        self.calls.append("fit ends")

    def on_fit_error(self, training):
        self.calls.append("error")


def test_hooks_are_called_in_order(data):
    diary = Diary(data[0])
    diary.every_examples = 50
    clf = fit(data, dict(callbacks=[diary]), epochs=2)
    assert clf.state_.equals(fit(data, epochs=2).state_)
    assert diary.calls.count("progress") >= 4
    assert [call for call in diary.calls if call != "progress"] == [
        ("fit begins", 0, False),
        ("epoch begins", 0, 0),
        ("epoch ends", 0, 120),
        ("epoch begins", 1, 120),
        ("epoch ends", 1, 240),
        "fit ends",
    ]


def test_an_error_is_told_to_callbacks(data):
    class Failing(gtm.Callback):
        def on_epoch_end(self, training):
            raise KeyboardInterrupt

    diary = Diary(data[0])
    clf = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*data, callbacks=[diary, Failing()])
    assert diary.calls[-1] == "error"
    assert clf.state_.equals(fit(data, epochs=1).state_)
    assert np.array_equal(clf.class_sums(data[0]), fit(data, epochs=1).class_sums(data[0]))


def test_an_error_before_the_first_example_changes_nothing(data):
    class Refusing(gtm.Callback):
        def on_fit_begin(self, training):
            raise ValueError("not today")

    clf, diary, never = fit(data), Diary(data[0]), Diary(data[0])
    before = clf.state_
    with pytest.raises(ValueError, match="not today"):
        clf.fit(data[0], 1 - data[1], callbacks=[diary, Refusing(), never])
    assert clf.state_ is before
    assert diary.calls == [("fit begins", 0, True), "error"]  # what it has opened, it can close
    assert never.calls == []


def test_callbacks_must_be_callbacks(data):
    for alone in (gtm.EarlyStopping(), gtm.History(), 5):
        with pytest.raises(TypeError, match=f"must be a list of graphtm.Callback; got an? '{type(alone).__name__}'"):
            fit(data, dict(callbacks=alone))
    for wrong, name in ((gtm.History, "History"), (print, "print"), ("x", "str")):
        with pytest.raises(TypeError, match=f"list of graphtm.Callback; it holds a '{name}'"):
            fit(data, dict(callbacks=[wrong]))


def test_the_end_of_a_fit_has_the_model_that_fit_returns(data):
    class AtEnd(gtm.Callback):
        def on_fit_end(self, training):
            self.model = training.estimator.model_

    end = AtEnd()
    clf = fit(data, dict(callbacks=[end, Scripted([3, 2, 1]), gtm.EarlyStopping(2, monitor="scripted")]))
    assert clf.epoch_ == 1
    assert end.model is clf.model_


def test_history(data, evaluation):
    history = gtm.History(score_training=False)
    clf = fit(data, dict(eval_set=evaluation, callbacks=[history]))
    assert history.records == clf.history_
    assert history["step"] == [120, 240, 360]
    columns = history.to_dict()
    assert columns["val_accuracy"] == [record["val_accuracy"] for record in clf.history_]
    assert "accuracy" not in columns
    with pytest.raises(TypeError, match="not iterable"):
        iter(gtm.History())


def test_statistics_of_clauses(data):
    record = fit(data).history_[-1]
    state = fit(data).state_
    included = sum((layer >= 128).sum(axis=1) for layer in state.automata)
    assert record["included_literals"] == included.mean()
    assert record["empty_clauses"] == np.count_nonzero(included == 0)
    assert record["mean_weight"] == np.mean(np.abs(state.weights))


def test_progress_bar(data, evaluation, capsys):
    clf = fit(data, dict(eval_set=evaluation), verbose=1)
    shown = capsys.readouterr().err
    assert "epoch 3/3: 100%" in shown
    for text in (
        "360/360",
        f"val_accuracy={clf.score(*evaluation):.4f}",
        "literals=",
        "empty=",
        "s/epoch=",
    ):
        assert text in shown
    assert "accuracy" not in clf.history_[0]
    assert clf.state_.equals(fit(data).state_)
    fit(data, verbose=1)
    assert f"accuracy={clf.score(*data):.4f}" in capsys.readouterr().err
    fit(data, dict(callbacks=[Scripted([None, 3, "some text"])]), verbose=1)  # callbacks may add anything
    assert "scripted=some text" in capsys.readouterr().err
    fit(data)
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


SHOWN_IN_A_TERMINAL = """
import graphtm as gtm
graphs, y = gtm.datasets.sequences(200, noise=0.05, random_state=0)
settings = dict(n_clauses=10, T=10, s=3.0, random_state=0, verbose=1)
clf = gtm.GraphTMClassifier(**settings, epochs=100, validation_fraction=0.2, patience=4).fit(graphs, y)
print("RECORDS", len(clf.history_), clf.epoch_, clf.history_[clf.epoch_ - 1]["val_accuracy"])
gtm.GraphTMClassifier(**settings, epochs=30).fit(graphs, y)
labels = [{"a"} if one else {"a", "b"} for one in y]
gtm.GraphTMMultiLabelClassifier(**settings, epochs=30, validation_fraction=0.2).fit(graphs, labels)
"""


def in_a_terminal(code, columns):
    """Run a program in a terminal of some width and return the lines that it shows, one after the other."""
    pty, fcntl, termios = (pytest.importorskip(name) for name in ("pty", "fcntl", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    program = subprocess.Popen([sys.executable, "-c", code], stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the end, on Linux
        while piece := os.read(ours, 1 << 16):
            shown += piece
    os.close(ours)
    assert program.wait() == 0
    return [line for line in re.split(r"[\r\n]+", shown.decode()) if line]


@pytest.mark.parametrize("columns", [80, pytest.param(140, marks=pytest.mark.slow)])
def test_a_narrow_terminal_shows_epoch_and_scores(columns):
    lines = in_a_terminal(SHOWN_IN_A_TERMINAL, columns)
    (records,) = [line.split()[1:] for line in lines if line.startswith("RECORDS")]
    assert max(map(len, lines)) < columns
    (stopped,) = [line for line in lines if line.startswith("stopped")]
    assert stopped.startswith(f"stopped at epoch {records[0]}/100, best epoch {records[1]}: ")
    assert f"val_accuracy={float(records[2]):.4f}" in stopped
    ended = [line for line in lines if line.startswith("epoch 30/30: 100%")]
    assert re.search(r", accuracy=[01]\.\d{4}\b", ended[0])
    assert re.search(r", val_f1=[01]\.\d{4}, val_accuracy=[01]\.\d{4}\b", ended[-1])


def test_the_end_of_a_bar_says_what_was_kept(data, evaluation, capsys):
    class Stop(gtm.Callback):
        def on_epoch_end(self, training):
            training.stop()

    fit(data, dict(callbacks=[Stop()]), verbose=1)
    assert "stopped at epoch 1/3:  33%|" in capsys.readouterr().err
    kept = fit(data, dict(eval_set=evaluation, callbacks=[gtm.EarlyStopping(50)]), verbose=1, epochs=8).epoch_
    last = capsys.readouterr().err.rstrip().split("\r")[-1]
    assert last.startswith("epoch 8/8: 100%" if kept == 8 else f"epoch 8/8, best epoch {kept}: 100%")
    fit(data, verbose=1, epochs=0)
    assert "stopped" not in capsys.readouterr().err


def test_a_resumed_bar_begins_where_it_was(data, tmp_path, capsys):
    path = tmp_path / "run.gtm"
    fit(data, dict(callbacks=[gtm.Checkpoint(path)]), epochs=2)
    fit(data, dict(resume_from=path), verbose=1)
    assert "240/360" in capsys.readouterr().err


def test_logging(data, caplog):
    with caplog.at_level(logging.INFO, logger="graphtm"):
        fit(data)
    assert [record.levelname for record in caplog.records] == ["INFO"] * 4
    assert "epochs 0 to 2 of 120 examples" in caplog.messages[0]
    assert "epoch 2, step 360" in caplog.messages[-1]
