"""Encode text as graphs: one node per word, with edges to nearby words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.chains import UNKNOWN, ChainSource, Positions, Reach
from graphtm.encoders.learned import Learned
from graphtm.encoders.rendering import heaviest
from graphtm.encoders.words import (
    NGrams,
    WordReader,
    WordSymbols,
    check_ngrams,
    count_words,
    learn_ngrams,
    most_frequent,
    ngrams_from,
    number_words,
    without_unknown,
)
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, WithoutCaches, pointers
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch, Vocabulary


class Tokens(GraphEncoder):
    """Encode texts as graphs of words.

    Each word of a text is a node with symbols for the word, the n-grams that start there and the position. Edges
    connect nearby words. The graphs are lazy: only the indices of the words are stored.

    Parameters
    ----------
    vocabulary_size
        Maximum number of words, and of n-grams of each length. The most frequent are kept, ties in alphabetical order.
        If None, all.
    min_count
        Minimum number of occurrences of a word or n-gram in the training texts.
    lowercase
        Whether to convert texts to lower case.
    pattern
        Regular expression of a word. By default, letters, digits and apostrophes within a word: ``don't`` is one word.
    ngrams
        Length of the longest n-grams. With 2, nodes also have a symbol for the pair of their word and the next.
    position
        If True, a symbol for the index of the word, up to the length of the longest training text. If a number, the
        text is split into that many equal parts and the symbol is the part. If False, no position symbols.
    edges
        ``"window"``: edges to all words at distance ``window`` or less. Their type is the signed distance:
        ``("distance", 2)`` leads two words to the right, so a word receives messages from the word two to its left.
        ``"neighbours"``: ``"right"`` to the next word and ``"left"`` to the previous one. ``None``: no edges.
    window
        Largest distance of an edge. If None, the length of the longest training text; the number of edges is then
        quadratic in the length.
    max_length
        Number of words to use, from the start of the text. If None, all.
    unknown
        How to handle words outside the vocabulary. ``"drop"``: remove them, so the words around them become
        neighbours. ``"symbol"``: symbol ``("unknown",)``.

    Attributes
    ----------
    vocabulary_
        Words, ``("unknown",)`` if used, n-grams as tuples, then positions as ``("position", 0)``.
    counts_
        Number of occurrences of each word of the vocabulary in the training texts.

    Notes
    -----
    A text is a string, or a list of words, which is used unchanged. A text without known words becomes a single node
    without symbols, because a graph needs a node.

    Examples
    --------
    >>> from graphtm.encoders import Tokens
    >>> texts = ["a good film", "not a good film", "not bad"]
    >>> graphs = Tokens(position=False, window=1).fit_transform(texts)
    >>> graphs
    GraphBatch(3 graphs, 9 nodes, 5 symbols, 2 edge types, lazy)
    >>> print(graphs[2])
    Graph with 2 nodes and 2 edges
      0: 'not'
          distance=1 -> 1
      1: 'bad'
          distance=-1 -> 0
    """

    counts_: Int64Array
    _plan: _Plan

    def __init__(
        self,
        vocabulary_size: int | None = None,
        min_count: int = 1,
        lowercase: bool = True,
        pattern: str = r"\w+(?:['\u2019]\w+)*",
        ngrams: int = 1,
        position: bool | int = True,
        edges: str | None = "window",
        window: int | None = 2,
        max_length: int | None = None,
        unknown: str = "drop",
    ) -> None:
        self.vocabulary_size = vocabulary_size
        self.min_count = min_count
        self.lowercase = lowercase
        self.pattern = pattern
        self.ngrams = ngrams
        self.position = position
        self.edges = edges
        self.window = window
        self.max_length = max_length
        self.unknown = unknown

    def fit(self, X: Iterable[Any], y: Any = None) -> Tokens:  # noqa: ARG002
        """Learn the vocabulary from training texts.

        Parameters
        ----------
        X
            Texts: strings, or lists of words.
        y
            Ignored.
        """
        self._learn(X)
        return self

    def fit_transform(self, X: Iterable[Any], y: Any = None, **fit_params: Any) -> GraphBatch:  # noqa: ARG002
        """Fit the encoder and return the texts as lazy graphs; the texts are read once."""
        return self._graphs(*self._learn(X))

    def transform(self, X: Iterable[Any]) -> GraphBatch:
        """Return the texts as lazy graphs."""
        check_is_fitted(self, "vocabulary_")
        return self._graphs(*self._plan.read(X))

    def inverse_transform(self, X: GraphBatch) -> list[list[str]]:
        """Return the words of graphs made by this encoder, with ``"?"`` for unknown words.

        Examples
        --------
        >>> from graphtm.encoders import Tokens
        >>> encoder = Tokens(vocabulary_size=2, unknown="symbol").fit(["a good good film", "a good play"])
        >>> encoder.inverse_transform(encoder.transform(["a bad film", ""]))
        [['a', '?', '?'], []]
        """
        graphs = self._own_graphs(X)
        words = [*self._plan.words, *["?"] * self._plan.names_unknown]
        texts: list[list[str]] = []
        for chunk in graphs.chunks():
            packed = chunk.pack()
            nodes, symbols = packed.properties.pairs()
            nodes, symbols = nodes[symbols < len(words)], symbols[symbols < len(words)]
            found = [words[number] for number in symbols.tolist()]
            cuts = np.searchsorted(nodes, packed.node_ptr).tolist()
            texts += [found[start:stop] for start, stop in pairwise(cuts)]
        return texts

    def render(self, weights: Any) -> str:
        """Return the nonzero weights of symbols as text, one per line, the largest first.

        Parameters
        ----------
        weights
            Mapping from symbols to numbers, or the literals of a rule, ``rule.layers[0]`` (weight 1, or -1 if
            negated).

        Examples
        --------
        >>> from graphtm.encoders import Tokens
        >>> encoder = Tokens(ngrams=2).fit(["not good", "good"])
        >>> print(encoder.render({"good": 2, ("not", "good"): -3, ("position", 0): 0.5}))
        +2    good
        +0.5  position 0
        -3    not good
        """
        check_is_fitted(self, "vocabulary_")
        lines = []
        for symbol, weight in heaviest(weights, self.vocabulary_.symbols):
            name = " ".join(map(str, symbol)) if isinstance(symbol, tuple) else str(symbol)
            lines.append((f"{weight:+g}", name))
        width = max((len(number) for number, _ in lines), default=0)
        return "\n".join(f"{number:<{width}}  {name}" for number, name in lines)

    def _checked_reader(self) -> WordReader:
        """Check the parameters and return the reader of texts."""
        checks = ParameterChecks(self)
        checks.integer("vocabulary_size", 1, 2**31 - 1, optional=True)
        checks.integer("min_count", 1, 2**31 - 1)
        checks.boolean("lowercase")
        checks.integer("ngrams", 1, 31)
        if not isinstance(self.position, bool):
            checks.integer("position", 1, 2**20)
        checks.one_of("edges", ("window", "neighbours"), optional=True)
        checks.integer("window", 1, 2**20, optional=True)
        checks.integer("max_length", 1, 2**31 - 1, optional=True)
        checks.one_of("unknown", ("drop", "symbol"))
        must = "The 'pattern' parameter of Tokens must be a regular expression"
        if not isinstance(getattr(self.pattern, "pattern", self.pattern), str):  # a str, or one that is compiled
            raise ValueError(f"{must}. Got {self.pattern!r} instead.")
        try:
            pattern = re.compile(self.pattern)
        except re.error as error:
            raise ValueError(f"{must}; {self.pattern!r} is not valid: {error}.") from None
        if pattern.fullmatch(""):
            raise ValueError(f"{must} that cannot match the empty string. Got {self.pattern!r} instead.")
        return WordReader(pattern, bool(self.lowercase), self.max_length)

    def _learn(self, X: Iterable[Any]) -> tuple[Int64Array, Int64Array]:
        """Fit the encoder; return the words of the texts as indices, and the number of words per text."""
        reader = self._checked_reader()
        names, values, lengths = count_words(reader.words(X, "Tokens"))
        if not len(lengths):
            raise GraphError("Tokens needs at least one text to fit; got none.")
        alphabetical = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        counts = np.bincount(values, minlength=len(names))[alphabetical]
        kept = most_frequent(counts, self.min_count, self.vocabulary_size)
        if not len(kept):
            raise GraphError(
                f"At least one word must occur {self.min_count} times in the training texts; none of the "
                f"{len(names):,} words does. Lower min_count, or check the pattern."
            )
        check_ngrams(self.ngrams, len(kept))
        words = [names[number] for number in alphabetical[kept].tolist()]
        new_numbers = np.full(len(names), -1, np.int64)
        new_numbers[alphabetical[kept]] = np.arange(len(kept))
        values, lengths = _with_unknown(new_numbers[values], lengths, len(words), self.unknown == "symbol")

        def learn(n: int, first: int) -> NGrams:
            return learn_ngrams(n, len(words), values, lengths, self.min_count, self.vocabulary_size, first)

        self._make(reader, words, learn, int(lengths.max()))
        self.counts_ = counts[kept]
        self._keep_parameters()
        return values, lengths

    def _make(
        self, reader: WordReader, words: list[str], ngrams_of: Callable[[int, int], NGrams], longest: int
    ) -> None:
        """Set the vocabulary (words, unknown, n-grams, positions) and the plan.

        ``ngrams_of`` returns the n-grams of a length, given the number of the first symbol.
        """
        symbols: list[Any] = words + [UNKNOWN] * (self.unknown == "symbol")
        ngrams = []
        for n in range(2, self.ngrams + 1):
            found = ngrams_of(n, len(symbols))
            symbols += found.names(words)
            ngrams.append(found)
        positions = Positions.learn(self.position, longest, len(symbols))
        reach, edge_types = self._reach(longest)
        self.vocabulary_ = Vocabulary(symbols + positions.names, edge_types)
        names_unknown = self.unknown == "symbol"
        self._plan = _Plan(reader, tuple(words), names_unknown, WordSymbols(tuple(ngrams), positions), reach, longest)

    def _learned(self) -> dict[str, Any]:
        plan = self._plan
        ngrams = {f"ngrams_{one.n}": one.indices() for one in plan.symbols.ngrams}
        return {"words": list(plan.words), "longest": plan.longest, "counts": self.counts_, **ngrams}

    def _restore(self, learned: Learned) -> None:
        reader, words, longest = self._checked_reader(), learned.names("words"), learned.whole("longest")
        if not words or not all(isinstance(word, str) for word in words):
            raise ValueError("the words must be strings, at least one")
        learned.allow(longest + int(self.position) + 2 * int(self.window or longest))
        check_ngrams(self.ngrams, len(words))

        def read(n: int, first: int) -> NGrams:
            indices = learned.array(f"ngrams_{n}", np.int64, None, n)
            if indices.size and not 0 <= indices.min() <= indices.max() < len(words):
                raise ValueError("the words of n-grams must be in the list of words")
            return ngrams_from(indices, len(words), first)

        self._make(reader, [str(word) for word in words], read, longest)
        self.counts_ = learned.array("counts", np.int64, len(words))

    def _reach(self, longest: int) -> tuple[Reach | None, list[Any]]:
        if self.edges is None:
            return None, []
        if self.edges == "neighbours":
            return Reach(1, 1, np.array([1, 0, 0])), ["right", "left"]
        window = int(self.window or max(1, longest - 1))
        steps = [*range(-window, 0), *range(1, window + 1)]
        types = np.insert(np.arange(2 * window), window, 0)
        return Reach(window, window, types), [("distance", step) for step in steps]

    def _graphs(self, values: Int64Array, lengths: Int64Array) -> GraphBatch:
        plan = self._plan
        source = ChainSource(
            self.vocabulary_, values.astype(np.int32), pointers(lengths), lengths, plan.symbols, plan.reach
        )
        return GraphBatch.from_source(source)


@dataclass(frozen=True)
class _Plan(WithoutCaches):
    """How a fitted :class:`Tokens` turns texts into graphs.

    If ``names_unknown``, unknown words have a symbol; ``longest`` is the number of words of the longest training text.
    """

    reader: WordReader
    words: tuple[str, ...]
    names_unknown: bool
    symbols: WordSymbols
    reach: Reach | None
    longest: int

    @cached_property
    def number_of_word(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def read(self, X: Iterable[Any]) -> tuple[Int64Array, Int64Array]:
        """Return the words of texts as indices, and the number of words per text."""
        values, lengths = number_words(self.reader.words(X, "Tokens"), self.number_of_word)
        return _with_unknown(values, lengths, len(self.words), self.names_unknown)


def _with_unknown(
    values: Int64Array, lengths: Int64Array, n_words: int, names_unknown: bool
) -> tuple[Int64Array, Int64Array]:
    """Return word indices with unknown words (-1) replaced by their symbol, or removed."""
    return (np.where(values < 0, n_words, values), lengths) if names_unknown else without_unknown(values, lengths)
