"""Rows of CSV files, JSON lines and plain texts, each with the number of its line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphtm.errors import GraphFormatError
from graphtm.foundation.calling import require

MISSING = frozenset(["", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"])
"""Cells that are missing values."""
_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Rows:
    """Rows with named columns.

    Parameters
    ----------
    name
        Name of the file, for messages.
    columns
        Names of the columns.
    cells
        Values, row by row; ``None`` if missing.
    lines
        Number of the line of each row.
    """

    name: str
    columns: list[str]
    cells: list[list[Any]]
    lines: list[int]

    def column(self, name: str) -> list[Any]:
        """Return the values of a column.

        Raises
        ------
        GraphFormatError
            If there is no such column.
        """
        if name not in self.columns:
            raise GraphFormatError(f"{self.name} has no column {name!r}; its columns are {', '.join(self.columns)}.")
        place = self.columns.index(name)
        return [row[place] for row in self.cells]


def file_text(path: Path) -> str:
    """Return the text of a file, which may be compressed."""
    if path.is_dir():
        raise GraphFormatError(f"{path} is a folder; a file is needed.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    content = path.read_bytes()
    try:
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphFormatError(f"{path} must be in UTF-8: {error}.") from None
    except (OSError, EOFError) as error:
        raise GraphFormatError(f"{path} is damaged: {error}.") from None


def csv_rows(path: Path, separator: str | None = None) -> Rows:
    """Return the rows of a CSV file whose first line names the columns."""
    separator = separator or separator_of(path)
    reader = csv.reader(io.StringIO(file_text(path), newline=""), delimiter=separator, strict=True)
    try:
        header = next(reader, [])
        if not header:
            raise GraphFormatError(f"{path} is empty; its first line must name the columns.")
        if len(header) == 1:
            other = next((one for one in _SEPARATORS if one != separator and one in header[0]), None)
            if other is not None:
                raise GraphFormatError(
                    f"{path} must have columns separated by {separator!r}; its first line is {header[0]!r:.60}. Pass "
                    f"separator={other!r}."
                )
        names = [name.strip() for name in header]
        twice = next((name for name in names if names.count(name) > 1 or not name), None)
        if twice is not None:
            what = f"the name {twice!r} more than once" if twice else "a column without a name"
            raise GraphFormatError(f"{path} must have different names of columns; its first line has {what}.")
        cells, lines = [], []
        for row in reader:
            if not row:
                continue  # an empty line
            if len(row) != len(names):
                raise GraphFormatError(
                    f"Line {reader.line_num} of {path} must have {len(names)} cells, as the first line; it has "
                    f"{len(row)}."
                )
            cells.append([None if cell.strip() in MISSING else cell for cell in row])
            lines.append(reader.line_num)
    except csv.Error as error:
        raise GraphFormatError(f"Line {reader.line_num} of {path} is not valid CSV: {error}.") from None
    return Rows(str(path), names, cells, lines)


def csv_columns(path: Path, separator: str | None) -> list[str]:
    """Return the names of the columns of a CSV file."""
    first = next(iter(file_text(path).splitlines()), "")
    return [name.strip() for name in next(csv.reader([first], delimiter=separator or separator_of(path)), [])]


def separator_of(path: Path) -> str:
    """Return the separator that the name of a file suggests."""
    return "\t" if ".tsv" in path.suffixes else ","


def json_rows(name: str, text: str) -> Rows:
    """Return JSON lines, which are objects, as rows; their columns are all names that occur."""
    objects: list[tuple[int, dict[str, Any]]] = []
    for number, line in numbered(text):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            what = f"{error.msg} at column {error.pos + 1}"
            raise GraphFormatError(f"Line {number} of {name}: It is not valid JSON: {what}.") from None
        except ValueError as error:  # Python limits the number of digits of integers
            raise GraphFormatError(f"Line {number} of {name}: It is not valid JSON: {error}.") from None
        if not isinstance(value, dict):
            raise GraphFormatError(f"Line {number} of {name}: A line must be a JSON object; got {line.strip()!r:.60}.")
        objects.append((number, value))
    columns = list(dict.fromkeys(key for _, value in objects for key in value))
    cells = [[value.get(column) for column in columns] for _, value in objects]
    return Rows(name, columns, cells, [number for number, _ in objects])


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers."""
    # Not splitlines, for which other characters end a line, too.
    return enumerate(text.removesuffix("\n").split("\n") if text else [], 1)


def standard_input() -> str:
    """Return what is on standard input."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise GraphFormatError(f"Standard input must be in UTF-8: {error}.") from None


def typed_column(cells: Sequence[Any], kind: str | None = None) -> Any:
    """Return cells as a column of a data frame: numbers, Booleans or text.

    Parameters
    ----------
    cells
        Texts, or values of JSON; ``None`` if missing.
    kind
        The kind that the column had in training, ``"number"``, ``"boolean"`` or ``"category"``. Without it, a column is
        of numbers if all of its cells are.
    """
    pandas = require("pandas", "--as table", "frames")
    texts = [None if cell is None else str(cell).strip() for cell in cells]
    there = [text for text in texts if text is not None]
    if kind in (None, "boolean") and there and all(text.lower() in ("true", "false") for text in there):
        values = [None if text is None else text.lower() == "true" for text in texts]
        return pandas.Series(values, dtype="boolean")
    if kind in (None, "number"):
        numbers = [None if text is None else _number(text) for text in texts]
        if all(number is not None for number, text in zip(numbers, texts, strict=True) if text is not None):
            whole = all(isinstance(number, int) for number in numbers if number is not None)
            return pandas.Series(numbers, dtype="Int64" if whole and there else "Float64")
    return pandas.Series(texts, dtype=object)


def _number(text: str) -> int | float | None:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return None
