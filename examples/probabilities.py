"""Predict probabilities, and calibrate them on held-out graphs.

Run it with ``python examples/probabilities.py [--picture FILE] [--epochs N]``; the picture shows the calibration curves
before and after.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
from sklearn.calibration import CalibrationDisplay
from sklearn.metrics import log_loss, roc_auc_score

import graphtm as gtm

mpl.use("Agg")
from matplotlib import pyplot as plt

NOISE = 0.02


def main() -> None:
    """Train, calibrate, plot the calibration curves, and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="probabilities.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    graphs, y = gtm.datasets.sequences(4000, noise=NOISE, random_state=0)
    held, answers = gtm.datasets.sequences(1000, noise=NOISE, random_state=1)
    test, truth = gtm.datasets.sequences(2000, noise=NOISE, random_state=2)
    machine = gtm.GraphTMClassifier(n_clauses=20, T=20, s=3.0, epochs=given.epochs, random_state=0).fit(graphs, y)
    axes = plt.figure(figsize=(6, 5)).add_subplot()
    losses = []
    for name in ("votes", "calibrated"):
        if name == "calibrated":
            machine.calibrate(held, answers)
        probabilities = machine.predict_proba(test)
        losses.append(log_loss(truth, probabilities))
        CalibrationDisplay.from_predictions(truth, probabilities[:, 1], n_bins=8, name=name, ax=axes)
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    area = roc_auc_score(truth, probabilities[:, 1])
    print(  # noqa: T201
        f"log loss {losses[0]:.3f}, calibrated {losses[1]:.3f} (temperature {machine.temperature_:.2f}); area under "
        f"the ROC curve {area:.3f}; on labels with {NOISE:.0%} noise, accuracy: {machine.score(test, truth):.3f}"
    )


if __name__ == "__main__":
    main()
