"""Validation: indices of graphs, readout nodes, and packed arrays from files and encoders."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, Int64Array, integers, place, silent_graphs
from graphtm.foundation.names import is_set, name_key, normalize_name
from graphtm.foundation.properties import ListedProperties, PackedProperties, Properties, n_words
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.lazy import LazyGraphs
from graphtm.graphs.packed import PackedGraphs, chunk_slices


def graph_numbers(index: object, n_graphs: int) -> Int64Array:
    """Return the indices of the graphs that an index array or a mask selects."""
    if isinstance(index, tuple) and any(isinstance(part, np.ndarray) for part in index):
        raise IndexError(
            "A batch must be indexed by integers, a slice or a mask; got a tuple of arrays, as np.where returns it. "
            "Pass np.where(...)[0] or the mask."
        )
    array = np.asarray(index)
    if array.dtype == np.bool_:
        if array.shape != (n_graphs,):
            raise IndexError(f"A mask must have one entry per graph, {n_graphs:,}; got shape {array.shape}.")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        got = f"{array.dtype} of shape {array.shape}" if isinstance(index, np.ndarray) else repr(index)
        raise IndexError(f"A batch must be indexed by integers, a slice or a mask; got {got}.")
    bad = array[(array < -n_graphs) | (array >= n_graphs)]
    if len(bad):
        raise IndexError(f"The batch has graphs 0..{n_graphs - 1}; got {bad[0]}.")
    places = array.astype(np.int64)
    return places % n_graphs if n_graphs else places


def node_numbers(graphs: PackedGraphs | LazyGraphs, nodes: ArrayLike | Sequence[Iterable[Hashable]]) -> Int64Array:
    """Return the indices of nodes given by a mask, by indices, or by names for each graph, in the given order.

    Raises
    ------
    GraphError
        If a node does not exist.
    """
    if isinstance(nodes, Sequence) and len(nodes) and not isinstance(nodes[0], Number | np.generic):
        return np.array(_numbers_of(graphs, nodes), dtype=np.int64)  # type: ignore[arg-type]
    array, n_nodes = np.asarray(nodes), graphs.n_nodes
    if array.dtype == np.bool_:
        if array.shape != (n_nodes,):
            raise GraphError(f"A readout mask must have one entry per node, {n_nodes:,}; got {array.shape}.")
        return np.flatnonzero(array)
    numbers = integers(array, "readout nodes")
    bad = numbers[(numbers < 0) | (numbers >= n_nodes)]
    if len(bad):
        raise GraphError(f"Readout nodes must be in 0..{n_nodes - 1}; got {bad[0]}.")
    return numbers


def readout_mask(graphs: PackedGraphs | LazyGraphs, nodes: ArrayLike | Sequence[Iterable[Hashable]]) -> BoolArray:
    """Return the mask of nodes given by a mask, by indices, or by names for each graph.

    Raises
    ------
    GraphError
        If a node does not exist, or if a graph has no readout node.
    """
    mask = np.zeros(graphs.n_nodes, dtype=np.bool_)
    mask[node_numbers(graphs, nodes)] = True
    silent = silent_graphs(mask, graphs.node_ptr)
    if len(silent):
        raise GraphError(
            f"Every graph must have a readout node; graph {silent[0]} has none. Remove such graphs from the batch."
        )
    return mask


def _numbers_of(graphs: PackedGraphs | LazyGraphs, nodes: Sequence[Iterable[Hashable]]) -> list[int]:
    if len(nodes) != graphs.n_graphs:
        raise GraphError(f"Readout nodes by name must be one list per graph, {graphs.n_graphs:,}; got {len(nodes):,}.")
    numbers: list[int] = []
    for graph, names in enumerate(nodes):
        if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
            raise GraphError(f"Readout nodes of a graph must be a list of names; got {names!r} for graph {graph}.")
        known = {name_key(name): number for number, name in enumerate(graphs.names_of(graph))}
        chosen = []
        for name in names:
            key = name_key(normalize_name(name))
            if key not in known:
                raise GraphError(f"Readout nodes must be nodes of their graph; graph {graph} has no node {name!r}.")
            chosen.append(int(graphs.node_ptr[graph]) + known[key])
        # The order of a set differs between processes; use the order of the graph.
        numbers += sorted(chosen) if is_set(names) else chosen
    return numbers


_CHUNK_NODES = 1 << 18


def validate(graphs: PackedGraphs) -> None:
    """Check that the arrays describe valid graphs, chunk by chunk to save memory.

    Raises
    ------
    GraphError
        If they do not. The message names the graph and node if possible.
    """
    _check_shapes(graphs)
    empty = np.flatnonzero(np.diff(graphs.node_ptr) == 0)
    if len(empty):
        raise GraphError(f"A graph must have at least one node; graph {empty[0]} has none.")
    _check_names(graphs)
    if (graphs.node_types is None) != (len(graphs.vocabulary.node_types) == 0):
        raise GraphError("Nodes must have types if and only if the vocabulary has; only one of them has.")
    if graphs.readout is not None:
        silent = silent_graphs(graphs.readout, graphs.node_ptr)
        if len(silent):
            raise GraphError(f"Every graph must have a readout node; graph {silent[0]} has none.")
    for part in chunk_slices(graphs.node_ptr, _CHUNK_NODES):
        _check_chunk(graphs.take(part), part.start)


def _check_shapes(graphs: PackedGraphs) -> None:
    """Check shapes and dtypes, which must be valid before arrays are used as indices."""
    n_nodes = graphs.n_nodes
    _check_pointers(graphs.node_ptr, n_nodes, "node_ptr")
    _check_property_shapes(graphs.properties, len(graphs.vocabulary.symbols))
    for table, what in ((graphs.out_edges, "edges by source"), (graphs.in_edges, "edges by destination")):
        if len(table.ptr) != n_nodes + 1 or len(table.types) != len(table.neighbours):
            raise GraphError(f"The {what} must have one row per node and one type per edge; got other lengths.")
        _check_pointers(table.ptr, table.n_edges, f"ptr of the {what}")
        _check_array(table.neighbours, np.int32, table.neighbours.shape, f"neighbours of the {what}")
        _check_array(table.types, np.int32, table.types.shape, f"types of the {what}")
    if graphs.out_edges.n_edges != graphs.in_edges.n_edges:
        raise GraphError("Edges by source and by destination must be the same; their numbers differ.")
    if graphs.node_types is not None:
        _check_array(graphs.node_types, np.int32, (n_nodes,), "node types")
    if graphs.readout is not None:
        _check_array(graphs.readout, np.bool_, (n_nodes,), "readout")
        if np.any(graphs.readout.view(np.uint8) > 1):
            raise GraphError("The readout must consist of Booleans, stored as bytes 0 or 1; got other values.")


def _check_property_shapes(table: Properties, n_symbols: int) -> None:
    if table.n_symbols != n_symbols:
        raise GraphError(f"Properties must have the {n_symbols:,} symbols of the vocabulary; got {table.n_symbols:,}.")
    if isinstance(table, PackedProperties):
        _check_array(table.bits, np.uint64, (len(table.bits), n_words(n_symbols)), "property bits")
    else:
        _check_pointers(table.ptr, len(table.ids), "property ptr")
        _check_array(table.ids, np.int32, table.ids.shape, "property ids")


def _check_array(array: NDArray[Any], dtype: type, shape: tuple[int, ...], what: str) -> None:
    if array.dtype != dtype or array.shape != shape:
        raise GraphError(f"The {what} must be {np.dtype(dtype)} of shape {shape}; got {array.dtype} of {array.shape}.")


def _check_pointers(ptr: Int64Array, end: int, what: str) -> None:
    rises = ptr.dtype == np.int64 and ptr.ndim == 1 and len(ptr) > 0 and ptr[0] == 0 and ptr[-1] == end
    # Compared, not subtracted, since differences may overflow.
    if not rises or np.any(ptr[1:] < ptr[:-1]):
        raise GraphError(f"The array {what} must be int64 and ascend from 0 to {end:,}; it does not.")


def _check_chunk(graphs: PackedGraphs, first: int) -> None:
    """Check the indices in a chunk of graphs; ``first`` is the index of its first graph."""
    _check_properties(graphs.properties, graphs, first)
    if graphs.node_types is not None:
        nodes = np.arange(graphs.n_nodes)
        _check_range(graphs, graphs.node_types, len(graphs.vocabulary.node_types), "node type", nodes, first)
    _check_edges(graphs, first)


def _check_properties(table: Properties, graphs: PackedGraphs, first: int) -> None:
    if isinstance(table, PackedProperties):
        if table.n_symbols % 64:
            bad = np.flatnonzero(table.bits[:, -1] >> np.uint64(table.n_symbols % 64))
            if len(bad):
                at = place(int(bad[0]), graphs.node_ptr, first)
                raise GraphError(f"Property bits after the last symbol must be 0; they are not at {at}.")
        return
    _check_listed(table, graphs, first)


def _check_listed(table: ListedProperties, graphs: PackedGraphs, first: int) -> None:
    nodes, ids = table.pairs()
    _check_range(graphs, ids, table.n_symbols, "symbol", nodes, first)
    bad = np.flatnonzero((ids[1:] <= ids[:-1]) & (nodes[1:] == nodes[:-1]))
    if len(bad):
        at = place(int(nodes[bad[0]]), graphs.node_ptr, first)
        raise GraphError(f"Symbol numbers of a node must be ascending; they are not at {at}.")


def _check_edges(graphs: PackedGraphs, first: int) -> None:
    out = graphs.out_edges
    near = out.near_ends()
    graph_of = np.repeat(np.arange(graphs.n_graphs), graphs.node_counts)[near]
    bad = np.flatnonzero((out.neighbours < 0) | (out.neighbours >= graphs.node_counts[graph_of]))
    if len(bad):
        raise GraphError(
            "Both ends of an edge must be in the same graph; the edge from "
            f"{place(int(near[bad[0]]), graphs.node_ptr, first)} goes to node {out.neighbours[bad[0]]}."
        )
    _check_range(graphs, out.types, len(graphs.vocabulary.edge_types), "edge type", near, first)
    source, far, types = near - graphs.node_ptr[graph_of], out.neighbours.astype(np.int64), out.types.astype(np.int64)
    as_stored = edge_table(near, far, types, graphs.n_nodes)
    mirrored = edge_table(far + graphs.node_ptr[graph_of], source, types, graphs.n_nodes)
    _check_same(out, as_stored, "Edges by source must be sorted by destination, then type")
    _check_same(graphs.in_edges, mirrored, "Edges by destination must be the same edges, sorted by source, then type")


def _check_same(got: EdgeTable, expected: EdgeTable, rule: str) -> None:
    if not got.equals(expected):
        raise GraphError(f"{rule}; they are not.")


def _check_range(
    graphs: PackedGraphs, numbers: NDArray[Any], limit: int, what: str, nodes: Int64Array, first: int
) -> None:
    bad = np.flatnonzero((numbers < 0) | (numbers >= limit))
    if len(bad):
        at = place(int(nodes[bad[0]]), graphs.node_ptr, first)
        raise GraphError(f"{what.capitalize()} numbers must be in 0..{limit - 1}; got {numbers[bad[0]]} at {at}.")


def _check_names(graphs: PackedGraphs) -> None:
    if graphs.node_names is None:
        return
    if len(graphs.node_names) != graphs.n_graphs:
        raise GraphError(
            f"Node names must be one list per graph; got {len(graphs.node_names)} for {graphs.n_graphs} graphs."
        )
    for graph, (names, n_nodes) in enumerate(zip(graphs.node_names, graphs.node_counts.tolist(), strict=True)):
        if names is not None and (len(names) != n_nodes or len(set(map(name_key, names))) != n_nodes):
            raise GraphError(
                f"Node names must be unique within a graph; graph {graph} has {n_nodes} nodes and names {names[:5]!r}."
            )
