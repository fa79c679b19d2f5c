"""Choice of codes, from the parameters of an estimator and a vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from graphtm.codes.report import FALSE_PER_TRUE_LIMIT, sufficient_message_size
from graphtm.codes.schemes import SCHEMES, Code, Draw, Scheme, double_hashing, one_hot, random
from graphtm.errors import CodeError

Encoding: TypeAlias = Scheme | Literal["auto"]
ENCODINGS: tuple[Encoding, ...] = ("auto", *SCHEMES)

ONE_HOT_LIMIT = 4096
"""Largest size for which ``"auto"`` chooses one_hot, which is exact."""
HASHED_SIZE = 2048
"""Smallest size of hashed codes if no size is given."""


@dataclass(frozen=True)
class CodePlan:
    """Parameters of a code that is not made yet, so that its memory can be checked first.

    Parameters
    ----------
    scheme, size
        As in :class:`~graphtm.codes.Code`.
    n_owners, bits
        Number of symbols or clauses, and number of bits of each.
    stride
        Distance between the positions of a one_hot code.
    distinct
        Whether all codes must differ, as is required for symbols.
    """

    scheme: Scheme
    size: int
    n_owners: int
    bits: int
    stride: int = 1
    distinct: bool = False

    @property
    def n_bytes(self) -> int:
        """Approximate memory in bytes needed to make the code."""
        return 40 * self.n_owners * self.bits

    def code(self, draw: Draw) -> Code:
        """Return the code; ``draw`` is the source of random positions."""
        if self.scheme == "one_hot":
            return one_hot(self.n_owners, self.stride)
        if self.scheme == "double_hashing":
            return double_hashing(self.n_owners, self.size, distinct=self.distinct)
        if self.scheme == "random":
            return random(self.n_owners, self.size, self.bits, draw, distinct=self.distinct)
        raise ValueError(f"The scheme must be one of {', '.join(map(repr, SCHEMES))}. Got {self.scheme!r} instead.")


def symbol_code(
    n_symbols: int, draw: Draw, *, encoding: Encoding = "auto", size: int | None = None, bits: int = 2
) -> Code:
    """Return the code of the symbols; all symbols have different codes.

    Parameters
    ----------
    n_symbols
        Number of symbols.
    draw
        Source of random positions.
    encoding
        ``"one_hot"``, ``"random"``, ``"double_hashing"``, or ``"auto"``: one_hot for up to 4,096 symbols if no size is
        given, else random.
    size
        Length of the hypervector. For one_hot it is the number of symbols.
    bits
        Number of bits per symbol; always 1 for one_hot and 2 for double hashing.

    Raises
    ------
    CodeError
        If the parameters contradict each other or there are too few codes.
    """
    return plan_symbol_code(n_symbols, encoding=encoding, size=size, bits=bits).code(draw)


def plan_symbol_code(
    n_symbols: int,
    *,
    encoding: Encoding = "auto",
    size: int | None = None,
    bits: int = 2,
    single_nodes: bool = False,
) -> CodePlan:
    """Return the plan of the code that :func:`symbol_code` makes.

    If graphs are single nodes, ``"auto"`` is one_hot for any number of symbols. Such nodes carry hundreds of symbols,
    as those of :class:`graphtm.encoders.WholeGraph` do; hashed codes are for nodes with a few.
    """
    scheme = "one_hot" if single_nodes and encoding == "auto" and size is None else _scheme(encoding, size, n_symbols)
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
    """Return the code of the clauses, which they send as messages.

    The parameters are those of :func:`symbol_code`, for messages. The size of one_hot is ``n_clauses`` times the number
    of edge types (at least 1), so that messages never collide.

    Raises
    ------
    CodeError
        If the parameters contradict each other.
    """
    return plan_message_code(n_clauses, n_edge_types, encoding=encoding, size=size, bits=bits).code(draw)


def plan_message_code(
    n_clauses: int, n_edge_types: int, *, encoding: Encoding = "auto", size: int | None = None, bits: int = 2
) -> CodePlan:
    """Return the plan of the code that :func:`message_code` makes."""
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
    """Return the size of hashed symbol codes if none is given.

    It is chosen for nodes with a few symbols, such as words or atoms: with 4 symbols per node, at most one false symbol
    is expected for every ten true ones. The collision report measures this on the data.
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
            f"With encoding 'one_hot', {parameter} must be {meaning}; got {size:,}. Set it to None, or use 'random'."
        )


def _check_two_bits(bits: int, parameter: str) -> None:
    if bits != 2:
        raise CodeError(
            f"With encoding 'double_hashing', {parameter} must be 2; got {bits}. Use 'random' for other numbers."
        )
