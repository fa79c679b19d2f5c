"""Use scikit-learn's tools: a pipeline for tables, a parallel grid search, sample weights, a ROC curve.

Run it with ``python examples/search.py [--picture FILE] [--epochs N] [--jobs N]``; the picture shows the ROC curve.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils.class_weight import compute_sample_weight

import graphtm as gtm
from graphtm.encoders import Table

mpl.use("Agg")
from matplotlib import pyplot as plt


def main() -> None:
    """Search, plot the ROC curve, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="search.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    given = parser.parse_args()
    data = load_breast_cancer(as_frame=True)
    train, test, y_train, y_test = train_test_split(
        data.data, data.target, test_size=0.3, random_state=0, stratify=data.target
    )
    machine = gtm.GraphTMClassifier(n_clauses=50, depth=1, epochs=given.epochs, random_state=0, n_jobs=1)
    grid = {"graphtmclassifier__T": [25, 50], "graphtmclassifier__s": [2.0, 5.0], "table__bins": [8]}
    search = GridSearchCV(make_pipeline(Table(), machine), grid, cv=3, scoring="roc_auc", n_jobs=given.jobs)
    search.fit(train, y_train, graphtmclassifier__sample_weight=compute_sample_weight("balanced", y_train))
    display = RocCurveDisplay.from_estimator(search, test, y_test)
    display.figure_.savefig(given.picture, dpi=120, bbox_inches="tight")
    plt.close(display.figure_)
    chosen = {name.split("__")[1]: value for name, value in search.best_params_.items()}
    accuracy = search.best_estimator_.score(test, y_test)
    print(f"chosen: {chosen}; area under the ROC curve {display.roc_auc:.3f}, accuracy: {accuracy:.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
