"""Measurements in processes of their own, because peak memory is that of a process and is never forgotten."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from graphtm.bench.timing import Measurement
from graphtm.errors import DatasetNotFoundError


def measure_apart(work: Callable[..., Measurement], *arguments: object) -> Measurement:
    """Return what a function of some module measures, run in a new process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def peak_memory() -> int:
    """Return the most bytes that this process has had in memory at one time: libraries, data and results."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Unlike getrusage, this does not count what the parent had when it started the process.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource  # not on every system

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def real_data(load: Callable[..., tuple[Any, Any]], data: Path | None) -> Any:
    """Return what a loader of datasets finds in a folder to learn from; ``None`` if that is not there."""
    if data is None:
        return None
    try:
        return load(subset="train", data_home=data, download=False)[0]
    except DatasetNotFoundError:
        return None
