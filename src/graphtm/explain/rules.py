"""Rules: clauses as readable data, with their literals, votes and measures, as text, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtm.errors import GraphTMError
from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula
from graphtm.explain.literals import SHOWN, Literal, Message, latex_name
from graphtm.explain.meanings import Meaning
from graphtm.explain.measures import Measures
from graphtm.explain.tables import MOST_ROWS, table_html
from graphtm.foundation.display import bare
from graphtm.foundation.names import name_key, normalize_name
from graphtm.foundation.parameters import check_at_least

MOST_VOTES = 10
"""Largest number of outputs for which all votes are shown; with more, only the strongest."""
MOST_LITERALS = 8
"""Maximum number of literals in shortened rules."""
MOST_LITERALS_ALONE = 50
"""Maximum number of literals when a notebook shows one rule."""
USED_TITLE = "Clauses that messages refer to, as far as the layer below:"
"""Heading of the clauses that are not in a set but that its rules refer to."""


@dataclass(frozen=True)
class Rule:
    """A clause as a rule: its conditions at a node, layer by layer, and its votes.

    A rule is plain data. :meth:`meaning`, :meth:`symbols` and :meth:`unroll` also need the machine, which is not
    pickled with a rule. Pickle the :class:`RuleSet` to keep it.

    Parameters
    ----------
    clause
        Clause number.
    layers
        Literals of each layer; a layer without literals holds at every node.
    weights
        Vote for each output, in the order of ``outputs``.
    outputs
        Names of the outputs: the classes or labels.
    node_type
        Node type that the clause serves, or ``None`` for all nodes.
    equal
        Numbers of equivalent clauses, whose votes are included in ``weights``.
    measures
        Support, precision and recall, see :meth:`RuleSet.measured`.
    machine
        The clauses of the machine. Not pickled.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.noisy_xor(500, random_state=0)
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=5, random_state=0).fit(graphs, y)
    >>> rule = clf.rules(class_=1, top=1)[0]
    >>> print(rule)
    C5: 1 AND NOT 0 AND plain:C1 AND plain:C2 AND plain:C7 AND NOT plain:C0   [-11, +12]
    >>> print(rule.unroll())
    1 AND NOT 0 AND EXISTS plain: (0 AND NOT 1) AND NOT EXISTS plain: (1 AND NOT 0)
    """

    clause: int
    layers: tuple[tuple[Literal, ...], ...]
    weights: tuple[int, ...]
    outputs: tuple[Hashable, ...]
    node_type: Hashable = None
    equal: tuple[int, ...] = ()
    measures: Measures | None = None
    machine: Clauses | None = field(default=None, repr=False, compare=False)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals of all layers."""
        return tuple(literal for layer in self.layers for literal in layer)

    def meaning(self, layer: int = 0) -> Meaning:
        """Return the combined meaning of the literals of one layer.

        Parameters
        ----------
        layer
            Layer number.

        Raises
        ------
        ValueError
            If the rule has no such layer.
        GraphTMError
            If the rule has no machine.
        """
        check_at_least("layer", "meaning", layer, 0)
        if layer >= len(self.layers):
            raise ValueError(
                f"The 'layer' parameter of meaning must be one of 0..{len(self.layers) - 1}. Got {layer!r} instead."
            )
        return self._machine.meaning(self.clause, layer)

    def symbols(self) -> tuple[Hashable, ...]:
        """Return the symbols that satisfy the first layer on their own.

        Useful where every node carries one symbol: a rule such as ``NOT 1 AND NOT 3 AND ...`` leaves 0, 2, 4, ...
        """
        return self.meaning(0).alone(self._machine.names[0])

    def unroll(self, *, simplify: bool = True) -> Formula:
        """Return the rule as a formula about symbols and edges: messages are replaced by what their senders satisfy.

        Parameters
        ----------
        simplify
            Whether to drop implied conditions and to detect contradictions.

        Raises
        ------
        GraphTMError
            If the rule has no machine.
        """
        return self._machine.unroll([self.clause], simplify=simplify)[0]

    @property
    def _machine(self) -> Clauses:
        if self.machine is None:
            raise GraphTMError(
                "meaning, symbols and unroll need a rule that belongs to a machine; this one was built by hand, was "
                "unpickled on its own, or is only a part of a clause. Use a rule of `clf.rules()`, or "
                "`rules.rule(number)`; a pickled RuleSet keeps the machine."
            )
        return self.machine

    def __getstate__(self) -> dict[str, Any]:
        """Leave the machine out: a pickled rule is plain data."""
        return {name: value for name, value in vars(self).items() if name != "machine"}

    def __copy__(self) -> Rule:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Rule:
        return self

    @property
    def class_(self) -> Hashable:
        """The output with the largest vote; ties go to the first. ``None`` for a rule without votes."""
        return None if not self.weights else self.outputs[max(range(len(self.weights)), key=self.weights.__getitem__)]

    def __str__(self) -> str:
        return rule_text(self)

    def __repr__(self) -> str:
        return f"<Rule {rule_text(self, MOST_LITERALS)}>"

    def _repr_html_(self) -> str:
        return table_html(["clause", "rule", *votes_header(self.outputs)], [rule_cells(self, MOST_LITERALS_ALONE)])

    def to_latex(self) -> str:
        """Return the rule for LaTeX's math mode, as in the paper: ``r1:0`` is clause 0 at layer 1, over ``r``."""
        if any(literal.is_never for literal in self.literals):
            body = r"\bot"
        else:
            kind = [] if self.node_type is None else [rf"\mathrm{{type}}\,{latex_name(self.node_type)}"]
            literals = [literal.to_latex() for literal in self.literals if not literal.is_always]
            body = r" \wedge ".join([*kind, *literals]) or r"\phi"
        votes = f";~[{', '.join(map(str, self.weights))}]" if self.weights else ""
        return f"C_{{{self.clause}}} = {body}{votes}"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        return {
            "clause": self.clause,
            "equal": list(self.equal),
            "node_type": self.node_type,
            "text": str(self),
            "layers": [[literal.to_dict() for literal in layer] for layer in self.layers],
            "weights": dict(zip(self.outputs, self.weights, strict=True)),
            "measures": None if self.measures is None else self.measures.to_dict(),
        }


def rule_of(clauses: Clauses, members: Sequence[int], outputs: tuple[Hashable, ...], *, simplify: bool) -> Rule:
    """Return equivalent clauses as one rule: the literals of the first, the votes of all.

    Parameters
    ----------
    clauses
        All clauses of the machine.
    members
        Numbers of the equivalent clauses.
    outputs
        Names of the outputs.
    simplify
        Whether to remove redundant literals and owners.
    """
    first, *equal = members
    votes = tuple(clauses.model.state.weights[:, list(members)].sum(axis=1, dtype=np.int64).tolist())
    layers, node_type = clauses.literals(first, simplify=simplify), clauses.node_type(first)
    return Rule(first, layers, votes, outputs, node_type, tuple(equal), machine=clauses)


# Properties to choose by


def strength(rule: Rule, output: int | None) -> int:
    """Return the vote for an output; without one, the strongest vote, for or against."""
    return max(map(abs, rule.weights), default=0) if output is None else rule.weights[output]


def names_symbol(rule: Rule, symbol: Any) -> bool:
    """Whether a literal of layer 0 names a symbol, negated or not."""
    key = name_key(normalize_name(symbol))
    return any(name_key(owner) == key for layer in rule.layers[:1] for literal in layer for owner in literal.owners)


def names_edge_type(rule: Rule, edge_type: Any) -> bool:
    """Whether a literal names a message over edges of a type, negated or not."""
    key = name_key(normalize_name(edge_type))
    messages = (owner for layer in rule.layers[1:] for literal in layer for owner in literal.owners)
    return any(isinstance(message, Message) and name_key(message.edge_type) == key for message in messages)


# Text and HTML


def rule_text(rule: Rule, most: int | None = None, first: int | None = None) -> str:
    """Return a rule as one line, with at most ``most`` literals; output ``first`` leads shortened votes."""
    votes = f"   {_votes_text(rule, first)}" if rule.weights else ""
    return f"{_rule_name(rule)}: {conditions_text(rule, most)}{votes}"


def conditions_text(rule: Rule, most: int | None = None) -> str:
    """Return the conditions of a rule, without its name and votes, with at most ``most`` literals."""
    if any(literal.is_never for literal in rule.literals):
        return "NEVER"
    kind = [] if rule.node_type is None else [f"TYPE {bare(rule.node_type)}"]
    literals = [literal for literal in rule.literals if not literal.is_always]
    shown = [str(literal) for literal in literals[:most]]
    left_out = len(literals) - len(shown)
    more = [f"... ({left_out:,} more)"] if left_out else []
    return " AND ".join([*kind, *shown, *more]) or "ANY NODE"


def _rule_name(rule: Rule) -> str:
    return f"C{rule.clause} (and {len(rule.equal):,} equal)" if rule.equal else f"C{rule.clause}"


def _votes_text(rule: Rule, first: int | None) -> str:
    """Return the votes in brackets; with many outputs, output ``first`` and the strongest, with names."""
    if len(rule.weights) <= MOST_VOTES:
        return f"[{', '.join(map(_signed, rule.weights))}]"
    places = range(len(rule.weights))
    strongest = sorted(places, key=lambda place: (place != first, -abs(rule.weights[place])))[:SHOWN]
    votes = [f"{bare(rule.outputs[place])} {_signed(rule.weights[place])}" for place in strongest]
    return f"[{', '.join(votes)}, ... ({len(rule.weights):,} in all)]"


def _signed(vote: int) -> str:
    return f"{vote:+d}" if vote else "0"


def rules_table(rules: Sequence[Rule], outputs: Sequence[object], most: int = MOST_ROWS) -> str:
    """Return rules as an HTML table of at most ``most`` rows."""
    rows = [rule_cells(rule, MOST_LITERALS) for rule in rules[:most]]
    return table_html(["clause", "rule", *votes_header(outputs)], rows, len(rules))


def rule_cells(rule: Rule, most: int, first: int | None = None) -> list[str]:
    """Return the cells of a rule in an HTML table, with at most ``most`` literals."""
    votes = [_votes_text(rule, first)] if len(rule.weights) > MOST_VOTES else list(map(_signed, rule.weights))
    return [_rule_name(rule), conditions_text(rule, most), *votes]


def votes_header(outputs: Sequence[object]) -> list[str]:
    """Return the headers of the votes in an HTML table."""
    return ["votes"] if len(outputs) > MOST_VOTES else [f"votes for {bare(output)}" for output in outputs]
