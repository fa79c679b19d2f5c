"""Files of exports: the suffix says which language."""

from __future__ import annotations

import os
import re
from pathlib import Path

from graphtm.export.program import Program
from graphtm.foundation.container import atomic_write

SUFFIXES = {".json": "JSON", ".py": "a Python module", ".h": "a C99 header", ".lp": "a logic program"}
"""What files with a suffix hold."""
_LONGEST_IDENTIFIER = 31


def write_export(program: Program, path: str | os.PathLike[str]) -> None:
    """Write a program in the language that the suffix of a file names.

    Parameters
    ----------
    program
        The program.
    path
        A file that ends with ``.json``, ``.py``, ``.h`` or ``.lp``. An existing file is replaced when the new one is
        complete.

    Raises
    ------
    ValueError
        If the file ends otherwise.
    """
    target = Path(path)
    text = export_text(program, target)
    with atomic_write(target) as file:
        file.write(text.encode())


def export_text(program: Program, path: Path) -> str:
    """Return the text of a program in the language that the suffix of a file names."""
    suffix = checked_suffix(path)
    if suffix == ".json":
        from graphtm.export.json_document import json_text

        return json_text(program)
    if suffix == ".py":
        from graphtm.export.python_module import python_text

        return python_text(program)
    if suffix == ".h":
        from graphtm.export.c_header import c_header_text

        return c_header_text(program, identifier(path.stem))
    from graphtm.export.logic import logic_text

    return logic_text(program)


def checked_suffix(path: Path) -> str:
    """Return the suffix of a file.

    Raises
    ------
    ValueError
        If it is of no language.
    """
    if path.suffix not in SUFFIXES:
        known = [f"{suffix} ({language})" for suffix, language in SUFFIXES.items()]
        raise ValueError(
            f"The file of an export must end with {', '.join(known[:-1])} or {known[-1]}; got {str(path)!r}."
        )
    return path.suffix


def identifier(stem: str) -> str:
    """Return the name of a file as a name in C, which is not too long for the C header.

    Examples
    --------
    >>> identifier("toxic-2 (new)"), identifier("2nd")
    ('toxic_2_new', 'machine_2nd')
    """
    name = re.sub("[^A-Za-z0-9]+", "_", stem).strip("_")
    name = name if re.match("[A-Za-z]", name) else f"machine_{name}"
    return name[:_LONGEST_IDENTIFIER].rstrip("_")
