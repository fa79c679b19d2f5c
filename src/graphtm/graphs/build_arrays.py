"""Packing of arrays into graphs, without Python loops over nodes or edges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from graphtm.errors import GraphError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import (
    BoolArray,
    Int32Array,
    Int64Array,
    check_limit,
    integers,
    node_pointers,
    place,
    refuse_negative,
    total,
)
from graphtm.foundation.names import refuse_set, saved_name
from graphtm.foundation.numbering import Names, Numbering
from graphtm.foundation.properties import Properties
from graphtm.foundation.type_names import type_of
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.packed import PackedGraphs
from graphtm.graphs.vocabulary import PLAIN, Vocabulary

# SciPy's sparse matrices are not typed.
PropertiesLike: TypeAlias = "ArrayLike | sparse.sparray | sparse.spmatrix | tuple[ArrayLike, ArrayLike]"
NodeTypesLike: TypeAlias = "ArrayLike | Iterable[object] | tuple[ArrayLike, Iterable[object]]"


def from_arrays(
    node_counts: ArrayLike,
    properties: PropertiesLike | None = None,
    symbols: Iterable[object] | None = None,
    edges: EdgesLike | None = None,
    edge_types: Iterable[object] | None = None,
    edge_counts: ArrayLike | None = None,
    node_types: NodeTypesLike | None = None,
) -> PackedGraphs:
    """Pack arrays; see :meth:`graphtm.GraphBatch.from_arrays`."""
    node_ptr = node_pointers(node_counts)
    symbols = None if symbols is None else named_by_place(symbols, "symbol", "symbols")
    carried = _properties(properties, node_ptr, None if symbols is None else len(symbols))
    if symbols is None:
        symbols = inferred_names(carried.n_symbols, "symbol", "symbols")
    source, destination, types, edge_type_names = edge_columns(edges, edge_types)
    graph_of_edge = graphs_of_edges(source, destination, node_ptr, edge_counts)
    type_numbers, node_type_names = _node_types(node_types, node_ptr)
    return PackedGraphs(
        Vocabulary(symbols, edge_type_names, node_type_names),
        node_ptr,
        carried,
        *both_ways(source, destination, types, node_ptr, graph_of_edge, local=edge_counts is not None),
        type_numbers,
    )


def _properties(given: Any, node_ptr: Int64Array, n_symbols: int | None) -> Properties:
    n_nodes = int(node_ptr[-1])
    if given is None:
        none = np.zeros(0, np.int64)
        return property_tables.from_pairs(none, none, n_nodes, n_symbols or 0)
    if isinstance(given, tuple):
        return _properties_from_pairs(given, node_ptr, n_symbols)
    try:
        matrix = given.tocoo() if sparse.issparse(given) else np.asarray(given)
    except ValueError:
        raise GraphError("The properties must be a matrix; got rows of different lengths.") from None
    if matrix.ndim != 2 or matrix.shape[0] != n_nodes:
        raise GraphError(
            f"The properties must be a matrix with one row per node, {n_nodes:,}; got shape {matrix.shape}."
        )
    if n_symbols is not None and matrix.shape[1] != n_symbols:
        raise GraphError(
            f"The properties must have one column per symbol; got {matrix.shape[1]:,} for {n_symbols:,} symbols."
        )
    if isinstance(matrix, np.ndarray):
        return property_tables.from_matrix(_boolean(matrix, node_ptr, lambda where: where // matrix.shape[1]))
    kept = _boolean(matrix.data, node_ptr, lambda where: int(matrix.row[where]))
    return property_tables.from_pairs(
        matrix.row[kept].astype(np.int64), matrix.col[kept].astype(np.int64), n_nodes, matrix.shape[1]
    )


def _properties_from_pairs(given: tuple[ArrayLike, ...], node_ptr: Int64Array, n_symbols: int | None) -> Properties:
    if len(given) != 2:
        raise GraphError(f"Properties as a tuple must be (node_index, symbol_index); got {len(given)} items.")
    nodes, symbols = integers(given[0], "node_index of the properties"), integers(given[1], "symbol_index")
    if len(nodes) != len(symbols):
        raise GraphError(
            f"node_index and symbol_index must have the same length; got {len(nodes):,} and {len(symbols):,}."
        )
    check_limit(len(nodes), "properties")
    n_nodes = int(node_ptr[-1])
    if n_symbols is None:
        n_symbols = int(symbols.max(initial=-1)) + 1
        check_limit(n_symbols, "symbols")
    bad = np.flatnonzero((nodes < 0) | (nodes >= n_nodes))
    if len(bad):
        raise GraphError(
            f"node_index must be in 0..{n_nodes - 1} (nodes are numbered across all graphs); "
            f"got {nodes[bad[0]]} at index {bad[0]}."
        )
    bad = np.flatnonzero((symbols < 0) | (symbols >= n_symbols))
    if len(bad):
        raise GraphError(
            f"symbol_index must be in 0..{n_symbols - 1}; got {symbols[bad[0]]} for "
            f"{place(int(nodes[bad[0]]), node_ptr)}. Check that symbols has a name for every index."
        )
    return property_tables.from_pairs(nodes, symbols, n_nodes, n_symbols)


def _boolean(values: NDArray[Any], node_ptr: Int64Array, node_of: Callable[[int], int]) -> BoolArray:
    """Return 0 and 1 as Booleans; ``node_of`` returns the node of a flat index."""
    if values.dtype == np.bool_:
        return values
    if values.dtype.kind not in "iuf":
        raise GraphError(f"The properties must be Boolean (or 0 and 1); got dtype {values.dtype}.")
    truth: BoolArray = values == 1
    bad = np.flatnonzero(~(truth | (values == 0)))
    if len(bad):
        value, at = values.reshape(-1)[bad[0]], place(node_of(int(bad[0])), node_ptr)
        advice = "Fill or drop missing values first" if value != value else "Convert numbers to symbols, one per bin"
        raise GraphError(f"The properties must be Boolean (or 0 and 1); got {value} at {at}. {advice}.")
    return truth


def _node_types(given: Any, node_ptr: Int64Array) -> tuple[Int32Array | None, Names]:
    n_nodes = int(node_ptr[-1])
    if given is None:
        return None, Names((), "node type")
    if isinstance(given, str | bytes):
        raise GraphError(f"node_types must be a list with one name per node; got the string {given!r}.")
    refuse_set(given, "'node_types' parameter of from_arrays")
    if isinstance(given, Mapping):
        raise TypeError("The 'node_types' parameter of from_arrays must be a list with one name per node. Got a dict.")
    if isinstance(given, tuple):
        if len(given) != 2:
            raise GraphError(f"node_types as a tuple must be (type_index, names); got {len(given)} items.")
        numbers, names = (
            integers(given[0], "type_index of the nodes"),
            named_by_place(given[1], "node type", "node_types"),
        )
    else:
        names_of_nodes = given.tolist() if isinstance(given, np.ndarray) else list(given)
        if len(names_of_nodes) == n_nodes and any(name is None for name in names_of_nodes):
            missing = next(node for node, name in enumerate(names_of_nodes) if name is None)
            raise GraphError(f"Either all nodes or none must have a type; {place(missing, node_ptr)} has none.")
        numbering = Numbering()
        numbers = np.array([numbering(saved_name(name, "node type")) for name in names_of_nodes], dtype=np.int64)
        names = Names(numbering.names(), "node type")
    if len(numbers) != n_nodes:
        raise GraphError(f"node_types must have one entry per node, {n_nodes:,}; got {len(numbers):,}.")
    bad = np.flatnonzero((numbers < 0) | (numbers >= len(names)))
    if len(bad):
        raise GraphError(
            f"type_index of the nodes must be in 0..{len(names) - 1}; got {numbers[bad[0]]} for "
            f"{place(int(bad[0]), node_ptr)}."
        )
    return numbers.astype(np.int32), names


EdgesLike: TypeAlias = "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]"

MOST_INFERRED = 10_000_000
"""Maximum number of default names 0, 1, 2, ...; more are a mistake in the indices."""


def named_by_place(names: Iterable[object], kind: str, parameter: str) -> Names:
    """Return names whose order matters; sets are refused."""
    refuse_set(names, f"{parameter!r} parameter of from_arrays")
    return Names(names, kind)


def inferred_names(number: int, kind: str, parameter: str) -> Names:
    """Return the default names 0, 1, 2, ..."""
    if number > MOST_INFERRED:
        raise GraphError(
            f"Indices of {kind}s must be below {MOST_INFERRED:,} if {parameter} is not given; got {number - 1:,}. Pass "
            f"{parameter}, or use the indices 0, 1, 2, ..."
        )
    return Names(range(number), kind)


def edge_columns(given: Any, edge_types: Iterable[object] | None) -> tuple[Int64Array, Int64Array, Int64Array, Names]:
    """Return sources, destinations and types of the edges, and the names of the types."""
    declared = None if edge_types is None else named_by_place(edge_types, "edge type", "edge_types")
    if given is None:
        none = np.zeros(0, np.int64)
        return none, none, none, Names((), "edge type") if declared is None else declared
    _check_columns(given)
    if len(given) == 2 and declared is not None and len(declared) != 1:
        raise GraphError(
            f"Edges must be (source, destination, edge_type_index) if there are {len(declared):,} edge types; got "
            "(source, destination). Add edge_type_index, or pass a single edge type."
        )
    source, destination = (
        integers(given[0], "sources of the edges"),
        integers(given[1], "destinations of the edges"),
    )
    check_limit(len(source), "edges")
    if len(given) == 3:
        types = integers(given[2], "edge_type_index")
        if declared is None:
            declared = inferred_names(int(types.max(initial=-1)) + 1, "edge type", "edge_types")
    else:
        types = np.zeros(len(source), np.int64)
    names = Names([PLAIN], "edge type") if declared is None else declared
    if not len(source) == len(destination) == len(types):
        raise GraphError(
            "Sources, destinations and types of edges must have the same length; "
            f"got {len(source):,}, {len(destination):,} and {len(types):,}."
        )
    bad = np.flatnonzero((types < 0) | (types >= len(names)))
    if len(bad):
        raise GraphError(
            f"edge_type_index must be in 0..{len(names) - 1}; got {types[bad[0]]} for edge {bad[0]}. "
            "Check that edge_types has a name for every index."
        )
    return source, destination, types, names


def _check_columns(given: Any) -> None:
    """Refuse edges that are not given as columns, or that are ambiguous."""
    must = "The edges must be a tuple of arrays (source, destination, edge_type_index) or (source, destination); "
    if isinstance(given, np.ndarray):
        raise GraphError(
            f"{must}got an array of shape {given.shape}. Write tuple(edges.T) if its rows are edges, tuple(edges) if "
            "they are columns."
        )
    if not isinstance(given, tuple | list):
        raise GraphError(f"{must}got {type_of(given)}.")
    if (
        isinstance(given, list)
        and given
        and all(isinstance(item, tuple | list) and len(item) in (2, 3) for item in given)
    ):
        # Two or three such items could be edges or columns; more of them are edges.
        raise GraphError(
            f"{must}got a list of {len(given)} items, which may be edges. Write tuple(zip(*edges)) if they are edges, "
            "tuple(edges) if they are columns."
        )
    if len(given) not in (2, 3):
        raise GraphError(f"{must}got a {type(given).__name__} of {len(given)} items.")


def graphs_of_edges(
    source: Int64Array, destination: Int64Array, node_ptr: Int64Array, edge_counts: ArrayLike | None
) -> Int64Array:
    """Return the graph of each edge; both ends must be nodes of the same graph."""
    n_graphs, n_nodes = len(node_ptr) - 1, int(node_ptr[-1])
    if edge_counts is not None:
        counts = integers(edge_counts, "edge_counts")
        refuse_negative(counts, "edge_counts")
        n_edges = total(counts, "edges")
        if len(counts) != n_graphs or n_edges != len(source):
            raise GraphError(
                f"edge_counts must have one number per graph ({n_graphs:,}) and add up to the number of edges "
                f"({len(source):,}); got {len(counts):,} numbers that add up to {n_edges:,}."
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
            other = (destination if what == "source" else source)[bad[0]]
            beside = f", whose other end is {place(int(other), node_ptr)}" if 0 <= other < n_nodes else ""
            raise GraphError(
                f"The {what} of an edge must be in 0..{n_nodes - 1} (nodes are numbered across all graphs; pass "
                f"edge_counts to number them per graph); edge {bad[0]}{beside}, has node {end[bad[0]]}."
            )
    graph_of_node = np.repeat(np.arange(n_graphs), np.diff(node_ptr))
    graph = graph_of_node[source]
    bad = np.flatnonzero(graph != graph_of_node[destination])
    if len(bad):
        edge = bad[0]
        raise GraphError(
            f"Both ends of an edge must be in the same graph; edge {edge} goes from node {source[edge]} of graph "
            f"{graph[edge]} to node {destination[edge]} of graph {graph_of_node[destination[edge]]}."
        )
    return graph


def both_ways(
    source: Int64Array,
    destination: Int64Array,
    types: Int64Array,
    node_ptr: Int64Array,
    graph_of_edge: Int64Array,
    *,
    local: bool,
) -> tuple[EdgeTable, EdgeTable]:
    """Return the edges by source and by destination; ``local``: nodes are numbered within each graph."""
    n_nodes, offset = int(node_ptr[-1]), node_ptr[graph_of_edge]
    if local:
        return (
            edge_table(source + offset, destination, types, n_nodes),
            edge_table(destination + offset, source, types, n_nodes),
        )
    return (
        edge_table(source, destination - offset, types, n_nodes),
        edge_table(destination, source - offset, types, n_nodes),
    )
