"""Rules: clauses as readable data, with their literals, votes and measures."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtm.errors import GraphTMError
from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula
from graphtm.explain.literals import Literal, Message
from graphtm.explain.meanings import Meaning
from graphtm.explain.measures import Measures
from graphtm.explain.rule_text import (
    MOST_LITERALS,
    MOST_LITERALS_ALONE,
    conditions_text,
    rule_latex,
    rule_text,
    rules_table,
)
from graphtm.foundation.names import name_key, normalize_name
from graphtm.foundation.parameters import check_at_least


@dataclass(frozen=True)
class Rule:
    """A clause as a rule: its conditions at a node, layer by layer, and its votes.

    The rule of a graded clause counts its literals: ``at least 4 of: A, NOT B, right:C0, ...``. It votes once if as
    many hold, and once more for each further one. With few literals it votes at every node: ``strength 2 always, and 1
    more for each of: A, NOT B``. It is called true where its strength, the number of its votes, is above 0.

    A rule is plain data. :meth:`meaning`, :meth:`symbols` and :meth:`unroll` also need the machine, which is not
    pickled with a rule. Pickle the :class:`RuleSet` to keep it.

    Parameters
    ----------
    clause
        Clause number.
    layers
        Literals of each layer; a layer without literals holds at every node.
    weights
        Vote for each output, in the order of ``outputs``. The vote of a graded rule is this times its strength.
    outputs
        Names of the outputs: the classes or labels.
    node_type
        Node type that the clause serves, or ``None`` for all nodes.
    equal
        Numbers of equivalent clauses, whose votes are included in ``weights``.
    measures
        Support, precision and recall, see :meth:`RuleSet.measured`.
    max_misses
        Number of literals that may be missed; above 0, the rule is graded. It can be less than the machine's, since
        simplified rules leave out literals that are missed at every node.
    values
        For rules of a regressor, what one vote is worth for each output; the rule adds ``weights`` times this.
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
    >>> print(rule.conditions(2))
    1 AND NOT 0 AND ... (4 more)
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
    max_misses: int = 0
    values: tuple[float, ...] = ()
    machine: Clauses | None = field(default=None, repr=False, compare=False)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals of all layers."""
        return tuple(literal for layer in self.layers for literal in layer)

    @property
    def varying(self) -> tuple[Literal, ...]:
        """The literals without those that always hold and those that never do."""
        return tuple(literal for layer in self.layers for literal in layer if literal.owners)

    @property
    def amounts(self) -> tuple[float, ...]:
        """What the rule adds to each output: its votes or, for a regressor, these in the units of the targets."""
        if not self.values:
            return self.weights
        return tuple(weight * value for weight, value in zip(self.weights, self.values, strict=True))

    @property
    def full_strength(self) -> int:
        """The largest strength: 1 without grading; 0 if the rule can never be true."""
        n_never = sum(literal.is_never for layer in self.layers for literal in layer)
        return max(0, self.max_misses + 1 - n_never)

    @property
    def n_needed(self) -> int:
        """Number of literals of :attr:`varying` that must hold for the rule to be true; all of them without grading."""
        return max(0, len(self.varying) + 1 - self.full_strength)

    def meaning(self, layer: int = 0) -> Meaning:
        """Return the combined meaning of the literals of one layer: when all of them hold.

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
        """Return the symbols that satisfy all literals of the first layer on their own.

        Useful where every node carries one symbol: a rule such as ``NOT 1 AND NOT 3 AND ...`` leaves 0, 2, 4, ...
        """
        return self.meaning(0).alone(self._machine.names[0])

    def unroll(self, *, simplify: bool = True) -> Formula:
        """Return the rule as a formula about symbols and edges: messages are replaced by what their senders satisfy.

        The formula of a graded rule gives the strength at each node. A message is sent only by nodes at which all
        literals of its clause hold, so it is replaced by an AND.

        Parameters
        ----------
        simplify
            Whether to drop implied conditions and to detect contradictions. Strengths stay the same.

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

    def conditions(self, most: int | None = None, longest: int | None = None) -> str:
        """Return the conditions as text, without the name and the votes.

        Parameters
        ----------
        most
            Maximum number of literals. Default: all.
        longest
            Maximum number of letters of a name; longer ones are cut. Default: no limit.
        """
        check_at_least("most", "conditions", most, 0)
        check_at_least("longest", "conditions", longest, 1)
        return conditions_text(self, most, longest=longest)

    def __str__(self) -> str:
        return rule_text(self)

    def __repr__(self) -> str:
        return f"<Rule {rule_text(self, MOST_LITERALS)}>"

    def _repr_html_(self) -> str:
        return rules_table([self], self.outputs, literals=MOST_LITERALS_ALONE)

    def to_latex(self) -> str:
        """Return the rule for LaTeX's math mode, as in the paper: ``r1:0`` is clause 0 at layer 1, over ``r``.

        A graded rule is written as its strength, a sum in which a literal is 1 where it holds and 0 elsewhere.
        """
        return rule_latex(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data; for a graded rule with ``max_misses``, for one of a regressor with amounts."""
        graded = {"max_misses": self.max_misses} if self.max_misses else {}
        amounts = {"amounts": dict(zip(self.outputs, self.amounts, strict=True))} if self.values else {}
        return {
            "clause": self.clause,
            "equal": list(self.equal),
            "node_type": self.node_type,
            "text": str(self),
            "layers": [[literal.to_dict() for literal in layer] for layer in self.layers],
            "weights": dict(zip(self.outputs, self.weights, strict=True)),
            "measures": None if self.measures is None else self.measures.to_dict(),
            **amounts,
            **graded,
        }


def rule_of(
    clauses: Clauses,
    members: Sequence[int],
    outputs: tuple[Hashable, ...],
    *,
    simplify: bool,
    values: tuple[float, ...] = (),
) -> Rule:
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
    values
        As in :class:`Rule`.
    """
    first, *equal = members
    votes = tuple(clauses.model.state.weights[:, list(members)].sum(axis=1, dtype=np.int64).tolist())
    layers, max_misses = clauses.graded_literals(first, simplify=simplify)
    node_type = clauses.node_type(first)
    return Rule(
        first, layers, votes, outputs, node_type, tuple(equal), max_misses=max_misses, values=values, machine=clauses
    )


# Properties to choose by


def weight_for(rule: Rule, output: int | None) -> int:
    """Return the weight for an output; without one, the largest, for or against."""
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
