"""Short models: classifiers that choose a few rules."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphtm.engines.base import Outputs
from graphtm.estimators.fit_inputs import checked_weights
from graphtm.estimators.pictures import Pictures
from graphtm.estimators.rule_regression import RuleRegression, RuleWeights
from graphtm.foundation.arrays import BoolArray
from graphtm.foundation.parameters import check_at_least, is_number
from graphtm.graphs import GraphBatch

Self = TypeVar("Self", bound="ShortModels")


class ShortModels(Pictures):
    """Base class of classifiers that can choose a few of their rules: :meth:`refit`."""

    temperature_: float

    @abstractmethod
    def _regression_truth(
        self, y: Any, weights: NDArray[np.float64] | None, n: int
    ) -> tuple[BoolArray, NDArray[np.float64] | None]:
        """Return what regressions on the clauses predict, ``(graphs, regressions)``, and the weights of the graphs."""

    @abstractmethod
    def _from_regression(self, found: RuleWeights) -> tuple[NDArray[np.int32], float]:
        """Return weights, ``(outputs, clauses)``, and the temperature with which probabilities are the regression's."""

    @abstractmethod
    def _warn_of_silence(self, found: RuleWeights) -> None:
        """Warn of classes or labels on which no rule votes, and say what that means for predictions."""

    def refit(
        self: Self, X: Any, y: Any, n_rules: int | None = None, C: float = 1.0, sample_weight: Any = None
    ) -> Self:
        """Choose rules and set their weights by a logistic regression on the clause outputs.

        Training moves weights by one at a time and leaves votes with every clause. Here, a logistic regression with an
        L1 penalty predicts the labels from the clause outputs (:meth:`transform`), and most of its coefficients are 0.
        There is no intercept; a clause that is always true takes its place. The clauses themselves do not change. Call
        :meth:`prune` afterwards to remove those without votes.

        With two classes there is one regression; else one per class or label, for it against all others, with the same
        penalty. A graph counts with its ``sample_weight``, times that of its class if ``class_weight`` is set.

        Weights are the coefficients, scaled so that the largest is 1,000, and rounded. ``temperature_`` is set such
        that :meth:`predict_proba` returns the probabilities of the regression, with more than two classes the softmax
        of their logits.

        ``partial_fit`` continues with all clauses: those with a weight of 0 vote again after their first update.

        Parameters
        ----------
        X, y
            Graphs and their labels, such as those of the training. Each class must occur.
        n_rules
            Largest number of clauses with a vote. If ``C`` leaves more, the penalty is increased until few enough are
            left, and the weights are those of a regression with ``C`` on the clauses chosen. ``None`` uses ``C`` alone.
        C
            Inverse strength of the penalty: smaller values give fewer rules.
        sample_weight
            Weight of each graph.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, a class does not occur, or no rule is left. On any error the model stays
            unchanged.

        Warns
        -----
        UserWarning
            If no rule is left for one of several classes or labels. With several labels, also if more than 10 % of the
            graphs are predicted to have a label, which they do not have, because their vote sum is 0.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs, y = gtm.datasets.sequences(1000, random_state=0)
        >>> clf = gtm.GraphTMClassifier(n_clauses=20, T=20, s=3.0, epochs=5, random_state=0).fit(graphs, y)
        >>> len(clf.refit(graphs, y, n_rules=2).rules())
        2
        """
        check_regression(n_rules, C, "refit")
        batch = self._some_graphs(X, "refit")
        found = self._rule_regression(batch, y, sample_weight, self.transform(batch)).fit(n_rules, float(C))
        weights, temperature = self._from_regression(found)
        self._warn_of_silence(found)
        self._replace_machine(self.model_.params, replace(self.model_.state, weights=weights))
        self.temperature_ = temperature
        return self

    def _rule_regression(self, batch: GraphBatch, y: Any, sample_weight: Any, outputs: Outputs) -> RuleRegression:
        """Return the regression of labels on clause outputs."""
        weights = checked_weights(sample_weight, len(batch))
        truth, weights = self._regression_truth(y, weights, len(batch))
        return RuleRegression(outputs, truth, weights, verbose=bool(self.verbose))


def check_regression(n_rules: Any, C: Any, what: str) -> None:
    """Check the parameters of a regression on rules.

    Raises
    ------
    ValueError
        If one is out of range.
    """
    check_at_least("n_rules", what, n_rules, 1)
    if not is_number(C) or not 0 < C < np.inf:
        raise ValueError(f"The 'C' parameter of {what} must be a finite number above 0. Got {C!r} instead.")
