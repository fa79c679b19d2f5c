"""A progress bar for a fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm.auto import tqdm

from graphtm.learning.callbacks import Callback

if TYPE_CHECKING:
    from graphtm.learning.training import Training


class ProgressBar(Callback):
    """Shows how far a fit has come, with the scores and clause statistics of the last epoch; notebooks get their own.

    It counts graphs, so that it moves inside long epochs, too. ``verbose=1`` of an estimator adds one.

    Parameters
    ----------
    score_training
        Whether to score the graphs that are learned from at the end of each epoch, which takes as long as predicting
        them. ``None``: only if no others are scored.
    """

    def __init__(self, score_training: bool | None = None) -> None:
        self.score_training = score_training
        self._bar: Any = None

    def on_epoch_begin(self, training: Training) -> None:
        if self._bar is None:
            self._bar = self._new_bar(training)
        self._show(training)

    def _new_bar(self, training: Training) -> Any:
        n, epochs = training.n_examples, training.last_epoch - training.first_epoch
        done = (training.epoch - training.first_epoch) * n + training.position
        return tqdm(
            total=epochs * n, initial=done, desc=type(training.estimator).__name__, unit=" graphs", unit_scale=True
        )

    def on_progress(self, training: Training) -> None:
        self._show(training)

    def on_epoch_end(self, training: Training) -> None:
        self._show(training)

    def on_fit_end(self, training: Training) -> None:  # noqa: ARG002
        if self._bar is not None:
            self._bar.close()
        self._bar = None

    on_fit_error = on_fit_end

    def _show(self, training: Training) -> None:
        done = training.epoch - training.first_epoch
        shown: dict[str, Any] = {"epoch": f"{done}/{training.last_epoch - training.first_epoch}"}
        if training.history:
            record = training.record
            shown |= {name: _text(record[name]) for name in training.metrics if name in record}
            shown["literals"] = f"{record['included_literals']:.1f}"
            shown["empty"] = record["empty_clauses"]
            shown["s/epoch"] = f"{record['seconds']:.2f}"
        self._bar.set_postfix(shown, refresh=False)
        self._bar.update(done * training.n_examples + training.position - self._bar.n)


def _text(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float | np.floating) else str(value)  # callbacks may add anything
