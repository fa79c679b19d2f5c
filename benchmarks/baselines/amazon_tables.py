"""Predictions for the ratings of `amazon` without any learning: the most frequent rating, or that of the product.

The most frequent rating of a product among the training rows is what can be remembered of it; for products that no
training row has, it is the most frequent rating of all. Appends results to ``results/baselines.jsonl``, from which
``python -m graphtm.experiments`` takes them::

    python benchmarks/baselines/amazon_tables.py --data DIR
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict

import numpy as np
from numpy.typing import NDArray

from graphtm.experiments import Split, experiment
from graphtm.experiments.amazon_rows import PRODUCT, split_of
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY


def most_frequent(split: Split) -> NDArray[np.int64]:
    """Return the most frequent rating for each test row."""
    rating, _ = Counter(split.y.tolist()).most_common(1)[0]
    return np.full(len(split.y_test), rating)


def remembered(split: Split) -> NDArray[np.int64]:
    """Return the most frequent rating of the product of each test row."""
    ratings: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for product, rating in zip(split.train[:, PRODUCT].tolist(), split.y.tolist(), strict=True):
        ratings[product][rating] += 1
    found = most_frequent(split)
    for number, product in enumerate(split.test[:, PRODUCT].tolist()):
        if product in ratings:
            found[number] = ratings[product].most_common(1)[0][0]
    return found


SYSTEMS = {"most frequent rating": most_frequent, "most frequent rating of the product": remembered}


def main() -> None:
    """Predict the test rows of each variant, and append the accuracies."""
    amazon = experiment("amazon")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder that holds amazon_sales/")
    parser.add_argument("--trial", action="store_true", help="test on training rows; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()

    rows = amazon.load(options.data, False)
    for variant in amazon.variants:
        split = split_of(rows, {**amazon.presets["paper"].of(variant).task, "trial": options.trial})
        for system, predict in SYSTEMS.items():
            begun = time.process_time()
            accuracy = float(np.mean(predict(split) == split.y_test))
            seconds = time.process_time() - begun
            print(f"{variant}, {system}: {100 * accuracy:.2f} %", flush=True)
            if not options.trial:
                append_baseline(
                    options.output,
                    experiment=amazon.name,
                    variant=variant,
                    system=system,
                    seeds=[0],
                    scores={ACCURACY: [accuracy]},
                    seconds=[seconds],
                    result="nothing is drawn, processor time of one core",
                    command=command_of("amazon_tables.py", vars(options)),
                )


if __name__ == "__main__":
    main()
