"""The clauses of a machine, layer by layer: their literals, which are equivalent, and which can never be true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, cast

import numpy as np

from graphtm.explain.formulas import Formula
from graphtm.explain.literals import SHOWN, Literal, Message
from graphtm.explain.meanings import Meaning, Owners, left_over, meaning_of, message_owners, symbol_owners
from graphtm.explain.unrolling import Term, Unrolling
from graphtm.foundation.arrays import Int64Array, WithoutCaches
from graphtm.foundation.short_repr import short_repr
from graphtm.model import Model

Layers: TypeAlias = tuple[tuple[Literal, ...], ...]
"""The literals of a clause, layer by layer."""
SMALL = 16
"""Largest number of owners of a bit for which literals are simplified; with more, each bit is read on its own."""


@dataclass(frozen=True)
class Layer:
    """One layer of all clauses.

    Parameters
    ----------
    owners
        Owners of the bits that the layer reads. Messages that never arrive are left out, equivalent ones merged.
    first
        For each clause, the first clause that is true at the same nodes up to this layer; -1 if it is never true. At
        the last layer, the clause itself. For graded clauses, true means that all literals hold.
    by_bit
        Whether to read each bit on its own instead of all bits together.
    """

    owners: Owners
    first: Int64Array
    by_bit: bool

    __repr__ = short_repr

    def bits(self, included: Int64Array) -> list[Term]:
        """Return the condition of each literal on its own, also of literals that mean the same."""
        size = self.owners.size
        signs_and_bits = (divmod(literal, size) for literal in included.tolist())
        return [(bool(negated), tuple(self.owners.of(bit).tolist())) for negated, bit in signs_and_bits]

    def terms(self, included: Int64Array) -> Iterable[Term]:
        """Return the conditions of all literals together."""
        if self.by_bit:
            return dict.fromkeys(self.bits(included))
        return cast("list[Term]", meaning_of(self.owners, included).terms)


class Clauses(WithoutCaches):
    """The clauses of a fitted machine.

    Parameters
    ----------
    model
        The model.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.n_edge_types = len(model.vocabulary.edge_types)

    @property
    def n_clauses(self) -> int:
        """Number of clauses."""
        return self.model.params.n_clauses

    @property
    def depth(self) -> int:
        """Number of layers."""
        return self.model.params.depth

    @property
    def max_misses(self) -> int:
        """Number of included literals that a clause may miss; above 0, clauses are graded."""
        return self.model.params.max_misses

    def checked(self, clause: int) -> int:
        """Return a clause number after checking it.

        Raises
        ------
        ValueError
            If the machine has no clause with this number.
        """
        if isinstance(clause, bool) or not isinstance(clause, int | np.integer) or not 0 <= clause < self.n_clauses:
            raise ValueError(f"The clause must be a number from 0 to {self.n_clauses - 1}; got {clause!r}.")
        return int(clause)

    def node_type(self, clause: int) -> Hashable:
        """Return the node type that a clause serves, or ``None`` if it serves all nodes."""
        types = self.model.vocabulary.node_types
        return types[clause % len(types)] if len(types) > 1 else None

    @cached_property
    def included(self) -> list[list[Int64Array]]:
        """Included literals per layer and clause: ``k`` for bit ``k``, ``size + k`` for its negation."""
        return [self._included(layer) for layer in range(self.depth)]

    def _included(self, layer: int) -> list[Int64Array]:
        clauses, literals = np.nonzero(self.model.state.includes(layer, self.model.params.state_bits))
        return np.split(literals, np.searchsorted(clauses, np.arange(1, self.n_clauses)))

    @cached_property
    def _owners(self) -> list[Owners]:
        """Owners of the bits, per layer."""
        code = self.model.params.message_code
        layers = [symbol_owners(self.model.symbol_code)]
        if code is not None and self.depth > 1:
            layers += [message_owners(code, self.n_edge_types)] * (self.depth - 1)
        return layers

    @cached_property
    def names(self) -> list[tuple[Hashable, ...]]:
        """Names of the symbols, and of the messages, in numerical order."""
        types = self.model.vocabulary.edge_types
        messages = tuple(Message(edge_type, clause) for clause in range(self.n_clauses) for edge_type in types)
        return [tuple(self.model.vocabulary.symbols), messages]

    def meaning(self, clause: int, layer: int) -> Meaning:
        """Return the combined meaning of the literals of a clause in one layer, in names: when all of them hold."""
        meaning = meaning_of(self.layers[layer].owners, self.included[layer][clause])
        return meaning.named(self.names[min(layer, 1)])

    def literal(self, layer: int, number: int) -> Literal:
        """Return a literal of a layer, given its number."""
        owners = self.plain_layers[layer].owners
        negated, bit = divmod(number, owners.size)
        return self._literal(layer, bool(negated), tuple(owners.of(bit).tolist()))

    def literals(self, clause: int, *, simplify: bool) -> Layers:
        """Return the literals of a clause, layer by layer; if simplified, without redundant literals and owners.

        They say when all literals hold, which messages depend on; see :meth:`graded_literals` for strengths.
        """
        layers = self.layers if simplify else self.plain_layers
        return self._named_literals(layer.terms(self.included[number][clause]) for number, layer in enumerate(layers))

    def graded_literals(self, clause: int, *, simplify: bool) -> tuple[Layers, int]:
        """Return the literals of a clause, layer by layer, and how many of them may be missed.

        Without grading these are :meth:`literals`, and none may be missed. With grading, every literal counts, also
        one that means the same as another. Simplifying keeps every strength: owners that are never present are left
        out, and so are the literals that change no strength, see :meth:`constants`. If none of the others may be
        missed, those that mean the same are one.
        """
        if not self.max_misses:
            return self.literals(clause, simplify=simplify), 0
        if not simplify:
            return self._named_literals(self._bits(self.plain_layers, clause)), self.max_misses
        constants, left = self.constants(clause)
        if left < 0:
            never: list[list[Term]] = [[(False, ())], *([[]] * (self.depth - 1))]
            return self._named_literals(never), 0
        varying = [
            [term for term, constant in zip(terms, layer, strict=True) if constant is None]
            for terms, layer in zip(self._bits(self.layers, clause), constants, strict=True)
        ]
        return self._named_literals(varying if left else map(dict.fromkeys, varying)), left

    def constants(self, clause: int) -> tuple[list[list[str | None]], int]:
        """Return which literals of a clause change no strength, layer by layer, and how many others may be missed.

        A literal that holds at every node is ``"always"``, one that holds at none ``"never"``. A literal and its
        negation are ``"opposed"``: at every node, one of them is missed. The others are ``None``; without grading, all
        are. A miss at every node leaves one less for the others. If the number is negative, the clause is never true.
        """
        if not self.max_misses:
            return [[None] * len(layer[clause]) for layer in self.included], 0
        constants = [_constants(terms) for terms in self._bits(self.layers, clause)]
        missed = sum(layer.count("never") + layer.count("opposed") // 2 for layer in constants)
        return constants, self.max_misses - missed

    def _bits(self, layers: list[Layer], clause: int) -> list[list[Term]]:
        return [layer.bits(self.included[number][clause]) for number, layer in enumerate(layers)]

    def _named_literals(self, terms: Iterable[Iterable[Term]]) -> Layers:
        return tuple(tuple(self._literal(number, *term) for term in layer) for number, layer in enumerate(terms))

    def _literal(self, layer: int, negated: bool, owners: tuple[int, ...]) -> Literal:
        key = (layer, negated, owners)
        if key not in self._made:
            names = self.names[min(layer, 1)]
            self._made[key] = Literal(layer, negated, tuple(names[owner] for owner in owners))
        return self._made[key]

    @cached_property
    def _made(self) -> dict[tuple[int, bool, tuple[int, ...]], Literal]:
        """Literals made so far: clauses share most of them."""
        return {}

    def senders(self, rules: Iterable[Layers], *, simplify: bool) -> dict[int, int]:
        """Return the clauses whose messages rules name, directly or through each other, in the order of naming.

        Parameters
        ----------
        rules
            Literals of each rule, layer by layer.
        simplify
            Whether to simplify the literals of the clauses found.

        Returns
        -------
        dict
            Clause numbers, each with its highest layer that matters: a message that arrives at layer ``d`` is sent by
            nodes that satisfy the clause up to layer ``d - 1``.
        """
        reach: dict[int, int] = {}
        waiting = [found for layers in rules for found in _named(layers)]
        for clause, layer in waiting:
            if layer > reach.get(clause, -1):
                reach[clause] = layer
                waiting += _named(self.literals(clause, simplify=simplify)[: layer + 1])
        return reach

    # Equivalent clauses

    @cached_property
    def plain_layers(self) -> list[Layer]:
        """The layers without simplification."""
        return [Layer(owners, np.arange(self.n_clauses), by_bit=True) for owners in self._owners]

    @cached_property
    def layers(self) -> list[Layer]:
        """The layers, with clauses that their bits show to be equivalent, or never true, recognised."""
        n_types = max(1, len(self.model.vocabulary.node_types))
        before = np.arange(self.n_clauses) % n_types
        layers: list[Layer] = []
        for layer, owners in enumerate(self._owners):
            if layer:
                owners = owners.renumbered(self._messages(before))
            if layer < self.depth - 1:
                before = _first_equivalent(owners, self.included[layer], before)
            else:
                # No message depends on the last layer. Formulas find its equivalent clauses, among those asked for.
                before = np.where(before < 0, -1, np.arange(self.n_clauses))
            layers.append(Layer(owners, before, by_bit=owners.most > SMALL))
        return layers

    def _messages(self, first: Int64Array) -> Int64Array:
        """Return, for each message, the first equivalent one; -1 if it is never sent."""
        types = np.arange(self.n_edge_types)
        return np.where(first[:, None] < 0, -1, first[:, None] * self.n_edge_types + types).reshape(-1)

    # Formulas

    def unroll(self, clauses: Iterable[int], *, simplify: bool = True) -> list[Formula]:
        """Return clauses as formulas about symbols and edges, which share their parts.

        The formulas of graded clauses give strengths. The senders of messages satisfy all literals, so that what
        counts is a literal, and what a message says of its sender is an AND.

        Parameters
        ----------
        clauses
            Clause numbers.
        simplify
            Whether to drop implied conditions and to detect contradictions. Strengths stay the same.
        """
        return Unrolling(self, simplify=simplify).formulas(list(clauses))

    def equivalent(self, clauses: Iterable[int] | None = None) -> list[list[int]]:
        """Return groups of equivalent clauses, from the clauses given or from all; drop those that are never true.

        Graded clauses are equivalent if their strengths are equal at every node.
        """
        numbers = range(self.n_clauses) if clauses is None else list(clauses)
        groups: dict[int, list[int]] = {}
        for clause, formula in zip(numbers, self.unroll(numbers), strict=True):
            if not formula.is_false:
                groups.setdefault(formula.number, []).append(clause)
        return list(groups.values())


def _first_equivalent(owners: Owners, included: list[Int64Array], before: Int64Array) -> Int64Array:
    """Return the first equivalent clause for each; -1 if impossible. Equivalent clauses are equal in ``before``."""
    first = np.full(len(before), -1)
    seen: dict[Hashable, int] = {}
    for clause, (literals, earlier) in enumerate(zip(included, before.tolist(), strict=True)):
        content: Hashable
        if owners.most > SMALL:
            # The owners of all bits of all clauses would fill the memory; equal bits have equal owners.
            possible, content = all(map(len, left_over(owners, literals)[0])), literals.tobytes()
        else:
            content = meaning_of(owners, literals)
            possible = content.possible
        if possible and earlier >= 0:
            first[clause] = seen.setdefault((earlier, content), clause)
    return first


def _constants(terms: list[Term]) -> list[str | None]:
    """Return which conditions of a layer change no strength, see :meth:`Clauses.constants`."""
    counts = Counter(terms)
    opposed = {(negated, owners): min(n, counts[not negated, owners]) for (negated, owners), n in counts.items()}
    constants: list[str | None] = []
    for negated, owners in terms:
        if not owners:
            constants.append("always" if negated else "never")
        else:
            constants.append("opposed" if opposed[negated, owners] > 0 else None)
            opposed[negated, owners] -= 1
    return constants


def _named(layers: Layers) -> Iterator[tuple[int, int]]:
    """Yield the clauses that text names, each with the layer up to which it is meant."""
    for layer in layers:
        for literal in layer:
            # Text names the first few owners of a bit only.
            for owner in literal.owners[:SHOWN]:
                if isinstance(owner, Message):
                    yield owner.clause, literal.layer - 1
