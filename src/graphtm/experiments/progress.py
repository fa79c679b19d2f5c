"""Callbacks of runs: what they measure, and what they tell while they train."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from graphtm.estimators import GraphTMClassifier, GraphTMMultiLabelClassifier
from graphtm.experiments.declaration import ACCURACY
from graphtm.learning import Callback, Training

LEAST_SECONDS = 2.0
"""Least time between two lines of progress."""
TEST = "val_"
"""Beginning of the names of scores on the test set in a history."""
Tell: TypeAlias = Callable[[str], None]
Measure: TypeAlias = Callable[[GraphTMClassifier], Mapping[str, float]]
LabelMeasure: TypeAlias = Callable[[GraphTMMultiLabelClassifier], Mapping[str, float]]


def silent(text: str) -> None:
    """Print nothing."""


class ScoreTraining(Callback):
    """Asks for the score on the training graphs."""

    score_training = True


class Begun(Callback):
    """Knows whether training has begun: errors before are about what was given."""

    def __init__(self) -> None:
        self.has_begun = False

    def on_epoch_begin(self, training: Training) -> None:  # noqa: ARG002
        self.has_begun = True


class Measured(Callback):
    """Adds scores to the history, as if they were those of an evaluation set."""

    order = -1  # before what prints or saves them

    def __init__(self, measure: Callable[[Any], Mapping[str, float]]) -> None:
        self._measure = measure

    def on_epoch_end(self, training: Training) -> None:
        scores = self._measure(training.estimator)
        training.record.update({TEST + metric: float(value) for metric, value in scores.items()})


class Lines(Callback):
    """Tells the score after epochs, a line each, but not several a second: for files, which have no progress bar."""

    def __init__(self, name: str, note: Tell) -> None:
        self._name, self._note = name, note
        self._last = time.monotonic()

    def on_epoch_end(self, training: Training) -> None:
        if time.monotonic() - self._last < LEAST_SECONDS and not training.is_over:
            return
        self._last = time.monotonic()
        record = training.record
        self._note(
            f"{self._name}, epoch {training.epoch}/{training.last_epoch}: {_score_text(record)}, "
            f"{record['seconds']:.1f} s, {record['included_literals']:.1f} literals"
        )


def _score_text(record: Mapping[str, float]) -> str:
    """Return the accuracy on the test set or, if it was not measured, the first other score."""
    if TEST + ACCURACY in record:
        return f"{100 * record[TEST + ACCURACY]:.2f} %"
    name = next(name for name in record if name.startswith(TEST))
    return f"{name.removeprefix(TEST)} {record[name]:.4f}"
