"""How long a function takes and how much memory it needs at most."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from statistics import median

REAL, DRAWN = "real", "drawn"
"""Data of the world, and data made up to be like it."""


@dataclass(frozen=True)
class Measurement:
    """What was measured, in seconds and bytes, and on which data."""

    name: str
    seconds: float
    peak_bytes: int
    result_bytes: int
    data: str = DRAWN

    def to_dict(self) -> dict[str, object]:
        """Return the fields, for JSON."""
        return asdict(self)


def measure(name: str, work: Callable[[], int], repeats: int = 3) -> Measurement:
    """Time ``work``, which returns the bytes of its result, and find its peak memory in a run apart.

    The first run is not counted, the median of the others is; memory is traced separately, because
    tracing slows down small allocations.
    """
    result_bytes = work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    tracemalloc.start()
    try:
        work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Measurement(name, median(times), peak, result_bytes)
