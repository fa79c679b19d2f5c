"""Explanations of the prediction for one graph: of its class, or of its labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from graphtm.engines import predicted_classes
from graphtm.explain.change_search import FlippedLabel, OtherClass
from graphtm.explain.changes import Change, LabelChange
from graphtm.explain.explanation_plots import PlottedExplanation
from graphtm.explain.explanation_text import SHOWN, votes_text
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import bare, count

NEXT = 3
"""Number of labels that text shows beside the predicted ones, those with the next largest vote sums."""


class Explanation(PlottedExplanation):
    """Explanation of a classifier's prediction for one graph, as ``clf.explain(graph)`` returns it.

    It is exact and reproducible: the votes are the machine's, witnesses can be checked by hand, and the scores add up
    to the votes.

    Parameters
    ----------
    model
        The model.
    graphs
        A batch of one graph with the vocabulary of the model.
    classes
        Names of the outputs.
    engine
        Engine that holds the model, for :meth:`smallest_change`. Default: the fastest available engine, made when
        needed. It is not pickled.

    Attributes
    ----------
    nodes, edges
        Names of the nodes; the edges, sorted by the numbers of source, destination and type.
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
    Nodes that contribute most to summer: 0 +5.00
    Symbols that contribute most to summer: hot +2.50, NOT cold +2.50
    2 of 4 clauses are true; those that vote most for or against summer:
      C0 (and 1 equal): hot AND NOT cold   [+5, -6]   at 0
    >>> print(ex.smallest_change())
    remove 'hot' from 0 and add 'cold' to 0: the smallest change that turns 'summer' into 'winter'.
    Tried: all 2 changes of 1 edit; all 1 change of 2 edits.
    """

    _output = "class"

    @property
    def prediction(self) -> Hashable:
        """The class with the largest vote sum; ties go to the first."""
        return self.leading

    @property
    def headline(self) -> str:
        """The prediction and the vote sums, in one line."""
        votes = sorted(self.votes.items(), key=lambda item: -item[1])
        more = f", ... ({count(len(votes), self._output)})" if len(votes) > SHOWN else ""
        return f"Predicted {bare(self.prediction)}; votes: {votes_text(votes[:SHOWN])}{more}"

    @property
    def _scored(self) -> tuple[Hashable, ...]:
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
        """Search for the smallest change of properties that changes the predicted class.

        Adding a symbol to a node, or removing one, is one edit. All single edits are tried, then all pairs, and so on.
        Where these are too many, only extensions of the best changes so far are tried. The result reports what was
        tried, and whether the change is the smallest.

        Parameters
        ----------
        to
            Class to reach. Default: any other than the predicted one.
        nodes, symbols
            Nodes and symbols to edit. Default: all.
        max_changes
            Maximum number of edits of a change.
        max_tries
            Maximum number of changes to try.

        Raises
        ------
        ValueError
            If the class does not exist or is the predicted one, or a limit is below 1.
        """
        target = None if to is None else self._number(to)
        if target == self._leading:
            raise ValueError(
                f"The {self._output} to reach must differ from the predicted one; got {to!r}, which is predicted."
            )
        goal = OtherClass(self._leading, target)
        found = self._search(goal, self._leading, nodes, symbols, max_changes, max_tries)
        after = self.classes[int(predicted_classes(found.votes))]
        return Change(found.edits, self.prediction, after, self._named(found.votes), found.searched, to, self._output)


class LabelExplanation(PlottedExplanation):
    """Explanation of a multi-label classifier's prediction for one graph, as ``clf.explain(graph)`` returns it.

    It works like :class:`Explanation`. Methods explain the label with the largest vote sum by default. Text shows the
    predicted labels and a few more; ``to_dict()`` contains the scores of the predicted labels.

    Parameters
    ----------
    model, graphs, classes, engine
        As for :class:`Explanation`; the outputs are the labels.

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
        """The labels with a vote sum of at least 0, largest first."""
        return self._predicted(self.trace.votes)

    def _predicted(self, votes: Int64Array) -> tuple[Hashable, ...]:
        order = np.argsort(-votes, kind="stable")
        return tuple(self.classes[place] for place in order[votes[order] >= 0].tolist())

    @property
    def headline(self) -> str:
        """The predicted labels and the next ones, with their vote sums, in one line."""
        votes = sorted(self.votes.items(), key=lambda item: -item[1])
        n_predicted = len(self.prediction)
        shown, others = votes[: min(n_predicted, SHOWN)], votes[n_predicted : n_predicted + NEXT]
        more = f", ... ({count(n_predicted, self._output)})" if n_predicted > SHOWN else ""
        text = f"Predicted {votes_text(shown)}{more}" if shown else f"Predicted no {self._output}"
        left_out = f", ... ({count(len(votes), self._output)} in all)" if len(votes) > n_predicted + NEXT else ""
        return f"{text}; not predicted: {votes_text(others)}{left_out}" if others else text

    @property
    def _scored(self) -> tuple[Hashable, ...]:
        return self.prediction

    def __repr__(self) -> str:
        shown = f"{type(self).__name__}({count(len(self.prediction), f'predicted {self._output}')}"
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
        """Search for the smallest change of properties that adds or removes a predicted label.

        The search is that of :meth:`Explanation.smallest_change`. Other labels may change too: see ``after``.

        Parameters
        ----------
        label
            Label to remove if it is predicted, else to add. Default: any label.
        nodes, symbols
            Nodes and symbols to edit. Default: all.
        max_changes
            Maximum number of edits of a change.
        max_tries
            Maximum number of changes to try.

        Raises
        ------
        ValueError
            If the label does not exist, or a limit is below 1.
        """
        number = None if label is None and None not in self.classes else self._number(label)
        goal = FlippedLabel(self.trace.votes >= 0, number)
        output = self._leading if number is None else number
        found = self._search(goal, output, nodes, symbols, max_changes, max_tries)
        after = self._predicted(found.votes)
        return LabelChange(
            found.edits, self.prediction, after, self._named(found.votes), found.searched, label, self._output
        )
