"""The code that fits a vocabulary: parameters of the estimators turned into codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from graphtm.codes.report import FALSE_PER_TRUE_LIMIT, sufficient_message_size
from graphtm.codes.schemes import SCHEMES, Code, Draw, Scheme, double_hashing, one_hot, random
from graphtm.errors import CodeError

Encoding: TypeAlias = Scheme | Literal["auto"]
ENCODINGS: tuple[Encoding, ...] = ("auto", *SCHEMES)

ONE_HOT_LIMIT = 4096
"""``"auto"`` gives every symbol or message a bit of its own up to here: exact, and still small."""
HASHED_SIZE = 2048
"""Smallest size that ``"auto"`` and an absent size choose for hashed codes."""


@dataclass(frozen=True)
class CodePlan:
    """A code that has been decided on but not made, so that its memory can be asked for first.

    Parameters
    ----------
    scheme, size
        As in :class:`~graphtm.codes.Code`.
    n_owners, bits
        Symbols or clauses, and bits of each.
    stride
        Distance between owners of a one_hot code.
    distinct
        Whether no two owners may have the same code, as symbols must not.
    """

    scheme: Scheme
    size: int
    n_owners: int
    bits: int
    stride: int = 1
    distinct: bool = False

    @property
    def n_bytes(self) -> int:
        """Bytes that it takes to make the code, roughly."""
        return 40 * self.n_owners * self.bits

    def code(self, draw: Draw) -> Code:
        """Return the code itself; ``draw`` is the source of random positions."""
        if self.scheme == "one_hot":
            return one_hot(self.n_owners, self.stride)
        if self.scheme == "double_hashing":
            return double_hashing(self.n_owners, self.size, distinct=self.distinct)
        return random(self.n_owners, self.size, self.bits, draw, distinct=self.distinct)


def symbol_code(
    n_symbols: int, draw: Draw, *, encoding: Encoding = "auto", size: int | None = None, bits: int = 2
) -> Code:
    """Return the code of the symbols; no two symbols have the same.

    Parameters
    ----------
    n_symbols
        Number of symbols.
    draw
        Source of random positions.
    encoding
        ``"one_hot"``, ``"random"``, ``"double_hashing"``, or ``"auto"``: one_hot while that is small and no
        size is given, else random.
    size
        Length of the hypervector. one_hot takes the number of symbols.
    bits
        Bits per symbol; one_hot always has 1, double hashing 2.

    Raises
    ------
    CodeError
        If the parameters contradict one another or there are too few codes.
    """
    return plan_symbol_code(n_symbols, encoding=encoding, size=size, bits=bits).code(draw)


def plan_symbol_code(
    n_symbols: int, *, encoding: Encoding = "auto", size: int | None = None, bits: int = 2
) -> CodePlan:
    """Return what :func:`symbol_code` will make."""
    scheme = _scheme(encoding, size, n_symbols)
    if scheme == "one_hot":
        _check_one_hot_size(size, n_symbols, "hypervector_size", f"the number of symbols, {n_symbols:,}")
        return CodePlan(scheme, n_symbols, n_symbols, 1)
    if scheme == "double_hashing":
        _check_two_bits(bits, "symbol_bits")
    size = default_symbol_size(n_symbols, bits) if size is None else size
    return CodePlan(scheme, size, n_symbols, bits, distinct=True)


def message_code(
    n_clauses: int,
    n_edge_types: int,
    draw: Draw,
    *,
    encoding: Encoding = "auto",
    size: int | None = None,
    bits: int = 2,
) -> Code:
    """Return the code of the clauses, with which they sign their messages.

    Parameters are those of :func:`symbol_code`, for messages; one_hot takes ``n_clauses`` times the number of
    edge types (at least 1) as its size, so that no message is ever mistaken for another.

    Raises
    ------
    CodeError
        If the parameters contradict one another.
    """
    return plan_message_code(n_clauses, n_edge_types, encoding=encoding, size=size, bits=bits).code(draw)


def plan_message_code(
    n_clauses: int, n_edge_types: int, *, encoding: Encoding = "auto", size: int | None = None, bits: int = 2
) -> CodePlan:
    """Return what :func:`message_code` will make."""
    types = max(1, n_edge_types)
    wanted = n_clauses * types
    scheme = _scheme(encoding, size, wanted)
    if scheme == "one_hot":
        _check_one_hot_size(size, wanted, "message_size", f"clauses times edge types, {wanted:,}")
        return CodePlan(scheme, wanted, n_clauses, 1, stride=types)
    if scheme == "double_hashing":
        _check_two_bits(bits, "message_bits")
    size = sufficient_message_size(n_clauses, types, bits, max(HASHED_SIZE, 8 * types)) if size is None else size
    return CodePlan(scheme, size, n_clauses, bits)


def default_symbol_size(n_symbols: int, bits: int) -> int:
    """Return the size of hashed symbol codes when none is given.

    It suits nodes that carry a few symbols each, as words or atoms do: at 4 symbols a node there is at
    most one phantom for ten real symbols. The collision report judges it by the data itself.
    """
    carried = 4
    size = HASHED_SIZE
    while n_symbols * (carried * bits / size) ** bits > FALSE_PER_TRUE_LIMIT * carried and size < 2**30:
        size *= 2
    return size


def _scheme(encoding: Encoding, size: int | None, one_hot_size: int) -> Scheme:
    if encoding not in ENCODINGS:
        raise ValueError(f"The encoding must be one of {', '.join(map(repr, ENCODINGS))}. Got {encoding!r} instead.")
    if encoding != "auto":
        return encoding
    return "one_hot" if size is None and one_hot_size <= ONE_HOT_LIMIT else "random"


def _check_one_hot_size(size: int | None, wanted: int, parameter: str, meaning: str) -> None:
    if size is not None and size != wanted:
        raise CodeError(
            f"With encoding 'one_hot' {parameter} must be {meaning}; got {size:,}. Leave it None, or use 'random'."
        )


def _check_two_bits(bits: int, parameter: str) -> None:
    if bits != 2:
        raise CodeError(
            f"With encoding 'double_hashing' {parameter} must be 2; got {bits}. Use 'random' for other numbers."
        )
