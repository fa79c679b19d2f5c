"""How many processors this process may use."""

from __future__ import annotations

import os


def usable_processors() -> int:
    """Return how many processors this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def capped_jobs(n_jobs: int | None) -> int | None:
    """Return ``n_jobs`` as joblib takes it, but no more of them than there are processors to use."""
    return n_jobs if n_jobs is None else min(n_jobs, usable_processors())
