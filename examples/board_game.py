"""Find three X in a row on a board, across or down; save pictures of graphs of a square board and of a Hex board.

Run it with ``python examples/board_game.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import BoardGame
from graphtm.plots import draw_graph

mpl.use("Agg")
from matplotlib import pyplot as plt

PIECES = {0: "empty", 1: "X", 2: "O"}


def boards(n: int, size: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return random boards, and whether there are three X in a row, across or down; the classes are balanced."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, 3, (12 * n, size, size))
    rows = [sliding_window_view(drawn == 1, 3, axis=axis).all(axis=3).any(axis=(1, 2)) for axis in (1, 2)]
    y = rows[0] | rows[1]
    chosen = np.concatenate([np.flatnonzero(y)[: n // 2], np.flatnonzero(~y)[: n // 2]])
    chosen = rng.permutation(chosen)
    return drawn[chosen], y[chosen]


def main() -> None:
    """Train, draw a graph, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="board_game.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=25)
    given = parser.parse_args()
    X, y = boards(2000)
    machine = gtm.GraphTMClassifier(
        n_clauses=60, T=120, s=4.0, epochs=given.epochs, max_included_literals=8, random_state=0
    )
    pipeline = make_pipeline(BoardGame(symbols=PIECES), machine).fit(X[:1400], y[:1400])
    _, (left, right) = plt.subplots(1, 2, figsize=(13, 6))
    rows, columns = np.indices((3, 3)).reshape(2, -1)
    for axes, neighbours in ((left, "grid4"), (right, "hex")):
        shift = rows / 2 if neighbours == "hex" else 0
        graphs = BoardGame(symbols=PIECES, neighbours=neighbours).fit_transform([[[0, 1, 2], [2, 1, 0], [0, 1, 2]]])
        draw_graph(graphs, 0, ax=axes, layout=np.stack([columns + shift, -rows], axis=1))
        axes.set_title(f'neighbours="{neighbours}"')
    left.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    score = pipeline.score(X[1400:], y[1400:])
    print(f"{score:.1%} of {len(X) - 1400} new boards are predicted correctly; see {given.picture}")  # noqa: T201


if __name__ == "__main__":
    main()
