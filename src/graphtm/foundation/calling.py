"""Imports of optional libraries, and warnings that point to the user's code."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

from graphtm.errors import MissingLibraryError

_NOT_THE_USERS = ("graphtm.", "sklearn.", "joblib.")
"""Beginnings of modules that warnings do not point to: pipelines and searches of scikit-learn call the library."""


def require(library: str, what: str, extra: str | None = None) -> Any:
    """Import an optional library.

    Parameters
    ----------
    library
        Name of the module, such as ``"networkx"``.
    what
        What needs it, for the error message, such as ``"from_networkx"``.
    extra
        Name of the graphtm extra that installs it, if there is one.

    Raises
    ------
    MissingLibraryError
        If it is not installed. The message says how to install it.
    """
    try:
        return importlib.import_module(library)
    except ImportError as error:
        command = f"pip install 'graphtm[{extra}]'" if extra else f"pip install {library.partition('.')[0]}"
        raise MissingLibraryError(
            f"{what} needs the library {library!r}, which is not installed: {command}."
        ) from error


def warn_user(message: str, category: type[Warning]) -> None:
    """Issue a warning that points to the line of user code that called the library."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_NOT_THE_USERS):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
