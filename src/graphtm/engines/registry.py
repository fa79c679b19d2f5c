"""Engines by name."""

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
    """An engine, and whether it can run here."""

    name: str
    available: bool
    detail: str


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, the fastest first."""
    return tuple(kind.name for kind in KINDS)


def is_engine_name(name: object) -> bool:
    """Return whether this is the name of an engine or ``"auto"``, available or not."""
    return isinstance(name, str) and (name == "auto" or any(kind.goes_by(name) for kind in KINDS))


def engine_choices() -> str:
    """Return the names that the ``engine`` parameter accepts, for messages."""
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
    """Return whether an engine can run here, and a sentence about it or the reason why it cannot."""
    try:
        return EngineStatus(name, True, engine_kind(name).detail(name))
    except EngineUnavailableError as error:
        return EngineStatus(name, False, str(error))


def engine_statuses() -> list[EngineStatus]:
    """Return which engines can run here, and why the others cannot; the fastest first."""
    return [engine_status(name) for name in engine_names()]


def resolved_name(name: str) -> str:
    """Return the name of an engine; that of the fastest one that can run here for ``"auto"``."""
    return next(status.name for status in engine_statuses() if status.available) if name == "auto" else name


def make_engine(name: str = "auto", n_jobs: int | None = None) -> Engine:
    """Return a new engine.

    Parameters
    ----------
    name
        An engine's name, or ``"auto"`` for the fastest one that can run here.
    n_jobs
        Number of threads, for engines that use threads. ``None`` chooses a sensible number, -1 uses all processors.

    Raises
    ------
    ValueError
        If there is no engine of that name.
    EngineUnavailableError
        If it cannot run here. ``"auto"`` takes another one instead.
    """
    name = resolved_name(name)
    return engine_kind(name).make(name, n_jobs)
