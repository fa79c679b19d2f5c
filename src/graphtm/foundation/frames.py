"""Data frames of pandas and polars, and other tables with named columns.

All differences between the two libraries are handled here: converters and encoders call the same methods for both.
Neither library is imported unless it is used.

Both number the values of a column quickly, by their hash tables. pandas compares by Python's equality, where ``1``
equals ``True``, so columns of mixed objects are numbered value by value here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.calling import require
from graphtm.foundation.names import Name, as_list, normalize_name
from graphtm.foundation.numbering import Numbering

BOOLEAN, FLOAT, LIST, NAME = "Boolean", "float", "list", "name"
_UNIFORM = ("string", "integer", "boolean", "empty")
_LISTS = (list, tuple, Set, np.ndarray)
EXACT = 2**53
"""64-bit floats represent all integers up to this one exactly."""


class Library(Protocol):
    """Operations on the data frames of one library, and on their columns."""

    name: str

    def is_frame(self, value: object) -> bool: ...

    def column(self, frame: Any, name: Any) -> Any: ...

    def names(self, frame: Any) -> list[Any]: ...

    def kind(self, column: Any) -> str:
        """Return ``BOOLEAN``, ``FLOAT``, ``LIST`` or ``NAME``, or the name of the column's dtype if none applies."""
        ...

    def is_temporal(self, column: Any) -> bool:
        """Whether the column's dtype is a date, a time or a duration."""
        ...

    def values(self, column: Any) -> NDArray[Any]:
        """Return the values as an array.

        Numbers are floats, with NaN for missing values, or objects if floats would round them. Booleans with missing
        values are a masked array. Everything else is an array of objects.
        """
        ...

    def true_rows(self, column: Any) -> Int64Array:
        """Return the rows in which a Boolean column is true."""
        ...

    def number(self, columns: Sequence[Any]) -> tuple[list[Int64Array], list[Name]]:
        """Return the values of several columns as numbers, in their common order of first appearance.

        Returns one array of numbers per column, with -1 for missing values, and the names that are numbered.
        """
        ...

    def flat(self, column: Any) -> tuple[Int64Array, Any]:
        """Return the row of each item of a column of lists, and the items as one column."""
        ...


class Pandas:
    """Data frames of pandas."""

    name = "pandas"

    def __init__(self, what: str = "A pandas data frame") -> None:
        self._pandas = require("pandas", what, "frames")

    def is_frame(self, value: object) -> bool:
        return isinstance(value, self._pandas.DataFrame)

    def column(self, frame: Any, name: Any) -> Any:
        return frame[name]

    def names(self, frame: Any) -> list[Any]:
        return list(frame.columns)

    def kind(self, column: Any) -> str:
        types, dtype = self._pandas.api.types, column.dtype
        if isinstance(dtype, self._pandas.CategoricalDtype):
            kind = self.kind(dtype.categories.to_series())
            return NAME if kind == BOOLEAN else kind
        if self._holds_objects(column):
            return self._kind_of_objects(column)
        for is_kind, kind in (
            (types.is_bool_dtype, BOOLEAN),
            (types.is_integer_dtype, NAME),
            (types.is_float_dtype, FLOAT),
            (types.is_string_dtype, NAME),
        ):
            if is_kind(dtype):
                return kind
        return str(dtype)

    def _kind_of_objects(self, column: Any) -> str:
        inferred: str = self._pandas.api.types.infer_dtype(column, skipna=True)
        if inferred == "mixed" and all(isinstance(value, _LISTS) for value in column[column.notna()]):
            return LIST
        kinds = {"boolean": BOOLEAN} | dict.fromkeys(("floating", "mixed-integer-float", "decimal"), FLOAT)
        return kinds.get(inferred, NAME if inferred in (*_UNIFORM, "mixed", "mixed-integer") else inferred)

    def _holds_objects(self, column: Any) -> bool:
        return bool(self._pandas.api.types.is_object_dtype(column.dtype))

    def is_temporal(self, column: Any) -> bool:
        return column.dtype.kind in "mM"

    def values(self, column: Any) -> NDArray[Any]:
        dtype = column.dtype
        if isinstance(dtype, np.dtype):
            return column.to_numpy()  # type: ignore[no-any-return]
        if dtype.kind not in "iufb":
            return column.astype(object).to_numpy()  # type: ignore[no-any-return]
        floats: NDArray[np.float64] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if dtype.kind == "b":
            return np.ma.array(floats == 1, mask=np.isnan(floats))
        if dtype.kind in "iu" and may_round(floats):
            return column.to_numpy(dtype=object, na_value=None)  # type: ignore[no-any-return]
        return floats

    def true_rows(self, column: Any) -> Int64Array:
        return np.flatnonzero(column.where(column.notna(), False).to_numpy(dtype=bool))

    def number(self, columns: Sequence[Any]) -> tuple[list[Int64Array], list[Name]]:
        if len(columns) > 1 and all(column.dtype == columns[0].dtype for column in columns):
            joined = self._pandas.concat(columns, ignore_index=True)
            return _split(*self._numbered(joined), columns)
        return _merged(map(self._numbered, columns))

    def _uniform(self, column: Any) -> bool:
        """Whether equal values in a column of objects always have the same type."""
        return self._pandas.api.types.infer_dtype(column, skipna=True) in _UNIFORM

    def _numbered(self, column: Any) -> tuple[Int64Array, list[Name]]:
        if self._holds_objects(column) and not self._uniform(column):
            return self._numbered_one_by_one(column)
        numbers, values = self._pandas.factorize(column)
        if self._holds_objects(column) and len(values):
            # Before version 3, pandas compares strings only up to a NUL character.
            present = numbers >= 0
            if not np.array_equal(np.asarray(values, dtype=object)[numbers[present]], column.to_numpy()[present]):
                return self._numbered_one_by_one(column)
        return np.asarray(numbers, dtype=np.int64), [normalize_name(value) for value in values.tolist()]

    def _numbered_one_by_one(self, column: Any) -> tuple[Int64Array, list[Name]]:
        missing = [not isinstance(value, _LISTS) and self._pandas.isna(value) is True for value in column]
        return _numbered_exactly(column, missing)

    def flat(self, column: Any) -> tuple[Int64Array, Any]:
        lists = [value if isinstance(value, _LISTS) else () for value in column]
        rows = np.repeat(np.arange(len(lists)), [len(value) for value in lists])
        return rows, self._pandas.Series(objects(list(chain.from_iterable(map(_items, lists)))), dtype=object)


class Polars:
    """Data frames of polars."""

    name = "polars"

    def __init__(self, what: str = "A polars data frame") -> None:
        self._polars = require("polars", what, "frames")

    def is_frame(self, value: object) -> bool:
        return isinstance(value, self._polars.DataFrame)

    def column(self, frame: Any, name: Any) -> Any:
        return frame[name]

    def names(self, frame: Any) -> list[Any]:
        return list(frame.columns)

    def kind(self, column: Any) -> str:
        polars, dtype = self._polars, column.dtype
        if dtype == polars.Boolean:
            return BOOLEAN
        if dtype.is_float() or dtype.is_decimal():
            return FLOAT
        if dtype in (polars.List, polars.Array):
            return LIST
        names = (polars.String, polars.Categorical, polars.Enum, polars.Null, polars.Object)
        return NAME if dtype.is_integer() or dtype in names else str(dtype)

    def is_temporal(self, column: Any) -> bool:
        return bool(column.dtype.is_temporal())

    def values(self, column: Any) -> NDArray[Any]:
        if column.dtype.is_numeric():
            floats: NDArray[np.float64] = column.cast(float).to_numpy()
            if not (column.dtype.is_integer() and may_round(floats)):
                return floats
        return objects(column.to_list())

    def true_rows(self, column: Any) -> Int64Array:
        return np.flatnonzero(column.fill_null(False).to_numpy())

    def number(self, columns: Sequence[Any]) -> tuple[list[Int64Array], list[Name]]:
        if len(columns) > 1 and all(column.dtype == columns[0].dtype for column in columns):
            joined = self._polars.concat([column.alias("value") for column in columns])
            return _split(*self._numbered(joined), columns)
        return _merged(map(self._numbered, columns))

    def _numbered(self, column: Any) -> tuple[Int64Array, list[Name]]:
        polars = self._polars
        if column.dtype in (polars.Object, polars.Null):
            values = column.to_list()
            return _numbered_exactly(values, [value is None for value in values])
        if column.dtype in (polars.Categorical, polars.Enum):
            column = column.cast(polars.String)
        present = column.alias("value").drop_nulls().unique(maintain_order=True)
        table = polars.DataFrame({"value": present, "number": np.arange(len(present))})
        joined = column.alias("value").to_frame().join(table, on="value", how="left", maintain_order="left")
        return joined["number"].fill_null(-1).to_numpy(), [normalize_name(value) for value in present.to_list()]

    def flat(self, column: Any) -> tuple[Int64Array, Any]:
        if column.dtype == self._polars.Array:
            column = column.arr.to_list()
        counts = column.list.len().fill_null(0).to_numpy()
        return np.repeat(np.arange(len(counts)), counts), column.filter(counts > 0).explode()


def is_frame(table: Any) -> bool:
    """Whether a table is a data frame of pandas or polars."""
    return hasattr(table, "columns") and (hasattr(table, "iloc") or hasattr(table, "get_columns"))


def library_of(frame: Any) -> Library:
    """Return the library that a data frame belongs to."""
    return Polars() if hasattr(frame, "get_columns") else Pandas()


def named_columns(table: Any) -> Mapping[Hashable, Any] | None:
    """Return the columns of a data frame, a mapping or a structured array by name; ``None`` for other tables."""
    if is_frame(table):
        return {name: table[name] for name in table.columns}
    if isinstance(table, np.ndarray) and table.dtype.names is not None:
        return {name: table[name] for name in table.dtype.names}
    return table if isinstance(table, Mapping) else None


def may_round(floats: NDArray[np.float64]) -> bool:
    """Whether some of these may be integers that were rounded to 64-bit floats."""
    return bool((np.abs(floats) >= EXACT).any())


def objects(values: Sequence[object]) -> NDArray[np.object_]:
    """Return values as an array of objects, where tuples and lists stay single values."""
    return np.fromiter(values, np.object_, len(values))


def _split(numbers: Int64Array, names: list[Name], columns: Sequence[Any]) -> tuple[list[Int64Array], list[Name]]:
    return np.split(numbers, np.cumsum([len(column) for column in columns])[:-1]), names


def _merged(parts: Iterator[tuple[Int64Array, list[Name]]]) -> tuple[list[Int64Array], list[Name]]:
    """Merge columns that were numbered separately."""
    numbering, renumbered = Numbering(), []
    for numbers, names in parts:
        # -1, a missing value, picks the last entry.
        common = np.array([*map(numbering, names), -1], dtype=np.int64)
        renumbered.append(common[numbers])
    return renumbered, list(numbering.names())


def _numbered_exactly(values: Iterable[object], missing: Sequence[bool]) -> tuple[Int64Array, list[Name]]:
    numbering = Numbering()
    numbers = [
        -1 if absent else numbering(normalize_name(value)) for value, absent in zip(values, missing, strict=True)
    ]
    return np.array(numbers, dtype=np.int64), list(numbering.names())


def _items(values: Any) -> Iterable[object]:
    """Return the items of a list; those of a set in the same order in every process."""
    if isinstance(values, Set):
        return as_list(values)
    return values.tolist() if isinstance(values, np.ndarray) else values  # type: ignore[no-any-return]
