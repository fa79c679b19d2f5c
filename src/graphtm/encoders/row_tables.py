"""Numbered rows of integers: multisets that are found again exactly, by hashes that are checked.

A row is a sorted list of integers. A hash finds the only row that may be equal, and a comparison of all items decides,
so that different rows never share a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import BoolArray, FrozenArrays, Int64Array, pointers, ragged

HashArray = NDArray[np.uint64]


class Rows(NamedTuple):
    """Rows of integers of at least 0: row ``n`` is ``items[ptr[n]:ptr[n + 1]]``, ascending."""

    ptr: Int64Array
    items: Int64Array

    def take(self, rows: Int64Array) -> Rows:
        """Return the selected rows, in the given order."""
        return Rows(pointers(self.ptr[rows + 1] - self.ptr[rows]), self.items[ragged(self.ptr, rows)])


def run_starts(values: Int64Array) -> Int64Array:
    """Return the places of sorted values that differ from the one before."""
    starts = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return np.flatnonzero(starts)


def sorted_rows(rows: Int64Array, items: Int64Array, n_rows: int) -> Rows:
    """Return rows from pairs of row and item in any order."""
    ptr = pointers(np.bincount(rows, minlength=n_rows))
    size = int(items.max(initial=0)) + 1
    if n_rows * size < 2**63:
        # A pair fits into one integer. Sorting integers is several times faster than sorting by two keys.
        key = rows * size + items
        key.sort()
        return Rows(ptr, key - np.repeat(np.arange(n_rows) * size, np.diff(ptr)))
    return Rows(ptr, items[np.lexsort((items, rows))])


@dataclass(frozen=True, eq=False)
class RowTable(FrozenArrays):
    """Rows with numbers; the number of a row is its place.

    Parameters
    ----------
    ptr, items
        The rows, as in :class:`Rows`.
    hashes
        Hashes of the rows, ascending.
    order
        Number of the row of each hash.
    seed
        Seed of the hashes, for which no two rows have the same.
    """

    ptr: Int64Array
    items: Int64Array
    hashes: HashArray
    order: Int64Array
    seed: int

    @classmethod
    def of(cls, rows: Rows) -> RowTable:
        """Return a table of different rows."""
        seed = 0
        while True:
            hashes = row_hashes(rows, seed)
            order = np.argsort(hashes)
            if np.all(hashes[order[1:]] > hashes[order[:-1]]):
                return cls(rows.ptr, rows.items, hashes[order], order, seed)
            seed += 1

    @property
    def rows(self) -> Rows:
        return Rows(self.ptr, self.items)

    @property
    def n_rows(self) -> int:
        return len(self.ptr) - 1

    def find(self, rows: Rows) -> Int64Array:
        """Return the number of each row, or -1 if it is not in the table."""
        if not self.n_rows:
            return np.full(len(rows.ptr) - 1, -1)
        hashes = row_hashes(rows, self.seed)
        place = np.minimum(np.searchsorted(self.hashes, hashes), self.n_rows - 1)
        number = self.order[place]
        return np.where((self.hashes[place] == hashes) & equal_rows(rows, self.rows, number), number, -1)


def learned_rows(
    rows: Rows, places: Int64Array, min_places: int, named: Callable[[Rows], list[str]]
) -> tuple[RowTable, list[str], Int64Array]:
    """Find and number the rows that occur at enough places, in the order of their names.

    Parameters
    ----------
    rows
        The rows, repeated or not.
    places
        Place of each row: the graph that it is from.
    min_places
        Number of places at which a row must occur.
    named
        Function that returns the names of different rows; these must differ too.

    Returns
    -------
    tuple
        The table, the names of its rows, and the number of each given row, or -1.
    """
    first, same = _distinct(rows)
    kept = np.flatnonzero(distinct_places(same, places) >= min_places)
    chosen = rows.take(first[kept])
    names = named(chosen)
    by_name = sorted(range(len(names)), key=names.__getitem__)
    order = np.array(by_name, dtype=np.int64)
    number = np.full(len(first), -1)
    number[kept[order]] = np.arange(len(order))
    return RowTable.of(chosen.take(order)), [names[place] for place in by_name], number[same]


def _distinct(rows: Rows) -> tuple[Int64Array, Int64Array]:
    """Return an example of each different row, and for each row the place of its example."""
    seed = 0
    while True:
        _, first, same = np.unique(row_hashes(rows, seed), return_index=True, return_inverse=True)
        if equal_rows(rows, rows, first[same]).all():
            return first, same
        seed += 1


def row_hashes(rows: Rows, seed: int) -> HashArray:
    """Return a hash of each row: the sum of the mixed bits of its items."""
    mixed = _mixed(rows.items.astype(np.uint64) + np.uint64((seed * 0x9E3779B97F4A7C15) % 2**64))
    totals = np.zeros(len(mixed) + 1, np.uint64)
    np.cumsum(mixed, out=totals[1:])
    return totals[rows.ptr[1:]] - totals[rows.ptr[:-1]]


def _mixed(words: HashArray) -> HashArray:
    """Return words with their bits mixed, by the finaliser of SplitMix64."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def equal_rows(rows: Rows, others: Rows, number: Int64Array) -> BoolArray:
    """Return for each row whether it equals the row of ``others`` with this number."""
    counts = np.diff(rows.ptr)
    equal = counts == np.diff(others.ptr)[number]
    shift = others.ptr[number] - rows.ptr[:-1]
    inside = np.repeat(equal, counts)
    place = np.flatnonzero(inside)
    differs = np.zeros(len(rows.items) + 1, np.int64)
    differs[place + 1] = rows.items[place] != others.items[place + np.repeat(shift, counts)[place]]
    total = np.cumsum(differs)
    same: BoolArray = equal & (total[rows.ptr[1:]] == total[rows.ptr[:-1]])
    return same


def distinct_places(numbers: Int64Array, places: Int64Array) -> Int64Array:
    """Return at how many different places each number 0, 1, 2, ... occurs."""
    n_places = int(places.max(initial=0)) + 1
    key = numbers * n_places + places
    key.sort()
    return np.bincount(key[run_starts(key)] // n_places)
