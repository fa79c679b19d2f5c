"""Functions of single words: bit counts, and the random generator of :mod:`graphtm.engines.random`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from graphtm.engines.cpu.compiling import inlined

U = np.uint64
ONES = U(0xFFFFFFFFFFFFFFFF)
ALWAYS = U(1 << 32)
G = U(0x9E3779B97F4A7C15)
K2 = U(0xC2B2AE3D27D4EB4F)
K3 = U(0x9FB21C651E98DF25)
K4 = U(0xD6E8FEB86659FD93)


@intrinsic
def trailing_zeros(typing: Any, word: Any) -> Any:
    """Return the number of zeros below the lowest 1 of a word, which must not be 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), code


@intrinsic
def zeros_below(typing: Any, word: Any) -> Any:
    """Return the number of zeros below the lowest 1 of a word; 64 if it is 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.uint64(types.uint64), code


@intrinsic
def count_ones(typing: Any, word: Any) -> Any:
    """Return the number of ones in a word."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@inlined
def mix(z):
    """Return the SplitMix64 finaliser."""
    # Semantics 6, as defined in graphtm.engines.random.
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))


@inlined
def hash32(key, index):
    """Return a 32-bit word for a 64-bit key and an index."""
    # Semantics 6: u32, as defined in graphtm.engines.random.
    low, high = np.uint32(key), np.uint32(key >> U(32))
    x = np.uint32(np.uint32(index) * np.uint32(0x9E3779B9) + low)
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D))
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(15)) ^ high) * np.uint32(0x846CA68B))
    return np.uint32(x ^ (x >> np.uint32(16)))
