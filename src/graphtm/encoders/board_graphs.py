"""The graphs of boards: cells that all boards share, and what lies on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import FrozenArrays, Int64Array, pointers
from graphtm.graphs import Vocabulary
from graphtm.graphs.edges import EdgeTable, edge_table, grid_edges, repeated
from graphtm.graphs.packed import PackedGraphs


@dataclass(frozen=True, eq=False)
class Board(FrozenArrays):
    """What all boards share: shape, edges, symbols of places; the values of a cell and their symbols (-1: none)."""

    shape: tuple[int, int]
    out_edges: EdgeTable
    in_edges: EdgeTable
    place_symbols: Int64Array
    values: Int64Array
    symbol_of: Int64Array
    n_pieces: int


def make_board(
    shape: tuple[int, int],
    steps: Mapping[str, tuple[int, int]],
    values: Int64Array,
    symbol_of: Int64Array,
    n_pieces: int,
    position: bool,
    directions: bool,
) -> Board:
    """Return what boards of a shape share, edges going the given steps (down, right)."""
    rows, columns = np.indices(shape).reshape(2, -1)
    source, destination, direction = grid_edges(shape, steps)
    types = direction if directions else np.zeros_like(direction)
    places = np.stack([n_pieces + rows, n_pieces + shape[0] + columns], axis=1)
    return Board(
        shape,
        edge_table(source, destination, types, len(rows)),
        edge_table(destination, source, types, len(rows)),
        places if position else places[:, :0],
        values,
        symbol_of,
        n_pieces,
    )


@dataclass(frozen=True, eq=False)
class BoardSource(FrozenArrays):
    """Makes the graphs of some boards at a time; ``cells`` are numbers of values, a row per board."""

    vocabulary: Vocabulary
    cells: NDArray[np.unsignedinteger[Any]]
    board: Board

    @property
    def node_counts(self) -> Int64Array:
        """Nodes of each graph, all alike."""
        return np.full(len(self.cells), self.cells.shape[1])

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Make the graphs with these numbers."""
        n, size = len(graphs), self.cells.shape[1]
        pieces = self.board.symbol_of[self.cells[graphs]].reshape(-1, 1)
        symbols = np.concatenate([pieces, np.tile(self.board.place_symbols, (n, 1))], axis=1)
        carried = symbols >= 0
        nodes = np.repeat(np.arange(n * size), np.count_nonzero(carried, axis=1))
        return PackedGraphs(
            self.vocabulary,
            pointers(np.full(n, size)),
            property_tables.from_pairs(nodes, symbols[carried], n * size, len(self.vocabulary.symbols)),
            repeated(self.board.out_edges, n),
            repeated(self.board.in_edges, n),
        )
