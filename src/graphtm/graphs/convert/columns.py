"""Columns of data frames: which are read, and what pandas and polars do differently as they become numbers.

Both libraries number the values of a column at the speed of their hash tables. pandas does so by Python's equality, to
which ``1`` and ``True`` are the same, so a column of mixed objects is numbered value by value here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, Protocol

import numpy as np

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.calling import require
from graphtm.foundation.names import Name, Numbering, in_order, normalize_name

BOOLEAN, FLOAT, LIST, NAME = "Boolean", "float", "list", "name"
_UNIFORM = ("string", "integer", "boolean", "empty")
_LISTS = (list, tuple, Set, np.ndarray)


@dataclass(frozen=True)
class FrameColumns:
    """Names of the columns, as :func:`graphtm.graphs.convert.from_pandas` describes them."""

    graph: Hashable | None
    node: Hashable
    symbols: Any
    type: Hashable | None
    source: Hashable
    destination: Hashable
    edge_type: Hashable | None
    label: Hashable | None
    ignore: Iterable[Hashable]

    def single(self) -> list[tuple[Hashable | None, str]]:
        """Return what must be the name of one column, and the parameter that gives it."""
        several = ("symbols", "ignore")
        return [(getattr(self, field.name), field.name) for field in fields(self) if field.name not in several]

    @property
    def of_nodes(self) -> tuple[Hashable, ...]:
        """The columns of the nodes that something else than symbols is read from."""
        return self.graph, self.node, self.type, self.label

    @property
    def of_edges(self) -> tuple[Hashable, ...]:
        """The columns of the edges that something is read from."""
        return self.graph, self.source, self.destination, self.edge_type


class Library(Protocol):
    """What :mod:`graphtm.graphs.convert.frames` asks of pandas and polars."""

    name: str

    def is_frame(self, value: object) -> bool: ...

    def column(self, frame: Any, name: Any) -> Any: ...

    def names(self, frame: Any) -> list[Any]: ...

    def kind(self, column: Any) -> str:
        """Return one of the four kinds above, or the column's own type if it is none of them."""
        ...

    def true_rows(self, column: Any) -> Int64Array:
        """Return the rows of a Boolean column that are true."""
        ...

    def number(self, columns: Sequence[Any]) -> tuple[list[Int64Array], list[Name]]:
        """Return the values of columns, numbered together in order of appearance, and their names; -1 is missing."""
        ...

    def flat(self, column: Any) -> tuple[Int64Array, Any]:
        """Return the items of a column of lists, and the row of each."""
        ...


class Pandas:
    """Columns of pandas."""

    name = "pandas"

    def __init__(self, what: str) -> None:
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

    def true_rows(self, column: Any) -> Int64Array:
        return np.flatnonzero(column.where(column.notna(), False).to_numpy(dtype=bool))

    def number(self, columns: Sequence[Any]) -> tuple[list[Int64Array], list[Name]]:
        if len(columns) > 1 and all(column.dtype == columns[0].dtype for column in columns):
            joined = self._pandas.concat(columns, ignore_index=True)
            return _split(*self._numbered(joined), columns)
        return _merged(map(self._numbered, columns))

    def _uniform(self, column: Any) -> bool:
        """Whether no two values of a column of objects can be equal and of different types."""
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
        return rows, self._pandas.Series(_objects(chain.from_iterable(map(_items, lists)), len(rows)), dtype=object)


class Polars:
    """Columns of polars."""

    name = "polars"

    def __init__(self, what: str) -> None:
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


def _split(numbers: Int64Array, names: list[Name], columns: Sequence[Any]) -> tuple[list[Int64Array], list[Name]]:
    return np.split(numbers, np.cumsum([len(column) for column in columns])[:-1]), names


def _merged(parts: Iterator[tuple[Int64Array, list[Name]]]) -> tuple[list[Int64Array], list[Name]]:
    """Return columns that were numbered apart under common numbers."""
    numbering, renumbered = Numbering(), []
    for numbers, names in parts:
        # The last place is what -1, a missing value, picks.
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
    """Return the items of a list; those of a set in an order that is the same in every process."""
    if isinstance(values, Set):
        return in_order(values)
    return values.tolist() if isinstance(values, np.ndarray) else values  # type: ignore[no-any-return]


def _objects(values: Iterable[object], size: int) -> Any:
    """Return values as an array of objects; NumPy would take tuples for rows."""
    array = np.empty(size, dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array
