"""Occurrences of a motif in all graphs of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtm.datasets.generated import Labels, Mask, carries, edges_of_type
from graphtm.graphs import Graph, GraphBatch, PackedGraphs


@dataclass(frozen=True)
class Motif:
    """A small connected graph; each node except the first is connected to a node with a smaller index.

    Parameters
    ----------
    symbols
        Symbols of each node.
    edges
        Source, destination and type of each edge.
    """

    symbols: tuple[tuple[object, ...], ...]
    edges: tuple[tuple[int, int, object], ...]

    @classmethod
    def from_graph(cls, graph: Graph) -> Motif:
        """Return a graph as a motif; it must be (weakly) connected and have no node types."""
        arrays = GraphBatch.from_graphs([graph]).pack()
        if arrays.node_types is not None:
            raise ValueError("A motif must have nodes without types. Got typed nodes instead.")
        ends = list(zip(arrays.out_edges.near_ends().tolist(), arrays.out_edges.neighbours.tolist(), strict=True))
        order = [0]
        for node in order:
            order += dict.fromkeys(b for pair in ends for a, b in (pair, pair[::-1]) if a == node and b not in order)
        if len(order) < arrays.n_nodes:
            raise ValueError(
                f"A motif must be a connected graph. Got {arrays.n_nodes} nodes instead, {len(order) - 1} of them "
                "connected with the first."
            )
        place = {node: number for number, node in enumerate(order)}
        types = [arrays.vocabulary.edge_types[number] for number in arrays.out_edges.types.tolist()]
        return cls(
            tuple(graph.properties(graph.nodes[node]) for node in order),
            tuple((place[a], place[b], kind) for (a, b), kind in zip(ends, types, strict=True)),
        )

    def __str__(self) -> str:
        single = [carried[0] for carried in self.symbols if len(carried) == 1]
        if len(set(map(str, single))) == len(self.symbols):
            names = [str(symbol) for symbol in single]
        else:
            names = [f"{number}({', '.join(map(str, carried))})" for number, carried in enumerate(self.symbols)]
        return ", ".join(f"{names[a]} -{kind}-> {names[b]}" for a, b, kind in self.edges) or names[0]


def find_motif(graphs: PackedGraphs, motif: Motif) -> Labels:
    """Return all occurrences of a motif, one per row, with one column per node of the motif (indices of the batch).

    An occurrence maps the nodes of the motif to distinct nodes that have at least the same symbols and edges.
    """
    rows = np.flatnonzero(_fits(graphs, motif.symbols[0]))[:, None]
    for node, carried in enumerate(motif.symbols):
        edges = [edge for edge in motif.edges if max(edge[:2]) == node]
        if node:
            rows = _extend(graphs, rows, next(edge for edge in edges if min(edge[:2]) < node))
            rows = rows[_fits(graphs, carried)[rows[:, -1]]]
            rows = rows[np.all(rows[:, :-1] != rows[:, -1:], axis=1)]
        for source, destination, edge_type in edges:
            keys = rows[:, source] * graphs.n_nodes + rows[:, destination]
            rows = rows[np.isin(keys, _edge_keys(graphs, edge_type))]
    return rows


def _fits(graphs: PackedGraphs, symbols: tuple[object, ...]) -> Mask:
    fits = np.ones(graphs.n_nodes, dtype=np.bool_)
    for symbol in symbols:
        fits &= carries(graphs, symbol)
    return fits


def _edge_keys(graphs: PackedGraphs, edge_type: object) -> Labels:
    """Return the distinct edges of a type as sorted integers: source * number of nodes + destination."""
    sources, destinations = edges_of_type(graphs, edge_type)
    return np.unique(sources * graphs.n_nodes + destinations)


def _extend(graphs: PackedGraphs, rows: Labels, link: tuple[int, int, object]) -> Labels:
    """Return the rows with a new last column, one row for each node that the link leads to."""
    source, destination, edge_type = link
    ends = np.divmod(_edge_keys(graphs, edge_type), max(graphs.n_nodes, 1))
    near, far = ends if source < destination else ends[::-1]
    order = np.argsort(near, kind="stable")
    near, far = near[order], far[order]
    known = rows[:, min(source, destination)]
    start = np.searchsorted(near, known, side="left")
    counts = np.searchsorted(near, known, side="right") - start
    row = np.repeat(np.arange(len(rows)), counts)
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts) + start[row]
    return np.concatenate([rows[row], far[place][:, None]], axis=1)
