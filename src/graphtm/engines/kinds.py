"""What an engine says of itself, so that nothing else needs to know which engines there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphtm.engines.base import Engine, state_bytes
from graphtm.model import MachineSize


@dataclass(frozen=True)
class EngineKind:
    """Description of an engine; making it must not import what the engine needs.

    Parameters
    ----------
    names
        Names to show to users, the shortest first: ``("cuda", "cuda:1")``.
    pattern
        Regular expression of all its names.
    make
        Returns a new engine, given its name and ``n_jobs``.
    detail
        Returns a sentence about the engine of a name; raises EngineUnavailableError if it cannot run here.
    variants
        Ways to compute, as keyword arguments of :meth:`~graphtm.engines.Engine.adjust`. All must give the same bits.
    machine_bytes
        Returns the memory that a machine takes in the engine, in bytes.
    warmed_up
        How it computes after a while of work, for benchmarks; keyword arguments of ``adjust``.
    """

    names: tuple[str, ...]
    pattern: str
    make: Callable[[str, int | None], Engine]
    detail: Callable[[str], str]
    machine_bytes: Callable[[MachineSize], int] = state_bytes
    variants: Callable[[], Sequence[Mapping[str, Any]]] = lambda: ({},)
    warmed_up: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The shortest name."""
        return self.names[0]

    def goes_by(self, name: str) -> bool:
        """Whether this is one of its names."""
        return re.fullmatch(self.pattern, name) is not None
