"""Rules as text and as LaTeX, in the paper's manner."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from graphtm.explain.latex import latex_name
from graphtm.explain.literals import SHOWN, Literal, Message
from graphtm.foundation.display import bare

if TYPE_CHECKING:
    from graphtm.explain.rules import Rule

MOST_VOTES = 10
"""Outputs up to which all votes are shown; of more, the strongest few."""
MOST_LITERALS = 8
"""Literals of a rule that are shown where rules are shortened."""
USED_TITLE = "Clauses that messages refer to, as far as the layer below:"
"""What stands above clauses that are not rules of a set, but that its rules use."""


def conditions_text(rule: Rule, most: int | None = None) -> str:
    """Return what must hold, without the name of the rule and its votes; of many literals the first ``most``."""
    if any(literal.is_never for literal in rule.literals):
        return "NEVER"
    kind = [] if rule.node_type is None else [f"TYPE {bare(rule.node_type)}"]
    literals = [literal for literal in rule.literals if not literal.is_always]
    shown = [str(literal) for literal in literals[:most]]
    left_out = len(literals) - len(shown)
    more = [f"... ({left_out:,} more)"] if left_out else []
    return " AND ".join([*kind, *shown, *more]) or "ANY NODE"


def votes_text(rule: Rule, first: int | None = None) -> str:
    """Return the votes in brackets, with their signs; of very many, the ``first`` and the strongest, with names."""
    if len(rule.weights) <= MOST_VOTES:
        return f"[{', '.join(map(signed, rule.weights))}]"
    places = range(len(rule.weights))
    strongest = sorted(places, key=lambda place: (place != first, -abs(rule.weights[place])))[:SHOWN]
    votes = [f"{bare(rule.outputs[place])} {signed(rule.weights[place])}" for place in strongest]
    return f"[{', '.join(votes)}, ... ({len(rule.weights):,} in all)]"


def signed(vote: int) -> str:
    """Return a vote with its sign."""
    return f"{vote:+d}" if vote else "0"


def rule_text(rule: Rule, most: int | None = None, first: int | None = None) -> str:
    """Return a rule as one line, with at most so many literals; the part of a clause that casts no votes shows none."""
    votes = f"   {votes_text(rule, first)}" if rule.weights else ""
    return f"{rule_name(rule)}: {conditions_text(rule, most)}{votes}"


def rule_name(rule: Rule) -> str:
    """Return the number of a rule, and how many others it stands for."""
    return f"C{rule.clause} (and {len(rule.equal):,} equal)" if rule.equal else f"C{rule.clause}"


def rule_latex(rule: Rule) -> str:
    """Return a rule as the paper prints it: ``r1:0`` is a message of clause 0 that arrives at layer 1 over ``r``."""
    if any(literal.is_never for literal in rule.literals):
        body = r"\bot"
    else:
        kind = [] if rule.node_type is None else [rf"\mathrm{{type}}\,{latex_name(rule.node_type)}"]
        literals = [literal_latex(literal) for literal in rule.literals if not literal.is_always]
        body = r" \wedge ".join([*kind, *literals]) or r"\phi"
    votes = f";~[{', '.join(map(str, rule.weights))}]" if rule.weights else ""
    return f"C_{{{rule.clause}}} = {body}{votes}"


def literal_latex(literal: Literal) -> str:
    """Return a literal for LaTeX's mathematical mode."""
    names = [_latex_owner(owner, literal.layer) for owner in literal.owners[:SHOWN]]
    text = names[0] if names else r"\bot"
    if len(literal.owners) > 1:
        more = r", \ldots" if len(literal.owners) > SHOWN else ""
        text = rf"\bigvee\nolimits_{{{len(literal.owners):,}}} ({', '.join(names)}{more})"
    return rf"\neg {text}" if literal.negated else text


def _latex_owner(owner: Hashable, layer: int) -> str:
    if isinstance(owner, Message):
        return f"{latex_name(owner.edge_type)}{layer}{{:}}{owner.clause}"
    return latex_name(owner)
