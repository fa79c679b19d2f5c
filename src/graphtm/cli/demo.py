"""Demos on generated data, from graphs to rules."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from graphtm.cli.output import wrapped
from graphtm.datasets import sequences
from graphtm.estimators import GraphTMClassifier
from graphtm.graphs import Graph, GraphBatch

EPOCHS = 40
TRAIN, TEST = 5000, 2000
NOISE = 0.01
GOOD = 1 - 1.5 * NOISE
"""Training accuracy that only a nearly correct model reaches: the label noise costs 1 %."""


@dataclass
class Trained:
    """A classifier after some epochs, and its accuracy on the noisy training labels."""

    epoch: int
    accuracy: float
    classifier: GraphTMClassifier


def learn_sequences(seed: int) -> Iterator[Trained]:
    """Train on the sequence task epoch by epoch, until two epochs after the training accuracy is good.

    The caller keeps the epoch with the best training accuracy; with label noise, it may not be the last.
    """
    graphs, y = sequences(TRAIN, noise=NOISE, random_state=seed)
    classifier = GraphTMClassifier(n_clauses=4, T=8, s=3.0, depth=2, max_included_literals=6, random_state=seed)
    good = 0
    for epoch in range(EPOCHS):
        classifier.partial_fit(graphs, y, classes=[0, 1])
        accuracy = classifier.score(graphs, y)
        yield Trained(epoch, accuracy, copy.deepcopy(classifier))
        good += accuracy >= GOOD or good > 0
        if good == 3:
            return


def best_of(trained: Iterator[Trained]) -> Trained:
    """Return the epoch with the best training accuracy; in a tie, the first of them."""
    return max(trained, key=lambda one: one.accuracy)


def sequence(console: Console, seed: int) -> None:
    """Three consecutive A's: five letters, 1 % label noise, four clauses of depth 2."""
    console.print(
        "[bold]Which words have three A's in a row?[/] Words have five letters; each letter is a node with edges to "
        f"its neighbours. Of {TRAIN:,} training words, 1 % have a wrong label. Four rules are learned.\n",
        highlight=False,
    )
    start, epochs = time.perf_counter(), list[int]()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("training ...", total=None)

        def watched() -> Iterator[Trained]:
            for trained in learn_sequences(seed):
                epochs.append(trained.epoch)
                text = f"epoch {trained.epoch + 1}: accuracy {trained.accuracy:.2%} on the noisy labels"
                progress.update(task, advance=1, description=text)
                yield trained

        best = best_of(watched())
    graphs, y = sequences(TEST, random_state=seed + 1_000_003)
    accuracy = best.classifier.score(graphs, y)
    seconds = time.perf_counter() - start
    console.print(
        f"Best of {len(epochs)} epochs: epoch {best.epoch + 1}, with accuracy {best.accuracy:.2%} on the noisy "
        f"training labels ({seconds:.0f} s).\n[bold]Accuracy on {TEST:,} new words without noise: {accuracy:.2%}[/]\n",
        highlight=False,
    )
    console.print(
        "The learned rules. [bold]A[/] is a property of a letter; [bold]right:C0[/] means that the neighbour on the "
        "left, whose edge points right to this letter, satisfies the letter part of rule C0. The numbers are the votes "
        "for class 0 (no) and class 1 (three A's).\n"
    )
    for line in str(best.classifier.rules()).splitlines():
        console.print(escape(wrapped(line)), highlight=False, soft_wrap=True)
    console.print("\nHow two words are classified:\n")
    for word in ("BAAAE", _negative_word(best.classifier)):
        console.print(escape(wrapped(_decision(best.classifier, word))), highlight=False, soft_wrap=True)


def _negative_word(classifier: GraphTMClassifier) -> str:
    """Return a word without three A's on which some rule votes, for display."""
    words = ("BAABA", "ABCDE", "EDCBA", "BBAEE", "CDEDC")
    sums = classifier.class_sums([word_graph(word) for word in words])
    return next((word for word, row in zip(words, sums, strict=True) if row.any()), words[0])


def word_graph(word: str) -> Graph:
    """Return a word as a graph: a node per letter, edges to both neighbours, typed by direction."""
    graph = Graph()
    for place, letter in enumerate(word):
        graph.add_node(place, properties=[letter])
    for place in range(1, len(word)):
        graph.add_edge(place - 1, place, type="right")
        graph.add_edge(place, place - 1, type="left")
    return graph


def _decision(classifier: GraphTMClassifier, word: str) -> str:
    batch = GraphBatch.from_graphs([word_graph(word)])
    where = classifier.transform_nodes(batch).toarray()
    fired = [
        f"C{clause} at {', '.join(f'{word[node]}{node + 1}' for node in where[:, clause].nonzero()[0])}"
        for clause in range(where.shape[1])
        if where[:, clause].any()
    ]
    sums = classifier.class_sums(batch)[0].tolist()
    answer = "three A's" if classifier.predict(batch)[0] else "no"
    return f"  {word}: {'; '.join(fired) or 'no rule is true'} -> votes {sums} -> {answer}"


DEMOS: dict[str, Callable[[Console, int], None]] = {"sequence": sequence}
