"""Which graphs an index means, and which nodes a readout means."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from numbers import Number

import numpy as np
from numpy.typing import ArrayLike

from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, Int64Array, integers, silent_graphs
from graphtm.foundation.names import name_key, normalize_name
from graphtm.graphs.lazy import LazyGraphs
from graphtm.graphs.packed import PackedGraphs


def graph_numbers(index: object, n_graphs: int) -> Int64Array:
    """Return the graphs that an array of numbers or a mask selects, in its order."""
    array = np.asarray(index)
    if array.dtype == np.bool_:
        if array.shape != (n_graphs,):
            raise IndexError(f"A mask must have one entry per graph, {n_graphs:,}; got shape {array.shape}.")
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise IndexError(f"A batch is indexed by whole numbers, a slice or a mask; got {index!r}.")
    bad = array[(array < -n_graphs) | (array >= n_graphs)]
    if len(bad):
        raise IndexError(f"The batch has graphs 0..{n_graphs - 1}; got {bad[0]}.")
    places = array.astype(np.int64)
    return places % n_graphs if n_graphs else places


def node_numbers(graphs: PackedGraphs | LazyGraphs, nodes: ArrayLike | Sequence[Iterable[Hashable]]) -> Int64Array:
    """Return the nodes that a mask, numbers, or names for each graph mean, in the given order.

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
        raise GraphError(f"Readout nodes must lie in 0..{n_nodes - 1}; got {bad[0]}.")
    return numbers


def readout_mask(graphs: PackedGraphs | LazyGraphs, nodes: ArrayLike | Sequence[Iterable[Hashable]]) -> BoolArray:
    """Return, per node, whether it is among ``nodes``: a mask, numbers, or names for each graph.

    Raises
    ------
    GraphError
        If a node does not exist or a graph is left without one.
    """
    mask = np.zeros(graphs.n_nodes, dtype=np.bool_)
    mask[node_numbers(graphs, nodes)] = True
    silent = silent_graphs(mask, graphs.node_ptr)
    if len(silent):
        raise GraphError(
            f"Every graph must have a readout node; graph {silent[0]} has none. Leave such graphs out of the batch."
        )
    return mask


def _numbers_of(graphs: PackedGraphs | LazyGraphs, nodes: Sequence[Iterable[Hashable]]) -> list[int]:
    if len(nodes) != graphs.n_graphs:
        raise GraphError(
            f"Readout nodes by name must be given for each of the {graphs.n_graphs:,} graphs; got {len(nodes):,}."
        )
    numbers: list[int] = []
    for graph, names in enumerate(nodes):
        if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
            raise GraphError(f"Readout nodes of a graph must be a list of names; got {names!r} for graph {graph}.")
        known = {name_key(name): number for number, name in enumerate(graphs.names_of(graph))}
        chosen = []
        for name in names:
            key = name_key(normalize_name(name))
            if key not in known:
                raise GraphError(f"A readout node must be a node of its graph; graph {graph} has no node {name!r}.")
            chosen.append(int(graphs.node_ptr[graph]) + known[key])
        # A set has an order that differs from process to process; its nodes are in that of the graph.
        numbers += sorted(chosen) if isinstance(names, Set) else chosen
    return numbers
