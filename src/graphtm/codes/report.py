"""Collisions: how often symbols and messages are confused at a given hypervector size, and which size is enough.

With shared bits, a symbol appears to be present if other symbols of the node set all its bits; likewise a message, if
other messages in the inbox do. The reports estimate how often this happens on given data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.codes.schemes import Code, double_hashing, smallest_double_hashing
from graphtm.errors import CodeCollisionWarning, CodeError
from graphtm.foundation.calling import warn_user

FALSE_PER_TRUE_LIMIT = 0.1
"""Maximum number of false symbols per true one; with more, rules are often misread."""
ALIASED_LIMIT = 0.1
_MAX_SIZE = 2**31


@dataclass(frozen=True)
class SymbolCollisions:
    """Collisions among symbols.

    Parameters
    ----------
    n_symbols, size
        Number of symbols, and size of the hypervector.
    n_shared_bits
        Number of bits that belong to two or more symbols.
    false_per_true
        Expected number of symbols that a node appears to have but does not, per symbol that it has, if symbols occur
        independently with the frequencies of the data.
    worst_symbol, worst_rate
        The symbol that falsely appears at most nodes, and the share of these nodes.
    sufficient_size
        A power of two at which ``false_per_true`` is expected to be at most 0.1 with the same scheme and number of
        bits per symbol; the given size if it is sufficient; ``None`` if no size is sufficient with this scheme.
    """

    n_symbols: int
    size: int
    n_shared_bits: int
    false_per_true: float
    worst_symbol: int | None
    worst_rate: float
    sufficient_size: int | None

    @property
    def too_small(self) -> bool:
        """Whether the hypervector should be larger."""
        return self.false_per_true > FALSE_PER_TRUE_LIMIT

    def __str__(self) -> str:
        if not self.n_shared_bits:
            return f"{self.n_symbols:,} symbols in {self.size:,} bits: no bit is shared."
        return (
            f"{self.n_symbols:,} symbols in {self.size:,} bits: {self.n_shared_bits:,} bits are shared; expect "
            f"{self.false_per_true:.2g} false symbols per true one."
        )


@dataclass(frozen=True)
class MessageCollisions:
    """Collisions among messages; a message is a clause and the edge type that it was sent along.

    Parameters
    ----------
    n_clauses, n_edge_types, size
        Number of clauses and edge types, and size of the hypervector.
    n_shared_bits
        Number of bits that belong to two or more messages.
    n_aliased
        Number of messages minus number of distinct codes. Messages share a code if there are more edge types than
        bits, or if the codes of two clauses coincide after they are shifted by their edge types.
    n_aliased_edge_types
        Number of edge types that cannot be distinguished from another one: all beyond the size of the hypervector.
    false_rate
        Expected share of absent messages that appear to be in an inbox with ``messages_per_inbox`` messages.
    messages_per_inbox
        Assumed number of distinct messages in an inbox.
    sufficient_size
        A power of two at which few messages are expected to share a code, with the same scheme and number of bits per
        clause; the given size if it is sufficient; ``None`` if no size is sufficient with this scheme.
    """

    n_clauses: int
    n_edge_types: int
    size: int
    n_shared_bits: int
    n_aliased: int
    n_aliased_edge_types: int
    false_rate: float
    messages_per_inbox: float
    sufficient_size: int | None

    @property
    def n_messages(self) -> int:
        """Number of distinct messages."""
        return self.n_clauses * max(1, self.n_edge_types)

    @property
    def too_small(self) -> bool:
        """Whether the hypervector should be larger."""
        return self.n_aliased_edge_types > 0 or self.n_aliased > ALIASED_LIMIT * self.n_messages

    def __str__(self) -> str:
        if not self.n_shared_bits:
            return f"{self.n_messages:,} messages in {self.size:,} bits: no bit is shared."
        text = (
            f"{self.n_messages:,} messages in {self.size:,} bits: {self.n_shared_bits:,} bits are shared, "
            f"{self.n_aliased:,} messages have no code of their own; with {self.messages_per_inbox:.0f} messages in an "
            f"inbox, expect {100 * self.false_rate:.2g} % of the absent ones to appear present."
        )
        if self.n_aliased_edge_types:
            text += f" {self.n_aliased_edge_types:,} edge types cannot be distinguished from another one."
        return text


def symbol_collisions(code: Code, frequencies: ArrayLike, n_nodes: int) -> SymbolCollisions:
    """Estimate the collisions of a symbol code.

    Parameters
    ----------
    code
        The code of the symbols.
    frequencies
        Number of nodes that have each symbol; see ``PackedGraphs.properties.frequencies()``.
    n_nodes
        Number of nodes.

    Examples
    --------
    >>> from graphtm.codes import double_hashing, symbol_collisions
    >>> report = symbol_collisions(double_hashing(100, 20, distinct=True), frequencies=[30] * 100, n_nodes=1000)
    >>> report.too_small, report.sufficient_size
    (True, 128)
    """
    counts = np.asarray(frequencies, dtype=np.float64)
    if counts.shape != (code.n_owners,) or not np.all((counts >= 0) & (counts <= n_nodes)):
        raise CodeError(
            f"frequencies must have one number in 0..{n_nodes} for each of the {code.n_owners:,} symbols; "
            f"got shape {counts.shape}" + (f" from {counts.min()} to {counts.max()}." if counts.size else ".")
        )
    shares = counts / max(1, n_nodes)
    rates = _false_rates(code, shares)
    false_per_true = _false_per_true(rates, shares)
    worst = int(np.argmax(rates)) if len(rates) and rates.max() > 0 else None
    return SymbolCollisions(
        n_symbols=code.n_owners,
        size=code.size,
        n_shared_bits=int(np.count_nonzero(_owners_per_bit(code) > 1)),
        false_per_true=false_per_true,
        worst_symbol=worst,
        worst_rate=0.0 if worst is None else float(rates[worst]),
        sufficient_size=code.size if false_per_true <= FALSE_PER_TRUE_LIMIT else _sufficient_symbol_size(code, shares),
    )


def _owners_per_bit(code: Code) -> NDArray[np.int64]:
    return np.bincount(code.positions.reshape(-1), minlength=code.size)


def _false_per_true(rates: NDArray[np.float64], shares: NDArray[np.float64]) -> float:
    present = float(shares.sum())
    return float(((1 - shares) * rates).sum()) / present if present else 0.0


def _false_rates(code: Code, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, per symbol, the probability that other symbols of a node set all its bits, if they are independent."""
    absent = np.log1p(-np.minimum(shares, 1 - 1e-12))
    # Logarithm of the probability that a bit is not set, with and without the symbol itself.
    nobody = np.bincount(code.positions.reshape(-1), np.repeat(absent, code.bits_per_owner), minlength=code.size)
    nobody_else = np.minimum(nobody[code.positions] - absent[:, None], 0.0)
    rates: NDArray[np.float64] = np.prod(-np.expm1(nobody_else), axis=1)
    # A bit that belongs to one symbol only is never set by others, in spite of rounding.
    rates[(_owners_per_bit(code)[code.positions] == 1).any(axis=1)] = 0.0
    return rates


def _sufficient_symbol_size(code: Code, shares: NDArray[np.float64]) -> int | None:
    """Double the size until few enough false symbols are expected."""
    size = _next_power(code.size + 1)
    while size < _MAX_SIZE:
        if code.scheme == "double_hashing":
            if size > 4 * code.n_owners:
                return None  # all gaps are 1 now, so each code shares its bits with two others at any size
            larger = double_hashing(code.n_owners, size, distinct=False)
            expected = _false_per_true(_false_rates(larger, shares), shares)
        else:
            # Average over all random codes of that size.
            filled = -np.expm1(np.log1p(-np.minimum(shares * code.bits_per_owner / size, 1 - 1e-12)).sum())
            expected = _false_per_true(np.full(len(shares), filled**code.bits_per_owner), shares)
        if expected <= FALSE_PER_TRUE_LIMIT:
            return size
        size *= 2
    return None


def message_collisions(code: Code, n_edge_types: int, messages_per_inbox: float = 100.0) -> MessageCollisions:
    """Estimate the collisions of a clause code, whose messages are shifted by the edge type.

    Parameters
    ----------
    code
        The code of the clauses.
    n_edge_types
        Number of edge types.
    messages_per_inbox
        Expected number of messages in an inbox. It is not known before training; 100 is a full inbox.
    """
    types = max(1, n_edge_types)
    n_messages = code.n_owners * types
    inbox = min(messages_per_inbox, float(n_messages))
    report = MessageCollisions(
        n_clauses=code.n_owners,
        n_edge_types=n_edge_types,
        size=code.size,
        n_shared_bits=int(np.count_nonzero(_messages_per_bit(code, types) > 1)),
        n_aliased=n_messages - _distinct_messages(code, types),
        n_aliased_edge_types=max(0, types - code.size) if n_messages else 0,
        false_rate=_message_false_rate(code, types, inbox),
        messages_per_inbox=inbox,
        sufficient_size=code.size,
    )
    return replace(report, sufficient_size=_larger_message_size(code, types)) if report.too_small else report


def _message_false_rate(code: Code, types: int, messages_per_inbox: float) -> float:
    if not np.any(_messages_per_bit(code, types) > 1):
        return 0.0
    return (
        float(-np.expm1(messages_per_inbox * np.log1p(-min(code.bits_per_owner / code.size, 1 - 1e-12))))
        ** code.bits_per_owner
    )


def _messages_per_bit(code: Code, types: int) -> NDArray[np.int64]:
    """Return the number of messages per bit: a position covers ``types`` consecutive bits, cyclically."""
    if code.size == 0:
        return np.zeros(0, np.int64)
    laps, rest = divmod(types, code.size)
    starts = np.bincount(code.positions.reshape(-1), minlength=code.size)
    covered = np.cumsum(np.concatenate([starts, starts]))
    window: NDArray[np.int64] = covered[code.size :] - covered[code.size - rest : 2 * code.size - rest]
    window += laps * int(starts.sum())
    return window


def _distinct_messages(code: Code, types: int) -> int:
    """Return the number of distinct codes of all clauses, shifted by all edge types.

    Codes that are rotations of one another have the same gaps between their positions. Within such a family, a clause
    is a point on a ring and its messages are an arc of ``types`` points that starts there; the distinct codes are the
    points covered by arcs.
    """
    families: dict[tuple[int, ...], set[int]] = {}
    for row in code.positions.tolist():
        gaps = [(after - before) % code.size for before, after in zip(row, [*row[1:], row[0]], strict=True)]
        if len(row) == 1:
            gaps = [code.size]
        turns = [tuple(gaps[turn:] + gaps[:turn]) for turn in range(len(row))]
        family = min(turns)
        families.setdefault(family, set()).add(row[turns.index(family)])
    total = 0
    for family, points in families.items():
        ring = _period(family, code.size)
        starts = sorted({point % ring for point in points})
        total += sum(
            min(types, (after - start - 1) % ring + 1)
            for start, after in zip(starts, [*starts[1:], starts[0]], strict=True)
        )
    return total


def _period(gaps: tuple[int, ...], size: int) -> int:
    """Return the smallest rotation that maps a code with these gaps to itself."""
    for length in range(1, len(gaps)):
        if len(gaps) % length == 0 and gaps == gaps[:length] * (len(gaps) // length):
            return sum(gaps[:length])
    return size


def _larger_message_size(code: Code, types: int) -> int | None:
    if code.scheme != "double_hashing":
        return sufficient_message_size(code.n_owners, types, code.bits_per_owner, code.size + 1)
    # Codes of neighbouring clauses are shifts of one another, so they coincide for some edge types at any size.
    return _next_power(smallest_double_hashing(code.n_owners)) if types == 1 else None


def sufficient_message_size(n_clauses: int, n_edge_types: int, bits: int, at_least: int) -> int:
    """Return a power of two that distinguishes all edge types and is expected to alias few messages of random codes.

    With ``n`` messages and ``C(size, bits)`` codes, about ``n * (n - 1) / 2`` divided by the number of codes pairs
    coincide.
    """
    types = max(1, n_edge_types)
    size = _next_power(max(at_least, types, bits + 1))
    while size < _MAX_SIZE:
        log_codes = sum(np.log((size - taken) / (taken + 1)) for taken in range(bits))
        if (n_clauses * types - 1) / 2 * np.exp(-log_codes) <= ALIASED_LIMIT:
            break
        size *= 2
    return size


def _next_power(number: int) -> int:
    return 1 << max(0, number - 1).bit_length()


def warn_if_too_small(symbols: SymbolCollisions | None, messages: MessageCollisions | None) -> None:
    """Warn if hypervectors are too small, with a sufficient size."""
    advice = []
    if symbols is not None and symbols.too_small:
        size = symbols.sufficient_size
        remedies = [] if size is None else [f"hypervector_size={size} or more"]
        if size is None or symbols.n_symbols <= 2 * size:
            remedies.append(f"symbol_encoding='one_hot', which takes {symbols.n_symbols} bits without collisions")
        advice.append(f"{symbols} Use {', or '.join(remedies)}.")
    if messages is not None and messages.too_small:
        size = messages.sufficient_size
        remedy = "message_encoding='random'" if size is None else f"message_size={size} or more"
        advice.append(f"{messages} Use {remedy}.")
    if advice:
        warn_user("Hypervectors are too small. " + " ".join(advice), CodeCollisionWarning)
