"""Unrolling: clauses as formulas, in which messages are replaced by what their senders satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from graphtm.explain.formulas import Formula, Formulas

if TYPE_CHECKING:
    from graphtm.explain.clauses import Clauses

Term: TypeAlias = tuple[bool, tuple[int, ...]]
"""A condition: whether negated, and the owners of which one must be present, or none if negated."""


class Unrolling:
    """Builds formulas from the bottom layer up, for the clauses that are needed only.

    Parameters
    ----------
    clauses
        The clauses of the machine.
    simplify
        Whether to drop implied conditions and to detect contradictions.
    """

    def __init__(self, clauses: Clauses, *, simplify: bool) -> None:
        self._clauses = clauses
        self._make = Formulas(simplify=simplify)
        self._layers = clauses.layers if simplify else clauses.plain_layers

    def formulas(self, wanted: list[int]) -> list[Formula]:
        """Return the formulas of clauses; of graded ones, with strengths."""
        graded = bool(self._clauses.max_misses)
        counted: dict[int, list[Formula]] = {clause: [] for clause in wanted} if graded else {}
        below: dict[int, Formula] = {}
        for layer, numbers in enumerate(self._reached(wanted)):
            bits: dict[tuple[int, ...], Formula] = {}
            for clause, literals in counted.items():
                terms = self._layers[layer].bits(self._clauses.included[layer][clause])
                literals += self._conditions(layer, terms, below, bits)
            below = {clause: self._formula(layer, clause, below, bits) for clause in numbers}
        if graded:
            return [self._graded(clause, counted[clause]) for clause in wanted]
        last = self._layers[-1].first
        return [below[int(last[clause])] if last[clause] >= 0 else self._make.false for clause in wanted]

    def _reached(self, wanted: list[int]) -> list[list[int]]:
        """Return the clauses whose formulas are needed at each layer: how far all their literals hold."""
        # A graded clause reads all layers itself, and needs the formulas of the senders only.
        graded = set(wanted) if self._clauses.max_misses else set()
        numbers = set() if graded else {int(self._layers[-1].first[clause]) for clause in wanted} - {-1}
        reached = [sorted(numbers)]
        for layer in range(len(self._layers) - 1, 0, -1):
            owners, included = self._layers[layer].owners, self._clauses.included[layer]
            bits = {literal % owners.size for clause in numbers | graded for literal in included[clause].tolist()}
            senders = owners.of_all(sorted(bits)) // max(1, self._clauses.n_edge_types)
            numbers = {int(self._layers[layer - 1].first[clause]) for clause in numbers}.union(senders.tolist())
            reached.append(sorted(numbers))
        return reached[::-1]

    def _formula(
        self, layer: int, clause: int, below: dict[int, Formula], bits: dict[tuple[int, ...], Formula]
    ) -> Formula:
        """Return a clause up to a layer, given the formulas below; ``bits`` caches formulas of sets of owners."""
        parts = [below[int(self._layers[layer - 1].first[clause])]] if layer else self._type(clause)
        terms = self._layers[layer].terms(self._clauses.included[layer][clause])
        return self._make.all_of([*parts, *self._conditions(layer, terms, below, bits)])

    def _graded(self, clause: int, literals: list[Formula]) -> Formula:
        """Return a graded clause, given the formulas of its literals in all layers."""
        return self._make.all_of([*self._type(clause), self._make.graded(literals, self._clauses.max_misses)])

    def _type(self, clause: int) -> list[Formula]:
        node_type = self._clauses.node_type(clause)
        return [] if node_type is None else [self._make.is_type(node_type)]

    def _conditions(
        self, layer: int, terms: Iterable[Term], below: dict[int, Formula], bits: dict[tuple[int, ...], Formula]
    ) -> Iterator[Formula]:
        make = self._make
        for negated, owners in terms:
            if owners not in bits:
                bits[owners] = make.any_of(self._owner(layer, owner, below) for owner in owners)
            yield make.not_(bits[owners]) if negated else bits[owners]

    def _owner(self, layer: int, owner: int, below: dict[int, Formula]) -> Formula:
        vocabulary = self._clauses.model.vocabulary
        if layer == 0:
            return self._make.has(vocabulary.symbols[owner])
        sender, edge_type = divmod(owner, self._clauses.n_edge_types)
        return self._make.exists(vocabulary.edge_types[edge_type], below[sender])
