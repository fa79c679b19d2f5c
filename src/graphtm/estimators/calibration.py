"""Temperature scaling: one number that makes probabilities match frequencies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

_LOWEST, _HIGHEST = np.log(1e-3), np.log(1e3)
"""Bounds of the temperature, as logarithms: if all labels are right, no temperature is low enough."""


def best_temperature(
    logits: NDArray[np.float64], numbers: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> float:
    """Return the temperature under which labels are most likely.

    Parameters
    ----------
    logits
        A row for each example, a column for each class.
    numbers
        Number of each example's class.
    weights
        How much each example counts.
    """
    right = logits[np.arange(len(numbers)), numbers]

    def loss(log_temperature: float) -> float:
        scale = np.exp(-log_temperature)
        return float(np.average(logsumexp(scale * logits, axis=1) - scale * right, weights=weights))

    found = minimize_scalar(loss, bounds=(_LOWEST, _HIGHEST), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))
