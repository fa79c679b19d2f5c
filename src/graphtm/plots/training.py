"""Training curves: scores and statistics of the clauses, epoch by epoch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from graphtm.foundation.calling import require
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import is_number
from graphtm.plots.display import FONT, GRID, axes_for, fitted_parts, plain, side_labels, titled
from graphtm.plots.drawing import name_text
from graphtm.plots.edges import style

_STATISTICS = ("epoch", "step", "seconds", "included_literals", "empty_clauses", "mean_weight")
"""Entries of records that are not scores."""
_DEFAULT = "included_literals"
_AXES = {"epoch": "epoch", "step": "examples seen", "seconds": "seconds of learning"}


def draw_training(
    history: Sequence[Mapping[str, Any]],
    metrics: str | Iterable[str] | None = None,
    *,
    x: str = "epoch",
    kept: int | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw how scores change during training.

    Parameters
    ----------
    history
        Records of the epochs, such as ``clf.history_``.
    metrics
        Names of what to draw. Default: all scores, or ``"included_literals"``, the mean number of literals of a clause,
        if no scores were recorded.
    x
        What is on the horizontal axis: ``"epoch"``, ``"step"``, the number of examples seen, or ``"seconds"``, the time
        of learning up to the end of each epoch.
    kept
        Number of the epoch whose model was kept, which is marked.
    title
        Text above the curves.
    ax
        Axes of matplotlib to draw on; ``None`` makes new ones. Names of curves are to the right of the axes.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If there are no records, or no record has a number of such a name.
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_training
    >>> history = [{"epoch": 0, "seconds": 1.5, "accuracy": 0.7}, {"epoch": 1, "seconds": 1.0, "accuracy": 0.9}]
    >>> (line,) = draw_training(history, x="seconds").lines
    >>> line.get_xdata().tolist(), line.get_ydata().tolist()
    ([1.5, 2.5], [0.7, 0.9])
    """
    records = list(history)
    if not records:
        raise ValueError("The 'history' parameter of draw_training must have a record per epoch. Got none.")
    if x not in _AXES:
        raise ValueError(f"The 'x' parameter of draw_training must be one of {list(_AXES)}. Got {x!r} instead.")
    names = _names(records, metrics)
    places = _column(records, x)
    if x == "seconds":
        places = np.cumsum(places)
    ax = axes_for(ax, "draw_training", (6.4, 3.6))
    ax.grid(**GRID)
    ax.set_axisbelow(True)
    ends, colours = [], []
    for number, name in enumerate(names):
        values = _column(records, name)
        look = style(number)
        ax.plot(places, values, marker="o", markersize=3.5, linewidth=1.6, **look)
        last = int(np.flatnonzero(np.isfinite(values))[-1])
        ends.append((float(places[last]), float(values[last])))
        colours.append(look["color"])
    if kept is not None:
        _mark(ax, records, places, kept)
    if x == "epoch":
        ax.xaxis.set_major_locator(require("matplotlib.ticker", "draw_training", "plots").MaxNLocator(integer=True))
    ax.set_xlabel(_AXES[x], fontsize=FONT + 1)
    ax.tick_params(labelsize=FONT)
    ax.spines[["top", "right"]].set_visible(False)
    titled(ax, title)
    side_labels(ax, ends, [name_text(name) for name in names], colours)
    return ax


class TrainingDisplay:
    """Training curves of an estimator.

    Parameters
    ----------
    history
        Records of the epochs.
    kept
        Number of the epoch whose model was kept, ``None`` if it is the last.

    Attributes
    ----------
    figure_, ax_
        Figure and axes, once it is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import graphtm as gtm
    >>> from graphtm.plots import TrainingDisplay
    >>> (graphs, y), test = gtm.datasets.sequences(500, random_state=0), gtm.datasets.sequences(200, random_state=1)
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=20, patience=3, random_state=0)
    >>> display = TrainingDisplay.from_estimator(clf.fit(graphs, y, eval_set=test))
    >>> display.kept == clf.epoch_ - 1 < len(display.history) - 1
    True
    """

    def __init__(self, history: Sequence[Mapping[str, Any]], kept: int | None = None) -> None:
        self.history = list(history)
        self.kept = kept

    @classmethod
    def from_estimator(
        cls, estimator: Any, metrics: str | Iterable[str] | None = None, *, x: str = "epoch", ax: Any = None
    ) -> TrainingDisplay:
        """Draw the history of a fitted estimator, or of a pipeline that ends with one.

        Parameters
        ----------
        estimator
            The estimator.
        metrics, x, ax
            As for :func:`draw_training`.
        """
        machine = fitted_parts(estimator, "TrainingDisplay")[1]
        history = machine.history_
        stopped = bool(history) and machine.epoch_ <= history[-1]["epoch"]
        return cls(history, machine.epoch_ - 1 if stopped else None).plot(ax, metrics=metrics, x=x)

    def plot(self, ax: Any = None, *, metrics: str | Iterable[str] | None = None, x: str = "epoch") -> TrainingDisplay:
        """Draw the curves; see :func:`draw_training`."""
        self.ax_ = draw_training(self.history, metrics, x=x, kept=self.kept, ax=ax)
        self.figure_ = self.ax_.figure
        return self


def _names(records: Sequence[Mapping[str, Any]], metrics: str | Iterable[str] | None) -> list[str]:
    """Return the names of what to draw, all of which some record has."""
    known = dict.fromkeys(name for record in records for name, value in record.items() if is_number(value))
    scores = [name for name in known if name not in _STATISTICS]
    wanted = scores or [_DEFAULT]
    if metrics is not None:
        wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    missing = [name for name in wanted if name not in known]
    if missing or not wanted:
        others = [name for name in known if name in _STATISTICS]
        raise ValueError(
            "The 'metrics' parameter of draw_training must be names of numbers in the history, among "
            f"{shorten([*scores, *others])}. Got {shorten(missing) or 'none'} instead. An eval_set, or a gtm.History() "
            "among the callbacks of fit, adds scores."
        )
    return wanted


def _column(records: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return the numbers of a name, NaN where a record lacks it."""
    values = [record.get(name) for record in records]
    return np.array([float(value) if is_number(value) else np.nan for value in values])


def _mark(ax: Any, records: Sequence[Mapping[str, Any]], places: Any, kept: int) -> None:
    """Mark the epoch whose model was kept."""
    epochs = [record.get("epoch") for record in records]
    if kept not in epochs:
        raise ValueError(
            f"The 'kept' parameter of draw_training must be the number of an epoch in the history. Got {kept!r} "
            "instead."
        )
    place = float(places[epochs.index(kept)])
    ax.axvline(place, color="#666666", linestyle=":", linewidth=1.2, zorder=1)
    text = ax.text(
        place, 1.01, "model kept", transform=ax.get_xaxis_transform(), ha="center", va="bottom", fontsize=FONT,
        color="#444444",
    )  # fmt: skip
    plain([text])
