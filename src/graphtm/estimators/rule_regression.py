"""Logistic regression on clause outputs with an L1 penalty, which chooses rules and gives them weights."""

from __future__ import annotations

import inspect
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from tqdm.auto import tqdm

from graphtm.engines.base import Outputs
from graphtm.foundation.arrays import BoolArray

LARGEST_WEIGHT = 1000
"""The largest coefficient becomes this weight, so that rounding changes no coefficient by more than 0.05 % of it."""
_STEP = 2 ** (1 / 32)
"""Ratio of neighbouring values of C on the path."""

Floats = NDArray[np.float64]


class NoRuleError(ValueError):
    """No rule tells the classes apart."""


@dataclass(frozen=True, eq=False)
class RuleWeights:
    """Weights of the clauses that regressions found.

    Parameters
    ----------
    weights
        Integer weights, ``(regressions, clauses)``.
    scale
        Vote sum of a logit of 1.
    without
        Numbers of the regressions for which no clause was chosen.
    silent
        For each regression, the share of graphs that are False and have a vote sum of 0, by weight.
    """

    weights: NDArray[np.int32]
    scale: float
    without: NDArray[np.int64]
    silent: Floats


class RuleRegression:
    """One logistic regression per class or label, without intercept, all with the same L1 penalty.

    Parameters
    ----------
    outputs
        Clause outputs, ``(graphs, clauses)``.
    truth
        What to predict, ``(graphs, regressions)``. A column without a single False has coefficients of 0.
    weights
        Weight of each graph, or ``None``. Graphs with a weight of 0 do not count at all.
    verbose
        Whether to show a progress bar.
    """

    def __init__(
        self, outputs: Outputs, truth: BoolArray, weights: Floats | None = None, *, verbose: bool = False
    ) -> None:
        if weights is not None:
            outputs, truth, weights = outputs[weights > 0], truth[weights > 0], weights[weights > 0]
        firsts = {outputs[:, clause].tobytes(): clause for clause in reversed(range(outputs.shape[1]))}
        # Of equal clauses, only the first can be chosen.
        self._clauses = np.array(sorted(clause for clause in firsts.values() if outputs[:, clause].any()), np.int64)
        self._n_clauses = outputs.shape[1]
        self._unit = int(outputs.max(initial=1))
        self._features = outputs[:, self._clauses] / np.float64(self._unit)  # the penalty is for features up to 1
        self._truth = truth
        self._weights = np.ones(len(outputs)) if weights is None else weights
        self._verbose = verbose
        self._path: dict[float, Floats] = {}

    def fit(self, n_rules: int | None, C: float) -> RuleWeights:
        """Return the weights of at most ``n_rules`` rules.

        Parameters
        ----------
        n_rules
            Largest number of rules: clauses with a coefficient that is not 0 in some regression. If a regression with
            ``C`` has more, the penalty is increased step by step until it has not; the coefficients of the rules chosen
            are then those of a regression with ``C`` on these rules alone.
        C
            Inverse strength of the penalty.

        Raises
        ------
        NoRuleError
            If all coefficients are 0.
        """
        coefficients = self._on_path(C)
        if n_rules is not None and _n_used(coefficients) > n_rules:
            coefficients = self._coefficients(C, self._chosen(n_rules, C))
        largest = float(np.abs(coefficients).max(initial=0.0))
        if largest == 0:
            raise NoRuleError(
                f"No rule is left with C={C:g}: increase C. If that does not help, no clause of the model tells the "
                "classes apart."
            )
        weights = np.zeros((len(coefficients), self._n_clauses), np.int32)
        weights[:, self._clauses] = np.rint(coefficients * (LARGEST_WEIGHT / largest))
        without = np.flatnonzero(self._varying() & ~weights.any(axis=1))
        return RuleWeights(weights, LARGEST_WEIGHT / largest * self._unit, without, self._silent(weights))

    def _silent(self, weights: NDArray[np.int32]) -> Floats:
        outputs = np.rint(self._features * self._unit)  # integers, so that sums are exact
        silent = (outputs @ weights[:, self._clauses].T.astype(np.float64) == 0) & ~self._truth
        return np.asarray(self._weights @ silent / self._weights.sum())

    def _chosen(self, n_rules: int, C: float) -> NDArray[np.int64]:
        """Return ``n_rules`` clauses: those that get coefficients first on a path of C from zero to ``C``."""
        few, many = math.ceil(math.log(C / self._threshold()) / math.log(_STEP)), 0
        while few - many > 1:
            middle = (few + many) // 2
            if _n_used(self._on_path(C / _STEP**middle)) > n_rules:
                many = middle
            else:
                few = middle
        # Where several clauses enter at once, those with the largest coefficients fill up the number.
        sparse, dense = (np.abs(self._on_path(C / _STEP**steps)).max(axis=0) for steps in (few, many))
        order = np.lexsort((-dense, -sparse))[:n_rules]
        return np.sort(order[(sparse[order] > 0) | (dense[order] > 0)])

    def _threshold(self) -> float:
        """Return the value of C up to which all coefficients are 0."""
        gradient = (self._features * self._weights[:, None]).T @ np.where(self._truth, 1.0, -1.0)[:, self._varying()]
        return 2.0 / float(np.abs(gradient).max())

    def _varying(self) -> BoolArray:
        return np.asarray(~self._truth.all(axis=0))

    def _on_path(self, C: float) -> Floats:
        if C not in self._path:
            self._path[C] = self._coefficients(C, np.arange(len(self._clauses)))
        return self._path[C]

    def _coefficients(self, C: float, chosen: NDArray[np.int64]) -> Floats:
        """Return the coefficients of all regressions on chosen features, ``(regressions, features)``."""
        coefficients = np.zeros((self._truth.shape[1], len(self._clauses)))
        if not len(chosen):
            return coefficients
        features = self._features[:, chosen]
        varying = np.flatnonzero(self._varying())
        for number in tqdm(varying.tolist(), desc=f"refit, C={C:.3g}", disable=not self._verbose, leave=False):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # weights are rounded anyway
                regression = LogisticRegression(
                    **l1_penalty(), C=C, solver="liblinear", fit_intercept=False, max_iter=1000, random_state=0
                ).fit(features, self._truth[:, number], sample_weight=self._weights)
            coefficients[number, chosen] = regression.coef_[0]
        return coefficients


def _n_used(coefficients: Floats) -> int:
    return int(np.count_nonzero(coefficients.any(axis=0)))


def l1_penalty() -> dict[str, Any]:
    """Return the parameters for an L1 penalty, which scikit-learn 1.8 renamed."""
    penalty = inspect.signature(LogisticRegression).parameters.get("penalty")
    return {"penalty": "l1"} if penalty is not None and penalty.default == "l2" else {"l1_ratio": 1.0}
