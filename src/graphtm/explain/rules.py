"""Clauses as rules: literals in the user's names, layer by layer, with the votes they cast.

A literal is about a bit. The bit is set exactly when something that owns it is present: a symbol at the node, or a
message in the inbox. With one_hot codes a bit has one owner and a literal reads as that; with hashed codes it reads
as ``ANY OF`` its owners, never as a guess. Text shows the first few owners, data all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from graphtm.codes import Code
from graphtm.graphs import Vocabulary
from graphtm.graphs.display import bare, count
from graphtm.model import MachineParams, MachineState

_SHOWN = 3


@dataclass(frozen=True)
class Message:
    """That some neighbour over an edge of a type satisfies a clause, as far as the layer below."""

    edge_type: Hashable
    clause: int

    def __str__(self) -> str:
        return f"{bare(self.edge_type)}:C{self.clause}"


@dataclass(frozen=True)
class Literal:
    """One condition of a rule.

    Parameters
    ----------
    layer
        0 for a property of the node itself, 1 and more for messages.
    negated
        Whether none of the owners may be present, instead of one.
    owners
        The symbols, or messages, that own the bit. None at all: the bit is never set.
    """

    layer: int
    negated: bool
    owners: tuple[Hashable, ...]

    def __str__(self) -> str:
        names = [self._name(owner) for owner in self.owners]
        if not names:
            return "ALWAYS" if self.negated else "NEVER"
        if len(names) == 1:
            text = names[0]
        else:
            more = ", ..." if len(names) > _SHOWN else ""
            text = f"ANY OF {len(names):,}: ({', '.join(names[:_SHOWN])}{more})"
        return f"NOT {text}" if self.negated else text

    @property
    def is_never(self) -> bool:
        """Whether it cannot hold: a bit that nobody owns is never set."""
        return not self.owners and not self.negated

    @property
    def is_always(self) -> bool:
        """Whether it cannot fail: a bit that nobody owns is never set."""
        return not self.owners and self.negated

    def to_dict(self) -> dict[str, Any]:
        """Return the literal as plain data, all owners included."""
        owners = [vars(owner) if isinstance(owner, Message) else owner for owner in self.owners]
        return {"layer": self.layer, "negated": self.negated, "owners": owners}

    def _name(self, owner: Hashable) -> str:
        if not isinstance(owner, Message):
            return bare(owner)
        # Layer 1 is the common case and needs no mark; deeper ones name the layer that the message arrives at.
        return str(owner) if self.layer == 1 else f"{bare(owner.edge_type)}({self.layer}):C{owner.clause}"


@dataclass(frozen=True)
class Rule:
    """A clause: what must hold at a node, layer by layer, and how it votes.

    Parameters
    ----------
    clause
        Its number.
    layers
        The literals of each layer; a layer without any holds everywhere.
    weights
        Its vote for each output, in the order of ``outputs``.
    outputs
        Names of the outputs: the classes.
    node_type
        The only type of node it is about, or ``None`` for any.
    """

    clause: int
    layers: tuple[tuple[Literal, ...], ...]
    weights: tuple[int, ...]
    outputs: tuple[Hashable, ...]
    node_type: Hashable = None

    def __str__(self) -> str:
        kind = [] if self.node_type is None else [f"TYPE {bare(self.node_type)}"]
        literals = [literal for layer in self.layers for literal in layer]
        conditions = " AND ".join([*kind, *(str(literal) for literal in literals if not literal.is_always)])
        if any(literal.is_never for literal in literals):
            conditions = "NEVER"
        votes = ", ".join(f"{weight:+d}" if weight else "0" for weight in self.weights)
        return f"C{self.clause}: {conditions or 'ANY NODE'}   [{votes}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        return {
            "clause": self.clause,
            "node_type": self.node_type,
            "text": str(self),
            "layers": [[literal.to_dict() for literal in layer] for layer in self.layers],
            "weights": dict(zip(self.outputs, self.weights, strict=True)),
        }


class RuleSet(Sequence[Rule]):
    """Rules in order; prints one a line, with the names of the classes on top."""

    def __init__(self, rules: Sequence[Rule], outputs: Sequence[Hashable]) -> None:
        self._rules = tuple(rules)
        self.outputs = tuple(outputs)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> RuleSet: ...
    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        if isinstance(index, slice):
            return RuleSet(self._rules[index], self.outputs)
        return self._rules[index]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def strongest(self, output: int | None = None, top: int | None = None) -> RuleSet:
        """Return the rules that vote for an output, the strongest first; for any output if none is given."""

        def strength(rule: Rule) -> int:
            return max(map(abs, rule.weights)) if output is None else rule.weights[output]

        chosen = sorted((rule for rule in self if strength(rule) > 0), key=lambda rule: (-strength(rule), rule.clause))
        return RuleSet(chosen[:top], self.outputs)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the rules as plain data."""
        return [rule.to_dict() for rule in self]

    def __str__(self) -> str:
        votes = ", ".join(bare(output) for output in self.outputs[:10])
        more = f", ... ({len(self.outputs):,} in all)" if len(self.outputs) > 10 else ""
        return "\n".join([f"{count(len(self), 'rule')}; votes for [{votes}{more}]", *map(str, self)])

    def __repr__(self) -> str:
        return f"RuleSet({count(len(self), 'rule')})"


def rules_of(
    state: MachineState, params: MachineParams, symbol_code: Code, vocabulary: Vocabulary, outputs: Sequence[Hashable]
) -> RuleSet:
    """Return every clause of a machine as a rule."""
    owners: list[list[tuple[Hashable, ...]]] = [_owners(symbol_code, vocabulary.symbols)]
    if params.message_code is not None and params.depth > 1:
        owners.append(_message_owners(params.message_code, vocabulary.edge_types))
    includes = [state.includes(layer, params.state_bits) for layer in range(params.depth)]
    node_types = vocabulary.node_types if len(vocabulary.node_types) > 1 else (None,)
    rules = []
    for clause in range(params.n_clauses):
        layers = tuple(
            tuple(dict.fromkeys(_literals(layer, np.flatnonzero(include[clause]).tolist(), owners[min(layer, 1)])))
            for layer, include in enumerate(includes)
        )
        weights = tuple(state.weights[:, clause].tolist())
        rules.append(Rule(clause, layers, weights, tuple(outputs), node_types[clause % len(node_types)]))
    return RuleSet(rules, outputs)


def _literals(layer: int, included: list[int], owners: list[tuple[Hashable, ...]]) -> Iterator[Literal]:
    for literal in included:
        negated, position = divmod(literal, len(owners))
        yield Literal(layer, bool(negated), owners[position])


def _owners(code: Code, names: Sequence[Hashable]) -> list[tuple[Hashable, ...]]:
    """Return, for each position, the names that own it."""
    table: list[list[Hashable]] = [[] for _ in range(code.size)]
    for name, positions in zip(names, code.positions.tolist(), strict=True):
        for position in positions:
            table[position].append(name)
    return [tuple(owners) for owners in table]


def _message_owners(code: Code, edge_types: Sequence[Hashable]) -> list[tuple[Hashable, ...]]:
    table: list[dict[Message, None]] = [{} for _ in range(code.size)]
    for clause, positions in enumerate(code.positions.tolist()):
        for number, edge_type in enumerate(edge_types):
            for position in positions:
                table[(position + number) % code.size][Message(edge_type, clause)] = None
    return [tuple(owners) for owners in table]
