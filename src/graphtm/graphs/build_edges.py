"""Edges of packed graphs from arrays: which columns they are given as, and which graphs they belong to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, check_limit, integers, place, refuse_negative, total
from graphtm.foundation.names import Names, refuse_set
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.vocabulary import PLAIN

EdgesLike: TypeAlias = "tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]"

MOST_INFERRED = 10_000_000
"""Names that are not given are made, 0, 1, 2, ...; more than this many are a mistake in the numbers."""


def named_by_place(names: Iterable[object], kind: str, parameter: str) -> Names:
    """Return names that belong to columns, numbers or matrices by their place."""
    refuse_set(names, f"{parameter!r} parameter of from_arrays")
    return Names(names, kind)


def inferred_names(number: int, kind: str, parameter: str) -> Names:
    """Return the names 0, 1, 2, ... for what the user did not name."""
    if number > MOST_INFERRED:
        raise GraphError(
            f"Numbers of {kind}s must be below {MOST_INFERRED:,} where `{parameter}` does not name them; got "
            f"{number - 1:,}. Name the {kind}s, or number those in use 0, 1, 2, ..."
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
            f"Edges must have types, (source, destination, edge_type_index), where edge_types names {len(declared):,}; "
            "got (source, destination). Give the number of each edge's type, or one name for all edges."
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
            "Sources, destinations and types of edges must be of equal length; "
            f"got {len(source):,}, {len(destination):,} and {len(types):,}."
        )
    bad = np.flatnonzero((types < 0) | (types >= len(names)))
    if len(bad):
        raise GraphError(
            f"edge_type_index must lie in 0..{len(names) - 1}; got {types[bad[0]]} for edge {bad[0]}. "
            "Check that `edge_types` names every type."
        )
    return source, destination, types, names


def _check_columns(given: Any) -> None:
    """Refuse edges that are not given as columns, or that could be meant either way."""
    must = "The edges must be columns, (source, destination, edge_type_index), or (source, destination) for one type; "
    if isinstance(given, np.ndarray):
        raise GraphError(
            f"{must}got an array of shape {given.shape}. Write tuple(edges.T) if its rows are edges, tuple(edges) if "
            "they are columns."
        )
    if not isinstance(given, tuple | list):
        raise GraphError(f"{must}got a {type(given).__name__!r}.")
    if (
        isinstance(given, list)
        and given
        and all(isinstance(item, tuple | list) and len(item) in (2, 3) for item in given)
    ):
        # With two or three such items nobody can tell edges from columns; with more of them they are edges.
        raise GraphError(
            f"{must}got a list of {len(given)} items, each of which may be an edge. Write tuple(zip(*edges)) if they "
            "are edges, tuple(edges) if they are columns."
        )
    if len(given) not in (2, 3):
        raise GraphError(f"{must}got a {type(given).__name__!r} of {len(given)} items.")


def graphs_of_edges(
    source: Int64Array, destination: Int64Array, node_ptr: Int64Array, edge_counts: ArrayLike | None
) -> Int64Array:
    """Return each edge's graph; every end is checked to be a node of that graph."""
    n_graphs, n_nodes = len(node_ptr) - 1, int(node_ptr[-1])
    if edge_counts is not None:
        counts = integers(edge_counts, "edge_counts")
        refuse_negative(counts, "edge_counts")
        n_edges = total(counts, "edges")
        if len(counts) != n_graphs or n_edges != len(source):
            raise GraphError(
                f"edge_counts must give one number per graph ({n_graphs:,}) and add up to the {len(source):,} edges; "
                f"got {len(counts):,} numbers that add up to {n_edges:,}."
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
                f"The {what} of an edge must lie in 0..{n_nodes - 1} (nodes are numbered through all graphs; give "
                f"edge_counts to number them per graph); edge {bad[0]}{beside}, has node {end[bad[0]]}."
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


def both_ways(
    source: Int64Array,
    destination: Int64Array,
    types: Int64Array,
    node_ptr: Int64Array,
    graph_of_edge: Int64Array,
    *,
    local: bool,
) -> tuple[EdgeTable, EdgeTable]:
    """Return the edges by source and by destination; ``local`` says how their ends are numbered."""
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
