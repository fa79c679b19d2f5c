"""How kernels are compiled: options, and a cache on disk that notices edits of any of them.

Numba's cache notices edits of the module a function stands in, not of the functions it calls from other modules. Here
the stamp of a cached kernel is a hash of all sources of this package, so old machine code is never run.
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
_COMPILING = "Compiling the CPU engine for this machine, which takes up to 20 seconds and is then kept on disk."

# Nothing here makes an array, so Numba need not count references (_nrt): doing so, atomically, for every field of a
# struct, took almost half of the time.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False, "_nrt": False}

# What only kernels call needs no way in from Python or C; making one takes longer than the kernel.
_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_OPTIONS}
kernel = njit(**_INNER)
# Structs are costly to hand over: what takes one and is called for every clause is inlined.
inlined = njit(forceinline=True, **_INNER)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a function that is called from Python, and keep the machine code on disk."""
    compiled = njit(**_OPTIONS)(function)
    try:
        compiled._cache = _SourceCache(function)
    except RuntimeError:
        _LOG.warning("No folder to keep compiled code in can be written: the CPU engine compiles in every process.")
    return compiled


_READY: set[object] = set()


def make_ready(function: Any, variant: object, arguments: tuple[Any, ...]) -> None:
    """Compile an entry for arguments like these, or read it from disk, once for each variant."""
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
