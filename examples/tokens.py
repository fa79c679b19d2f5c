"""Classify sentences whose meaning depends on the order of their words; save a picture of a graph.

Run it with ``python examples/tokens.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Tokens
from graphtm.plots import draw_graph

mpl.use("Agg")


def sentences(n: int, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Return sentences about two animals, and whether a dog bites."""
    rng = np.random.default_rng(seed)
    animals, verbs, ends = ["dog", "cat", "horse"], ["bites", "sees", "likes"], ["today", "again", "at night"]
    texts = [
        f"the {rng.choice(animals)} {rng.choice(verbs)} the {rng.choice(animals)} {rng.choice(ends)}" for _ in range(n)
    ]
    return texts, np.array(["dog bites" in text for text in texts])


def main() -> None:
    """Train, draw a graph, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="tokens.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    texts, y = sentences(3000)
    encoder = Tokens(window=2, position=False)
    machine = gtm.GraphTMClassifier(
        n_clauses=20, T=40, s=3.0, epochs=given.epochs, max_included_literals=4, random_state=0
    )
    pipeline = make_pipeline(encoder, machine).fit(texts[:2000], y[:2000])
    axes = draw_graph(encoder.transform(["the dog bites the cat"]), 0)
    axes.set_title("the dog bites the cat")
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    print(machine.rules()[:3])  # noqa: T201
    score = pipeline.score(texts[2000:], y[2000:])
    print(f"{score:.1%} of 1,000 new sentences are predicted correctly; see {given.picture}")  # noqa: T201


if __name__ == "__main__":
    main()
