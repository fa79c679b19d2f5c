"""Learn a hidden motif, then explain the prediction for one graph.

Saves a picture of the graph with the score of every node, and of the most important edges over many graphs.

Run it with ``python examples/explain_graph.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np

import graphtm as gtm
from graphtm.explain import Explanation, edge_patterns, fidelity, recovery, top_nodes
from graphtm.plots import draw_graph

mpl.use("Agg")
from matplotlib import pyplot as plt


def draw(explanation: Explanation, patterns: list[tuple[tuple[tuple, object, tuple], float]], picture: str) -> None:
    """Draw the graph with the scores of its nodes, and the edges with the most votes over all graphs."""
    graph, scores = explanation.graph, explanation.scores(1, against=0).nodes
    _, (left, right) = plt.subplots(1, 2, figsize=(14, 7), width_ratios=(3, 2))
    symbols = ["".join(graph.properties(node)) for node in graph]
    draw_graph(graph, ax=left, node_text=[f"{name}\n{score:+.0f}" for name, score in zip(symbols, scores, strict=True)])
    left.set_title(f"predicted {explanation.prediction}, votes {explanation.votes}")
    names = [f"{''.join(source)} -{kind}-> {''.join(target)}" for (source, kind, target), _ in patterns[:6]]
    right.barh(names[::-1], [score for _, score in patterns[:6]][::-1])
    right.set_title("votes by edge, all graphs")
    right.figure.savefig(picture, dpi=120, bbox_inches="tight")


def main() -> None:
    """Train, explain a prediction, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="explain_graph.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=30)
    given = parser.parse_args()
    made = gtm.datasets.motif_graphs(4000, motif="star", random_state=0)
    graphs, y = made
    clf = gtm.GraphTMClassifier(
        n_clauses=60, T=120, s=4.0, epochs=given.epochs, max_included_literals=8, random_state=1
    ).fit(graphs[:3500], y[:3500])
    unseen = graphs[3500:]
    shown = unseen[made.rule(unseen) == 1]
    explanations = [clf.explain(shown[i : i + 1]) for i in range(len(shown))]
    explanation = explanations[0]
    print(explanation)  # noqa: T201
    if explanation.fired:
        print(explanation.witness(explanation.fired[0].clause))  # noqa: T201
    print(explanation.smallest_change(max_changes=2))  # noqa: T201

    scores = np.concatenate([each.scores(1, against=0).nodes for each in explanations])
    print(f"planted: {made.rule}", recovery(scores, made.rule.nodes(shown), shown.node_counts))  # noqa: T201
    print(fidelity(clf.predict, shown, top_nodes(scores, shown.node_counts, 3)))  # noqa: T201
    draw(explanation, edge_patterns(explanations, 1, against=0), given.picture)
    print(f"accuracy: {clf.score(unseen, y[3500:]):.3f}; see {given.picture}")  # noqa: T201


if __name__ == "__main__":
    main()
