"""CUDA devices: their properties, and why one cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from graphtm.engines.cuda import KIND
from graphtm.errors import EngineFailedError, EngineUnavailableError, NotEnoughMemoryError

OLDEST = (8, 0)
"""Lowest compute capability: kernels need asynchronous copies and warp reductions."""


@dataclass(frozen=True)
class Device:
    """A CUDA device that can run the kernels.

    Parameters
    ----------
    number
        Number of the device in CUDA.
    name
        Product name.
    n_processors
        Number of multiprocessors.
    shared_bytes
        Largest shared memory of a block.
    memory_bytes
        Total memory, used or free.
    """

    number: int
    name: str
    n_processors: int
    shared_bytes: int
    memory_bytes: int


def device_number(engine: str) -> int:
    """Return the device number in the name of an engine: 0 for ``"cuda"``, 1 for ``"cuda:1"``.

    Raises
    ------
    ValueError
        If it is not the name of a CUDA engine.
    """
    if not KIND.goes_by(engine):
        raise ValueError(f"The name of a CUDA engine must be 'cuda' or 'cuda:' with a device number; got {engine!r}.")
    return int(engine.partition(":")[2] or 0)


def find_device(number: int = 0) -> Device:
    """Return a device, after checking that it can run the kernels.

    Raises
    ------
    EngineUnavailableError
        If CuPy or the device is missing, or the device is too old.
    """
    try:
        import cupy
    except Exception as error:  # a broken CuPy may raise any exception
        raise EngineUnavailableError(
            f"The CUDA engine needs CuPy, which cannot be imported ({error}): pip install 'graphtm[cuda]'."
        ) from error
    runtime = cupy.cuda.runtime
    if runtime.is_hip:
        raise EngineUnavailableError("The CUDA engine needs CuPy for CUDA; the installed CuPy is for ROCm.")
    try:
        count = runtime.getDeviceCount()
        properties = runtime.getDeviceProperties(number) if number < count else {}
    except Exception as error:  # from the driver, or because a library is missing
        raise EngineUnavailableError(
            f"The CUDA engine needs an NVIDIA device with its driver; CUDA reports: {error}."
        ) from error
    if number >= count:
        raise EngineUnavailableError(
            f"CUDA device number {number} does not exist; found {count} CUDA devices, numbered from 0."
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
            f"The CUDA engine needs a device with cooperative launch, which device {number}, {name}, does not support. "
            "Use engine='cpu'."
        )
    try:
        with cupy.cuda.Device(number):
            _, memory_bytes = runtime.memGetInfo()
        cupy.cuda.nvrtc.getVersion()
    except Exception as error:
        raise EngineUnavailableError(
            f"CUDA device {number}, {name}, cannot be used: {error}. Another process may use it exclusively, or NVRTC, "
            "which compiles the kernels, may be missing: pip install 'graphtm[cuda]'."
        ) from error
    return Device(
        number, name, properties["multiProcessorCount"], properties["sharedMemPerBlockOptin"], int(memory_bytes)
    )


@contextmanager
def on_device(device: Device, what: str, advice: str) -> Iterator[Any]:
    """Make a device current, and convert errors of CuPy to errors of this library.

    Parameters
    ----------
    device
        The device.
    what, advice
        What the block needs memory for, and what to do if there is not enough; for error messages.

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
            f"{what} must fit into the memory of CUDA device {device.number}, {device.name}: {error}. {advice}."
        ) from error
    except cupy.cuda.compiler.CompileException as error:
        raise EngineFailedError(
            f"Kernels cannot be compiled for CUDA device {device.number}, {device.name}: {error}. Use engine='cpu'."
        ) from error
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        raise EngineFailedError(
            f"CUDA device {device.number}, {device.name}, failed: {error}. Models keep their last state; start a new "
            "process, or continue with engine='cpu'."
        ) from error


def free_bytes(cupy: Any) -> int:
    """Return the free memory of the current device, including what CuPy keeps for reuse."""
    free, _ = cupy.cuda.runtime.memGetInfo()
    pool = cupy.get_default_memory_pool()
    free = int(free) + int(pool.free_bytes())
    limit = int(pool.get_limit())  # 0 if there is none
    return min(free, max(0, limit - int(pool.used_bytes()))) if limit else free
