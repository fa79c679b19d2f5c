"""Threads of one run: how many, started together, stopped together."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import numpy as np
from numba import config
from numpy.typing import NDArray

from graphtm.engines.cpu.barrier import MISSING, PAUSE, STOP
from graphtm.foundation.resources import usable_processors

_MOST_BY_DEFAULT = 8


def thread_count(n_jobs: int | None) -> int:
    """Return how many threads ``n_jobs`` asks for.

    ``None`` means the processors this process may use, at most eight, and fewer where Numba's or joblib's setting for
    threads within a worker says so. Negative numbers count from all processors, -1. There are never more threads than
    processors: they would only wait for one another.

    Raises
    ------
    ValueError
        If it is 0.
    """
    usable = usable_processors()
    if n_jobs is None:
        return max(1, min(usable, int(getattr(config, "NUMBA_NUM_THREADS", usable)), _MOST_BY_DEFAULT))
    if n_jobs == 0:
        raise ValueError(
            "The 'n_jobs' parameter must be an int above 0, -1 for all processors, or None. Got 0 instead."
        )
    return min(n_jobs, usable) if n_jobs > 0 else max(1, usable + 1 + n_jobs)


def run_together(
    work: Callable[[int], object],
    n_threads: int,
    barriers: list[NDArray[np.int64]],
    *,
    take_part: bool = False,
    seconds: float | None = None,
) -> None:
    """Call ``work`` with 0, 1, ... in a thread each, and wait for all.

    Ctrl-C is put off until all have ended, so that nothing is left half-way: the others are asked to stop, which they
    do at the next barrier, and only then is the interrupt let out. Unless the calling thread takes part it hears
    Ctrl-C at once. If it takes part it does so when its own work ends, but the threads are spread over the cores from
    the start: a core on which the caller has only waited looks idle, and a new thread may be put there with it. Other
    Python threads go on running either way.

    Parameters
    ----------
    work
        What to do, given the number of the thread.
    n_threads
        How many.
    barriers
        Where they meet.
    take_part
        Whether the calling thread is one of them.
    seconds
        After how long to ask for a pause between examples; ``None`` for never.
    """
    errors: list[BaseException] = []
    ended = [threading.Event() for _ in range(n_threads)]

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            # The others would wait for this one in vain.
            errors.append(error)
            _tell(barriers, STOP, MISSING)
        finally:
            ended[number].set()

    timer = threading.Timer(seconds or 0.0, _tell, [barriers, PAUSE])
    timer.daemon = True
    with _interrupts_put_off(lambda: _tell(barriers, STOP)):
        begun = [0] if take_part else []
        try:
            if seconds is not None:
                timer.start()
            for number in range(len(begun), n_threads):
                threading.Thread(target=guarded, args=(number,), daemon=True).start()
                begun.append(number)
        except RuntimeError as error:  # no more threads are to be had
            errors.append(error)
            _tell(barriers, STOP, MISSING)
        if take_part:
            guarded(0)
        for number in begun:
            ended[number].wait()
        timer.cancel()
    if errors:
        raise errors[0]


@contextmanager
def _interrupts_put_off(tell: Callable[[], None]) -> Iterator[None]:
    """Answer Ctrl-C with ``tell``, and hand it on when the block is over; only the main thread hears it at all."""
    heard: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        heard.append((number, frame))
        tell()

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        before(*heard[0])


def _tell(barriers: list[NDArray[np.int64]], *places: int) -> None:
    for barrier in barriers:
        barrier[list(places)] = 1
