"""What can go wrong, by name.

Every error of the library says what must hold, what was got and what to do. All of them are
children of :class:`GraphTMError`; those that a careful caller of plain Python would expect to be a
``ValueError`` or a ``LookupError`` are that too.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from numbers import Integral
from typing import Any


class GraphTMError(Exception):
    """Base of every error that the library raises about data, files, models and engines."""


class GraphError(GraphTMError, ValueError):
    """A graph, or the arrays that describe one, cannot be what it claims to be."""


class UnknownSymbolError(GraphTMError, LookupError):
    """A symbol, edge type or node type is used that the vocabulary does not have."""


class GraphFormatError(GraphTMError, ValueError):
    """A file of graphs, or of a dataset, is damaged, truncated, of another version or of another format."""


class ModelFormatError(GraphTMError, ValueError):
    """A model file is damaged, truncated, of another version, or no model file at all."""


class DatasetNotFoundError(GraphTMError, FileNotFoundError):
    """The files of a dataset are neither on disk nor to be had from the network."""


class CodeError(GraphTMError, ValueError):
    """Symbols or clauses cannot be given codes of the requested kind and size."""


class NotEnoughMemoryError(GraphTMError, MemoryError):
    """A machine, or graphs for it, would take more memory than there is."""


class EngineUnavailableError(GraphTMError, RuntimeError):
    """An engine was asked for by name that cannot run here."""


class EngineFailedError(GraphTMError, RuntimeError):
    """The device that an engine runs on failed during the work."""


class EngineMismatchError(GraphTMError, AssertionError):
    """An engine computed other bits than the oracle."""


class MissingLibraryError(GraphTMError, ImportError):
    """An optional library that the work needs is not installed."""


class UnknownNameWarning(UserWarning):
    """Names that the training data did not have were ignored, as asked for."""


class EngineUnavailableWarning(UserWarning):
    """A model was saved with an engine that cannot run here; another one is used, which computes the same."""


class CodeCollisionWarning(UserWarning):
    """Hypervectors are so small that the machine will mistake symbols or messages for others."""


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


def check_at_least(parameter: str, owner: str, value: object, least: int) -> None:
    """Refuse a parameter that is not a whole number of at least ``least``, or None.

    Raises
    ------
    ValueError
        If it is not.
    """
    if value is not None and (not isinstance(value, Integral) or isinstance(value, bool) or int(value) < least):
        raise ValueError(
            f"The {parameter!r} parameter of {owner} must be an int of at least {least} or None. Got {value!r} instead."
        )
