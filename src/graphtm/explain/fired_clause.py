"""A clause that is true for a graph, as plain data."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from graphtm.foundation.short_repr import short_repr


@dataclass(frozen=True)
class FiredClause:
    """A clause that is true for the graph: if it is graded, its strength is above 0.

    Parameters
    ----------
    clause
        Clause number.
    nodes
        Names of the readout nodes at which it is true; if it is graded, those at which it is strongest.
    votes
        Its vote for each class, in the order of the classes: its weights, times its strength.
    strength
        Its strength for the graph, ``None`` if clauses are not graded.
    """

    clause: int
    nodes: tuple[Hashable, ...]
    votes: tuple[int, ...]
    strength: int | None = field(default=None, repr=False)

    __repr__ = short_repr

    def to_dict(self) -> dict[str, Any]:
        """Return the clause as plain data; its strength only if clauses are graded."""
        graded = {} if self.strength is None else {"strength": self.strength}
        return {"clause": self.clause, "nodes": list(self.nodes), "votes": list(self.votes), **graded}
