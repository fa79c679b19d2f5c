"""Hex: two players try to connect opposite sides of a board, and exactly one succeeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.datasets.generated import (
    Generated,
    Labels,
    Mask,
    TrueRule,
    any_node,
    balanced_labels,
    carries,
    check_common,
    check_count,
    edges_of,
    packed,
    with_noise,
)
from graphtm.errors import GraphError
from graphtm.graphs import GraphBatch, PackedGraphs
from graphtm.graphs.edges import STEPS, grid_edges

EMPTY, X, O = 0, 1, 2  # noqa: E741
"""Values of a cell."""


@dataclass(frozen=True)
class HexRule(TrueRule):
    """Class 1: stones of X connect top and bottom. The nodes are those of the chains that connect two sides."""

    def __str__(self) -> str:
        return "1 if a chain of X connects top and bottom, else 0 (a chain of O connects left and right)"

    def __call__(self, graphs: GraphBatch) -> Labels:
        arrays = packed(graphs)
        return any_node(arrays, _joining(arrays, "X", "top", "bottom")).astype(np.int64)

    def nodes(self, graphs: GraphBatch) -> Mask:
        arrays = packed(graphs)
        return _joining(arrays, "X", "top", "bottom") | _joining(arrays, "O", "left", "right")


def _joining(graphs: PackedGraphs, stone: str, side: str, other: str) -> Mask:
    """Return a mask of the nodes in groups of a stone that reach both sides; edges connect the nodes of a group."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    stones = carries(graphs, stone)
    sources, destinations, _ = edges_of(graphs)
    inside = stones[sources] & stones[destinations]
    links = coo_array(
        (np.ones(np.count_nonzero(inside), np.int8), (sources[inside], destinations[inside])),
        shape=(graphs.n_nodes, graphs.n_nodes),
    )
    n_groups, group = connected_components(links, directed=False)
    reached = [np.bincount(group[stones & carries(graphs, name)], minlength=n_groups) > 0 for name in (side, other)]
    joining: Mask = stones & (reached[0] & reached[1])[group]
    return joining


def hex_winner(boards: ArrayLike) -> NDArray[np.int8]:
    """Return the winners on boards of Hex.

    Parameters
    ----------
    boards
        Integer array of shape ``(n, rows, columns)``, or ``(rows, columns)`` for one board: 0 is an empty cell, 1 a
        stone of X, who connects the first and the last row, 2 a stone of O, who connects the first and the last column.
        The neighbours of cell ``(r, c)`` are ``(r, c ± 1)``, ``(r ± 1, c)``, ``(r - 1, c + 1)`` and ``(r + 1, c - 1)``.

    Returns
    -------
    ndarray
        For each board 1 or 2, or 0 if there is no winner yet.

    Raises
    ------
    GraphError
        If ``boards`` is not such an array.

    Examples
    --------
    >>> from graphtm.datasets import hex_winner
    >>> hex_winner([[[1, 2], [2, 1]], [[1, 2], [1, 2]], [[0, 2], [1, 0]]])
    array([2, 1, 0], dtype=int8)
    """
    array = np.asarray(boards)
    if array.ndim not in (2, 3) or array.dtype.kind not in "iu" or 0 in array.shape[-2:]:
        raise GraphError(
            "Boards must be an integer array of shape (n, rows, columns) or (rows, columns); "
            f"got shape {array.shape} and dtype {array.dtype}."
        )
    if array.size and not (array.min() >= EMPTY and array.max() <= O):
        raise GraphError(
            f"Cells of a board must be 0 (empty), 1 (X) or 2 (O); got values from {array.min()} to {array.max()}."
        )
    many = array.reshape(-1, *array.shape[-2:])
    winner = np.zeros(len(many), np.int8)
    winner[_joins(many == X)] = X
    winner[_joins((many == O).transpose(0, 2, 1))] = O
    return winner.reshape(array.shape[:-2])


def _joins(stones: Mask) -> Mask:
    """Return a mask of the boards on which a group of stones connects the first and the last row.

    Transposing a board keeps its neighbourhoods, so this works for both players.
    """
    from scipy.ndimage import label

    neighbours = np.zeros((3, 3, 3), dtype=np.bool_)
    neighbours[1, 1, 1] = True
    for row, column in STEPS["hex"].values():
        neighbours[1, 1 + row, 1 + column] = True
    group, n_groups = label(stones, structure=neighbours)
    reaches_end = np.zeros(n_groups + 1, dtype=np.bool_)
    reaches_end[group[:, -1]] = True
    reaches_end[0] = False
    joins: Mask = np.any(reaches_end[group[:, 0]], axis=1)
    return joins


def hex_boards(
    n_samples: int = 1000,
    *,
    size: int = 6,
    full: bool = False,
    balanced: bool = True,
    noise: float = 0.0,
    random_state: int | None = None,
) -> Generated:
    """Generate boards of Hex by random play; X, who moves first, wins in class 1, O in class 0.

    Each cell is a node. It has the symbol ``X`` or ``O`` if there is a stone, and ``top``, ``bottom``, ``left`` or
    ``right`` if it is on that side. Edges lead to the neighbouring cells, up to six, and their type is the direction,
    as in :class:`graphtm.encoders.BoardGame` with ``neighbours="hex"``.

    Parameters
    ----------
    n_samples
        Number of boards.
    size
        Number of rows and columns.
    full
        Whether to continue until the board is full. If False, a game ends with the winning move, and some cells are
        empty.
    balanced
        Whether to draw equally many boards of both classes. If False, classes occur as in random play.
    noise
        Fraction of flipped labels.
    random_state
        Seed of the random generator.

    Returns
    -------
    Generated
        The graphs, their classes, the true rule, and the boards in ``data`` (as for :func:`hex_winner`).

    Examples
    --------
    >>> import graphtm as gtm
    >>> made = gtm.datasets.hex_boards(100, size=4, random_state=0)
    >>> made.graphs
    GraphBatch(100 graphs, 1,600 nodes, 6,600 edges, 6 symbols, 6 edge types)
    >>> print(made.data[3], "class", made.y[3])
    [[1 1 2 2]
     [0 1 0 0]
     [1 2 1 2]
     [1 0 2 0]] class 1
    >>> made.nodes.reshape(-1, 4, 4)[3] * 1
    array([[1, 1, 0, 0],
           [0, 1, 0, 0],
           [1, 0, 0, 0],
           [1, 0, 0, 0]])
    """
    check_common("hex_boards", n_samples, noise)
    check_count("hex_boards", "size", size, 1)
    if balanced and size == 1:
        raise ValueError(
            "The 'size' parameter of hex_boards must be at least 2 for balanced classes, "
            "because the first player always wins on one cell. Got 1 instead."
        )
    rng = np.random.default_rng(random_state)
    boards, y = _balanced_games(n_samples, size, full, rng) if balanced else _games(n_samples, size, full, rng)
    return Generated(board_graphs(boards), with_noise(y, noise, rng), HexRule(), boards)


def _games(n: int, size: int, full: bool, rng: np.random.Generator) -> tuple[NDArray[np.int8], Labels]:
    """Play random games; return the final boards, and 1 where X has won."""
    n_cells = size * size
    moves = rng.permuted(np.tile(np.arange(n_cells), (n, 1)), axis=1)
    stones = np.where(moves % 2 == 0, X, O).astype(np.int8).reshape(n, size, size)
    moves = moves.reshape(n, size, size)
    winner = hex_winner(stones)
    if full:
        return stones, (winner == X).astype(np.int64)
    # A chain stays connected, so bisection finds the winning move. Boards won by O are transposed, see _joins.
    turned = np.where((winner == X)[:, None, None], moves, moves.transpose(0, 2, 1))
    winners = turned % 2 == (winner == O)[:, None, None]
    lost, won = np.zeros(n, np.int64), np.full(n, n_cells)
    while np.any(won - lost > 1):
        middle = (lost + won) // 2
        early = _joins(winners & (turned < middle[:, None, None]))
        lost, won = np.where(early, lost, middle), np.where(early, middle, won)
    return np.where(moves < won[:, None, None], stones, EMPTY).astype(np.int8), (winner == X).astype(np.int64)


def _balanced_games(n: int, size: int, full: bool, rng: np.random.Generator) -> tuple[NDArray[np.int8], Labels]:
    y = balanced_labels(n, rng)
    boards = np.zeros((n, size, size), np.int8)
    missing = np.ones(n, dtype=np.bool_)
    while missing.any():
        played, classes = _games(max(int(1.1 * np.count_nonzero(missing)), 64), size, full, rng)
        for one in (0, 1):
            places = np.flatnonzero(missing & (y == one))
            found = np.flatnonzero(classes == one)[: len(places)]
            boards[places[: len(found)]] = played[found]
            missing[places[: len(found)]] = False
    return boards, y


def board_graphs(boards: NDArray[np.int8]) -> GraphBatch:
    """Return boards as graphs with one node per cell and edges to the neighbouring cells."""
    n, rows, columns = boards.shape
    row, column = np.indices((rows, columns))
    sides = np.stack([row == 0, row == rows - 1, column == 0, column == columns - 1], axis=-1)
    symbols = np.concatenate(
        [np.stack([boards == X, boards == O], axis=-1), np.broadcast_to(sides, (n, rows, columns, 4))], axis=-1
    )
    source, destination, direction = grid_edges((rows, columns), STEPS["hex"])
    return GraphBatch.from_arrays(
        np.full(n, rows * columns),
        symbols.reshape(-1, 6),
        symbols=["X", "O", "top", "bottom", "left", "right"],
        edges=(np.tile(source, n), np.tile(destination, n), np.tile(direction, n)),
        edge_counts=np.full(n, len(source)),
        edge_types=list(STEPS["hex"]),
    )
