"""Letters of sequences to k-mers and back: how a fitted :class:`~graphtm.encoders.KMers` reads and spells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.encoders.chains import Positions, Reach, places
from graphtm.encoders.texts import checked_texts
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, pointers
from graphtm.graphs.packed import PackedGraphs

_FOREIGN = 255


@dataclass(frozen=True)
class LetterReader:
    """Turns sequences into the numbers of their letters.

    Parameters
    ----------
    alphabet
        The letters, in upper case.
    max_length
        How many letters of a sequence count; ``None``: all.
    refuses_foreign
        Whether letters that the alphabet lacks are refused.
    """

    alphabet: str
    max_length: int | None
    refuses_foreign: bool

    def letters(self, X: Iterable[str]) -> tuple[NDArray[np.uint8], Int64Array]:
        """Return the letters of all sequences as numbers, and the lengths."""
        texts = [text[: self.max_length] for text in checked_texts(X, "KMers")]
        number_of = np.full(256, _FOREIGN, np.uint8)
        for case in (self.alphabet.lower(), self.alphabet):
            number_of[np.frombuffer(case.encode("ascii"), np.uint8)] = np.arange(len(case))
        # A letter that ASCII lacks becomes a question mark, which no alphabet has.
        letters = number_of[np.frombuffer("".join(texts).encode("ascii", "replace"), np.uint8)]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        if self.refuses_foreign:
            self._refuse_foreign(letters, lengths, texts)
        return letters, lengths

    def _refuse_foreign(self, letters: NDArray[np.uint8], lengths: Int64Array, texts: list[str]) -> None:
        foreign = np.flatnonzero(letters == _FOREIGN)
        if len(foreign):
            ptr = pointers(lengths)
            text = int(np.searchsorted(ptr, foreign[0], side="right")) - 1
            place = int(foreign[0] - ptr[text])
            raise GraphError(
                f"Every letter must be one of {self.alphabet!r}; sequence {text} has {texts[text][place]!r} at place "
                f"{place}. Clean it, or choose unknown='symbol' or 'drop'."
            )


def kmer_counts(lengths: Int64Array, k: int, stride: int) -> Int64Array:
    """Return how many k-mers sequences of these lengths have."""
    return np.where(lengths >= k, (lengths - k) // stride + 1, 0)


@dataclass(frozen=True)
class KMerSymbols:
    """Tells the symbols of k-mers, given the letters: the k-mer, or the symbol of unknown ones, and the position."""

    k: int
    stride: int
    n_letters: int
    names_unknown: bool
    positions: Positions

    @property
    def n_kmers(self) -> int:
        """How many k-mers there are; the symbol of unknown ones has that number."""
        return int(self.n_letters**self.k)

    def counts(self, lengths: Int64Array) -> Int64Array:
        """Return how many k-mers sequences of these lengths have."""
        return kmer_counts(lengths, self.k, self.stride)

    def __call__(self, values: Int64Array, lengths: Int64Array) -> Int64Array:
        counts = self.counts(lengths)
        start = np.repeat(pointers(lengths)[:-1], counts) + places(counts) * self.stride
        kmer = np.zeros(len(start), np.int64)
        known = np.ones(len(start), np.bool_)
        for place in range(self.k):
            letter = values[start + place]
            known &= letter != _FOREIGN
            kmer = kmer * self.n_letters + letter
        columns = [np.where(known, kmer, self.n_kmers if self.names_unknown else -1)]
        if self.positions.n:
            columns.append(self.positions.symbols(counts))
        return np.stack(columns, axis=1)

    def letters_of(self, kmers: Int64Array) -> list[Int64Array]:
        """Return the letters of k-mers: an array for each place."""
        return [kmers // self.n_letters ** (self.k - 1 - place) % self.n_letters for place in range(self.k)]


@dataclass(frozen=True)
class KMerPlan:
    """How sequences become chains of k-mers."""

    reader: LetterReader
    symbols: KMerSymbols
    reach: Reach | None

    def spell(self, packed: PackedGraphs, first: int) -> list[str]:
        """Return the letters of graphs, numbered from ``first`` on; ``?`` where they are not known.

        Raises
        ------
        GraphError
            If a lone node carries nothing, and that can be a sequence too short for a k-mer as well as a single k-mer
            that is not known.
        """
        of, n_letters = self.symbols, len(self.reader.alphabet)
        nodes, symbols = packed.properties.pairs()
        carried = np.bincount(nodes, minlength=packed.n_nodes)
        empty = (packed.node_counts == 1) & (carried[packed.node_ptr[:-1]] == 0)
        if empty.any() and not (of.names_unknown or of.positions.n or self.reader.refuses_foreign):
            raise GraphError(
                f"A graph to be spelled must say whether it has a k-mer; graph {first + int(np.argmax(empty))} is one "
                f"node that carries nothing: fewer than {of.k} letters, or {of.k} of which one is not known. Choose "
                "unknown='symbol' or 'error', or position=True, which tell them apart."
            )
        known = symbols < of.n_kmers
        lengths = np.where(empty, 0, (packed.node_counts - 1) * of.stride + of.k)
        start = np.repeat(pointers(lengths)[:-1], packed.node_counts) + places(packed.node_counts) * of.stride
        # Letter by letter, each k-mer writes what it knows; a letter that none knows stays unknown.
        text = np.full(int(lengths.sum()), n_letters)
        for place, letter in enumerate(of.letters_of(symbols[known])):
            text[start[nodes[known]] + place] = letter
        ends = pointers(lengths)
        spelling = "".join(np.array([*self.reader.alphabet, "?"])[text].tolist())
        return [spelling[ends[i] : ends[i + 1]] for i in range(len(lengths))]
