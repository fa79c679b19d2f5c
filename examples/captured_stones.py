"""Find the stones of O without an empty cell or another O next to them: one label per node, not per graph.

Saves a picture of the neighbourhood of a stone.

Run it with ``python examples/captured_stones.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np

import graphtm as gtm
from graphtm.encoders import BoardGame
from graphtm.plots import draw_graph

mpl.use("Agg")

EMPTY, X, O = 0, 1, 2  # noqa: E741


def boards(n: int, size: int = 7, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return random boards, and a mask of the cells with X or the border on all four sides."""
    drawn = np.random.default_rng(seed).choice(3, size=(n, size, size), p=[0.15, 0.65, 0.2])
    around = np.pad(drawn == X, ((0, 0), (1, 1), (1, 1)), constant_values=True)
    closed = around[:, :-2, 1:-1] & around[:, 2:, 1:-1] & around[:, 1:-1, :-2] & around[:, 1:-1, 2:]
    return drawn, closed


def main() -> None:
    """Train, draw a graph, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="captured_stones.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=40)
    given = parser.parse_args()
    encoder = BoardGame(symbols={EMPTY: "empty", X: "X", O: "O"})
    (train, y_train), (test, y_test) = boards(200, seed=1), boards(100, seed=2)
    # Nodes are the cells, board by board, so a flattened mask of the boards selects nodes.
    learned = encoder.fit_transform(train).node_examples(depth=2, nodes=(train == O).ravel())
    asked = encoder.transform(test).node_examples(depth=2, nodes=(test == O).ravel())
    machine = gtm.GraphTMClassifier(n_clauses=20, T=40, s=2.0, depth=2, epochs=given.epochs, random_state=0)
    machine.fit(learned, y_train[train == O])
    axes = draw_graph(asked, 0)
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    truth = y_test[test == O]
    print(  # noqa: T201
        f"{machine.score(asked, truth):.1%} of {len(truth):,} stones on new boards are predicted correctly "
        f"({np.mean(truth):.1%} are captured); see {given.picture}"
    )


if __name__ == "__main__":
    main()
