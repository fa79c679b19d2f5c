"""Rules as text, LaTeX and HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from graphtm.explain.formula_text import LATEX, TEXT
from graphtm.explain.literals import SHOWN, Literal, latex_name
from graphtm.explain.tables import MOST_ROWS, table_html
from graphtm.foundation.display import bare, cut

if TYPE_CHECKING:
    from graphtm.explain.rules import Rule

MOST_VOTES = 10
"""Largest number of outputs for which all votes are shown; with more, only the strongest."""
MOST_LITERALS = 8
"""Maximum number of literals in shortened rules."""
MOST_LETTERS = 40
"""Maximum number of letters of a name in titles of pictures."""
MOST_LITERALS_ALONE = 50
"""Maximum number of literals when a notebook shows one rule."""
NEEDED, FULL_STRENGTH = "needed", "full strength"
"""Headings of what graded rules need to be true, and of their largest strength."""
USED_TITLE = "Clauses that messages refer to, as far as the layer below:"
"""Heading of the clauses that are not in a set but that its rules refer to."""


def rule_text(
    rule: Rule, most: int | None = None, first: int | None = None, order: Sequence[Literal] | None = None
) -> str:
    """Return a rule as one line, with at most ``most`` literals, those in ``order``; output ``first`` leads votes."""
    votes = f"   {_graded_votes(rule, first)}" if rule.weights else ""
    return f"{_rule_name(rule)}: {conditions_text(rule, most, order)}{votes}"


def conditions_text(
    rule: Rule, most: int | None = None, order: Sequence[Literal] | None = None, longest: int | None = None
) -> str:
    """Return the conditions of a rule, without name and votes.

    There are at most ``most`` literals, those in ``order``, with names of at most ``longest`` letters.
    """
    if not rule.full_strength:
        return "NEVER"
    counts, counted = Counter(rule.varying), rule.full_strength > 1
    kind = [] if rule.node_type is None else [f"TYPE {cut(bare(rule.node_type), longest)}"]
    shown = islice(counts if order is None else order, most)
    literals = [TEXT.counting(literal.text(longest), counts[literal] if counted else 1) for literal in shown]
    left_out = len(counts) - len(literals)
    literals += [f"... ({left_out:,} more)"] if left_out else []
    if counted:
        opened, separator, _ = TEXT.counted(_base(rule))
        literals = [f"{opened}{separator.join(literals)}" if literals else TEXT.constant.format(_base(rule))]
    return " AND ".join([*kind, *literals]) or "ANY NODE"


def rule_latex(rule: Rule, layer: int | None = None, body: str | None = None) -> str:
    """Return a rule for LaTeX's math mode, see :meth:`Rule.to_latex`; with the layer up to which it is given."""
    amounts = map(amount_text if rule.values else str, rule.amounts)
    votes = f";~[{', '.join(amounts)}]" if rule.weights else ""
    up_to = "" if layer is None else f"^{{{layer}}}"
    return f"C_{{{rule.clause}}}{up_to} = {_body_latex(rule) if body is None else body}{votes}"


def _body_latex(rule: Rule) -> str:
    counts, counted = Counter(rule.varying), rule.full_strength > 1
    literals = [LATEX.counting(literal.to_latex(), times if counted else 1) for literal, times in counts.items()]
    kind = [] if rule.node_type is None else [rf"\mathrm{{type}}\,{latex_name(rule.node_type)}"]
    if not rule.full_strength:
        return r"\bot"
    if not counted:
        return r" \wedge ".join([*kind, *literals]) or r"\phi"
    base = _base(rule)
    strength = " + ".join([str(base), *literals] if base > 0 else literals)
    if base < 0:
        strength = rf"\max(0, {strength} - {-base})"
    elif kind:
        strength = f"({strength})"
    return r" \wedge ".join([*kind, strength])


def _base(rule: Rule) -> int:
    """Return the strength of a rule if none of its literals holds, or what is missing from 0 as a negative number."""
    return rule.full_strength - len(rule.varying)


def _graded_votes(rule: Rule, first: int | None) -> str:
    """Return the votes of a rule and how they grow with its strength."""
    votes = _votes_text(rule, first)
    if rule.full_strength <= 1:
        return votes
    # Conditions of a rule that votes at every node already say how its strength grows.
    return f"{votes}, and once more for each further one" if rule.n_needed else f"{votes} x strength"


def _rule_name(rule: Rule) -> str:
    return f"C{rule.clause} (and {len(rule.equal):,} equal)" if rule.equal else f"C{rule.clause}"


def _votes_text(rule: Rule, first: int | None) -> str:
    """Return the votes in brackets; with many outputs, output ``first`` and the strongest, with names."""
    if len(rule.weights) <= MOST_VOTES:
        return f"[{', '.join(map(amount_text, rule.amounts))}]"
    places = range(len(rule.weights))
    strongest = sorted(places, key=lambda place: (place != first, -abs(rule.weights[place])))[:SHOWN]
    votes = [f"{bare(rule.outputs[place])} {amount_text(rule.amounts[place])}" for place in strongest]
    return f"[{', '.join(votes)}, ... ({len(rule.weights):,} in all)]"


def amount_text(amount: float) -> str:
    """Return votes, or what they add to a regression target, as text with a sign.

    Examples
    --------
    >>> amount_text(5), amount_text(0), amount_text(0.012345), amount_text(-12345.6)
    ('+5', '0', '+0.0123', '-12,346')
    """
    if isinstance(amount, int):
        return f"{amount:+d}" if amount else "0"
    return f"{amount:+,.0f}" if 1000 <= abs(amount) < 1e9 else f"{amount:+.3g}" if amount else "0"


def number_text(number: float) -> str:
    """Return a number in the units of a regression target as text, with four digits.

    Examples
    --------
    >>> number_text(4.5), number_text(1 / 3), number_text(-12345.6)
    ('4.5', '0.3333', '-12,346')
    """
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e9 else f"{number:.4g}"


# Tables


def rules_table(
    rules: Sequence[Rule], outputs: Sequence[object], most: int = MOST_ROWS, literals: int = MOST_LITERALS
) -> str:
    """Return rules as an HTML table of at most ``most`` rows, with at most ``literals`` literals in each."""
    graded = are_graded(rules)
    rows = [rule_cells(rule, literals, strength=rule.full_strength if graded else None) for rule in rules[:most]]
    headers = rule_header(outputs, FULL_STRENGTH if graded else None, adds=any(rule.values for rule in rules))
    return table_html(headers, rows, len(rules))


def rule_cells(
    rule: Rule,
    most: int,
    first: int | None = None,
    order: Sequence[Literal] | None = None,
    *,
    strength: int | None,
) -> list[str]:
    """Return the cells of a rule in an HTML table, as :func:`rule_text` does; without grading, no strength."""
    votes = [_votes_text(rule, first)] if len(rule.weights) > MOST_VOTES else list(map(amount_text, rule.amounts))
    conditions = conditions_text(rule, most, order)
    return [_rule_name(rule), conditions, *([] if strength is None else [str(strength)]), *votes]


def rule_header(outputs: Sequence[object], strength: str | None, *, adds: bool = False) -> list[str]:
    """Return the headers of the cells of rules in an HTML table; without grading, there is none for the strength."""
    names = ["adds" if adds else "votes"] if len(outputs) > MOST_VOTES else all_votes(outputs, adds=adds)
    return ["clause", "rule", *(names if strength is None else graded_header(strength, names))]


def all_votes(outputs: Sequence[object], *, adds: bool = False) -> list[str]:
    """Return the headers of the votes for all outputs, or of what rules add to them."""
    return [f"{'adds to' if adds else 'votes for'} {bare(output)}" for output in outputs]


def graded_header(strength: str, votes: Sequence[str]) -> list[str]:
    """Return the headers of strengths and votes of graded rules."""
    return [strength, *(f"{name} (x strength)" for name in votes)]


def are_graded(rules: Sequence[Rule]) -> bool:
    """Whether tables of these rules show strengths."""
    return any(rule.max_misses for rule in rules)
