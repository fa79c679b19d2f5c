"""Clauses that rules refer to: what the senders of their messages must satisfy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from graphtm.explain.literals import SHOWN, Literal, Message
from graphtm.explain.rules import Rule

if TYPE_CHECKING:
    from graphtm.explain.clauses import Clauses


def used_clauses(rules: Iterable[Rule], clauses: Clauses, *, simplify: bool) -> tuple[Rule, ...]:
    """Return the clauses that messages name, and that are not among the rules, in the order in which they are named.

    Messages of these clauses are followed, too. A message that arrives at layer ``d`` tells of its clause as far as
    layer ``d - 1``. So much of it is returned, as a rule without votes.

    Parameters
    ----------
    rules
        The rules whose messages are followed.
    clauses
        All clauses of the machine.
    simplify
        Whether the clauses are to be simplified, as the rules are.
    """
    rules = list(rules)
    reach: dict[int, int] = {}
    waiting = [found for rule in rules for found in _named(rule.layers)]
    for clause, layer in waiting:
        if layer > reach.get(clause, -1):
            reach[clause] = layer
            waiting += _named(clauses.literals(clause, simplify=simplify)[: layer + 1])
    listed = {rule.clause for rule in rules}
    return tuple(
        Rule(
            clause,
            clauses.literals(clause, simplify=simplify)[: reach[clause] + 1],
            weights=(),
            outputs=(),
            node_type=clauses.node_type(clause),
        )
        for clause in reach
        if clause not in listed
    )


def _named(layers: tuple[tuple[Literal, ...], ...]) -> Iterator[tuple[int, int]]:
    """Yield the clauses that text names, each with the layer as far as which it is meant."""
    for layer in layers:
        for literal in layer:
            # Of a bit with thousands of owners text names the first few.
            for owner in literal.owners[:SHOWN]:
                if isinstance(owner, Message):
                    yield owner.clause, literal.layer - 1
