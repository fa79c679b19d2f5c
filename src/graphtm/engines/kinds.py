"""Descriptions of engines, so that no other module depends on which engines exist."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphtm.engines.base import Engine, state_bytes
from graphtm.model import MachineSize


@dataclass(frozen=True)
class EngineKind:
    """Description of an engine. Creating it must not import the libraries that the engine needs.

    Parameters
    ----------
    names
        Names shown to users, the shortest first: ``("cuda", "cuda:1")``.
    pattern
        Regular expression that matches all names of the engine.
    make
        Function that returns a new engine, given its name and ``n_jobs``.
    detail
        Function that describes the engine of a given name; it raises EngineUnavailableError if the engine cannot run.
    variants
        Code paths to test, as keyword arguments of :meth:`~graphtm.engines.Engine.adjust`. All give the same bits.
    machine_bytes
        Function that returns the host memory that a machine takes in the engine, in bytes.
    warmed_up
        Keyword arguments of ``adjust`` that select the code path used after a warm-up, for benchmarks.
    detour
        Engine that learns from some examples in between when parity tests move a state from one engine to another.
    """

    names: tuple[str, ...]
    pattern: str
    make: Callable[[str, int | None], Engine]
    detail: Callable[[str], str]
    machine_bytes: Callable[[MachineSize], int] = state_bytes
    variants: Callable[[], Sequence[Mapping[str, Any]]] = lambda: ({},)
    warmed_up: Mapping[str, Any] = field(default_factory=dict)
    detour: str | None = None

    @property
    def name(self) -> str:
        """The shortest name."""
        return self.names[0]

    def goes_by(self, name: str) -> bool:
        """Return whether this is a name of the engine."""
        return re.fullmatch(self.pattern, name) is not None
