"""Arrays from outside made safe, and index arithmetic on ragged arrays."""

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

LIMIT = 2**31 - 1
"""Most nodes, edges, graphs or symbols that a batch can hold: numbers are 32-bit inside."""


class WithoutCaches:
    """Leaves what a ``cached_property`` keeps out of pickles, so that they and hashes of them do not change by use."""

    def __getstate__(self) -> dict[str, Any]:
        members = [member for kind in type(self).__mro__ for member in vars(kind).items()]
        cached = {name for name, member in members if isinstance(member, cached_property)}
        return {name: value for name, value in vars(self).items() if name not in cached}


class FrozenArrays(WithoutCaches):
    """Makes every array of a dataclass read-only, also after a copy or a trip to another process.

    Batches share arrays, so nobody may write to one. What is kept is a read-only view: an array that a
    caller handed in stays as writable as it was. ``repr`` shows the type and shape of arrays, not what is in them.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in vars(cls):
            cls.__repr__ = short_repr  # type: ignore[method-assign]  # before dataclass() would write one

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        FrozenArrays.__post_init__(self)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view through which the array cannot be changed."""
    view = array.view()
    view.flags.writeable = False
    return view


def integers(values: ArrayLike, what: str) -> Int64Array:
    """Return a one-dimensional array of whole numbers, refusing what merely looks like one.

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
        found = f"NaN at place {bad[0]}" if bad.size else f"dtype {array.dtype}, the first being {array[0]}"
        raise GraphError(f"The {what} must be whole numbers (an integer array); got {found}.")
    if array.dtype.kind not in "iu":
        raise GraphError(f"The {what} must be whole numbers (an integer array); got dtype {array.dtype}.")
    if array.dtype == np.uint64 and int(array.max()) > LIMIT:
        raise GraphError(f"The {what} must be below 2^31; got {array.max()}.")
    return array.astype(np.int64, copy=False)


def refuse_negative(counts: Int64Array, what: str) -> None:
    """Refuse counts below 0, one of which is given per graph."""
    bad = np.flatnonzero(counts < 0)
    if len(bad):
        raise GraphError(f"The {what} must not be negative; got {counts[bad[0]]} for graph {bad[0]}.")


def check_limit(number: int, what: str) -> None:
    """Refuse more of anything than 32-bit numbers can count."""
    if number > LIMIT:
        raise GraphError(
            f"A batch can hold at most 2^31 - 1 {what}; got {number:,}. Split the data into several batches."
        )


def total(counts: Int64Array, what: str) -> int:
    """Return the sum of counts, refusing one that 32-bit numbers cannot hold; the sum itself cannot overflow."""
    check_limit(len(counts), "graphs")
    check_limit(int(counts.max(initial=0)), what)
    number = int(counts.sum())
    check_limit(number, what)
    return number


def node_pointers(node_counts: ArrayLike) -> Int64Array:
    """Return the offsets of graphs with these numbers of nodes, each of which must be at least 1."""
    counts = integers(node_counts, "node_counts")
    refuse_negative(counts, "node_counts")
    bad = np.flatnonzero(counts < 1)
    if len(bad):
        raise GraphError(f"A graph must have at least one node; graph {bad[0]} has {counts[bad[0]]}.")
    total(counts, "nodes")
    return pointers(counts)


def place(node: int, node_ptr: Int64Array, first: int = 0) -> str:
    """Return a node's place in words; the first graph is called number ``first``."""
    graph = int(np.searchsorted(node_ptr, node, side="right")) - 1
    return f"node {node - int(node_ptr[graph])} of graph {first + graph}"


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


def quantile_cuts(values: NDArray[Any], bins: int) -> NDArray[Any]:
    """Return where to cut: at equal shares of the data, or at all values but the smallest if they are few.

    A bin holds its lower cut. Of values that are all alike the one that there is is returned.
    """
    distinct = np.unique(values)
    if len(distinct) < 2:
        return distinct
    if len(distinct) <= bins:
        return distinct[1:]
    cuts = np.quantile(values, np.arange(1, bins) / bins, method="higher")
    # Nothing lies below the smallest value; where most are that one, what differs from it is told.
    chosen = np.searchsorted(distinct, np.unique(np.maximum(cuts, distinct[1])))
    return np.array([_shortest(distinct[place - 1], distinct[place]) for place in chosen], dtype=distinct.dtype)


def _shortest(below: Any, cut: Any) -> Any:
    """Return a number of few digits that parts the same data as ``cut``: above ``below``, at most ``cut``."""
    rounded = (cut.dtype.type(f"{cut:.{digits}g}") for digits in range(4, 17))
    return next((number for number in rounded if below < number <= cut), cut)
