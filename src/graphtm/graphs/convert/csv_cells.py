"""Cells of CSV files as values.

The type of a cell depends on its text only, and not on other cells or on the file: a column of ``1``, ``2`` and ``X``
in the training file gives the same names as one of ``1`` and ``2`` in a later file.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.frames import Pandas, objects
from graphtm.graphs.number_texts import as_integer, as_number, is_whole

_BOOLEANS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


class CellReader:
    """Reads columns of texts, converting each different text once."""

    def __init__(self, pandas: Any) -> None:
        self._pandas, self._library = pandas, Pandas("read_csv")

    def values(self, column: Any, as_numbers: bool) -> Any:
        """Return a column with integers, Booleans and strings.

        Parameters
        ----------
        column
            Column of texts and missing values.
        as_numbers
            Whether the column is divided into bins, so that all numbers are floats.

        Returns
        -------
        column
            All cells are floats if all are numbers, and one is written as a float: these must be divided into bins.
        """
        numbers, texts = self._numbered(column)
        values = [_value(text) for text in texts]
        found = self._uniform(numbers, texts, values, as_numbers)
        return self._mixed(numbers, values) if found is None else found

    def labels(self, column: Any) -> Any:
        """Return a column with integers, Booleans or floats if all values are of that kind, else the texts."""
        numbers, texts = self._numbered(column)
        found = self._uniform(numbers, texts, [_value(text) for text in texts], False)
        return column if found is None else found

    def integers(self, columns: list[Any]) -> list[Any]:
        """Return columns with integers if all values of all columns are integers, else the columns."""
        parts = [self._numbered(column) for column in columns]
        found = [[as_integer(text) for text in texts] for _, texts in parts]
        if any(value is None for values in found for value in values):
            return columns
        return [self._array("Int64", part[0], np.int64, values) for part, values in zip(parts, found, strict=True)]

    def _numbered(self, column: Any) -> tuple[Int64Array, list[str]]:
        (numbers,), texts = self._library.number([column])
        return numbers, [str(text) for text in texts]

    def _uniform(
        self, numbers: Int64Array, texts: list[str], values: list[str | int | bool], as_numbers: bool
    ) -> Any | None:
        """Return a column whose values are all of the same kind, or None."""
        kinds = {type(value) for value in values}
        if kinds <= {int}:
            return self._array("Int64", numbers, np.int64, values)
        if kinds == {bool}:
            return self._array("boolean", numbers, np.bool_, values)
        if all(map(is_whole, texts)) and not as_numbers:
            return None
        floats = list(takewhile(lambda number: number is not None, map(as_number, texts)))
        return self._array("Float64", numbers, np.float64, floats) if len(floats) == len(texts) else None

    def _array(self, dtype: str, numbers: Int64Array, kind: type, values: list[Any]) -> Any:
        """Return a column of a nullable dtype."""
        known: NDArray[Any] = np.array([*values, 0], dtype=kind)
        arrays = self._pandas.arrays
        made = {"Int64": arrays.IntegerArray, "boolean": arrays.BooleanArray, "Float64": arrays.FloatingArray}
        return self._pandas.Series(made[dtype](known[numbers], numbers < 0))

    def _mixed(self, numbers: Int64Array, values: list[Any]) -> Any:
        """Return a column of objects; by category if no two values are equal in Python, which is faster."""
        held = objects(values)
        if len(set(values)) == len(values):
            return self._pandas.Series(
                self._pandas.Categorical.from_codes(numbers, self._pandas.Index(held, dtype=object))
            )
        return self._pandas.Series(objects([*values, None])[numbers], dtype=object)


def _value(text: str) -> str | int | bool:
    """Return the value of a cell."""
    number = as_integer(text.strip(" "))
    return _BOOLEANS.get(text, text) if number is None else number
