"""Learn a rare class with class weights.

Run it with ``python examples/class_weights.py [--picture FILE] [--epochs N]``; the picture shows the recall of each
class with and without weights.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np
from sklearn.metrics import balanced_accuracy_score, recall_score

import graphtm as gtm

mpl.use("Agg")
from matplotlib import pyplot as plt


def main() -> None:
    """Train twice, plot the recall, and print the balanced accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="class_weights.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    graphs, y = gtm.datasets.sequences(5000, random_state=0)
    rare = np.flatnonzero(y == 1)[:40]
    chosen = np.sort(np.concatenate([np.flatnonzero(y == 0), rare]))
    graphs, y = graphs[chosen], y[chosen]
    test, truth = gtm.datasets.sequences(1000, random_state=1)
    axes = plt.figure(figsize=(6, 4)).add_subplot()
    scores = {}
    for place, weight in enumerate((None, "balanced")):
        machine = gtm.GraphTMClassifier(
            n_clauses=20, T=20, s=3.0, epochs=given.epochs, class_weight=weight, random_state=0
        ).fit(graphs, y)
        predicted = machine.predict(test)
        scores[weight] = balanced_accuracy_score(truth, predicted)
        found = recall_score(truth, predicted, average=None)
        axes.bar(np.arange(2) + 0.4 * place - 0.2, found, width=0.4, label=f"class_weight={weight!r}")
    axes.set_xticks([0, 1], ["no (many)", "three A's (40)"])
    axes.set_ylabel("recall")
    axes.legend()
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    print(f"balanced accuracy without weights {scores[None]:.3f}; with weights, accuracy: {scores['balanced']:.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
