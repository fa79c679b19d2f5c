"""Double hashing as scripts need it: two bits computed from the number of a symbol or clause.

Codes of clauses are shifted by the edge type, so codes of clauses that follow each other must be no shifts of one
another. Those of :func:`graphtm.codes.double_hashing` are; codes here are stored as positions, like those that are
drawn.
"""

from __future__ import annotations

import math

import numpy as np

from graphtm.codes import Code
from graphtm.codes.schemes import check_double_hashing

_GOLDEN_RATIO = (math.sqrt(5) - 1) / 2


def hashed_code(n_owners: int, size: int, *, distinct: bool) -> Code:
    """Return a code with two positions for each owner, computed from its number.

    The first ``(size - 1) // 2`` owners share no positions, and none of their codes is another's shifted by less than
    half the size. The first ``size * ((size - 1) // 2)`` codes differ; then they repeat.

    Parameters
    ----------
    n_owners, size
        Number of owners, and length of the hypervector.
    distinct
        Whether all codes must differ, as is required for symbols.

    Raises
    ------
    CodeError
        If the size is below 3, or too small for ``distinct`` codes.

    Examples
    --------
    >>> hashed_code(4, size=9, distinct=True).positions.tolist()
    [[1, 8], [4, 5], [3, 6], [2, 7]]
    """
    check_double_hashing(n_owners, size, distinct=distinct)
    # Pairs of positions with the same sum are disjoint and differ in their distance, but for that around the other way.
    n_pairs = (size - 1) // 2
    turn, place = np.divmod(np.arange(n_owners, dtype=np.int64), n_pairs)
    total = turn * _spreading(size) % size
    first = total // 2 + 1 + place * _spreading(n_pairs) % n_pairs
    positions = np.sort(np.stack([first % size, (total - first) % size], axis=1), axis=1)
    return Code("random", int(size), positions.astype(np.int32))


def is_hashed(code: Code) -> bool:
    """Return whether a code was computed by double hashing, here or in the native library."""
    if code.scheme == "double_hashing":
        return True
    is_possible = code.scheme == "random" and code.bits_per_owner == 2 and code.size >= 3
    return is_possible and code == hashed_code(code.n_owners, code.size, distinct=False)


def _spreading(n: int) -> int:
    """Return a number whose first multiples modulo ``n`` lie far apart, and the first ``n`` of which differ."""
    number = max(1, round(n * _GOLDEN_RATIO))
    while math.gcd(number, n) > 1:
        number += 1
    return number
