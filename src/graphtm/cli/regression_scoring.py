"""How good predicted numbers are: R2 and the mean absolute error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.estimators.regression_targets import r_squared
from graphtm.explain.rule_text import number_text


@dataclass(frozen=True, eq=False)
class RegressionScore:
    """True and predicted numbers.

    Parameters
    ----------
    truth, predicted
        One per sample.
    seconds
        Time of training and prediction.
    """

    truth: NDArray[np.float64]
    predicted: NDArray[np.float64]
    seconds: float

    @property
    def r2(self) -> float:
        """The share of the variance that is predicted; NaN for a single sample."""
        return r_squared(self.truth[:, None], self.predicted[:, None]) if len(self.truth) > 1 else float("nan")

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return float(np.abs(self.truth - self.predicted).mean())

    @property
    def baseline(self) -> float:
        """The mean absolute error of predicting always the median."""
        return float(np.abs(self.truth - np.median(self.truth)).mean())

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain data."""
        r2 = self.r2 if len(self.truth) > 1 else None
        return {"n": len(self.truth), "r2": r2, "mae": self.mae, "seconds": self.seconds, "baseline": self.baseline}

    def __str__(self) -> str:
        r2 = "not defined" if np.isnan(self.r2) else f"{self.r2:.3f}"
        return f"R2 {r2}, mean absolute error {number_text(self.mae)}"


def pooled_numbers(scores: Sequence[RegressionScore]) -> RegressionScore:
    """Return the scores of several parts as one."""
    truth, predicted = (np.concatenate([getattr(one, name) for one in scores]) for name in ("truth", "predicted"))
    return RegressionScore(truth, predicted, sum(one.seconds for one in scores))
