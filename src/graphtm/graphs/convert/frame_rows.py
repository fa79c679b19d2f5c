"""Rows of nodes and edges of data frames: finding, turning and naming them."""

from __future__ import annotations

import numpy as np

from graphtm.foundation.arrays import Int64Array, pointers
from graphtm.foundation.names import Name
from graphtm.graphs.packed import NodeNames


def both_ways(
    source: Int64Array, destination: Int64Array, types: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return edges in both directions, each once."""
    edges = np.stack([source, destination, types])
    edges = np.concatenate([edges, edges[[1, 0, 2]]], axis=1)
    edges = edges[:, np.lexsort(edges)]
    new = np.any(np.diff(edges, axis=1, prepend=-1), axis=0)
    return edges[0, new], edges[1, new], edges[2, new]


class RowFinder:
    """Finds rows by key: by a table if there are not too many possible keys, else by binary search."""

    def __init__(self, keys: Int64Array, n_keys: int, n_lookups: int) -> None:
        rows = np.arange(len(keys))
        self._table: Int64Array | None = None
        self._order, self._keys = rows, keys
        if n_keys <= 4 * (len(keys) + n_lookups):
            self._table = np.full(n_keys, -1, dtype=np.int64)
            self._table[keys] = rows
        else:
            self._order = np.argsort(keys, kind="stable")
            self._keys = keys[self._order]
        found = self(keys)
        twice = np.flatnonzero(found != rows)
        self.twice = sorted((int(twice[0]), int(found[twice[0]]))) if len(twice) else None

    def __call__(self, keys: Int64Array) -> Int64Array:
        """Return the row of each key, or -1 if there is none."""
        if self._table is not None:
            rows: Int64Array = self._table[keys]
            return rows
        if not len(self._keys):
            return np.full(len(keys), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._order[place], -1)


def node_names_of(numbers: Int64Array, names: list[Name], counts: Int64Array) -> NodeNames | None:
    """Return the node names of each graph, or None if these are 0, 1, 2, ..."""
    ptr = pointers(counts)
    ordinary = np.zeros(len(counts), np.bool_)
    if len(counts) and all(type(name) is int and name < len(numbers) for name in names):
        inside = np.arange(len(numbers)) - np.repeat(ptr[:-1], counts)
        ordinary = np.logical_and.reduceat(np.array(names, dtype=np.int64)[numbers] == inside, ptr[:-1])
    if ordinary.all():
        return None
    flat = [names[number] for number in numbers.tolist()]
    bounds = ptr.tolist()
    return tuple(
        None if plain else tuple(flat[start:stop])
        for plain, start, stop in zip(ordinary.tolist(), bounds[:-1], bounds[1:], strict=True)
    )
