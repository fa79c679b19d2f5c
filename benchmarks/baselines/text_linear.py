"""A linear support vector machine on n-grams of the texts of our experiments; its settings by cross-validation.

Appends its result to ``results/baselines.jsonl``, from which ``python -m graphtm.experiments`` takes it::

    python benchmarks/baselines/text_linear.py imdb --data DIR
    python benchmarks/baselines/text_linear.py imdb --data DIR --holdout 5000     # a trial on training data
"""

from __future__ import annotations

import argparse
import time
from importlib.metadata import version
from itertools import product

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

from graphtm.encoders import Tokens
from graphtm.experiments import Split, experiment
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY
from graphtm.experiments.mpqa import NEW
from graphtm.experiments.sentiment import DEPTH_1, is_new

LENGTHS, WEIGHTS, COSTS = (1, 2, 3), ("presence", "tf-idf"), (0.01, 0.03, 0.1, 0.3, 1.0)


def n_grams(length: int, weights: str, min_texts: int) -> TfidfVectorizer:
    """Return an encoder of n-grams up to a length, of the words that our encoders see."""
    weighted = weights == "tf-idf"
    return TfidfVectorizer(
        ngram_range=(1, length),
        token_pattern=Tokens().pattern,
        min_df=min_texts,
        binary=True,
        use_idf=weighted,
        norm="l2" if weighted else None,
    )


def machine(cost: float) -> LinearSVC:
    """Return a linear machine with the same work for every C."""
    return LinearSVC(C=cost, max_iter=300, random_state=0)


def choose(split: Split, min_texts: int) -> tuple[int, str, float]:
    """Return the length of n-grams, their weights and C with the best accuracy over folds of the training set."""
    found: dict[tuple[int, str, float], float] = {}
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    for length, weights in product(LENGTHS, WEIGHTS):
        table = n_grams(length, weights, min_texts).fit_transform(split.train)
        for cost in COSTS:
            # Rows of length 1 want a larger C than rows of ones.
            scaled = cost * (10 if weights == "tf-idf" else 0.3)
            found[length, weights, scaled] = float(cross_val_score(machine(scaled), table, split.y, cv=folds).mean())
            print(f"n-grams to {length}, {weights}, C = {scaled:g}: {found[length, weights, scaled]:.4f}", flush=True)
    return max(found, key=found.__getitem__)


def main() -> None:
    """Choose settings on the training set, train on it, and append the accuracy on the test set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=["imdb", "yelp", "mpqa"])
    parser.add_argument("--data", help="folder that holds imdb/, yelp_reviews_stars/, mpqa/")
    parser.add_argument("--min-texts", type=int, help="texts that an n-gram must be in; default: 3, but 1 for mpqa")
    parser.add_argument("--holdout", type=int, help="test on so many training texts; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    min_texts = options.min_texts or (1 if options.name == "mpqa" else 3)

    split = experiment(options.name).load(options.data, False)
    split = split.held_out(options.holdout) if options.holdout else split
    length, weights, cost = choose(split, min_texts)
    start = time.process_time()
    encoder = n_grams(length, weights, min_texts)
    model = machine(cost).fit(encoder.fit_transform(split.train), split.y)
    seconds = time.process_time() - start
    right = model.predict(encoder.transform(split.test)) == split.y_test
    scores = {ACCURACY: [float(np.mean(right))]}
    if options.name == "mpqa":
        scores[NEW] = [float(np.mean(right[is_new(split)]))]
    print(f"n-grams to {length}, {weights}, C = {cost:g}: {scores}")
    if options.holdout:
        return
    grams = "single words" if length == 1 else f"n-grams of up to {length} words"
    append_baseline(
        options.output,
        experiment=options.name,
        variant=DEPTH_1,
        system="linear SVM on n-grams",
        version=f"scikit-learn {version('scikit-learn')}",
        seeds=[0],
        scores=scores,
        seconds=[seconds],
        result=f"{grams} by {weights} and C = {cost:g}, chosen by cross-validation; "
        "processor time of one core, without the choice",
        command=command_of("text_linear.py", {**vars(options), "min_texts": min_texts}),
    )


if __name__ == "__main__":
    main()
