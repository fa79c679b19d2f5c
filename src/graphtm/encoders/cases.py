"""Cases of a column's values, such as intervals or categories, and their symbols."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.encoders.columns import BOOLEAN, CATEGORY, NUMBER, Column
from graphtm.errors import GraphError
from graphtm.foundation.arrays import FrozenArrays, Int64Array, pointers, quantile_cuts
from graphtm.foundation.names import name_key, number_name
from graphtm.foundation.parameters import is_number

THERMOMETER, QUANTILE, ONE_HOT = "thermometer", "quantile", "one_hot"


@dataclass(frozen=True, eq=False)
class ColumnCode(FrozenArrays):
    """Fitted encoding of a column: every value falls into a case, and each case has a set of symbols.

    Parameters
    ----------
    name
        Name of the column.
    kind, encoding
        Kind of the column, and how its values are encoded.
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
    encoding: str
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
    edges, names = None, None
    if has_edges(column.kind, encoding):
        edges = _exact_cuts(column.values[there], bins)
    elif not is_switch(column.kind, encoding):
        names = _sorted_names(column.as_category().values[there].tolist())
    return make_code(column.name, column.kind, encoding, edges, names, tells_missing)


def has_edges(kind: str, encoding: str) -> bool:
    """Return whether a column of this kind and encoding is divided into intervals."""
    return kind == NUMBER and encoding in (THERMOMETER, QUANTILE)


def is_switch(kind: str, encoding: str) -> bool:
    """Return whether a column of this kind and encoding has one symbol, which is true or not."""
    return kind == BOOLEAN and encoding != CATEGORY


def make_code(
    name: Hashable,
    kind: str,
    encoding: str,
    edges: NDArray[Any] | None,
    names: Sequence[Hashable] | None,
    tells_missing: bool,
) -> ColumnCode:
    """Return the encoding of a column with these intervals or names; neither if it is a switch."""
    numbers: dict[Hashable, int] | None = None
    if edges is not None:
        texts, symbols, carried = _number_cases(name, edges, encoding)
    elif names is None:
        # One symbol is enough for both cases, because rules can negate it.
        numbers = {name_key(False): 0, name_key(True): 1}
        texts, symbols, carried = ["False", "True"], [(name, True)], [[], [0]]
    else:
        numbers = {name_key(one): number for number, one in enumerate(names)}
        texts, symbols = [str(one) for one in names], [(name, one) for one in names]
        carried = [[number] for number in range(len(names))]
    if tells_missing:
        carried.append([len(symbols)])
        texts.append("missing")
        symbols.append((name, "is", "missing"))
    return ColumnCode(
        name,
        kind,
        encoding,
        edges,
        numbers,
        tuple(texts),
        tuple(symbols),
        pointers(np.array([len(case) for case in carried], dtype=np.int64)),
        np.array([symbol for case in carried for symbol in case], dtype=np.int64),
        tells_missing,
    )


def code_to_file(code: ColumnCode) -> dict[str, Any]:
    """Return what a file needs to make a code again; its encoding is a parameter."""
    names = None
    if code.edges is None and not is_switch(code.kind, code.encoding):
        names = [symbol[1] for symbol in code.symbols[: len(code.symbols) - code.tells_missing]]  # type: ignore[index]
    edges = None if code.edges is None else code.edges.tolist()
    return {"name": code.name, "kind": code.kind, "edges": edges, "names": names, "missing": code.tells_missing}


def code_from_file(saved: Mapping[str, Any], encoding: str) -> ColumnCode:
    """Return the code of a column that a file describes.

    Raises
    ------
    ValueError, KeyError
        If the description is not complete, or does not fit the encoding.
    """
    kind, edges, names, missing = (saved[key] for key in ("kind", "edges", "names", "missing"))
    divided, switch = has_edges(kind, encoding), is_switch(kind, encoding)
    if kind not in (NUMBER, BOOLEAN, CATEGORY) or not isinstance(missing, bool):
        raise ValueError(f"column {saved['name']!r} has the kind {kind!r}")
    if (edges is not None, names is not None) != (divided, not divided and not switch):
        raise ValueError(f"column {saved['name']!r} does not fit the encoding {encoding!r}")
    if names is not None and not isinstance(names, list):
        raise ValueError(f"the names of column {saved['name']!r} must be a list")
    return make_code(saved["name"], kind, encoding, None if edges is None else _read_edges(edges), names, missing)


def _read_edges(edges: Any) -> NDArray[Any]:
    """Return boundaries; integers stay exact."""
    numbers = isinstance(edges, list) and all(is_number(edge) and math.isfinite(edge) for edge in edges)
    if not numbers or any(low >= high for low, high in pairwise(edges)):
        raise ValueError("the boundaries of a column must be ascending numbers")
    return np.array(edges, np.float64 if all(isinstance(edge, float) for edge in edges) else object)


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
