"""Words with three A's in a row: four clauses of depth 2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets import sequences
from graphtm.datasets.words import word_graphs
from graphtm.estimators import GraphTMClassifier
from graphtm.experiments.declaration import Experiment, Preset, Reported
from graphtm.experiments.running import Run
from graphtm.graphs import GraphBatch, Vocabulary

SAMPLES, POSITIVE = 40_000, 13_330
LETTERS = "ABCDE"

# The paper gives neither T nor s nor a limit of literals. These were chosen on the seeds 100 to 179 with
# holdout=40_000, where 79 of 80 runs are at 100 % in the last epoch. Only A has bits, as in the paper's appendix.
PAPER = Preset(
    machine=dict(n_clauses=4, depth=2, T=64, s=2.5, max_included_literals=6, epochs=4),
    task=dict(noise=0.01, encoded="A"),
    quick=dict(epochs=2),
)


def words(n: int, noise: float, seed: int) -> tuple[GraphBatch, NDArray[np.int64]]:
    """Return words with and without three A's in a row, in the proportion of the paper, and their labels."""
    n_positive = n * POSITIVE // SAMPLES
    n_negative = n - n_positive
    made = sequences(n_positive + 2 * n_negative, random_state=seed)
    chosen = np.concatenate([np.flatnonzero(made.y == 1)[:n_positive], np.flatnonzero(made.y == 0)[:n_negative]])
    wrong = np.random.default_rng([seed, 1]).random(len(chosen)) < noise  # not the numbers that drew the words
    return made.graphs[chosen], np.where(wrong, 1 - made.y[chosen], made.y[chosen])


def encoded(graphs: GraphBatch, letters: str) -> GraphBatch:
    """Return the words with these letters as the only symbols."""
    return graphs.with_vocabulary(Vocabulary(list(letters), graphs.vocabulary.edge_types), "ignore")


def show_clauses(run: Run, classifier: GraphTMClassifier, word: str, letters: str) -> None:
    """Print the clauses, the table that traces their messages, and where they are true in a word."""
    rules = classifier.rules()
    row: Any = np.array([[LETTERS.index(letter) for letter in word]])
    graph = encoded(word_graphs(row, LETTERS), letters)[0]
    run.show(str(rules))
    run.show(f"Components of the clauses, and the origin of their messages:\n{rules.traceability()}")
    run.show(f"Where the clauses are true in {word}:\n{rules.truth_table(graph)}")


def train_and_test(run: Run) -> None:
    """Train on noisy labels, test without noise, and print the learned clauses as the paper does."""
    n, letters = SAMPLES // 10 if run.quick else SAMPLES, run.task()["encoded"]
    n_test, test_seed = run.test_set(n)
    graphs, y = words(n_test, 0.0, test_seed)
    test = encoded(graphs, letters), y
    for seed in run.seeds:
        graphs, y = words(n, run.task()["noise"], seed)
        classifier = run.fit((encoded(graphs, letters), y), test, seed=seed, score_training=True)
        if seed == run.seeds[0]:
            show_clauses(run, classifier, "BAAAE", letters)


EXPERIMENT = Experiment(
    name="sequence",
    title="Three A's in a row",
    section="Sequence Classification",
    reported=[Reported(100.00), Reported(99.03, metric="training accuracy")],
    presets={"paper": PAPER, "best": PAPER},
    run=train_and_test,
    note="The paper gives neither T nor s for this task, so these are ours. One of the 80 other seeds on which we "
    "chose the settings missed the rule. Of the training labels, about 1 % are wrong, and the true rule has the same "
    "training accuracy.",
)
