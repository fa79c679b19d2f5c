"""The files of a TUDataset, in a folder or a zip archive, read into arrays."""

from __future__ import annotations

import difflib
import io
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import DatasetNotFoundError, GraphFormatError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.compressed import PACKED, read_bytes, read_member, zip_members

OPTIONAL = ("node_labels", "node_attributes", "edge_labels", "edge_attributes")
"""Files that may be left out."""


class TUFiles:
    """The files of one dataset, all of which begin with its name.

    Parameters
    ----------
    place
        The folder, or a zip archive with the files anywhere in it.
    dataset
        The dataset's name; without it there must be one dataset only.
    ignore
        Optional files to do as if they were not there.
    """

    def __init__(self, place: Path, dataset: str | None, ignore: Sequence[str]) -> None:
        unknown = [name for name in ignore if name not in OPTIONAL]
        if unknown:
            near = difflib.get_close_matches(str(unknown[0]), OPTIONAL, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"The 'ignore' parameter of read_tudataset must list some of {', '.join(map(repr, OPTIONAL))}. "
                f"Got {unknown[0]!r} instead.{hint}"
            )
        self.place = place
        self.ignore = ignore
        self._readers = _readers(place)
        self.dataset = dataset if dataset is not None else self._only_dataset()

    def _only_dataset(self) -> str:
        ends = tuple(f"_A.txt{suffix}" for suffix in PACKED)
        found = sorted({file.rpartition("_A.txt")[0] for file in self._readers if file.endswith(ends)})
        if not found:
            raise DatasetNotFoundError(
                "A TUDataset folder must hold DS_A.txt, DS_graph_indicator.txt and DS_graph_labels.txt, DS being the "
                f"dataset's name; looked for *_A.txt in {self.place}, also with .gz or .xz."
            )
        if len(found) > 1:
            raise GraphFormatError(
                f"A TUDataset folder must hold one dataset, or its name be given; {self.place} has "
                f"{', '.join(found)}. Choose one with name={found[0]!r}."
            )
        return found[0]

    def name(self, part: str) -> str:
        """Return the name of a file, as it is there if it is."""
        plain = f"{self.dataset}_{part}.txt"
        return next((plain + suffix for suffix in PACKED if plain + suffix in self._readers), plain)

    def has(self, part: str) -> bool:
        return part not in self.ignore and self.name(part) in self._readers

    def integers(self, part: str, n_columns: int | None = None) -> Int64Array:
        """Return the rows of a file; it must have that many columns."""
        rows: Int64Array = self._rows(part, np.int64)
        if n_columns is not None and rows.shape[1] != n_columns:
            if rows.size:
                raise GraphFormatError(f"{self._path(part)} must have {n_columns} columns; it has {rows.shape[1]}.")
            rows = rows.reshape(0, n_columns)
        return rows

    def floats(self, part: str) -> NDArray[np.float64]:
        rows: NDArray[np.float64] = self._rows(part, np.float64)
        bad = np.argwhere(~np.isfinite(rows))
        if len(bad):
            row, column = bad[0].tolist()
            raise GraphFormatError(
                f"{self._path(part)} must hold finite numbers; row {row + 1} has {rows[row, column]}."
            )
        return rows

    def targets(self) -> NDArray[Any]:
        """Return the labels, whole numbers or numbers, or the graphs' attributes where there are no labels."""
        part = "graph_labels" if self.has("graph_labels") or not self.has("graph_attributes") else "graph_attributes"
        rows: NDArray[Any] = self.floats(part)
        # Beyond 2**53 a number says nothing about the digits that were written.
        if part == "graph_labels" and np.array_equal(rows, np.rint(rows)) and np.all(np.abs(rows) < 2**53):
            rows = rows.astype(np.int64)
        return rows[:, 0] if rows.shape[1] == 1 else rows

    def check_length(self, part: str, n_rows: int, n_expected: int, what: str) -> None:
        if n_rows != n_expected:
            raise GraphFormatError(f"{self._path(part)} must have a row per {what}, {n_expected:,}; it has {n_rows:,}.")

    def _path(self, part: str) -> Path:
        return self.place / self.name(part)

    def _rows(self, part: str, dtype: type) -> NDArray[Any]:
        if self.name(part) not in self._readers:
            raise DatasetNotFoundError(
                f"The TUDataset {self.dataset} must have the file {self.name(part)}; looked for it in {self.place}, "
                "also with .gz or .xz."
            )
        content = self._readers[self.name(part)]()
        try:
            text = content.decode("utf-8-sig")
            if not text.strip():
                return np.zeros((0, 1), dtype)
            return np.loadtxt(io.StringIO(text), dtype, comments=None, delimiter=",", ndmin=2)
        except (ValueError, OverflowError) as error:
            kind = "whole numbers" if dtype is np.int64 else "numbers"
            raise GraphFormatError(
                f"{self._path(part)} must hold rows of {kind}, separated by commas: {error}"
            ) from None


def _readers(place: Path) -> dict[str, Callable[[], bytes]]:
    """Return the files of a folder or an archive by name, each with what reads it."""
    if place.is_dir():
        return {path.name: partial(read_bytes, path) for path in place.iterdir() if path.is_file()}
    if not place.is_file():
        return {}
    members: dict[str, list[str]] = {}
    for member in zip_members(place):
        members.setdefault(PurePosixPath(member).name, []).append(member)
    return {name: partial(_read_only_member, place, found) for name, found in members.items()}


def _read_only_member(place: Path, members: Sequence[str]) -> bytes:
    """Return the content of a file of an archive, which no other folder in it must have, too."""
    if len(members) > 1:
        raise GraphFormatError(
            f"Every file of a TUDataset must be in its archive once; {place} has {members[0]} and {members[1]}. Unpack "
            "it and read one of the folders."
        )
    return read_member(place, members[0])
