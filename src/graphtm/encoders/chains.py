"""Graphs of sequences: what the encoders of words and k-mers share."""

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
from graphtm.foundation.names import refuse_set
from graphtm.graphs import Vocabulary
from graphtm.graphs.edges import EdgeTable
from graphtm.graphs.packed import PackedGraphs

UNKNOWN = ("unknown",)
"""Symbol of words outside the vocabulary, and of k-mers with a letter outside the alphabet."""


def checked_texts(X: Any, owner: str, *, lists: bool = False) -> Iterator[Any]:
    """Yield the texts; with ``lists``, a text may also be a list of words.

    Raises
    ------
    TypeError
        If ``X`` is not a list of texts.
    GraphError
        If an element is not a text.
    """
    one_dimensional = getattr(X, "ndim", 1) == 1 and not hasattr(X, "columns")
    if isinstance(X, str | bytes | Mapping) or not isinstance(X, Iterable) or not one_dimensional:
        hint = " Pass a single text as [text]." if isinstance(X, str) else ""
        raise TypeError(f"{owner} needs a list or a column of texts; got {type(X).__name__!r}.{hint}")
    refuse_set(X, f"texts of {owner}")
    for number, text in enumerate(X):
        words = lists and isinstance(text, list | tuple | np.ndarray) and all(isinstance(word, str) for word in text)
        if not isinstance(text, str) and not words:
            kinds = "a string or a list of strings" if lists else "a string"
            raise GraphError(f"Every text must be {kinds}; text {number} is {text!r:.80}.")
        yield text


@dataclass(frozen=True)
class Reach:
    """Which elements of a sequence are connected, and by which edge type.

    Parameters
    ----------
    before, after
        Largest distance of an edge towards the start and towards the end of the sequence.
    type_of_step
        Index of the edge type of each step: ``type_of_step[before + step]`` for steps ``-before`` to ``after``. There
        are no loops, so the entry of step 0 is not used.
    """

    before: int
    after: int
    type_of_step: Int64Array

    def tables(self, counts: Int64Array) -> tuple[EdgeTable, EdgeTable]:
        """Return the edges of sequences of these lengths, by source and by destination.

        Edges are generated in the order that :class:`EdgeTable` requires, so no sorting is needed.
        """
        out = _steps(counts, self.before, self.after)
        back = out if self.before == self.after else _steps(counts, self.after, self.before)
        return (
            EdgeTable(out[0], out[1], self.type_of_step[self.before + out[2]].astype(np.int32)),
            EdgeTable(back[0], back[1], self.type_of_step[self.before - back[2]].astype(np.int32)),
        )


def _steps(counts: Int64Array, before: int, after: int) -> tuple[Int64Array, Int32Array, Int64Array]:
    """Return the neighbours of each node: row offsets, indices within the sequence, signed steps."""
    place = places(counts)
    low = np.minimum(place, before)
    degree = low + np.minimum(np.repeat(counts, counts) - 1 - place, after)
    ptr = pointers(degree)
    step = np.arange(ptr[-1]) - np.repeat(ptr[:-1] + low, degree)
    step += step >= 0  # skip the node itself
    return ptr, (np.repeat(place, degree) + step).astype(np.int32), step


def places(counts: Int64Array) -> Int64Array:
    """Return each element's index in its row, for consecutive rows of these lengths."""
    result: Int64Array = np.arange(int(counts.sum())) - np.repeat(pointers(counts)[:-1], counts)
    return result


@dataclass(frozen=True)
class Positions:
    """Symbols for the position of an element in its sequence.

    Parameters
    ----------
    position
        If False, no symbols. If True, the index of the element, below ``n``. If a number, the part of the sequence,
        which is split into that many equal parts.
    n
        Number of positions with a symbol.
    first
        Index of the first of these symbols, which are consecutive.
    """

    position: bool | int
    n: int
    first: int

    @classmethod
    def learn(cls, position: bool | int, longest: int, first: int) -> Positions:
        """Return the positions for sequences with at most ``longest`` elements."""
        n = longest if position is True else int(position)
        return cls(position, n, first)

    @property
    def names(self) -> list[tuple[str, int]]:
        """Names of the symbols."""
        return [("position", number) for number in range(self.n)]

    def symbols(self, counts: Int64Array) -> Int64Array:
        """Return the symbol of each element of sequences of these lengths, or -1."""
        place = places(counts)
        if self.position is not True:
            place = place * self.n // np.repeat(counts, counts)
        return np.where(place < self.n, self.first + place, -1)


class SymbolsOf(Protocol):
    """Returns the symbols of the elements of sequences."""

    def __call__(self, values: Int64Array, lengths: Int64Array) -> Int64Array:
        """Return one row of symbols per element, in ascending order; -1 means no symbol."""
        ...


@dataclass(frozen=True, eq=False)
class ChainSource(FrozenArrays):
    """Makes graphs of sequences: one node per element, or a single node without symbols for an empty sequence.

    Parameters
    ----------
    vocabulary
        Vocabulary of all graphs.
    values
        The concatenated sequences.
    ptr
        Sequence ``g`` is ``values[ptr[g]:ptr[g + 1]]``.
    n_elements
        Number of elements of each sequence.
    symbols_of
        Function that returns the symbols of the elements. It must not change later.
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
        """Number of nodes of each graph, at least one."""
        return np.maximum(self.n_elements, 1)

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Make the graphs with these indices."""
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
