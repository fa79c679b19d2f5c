"""Train on noisy labels, stop when the validation score no longer improves, and keep the best epoch.

Run it with ``python examples/early_stopping.py [--picture FILE] [--epochs N]``; the picture shows the scores.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl

import graphtm as gtm

mpl.use("Agg")
from matplotlib import pyplot as plt


def main() -> None:
    """Train, plot the scores, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="early_stopping.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=60)
    given = parser.parse_args()
    graphs, y = gtm.datasets.sequences(4000, noise=0.1, random_state=0)
    test, truth = gtm.datasets.sequences(1000, random_state=1)
    history, stopping = gtm.History(), gtm.EarlyStopping(patience=10)
    machine = gtm.GraphTMClassifier(
        n_clauses=10, T=10, s=3.0, epochs=given.epochs, validation_fraction=0.2, random_state=0
    )
    machine.fit(graphs, y, eval_set=(test, truth), callbacks=[history, stopping])
    axes = plt.figure(figsize=(8, 4)).add_subplot()
    names = {"accuracy": "training", "val_accuracy": "validation", "val2_accuracy": "test, without noise"}
    for name, text in names.items():
        axes.plot(history["epoch"], history[name], marker=".", label=text)
    axes.axvline(stopping.best_epoch, color="grey", linestyle=":", label="kept")
    axes.set(xlabel="epoch", ylabel="accuracy")
    axes.legend()
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    print(  # noqa: T201
        f"kept epoch {stopping.best_epoch} of {len(history.records)} with validation score {stopping.best_score:.3f} "
        f"(noisy labels); on new words without noise, accuracy: {machine.score(test, truth):.3f}"
    )


if __name__ == "__main__":
    main()
