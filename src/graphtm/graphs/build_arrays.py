"""Packed graphs from arrays, without a Python loop over nodes or edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from graphtm.errors import GraphError
from graphtm.graphs import properties as property_tables
from graphtm.graphs.arrays import BoolArray, Int32Array, Int64Array, check_limit, integers, pointers
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.names import Names, Numbering, normalize_name
from graphtm.graphs.packed import PackedGraphs
from graphtm.graphs.properties import Properties
from graphtm.graphs.vocabulary import PLAIN, Vocabulary

# What a user may hand in; SciPy's sparse matrices have no types of their own here.
PropertiesLike: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix | tuple[ArrayLike, ArrayLike]"
EdgesLike: TypeAlias = "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]"
NodeTypesLike: TypeAlias = "Sequence[object] | ArrayLike | tuple[ArrayLike, Sequence[object]]"


def from_arrays(
    node_counts: ArrayLike,
    properties: PropertiesLike | None = None,
    symbols: Sequence[object] | None = None,
    edges: EdgesLike | None = None,
    edge_types: Sequence[object] | None = None,
    edge_counts: ArrayLike | None = None,
    node_types: NodeTypesLike | None = None,
) -> PackedGraphs:
    """Pack arrays; see :meth:`graphtm.GraphBatch.from_arrays`."""
    node_ptr = _node_pointers(node_counts)
    n_nodes = int(node_ptr[-1])
    carried = _properties(properties, n_nodes, None if symbols is None else len(symbols))
    symbol_names = Names(range(carried.n_symbols) if symbols is None else symbols, "symbol")
    source, destination, types, edge_type_names = _edges(edges, edge_types)
    graph_of_edge = _graphs_of_edges(source, destination, node_ptr, edge_counts)
    type_numbers, node_type_names = _node_types(node_types, n_nodes)
    offset = node_ptr[graph_of_edge]
    return PackedGraphs(
        Vocabulary(symbol_names, edge_type_names, node_type_names),
        node_ptr,
        carried,
        *_both_ways(source, destination, types, offset, n_nodes, local=edge_counts is not None),
        type_numbers,
    )


def _node_pointers(node_counts: ArrayLike) -> Int64Array:
    counts = integers(node_counts, "node_counts")
    check_limit(len(counts), "graphs")
    bad = np.flatnonzero(counts < 1)
    if len(bad):
        raise GraphError(f"A graph must have at least one node; graph {bad[0]} has {counts[bad[0]]}.")
    check_limit(int(counts.sum()), "nodes")
    return pointers(counts)


def _properties(given: Any, n_nodes: int, n_symbols: int | None) -> Properties:
    if n_symbols is not None:
        check_limit(n_symbols, "symbols")
    if given is None:
        none = np.zeros(0, np.int64)
        return property_tables.from_pairs(none, none, n_nodes, n_symbols or 0)
    if isinstance(given, tuple):
        return _properties_from_pairs(given, n_nodes, n_symbols)
    matrix = given.tocoo() if sparse.issparse(given) else np.asarray(given)
    if matrix.ndim != 2 or matrix.shape[0] != n_nodes:
        raise GraphError(
            f"The properties must be a matrix with a row per node, {n_nodes:,} in all; got shape {matrix.shape}."
        )
    if n_symbols is not None and matrix.shape[1] != n_symbols:
        raise GraphError(
            f"The properties must have a column per symbol; got {matrix.shape[1]:,} columns and {n_symbols:,} symbols."
        )
    if isinstance(matrix, np.ndarray):
        return property_tables.from_matrix(_boolean(matrix))
    kept = _boolean(matrix.data)
    return property_tables.from_pairs(
        matrix.row[kept].astype(np.int64), matrix.col[kept].astype(np.int64), n_nodes, matrix.shape[1]
    )


def _properties_from_pairs(given: tuple[ArrayLike, ...], n_nodes: int, n_symbols: int | None) -> Properties:
    if len(given) != 2:
        raise GraphError(
            f"Properties as index arrays must be a pair (node_index, symbol_index); got {len(given)} items."
        )
    nodes, symbols = integers(given[0], "node_index of the properties"), integers(given[1], "symbol_index")
    if len(nodes) != len(symbols):
        raise GraphError(
            f"node_index and symbol_index must be of equal length; got {len(nodes):,} and {len(symbols):,}."
        )
    check_limit(len(nodes), "properties")
    if n_symbols is None:
        n_symbols = int(symbols.max(initial=-1)) + 1
        check_limit(n_symbols, "symbols")
    bad = np.flatnonzero((nodes < 0) | (nodes >= n_nodes))
    if len(bad):
        raise GraphError(
            f"node_index must lie in 0..{n_nodes - 1} (nodes are numbered through all graphs); "
            f"got {nodes[bad[0]]} at place {bad[0]}."
        )
    bad = np.flatnonzero((symbols < 0) | (symbols >= n_symbols))
    if len(bad):
        raise GraphError(
            f"symbol_index must lie in 0..{n_symbols - 1}; got {symbols[bad[0]]} for node {nodes[bad[0]]}. "
            "Check that `symbols` names every symbol."
        )
    return property_tables.from_pairs(nodes, symbols, n_nodes, n_symbols)


def _boolean(values: NDArray[Any]) -> BoolArray:
    if values.dtype == np.bool_:
        return values
    if values.dtype.kind not in "iuf":
        raise GraphError(f"The properties must be Boolean (or 0 and 1); got dtype {values.dtype}.")
    if values.dtype.kind == "f" and np.isnan(values).any():
        place = tuple(int(index) for index in np.argwhere(np.isnan(values))[0])
        raise GraphError(f"The properties must not hold NaN; found one at {place}. Fill or drop missing values first.")
    truth: BoolArray = values == 1
    if not np.all(truth | (values == 0)):
        raise GraphError(
            f"The properties must be Boolean (or 0 and 1); got {values[~truth & (values != 0)][0]}. "
            "Turn numbers into symbols first, for example one symbol per bin."
        )
    return truth


def _edges(given: Any, edge_types: Sequence[object] | None) -> tuple[Int64Array, Int64Array, Int64Array, Names]:
    if given is None:
        none = np.zeros(0, np.int64)
        return none, none, none, Names(edge_types or (), "edge type")
    if not isinstance(given, tuple | list) or len(given) not in (2, 3):
        raise GraphError(
            "The edges must be (source, destination, edge_type_index), or (source, destination) for one type; "
            f"got {type(given).__name__!r}" + (f" of {len(given)} items." if isinstance(given, tuple | list) else ".")
        )
    source, destination = (
        integers(given[0], "sources of the edges"),
        integers(given[1], "destinations of the edges"),
    )
    check_limit(len(source), "edges")
    if len(given) == 3:
        types = integers(given[2], "edge_type_index")
        names = range(int(types.max(initial=-1)) + 1) if edge_types is None else edge_types
    else:
        types = np.zeros(len(source), np.int64)
        names = [PLAIN] if edge_types is None else edge_types
    if not len(source) == len(destination) == len(types):
        raise GraphError(
            "Sources, destinations and types of edges must be of equal length; "
            f"got {len(source):,}, {len(destination):,} and {len(types):,}."
        )
    check_limit(len(names), "edge types")
    bad = np.flatnonzero((types < 0) | (types >= len(names)))
    if len(bad):
        raise GraphError(
            f"edge_type_index must lie in 0..{len(names) - 1}; got {types[bad[0]]} for edge {bad[0]}. "
            "Check that `edge_types` names every type."
        )
    return source, destination, types, Names(names, "edge type")


def _graphs_of_edges(
    source: Int64Array, destination: Int64Array, node_ptr: Int64Array, edge_counts: ArrayLike | None
) -> Int64Array:
    """Return each edge's graph; every end is checked to be a node of that graph."""
    n_graphs, n_nodes = len(node_ptr) - 1, int(node_ptr[-1])
    if edge_counts is not None:
        counts = integers(edge_counts, "edge_counts")
        if len(counts) != n_graphs or np.any(counts < 0) or counts.sum() != len(source):
            raise GraphError(
                f"edge_counts must give one number per graph ({n_graphs:,}) and add up to the {len(source):,} edges; "
                f"got {len(counts):,} numbers that add up to {counts.sum():,}."
            )
        graph = np.repeat(np.arange(n_graphs), counts)
        limit = np.diff(node_ptr)[graph]
        for end, what in ((source, "source"), (destination, "destination")):
            bad = np.flatnonzero((end < 0) | (end >= limit))
            if len(bad):
                edge = bad[0]
                raise GraphError(
                    f"The {what} of an edge must be a node of its graph; edge {edge} of graph {graph[edge]} has node "
                    f"{end[edge]}, but that graph has nodes 0..{limit[edge] - 1}."
                )
        return graph
    for end, what in ((source, "source"), (destination, "destination")):
        bad = np.flatnonzero((end < 0) | (end >= n_nodes))
        if len(bad):
            raise GraphError(
                f"The {what} of an edge must lie in 0..{n_nodes - 1} (nodes are numbered through all graphs; give "
                f"edge_counts to number them per graph); edge {bad[0]} has node {end[bad[0]]}."
            )
    graph_of_node = np.repeat(np.arange(n_graphs), np.diff(node_ptr))
    graph = graph_of_node[source]
    bad = np.flatnonzero(graph != graph_of_node[destination])
    if len(bad):
        edge = bad[0]
        raise GraphError(
            f"An edge must stay within its graph; edge {edge} goes from node {source[edge]} of graph {graph[edge]} to "
            f"node {destination[edge]} of graph {graph_of_node[destination[edge]]}."
        )
    return graph


def _both_ways(
    source: Int64Array,
    destination: Int64Array,
    types: Int64Array,
    offset: Int64Array,
    n_nodes: int,
    *,
    local: bool,
) -> tuple[EdgeTable, EdgeTable]:
    if local:
        return (
            edge_table(source + offset, destination, types, n_nodes),
            edge_table(destination + offset, source, types, n_nodes),
        )
    return (
        edge_table(source, destination - offset, types, n_nodes),
        edge_table(destination, source - offset, types, n_nodes),
    )


def _node_types(given: Any, n_nodes: int) -> tuple[Int32Array | None, Names]:
    if given is None:
        return None, Names((), "node type")
    if isinstance(given, tuple):
        if len(given) != 2:
            raise GraphError(f"node_types as a tuple must be (type_index, names); got {len(given)} items.")
        numbers, names = integers(given[0], "type_index of the nodes"), Names(given[1], "node type")
    else:
        names_of_nodes = given.tolist() if isinstance(given, np.ndarray) else list(given)
        if None in names_of_nodes:
            raise GraphError(f"Either all nodes or none must have a type; node {names_of_nodes.index(None)} has none.")
        numbering = Numbering()
        numbers = np.array([numbering(normalize_name(name)) for name in names_of_nodes], dtype=np.int64)
        names = Names(numbering.names(), "node type")
    if len(numbers) != n_nodes:
        raise GraphError(f"There must be one node type per node, {n_nodes:,} in all; got {len(numbers):,}.")
    bad = np.flatnonzero((numbers < 0) | (numbers >= len(names)))
    if len(bad):
        raise GraphError(
            f"type_index of the nodes must lie in 0..{len(names) - 1}; got {numbers[bad[0]]} for node {bad[0]}."
        )
    return numbers.astype(np.int32), names
