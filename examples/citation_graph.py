"""Predict the topics of papers in a citation graph with half of them labelled; save a picture of a neighbourhood.

A paper has a few words, most of them unrelated to its topic, and cites papers, most of them on the same topic. So the
words of cited and citing papers improve the prediction.

Run it with ``python examples/citation_graph.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np

import graphtm as gtm
from graphtm.plots import draw_graph

mpl.use("Agg")

TOPICS = ["biology", "law", "music", "physics"]


def papers(n: int, seed: int = 0) -> tuple[gtm.GraphBatch, np.ndarray]:
    """Return one graph of papers that cite earlier ones, and the topic of each."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, len(TOPICS), n)
    # There are 10 words per topic and 60 neutral ones. A paper has four words; two of three papers have a topic word.
    words = rng.integers(0, 60, (n, 4))
    telling = rng.random(n) < 2 / 3
    words[telling, 0] = 60 + 10 * topic[telling] + rng.integers(0, 10, np.count_nonzero(telling))
    names = [*(f"word{k}" for k in range(60)), *(f"{name}{k}" for name in TOPICS for k in range(10))]
    citing, cited = [], []
    for paper in range(20, n):
        own = rng.random(4) < 0.9
        alike = np.flatnonzero(topic[:paper] == topic[paper])
        chosen = np.where(own, rng.choice(alike, 4), rng.integers(0, paper, 4))
        citing += [paper] * 4
        cited += chosen.tolist()
    graph = gtm.GraphBatch.from_arrays(
        [n],
        (np.repeat(np.arange(n), 4), words.ravel()),
        names,
        edges=(citing + cited, cited + citing, np.repeat([0, 1], len(citing))),
        edge_types=["cites", "is cited by"],
    )
    return graph, np.array(TOPICS)[topic]


def main() -> None:
    """Train, draw a graph, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="citation_graph.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=30)
    given = parser.parse_args()
    graph, y = papers(4000)
    order = np.random.default_rng(1).permutation(len(y))
    known, asked = order[:2000], order[2000:]
    share = {}
    for depth in (1, 2):
        examples = graph.node_examples(depth)
        machine = gtm.GraphTMClassifier(n_clauses=400, T=8000, s=1.0, depth=depth, epochs=given.epochs, random_state=0)
        share[depth] = machine.fit(examples[known], y[known]).score(examples[asked], y[asked])
    axes = draw_graph(graph.node_examples(2), int(asked[0]))
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    print(  # noqa: T201
        f"With the words of neighbouring papers, {share[2]:.1%} of {len(asked):,} papers are predicted correctly, "
        f"without them {share[1]:.1%}; see {given.picture}"
    )


if __name__ == "__main__":
    main()
