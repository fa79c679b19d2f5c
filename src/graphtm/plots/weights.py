"""The matrix of weights: which clauses vote for which classes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import count
from graphtm.plots.display import FONT, axes_for, checked_array, fitted_parts, plain, titled, vote_colours
from graphtm.plots.drawing import name_text

MOST_ROWS, MOST_COLUMNS = 40, 30
"""Largest numbers of outputs and of clauses that have their names on the axes."""
_SHARE = 0.99
"""Share of the weights whose colours differ; the others have the strongest colour."""


def draw_weights(
    weights: ArrayLike,
    outputs: Sequence[Hashable] | None = None,
    *,
    limit: float | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw the weights of clauses: orange for votes for a class, blue for votes against it.

    Clauses are sorted by the class that they vote for most, then by that vote, the strongest first.

    Parameters
    ----------
    weights
        Weights, (outputs, clauses).
    outputs
        Names of the outputs. Default: their numbers.
    limit
        Weight with the strongest colour. Default: that which 99 % of the weights do not exceed.
    title
        Text above the matrix.
    ax
        Axes of matplotlib to draw on; ``None`` makes new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the weights are not a matrix of finite numbers, there is not a name per output, or the limit is not above 0.
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_weights
    >>> ax = draw_weights([[-3, 5, 9], [4, -2, -8]], ["no", "yes"])
    >>> ax.images[0].get_array().tolist(), [label.get_text() for label in ax.get_xticklabels()]
    ([[9.0, 5.0, -3.0], [-8.0, -2.0, 4.0]], ['C2', 'C1', 'C0'])
    """
    table = checked_array(weights, "weights", "draw_weights", 2, "a matrix of finite numbers, (outputs, clauses)")
    if not table.size:
        raise ValueError(
            "The 'weights' parameter of draw_weights must have a row per output and a column per clause. Got shape "
            f"{table.shape} instead."
        )
    names = list(range(len(table))) if outputs is None else list(outputs)
    if len(names) != len(table):
        raise ValueError(
            f"The 'outputs' parameter of draw_weights must have one name per row of the weights, {len(table)} in "
            f"total. Got {len(names)} instead."
        )
    if limit is None:
        limit = float(np.quantile(np.abs(table), _SHARE) or np.abs(table).max() or 1)
    elif not limit > 0:
        raise ValueError(f"The 'limit' parameter of draw_weights must be a number above 0. Got {limit!r} instead.")
    order = _order(table)
    rows = min(len(names), MOST_ROWS)
    ax = axes_for(ax, "draw_weights", (7.2, 1.3 + 0.22 * max(rows, 4)))
    picture = ax.imshow(
        table[:, order], cmap=vote_colours(), vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest"
    )
    if len(names) <= MOST_ROWS:
        ax.set_yticks(range(len(names)), labels=[name_text(name) for name in names], fontsize=FONT)
        plain(ax.get_yticklabels())
    else:
        ax.set_ylabel(count(len(names), "output"), fontsize=FONT + 1)
    n_clauses = len(order)
    if n_clauses <= MOST_COLUMNS:
        labels = [f"C{clause}" for clause in order.tolist()]
        ax.set_xticks(range(n_clauses), labels=labels, rotation=90 if n_clauses > 12 else 0, fontsize=FONT)
    else:
        ax.set_xticks([])
    ax.set_xlabel(f"{count(n_clauses, 'clause')}, sorted by the class they vote for most", fontsize=FONT + 1)
    titled(ax, title)
    clipped = bool(np.abs(table).max() > limit)
    bar = ax.figure.colorbar(picture, ax=ax, fraction=0.046, pad=0.02, extend="both" if clipped else "neither")
    bar.ax.tick_params(labelsize=FONT)
    bar.set_label("weight", fontsize=FONT)
    return ax


class WeightsDisplay:
    """Matrix of the weights of a machine.

    Parameters
    ----------
    weights
        Weights, (outputs, clauses).
    outputs
        Names of the outputs.

    Attributes
    ----------
    figure_, ax_
        Figure and axes, once it is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import graphtm as gtm
    >>> from graphtm.plots import WeightsDisplay
    >>> graphs, y = gtm.datasets.sequences(500, random_state=0)
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=3, random_state=0).fit(graphs, y)
    >>> WeightsDisplay.from_estimator(clf).weights.shape
    (2, 10)
    """

    def __init__(self, weights: ArrayLike, outputs: Sequence[Hashable] | None = None) -> None:
        self.weights = np.asarray(weights)
        self.outputs = outputs

    @classmethod
    def from_estimator(cls, estimator: Any, *, limit: float | None = None, ax: Any = None) -> WeightsDisplay:
        """Draw the weights of a fitted estimator, or of a pipeline that ends with one."""
        machine = fitted_parts(estimator, "WeightsDisplay")[1]
        return cls(machine.state_.weights, machine._output_names()).plot(ax, limit=limit)

    def plot(self, ax: Any = None, *, limit: float | None = None) -> WeightsDisplay:
        """Draw the matrix; see :func:`draw_weights`."""
        self.ax_ = draw_weights(self.weights, self.outputs, limit=limit, ax=ax)
        self.figure_ = self.ax_.figure
        return self


def _order(table: Any) -> Int64Array:
    """Return the clauses sorted by the output they vote for most, then by that vote."""
    return np.lexsort((-table.max(axis=0), table.argmax(axis=0))).astype(np.int64)
