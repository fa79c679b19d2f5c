"""Words of texts as numbers, and the symbols of words and n-grams."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from graphtm.encoders.chains import Positions, checked_texts, places
from graphtm.errors import GraphError
from graphtm.foundation.arrays import FrozenArrays, Int64Array, pointers

_KEY_BITS = 62


@dataclass(frozen=True)
class WordReader:
    """Splits texts into words.

    Parameters
    ----------
    pattern
        Regular expression of a word.
    lowercase
        Whether to convert texts to lower case.
    max_length
        Number of words to use. If None, all.
    """

    pattern: re.Pattern[str]
    lowercase: bool
    max_length: int | None

    def words(self, X: Any, owner: str) -> Iterator[list[str]]:
        """Yield the words of each text; a list of words is used unchanged."""
        for text in checked_texts(X, owner, lists=True):
            if not isinstance(text, str):
                words = list(map(str, text))
            elif self.pattern.groups:
                words = [match.group() for match in self.pattern.finditer(text.lower() if self.lowercase else text)]
            else:
                words = self.pattern.findall(text.lower() if self.lowercase else text)
            yield words[: self.max_length]


def count_words(texts: Iterable[list[str]]) -> tuple[list[str], Int64Array, Int64Array]:
    """Return the distinct words in order of first appearance, all words of all texts as indices, and the lengths."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    values, lengths = _numbered(texts, lambda words: map(numbers.__getitem__, words))
    return list(numbers), values, lengths


def number_words(texts: Iterable[list[str]], numbers: Mapping[str, int]) -> tuple[Int64Array, Int64Array]:
    """Return all words of all texts as indices, -1 for unknown words, and the lengths."""
    return _numbered(texts, lambda words: map(numbers.get, words, repeat(-1)))


def _numbered(
    texts: Iterable[list[str]], number: Callable[[list[str]], Iterable[Any]]
) -> tuple[Int64Array, Int64Array]:
    values, lengths = array("i"), array("q")
    for words in texts:
        values.extend(number(words))
        lengths.append(len(words))
    return np.array(values, dtype=np.int64), np.array(lengths, dtype=np.int64)


def without_unknown(values: Int64Array, lengths: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return sequences without their elements -1."""
    known = values >= 0
    before = pointers(known.astype(np.int64))
    return values[known], np.diff(before[pointers(lengths)])


@dataclass(frozen=True, eq=False)
class NGrams(FrozenArrays):
    """The known n-grams of one length.

    Parameters
    ----------
    n
        Number of words of an n-gram.
    n_words
        Number of words of the vocabulary; larger indices are not words and are not part of n-grams.
    keys
        The n-grams as ascending integers, made of the bits of their word indices.
    numbers
        Symbol of each n-gram.
    """

    n: int
    n_words: int
    keys: Int64Array
    numbers: Int64Array

    def symbols(self, values: Int64Array, lengths: Int64Array) -> Int64Array:
        """Return the symbol of the n-gram that starts at each word, or -1."""
        keys = _keys(self.n, self.n_words, values, lengths)
        place = np.searchsorted(self.keys, keys)
        place[place == len(self.keys)] = 0
        if not len(self.keys):
            return np.full(len(keys), -1)
        return np.where(self.keys[place] == keys, self.numbers[place], -1)

    def indices(self) -> Int64Array:
        """Return the indices of the words of each n-gram, one row per n-gram, in the order of their symbols."""
        bits = _bits(self.n_words)
        ordered = self.keys[np.argsort(self.numbers)]
        shifts = bits * np.arange(self.n - 1, -1, -1)
        return (ordered[:, None] >> shifts) & ((1 << bits) - 1)

    def names(self, words: list[str]) -> list[tuple[str, ...]]:
        """Return the n-grams as tuples of words, in the order of their symbols."""
        return [tuple(words[number] for number in numbers) for numbers in self.indices().tolist()]


@dataclass(frozen=True)
class WordSymbols:
    """Returns the symbols of words: the word, the n-grams that start there, the position."""

    ngrams: tuple[NGrams, ...]
    positions: Positions

    def __call__(self, values: Int64Array, lengths: Int64Array) -> Int64Array:
        columns = [values, *(ngrams.symbols(values, lengths) for ngrams in self.ngrams)]
        if self.positions.n:
            columns.append(self.positions.symbols(lengths))
        return np.stack(columns, axis=1)


def check_ngrams(n: int, n_words: int) -> None:
    """Raise if an integer cannot hold an n-gram of ``n`` words from a vocabulary of ``n_words``."""
    if n > 1 and n * _bits(n_words) > _KEY_BITS:
        raise GraphError(
            f"N-grams of {n} words allow at most {2 ** (_KEY_BITS // n) - 1:,} distinct words; got {n_words:,}. Lower "
            "vocabulary_size or ngrams, or raise min_count."
        )


def learn_ngrams(
    n: int, n_words: int, values: Int64Array, lengths: Int64Array, min_count: int, limit: int | None, first: int
) -> NGrams:
    """Return the most frequent n-grams of texts, numbered from ``first`` by frequency, then by their words."""
    keys = _keys(n, n_words, values, lengths)
    keys, counts = np.unique(keys[keys >= 0], return_counts=True)
    kept = most_frequent(counts, min_count, limit)
    order = np.argsort(kept)
    return NGrams(n, n_words, keys[kept[order]], first + order)


def ngrams_from(indices: Int64Array, n_words: int, first: int) -> NGrams:
    """Return the n-grams whose words have these indices, one row per n-gram, numbered from ``first`` in this order."""
    n = indices.shape[1]
    bits = _bits(n_words)
    keys = np.bitwise_or.reduce(indices << (bits * np.arange(n - 1, -1, -1)), axis=1)
    order = np.argsort(keys)
    return NGrams(n, n_words, keys[order], first + order)


def most_frequent(counts: Int64Array, min_count: int, limit: int | None) -> Int64Array:
    """Return the indices of the largest counts in descending order; ties keep their order."""
    order = np.argsort(-counts, kind="stable")
    return order[counts[order] >= min_count][:limit]


def _bits(n_words: int) -> int:
    return max(1, (n_words - 1).bit_length())


def _keys(n: int, n_words: int, values: Int64Array, lengths: Int64Array) -> Int64Array:
    """Return the n-gram that starts at each word as an integer, or -1 if the text ends or a word is unknown."""
    keys = np.full(len(values), -1)
    starts = len(values) - n + 1
    if starts < 1:
        return keys
    known = values < n_words
    whole = (np.repeat(lengths, lengths) - places(lengths) >= n)[:starts]
    joined = np.zeros(starts, np.int64)
    for place in range(n):
        whole = whole & known[place : place + starts]
        joined = (joined << _bits(n_words)) | values[place : place + starts]
    keys[:starts] = np.where(whole, joined, -1)
    return keys
