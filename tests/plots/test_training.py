"""Training curves and other curves: numbers, names beside them, marks, and what is refused."""

import sys

import numpy as np
import pytest

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from hostile import HOSTILE, SHOWN, literal_texts, overlaps  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402

from graphtm.plots import TrainingDisplay, draw_curves, draw_training  # noqa: E402

HISTORY = [
    {"epoch": 0, "step": 10, "seconds": 2.0, "included_literals": 1.5, "empty_clauses": 3, "mean_weight": 1.0},
    {"epoch": 1, "step": 20, "seconds": 1.0, "included_literals": 2.5, "empty_clauses": 0, "mean_weight": 2.0},
    {"epoch": 2, "step": 30, "seconds": 0.5, "included_literals": 3.5, "empty_clauses": 0, "mean_weight": 3.0},
]
SCORED = [record | {"accuracy": 0.5 + place / 10, "val_f1": 0.4} for place, record in enumerate(HISTORY)]


def curves(ax):
    """Points of each curve, by the name that a line joins to its last point."""
    found = {}
    for text in ax.texts:
        if hasattr(text, "xy"):
            (line,) = [
                line for line in ax.lines if tuple(line.get_xydata()[np.isfinite(line.get_ydata())][-1]) == text.xy
            ]
            assert matplotlib.colors.same_color(text.arrow_patch.get_edgecolor(), line.get_color())
            found[text.get_text()] = line.get_xydata().tolist()
    return found


def test_scores_are_drawn_by_epoch():
    ax = draw_training(SCORED)
    accuracy = [[0, 0.5], [1, 0.6], [2, 0.7]]
    assert curves(ax) == {"accuracy": accuracy, "val_f1": [[0, 0.4], [1, 0.4], [2, 0.4]]}
    assert ax.get_xlabel() == "epoch"
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 2
    ax.figure.canvas.draw()
    assert all(float(place).is_integer() for place in ax.get_xticks())


def test_other_numbers_and_other_axes():
    assert curves(draw_training(HISTORY)) == {"included_literals": [[0, 1.5], [1, 2.5], [2, 3.5]]}
    by_time = draw_training(SCORED, "mean_weight", x="seconds")
    assert curves(by_time) == {"mean_weight": [[2, 1], [3, 2], [3.5, 3]]}
    assert by_time.get_xlabel() == "seconds of learning"
    by_step = draw_training(iter(SCORED), ["accuracy", "mean_weight"], x="step", title="a $b$ c")
    assert list(curves(by_step)) == ["accuracy", "mean_weight"]
    assert curves(by_step)["accuracy"][-1] == [30, 0.7]
    assert "a $b$ c" in literal_texts(by_step.figure)


def test_a_score_that_some_epochs_lack_has_a_gap():
    history = [*HISTORY[:1], SCORED[1], HISTORY[2]]
    (line,) = draw_training(history, "accuracy").lines
    assert np.isnan(line.get_ydata()).tolist() == [True, False, True]


def test_the_kept_epoch_is_marked():
    ax = draw_training(SCORED, kept=1, x="step")
    assert ax.lines[-1].get_xdata() == [20, 20]
    assert "model kept" in literal_texts(ax.figure)
    with pytest.raises(ValueError, match=r"'kept' parameter .* must be the number of an epoch in the history. Got 3"):
        draw_training(SCORED, kept=3)


def test_names_beside_curves_do_not_overlap():
    names = [f"score {number}" for number in range(12)]
    ax = draw_training([dict.fromkeys(names, 0.5) | {"epoch": epoch} for epoch in range(2)])
    assert len(ax.texts) == 12
    assert overlaps(ax.texts, ax.figure) <= 0
    boxes = [matplotlib.text.Text.get_window_extent(text) for text in ax.texts]
    assert min(box.x0 for box in boxes) >= ax.get_window_extent().x1
    assert max(box.x1 for box in boxes) <= ax.figure.bbox.x1


def test_hostile_names_are_written_as_they_are():
    history = [dict.fromkeys(HOSTILE, 0.5) | {"epoch": epoch} for epoch in range(2)]
    found = literal_texts(draw_training(history).figure)
    assert set(SHOWN) <= set(found)
    lines = draw_curves([1, 2], {name: [1, 2] for name in HOSTILE}, x_label="$x$", y_label="y\n$z$")
    found = [text.strip() for text in literal_texts(lines.figure)]
    assert {"_hidden", "$x$", "y $z$", *SHOWN} <= set(found)


def test_displays_show_the_history_of_an_estimator():
    (graphs, y), test = gtm.datasets.sequences(60, random_state=0), gtm.datasets.sequences(30, random_state=1)
    clf = gtm.GraphTMClassifier(n_clauses=6, T=10, s=3.0, epochs=30, patience=1, random_state=0, engine="reference")
    with pytest.raises(NotFittedError):
        clf.plot_training()
    clf.fit(graphs, y, eval_set=test, callbacks=[gtm.History()])
    display = TrainingDisplay.from_estimator(clf, x="step")
    assert display.history == clf.history_
    assert display.kept == clf.epoch_ - 1 < len(clf.history_) - 1
    best = clf.history_[display.kept]
    assert display.ax_.lines[-1].get_xdata()[0] == best["step"]
    assert best["val_accuracy"] == max(record["val_accuracy"] for record in clf.history_)
    expected = [[record["epoch"], record["accuracy"]] for record in clf.history_]
    _, ax = pyplot.subplots()
    assert clf.plot_training("accuracy", ax=ax) is ax
    assert curves(ax)["accuracy"] == expected
    assert display.plot(ax).ax_ is ax
    later = clf.partial_fit(graphs, y)
    assert TrainingDisplay.from_estimator(later).kept is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "'history' parameter of draw_training must have a record per epoch. Got none"),
        (
            (SCORED, "loss"),
            r"names of numbers in the history, among .*'accuracy'.* Got 'loss' instead. An eval_set, or ",
        ),
        ((SCORED, []), "Got none instead"),
        (([{"epoch": 0, "accuracy": "good"}],), "Got 'included_literals' instead"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_training(*arguments)
    with pytest.raises(ValueError, match=r"must be one of \['epoch', 'step', 'seconds'\]. Got 'time' instead"):
        draw_training(SCORED, x="time")


def test_curves():
    ax = draw_curves([1, 10, 100], {"a": [1, 2, 3], "b": [3, 2, 1]}, x_label="n", y_label="score")
    assert {line.get_label(): line.get_xydata().tolist() for line in ax.lines}["b"] == [[1, 3], [10, 2], [100, 1]]
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10", "100"]
    with pytest.raises(ValueError, match=r"'x' parameter of draw_curves must be numbers above 0. Got 0 instead"):
        draw_curves([0, 1], {}, x_label="", y_label="")
    with pytest.raises(ValueError, match=r"one value per number of x, 2 in total. Got 1 for 'a' instead"):
        draw_curves([1, 2], {"a": [1]}, x_label="", y_label="")
    with pytest.raises(
        ValueError, match=r"one finite number per place for 'a'. Got an array with numbers that are not"
    ):
        draw_curves([1, 2], {"a": [1, np.nan]}, x_label="", y_label="")


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(gtm.MissingLibraryError, match=r"draw_training needs .*pip install 'graphtm\[plots\]'"):
        draw_training(SCORED)
