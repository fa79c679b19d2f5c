"""What can go wrong, by name.

Every error of the library says what must hold, what was got and what to do. All of them are
children of :class:`GraphTMError`; those that a careful caller of plain Python would expect to be a
``ValueError`` or a ``LookupError`` are that too.
"""

from __future__ import annotations


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
