"""Symbols for the number of neighbours of nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import Name
from graphtm.graphs.bins import DEGREE
from graphtm.graphs.packed import PackedGraphs
from graphtm.graphs.vocabulary import Vocabulary


def neighbour_counts(graphs: PackedGraphs) -> Int64Array:
    """Return the number of other nodes that each node has an edge to or from, whatever their number and type."""
    start = np.repeat(graphs.node_ptr[:-1], graphs.node_counts)
    keys = []
    for table in (graphs.out_edges, graphs.in_edges):
        near = table.near_ends()
        far = start[near] + table.neighbours
        keys.append((near * graphs.n_nodes + far)[near != far])
    return np.bincount(np.unique(np.concatenate(keys)) // max(1, graphs.n_nodes), minlength=graphs.n_nodes)


def with_degrees(graphs: PackedGraphs, largest: int) -> PackedGraphs:
    """Return graphs whose nodes also have symbols for their number of neighbours, see ``GraphBatch.with_degrees``."""
    known = graphs.vocabulary
    names: list[Name] = [(DEGREE, ">=", number) for number in range(1, largest + 1)]
    if any(name in known.symbols for name in names):
        raise GraphError(
            "The batch must not have symbols for degrees yet; it already has some, such as degree>=1. Use it as it is."
        )
    counts = np.minimum(neighbour_counts(graphs), largest)
    nodes, symbols = graphs.properties.pairs()
    ends = np.cumsum(counts)
    reached = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
    vocabulary = Vocabulary([*known.symbols, *names], known.edge_types, known.node_types)
    properties = property_tables.from_pairs(
        np.concatenate([nodes, np.repeat(np.arange(graphs.n_nodes), counts)]),
        np.concatenate([symbols, reached + len(known.symbols)]),
        graphs.n_nodes,
        len(vocabulary.symbols),
    )
    return replace(graphs, vocabulary=vocabulary, properties=properties)
