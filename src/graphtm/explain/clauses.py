"""All clauses of a machine, read layer by layer: what each says, which say the same, and which can never be true."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from graphtm.explain.formulas import Formula, Formulas
from graphtm.explain.literals import Literal, Message
from graphtm.explain.meanings import Meaning, Owners, left_over, meaning_of, message_owners, symbol_owners
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.short_repr import short_repr
from graphtm.model import Model

SMALL = 16
"""Owners up to which a rule has them sorted out for itself; more of them are shown bit by bit, as nobody reads them."""


@dataclass(frozen=True)
class Layer:
    """What clauses are, as far as one layer.

    Parameters
    ----------
    owners
        Who owns the bits that the layer reads; of messages, those that can arrive, equal ones once.
    first
        For each clause the first one that is true at the same nodes as far as this layer; -1 if it is true nowhere. At
        the last layer, itself.
    by_bit
        Whether bits are read one by one, instead of all together.
    """

    owners: Owners
    first: Int64Array
    by_bit: bool

    __repr__ = short_repr

    def terms(self, included: Int64Array) -> Iterable[tuple[bool, tuple[int, ...]]]:
        """Return what included literals say: whether negated, and of which owners one must be present."""
        if self.by_bit:
            signs_and_bits = (divmod(literal, self.owners.size) for literal in included.tolist())
            return dict.fromkeys(
                (bool(negated), tuple(self.owners.of(bit).tolist())) for negated, bit in signs_and_bits
            )
        return cast("list[tuple[bool, tuple[int, ...]]]", meaning_of(self.owners, included).terms)


class Clauses:
    """The clauses of a model.

    Parameters
    ----------
    model
        The model; what is read from it is what it holds now, and it never changes.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.n_edge_types = len(model.vocabulary.edge_types)
        self._literals: dict[tuple[int, bool, tuple[int, ...]], Literal] = {}

    @property
    def n_clauses(self) -> int:
        return self.model.params.n_clauses

    @property
    def depth(self) -> int:
        return self.model.params.depth

    def checked(self, clause: int) -> int:
        """Return the number of a clause, which there must be.

        Raises
        ------
        ValueError
            If there is none of that number.
        """
        if isinstance(clause, bool) or not isinstance(clause, int | np.integer) or not 0 <= clause < self.n_clauses:
            raise ValueError(f"The clause must be a number from 0 to {self.n_clauses - 1}; got {clause!r}.")
        return int(clause)

    def node_type(self, clause: int) -> Hashable:
        """Return the only type of node that a clause is about, or ``None`` for any."""
        types = self.model.vocabulary.node_types
        return types[clause % len(types)] if len(types) > 1 else None

    @cached_property
    def included(self) -> list[list[Int64Array]]:
        """Per layer and clause the literals that it includes: ``k`` for bit ``k``, ``size + k`` for its negation."""
        return [self._included(layer) for layer in range(self.depth)]

    def _included(self, layer: int) -> list[Int64Array]:
        clauses, literals = np.nonzero(self.model.state.includes(layer, self.model.params.state_bits))
        return np.split(literals, np.searchsorted(clauses, np.arange(1, self.n_clauses)))

    @cached_property
    def _owners(self) -> list[Owners]:
        """Per layer, who owns the bits."""
        code = self.model.params.message_code
        layers = [symbol_owners(self.model.symbol_code)]
        if code is not None and self.depth > 1:
            layers += [message_owners(code, self.n_edge_types)] * (self.depth - 1)
        return layers

    @cached_property
    def names(self) -> list[tuple[Hashable, ...]]:
        """Names of symbols, and of messages, in the order of their numbers."""
        types = self.model.vocabulary.edge_types
        messages = tuple(Message(edge_type, clause) for clause in range(self.n_clauses) for edge_type in types)
        return [tuple(self.model.vocabulary.symbols), messages]

    def meaning(self, clause: int, layer: int) -> Meaning:
        """Return what all bits say together that a clause includes in a layer, in names."""
        meaning = meaning_of(self.layers[layer].owners, self.included[layer][clause])
        return meaning.named(self.names[min(layer, 1)])

    def literal(self, layer: int, number: int) -> Literal:
        """Return what one literal of a layer says: that an owner of its bit is present, or none."""
        owners = self.plain_layers[layer].owners
        negated, bit = divmod(number, owners.size)
        return self._literal(layer, bool(negated), tuple(owners.of(bit).tolist()))

    def literals(self, clause: int, *, simplify: bool) -> tuple[tuple[Literal, ...], ...]:
        """Return what a clause says, layer by layer: bit by bit, or without what is implied and who cannot be meant."""
        layers = self.layers if simplify else self.plain_layers
        return tuple(
            tuple(self._literal(number, *term) for term in layer.terms(self.included[number][clause]))
            for number, layer in enumerate(layers)
        )

    def _literal(self, layer: int, negated: bool, owners: tuple[int, ...]) -> Literal:
        key = (layer, negated, owners)
        if key not in self._literals:
            names = self.names[min(layer, 1)]
            self._literals[key] = Literal(layer, negated, tuple(names[owner] for owner in owners))
        return self._literals[key]

    # Which are the same

    @cached_property
    def plain_layers(self) -> list[Layer]:
        """The layers as they are: each bit for itself, each clause for itself."""
        return [Layer(owners, np.arange(self.n_clauses), by_bit=True) for owners in self._owners]

    @cached_property
    def layers(self) -> list[Layer]:
        """Which clauses are the same as far as each layer, and which are never true, as far as their bits show it."""
        n_types = max(1, len(self.model.vocabulary.node_types))
        before = np.arange(self.n_clauses) % n_types
        layers: list[Layer] = []
        for layer, owners in enumerate(self._owners):
            if layer:
                owners = owners.renumbered(self._messages(before))
            if layer < self.depth - 1:
                before = _first_alike(owners, self.included[layer], before)
            else:
                # Nobody hears of the last layer. Formulas show which clauses are the same, of those that are asked for.
                before = np.where(before < 0, -1, np.arange(self.n_clauses))
            layers.append(Layer(owners, before, by_bit=owners.most > SMALL))
        return layers

    def _messages(self, first: Int64Array) -> Int64Array:
        """Return, for each message, the number of the one it cannot be told from; -1 if it is never sent."""
        types = np.arange(self.n_edge_types)
        return np.where(first[:, None] < 0, -1, first[:, None] * self.n_edge_types + types).reshape(-1)

    # Down to symbols

    def unroll(self, clauses: Iterable[int], *, simplify: bool = True) -> list[Formula]:
        """Return clauses as formulas about symbols and edges, parts shared.

        Parameters
        ----------
        clauses
            Numbers of clauses.
        simplify
            Whether to leave out what other conditions imply, and to see what excludes each other.
        """
        return _Unrolling(self, simplify=simplify).formulas(list(clauses))

    def alike(self, clauses: Iterable[int] | None = None) -> list[list[int]]:
        """Return the clauses, of some or of all, that can be true; those whose formulas are the same stand together."""
        numbers = range(self.n_clauses) if clauses is None else list(clauses)
        groups: dict[int, list[int]] = {}
        for clause, formula in zip(numbers, self.unroll(numbers), strict=True):
            if not formula.is_false:
                groups.setdefault(formula.number, []).append(clause)
        return list(groups.values())


def _first_alike(owners: Owners, included: list[Int64Array], before: Int64Array) -> Int64Array:
    """Return for each clause the first that says the same; those that differ in ``before`` do not, -1 is impossible."""
    first = np.full(len(before), -1)
    alike: dict[Hashable, int] = {}
    for clause, (literals, earlier) in enumerate(zip(included, before.tolist(), strict=True)):
        says: Hashable
        if owners.most > SMALL:
            # The owners of all bits, clause by clause, would fill the memory; the same bits have the same ones.
            possible, says = all(map(len, left_over(owners, literals)[0])), literals.tobytes()
        else:
            says = meaning_of(owners, literals)
            possible = says.possible
        if possible and earlier >= 0:
            first[clause] = alike.setdefault((earlier, says), clause)
    return first


class _Unrolling:
    """Makes formulas from the bottom layer up, of those clauses only that are reached from above."""

    def __init__(self, clauses: Clauses, *, simplify: bool) -> None:
        self._clauses = clauses
        self._make = Formulas(simplify=simplify)
        self._layers = clauses.layers if simplify else clauses.plain_layers

    def formulas(self, wanted: list[int]) -> list[Formula]:
        below: dict[int, Formula] = {}
        for layer, numbers in enumerate(self._reached(wanted)):
            bits: dict[tuple[int, ...], Formula] = {}
            below = {clause: self._formula(layer, clause, below, bits) for clause in numbers}
        last = self._layers[-1].first
        return [below[int(last[clause])] if last[clause] >= 0 else self._make.false for clause in wanted]

    def _reached(self, wanted: list[int]) -> list[list[int]]:
        """Return, for each layer, the clauses that are needed as far as there."""
        numbers = {int(self._layers[-1].first[clause]) for clause in wanted} - {-1}
        reached = [sorted(numbers)]
        for layer in range(len(self._layers) - 1, 0, -1):
            owners, included = self._layers[layer].owners, self._clauses.included[layer]
            bits = {literal % owners.size for clause in numbers for literal in included[clause].tolist()}
            senders = owners.of_all(sorted(bits)) // max(1, self._clauses.n_edge_types)
            numbers = {int(self._layers[layer - 1].first[clause]) for clause in numbers}.union(senders.tolist())
            reached.append(sorted(numbers))
        return reached[::-1]

    def _formula(
        self, layer: int, clause: int, below: dict[int, Formula], bits: dict[tuple[int, ...], Formula]
    ) -> Formula:
        """Return a clause as far as a layer, given those below; ``bits`` holds what sets of owners say."""
        make = self._make
        if layer:
            parts = [below[int(self._layers[layer - 1].first[clause])]]
        else:
            node_type = self._clauses.node_type(clause)
            parts = [] if node_type is None else [make.is_type(node_type)]
        for negated, owners in self._layers[layer].terms(self._clauses.included[layer][clause]):
            if owners not in bits:
                bits[owners] = make.any_of(self._owner(layer, owner, below) for owner in owners)
            parts.append(make.not_(bits[owners]) if negated else bits[owners])
        return make.all_of(parts)

    def _owner(self, layer: int, owner: int, below: dict[int, Formula]) -> Formula:
        vocabulary = self._clauses.model.vocabulary
        if layer == 0:
            return self._make.has(vocabulary.symbols[owner])
        sender, edge_type = divmod(owner, self._clauses.n_edge_types)
        return self._make.exists(vocabulary.edge_types[edge_type], below[sender])
