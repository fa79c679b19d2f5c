"""Classify tumours from a table of measurements; save pictures of a row as one node and as one node per column.

Run it with ``python examples/table.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Table
from graphtm.plots import draw_graph

mpl.use("Agg")
from matplotlib import pyplot as plt


def main() -> None:
    """Train, draw graphs, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="table.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=30)
    given = parser.parse_args()
    data = load_breast_cancer(as_frame=True)
    train, test, y_train, y_test = train_test_split(
        data.data, data.target_names[data.target], test_size=0.3, random_state=0, stratify=data.target
    )
    machine = gtm.GraphTMClassifier(n_clauses=200, T=200, s=5.0, depth=1, epochs=given.epochs, random_state=0)
    pipeline = make_pipeline(Table(bins=8), machine).fit(train, y_train)
    few = ["mean radius", "mean texture", "worst area"]
    _, (left, right) = plt.subplots(1, 2, figsize=(13, 5))
    for axes, layout in ((left, "one_node"), (right, "node_per_column")):
        encoder = Table(columns=few, layout=layout, bins=4)
        draw_graph(encoder.fit(train).transform(test[:1]), 0, ax=axes)
        axes.set_title(f'layout="{layout}"')
    left.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    score = pipeline.score(test, y_test)
    print(f"{score:.1%} of {len(test)} new tumours are predicted correctly; see {given.picture}")  # noqa: T201


if __name__ == "__main__":
    main()
