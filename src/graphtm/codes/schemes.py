"""Codes: the bits of a hypervector that a symbol or a clause owns (semantics, section 2).

There are three schemes for both symbols and clauses. ``one_hot`` gives each owner its own bit, ``random`` draws bits,
and ``double_hashing`` computes two bits from the owner's number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.errors import CodeError
from graphtm.foundation.arrays import FrozenArrays

Scheme: TypeAlias = Literal["one_hot", "random", "double_hashing"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
"""Names of all schemes."""
Draw: TypeAlias = Callable[[ArrayLike, ArrayLike], NDArray[np.uint32]]
"""``draw(owner, number)`` returns the 32-bit words from which positions are computed."""


@dataclass(frozen=True, eq=False)
class Code(FrozenArrays):
    """Bit positions of every owner.

    Parameters
    ----------
    scheme
        How the positions were chosen.
    size
        Length of the hypervector: positions are in ``[0, size)``.
    positions
        Distinct positions of each owner, ascending, one row per owner.
    """

    scheme: Scheme
    size: int
    positions: NDArray[np.int32]

    @property
    def n_owners(self) -> int:
        return len(self.positions)

    @property
    def bits_per_owner(self) -> int:
        """Number of bits per owner."""
        return int(self.positions.shape[1])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Code):
            return NotImplemented
        mine, theirs = (self.scheme, self.size), (other.scheme, other.size)
        return mine == theirs and np.array_equal(self.positions, other.positions)

    __hash__ = None  # type: ignore[assignment]


def one_hot(n_owners: int, stride: int = 1) -> Code:
    """Give owner ``i`` the position ``i * stride``.

    For clauses the stride is the number of edge types, so that messages shifted by their edge types never collide.

    Examples
    --------
    >>> one_hot(3, stride=2).positions.ravel()
    array([0, 2, 4], dtype=int32)
    """
    if n_owners * stride >= 2**31:
        raise CodeError(
            f"A one_hot code must have fewer than 2^31 positions; got {n_owners * stride:,}. Use 'random' instead."
        )
    positions = np.arange(n_owners, dtype=np.int32)[:, None] * np.int32(stride)
    return Code("one_hot", n_owners * stride, positions)


def double_hashing(n_owners: int, size: int, *, distinct: bool) -> Code:
    """Give owner ``i`` two positions computed from its number.

    The first ``size * ((size - 1) // 2)`` codes differ; then they repeat.

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
    >>> double_hashing(4, size=3, distinct=False).positions.tolist()
    [[0, 1], [1, 2], [0, 2], [0, 1]]
    """
    check_double_hashing(n_owners, size, distinct=distinct)
    owner = np.arange(n_owners, dtype=np.int64)
    first = owner % size
    second = (first + 1 + (owner // size) % ((size - 1) // 2)) % size
    return Code("double_hashing", int(size), np.sort(np.stack([first, second], axis=1), axis=1).astype(np.int32))


def check_double_hashing(n_owners: int, size: int, *, distinct: bool) -> None:
    """Check that a hypervector of this size has enough codes of two computed positions."""
    _check_size(size)
    if size < 3:
        raise CodeError(f"With double hashing, a hypervector must have at least 3 bits; got {size}.")
    n_codes = size * ((size - 1) // 2)
    if distinct and n_codes < n_owners:
        raise CodeError(
            f"{n_owners:,} symbols need as many different codes; double hashing into {size} bits gives only "
            f"{n_codes:,}. Use a hypervector of {smallest_double_hashing(n_owners):,} bits or more."
        )


def random(n_owners: int, size: int, bits: int, draw: Draw, *, distinct: bool) -> Code:
    """Draw the positions of every owner.

    Owner ``i`` takes ``(u32 * size) >> 32`` for its draws 0, 1, 2, ..., skipping positions that it already owns, until
    it owns ``bits`` positions.

    Parameters
    ----------
    n_owners, size, bits
        Number of owners, length of the hypervector, and number of positions per owner.
    draw
        Source of the draws; see :func:`graphtm.engines.random.code_draws`.
    distinct
        Whether all codes must differ, as is required for symbols. A code that is already taken is drawn again.

    Raises
    ------
    CodeError
        If there are too few ``distinct`` codes, or fewer positions than bits.
    """
    _check_size(size)
    if not 1 <= bits <= size:
        raise CodeError(
            f"The number of bits per code must be between 1 and the size of the hypervector, {size}; got {bits}."
        )
    if distinct and math.comb(size, bits) < n_owners:
        raise CodeError(
            f"{n_owners:,} symbols need as many different codes; {bits} of {size} bits give only "
            f"{math.comb(size, bits):,}. Use a larger hypervector, or more bits per symbol."
        )
    # First draws of all owners at once; the few owners that need more are handled one by one below.
    owners = np.arange(n_owners, dtype=np.uint64)
    columns = [_position(draw(owners, np.full(n_owners, number)), size) for number in range(bits)]
    positions = np.sort(np.stack(columns, axis=1), axis=1)
    if distinct:
        return Code("random", int(size), _all_different(positions, size, draw))
    for owner in np.flatnonzero((np.diff(positions, axis=1) == 0).any(axis=1)).tolist():
        positions[owner] = _redraw(owner, size, bits, draw, set())
    return Code("random", int(size), positions.astype(np.int32))


def _all_different(positions: NDArray[np.int64], size: int, draw: Draw) -> NDArray[np.int32]:
    """Redraw codes with repeated positions and codes that an earlier owner has; return all positions."""
    bits = positions.shape[1]
    rows: list[tuple[int, ...]] = list(map(tuple, positions.tolist()))
    taken: set[tuple[int, ...]] = set()
    for owner, row in enumerate(rows):
        if len(set(row)) < bits or row in taken:
            rows[owner] = row = _redraw(owner, size, bits, draw, taken)
        taken.add(row)
    return np.array(rows, dtype=np.int32).reshape(positions.shape)


def smallest_double_hashing(n_owners: int) -> int:
    """Return the smallest size at which double hashing gives ``n_owners`` different codes."""
    size = 3
    while size * ((size - 1) // 2) < n_owners:
        size += 1
    return size


def _redraw(owner: int, size: int, bits: int, draw: Draw, taken: set[tuple[int, ...]]) -> tuple[int, ...]:
    positions: set[int] = set()
    number, block = 0, max(64, bits)
    while True:
        for position in _position(draw(np.full(block, owner), np.arange(number, number + block)), size).tolist():
            positions.add(position)
            if len(positions) == bits:
                row = tuple(sorted(positions))
                if row not in taken:
                    return row
                positions = set()
        number += block


def _position(words: NDArray[np.uint32], size: int) -> NDArray[np.int64]:
    return ((words.astype(np.uint64) * np.uint64(size)) >> np.uint64(32)).astype(np.int64)


def _check_size(size: int) -> None:
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or not 1 <= size < 2**31:
        raise CodeError(f"The size of a hypervector must be an int in [1, 2^31 - 1]; got {size!r}.")
