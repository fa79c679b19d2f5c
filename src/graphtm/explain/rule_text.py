"""Rules as text and as LaTeX, in the paper's manner."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from graphtm.explain.latex import latex_name
from graphtm.explain.literals import SHOWN, Literal, Message
from graphtm.graphs.display import bare

if TYPE_CHECKING:
    from graphtm.explain.rules import Rule


def conditions_text(rule: Rule) -> str:
    """Return what must hold, without the name of the rule and its votes."""
    if any(literal.is_never for literal in rule.literals):
        return "NEVER"
    kind = [] if rule.node_type is None else [f"TYPE {bare(rule.node_type)}"]
    literals = [str(literal) for literal in rule.literals if not literal.is_always]
    return " AND ".join([*kind, *literals]) or "ANY NODE"


def votes_text(rule: Rule) -> str:
    """Return the votes in brackets, with their signs."""
    return f"[{', '.join(f'{weight:+d}' if weight else '0' for weight in rule.weights)}]"


def rule_text(rule: Rule) -> str:
    """Return a rule as one line."""
    more = f" (and {len(rule.equal):,} equal)" if rule.equal else ""
    return f"C{rule.clause}{more}: {conditions_text(rule)}   {votes_text(rule)}"


def rule_latex(rule: Rule) -> str:
    """Return a rule as the paper prints it: ``r1:0`` is a message of clause 0 that arrives at layer 1 over ``r``."""
    if any(literal.is_never for literal in rule.literals):
        body = r"\bot"
    else:
        kind = [] if rule.node_type is None else [rf"\mathrm{{type}}\,{latex_name(rule.node_type)}"]
        literals = [literal_latex(literal) for literal in rule.literals if not literal.is_always]
        body = r" \wedge ".join([*kind, *literals]) or r"\phi"
    return f"C_{{{rule.clause}}} = {body};~[{', '.join(map(str, rule.weights))}]"


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
