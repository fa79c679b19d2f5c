"""Layouts of nodes: chains, lines of text, grids, Hex boards, circles, distances and springs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import Name

LAYOUTS = ("auto", "chain", "text", "grid", "hex", "circle", "stress", "spring")
MOST_SPRINGS = 1500
"""Maximum number of nodes of a spring layout, whose time is quadratic."""
MOST_STRESS = 200
"""Maximum number of nodes of a stress layout, whose time is cubic."""
ONE_ROW = 6
"""Number of nodes up to which a grid without known positions is a single row."""

_ROWS, _COLUMNS = ("row", "y"), ("column", "col", "x")


def choose_layout(n_nodes: int, source: Int64Array, destination: Int64Array, places: NDArray[np.float64] | None) -> str:
    """Choose a layout: a board or grid if positions are known, a chain if edges join near numbers, else distances."""
    if places is not None:
        return "hex" if _is_hex(places, source, destination) else "grid"
    if not len(source):
        return "grid"
    reach = np.abs(source - destination)
    neighbours = len(np.unique(np.minimum(source, destination)[reach == 1]))
    # Every node has an edge to the next one, and none has an edge to one far away.
    if neighbours == n_nodes - 1 and reach.max() <= max(1, min(5, n_nodes // 3)):
        return "chain"
    if n_nodes <= MOST_STRESS:
        return "stress"
    return "spring" if n_nodes <= MOST_SPRINGS else "grid"


def _is_hex(places: NDArray[np.float64], source: Int64Array, destination: Int64Array) -> bool:
    """Whether edges are those of a Hex board: one diagonal of each square, and no other."""
    steps = {(round(x), round(y)) for x, y in places[destination] - places[source]}
    rising = {(1, 1), (-1, -1)}
    return bool(steps & rising) and steps <= rising | {(1, 0), (-1, 0), (0, 1), (0, -1)}


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


def square(n_nodes: int, one_row: int = ONE_ROW) -> NDArray[np.float64]:
    """Return positions in rows from left to right, about as many rows as columns; a few nodes are one row."""
    row, column = np.divmod(np.arange(n_nodes), max(one_row, int(np.ceil(np.sqrt(n_nodes)))))
    return np.stack([column, -row], axis=1).astype(float)


def sheared(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions on a Hex board: each row is shifted by half a cell against the row above it."""
    return np.stack([places[:, 0] - places[:, 1] / 2, places[:, 1] * np.sqrt(0.75)], axis=1)


def text_lines(widths: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """Return the line of each word, given the width of each, so that no line is longer than ``width``."""
    lines, line, used = np.zeros(len(widths), np.int64), 0, 0.0
    for word, own in enumerate(widths.tolist()):
        if used and used + own > width:
            line, used = line + 1, 0.0
        lines[word], used = line, used + own
    return lines


def text(widths: NDArray[np.float64], height: float, width: float) -> NDArray[np.float64]:
    """Return the centres of words in lines from left to right, given the width of each and the height of a line.

    Lines are about equally long, as many as ``width`` needs.
    """
    lines = text_lines(widths, width)
    short, long = float(widths.max()), width
    while long - short > 1:
        middle = (short + long) / 2
        short, long = (middle, long) if text_lines(widths, middle).max() > lines.max() else (short, middle)
    lines = text_lines(widths, long)
    ends = np.cumsum(widths)
    starts = np.array([ends[lines < line][-1] if line else 0.0 for line in range(int(lines.max()) + 1)])
    return np.stack([ends - widths / 2 - starts[lines], -height * lines], axis=1)


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


def stress(
    n_nodes: int, source: Int64Array, destination: Int64Array, seed: int, n_steps: int = 100
) -> NDArray[np.float64]:
    """Return positions whose distances are near the lengths of the shortest paths between nodes.

    The stress of Kamada and Kawai (1989) is minimised by majorization (Gansner, Koren and North, 2004), from the
    positions of classical scaling. Rings look like rings, and lines cross less than with springs. Disconnected parts
    are side by side, the largest first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components, shortest_path

    joined = coo_array((np.ones(len(source)), (source, destination)), shape=(n_nodes, n_nodes)).tocsr()
    lengths: NDArray[np.float64] = shortest_path(joined, directed=False, unweighted=True)
    n_parts, part = connected_components(joined, directed=False)
    rng = np.random.default_rng(seed)
    members = [np.flatnonzero(part == number) for number in range(n_parts)]
    made = [_wide(_least_stress(lengths[np.ix_(nodes, nodes)], rng, n_steps)) for nodes in members]
    places = np.zeros((n_nodes, 2))
    for nodes, own, corner in zip(members, made, _shelves(made), strict=True):
        places[nodes] = own - own.min(axis=0) + corner
    return places


def _least_stress(distance: NDArray[np.float64], rng: np.random.Generator, n_steps: int) -> NDArray[np.float64]:
    """Return the positions of the nodes of a connected graph, given the lengths of its paths."""
    n_nodes = len(distance)
    if n_nodes == 1:
        return np.zeros((1, 2))
    centring = np.eye(n_nodes) - 1 / n_nodes
    values, vectors = np.linalg.eigh(-centring @ distance**2 @ centring / 2)
    places: NDArray[np.float64] = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0))
    # Leaves of one node are at the same place in the scaling, and would stay there.
    places = places + rng.normal(0, 0.05, places.shape)
    # The exponent is 2 in the literature. With 3, edges count more, and the leaves of a node are further apart.
    weights = 1 / np.where(distance == 0, np.inf, distance) ** 3
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(n_steps):
        apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2))
        pull = -weights * distance / np.maximum(apart, 1e-9)
        np.fill_diagonal(pull, 0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        moved = inverse @ (pull @ places)
        done = np.abs(moved - places).max() < 1e-3
        places = moved
        if done:
            break
    return places


def _wide(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions turned so that they are wider than high, as pages and texts are."""
    if len(places) == 1:
        return places
    centred = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = centred @ axes.T
    # The signs of singular vectors depend on the library; the node that is furthest from the middle fixes them.
    first = turned[np.abs(turned).argmax(axis=0), [0, 1]]
    return np.asarray(turned * np.where(first < 0, -1, 1))


def _shelves(parts: Sequence[NDArray[np.float64]], gap: float = 1.0) -> list[NDArray[np.float64]]:
    """Return the lower left corner of each part, so that all are side by side in rows, the highest first."""
    sizes = np.array([np.ptp(own, axis=0) + gap for own in parts])
    width = max(float(sizes[:, 0].max()), 1.6 * float(np.sqrt(sizes.prod(axis=1).sum())))
    corners, x, y, high = [np.zeros(2) for _ in parts], 0.0, 0.0, 0.0
    for number in np.lexsort((np.arange(len(parts)), -sizes[:, 0], -sizes[:, 1])).tolist():
        if x and x + sizes[number, 0] > width:
            x, y, high = 0.0, y - high, 0.0
        corners[number] = np.array([x, y - sizes[number, 1]])
        x, high = x + float(sizes[number, 0]), max(high, float(sizes[number, 1]))
    return corners


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
