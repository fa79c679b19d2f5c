"""CSV files as data frames, in which names of graphs and nodes are of one type."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphtm.errors import GraphFormatError
from graphtm.foundation.calling import require
from graphtm.graphs.convert.frame_columns import FrameColumns

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")


def read_frames(files: Sequence[str | os.PathLike[str] | None], columns: FrameColumns, separator: str) -> list[Any]:
    """Return the frames of nodes, edges and graphs; None for a file that is None.

    Names of graphs, and names of nodes, are read as text and become integers if all of them are, in all files: else "7"
    and "007" would be one node in a file where all names are numbers, and two in another.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    GraphFormatError
        If a file is not CSV.
    """
    pandas = require("pandas", "read_csv", "frames")
    texts: dict[Any, type] = dict.fromkeys((columns.graph, columns.node, columns.source, columns.destination), str)
    texts.pop(None, None)
    frames = [None if file is None else _read(pandas, file, texts, separator) for file in files]
    nodes, edges, _ = frames
    named = [(frame, columns.graph) for frame in frames]
    ends = [(nodes, columns.node), (edges, columns.source), (edges, columns.destination)]
    for places in (named, ends):
        there = [(frame, name) for frame, name in places if frame is not None and name in frame.columns]
        if all(_are_integers(frame[name]) for frame, name in there):
            for frame, name in there:
                frame[name] = frame[name].astype("Int64")
    return frames


def _read(pandas: Any, file: str | os.PathLike[str], texts: dict[Any, type], separator: str) -> Any:
    path = Path(file)
    try:
        # With NumPy's dtypes, integers with missing values would become floats, which cannot be names.
        return pandas.read_csv(path, sep=separator, dtype=texts, encoding="utf-8-sig", dtype_backend="numpy_nullable")
    except (ValueError, pandas.errors.ParserError) as error:
        raise GraphFormatError(f"{path} must be a CSV file whose first line names the columns: {error}") from None


def _are_integers(column: Any) -> bool:
    """Whether all values are integers as Python writes them, of at most 64 bits."""
    texts = column.dropna().unique()
    return all(_INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63 for text in texts)
