"""Rows of tables and texts from CSV files, JSON lines and files of text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphtm.cli.labels import LABEL, labels_of
from graphtm.cli.reading import CSV, LINES, STANDARD_INPUT, TEXT, Reading, Source
from graphtm.cli.rows import Rows, csv_rows, file_text, json_rows, numbered, standard_input, typed_column
from graphtm.errors import GraphFormatError


def _rows(source: Source, reading: Reading, form: str) -> Rows:
    """Return the rows of CSV files or JSON lines."""
    if source.is_standard_input:
        return json_rows(STANDARD_INPUT, standard_input())
    path = Path(source.data)
    return csv_rows(path, reading.separator) if form == CSV else json_rows(str(path), file_text(path))


def _labels_in(rows: Rows, source: Source, reading: Reading, trained: Any) -> tuple[str | None, Any]:
    """Return the name of the column of labels and the labels, if there are any."""
    name = reading.label or LABEL
    if name not in rows.columns:
        if reading.label is not None and trained is None and source.labels is None:
            rows.column(name)  # which says what columns there are
        return None, None
    if source.labels is not None or not reading.labelled:
        return name, None
    return name, labels_of(rows, name, reading.multilabel)


def read_table(source: Source, reading: Reading, form: str, trained: Any) -> tuple[Any, Any, None]:
    """Return the rows of a table as a data frame, and their labels; tables have no names of rows."""
    from graphtm.foundation.calling import require

    pandas = require("pandas", "--as table", "frames")
    rows = _rows(source, reading, form)
    label, y = _labels_in(rows, source, reading, trained)
    kinds = column_kinds(trained)
    names = list(kinds) if kinds else [name for name in rows.columns if name != label]
    if not kinds:
        for name in reading.ignore:
            rows.column(name)
        names = [name for name in names if name not in reading.ignore]
    columns = {name: typed_column(rows.column(name), kinds.get(name)) for name in names}
    if not columns:
        raise GraphFormatError(f"{rows.name} has no column to learn from; its columns are {', '.join(rows.columns)}.")
    _refuse_text_for_numbers(columns, kinds, rows)
    return pandas.DataFrame(columns), y, None


def column_kinds(trained: Any) -> dict[str, str]:
    """Return the kind of each column of the table that a pipeline was fitted to."""
    from graphtm.encoders import Table

    steps = [] if trained is None else [step for _, step in getattr(trained, "steps", [])]
    table = next((step for step in steps if isinstance(step, Table)), None)
    return {} if table is None else {str(code.name): code.kind for code in table._plan.codes}


def _refuse_text_for_numbers(columns: dict[str, Any], kinds: dict[str, str], rows: Rows) -> None:
    for name, kind in kinds.items():
        column = columns[name]
        if kind == "number" and column.dtype == object and column.notna().any():
            cells = zip(rows.column(name), rows.lines, strict=True)
            cell, line = next((cell, line) for cell, line in cells if typed_column([cell], "number").dtype == object)
            raise GraphFormatError(
                f"Line {line} of {rows.name}: Column {name!r} must have numbers, as in the training data; got {cell!r}."
            )


def read_texts(source: Source, reading: Reading, form: str, trained: Any) -> tuple[list[str], Any, None]:
    """Return texts, and their labels; texts have no names."""
    if form == LINES:
        path = Path(source.data)
        texts = [line.removesuffix("\r") for _, line in numbered(file_text(path))]
        empty = next((number for number, line in enumerate(texts, 1) if not line.strip()), None)
        if empty is not None:
            raise GraphFormatError(f"Line {empty} of {path} is empty; each line must have a text.")
        return texts, None, None
    rows = _rows(source, reading, form)
    _, y = _labels_in(rows, source, reading, trained)
    cells = rows.column(reading.text or TEXT)
    for cell, line in zip(cells, rows.lines, strict=True):
        if not isinstance(cell, str):
            raise GraphFormatError(
                f"Line {line} of {rows.name} must have a text in column {reading.text or TEXT!r}; got "
                f"{'nothing' if cell is None else repr(cell)[:60]}."
            )
    return list(cells), y, None
