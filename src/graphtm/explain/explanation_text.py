"""Explanations as text: the votes, the strongest rules, and what contributes most."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphtm.explain.rule_text import MOST_LITERALS, USED_TITLE, rule_text
from graphtm.explain.scores import Floats
from graphtm.foundation.display import bare, count
from graphtm.foundation.names import shorten

if TYPE_CHECKING:
    from graphtm.explain.base_explanation import BaseExplanation

SHOWN = 5
"""How many of everything are shown."""
MOST_USED = 10
"""Clauses that are listed because messages refer to them."""


def votes_of(votes: Iterable[tuple[Hashable, int]]) -> str:
    """Return names of outputs with their vote sums."""
    return ", ".join(f"{bare(name)} {vote:+,}" for name, vote in votes)


def explanation_text(explanation: BaseExplanation, class_: Hashable, max_rules: int | None) -> str:
    """Return an explanation of the votes for an output as text; without ``max_rules`` nothing of rules is left out."""
    return "\n".join(_lines(explanation, class_, max_rules))


def _lines(explanation: BaseExplanation, class_: Hashable, max_rules: int | None) -> Iterator[str]:
    yield explanation.headline
    yield summary(explanation, class_)
    shown = explanation.rules(class_, max_rules)
    most = None if max_rules is None else MOST_LITERALS
    for rule in shown:
        text = rule_text(rule, most, explanation.classes.index(class_))
        yield f"  {text}   at {shorten(explanation.nodes_of(rule.clause))}"
    if len(shown) < explanation.n_rules:
        yield f"  ... and {explanation.n_rules - len(shown):,} more; see .rules(), or .to_text(max_rules=None)"
    used = shown.used()
    if used:
        yield USED_TITLE
        listed = used if max_rules is None else used[:MOST_USED]
        yield from (f"  {rule_text(rule, most)}" for rule in listed)
        if len(listed) < len(used):
            yield f"  ... and {len(used) - len(listed):,} more; see .rules().used()"
    for title, ranked in contributions(explanation, class_):
        values = ", ".join(f"{name} {value:+.2f}" for name, value in ranked)
        yield f"{title} that contribute most to {bare(class_)}: {values}"


def summary(explanation: BaseExplanation, class_: Hashable) -> str:
    """Return how many clauses are true, in words."""
    n_fired, n_clauses = len(explanation.trace.fired), explanation.model.params.n_clauses
    strongest = f"; those that vote most for or against {bare(class_)}:" if n_fired else ""
    return f"{n_fired:,} of {count(n_clauses, 'clause')} are true{strongest}"


def contributions(explanation: BaseExplanation, class_: Hashable) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """Yield what contributes most to the votes for an output: nodes, edges and symbols, for or against."""
    scores, symbols = explanation.scores(class_), [bare(name) for name in explanation.model.vocabulary.symbols]
    arrows = [f"{edge.source!r} -{bare(edge.type)}-> {edge.destination!r}" for edge in explanation.edges]
    for title, names, values in (
        ("Nodes", [repr(node) for node in explanation.nodes], scores.nodes),
        ("Edges", arrows, scores.edges),
        ("Symbols", [*symbols, *(f"NOT {name}" for name in symbols)], np.append(scores.symbols, scores.absences)),
    ):
        ranked = _ranked(names, values)
        if ranked:
            yield title, ranked


def _ranked(names: Sequence[str], values: Floats) -> list[tuple[str, float]]:
    """Return the names with the largest values, for or against."""
    order = np.argsort(-np.abs(values), kind="stable")[:SHOWN].tolist()
    return [(names[place], float(values[place])) for place in order if values[place]]
