"""Sequences as chains: what words and k-mers have in common once they are numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import FrozenArrays, Int32Array, Int64Array, pointers, ragged, selected_pointers
from graphtm.graphs import Vocabulary
from graphtm.graphs.edges import EdgeTable
from graphtm.graphs.packed import PackedGraphs

UNKNOWN = ("unknown",)
"""The symbol of a word that is not in the vocabulary, and of a k-mer with a letter that is not in the alphabet."""


def checked_texts(X: Any, owner: str, *, lists: bool = False) -> Iterator[Any]:
    """Yield texts one by one; with ``lists``, a text may also be a list of words.

    Raises
    ------
    TypeError
        If ``X`` is no list of texts.
    GraphError
        If one of them is no text.
    """
    one_dimensional = getattr(X, "ndim", 1) == 1 and not hasattr(X, "columns")
    if isinstance(X, str | bytes | Mapping) or not isinstance(X, Iterable) or not one_dimensional:
        hint = " Write [text]." if isinstance(X, str) else ""
        raise TypeError(f"{owner} takes a list of texts, or a column of them; got a {type(X).__name__!r}.{hint}")
    for number, text in enumerate(X):
        words = lists and isinstance(text, list | tuple | np.ndarray) and all(isinstance(word, str) for word in text)
        if not isinstance(text, str) and not words:
            kinds = "a string or a list of strings" if lists else "a string"
            raise GraphError(f"Every text must be {kinds}; text {number} is {text!r:.80}.")
        yield text


@dataclass(frozen=True)
class Reach:
    """Which places of a sequence an edge joins, and how such an edge is typed.

    Parameters
    ----------
    before, after
        How far edges go from a place towards the start and towards the end of the sequence.
    type_of_step
        The number of the edge type of each step: ``type_of_step[before + step]``, steps being
        ``-before .. after``. Nothing joins a place to itself, so the entry of step 0 means nothing.
    """

    before: int
    after: int
    type_of_step: Int64Array

    def tables(self, counts: Int64Array) -> tuple[EdgeTable, EdgeTable]:
        """Return the edges of sequences of these lengths, by source and by destination.

        What an :class:`EdgeTable` asks for, rows sorted by neighbour, holds as the edges are counted out; so
        nothing is sorted, and nothing is larger than the edges themselves.
        """
        out = _steps(counts, self.before, self.after)
        back = out if self.before == self.after else _steps(counts, self.after, self.before)
        return (
            EdgeTable(out[0], out[1], self.type_of_step[self.before + out[2]].astype(np.int32)),
            EdgeTable(back[0], back[1], self.type_of_step[self.before - back[2]].astype(np.int32)),
        )


def _steps(counts: Int64Array, before: int, after: int) -> tuple[Int64Array, Int32Array, Int64Array]:
    """Return, for each node, who is within reach: row offsets, numbers within the sequence, signed steps."""
    place = places(counts)
    low = np.minimum(place, before)
    degree = low + np.minimum(np.repeat(counts, counts) - 1 - place, after)
    ptr = pointers(degree)
    step = np.arange(ptr[-1]) - np.repeat(ptr[:-1] + low, degree)
    step += step >= 0  # over the place itself
    return ptr, (np.repeat(place, degree) + step).astype(np.int32), step


def places(counts: Int64Array) -> Int64Array:
    """Return each element's place in its row, for rows of these lengths one after the other."""
    result: Int64Array = np.arange(int(counts.sum())) - np.repeat(pointers(counts)[:-1], counts)
    return result


@dataclass(frozen=True)
class Positions:
    """Which symbol tells where in a sequence an element is.

    Parameters
    ----------
    position
        ``False``: none. ``True``: its place, up to ``n``. A number: which of that many equal parts it is in.
    n
        How many positions have a symbol.
    first
        The number of the first of these symbols; the others follow.
    """

    position: bool | int
    n: int
    first: int

    @classmethod
    def learn(cls, position: bool | int, longest: int, first: int) -> Positions:
        """Return positions for sequences of which the longest has that many elements."""
        n = longest if position is True else int(position)
        return cls(position, n, first)

    @property
    def names(self) -> list[tuple[str, int]]:
        """Names of the symbols."""
        return [("position", number) for number in range(self.n)]

    def symbols(self, counts: Int64Array) -> Int64Array:
        """Return the symbol of each element of sequences of these lengths, -1 where it has none."""
        place = places(counts)
        if self.position is not True:
            place = place * self.n // np.repeat(counts, counts)
        return np.where(place < self.n, self.first + place, -1)


class SymbolsOf(Protocol):
    """Tells the symbols of the elements of sequences."""

    def __call__(self, values: Int64Array, lengths: Int64Array) -> Int64Array:
        """Return a row per element: its symbols, ascending where they are not -1, which stands for none."""
        ...


@dataclass(frozen=True, eq=False)
class ChainSource(FrozenArrays):
    """Makes sequences of numbers into graphs: a node per element, or one that carries nothing if there are none.

    Parameters
    ----------
    vocabulary
        Names of all graphs.
    values
        What all sequences are made of, one sequence after the other.
    ptr
        Sequence ``g`` is ``values[ptr[g]:ptr[g + 1]]``.
    n_elements
        How many elements each sequence has.
    symbols_of
        The symbols of the elements of given sequences. It must not change later.
    reach
        The edges, or ``None`` for none.
    """

    vocabulary: Vocabulary
    values: NDArray[Any]
    ptr: Int64Array
    n_elements: Int64Array
    symbols_of: SymbolsOf
    reach: Reach | None

    @cached_property
    def node_counts(self) -> Int64Array:
        """Nodes of each graph: at least one, since a graph must have one."""
        return np.maximum(self.n_elements, 1)

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Make the graphs with these numbers."""
        values = self.values[ragged(self.ptr, graphs)].astype(np.int64)
        symbols = self.symbols_of(values, np.diff(selected_pointers(self.ptr, graphs)))
        counts = self.node_counts[graphs]
        nodes = np.flatnonzero(np.repeat(self.n_elements[graphs], counts))
        carried = symbols >= 0
        pairs = np.repeat(nodes, np.count_nonzero(carried, axis=1)), symbols[carried]
        reach = self.reach or Reach(0, 0, np.zeros(1, np.int64))
        return PackedGraphs(
            self.vocabulary,
            pointers(counts),
            property_tables.from_pairs(*pairs, int(counts.sum()), len(self.vocabulary.symbols)),
            *reach.tables(counts),
        )
