"""Explanations in Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from graphtm.explain.literals import latex_text
from graphtm.explain.rule_sets import RuleSet
from graphtm.explain.tables import ClauseTable
from graphtm.foundation.display import bare


def markdown_of(
    headline: str,
    output: str,
    votes: Mapping[Hashable, int],
    summary: str,
    rules: RuleSet,
    more: str,
    reasons: list[str],
) -> str:
    """Return an explanation in Markdown.

    Parameters
    ----------
    headline, summary
        The prediction, and the line before the rules.
    output, votes
        The word for an output, and the vote sums.
    rules, more
        The rules, and how many there are besides.
    reasons
        What contributes most, in lines; indented ones belong to the line above.
    """
    table = ClauseTable((output, "votes"), tuple((bare(name), f"{vote:+,}") for name, vote in votes.items()))
    items = "\n".join(f"  - {line.strip()}" if _is_below(line) else f"- {line}" for line in reasons)
    parts = [f"**{headline}**", table.to_markdown(), summary, rules.to_markdown() if rules else "", more, items]
    return "\n\n".join(part for part in parts if part)


def latex_of(headline: str, summary: str, rules: RuleSet, more: str, reasons: list[str]) -> str:
    """Return an explanation in LaTeX; the parameters are those of :func:`markdown_of`."""
    parts = [f"{latex_text(headline)}. {latex_text(summary)}", rules.to_latex(), latex_text(more)]
    return "\n".join(part for part in [*parts, *_items(reasons)] if part)


def _items(lines: Iterable[str]) -> list[str]:
    """Return lines as a list, those that are indented as lists in it."""
    written, is_below = [], False
    for line in lines:
        if _is_below(line) != is_below:
            is_below = not is_below
            written.append(r"\begin{itemize}" if is_below else r"\end{itemize}")
        written.append(rf"\item {latex_text(line.strip())}")
    written += [r"\end{itemize}"] * is_below
    return [r"\begin{itemize}", *written, r"\end{itemize}"] if written else []


def _is_below(line: str) -> bool:
    return line.startswith(" ")
