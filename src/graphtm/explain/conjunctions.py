"""What parts of an AND or an OR imply or exclude each other, seen from what they are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from graphtm.foundation.names import name_key

if TYPE_CHECKING:
    from graphtm.explain.formulas import Formula

Conditions = frozenset[int]
"""Numbers of what must hold: the more, the stronger."""


def reduced(parts: list[Formula]) -> list[Formula] | None:
    """Return the parts of an AND without those that others imply, or ``None`` if they exclude each other.

    Over edges of one type, ``EXISTS t: (A AND B)`` implies ``EXISTS t: A``, which implies ``EXISTS t: ANY``; with NOT
    it is the other way round. An OR is implied by any of its members.
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
        weaker = Smaller(part.parts[0].conditions for part in alone)
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
    """Return the parts of an OR without those that imply another one."""
    dropped: set[int] = set()
    for same_type in by_edge_type(parts).values():
        weaker = Smaller(part.parts[0].conditions for part in same_type)
        dropped.update(part.number for part in same_type if weaker.properly_within(part.parts[0].conditions))
    return [part for part in parts if part.number not in dropped]


def by_edge_type(parts: Iterable[Formula]) -> dict[Hashable, list[Formula]]:
    """Return those that are EXISTS, by the key of their edge type."""
    groups: dict[Hashable, list[Formula]] = defaultdict(list)
    for part in parts:
        if part.kind == "exists":
            groups[name_key(part.name)].append(part)
    return groups


def _implied(parts: list[Formula]) -> set[int]:
    """Return the numbers of those EXISTS over one edge type that a stronger one among them implies."""
    sets = {part.number: part.parts[0].conditions for part in parts}
    by_condition: dict[int, list[Conditions]] = defaultdict(list)
    for found in sets.values() if len(sets) > 1 else ():
        for condition in found:
            by_condition[condition].append(found)
    implied = set()
    for number, found in sets.items() if len(sets) > 1 else ():
        # What is stronger than something has all its conditions: look among those that have the rarest one.
        rarest = min((by_condition[condition] for condition in found), key=len, default=list(sets.values()))
        if any(found < other for other in rarest):
            implied.add(number)
    return implied


class Smaller:
    """Sets of conditions, found by those that contain them; each is looked for under one of its members only."""

    def __init__(self, sets: Iterable[Conditions]) -> None:
        self._by_member: dict[int, list[Conditions]] = defaultdict(list)
        self._has_empty = False
        for one in set(sets):
            if one:
                self._by_member[max(one)].append(one)
            else:
                self._has_empty = True

    def within(self, conditions: Conditions) -> bool:
        """Whether one of the sets is a subset, perhaps the same."""
        return self._has_empty or any(one <= conditions for one in self._candidates(conditions))

    def properly_within(self, conditions: Conditions) -> bool:
        """Whether one of the sets is a subset and not the same."""
        return bool(self._has_empty and conditions) or any(one < conditions for one in self._candidates(conditions))

    def _candidates(self, conditions: Conditions) -> Iterable[Conditions]:
        for member in self._by_member.keys() & conditions:
            yield from self._by_member[member]
