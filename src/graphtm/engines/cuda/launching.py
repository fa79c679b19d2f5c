"""Launching kernels: those for any machine at first, those for the machine at hand once they pay."""

from __future__ import annotations

import time
from typing import Any

from graphtm.engines.cuda.device import Device
from graphtm.engines.cuda.kernels import Program, compiled

_LONG = 0.5  # seconds of work after which kernels are compiled for it
_MOST_KNOWN = 1000


class Launcher:
    """Launches kernels on a device and waits for them.

    Parameters
    ----------
    device
        Where to launch; it must be the current device then.
    special
        Whether to compile kernels for the numbers at hand: always, never, or (``None``) once as many seconds have been
        spent with these numbers as that takes.
    """

    def __init__(self, device: Device, special: bool | None = None) -> None:
        self._device = device
        self._special = special
        self._seconds: dict[str, float] = {}  # by constants

    def launch(
        self,
        program: Program,
        name: str,
        constants: str,
        n_blocks: int,
        n_threads: int,
        shared_bytes: int,
        arguments: tuple[Any, ...],
    ) -> float:
        """Launch a kernel, with its numbers as constants if that pays; return the seconds it took."""
        spent = self._seconds.get(constants, 0.0)
        special = spent > _LONG if self._special is None else self._special
        module = compiled(program, self._device, constants) if special else compiled(program, self._device)
        seconds = self._timed(module.get_function(name), n_blocks, n_threads, shared_bytes, arguments)
        if len(self._seconds) >= _MOST_KNOWN:
            self._seconds.clear()
        self._seconds[constants] = spent + seconds
        return seconds

    def _timed(
        self, kernel: Any, n_blocks: int, n_threads: int, shared_bytes: int, arguments: tuple[Any, ...]
    ) -> float:
        import cupy

        start = time.perf_counter()
        kernel((n_blocks,), (n_threads,), arguments, shared_mem=shared_bytes)
        cupy.cuda.get_current_stream().synchronize()
        return time.perf_counter() - start
