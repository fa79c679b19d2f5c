"""One sample of the data that a pipeline takes, whatever kind of data it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphtm.foundation.parameters import is_integer
from graphtm.foundation.type_names import type_of
from graphtm.graphs import Graph, GraphBatch


def checked_place(i: Any, n: int, owner: str = "explain") -> int:
    """Return the number of a sample among ``n``, counted from the start.

    Raises
    ------
    TypeError
        If it is not an integer.
    IndexError
        If there is no such sample.
    """
    if not is_integer(i):
        raise TypeError(f"The 'i' parameter of {owner} must be the number of a sample, an int. Got {i!r} instead.")
    if not -n <= i < n:
        what = f"from {-n} to {n - 1}, since 'X' has {n:,} samples" if n else "of a sample, but 'X' has none"
        raise IndexError(f"The 'i' parameter of {owner} must be a number {what}. Got {i!r} instead.")
    return int(i) % n


def one_sample(X: Any, i: Any, owner: str = "explain") -> Any:
    """Return data with one sample only, of the same kind.

    Parameters
    ----------
    X
        Samples: a batch of graphs, a list, an array, a sparse matrix, a data frame, or a mapping from columns to lists.
    i
        Number of the sample; negative numbers count from the end.
    owner
        What takes the samples, for error messages.

    Raises
    ------
    TypeError
        If ``X`` is of another type, or ``i`` is not an integer.
    IndexError
        If there is no such sample.
    """
    if isinstance(X, Mapping):
        return {name: one_sample(column, i, owner) for name, column in X.items()}
    shape = getattr(X, "shape", None)
    if isinstance(X, str | bytes | Graph) or not (isinstance(X, Sequence | GraphBatch) or shape):
        raise TypeError(
            f"The 'X' parameter of {owner} must hold all samples, in a list, an array, a data frame or a GraphBatch. "
            f"Got {type_of(X)} instead; write [x] for a single sample, list(X) for an iterator."
        )
    place = checked_place(i, shape[0] if shape else len(X), owner)
    rows = slice(place, place + 1)
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X.tocsr()[rows] if hasattr(X, "tocsr") else X[rows]
