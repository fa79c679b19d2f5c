"""Lists of ten films for each user, and how good they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from graphtm.experiments.movielens_data import Histories
from graphtm.foundation.arrays import Int64Array

N_BEST = 10
NONE = -1
"""No film, in a list."""
NDCG, HIT_RATE, RECALL, COVERAGE = "nDCG@10", "HR@10", "recall@10", "item coverage"


def best_new(sums: NDArray[np.int64] | NDArray[np.float64], seen: Histories) -> Int64Array:
    """Return the ten films with the largest sums that a user has not seen, in descending order; ties go to the first.

    Where fewer are left, -1 fills the list.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.movielens_ranking import best_new
    >>> best_new(np.array([[5, 9, 7, 1]]), [np.array([2])])
    array([[ 1,  0,  3, -1]])
    """
    new = sums.astype(np.float64)
    for row, films in zip(new, seen, strict=True):
        row[films] = -np.inf
    order = np.argsort(-new, axis=1, kind="stable")[:, :N_BEST]
    return np.where(np.take_along_axis(new, order, axis=1) > -np.inf, order, NONE)


def ranking_scores(lists: Int64Array, wanted: Histories) -> dict[str, float]:
    """Return the means over users of nDCG, hit rate and recall, and how many different films all lists have together.

    The gain of a film is 1 if the user has it in the held-out part, else 0; nDCG is the paper's formula for each user.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.movielens_ranking import ranking_scores
    >>> scores = ranking_scores(np.array([[4, 2], [4, 3]]), [np.array([2]), np.array([0, 1])])
    >>> {metric: round(score, 3) for metric, score in scores.items()}
    {'nDCG@10': 0.315, 'HR@10': 0.5, 'recall@10': 0.5, 'item coverage': 3.0}
    """
    hits = np.array([np.isin(row, own) for row, own in zip(lists, wanted, strict=True)])
    sizes = np.array([len(own) for own in wanted])
    discounts = 1 / np.log2(np.arange(2, 2 + N_BEST))
    ideal = np.cumsum(discounts)[np.minimum(sizes, N_BEST) - 1]
    return {
        NDCG: float(np.mean(hits @ discounts[: lists.shape[1]] / ideal)),
        HIT_RATE: float(np.mean(hits.any(axis=1))),
        RECALL: float(np.mean(hits.sum(axis=1) / sizes)),
        COVERAGE: float(len(np.unique(lists[lists != NONE]))),
    }
