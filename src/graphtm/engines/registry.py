"""Engines by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from graphtm.engines.base import Engine


def _reference(n_jobs: int | None) -> Engine:  # noqa: ARG001 -- it has no threads
    from graphtm.engines.reference import ReferenceEngine

    return ReferenceEngine()


def _cpu(n_jobs: int | None) -> Engine:
    from graphtm.engines.cpu import CpuEngine

    return CpuEngine(n_jobs)


_ENGINES: dict[str, Callable[[int | None], Engine]] = {"cpu": _cpu, "reference": _reference}
_DESCRIPTIONS = {
    "cpu": "Numba on vectors and threads; compiles for up to 20 s on first use, then from a cache on disk",
    "reference": "plain NumPy, the definition of all others; slow",
}


class EngineStatus(NamedTuple):
    """An engine, and whether it can run here."""

    name: str
    available: bool
    detail: str


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, the fastest first."""
    return tuple(_ENGINES)


def engine_statuses() -> list[EngineStatus]:
    """Return which engines can run here, and why the others cannot; the fastest first."""
    return [EngineStatus(name, True, _DESCRIPTIONS[name]) for name in _ENGINES]


def make_engine(name: str = "auto", n_jobs: int | None = None) -> Engine:
    """Return a new engine.

    Parameters
    ----------
    name
        An engine's name, or ``"auto"`` for the fastest that can run here.
    n_jobs
        Threads of an engine that has them; ``None`` for a sensible number, -1 for all processors.

    Raises
    ------
    ValueError
        If there is no engine of that name.
    """
    if name == "auto":
        name = next(status.name for status in engine_statuses() if status.available)
    if name not in _ENGINES:
        choices = ", ".join(map(repr, ("auto", *_ENGINES)))
        raise ValueError(f"The 'engine' parameter must be a str among {{{choices}}}. Got {name!r} instead.")
    return _ENGINES[name](n_jobs)
