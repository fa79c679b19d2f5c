"""Pictures of explained graphs, a molecule, a sequence, a sentence and a Hex board, and of the regret of bandits.

Each function takes the folder of the datasets and returns a figure.
"""

from __future__ import annotations

import gzip
import runpy
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

import graphtm as gtm

ELEMENTS = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
BONDS = ("single", "double", "triple")
"""What the numbers of Mutagenicity mean, as its file of labels says."""


# A molecule


@lru_cache
def mutagens(data: Path) -> tuple[Any, gtm.GraphBatch, np.ndarray, np.ndarray]:
    """Return the recommended pipeline with the 40 best rules, molecules, their classes, and the numbers held out."""
    numbered, y = gtm.datasets.load_tudataset("Mutagenicity", data_home=data)
    graphs = gtm.GraphBatch.from_graphs(map(without_hydrogens, numbered))
    y = np.where(y == 0, "mutagen", "harmless")
    order = np.random.default_rng(0).permutation(len(y))
    train, held_out = order[:3000], order[3000:]
    # Exact clauses and few rules, so that the explanation lives on atoms and not on what is absent.
    pipeline = gtm.make_classifier(graphs[train], y[train], max_misses=0, random_state=0)
    pipeline.fit(graphs[train], y[train])
    pipeline[-1].refit(pipeline[:-1].transform(graphs[train]), y[train], n_rules=40)
    return pipeline, graphs, y, held_out


def without_hydrogens(graph: gtm.Graph) -> gtm.Graph:
    """Return a molecule with names of elements and bonds, without hydrogen atoms, as chemists draw it."""
    made = gtm.Graph()
    elements = {node: ELEMENTS[int(dict(graph.properties(node))["label"])] for node in graph.nodes}
    for node, element in elements.items():
        if element != "H":
            made.add_node(node, [("element", element)])
    for source, destination, bond in graph.edges:
        if "H" not in (elements[source], elements[destination]):
            made.add_edge(source, destination, BONDS[int(bond)])
    return made


MOLECULE = 2247
"""Number of a molecule that was held out: a nitroso group on two rings that are joined by an oxygen."""


def molecule(data: Path) -> Any:
    """Return what atoms and bonds contribute to the class."""
    pipeline, graphs, _, _ = mutagens(data)
    ex = gtm.explain(pipeline, graphs, MOLECULE)
    return ex.plot(node_text=atoms(ex.graph)).figure


def molecule_rule(data: Path) -> Any:
    """Return the atoms and bonds that make the strongest rule true."""
    pipeline, graphs, _, _ = mutagens(data)
    ex = gtm.explain(pipeline, graphs, MOLECULE)
    return ex.plot(clause=ex.fired[0].clause, node_text=atoms(ex.graph)).figure


def atoms(graph: gtm.Graph) -> list[str]:
    """Return the text of each atom."""
    return [graph.properties(node)[0][1] for node in graph.nodes]


# A sequence


@lru_cache
def baaae() -> Any:
    """Return the explanation of BAAAE by a machine of three layers; C3 looks for three A in a row."""
    graphs, y = gtm.datasets.sequences(3000, noise=0.01, random_state=0)
    clf = gtm.GraphTMClassifier(
        n_clauses=4, T=8, s=3.0, depth=3, max_included_literals=4, epochs=15, random_state=8, engine="cpu"
    )
    clf.fit(graphs, y)
    word = next(i for i in range(len(graphs)) if letters(graphs[i]) == "BAAAE")
    return clf.explain(graphs[word])


def letters(graph: gtm.Graph) -> str:
    """Return the letters of a word."""
    return "".join(str(graph.properties(node)[0]) for node in graph.nodes)


def sequence(_: Path) -> Any:
    """Return what letters and edges contribute to the class."""
    return baaae().plot().figure


def sequence_witness(_: Path) -> Any:
    """Return the witness of the clause that looks for three A in a row."""
    return baaae().plot(clause=3).figure


def message_flow(_: Path) -> Any:
    """Return how the same clause becomes true, layer by layer."""
    return baaae().message_flow(3).plot().figure


def hypervectors(_: Path) -> Any:
    """Return the hypervectors and inboxes that it reads."""
    return baaae().hypervectors(3).plot().figure


# A sentence


@lru_cache
def reviews(data: Path) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Return a pipeline for sentences of restaurant reviews, the sentences, their classes, and the numbers held out."""
    rng = np.random.default_rng(0)
    texts, y = [], []
    for number, class_ in ((0, "negative"), (1, "positive")):
        path = Path(data) / "yelp_sentences_shen2017" / f"sentiment.dev.{number}.txt.gz"
        with gzip.open(path, "rt") as file:
            lines = [line.strip() for line in file]
        texts += rng.choice(lines, 6000, replace=False).tolist()
        y += [class_] * 6000
    order = rng.permutation(len(y))
    X, classes = np.array(texts, object), np.array(y)
    encoder = gtm.encoders.Tokens(edges="neighbours", position=False, vocabulary_size=1000)
    clf = gtm.GraphTMClassifier(
        n_clauses=500, T=500, s=100.0, depth=2, max_included_literals=3, epochs=10, random_state=0, engine="cpu"
    )
    pipeline = make_pipeline(encoder, clf).fit(X[order[:10000]].tolist(), classes[order[:10000]])
    return pipeline, X, classes, order[10000:]


def sentence(data: Path) -> Any:
    """Return what the words of a sentence that was held out contribute to the class."""
    pipeline, X, _, held_out = reviews(data)
    found = next(text for text in X[held_out] if text.startswith("all the employees were rude"))
    ex = gtm.explain(pipeline, [found], 0)
    words = [str(ex.graph.properties(node)[0]) for node in ex.nodes]
    return ex.plot(layout="text", node_text=words).figure


# A Hex board


@lru_cache
def hex_machine() -> tuple[Any, Any]:
    """Return a pipeline that tells who has won on a board of Hex, and the boards; those from 3,000 are held out."""
    made = gtm.datasets.hex_boards(4000, size=4, random_state=0)
    encoder = gtm.encoders.BoardGame(
        neighbours="hex", symbols={0: None, 1: "X", 2: "O"}, position=True, directions=False
    )
    clf = gtm.GraphTMClassifier(
        n_clauses=300, T=1500, s=1.5, depth=3, max_included_literals=8, epochs=15, random_state=0, engine="cpu"
    )
    return make_pipeline(encoder, clf).fit(made.data[:3000], np.where(made.y[:3000] == 1, "X", "O")), made


BOARD = 3271
"""Number of a board that was held out, on which O has joined the left and the right side."""


def hex_board(_: Path) -> Any:
    """Return what cells and edges contribute to the winner; the winning chain has black borders."""
    pipeline, made = hex_machine()
    ex = gtm.explain(pipeline, made.data, BOARD)
    chain = np.flatnonzero(made.nodes[16 * BOARD : 16 * BOARD + 16])
    return ex.plot(node_text=stones(made.data[BOARD]), highlight=chain.tolist()).figure


def hex_witness(_: Path) -> Any:
    """Return the witness of a clause that is true in the middle of the winning chain."""
    pipeline, made = hex_machine()
    ex = gtm.explain(pipeline, made.data, BOARD)
    return ex.plot(clause=163, node_text=stones(made.data[BOARD])).figure


def stones(board: np.ndarray) -> list[str]:
    """Return the text of each cell."""
    return [("·", "X", "O")[value] for value in board.ravel()]


# A bandit


def regret(_: Path) -> Any:
    """Return the cumulative regret of the policies of ``examples/bandit.py``."""
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "bandit.py"))
    display, _ = example["played"](4000)
    return display.plot().figure_


PICTURES = {
    function.__name__: function
    for function in (
        molecule,
        molecule_rule,
        sequence,
        sequence_witness,
        message_flow,
        hypervectors,
        sentence,
        hex_board,
        hex_witness,
        regret,
    )
}
