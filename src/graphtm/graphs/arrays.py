"""Arrays from outside made safe, and index arithmetic on ragged arrays."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.errors import GraphError

Int64Array: TypeAlias = NDArray[np.int64]
Int32Array: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]
WordArray: TypeAlias = NDArray[np.uint64]

LIMIT = 2**31 - 1
"""Most nodes, edges, graphs or symbols that a batch can hold: numbers are 32-bit inside."""


def integers(values: ArrayLike, what: str) -> Int64Array:
    """Return a one-dimensional array of whole numbers, refusing what merely looks like one.

    Raises
    ------
    GraphError
        If the values are Booleans, floats (NaN included), strings, or not one-dimensional.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise GraphError(f"The {what} must be a one-dimensional array; got {array.ndim} dimensions.")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "f":
        bad = np.flatnonzero(np.isnan(array))
        found = f"NaN at place {bad[0]}" if bad.size else f"dtype {array.dtype}, the first being {array[0]}"
        raise GraphError(f"The {what} must be whole numbers (an integer array); got {found}.")
    if array.dtype.kind not in "iu":
        raise GraphError(f"The {what} must be whole numbers (an integer array); got dtype {array.dtype}.")
    if array.dtype == np.uint64 and int(array.max()) > LIMIT:
        raise GraphError(f"The {what} must be below 2^31; got {array.max()}.")
    return array.astype(np.int64, copy=False)


def check_limit(number: int, what: str) -> None:
    """Refuse more of anything than 32-bit numbers can count."""
    if number > LIMIT:
        raise GraphError(
            f"A batch can hold at most 2^31 - 1 {what}; got {number:,}. Split the data into several batches."
        )


def freeze(array: NDArray[np.generic]) -> None:
    """Make an array read-only: batches share arrays, so nobody may write to one."""
    array.flags.writeable = False


def pointers(counts: NDArray[np.integer]) -> Int64Array:
    """Return offsets 0, c0, c0+c1, ... of ragged rows with these counts."""
    ptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=ptr[1:])
    return ptr


def ragged(ptr: Int64Array, rows: Int64Array | slice) -> Int64Array | slice:
    """Return the places of the elements of the chosen rows, in order: a slice where they are contiguous."""
    if isinstance(rows, slice):
        return slice(int(ptr[rows.start]), int(ptr[rows.stop]))
    starts = ptr[rows]
    counts = ptr[rows + 1] - starts
    new_ptr = pointers(counts)
    places: Int64Array = np.repeat(starts - new_ptr[:-1], counts) + np.arange(new_ptr[-1])
    return places


def selected_pointers(ptr: Int64Array, rows: Int64Array | slice) -> Int64Array:
    """Return the offsets of the chosen rows once they stand alone."""
    if isinstance(rows, slice):
        return ptr[rows.start : rows.stop + 1] - int(ptr[rows.start])
    return pointers(ptr[rows + 1] - ptr[rows])


def silent_graphs(readout: BoolArray, node_ptr: Int64Array) -> Int64Array:
    """Return the numbers of graphs that have no readout node; no graph may be empty."""
    if len(node_ptr) == 1:
        return np.zeros(0, np.int64)
    return np.flatnonzero(~np.logical_or.reduceat(readout, node_ptr[:-1]))
