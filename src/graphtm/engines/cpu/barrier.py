"""Barriers at which threads wait for each other and check for stop requests.

The host requests a stop with ``STOP``, which is checked at every barrier, or ``PAUSE``, which is checked only between
examples. ``DONE`` counts the learned examples and stays valid if threads fail.

A waiting thread spins for a few microseconds, since threads arrive at about the same time, and then yields the
processor at every check. If another process keeps a core busy, pure spinning would make two threads slower than one.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from graphtm.engines.cpu.compiling import kernel

# Indices into the array, far enough apart to be in separate cache lines.
ARRIVED, TURN, DECISION, STOP, PAUSE, MISSING, DONE = 0, 16, 32, 48, 64, 80, 96
_SPINS = 2000
_X86 = binding.get_process_triple().startswith(("x86_64", "i386", "i686"))


def new_barrier() -> NDArray[np.int64]:
    """Return a barrier for one run."""
    return np.zeros(112, np.int64)


def _pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.gep(data, [arguments[1]])


@intrinsic
def _add(typing: Any, array: Any, place: Any, number: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _pointer(context, builder, signature, arguments), arguments[2], "acq_rel")

    return types.int64(array, types.int64, types.int64), code


@intrinsic
def _read(typing: Any, array: Any, place: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_pointer(context, builder, signature, arguments), "acquire", 8)

    return types.int64(array, types.int64), code


@intrinsic
def _write(typing: Any, array: Any, place: Any, number: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _pointer(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), code


def _call(builder: Any, result: Any, name: str) -> None:
    module = builder.module
    function = module.globals.get(name) or ir.Function(module, ir.FunctionType(result, []), name)
    builder.call(function, [])


@intrinsic
def _rest(typing: Any) -> Any:
    """Hint to the core that it is in a spin loop."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _X86:
            _call(builder, ir.VoidType(), "llvm.x86.sse2.pause")
        return context.get_dummy_value()

    return types.void(), code


@intrinsic
def _give_way(typing: Any) -> Any:
    """Let another process run on this core."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _call(builder, ir.IntType(32), "SwitchToThread" if sys.platform == "win32" else "sched_yield")
        return context.get_dummy_value()

    return types.void(), code


@kernel
def _asked(barrier, between):
    return _read(barrier, STOP) != 0 or (between and _read(barrier, PAUSE) != 0)


@kernel
def hurry(barrier):
    """Return whether a stop is requested. Unfinished work may be left: all threads stop at the next barrier."""
    return _read(barrier, STOP) != 0


@kernel
def count(barrier, examples):
    """Store the number of learned examples."""
    _write(barrier, DONE, examples)


@kernel
def wait(barrier, n_threads, between):
    """Wait for all threads; return whether to stop, with the same result in all of them.

    ``between`` says that an example has ended, so that a pause is checked, too.
    """
    if n_threads == 1:
        return _asked(barrier, between)
    turn = _read(barrier, TURN)
    if _add(barrier, ARRIVED, 1) == n_threads - 1:
        _write(barrier, DECISION, _asked(barrier, between))
        _write(barrier, ARRIVED, 0)
        _write(barrier, TURN, turn + 1)
    else:
        looks = 0
        while _read(barrier, TURN) == turn:
            looks += 1
            if looks < _SPINS:
                _rest()
            elif _read(barrier, MISSING) != 0:
                return True
            else:
                _give_way()
    return _read(barrier, DECISION) != 0
