"""The standard Tsetlin machine of tmu on bags of words, with the clauses, T and s of the paper.

Needs ``pip install tmu "numpy<2"``. Appends its result to ``results/baselines.jsonl``, from which ``python -m
graphtm.experiments`` takes it::

    python benchmarks/baselines/text_tm.py imdb --data DIR --epochs 10
"""

from __future__ import annotations

import argparse
import time
from importlib.metadata import version

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import make_pipeline

from graphtm.encoders import Tokens
from graphtm.experiments import experiment
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY
from graphtm.experiments.mpqa import NEW
from graphtm.experiments.sentiment import DEPTH_1, is_new


def main() -> None:
    """Train, test after each epoch, and append the result of the last epoch."""
    from tmu.models.classification.vanilla_classifier import TMClassifier

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["imdb", "yelp", "mpqa"])
    parser.add_argument("--data", help="folder that holds imdb/, yelp_reviews_stars/, mpqa/")
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--clauses", type=int, help="number of clauses; T follows. Default: that of the paper")
    parser.add_argument("--words", type=int, default=5000, help="words with the largest chi-square statistics")
    parser.add_argument("--seed", type=int, default=1, help="above 0; with 0, tmu never ends")
    parser.add_argument("--train-size", type=int, help="use so many training texts; the result is not recorded")
    parser.add_argument("--holdout", type=int, help="test on so many training texts; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    if options.seed < 1:
        parser.error(f"--seed must be above 0, since tmu never ends with 0; got {options.seed}.")

    found = experiment(options.name)
    paper = found.presets["paper"].machine
    n_clauses = options.clauses or paper["n_clauses"]
    split = found.load(options.data, False)
    split = split.held_out(options.holdout) if options.holdout else split
    split = split.first(options.train_size) if options.train_size else split
    words = CountVectorizer(token_pattern=Tokens().pattern, binary=True)
    n_words = min(options.words, len(words.fit(split.train).vocabulary_))
    bags = make_pipeline(words, SelectKBest(chi2, k=n_words))
    train = bags.fit_transform(split.train, split.y).toarray().astype(np.uint32)
    test = bags.transform(split.test).toarray().astype(np.uint32)
    # tmu has the clauses of each class, the paper counts all.
    model = TMClassifier(
        n_clauses // 2,
        max(1, paper["T"] * n_clauses // paper["n_clauses"]),
        paper["s"],
        weighted_clauses=True,
        seed=options.seed,
    )
    y = np.asarray(split.y, dtype=np.uint32)
    right = np.zeros(len(split.y_test), dtype=np.bool_)
    seconds = 0.0
    for epoch in range(1, options.epochs + 1):
        start = time.process_time()
        model.fit(train, y)
        seconds += time.process_time() - start
        right = np.asarray(model.predict(test) == split.y_test)
        print(
            f"epoch {epoch}/{options.epochs}: {100 * right.mean():.2f} %, {seconds / epoch:.1f} s per epoch", flush=True
        )
    if options.train_size or options.holdout:
        return
    scores = {ACCURACY: [float(right.mean())]}
    if options.name == "mpqa":
        scores[NEW] = [float(right[is_new(split)].mean())]
    append_baseline(
        options.output,
        experiment=options.name,
        variant=DEPTH_1,
        system=f"standard TM, {n_clauses:,} clauses, {n_words:,} words",
        version=f"tmu {version('tmu')}",
        seeds=[options.seed],
        scores=scores,
        seconds=[seconds],
        result=f"the last of {options.epochs} epochs, processor time of one core",
        command=command_of("text_tm.py", {**vars(options), "clauses": n_clauses}),
    )


if __name__ == "__main__":
    main()
