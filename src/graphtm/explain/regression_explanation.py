"""Explanations of predicted numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtm.engines import Engine
from graphtm.explain.changes import ValueChange
from graphtm.explain.explanation_plots import PlottedExplanation
from graphtm.explain.explanation_text import SHOWN
from graphtm.explain.rule_text import amount_text, number_text
from graphtm.explain.scores import Scores
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.foundation.display import bare
from graphtm.foundation.parameters import is_number
from graphtm.graphs import GraphBatch
from graphtm.model import Model, VoteScale


@dataclass(frozen=True)
class ReachedVotes:
    """Goal of a search: a vote sum of at least, or else at most, ``votes``."""

    output: int
    votes: int
    at_least: bool

    def margins(self, sums: Int64Array) -> Int64Array:
        """Return how far the vote sum is beyond the goal."""
        beyond = sums[:, self.output] - self.votes
        return np.asarray(beyond if self.at_least else -beyond)

    def reached(self, sums: Int64Array) -> BoolArray:
        return self.margins(sums) >= 0


class RegressionExplanation(PlottedExplanation):
    """Explanation of a regressor's prediction for one graph, as ``machine.explain(graph)`` returns it.

    It works like :class:`Explanation`, and its outputs are the targets. What clauses add, and scores, are in the units
    of the targets: the scores of a target add up to ``amounts``, the prediction minus its intercept, before it is
    limited to the range of the targets. ``votes`` and the votes of ``fired`` are votes.

    Parameters
    ----------
    model, graphs, classes, engine
        As for :class:`Explanation`; the outputs are the targets.
    scale
        What votes mean.

    Attributes
    ----------
    scale
        What votes mean: ``intercepts``, ``values``, ``lows`` and ``highs``.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 80, [[1, 0], [1, 1], [0, 1], [0, 0]] * 20, ["sun", "rain"])
    >>> machine = gtm.GraphTMRegressor(n_clauses=20, depth=1, random_state=0).fit(graphs, [25, 18, 10, 15] * 20)
    >>> ex = machine.refit(graphs, [25, 18, 10, 15] * 20).explain(graphs[0])
    >>> print(ex)
    Predicted y 24.95 = 14.99 + 9.961
    Nodes that contribute most to y: 0 +9.96
    Symbols that contribute most to y: sun +6.49, NOT rain +3.47
    12 of 20 clauses are true, 2 of which vote; those that add most to y, or take most from it:
      C0 (and 10 equal): sun AND NOT rain   [+6.94]   at 0
      C8: sun   [+3.02]   at 0
    >>> print(ex.smallest_change(at_most=20))
    remove 'sun' from 0: the smallest change that turns 24.95 into 14.99. Tried: all 2 changes of 1 edit.
    """

    _output = "target"

    def __init__(
        self,
        model: Model,
        graphs: GraphBatch,
        classes: Iterable[Hashable],
        engine: Engine | None = None,
        *,
        scale: VoteScale,
    ) -> None:
        super().__init__(model, graphs, classes, engine)
        self.scale = scale

    @property
    def _scale(self) -> VoteScale:
        return self.scale

    @property
    def _leading(self) -> int:
        return 0  # votes for different targets cannot be compared

    @property
    def amounts(self) -> dict[Hashable, float]:
        """What the true clauses add to each target together."""
        return dict(zip(self.classes, (self.scale.values * self.trace.votes).tolist(), strict=True))

    @property
    def prediction(self) -> Any:
        """The predicted number; with several targets, a dict of them."""
        return self._predicted(self.trace.votes)

    def _predicted(self, votes: Int64Array) -> Any:
        found: list[float] = self.scale.predicted(votes).tolist()
        return found[0] if len(found) == 1 else dict(zip(self.classes, found, strict=True))

    @property
    def headline(self) -> str:
        """The prediction, and what it is made of, in one line."""
        found = self.scale.predicted(self.trace.votes).tolist()
        parts = []
        for name, number, start, amount in zip(
            self.classes, found, self.scale.intercepts.tolist(), self.amounts.values(), strict=True
        ):
            limited = "" if np.isclose(start + amount, number, rtol=1e-6) else ", limited to the range of the targets"
            parts.append(f"{bare(name)} {_sum_text(number, start, amount)}{limited}")
        more = f"; ... ({len(parts):,} targets)" if len(parts) > SHOWN else ""
        return f"Predicted {'; '.join(parts[:SHOWN])}{more}"

    @property
    def _scored(self) -> tuple[Hashable, ...]:
        return self.classes

    def scores(self, class_: Any = None, against: Any = None) -> Scores:
        """Return the contribution of each node, edge and symbol to a target, in its units.

        Each amount is divided as :meth:`Explanation.scores` says, and the node scores add up to ``amounts``.

        Parameters
        ----------
        class_
            The target. Default: the first.
        against
            Must be None: targets differ in their units.

        Returns
        -------
        Scores
            Arrays in the order of :attr:`nodes`, :attr:`edges` and the symbols of ``model.vocabulary``.
        """
        if against is not None:
            raise ValueError(
                "The 'against' parameter of scores must be None for a regressor, whose targets differ in their units. "
                f"Got {against!r} instead."
            )
        return super().scores(class_).times(float(self.scale.values[self._number(class_)]))

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data, in the names of the data."""
        found = super().to_dict()
        starts = dict(zip(self.classes, self.scale.intercepts.tolist(), strict=True))
        return {"prediction": found.pop("prediction"), "intercept": starts, "amounts": self.amounts, **found}

    def smallest_change(
        self,
        output: Any = None,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        nodes: Iterable[Hashable] | None = None,
        symbols: Iterable[Hashable] | None = None,
        max_changes: int = 3,
        max_tries: int = 10_000,
    ) -> ValueChange:
        """Search for the smallest change of properties after which at least, or at most, a number is predicted.

        The search is that of :meth:`Explanation.smallest_change`.

        Parameters
        ----------
        output
            The target. Default: the first.
        at_least, at_most
            The number to reach, one of the two.
        nodes, symbols
            Nodes and symbols to edit. Default: all.
        max_changes
            Maximum number of edits of a change.
        max_tries
            Maximum number of changes to try.

        Raises
        ------
        ValueError
            If the target does not exist, the number is reached already or outside of the range of predictions, or a
            limit is below 1.
        """
        number = self._number(output)
        goal = self._goal(number, at_least, at_most)
        found = self._search(goal, number, nodes, symbols, max_changes, max_tries)
        before, after = (float(self.scale.predicted(votes)[number]) for votes in (self.trace.votes, found.votes))
        wanted = f"at least {at_least:g}" if at_most is None else f"at most {at_most:g}"
        return ValueChange(found.edits, before, after, self._named(found.votes), found.searched, wanted)

    def _goal(self, output: int, at_least: float | None, at_most: float | None) -> ReachedVotes:
        if (at_least is None) == (at_most is None):
            raise ValueError("Pass the number to reach to smallest_change: either at_least or at_most.")
        given, name = (at_least, "at_least") if at_most is None else (at_most, "at_most")
        if not is_number(given):
            raise ValueError(f"The {name!r} parameter of smallest_change must be a number. Got {given!r} instead.")
        wanted = float(given)
        low, high = float(self.scale.lows[output]), float(self.scale.highs[output])
        now = float(self.scale.predicted(self.trace.votes)[output])
        if not low <= wanted <= high or low == high:
            raise ValueError(f"Predictions are within {low:g} to {high:g}; got {wanted:g}.")
        if now >= wanted if at_most is None else now <= wanted:
            end = "least" if at_most is None else "most"
            raise ValueError(f"Nothing need change: {now:g} is predicted, which is at {end} {wanted:g} already.")
        start, step = float(self.scale.intercepts[output]), float(self.scale.values[output])
        near = int(np.rint((wanted - start) / step))
        # The division is rounded, so the vote sum is one of three.
        means = self.scale.only([output]).predicted(np.arange(near - 1, near + 2)[:, None])[:, 0]
        if at_most is None:
            return ReachedVotes(output, near - 1 + int(np.argmax(means >= wanted)), at_least=True)
        return ReachedVotes(output, near + 1 - int(np.argmax(means[::-1] <= wanted)), at_least=False)

    # Output

    def _score_text(self, score: float) -> str:
        return amount_text(score)

    @property
    def _least_score(self) -> float:
        return 0.0

    def _strongest(self, class_: Hashable) -> str:
        return f"those that add most to {bare(class_)}, or take most from it"

    def _picture(self, number: int, other: int | None) -> dict[str, Any]:
        found = super()._picture(number, other)
        amount, whole = self.amounts[self.classes[number]], self.scores(self.classes[number]).whole
        predicted, start = self.scale.predicted(self.trace.votes)[number], self.scale.intercepts[number]
        part = f", of which {amount_text(whole)} from the graph as a whole" if whole else ""
        return {**found, "title": f"{bare(self.classes[number])} {_sum_text(predicted, start, amount)}{part}"}


def _sum_text(predicted: float, start: float, amount: float) -> str:
    """Return a prediction and what it is made of, as text."""
    return f"{number_text(predicted)} = {number_text(start)} {'-' if amount < 0 else '+'} {number_text(abs(amount))}"
