"""Implication between the parts of a formula: parts that others imply, and parts that contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from graphtm.foundation.names import name_key

if TYPE_CHECKING:
    from graphtm.explain.formulas import Formula

Conditions: TypeAlias = frozenset[int]
"""Numbers of formulas that must hold."""


def reduced(parts: list[Formula]) -> list[Formula] | None:
    """Return the parts of an AND without implied ones, or ``None`` if they contradict each other.

    ``EXISTS t: (A AND B)`` implies ``EXISTS t: A``, which implies ``EXISTS t: ANY``; negation reverses the direction.
    Each member of an OR implies the OR.
    """
    absent = [part.parts[0] for part in parts if part.kind == "not"]
    dropped: set[int] = set()
    for edge_type, there in by_edge_type(parts).items():
        excluded = [found for found in (formula.sought.get(edge_type) for formula in absent) if found]
        if any(weaker.within(part.parts[0].conditions) for weaker in excluded for part in there):
            return None
        dropped |= _implied(there)
    if len({name_key(part.name) for part in parts if part.kind == "type"}) > 1:
        return None
    for alone in by_edge_type(absent).values():
        weaker = Subsets(part.parts[0].conditions for part in alone)
        dropped.update(part.number for part in alone if weaker.properly_within(part.parts[0].conditions))
    present = {part.number for part in parts}
    return [
        part
        for part in parts
        if part.number not in dropped
        and not (part.kind == "not" and part.parts[0].number in dropped)
        and not (part.kind == "any" and not present.isdisjoint(member.number for member in part.parts))
    ]


def weakest(parts: list[Formula]) -> list[Formula]:
    """Return the parts of an OR without those that imply another part."""
    dropped: set[int] = set()
    for same_type in by_edge_type(parts).values():
        weaker = Subsets(part.parts[0].conditions for part in same_type)
        dropped.update(part.number for part in same_type if weaker.properly_within(part.parts[0].conditions))
    return [part for part in parts if part.number not in dropped]


def by_edge_type(parts: Iterable[Formula]) -> dict[Hashable, list[Formula]]:
    """Return the EXISTS formulas, grouped by edge type."""
    groups: dict[Hashable, list[Formula]] = defaultdict(list)
    for part in parts:
        if part.kind == "exists":
            groups[name_key(part.name)].append(part)
    return groups


def _implied(parts: list[Formula]) -> set[int]:
    """Return the numbers of EXISTS formulas, over one edge type, that another one implies."""
    sets = {part.number: part.parts[0].conditions for part in parts}
    by_condition: dict[int, list[Conditions]] = defaultdict(list)
    for found in sets.values() if len(sets) > 1 else ():
        for condition in found:
            by_condition[condition].append(found)
    implied = set()
    for number, found in sets.items() if len(sets) > 1 else ():
        # A stronger formula has all the conditions: search among those with the rarest one.
        rarest = min((by_condition[condition] for condition in found), key=len, default=list(sets.values()))
        if any(found < other for other in rarest):
            implied.add(number)
    return implied


class Subsets:
    """Sets of conditions, searched for subsets of a given set; each is indexed by one of its members."""

    def __init__(self, sets: Iterable[Conditions]) -> None:
        self._by_member: dict[int, list[Conditions]] = defaultdict(list)
        self._has_empty = False
        for one in set(sets):
            if one:
                self._by_member[max(one)].append(one)
            else:
                self._has_empty = True

    def within(self, conditions: Conditions) -> bool:
        """Whether one of the sets is a subset."""
        return self._has_empty or any(one <= conditions for one in self._candidates(conditions))

    def properly_within(self, conditions: Conditions) -> bool:
        """Whether one of the sets is a proper subset."""
        return bool(self._has_empty and conditions) or any(one < conditions for one in self._candidates(conditions))

    def _candidates(self, conditions: Conditions) -> Iterable[Conditions]:
        for member in self._by_member.keys() & conditions:
            yield from self._by_member[member]
