"""Which ten films a user will rate next, MovieLens: histories of users as graphs, and a label for each film."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphtm.estimators import GraphTMMultiLabelClassifier
from graphtm.experiments.declaration import Experiment, Folder, Preset, Reported
from graphtm.experiments.movielens_data import (
    ML_1M,
    ML_100K,
    Histories,
    Ratings,
    examples,
    hold_out,
    indicators,
    load_ratings,
)
from graphtm.experiments.movielens_graphs import FILMS, SEQUENCE, frequent_films, graphs_of
from graphtm.experiments.movielens_ranking import COVERAGE, HIT_RATE, NDCG, RECALL, best_new, ranking_scores
from graphtm.experiments.movielens_reasons import reasons
from graphtm.experiments.running import Run

# The paper does not say what its machine learns to predict; here, what follows the first 80 % of a training history.
PAPER = Preset(
    machine=dict(
        n_clauses=4096,
        T=500,
        s=5.0,
        depth=1,
        max_included_literals=256,
        symbol_encoding="random",
        hypervector_size=2096,
        symbol_bits=64,
        negative_sampling="class",
        epochs=10,
    ),
    task=dict(graphs=SEQUENCE, cuts=(0.8,), windows=(), ages=(), min_count=1, users=None, trial=False),
    quick=dict(n_clauses=50, T=50, hypervector_size=512, symbol_bits=16, epochs=2, users=60),
)
# A clause for each type of node: it is about one film among the last that were seen, and votes for what users see next.
BEST = Preset(
    machine=dict(
        n_clauses=2510,
        T=1000,
        s=2.0,
        depth=1,
        max_included_literals=1,
        negative_sampling="class",
        epochs=20,
    ),
    task=dict(
        graphs=FILMS,
        cuts=(0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
        windows=(5, 20),
        ages=(1, 5),
        min_count=5,
        users=None,
        trial=False,
    ),
    variants={ML_1M: dict(n_clauses=3166, windows=(20,), epochs=12)},
    quick=dict(n_clauses=1500, T=200, epochs=3, users=60),
)


def load(data_home: Folder | None, quick: bool) -> Folder | None:  # noqa: ARG001
    """Return the folder of the data: which set is needed, the variants say."""
    return data_home


def split_of(ratings: Ratings, task: Mapping[str, Any]) -> tuple[Histories, Histories]:
    """Return what is known of each user, and what is held out of it; a trial holds out a part of what is known."""
    known, held_out = hold_out(ratings.histories[: task["users"]])
    return hold_out(known) if task["trial"] else (known, held_out)


def fit_and_explain(run: Run, variant: str, ratings: Ratings) -> None:
    """Train for each seed, and print why the first user gets their list."""
    task = run.task(variant)
    films, (known, held_out) = ratings.films, split_of(ratings, task)
    before, after = examples(known, task["cuts"])
    frequent = frequent_films(known, len(films), task["min_count"])
    train, test = (graphs_of(histories, films, task, frequent) for histories in (before, known))
    y = indicators(after, len(films))

    def measure(classifier: GraphTMMultiLabelClassifier) -> dict[str, float]:
        return ranking_scores(best_new(classifier.class_sums(test), known), held_out)

    for seed in run.seeds:
        classifier = run.fit_labels((train, y), (test, held_out), seed=seed, variant=variant, measure=measure)
        if seed == run.seeds[0]:
            run.show(f"{variant}, first user\n{reasons(classifier, test[:1], films, task, known[0], held_out[0])}")


def train_and_test(run: Run) -> None:
    """Train on what users have seen until a time, and test on what they have seen later."""
    sets = {variant: load_ratings(variant, run.data) for variant in run.variants}  # before any training
    for variant, ratings in sets.items():
        fit_and_explain(run, variant, ratings)


def _row(variant: str, metric: str, graphtm: float | None = None, **known: Any) -> Reported:
    return Reported(graphtm, variant=variant, metric=metric, percent=False, **known)


EXPERIMENT = Experiment(
    name="movielens",
    title="Lists of ten films, MovieLens",
    section="Top-N Recommendation Systems (appendix)",
    reported=[
        _row(ML_1M, NDCG, 0.1089, best=0.1083, best_name="ItemKNN"),
        _row(ML_1M, HIT_RATE, 0.596, best=0.5776, best_name="ItemKNN"),
        _row(ML_1M, RECALL),
        _row(ML_1M, COVERAGE, 521, best=3582, best_name="Random", digits=0, compared=False),
        _row(ML_100K, NDCG),
        _row(ML_100K, HIT_RATE),
        _row(ML_100K, RECALL),
        _row(ML_100K, COVERAGE, digits=0, compared=False),
    ],
    presets={"paper": PAPER, "best": BEST},
    load=load,
    run=train_and_test,
    note="",
)
