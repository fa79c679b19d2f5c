"""Clauses as rules: literals in the user's names, layer by layer, with the votes they cast.

A literal is about a bit. The bit is set exactly when something that owns it is present: a symbol at the node, or a
message in the inbox. With one_hot codes a bit has one owner and a literal reads as that; with hashed codes it reads
as ``ANY OF`` its owners, never as a guess. Text shows the first few owners, data all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtm.errors import GraphTMError
from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula
from graphtm.explain.literals import Literal
from graphtm.explain.meanings import Meaning
from graphtm.explain.measures import Measures
from graphtm.explain.notebook import rule_html
from graphtm.explain.rule_text import MOST_LITERALS, rule_latex, rule_text
from graphtm.foundation.parameters import check_at_least


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
    equal
        Numbers of other clauses that are true at the same nodes, whose votes it casts too.
    measures
        How it does on given graphs, see :meth:`RuleSet.measured`.
    machine
        The clauses that its messages refer to.

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
        """Return what the literals of a layer say together: what must be there, what must not, and what may.

        Raises
        ------
        ValueError
            If there is no such layer.
        GraphTMError
            If the rule was made by hand and belongs to no machine.
        """
        check_at_least("layer", "meaning", layer, 0)
        if layer >= len(self.layers):
            raise ValueError(
                f"The 'layer' parameter of meaning must be one of 0..{len(self.layers) - 1}. Got {layer!r} instead."
            )
        return self._machine.meaning(self.clause, layer)

    def symbols(self) -> tuple[Hashable, ...]:
        """Return the symbols each of which satisfies the first layer alone: what is left where nodes carry one symbol.

        A rule found by elimination, ``NOT 1 AND NOT 3 AND ...``, is so read as what it leaves: 0, 2, 4, ...
        """
        return self.meaning(0).alone(self._machine.names[0])

    def unroll(self, *, simplify: bool = True) -> Formula:
        """Return the rule as a formula about symbols and edges: messages traced down to what their senders carry.

        Parameters
        ----------
        simplify
            Whether to leave out what other conditions imply, and to see which exclude each other.

        Raises
        ------
        GraphTMError
            If the rule was made by hand and belongs to no machine.
        """
        return self._machine.unroll([self.clause], simplify=simplify)[0]

    @property
    def _machine(self) -> Clauses:
        if self.machine is None:
            raise GraphTMError(
                "A rule must come from a machine to be traced, since other clauses say what its messages mean; this "
                "one was made by hand, or is only a part of a clause. Use `clf.rules()`, or `rules.rule(number)`."
            )
        return self.machine

    @property
    def class_(self) -> Hashable:
        """The output that it votes most for; of several, the first. ``None`` for a part of a clause, without votes."""
        return None if not self.weights else self.outputs[max(range(len(self.weights)), key=self.weights.__getitem__)]

    def __str__(self) -> str:
        return rule_text(self)

    def __repr__(self) -> str:
        return f"<Rule {rule_text(self, MOST_LITERALS)}>"

    def _repr_html_(self) -> str:
        return rule_html(self)

    def to_latex(self) -> str:
        """Return the rule for LaTeX's mathematical mode, as the paper prints clauses."""
        return rule_latex(self)

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
    """Return clauses that are true at the same nodes as one rule, that of the first, with the votes of all.

    Parameters
    ----------
    clauses
        All clauses of the machine.
    members
        Numbers of the clauses.
    outputs
        Names of the outputs.
    simplify
        Whether literals say no more than others leave open, instead of each bit for itself.
    """
    first, *equal = members
    votes = tuple(clauses.model.state.weights[:, list(members)].sum(axis=1, dtype=np.int64).tolist())
    layers, node_type = clauses.literals(first, simplify=simplify), clauses.node_type(first)
    return Rule(first, layers, votes, outputs, node_type, tuple(equal), machine=clauses)
