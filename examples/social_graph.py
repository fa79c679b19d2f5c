"""Predict who joins a club in a social graph with a third of the people labelled; save a picture of a neighbourhood.

A person joins who is free and knows a member who talks about the club: a rule about a node and its neighbours. The
strongest learned rules are printed.

Run it with ``python examples/social_graph.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np

import graphtm as gtm
from graphtm.plots import draw_graph

mpl.use("Agg")

TRAITS = ["free", "member", "talks", "young", "sporty"]


def people(n: int, seed: int = 0) -> tuple[gtm.GraphBatch, np.ndarray]:
    """Return one graph of people who know each other, and whether each joins."""
    rng = np.random.default_rng(seed)
    has = rng.random((n, len(TRAITS))) < [0.7, 0.5, 0.4, 0.5, 0.3]
    # Most acquaintances are within circles of eight people, some are elsewhere.
    one = np.repeat(np.arange(n), 3)
    other = np.where(rng.random(3 * n) < 0.7, one // 8 * 8 + rng.integers(0, 8, 3 * n), rng.integers(0, n, 3 * n)) % n
    both_ways = np.concatenate([np.stack([one, other]), np.stack([other, one])], axis=1)
    source, destination = np.unique(both_ways[:, both_ways[0] != both_ways[1]], axis=1)
    graph = gtm.GraphBatch.from_arrays([n], has, TRAITS, edges=(source, destination), edge_types=["knows"])
    persuaded = np.zeros(n, bool)
    persuaded[destination[has[source, 1] & has[source, 2]]] = True
    return graph, np.where(has[:, 0] & persuaded, "joins", "stays")


def main() -> None:
    """Train, draw a graph, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="social_graph.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=250)
    given = parser.parse_args()
    graph, y = people(3000)
    asked = np.arange(len(y)) % 3 == 0
    # The last epoch need not be the best one: a fifth of the labels is held out to select the best epoch.
    machine = gtm.GraphTMClassifier(
        n_clauses=40,
        T=40,
        s=5.0,
        depth=2,
        max_included_literals=6,
        epochs=given.epochs,
        validation_fraction=0.2,
        patience=250,
        random_state=0,
    )
    machine.fit(graph.node_examples(depth=2, nodes=asked), y[asked])
    print(machine.rules("joins", top=3))  # noqa: T201
    axes = draw_graph(graph.node_examples(depth=2, nodes=[1]), 0)
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    share = machine.score(graph.node_examples(depth=2, nodes=~asked), y[~asked])
    n = np.count_nonzero(~asked)
    print(f"{share:.1%} of {n:,} unlabelled people are predicted correctly; see {given.picture}")  # noqa: T201


if __name__ == "__main__":
    main()
