"""Learn which symbols mean something similar, where the true similarity is known, without labels.

Animals stand on a circle, and so do foods. An animal eats foods near its place, and avoids foods near the opposite
place. A graph has an animal, three foods that it eats and three that it avoids, with edges to the animal. The
auto-encoder predicts the animal from the rest of the graph, so that animals that eat and avoid the same get similar
embeddings. The true similarity of two animals is the cosine of the angle between them. Compares the rank correlation of
the learned similarities with the true ones to that of co-occurrence, cosines of positive pointwise mutual information,
which cannot tell what is eaten from what is avoided: that takes edges. Co-occurrence that counts what is eaten and what
is avoided apart is told what the auto-encoder has to find out.

Run it with ``python examples/autoencoder.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr

import graphtm as gtm

mpl.use("Agg")

N_ANIMALS, N_FOODS, N_EATEN, N_AVOIDED = 16, 32, 3, 3
ANIMALS = [("animal", number) for number in range(N_ANIMALS)]
FOODS = [("food", number) for number in range(N_FOODS)]
WIDTH = 0.08
"""Standard deviation of the distance between an animal and what it eats, as a share of the circle."""


def meals(n: int, seed: int) -> tuple[gtm.GraphBatch, np.ndarray, np.ndarray]:
    """Return graphs, and the animal and the foods of each."""
    rng = np.random.default_rng(seed)
    animal = rng.integers(N_ANIMALS, size=n)
    place = animal[:, None] / N_ANIMALS + np.repeat([0, 0.5], [N_EATEN, N_AVOIDED])
    place = place + rng.normal(0, WIDTH, place.shape)
    food = np.rint(place * N_FOODS).astype(int) % N_FOODS
    symbols = np.hstack([animal[:, None], N_ANIMALS + food])
    size = symbols.shape[1]
    graphs = gtm.GraphBatch.from_arrays(
        np.full(n, size),
        (np.arange(n * size), symbols.ravel()),
        [*ANIMALS, *FOODS],
        edges=(
            np.tile(np.arange(1, size), n),
            np.zeros(n * (size - 1), int),
            np.tile([0] * N_EATEN + [1] * N_AVOIDED, n),
        ),
        edge_counts=np.full(n, size - 1),
        edge_types=["is eaten by", "is avoided by"],
    )
    return graphs, animal, food


def cosines(vectors: np.ndarray) -> np.ndarray:
    """Return the cosine similarity of all pairs of rows."""
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300)
    return vectors @ vectors.T


def co_occurrence(animal: np.ndarray, food: np.ndarray) -> np.ndarray:
    """Return cosines of the positive pointwise mutual information of animals and numbers of foods in the same graph."""
    together = np.zeros((N_ANIMALS, food.max() + 1))
    np.add.at(together, (animal[:, None], food), 1)
    share = np.maximum(together, 1e-9) / together.sum()
    chance = share.sum(axis=1, keepdims=True) * share.sum(axis=0)
    return cosines(np.maximum(np.log(share / chance), 0))


def main() -> None:
    """Learn, draw all tables of similarities, and print how well they agree with the true ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="autoencoder.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=5, help="number of times to go through the sample")
    given = parser.parse_args()

    graphs, animal, food = meals(1000, seed=1)
    encoder = gtm.GraphTMAutoencoder(
        symbols=ANIMALS,
        n_clauses=400,
        T=1000,
        s=3.0,
        depth=2,
        n_contexts=300,
        epochs=given.epochs,
        random_state=0,
    ).fit(graphs.with_readout([[0]] * len(graphs)))
    angle = 2 * np.pi * np.arange(N_ANIMALS) / N_ANIMALS
    true = np.cos(angle[:, None] - angle)
    pairs = np.triu_indices(N_ANIMALS, 1)
    apart = food + N_FOODS * np.repeat([0, 1], [N_EATEN, N_AVOIDED])
    found = {
        "learned": encoder.similarities(),
        "co-occurrence": co_occurrence(animal, food),
        "told the edges": co_occurrence(animal, apart),
    }
    agreement = {name: float(spearmanr(table[pairs], true[pairs])[0]) for name, table in found.items()}

    _, axes = plt.subplots(1, 4, figsize=(14, 3.8), layout="constrained")
    for ax, (name, table) in zip(axes, {"true": true, **found}.items(), strict=True):
        ax.imshow(np.where(np.eye(N_ANIMALS), np.nan, table), cmap="viridis")
        ax.set_title(name if name == "true" else f"{name}: rank correlation {agreement[name]:.2f}")
        ax.set_xlabel("animal")
    axes[0].set_ylabel("animal")
    plt.savefig(given.picture, dpi=120)

    print("Most similar to animal 3:", ", ".join(str(one[1]) for one, _ in encoder.most_similar(ANIMALS[3], 4)))  # noqa: T201
    print(  # noqa: T201
        f"Rank correlation with the true similarity: {agreement['learned']:.3f}; of co-occurrence: "
        f"{agreement['co-occurrence']:.3f}, told the edges: {agreement['told the edges']:.3f}"
    )


if __name__ == "__main__":
    main()
