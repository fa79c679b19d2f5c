"""Reading files of other formats, compressed or not; all damage raises the same error."""

from __future__ import annotations

import gzip
import lzma
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path, PurePosixPath

from graphtm.errors import GraphFormatError, GraphTMError

PACKED = ("", ".gz", ".xz")
"""Suffixes of a file that may be compressed."""


def damaged(path: object, reason: str) -> GraphFormatError:
    """Return the error for a damaged file."""
    return GraphFormatError(
        f"The file {path} is damaged or has another format: {reason}. Replace it with an undamaged copy."
    )


@contextmanager
def opened(path: Path, failure: str) -> Iterator[BufferedReader]:
    """Open a file; any error while it is read means that it is damaged.

    Libraries for archives, arrays and images raise many kinds of errors for damaged bytes, and these change between
    versions, so none is listed here. A missing or unreadable file raises the usual ``OSError``.
    """
    with path.open("rb") as file:
        try:
            yield file
        except (GraphTMError, MemoryError):
            raise
        except Exception as error:
            raise damaged(path, f"{failure} ({str(error) or type(error).__name__})") from None


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, decompressed if necessary.

    Raises
    ------
    GraphFormatError
        If a compressed file is damaged or truncated.
    """
    with opened(path, "it cannot be decompressed") as file:
        return _unpacked(file.read(), path.suffix)


def _unpacked(content: bytes, suffix: str) -> bytes:
    if suffix not in PACKED[1:]:
        return content
    if not content:
        # gzip accepts empty input.
        raise EOFError("it is empty")
    # Not the older LZMA format, which has no checksums.
    return gzip.decompress(content) if suffix == ".gz" else lzma.decompress(content, lzma.FORMAT_XZ)


def zip_members(path: Path) -> list[str]:
    """Return the names of the files in a zip archive; all are verified, since a damaged name would hide a file."""
    with opened(path, "it is not a zip archive") as file, zipfile.ZipFile(file) as archive:
        if bad := archive.testzip():
            raise damaged(path, f"the checksum of {bad} is wrong")
        return archive.namelist()


def read_member(path: Path, member: str) -> bytes:
    """Return the verified content of a file in a zip archive, decompressed if it is itself compressed."""
    with opened(path, f"it has no readable {member}") as file, zipfile.ZipFile(file) as archive:
        return _unpacked(archive.read(member), PurePosixPath(member).suffix)
