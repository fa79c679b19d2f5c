"""Threads of one run: how many, started together, stopped together."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import numpy as np
from numba import config
from numpy.typing import NDArray

from graphtm.engines.cpu.barrier import MISSING, STOP

_MOST_BY_DEFAULT = 8


def thread_count(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` asks for.

    ``None`` means the processors this process may use, at most eight, and fewer where Numba's or joblib's setting for
    threads within a worker says so. Negative numbers count from all processors, -1.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return max(1, min(usable, int(getattr(config, "NUMBA_NUM_THREADS", usable)), _MOST_BY_DEFAULT))
    return n_jobs if n_jobs > 0 else max(1, usable + 1 + n_jobs)


def run_together(
    work: Callable[[int], object], n_threads: int, barriers: list[NDArray[np.int64]], *, take_part: bool = False
) -> None:
    """Call ``work`` with 0, 1, ... in a thread each, and wait for all.

    Unless it takes part, the calling thread only waits, so that it hears Ctrl-C at once; it then asks the others to
    stop, which they do at the next barrier, waits for them, and only then lets the interrupt out. If it takes part it
    hears Ctrl-C when its own work is done, but the threads are spread over the cores from the start: a core on which
    the caller has only waited looks idle, and a new thread may be put there with it. Other Python threads go on
    running either way.
    """
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            # The others would wait for this one in vain.
            errors.append(error)
            _tell(barriers, STOP, MISSING)

    first = 1 if take_part else 0
    workers = [threading.Thread(target=guarded, args=(number,), daemon=True) for number in range(first, n_threads)]
    try:
        for worker in workers:
            worker.start()
    except BaseException as error:
        errors.append(error)
        _tell(barriers, STOP, MISSING)
    else:
        if take_part:
            guarded(0)
    for worker in workers:
        while worker.is_alive():
            try:
                worker.join()
            except BaseException as error:  # noqa: PERF203
                errors.append(error)
                _tell(barriers, STOP)
    if errors:
        raise errors[0]


def _tell(barriers: list[NDArray[np.int64]], *places: int) -> None:
    for barrier in barriers:
        barrier[list(places)] = 1
