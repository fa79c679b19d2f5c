"""Where datasets lie, how they are fetched, and how compressed files are read."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import DatasetNotFoundError, GraphFormatError, require

ENVIRONMENT = "GRAPHTM_DATA"
"""The environment variable that names the folder of the datasets."""

PACKED = ("", ".gz", ".xz")
"""Each file may lie there as it is or compressed."""


@dataclass(frozen=True)
class Remote:
    """A file to download, with the MD5 sum that its publisher gives."""

    url: str
    md5: str

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class Dataset:
    """What is known about a dataset's files.

    Parameters
    ----------
    name
        What people call it.
    folders
        Folders below the data folder where its files may lie; the first is where downloads go. The data folder
        itself is looked into too.
    remotes
        Files that can be downloaded.
    advice
        Where to get the files by hand.
    """

    name: str
    folders: tuple[str, ...]
    remotes: tuple[Remote, ...] = ()
    advice: str = ""


def data_folder(data_home: str | os.PathLike[str] | None) -> Path:
    """Return the folder of the datasets: as given, else as the environment says, else the user's cache."""
    if data_home is not None:
        return Path(data_home).expanduser()
    if os.environ.get(ENVIRONMENT):
        return Path(os.environ[ENVIRONMENT]).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "graphtm"


class Store:
    """The files of one dataset."""

    def __init__(self, dataset: Dataset, data_home: str | os.PathLike[str] | None, download: bool) -> None:
        self.dataset = dataset
        self.root = data_folder(data_home)
        self.download = download

    def find(self, *names: str) -> Path | None:
        """Return the first of these files, compressed or not, or folders; ``None`` if there is none."""
        for name in names:
            for folder in (*self.dataset.folders, "."):
                for suffix in PACKED:
                    path = self.root / folder / f"{name}{suffix}"
                    if path.exists():
                        return path
        return None

    def get(self, *names: str) -> Path:
        """Return the first of these files, downloading one if none is there.

        Raises
        ------
        DatasetNotFoundError
            If there is none and none can be had; the message says what was looked for, and where.
        """
        found = self.find(*names)
        if found is not None:
            return found
        remotes = [one for one in self.dataset.remotes if {one.name, one.name.removesuffix(".gz")} & {*names}]
        if remotes and self.download:
            return self._fetch(remotes[0], names)
        hint = f"Allow the download of {remotes[0].url} with download=True. " if remotes else ""
        raise DatasetNotFoundError((self._looked_for(names) + hint + self.dataset.advice).rstrip())

    def _fetch(self, remote: Remote, names: tuple[str, ...]) -> Path:
        pooch = require("pooch", f"The download of {self.dataset.name}", "data")
        folder = self.root / self.dataset.folders[0]
        try:
            path = pooch.retrieve(remote.url, known_hash=f"md5:{remote.md5}", fname=remote.name, path=folder)
        except (OSError, ValueError) as error:
            # The reason in one line: forty frames of the network library tell nobody more.
            reason = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no reason given'}"
            raise DatasetNotFoundError(
                f"{self._looked_for(names)}Its download from {remote.url} to {folder} failed ({reason}). "
                "Download it by hand and put it there."
            ) from None
        return Path(path)

    def _looked_for(self, names: tuple[str, ...]) -> str:
        folders = ", ".join(f"{folder}/" for folder in self.dataset.folders)
        return (
            f"{self.dataset.name} must lie in the data folder {self.root}"
            f"{'' if self.root.is_dir() else ', which does not exist'} "
            f"(set it with data_home= or the environment variable {ENVIRONMENT}). "
            f"Looked there and in {folders} for {' or '.join(names)}, also with .gz or .xz; found none. "
        )


def check_subset(function: str, subset: str, allowed: tuple[str, ...], why: str = "") -> None:
    """Refuse a part that the dataset does not have."""
    if subset not in allowed:
        choice = " or ".join(map(repr, allowed))
        raise ValueError(
            f"The 'subset' parameter of {function} must be {choice}{': ' + why if why else ''}. Got {subset!r} instead."
        )


def parts(subset: str) -> tuple[str, ...]:
    """Return the official parts of a subset."""
    return ("train", "test") if subset == "all" else (subset,)


def open_packed(path: Path) -> IO[bytes] | gzip.GzipFile | lzma.LZMAFile:
    """Open a file for reading, unpacking it on the way if it is compressed."""
    if path.suffix == ".gz":
        return gzip.open(path)
    if path.suffix == ".xz":
        return lzma.open(path)
    return path.open("rb")


def read_bytes(path: Path) -> bytes:
    """Return the whole content of a file, unpacked.

    Raises
    ------
    GraphFormatError
        If a compressed file is damaged or cut short.
    """
    try:
        with open_packed(path) as file:
            return file.read()
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise damaged(path, f"it cannot be unpacked ({error})") from None


def read_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the whole content of a text file, unpacked."""
    return decode(read_bytes(path), path, encoding)


def decode(content: bytes, path: Path, encoding: str = "utf-8") -> str:
    """Return bytes as text, naming the file where they are no such text."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise damaged(path, f"it is not {encoding} text ({error.reason} at byte {error.start:,})") from None


def read_lines(path: Path, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a text file; only a line feed ends one, with or without a carriage return before it."""
    lines = read_text(path, encoding).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_records(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file with a header, refusing one that lacks a column."""
    reader = csv.DictReader(io.StringIO(read_text(path, "utf-8-sig"), newline=""), strict=True)
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise damaged(path, f"it has no column {missing[0]!r}, only {list(reader.fieldnames or ())!r}")
    try:
        for row in reader:
            if None in row or None in row.values():
                raise damaged(path, f"the row that ends at line {reader.line_num} has not as many cells as the header")
            yield row
    except csv.Error as error:
        # Of the inner reader: the outer one has not counted the line that failed.
        raise damaged(path, f"line {reader.reader.line_num} is no CSV ({error})") from None


def read_npz(path: Path, *names: str) -> tuple[NDArray[Any], ...]:
    """Return arrays of an NPZ file, in which nothing is ever unpickled."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return tuple(arrays[name] for name in names)
    except KeyError:
        raise damaged(path, f"it must hold the arrays {', '.join(names)}") from None
    except (ValueError, OSError, EOFError, zlib.error) as error:
        raise damaged(path, f"it is no NPZ file ({error})") from None


def damaged(path: Path, reason: str) -> GraphFormatError:
    """Return the error that names a file and says what is wrong with it."""
    return GraphFormatError(f"The file {path} is damaged or of another format: {reason}.")
