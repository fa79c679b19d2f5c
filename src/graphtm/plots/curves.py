"""Curves over a number that grows, such as scores against the number of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphtm.plots.display import FONT, GRID, axes_for, checked_array, legend_text, plain
from graphtm.plots.edges import style


def draw_curves(
    x: Sequence[float], curves: Mapping[str, Sequence[float]], *, x_label: str, y_label: str, ax: Any = None
) -> Any:
    """Draw curves over a logarithmic axis.

    Parameters
    ----------
    x
        Numbers above 0, on the horizontal axis.
    curves
        Values of each curve at these numbers, by the name of the curve.
    x_label, y_label
        Names of the axes.
    ax
        Axes of matplotlib to draw on; ``None`` makes new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If a number is not above 0, or a curve has not one finite value per number.
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_curves
    >>> ax = draw_curves([1, 10], {"accuracy": [0.7, 0.9]}, x_label="number of rules", y_label="accuracy")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['accuracy']
    """
    numbers = checked_array(x, "x", "draw_curves", 1, "numbers above 0")
    if (numbers <= 0).any():
        raise ValueError(f"The 'x' parameter of draw_curves must be numbers above 0. Got {numbers.min():g} instead.")
    for name, values in curves.items():
        found = checked_array(values, "curves", "draw_curves", 1, f"one finite number per place for {name!r}")
        if len(found) != len(numbers):
            raise ValueError(
                f"The 'curves' parameter of draw_curves must have one value per number of x, {len(numbers)} in total. "
                f"Got {len(found)} for {name!r} instead."
            )
    ax = axes_for(ax, "draw_curves", (6.4, 3.8))
    ax.grid(**GRID)
    ax.set_axisbelow(True)
    for number, (name, values) in enumerate(curves.items()):
        ax.plot(numbers, values, marker="o", markersize=3.5, linewidth=1.6, label=legend_text(name), **style(number))
    ax.set_xscale("log")
    ax.set_xticks(numbers, labels=[f"{number:g}" for number in numbers], minor=False)
    ax.minorticks_off()
    plain([ax.set_xlabel(x_label, fontsize=FONT + 1), ax.set_ylabel(y_label, fontsize=FONT + 1)])
    ax.tick_params(labelsize=FONT)
    ax.spines[["top", "right"]].set_visible(False)
    if curves:
        plain(ax.legend(fontsize=FONT).get_texts())
    return ax
