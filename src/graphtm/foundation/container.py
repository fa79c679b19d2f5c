"""The container of graph and model files: a JSON header and named arrays, with checksums and without code.

Layout, little-endian: 8 bytes magic, format number (uint32), CRC-32 of the header (uint32), length of the
header (uint64), header (JSON), then each array at a multiple of 64 bytes. The header gives the size
of the data and, for each array, its name, dtype, shape, offset and the CRC-32 of its bytes. Bytes between
arrays are zero, so every byte of the file is checked. Arrays are either raw, and can be memory-mapped, or
compressed by zlib; the header then gives the number of ``stored`` bytes.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphTMError

Arrays: TypeAlias = dict[str, NDArray[Any]]
DAMAGE = (
    GraphTMError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
    OverflowError,
    MemoryError,
)
"""Exceptions that reading a damaged or forged file can raise; they are reported as damage."""
_PROLOGUE = struct.Struct("<8sIIQ")
_ALIGNMENT = 64
_TOKEN_BYTES = 8
_DTYPES = {"<u8", "<i8", "<i4", "<f8", "|u1", "|b1"}


@contextmanager
def atomic_write(path: Path, *, streams: bool = False) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing, which replaces ``path`` once it is complete and on disk.

    A process that is killed while writing leaves a file ``.NAME.*.tmp`` in the same folder, which can be deleted. Only
    regular files are replaced. With ``streams``, pipes and devices are written to; otherwise, they are refused.
    """
    given, path = path, Path(os.path.realpath(path))  # replace the target of a link, not the link
    if given.is_dir():
        raise IsADirectoryError(f"{given} is a folder; add a file name.")
    if is_stream(given):
        if not streams:
            raise FileExistsError(f"{given} is a pipe or a device, not a file; choose another name.")
        with given.open("wb") as stream:
            yield stream
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder of {given} does not exist; create it first.")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(_TOKEN_BYTES)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        # Name the user's file, not the temporary one.
        raise OSError(error.errno, error.strerror, str(given)) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_stream(path: Path) -> bool:
    """Whether something exists that is neither a regular file nor a folder, such as a pipe or a device."""
    return path.exists() and not path.is_file() and not path.is_dir()


def remove_unfinished(path: Path) -> None:
    """Delete temporary files left by processes that were killed while writing to ``path``."""
    path = Path(os.path.realpath(path))
    # Match exactly the names that atomic_write uses: those of "run.gtm" start like those of "run".
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.tmp")
    for other in path.parent.iterdir():
        if ours.fullmatch(other.name):
            other.unlink(missing_ok=True)


def write_container(
    path: Path,
    magic: bytes,
    version: int,
    header: Mapping[str, object],
    arrays: Mapping[str, NDArray[Any]],
    *,
    compressed: bool = False,
) -> None:
    """Write a header and arrays; ``path`` is replaced in one step."""
    table: list[dict[str, Any]] = []
    contents: list[bytes | memoryview] = []
    offset = 0
    for name, given in arrays.items():
        array = _little_endian(given)
        content = zlib.compress(_octets(array), 6) if compressed else _octets(array)
        offset = _aligned(offset)
        entry: dict[str, Any] = {"name": name, "dtype": array.dtype.str, "shape": array.shape, "offset": offset}
        table.append({**entry, "crc32": zlib.crc32(content), **({"stored": len(content)} if compressed else {})})
        contents.append(content)
        offset += len(content)
    text = json.dumps({**header, "arrays": table, "data_bytes": offset}, separators=(",", ":")).encode("ascii")
    with atomic_write(path) as file:
        file.write(_PROLOGUE.pack(magic, version, zlib.crc32(text), len(text)))
        file.write(text)
        start = _aligned(file.tell())
        for entry, content in zip(table, contents, strict=True):
            file.write(bytes(start + entry["offset"] - file.tell()))
            file.write(content)
        file.write(bytes(start + offset - file.tell()))


def read_container(
    path: Path,
    magic: bytes,
    version: int,
    kind: str,
    error: type[GraphTMError],
    *,
    compressed: bool = False,
    mmap: bool = False,
    verify: bool = True,
    most_bytes: int | None = None,
    expected: Callable[[dict[str, Any], int], Mapping[str, tuple[str, tuple[int, ...]]]] | None = None,
) -> tuple[dict[str, Any], Arrays]:
    """Read what :func:`write_container` wrote.

    Parameters
    ----------
    path, magic, version
        The file, the magic bytes that it must start with, and the newest format number; older formats are read too.
    kind
        Kind of file, for error messages.
    error
        Error to raise if the file is of another kind or version, truncated or damaged.
    compressed
        Whether the arrays are compressed.
    mmap
        Whether to memory-map the arrays instead of loading them.
    verify
        Whether to verify the checksums of the arrays.
    most_bytes
        Maximum total size of the arrays in memory.
    expected
        Function that returns, for a header and a format number, the names of the arrays with their dtypes and shapes.
        It is checked before arrays are decompressed.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; a {kind} is needed.")
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}; a {kind} is needed.")
    text, found = _header(path, magic, version, kind, error)
    start, size = _aligned(_PROLOGUE.size + len(text)), path.stat().st_size
    try:
        header = json.loads(text)
        entries = [_Entry.read(item, compressed) for item in header["arrays"]]
        data_bytes = _whole(header["data_bytes"])
        gaps = [slice(_PROLOGUE.size + len(text), start), *_gaps(entries, start, data_bytes)]
        if expected is not None:
            found_arrays = {entry.name: (entry.dtype.str, entry.shape) for entry in entries}
            if found_arrays != (wanted := dict(expected(header, found))):
                raise ValueError(f"arrays must be {wanted}, not {found_arrays}")
    except DAMAGE as cause:
        raise error(f"{path} is damaged: its header is not valid ({cause}).") from cause
    if size != start + data_bytes:
        raise error(f"{path} is truncated or damaged: it must have {start + data_bytes:,} bytes, not {size:,}.")
    needed = sum(entry.n_bytes for entry in entries)
    if most_bytes is not None and needed > most_bytes:
        raise error(
            f"{path} needs {needed:,} bytes of memory; at most {most_bytes:,} are allowed. Pass a larger most_bytes."
        )
    octets = np.asarray(np.memmap(path, np.uint8, "r") if mmap else np.fromfile(path, np.uint8))
    if verify and any(octets[gap].any() for gap in gaps):
        raise error(f"{path} is damaged: bytes between its arrays are not zero.")
    arrays: Arrays = {}
    for entry in entries:
        stored = octets[start + entry.offset : start + entry.offset + entry.stored]
        if verify and zlib.crc32(stored.data) != entry.crc32:
            raise error(f"{path} is damaged: the checksum of its array {entry.name!r} does not match.")
        content = _inflated(stored, entry.n_bytes) if compressed else stored
        if content is None:
            raise error(f"{path} is damaged: its array {entry.name!r} does not decompress to {entry.n_bytes:,} bytes.")
        arrays[entry.name] = content.view(entry.dtype).reshape(entry.shape)
    return header, arrays


@dataclass(frozen=True)
class _Entry:
    """Entry of one array in the header."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    stored: int
    crc32: int

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    @classmethod
    def read(cls, item: Mapping[str, Any], compressed: bool) -> _Entry:
        if item["dtype"] not in _DTYPES:
            raise ValueError(f"dtype {item['dtype']!r}")
        if not isinstance(item["name"], str) or not isinstance(item["shape"], list):
            raise ValueError(f"array {item['name']!r} of shape {item['shape']!r}")
        dtype, shape, offset = np.dtype(item["dtype"]), tuple(map(_whole, item["shape"])), _whole(item["offset"])
        if len(shape) > 2:
            raise ValueError(f"array {item['name']!r} has {len(shape)} dimensions")
        plain = math.prod(shape) * dtype.itemsize
        if compressed != ("stored" in item):
            raise ValueError(f"array {item['name']!r} is {'not ' if compressed else ''}compressed")
        stored = _whole(item["stored"]) if compressed else plain
        # NumPy limits the dimensions of empty arrays, too.
        widest = math.prod(max(1, length) for length in shape) * dtype.itemsize
        if offset % _ALIGNMENT or widest >= 2**62:
            raise ValueError(f"array {item['name']!r} lies outside the file")
        return cls(item["name"], dtype, shape, offset, stored, _whole(item["crc32"]))


def _inflated(stored: NDArray[np.uint8], n_bytes: int) -> NDArray[np.uint8] | None:
    """Decompress to exactly ``n_bytes``, and never more."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(stored.data, n_bytes + 1)
    except zlib.error:
        return None
    whole = len(content) == n_bytes and unpacker.eof and not unpacker.unused_data
    return np.frombuffer(content, np.uint8) if whole else None


def _header(path: Path, magic: bytes, version: int, kind: str, error: type[GraphTMError]) -> tuple[bytes, int]:
    """Return the JSON text of the header, verified, and the format number."""
    with path.open("rb") as file:
        prologue = file.read(_PROLOGUE.size)
        if not prologue or prologue[:8] != magic[: len(prologue)]:
            raise error(f"{path} is not a {kind}.")
        if len(prologue) < _PROLOGUE.size:
            raise error(f"{path} is truncated: it ends after {len(prologue)} bytes.")
        _, found, checksum, length = _PROLOGUE.unpack(prologue)
        if not 1 <= found <= version:
            known = "format 1" if version == 1 else f"formats 1 to {version}"
            advice = "Update graphtm to read it" if found > version else "No release wrote this format"
            raise error(f"{path} has format {found}; this version reads {known}. {advice}.")
        size = os.fstat(file.fileno()).st_size
        if length > size - _PROLOGUE.size:
            raise error(f"{path} is truncated or damaged: its header does not fit into its {size:,} bytes.")
        text = file.read(length)
    if zlib.crc32(text) != checksum:
        raise error(f"{path} is damaged: the checksum of its header does not match.")
    return text, found


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**62:
        raise ValueError(f"{value!r} lies outside the file")
    return value


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _octets(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _gaps(entries: list[_Entry], start: int, data_bytes: int) -> list[slice]:
    """Return the gaps between arrays, which must be in order, must not overlap, and must lie within the data."""
    gaps, place = [], start
    if len({entry.name for entry in entries}) < len(entries):
        raise ValueError("two arrays have the same name")
    for entry in entries:
        if start + entry.offset < place:
            raise ValueError("arrays overlap")
        gaps.append(slice(place, start + entry.offset))
        place = start + entry.offset + entry.stored
    if place > start + data_bytes:
        raise ValueError("an array lies outside the file")
    return [*gaps, slice(place, start + data_bytes)]
