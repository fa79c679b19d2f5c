"""Packed graphs from arrays, without a Python loop over nodes or edges."""

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
)
from graphtm.foundation.names import Names, Numbering, refuse_set, saved_name
from graphtm.foundation.properties import Properties
from graphtm.graphs.build_edges import (
    EdgesLike,
    both_ways,
    edge_columns,
    graphs_of_edges,
    inferred_names,
    named_by_place,
)
from graphtm.graphs.packed import PackedGraphs
from graphtm.graphs.vocabulary import Vocabulary

# What a user may hand in; SciPy's sparse matrices have no types of their own here.
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
            f"The properties must be a matrix with a row per node, {n_nodes:,} in all; got shape {matrix.shape}."
        )
    if n_symbols is not None and matrix.shape[1] != n_symbols:
        raise GraphError(
            f"The properties must have a column per symbol; got {matrix.shape[1]:,} columns and {n_symbols:,} symbols."
        )
    if isinstance(matrix, np.ndarray):
        return property_tables.from_matrix(_boolean(matrix, node_ptr, lambda where: where // matrix.shape[1]))
    kept = _boolean(matrix.data, node_ptr, lambda where: int(matrix.row[where]))
    return property_tables.from_pairs(
        matrix.row[kept].astype(np.int64), matrix.col[kept].astype(np.int64), n_nodes, matrix.shape[1]
    )


def _properties_from_pairs(given: tuple[ArrayLike, ...], node_ptr: Int64Array, n_symbols: int | None) -> Properties:
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
    n_nodes = int(node_ptr[-1])
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
            f"symbol_index must lie in 0..{n_symbols - 1}; got {symbols[bad[0]]} for "
            f"{place(int(nodes[bad[0]]), node_ptr)}. Check that `symbols` names every symbol."
        )
    return property_tables.from_pairs(nodes, symbols, n_nodes, n_symbols)


def _boolean(values: NDArray[Any], node_ptr: Int64Array, node_of: Callable[[int], int]) -> BoolArray:
    """Return 0 and 1 as Booleans; ``node_of`` tells which node a flat place belongs to."""
    if values.dtype == np.bool_:
        return values
    if values.dtype.kind not in "iuf":
        raise GraphError(f"The properties must be Boolean (or 0 and 1); got dtype {values.dtype}.")
    truth: BoolArray = values == 1
    bad = np.flatnonzero(~(truth | (values == 0)))
    if len(bad):
        value, at = values.reshape(-1)[bad[0]], place(node_of(int(bad[0])), node_ptr)
        advice = "Fill or drop missing values first" if value != value else "Turn numbers into symbols, one per bin"
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
        raise GraphError(f"There must be one node type per node, {n_nodes:,} in all; got {len(numbers):,}.")
    bad = np.flatnonzero((numbers < 0) | (numbers >= len(names)))
    if len(bad):
        raise GraphError(
            f"type_index of the nodes must lie in 0..{len(names) - 1}; got {numbers[bad[0]]} for "
            f"{place(int(bad[0]), node_ptr)}."
        )
    return numbers.astype(np.int32), names
