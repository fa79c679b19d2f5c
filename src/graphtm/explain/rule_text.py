"""Rules as text, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphtm.explain.literals import SHOWN, latex_name
from graphtm.explain.tables import MOST_ROWS, table_html
from graphtm.foundation.display import bare

if TYPE_CHECKING:
    from graphtm.explain.rules import Rule

MOST_VOTES = 10
"""Largest number of outputs for which all votes are shown; with more, only the strongest."""
MOST_LITERALS = 8
"""Maximum number of literals in shortened rules."""
MOST_LITERALS_ALONE = 50
"""Maximum number of literals when a notebook shows one rule."""
USED_TITLE = "Clauses that messages refer to, as far as the layer below:"
"""Heading of the clauses that are not in a set but that its rules refer to."""


def rule_text(rule: Rule, most: int | None = None, first: int | None = None) -> str:
    """Return a rule as one line, with at most ``most`` literals; output ``first`` leads shortened votes."""
    votes = f"   {_graded_votes(rule, first)}" if rule.weights else ""
    return f"{_rule_name(rule)}: {conditions_text(rule, most)}{votes}"


def conditions_text(rule: Rule, most: int | None = None) -> str:
    """Return the conditions of a rule, without its name and votes, with at most ``most`` literals."""
    full, varying = rule.full_strength, rule.varying
    if not full:
        return "NEVER"
    kind = [] if rule.node_type is None else [f"TYPE {bare(rule.node_type)}"]
    shown = [str(literal) for literal in varying[:most]]
    left_out = len(varying) - len(shown)
    literals = [*shown, f"... ({left_out:,} more)"] if left_out else shown
    if full > 1 and literals:
        counted = f"at least {rule.n_needed} of" if rule.n_needed else "always, and more with"
        literals = [f"{counted}: {', '.join(literals)}"]
    return " AND ".join([*kind, *literals]) or "ANY NODE"


def strengths_text(rule: Rule) -> str:
    """Return the smallest and the largest strength of a rule where it is true."""
    least = _least_strength(rule)
    return str(least) if least == rule.full_strength else f"{least} to {rule.full_strength}"


def rule_latex(rule: Rule, layer: int | None = None) -> str:
    """Return a rule for LaTeX's math mode, see :meth:`Rule.to_latex`; with the layer up to which it is given."""
    literals = [literal.to_latex() for literal in rule.varying]
    kind = [] if rule.node_type is None else [rf"\mathrm{{type}}\,{latex_name(rule.node_type)}"]
    if not rule.full_strength:
        body = r"\bot"
    elif rule.full_strength == 1:
        body = r" \wedge ".join([*kind, *literals]) or r"\phi"
    else:
        base = rule.full_strength - len(literals)
        counted = " + ".join([str(base), *literals] if base > 0 else literals)
        if base < 0:
            counted = rf"\max(0, {counted} - {-base})"
        elif kind:
            counted = f"({counted})"
        body = r" \wedge ".join([*kind, counted])
    votes = f";~[{', '.join(map(str, rule.weights))}]" if rule.weights else ""
    up_to = "" if layer is None else f"^{{{layer}}}"
    return f"C_{{{rule.clause}}}{up_to} = {body}{votes}"


def _least_strength(rule: Rule) -> int:
    """Return the smallest strength of a rule where it is true."""
    return min(rule.full_strength, max(1, rule.full_strength - len(rule.varying)))


def _graded_votes(rule: Rule, first: int | None) -> str:
    """Return the votes of a rule and what further literals add to them."""
    votes = _votes_text(rule, first)
    if not rule.max_misses:
        return votes
    least = _least_strength(rule)
    times = f"{least} x {votes}" if least > 1 else votes
    if least >= rule.full_strength:
        return times
    return f"{times}, and once more for each {'further one' if rule.n_needed else 'that holds'}"


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


# Tables


def rules_table(
    rules: Sequence[Rule], outputs: Sequence[object], most: int = MOST_ROWS, literals: int = MOST_LITERALS
) -> str:
    """Return rules as an HTML table of at most ``most`` rows, with at most ``literals`` literals in each."""
    graded = are_graded(rules)
    rows = [rule_cells(rule, literals, strength=strengths_text(rule) if graded else None) for rule in rules[:most]]
    return table_html(rule_header(outputs, graded=graded), rows, len(rules))


def rule_cells(rule: Rule, most: int, first: int | None = None, *, strength: str | None) -> list[str]:
    """Return the cells of a rule in an HTML table, with at most ``most`` literals; without grading, no strength."""
    votes = [_votes_text(rule, first)] if len(rule.weights) > MOST_VOTES else list(map(_signed, rule.weights))
    return [_rule_name(rule), conditions_text(rule, most), *([] if strength is None else [strength]), *votes]


def rule_header(outputs: Sequence[object], *, graded: bool) -> list[str]:
    """Return the headers of the cells of rules in an HTML table."""
    names = ["votes"] if len(outputs) > MOST_VOTES else all_votes(outputs)
    return ["clause", "rule", *(graded_header(names) if graded else names)]


def all_votes(outputs: Sequence[object]) -> list[str]:
    """Return the headers of the votes for all outputs."""
    return [f"votes for {bare(output)}" for output in outputs]


def graded_header(votes: Sequence[str]) -> list[str]:
    """Return the headers of strengths and votes of graded rules."""
    return ["strength", *(f"{name} (x strength)" for name in votes)]


def are_graded(rules: Sequence[Rule]) -> bool:
    """Whether tables of these rules show strengths."""
    return any(rule.max_misses for rule in rules)
