"""Packing of ``Graph`` objects into arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from graphtm.errors import GraphError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import BoolArray, Int64Array, pointers
from graphtm.foundation.numbering import Numbering
from graphtm.foundation.type_names import quoted
from graphtm.graphs.edges import edge_table
from graphtm.graphs.graph import Graph
from graphtm.graphs.packed import NodeNames, PackedGraphs
from graphtm.graphs.vocabulary import Vocabulary

_CONVERTERS = {
    "networkx.Graph": "from_networkx",
    "torch_geometric.BaseData": "from_pyg",
    "torch_geometric.Dataset": "from_pyg",
    "pandas.DataFrame": "from_pandas",
    "polars.DataFrame": "from_polars",
}


def from_graphs(graphs: Iterable[Graph], vocabulary: Vocabulary | None = None) -> PackedGraphs:
    """Pack graphs; see :meth:`graphtm.GraphBatch.from_graphs`."""
    if isinstance(graphs, Graph):
        raise TypeError("The graphs must be a list of Graph; got one Graph. Write [graph].")
    if _converter(graphs) is not None or not isinstance(graphs, Iterable):
        raise TypeError(f"The graphs must be a list of Graph; got {_described(graphs)}.")
    graphs = list(graphs)
    for number, graph in enumerate(graphs):
        if not isinstance(graph, Graph):
            raise TypeError(f"The graphs must be a list of Graph; element {number} is {_described(graph)}.")
        if graph.n_nodes == 0:
            raise GraphError(f"A graph must have at least one node; graph {number} has none.")
    typed = _all_or_none_typed(graphs)
    symbol_number = Numbering(None if vocabulary is None else vocabulary.symbols)
    edge_type_number = Numbering(None if vocabulary is None else vocabulary.edge_types)
    node_type_number = Numbering(None if vocabulary is None else vocabulary.node_types)
    if vocabulary is not None and graphs and typed != bool(len(vocabulary.node_types)):
        has, have = ("the nodes", "have") if typed else ("the vocabulary", "has")
        raise GraphError(f"Nodes must have types if and only if the vocabulary has; only {has} {have} types.")
    symbols = [symbol_number(name) for graph in graphs for node in graph._properties for name in node]
    edge_types = [edge_type_number(name) for graph in graphs for name in graph._edge_types]
    node_types = [node_type_number(name) for graph in graphs for name in graph._types if typed]
    numbered = Vocabulary(symbol_number.names(), edge_type_number.names(), node_type_number.names())

    counts = np.array([graph.n_nodes for graph in graphs], dtype=np.int64)
    node_ptr = pointers(counts)
    n_nodes = int(node_ptr[-1])
    carried = np.array([len(node) for graph in graphs for node in graph._properties], dtype=np.int64)
    offsets = np.repeat(node_ptr[:-1], [graph.n_edges for graph in graphs])
    source = _flat(graph._sources for graph in graphs)
    destination = _flat(graph._destinations for graph in graphs)
    types = np.array(edge_types, dtype=np.int64)
    return PackedGraphs(
        numbered,
        node_ptr,
        property_tables.from_pairs(
            np.repeat(np.arange(n_nodes), carried),
            np.array(symbols, dtype=np.int64),
            n_nodes,
            len(numbered.symbols),
        ),
        edge_table(source + offsets, destination, types, n_nodes),
        edge_table(destination + offsets, source, types, n_nodes),
        np.array(node_types, dtype=np.int32) if len(numbered.node_types) else None,
        _readout(graphs),
        _node_names(graphs),
    )


def packed_graph(graph: Graph) -> PackedGraphs:
    """Return a packed graph; one taken from a batch and not changed since is not packed again.

    It then has the vocabulary of the batch, which may contain names that the graph does not use. Do not build a
    vocabulary from it.
    """
    return from_graphs([graph]) if graph._packed is None else graph._packed


def _described(value: object) -> str:
    """Return the type of a value that is not a Graph, and the function that converts it."""
    converter = _converter(value)
    return quoted(_title(type(value))) + ("" if converter is None else f". Convert it with graphtm.{converter}")


def _converter(value: Any) -> str | None:
    """Return the name of the function that converts a value, without importing its library."""
    if sparse.issparse(value) or (isinstance(value, np.ndarray) and value.ndim == 2):
        return "from_adjacency"
    return next((_CONVERTERS[title] for title in map(_title, type(value).__mro__) if title in _CONVERTERS), None)


def _title(kind: type) -> str:
    """Return the name of a class with its library, to tell our Graph from others."""
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{library}.{kind.__name__}"


def _flat(lists: Iterable[list[int]]) -> Int64Array:
    return np.array([number for one in lists for number in one], dtype=np.int64)


def _all_or_none_typed(graphs: Sequence[Graph]) -> bool:
    first: dict[bool, str] = {}
    for number, graph in enumerate(graphs):
        for name, node_type in zip(graph._names, graph._types, strict=True):
            first.setdefault(node_type is not None, f"node {name!r} of graph {number}")
    if len(first) == 2:
        raise GraphError(f"Either all nodes or none must have a type; {first[True]} has one, {first[False]} has none.")
    return True in first


def _readout(graphs: Sequence[Graph]) -> BoolArray | None:
    if all(graph._readout is None for graph in graphs):
        return None
    masks = []
    for graph in graphs:
        mask = np.full(graph.n_nodes, graph._readout is None)
        mask[graph._readout or []] = True
        masks.append(mask)
    return np.concatenate(masks)


def _node_names(graphs: Sequence[Graph]) -> NodeNames | None:
    names = tuple(
        None if all(type(name) is int and name == place for place, name in enumerate(graph._names)) else graph.nodes
        for graph in graphs
    )
    return names if any(names) else None
