"""Films that users have rated: histories in the order of time, what is held out of them, and examples to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse

from graphtm.datasets import load_movielens, load_movielens_movies
from graphtm.datasets.ratings import Movie
from graphtm.experiments.declaration import Folder
from graphtm.foundation.arrays import Int64Array

ML_1M, ML_100K = "ML-1M, users 1 to 2999", "ML-100K"
SIZES = {ML_1M: "1m", ML_100K: "100k"}
LAST_USER = {ML_1M: 2999, ML_100K: 943}
"""Users are numbered from 1."""
UNKNOWN_TIME = -1

Histories: TypeAlias = list[Int64Array]
"""For each user the numbers of the films that they have rated, oldest first."""


@dataclass(frozen=True)
class Ratings:
    """Films, the histories of users, and the stars that they gave to the films in them."""

    films: list[Movie]
    histories: Histories
    stars: Histories


def load_ratings(variant: str, data_home: Folder | None) -> Ratings:
    """Return the histories of all users whose times of rating are known, and the films in them.

    Ratings of the same second stay in the order of the file.
    """
    size = SIZES[variant]
    rows, stars = load_movielens(size=size, data_home=data_home)
    movies = load_movielens_movies(size=size, data_home=data_home)
    unknown = np.unique(rows["user_id"][rows["timestamp"] == UNKNOWN_TIME])
    chosen = np.flatnonzero((rows["user_id"] <= LAST_USER[variant]) & ~np.isin(rows["user_id"], unknown))
    chosen = chosen[np.lexsort((rows["timestamp"][chosen], rows["user_id"][chosen]))]  # stable
    rows, stars = rows[chosen], stars[chosen]
    ids, numbers = np.unique(rows["movie_id"], return_inverse=True)
    starts = np.unique(rows["user_id"], return_index=True)[1]
    histories, stars_given = (np.split(values.astype(np.int64), starts[1:]) for values in (numbers, stars))
    return Ratings([movies[number] for number in ids.tolist()], histories, stars_given)


def hold_out(histories: Histories) -> tuple[Histories, Histories]:
    """Return the first 80 % of each history, rounded down, and the rest.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.movielens_data import hold_out
    >>> hold_out([np.array([7, 3, 5, 0, 1, 9])])
    ([array([7, 3, 5, 0])], [array([1, 9])])
    """
    ends = [len(history) * 4 // 5 for history in histories]
    cut = list(zip(histories, ends, strict=True))
    return [history[:end] for history, end in cut], [history[end:] for history, end in cut]


def examples(histories: Histories, cuts: Sequence[float]) -> tuple[Histories, Histories]:
    """Cut each history at some fractions of its length; return what comes before each cut, and what follows.

    What follows is a quarter as long as what comes before, as in the temporal hold-out, or less at the end.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.movielens_data import examples
    >>> examples([np.array([7, 3, 5, 0, 1, 9, 2, 8])], [0.5, 0.8])
    ([array([7, 3, 5, 0]), array([7, 3, 5, 0, 1, 9])], [array([1]), array([2, 8])])
    """
    before, after = [], []
    for history in histories:
        for end in sorted({int(cut * len(history)) for cut in cuts} - {0, len(history)}):
            before.append(history[:end])
            after.append(history[end : end + max(1, round(end / 4))])
    return before, after


def indicators(histories: Histories, n_films: int) -> sparse.csr_array:
    """Return which user has which film, (users, films), Boolean."""
    ptr = np.cumsum([0, *map(len, histories)])
    films = np.concatenate([np.zeros(0, np.int64), *histories])
    matrix = sparse.csr_array((np.ones(len(films), np.bool_), films, ptr), shape=(len(histories), n_films))
    matrix.sort_indices()
    return matrix
