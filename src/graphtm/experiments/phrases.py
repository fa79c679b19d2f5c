"""Which phrases decide whether texts are negative or positive, in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphtm.engines.trace import code_matrix, included_literals
from graphtm.estimators import GraphTMClassifier
from graphtm.foundation import properties
from graphtm.foundation.arrays import Int64Array
from graphtm.graphs import GraphBatch

POLARITY = ("negative", "positive")
"""Names of the classes 0 and 1."""
RULES, PHRASES, LETTERS = 3, 8, 160
"""Number of printed rules for each class, of phrases in a line, and of letters of a text."""


def phrase(symbol: Any) -> str:
    """Return a word, an n-gram, or a fact about one, as it is read; positions are not phrases and return "".

    Examples
    --------
    >>> from graphtm.experiments.phrases import phrase
    >>> phrase("good"), phrase((("not", "good"), ">=", 1)), phrase(("good", ">=", 2)), phrase(("position", 3))
    ('good', 'not good', 'good (2 times)', '')
    """
    if isinstance(symbol, str):
        return symbol
    if isinstance(symbol[-1], str):
        return " ".join(symbol)
    if len(symbol) < 3:
        return ""
    return phrase(symbol[0]) + (f" ({symbol[2]} times)" if symbol[2] > 1 else "")


# One text


def without_each(graph: GraphBatch) -> tuple[Int64Array, GraphBatch]:
    """Return the symbols of a graph, as numbers, and the graph without each of them.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from graphtm.experiments.phrases import without_each
    >>> symbols, graphs = without_each(gtm.GraphBatch.from_arrays([1], [[1, 1]], ["good", "film"]))
    >>> symbols
    array([0, 1])
    >>> print(graphs[1])
    Graph with 1 node and 0 edges
      0: 'good'
    """
    symbols = np.unique(graph.pack().properties.pairs()[1])
    if not len(symbols):
        return symbols, graph[:0]
    copies = graph[np.zeros(len(symbols), np.int64)].pack()
    nodes, numbers = copies.properties.pairs()
    left = numbers != symbols[np.repeat(np.arange(len(symbols)), copies.node_counts)[nodes]]
    kept = properties.from_pairs(nodes[left], numbers[left], copies.n_nodes, len(copies.vocabulary.symbols))
    return symbols, GraphBatch(replace(copies, properties=kept))


def effects(classifier: GraphTMClassifier, graph: GraphBatch) -> dict[str, float]:
    """Return by how much each phrase of a text changes the votes for positive less those for negative.

    It is the difference to the votes for the text without that phrase, so that it needs no model of the votes.
    """
    symbols, others = without_each(graph)
    if not len(symbols):
        return {}
    lost = classifier.decision_function(graph)[0] - classifier.decision_function(others)
    found = Counter[str]()
    for number, votes in zip(symbols.tolist(), lost.tolist(), strict=True):
        found[phrase(graph.vocabulary.symbols[number])] += votes
    found.pop("", None)
    return dict(found)


def listed(votes: Mapping[str, float], sign: int) -> str:
    """Return the phrases that add most to the votes of one sign, as text.

    Examples
    --------
    >>> from graphtm.experiments.phrases import listed
    >>> listed({"bad": -30, "not bad": 70, "film": 0, "good": 90}, 1)
    "'good' 90, 'not bad' 70"
    """
    best = sorted(votes.items(), key=lambda item: (-sign * item[1], item[0]))[:PHRASES]
    return ", ".join(f"{name!r} {abs(value):,.0f}" for name, value in best if sign * value > 0) or "none"


# Rules


class Rules:
    """The rules of a classifier of texts: which symbols they ask for and refuse, all in the first layer.

    A rule asks for a symbol, or refuses it, if it includes all bits of its code. With hashed codes, a rule can ask for
    a bit that many symbols share; it is then described by the symbols that satisfy it.

    Parameters
    ----------
    classifier
        A fitted classifier with the classes 0, negative, and 1, positive.
    """

    def __init__(self, classifier: GraphTMClassifier) -> None:
        model = classifier.model_
        weights = model.state.weights.astype(np.int64)
        self.votes: Int64Array = weights[1] - weights[0]
        self.max_misses: int = model.params.max_misses
        self._symbols = model.vocabulary.symbols
        self._code = code_matrix(model.symbol_code)
        self._bits = model.symbol_code.bits_per_owner
        self._includes = included_literals(model.params, model.state, 0)
        size = model.symbol_code.size
        mean = self.votes @ self._includes
        self._effects = self._code @ (mean[:size] - mean[size:])

    def symbols(self, rule: int) -> tuple[list[int], list[int]]:
        """Return the numbers of the symbols that a rule asks for, and of those that it refuses."""
        own = self._includes[[rule]].toarray()[0]
        asked, refused = (self._code @ half == self._bits for half in np.split(own, 2))
        return np.flatnonzero(asked).tolist(), np.flatnonzero(refused).tolist()

    def satisfying(self, rule: int) -> list[int]:
        """Return the numbers of the symbols each of which satisfies the first layer of a rule on its own."""
        wanted, unwanted = np.split(self._includes[[rule]].toarray()[0], 2)
        return np.flatnonzero((self._code @ wanted == wanted.sum()) & (self._code @ unwanted == 0)).tolist()

    def strongest(self, class_: int) -> list[int]:
        """Return the rules with the most votes for a class."""
        sign = 2 * class_ - 1
        order = np.argsort(-sign * self.votes, kind="stable")[:RULES]
        return [number for number in order.tolist() if sign * self.votes[number] > 0]

    def text(self, rule: int) -> str:
        """Return the votes of a rule and the phrases that it asks for and refuses, the most telling ones first."""
        sign = 1 if self.votes[rule] > 0 else -1
        asked, refused = self.symbols(rule)
        parts = [f"rule {rule}, {abs(self.votes[rule]):,} votes"]
        kinds = [("asks for", asked, sign), ("refuses", refused, -sign)]
        if not asked and self._bits > 1:
            kinds = [("asks for one of", self.satisfying(rule), sign)]
        for name, numbers, direction in kinds:
            ordered = sorted(numbers, key=lambda one: (-direction * self._effects[one], one))
            names = [name for name in map(phrase, (self._symbols[one] for one in ordered)) if name]
            if names:
                more = f", and {len(names) - PHRASES:,} more" if len(names) > PHRASES else ""
                parts.append(f"{name} {', '.join(map(repr, names[:PHRASES]))}{more}")
        return "; ".join(parts)


def report(classifier: GraphTMClassifier, texts: Sequence[str], graphs: GraphBatch) -> str:
    """Return what decided, as text: phrases in some texts, the strongest rules of each class, and the first text."""
    found = [effects(classifier, graphs[number : number + 1]) for number in range(len(graphs))]
    total = Counter[str]()
    for one in found:
        total.update(one)
    rules = Rules(classifier)
    lines = []
    for class_, name in enumerate(POLARITY):
        lines.append(f"Phrases that made {len(graphs):,} test texts {name}, in votes: {listed(total, 2 * class_ - 1)}")
    misses = f", of which each may miss {rules.max_misses:,} of its conditions" if rules.max_misses else ""
    for class_, name in enumerate(POLARITY):
        lines.append(f"The strongest rules for {name}{misses}:")
        lines += [f"  {rules.text(number)}" for number in rules.strongest(class_)]
    votes = float(classifier.decision_function(graphs[:1])[0])
    lines.append(f"A test text, {POLARITY[int(votes > 0)]} with {abs(votes):,.0f} votes: {_beginning(texts[0])}")
    for class_, name in enumerate(POLARITY):
        lines.append(f"  phrases that made it {name}: {listed(found[0], 2 * class_ - 1)}")
    return "\n".join(lines)


def _beginning(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LETTERS else f"{words[:LETTERS].rpartition(' ')[0]} ..."
