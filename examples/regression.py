"""Count how often a motif occurs in random graphs, beside a linear model that counts symbols and edges.

The target is how often a node A has a red edge from a B and a blue one from a C. How many nodes have which symbol, and
how many edges have which type, says little about it. A deep machine sees the motif, but a clause is true of a graph or
not, however often. ``Neighbourhoods`` tells each node what it is next to, and ``WholeGraph`` how many nodes are so; the
clauses of the machine combine these facts. The picture has the predictions beside the true numbers. At last, ``refit``
keeps 20 rules, of which it prints three.

Run it with ``python examples/regression.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Neighbourhoods, WholeGraph

mpl.use("Agg")


def counts(graphs: gtm.GraphBatch) -> np.ndarray:
    """Return how many nodes of each graph have each symbol, and how many edges have each type."""
    symbols, types = graphs.vocabulary.symbols, graphs.vocabulary.edge_types
    rows = []
    for graph in graphs:
        carried = [symbol for node in graph.nodes for symbol in graph.properties(node)]
        kinds = [kind for _, _, kind in graph.edges]
        rows.append([*map(carried.count, symbols), *map(kinds.count, types)])
    return np.array(rows)


def main() -> None:
    """Learn, draw the predictions, and print R2 and the mean absolute error beside those of a linear model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="regression.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=40, help="number of times to go through the graphs")
    given = parser.parse_args()

    made = gtm.datasets.motif_counts(3000, random_state=1)
    train, test = slice(2000), slice(2000, None)
    y, truth = made.y[train], made.y[test]
    machine = {"n_clauses": 400, "epochs": given.epochs, "random_state": 0}
    pipeline = make_pipeline(Neighbourhoods(min_graphs=5), WholeGraph(), gtm.GraphTMRegressor(depth=1, **machine))
    deep = gtm.GraphTMRegressor(depth=2, **machine)
    seen = counts(made.graphs)
    found = {
        "facts about the graph": pipeline.fit(made.graphs[train], y).predict(made.graphs[test]),
        "messages (depth 2)": deep.fit(made.graphs[train], y).predict(made.graphs[test]),
        "linear model of counts": LinearRegression().fit(seen[train], y).predict(seen[test]),
    }
    scores = {name: (r2_score(truth, one), mean_absolute_error(truth, one)) for name, one in found.items()}

    _, axes = plt.subplots(1, 3, figsize=(12, 4), sharex=True, sharey=True, layout="constrained")
    spread = np.random.default_rng(0).uniform(-0.25, 0.25, len(truth))
    for ax, (name, predicted) in zip(axes, found.items(), strict=True):
        ax.plot([0, truth.max()], [0, truth.max()], color="0.7", linewidth=1)
        ax.scatter(truth + spread, predicted, s=6, alpha=0.4)
        ax.set_title(f"{name}: R2 {scores[name][0]:.2f}", fontsize=10)
        ax.set_xlabel("number of occurrences (spread out)")
    axes[0].set_ylabel("prediction")
    plt.savefig(given.picture, dpi=120)

    pipeline[-1].refit(pipeline[:-1].transform(made.graphs[train]), y, n_rules=20)
    short = pipeline.predict(made.graphs[test])
    scores["20 rules about facts"] = (r2_score(truth, short), mean_absolute_error(truth, short))
    print(pipeline[-1].rules(top=3))  # noqa: T201
    texts = [f"{name}: R2 {r2:.3f}, mean absolute error {error:.3f}" for name, (r2, error) in scores.items()]
    print("; ".join(texts))  # noqa: T201


if __name__ == "__main__":
    main()
