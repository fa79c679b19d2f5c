"""Available memory and processors."""

from __future__ import annotations

import os
from pathlib import Path

from graphtm.errors import NotEnoughMemoryError

_MEMINFO = Path("/proc/meminfo")
# Limit and usage of a container, for both versions of Linux control groups.
_CONTAINER = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)
_LITTLE = 1 << 18  # bytes that are always there; to ask for the free memory takes as long as to encode a graph


def free_memory() -> int | None:
    """Return the number of bytes that this process can still allocate, or ``None`` if it is not known."""
    known = [number for number in (_of_system(), *_of_containers()) if number is not None]
    return min(known) if known else None


def require_memory(needed: int, what: str, advice: str) -> None:
    """Refuse work that would not fit into memory.

    Parameters
    ----------
    needed
        Number of bytes needed.
    what
        What they are needed for, such as "The automata of 100 clauses".
    advice
        What to do instead, such as "Lower n_clauses".

    Raises
    ------
    NotEnoughMemoryError
        If less memory is available.
    """
    free = None if needed <= _LITTLE else free_memory()
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
            # Cached file pages count as used but are freed on demand.
            files = _stat(used.with_name("memory.stat"), ("inactive_file", "total_inactive_file"))
            found.append(max(0, int(limit.read_text()) - int(used.read_text()) + files))
        except (OSError, ValueError):  # noqa: PERF203 -- no such group, or no limit ("max")
            continue
    return found


def usable_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def capped_jobs(n_jobs: int | None) -> int | None:
    """Return ``n_jobs``, limited to the number of usable processors."""
    return n_jobs if n_jobs is None else min(n_jobs, usable_processors())
