"""One example per node: the neighbourhood that determines the clauses at that node.

The value of a clause at a node after layer d depends on the node's properties and on the messages that its
in-neighbours sent at layer d - 1, and so on the nodes from which it can be reached along at most d edges. Learning from
that neighbourhood is exactly the same as learning from the whole graph with that node as readout node.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import BoolArray, Int64Array, WithoutCaches, pointers, ragged
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.packed import PackedGraphs
from graphtm.graphs.vocabulary import Vocabulary

_NODES_AT_ONCE = 1 << 20


class NodeExamples(WithoutCaches):
    """Creates neighbourhoods of nodes on demand; the whole graphs are stored once.

    A neighbourhood contains the nodes from which the centre can be reached along at most ``hops`` edges, in their order
    and with their names, and all edges into nodes that are fewer than ``hops`` edges away.

    Parameters
    ----------
    graphs
        The whole graphs.
    nodes
        Indices of the centres, numbered across all graphs.
    hops
        Radius of the neighbourhoods in edges.
    """

    def __init__(self, graphs: PackedGraphs, nodes: Int64Array, hops: int) -> None:
        self._graphs = graphs
        self._nodes = nodes
        self._hops = hops

    @property
    def vocabulary(self) -> Vocabulary:
        return self._graphs.vocabulary

    @cached_property
    def node_counts(self) -> Int64Array:
        counts = np.ones(len(self._nodes), np.int64)
        start, step = 0, 1
        while start < len(counts):
            example, _, _ = self._reached(self._nodes[start : start + step])
            counts[start : start + step] = np.bincount(example)
            start += step
            # Sizes are not known in advance: take more nodes at a time if neighbourhoods are small, fewer if large.
            step = 2 * step if len(example) < _NODES_AT_ONCE else max(1, step // 2)
        return counts

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Create the neighbourhoods with these indices."""
        whole, centres = self._graphs, self._nodes[graphs]
        example, node, inner = self._reached(centres)
        node_ptr = pointers(np.bincount(example, minlength=len(centres)))
        key = example * whole.n_nodes + node
        # Rows stay sorted: nodes keep their order.
        edges = ragged(whole.in_edges.ptr, node[inner])
        degrees = np.zeros(len(node), np.int64)
        degrees[inner] = whole.in_edges.ptr[node[inner] + 1] - whole.in_edges.ptr[node[inner]]
        receiver = np.repeat(np.arange(len(node)), degrees)
        sender = np.searchsorted(key, example[receiver] * whole.n_nodes + self._senders[edges])
        first, types = node_ptr[example[receiver]], whole.in_edges.types[edges]
        return PackedGraphs(
            whole.vocabulary,
            node_ptr,
            whole.properties.select(node),
            edge_table(sender, receiver - first, types.astype(np.int64), len(node)),
            EdgeTable(pointers(degrees), (sender - first).astype(np.int32), types),
            None if whole.node_types is None else whole.node_types[node],
            node == centres[example],
            tuple(map(_names, np.split(self._names[node], node_ptr[1:-1]))) if len(centres) else (),
        )

    def _reached(self, centres: Int64Array) -> tuple[Int64Array, Int64Array, BoolArray]:
        """Return sorted pairs of example and node, and whether the node is fewer than ``hops`` edges away."""
        n, in_ptr = self._graphs.n_nodes, self._graphs.in_edges.ptr
        seen = newest = np.arange(len(centres)) * n + centres
        inner = np.zeros(0, np.int64)
        for _ in range(self._hops):
            inner = seen
            example, node = np.divmod(newest, n)
            senders = self._senders[ragged(in_ptr, node)]
            found = np.unique(np.repeat(example, in_ptr[node + 1] - in_ptr[node]) * n + senders)
            newest = np.setdiff1d(found, seen, assume_unique=True)
            if not len(newest):
                break  # all nodes that can reach the centres were found
            seen = np.union1d(seen, newest)
        example, node = np.divmod(seen, n)
        return example, node, np.isin(seen, inner, assume_unique=True)

    @cached_property
    def _senders(self) -> Int64Array:
        """Source of each in-edge, numbered across all graphs."""
        graphs = self._graphs
        graph_of = np.repeat(np.arange(graphs.n_graphs), graphs.node_counts)
        return graphs.in_edges.neighbours + graphs.node_ptr[graph_of[graphs.in_edges.near_ends()]]

    @cached_property
    def _names(self) -> NDArray[np.object_]:
        graphs = self._graphs
        names = np.empty(graphs.n_nodes, dtype=object)
        for graph, first in enumerate(graphs.node_ptr[:-1].tolist()):
            for place, name in enumerate(graphs.names_of(graph)):
                names[first + place] = name  # one by one, since names may be tuples
        return names


def _names(names: NDArray[np.object_]) -> tuple[Hashable, ...] | None:
    """Return the node names of a graph, or ``None`` if these are 0, 1, 2, ..."""
    named = tuple(names)
    return None if all(type(name) is int and name == place for place, name in enumerate(named)) else named
