"""Why one graph got its class, or its labels: votes, the clauses that cast them, where, and what that rests on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from graphtm.explain.base_explanation import BaseExplanation
from graphtm.explain.change_search import OtherClass, TurnedLabel
from graphtm.explain.changes import Change, LabelChange
from graphtm.explain.explanation_text import SHOWN, votes_of
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import bare, count

NEXT = 3
"""Labels that are not predicted but nearly, which text shows."""


class Explanation(BaseExplanation):
    """Why a classifier votes as it does on one graph; ``clf.explain(graph)`` makes one.

    Everything in it is exact and the same whenever it is computed: votes are the machine's own, a witness can be
    checked by hand, and scores add up to the votes.

    Parameters
    ----------
    model
        The machine and its names.
    graphs
        A batch with one graph, numbered as the model numbers names.
    classes
        Names of the outputs.
    engine
        Name of the engine, and threads at most, that tries changes.

    Attributes
    ----------
    nodes, edges
        Names of the nodes; the edges, sorted by source, destination and type as the graph and the model number them.
    classes
        Names of the outputs.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
    >>> ex = clf.fit(graphs, ["summer", "winter"] * 20).explain(graphs[0])
    >>> print(ex)
    Predicted summer; votes: summer +5, winter -6
    2 of 4 clauses are true; those that vote most for or against summer:
      C0 (and 1 equal): hot AND NOT cold   [+5, -6]   at 0
    Nodes that contribute most to summer: 0 +5.00
    Symbols that contribute most to summer: hot +2.50, NOT cold +2.50
    >>> print(ex.smallest_change())
    remove 'hot' from 0 and add 'cold' to 0: the smallest change that turns 'summer' into 'winter'.
    Tried: all 2 changes of 1 edit; all 1 change of 2 edits.
    """

    _output = "class"

    @property
    def prediction(self) -> Hashable:
        """The class with the largest vote sum; of several, the first."""
        return self.leading

    @property
    def headline(self) -> str:
        """What is predicted and how votes stand, in one line."""
        votes = sorted(self.votes.items(), key=lambda item: -item[1])
        more = f", ... ({len(votes):,} classes)" if len(votes) > SHOWN else ""
        return f"Predicted {bare(self.prediction)}; votes: {votes_of(votes[:SHOWN])}{more}"

    @property
    def _scored(self) -> tuple[Hashable, ...]:
        """The outputs whose scores are part of the data."""
        return self.classes

    def smallest_change(
        self,
        to: Any = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        symbols: Iterable[Hashable] | None = None,
        max_changes: int = 3,
        max_tries: int = 10_000,
    ) -> Change:
        """Search for the smallest change of properties that makes the machine predict another class.

        Adding a symbol to a node or taking one away is one edit. All single edits are tried, then all pairs, and so on;
        where that would be too many, only those that go on from the best found so far. What comes back says what was
        tried, and whether it is the smallest.

        Parameters
        ----------
        to
            The class to reach; any other than the predicted one if not given.
        nodes, symbols
            Only edits of these nodes, and of these symbols; of all if not given.
        max_changes
            Most edits of a change.
        max_tries
            Most changes to try.

        Raises
        ------
        ValueError
            If the class is predicted already or not known, or a limit is below 1.
        """
        target = None if to is None else self._number(to)
        if target == self._leading:
            raise ValueError(f"The class to reach must be another than the predicted one; got {to!r}, which it is.")
        goal = OtherClass(self._leading, target)
        found = self._search(goal, self._leading, nodes, symbols, max_changes, max_tries)
        after = self.classes[int(found.votes.argmax())]
        return Change(found.edits, self.prediction, after, self._named(found.votes), found.searched, to)


class LabelExplanation(BaseExplanation):
    """Why a multi-label classifier votes as it does on one graph; ``clf.explain(graph)`` makes one.

    It is to labels what :class:`Explanation` is to classes, and as exact. Where a question names no label, it is about
    the one with the largest vote sum. With thousands of labels text shows the predicted ones and a few more, plain data
    the scores of the predicted ones.

    Parameters
    ----------
    model, graphs, classes, engine
        As of :class:`Explanation`; the outputs are the labels.

    Examples
    --------
    >>> import graphtm as gtm
    >>> symbols = ["fur", "wings", "eggs"]
    >>> has = [[1, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 20
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 80, has, symbols)
    >>> labels = [{"mammal"}, {"bird", "flies"}, {"mammal"}, {"mammal", "flies"}] * 20
    >>> clf = gtm.GraphTMMultiLabelClassifier(n_clauses=20, T=10, s=3.0, depth=1, epochs=10, random_state=0)
    >>> ex = clf.fit(graphs, labels).explain(graphs[1])
    >>> ex.prediction
    ('bird', 'flies')
    >>> print(ex.smallest_change("flies"))
    remove 'wings' from 0: the smallest change that removes the labels 'bird', 'flies' and adds the label 'mammal'.
    Tried: all 3 changes of 1 edit.
    """

    _output = "label"

    @property
    def prediction(self) -> tuple[Hashable, ...]:
        """The labels whose vote sum is at least 0, the largest first."""
        return self._predicted(self.trace.votes)

    def _predicted(self, votes: Int64Array) -> tuple[Hashable, ...]:
        order = np.argsort(-votes, kind="stable")
        return tuple(self.classes[place] for place in order[votes[order] >= 0].tolist())

    @property
    def headline(self) -> str:
        """What is predicted, how votes stand, and which labels come next, in one line."""
        votes = sorted(self.votes.items(), key=lambda item: -item[1])
        n_predicted = len(self.prediction)
        shown, others = votes[: min(n_predicted, SHOWN)], votes[n_predicted : n_predicted + NEXT]
        more = f", ... ({n_predicted:,} labels)" if n_predicted > SHOWN else ""
        text = f"Predicted {votes_of(shown)}{more}" if shown else "Predicted no label"
        left_out = f", ... ({len(votes):,} labels in all)" if len(votes) > n_predicted + NEXT else ""
        return f"{text}; not predicted: {votes_of(others)}{left_out}" if others else text

    @property
    def _scored(self) -> tuple[Hashable, ...]:
        return self.prediction

    def __repr__(self) -> str:
        shown = f"{type(self).__name__}({count(len(self.prediction), 'predicted label')}"
        return f"{shown}, {count(len(self.trace.fired), 'true clause')})"

    def smallest_change(
        self,
        label: Any = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        symbols: Iterable[Hashable] | None = None,
        max_changes: int = 3,
        max_tries: int = 10_000,
    ) -> LabelChange:
        """Search for the smallest change of properties that adds a label to the prediction, or removes it.

        As :meth:`Explanation.smallest_change` does. Other labels may turn with it: see ``after``.

        Parameters
        ----------
        label
            The label that is to turn: to be removed if it is predicted, else to be added; any if not given.
        nodes, symbols
            Only edits of these nodes, and of these symbols; of all if not given.
        max_changes
            Most edits of a change.
        max_tries
            Most changes to try.

        Raises
        ------
        ValueError
            If the label is not known, or a limit is below 1.
        """
        number = None if label is None and None not in self.classes else self._number(label)
        goal = TurnedLabel(self.trace.votes >= 0, number)
        output = self._leading if number is None else number
        found = self._search(goal, output, nodes, symbols, max_changes, max_tries)
        after = self._predicted(found.votes)
        return LabelChange(found.edits, self.prediction, after, self._named(found.votes), found.searched, label)
