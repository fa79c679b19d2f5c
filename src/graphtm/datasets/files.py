"""Files of datasets: where they are, how they are downloaded, and how they are read."""

from __future__ import annotations

import csv
import fnmatch
import gzip
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import DatasetNotFoundError
from graphtm.foundation.calling import require
from graphtm.foundation.compressed import PACKED, damaged, opened, read_bytes

ENVIRONMENT = "GRAPHTM_DATA"
"""Environment variable with the folder of the datasets."""


@dataclass(frozen=True)
class Remote:
    """A file to download, with the MD5 checksum of its publisher."""

    url: str
    md5: str

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class Dataset:
    """Description of a dataset's files.

    Parameters
    ----------
    name
        Name of the dataset.
    folders
        Possible folders of its files, relative to the data folder; downloads go to the first. The data folder may
        itself be one of them.
    own
        Patterns of file names that no other dataset uses. Such files may also be in the data folder itself.
    remotes
        Files that can be downloaded.
    advice
        Where to get the files manually.
    """

    name: str
    folders: tuple[str, ...]
    own: tuple[str, ...] = ()
    remotes: tuple[Remote, ...] = ()
    advice: str = ""


def data_folder(data_home: str | os.PathLike[str] | None) -> Path:
    """Return the data folder: ``data_home``, the environment variable, or the user's cache."""
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

        self.folders = _places(self.root, dataset.folders)

    def find(self, *names: str) -> Path | None:
        """Return the first of these files (compressed or not) or folders that exists, or ``None``."""
        for name in names:
            for folder in (*self.folders, self.root) if self._is_own(name) else self.folders:
                found = _lying(folder, name)
                if found is not None:
                    return found
        return None

    def _is_own(self, name: str) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.dataset.own)

    def get(self, *names: str) -> Path:
        """Return the first of these files that exists; download one if there is none.

        Raises
        ------
        DatasetNotFoundError
            If there is none and none can be downloaded; the message names the files and folders.
        """
        found = self.find(*names)
        if found is not None:
            return found
        remotes = [one for one in self.dataset.remotes if {one.name, one.name.removesuffix(".gz")} & {*names}]
        if remotes and self.download:
            return self._fetch(remotes[0], names)
        hint = f"Use download=True to download {remotes[0].url}. " if remotes else ""
        raise DatasetNotFoundError((self._looked_for(names) + hint + self.dataset.advice).rstrip())

    def _fetch(self, remote: Remote, names: tuple[str, ...]) -> Path:
        pooch = require("pooch", f"The download of {self.dataset.name}", "data")
        folder = self.root / self.dataset.folders[0]
        if self.root.is_dir() and not any(path.exists() for path in self.folders):  # it may be a wrong one
            pooch.get_logger().info(f"No {self.dataset.name} in {self.root}; downloading it there.")
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        try:
            path = pooch.retrieve(remote.url, known_hash=f"md5:{remote.md5}", fname=remote.name, path=folder)
        except (OSError, ValueError) as error:
            # One clause is more useful than a long traceback of the network library.
            raise DatasetNotFoundError(
                f"{self._looked_for(names)}The download from {remote.url} to {folder} failed ({_clause(error)}). "
                "Download it manually and put it there."
            ) from None
        finally:
            for empty in missing:  # pooch makes folders before it has anything to write
                with suppress(OSError):
                    empty.rmdir()
        return Path(path)

    def _looked_for(self, names: tuple[str, ...]) -> str:
        folders = ", ".join(f"{os.path.relpath(folder, self.root)}/" for folder in self.folders)
        own = [name for name in names if self._is_own(name)]
        itself = (
            f", and in the data folder itself for {' or '.join(own)}" if own and self.root not in self.folders else ""
        )
        text = (
            f"{self.dataset.name} was not found in the data folder {self.root}"
            f"{'' if self.root.is_dir() else ', which does not exist'} "
            f"(set it with data_home= or the environment variable {ENVIRONMENT}). "
            f"Looked in {folders} for {' or '.join(names)}, also with .gz or .xz{itself}. "
        )
        stray = next((path for name in names if (path := _lying(self.root, name))), None)
        if stray is not None:
            text += (
                f"{stray} is not used, because files of other datasets have the same name: move it to "
                f"{self.dataset.folders[0]}/ if it is {self.dataset.name}. "
            )
        return text


def _clause(error: Exception) -> str:
    """Return the reason of a failed download as one clause, without the addresses and objects of the library."""
    text = str(error).partition("\n")[0].rpartition("): ")[2]  # after "HTTPSConnectionPool(host=...): "
    text = re.sub(r" \([^()]*\)", "", text)
    text = re.split(r": | with url| for url|[\")]", text)[0].strip()
    return f"{type(error).__name__}: {text or 'no reason given'}"


def _lying(folder: Path, name: str) -> Path | None:
    """Return a file in a folder, compressed or not."""
    suffixes = ("",) if name.endswith((".npz", ".zip", ".gz", ".webp")) else PACKED
    paths = (folder / f"{name}{suffix}" for suffix in suffixes)
    return next((path for path in paths if path.exists()), None)


def _places(root: Path, folders: tuple[str, ...]) -> list[Path]:
    """Return the possible folders of a dataset; the data folder may contain them or be a part of their paths.

    For ``MNIST/raw`` these are ``MNIST/raw`` in the data folder, ``raw`` if the data folder is named ``MNIST``, and the
    data folder itself if its path ends in ``MNIST/raw``. Case, hyphens and underscores are ignored.
    """
    names = [[_plain(part) for part in way.parts] for way in (root.absolute(), root.resolve())]
    places: list[Path] = []
    for folder in folders:
        parts = Path(folder).parts
        for n in range(len(parts) + 1):
            passed = [_plain(part) for part in parts[:n]]
            if any(way[len(way) - n :] == passed for way in names):
                places.append(root.joinpath(*parts[n:]))
    return list(dict.fromkeys(places))


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def check_subset(function: str, subset: str, allowed: tuple[str, ...], why: str = "") -> None:
    """Raise if the dataset does not have the subset."""
    if subset not in allowed:
        choice = " or ".join(map(repr, allowed))
        raise ValueError(
            f"The 'subset' parameter of {function} must be {choice}{': ' + why if why else ''}. Got {subset!r} instead."
        )


def parts(subset: str) -> tuple[str, ...]:
    """Return the official subsets in ``subset``."""
    return ("train", "test") if subset == "all" else (subset,)


def read_text(path: Path, encoding: str = "utf-8-sig") -> str:
    """Return the decompressed content of a text file, without a byte order mark."""
    return decode(read_bytes(path), path, encoding)


def decode(content: bytes, path: Path, encoding: str = "utf-8-sig") -> str:
    """Decode the content of a file; errors name the file."""
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise damaged(
            path, f"it is not {encoding.removesuffix('-sig')} text ({error.reason} at byte {error.start:,})"
        ) from None


def split_lines(text: str) -> list[str]:
    """Return the lines of a text; only LF and CRLF end a line."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_lines(path: Path, encoding: str = "utf-8-sig") -> list[str]:
    """Return the lines of a text file."""
    return split_lines(read_text(path, encoding))


def read_records(path: Path, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield the rows of a CSV file with a header; raise if a column is missing."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        header = next(reader, [])
        missing = [column for column in columns if column not in header]
        if missing:
            raise damaged(path, f"column {missing[0]!r} is missing; it has {header!r}")
        if len(set(header)) < len(header):
            raise damaged(path, f"columns must have distinct names; got {header!r}")
        for row in reader:
            if row and len(row) != len(header):
                raise damaged(
                    path,
                    f"the row ending at line {reader.line_num} must have as many cells as the header, {len(header)}",
                )
            if row:
                yield dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise damaged(path, f"line {reader.line_num} is not valid CSV ({error})") from None


def read_npz(path: Path, *names: str) -> tuple[NDArray[Any], ...]:
    """Return arrays of an NPZ file, without unpickling."""
    with opened(path, "it is not an NPZ file") as file, zipfile.ZipFile(file) as archive:
        if not {f"{name}.npy" for name in names} <= set(archive.namelist()):
            raise damaged(path, f"it must contain the arrays {', '.join(names)}")
        # Reading the bytes first verifies their checksum: a broken header could request any amount of memory.
        contents = (io.BytesIO(archive.read(f"{name}.npy")) for name in names)
        return tuple(np.lib.format.read_array(content, allow_pickle=False) for content in contents)


def read_tar(path: Path, what: str, wanted: Callable[[PurePosixPath], bool]) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield the name and content of the wanted files of a ``.tar.gz``; nothing is written to disk."""
    with opened(path, f"it is not an archive of {what}") as file, gzip.GzipFile(fileobj=file) as unpacked:
        with tarfile.open(fileobj=unpacked, mode="r|") as archive:
            for member in archive:
                name = PurePosixPath(member.name)
                content = archive.extractfile(member) if wanted(name) else None
                if content is not None:
                    yield name, content.read()
        # The checksum comes last, after the end of the archive.
        while unpacked.read(1 << 20):
            pass


def class_labels(labels: NDArray[Any], path: Path) -> NDArray[np.int64]:
    """Return the labels of a dataset with ten classes; raise if they are invalid."""
    if (
        labels.ndim != 1
        or labels.dtype.kind not in "iu"
        or (labels.size and not 0 <= labels.min() <= labels.max() <= 9)
    ):
        raise damaged(path, "labels must be integers from 0 to 9")
    return labels.astype(np.int64)
