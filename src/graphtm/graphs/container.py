"""A file of named arrays and a JSON header: checksummed, memory-mappable, nothing in it is executed.

Layout, little-endian: 8 bytes magic, format number (uint32), CRC-32 of the header (uint32), length of the
header (uint64), header (JSON), then each array at a multiple of 64 bytes. The header gives the size
of the data and, for each array, its name, dtype, shape, offset and the CRC-32 of its bytes; bytes between
arrays are zero. So every byte of the file is covered by a check.
"""

from __future__ import annotations

import json
import math
import os
import secrets
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphFormatError

Arrays: TypeAlias = dict[str, NDArray[Any]]
_PROLOGUE = struct.Struct("<8sIIQ")
_ALIGNMENT = 64
_DTYPES = {"<u8", "<i8", "<i4", "|b1"}


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes the place of ``path`` only once it is complete and on disk."""
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder of {path} does not exist; make it first.")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_container(
    path: Path, magic: bytes, version: int, header: Mapping[str, object], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write a header and arrays, replacing ``path`` in one step."""
    table: list[dict[str, Any]] = []
    offset = 0
    stored = {name: _little_endian(array) for name, array in arrays.items()}
    for name, array in stored.items():
        offset = _aligned(offset)
        check = zlib.crc32(_octets(array))
        table.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "offset": offset, "crc32": check})
        offset += array.nbytes
    text = json.dumps({**header, "arrays": table, "data_bytes": offset}, separators=(",", ":")).encode("ascii")
    with atomic_write(path) as file:
        file.write(_PROLOGUE.pack(magic, version, zlib.crc32(text), len(text)))
        file.write(text)
        start = _aligned(file.tell())
        for entry, array in zip(table, stored.values(), strict=True):
            file.write(bytes(start + entry["offset"] - file.tell()))
            file.write(_octets(array))
        file.write(bytes(start + offset - file.tell()))


def read_container(
    path: Path, magic: bytes, version: int, kind: str, *, mmap: bool, verify: bool
) -> tuple[dict[str, Any], Arrays]:
    """Read what :func:`write_container` wrote; ``kind`` names the sort of file in error messages.

    Raises
    ------
    GraphFormatError
        If the file is not of that kind, of another version, truncated or damaged.
    """
    text = _header(path, magic, version, kind)
    start, size = _aligned(_PROLOGUE.size + len(text)), path.stat().st_size
    try:
        header = json.loads(text)
        table, data_bytes = header["arrays"], int(header["data_bytes"])
        if size != start + data_bytes:
            raise GraphFormatError(
                f"{path} is truncated or damaged: it must have {start + data_bytes:,} bytes, not {size:,}."
            )
        octets = np.asarray(np.memmap(path, np.uint8, "r") if mmap else np.fromfile(path, np.uint8))
        arrays = {entry["name"]: _array(octets[start:], entry) for entry in table}
        checksums = {entry["name"]: int(entry["crc32"]) for entry in table}
        gaps = [slice(_PROLOGUE.size + len(text), start), *_gaps(table, start, data_bytes)]
    except GraphFormatError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise GraphFormatError(f"{path} is damaged: its header cannot be understood ({error}).") from error
    if verify:
        for name, checksum in checksums.items():
            if zlib.crc32(_octets(arrays[name])) != checksum:
                raise GraphFormatError(f"{path} is damaged: the checksum of its array {name!r} does not match.")
        if any(octets[gap].any() for gap in gaps):
            raise GraphFormatError(f"{path} is damaged: bytes between its arrays are not zero.")
    return header, arrays


def _header(path: Path, magic: bytes, version: int, kind: str) -> bytes:
    """Return the JSON text at the beginning of the file, once it is known to be whole."""
    with path.open("rb") as file:
        prologue = file.read(_PROLOGUE.size)
        if not prologue or prologue[:8] != magic[: len(prologue)]:
            raise GraphFormatError(f"{path} must be a {kind}; it does not begin like one.")
        if len(prologue) < _PROLOGUE.size:
            raise GraphFormatError(f"{path} is truncated: it ends after {len(prologue)} bytes.")
        _, found, checksum, length = _PROLOGUE.unpack(prologue)
        if found != version:
            advice = "Update graphtm to read it" if found > version else "No release wrote such files"
            raise GraphFormatError(f"{path} has format {found}; this version reads format {version}. {advice}.")
        size = os.fstat(file.fileno()).st_size
        if length > size - _PROLOGUE.size:
            raise GraphFormatError(f"{path} is truncated or damaged: its header does not fit into its {size:,} bytes.")
        text = file.read(length)
    if zlib.crc32(text) != checksum:
        raise GraphFormatError(f"{path} is damaged: the checksum of its header does not match.")
    return text


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _octets(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _array(data: NDArray[np.uint8], entry: Mapping[str, Any]) -> NDArray[Any]:
    if entry["dtype"] not in _DTYPES:
        raise ValueError(f"dtype {entry['dtype']!r}")
    dtype, shape, offset = np.dtype(entry["dtype"]), tuple(map(int, entry["shape"])), int(entry["offset"])
    n_bytes = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or offset < 0 or offset % _ALIGNMENT or offset + n_bytes > len(data):
        raise ValueError(f"array {entry['name']!r} lies outside the file")
    array: NDArray[Any] = data[offset : offset + n_bytes].view(dtype).reshape(shape)
    return array


def _gaps(table: list[Mapping[str, Any]], start: int, data_bytes: int) -> list[slice]:
    """Return the stretches between arrays; arrays must follow one another without overlap."""
    gaps, place = [], start
    for entry in table:
        offset = start + int(entry["offset"])
        if offset < place:
            raise ValueError("arrays overlap")
        gaps.append(slice(place, offset))
        place = offset + math.prod(map(int, entry["shape"])) * np.dtype(entry["dtype"]).itemsize
    return [*gaps, slice(place, start + data_bytes)]
