"""Predict tags of texts: each of 100 tags applies if the text contains a certain pair of words.

Saves a picture of the scores on new texts during training.

Run it with ``python examples/tags.py [--picture FILE] [--epochs N]``.
"""

from __future__ import annotations

import argparse

import matplotlib as mpl
import numpy as np
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

import graphtm as gtm

mpl.use("Agg")
from matplotlib import pyplot as plt

N_TAGS, N_WORDS = 100, 60


def texts(n: int, seed: int) -> tuple[gtm.GraphBatch, list[set[str]]]:
    """Return texts as graphs with one node whose symbols are the words, and the set of tags of each."""
    every_pair = np.stack(np.triu_indices(N_WORDS, 1), axis=1)
    pairs = np.random.default_rng(0).permutation(every_pair)[:N_TAGS]
    rng = np.random.default_rng(seed)
    has = np.zeros((n, N_WORDS), bool)
    for text in has:
        text[rng.integers(0, N_WORDS, 5)] = True
        text[pairs[rng.integers(0, N_TAGS, rng.integers(1, 4))]] = True
    tagged = has[:, pairs[:, 0]] & has[:, pairs[:, 1]]
    names = [f"{one}+{other}" for one, other in pairs]
    graphs = gtm.GraphBatch.from_arrays(np.ones(n, int), has, [f"word{number}" for number in range(N_WORDS)])
    return graphs, [{names[tag] for tag in np.flatnonzero(row)} for row in tagged]


def main() -> None:
    """Train, plot the scores, and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="tags.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    given = parser.parse_args()
    (train, y_train), (test, y_test) = texts(4000, 1), texts(1000, 2)
    machine = gtm.GraphTMMultiLabelClassifier(
        n_clauses=400, T=100, s=3.0, q=10.0, depth=1, epochs=given.epochs, random_state=0
    )
    machine.fit(train, y_train, eval_set=(test, y_test))
    _, axes = plt.subplots()
    axes.plot([record["val_f1"] for record in machine.history_], label="F1")
    axes.plot([record["val_accuracy"] for record in machine.history_], label="all tags correct")
    axes.set(xlabel="epoch", ylabel="new texts", ylim=(0, 1))
    axes.legend()
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    table = MultiLabelBinarizer(classes=machine.classes_)
    f1 = f1_score(table.fit_transform(y_test), table.fit_transform(machine.predict(test)), average="micro")
    first = np.mean([best in tags for (best,), tags in zip(machine.rank(test, 1), y_test, strict=True)])
    print(  # noqa: T201
        f"The F1 score of the tags is {f1:.3f}; the top-ranked tag is correct in {first:.1%} of {len(test):,} texts"
    )


if __name__ == "__main__":
    main()
