"""Which CUDA device there is, what it can do, and why it cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from graphtm.engines.cuda import KIND
from graphtm.errors import EngineFailedError, EngineUnavailableError, NotEnoughMemoryError

OLDEST = (8, 0)
"""The compute capability that kernels need: copies in the background and sums over a warp."""


@dataclass(frozen=True)
class Device:
    """A CUDA device that can run the kernels.

    Parameters
    ----------
    number
        As CUDA counts.
    name
        What its maker calls it.
    n_processors
        Multiprocessors; a block runs on each.
    shared_bytes
        Shared memory that a block may have.
    memory_bytes
        All its memory, whoever has it.
    """

    number: int
    name: str
    n_processors: int
    shared_bytes: int
    memory_bytes: int


def device_number(engine: str) -> int:
    """Return the device that an engine's name asks for: ``"cuda"`` for the first, ``"cuda:1"`` for the second.

    Raises
    ------
    ValueError
        If it is neither.
    """
    if not KIND.goes_by(engine):
        raise ValueError(f"The name of a CUDA engine must be 'cuda' or 'cuda:' and a device number; got {engine!r}.")
    return int(engine.partition(":")[2] or 0)


def find_device(number: int = 0) -> Device:
    """Return a device after checking that it can run the kernels.

    Raises
    ------
    EngineUnavailableError
        If there is no CuPy, no such device, or the device is too old; the message says which.
    """
    try:
        import cupy
    except Exception as error:  # a broken CuPy raises whatever its libraries do
        raise EngineUnavailableError(
            f"The CUDA engine needs CuPy, which cannot be imported ({error}): pip install 'graphtm[cuda]'."
        ) from error
    runtime = cupy.cuda.runtime
    if runtime.is_hip:
        raise EngineUnavailableError("The CUDA engine needs CuPy for CUDA; the one installed is for ROCm.")
    try:
        count = runtime.getDeviceCount()
        properties = runtime.getDeviceProperties(number) if number < count else {}
    except Exception as error:  # of the driver, of a library that is missing
        raise EngineUnavailableError(
            f"The CUDA engine needs an NVIDIA device with its driver; CUDA reports: {error}."
        ) from error
    if number >= count:
        raise EngineUnavailableError(
            f"There must be a CUDA device number {number}; this machine has {count}, counted from 0."
        )
    name = properties["name"].decode()
    capability = properties["major"], properties["minor"]
    if capability < OLDEST:
        raise EngineUnavailableError(
            f"The CUDA engine needs a device of compute capability {OLDEST[0]}.{OLDEST[1]} or later; device {number}, "
            f"{name}, has {capability[0]}.{capability[1]}. Use engine='cpu'."
        )
    if not properties["cooperativeLaunch"]:
        raise EngineUnavailableError(
            f"The CUDA engine needs a device that can run all blocks at once (cooperative launch); device {number}, "
            f"{name}, cannot. Use engine='cpu'."
        )
    try:
        with cupy.cuda.Device(number):
            _, memory_bytes = runtime.memGetInfo()
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:
        raise EngineUnavailableError(
            f"CUDA device {number}, {name}, cannot be used now: {error}. It may belong to another process; or NVRTC, "
            "which compiles kernels, may be missing: pip install 'graphtm[cuda]'."
        ) from error
    return Device(
        number, name, properties["multiProcessorCount"], properties["sharedMemPerBlockOptin"], int(memory_bytes)
    )


@contextmanager
def on_device(device: Device, what: str, advice: str) -> Iterator[Any]:
    """Work on a device; what goes wrong there is told in the library's words.

    Parameters
    ----------
    device
        Where to work.
    what, advice
        What the work needs memory for, and what to do if there is not enough.

    Yields
    ------
    The module ``cupy``.
    """
    import cupy

    try:
        with cupy.cuda.Device(device.number):
            yield cupy
    except cupy.cuda.memory.OutOfMemoryError as error:
        raise NotEnoughMemoryError(
            f"{what} must fit the memory of CUDA device {device.number}, {device.name}; it does not ({error}). "
            f"{advice}."
        ) from error
    except cupy.cuda.compiler.CompileException as error:
        raise EngineFailedError(
            f"Kernels cannot be compiled for CUDA device {device.number}, {device.name}: {error}. Use engine='cpu'."
        ) from error
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        raise EngineFailedError(
            f"CUDA device {device.number}, {device.name}, failed: {error}. Models keep what they had learned before; "
            "start a new process, or go on with engine='cpu'."
        ) from error


def free_bytes(cupy: Any) -> int:
    """Return the memory that can still be had on the current device, what CuPy keeps for reuse included."""
    free, _ = cupy.cuda.runtime.memGetInfo()
    pool = cupy.get_default_memory_pool()
    free = int(free) + int(pool.free_bytes())
    limit = int(pool.get_limit())  # 0 if there is none
    return min(free, max(0, limit - int(pool.used_bytes()))) if limit else free
