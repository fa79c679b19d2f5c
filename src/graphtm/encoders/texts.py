"""Texts and sequences checked and turned into numbers, a text after the other."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, pointers

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
class WordReader:
    """Takes texts apart into words.

    Parameters
    ----------
    pattern
        What a word is.
    lowercase
        Whether texts are turned into lower case.
    max_length
        How many words of a text count; ``None``: all.
    """

    pattern: re.Pattern[str]
    lowercase: bool
    max_length: int | None

    def words(self, X: Any, owner: str) -> Iterator[list[str]]:
        """Yield the words of each text that count; a list of words is taken as it is."""
        for text in checked_texts(X, owner, lists=True):
            if not isinstance(text, str):
                words = list(map(str, text))
            elif self.pattern.groups:
                words = [match.group() for match in self.pattern.finditer(text.lower() if self.lowercase else text)]
            else:
                words = self.pattern.findall(text.lower() if self.lowercase else text)
            yield words[: self.max_length]


def count_words(texts: Iterable[list[str]]) -> tuple[list[str], Int64Array, Int64Array]:
    """Return the words in order of first appearance, the numbers of all words of all texts, and the lengths."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    values, lengths = _numbered(texts, lambda words: map(numbers.__getitem__, words))
    return list(numbers), values, lengths


def number_words(texts: Iterable[list[str]], numbers: Mapping[str, int]) -> tuple[Int64Array, Int64Array]:
    """Return the numbers of all words of all texts, -1 for unknown ones, and the lengths."""
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
    """Return sequences without the elements that are -1."""
    known = values >= 0
    before = pointers(known.astype(np.int64))
    return values[known], np.diff(before[pointers(lengths)])
