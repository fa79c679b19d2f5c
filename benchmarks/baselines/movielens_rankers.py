"""Rankings of films by other systems, on the split of ``movielens``: popularity, neighbours and matrix factorisation.

``itemknn`` sums the cosine similarities of a film to those that the user has seen; ``recent`` does the same with
weights that fall exponentially with the number of films seen since. ``userknn`` sums those of the users who have seen a
film to the user. ``bpr`` is that of the library implicit, the others are a few lines each. Settings are those with the
largest nDCG@10 on the last fifth of each training history, which is left out for that. Appends results to
``results/baselines.jsonl``, from which ``python -m graphtm.experiments`` takes them::

    python benchmarks/baselines/movielens_rankers.py --data DIR --system itemknn
    python benchmarks/baselines/movielens_rankers.py --data DIR --system bpr --trial    # on training data
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from itertools import product
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.movielens_data import SIZES, Histories, hold_out, indicators, load_ratings
from graphtm.experiments.movielens_ranking import NDCG, best_new, ranking_scores

Sums: TypeAlias = NDArray[np.float64]
ALL = 10**9
"""Number of neighbours that is more than there are."""


def popularity(seen: Histories, n_films: int, seed: int) -> Sums:  # noqa: ARG001
    """Return how many users have seen each film, the same for all users."""
    counts = np.bincount(np.concatenate(seen), minlength=n_films)
    return np.tile(counts.astype(np.float64), (len(seen), 1))


def chance(seen: Histories, n_films: int, seed: int) -> Sums:
    """Return random numbers for the films that somebody has seen."""
    numbers = np.random.default_rng(seed).random((len(seen), n_films))
    return np.where(np.bincount(np.concatenate(seen), minlength=n_films) > 0, numbers, -1.0)


def similarities(matrix: sparse.csr_array, neighbours: int, shrink: float) -> Sums:
    """Return the cosine similarities of the columns to each other, each row with so many of its largest.

    ``shrink`` is added to the product of the norms, so that rare columns have smaller similarities.
    """
    common: Sums = (matrix.T @ matrix).toarray()
    norms = np.sqrt(common.diagonal())
    found: Sums = common / np.maximum(norms[:, None] * norms[None, :] + shrink, 1e-12)
    np.fill_diagonal(found, 0.0)
    if neighbours < len(found):
        least = np.partition(found, -neighbours, axis=1)[:, -neighbours]
        found[found < least[:, None]] = 0.0
    return found


def item_knn(seen: Histories, n_films: int, seed: int, *, neighbours: int, shrink: float) -> Sums:  # noqa: ARG001
    """Return the sums of similarities of each film to the films that a user has seen."""
    matrix = indicators(seen, n_films).astype(np.float64)
    return np.asarray(matrix @ similarities(matrix, neighbours, shrink).T)


def recent_knn(
    seen: Histories,
    n_films: int,
    seed: int,  # noqa: ARG001
    *,
    neighbours: int,
    shrink: float,
    memory: float,
) -> Sums:
    """Return the same sums, with weights that fall by the factor e for each ``memory`` films seen since."""
    matrix = indicators(seen, n_films).astype(np.float64)
    rows = np.repeat(np.arange(len(seen)), [len(films) for films in seen])
    ages = np.concatenate([np.arange(len(films))[::-1] for films in seen])
    weights = sparse.csr_array((np.exp(-ages / memory), (rows, np.concatenate(seen))), shape=matrix.shape)
    return np.asarray(weights @ similarities(matrix, neighbours, shrink).T)


def user_knn(seen: Histories, n_films: int, seed: int, *, neighbours: int, shrink: float) -> Sums:  # noqa: ARG001
    """Return for each user the sums of similarities to the users who have seen a film."""
    matrix = indicators(seen, n_films).astype(np.float64)
    return np.asarray((matrix.T @ similarities(sparse.csr_array(matrix.T), neighbours, shrink).T).T)


def bpr(seen: Histories, n_films: int, seed: int, *, factors: int, rate: float, penalty: float, epochs: int) -> Sums:
    """Return the scores of a matrix factorisation that learns to rank seen films above others."""
    from implicit.bpr import BayesianPersonalizedRanking

    model = BayesianPersonalizedRanking(
        factors=factors,
        learning_rate=rate,
        regularization=penalty,
        iterations=epochs,
        num_threads=1,
        random_state=seed,
        use_gpu=False,
    )
    model.fit(sparse.csr_matrix(indicators(seen, n_films), dtype=np.float32), show_progress=False)
    return np.asarray(model.user_factors @ model.item_factors.T, dtype=np.float64)


Rank: TypeAlias = Callable[..., Sums]
KNN = {"neighbours": (20, 50, 100, 200, 500, ALL), "shrink": (0.0, 10.0, 50.0)}
SYSTEMS: dict[str, tuple[str, Rank, Mapping[str, tuple[float, ...]], int]] = {
    "mostpop": ("MostPop", popularity, {}, 1),
    "random": ("Random", chance, {}, 3),
    "itemknn": ("ItemKNN", item_knn, KNN, 1),
    "userknn": ("UserKNN", user_knn, KNN, 1),
    "bpr": (
        "BPR",
        bpr,
        {"factors": (32, 64, 128), "rate": (0.01, 0.05), "penalty": (0.01, 0.05), "epochs": (50, 150)},
        3,
    ),
    "recent": (
        "ItemKNN with more weight on recent films",
        recent_knn,
        {"neighbours": (50, 200, ALL), "shrink": (0.0, 10.0), "memory": (3.0, 5.0, 10.0, 20.0, 50.0)},
        1,
    ),
}
"""Titles, functions, settings to choose from, and numbers of seeds."""


def choose(
    rank: Rank, grid: Mapping[str, tuple[float, ...]], seen: Histories, stars: Histories, n_films: int
) -> dict[str, float]:
    """Return the settings with the largest nDCG@10 on a held-out part of what is known."""
    (known, held_out), (_, stars) = hold_out(seen), hold_out(stars)

    def ndcg(settings: Mapping[str, float]) -> float:
        return ranking_scores(best_new(rank(known, n_films, 0, **settings), known), held_out, stars)[NDCG]

    found = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return max(found, key=ndcg) if grid else {}


def settings_text(settings: Mapping[str, float]) -> str:
    """Return settings as text.

    Examples
    --------
    >>> from baselines.movielens_rankers import ALL, settings_text
    >>> settings_text({"neighbours": ALL, "shrink": 10.0})
    'neighbours all, shrink 10'
    """
    return ", ".join(f"{name} {'all' if value == ALL else f'{value:g}'}" for name, value in settings.items())


def measure(
    rank: Rank, known: Histories, held_out: Histories, stars: Histories, n_films: int, n_seeds: int, **settings: Any
) -> Any:
    """Return the scores by metric, one per seed, and the processor time of each."""
    scores, seconds = [], []
    for seed in range(n_seeds):
        start = time.process_time()
        lists = best_new(rank(known, n_films, seed, **settings), known)
        seconds.append(time.process_time() - start)
        scores.append(ranking_scores(lists, held_out, stars))
    return {metric: [one[metric] for one in scores] for metric in scores[0]}, seconds


def main() -> None:
    """Choose settings on training data, rank, and append the scores on what was held out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder of the data, as for `graphtm reproduce movielens`")
    parser.add_argument("--system", choices=list(SYSTEMS), required=True)
    parser.add_argument("--trial", action="store_true", help="test on training data; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    title, rank, grid, n_seeds = SYSTEMS[options.system]
    for variant in SIZES:
        ratings = load_ratings(variant, options.data)
        n_films = len(ratings.films)
        known, held_out = hold_out(ratings.histories)
        stars_known, stars = hold_out(ratings.stars)
        settings = choose(rank, grid, known, stars_known, n_films)
        if options.trial:
            (known, held_out), (_, stars) = hold_out(known), hold_out(stars_known)
        scores, seconds = measure(rank, known, held_out, stars, n_films, n_seeds, **settings)
        chosen = settings_text(settings)
        print(f"{variant}, {title}: {chosen or 'no settings'}; {scores}", flush=True)
        if options.trial:
            continue
        append_baseline(
            options.output,
            experiment="movielens",
            variant=variant,
            system=title,
            version=f"implicit {version('implicit')}" if options.system == "bpr" else "",
            seeds=range(n_seeds),
            scores=scores,
            seconds=seconds,
            result=f"{chosen + ', chosen on training data; ' if chosen else ''}processor time of the last training",
            command=command_of("movielens_rankers.py", vars(options)),
        )


if __name__ == "__main__":
    main()
