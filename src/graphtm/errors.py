"""Errors and warnings of the library.

Every message says what must hold, what was given and what to do. All errors derive from :class:`GraphTMError`, and
also from the built-in exception that fits, such as ``ValueError`` or ``LookupError``.
"""

from __future__ import annotations


class GraphTMError(Exception):
    """Base class of all errors of the library."""


class GraphError(GraphTMError, ValueError):
    """A graph, or arrays that describe graphs, are not valid."""


class UnknownSymbolError(GraphTMError, LookupError):
    """A symbol, edge type or node type is not in the vocabulary."""


class GraphFormatError(GraphTMError, ValueError):
    """A graph file or dataset file is damaged, truncated, or has an unsupported format or version."""


class ModelFormatError(GraphTMError, ValueError):
    """A model file is damaged, truncated, has an unsupported version, or is not a model file."""


class DatasetNotFoundError(GraphTMError, FileNotFoundError):
    """The files of a dataset are not on disk and cannot be downloaded."""


class CodeError(GraphTMError, ValueError):
    """A code of the requested scheme and size is not possible."""


class NotEnoughMemoryError(GraphTMError, MemoryError):
    """A machine, or its encoded graphs, would need more memory than is available."""


class EngineUnavailableError(GraphTMError, RuntimeError):
    """The requested engine cannot run here."""


class EngineFailedError(GraphTMError, RuntimeError):
    """The device of an engine failed during a computation."""


class EngineMismatchError(GraphTMError, AssertionError):
    """The results of an engine differ from those of the reference engine."""


class MissingLibraryError(GraphTMError, ImportError):
    """A required optional library is not installed."""


class UnknownNameWarning(UserWarning):
    """Names that are not in the training data were ignored, as requested."""


class EngineUnavailableWarning(UserWarning):
    """The engine that a model was saved with cannot run here; another engine, with the same results, is used."""


class CodeCollisionWarning(UserWarning):
    """Hypervectors are too small, so that symbols or messages are often confused."""
