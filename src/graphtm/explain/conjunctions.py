"""What parts of an AND or an OR imply or exclude each other, seen from what they are made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from graphtm.graphs.names import name_key

if TYPE_CHECKING:
    from graphtm.explain.formulas import Formula

Conditions = frozenset[int]


def conditions(formula: Formula) -> Conditions:
    """Return the numbers of what must hold for it: the more, the stronger."""
    return frozenset(conjunct.number for conjunct in formula.conjuncts)


def reduced(parts: Iterable[Formula]) -> list[Formula] | None:
    """Return the parts of an AND without those that others imply, or ``None`` if they exclude each other.

    Over edges of one type, ``EXISTS t: (A AND B)`` implies ``EXISTS t: A``, which implies ``EXISTS t: ANY``; with NOT
    it is the other way round. An OR is implied by any of its members.
    """
    parts = list(parts)
    present = {part.number for part in parts}
    there, absent = _by_edge_type(part for part in parts if part.kind == "exists"), _by_edge_type(_excluded(parts))
    types = {name_key(part.name) for part in parts if part.kind == "type"}
    if len(types) > 1:
        return None
    dropped: set[int] = set()
    for edge_type, positive in there.items():
        excluded = Smaller(conditions(part.parts[0]) for part in absent.get(edge_type, ()))
        if any(excluded.within(conditions(part.parts[0])) for part in positive):
            return None
        dropped.update(_implied(positive))
    for negative in absent.values():
        strongest = Smaller(conditions(part.parts[0]) for part in negative)
        dropped.update(part.number for part in negative if strongest.properly_within(conditions(part.parts[0])))
    return [
        part
        for part in parts
        if part.number not in dropped
        and not (part.kind == "not" and part.parts[0].kind == "exists" and part.parts[0].number in dropped)
        and not (part.kind == "any" and not present.isdisjoint(member.number for member in part.parts))
    ]


def weakest(parts: Iterable[Formula]) -> list[Formula]:
    """Return the parts of an OR without those that imply another one."""
    parts = list(parts)
    dropped: set[int] = set()
    for same_type in _by_edge_type(part for part in parts if part.kind == "exists").values():
        smaller = Smaller(conditions(part.parts[0]) for part in same_type)
        dropped.update(part.number for part in same_type if smaller.properly_within(conditions(part.parts[0])))
    return [part for part in parts if part.number not in dropped]


def _by_edge_type(parts: Iterable[Formula]) -> dict[Hashable, list[Formula]]:
    groups: dict[Hashable, list[Formula]] = defaultdict(list)
    for part in parts:
        groups[name_key(part.name)].append(part)
    return groups


def _excluded(parts: Iterable[Formula]) -> Iterable[Formula]:
    """Yield the EXISTS that must not hold."""
    for part in parts:
        if part.kind == "not":
            inner = part.parts[0]
            yield from (one for one in (inner.parts if inner.kind == "any" else [inner]) if one.kind == "exists")


def _implied(parts: list[Formula]) -> set[int]:
    """Return the numbers of those EXISTS over one edge type that a stronger one among them implies."""
    by_condition: dict[int, list[Conditions]] = defaultdict(list)
    sets = {part.number: conditions(part.parts[0]) for part in parts}
    for found in sets.values():
        for condition in found:
            by_condition[condition].append(found)
    implied = set()
    for number, found in sets.items():
        if not found:
            larger = len(parts) > 1
        else:
            rarest = min(found, key=lambda condition: len(by_condition[condition]))
            larger = any(found < other for other in by_condition[rarest])
        if larger:
            implied.add(number)
    return implied


class Smaller:
    """Sets of conditions, found by those that contain them; each is looked for under one of its members only."""

    def __init__(self, sets: Iterable[Conditions]) -> None:
        self._by_member: dict[int | None, list[Conditions]] = defaultdict(list)
        for one in set(sets):
            self._by_member[min(one, default=None)].append(one)

    def within(self, conditions: Conditions) -> bool:
        """Whether one of the sets is a subset, perhaps the same."""
        return any(one <= conditions for one in self._candidates(conditions))

    def properly_within(self, conditions: Conditions) -> bool:
        """Whether one of the sets is a subset and not the same."""
        return any(one < conditions for one in self._candidates(conditions))

    def _candidates(self, conditions: Conditions) -> Iterable[Conditions]:
        for member in (None, *conditions):
            yield from self._by_member.get(member, ())
