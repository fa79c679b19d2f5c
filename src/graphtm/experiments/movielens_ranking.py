"""Lists of ten films for each user, and how good they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphtm.experiments.movielens_data import Histories
from graphtm.foundation.arrays import Int64Array

N_BEST = 10
NONE = -1
"""No film, in a list."""
NDCG, HIT_RATE, RECALL, COVERAGE = "nDCG@10", "HR@10", "recall@10", "item coverage"
NDCG_OF_STARS = "nDCG@10 of stars"
"""nDCG in which a film with more stars has a larger gain."""


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


def ranking_scores(lists: Int64Array, wanted: Histories, stars: Histories) -> dict[str, float]:
    """Return the means over users of nDCG, hit rate and recall, and how many different films all lists have together.

    The gain of a film is 1 if the user has it in the held-out part, else 0; nDCG is the paper's formula for each user.
    In nDCG of stars, the gain is ``2 ** stars - 1`` instead of 1, about as in the library with which the paper
    evaluates.

    Parameters
    ----------
    lists
        Films in lists, (users, ranks).
    wanted, stars
        Films that are held out, and the stars that the user gave them.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.movielens_ranking import ranking_scores
    >>> held_out, stars = [np.array([2]), np.array([0, 3])], [np.array([5]), np.array([5, 1])]
    >>> scores = ranking_scores(np.array([[4, 2], [4, 3]]), held_out, stars)
    >>> {metric: round(score, 3) for metric, score in scores.items()}
    {'nDCG@10': 0.509, 'nDCG@10 of stars': 0.325, 'HR@10': 1.0, 'recall@10': 0.75, 'item coverage': 3.0}
    """
    hits = np.array([np.isin(row, own) for row, own in zip(lists, wanted, strict=True)])
    sizes = np.array([len(own) for own in wanted])
    gains = [np.exp2(own.astype(np.float64)) - 1 for own in stars]
    return {
        NDCG: _ndcg(lists, wanted, [np.ones(size) for size in sizes]),
        NDCG_OF_STARS: _ndcg(lists, wanted, gains),
        HIT_RATE: float(np.mean(hits.any(axis=1))),
        RECALL: float(np.mean(hits.sum(axis=1) / sizes)),
        COVERAGE: float(len(np.unique(lists[lists != NONE]))),
    }


def _ndcg(lists: Int64Array, wanted: Histories, gains: Sequence[NDArray[np.float64]]) -> float:
    """Return the mean over users of nDCG, given the gains of the films that are held out."""
    discounts = 1 / np.log2(np.arange(2, 2 + N_BEST))
    found = []
    for row, own, gain in zip(lists, wanted, gains, strict=True):
        gained = np.where(row[:, None] == own, gain, 0.0).sum(axis=1) @ discounts[: len(row)]
        best = np.sort(gain)[::-1][:N_BEST]
        found.append(gained / (best @ discounts[: len(best)]))
    return float(np.mean(found))
