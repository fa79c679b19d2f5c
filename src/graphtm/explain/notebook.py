"""What notebooks show: compact tables in HTML, everything in them escaped, long ones cut."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from graphtm.explain.explanation_text import MOST_USED, SHOWN, contributions, summary
from graphtm.explain.rule_text import (
    MOST_LITERALS,
    MOST_VOTES,
    USED_TITLE,
    conditions_text,
    rule_name,
    signed,
    votes_text,
)
from graphtm.explain.tables import MOST_ROWS, table_html
from graphtm.foundation.display import bare, count
from graphtm.foundation.names import shorten

if TYPE_CHECKING:
    from graphtm.explain.base_explanation import BaseExplanation
    from graphtm.explain.rule_sets import RuleSet
    from graphtm.explain.rules import Rule

MOST_LITERALS_ALONE = 50
"""Literals that are shown of a rule that stands alone."""


def rules_html(rules: RuleSet) -> str:
    """Return rules as a table, with the clauses that messages refer to."""
    used = rules.used()
    title = f"<p>{count(len(rules), 'rule')}</p>"
    below = f"<p>{USED_TITLE}</p>{_rule_table(used, ())}" if used else ""
    return f"{title}{_rule_table(rules, rules.outputs)}{below}"


def rule_html(rule: Rule) -> str:
    """Return a rule as a table of one row."""
    return table_html(["clause", "rule", *_votes_header(rule.outputs)], [_cells(rule, MOST_LITERALS_ALONE)])


def _rule_table(rules: Sequence[Rule], outputs: Sequence[object], most: int = MOST_ROWS) -> str:
    rows = [_cells(rule, MOST_LITERALS) for rule in rules[:most]]
    return table_html(["clause", "rule", *_votes_header(outputs)], rows, len(rules))


def _cells(rule: Rule, most: int, first: int | None = None) -> list[str]:
    votes = [votes_text(rule, first)] if len(rule.weights) > MOST_VOTES else list(map(signed, rule.weights))
    return [rule_name(rule), conditions_text(rule, most), *votes]


def _votes_header(outputs: Sequence[object]) -> list[str]:
    return ["votes"] if len(outputs) > MOST_VOTES else [f"votes for {bare(output)}" for output in outputs]


def explanation_html(explanation: BaseExplanation) -> str:
    """Return an explanation as tables: the strongest rules, what their messages refer to, what contributes most."""
    class_ = explanation.leading
    number = explanation.classes.index(class_)
    shown = explanation.rules(top=SHOWN)
    rows = [[*_cells(rule, MOST_LITERALS, number), shorten(explanation.nodes_of(rule.clause))] for rule in shown]
    parts = [f"<p>{escape(explanation.headline)}</p><p>{escape(summary(explanation, class_))}</p>"]
    if rows:
        header = ["clause", "rule", *_votes_header(explanation.classes), "at"]
        parts.append(table_html(header, rows, explanation.n_rules))
    used = shown.used()
    if used:
        parts.append(f"<p>{USED_TITLE}</p>{_rule_table(used, (), MOST_USED)}")
    ranked = [
        (title, ", ".join(f"{name} {value:+.2f}" for name, value in most))
        for title, most in contributions(explanation, class_)
    ]
    if ranked:
        parts.append(table_html(["", f"contribute most to {bare(class_)}"], ranked))
    return "".join(parts)
