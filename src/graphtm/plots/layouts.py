"""Layouts of nodes: chains, grids, circles and springs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import Name

LAYOUTS = ("auto", "chain", "grid", "circle", "spring")
MOST_SPRINGS = 1500
"""Maximum number of nodes of a spring layout, whose time is quadratic."""
ONE_ROW = 6
"""Number of nodes up to which a grid without known positions is a single row."""

_ROWS, _COLUMNS = ("row", "y"), ("column", "col", "x")


def choose_layout(n_nodes: int, source: Int64Array, destination: Int64Array, places: NDArray[np.float64] | None) -> str:
    """Choose a layout: a grid if positions are known, a chain if edges join near numbers, else springs."""
    if places is not None or not len(source):
        return "grid"
    reach = np.abs(source - destination)
    neighbours = len(np.unique(np.minimum(source, destination)[reach == 1]))
    # Every node has an edge to the next one, and none has an edge to one far away.
    if neighbours == n_nodes - 1 and reach.max() <= max(1, min(5, n_nodes // 3)):
        return "chain"
    return "spring" if n_nodes <= MOST_SPRINGS else "grid"


def places_from_names(properties: Sequence[Sequence[Name]], names: Sequence[Hashable]) -> NDArray[np.float64] | None:
    """Return the positions that symbols or names contain, row 0 at the top, or ``None`` if there are none.

    A position is given by symbols such as ``("row", 3)`` and ``("column", 5)`` (the largest of several, as in a
    thermometer code), or by node names that are pairs of integers, (row, column).
    """
    known = np.array([(_largest(symbols, _COLUMNS), -_largest(symbols, _ROWS)) for symbols in properties])
    if not np.isnan(known).any() and len(np.unique(known, axis=0)) == len(known):
        return known
    pairs = [name for name in names if isinstance(name, tuple) and len(name) == 2 and set(map(type, name)) == {int}]
    if len(pairs) == len(names):
        return np.array([(column, -row) for row, column in pairs], dtype=float)
    return None


def _largest(symbols: Sequence[Name], kinds: Sequence[str]) -> float:
    values = [
        symbol[-1]
        for symbol in symbols
        if isinstance(symbol, tuple) and len(symbol) >= 2 and symbol[0] in kinds and type(symbol[-1]) is int
    ]
    return float(max(values)) if values else np.nan


def chain(n_nodes: int, per_row: int) -> NDArray[np.float64]:
    """Return positions in rows, every other one from right to left, so that the next node is always adjacent."""
    row, column = np.divmod(np.arange(n_nodes), per_row)
    return np.stack([np.where(row % 2, per_row - 1 - column, column), -row], axis=1).astype(float)


def square(n_nodes: int) -> NDArray[np.float64]:
    """Return positions in rows from left to right, about as many rows as columns; a few nodes are one row."""
    row, column = np.divmod(np.arange(n_nodes), max(ONE_ROW, int(np.ceil(np.sqrt(n_nodes)))))
    return np.stack([column, -row], axis=1).astype(float)


def circle(n_nodes: int) -> NDArray[np.float64]:
    """Return positions on a circle, clockwise from the top."""
    angle = np.pi / 2 - 2 * np.pi * np.arange(n_nodes) / n_nodes
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def spring(n_nodes: int, source: Int64Array, destination: Int64Array, seed: int) -> NDArray[np.float64]:
    """Return the positions of a spring layout: edges pull their ends together, all nodes repel each other.

    The forces are those of Fruchterman and Reingold (1991), with a pull to the centre that keeps disconnected parts of
    a graph in the picture.
    """
    if n_nodes == 1:
        return np.zeros((1, 2))
    places = circle(n_nodes) + np.random.default_rng(seed).normal(0, 0.1, (n_nodes, 2))
    joined = np.zeros((n_nodes, n_nodes))
    joined[source, destination] = joined[destination, source] = 1
    np.fill_diagonal(joined, 0)
    length = 2 / np.sqrt(n_nodes)
    n_steps = 200 if n_nodes <= 200 else 50
    for step in np.linspace(0.2, 0.002, n_steps):
        away = places[:, None] - places[None]
        distance = np.maximum(np.sqrt((away**2).sum(axis=2)), 1e-3)
        strength = length**2 / distance**2 - joined * distance / length
        force = (away * strength[:, :, None]).sum(axis=1) - 2 * places
        size = np.maximum(np.sqrt((force**2).sum(axis=1, keepdims=True)), 1e-9)
        places = places + force / size * np.minimum(size, step)
    return places


def overlaps(centres: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which pairs of boxes overlap."""
    deep = (sizes[:, None] + sizes[None]) / 2 - np.abs(centres[:, None] - centres[None])
    found = np.asarray((deep > 0).all(axis=2))
    np.fill_diagonal(found, False)
    return found


def push_apart(
    centres: NDArray[np.float64], sizes: NDArray[np.float64], room: NDArray[np.float64], n_rounds: int = 150
) -> NDArray[np.float64]:
    """Move overlapping boxes apart, along the axis of the smaller overlap, within the room available."""
    centres, number = centres.copy(), np.arange(len(centres))
    # Boxes at the same position are separated by their numbers.
    by_number = np.sign(number[:, None] - number[None])[:, :, None]
    for _ in range(n_rounds):
        overlap = overlaps(centres, sizes)
        if not overlap.any():
            break
        away = centres[:, None] - centres[None]
        deep = (sizes[:, None] + sizes[None]) / 2 - np.abs(away)
        shorter = deep.argmin(axis=2)[:, :, None] == np.arange(2)
        side = np.where(away == 0, by_number, np.sign(away))
        move = np.where(overlap[:, :, None] & shorter, side * (deep / 2 + 0.5), 0)
        centres += move.sum(axis=1) / np.maximum(1, overlap.sum(axis=1))[:, None]
        centres = np.clip(centres, np.minimum(sizes / 2, room / 2), np.maximum(room - sizes / 2, room / 2))
    return centres


def without_overlap(centres: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Select boxes greedily, in order, so that no two overlap."""
    kept = np.zeros(len(centres), np.bool_)
    for box in range(len(centres)):
        chosen = np.flatnonzero(kept)
        deep = (sizes[box] + sizes[chosen]) / 2 - np.abs(centres[box] - centres[chosen])
        kept[box] = not (deep > 0).all(axis=1).any()
    return kept
