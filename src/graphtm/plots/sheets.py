"""Axes whose data coordinates are points, for tables and diagrams that are laid out by the size of their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.calling import require
from graphtm.plots.arranging import axes_of_size, title_width, write_title
from graphtm.plots.legends import Group, draw_legends

_MOST_INCHES = (14.0, 12.0)


class Sheet:
    """Axes with the origin at the lower left, in points; smaller ones shrink everything alike.

    Parameters
    ----------
    ax
        Axes to draw on. Default: a new figure of the size needed.
    size
        Width and height in points that the drawing needs.
    legends, title
        What is below and above the drawing.
    """

    def __init__(self, ax: Any, size: tuple[float, float], legends: Sequence[Group] = (), title: str | None = None):
        legends = [group for group in legends if group.entries]
        wanted = np.array(size) / 72
        if ax is None:
            inches = np.minimum(np.maximum(wanted, (title_width(title) / 72, 0)) / 0.98, _MOST_INCHES)
            ax = axes_of_size(np.maximum(inches, (3.2, 0.8)), legends, title)
        self.ax = ax
        extent = ax.get_window_extent()
        room: NDArray[np.float64] = np.array([extent.width, extent.height]) * 72 / ax.figure.dpi
        self.scale = float(min(1.0, *(room / np.array(size))))
        """Size of letters relative to the usual."""
        spare = room / self.scale - np.array(size)
        ax.set_xlim(-spare[0] / 2, size[0] + spare[0] / 2)
        ax.set_ylim(-spare[1] / 2, size[1] + spare[1] / 2)
        ax.set_axis_off()
        draw_legends(ax, legends, (float(room[0]), float(room[1])), above=False)
        if title is not None:
            write_title(ax, title, float(room[0]))

    def write(self, x: float, y: float, text: str, size: float, **options: Any) -> Any:
        """Write text literally, whatever it contains."""
        placed = {"ha": "center", "va": "center", "zorder": 4, **options}
        return self.ax.text(x, y, text, fontsize=size * self.scale, parse_math=False, **placed)

    def box(self, x: float, y: float, width: float, height: float, *, rounded: float = 0.0, **style: Any) -> Any:
        """Draw a box with its centre at (x, y)."""
        patches = require("matplotlib.patches", "draw_graph", "plots")
        corner = (x - width / 2, y - height / 2)
        look = {"zorder": 3, **style, "linewidth": style.get("linewidth", 0.8) * self.scale}
        if rounded:
            shape = patches.BoxStyle("Round", pad=0, rounding_size=rounded)
            made = patches.FancyBboxPatch(corner, width, height, boxstyle=shape, **look)
        else:
            made = patches.Rectangle(corner, width, height, **look)
        self.ax.add_patch(made)
        return made

    def arrow(self, start: tuple[float, float], end: tuple[float, float], **options: Any) -> Any:
        """Draw an arrow, or a line if ``arrowstyle`` says so."""
        patches = require("matplotlib.patches", "draw_graph", "plots")
        look = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 0, "shrinkB": 0, "zorder": 2, **options}
        for name in ("mutation_scale", "linewidth"):
            if name in look:
                look[name] *= self.scale
        made = patches.FancyArrowPatch(start, end, **look)
        self.ax.add_patch(made)
        return made
