"""Launching kernels: those for any machine at first, those for the machine at hand once they pay."""

from __future__ import annotations

import logging
import math
import time
from typing import Any, ClassVar

from graphtm.engines.cuda.device import Device
from graphtm.engines.cuda.kernels import Program, compiled
from graphtm.errors import EngineFailedError

_LOG = logging.getLogger(__name__)
_LONG = 0.5  # seconds of work after which kernels are compiled for it
_MOST_KNOWN = 1000


class Launcher:
    """Launches kernels on a device and waits for them.

    Parameters
    ----------
    device
        Where to launch; it must be the current device then.
    special
        Whether to compile kernels for the numbers at hand: always, never, or (``None``) once half a second has been
        spent with these numbers, by whichever engine.
    """

    _spent: ClassVar[dict[tuple[int, str], float]] = {}
    """Seconds by device and constants; minus infinity where kernels cannot be compiled."""

    def __init__(self, device: Device, special: bool | None = None) -> None:
        self._device = device
        self._special = special

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
        module = self._module(program, constants)
        seconds = self._timed(module.get_function(name), n_blocks, n_threads, shared_bytes, arguments)
        if len(self._spent) >= _MOST_KNOWN:
            self._spent.clear()
        numbers = self._device.number, constants
        self._spent[numbers] = self._spent.get(numbers, 0.0) + seconds
        return seconds

    def _module(self, program: Program, constants: str) -> Any:
        numbers = self._device.number, constants
        if self._special:
            return compiled(program, self._device, constants)
        if self._special is None and self._spent.get(numbers, 0.0) > _LONG:
            try:
                return compiled(program, self._device, constants)
            except EngineFailedError as error:  # what works goes on
                _LOG.warning("Faster kernels cannot be compiled; those for any machine go on. %s", error)
                self._spent[numbers] = -math.inf
        return compiled(program, self._device)

    def _timed(
        self, kernel: Any, n_blocks: int, n_threads: int, shared_bytes: int, arguments: tuple[Any, ...]
    ) -> float:
        import cupy

        start = time.perf_counter()
        kernel((n_blocks,), (n_threads,), arguments, shared_mem=shared_bytes)
        cupy.cuda.get_current_stream().synchronize()
        return time.perf_counter() - start
