"""One graph as plain data, ready to be drawn."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import Name, name_key
from graphtm.foundation.numbering import Numbering
from graphtm.graphs import Graph, GraphBatch


@dataclass(frozen=True)
class Drawing:
    """What there is to draw, as plain data; nodes, edge types and node types by number."""

    names: tuple[Hashable, ...]
    properties: list[tuple[Name, ...]]
    node_types: Int64Array
    node_type_names: list[Name]
    source: Int64Array
    destination: Int64Array
    edge_types: Int64Array
    edge_type_names: list[Name]
    readout: NDArray[np.bool_]


def read_graph(graph_or_batch: Graph | GraphBatch, i: int | None) -> Drawing:
    """Return the graph to draw; types of a batch are numbered, and so coloured, alike in all its graphs."""
    if isinstance(graph_or_batch, GraphBatch):
        if i is None and len(graph_or_batch) != 1:
            raise ValueError(
                "The 'i' parameter of draw_graph must say which graph to draw, unless the batch has one. Got None "
                f"instead, and a batch of {len(graph_or_batch):,} graphs."
            )
        graph, vocabulary = graph_or_batch[0 if i is None else i], graph_or_batch.vocabulary
        edge_types, node_types = Numbering(vocabulary.edge_types), Numbering(vocabulary.node_types)
        if not isinstance(graph, Graph):
            raise TypeError(f"The 'i' parameter of draw_graph must be an integer. Got {i!r} instead.")
    elif isinstance(graph_or_batch, Graph):
        if i is not None:
            raise ValueError(f"The 'i' parameter of draw_graph is for batches; this is one graph. Got {i!r} instead.")
        graph, edge_types, node_types = graph_or_batch, Numbering(), Numbering()
    else:
        raise TypeError(
            "The 'graph_or_batch' parameter of draw_graph must be a Graph or a GraphBatch. Got a "
            f"{type(graph_or_batch).__name__!r} instead."
        )
    if not graph.n_nodes:
        raise GraphError("A graph must have a node to be drawn; this one has none.")
    nodes = graph.nodes
    number = {name_key(node): place for place, node in enumerate(nodes)}
    edges = [(number[name_key(a)], number[name_key(b)], edge_types(kind)) for a, b, kind in graph.edges]
    source, destination, types = np.array(edges, np.int64).reshape(-1, 3).T
    typed = [graph.node_type(node) for node in nodes]
    readout = set(map(name_key, nodes if graph.readout is None else graph.readout))
    return Drawing(
        nodes,
        [graph.properties(node) for node in nodes],
        np.array([-1 if name is None else node_types(name) for name in typed]),
        list(node_types.names()),
        source,
        destination,
        types,
        list(edge_types.names()),
        np.array([name_key(node) in readout for node in nodes]),
    )
