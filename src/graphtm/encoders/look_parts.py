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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphtm.encoders.look_names import LookNames
from graphtm.encoders.row_tables import distinct_places
from graphtm.encoders.surroundings import Surroundings
from graphtm.foundation.arrays import FrozenArrays, Int64Array, pointers

PARTS = ("counts", "pairs", "degrees", "paths")
"""Kinds of parts."""
DEFAULT_PARTS = ("counts", "pairs", "degrees")
"""Kinds of parts that are named unless others are chosen."""
_AT_LEAST = np.array([1, 2, 3, 4, 6, 8])
_MOST_DEGREES = 1 << 31


@dataclass(frozen=True, eq=False)
class KnownKeys(FrozenArrays):
    """Numbers of keys, which are integers.

    Parameters
    ----------
    keys
        Known keys, ascending.
    numbers
        Number of each.
    """

    keys: Int64Array
    numbers: Int64Array

    @classmethod
    def learn(
        cls, keys: Int64Array, places: Int64Array, min_places: int, named: Callable[[list[int]], list[str]]
    ) -> tuple[KnownKeys, list[str]]:
        """Return the keys that occur at enough places, numbered in the order of their names, and the names."""
        kept = _frequent(keys, places, min_places)
        names = named(kept.tolist())
        order = sorted(range(len(names)), key=names.__getitem__)
        numbers = np.empty(len(kept), np.int64)
        numbers[order] = np.arange(len(kept))
        return cls(kept, numbers), [names[place] for place in order]

    def find(self, keys: Int64Array) -> Int64Array:
        """Return the number of each key, or -1 if it is not known."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.numbers[place], -1)


def _frequent(keys: Int64Array, places: Int64Array, min_places: int) -> Int64Array:
    """Return the keys that occur at enough different places, ascending."""
    n_places = int(places.max(initial=0)) + 1
    if int(keys.max(initial=0)) >= 2**63 // n_places - 1:
        distinct, number = np.unique(keys, return_inverse=True)
        return distinct[distinct_places(number, places) >= min_places]
    pairs = keys * n_places + places
    pairs.sort()
    found = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))] // n_places
    first = np.flatnonzero(np.diff(found, prepend=-1))
    return found[first[np.diff(first, append=len(found)) >= min_places]]


@dataclass(frozen=True)
class Parts:
    """The parts that a batch of graphs can have, found in any batch.

    Parameters
    ----------
    n_looks, n_relations
        Number of looks of nodes by themselves, and of relations to neighbours.
    ends
        Numbers of ends, which are a node and a neighbour: ``(look * n_relations + relation) * n_looks + look``.
    known
        Numbers of the parts of each kind. A key combines an end with a number, a degree or another end.
    """

    n_looks: int
    n_relations: int
    ends: KnownKeys
    known: dict[str, KnownKeys]

    def find(self, around: Surroundings, looks: Int64Array) -> list[tuple[Int64Array, Int64Array]]:
        """Return nodes and numbers of the known parts, kind by kind."""
        ends = self.ends.find(_end_keys(around, looks, self.n_looks, self.n_relations))
        found = []
        for kind, known in self.known.items():
            nodes, keys = _FINDERS[kind](around, ends, len(self.ends.keys))
            numbers = known.find(keys)
            found.append((nodes[numbers >= 0], numbers[numbers >= 0]))
        return found


def learned_parts(
    around: Surroundings,
    looks: Int64Array,
    own: list[str],
    names: LookNames,
    places: Int64Array,
    min_places: int,
    kinds: tuple[str, ...],
) -> tuple[Parts, list[list[str]]]:
    """Return the parts that occur at enough places, and the names of each kind.

    Parameters
    ----------
    around
        The neighbours of the nodes.
    looks, own
        Look of each node by itself, or -1, and the names of these looks.
    names
        Names of relations.
    places, min_places
        Place of each node, and number of places at which a part must occur.
    kinds
        Kinds of parts.
    """
    n_looks, n_relations = len(own), len(names.relations)
    keys = _end_keys(around, looks, n_looks, n_relations)
    seen = keys >= 0
    width = n_looks * n_relations

    def end_names(ends: list[int]) -> list[str]:
        return [f"{own[end // width]}: {names.kind(end % width, own)}" for end in ends]

    ends, _ = KnownKeys.learn(keys[seen], places[around.node[seen]], min_places, end_names)
    by_number = ends.keys[np.argsort(ends.numbers)].tolist()
    texts = [(own[end // width], names.kind(end % width, own)) for end in by_number]
    number = ends.find(keys)
    known, named = {}, []
    for kind in kinds:
        nodes, found = _FINDERS[kind](around, number, len(texts))
        known[kind], of_kind = KnownKeys.learn(found, places[nodes], min_places, _Namer(kind, texts))
        named.append(of_kind)
    return Parts(n_looks, n_relations, ends, known), named


def _end_keys(around: Surroundings, looks: Int64Array, n_looks: int, n_relations: int) -> Int64Array:
    """Return the key of the end that each neighbour makes, or -1 if a look or relation is unknown."""
    own, other = looks[around.node], looks[around.neighbour]
    keys = (own * n_relations + around.relation) * n_looks + other
    return np.where((own >= 0) & (other >= 0) & (around.relation >= 0), keys, -1)


class _Namer:
    """Names parts of one kind, given the texts of the node and the neighbour of each end."""

    def __init__(self, kind: str, ends: list[tuple[str, str]]) -> None:
        self._ends = ends
        self._one = getattr(self, f"_{kind}")

    def __call__(self, keys: list[int]) -> list[str]:
        return list(map(self._one, keys))

    def _counts(self, key: int) -> str:
        own, neighbour = self._ends[key // len(_AT_LEAST)]
        return f"{own}: {neighbour}>={_AT_LEAST[key % len(_AT_LEAST)]}"

    def _pairs(self, key: int) -> str:
        (own, one), (_, other) = (self._ends[end] for end in divmod(key, len(self._ends)))
        return f"{own}: {one} & {other}"

    def _degrees(self, key: int) -> str:
        own, neighbour = self._ends[key // _MOST_DEGREES]
        return f"{own}: {neighbour} of degree {key % _MOST_DEGREES}"

    def _paths(self, key: int) -> str:
        (own, middle), (_, last) = (self._ends[end] for end in divmod(key, len(self._ends)))
        return f"{own}{middle}{last}"


def _distinct_ends(around: Surroundings, ends: Int64Array, n_ends: int) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Return nodes and known ends, each pair once, ascending, and how often each occurs."""
    key = (around.node * n_ends + ends)[ends >= 0]
    key.sort()
    first = np.flatnonzero(np.diff(key, prepend=-1))
    return key[first] // max(1, n_ends), key[first] % max(1, n_ends), np.diff(first, append=len(key))


def _counts(around: Surroundings, ends: Int64Array, n_ends: int) -> tuple[Int64Array, Int64Array]:
    nodes, ends, counts = _distinct_ends(around, ends, n_ends)
    reached = np.searchsorted(_AT_LEAST, counts, side="right")
    level = np.arange(reached.sum()) - np.repeat(pointers(reached)[:-1], reached)
    return np.repeat(nodes, reached), np.repeat(ends, reached) * len(_AT_LEAST) + level


def _pairs(around: Surroundings, ends: Int64Array, n_ends: int) -> tuple[Int64Array, Int64Array]:
    nodes, ends, _ = _distinct_ends(around, ends, n_ends)
    last = np.searchsorted(nodes, nodes, side="right")
    one, other = _each_with(np.arange(1, len(nodes) + 1), last)
    return nodes[one], ends[one] * n_ends + ends[other]


def _degrees(around: Surroundings, ends: Int64Array, n_ends: int) -> tuple[Int64Array, Int64Array]:  # noqa: ARG001
    known = ends >= 0
    keys = ends[known] * _MOST_DEGREES + around.degrees[around.neighbour[known]]
    return around.node[known], keys


def _paths(around: Surroundings, ends: Int64Array, n_ends: int) -> tuple[Int64Array, Int64Array]:
    ptr = pointers(around.degrees)
    one, other = _each_with(ptr[around.neighbour], ptr[around.neighbour + 1])
    onward = (around.neighbour[other] != around.node[one]) & (ends[one] >= 0) & (ends[other] >= 0)
    one, other = one[onward], other[onward]
    return around.node[one], ends[one] * n_ends + ends[other]


def _each_with(start: Int64Array, stop: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return all pairs of a place ``i`` and a place in ``start[i]:stop[i]``."""
    counts = stop - start
    one = np.repeat(np.arange(len(counts)), counts)
    return one, np.arange(len(one)) + np.repeat(start - pointers(counts)[:-1], counts)


_FINDERS = {"counts": _counts, "pairs": _pairs, "degrees": _degrees, "paths": _paths}
