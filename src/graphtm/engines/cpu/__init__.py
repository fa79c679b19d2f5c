"""The CPU engine: Numba kernels on 64-bit words, with the same bits as the oracle."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from graphtm.engines.kinds import EngineKind
from graphtm.model import MachineSize

if TYPE_CHECKING:
    from graphtm.engines.cpu.engine import CpuEngine

__all__ = ["KIND", "CpuEngine"]


def _make(_: str, n_jobs: int | None) -> CpuEngine:
    from graphtm.engines.cpu.engine import CpuEngine

    return CpuEngine(n_jobs)


def _machine_bytes(size: MachineSize) -> int:
    from graphtm.engines.cpu.rooms import machine_bytes

    return machine_bytes(size, vectors=True)


def _variants() -> list[dict[str, Any]]:
    """Return variants with 1, 2 and 3 threads, with and without vectors, by row, by node and by column."""
    from graphtm.engines.cpu.pace import RestlessPace

    ways = product((1, 2, 3), (True, False), ("always", "auto", "never", "columns"))
    return [{"n_threads": n, "vectors": vectors, "rows": rows, "pace": RestlessPace} for n, vectors, rows in ways]


KIND = EngineKind(
    names=("cpu",),
    pattern="cpu",
    make=_make,
    detail=lambda _: "Numba kernels with vectors and threads; compiled on first use in up to 20 s, then cached on disk",
    machine_bytes=_machine_bytes,
    variants=_variants,
)


def __getattr__(name: str) -> Any:
    # Numba is imported when the engine is used, not when it is described.
    if name == "CpuEngine":
        from graphtm.engines.cpu.engine import CpuEngine

        return CpuEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
