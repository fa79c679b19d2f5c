"""Conditions of rules: what is about one bit, in the user's names."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from graphtm.foundation.display import bare

SHOWN = 3
"""Owners of a bit that text names."""


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

    Examples
    --------
    >>> print(Literal(0, True, ("A",)), Literal(1, False, (Message("right", 3),)), sep=", ")
    NOT A, right:C3
    >>> print(Literal(0, False, tuple(range(7812))))
    ANY OF 7,812: (0, 1, 2, ...)
    """

    layer: int
    negated: bool
    owners: tuple[Hashable, ...]

    def __str__(self) -> str:
        names = [self._name(owner) for owner in self.owners[:SHOWN]]
        if not names:
            return "ALWAYS" if self.negated else "NEVER"
        if len(self.owners) == 1:
            text = names[0]
        else:
            more = ", ..." if len(self.owners) > SHOWN else ""
            text = f"ANY OF {len(self.owners):,}: ({', '.join(names)}{more})"
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
        owners = [vars(owner).copy() if isinstance(owner, Message) else owner for owner in self.owners]
        return {"layer": self.layer, "negated": self.negated, "owners": owners}

    def _name(self, owner: Hashable) -> str:
        if not isinstance(owner, Message):
            return bare(owner)
        # Layer 1 is the common case and needs no mark; deeper ones name the layer that the message arrives at.
        return str(owner) if self.layer == 1 else f"{bare(owner.edge_type)}({self.layer}):C{owner.clause}"
