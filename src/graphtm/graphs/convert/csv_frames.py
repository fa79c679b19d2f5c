"""CSV files as data frames, in which a cell is the same value in every file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any

from graphtm.errors import GraphFormatError
from graphtm.foundation.calling import require
from graphtm.foundation.names import shorten
from graphtm.graphs.convert.csv_cells import CellReader
from graphtm.graphs.convert.frame_columns import FrameColumns

_SEPARATORS = (",", ";", "\t", "|")
_UNNAMED = re.compile(r"Unnamed: [0-9]+")


def read_frames(
    files: Sequence[str | os.PathLike[str] | None],
    columns: FrameColumns,
    separator: str,
    divides: Callable[[str, Hashable], bool],
) -> list[Any]:
    """Return the frames of nodes, edges and graphs; None for a file that is None.

    Names of graphs, and names of nodes, are integers if all of them are, in all files: else "7" and "007" would be one
    node in a file where all names are numbers, and two in another. The type of other cells depends on their text only.
    Labels are of one type.

    Parameters
    ----------
    files
        Files of nodes, edges and graphs.
    columns
        Names of the columns.
    separator
        Character between cells.
    divides
        Whether a column of ``"nodes"`` or ``"edges"`` is divided into bins, so that all its values must be numbers.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    GraphFormatError
        If a file is not CSV, or has columns without a name or with the same name.
    """
    pandas = require("pandas", "read_csv", "frames")
    frames = [None if file is None else _read(pandas, Path(file), separator, columns.asked) for file in files]
    cells = CellReader(pandas)
    nodes, edges, graphs = frames
    of_graphs = _once([(frame, columns.graph) for frame in frames])
    of_nodes = _once([(nodes, columns.node), (edges, columns.source), (edges, columns.destination)])
    label = columns.label
    if graphs is not None and label is None and columns.node_label is None:
        label = "label"
    labels = _once([(graphs if graphs is not None else nodes, label), (nodes, columns.node_label)])
    for what, frame in zip(("nodes", "edges", "graphs"), frames, strict=True):
        every = [] if frame is None else [(frame, name) for name in frame.columns]
        for held, name in _once(every, of_graphs, of_nodes, labels):
            held[name] = cells.values(held[name], divides(what, name))
    for frame, name in labels:
        frame[name] = cells.labels(frame[name])
    for places in (of_graphs, of_nodes):
        found = cells.integers([frame[name] for frame, name in places])
        for (frame, name), column in zip(places, found, strict=True):
            frame[name] = column
    return frames


def _once(places: list[tuple[Any, Hashable]], *others: list[tuple[Any, Hashable]]) -> list[tuple[Any, Hashable]]:
    """Return the columns that their frames have exactly once and that are not among others."""
    taken = {(id(frame), name) for place in others for frame, name in place}
    return [
        (frame, name)
        for frame, name in places
        if frame is not None and list(frame.columns).count(name) == 1 and (id(frame), name) not in taken
    ]


def _read(pandas: Any, path: Path, separator: str, asked: frozenset[Hashable]) -> Any:
    """Return all cells of a file as text."""
    if path.is_dir():
        raise GraphFormatError(f"{path} must be a CSV file; it is a folder. Pass the path of each file.")
    # The first line is read as a row, since pandas renames columns without a name or with the same name.
    options = {"sep": separator, "header": None, "dtype": str, "encoding": "utf-8-sig"}
    try:
        frame = pandas.read_csv(path, **options)
        names = frame.iloc[0].tolist()
        if frame.iloc[0].isna().any():  # such as a column called "NA"
            names = _first_line(pandas, path, options)
    except UnicodeDecodeError as error:
        raise GraphFormatError(
            f"{path} must be a CSV file in UTF-8: {error}. Save it as UTF-8, which some programs call 'CSV UTF-8'."
        ) from None
    except pandas.errors.EmptyDataError:
        raise GraphFormatError(f"{path} is empty; its first line must name the columns.") from None
    except (ValueError, pandas.errors.ParserError) as error:
        if isinstance(error, pandas.errors.ParserError) and path.is_file():
            _refuse_other_separator(path, _first_line(pandas, path, options), separator)
        raise GraphFormatError(f"{path} must be a CSV file whose first line names the columns: {error}") from None
    names = [name if name.strip() else f"Unnamed: {place}" for place, name in enumerate(names)]
    _refuse_other_separator(path, names, separator)
    for problem in _problems(names, asked):
        raise GraphFormatError(f"{path} {problem}")
    frame = frame.iloc[1:].reset_index(drop=True)
    frame.columns = names
    return frame


def _first_line(pandas: Any, path: Path, options: dict[str, Any]) -> list[str]:
    """Return the cells of the first line."""
    found: list[str] = pandas.read_csv(path, nrows=1, keep_default_na=False, **options).iloc[0].tolist()
    return found


def _refuse_other_separator(path: Path, names: list[str], separator: str) -> None:
    """Refuse a file whose only column has a name with another separator."""
    other = next((other for other in _SEPARATORS if other != separator and other in names[0]), None)
    if len(names) == 1 and other is not None:
        raise GraphFormatError(
            f"{path} must have columns separated by {separator!r}; its first line is {names[0]!r:.80}. Pass "
            f"separator={other!r}."
        )


def _problems(names: list[str], asked: frozenset[Hashable]) -> Iterator[str]:
    """Yield what is wrong with the names of columns that no parameter names."""
    others = [name for name in names if name not in asked]
    unnamed = [name for name in others if _UNNAMED.fullmatch(name)]
    if unnamed:
        places = ", ".join(str(names.index(name)) for name in unnamed)
        yield (
            f"must have a name for each column; column {places} has none. Write data frames with index=False, or pass "
            f"ignore={unnamed!r}."
        )
    spaced = [name for name in others if name != name.strip()]
    if spaced:
        yield (
            f"must have names of columns without spaces around them; it has {shorten(spaced)}. Remove the spaces after "
            f"separators in all lines, or pass ignore={spaced!r}."
        )
    twice = [name for name in dict.fromkeys(others) if names.count(name) > 1]
    if twice:
        yield (
            f"must have different names of columns; it has {shorten(twice)} more than once. Rename one of them, or "
            f"pass ignore={twice!r}."
        )
