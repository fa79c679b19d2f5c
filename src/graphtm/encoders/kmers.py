"""Encode DNA, RNA and other sequences over a small alphabet as chains of k-mers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.chains import UNKNOWN, ChainSource, Positions, Reach, checked_texts, places
from graphtm.encoders.learned import Learned
from graphtm.encoders.rendering import symbol_weights
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, pointers
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch, Vocabulary
from graphtm.graphs.packed import PackedGraphs

_FOREIGN = 255
_MOST_KMERS = 1 << 20
_EDGE_TYPES = {"both": ["right", "left"], "right": ["right"], "left": ["left"]}


class KMers(GraphEncoder):
    """Encode sequences of letters as chains of k-mers.

    Each node is a k-mer, ``k`` consecutive letters. Edges of type ``right`` lead to the next k-mer and edges of type
    ``left`` to the previous one, as in :func:`graphtm.datasets.sequences`. The graphs are lazy: only the letters are
    stored, one byte each.

    Parameters
    ----------
    k
        Number of letters of a k-mer.
    stride
        Distance between the starts of consecutive k-mers. With ``stride=k`` they do not overlap.
    alphabet
        The letters, such as ``"ACGU"`` for RNA. Case is ignored.
    position
        If True, a symbol for the index of the k-mer, up to the length of the longest training sequence. If a number,
        the chain is split into that many equal parts and the symbol is the part. If False, no position symbols.
    edges
        ``"both"``, ``"right"``, ``"left"`` or ``None``.
    max_length
        Number of letters to use, from the start of the sequence. If None, all.
    unknown
        How to handle k-mers with a letter outside the alphabet, such as N. ``"symbol"``: symbol ``("unknown",)``.
        ``"drop"``: no k-mer symbol. ``"error"``: raise an error.

    Attributes
    ----------
    vocabulary_
        All k-mers of the alphabet, ``("unknown",)`` if used, then positions as ``("position", 0)``.

    Notes
    -----
    A sequence shorter than ``k`` becomes a single node without k-mer, because a graph needs a node.

    Examples
    --------
    >>> from graphtm.encoders import KMers
    >>> graphs = KMers(k=2, stride=2).fit_transform(["ACGT", "ggn"])
    >>> graphs
    GraphBatch(2 graphs, 3 nodes, 17 symbols, 2 edge types, lazy)
    >>> print(graphs[0])
    Graph with 2 nodes and 2 edges
      0: 'AC'
          right -> 1
      1: 'GT'
          left -> 0
    """

    _plan: KMerPlan

    def __init__(
        self,
        k: int = 3,
        stride: int = 1,
        alphabet: str = "ACGT",
        position: bool | int = False,
        edges: str | None = "both",
        max_length: int | None = None,
        unknown: str = "symbol",
    ) -> None:
        self.k = k
        self.stride = stride
        self.alphabet = alphabet
        self.position = position
        self.edges = edges
        self.max_length = max_length
        self.unknown = unknown

    def fit(self, X: Iterable[str], y: Any = None) -> KMers:  # noqa: ARG002
        """Create the vocabulary; it depends only on the length of the longest training sequence.

        Parameters
        ----------
        X
            Sequences, a list of strings.
        y
            Ignored.
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Iterable[str], y: Any = None, **fit_params: Any) -> GraphBatch:  # noqa: ARG002
        """Fit the encoder and return the sequences as lazy graphs; the sequences are read once."""
        return self._graphs(*self._learn(X))

    def transform(self, X: Iterable[str]) -> GraphBatch:
        """Return the sequences as lazy graphs."""
        check_is_fitted(self, "vocabulary_")
        return self._graphs(*self._plan.reader.letters(X))

    def inverse_transform(self, X: GraphBatch) -> list[str]:
        """Return the sequences of graphs made by this encoder, with ``?`` for unknown letters.

        Letters between k-mers (if ``stride`` is larger than ``k``) are unknown, letters after the last k-mer are lost,
        and a sequence shorter than ``k`` becomes empty.

        Raises
        ------
        GraphError
            With ``unknown="drop"`` and ``position=False``, if a graph is a single node without symbols: it may be a
            sequence shorter than ``k`` or one unknown k-mer.

        Examples
        --------
        >>> from graphtm.encoders import KMers
        >>> encoder = KMers(k=3).fit(["ACGTACGT"])
        >>> encoder.inverse_transform(encoder.transform(["GATTACA", "ACNGTTT", "A"]))
        ['GATTACA', '???GTTT', '']
        """
        texts: list[str] = []
        for chunk in self._own_graphs(X).chunks():
            texts += self._plan.spell(chunk.pack(), len(texts))
        return texts

    def render(self, weights: Any) -> NDArray[np.float64]:
        """Return weights of k-mers as a motif: the weight of each letter at each position.

        Parameters
        ----------
        weights
            Mapping from symbols to numbers, or the literals of a rule, ``rule.layers[0]`` (weight 1, or -1 if
            negated).

        Returns
        -------
        ndarray of shape (k, letters)
            The sum over the k-mers with that letter at that position.

        Examples
        --------
        >>> from graphtm.encoders import KMers
        >>> KMers(k=2).fit(["ACGT"]).render({"AC": 1.0, "AG": 2.0})
        array([[3., 0., 0., 0.],
               [0., 1., 2., 0.]])
        """
        check_is_fitted(self, "vocabulary_")
        symbols = self._plan.symbols
        kmers = symbol_weights(weights, self.vocabulary_.symbols)[: symbols.n_kmers]
        cube = kmers.reshape((symbols.n_letters,) * symbols.k)
        axes = range(symbols.k)
        return np.stack([cube.sum(axis=tuple(other for other in axes if other != place)) for place in axes])

    def _check_parameters(self) -> None:
        checks = ParameterChecks(self)
        letters = self.alphabet
        distinct = isinstance(letters, str) and letters.isascii() and len(set(letters.upper())) == len(letters)
        if not distinct or not letters or "?" in letters:
            raise ValueError(
                "The 'alphabet' parameter of KMers must be a str of distinct ASCII letters (ignoring case) without "
                f"'?'. Got {letters!r} instead."
            )
        most = next(k for k in range(20, 0, -1) if len(letters) ** k <= _MOST_KMERS)
        checks.integer("k", 1, most)
        checks.integer("stride", 1, 2**31 - 1)
        if not isinstance(self.position, bool):
            checks.integer("position", 1, 2**20)
        checks.one_of("edges", _EDGE_TYPES, optional=True)
        checks.integer("max_length", 1, 2**31 - 1, optional=True)
        checks.one_of("unknown", ("drop", "symbol", "error"))

    def _learn(self, X: Iterable[str]) -> tuple[NDArray[np.uint8], Int64Array]:
        self._check_parameters()
        reader = LetterReader(self.alphabet.upper(), self.max_length, self.unknown == "error")
        letters, lengths = reader.letters(X)
        if not len(lengths):
            raise GraphError("KMers needs at least one sequence to fit; got none.")
        self._make(reader, int(kmer_counts(lengths, int(self.k), self.stride).max()))
        self._keep_parameters()
        return letters, lengths

    def _make(self, reader: LetterReader, longest: int) -> None:
        """Set the vocabulary and the plan; ``longest`` is the largest number of k-mers of a sequence."""
        alphabet, k = reader.alphabet, int(self.k)
        names: list[Any] = ["".join(kmer) for kmer in product(alphabet, repeat=k)]
        names += [UNKNOWN] * (self.unknown == "symbol")
        positions = Positions.learn(self.position, longest, len(names))
        symbols = KMerSymbols(k, int(self.stride), len(alphabet), self.unknown == "symbol", positions)
        self.vocabulary_ = Vocabulary(names + positions.names, _EDGE_TYPES[self.edges] if self.edges else ())
        self._plan = KMerPlan(reader, symbols, self._reach())

    def _learned(self) -> dict[str, Any]:
        return {"n_positions": self._plan.symbols.positions.n}

    def _restore(self, learned: Learned) -> None:
        self._check_parameters()
        n_positions = learned.whole("n_positions")
        learned.allow(len(self.alphabet) ** int(self.k) + n_positions)
        if self.position is not True and n_positions != int(self.position):
            raise ValueError("the number of positions does not match the parameters")
        self._make(LetterReader(self.alphabet.upper(), self.max_length, self.unknown == "error"), n_positions)

    def _reach(self) -> Reach | None:
        if self.edges is None:
            return None
        types = np.array([1, 0, 0]) if self.edges == "both" else np.zeros(2, np.int64)
        return Reach(int(self.edges != "right"), int(self.edges != "left"), types)

    def _graphs(self, letters: NDArray[np.uint8], lengths: Int64Array) -> GraphBatch:
        plan = self._plan
        counts = plan.symbols.counts(lengths)
        return GraphBatch.from_source(
            ChainSource(self.vocabulary_, letters, pointers(lengths), counts, plan.symbols, plan.reach)
        )


@dataclass(frozen=True)
class LetterReader:
    """Turns sequences into letter indices.

    Parameters
    ----------
    alphabet
        The letters, in upper case.
    max_length
        Number of letters to use. If None, all.
    refuses_foreign
        Whether to raise an error for letters outside the alphabet.
    """

    alphabet: str
    max_length: int | None
    refuses_foreign: bool

    def letters(self, X: Iterable[str]) -> tuple[NDArray[np.uint8], Int64Array]:
        """Return the letters of all sequences as indices, and the lengths."""
        texts = [text[: self.max_length] for text in checked_texts(X, "KMers")]
        number_of = np.full(256, _FOREIGN, np.uint8)
        for case in (self.alphabet.lower(), self.alphabet):
            number_of[np.frombuffer(case.encode("ascii"), np.uint8)] = np.arange(len(case))
        # Letters outside ASCII become a question mark, which no alphabet has.
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
                f"Letters must be in the alphabet {self.alphabet!r}; sequence {text} has {texts[text][place]!r} at "
                f"position {place}. Remove it, or choose unknown='symbol' or 'drop'."
            )


def kmer_counts(lengths: Int64Array, k: int, stride: int) -> Int64Array:
    """Return the number of k-mers of sequences of these lengths."""
    return np.where(lengths >= k, (lengths - k) // stride + 1, 0)


@dataclass(frozen=True)
class KMerSymbols:
    """Returns the symbols of k-mers, given the letters: the k-mer or the unknown symbol, and the position."""

    k: int
    stride: int
    n_letters: int
    names_unknown: bool
    positions: Positions

    @property
    def n_kmers(self) -> int:
        """Number of k-mers; the unknown symbol has this index."""
        return int(self.n_letters**self.k)

    def counts(self, lengths: Int64Array) -> Int64Array:
        """Return the number of k-mers of sequences of these lengths."""
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
        """Return the letters of k-mers, one array per position."""
        return [kmers // self.n_letters ** (self.k - 1 - place) % self.n_letters for place in range(self.k)]


@dataclass(frozen=True)
class KMerPlan:
    """How a fitted :class:`KMers` turns sequences into chains."""

    reader: LetterReader
    symbols: KMerSymbols
    reach: Reach | None

    def spell(self, packed: PackedGraphs, first: int) -> list[str]:
        """Return the sequences of graphs, with ``?`` for unknown letters; ``first`` is the index of the first graph.

        Raises
        ------
        GraphError
            If a graph is a single node without symbols and may be either a short sequence or an unknown k-mer.
        """
        of, n_letters = self.symbols, len(self.reader.alphabet)
        nodes, symbols = packed.properties.pairs()
        carried = np.bincount(nodes, minlength=packed.n_nodes)
        empty = (packed.node_counts == 1) & (carried[packed.node_ptr[:-1]] == 0)
        if empty.any() and not (of.names_unknown or of.positions.n or self.reader.refuses_foreign):
            raise GraphError(
                f"The sequence of graph {first + int(np.argmax(empty))} is ambiguous: it is a single node without "
                f"symbols, which means fewer than {of.k} letters, or {of.k} letters with an unknown one. Fit with "
                "unknown='symbol' or 'error', or with position=True."
            )
        known = symbols < of.n_kmers
        lengths = np.where(empty, 0, (packed.node_counts - 1) * of.stride + of.k)
        start = np.repeat(pointers(lengths)[:-1], packed.node_counts) + places(packed.node_counts) * of.stride
        # Each known k-mer writes its letters; a letter that no known k-mer covers stays unknown.
        text = np.full(int(lengths.sum()), n_letters)
        for place, letter in enumerate(of.letters_of(symbols[known])):
            text[start[nodes[known]] + place] = letter
        ends = pointers(lengths)
        spelling = "".join(np.array([*self.reader.alphabet, "?"])[text].tolist())
        return [spelling[ends[i] : ends[i + 1]] for i in range(len(lengths))]
