"""Parts of looks: what holds of some neighbours of a node, whatever the others are.

===========  =======================  ==============================================================
kind         name                     means
===========  =======================  ==============================================================
``counts``   ``C: -C>=2``             at least 1, 2, 3, 4, 6 or 8 such neighbours
``pairs``    ``C: -C & =O``           two neighbours of different kinds
``degrees``  ``C: -C of degree 3``    a neighbour that has three neighbours itself
``paths``    ``C-C=O``                two edges that start at the node and do not lead back to it
===========  =======================  ==============================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from graphtm.encoders.learned import Learned
from graphtm.encoders.look_names import LookNames
from graphtm.encoders.row_tables import run_starts, sorted_rows
from graphtm.encoders.surroundings import Surroundings
from graphtm.foundation.arrays import BoolArray, FrozenArrays, Int64Array, pointers

PARTS = ("counts", "pairs", "degrees", "paths")
"""Kinds of parts."""
DEFAULT_PARTS = ("counts", "pairs", "degrees")
"""Kinds of parts that are named unless others are chosen."""
_AT_LEAST = np.array([1, 2, 3, 4, 6, 8])
_BLOCK = 1 << 18
_MARKS = 1 << 26
"""Largest number of marks with which keys are counted; beyond it they are sorted."""


class FoundParts(NamedTuple):
    """Parts of one kind, sorted by node, then key, each once."""

    nodes: Int64Array
    keys: Int64Array


@dataclass(frozen=True, eq=False)
class Parts(FrozenArrays):
    """Parts with their numbers.

    An end is a node with one of its neighbours, both by themselves: ``(look * n_relations + relation) * n_looks +
    look``. The key of a part combines the number of an end with a level of counts, a degree, or the number of another
    end. The number of an end or key is its place.

    Parameters
    ----------
    n_looks, n_relations, n_degrees
        Number of looks of nodes by themselves, of relations to neighbours, and of degrees from 0 on.
    ends
        Known ends, ascending.
    keys
        Known keys of each kind, ascending.
    """

    n_looks: int
    n_relations: int
    n_degrees: int
    ends: Int64Array
    keys: dict[str, Int64Array]

    @classmethod
    def learn(
        cls,
        around: Surroundings,
        looks: Int64Array,
        sizes: tuple[int, int],
        places: Int64Array,
        min_places: int,
        kinds: tuple[str, ...],
    ) -> tuple[Parts, list[FoundParts]]:
        """Find and number the parts that occur at enough places.

        Parameters
        ----------
        around
            The neighbours of the nodes.
        looks
            Look of each node by itself, or -1.
        sizes
            Number of looks and of relations.
        places, min_places
            Place of each node, and number of places at which a part must occur.
        kinds
            Kinds of parts.

        Returns
        -------
        tuple
            The parts, and nodes with the numbers of their parts, kind by kind.
        """
        n_degrees = int(around.degrees.max(initial=0)) + 1
        if not kinds:
            return cls(*sizes, n_degrees, np.zeros(0, np.int64), {}), []
        empty = cls(*sizes, n_degrees, np.zeros(0, np.int64), {})
        keys = empty._end_keys(around, looks)
        ends = _frequent(keys[keys >= 0], places[around.node[keys >= 0]], min_places)
        seen = _Seen(around, find_keys(ends, keys), len(ends), n_degrees)
        known, found = {}, []
        for kind in kinds:
            nodes, keys = seen.parts(kind)
            known[kind] = _frequent(keys, places[nodes], min_places)
            found.append(_known(nodes, keys, known[kind]))
        return cls(*sizes, n_degrees, ends, known), found

    @classmethod
    def from_file(cls, learned: Learned, sizes: tuple[int, int], kinds: tuple[str, ...]) -> Parts:
        """Return the parts of a file, given the number of looks and of relations."""
        n_degrees = learned.whole("n_degrees", 1)
        ends = _ascending(learned.array("ends", np.int64, None), sizes[0] * sizes[1] * sizes[0])
        parts = cls(*sizes, n_degrees, ends, {})
        keys = {
            kind: _ascending(learned.array(f"parts_{kind}", np.int64, None), len(ends) * parts._radix(kind))
            for kind in kinds
        }
        return cls(*sizes, n_degrees, ends, keys)

    def find(self, around: Surroundings, looks: Int64Array) -> list[FoundParts]:
        """Return nodes with the numbers of their parts, kind by kind."""
        if not self.keys:
            return []
        seen = _Seen(around, self.find_ends(around, looks), len(self.ends), self.n_degrees)
        return [_known(*seen.parts(kind), keys) for kind, keys in self.keys.items()]

    def find_ends(self, around: Surroundings, looks: Int64Array) -> Int64Array:
        """Return the number of the end that each neighbour makes, or -1."""
        return find_keys(self.ends, self._end_keys(around, looks))

    def decoded(self, kind: str, numbers: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the ends of parts of a kind, and their levels, degrees or other ends."""
        first, second = np.divmod(self.keys[kind][numbers], self._radix(kind))
        return first, second

    def names(self, own: list[str], texts: LookNames) -> list[list[str]]:
        """Return the names of the parts of each kind, given the names of nodes by themselves and those of relations."""
        width = self.n_looks * self.n_relations
        ends = [(own[end // width], texts.kind(end % width, own)) for end in self.ends.tolist()]
        return [
            [_part_name(kind, divmod(key, self._radix(kind)), ends) for key in keys.tolist()]
            for kind, keys in self.keys.items()
        ]

    def _radix(self, kind: str) -> int:
        return {"counts": len(_AT_LEAST), "degrees": self.n_degrees}.get(kind, len(self.ends))

    def _end_keys(self, around: Surroundings, looks: Int64Array) -> Int64Array:
        """Return the end that each neighbour makes, or -1 if a look or relation is unknown."""
        own, other = looks[around.node], looks[around.neighbour]
        keys = (own * self.n_relations + around.relation) * self.n_looks + other
        keys[(own < 0) | (other < 0) | (around.relation < 0)] = -1
        return keys


def _ascending(keys: Int64Array, end: int) -> Int64Array:
    """Return keys of a file, or raise if they are not ascending numbers below ``end``."""
    if len(keys) and (keys[0] < 0 or keys[-1] >= end or np.any(np.diff(keys) <= 0)):
        raise ValueError("the keys of parts must be ascending numbers of known parts")
    return keys


def _part_name(kind: str, key: tuple[int, int], ends: list[tuple[str, str]]) -> str:
    value, (own, neighbour) = key[1], ends[key[0]]
    if kind == "counts":
        return f"{own}: {neighbour}>={_AT_LEAST[value]}"
    if kind == "degrees":
        return f"{own}: {neighbour} of degree {value}"
    if kind == "pairs":
        return f"{own}: {' & '.join(sorted([neighbour, ends[value][1]]))}"
    return f"{own}{neighbour}{ends[value][1]}"


def _frequent(keys: Int64Array, places: Int64Array, min_places: int) -> Int64Array:
    """Return the keys that occur at enough different places, ascending."""
    n_keys, n_places = int(keys.max(initial=0)) + 1, int(places.max(initial=0)) + 1
    if n_keys * n_places <= _MARKS:
        marks = np.zeros(n_keys * n_places, np.bool_)
        marks[keys * n_places + places] = True
        return np.flatnonzero(np.count_nonzero(marks.reshape(n_keys, n_places), axis=1) >= min_places)
    if n_keys * n_places >= 2**63:
        order = np.lexsort((places, keys))
        keys, places = keys[order], places[order]
        found = keys[_new_pairs(keys, places)]
    else:
        both = keys * n_places + places
        both.sort()
        found = both[run_starts(both)] // n_places
    first = run_starts(found)
    return found[first[np.diff(first, append=len(found)) >= min_places]]


def find_keys(known: Int64Array, keys: Int64Array) -> Int64Array:
    """Return the place of each key among the known ones, which are ascending, or -1."""
    if not len(known):
        return np.full(len(keys), -1)
    place = np.searchsorted(known, keys)
    place[place == len(known)] = 0
    place[known[place] != keys] = -1
    return place


def _known(nodes: Int64Array, keys: Int64Array, known: Int64Array) -> FoundParts:
    """Return the parts with known keys, numbered."""
    numbers = find_keys(known, keys)
    kept = numbers >= 0
    return FoundParts(nodes[kept], numbers[kept])


class _Seen:
    """Finds all parts of known ends, each once for a node, sorted by node and key.

    Parameters
    ----------
    around
        The neighbours of nodes.
    ends
        End that each neighbour makes, or -1.
    n_ends, n_degrees
        Number of ends, and of degrees; neighbours of higher degree make no part of the kind ``"degrees"``.
    """

    def __init__(self, around: Surroundings, ends: Int64Array, n_ends: int, n_degrees: int) -> None:
        self._around, self._ends, self._n_ends = around, ends, n_ends
        known = ends >= 0
        nodes = around.node[known]
        # One value more than there are degrees, for higher ones.
        degrees = np.minimum(around.degrees[around.neighbour[known]], n_degrees)
        rows = sorted_rows(nodes, ends[known] * (n_degrees + 1) + degrees, len(around.degrees))
        self._nodes = nodes  # neighbours are ordered by node, and so are rows
        self._at, self._of_degree = np.divmod(rows.items, n_degrees + 1)
        self._n_degrees = n_degrees

    def parts(self, kind: str) -> FoundParts:
        return {"counts": self._counts, "pairs": self._pairs, "degrees": self._degrees, "paths": self._paths}[kind]()

    def _distinct(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        """Return nodes and ends, each pair once, and how often it occurs."""
        nodes, ends = self._nodes, self._at
        first = np.flatnonzero(_new_pairs(nodes, ends))
        return nodes[first], ends[first], np.diff(first, append=len(nodes))

    def _counts(self) -> FoundParts:
        nodes, ends, counts = self._distinct()
        reached = np.searchsorted(_AT_LEAST, counts, side="right")
        level = np.arange(reached.sum()) - np.repeat(pointers(reached)[:-1], reached)
        return FoundParts(np.repeat(nodes, reached), np.repeat(ends, reached) * len(_AT_LEAST) + level)

    def _pairs(self) -> FoundParts:
        nodes, ends, _ = self._distinct()
        ptr = pointers(np.bincount(nodes, minlength=1))
        found = [
            FoundParts(nodes[one], ends[one] * self._n_ends + ends[other])
            for one, other in _each_with(np.arange(1, len(nodes) + 1), ptr[nodes + 1])
        ]
        return _joined(found)

    def _degrees(self) -> FoundParts:
        keys = self._at * self._n_degrees + self._of_degree
        kept = self._of_degree < self._n_degrees
        nodes, keys = self._nodes[kept], keys[kept]
        new = _new_pairs(nodes, keys)
        return FoundParts(nodes[new], keys[new])

    def _paths(self) -> FoundParts:
        around, ends = self._around, self._ends
        ptr = pointers(around.degrees)
        found = []
        for first, second in _each_with(ptr[around.neighbour], ptr[around.neighbour + 1]):
            onward = (around.neighbour[second] != around.node[first]) & (ends[first] >= 0) & (ends[second] >= 0)
            one, other = first[onward], second[onward]
            found.append(FoundParts(around.node[one], ends[one] * self._n_ends + ends[other]))
        nodes, keys = _joined(found)
        keys = sorted_rows(nodes, keys, len(around.degrees)).items
        new = _new_pairs(nodes, keys)
        return FoundParts(nodes[new], keys[new])


def _new_pairs(one: Int64Array, other: Int64Array) -> BoolArray:
    """Return which sorted pairs differ from the one before."""
    new = np.ones(len(one), np.bool_)
    new[1:] = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
    return new


def _each_with(start: Int64Array, stop: Int64Array) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Yield all pairs of a place ``i`` and a place in ``start[i]:stop[i]``, in blocks that stay in the cache."""
    ptr = pointers(stop - start)
    cuts = np.searchsorted(ptr, np.arange(0, int(ptr[-1]) + _BLOCK, _BLOCK), side="left")
    cuts[-1] = len(start)
    for first, last in pairwise(cuts.tolist()):
        counts = np.diff(ptr[first : last + 1])
        one = np.repeat(np.arange(first, last), counts)
        yield one, np.arange(ptr[first], ptr[last]) + np.repeat(start[first:last] - ptr[first:last], counts)


def _joined(found: list[FoundParts]) -> FoundParts:
    none = FoundParts(np.zeros(0, np.int64), np.zeros(0, np.int64))
    nodes, keys = zip(none, *found, strict=True)
    return FoundParts(np.concatenate(nodes), np.concatenate(keys))
