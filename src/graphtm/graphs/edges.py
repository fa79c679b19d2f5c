"""Edges in compressed sparse rows, and the edges of grids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphtm.foundation.arrays import FrozenArrays, Int32Array, Int64Array, pointers, ragged, selected_pointers


@dataclass(frozen=True, eq=False)
class EdgeTable(FrozenArrays):
    """Edges by source or by destination: the edges of node ``n`` are ``ptr[n]:ptr[n + 1]``.

    Each edge has the node at its other end and a type. Nodes are numbered across the batch in ``ptr`` and within their
    graph in ``neighbours``, so that rows do not depend on the position of the graph in the batch. Rows are sorted by
    neighbour, then type, so that tables with the same edges have the same arrays.
    """

    ptr: Int64Array
    neighbours: Int32Array
    types: Int32Array

    @property
    def n_edges(self) -> int:
        return len(self.neighbours)

    @property
    def nbytes(self) -> int:
        return self.ptr.nbytes + self.neighbours.nbytes + self.types.nbytes

    def near_ends(self) -> Int64Array:
        """Return the node whose row each edge is in, numbered across the batch."""
        return np.repeat(np.arange(len(self.ptr) - 1), np.diff(self.ptr))

    def select(self, nodes: Int64Array | slice) -> EdgeTable:
        edges = ragged(self.ptr, nodes)
        return EdgeTable(selected_pointers(self.ptr, nodes), self.neighbours[edges], self.types[edges])

    def equals(self, other: EdgeTable) -> bool:
        return (
            np.array_equal(self.ptr, other.ptr)
            and np.array_equal(self.neighbours, other.neighbours)
            and np.array_equal(self.types, other.types)
        )


def edge_table(near: Int64Array, far: Int64Array, types: Int64Array, n_nodes: int) -> EdgeTable:
    """Build a table from edges in any order.

    Parameters
    ----------
    near
        Node whose row the edge belongs to, numbered across the batch.
    far
        Node at the other end, numbered within its graph.
    types
        Index of the edge type.
    n_nodes
        Number of nodes of the batch.
    """
    ptr = pointers(np.bincount(near, minlength=n_nodes))
    if not len(near):
        return EdgeTable(ptr, np.zeros(0, np.int32), np.zeros(0, np.int32))
    far_bits = int(far.max()).bit_length()
    type_bits = int(types.max()).bit_length()
    if int(near.max()).bit_length() + far_bits + type_bits <= 63:
        # An edge fits into one integer. Sorting integers is several times faster than sorting by three keys.
        key = (((near << far_bits) | far) << type_bits) | types
        key.sort()
        far = (key >> type_bits) & ((1 << far_bits) - 1)
        types = key & ((1 << type_bits) - 1)
    else:
        order = np.lexsort((types, far, near))
        far, types = far[order], types[order]
    return EdgeTable(ptr, far.astype(np.int32), types.astype(np.int32))


def concatenate(tables: Sequence[EdgeTable]) -> EdgeTable:
    """Concatenate tables; nodes are numbered one table after the other."""
    counts = np.concatenate([np.diff(table.ptr) for table in tables])
    return EdgeTable(
        pointers(counts),
        np.concatenate([table.neighbours for table in tables]),
        np.concatenate([table.types for table in tables]),
    )


def repeated(table: EdgeTable, n: int) -> EdgeTable:
    """Return the edges of ``n`` identical graphs; without edges, zeros that take no memory."""
    if not table.n_edges:
        return EdgeTable(np.zeros(n * (len(table.ptr) - 1) + 1, np.int64), table.neighbours, table.types)
    ptr = pointers(np.tile(np.diff(table.ptr), n))
    return EdgeTable(ptr, np.tile(table.neighbours, n), np.tile(table.types, n))


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
    # Rows of a Hex board are shifted by half a cell each, so that a cell has six neighbours.
    "hex": {
        "right": (0, 1),
        "left": (0, -1),
        "down": (1, 0),
        "up": (-1, 0),
        "down left": (1, -1),
        "up right": (-1, 1),
    },
}
"""Directions of each kind of grid, as steps (rows down, columns to the right)."""


def grid_edges(
    shape: tuple[int, int], steps: Mapping[str, tuple[int, int]]
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return sources, destinations and indices of directions of all edges; cells are numbered row by row."""
    rows, columns = np.indices(shape).reshape(2, -1)
    ends = []
    for number, (down, right) in enumerate(steps.values()):
        row, column = rows + down, columns + right
        source = np.flatnonzero((row >= 0) & (row < shape[0]) & (column >= 0) & (column < shape[1]))
        ends.append((source, (row * shape[1] + column)[source], np.full(len(source), number)))
    source, destination, direction = (np.concatenate(part) for part in zip(*ends, strict=True))
    return source, destination, direction
