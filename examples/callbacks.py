"""Write a callback that stops training at a given accuracy, then continue with other graphs (warm start).

Run it with ``python examples/callbacks.py [--picture FILE] [--epochs N] [--verbose]``; the picture shows the accuracy
and the length of rules.
"""

from __future__ import annotations

import argparse
import logging

import matplotlib as mpl

import graphtm as gtm

mpl.use("Agg")
from matplotlib import pyplot as plt


class StopWhenRight(gtm.Callback):
    """Stops when the training accuracy reaches a given value."""

    score_training = True

    def __init__(self, accuracy: float) -> None:
        self.accuracy = accuracy

    def on_epoch_end(self, training: gtm.learning.Training) -> None:
        """Stop if the accuracy is high enough."""
        if training.record["accuracy"] >= self.accuracy:
            training.stop()


def main() -> None:
    """Train twice, plot the history, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="callbacks.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--verbose", action="store_true", help="show a progress bar, and log each epoch")
    given = parser.parse_args()
    if given.verbose:
        logging.basicConfig(level=logging.INFO)
    machine = gtm.GraphTMClassifier(
        n_clauses=10, T=10, s=3.0, epochs=given.epochs, warm_start=True, random_state=0, verbose=given.verbose
    )
    for number in range(2):
        graphs, y = gtm.datasets.sequences(1500, noise=0.01, random_state=number)
        machine.fit(graphs, y, callbacks=[StopWhenRight(0.985)])  # the second fit continues where the first stopped
    records = machine.history_
    axes = plt.figure(figsize=(8, 4)).add_subplot()
    axes.plot([record["accuracy"] for record in records], marker=".", color="C0")
    axes.set_xlabel("epoch")
    axes.set_ylabel("accuracy", color="C0")
    other = axes.twinx()
    other.plot([record["included_literals"] for record in records], marker=".", color="C1")
    other.set_ylabel("literals per rule", color="C1")
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    test, truth = gtm.datasets.sequences(1000, random_state=9)
    print(f"{machine.epoch_} epochs in two fits; on new words, accuracy: {machine.score(test, truth):.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
