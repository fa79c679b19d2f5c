"""Regret curves of bandits: what was lost compared to always taking the best arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphtm.foundation.names import Name
from graphtm.plots.display import FONT, GRID, axes_for, checked_array, fitted_parts, side_labels, titled
from graphtm.plots.drawing import name_text
from graphtm.plots.edges import style

_MOST_POINTS = 2000
"""Number of points of a curve that are drawn; more are not seen."""


def draw_regret(curves: Mapping[Name, ArrayLike], *, title: str | None = None, ax: Any = None) -> Any:
    """Draw the cumulative regret of bandits.

    Parameters
    ----------
    curves
        Cumulative regret after each update, by the name of the bandit. Several runs of a bandit, (runs, updates), are
        drawn as their mean and, shaded, the range from the first to the third quartile.
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
        If there are no curves, or a curve has no finite numbers.
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_regret
    >>> ax = draw_regret({"random": [1, 2, 3], "bandit": [1, 1, 1]})
    >>> [line.get_ydata().tolist() for line in ax.lines]
    [[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]
    """
    if not curves:
        raise ValueError("The 'curves' parameter of draw_regret must hold at least one curve. Got none.")
    runs = {name: _runs(name, values) for name, values in curves.items()}
    ax = axes_for(ax, "draw_regret", (6.4, 3.8))
    ax.grid(**GRID)
    ax.set_axisbelow(True)
    ends, colours = [], []
    for number, (name, values) in enumerate(runs.items()):
        n = values.shape[1]
        seen = np.unique(np.linspace(0, n - 1, min(n, _MOST_POINTS)).astype(int))
        look = style(number)
        mean = values.mean(axis=0)
        ax.plot(seen + 1, mean[seen], linewidth=1.6, label=name_text(name), **look)
        if len(values) > 1:
            low, high = np.quantile(values[:, seen], [0.25, 0.75], axis=0)
            ax.fill_between(seen + 1, low, high, color=look["color"], alpha=0.15, linewidth=0)
        ends.append((float(n), float(mean[-1])))
        colours.append(look["color"])
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=min(0.0, *(float(values.min()) for values in runs.values())))
    ax.set_xlabel("updates", fontsize=FONT + 1)
    ax.set_ylabel("cumulative regret", fontsize=FONT + 1)
    ax.tick_params(labelsize=FONT)
    ax.spines[["top", "right"]].set_visible(False)
    titled(ax, title)
    side_labels(ax, ends, [name_text(name) for name in runs], colours)
    return ax


class RegretDisplay:
    """Cumulative regret of bandits.

    Parameters
    ----------
    curves
        As for :func:`draw_regret`.

    Attributes
    ----------
    figure_, ax_
        Figure and axes, once it is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import graphtm as gtm
    >>> from graphtm.plots import RegretDisplay
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 3, [[1], [0], [1]], symbols=["hot"])
    >>> bandit = gtm.GraphTMBandit(n_clauses=4, depth=1, random_state=0)
    >>> bandit = bandit.update(graphs, [0, 0, 1], [0.0, 1.0, 0.5], best=1.0)
    >>> display = RegretDisplay.from_estimators({"bandit": bandit})
    >>> display.ax_.lines[0].get_ydata().tolist()
    [1.0, 1.0, 1.5]
    """

    def __init__(self, curves: Mapping[Name, ArrayLike]) -> None:
        self.curves = dict(curves)

    @classmethod
    def from_estimators(
        cls, bandits: Mapping[Name, Any] | Mapping[Name, Sequence[Any]], *, ax: Any = None
    ) -> RegretDisplay:
        """Draw the regret of bandits.

        Parameters
        ----------
        bandits
            Bandits by name, or for each name a list of bandits with as many updates each, such as runs with different
            seeds.
        ax
            Axes of matplotlib to draw on; ``None`` makes new ones.
        """
        curves = {}
        for name, one in bandits.items():
            runs = list(one) if isinstance(one, list | tuple) else [one]
            curves[name] = [fitted_parts(run, "RegretDisplay")[1].regret_ for run in runs]
        return cls(curves).plot(ax)

    def plot(self, ax: Any = None) -> RegretDisplay:
        """Draw the curves; see :func:`draw_regret`."""
        self.ax_ = draw_regret(self.curves, ax=ax)
        self.figure_ = self.ax_.figure
        return self


def _runs(name: Name, values: ArrayLike) -> Any:
    """Return the curve of each run, (runs, updates)."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except ValueError:
        given = np.zeros((0, 0))
    runs = np.atleast_2d(given)
    if not runs.size:
        raise ValueError(
            "The 'curves' parameter of draw_regret must have a number per update, and as many for each run. Got none, "
            f"or runs of different lengths, for {name_text(name)!r} instead. Updates know their regret if they are "
            "told the best reward."
        )
    return checked_array(runs, "curves", "draw_regret", 2, "finite numbers, one per update")
