"""Files that others wrote, compressed or not, and the one error for whatever is wrong with them."""

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
"""How the name of a file may go on: it may lie there as it is or compressed."""


def damaged(path: object, reason: str) -> GraphFormatError:
    """Return the error that names a file, says what is wrong with it and what to do."""
    return GraphFormatError(
        f"The file {path} is damaged or of another format: {reason}. Replace it by an undamaged copy."
    )


@contextmanager
def opened(path: Path, failure: str) -> Iterator[BufferedReader]:
    """Open a file; whatever goes wrong while it is read means that it is damaged.

    Libraries that read archives, arrays and pictures fail in a dozen ways on broken bytes, and in others with their
    next version, so none is listed. A file that is not there or may not be read fails before, as it always does.
    """
    with path.open("rb") as file:
        try:
            yield file
        except (GraphTMError, MemoryError):
            raise
        except Exception as error:
            raise damaged(path, f"{failure} ({str(error) or type(error).__name__})") from None


def read_bytes(path: Path) -> bytes:
    """Return the whole content of a file, unpacked.

    Raises
    ------
    GraphFormatError
        If a compressed file is damaged or cut short.
    """
    with opened(path, "it cannot be unpacked") as file:
        return _unpacked(file.read(), path.suffix)


def _unpacked(content: bytes, suffix: str) -> bytes:
    if suffix not in PACKED[1:]:
        return content
    if not content:
        # Which gzip takes for nothing, well packed.
        raise EOFError("it is empty")
    # Of xz not the older form without checksums, which any bytes may look like.
    return gzip.decompress(content) if suffix == ".gz" else lzma.decompress(content, lzma.FORMAT_XZ)


def zip_members(path: Path) -> list[str]:
    """Return the names of the files in a zip archive, all of which are verified: a broken name would hide one."""
    with opened(path, "it is no zip archive") as file, zipfile.ZipFile(file) as archive:
        if bad := archive.testzip():
            raise damaged(path, f"the checksum of {bad} is wrong")
        return archive.namelist()


def read_member(path: Path, member: str) -> bytes:
    """Return the content of a file in a zip archive, its checksum verified, unpacked if it is compressed itself."""
    with opened(path, f"it has no readable {member}") as file, zipfile.ZipFile(file) as archive:
        return _unpacked(archive.read(member), PurePosixPath(member).suffix)
