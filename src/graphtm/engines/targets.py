"""What examples should be answered with, as the integers that engines learn from.

Everything that is a fraction for the user (weights, the share q of negative outputs that is heard) becomes
an integer here, once, so that learning itself knows no floating point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from graphtm.errors import GraphTMError

ALWAYS = 1 << 32
"""A probability of 1, as a 32-bit threshold."""
WEIGHT_ONE = 1 << 16
WEIGHT_MOST = 1 << 48
"""Heavier weights act alike: feedback is then always given where there is any."""
UNTHINNED_LABELS = 32


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets of a list of examples.

    Parameters
    ----------
    ptr, outputs, values
        Example ``e`` has the targets ``values[ptr[e]:ptr[e + 1]]``, in [-T, T], for the outputs in the same places of
        ``outputs``, which are ascending.
    silent
        Whether outputs that are not listed are silent; else their target is -T.
    gates
        Per example the threshold G below which negative outputs are heard, at most 2^32.
    weights
        Per example its weight in units of 2^-16.
    """

    ptr: NDArray[np.int64]
    outputs: NDArray[np.int32]
    values: NDArray[np.int32]
    silent: bool
    gates: NDArray[np.uint64]
    weights: NDArray[np.uint64]

    @property
    def n_examples(self) -> int:
        return len(self.ptr) - 1


def class_targets(
    classes: ArrayLike, n_classes: int, T: int, q: float | None = None, weights: ArrayLike | None = None
) -> Targets:
    """Return targets of classification: +T for an example's class, -T for the others.

    Parameters
    ----------
    classes
        Number of each example's class.
    n_classes
        Number of classes.
    T
        The voting margin.
    q
        How many other classes hear an example, on average; 1 if ``None``.
    weights
        Weight of each example, 1 if not given.
    """
    numbers = np.asarray(classes, dtype=np.int32)
    if numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < n_classes:
        raise GraphTMError(f"Class numbers must lie in 0..{n_classes - 1}; got {numbers.min()} to {numbers.max()}.")
    n = len(numbers)
    gate = _gate(1.0 if q is None else q, 1, n_classes - 1)
    return Targets(
        np.arange(n + 1, dtype=np.int64),
        numbers,
        np.full(n, T, dtype=np.int32),
        False,
        np.full(n, gate, dtype=np.uint64),
        _weights(weights, n),
    )


def label_targets(
    labels: ArrayLike | sparse.sparray, T: int, q: float | None = None, weights: ArrayLike | None = None
) -> Targets:
    """Return targets of multi-label classification: +T for an example's labels, -T for all others.

    Parameters
    ----------
    labels
        Indicator matrix, dense or sparse, with a row per example and a column per label.
    T
        The voting margin.
    q
        How many absent labels hear an example for each present one; if ``None``, 1, but all of them up to 32 labels.
    weights
        Weight of each example, 1 if not given.
    """
    matrix = sparse.csr_array(labels, dtype=np.bool_)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    n, n_labels = matrix.shape
    ptr = matrix.indptr.astype(np.int64)
    if q is None and n_labels <= UNTHINNED_LABELS:
        gates = [ALWAYS] * n
    else:
        share = 1.0 if q is None else q
        gates = [_gate(share, int(positive), n_labels - int(positive)) for positive in np.diff(ptr)]
    return Targets(
        ptr,
        matrix.indices.astype(np.int32),
        np.full(len(matrix.indices), T, dtype=np.int32),
        False,
        np.array(gates, dtype=np.uint64),
        _weights(weights, n),
    )


def value_targets(values: ArrayLike, T: int, weights: ArrayLike | None = None) -> Targets:
    """Return targets of regression: whole numbers in [-T, T], a row per example and a column per output.

    A single output may be given as one number per example.
    """
    table = np.asarray(values)
    table = table[:, None] if table.ndim == 1 else table
    n, n_outputs = table.shape
    ptr = np.arange(n + 1, dtype=np.int64) * n_outputs
    return sparse_targets(ptr, np.tile(np.arange(n_outputs), n), table.reshape(-1), T, weights=weights)


def sparse_targets(
    ptr: ArrayLike,
    outputs: ArrayLike,
    values: ArrayLike,
    T: int,
    *,
    silent: bool = False,
    weights: ArrayLike | None = None,
) -> Targets:
    """Return targets given for a few outputs of each example, none of them thinned.

    Parameters
    ----------
    ptr, outputs, values
        Example ``e`` wants ``values[ptr[e]:ptr[e + 1]]``, in [-T, T], of the outputs in the same places, ascending.
    T
        The voting margin.
    silent
        Whether all other outputs are silent, as when only one answer was tried; else their target is -T.
    weights
        Weight of each example, 1 if not given.
    """
    wanted, places, offsets = np.asarray(values), np.asarray(outputs), np.asarray(ptr, dtype=np.int64)
    if wanted.size and (wanted.dtype.kind not in "iu" or int(np.abs(wanted).max()) > T):
        raise GraphTMError(f"Target values must be whole numbers in [-T, T], T being {T}; got {np.abs(wanted).max()}.")
    same_example = np.ones(max(0, len(places) - 1), np.bool_)
    starts = offsets[1:-1]
    same_example[starts[(starts > 0) & (starts < len(places))] - 1] = False
    if np.any((np.diff(places) <= 0) & same_example) or (places.size and int(places.min()) < 0):
        raise GraphTMError("Outputs of an example must be ascending numbers of at least 0, each given once.")
    n = len(offsets) - 1
    return Targets(
        offsets,
        places.astype(np.int32),
        wanted.astype(np.int32),
        silent,
        np.full(n, ALWAYS, dtype=np.uint64),
        _weights(weights, n),
    )


def _gate(q: float, n_positive: int, n_negative: int) -> int:
    return math.floor(min(1.0, q * max(1, n_positive) / max(1, n_negative)) * 2**32 + 0.5)


def _weights(weights: ArrayLike | None, n: int) -> NDArray[np.uint64]:
    if weights is None:
        return np.full(n, WEIGHT_ONE, dtype=np.uint64)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n,) or not np.all(given >= 0) or not np.all(np.isfinite(given)):
        raise GraphTMError(
            f"Weights must be one finite number of at least 0 for each of {n:,} examples; got shape {given.shape}"
            + (f" with {given[~(np.isfinite(given) & (given >= 0))][0]}." if given.shape == (n,) else ".")
        )
    return np.floor(np.minimum(given, WEIGHT_MOST / WEIGHT_ONE) * WEIGHT_ONE + 0.5).astype(np.uint64)
