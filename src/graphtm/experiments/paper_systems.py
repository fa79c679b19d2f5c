"""Other systems that the paper reports: all of them, where it has more than the best one of a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias

from graphtm.experiments.amazon import COPIED, FIRST, PAPER_TABLE
from graphtm.experiments.declaration import ACCURACY, TRAINING_SECONDS, Experiment, Reported
from graphtm.experiments.movielens_data import ML_1M
from graphtm.experiments.movielens_ranking import COVERAGE, HIT_RATE, NDCG_OF_STARS
from graphtm.experiments.sentiment import DEPTH_1
from graphtm.experiments.superpixels import ALL
from graphtm.experiments.tangram import FIVE, THREE
from graphtm.experiments.viral import MAIN, TRAINING

Row: TypeAlias = tuple[str, str]
"""Variant and metric of a row."""
Result: TypeAlias = tuple[float, float | None]
"""A result, and what follows its plus-minus sign."""


def _column(rows: Sequence[Row], values: Iterable[float], spreads: Iterable[float] = ()) -> dict[Row, Result]:
    return {row: (value, spread) for row, value, spread in zip_longest(rows, values, spreads) if value is not None}


def _accuracies(variants: Iterable[str]) -> list[Row]:
    return [(variant, ACCURACY) for variant in variants]


def _opinions(gnn: Result, standard: Result) -> dict[str, dict[Row, Result]]:
    """Return columns of texts."""
    return {"GNN": {(DEPTH_1, ACCURACY): gnn}, "StdTM": {(DEPTH_1, ACCURACY): standard}}


_LISTS = [(ML_1M, metric) for metric in (NDCG_OF_STARS, HIT_RATE, COVERAGE)]
_VIRUSES = [(MAIN, metric) for metric in (TRAINING, ACCURACY, TRAINING_SECONDS)]
_RATINGS = _accuracies(COPIED)

PAPER_SYSTEMS: dict[str, Mapping[str, Mapping[Row, Result]]] = {
    "superpixels": {
        "MoNet": _column(_accuracies([ALL]), [91.11]),
        "ChebNet": _column(_accuracies([ALL]), [75.62]),
    },
    "imdb": _opinions((89.19, 2.08), (84.60, 0.55)),
    "yelp": _opinions((84.16, 0.92), (86.69, 0.50)),
    "mpqa": _opinions((83.73, 0.47), (70.06, 0.24)),
    "tangram": {
        "REINFORCE": _column(_accuracies([THREE, FIVE]), [68.5, 37.3]),
        "RANDOMER": _column(_accuracies([THREE, FIVE]), [65.8, 37.1]),
        "BS-MML": _column(_accuracies([THREE, FIVE]), [62.6, 32.2]),
    },
    "amazon": {
        "GCN": _column(_RATINGS, *PAPER_TABLE["GCN"]),
        "StdTM": {**_column(_RATINGS, *PAPER_TABLE["StdTM"]), (FIRST, TRAINING_SECONDS): (1068.99, None)},
    },
    "movielens": {
        "ItemKNN": _column(_LISTS, [0.1083, 0.5776, 1231]),
        "UserKNN": _column(_LISTS, [0.1007, 0.5336, 1844]),
        "MultiDAE": _column(_LISTS, [0.0969, 0.5576, 1401]),
        "BPRMF": _column(_LISTS, [0.0828, 0.4498, 106]),
        "NeuMF": _column(_LISTS, [0.0661, 0.4444, 111]),
        "StdTM": _column(_LISTS, [0.0487, 0.3684, 257]),
        "MostPop": _column(_LISTS, [0.0364, 0.2942, 10]),
        "Random": _column(_LISTS, [0.0052, 0.0873, 3582]),
    },
    "viral": {
        "GCN": _column(_VIRUSES, [96.64, 96.35, 226.36]),
        "BiLSTM-CNN": _column(_VIRUSES, [96.77, 95.44, 32.65]),
        "GRU": _column(_VIRUSES, [94.68, 94.05, 25.47]),
        "BiLSTM": _column(_VIRUSES, [94.43, 92.69, 50.39]),
        "LSTM": _column(_VIRUSES, [88.70, 87.29, 26.02]),
    },
}
"""By experiment and name; results are in the unit of the paper. They count for all rows with the same data."""


def systems_of_paper(experiment: Experiment, row: Reported) -> dict[str, str]:
    """Return what the other systems of the paper reach on a row, as text by name.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> from graphtm.experiments.paper_systems import systems_of_paper
    >>> tangram = experiment("tangram")
    >>> systems_of_paper(tangram, tangram.reported[0])
    {'REINFORCE': '68.50', 'RANDOMER': '65.80', 'BS-MML': '62.60'}
    """
    columns = PAPER_SYSTEMS.get(experiment.name, {})
    keys = [(variant, row.metric) for variant in experiment.with_same_data(row.variant)]
    return {name: row.text(*results[key]) for name, results in columns.items() for key in keys if key in results}
