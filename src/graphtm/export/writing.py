"""Files of exports: the suffix says which language."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from graphtm.export.program import Program
from graphtm.foundation.container import atomic_write
from graphtm.graphs import GraphBatch

SUFFIXES = {".json": "JSON", ".py": "Python module", ".h": "C99 header", ".lp": "logic program"}
"""What files with a suffix hold."""
GRAPH_SUFFIXES = {".jsonl": "JSON lines", ".h": "C source", ".lp": "facts"}
"""The same for graphs; JSON lines are for Python and JSON."""
_LONGEST_IDENTIFIER = 31


def write_export(program: Program, path: str | os.PathLike[str], name: str | None = None) -> None:
    """Write a program in the language that the suffix of a file names.

    Parameters
    ----------
    program
        The program.
    path
        A file that ends with ``.json``, ``.py``, ``.h`` or ``.lp``. An existing file is replaced when the new one is
        complete.
    name
        For C: what the identifiers of the header begin with. Default: the name of the file without its suffix.

    Raises
    ------
    ValueError
        If the file ends otherwise.
    """
    target = Path(path)
    text = export_text(program, target, name)
    with atomic_write(target) as file:
        file.write(text.encode())


def export_text(program: Program, path: Path, name: str | None = None) -> str:
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

        return c_header_text(program, name or identifier(path.stem))
    from graphtm.export.logic import logic_text

    return logic_text(program)


def write_graphs(program: Program, graphs: GraphBatch, path: str | os.PathLike[str], name: str | None = None) -> None:
    """Write graphs as an export reads them.

    Parameters
    ----------
    program
        The program that will read them.
    graphs
        The graphs that the estimator takes; of a pipeline, what its encoders make.
    path
        A file that ends with ``.jsonl``, for a Python module or JSON, ``.h`` or ``.lp``.
    name
        For C: what the identifiers of the header begin with. Default: the name of the file without its suffix and
        without ``_graphs`` at the end.

    Raises
    ------
    ValueError
        If the file ends otherwise.
    """
    target = Path(path)
    suffix = checked_suffix(target, GRAPH_SUFFIXES)
    if suffix == ".jsonl":
        from graphtm.graphs.convert import write_jsonl

        write_jsonl(target, graphs)
        return
    if suffix == ".h":
        from graphtm.export.c_graphs import c_graphs_text

        text = c_graphs_text(graphs, program, name or identifier(target.stem.removesuffix("_graphs")))
    else:
        from graphtm.export.logic_facts import facts_text

        text = facts_text(graphs, program)
    with atomic_write(target) as file:
        file.write(text.encode())


def checked_suffix(path: Path, known: Mapping[str, str] = SUFFIXES) -> str:
    """Return the suffix of a file.

    Raises
    ------
    ValueError
        If it is not known.
    """
    if path.suffix not in known:
        *most, last = (f"{suffix} ({language})" for suffix, language in known.items())
        raise ValueError(f"The name of the file must end with {', '.join(most)} or {last}; got {str(path)!r}.")
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
