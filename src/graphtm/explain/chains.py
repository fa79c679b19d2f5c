"""Formulas on chains, in the paper's form: which symbols stand at which place, ``M(A, X_n) AND M(A, X_{n-1})``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral
from typing import Any

from graphtm.explain.formulas import Formula, Formulas
from graphtm.foundation.names import name_key

PLACES = {"right": -1, "left": 1}
"""An edge ``right`` goes from X_{n-1} to X_n, so X_n hears X_{n-1} over it; ``left`` the other way."""


def chain_form(formula: Formula, places: Mapping[Any, int] | None, *, simplify: bool) -> Formula:
    """Return a formula about the places of a chain; see :meth:`Formula.chain`."""
    places = PLACES if places is None else places
    for edge_type, place in places.items():
        if isinstance(place, bool) or not isinstance(place, Integral):
            raise ValueError(
                "The 'places' parameter of chain must give how far off neighbours are, in whole steps. "
                f"Got {place!r} for {edge_type!r}."
            )
    offsets = {name_key(edge_type): int(place) for edge_type, place in places.items()}
    for part in formula.walk():
        if part.kind == "exists" and name_key(part.name) not in offsets:
            raise ValueError(
                "The 'places' parameter of chain must give a place for every edge type that the formula reads. Got "
                f"none for {part.name!r}. Write, for instance, places={{{part.name!r}: -1}}."
            )
    return _Chain(offsets, simplify=simplify).form(formula)


class _Chain:
    def __init__(self, offsets: Mapping[Hashable, int], *, simplify: bool) -> None:
        self._offsets = offsets
        self._simplify = simplify
        self._make = Formulas(simplify=False)

    def form(self, formula: Formula) -> Formula:
        """Return the form of a formula at X_n, made from the bottom up at every place where it is needed."""
        parts = formula.walk()
        wanted: dict[int, set[int]] = {part.number: set() for part in parts}
        wanted[formula.number].add(0)
        for part in reversed(parts):
            step = self._offsets[name_key(part.name)] if part.kind == "exists" else 0
            for inner in part.parts:
                wanted[inner.number].update(place + step for place in wanted[part.number])
        made: dict[tuple[int, int], Formula] = {}
        for part in parts:
            for place in sorted(wanted[part.number]):
                made[part.number, place] = self._at(part, place, made)
        return made[formula.number, 0]

    def _at(self, part: Formula, place: int, made: dict[tuple[int, int], Formula]) -> Formula:
        make = self._make
        if part.is_true or _is_condition(part):
            return make.match(place, part.conjuncts)
        if part.kind == "exists":
            there = place + self._offsets[name_key(part.name)]
            inner = made[part.parts[0].number, there]
            # What holds at a place says that it is there; what is about others, or about what is not, does not.
            said = any(one.kind == "match" and one.name[0] == there for one in inner.conjuncts)
            return inner if said else self._all([make.match(there, ()), inner])
        if part.kind == "all":
            here = tuple(one for one in part.parts if _is_condition(one))
            rest = [made[one.number, place] for one in part.parts if not _is_condition(one)]
            return self._all([make.match(place, here), *rest])
        inner_parts = [made[one.number, place] for one in part.parts]
        return make.not_(inner_parts[0]) if part.kind == "not" else make.any_of(inner_parts)

    def _all(self, formulas: Iterable[Formula]) -> Formula:
        """Return an AND without those matches that say only that a place is there, where that is known anyway."""
        parts = [conjunct for formula in formulas for conjunct in formula.conjuncts]
        matches = [part for part in parts if part.kind == "match"]
        return self._make.all_of(part for part in parts if part.kind != "match" or not self._implied(part, matches))

    def _implied(self, match: Formula, matches: list[Formula]) -> bool:
        """Whether a match with anything goes without saying: X_n is there, and all places on the way to another."""
        place, conditions = match.name
        if conditions or place == 0:
            return not conditions
        reached = (other.name for other in matches if other is not match)
        return self._simplify and any(
            other * place > 0 and (abs(other) > abs(place) or (other == place and found)) for other, found in reached
        )


def _is_condition(formula: Formula) -> bool:
    """Whether a formula is about the node alone: that it has a symbol or a type, or has it not."""
    return (formula.parts[0] if formula.kind == "not" else formula).kind in ("has", "type")
