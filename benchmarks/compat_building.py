"""Measure how long graphs take to build by ``graphtm.compat``, beside the same loops calling empty methods.

    python benchmarks/compat_building.py [--json out.json]

The loops of six scripts are timed in turns with graphs and with an object whose methods do nothing, in processor time,
so that a noisy machine is noisy for both. The time of graphs includes their creation and encode(). The smallest time of
each counts; the ratio must be at most 4. "bare" is measured beside them: loops that do nothing but call, with literal
names, as no script has them. An empty method is all that they are compared with, so there is no limit.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Hashable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from graphtm.compat.graphs import Graphs

LIMIT = 4.0
REPEATS = 5


class NoGraphs:
    """The same methods, which do nothing."""

    def set_number_of_graph_nodes(self, graph_id: int, n: int) -> None: ...

    def prepare_node_configuration(self) -> None: ...

    def add_graph_node(
        self, graph_id: int, node_name: Hashable, number_of_outgoing_edges: int, node_type_name: Hashable = "Plain"
    ) -> None: ...

    def prepare_edge_configuration(self) -> None: ...

    def add_graph_node_edge(
        self, graph_id: int, source_name: Hashable, destination_name: Hashable, edge_type_name: Hashable
    ) -> None: ...

    def add_graph_node_property(self, graph_id: int, node_name: Hashable, symbol: Hashable) -> None: ...

    def encode(self) -> None: ...


def noisy_xor(graphs: Any, n: int) -> None:
    """Build pairs of nodes that tell each other their symbol."""
    for graph_id in range(n):
        graphs.set_number_of_graph_nodes(graph_id, 2)
    graphs.prepare_node_configuration()
    for graph_id in range(n):
        graphs.add_graph_node(graph_id, "Node 1", 1)
        graphs.add_graph_node(graph_id, "Node 2", 1)
    graphs.prepare_edge_configuration()
    y = np.empty(n, np.uint32)
    for graph_id in range(n):
        graphs.add_graph_node_edge(graph_id, "Node 1", "Node 2", "Plain")
        graphs.add_graph_node_edge(graph_id, "Node 2", "Node 1", "Plain")
        x1 = random.choice(["A", "B"])
        x2 = random.choice(["A", "B"])
        graphs.add_graph_node_property(graph_id, "Node 1", x1)
        graphs.add_graph_node_property(graph_id, "Node 2", x2)
        y[graph_id] = x1 != x2
    graphs.encode()


def sequences(graphs: Any, n: int) -> None:
    """Build chains of eight letters with edges both ways."""
    length = 8
    for graph_id in range(n):
        graphs.set_number_of_graph_nodes(graph_id, length)
    graphs.prepare_node_configuration()
    for graph_id in range(n):
        for node_id in range(length):
            graphs.add_graph_node(graph_id, node_id, 1 if node_id in (0, length - 1) else 2)
    graphs.prepare_edge_configuration()
    for graph_id in range(n):
        for node_id in range(length):
            if node_id > 0:
                graphs.add_graph_node_edge(graph_id, node_id, node_id - 1, "Left")
            if node_id < length - 1:
                graphs.add_graph_node_edge(graph_id, node_id, node_id + 1, "Right")
            graphs.add_graph_node_property(graph_id, node_id, random.choice("ABCDE"))
    graphs.encode()


def bare(graphs: Any, n: int) -> None:
    """Build pairs of nodes by calls alone: no data are read or computed."""
    for graph_id in range(n):
        graphs.set_number_of_graph_nodes(graph_id, 2)
    graphs.prepare_node_configuration()
    for graph_id in range(n):
        graphs.add_graph_node(graph_id, "a", 1)
        graphs.add_graph_node(graph_id, "b", 1)
    graphs.prepare_edge_configuration()
    for graph_id in range(n):
        graphs.add_graph_node_edge(graph_id, "a", "b", "P")
        graphs.add_graph_node_edge(graph_id, "b", "a", "P")
        graphs.add_graph_node_property(graph_id, "a", "A")
        graphs.add_graph_node_property(graph_id, "b", "B")
    graphs.encode()


IMAGES = np.random.default_rng(0).random((100, 28, 28)) < 0.19  # the share of ink of binary digits


def pixels(graphs: Any, n: int) -> None:
    """Build images as single nodes."""
    for graph_id in range(n):
        graphs.set_number_of_graph_nodes(graph_id, 1)
    graphs.prepare_node_configuration()
    for graph_id in range(n):
        graphs.add_graph_node(graph_id, "Image Node", 0)
    graphs.prepare_edge_configuration()
    for graph_id in range(n):
        for pixel in IMAGES[graph_id % 100].reshape(-1).nonzero()[0]:
            graphs.add_graph_node_property(graph_id, "Image Node", pixel)
    graphs.encode()


def patches(graphs: Any, n: int) -> None:
    """Build a node for each patch of 10 x 10 pixels."""
    size, places = 10, 19
    for graph_id in range(n):
        graphs.set_number_of_graph_nodes(graph_id, places * places)
    graphs.prepare_node_configuration()
    for graph_id in range(n):
        for node_id in range(places * places):
            graphs.add_graph_node(graph_id, node_id, 0)
    graphs.prepare_edge_configuration()
    for graph_id in range(n):
        windows = np.lib.stride_tricks.sliding_window_view(IMAGES[graph_id % 100], (size, size))
        for row in range(places):
            for column in range(places):
                node_id = row * places + column
                for pixel in windows[row, column].reshape(-1).nonzero()[0]:
                    graphs.add_graph_node_property(graph_id, node_id, pixel)
                graphs.add_graph_node_property(graph_id, node_id, f"R:{row}")
                graphs.add_graph_node_property(graph_id, node_id, f"C:{column}")
    graphs.encode()


MOLECULE = [(atom, (atom + 1) % 12, "single" if atom % 2 else "double") for atom in range(12)]


def molecules(graphs: Any, n: int) -> None:
    """Build rings of twelve atoms, with names, two types of nodes and of bonds, and bonds both ways."""
    for graph_id in range(n):
        graphs.set_number_of_graph_nodes(graph_id, 12)
    graphs.prepare_node_configuration()
    for graph_id in range(n):
        for atom in range(12):
            graphs.add_graph_node(graph_id, f"atom {atom}", 2, node_type_name="ring" if atom % 3 else "Plain")
    graphs.prepare_edge_configuration()
    for graph_id in range(n):
        for source, destination, bond in MOLECULE:
            graphs.add_graph_node_edge(graph_id, f"atom {source}", f"atom {destination}", bond)
            graphs.add_graph_node_edge(graph_id, f"atom {destination}", f"atom {source}", bond)
        for atom in range(12):
            graphs.add_graph_node_property(graph_id, f"atom {atom}", random.choice("CCCNOS"))
    graphs.encode()


TEXTS = [" ".join(f"Word{word}" for word in row) for row in np.random.default_rng(1).zipf(1.5, (100, 30)) % 5_000]


def words(graphs: Any, n: int) -> None:
    """Build a node per text, with its words, and a node per word that points to the next; words are not declared."""
    for graph_id in range(n):
        graphs.set_number_of_graph_nodes(graph_id, 1 + len(TEXTS[graph_id % 100].split()))
    graphs.prepare_node_configuration()
    for graph_id in range(n):
        text = TEXTS[graph_id % 100].split()
        graphs.add_graph_node(graph_id, "text", 0)
        for place in range(len(text)):
            graphs.add_graph_node(graph_id, place, int(place > 0))
    graphs.prepare_edge_configuration()
    for graph_id in range(n):
        for place, word in enumerate(TEXTS[graph_id % 100].lower().split()):
            graphs.add_graph_node_property(graph_id, "text", word)
            graphs.add_graph_node_property(graph_id, place, word)
            if place > 0:
                graphs.add_graph_node_edge(graph_id, place, place - 1, "previous")
    graphs.encode()


Loops = Callable[[Any, int], None]
Make = Callable[[int], Any]
PLACES = [f"{axis}:{place}" for axis in "RC" for place in range(19)]
WORKLOADS: dict[str, tuple[Loops, int, list[Hashable] | None, int | None]] = {
    # Loops, number of graphs, symbols, and size of the hypervector: None for one bit per symbol.
    "noisy xor": (noisy_xor, 20_000, ["A", "B"], None),
    "sequences": (sequences, 5_000, list("ABCDE"), 64),
    "pixels": (pixels, 2_000, list(range(28 * 28)), None),
    "patches": (patches, 50, [*range(100), *PLACES], 128),
    "molecules": (molecules, 2_000, list("CNOS"), 32),
    "words": (words, 1_000, None, 4_096),
    "bare": (bare, 20_000, ["A", "B"], 32),
}
LIMITED = [name for name in WORKLOADS if name != "bare"]


def seconds(loops: Loops, make: Make, n: int) -> float:
    """Return the processor time that it takes to build graphs."""
    start = time.process_time()
    loops(make(n), n)
    return time.process_time() - start


def own(loops: Any) -> Loops:
    """Return a copy of a function: Python optimises each for the objects that it has seen."""
    copy: Loops = FunctionType(loops.__code__.replace(), loops.__globals__)
    return copy


def measured(name: str, repeats: int = REPEATS) -> dict[str, Any]:
    """Return the seconds with graphs and with empty methods, and their ratio."""
    loops, n, symbols, size = WORKLOADS[name]
    full, empty = own(loops), own(loops)

    def graphs(n: int) -> Graphs:
        return Graphs(n, size or 128, symbols=symbols, one_hot_encoding=size is None)

    times = [(seconds(full, graphs, n), seconds(empty, lambda _: NoGraphs(), n)) for _ in range(repeats)]
    with_graphs, without = (min(column) for column in zip(*times, strict=True))
    return {"workload": name, "seconds": with_graphs, "empty": without, "ratio": with_graphs / without}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="file for the results")
    options = parser.parse_args()
    results = []
    for name in WORKLOADS:
        results.append(measured(name))
        print("{workload:10} {seconds:6.2f} s, empty methods {empty:6.2f} s, ratio {ratio:.2f}".format(**results[-1]))
    if options.json:
        options.json.write_text(json.dumps({"results": results}, indent=2) + "\n")
    if any(result["ratio"] > LIMIT for result in results if result["workload"] in LIMITED):
        sys.exit(f"A ratio is above {LIMIT:g}.")


if __name__ == "__main__":
    main()
