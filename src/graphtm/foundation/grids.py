"""Cells in rows and columns, and which of them are neighbours."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from graphtm.foundation.arrays import Int64Array

STEPS: dict[str, dict[str, tuple[int, int]]] = {
    "grid4": {"right": (0, 1), "left": (0, -1), "down": (1, 0), "up": (-1, 0)},
    "grid8": {
        "right": (0, 1),
        "left": (0, -1),
        "down": (1, 0),
        "up": (-1, 0),
        "down right": (1, 1),
        "up left": (-1, -1),
        "down left": (1, -1),
        "up right": (-1, 1),
    },
    # Rows of a Hex board are shifted by half a cell each, so two of the eight neighbours of a square do not touch.
    "hex": {
        "right": (0, 1),
        "left": (0, -1),
        "down": (1, 0),
        "up": (-1, 0),
        "down left": (1, -1),
        "up right": (-1, 1),
    },
}
"""For each kind of grid the directions, and where they lead: rows down, columns to the right."""


def grid_edges(
    shape: tuple[int, int], steps: Mapping[str, tuple[int, int]]
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return source, destination and number of the direction of every edge between cells, counted row by row."""
    rows, columns = np.indices(shape).reshape(2, -1)
    ends = []
    for number, (down, right) in enumerate(steps.values()):
        row, column = rows + down, columns + right
        source = np.flatnonzero((row >= 0) & (row < shape[0]) & (column >= 0) & (column < shape[1]))
        ends.append((source, (row * shape[1] + column)[source], np.full(len(source), number)))
    source, destination, direction = (np.concatenate(part) for part in zip(*ends, strict=True))
    return source, destination, direction
