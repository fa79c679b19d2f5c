"""Optional libraries, and warnings at the line of the user's own code."""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Any

from graphtm.errors import MissingLibraryError


def require(library: str, what: str, extra: str | None = None) -> Any:
    """Import an optional library when it is needed.

    Parameters
    ----------
    library
        The module, such as ``"networkx"``.
    what
        What needs it, for the message: ``"from_networkx"``.
    extra
        The extra of graphtm that installs it, if there is one.

    Raises
    ------
    MissingLibraryError
        If it is not installed; the message says how to install it.
    """
    try:
        return importlib.import_module(library)
    except ImportError as error:
        command = f"pip install 'graphtm[{extra}]'" if extra else f"pip install {library.partition('.')[0]}"
        raise MissingLibraryError(
            f"{what} needs the library {library!r}, which is not installed: {command}."
        ) from error


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's own code that called into the library."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("graphtm."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
