"""Old import names, and scripts that use them."""

from __future__ import annotations

import importlib
import os
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graphtm.errors import GraphTMError

PACKAGE = "GraphTsetlinMachine"
_NAMES = str(Path(__file__).with_name("names"))
"""A folder with the old package: new processes get the import path of a script, but not its modules."""
_MODULES = (PACKAGE, f"{PACKAGE}.graphs", f"{PACKAGE}.tm")


def install() -> None:
    """Register the modules of this package under the old names, so that scripts may import them unchanged.

    Raises
    ------
    GraphTMError
        If the earlier implementation itself has been imported.

    Examples
    --------
    >>> import graphtm as gtm
    >>> gtm.compat.install()
    >>> from GraphTsetlinMachine.graphs import Graphs
    >>> Graphs(3, symbols=["A"])
    Graphs(3 graphs, 1 symbol, not encoded)
    """
    ours = {name: importlib.import_module(f"graphtm.compat.{name}") for name in _MODULES}
    for name, module in ours.items():
        if sys.modules.get(name, module) is not module:
            raise GraphTMError(
                f"install must be called before {name} is imported; it has been, from "
                f"{getattr(sys.modules[name], '__file__', None)}."
            )
    sys.modules.update(ours)


def script_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a script that exists.

    Raises
    ------
    FileNotFoundError
        If it does not.
    """
    script = Path(path)
    if not script.is_file():
        found = f"{script} is a folder" if script.is_dir() else f"there is no {script}"
        raise FileNotFoundError(f"The script must be a file; {found}.")
    return script


def run_script(path: str | os.PathLike[str], arguments: Iterable[str] = ()) -> dict[str, Any]:
    """Run a script with the old import names registered, as ``python -m graphtm.compat`` does.

    Processes that the script starts with :mod:`multiprocessing` find the old names, too.

    Parameters
    ----------
    path
        The script.
    arguments
        Its arguments.

    Returns
    -------
    dict
        The global variables of the script.

    Raises
    ------
    FileNotFoundError
        If there is no such script.
    """
    script = script_path(path)
    install()
    argv, folders = sys.argv, sys.path
    # The old names come first: beside the script, or installed, there may be the earlier implementation.
    sys.argv, sys.path = [str(script), *arguments], [_NAMES, str(script.resolve().parent), *folders]
    try:
        return runpy.run_path(str(script), run_name="__main__")
    finally:
        sys.argv, sys.path = argv, folders
