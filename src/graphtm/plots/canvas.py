"""Axes in points: the position of each node, and the size of its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.plots.drawing import DOT, Labels
from graphtm.plots.layouts import overlaps, push_apart, without_overlap

MOST_BOXES = 150
"""Largest number of nodes for which all texts are fitted."""
_MARGIN = 6.0
_FEWER = 3
# Font size, maximum number of lines (None: no limit), and the gap between boxes that arrows need.
_ATTEMPTS = ((9.0, None, 18.0), (8.0, None, 16.0), (7.0, None, 14.0), (6.0, None, 11.0))
_CUT_ATTEMPTS = ((6.0, _FEWER, 9.0), (6.0, 1, 8.0), (5.0, 1, 5.0))


@dataclass(frozen=True)
class Fit:
    """How to write nodes: font size, texts, sizes of boxes in points, and which nodes have text."""

    font: float
    texts: list[str]
    sizes: NDArray[np.float64]
    written: NDArray[np.bool_]


class Canvas:
    """Converts data coordinates to points on the axes, and back.

    Parameters
    ----------
    ax
        The axes.
    keeps_limits
        Whether to keep the limits of the axes.
    """

    def __init__(self, ax: Any, *, keeps_limits: bool = False) -> None:
        self._ax, self._keeps_limits = ax, keeps_limits
        ax.apply_aspect()
        extent = ax.get_window_extent()
        self.size: NDArray[np.float64] = np.array([extent.width, extent.height]) * 72 / ax.figure.dpi
        low, high = np.array([ax.get_xlim(), ax.get_ylim()]).T
        self._scale: NDArray[np.float64] = self.size / (high - low)
        self._offset: NDArray[np.float64] = -low * self._scale

    def to_points(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return data coordinates as points from the lower left corner."""
        return places * self._scale + self._offset

    def to_data(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points from the lower left corner as data coordinates."""
        return (points - self._offset) / self._scale

    def units(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return lengths in points as lengths in data coordinates."""
        lengths: NDArray[np.float64] = np.abs(points / self._scale)
        return lengths

    def arrange(
        self, places: NDArray[np.float64], labels: Labels, *, movable: bool, equal: bool, above: float = 0.0
    ) -> tuple[NDArray[np.float64], Fit]:
        """Find the largest text for which no two boxes overlap.

        Parameters
        ----------
        places
            Position of each node.
        labels
            Text of each node.
        movable
            Whether boxes may be pushed apart.
        equal
            Whether both axes must have the same scale.
        above
            Space in points for lines above and below the nodes.

        Returns
        -------
        tuple
            Centres of the nodes in points, and how to write the nodes.
        """
        most = max(labels.most_lines, 1)
        attempts = [*_ATTEMPTS, *(cut for cut in _CUT_ATTEMPTS if cut[1] is not None and cut[1] < most)]
        for font, cut, gap in attempts if len(labels) <= MOST_BOXES else []:
            sizes = labels.sizes(font, cut or most)
            if (sizes + gap).prod(axis=1).sum() > 0.7 * self.size.prod():
                continue
            centres = self._spread(places, sizes, equal, above)
            if movable:
                centres = push_apart(centres, sizes + gap, self.size)
            if not overlaps(centres, sizes + gap / 2).any():
                return centres, Fit(font, labels.texts(cut or most), sizes, np.ones(len(labels), np.bool_))
        font = 6.0 if len(labels) <= MOST_BOXES else 5.0
        sizes = labels.sizes(font, 1)
        centres = self._spread(places, sizes, equal, above)
        written = without_overlap(centres, sizes + 4)
        return centres, Fit(font, labels.texts(1), np.where(written[:, None], sizes, DOT), written)

    def _spread(
        self, places: NDArray[np.float64], sizes: NDArray[np.float64], equal: bool, above: float
    ) -> NDArray[np.float64]:
        """Set the scale so that all boxes fit on the axes."""
        if not self._keeps_limits:
            low, high = places.min(axis=0), places.max(axis=0)
            room = np.maximum(self.size - sizes.max(axis=0) - 2 * _MARGIN - np.array([0.0, 2 * above]), 1.0)
            span = high - low
            scale = np.where(span > 0, room / np.where(span > 0, span, 1), np.inf)
            if equal:
                scale = np.full(2, scale.min())
            self._scale = np.where(np.isfinite(scale), scale, 1.0)
            self._offset = self.size / 2 - (low + high) / 2 * self._scale
            (left, bottom), (right, top) = self.to_data(np.array([[0.0, 0.0], self.size]))
            self._ax.set_xlim(left, right)
            self._ax.set_ylim(bottom, top)
        return self.to_points(places)
