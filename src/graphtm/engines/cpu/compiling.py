"""Compilation of kernels: options, and a cache on disk that is invalidated by an edit of any kernel.

Numba's cache detects edits of the module that defines a function, not of functions called from other modules. Here the
stamp of a cached kernel is a hash of all sources of this package, so outdated machine code is never run.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit, typeof
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from graphtm.engines.announce import announced

_LOG = logging.getLogger(__name__)
_COMPILING = "Compiling the CPU engine for this computer. This takes up to 20 seconds; the result is cached on disk."

# Kernels create no arrays, so Numba need not count references (_nrt). Atomic counting for every field of a struct took
# almost half of the time.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False, "_nrt": False}

# Functions called only from kernels need no Python or C wrapper, which takes longer to compile than the kernel.
_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_OPTIONS}
kernel = njit(**_INNER)
# Structs are expensive to pass: functions that take one and are called for every clause are inlined.
inlined = njit(forceinline=True, **_INNER)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that is called from Python, and cache the machine code on disk."""
    compiled = njit(**_OPTIONS)(function)
    try:
        compiled._cache = _SourceCache(function)
    except RuntimeError:
        _LOG.warning("No cache folder is writable, so the CPU engine is compiled in every process.")
    return compiled


_READY: set[object] = set()


def make_ready(function: Any, variant: object, arguments: tuple[Any, ...]) -> None:
    """Compile an entry for arguments of these types, or load it from disk, once for each variant."""
    if variant not in _READY:
        with announced(_LOG, _COMPILING):
            function.compile(tuple(map(typeof, arguments)))
        _READY.add(variant)


def source_stamp() -> str:
    """Return a hash of the sources of all kernels."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


_STAMP = source_stamp()


def _stamped(locator: Any) -> Any:
    return type(locator.__name__, (locator,), {"get_source_stamp": lambda self: _STAMP})  # noqa: ARG005


class _SourceCacheImpl(CompileResultCacheImpl):
    _locator_classes = [_stamped(locator) for locator in CompileResultCacheImpl._locator_classes]  # noqa: RUF012


class _SourceCache(FunctionCache):
    _impl_class = _SourceCacheImpl
