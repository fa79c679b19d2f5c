"""Six tasks of a newcomer, with data as a user has them: CSV files, networkx graphs, nodes, texts, a table.

A task draws its data from a number: the split. Nothing of the test part is seen before the model is scored on it, so
that also the cuts of numbers come from the training part.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import graphtm as gtm
from graphtm import GraphBatch
from graphtm.datasets import sequences as words
from graphtm.errors import MissingLibraryError

GRAPHS, TEXTS, TABLE = "graphs", "texts", "table"
"""Kinds of data."""
NOISE = 0.05
UPPER_QUARTILE = 7.5  # of the uniform distribution from 0 to 10; four bins can express it
TAGS = {
    "food": ["bread", "soup", "recipe"],
    "money": ["bank", "loan", "invoice"],
    "music": ["guitar", "concert", "song"],
    "sport": ["goal", "referee", "marathon"],
    "travel": ["hotel", "passport", "luggage"],
}
"""Tags, and the words of which each makes a text have the tag."""
OTHER_WORDS = """
    the a of and to in is that it was for on with as they at be this from have or by one had not but what all were when
    we there can an your which their said if do will each about how up out them then she many some so these would other
    into has more her two like him see time could no make than first been its who now people my made over did down only
    way find use may water long little very after words called just where most know
"""


@dataclass(frozen=True)
class Split:
    """Data to learn from and data to score."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


@dataclass(frozen=True)
class Task:
    """A task: its data by the number of the split, their kind, and how close the defaults must come, in points."""

    draw: Callable[[int], Split]
    n_splits: int
    kind: str = GRAPHS
    margin: float = 2.0


def csv_files(split: int, n_train: int = 300, n_test: int = 1000) -> Split:
    """Graphs of coloured nodes, read from CSV files; 5 % of the labels are wrong.

    The label is "yes" if a thick line joins a red node and a blue one.
    """
    rng = np.random.default_rng([1, split])
    (X, y), (X_test, y_test) = (through_files(coloured_graphs(n, rng)) for n in (n_train, n_test))
    return Split(X, y, X_test, y_test)


def coloured_graphs(n: int, rng: np.random.Generator, noise: float = NOISE) -> list[nx.Graph]:
    graphs = []
    for _ in range(n):
        graph = _connected(int(rng.integers(5, 13)), rng)
        for node in graph:
            graph.nodes[node]["colour"] = str(rng.choice(["red", "blue", "green", "yellow"]))
        for edge in graph.edges:
            graph.edges[edge]["line"] = str(rng.choice(["thin", "thick"], p=[0.7, 0.3]))
        truth = has_thick_line(graph) != (rng.random() < noise)
        graph.graph["label"] = "yes" if truth else "no"
        graphs.append(graph)
    return graphs


def has_thick_line(graph: nx.Graph) -> bool:
    """Return whether a thick line joins a red node and a blue one."""
    colour = graph.nodes(data="colour")
    return any({colour[u], colour[v]} == {"red", "blue"} for u, v, line in graph.edges(data="line") if line == "thick")


def _connected(n_nodes: int, rng: np.random.Generator) -> nx.Graph:
    """Return a tree with a few more edges."""
    graph = nx.Graph()
    graph.add_nodes_from(range(n_nodes))
    graph.add_edges_from((int(rng.integers(node)), node) for node in range(1, n_nodes))
    graph.add_edges_from(tuple(rng.choice(n_nodes, 2, replace=False).tolist()) for _ in range(n_nodes // 4))
    return graph


def through_files(graphs: list[nx.Graph]) -> tuple[GraphBatch, Any]:
    """Write the graphs to CSV files and read these."""
    with tempfile.TemporaryDirectory() as folder:
        nodes, edges, labels = (Path(folder) / f"{name}.csv" for name in ("nodes", "edges", "graphs"))
        _write(
            nodes, "graph node colour", ((i, v, c) for i, one in enumerate(graphs) for v, c in one.nodes(data="colour"))
        )
        _write(
            edges,
            "graph source destination line",
            ((i, *edge) for i, one in enumerate(graphs) for edge in one.edges(data="line")),
        )
        _write(labels, "graph label", ((i, one.graph["label"]) for i, one in enumerate(graphs)))
        try:
            return gtm.read_csv(nodes, edges, labels, edge_type="line", directed=False)  # type: ignore[no-any-return]
        except MissingLibraryError:  # pandas reads the files; without it, the same batch comes from the graphs
            return gtm.from_networkx(graphs, node_attributes=["colour"], edge_type="line", label="label")


def _write(path: Path, header: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header.split(), *rows])


def networkx_graphs(split: int, n_train: int = 300, n_test: int = 1000) -> Split:
    """Networks of pipes, as networkx graphs with text and numbers; four bins for the numbers.

    The label is "leak" if a pump with a pressure of 7.5 or more is next to a closed valve.
    """
    rng = np.random.default_rng([2, split])
    train, test = (pipe_networks(n, rng) for n in (n_train, n_test))
    options: dict[str, Any] = dict(node_attributes=["kind", "state", "pressure"], edge_type="material", label="label")
    X, y = gtm.from_networkx(train, **options, bins=4)
    X_test, y_test = gtm.from_networkx(test, **options, bins=X)
    return Split(X, y, X_test, y_test)


def pipe_networks(n: int, rng: np.random.Generator) -> list[nx.Graph]:
    graphs = []
    for _ in range(n):
        graph = _connected(int(rng.integers(6, 15)), rng)
        for node in graph:
            graph.nodes[node].update(
                kind=str(rng.choice(["pump", "valve", "tank"])),
                state=str(rng.choice(["open", "closed"])),
                pressure=float(rng.uniform(0, 10)),
            )
        for edge in graph.edges:
            graph.edges[edge]["material"] = str(rng.choice(["steel", "plastic"]))
        graph.graph["label"] = "leak" if leaks(graph) else "tight"
        graphs.append(graph)
    return graphs


def leaks(graph: nx.Graph) -> bool:
    """Return whether a pump with a high pressure is next to a closed valve."""
    nodes = graph.nodes
    pumps = [v for v in nodes if nodes[v]["kind"] == "pump" and nodes[v]["pressure"] >= UPPER_QUARTILE]
    valves = {v for v in nodes if nodes[v]["kind"] == "valve" and nodes[v]["state"] == "closed"}
    return any(valves.intersection(graph[pump]) for pump in pumps)


def karate_nodes(split: int) -> Split:
    """Members of Zachary's karate club: which of the two clubs each joined, from half of the members.

    Nodes carry their names and symbols for their degree. An example is a member with its friends.
    """
    club = nx.karate_club_graph()
    for node in club:
        club.nodes[node]["name"] = f"member {node}"
    graphs, y = gtm.from_networkx(club, node_attributes="name", node_label="club", ignore=["weight"])
    examples = graphs.with_degrees().node_examples(depth=2)
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=split)
    return Split(examples[train], y[train], examples[test], y[test])


def tagged_texts(split: int, n_train: int = 300, n_test: int = 500) -> Split:
    """Texts with any number of five tags: a text has a tag if it contains one of its three words."""
    rng = np.random.default_rng([3, split])
    texts = [_text(rng) for _ in range(n_train + n_test)]
    tags = [tags_of(text) for text in texts]
    return Split(texts[:n_train], tags[:n_train], texts[n_train:], tags[n_train:])


def tags_of(text: str) -> set[str]:
    """Return the tags of which the text contains a word."""
    return {tag for tag, keys in TAGS.items() if not set(keys).isdisjoint(text.split())}


def _text(rng: np.random.Generator) -> str:
    others = OTHER_WORDS.split()
    likely = 1 / np.arange(5, 5 + len(others))
    text = rng.choice(others, int(rng.integers(8, 25)), p=likely / likely.sum()).tolist()
    for keys in TAGS.values():
        if rng.random() < 0.3:
            for key in rng.choice(keys, int(rng.integers(1, 3)), replace=False).tolist():
                text.insert(int(rng.integers(len(text) + 1)), key)
    return " ".join(text)


def breast_cancer(split: int) -> Split:
    """Rows of the Wisconsin breast cancer table, 569 with 30 numbers each; 70 % are for training."""
    X, y = load_breast_cancer(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
    return Split(X, y, X_test, y_test)


def letter_words(split: int, n_train: int = 500, n_test: int = 1000) -> Split:
    """Words of five letters, as chains: class 1 has three A's in a row."""
    graphs, y = words(n_train + n_test, random_state=split)
    return Split(graphs[:n_train], y[:n_train], graphs[n_train:], y[n_train:])


TASKS: dict[str, Task] = {
    "csv": Task(csv_files, n_splits=6),
    "networkx": Task(networkx_graphs, n_splits=6),
    "karate": Task(karate_nodes, n_splits=20, margin=5.0),
    "texts": Task(tagged_texts, n_splits=6, kind=TEXTS),
    "table": Task(breast_cancer, n_splits=8, kind=TABLE),
    "sequences": Task(letter_words, n_splits=6),
}
