"""How good predictions are: accuracy, confusions, and labels one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import eq
from typing import Any

import numpy as np

from graphtm.cli.labels import predicts_numbers, takes_several_labels
from graphtm.cli.output import Screen, label_text, named, width
from graphtm.cli.regression_scoring import RegressionScore

MOST_CLASSES = 10
"""Largest number of classes whose confusions are shown as a matrix."""
MOST_CONFUSIONS = 10
"""Number of confusions, or of labels, that are shown otherwise."""


@dataclass(frozen=True)
class Score:
    """True and predicted classes, or sets of labels.

    Parameters
    ----------
    truth, predicted
        One per sample: classes, or frozensets of labels.
    classes
        All classes or labels.
    multilabel
        Whether samples have sets of labels.
    seconds
        Time of training and prediction.
    """

    truth: list[Any]
    predicted: list[Any]
    classes: list[Any]
    multilabel: bool
    seconds: float

    @property
    def accuracy(self) -> float:
        """The fraction of samples that are predicted correctly, with all of their labels."""
        right: int = sum(map(eq, self.truth, self.predicted))
        return right / len(self.truth)

    @property
    def f1(self) -> float:
        """The micro-averaged F1 score of label sets."""
        common = sum(len(a & b) for a, b in zip(self.truth, self.predicted, strict=True))
        return 2 * common / max(1, sum(map(len, self.truth)) + sum(map(len, self.predicted)))

    @property
    def baseline(self) -> tuple[Any, float]:
        """The most frequent class, and the accuracy of predicting always this."""
        most, number = Counter(self.truth).most_common(1)[0]
        return most, number / len(self.truth)

    @property
    def confusion(self) -> list[list[int]]:
        """How many samples of each class, a row, are predicted as each class, a column."""
        pairs = Counter(zip(self.truth, self.predicted, strict=True))
        return [[pairs[true, found] for found in self.classes] for true in self.classes]

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain data."""
        found = {"n": len(self.truth), "accuracy": self.accuracy, "seconds": self.seconds}
        if self.multilabel:
            return found | {"f1": self.f1, "labels": {named(one): self.counts(one) for one in self.classes}}
        most, baseline = self.baseline
        return found | {"baseline": baseline, "most_frequent": most, "confusion": self.confusion}

    def counts(self, label: Any) -> dict[str, int]:
        """Return how many samples have a label, are predicted to have it, and both."""
        has = [label in one for one in self.truth]
        found = [label in one for one in self.predicted]
        return {
            "true": sum(has),
            "predicted": sum(found),
            "both": sum(a and b for a, b in zip(has, found, strict=True)),
        }


def score_of(truth: Any, predicted: Any, estimator: Any, seconds: float) -> Score | RegressionScore:
    """Return the score of predictions of an estimator."""
    if predicts_numbers(estimator):
        return RegressionScore(np.asarray(truth), predicted, seconds)
    classes = estimator.classes_.tolist()
    if takes_several_labels(estimator):
        return Score(label_sets(truth, classes), label_sets(predicted, classes), classes, True, seconds)
    return Score(list(np.asarray(truth).tolist()), list(predicted.tolist()), classes, False, seconds)


def pooled(scores: Sequence[Score]) -> Score:
    """Return the scores of several parts as one."""
    truth = [one for score in scores for one in score.truth]
    predicted = [one for score in scores for one in score.predicted]
    classes = sorted({one for score in scores for one in score.classes}, key=lambda one: (str(type(one)), one))
    return Score(truth, predicted, classes, scores[0].multilabel, sum(score.seconds for score in scores))


def label_sets(labels: Any, classes: Sequence[Any]) -> list[Any]:
    """Return sets of labels, given as sets or as an indicator matrix."""
    if isinstance(labels, list):
        return [frozenset(one) for one in labels]
    matrix = np.asarray(labels.toarray() if hasattr(labels, "toarray") else labels)
    return [frozenset(classes[column] for column in np.flatnonzero(row).tolist()) for row in matrix]


def percent(share: float) -> str:
    """Return a share as text."""
    return f"{100 * share:.1f} %"


def show_confusion(screen: Screen, score: Score) -> None:
    """Print the confusion matrix, or what is confused most often if there are many classes."""
    if score.multilabel:
        _show_labels(screen, score)
    elif len(score.classes) <= MOST_CLASSES:
        screen.lines(confusion_table(score))
    else:
        _show_confusions(screen, score)


def confusion_table(score: Score) -> str:
    """Return the confusion matrix as text that fits the terminal; classes with long names have numbers."""
    rows, names = score.confusion, [label_text(one) for one in score.classes]
    digits = max(len(f"{number:,}") for row in rows for number in row)
    columns = names
    if sum(max(len(name), digits) + 2 for name in names) + max(map(len, [*names, "true"])) > width():
        columns = [f"({number})" for number in range(1, len(names) + 1)]
        names = [f"({number}) {name}" for number, name in enumerate(names, 1)]
    widths = [max(len(name), digits) for name in columns]
    room = max(8, width() - sum(one + 2 for one in widths))
    names = [name if len(name) <= room else f"{name[: room - 3]}..." for name in names]
    first = max(map(len, [*names, "true"]))
    lines = [f"{'':{first}}  predicted", _row("true", columns, first, widths)]
    lines += [
        _row(name, [f"{number:,}" for number in row], first, widths) for name, row in zip(names, rows, strict=True)
    ]
    return "\n".join(lines)


def _row(name: str, cells: Sequence[str], first: int, widths: Sequence[int]) -> str:
    return "  ".join([f"{name:{first}}", *(f"{cell:>{size}}" for cell, size in zip(cells, widths, strict=True))])


def _show_confusions(screen: Screen, score: Score) -> None:
    pairs = Counter((a, b) for a, b in zip(score.truth, score.predicted, strict=True) if a != b)
    totals = Counter(score.truth)
    if not pairs:
        screen.say("No class is confused with another.")
        return
    screen.say(f"Most frequent confusions among {len(score.classes)} classes:")
    for (true, found), number in pairs.most_common(MOST_CONFUSIONS):
        screen.say(f"{label_text(true)} predicted as {label_text(found)}: {number:,} of {totals[true]:,}", first=2)


def _show_labels(screen: Screen, score: Score) -> None:
    """Print the labels that are predicted worst."""
    counts = {one: score.counts(one) for one in score.classes}

    def f1(one: Any) -> float:
        found = counts[one]
        return 2 * found["both"] / max(1, found["true"] + found["predicted"])

    worst = sorted(score.classes, key=f1)[:MOST_CONFUSIONS]
    screen.say("Labels, the worst first:" if len(worst) < len(score.classes) else "Labels:")
    for one in worst:
        found = counts[one]
        screen.say(
            f"{label_text(one)}: F1 {f1(one):.3f}; {found['true']:,} have it, {found['predicted']:,} are predicted to, "
            f"{found['both']:,} correctly",
            first=2,
        )
