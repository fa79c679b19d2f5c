"""Temperature scaling of probabilities (Guo et al., 2017, arXiv:1706.04599)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from graphtm.foundation.calling import warn_user

_LOWEST, _HIGHEST = np.log(1e-3), np.log(1e3)
"""Bounds of the temperature, as logarithms."""
_AT_BOUND = 1e-3

Floats = NDArray[np.float64]


def best_temperature(behind: Floats, weights: Floats | None) -> float:
    """Return the temperature that maximises the likelihood of the labels.

    Where no temperature is the best, there is a warning. If every answer is right, lower ones are better without end;
    the temperature is then the best for answers of which one in ``n + 2`` would be wrong (Laplace's rule). If votes go
    against the answers, higher ones are; then the highest is taken, which makes all probabilities nearly the same.

    Parameters
    ----------
    behind
        A row for each example, a column for each wrong answer: its logit minus that of the right one.
    weights
        How much each example counts.
    """
    total = float(len(behind) if weights is None else weights.sum())
    if np.average(behind.max(axis=1).clip(0), weights=weights) == 0:
        warn_user(
            "All calibration graphs are predicted correctly, so the temperature cannot be determined. It is chosen as "
            "if one more graph were predicted wrong. Use more graphs.",
            UserWarning,
        )
        return _fitted(behind, weights, wrong=1 / (total + 2))
    temperature = _fitted(behind, weights, wrong=0.0)
    if math.log(temperature) > _HIGHEST - _AT_BOUND:
        warn_user(
            "The vote sums contradict the labels of the calibration graphs, so all probabilities are now nearly equal. "
            "Check that the labels belong to these graphs.",
            UserWarning,
        )
    return temperature


def _fitted(behind: Floats, weights: Floats | None, wrong: float) -> float:
    """Return the best temperature if each answer is wrong with some probability, shared by all other answers."""

    def loss(log_temperature: float) -> float:
        scaled = np.exp(-log_temperature) * behind
        losses = np.logaddexp(0, logsumexp(scaled, axis=1)) - wrong * scaled.mean(axis=1)
        return float(np.average(losses, weights=weights))

    found = minimize_scalar(loss, bounds=(_LOWEST, _HIGHEST), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


def class_margins(sums: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how far each other class is ahead of the right one, a row per graph."""
    n, n_classes = sums.shape
    others = np.arange(n_classes) != numbers[:, None]
    ahead = sums - np.take_along_axis(sums, numbers[:, None], axis=1)
    return np.asarray(ahead[others].reshape(n, n_classes - 1))


def label_margins(
    parts: Iterable[NDArray[np.int64]], truth: sparse.csr_array, weights: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Return the different margins by which labels are right, and how often each occurs: far fewer than labels.

    Parameters
    ----------
    parts
        Vote sums of some graphs after the other.
    truth
        Which graph has which label.
    weights
        How much each graph counts.

    Returns
    -------
    margins
        In halves of a vote: a label is predicted from a sum of 0 on, so that it is half a vote above the border.
    counts
        Weighted.
    """
    total: dict[int, float] = {}
    start = 0
    for sums in parts:
        rows = slice(start, start + len(sums))
        margins = np.where(truth[rows].toarray(), 2 * sums + 1, -2 * sums - 1)
        found, place = np.unique(margins, return_inverse=True)
        counts = np.bincount(place.ravel(), np.repeat(weights[rows], sums.shape[1]))
        for margin, number in zip(found.tolist(), counts.tolist(), strict=True):
            total[margin] = total.get(margin, 0.0) + number
        start += len(sums)
    return np.array(list(total), dtype=np.int64), np.array(list(total.values()))


def checked_temperature(value: object) -> float:
    """Return a temperature from a file.

    Raises
    ------
    ValueError
        If it cannot be one.
    """
    temperature = float(value)  # type: ignore[arg-type]
    if not 0 < temperature < math.inf:
        raise ValueError(f"the temperature cannot be {temperature}")
    return temperature
