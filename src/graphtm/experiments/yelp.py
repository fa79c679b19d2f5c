"""Reviews of shops and restaurants, Yelp: graphs of words as in the paper, and the phrases of whole reviews."""

from __future__ import annotations

from graphtm.datasets import load_yelp
from graphtm.experiments.declaration import Experiment, Folder, Preset, Reported, Split
from graphtm.experiments.running import Run
from graphtm.experiments.sentiment import DEPTH_1, DEPTH_2, SECTION, TASK, TEXTS, paper, run_texts, shuffled

PAPER = paper(window=2)
BEST = Preset(
    machine=dict(n_clauses=200, T=30_000, s=500.0, depth=1, max_misses=19, max_included_literals=100, epochs=12),
    task={**TASK, "graphs": TEXTS, "ngrams": 2, "beginnings": (4, 6), "min_texts": 2, "n_phrases": 20_000},
    quick=dict(n_clauses=50, T=2000, epochs=3, n_phrases=2000, min_texts=3),
    only=(DEPTH_1,),
)


def load(data_home: Folder | None, quick: bool) -> Split:
    """Return the reviews, shuffled; those with three stars are left out."""
    train = shuffled(*load_yelp(data_home=data_home))
    split = Split(*train, *shuffled(*load_yelp(subset="test", data_home=data_home)))
    return split.first(500, 250) if quick else split


def train_and_test(run: Run) -> None:
    """Train on reviews, and print the phrases that decided."""
    run_texts(run)


EXPERIMENT = Experiment(
    name="yelp",
    title="Reviews of shops and restaurants, Yelp",
    section=SECTION,
    reported=[
        Reported(84.15, 1.32, best=86.69, best_spread=0.50, best_name="StdTM", variant=DEPTH_1),
        Reported(85.24, 1.45, best=86.69, best_spread=0.50, best_name="StdTM", variant=DEPTH_2),
    ],
    presets={"paper": PAPER, "best": BEST},
    load=load,
    run=train_and_test,
    last_epochs=3,
    note="The paper uses a part of the reviews of Zhang et al. (2015), half of which are positive, and does not say "
    "which. Ours are of a Kaggle competition and of the Yelp Open Dataset: 13,023 for training, 78 % of them positive, "
    "and 4,455 for testing, 74 % positive; no text is in both. The paper connects every pair of words, preset paper "
    "those up to a distance.",
)
