"""Registry of engines by name."""

from __future__ import annotations

from typing import NamedTuple

from graphtm.engines.base import Engine
from graphtm.engines.cpu import KIND as CPU
from graphtm.engines.cuda import KIND as CUDA
from graphtm.engines.kinds import EngineKind
from graphtm.engines.reference import KIND as REFERENCE
from graphtm.errors import EngineUnavailableError

KINDS = (CUDA, CPU, REFERENCE)
"""All engines, the fastest first."""


class EngineStatus(NamedTuple):
    """Whether an engine can run here."""

    name: str
    available: bool
    detail: str


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, the fastest first."""
    return tuple(kind.name for kind in KINDS)


def is_engine_name(name: object) -> bool:
    """Return whether this is ``"auto"`` or the name of an engine, available or not."""
    return isinstance(name, str) and (name == "auto" or any(kind.goes_by(name) for kind in KINDS))


def engine_choices() -> str:
    """Return the names that the ``engine`` parameter accepts, for error messages."""
    others = (name for kind in KINDS for name in kind.names[1:])
    return ", ".join(map(repr, ("auto", *engine_names(), *others)))


def engine_kind(name: str) -> EngineKind:
    """Return the description of an engine.

    Raises
    ------
    ValueError
        If there is no engine of that name.
    """
    for kind in KINDS:
        if kind.goes_by(name):
            return kind
    raise ValueError(f"The 'engine' parameter must be a str among {{{engine_choices()}}}. Got {name!r} instead.")


def engine_status(name: str) -> EngineStatus:
    """Return whether an engine can run here, with a description, or the reason why it cannot."""
    try:
        return EngineStatus(name, True, engine_kind(name).detail(name))
    except EngineUnavailableError as error:
        return EngineStatus(name, False, str(error))


def engine_statuses() -> list[EngineStatus]:
    """Return the status of all engines, the fastest first."""
    return [engine_status(name) for name in engine_names()]


def resolved_name(name: str) -> str:
    """Replace ``"auto"`` by the name of the fastest engine that can run here."""
    return next(status.name for status in engine_statuses() if status.available) if name == "auto" else name


def make_engine(name: str = "auto", n_jobs: int | None = None) -> Engine:
    """Return a new engine.

    Parameters
    ----------
    name
        Name of an engine, or ``"auto"`` for the fastest one that can run here.
    n_jobs
        Maximum number of threads, for engines that use threads; never more than there are processors. ``None`` means
        all processors up to eight, -1 all processors.

    Raises
    ------
    ValueError
        If there is no engine of that name.
    EngineUnavailableError
        If the named engine cannot run here.
    """
    name = resolved_name(name)
    return engine_kind(name).make(name, n_jobs)
