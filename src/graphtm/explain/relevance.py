"""Which literals of a long rule to print: those that matter most for one graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from graphtm.engines.trace import Trace
from graphtm.explain.literals import Literal, Message
from graphtm.explain.rule_text import MOST_LITERALS
from graphtm.explain.rules import Rule
from graphtm.explain.scores import Scores
from graphtm.graphs import PackedGraphs

MOST_LETTERS = 300
"""Length of the printed literals of a rule from which on the others are left out."""
_LEAST = 3


def n_shown(literals: Iterable[Literal]) -> int:
    """Return how many literals to print."""
    length, number = 0, -1
    for number, literal in enumerate(literals):
        length += len(str(literal)) + 2
        if number == MOST_LITERALS or (length > MOST_LETTERS and number >= _LEAST):
            return number
    return number + 1


class Relevance:
    """Sorts the literals of rules that are true for a graph.

    Parameters
    ----------
    graph
        The graph that the machine sees, with the vocabulary of the model.
    trace
        Its evaluation.
    scores
        Contributions to the votes that are explained.
    """

    def __init__(self, graph: PackedGraphs, trace: Trace, scores: Scores) -> None:
        self._trace, self._vocabulary = trace, graph.vocabulary
        self._nodes, self._symbols = graph.properties.pairs()
        self._present, self._absent = scores.symbols, scores.absences

    def shown(self, rule: Rule) -> tuple[int, list[Literal]]:
        """Return how many literals of a rule to print, and in which order.

        All are printed as they are if there is room. Else symbols that are there come first, those with the largest
        scores before others, then those that are rightly absent, then those that are missed.
        """
        literals = list(Counter(rule.varying))
        if n_shown(literals) < len(literals):
            node = int(np.flatnonzero(self._trace.strongest_at[rule.clause])[0])
            carried = set(self._symbols[self._nodes == node].tolist())
            literals.sort(key=lambda one: self._rank(one, node, carried))
        return n_shown(literals), literals

    def _rank(self, literal: Literal, node: int, carried: set[int]) -> tuple[bool, bool, float]:
        if literal.layer:
            arrives = any(
                isinstance(one, Message) and self._arrives(one, node, literal.layer) for one in literal.owners
            )
            return arrives == literal.negated, literal.negated, 0.0
        owners = [self._vocabulary.symbols.index(owner) for owner in literal.owners]
        is_missed = carried.isdisjoint(owners) != literal.negated
        values = self._absent if literal.negated else self._present
        return is_missed, literal.negated, -abs(float(values[owners].sum()))

    def _arrives(self, message: Message, node: int, layer: int) -> bool:
        """Return whether a node receives a message in a layer."""
        edges, kind = self._trace.edges, self._vocabulary.edge_types.index(message.edge_type)
        sources = edges.sources[(edges.destinations == node) & (edges.types == kind)]
        return bool(self._trace.truth[layer - 1][message.clause, sources].any())
