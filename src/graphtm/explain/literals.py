"""Literals: the conditions of a rule, in the names of the data, as text and as LaTeX.

A literal tests one bit. The bit is set exactly when one of its owners is present: a symbol at the node, or a message in
its inbox. With one_hot codes a bit has one owner. With hashed codes it can have several, and the literal prints as
``ANY OF`` them. Text shows the first few owners; ``owners`` and ``to_dict()`` hold all of them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from graphtm.foundation.display import bare, cut

SHOWN = 3
"""Number of owners of a bit that text shows."""

_IN_TEXT = str.maketrans(
    {character: f"\\{character}" for character in "_%&#${}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
_IN_MATH = _IN_TEXT | str.maketrans(
    {"\\": r"{\backslash}", "~": r"\text{\textasciitilde}", "^": r"\text{\textasciicircum}", " ": r"\ "}
)


@dataclass(frozen=True)
class Message:
    """A message: all literals of a clause, up to the layer below, hold at an in-neighbour over an edge of this type.

    Parameters
    ----------
    edge_type
        Type of the edge.
    clause
        Number of the clause.
    """

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
        0 for a property of the node itself, 1 or more for messages.
    negated
        If ``False``, at least one owner must be present. If ``True``, none may be.
    owners
        Symbols, or messages, that own the bit. A bit without owners is never set.

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

    def __hash__(self) -> int:
        # A bit can have thousands of owners; a few of them tell nearly all literals apart.
        return hash((self.layer, self.negated, len(self.owners), self.owners[:SHOWN]))

    def __str__(self) -> str:
        return self.text()

    def text(self, longest: int | None = None) -> str:
        """Return the literal as text, with names of at most ``longest`` letters."""
        names = [self._name(owner, longest) for owner in self.owners[:SHOWN]]
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
        """Whether the literal can never hold: its bit has no owner."""
        return not self.owners and not self.negated

    @property
    def is_always(self) -> bool:
        """Whether the literal always holds: it negates a bit without owners."""
        return not self.owners and self.negated

    def to_dict(self) -> dict[str, Any]:
        """Return the literal as plain data, with all owners."""
        owners = [vars(owner).copy() if isinstance(owner, Message) else owner for owner in self.owners]
        return {"layer": self.layer, "negated": self.negated, "owners": owners}

    def to_latex(self) -> str:
        """Return the literal for LaTeX's math mode."""
        names = [self._latex_name(owner) for owner in self.owners[:SHOWN]]
        text = names[0] if names else r"\bot"
        if len(self.owners) > 1:
            more = r", \ldots" if len(self.owners) > SHOWN else ""
            text = rf"\bigvee\nolimits_{{{len(self.owners):,}}} ({', '.join(names)}{more})"
        return rf"\neg {text}" if self.negated else text

    def _name(self, owner: Hashable, longest: int | None) -> str:
        if not isinstance(owner, Message):
            return cut(bare(owner), longest)
        # Layer 1 is the common case and needs no mark. Deeper literals name the layer at which the message arrives.
        layer = "" if self.layer == 1 else f"({self.layer})"
        return f"{cut(bare(owner.edge_type), longest)}{layer}:C{owner.clause}"

    def _latex_name(self, owner: Hashable) -> str:
        if isinstance(owner, Message):
            return f"{latex_name(owner.edge_type)}{self.layer}{{:}}{owner.clause}"
        return latex_name(owner)


def latex_text(text: str) -> str:
    r"""Return text escaped for a LaTeX paragraph or table cell.

    Examples
    --------
    >>> print(latex_text("50 % of {A}"))
    50 \% of \{A\}
    """
    return text.translate(_IN_TEXT)


def latex_name(name: Hashable) -> str:
    r"""Return a name for LaTeX's math mode; names longer than one letter are upright.

    Examples
    --------
    >>> print(latex_name("A"), latex_name("next_to"))
    A \mathrm{next\_to}
    """
    text = bare(name).translate(_IN_MATH)
    return text if len(text) == 1 else rf"\mathrm{{{text}}}"
