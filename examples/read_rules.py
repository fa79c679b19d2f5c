"""Read all learned rules, unrolled to symbols, for words; save a picture of the nodes where rules are true.

Run it with ``python examples/read_rules.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np

import graphtm as gtm

mpl.use("Agg")
import matplotlib.pyplot as plt


def draw(rules: gtm.explain.RuleSet, graphs: gtm.GraphBatch, words: list[str], path: str) -> None:
    """Save a picture with one panel per word and one row per rule, dark where the rule is true."""
    figure, axes = plt.subplots(1, len(words), figsize=(2.2 * len(words), 0.4 * len(rules) + 1.2), sharey=True)
    for axis, graph, word in zip(axes, graphs, words, strict=True):
        truth = np.array([formula.evaluate(graph) for formula in rules.unroll()])
        axis.imshow(truth, cmap="Greys", vmin=0, vmax=1.4, aspect="auto")
        axis.set_xticks(range(len(word)), word)
        axis.set_yticks(range(len(rules)), [f"C{rule.clause} {list(rule.weights)}" for rule in rules])
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    """Learn which words have three A's in a row, and print the rules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="read_rules.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=10)
    given = parser.parse_args()
    graphs, y = gtm.datasets.sequences(4000, random_state=0)
    machine = gtm.GraphTMClassifier(
        n_clauses=4, T=8, s=3.0, depth=2, epochs=given.epochs, max_included_literals=6, random_state=0
    ).fit(graphs, y)
    test, truth = gtm.datasets.sequences(1000, random_state=1)
    rules = machine.rules().measured(machine.transform(test), truth).sort("weight")
    print(rules, end="\n\n")  # noqa: T201
    for rule in rules:
        assert rule.measures is not None  # noqa: S101 -- just measured
        print(f"C{rule.clause} is true for {rule.measures.coverage:.0%} of the words:")  # noqa: T201
        print(f"    {rule.unroll().chain()}", end="\n\n")  # noqa: T201
    print(rules.traceability(), end="\n\n")  # noqa: T201
    words = ["BAAAE", "ABCAA", "EDCBA"]
    draw(rules, gtm.GraphBatch.from_graphs(map(word_graph, words)), words, given.picture)
    print(f"accuracy: {machine.score(test, truth):.3f}; see {given.picture}")  # noqa: T201


def word_graph(word: str) -> gtm.Graph:
    """Return a word as a graph with one node per letter and edges to both neighbours, typed by direction."""
    graph = gtm.Graph()
    for place, letter in enumerate(word):
        graph.add_node(place, properties=[letter])
    for place in range(1, len(word)):
        graph.add_edge(place - 1, place, type="right")
        graph.add_edge(place, place - 1, type="left")
    return graph


if __name__ == "__main__":
    main()
