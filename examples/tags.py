"""Tags of texts: 100 tags, of which a text has a few, each given away by two words that are both there.

Saves a picture of how well new texts are tagged as learning goes on.

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
    """Return texts as graphs of one node that carries the words, and the set of tags of each."""
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
    """Learn, draw, and say how well it went."""
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
    axes.plot([record["val_accuracy"] for record in machine.history_], label="all tags right")
    axes.set(xlabel="epoch", ylabel="new texts", ylim=(0, 1))
    axes.legend()
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    table = MultiLabelBinarizer(classes=machine.classes_)
    f1 = f1_score(table.fit_transform(y_test), table.fit_transform(machine.predict(test)), average="micro")
    first = np.mean([best in tags for (best,), tags in zip(machine.rank(test, 1), y_test, strict=True)])
    print(  # noqa: T201
        f"The F1 of predicted tags is {f1:.3f}; the one that ranks first is right in {first:.1%} of {len(test):,} texts"
    )


if __name__ == "__main__":
    main()
