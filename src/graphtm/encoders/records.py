"""Records as columns whose cells may hold several values, and joins of such columns by row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtm.encoders.columns import value_name
from graphtm.errors import GraphError
from graphtm.foundation.arrays import FrozenArrays, Int64Array, pointers
from graphtm.foundation.frames import named_columns
from graphtm.foundation.names import in_order, is_missing, is_set, name_key, shorten


@dataclass(frozen=True, eq=False)
class Cells(FrozenArrays):
    """The values of a column: ``names[number[i]]`` is a value of row ``row[i]``, in ascending order of rows."""

    row: Int64Array
    number: Int64Array
    names: tuple[Hashable, ...]


def read_columns(X: Any, names: Iterable[Hashable], owner: str) -> tuple[int, dict[Hashable, list[Any]]]:
    """Return the number of rows and the given columns.

    Parameters
    ----------
    X
        A list of records (mappings), a mapping from columns to lists, a structured array, or a pandas or polars data
        frame.
    names
        Names of the columns.
    owner
        Name of the encoder, for messages.

    Raises
    ------
    TypeError
        If ``X`` is of another type.
    GraphError
        If a column is missing, or columns differ in length.
    """
    names = list(dict.fromkeys(names))
    table = named_columns(X)
    if table is not None:
        _check_names(names, list(table))
        for name in names:
            if isinstance(table[name], str | bytes) or not isinstance(table[name], Iterable):
                raise TypeError(f"Columns must be lists of values; column {name!r} is {table[name]!r:.60}.")
        columns = {name: _listed(table[name]) for name in names}
        lengths = {len(values) for values in columns.values()}
        if len(lengths) > 1:
            raise GraphError(f"All columns must have the same length; got {sorted(lengths)}.")
        return lengths.pop() if lengths else 0, columns
    records = list(X) if isinstance(X, Iterable) and not isinstance(X, str | bytes) else [X]
    for number, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise TypeError(
                f"{owner} needs a list of records (dicts), a dict of columns, a structured array or a data frame; "
                f"record {number} has type {type(record).__name__!r}."
            )
    if records:
        _check_names(names, list(dict.fromkeys(key for record in records for key in record)))
    return len(records), {name: [record.get(name) for record in records] for name in names}


def _listed(column: Any) -> list[Any]:
    return column.to_list() if hasattr(column, "to_list") else list(column)


def _check_names(names: list[Hashable], there: list[Hashable]) -> None:
    absent = [name for name in names if name not in there]
    if absent:
        raise GraphError(
            f"The data must have the columns {shorten(absent)}, named by entities, edges, attributes, identity or "
            f"graph; it has {shorten(there, 10)}."
        )


def read_cells(values: list[Any], column: Hashable) -> Cells:
    """Return the values of a column; a list in a cell means several values, a missing value means none."""
    row, number = [], []
    numbers: dict[Hashable, int] = {}
    names: list[Hashable] = []
    for place, cell in enumerate(values):
        several = in_order(cell) if is_set(cell) else cell
        for value in several if isinstance(several, list | tuple | np.ndarray | Set) else (several,):
            if is_missing(value):
                continue
            name = value_name(value, column)
            found = numbers.setdefault(name_key(name), len(names))
            if found == len(names):
                names.append(name)
            row.append(place)
            number.append(found)
    return Cells(np.array(row, dtype=np.int64), np.array(number, dtype=np.int64), tuple(names))


def join(left: Int64Array, right: Int64Array, n_rows: int) -> tuple[Int64Array, Int64Array]:
    """Return the indices of all pairs of equal rows; both arrays must be ascending and below ``n_rows``."""
    counts = np.bincount(right, minlength=n_rows)
    starts = pointers(counts)
    per_left = counts[left]
    ends = pointers(per_left)
    offset = np.arange(ends[-1]) - np.repeat(ends[:-1] - starts[left], per_left)
    return np.repeat(np.arange(len(left)), per_left), offset
