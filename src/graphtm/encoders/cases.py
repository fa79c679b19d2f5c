"""Cases of a column's values, such as intervals or categories, and their symbols."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.encoders.columns import BOOLEAN, CATEGORY, NUMBER, Column, number_name
from graphtm.errors import GraphError
from graphtm.foundation.arrays import FrozenArrays, Int64Array, pointers, quantile_cuts
from graphtm.foundation.names import name_key

THERMOMETER, QUANTILE, ONE_HOT = "thermometer", "quantile", "one_hot"


@dataclass(frozen=True, eq=False)
class ColumnCode(FrozenArrays):
    """Fitted encoding of a column: every value falls into a case, and each case has a set of symbols.

    Parameters
    ----------
    name
        Name of the column.
    kind
        Kind of the column.
    edges
        For intervals: the boundaries in ascending order; an interval contains its lower boundary.
    numbers
        For single values: the case of each value, by :func:`~graphtm.foundation.names.name_key`.
    texts
        Text of each case. If ``tells_missing``, the last one is "missing".
    symbols
        Symbols of the column.
    ptr, carried
        Case ``k`` has the symbols ``carried[ptr[k]:ptr[k + 1]]``, as indices within the column.
    tells_missing
        Whether there is a case for missing values.
    """

    name: Hashable
    kind: str
    edges: NDArray[Any] | None
    numbers: dict[Hashable, int] | None
    texts: tuple[str, ...]
    symbols: tuple[Hashable, ...]
    ptr: Int64Array
    carried: Int64Array
    tells_missing: bool

    def cases(self, column: Column) -> Int64Array:
        """Return the case of each value: -1 for unknown values, -2 for missing ones if they have no case."""
        missing = column.missing
        if self.edges is not None:
            edges, values = self.edges, np.where(missing, 0, column.values)
            if edges.dtype != values.dtype:
                # NumPy would round integers to floats; Python compares them exactly.
                edges, values = edges.astype(object), values.astype(object)
            cases = np.searchsorted(edges, values, side="right")
        else:
            numbers = self.numbers or {}
            names = column.as_category().values
            cases = np.fromiter((numbers.get(name_key(name), -1) for name in names), np.int64, len(names))
        cases[missing] = len(self.texts) - 1 if self.tells_missing else -2
        return cases

    def pairs(self, cases: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return pairs of row and symbol, the latter as index within the column, for rows with these cases."""
        rows = np.flatnonzero(cases >= 0)
        starts = self.ptr[cases[rows]]
        counts = self.ptr[cases[rows] + 1] - starts
        ends = pointers(counts)
        places = np.arange(ends[-1]) - np.repeat(ends[:-1] - starts, counts)
        return np.repeat(rows, counts), self.carried[places]

    def case_weights(self, weights: NDArray[np.float64]) -> list[tuple[str, float]]:
        """Return each case with the sum of the weights of its symbols."""
        parts = np.split(weights[self.carried], self.ptr[1:-1])
        sums = [float(part.sum()) for part in parts]
        return list(zip(self.texts, sums, strict=True))


def learn_code(column: Column, encoding: str, bins: int, missing: str) -> ColumnCode:
    """Learn the encoding of a column from training data."""
    there = ~column.missing
    tells_missing = missing == "symbol" and not there.all()
    edges = numbers = None
    if column.kind == NUMBER and encoding in (THERMOMETER, QUANTILE):
        edges = _exact_cuts(column.values[there], bins)
        texts, symbols, carried = _number_cases(column.name, edges, encoding)
    elif column.kind == BOOLEAN and encoding != CATEGORY:
        # One symbol is enough for both cases, because rules can negate it.
        numbers = {name_key(False): 0, name_key(True): 1}
        texts, symbols, carried = ["False", "True"], [(column.name, True)], [[], [0]]
    else:
        names = _sorted_names(column.as_category().values[there].tolist())
        numbers = {name_key(name): number for number, name in enumerate(names)}
        texts, symbols = [str(name) for name in names], [(column.name, name) for name in names]
        carried = [[number] for number in range(len(names))]
    if tells_missing:
        carried.append([len(symbols)])
        texts.append("missing")
        symbols.append((column.name, "is", "missing"))
    return ColumnCode(
        column.name,
        column.kind,
        edges,
        numbers,
        tuple(texts),
        tuple(symbols),
        pointers(np.array([len(case) for case in carried], dtype=np.int64)),
        np.array([symbol for case in carried for symbol in case], dtype=np.int64),
        tells_missing,
    )


def check_kind(column: Column, code: ColumnCode) -> None:
    """Raise if a column is of another kind than in the training data."""
    told_by_value = code.numbers is not None and code.kind != BOOLEAN
    if column.kind != code.kind and not told_by_value and not column.missing.all():
        raise GraphError(
            f"Column {column.name!r} must have {code.kind} values as in the training data; got {column.kind} values."
        )


def _exact_cuts(values: NDArray[Any], bins: int) -> NDArray[Any]:
    """Return the boundaries; for numbers that floats cannot represent, these are values of the column."""
    if values.dtype != object:
        return quantile_cuts(values, bins)
    distinct, ranks = np.unique(values, return_inverse=True)
    return np.asarray(distinct[quantile_cuts(ranks.astype(np.float64), bins).astype(np.int64)])


def _number_cases(
    name: Hashable, cuts: NDArray[Any], encoding: str
) -> tuple[list[str], list[Hashable], list[list[int]]]:
    names = [number_name(cut) for cut in cuts.tolist()]
    shown = [str(cut) for cut in names]
    if not shown:
        return ["any"], [], [[]]
    between = [f"[{low}, {high})" for low, high in pairwise(shown)]
    texts = [f"< {shown[0]}", *between, f">= {shown[-1]}"]
    if encoding == THERMOMETER:
        return texts, [(name, ">=", cut) for cut in names], [list(range(case)) for case in range(len(texts))]
    return texts, [(name, "in", text) for text in texts], [[case] for case in range(len(texts))]


def _sorted_names(values: list[Hashable]) -> list[Hashable]:
    """Return the distinct values in order; values of different types are grouped by type."""
    distinct = {name_key(value): value for value in values}.values()
    return sorted(distinct, key=lambda value: (type(value).__name__, value))
