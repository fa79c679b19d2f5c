"""Files of exports: the suffix says which language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from graphtm.export.c_graphs import c_graphs_text
from graphtm.export.c_header import c_header_text
from graphtm.export.c_text import identifier
from graphtm.export.json_document import json_text
from graphtm.export.logic import logic_text
from graphtm.export.logic_facts import facts_text
from graphtm.export.program import Program
from graphtm.export.python_module import python_text
from graphtm.foundation.container import atomic_write
from graphtm.graphs import GraphBatch
from graphtm.graphs.convert import write_jsonl

SUFFIXES = {".json": "JSON", ".py": "Python module", ".h": "C99 header", ".lp": "logic program"}
"""What files with a suffix hold."""
GRAPH_SUFFIXES = {".jsonl": "JSON lines", ".h": "C source", ".lp": "facts"}
"""The same for graphs; JSON lines are for Python and JSON."""


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
        If the file ends otherwise, or if a name is given for another language than C.
    """
    target = Path(path)
    suffix = checked_suffix(target, SUFFIXES, name)
    if suffix == ".h":
        text = c_header_text(program, c_name(target, name))
    else:
        text = {".json": json_text, ".py": python_text, ".lp": logic_text}[suffix](program)
    _write(target, text)


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
        If the file ends otherwise, or if a name is given for another language than C.
    """
    target = Path(path)
    suffix = checked_suffix(target, GRAPH_SUFFIXES, name)
    if suffix == ".jsonl":
        write_jsonl(target, graphs)
    elif suffix == ".h":
        _write(target, c_graphs_text(graphs, program, c_name(target, name, of_graphs=True)))
    else:
        _write(target, facts_text(graphs, program))


def c_name(path: Path, name: str | None = None, *, of_graphs: bool = False) -> str:
    """Return what identifiers in C begin with, before an underscore: a given name, or one made of that of the file."""
    return name or identifier(path.stem.removesuffix("_graphs") if of_graphs else path.stem)


def checked_suffix(path: Path, known: Mapping[str, str], name: str | None) -> str:
    """Return the suffix of a file.

    Raises
    ------
    ValueError
        If it is not known, or if there is a name for the identifiers of another language than C.
    """
    if path.suffix not in known:
        *most, last = (f"{suffix} ({language})" for suffix, language in known.items())
        raise ValueError(f"The name of the file must end with {', '.join(most)} or {last}; got {str(path)!r}.")
    if name is not None and path.suffix != ".h":
        raise ValueError(f"Only C has identifiers to name: leave out the name {name!r} for {str(path)!r}.")
    return path.suffix


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as file:
        file.write(text.encode())
