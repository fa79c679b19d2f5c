"""Linear regression on clause outputs: an L1 penalty chooses rules, least squares give them weights."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge, lasso_path
from sklearn.model_selection import KFold

from graphtm.engines.base import Outputs
from graphtm.estimators.rule_regression import NoRuleError
from graphtm.foundation.arrays import BoolArray, Int64Array

Floats = NDArray[np.float64]
_PENALTIES = np.geomspace(1.0, 1e-3, 60)
"""Penalties that are tried, as fractions of the smallest one that leaves no rule."""
_N_FOLDS = 5
_RIDGE = 0.1
"""L2 penalty of the weights, which matters for rules that are nearly alike."""


@dataclass(frozen=True)
class LinearWeights:
    """Coefficients of the clauses, ``(targets, clauses)``, and intercepts, in the units of the targets."""

    coefficients: Floats
    intercepts: Floats


class LinearRules:
    """Linear regressions on clause outputs; several targets choose the same rules.

    Parameters
    ----------
    outputs
        Clause outputs, ``(graphs, clauses)``.
    targets
        What to predict, ``(graphs, targets)``.
    weights
        Weight of each graph, or ``None``. Graphs with a weight of 0 do not count at all.
    """

    def __init__(self, outputs: Outputs, targets: Floats, weights: Floats | None = None) -> None:
        if weights is not None:
            outputs, targets, weights = outputs[weights > 0], targets[weights > 0], weights[weights > 0]
        self._n_clauses = outputs.shape[1]
        # What a clause adds to every graph is in the intercept. So of clauses that are equal, or one the negation of
        # the other, only the first can be chosen, and none that is constant.
        changes = outputs.astype(np.int16) - outputs[:1]
        varying = np.asarray(changes.any(axis=0))
        changes *= np.sign(np.take_along_axis(changes, (changes != 0).argmax(axis=0)[None], axis=0))
        firsts = {changes[:, clause].tobytes(): clause for clause in reversed(range(self._n_clauses))}
        self._clauses = np.array(sorted(clause for clause in firsts.values() if varying[clause]), np.int64)
        self._features = outputs[:, self._clauses].astype(np.float64)
        self._weights = np.ones(len(outputs)) if weights is None else weights / weights.mean()
        lows, highs = targets.min(axis=0), targets.max(axis=0)
        self._centre = lows / 2 + highs / 2
        width = highs / 2 - lows / 2
        within = (targets - self._centre) / np.where(width > 0, width, 1.0)  # squares of the targets may be infinite
        spread = np.where(width > 0, within.std(axis=0), 1.0)
        self._spread = spread * width
        self._targets = within / spread  # so that all count alike

    def fit(self, n_rules: int | None) -> LinearWeights:
        """Return the weights of at most ``n_rules`` rules; with ``None``, cross-validation finds their number.

        Raises
        ------
        NoRuleError
            If no rule is left.
        """
        chosen = self._chosen(n_rules) if len(self._clauses) else self._clauses
        if not len(chosen):
            raise NoRuleError(
                "No rule is left: no clause of the model tells anything about the targets. Pass graphs whose targets "
                "differ, or train with more epochs or clauses."
            )
        coefficients, intercepts = self._least_squares(chosen, np.ones(len(self._features), np.bool_))
        table = np.zeros((len(coefficients), self._n_clauses))
        table[:, self._clauses[chosen]] = coefficients * self._spread[:, None]
        return LinearWeights(table, intercepts * self._spread + self._centre)

    def _chosen(self, n_rules: int | None) -> Int64Array:
        """Return the numbers of the features that are chosen."""
        sizes = self._path(np.ones(len(self._features), np.bool_))
        if n_rules is None:
            return np.flatnonzero(sizes[:, self._best_penalty()])
        few = int(np.flatnonzero(np.count_nonzero(sizes, axis=0) <= n_rules)[-1])
        many = min(few + 1, sizes.shape[1] - 1)
        # Where several clauses enter at once, those with the largest coefficients fill up the number.
        order = np.lexsort((-sizes[:, many], -sizes[:, few]))[:n_rules]
        return np.sort(order[(sizes[order, few] > 0) | (sizes[order, many] > 0)])

    def _path(self, rows: BoolArray) -> Floats:
        """Return the size of the coefficients of each feature with each penalty, on some graphs."""
        weights = self._weights[rows, None]
        features, targets = (
            np.sqrt(weights) * (table[rows] - np.average(table[rows], axis=0, weights=weights[:, 0]))
            for table in (self._features, self._targets)
        )
        largest = float(np.linalg.norm(features.T @ targets, axis=1).max()) / len(features)
        if largest == 0:
            return np.zeros((features.shape[1], len(_PENALTIES)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # it only chooses
            found = lasso_path(features, targets, alphas=largest * _PENALTIES, max_iter=300, tol=1e-3)[1]
        return np.asarray(np.abs(found).max(axis=0))

    def _best_penalty(self) -> int:
        """Return the place of the penalty whose rules predict graphs best that they were not chosen on."""
        errors = np.zeros(len(_PENALTIES))
        folds = KFold(min(_N_FOLDS, len(self._features)), shuffle=True, random_state=0)
        for _, test in folds.split(self._features):
            rows = np.ones(len(self._features), np.bool_)
            rows[test] = False
            sizes = self._path(rows)
            for place in range(len(_PENALTIES)):
                chosen = np.flatnonzero(sizes[:, place])
                coefficients, intercepts = self._least_squares(chosen, rows)
                predicted = self._features[np.ix_(test, chosen)] @ coefficients.T + intercepts
                errors[place] += float((self._weights[test, None] * (self._targets[test] - predicted) ** 2).sum())
        return int(errors.argmin())

    def _least_squares(self, chosen: Int64Array, rows: BoolArray) -> tuple[Floats, Floats]:
        """Return coefficients, ``(targets, features)``, and intercepts of a regression on some features and graphs."""
        targets, weights = self._targets[rows], self._weights[rows]
        if not len(chosen):
            return np.zeros((targets.shape[1], 0)), np.average(targets, axis=0, weights=weights)
        ridge = Ridge(_RIDGE).fit(self._features[np.ix_(rows, chosen)], targets, sample_weight=weights)
        return np.atleast_2d(ridge.coef_), np.atleast_1d(ridge.intercept_)
