"""Classify digits with a pipeline of two steps; save a picture of a graph of patches and of rules.

Run it with ``python examples/image_patches.py [--mnist FOLDER] [--picture FILE]``; without MNIST it draws digits.
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
from graphtm.encoders.images import ImagePatches

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle


def digits(mnist: Path | None, n_train: int, n_test: int) -> tuple[np.ndarray, ...]:
    """Return training images and labels, then test images and labels."""
    if mnist is None:
        images, y = drawn_digits(n_train + n_test, seed=0)
        return images[:n_train], y[:n_train], images[n_train:], y[n_train:]
    train, y_train = gtm.datasets.load_mnist(subset="train", data_home=mnist, download=False)
    test, y_test = gtm.datasets.load_mnist(subset="test", data_home=mnist, download=False)
    return train[:n_train], y_train[:n_train], test[:n_test], y_test[:n_test]


def draw_graph(axes: plt.Axes, encoder: ImagePatches, image: np.ndarray) -> None:
    """Draw the nodes of an image at the centres of their patches, and list the symbols of one of them."""
    graph = encoder.transform(image[None])[0]
    places = encoder.places()
    node = max(graph.nodes, key=lambda name: len(graph.properties(name)))
    _, top, left = places[node]
    height, width = encoder.views_[0].patch
    axes.imshow(image, cmap="gray_r")
    centres = places[:, [2, 1]] + np.array([width - 1, height - 1]) / 2
    plots.draw_graph(graph, ax=axes, layout=centres, node_text=None)
    axes.plot(left + (width - 1) / 2, top + (height - 1) / 2, "o", ms=8, color="tab:red")
    axes.add_patch(Rectangle((left - 0.5, top - 0.5), width, height, fill=False, ec="tab:red", lw=2))
    position, pixels = graph.properties(node)[:2], graph.properties(node)[2:]
    some = ",  ".join(f"pixel {i} {j}" for _, i, j in pixels[:4])
    axes.set_title(f"{len(graph.nodes)} nodes, one per 10 x 10 patch", fontsize=11)
    axes.set_xlabel(
        f"symbols of the red node:\n{',  '.join(f'{axis} {step}' for axis, step in position)},\n{some},\n"
        f"and {len(pixels) - 4} more pixels",
        fontsize=10,
    )
    axes.set_xticks([])
    axes.set_yticks([])


def draw_rule(patch: plt.Axes, place: plt.Axes, encoder: ImagePatches, rule: gtm.explain.Rule, digit: int) -> None:
    """Draw the pixels that a rule requires (red) and negates (blue), and their positions."""
    picture = encoder.render(rule.layers[0])
    patch.imshow(picture.pixels, cmap="bwr", vmin=-1.5, vmax=1.5)
    patch.set_title(f"C{rule.clause}: {rule.weights[digit]:+d} for {digit}", fontsize=10)
    place.imshow(picture.position, cmap="bwr", vmin=-2.5, vmax=2.5)
    for axes, name in ((patch, "pixels of a patch"), (place, "rows and columns")):
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlabel(name, fontsize=9)


def main() -> None:
    """Train, draw a graph and rules, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mnist", type=Path, help="folder with MNIST")
    parser.add_argument("--picture", type=Path, default=Path("image_patches.png"))
    parser.add_argument("--train", type=int, default=60_000)
    parser.add_argument("--test", type=int, default=10_000)
    parser.add_argument("--clauses", type=int, default=1000)
    parser.add_argument("--epochs", type=int, default=5)
    given = parser.parse_args()
    train, y_train, test, y_test = digits(given.mnist, given.train, given.test)

    classifier = gtm.GraphTMClassifier(
        n_clauses=given.clauses, T=5 * given.clauses // 4, s=10.0, depth=1, epochs=given.epochs, random_state=0
    )
    pipeline = make_pipeline(ImagePatches(patch_size=10), classifier).fit(train, y_train)

    encoder = pipeline[0]
    figure = plt.figure(figsize=(15, 6.5), layout="constrained")
    grid = figure.add_gridspec(2, 7, width_ratios=[2.4, 1, 1, 1, 1, 1, 1])
    draw_graph(figure.add_subplot(grid[:, 0]), encoder, test[0])
    digit = int(y_test[0])
    for column, rule in enumerate(classifier.rules(class_=digit, top=6), start=1):
        draw_rule(figure.add_subplot(grid[0, column]), figure.add_subplot(grid[1, column]), encoder, rule, digit)
    figure.suptitle(f"A digit as a graph of patches, and rules that vote for {digit}: red required, blue negated")
    figure.savefig(given.picture, dpi=100)
    print(f"accuracy: {pipeline.score(test, y_test):.4f}")  # noqa: T201


if __name__ == "__main__":
    main()
