"""Explanations as text: the votes, the strongest clauses, and what contributes most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from graphtm.explain.scores import Floats
from graphtm.graphs.display import bare, count
from graphtm.graphs.names import shorten

if TYPE_CHECKING:
    from graphtm.explain.explanation import Explanation

SHOWN = 5
"""How many of everything are shown."""


def explanation_text(explanation: Explanation) -> str:
    """Return an explanation as text."""
    return "\n".join(_lines(explanation))


def _lines(explanation: Explanation) -> Iterator[str]:
    votes = sorted(explanation.votes.items(), key=lambda item: -item[1])
    more = f", ... ({len(votes):,} classes)" if len(votes) > SHOWN else ""
    predicted, fired = bare(explanation.prediction), explanation.fired
    yield f"Predicted {predicted}; votes: {', '.join(f'{bare(name)} {vote:+,}' for name, vote in votes[:SHOWN])}{more}"
    strongest = f"; those that vote most for or against {predicted}:" if fired else ""
    yield f"{len(fired):,} of {count(explanation.model.params.n_clauses, 'clause')} are true{strongest}"
    for clause in fired[:SHOWN]:
        yield f"  {explanation.rule(clause.clause)}   at {shorten(clause.nodes)}"
    scores, symbols = explanation.scores(), [bare(name) for name in explanation.model.vocabulary.symbols]
    arrows = [f"{edge.source!r} -{bare(edge.type)}-> {edge.destination!r}" for edge in explanation.edges]
    for title, names, values in (
        ("Nodes", [repr(node) for node in explanation.nodes], scores.nodes),
        ("Edges", arrows, scores.edges),
        ("Symbols", [*symbols, *(f"NOT {name}" for name in symbols)], np.append(scores.symbols, scores.absences)),
    ):
        ranked = _ranked(names, values)
        if ranked:
            yield f"{title} that contribute most to {predicted}: {', '.join(ranked)}"


def _ranked(names: Sequence[str], values: Floats) -> list[str]:
    """Return the names with the largest values, for or against."""
    order = np.argsort(-np.abs(values), kind="stable")[:SHOWN].tolist()
    return [f"{names[place]} {values[place]:+.2f}" for place in order if values[place]]
