"""Checks that packed arrays describe graphs at all: for files, and for encoders under development."""

from __future__ import annotations

import numpy as np

from graphtm.errors import GraphError
from graphtm.graphs.arrays import Int32Array, Int64Array, silent_graphs
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.packed import PackedGraphs
from graphtm.graphs.properties import ListedProperties, PackedProperties, Properties, n_words


def validate(graphs: PackedGraphs) -> None:
    """Check every invariant of the arrays.

    Raises
    ------
    GraphError
        If one does not hold; the message names the graph and node where that makes sense.
    """
    _check_pointers(graphs.node_ptr, graphs.n_nodes, "node_ptr")
    empty = np.flatnonzero(np.diff(graphs.node_ptr) == 0)
    if len(empty):
        raise GraphError(f"A graph must have at least one node; graph {empty[0]} has none.")
    _check_properties(graphs.properties, graphs)
    _check_edges(graphs)
    if graphs.node_types is not None:
        n_types = len(graphs.vocabulary.node_types)
        _check_range(graphs, graphs.node_types, n_types, "node type")
    elif len(graphs.vocabulary.node_types):
        raise GraphError("Nodes must have types when the vocabulary has node types; these have none.")
    if graphs.readout is not None:
        if graphs.readout.shape != (graphs.n_nodes,):
            raise GraphError(f"The readout must have one entry per node; got shape {graphs.readout.shape}.")
        silent = silent_graphs(graphs.readout, graphs.node_ptr)
        if len(silent):
            raise GraphError(f"Every graph must have a readout node; graph {silent[0]} has none.")
    _check_names(graphs)


def where(graphs: PackedGraphs, node: int) -> str:
    """Return a node's place in words."""
    graph = int(np.searchsorted(graphs.node_ptr, node, side="right")) - 1
    return f"node {node - int(graphs.node_ptr[graph])} of graph {graph}"


def _check_pointers(ptr: Int64Array, end: int, what: str) -> None:
    if ptr.ndim != 1 or len(ptr) == 0 or ptr[0] != 0 or ptr[-1] != end or np.any(np.diff(ptr) < 0):
        raise GraphError(f"The array {what} must rise from 0 to {end:,}; it does not.")


def _check_properties(table: Properties, graphs: PackedGraphs) -> None:
    n_symbols = len(graphs.vocabulary.symbols)
    if table.n_symbols != n_symbols:
        raise GraphError(f"Properties must be over the vocabulary's {n_symbols:,} symbols; got {table.n_symbols:,}.")
    if isinstance(table, PackedProperties):
        if table.bits.ndim != 2 or table.bits.shape[1] != n_words(n_symbols):
            raise GraphError(f"Property bits must be {n_words(n_symbols)} words a node; got shape {table.bits.shape}.")
        if n_symbols % 64 and np.any(table.bits[:, -1] >> np.uint64(n_symbols % 64)):
            node = int(np.flatnonzero(table.bits[:, -1] >> np.uint64(n_symbols % 64))[0])
            raise GraphError(f"Property bits beyond the last symbol must be 0; they are not at {where(graphs, node)}.")
        return
    _check_listed(table, graphs)


def _check_listed(table: ListedProperties, graphs: PackedGraphs) -> None:
    _check_pointers(table.ptr, len(table.ids), "property ptr")
    nodes, ids = table.pairs()
    bad = np.flatnonzero((ids < 0) | (ids >= table.n_symbols))
    if len(bad):
        raise GraphError(
            f"Symbol numbers must lie in 0..{table.n_symbols - 1}; "
            f"got {ids[bad[0]]} at {where(graphs, int(nodes[bad[0]]))}."
        )
    bad = np.flatnonzero((np.diff(ids) <= 0) & (np.diff(nodes) == 0))
    if len(bad):
        raise GraphError(
            f"Symbol numbers of a node must be ascending; they are not at {where(graphs, int(nodes[bad[0]]))}."
        )


def _check_edges(graphs: PackedGraphs) -> None:
    for table, what in ((graphs.out_edges, "edges by source"), (graphs.in_edges, "edges by destination")):
        if len(table.ptr) != graphs.n_nodes + 1 or len(table.types) != len(table.neighbours):
            raise GraphError(f"The {what} must have one row per node and one type per edge; they do not.")
        _check_pointers(table.ptr, table.n_edges, f"ptr of the {what}")
    out = graphs.out_edges
    near = out.near_ends()
    graph_of = np.repeat(np.arange(graphs.n_graphs), graphs.node_counts)[near]
    bad = np.flatnonzero((out.neighbours < 0) | (out.neighbours >= graphs.node_counts[graph_of]))
    if len(bad):
        edge = bad[0]
        raise GraphError(
            f"An edge must point to a node of its graph; the edge from {where(graphs, int(near[edge]))} "
            f"points to node {out.neighbours[edge]}."
        )
    _check_range(graphs, out.types, len(graphs.vocabulary.edge_types), "edge type", near)
    source, far, types = (
        near - graphs.node_ptr[graph_of],
        out.neighbours.astype(np.int64),
        out.types.astype(np.int64),
    )
    as_stored = edge_table(near, far, types, graphs.n_nodes)
    mirrored = edge_table(far + graphs.node_ptr[graph_of], source, types, graphs.n_nodes)
    _check_same(out, as_stored, "Edges by source must be sorted by destination, then type")
    _check_same(graphs.in_edges, mirrored, "Edges by destination must be those by source, mirrored and sorted")


def _check_same(got: EdgeTable, expected: EdgeTable, rule: str) -> None:
    if not got.equals(expected):
        raise GraphError(f"{rule}; they are not.")


def _check_range(
    graphs: PackedGraphs, numbers: Int32Array, limit: int, what: str, nodes: Int64Array | None = None
) -> None:
    if nodes is None and numbers.shape != (graphs.n_nodes,):
        raise GraphError(f"There must be one {what} per node; got shape {numbers.shape} for {graphs.n_nodes:,} nodes.")
    bad = np.flatnonzero((numbers < 0) | (numbers >= limit))
    if len(bad):
        node = int(bad[0] if nodes is None else nodes[bad[0]])
        raise GraphError(
            f"The number of a{'n' if what[0] == 'e' else ''} {what} must lie in 0..{limit - 1}; "
            f"got {numbers[bad[0]]} at {where(graphs, node)}."
        )


def _check_names(graphs: PackedGraphs) -> None:
    if graphs.node_names is None:
        return
    if len(graphs.node_names) != graphs.n_graphs:
        raise GraphError(
            f"Node names must be given per graph; got {len(graphs.node_names)} for {graphs.n_graphs} graphs."
        )
    for graph, (names, n_nodes) in enumerate(zip(graphs.node_names, graphs.node_counts.tolist(), strict=True)):
        if names is not None and (len(names) != n_nodes or len(set(names)) != n_nodes):
            raise GraphError(
                f"Every node must have its own name; graph {graph} has {n_nodes} nodes, names {names[:5]!r}."
            )
