"""Columns of tables, from arrays or data frames: numbers, Booleans or categories, with missing values."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.frames import EXACT, library_of, may_round, objects
from graphtm.foundation.names import is_missing, number_name

NUMBER, BOOLEAN, CATEGORY = "number", "boolean", "category"


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table.

    Parameters
    ----------
    name
        Name of the column.
    kind
        ``NUMBER``, ``BOOLEAN`` or ``CATEGORY``.
    values
        For numbers and Booleans: 64-bit floats, NaN if missing; Python numbers, ``None`` if missing, where floats
        would round. For categories: names, ``None`` if missing.
    """

    name: Hashable
    kind: str
    values: NDArray[Any]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.values.dtype == object:
            return np.fromiter((value is None for value in self.values), np.bool_, len(self.values))
        return np.asarray(np.isnan(self.values))

    @property
    def has_infinity(self) -> bool:
        """Whether a value is infinite."""
        if self.values.dtype == object:
            return any(isinstance(value, float) and math.isinf(value) for value in self.values)
        return bool(np.isinf(self.values).any())

    def as_category(self) -> Column:
        """Return the same values as names."""
        if self.kind == CATEGORY:
            return self
        name_of = bool if self.kind == BOOLEAN else number_name
        values = [None if value is None or value != value else name_of(value) for value in self.values.tolist()]
        return Column(self.name, CATEGORY, objects(values))


def frame_column(X: Any, place: int, name: Hashable) -> Column:
    """Return the column of a pandas or polars data frame at an index, with a given name."""
    library, series = library_of(X), X[X.columns[place]]
    if library.is_temporal(series):
        _refuse_dtype(name, series.dtype)
    return array_column(library.values(series), name)


def array_column(values: NDArray[Any], name: Hashable) -> Column:
    """Return a one-dimensional array as a column."""
    kind = values.dtype.kind
    if kind == "b":
        return Column(name, BOOLEAN, np.ma.filled(values.astype(np.float64), np.nan))
    if kind in "iuf":
        floats = values.astype(np.float64)
        return Column(name, NUMBER, objects(values.tolist()) if kind != "f" and may_round(floats) else floats)
    if kind in "UT":
        return Column(name, CATEGORY, objects(values.tolist()))
    if kind != "O":
        _refuse_dtype(name, values.dtype)
    return _object_column(values.tolist(), name)


def _object_column(values: list[Any], name: Hashable) -> Column:
    """Return a column of Python objects; their types determine its kind."""
    values = [None if is_missing(value) else value for value in values]
    types = set(map(type, values)) - {type(None)}
    if types and all(issubclass(found, bool | np.bool_) for found in types):
        return Column(name, BOOLEAN, np.array([np.nan if value is None else float(value) for value in values]))
    if all(issubclass(found, int | float | np.integer | np.floating) and found is not bool for found in types):
        numbers = [value.item() if isinstance(value, np.generic) else value for value in values]
        if any(isinstance(number, int) and abs(number) > EXACT for number in numbers):
            return Column(name, NUMBER, objects(numbers))
        return Column(name, NUMBER, np.array(numbers, dtype=np.float64))
    return Column(name, CATEGORY, objects([None if value is None else value_name(value, name) for value in values]))


def value_name(value: Any, column: Hashable) -> Hashable:
    """Return a value as a name that files can store.

    Raises
    ------
    TypeError
        If it is not a string, number or Boolean.
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return number_name(float(value))
    # scikit-learn's check_estimator looks for "argument must be", "string" and "number".
    raise TypeError(
        f"Each value of the argument must be a string, number or Boolean; column {column!r} has {value!r:.60} of type "
        f"{type(value).__name__!r}."
    )


def _refuse_dtype(name: Hashable, dtype: Any) -> None:
    raise GraphError(
        f"Columns must have numbers, Booleans or categories; column {name!r} has dtype {dtype}. Convert it to numbers "
        "or strings, or leave it out."
    )


def row_objects(rows: Any) -> Any:
    """Return lists of rows as an array of objects; NumPy would convert mixed numbers and strings to strings."""
    lists = [list(row) if isinstance(row, list | tuple | np.ndarray) else row for row in rows]
    lengths = {len(row) for row in lists if isinstance(row, list)}
    if len(lengths) != 1 or not all(isinstance(row, list) for row in lists):
        return rows
    return objects([value for row in lists for value in row]).reshape(len(lists), -1)
