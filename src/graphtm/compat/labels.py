"""Checks of ``Y``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MAX_CLASS = 2**31 - 2


def classes_of(Y: ArrayLike, n_graphs: int) -> NDArray[np.int64]:
    """Return the class of each graph: an integer from 0 on.

    Raises
    ------
    ValueError
        If these are not classes, or not one per graph.
    """
    given = _numbers(Y, n_graphs)
    if given.ndim != 1:
        raise ValueError(f"Y must have one class per graph; got an array of shape {given.shape}.")
    with np.errstate(invalid="ignore"):  # NaN
        classes = given.astype(np.int64)
    bad = np.flatnonzero((classes != given) | (classes < 0) | (classes > MAX_CLASS))
    if len(bad):
        raise ValueError(f"Classes must be integers from 0 to {MAX_CLASS:,}; got {given[bad[0]]} for graph {bad[0]}.")
    return classes


def label_matrix(Y: ArrayLike, n_graphs: int) -> NDArray[np.bool_]:
    """Return which outputs are on for which graph, from a matrix of 0 and 1.

    Raises
    ------
    ValueError
        If it is not such a matrix, or has not one row per graph.
    """
    given = _numbers(Y, n_graphs)
    if given.ndim != 2 or given.shape[1] == 0:
        raise ValueError(f"Y must have one row per graph and one column per output; got shape {given.shape}.")
    labels: NDArray[np.bool_] = given == 1
    bad = np.argwhere(~labels & (given != 0))
    if len(bad):
        graph, output = bad[0]
        raise ValueError(f"Outputs must be 0 or 1; got {given[graph, output]} for output {output} of graph {graph}.")
    return labels


def _numbers(Y: ArrayLike, n_graphs: int) -> NDArray[Any]:
    given = np.asarray(Y)
    if given.size and given.dtype.kind not in "biuf":
        raise ValueError(f"Y must be numbers; got an array of {given.dtype}.")
    if given.ndim == 0 or len(given) != n_graphs:
        got = "one number" if given.ndim == 0 else f"{len(given):,}"
        raise ValueError(f"Y must have one entry for each of {n_graphs:,} graphs; got {got}.")
    return given
