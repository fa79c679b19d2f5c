"""Checks of arrays, index arithmetic on ragged arrays, and quantiles."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.errors import GraphError
from graphtm.foundation.short_repr import short_repr

Int64Array: TypeAlias = NDArray[np.int64]
Int32Array: TypeAlias = NDArray[np.int32]
BoolArray: TypeAlias = NDArray[np.bool_]
WordArray: TypeAlias = NDArray[np.uint64]
LevelArray: TypeAlias = NDArray[np.uint8]

LIMIT = 2**31 - 1
"""Maximum number of nodes, edges, graphs or symbols in a batch: indices are stored in 32 bits."""


class WithoutCaches:
    """Leaves cached properties out of pickles, so that pickles and their hashes do not depend on what was used."""

    def __getstate__(self) -> dict[str, Any]:
        members = [member for kind in type(self).__mro__ for member in vars(kind).items()]
        cached = {name for name, member in members if isinstance(member, cached_property)}
        return {name: value for name, value in vars(self).items() if name not in cached}


class FrozenArrays(WithoutCaches):
    """Makes all arrays of a dataclass read-only, also after copying and unpickling.

    Batches share arrays, so none may be modified. Read-only views are stored: an array passed by the caller stays
    writable for the caller. ``repr`` shows only the dtype and shape of arrays.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in vars(cls):
            cls.__repr__ = short_repr  # type: ignore[method-assign]  # before dataclass() adds one

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        FrozenArrays.__post_init__(self)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of an array."""
    view = array.view()
    view.flags.writeable = False
    return view


def integers(values: ArrayLike, what: str) -> Int64Array:
    """Return values as a one-dimensional array of integers.

    Raises
    ------
    GraphError
        If the values are Booleans, floats (NaN included), strings, or not one-dimensional.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise GraphError(f"The {what} must be a one-dimensional array; got rows of different lengths.") from None
    if array.ndim != 1:
        raise GraphError(f"The {what} must be a one-dimensional array; got {array.ndim} dimensions.")
    if array.size == 0:
        return np.zeros(0, dtype=np.int64)
    if array.dtype.kind == "f":
        bad = np.flatnonzero(np.isnan(array))
        found = f"NaN at index {bad[0]}" if bad.size else f"dtype {array.dtype}, starting with {array[0]}"
        raise GraphError(f"The {what} must be integers; got {found}.")
    if array.dtype.kind not in "iu":
        raise GraphError(f"The {what} must be integers; got dtype {array.dtype}.")
    if array.dtype == np.uint64 and int(array.max()) > LIMIT:
        raise GraphError(f"The {what} must be below 2^31; got {array.max()}.")
    return array.astype(np.int64, copy=False)


def refuse_negative(counts: Int64Array, what: str) -> None:
    """Refuse negative counts; there is one count per graph."""
    bad = np.flatnonzero(counts < 0)
    if len(bad):
        raise GraphError(f"The {what} must not be negative; got {counts[bad[0]]} for graph {bad[0]}.")


def check_limit(number: int, what: str) -> None:
    """Refuse counts that do not fit into 32 bits."""
    if number > LIMIT:
        raise GraphError(
            f"A batch can hold at most 2^31 - 1 {what}; got {number:,}. Split the data into several batches."
        )


def total(counts: Int64Array, what: str) -> int:
    """Return the sum of counts; a sum that does not fit into 32 bits is refused before it can overflow."""
    check_limit(len(counts), "graphs")
    check_limit(int(counts.max(initial=0)), what)
    number = int(counts.sum())
    check_limit(number, what)
    return number


def node_pointers(node_counts: ArrayLike) -> Int64Array:
    """Return the offsets of graphs with these numbers of nodes; each number must be at least 1."""
    counts = integers(node_counts, "node_counts")
    refuse_negative(counts, "node_counts")
    bad = np.flatnonzero(counts < 1)
    if len(bad):
        raise GraphError(f"A graph must have at least one node; graph {bad[0]} has {counts[bad[0]]}.")
    total(counts, "nodes")
    return pointers(counts)


def place(node: int, node_ptr: Int64Array, first: int = 0) -> str:
    """Return the graph of a node and its index there as text; graphs are counted from ``first``."""
    graph = int(np.searchsorted(node_ptr, node, side="right")) - 1
    return f"node {node - int(node_ptr[graph])} of graph {first + graph}"


def pointers(counts: NDArray[np.integer]) -> Int64Array:
    """Return the offsets 0, c0, c0 + c1, ... of rows of these lengths."""
    ptr = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=ptr[1:])
    return ptr


def ragged(ptr: Int64Array, rows: Int64Array | slice) -> Int64Array | slice:
    """Return the indices of the elements of the selected rows, in order; a slice if the rows are a slice."""
    if isinstance(rows, slice):
        return slice(int(ptr[rows.start]), int(ptr[rows.stop]))
    starts = ptr[rows]
    counts = ptr[rows + 1] - starts
    new_ptr = pointers(counts)
    places: Int64Array = np.repeat(starts - new_ptr[:-1], counts) + np.arange(new_ptr[-1])
    return places


def selected_pointers(ptr: Int64Array, rows: Int64Array | slice) -> Int64Array:
    """Return the offsets of the selected rows, starting at 0."""
    if isinstance(rows, slice):
        return ptr[rows.start : rows.stop + 1] - int(ptr[rows.start])
    return pointers(ptr[rows + 1] - ptr[rows])


def silent_graphs(readout: BoolArray, node_ptr: Int64Array) -> Int64Array:
    """Return the indices of graphs without a readout node; no graph may be empty."""
    if len(node_ptr) == 1:
        return np.zeros(0, np.int64)
    return np.flatnonzero(~np.logical_or.reduceat(readout, node_ptr[:-1]))


def quantile_cuts(values: NDArray[Any], bins: int) -> NDArray[Any]:
    """Return the lower limits of all bins but the first.

    Limits are quantiles, or all distinct values but the smallest if there are at most ``bins`` of them. If all values
    are equal, that value is returned.
    """
    distinct = np.unique(values)
    if len(distinct) < 2:
        return distinct
    if len(distinct) <= bins:
        return distinct[1:]
    cuts = np.quantile(values, np.arange(1, bins) / bins, method="higher")
    # The smallest value must not be a limit: no value is below it. If most values equal it, separate the others.
    chosen = np.searchsorted(distinct, np.unique(np.maximum(cuts, distinct[1])))
    return np.array([_shortest(distinct[place - 1], distinct[place]) for place in chosen], dtype=distinct.dtype)


def _shortest(below: Any, cut: Any) -> Any:
    """Return the number with the fewest digits in ``(below, cut]``, which separates the same values as ``cut``."""
    rounded = (cut.dtype.type(f"{cut:.{digits}g}") for digits in range(4, 17))
    return next((number for number in rounded if below < number <= cut), cut)
