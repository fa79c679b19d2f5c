"""Predict satisfaction from customers, products and categories, as in arXiv:2507.14874; save a picture of a graph.

Run it with ``python examples/relations.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Relations
from graphtm.plots import draw_graph

mpl.use("Agg")

CATEGORIES = ["garden", "kitchen", "music", "sport"]


def sales(n: int, seed: int = 0) -> tuple[list[dict[str, object]], np.ndarray]:
    """Return sales, and whether the customer is satisfied: every customer likes exactly two categories."""
    rng = np.random.default_rng(seed)
    customers, products = rng.integers(0, 12, n), rng.integers(0, 40, n)
    rows = [
        {"customer": customer, "product": product, "category": CATEGORIES[product % 4]}
        for customer, product in zip(customers.tolist(), products.tolist(), strict=True)
    ]
    return rows, (products + customers) % 4 < 2


def main() -> None:
    """Train, draw a graph, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="relations.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    rows, y = sales(4000)
    encoder = Relations(edges=[("customer", "buys", "product"), ("product", "in", "category")])
    machine = gtm.GraphTMClassifier(n_clauses=200, T=200, s=3.0, depth=3, epochs=given.epochs, random_state=0)
    pipeline = make_pipeline(encoder, machine).fit(rows[:3000], y[:3000])
    axes = draw_graph(encoder.transform(rows[:1]), 0)
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    score = pipeline.score(rows[3000:], y[3000:])
    print(f"{score:.1%} of 1,000 new sales are predicted correctly; see {given.picture}")  # noqa: T201


if __name__ == "__main__":
    main()
