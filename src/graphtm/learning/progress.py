"""A progress bar for a fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm.auto import tqdm

from graphtm.learning.callbacks import Callback

if TYPE_CHECKING:
    from graphtm.learning.training import Record, Training

_WIDE = 100
"""Terminal width from which the number of graphs is shown."""
_LEAST_BAR = 8
"""Smallest width of the bar itself."""


class ProgressBar(Callback):
    """Show the progress of a fit, with the scores and clause statistics of the last epoch, also in notebooks.

    The bar counts graphs, so it also moves within epochs. A narrow terminal shows the epoch and the scores, and other
    statistics if there is room. The bar says when a fit stops early or returns to an earlier epoch. ``verbose=1`` adds
    this callback.

    Parameters
    ----------
    score_training
        Whether to score the training graphs at the end of each epoch, which takes as long as predicting them. ``None``
        scores them only if there is no evaluation set.
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
        done = training.epoch - training.first_epoch
        return tqdm(
            desc=f"epoch {done}/{epochs}",
            total=epochs * n,
            initial=done * n + training.position,
            unit_scale=True,
            dynamic_ncols=True,
            bar_format="{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}]",
        )

    def on_progress(self, training: Training) -> None:
        self._show(training)

    def on_epoch_end(self, training: Training) -> None:
        self._show(training)

    def on_fit_end(self, training: Training) -> None:
        if self._bar is not None:
            self._show_end(training)
        self._close()

    def on_fit_error(self, training: Training) -> None:  # noqa: ARG002
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None

    def _show(self, training: Training) -> None:
        done, total = training.epoch - training.first_epoch, training.last_epoch - training.first_epoch
        self._write(training, f"epoch {done}/{total}", training.history[-1:], "{elapsed}<{remaining}")
        self._bar.update(done * training.n_examples + training.position - self._bar.n)

    def _show_end(self, training: Training) -> None:
        """Show the epoch whose model is kept, and whether more epochs were to come."""
        done, total = training.epoch - training.first_epoch, training.last_epoch - training.first_epoch
        kept = training.model.epoch - training.first_epoch
        text = f"epoch {done}/{total}" if done >= total else f"stopped at epoch {done}/{total}"
        if kept != done:
            text += f", best epoch {kept}"
        self._write(training, text, training.history[kept - 1 : kept] if kept > 0 else [], "{elapsed}")

    def _write(self, training: Training, text: str, records: Sequence[Record], time: str) -> None:
        """Write the line around the bar; of what is known of an epoch, as much as there is room for."""
        columns = self._bar.format_dict["ncols"]
        is_wide = columns is None or columns >= _WIDE
        count, closing = ("{n_fmt}/{total_fmt} [", "]") if is_wide else ("", "")
        self._bar.bar_format = f"{{l_bar}}{{bar}}| {count}{time}{{postfix}}{closing}"
        # Times of up to an hour, and counts such as 1.23M/4.56M.
        others = f"{text}: 100%|| {'1.23M/4.56M []' * is_wide}{time.format(elapsed='00:00', remaining='00:00')}"
        fields: dict[str, str] = {}
        for record in records:
            fields = _that_fit(training.metrics, record, math.inf if columns is None else columns - len(others) - 1)
        self._bar.set_description(text, refresh=False)
        self._bar.set_postfix(fields, refresh=False)


def _that_fit(metrics: Sequence[str], record: Record, room: float) -> dict[str, str]:
    """Return what is known of an epoch, as text: scores before what can be left out, as far as there is room."""
    # Scores of evaluation sets come first: they decide which epoch is the best.
    names = sorted((name for name in metrics if name in record), key=lambda name: not name.startswith("val"))
    scores = {name: _text(record[name]) for name in names}
    others = {
        "literals": f"{record['included_literals']:.1f}",
        "empty": str(record["empty_clauses"]),
        "s/epoch": f"{record['seconds']:.2f}",
    }
    kept: dict[str, str] = {}
    for name, text in (scores | others).items():
        left = room - len(f", {name}={text}")
        if left >= (0 if name in scores else _LEAST_BAR):
            kept[name], room = text, left
    return kept


def _text(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float | np.floating) else str(value)  # callbacks may add anything
