"""Curves over a number that grows, such as scores against the number of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphtm.foundation.calling import require


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
    MissingLibraryError
        If matplotlib is not installed.
    """
    if ax is None:
        _, ax = require("matplotlib.pyplot", "draw_curves", "plots").subplots()
    for name, values in curves.items():
        ax.plot(x, values, marker="o", label=name)
    ax.set_xscale("log")
    ax.set_xticks(list(x), labels=[f"{number:g}" for number in x], minor=False)
    ax.minorticks_off()
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)
    ax.legend()
    return ax
