"""Find a motif of five letters in DNA sequences; save a picture of a graph.

Run it with ``python examples/kmers.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import KMers
from graphtm.plots import draw_graph

mpl.use("Agg")

MOTIF = "GATTA"


def sequences(n: int, length: int = 40, seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Return random sequences, half of them with the motif at a random position, and which ones have it."""
    rng = np.random.default_rng(seed)
    texts = ["".join(rng.choice(list("ACGT"), length)) for _ in range(n)]
    starts = rng.integers(0, length - len(MOTIF), n)
    planted = rng.random(n) < 0.5
    texts = [
        text[:start] + MOTIF + text[start + len(MOTIF) :] if chosen else text
        for text, start, chosen in zip(texts, starts, planted, strict=True)
    ]
    return texts, np.array([MOTIF in text for text in texts])


def main() -> None:
    """Train, draw a graph, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="kmers.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    texts, y = sequences(2000)
    encoder = KMers(k=3)
    machine = gtm.GraphTMClassifier(
        n_clauses=100, T=100, s=5.0, epochs=given.epochs, max_included_literals=4, random_state=0
    )
    pipeline = make_pipeline(encoder, machine).fit(texts[:1500], y[:1500])
    axes = draw_graph(encoder.transform(["CCGATTACA"]), 0)
    axes.set_title("CCGATTACA")
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    score = pipeline.score(texts[1500:], y[1500:])
    print(f"{score:.1%} of 500 new sequences are predicted correctly; see {given.picture}")  # noqa: T201


if __name__ == "__main__":
    main()
