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


def best_temperature(behind: Floats, weights: Floats | None, n: float) -> float:
    """Return the temperature that maximises the likelihood of the labels.

    There may be no best temperature, which gives a warning. If every prediction is correct, lower is always better; the
    temperature is then fitted as if one in ``n + 2`` were wrong (Laplace's rule). If the votes contradict the labels,
    higher is always better; then the highest is returned, which makes all probabilities nearly equal.

    Parameters
    ----------
    behind
        A row per example and a column per wrong class: its logit minus that of the true class.
    weights
        Weights of the examples.
    n
        Effective number of examples; see :func:`effective_size`.
    """
    if np.average(behind.max(axis=1).clip(0), weights=weights) == 0:
        warn_user(
            "All calibration graphs are predicted correctly, so the temperature cannot be determined. It is chosen as "
            "if one more graph were predicted wrong. Use more graphs.",
            UserWarning,
        )
        return _fitted(behind, weights, wrong=1 / (n + 2))
    temperature = _fitted(behind, weights, wrong=0.0)
    if math.log(temperature) > _HIGHEST - _AT_BOUND:
        warn_user(
            "The vote sums contradict the labels of the calibration graphs, so all probabilities are now nearly equal. "
            "Check that the labels belong to these graphs.",
            UserWarning,
        )
    return temperature


def effective_size(weights: Floats | None, n: int) -> float:
    """Return the effective number of ``n`` weighted examples (Kish), whatever the scale of the weights."""
    return float(n) if weights is None else float(weights.sum() ** 2 / np.square(weights).sum())


def _fitted(behind: Floats, weights: Floats | None, wrong: float) -> float:
    """Return the best temperature if each prediction is wrong with some probability, shared by the other classes."""

    def loss(log_temperature: float) -> float:
        scaled = np.exp(-log_temperature) * behind
        losses = np.logaddexp(0, logsumexp(scaled, axis=1)) - wrong * scaled.mean(axis=1)
        return float(np.average(losses, weights=weights))

    found = minimize_scalar(loss, bounds=(_LOWEST, _HIGHEST), method="bounded", options={"xatol": 1e-6})
    return float(np.exp(found.x))


def class_margins(sums: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how far each other class is ahead of the true one, a row per graph."""
    n, n_classes = sums.shape
    others = np.arange(n_classes) != numbers[:, None]
    ahead = sums - np.take_along_axis(sums, numbers[:, None], axis=1)
    return np.asarray(ahead[others].reshape(n, n_classes - 1))


def label_margins(
    parts: Iterable[NDArray[np.int64]], truth: sparse.csr_array, weights: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Return the distinct margins of labels and their counts; they are far fewer than labels.

    Parameters
    ----------
    parts
        Vote sums of consecutive graphs.
    truth
        Indicator matrix.
    weights
        Weight of each graph.

    Returns
    -------
    margins
        In half votes, since a label with a sum of 0 is predicted.
    counts
        Weighted number of labels with each margin.
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
        If it is not positive and finite.
    """
    temperature = float(value)  # type: ignore[arg-type]
    if not 0 < temperature < math.inf:
        raise ValueError(f"the temperature cannot be {temperature}")
    return temperature
