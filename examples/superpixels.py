"""Distinguish two digits as graphs of superpixels; save a picture of graphs and of rules.

Run it with ``python examples/superpixels.py [--mnist FOLDER] [--picture FILE]``; without MNIST it draws digits.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm import plots
from graphtm.bench import drawn_digits
from graphtm.encoders.superpixels import Superpixels

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection


def digits(mnist: Path | None, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return images of zeros and ones, or of the first two classes of drawn digits."""
    if mnist is None:
        images, y = drawn_digits(6 * n, seed=0)
    else:
        images, y = gtm.datasets.load_mnist(data_home=mnist, download=False)
    chosen = np.flatnonzero(y < 2)[:n]
    return images[chosen], y[chosen]


def draw_graph(axes: plt.Axes, encoder: Superpixels, image: np.ndarray) -> None:
    """Draw the segments of an image and its graph, and list the symbols of one node."""
    graph, labels = encoder.transform(image[None])[0], encoder.segments(image[None])[0]
    y, x = np.indices(labels.shape)
    centres = np.array([[x[labels == node].mean(), y[labels == node].mean()] for node in graph.nodes])
    axes.imshow(image, cmap="gray_r", alpha=0.6)
    axes.add_collection(LineCollection(borders(labels), colors="0.7", linewidths=0.7))
    shade = [dict(graph.properties(node))["intensity"] for node in graph.nodes]
    plots.draw_graph(graph, ax=axes, layout=centres, node_text=[str(level) for level in shade])
    axes.set_title(
        f"{len(graph.nodes)} nodes, {graph.n_edges} edges; numbers are intensity levels", fontsize=10, pad=20
    )
    axes.set_xticks([])
    axes.set_yticks([])
    brightest = int(np.argmax(shade))
    carried = ",  ".join(f"{name} {step}" for name, step in graph.properties(brightest))
    axes.plot(*centres[brightest], "o", ms=15, mfc="none", mec="tab:green", mew=2.5, zorder=5)
    axes.set_xlabel(f"symbols of the node in the green ring:\n{carried}", fontsize=9)


def draw_rule(place: plt.Axes, intensity: plt.Axes, encoder: Superpixels, rule: gtm.explain.Rule, kind: int) -> None:
    """Draw the positions and intensities that a rule requires (red) and negates (blue)."""
    picture = encoder.render(rule.layers[0])
    place.imshow(picture.position, cmap="bwr", vmin=-2.5, vmax=2.5)
    place.set_title(f"C{rule.clause}: {rule.weights[kind]:+d} for {kind}", fontsize=10)
    place.set_xlabel("position", fontsize=9)
    intensity.imshow(picture.intensity[None], cmap="bwr", vmin=-1.5, vmax=1.5)
    intensity.set_xlabel("intensity, from dark to bright", fontsize=9)
    for axes in (place, intensity):
        axes.set_xticks([])
        axes.set_yticks([])


def borders(labels: np.ndarray) -> list[list[tuple[float, float]]]:
    """Return lines between pixels of different segments."""
    below = np.argwhere(labels[1:] != labels[:-1])
    right = np.argwhere(labels[:, 1:] != labels[:, :-1])
    return [
        *([(x - 0.5, y + 0.5), (x + 0.5, y + 0.5)] for y, x in below),
        *([(x + 0.5, y - 0.5), (x + 0.5, y + 0.5)] for y, x in right),
    ]


def main() -> None:
    """Train, draw graphs and rules, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mnist", type=Path, help="folder with MNIST")
    parser.add_argument("--images", type=int, default=1500)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--picture", type=Path, default=Path("superpixels.png"))
    given = parser.parse_args()
    images, y = digits(given.mnist, given.images)
    train, test = slice(0, given.images * 2 // 3), slice(given.images * 2 // 3, None)

    classifier = gtm.GraphTMClassifier(n_clauses=100, T=200, s=5.0, depth=2, epochs=given.epochs, random_state=0)
    pipeline = make_pipeline(Superpixels(n_segments=75, neighbours=4), classifier).fit(images[train], y[train])

    figure = plt.figure(figsize=(15, 9.5), layout="constrained")
    grid = figure.add_gridspec(3, 6, height_ratios=[8, 2, 0.5])
    for kind in (0, 1):
        image = images[np.flatnonzero(y == kind)[0]]
        draw_graph(figure.add_subplot(grid[0, 3 * kind : 3 * kind + 3]), pipeline[0], image)
        for column, rule in enumerate(classifier.rules(class_=kind, top=3), start=3 * kind):
            place, intensity = (figure.add_subplot(grid[row, column]) for row in (1, 2))
            draw_rule(place, intensity, pipeline[0], rule, kind)
    figure.suptitle("Digits as graphs of superpixels, and rules that vote for them: red required, blue negated")
    figure.savefig(given.picture, dpi=100)
    print(f"accuracy: {pipeline.score(images[test], y[test]):.4f}")  # noqa: T201


if __name__ == "__main__":
    main()
