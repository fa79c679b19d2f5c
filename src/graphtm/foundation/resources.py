"""How much memory and how many processors this process may use."""

from __future__ import annotations

import os
from pathlib import Path

from graphtm.errors import NotEnoughMemoryError

_MEMINFO = Path("/proc/meminfo")
# What a container may use and uses, of both generations of Linux control groups.
_CONTAINER = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)


def free_memory() -> int | None:
    """Return how many bytes this process may still take; ``None`` if the system does not say."""
    known = [number for number in (_of_system(), *_of_containers()) if number is not None]
    return min(known) if known else None


def require_memory(needed: int, what: str, advice: str) -> None:
    """Refuse work that would not fit, before it has begun.

    Parameters
    ----------
    needed
        Bytes.
    what
        What they are for: "the automata of 100 clauses".
    advice
        What to do: "Lower n_clauses".

    Raises
    ------
    NotEnoughMemoryError
        If there is less.
    """
    free = free_memory()
    if free is not None and needed > free:
        raise NotEnoughMemoryError(f"{what} would take {_gib(needed)}; {_gib(free)} of memory are free. {advice}.")


def _gib(n: int) -> str:
    return f"{n / 2**30:,.1f} GiB" if n >= 2**30 / 10 else f"{n / 2**20:,.1f} MiB"


def _of_system() -> int | None:
    try:
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _stat(path: Path, names: tuple[str, ...]) -> int:
    values = dict(line.split()[:2] for line in path.read_text().splitlines() if len(line.split()) > 1)
    return next((int(values[name]) for name in reversed(names) if name in values), 0)


def _of_containers() -> list[int]:
    found = []
    for limit, used in _CONTAINER:
        try:
            # Pages of files that were read count as used, but are given back when they are needed.
            files = _stat(used.with_name("memory.stat"), ("inactive_file", "total_inactive_file"))
            found.append(max(0, int(limit.read_text()) - int(used.read_text()) + files))
        except (OSError, ValueError):  # noqa: PERF203 -- no such group, or "max": no limit
            continue
    return found


def usable_processors() -> int:
    """Return how many processors this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def capped_jobs(n_jobs: int | None) -> int | None:
    """Return ``n_jobs`` as joblib takes it, but no more of them than there are processors to use."""
    return n_jobs if n_jobs is None else min(n_jobs, usable_processors())
