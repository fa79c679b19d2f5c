"""Engines by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from graphtm.engines.base import Engine
from graphtm.errors import EngineUnavailableError


def _reference(n_jobs: int | None) -> Engine:  # noqa: ARG001 -- it has no threads
    from graphtm.engines.reference import ReferenceEngine

    return ReferenceEngine()


def _cpu(n_jobs: int | None) -> Engine:
    from graphtm.engines.cpu import CpuEngine

    return CpuEngine(n_jobs)


def _cuda(name: str) -> Engine:
    from graphtm.engines.cuda import CudaEngine

    return CudaEngine(name)


_ENGINES: dict[str, Callable[[int | None], Engine]] = {"cpu": _cpu, "reference": _reference}
_DESCRIPTIONS = {
    "cpu": "Numba on vectors and threads; compiles for up to 20 s on first use, then from a cache on disk",
    "reference": "plain NumPy, the definition of all others; slow",
}


def is_cuda(name: object) -> bool:
    """Whether a name is that of a CUDA engine: ``"cuda"`` for the first device, ``"cuda:1"`` for the second."""
    return isinstance(name, str) and re.fullmatch(r"cuda(:[0-9]{1,4})?", name) is not None


def is_engine_name(name: object) -> bool:
    """Whether an engine may be asked for by this name, be it here or not."""
    return isinstance(name, str) and (name == "auto" or name in _ENGINES or is_cuda(name))


def why_not(name: str) -> str | None:
    """Return why the engine of this name cannot run here, or ``None`` if it can."""
    if not is_cuda(name):
        return None
    from graphtm.engines.cuda.device import device_number, find_device

    try:
        find_device(device_number(name))
    except EngineUnavailableError as error:
        return str(error)
    return None


class EngineStatus(NamedTuple):
    """An engine, and whether it can run here."""

    name: str
    available: bool
    detail: str


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines, the fastest first."""
    return ("cuda", *_ENGINES)


def engine_statuses() -> list[EngineStatus]:
    """Return which engines can run here, and why the others cannot; the fastest first."""
    return [_cuda_status(), *(EngineStatus(name, True, text) for name, text in _DESCRIPTIONS.items())]


def _cuda_status() -> EngineStatus:
    from graphtm.engines.cuda.device import find_device

    try:
        device = find_device()
    except EngineUnavailableError as error:
        return EngineStatus("cuda", False, str(error))
    return EngineStatus("cuda", True, f"kernels on {device.name}; compiles for up to 20 s on first use, then cached")


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
    EngineUnavailableError
        If it cannot run here; ``"auto"`` takes another instead.
    """
    if name == "auto":
        name = next(status.name for status in engine_statuses() if status.available)
    if is_cuda(name):
        return _cuda(name)
    if name not in _ENGINES:
        choices = ", ".join(map(repr, ("auto", *engine_names(), "cuda:1")))
        raise ValueError(f"The 'engine' parameter must be a str among {{{choices}}}. Got {name!r} instead.")
    return _ENGINES[name](n_jobs)
