"""What rules are chosen and sorted by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphtm.errors import GraphTMError
from graphtm.explain.literals import Message
from graphtm.explain.measures import Measures
from graphtm.foundation.names import name_key, normalize_name

if TYPE_CHECKING:
    from graphtm.explain.rules import Rule


def strength(rule: Rule, output: int | None) -> int:
    """Return how much a rule votes for an output; without one, how much it votes for or against any."""
    return max(map(abs, rule.weights), default=0) if output is None else rule.weights[output]


def measures_of(rule: Rule) -> Measures:
    """Return how a rule does on given graphs, which must have been measured."""
    if rule.measures is None:
        raise GraphTMError("Rules must be measured first; write rules.measured(clf.transform(graphs), y).")
    return rule.measures


def precision_of(rule: Rule, output: int | None) -> float:
    """Return the precision for an output; without one, for that which a rule votes most for; -1 if never true."""
    precision = measures_of(rule).precision
    if not precision:
        raise GraphTMError("Rules must be measured with labels first; write rules.measured(clf.transform(graphs), y).")
    share = precision[rule.outputs.index(rule.class_) if output is None else output]
    return -1.0 if share is None else share


def names_symbol(rule: Rule, symbol: Any) -> bool:
    """Whether a literal of the rule's own names a symbol, negated or not."""
    key = name_key(normalize_name(symbol))
    return any(name_key(owner) == key for layer in rule.layers[:1] for literal in layer for owner in literal.owners)


def names_edge_type(rule: Rule, edge_type: Any) -> bool:
    """Whether a literal is about messages over edges of a type."""
    key = name_key(normalize_name(edge_type))
    messages = (owner for layer in rule.layers[1:] for literal in layer for owner in literal.owners)
    return any(isinstance(message, Message) and name_key(message.edge_type) == key for message in messages)
