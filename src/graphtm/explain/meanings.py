"""The exact meaning of included bits, computed from their owners.

A bit is set exactly when one of its owners is present: a symbol at the node, or a message in its inbox. An included bit
therefore requires at least one of its owners, and an included negation forbids all of them. Together, the literals of a
layer determine the owners that must be present, those that must be absent, and sets of which one must be present.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphtm.codes import Code
from graphtm.explain.literals import Literal
from graphtm.foundation.arrays import Int64Array, WithoutCaches, pointers
from graphtm.foundation.names import name_key
from graphtm.foundation.short_repr import short_repr

MOST_COMBINATIONS = 100


@dataclass(frozen=True)
class Owners(WithoutCaches):
    """Owners of each bit: those of bit ``b`` are ``owners[ptr[b]:ptr[b + 1]]``, in ascending order."""

    ptr: Int64Array
    owners: Int64Array
    n_owners: int

    __repr__ = short_repr

    @property
    def size(self) -> int:
        return len(self.ptr) - 1

    @cached_property
    def most(self) -> int:
        """Largest number of owners of a bit."""
        return int(np.diff(self.ptr).max(initial=0))

    @cached_property
    def only(self) -> Int64Array:
        """The owner of each bit, -1 for none. Valid only if no bit has more than one."""
        return np.where(np.diff(self.ptr) > 0, np.append(self.owners, -1)[self.ptr[:-1]], -1)

    def of(self, bit: int) -> Int64Array:
        return self.owners[self.ptr[bit] : self.ptr[bit + 1]]

    def of_all(self, bits: Sequence[int]) -> Int64Array:
        """Return the distinct owners of several bits, in ascending order."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *map(self.of, bits)]))

    def renumbered(self, numbers: Int64Array) -> Owners:
        """Return the table with owners renumbered; owners with the same number are merged, -1 drops an owner."""
        bits, owners = np.repeat(np.arange(self.size), np.diff(self.ptr)), numbers[self.owners]
        bits, owners = bits[owners >= 0], owners[owners >= 0]
        return owners_from_pairs(bits, owners, self.size, self.n_owners)


def owners_from_pairs(bits: Int64Array, owners: Int64Array, size: int, n_owners: int) -> Owners:
    """Return the table of (bit, owner) pairs, given in any order."""
    pairs = np.unique(bits * max(1, n_owners) + owners)
    bits, owners = np.divmod(pairs, max(1, n_owners))
    return Owners(pointers(np.bincount(bits, minlength=size)), owners, n_owners)


def symbol_owners(code: Code) -> Owners:
    """Return the symbols that own each bit of a node's hypervector."""
    symbols = np.repeat(np.arange(code.n_owners), code.bits_per_owner)
    return owners_from_pairs(code.positions.reshape(-1).astype(np.int64), symbols, code.size, code.n_owners)


def message_owners(code: Code, n_edge_types: int) -> Owners:
    """Return the messages that own each bit of an inbox.

    Clause ``j`` over edge type ``t`` is message ``j * n_edge_types + t``; its code is the clause's, shifted by ``t``.
    """
    types = np.arange(n_edge_types)
    bits = (code.positions[:, None, :].astype(np.int64) + types[None, :, None]) % max(1, code.size)
    messages = np.repeat(np.arange(code.n_owners * n_edge_types), code.bits_per_owner)
    return owners_from_pairs(bits.reshape(-1), messages, code.size, code.n_owners * n_edge_types)


@dataclass(frozen=True)
class Meaning:
    """Combined meaning of the included literals of one layer.

    Parameters
    ----------
    required
        Owners that must be present.
    choices
        Sets of two or more owners. At least one member of each set must be present; no member is forbidden.
    forbidden
        Owners that must be absent.
    possible
        Whether the literals can hold together.

    Examples
    --------
    A owns two bits, F owns the first of them and G the second. Including both bits means A, or F and G:

    >>> meaning = Meaning(choices=(("A", "F"), ("A", "G")), forbidden=("B",))
    >>> print(meaning)
    ANY OF 2: (A, F) AND ANY OF 2: (A, G) AND NOT B
    >>> meaning.combinations()
    (('A',), ('F', 'G'))
    """

    required: tuple[Hashable, ...] = ()
    choices: tuple[tuple[Hashable, ...], ...] = ()
    forbidden: tuple[Hashable, ...] = ()
    possible: bool = True

    @property
    def is_ambiguous(self) -> bool:
        """Whether several combinations of owners satisfy it, because bits are shared."""
        return bool(self.choices)

    @property
    def terms(self) -> list[tuple[bool, tuple[Hashable, ...]]]:
        """The conditions: whether negated, and the owners of which one must be present, or none if negated."""
        if not self.possible:
            return [(False, ())]
        positive = [*((owner,) for owner in self.required), *self.choices]
        return [*((False, owners) for owners in positive), *((True, (owner,)) for owner in self.forbidden)]

    def named(self, names: Sequence[Hashable]) -> Meaning:
        """Return the meaning with owners as names instead of numbers."""

        def name(numbers: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
            return tuple(names[number] for number in numbers)  # type: ignore[call-overload]

        return Meaning(name(self.required), tuple(map(name, self.choices)), name(self.forbidden), self.possible)

    def combinations(self, most: int = MOST_COMBINATIONS) -> tuple[tuple[Hashable, ...], ...] | None:
        """Return the minimal sets of owners that satisfy the meaning.

        Parameters
        ----------
        most
            Maximum number of sets.

        Returns
        -------
        tuple of tuples, or None
            Empty if the meaning is impossible; ``None`` if there are more than ``most`` sets at any stage.
        """
        if not self.possible:
            return ()
        everyone = {name_key(owner): owner for group in (self.required, *self.choices) for owner in group}
        order = {key: place for place, key in enumerate(everyone)}
        sets = [frozenset(order[name_key(owner)] for owner in self.required)]
        for choice in self.choices:
            wanted = [order[name_key(owner)] for owner in choice]
            grown = [
                chosen if not chosen.isdisjoint(wanted) else chosen | {owner} for chosen in sets for owner in wanted
            ]
            sets = _smallest(grown)
            if len(sets) > most:
                return None
        owners = list(everyone.values())
        combinations = sorted((len(chosen), sorted(chosen)) for chosen in sets)
        return tuple(tuple(owners[place] for place in places) for _, places in combinations)

    def alone(self, owners: Iterable[Hashable]) -> tuple[Hashable, ...]:
        """Return the owners that satisfy the meaning on their own.

        Parameters
        ----------
        owners
            Candidates, for instance all symbols if every node carries exactly one.

        Examples
        --------
        >>> Meaning(forbidden=(1, 3)).alone(range(5))
        (0, 2, 4)
        """
        if not self.possible:
            return ()
        required, forbidden = set(map(name_key, self.required)), set(map(name_key, self.forbidden))
        choices = [set(map(name_key, choice)) for choice in self.choices]
        return tuple(
            owner
            for owner in owners
            if required <= {name_key(owner)}
            and name_key(owner) not in forbidden
            and all(name_key(owner) in choice for choice in choices)
        )

    def __str__(self) -> str:
        # Literals of layer 1 print messages without a layer mark; symbols never have one.
        return " AND ".join(str(Literal(1, negated, owners)) for negated, owners in self.terms) or "ANY"


IMPOSSIBLE = Meaning(possible=False)


def _smallest(sets: list[frozenset[int]]) -> list[frozenset[int]]:
    """Return the sets that contain no other set."""
    kept: list[frozenset[int]] = []
    for candidate in sorted(set(sets), key=lambda chosen: (len(chosen), sorted(chosen))):
        if not any(smaller <= candidate for smaller in kept):
            kept.append(candidate)
    return kept


def left_over(owners: Owners, included: Int64Array) -> tuple[list[Int64Array], Int64Array]:
    """Return the allowed owners of each included bit, and the owners that included negations forbid.

    Literal ``k`` is bit ``k``, literal ``size + k`` its negation. A bit without allowed owners can never be set.
    """
    forbidden = owners.of_all((included[included >= owners.size] - owners.size).tolist())
    allowed = np.ones(owners.n_owners, np.bool_)
    allowed[forbidden] = False
    bits = [owners.of(bit) for bit in included[included < owners.size].tolist()]
    return [bit[allowed[bit]] for bit in bits], forbidden


def meaning_of(owners: Owners, included: Int64Array) -> Meaning:
    """Return the combined meaning of included literals, with owners as numbers."""
    if owners.most <= 1:
        # The common case of one owner per bit takes a fraction of the time.
        required = np.unique(owners.only[included[included < owners.size]])
        forbidden = np.unique(owners.only[included[included >= owners.size] - owners.size])
        forbidden = forbidden[forbidden >= 0]
        if (len(required) and required[0] < 0) or not set(required.tolist()).isdisjoint(forbidden.tolist()):
            return IMPOSSIBLE
        return Meaning(tuple(required.tolist()), (), tuple(forbidden.tolist()))
    left, forbidden = left_over(owners, included)
    if not all(map(len, left)):
        return IMPOSSIBLE
    minimal = [tuple(sorted(choice)) for choice in _smallest([frozenset(bit.tolist()) for bit in left])]
    return Meaning(
        tuple(sorted(choice[0] for choice in minimal if len(choice) == 1)),
        tuple(sorted(choice for choice in minimal if len(choice) > 1)),
        tuple(forbidden.tolist()),
    )
