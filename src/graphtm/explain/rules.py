"""Clauses as rules: literals in the user's names, layer by layer, with the votes they cast.

A literal is about a bit. The bit is set exactly when something that owns it is present: a symbol at the node, or a
message in the inbox. With one_hot codes a bit has one owner and a literal reads as that; with hashed codes it reads
as ``ANY OF`` its owners, never as a guess. Text shows the first few owners, data all of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from graphtm.errors import GraphTMError
from graphtm.explain.clauses import Clauses
from graphtm.explain.formulas import Formula
from graphtm.explain.literals import Literal
from graphtm.explain.meanings import Meaning
from graphtm.graphs.display import bare


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
    """

    clause: int
    layers: tuple[tuple[Literal, ...], ...]
    weights: tuple[int, ...]
    outputs: tuple[Hashable, ...]
    node_type: Hashable = None
    equal: tuple[int, ...] = ()
    machine: Clauses | None = field(default=None, repr=False, compare=False)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals of all layers."""
        return tuple(literal for layer in self.layers for literal in layer)

    def meaning(self, layer: int = 0) -> Meaning:
        """Return what the literals of a layer say together: what must be there, what must not, and what may.

        Raises
        ------
        GraphTMError
            If the rule was made by hand and belongs to no machine.
        """
        return self._machine.meaning(self.clause, layer)

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
                "one was made by hand. Use the rules of an estimator, `clf.rules()`."
            )
        return self.machine

    def __str__(self) -> str:
        kind = [] if self.node_type is None else [f"TYPE {bare(self.node_type)}"]
        literals = self.literals
        conditions = " AND ".join([*kind, *(str(literal) for literal in literals if not literal.is_always)])
        if any(literal.is_never for literal in literals):
            conditions = "NEVER"
        votes = ", ".join(f"{weight:+d}" if weight else "0" for weight in self.weights)
        more = f" (and {len(self.equal):,} equal)" if self.equal else ""
        return f"C{self.clause}{more}: {conditions or 'ANY NODE'}   [{votes}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain data."""
        return {
            "clause": self.clause,
            "equal": list(self.equal),
            "node_type": self.node_type,
            "text": str(self),
            "layers": [[literal.to_dict() for literal in layer] for layer in self.layers],
            "weights": dict(zip(self.outputs, self.weights, strict=True)),
        }
