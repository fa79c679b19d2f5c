"""Threads of a run: their number, start and end."""

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
    """Return the number of threads for ``n_jobs``.

    ``None`` means all processors that this process may use, up to eight, or fewer if Numba's or joblib's thread limit
    is lower. -1 means all processors, -2 all but one, and so on. There are never more threads than processors.

    Raises
    ------
    ValueError
        If ``n_jobs`` is 0.
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
    """Call ``work`` with 0, 1, ... in one thread each, and wait for all of them.

    Ctrl-C is delayed until all threads have ended, so that no work is left half done: the threads stop at the next
    barrier, and then the interrupt is raised. If the calling thread takes part, it handles Ctrl-C only when its own
    work ends. In return, the threads are spread over the cores from the start; a core on which the caller only waits
    looks idle, and a new thread may be scheduled there. Other Python threads continue to run in both cases.

    Parameters
    ----------
    work
        Function to call with the number of the thread.
    n_threads
        Number of threads.
    barriers
        Barriers that the threads use.
    take_part
        Whether the calling thread is one of the threads.
    seconds
        Seconds after which to request a pause between examples; ``None`` for never.
    """
    errors: list[BaseException] = []
    ended = [threading.Event() for _ in range(n_threads)]

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            # The other threads would wait for this one forever.
            errors.append(error)
            _tell(barriers, STOP, MISSING)
        finally:
            ended[number].set()

    timer = None
    if seconds is not None:
        timer = threading.Timer(seconds, _tell, [barriers, PAUSE])
        timer.daemon = True
    with _interrupts_put_off(lambda: _tell(barriers, STOP)):
        begun = [0] if take_part else []
        try:
            if timer is not None:
                timer.start()
            for number in range(len(begun), n_threads):
                threading.Thread(target=guarded, args=(number,), daemon=True).start()
                begun.append(number)
        except RuntimeError as error:  # no more threads can be started
            errors.append(error)
            _tell(barriers, STOP, MISSING)
        if take_part:
            guarded(0)
        for number in begun:
            ended[number].wait()
        if timer is not None:
            timer.cancel()
    if errors:
        raise errors[0]


@contextmanager
def _interrupts_put_off(tell: Callable[[], None]) -> Iterator[None]:
    """On Ctrl-C call ``tell``, and raise the interrupt when the block ends. Only the main thread receives Ctrl-C."""
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
