"""Launching kernels: generic ones at first, specialised ones once they are worth compiling."""

from __future__ import annotations

import logging
import math
import time
from typing import Any, ClassVar

from graphtm.engines.cuda.device import Device
from graphtm.engines.cuda.kernels import Constants, Program, compiled
from graphtm.errors import EngineFailedError

_LOG = logging.getLogger(__name__)
_LONG = 0.5  # seconds of work after which specialised kernels are compiled
_MOST_KNOWN = 1000


class Launcher:
    """Launches kernels on a device and waits for them.

    Parameters
    ----------
    device
        The device; it must be current at each launch.
    special
        Whether to use kernels that are compiled for these constants. ``None`` uses them after half a second of work
        with the same constants, by any engine.
    """

    _spent: ClassVar[dict[tuple[int, str], float]] = {}
    """Seconds of work by device and constants; minus infinity if specialised kernels cannot be compiled."""

    def __init__(self, device: Device, special: bool | None = None) -> None:
        self._device = device
        self._special = special

    def launch(
        self,
        program: Program,
        name: str,
        constants: Constants,
        n_blocks: int,
        n_threads: int,
        shared_bytes: int,
        arguments: tuple[Any, ...],
    ) -> float:
        """Launch a kernel, specialised if it is worth it, and wait for it; return the seconds it took."""
        module = self._module(program, constants)
        seconds = self._timed(module.get_function(name), n_blocks, n_threads, shared_bytes, arguments)
        if len(self._spent) >= _MOST_KNOWN:
            self._spent.clear()
        numbers = self._device.number, constants.special
        self._spent[numbers] = self._spent.get(numbers, 0.0) + seconds
        return seconds

    def _module(self, program: Program, constants: Constants) -> Any:
        numbers = self._device.number, constants.special
        if self._special:
            return compiled(program, self._device, constants.special)
        if self._special is None and self._spent.get(numbers, 0.0) > _LONG:
            try:
                return compiled(program, self._device, constants.special)
            except EngineFailedError as error:  # generic kernels still work
                _LOG.warning("Faster kernels cannot be compiled; generic kernels are used instead. %s", error)
                self._spent[numbers] = -math.inf
        return compiled(program, self._device, constants.generic)

    def _timed(
        self, kernel: Any, n_blocks: int, n_threads: int, shared_bytes: int, arguments: tuple[Any, ...]
    ) -> float:
        import cupy

        start = time.perf_counter()
        kernel((n_blocks,), (n_threads,), arguments, shared_mem=shared_bytes)
        cupy.cuda.get_current_stream().synchronize()
        return time.perf_counter() - start
