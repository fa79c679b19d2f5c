"""The random generator: a pure function without hidden state (semantics, section 6).

``R(purpose, step, output, clause, layer, word, digit)`` is a 64-bit word for a 64-bit seed. It depends only on its
arguments, so results are the same for any number of threads, any engine, any way of batching, and after a resume.
Skipping a draw does not change other draws.

All arithmetic is modulo 2^64 (or 2^32 in :func:`hash32`). With ``mix`` the finaliser of SplitMix64::

    purpose_key = mix(mix(seed + G) + purpose * K1)
    step_key    = mix(purpose_key + (step + 1) * G)
    output_key  = mix(step_key + (output + 1) * G)
    clause_key  = mix(output_key + (clause + 1) * K2 + layer * K3)

and then

=============  ==============================================  ===========================
purpose        64-bit word R                                   32-bit word u32
=============  ==============================================  ===========================
1 focus                                                        hash32(output_key, clause)
2 output                                                       hash32(step_key, output)
3 update                                                       hash32(output_key, clause)
4 mask         round ``digit`` of the chain of (clause_key,
               word)
5 weight                                                       hash32(output_key, clause)
6, 7 codes                                                     hash32(clause_key, word)
8 shuffle      mix(step_key + (word + 1) * G)
9 decision     mix(step_key)
10 bootstrap   mix(step_key)
11 sample      mix(step_key)
=============  ==============================================  ===========================

The chain of a word starts from ``x = clause_key + word * G``, hashed as ``x ^= x >> 32; x *= K4; x ^= x >> 32``, and
``y = rotl(x, 32) * K4``; a round is ``x = rotr(x, 8) + y; y = rotl(y, 3) ^ x``, and R is ``x`` after round ``digit``.
Unused arguments are 0.

Test vectors and statistical tests are in ``docs/decisions/0003-random-generator.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

UInt64Array: TypeAlias = NDArray[np.uint64]
UInt32Array: TypeAlias = NDArray[np.uint32]

G = 0x9E3779B97F4A7C15
K1 = 0xD1342543DE82EF95
K2 = 0xC2B2AE3D27D4EB4F
K3 = 0x9FB21C651E98DF25
K4 = 0xD6E8FEB86659FD93


class Purpose(IntEnum):
    """Purpose of a random word."""

    FOCUS = 1
    OUTPUT = 2
    UPDATE = 3
    MASK = 4
    WEIGHT = 5
    SYMBOL_CODE = 6
    CLAUSE_CODE = 7
    SHUFFLE = 8
    DECISION = 9
    BOOTSTRAP = 10
    SAMPLE = 11


def mix(z: UInt64Array) -> UInt64Array:
    """Return the SplitMix64 finaliser of each word: a bijection in which every input bit affects every output bit."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def purpose_key(seed: int, purpose: Purpose) -> UInt64Array:
    """Return the key of a purpose, from which the other keys are derived."""
    return mix(mix(_add(seed, G)) + _words(int(purpose) * K1 & _MASK))


def step_key(seed: int, purpose: Purpose, step: ArrayLike = 0) -> UInt64Array:
    """Return the key of a purpose and step (number of examples, or the epoch for shuffling)."""
    return mix(purpose_key(seed, purpose) + (_words(step) + np.uint64(1)) * np.uint64(G))


def output_key(seed: int, purpose: Purpose, step: ArrayLike = 0, output: ArrayLike = 0) -> UInt64Array:
    """Return the key of a purpose, step and output."""
    return mix(step_key(seed, purpose, step) + (_words(output) + np.uint64(1)) * np.uint64(G))


def clause_key(output_keys: UInt64Array, clause: ArrayLike, layer: ArrayLike = 0) -> UInt64Array:
    """Return the key of a clause (or code owner) and layer below an output key."""
    return mix(output_keys + (_words(clause) + np.uint64(1)) * np.uint64(K2) + _words(layer) * np.uint64(K3))


def hash32(key: UInt64Array, index: ArrayLike) -> UInt32Array:
    """Return a 32-bit word for a 64-bit key and a 32-bit index; cheap, since there is one per output and clause."""
    low, high = key.astype(np.uint32), (key >> np.uint64(32)).astype(np.uint32)
    x = np.atleast_1d(np.asarray(index, dtype=np.uint32)) * np.uint32(0x9E3779B9) + low
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15)) ^ high) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def mask_digits(s: float) -> tuple[int, int]:
    """Return ``(k, n)`` such that mask bits are 1 with probability ``k / 2^n``, close to ``min(1, 1/s)``.

    ``n`` is the smallest for which the relative error is at most 1/128; ``(1, 0)`` means all ones.

    Examples
    --------
    >>> mask_digits(1.0), mask_digits(2.0), mask_digits(10.0)
    ((1, 0), (1, 1), (51, 9))
    """
    r = min(1.0, 1.0 / s)
    n = 0
    while True:
        k = math.floor(r * 2**n + 0.5)
        if abs(k / 2**n - r) <= r / 128:
            return k, n
        n += 1


def digit_words(clause_keys: UInt64Array, word: ArrayLike, n_digits: int) -> list[UInt64Array]:
    """Return ``R(mask, ..., word, digit)`` for the digits 1, 2, ..., ``n_digits``.

    A word is hashed once. Each digit is one more round of a small Feistel-like chain, which is cheaper than a hash.
    """
    x = clause_keys + _words(word) * np.uint64(G)
    x = (x ^ (x >> np.uint64(32))) * np.uint64(K4)
    x = x ^ (x >> np.uint64(32))
    y = _rotated_left(x, 32) * np.uint64(K4)
    digits = []
    for _ in range(n_digits):
        x = _rotated_left(x, 56) + y
        y = _rotated_left(y, 3) ^ x
        digits.append(x)
    return digits


def mask_words(clause_keys: UInt64Array, word: ArrayLike, k: int, n: int) -> UInt64Array:
    """Return words whose bits are 1 with probability exactly ``k / 2^n``.

    By definition, digits are folded from the last to the first. An engine may also fold them from the first to the
    last, with the same result: start with ``undecided`` all ones and ``mask`` all zeros; for a binary digit 1 do
    ``mask |= undecided & R; undecided &= ~R``, for a 0 do ``undecided &= R``.
    """
    if n == 0:
        return np.full(np.broadcast_shapes(clause_keys.shape, np.shape(word)), ~np.uint64(0))
    digits = digit_words(clause_keys, word, n)
    mask = digits[n - 1]
    for digit in range(n - 1, 0, -1):
        one = k >> (n - digit) & 1
        mask = mask | digits[digit - 1] if one else mask & digits[digit - 1]
    return mask


def epoch_order(seed: int, epoch: int, n_examples: int) -> NDArray[np.int64]:
    """Return the order of the examples of an epoch: by ascending ``R(shuffle, epoch, example)``."""
    words = mix(step_key(seed, Purpose.SHUFFLE, epoch) + (_words(np.arange(n_examples)) + np.uint64(1)) * np.uint64(G))
    return np.argsort(words, kind="stable")


def initial_weights(seed: int, n_outputs: int, n_clauses: int) -> NDArray[np.int32]:
    """Return weights of +1 and -1, one per output and clause: +1 where ``u32`` is below 2^31."""
    keys = output_key(seed, Purpose.WEIGHT, 0, np.arange(n_outputs))
    words = hash32(keys[:, None], np.arange(n_clauses))
    return np.where(words < 2**31, 1, -1).astype(np.int32)


def code_draws(seed: int, purpose: Purpose) -> Callable[[ArrayLike, ArrayLike], UInt32Array]:
    """Return the function that draws code positions: ``u32(owner, draw)``.

    Parameters
    ----------
    seed
        The model's 64-bit seed.
    purpose
        ``Purpose.SYMBOL_CODE`` or ``Purpose.CLAUSE_CODE``.
    """
    key = output_key(seed, purpose)

    def draw(owner: ArrayLike, number: ArrayLike) -> UInt32Array:
        return hash32(clause_key(key, owner), number)

    return draw


def _rotated_left(x: UInt64Array, places: int) -> UInt64Array:
    return (x << np.uint64(places)) | (x >> np.uint64(64 - places))


_MASK = 2**64 - 1


def _words(values: ArrayLike) -> UInt64Array:
    # At least one dimension: NumPy warns when scalars overflow, but not when arrays do, and overflow is intended.
    return np.atleast_1d(np.asarray(values, dtype=np.uint64))


def _add(seed: int, constant: int) -> UInt64Array:
    return _words((int(seed) + constant) & _MASK)
