"""Targets of examples, as the integers that engines learn from (semantics, section 4).

Fractions given by the user (weights, and q, the number of negative outputs to update) are converted to integers here,
once, so that learning needs no floating point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from graphtm.errors import GraphTMError
from graphtm.foundation.arrays import FrozenArrays
from graphtm.foundation.names import shorten
from graphtm.model import MachineParams

ALWAYS = 1 << 32
"""A probability of 1, as a 32-bit threshold."""
WEIGHT_ONE = 1 << 16
WEIGHT_MOST = 1 << 48
"""Larger weights make no difference: every update with a probability above 0 is made already."""
UNTHINNED_LABELS = 32


@dataclass(frozen=True, eq=False)
class Targets(FrozenArrays):
    """Targets of a list of examples.

    Parameters
    ----------
    ptr, outputs, values
        Example ``e`` has the targets ``values[ptr[e]:ptr[e + 1]]``, in [-T, T], for the outputs at the same positions
        in ``outputs``, in ascending order.
    silent
        Whether outputs that are not listed are silent; else their target is -T.
    gates
        Threshold G of each example for sampling its negative outputs, at most 2^32.
    weights
        Weight of each example in units of 2^-16, at most 2^48.
    n_outputs, T
        Number of outputs and voting margin of the machine.
    """

    ptr: NDArray[np.int64]
    outputs: NDArray[np.int32]
    values: NDArray[np.int32]
    silent: bool
    gates: NDArray[np.uint64]
    weights: NDArray[np.uint64]
    n_outputs: int
    T: int

    @property
    def n_examples(self) -> int:
        return len(self.ptr) - 1


def class_targets(
    classes: ArrayLike, n_classes: int, T: int, q: float | None = None, weights: ArrayLike | None = None
) -> Targets:
    """Return classification targets: +T for the true class, -T for all others.

    Parameters
    ----------
    classes
        Class number of each example.
    n_classes
        Number of classes.
    T
        The voting margin.
    q
        Expected number of negative classes updated per example; 1 if ``None``.
    weights
        Weight of each example, 1 if not given.
    """
    numbers = _whole(classes, "Class numbers", 0, n_classes - 1)
    n = len(numbers)
    gate = _gate(1.0 if q is None else _checked_q(q), 1, n_classes - 1)
    values = np.full(n, T, dtype=np.int32)
    gates = np.full(n, gate, dtype=np.uint64)
    ptr = np.arange(n + 1, dtype=np.int64)
    return Targets(ptr, numbers.astype(np.int32), values, False, gates, _weights(weights, n), n_classes, T)


def label_targets(
    labels: ArrayLike | sparse.sparray, T: int, q: float | None = None, weights: ArrayLike | None = None
) -> Targets:
    """Return multi-label targets: +T for the labels of an example, -T for all others.

    Parameters
    ----------
    labels
        Indicator matrix, dense or sparse, of shape (examples, labels).
    T
        The voting margin.
    q
        Expected number of absent labels updated per present one. ``None`` means 1, or all if there are at most 32
        labels.
    weights
        Weight of each example, 1 if not given.
    """
    matrix = sparse.csr_array(labels, dtype=np.bool_, copy=True)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    n, n_labels = matrix.shape
    ptr = matrix.indptr.astype(np.int64)
    if q is None and n_labels <= UNTHINNED_LABELS:
        gates = np.full(n, ALWAYS, dtype=np.uint64)
    else:
        positive = np.diff(ptr)
        gates = _gates(1.0 if q is None else _checked_q(q), positive, n_labels - positive)
    values = np.full(len(matrix.indices), T, dtype=np.int32)
    return Targets(ptr, matrix.indices.astype(np.int32), values, False, gates, _weights(weights, n), n_labels, T)


def value_targets(values: ArrayLike, T: int, weights: ArrayLike | None = None) -> Targets:
    """Return regression targets: integers in [-T, T] of shape (examples, outputs), or (examples,) for one output."""
    table = np.asarray(values)
    table = table[:, None] if table.ndim == 1 else table
    n, n_outputs = table.shape
    ptr = np.arange(n + 1, dtype=np.int64) * n_outputs
    outputs = np.tile(np.arange(n_outputs), n)
    return sparse_targets(ptr, outputs, table.reshape(-1), n_outputs, T, weights=weights)


def sparse_targets(
    ptr: ArrayLike,
    outputs: ArrayLike,
    values: ArrayLike,
    n_outputs: int,
    T: int,
    *,
    silent: bool = False,
    q: float | None = None,
    weights: ArrayLike | None = None,
) -> Targets:
    """Return targets that are given for some outputs of each example.

    Parameters
    ----------
    ptr, outputs, values
        Example ``e`` has the targets ``values[ptr[e]:ptr[e + 1]]``, in [-T, T], for the outputs at the same positions
        in ``outputs``, in ascending order.
    n_outputs, T
        Number of outputs, and voting margin.
    silent
        Whether all other outputs are silent: they get no feedback. Else their target is -T.
    q
        Expected number of negative outputs (target -T) updated per other output; ``None`` means all.
    weights
        Weight of each example, 1 if not given.
    """
    wanted, places = _whole(values, "Target values", -T, T), _whole(outputs, "Outputs", 0, n_outputs - 1)
    offsets = _whole(ptr, "The ptr of targets", 0, len(wanted))
    rises = len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(wanted) and not np.any(np.diff(offsets) < 0)
    if not rises or len(places) != len(wanted):
        raise GraphTMError(
            f"The ptr of targets must increase from 0 to the number of targets, with one value per output; got "
            f"{len(places):,} outputs, {len(wanted):,} values and the ptr {shorten(offsets.tolist())}."
        )
    counts = np.diff(offsets)
    example = np.repeat(np.arange(len(counts)), counts)
    if np.any((np.diff(places) <= 0) & (np.diff(example) == 0)):
        raise GraphTMError("The outputs of each example must be in ascending order, without duplicates.")
    n = len(counts)
    gates = np.full(n, ALWAYS, dtype=np.uint64)
    if q is not None:
        negative = np.bincount(example, wanted == -T, minlength=n).astype(np.int64)
        unlisted = 0 if silent else n_outputs - counts
        gates = _gates(_checked_q(q), counts - negative, negative + unlisted)
    return Targets(
        offsets, places.astype(np.int32), wanted.astype(np.int32), silent, gates, _weights(weights, n), n_outputs, T
    )


def check_run(params: MachineParams, n_graphs: int, targets: Targets, order: NDArray[np.int64]) -> None:
    """Check that targets and order match the machine and the graphs, before an engine learns from them.

    Raises
    ------
    GraphTMError
        If they do not match.
    """
    if (targets.n_outputs, targets.T) != (params.n_outputs, params.T):
        raise GraphTMError(
            f"Targets must be for the machine's {params.n_outputs} outputs and T={params.T}; "
            f"got targets for {targets.n_outputs} outputs and T={targets.T}."
        )
    if targets.n_examples != n_graphs:
        raise GraphTMError(f"Targets must be for {n_graphs:,} graphs; got targets for {targets.n_examples:,}.")
    if order.ndim != 1 or order.dtype != np.int64:
        raise GraphTMError(f"The order must be a 1-d array of int64; got a {order.ndim}-d array of {order.dtype}.")
    if len(order) and not 0 <= int(order.min()) <= int(order.max()) < n_graphs:
        raise GraphTMError(f"The order must be in 0..{n_graphs - 1}; got values from {order.min()} to {order.max()}.")


def _whole(values: ArrayLike, what: str, low: int, high: int) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise GraphTMError(f"{what} must be a 1-d array of integers; got a {array.ndim}-d array of {array.dtype}.")
    if int(array.min()) < low or int(array.max()) > high:
        raise GraphTMError(f"{what} must be in {low}..{high}; got values from {array.min()} to {array.max()}.")
    return array.astype(np.int64)


def _checked_q(q: float) -> float:
    if not (isinstance(q, int | float | np.integer | np.floating) and math.isfinite(q) and q >= 0):
        raise GraphTMError(f"q must be a finite number >= 0; got {q!r}.")
    return float(q)


def _gates(q: float, positive: NDArray[np.int64], negative: NDArray[np.int64]) -> NDArray[np.uint64]:
    pairs = zip(positive.tolist(), negative.tolist(), strict=True)
    return np.array([_gate(q, n_positive, n_negative) for n_positive, n_negative in pairs], dtype=np.uint64)


def _gate(q: float, n_positive: int, n_negative: int) -> int:
    return math.floor(min(1.0, q * max(1, n_positive) / max(1, n_negative)) * 2**32 + 0.5)


def _weights(weights: ArrayLike | None, n: int) -> NDArray[np.uint64]:
    if weights is None:
        return np.full(n, WEIGHT_ONE, dtype=np.uint64)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n,) or not np.all(given >= 0) or not np.all(np.isfinite(given)):
        raise GraphTMError(
            f"Weights must be finite numbers >= 0, one for each of {n:,} examples; got shape {given.shape}"
            + (f" with {given[~(np.isfinite(given) & (given >= 0))][0]}." if given.shape == (n,) else ".")
        )
    return np.floor(np.minimum(given, WEIGHT_MOST / WEIGHT_ONE) * WEIGHT_ONE + 0.5).astype(np.uint64)
