"""Building of graphs by one call per node, edge and property.

Calls only look up numbers and store them; everything else is done for all graphs at once. The numbers are kept in a few
flat lists: a container per node would take time and memory, and Python's garbage collector would go through them again
and again. Nodes are numbered across all graphs.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Hashable
from dataclasses import MISSING
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from graphtm.compat.rare_calls import PLAIN_TYPE, RareCalls
from graphtm.compat.runs import array_of, properties_of
from graphtm.errors import GraphError
from graphtm.foundation.arrays import node_pointers
from graphtm.graphs import PackedGraphs, Vocabulary
from graphtm.graphs.build_arrays import both_ways


class Building(RareCalls):
    """The methods that build graphs; base class of ``Graphs``.

    Parameters
    ----------
    number_of_graphs, codebook
        See :class:`~graphtm.compat.rare_calls.RareCalls`.
    """

    # Calls, in this order

    # Keywords that some scripts use instead come last. They are not keyword-only, since this would make calls slower.

    def set_number_of_graph_nodes(
        self, graph_id: int, n: int | None = None, number_of_graph_nodes: int | None = None
    ) -> None:
        """Set the number of nodes of a graph, ``n`` or ``number_of_graph_nodes``."""
        try:
            if graph_id < 0:
                raise IndexError
            self._sizes[graph_id] = n
        except (IndexError, TypeError, OverflowError):
            self._set_size(graph_id, number_of_graph_nodes if n is None else n)

    def prepare_node_configuration(self) -> None:
        """Begin to add nodes."""
        if self._node_ptr is not None:
            raise GraphError("prepare_node_configuration() must be called once; this was the second time.")
        sizes = np.array(self._sizes, np.int64)
        if not sizes.all():
            self._refuse_size(int(np.argmin(sizes)), 0)
        self._node_ptr = node_pointers(sizes)
        self._first = self._node_ptr.tolist()
        self._sizes = tuple(sizes.tolist())  # refuses other sizes
        self._left = array("I", bytes(array("I").itemsize * self._first[-1]))  # refuses what is no number of edges
        self._firsts = [-1] * self._first[-1]
        # Graphs that share symbols may still add some, unless these are fixed.
        self._carried = bytearray() if self.codebook.is_fixed and len(self.symbol_id) <= 1 << 8 else []
        self._growing = _dictionaries(self.number_of_graphs)

    def add_graph_node(
        self,
        graph_id: int,
        node_name: Hashable,
        number_of_outgoing_edges: int | None = None,
        node_type_name: Hashable = PLAIN_TYPE,
        number_of_graph_node_edges: int | None = None,
    ) -> None:
        """Add a node to a graph, and say how many edges it will have to other nodes.

        The number is ``number_of_outgoing_edges`` or ``number_of_graph_node_edges``.
        """
        try:
            nodes = self._growing[graph_id]
            place = len(nodes)
            if graph_id < 0 or node_name in nodes or place == self._sizes[graph_id]:
                raise KeyError
            number = self._first[graph_id] + place
            self._left[number] = number_of_outgoing_edges
            if node_type_name is not PLAIN_TYPE:
                self._typed += number, self.node_type_id[node_type_name]
            nodes[node_name] = number
            return
        except (KeyError, IndexError, TypeError, OverflowError):
            pass  # the error that says what is wrong stands alone
        if number_of_outgoing_edges is None:
            number_of_outgoing_edges = number_of_graph_node_edges
        self._add_node(graph_id, node_name, number_of_outgoing_edges, node_type_name)

    def prepare_edge_configuration(self) -> None:
        """Begin to add edges and symbols."""
        self._check_prepared("prepare_edge_configuration()")
        if self._numbers or self._packed is not None:
            raise GraphError("prepare_edge_configuration() must be called once; this was the second time.")
        if tuple(map(len, self._growing)) != self._sizes:
            self._refuse_few_nodes()
        self._left = self._left.tolist()
        self._numbers, self._growing = self._growing, []

    def add_graph_node_edge(
        self,
        graph_id: int,
        source_name: Hashable = MISSING,
        destination_name: Hashable = MISSING,
        edge_type_name: Hashable = MISSING,
        source_node_name: Hashable = MISSING,
        destination_node_name: Hashable = MISSING,
    ) -> None:
        """Add an edge between two nodes of a graph.

        The nodes are ``source_name`` and ``destination_name``, or ``source_node_name`` and ``destination_node_name``.
        """
        try:
            numbers, left, edges = self._numbers[graph_id], self._left, self._edges
            source, destination = numbers[source_name], numbers[destination_name]
            edge_type, to_come = self.edge_type_id[edge_type_name], left[source]
            if to_come < 1 or graph_id < 0:
                raise IndexError
            left[source] = to_come - 1
            edges.append(source)
            edges.append(destination)
            edges.append(edge_type)
            return
        except (KeyError, TypeError, IndexError):
            pass
        if source_name is MISSING:
            source_name = source_node_name
        if destination_name is MISSING:
            destination_name = destination_node_name
        self._add_edge(graph_id, source_name, destination_name, edge_type_name)

    def add_graph_node_property(self, graph_id: int, node_name: Hashable, symbol: Hashable) -> None:
        """Give a symbol to a node."""
        try:
            node, found = self._numbers[graph_id][node_name], self.symbol_id[symbol]
            if graph_id < 0:
                raise IndexError
            if node == self._last:
                self._carried.append(found)
                return
            firsts = self._firsts
            if firsts[node] < 0:
                firsts[node] = found
                return
            self._last = node
            self._carried.append(found)
            runs = self._runs
            runs.append(node)
            runs.append(len(self._carried))
            return
        except (KeyError, TypeError, IndexError):
            pass
        self._add_property(graph_id, node_name, symbol)

    def encode(self) -> None:
        """Finish the graphs; from then on they cannot be changed."""
        if self._packed is not None:
            return
        self._check_prepared("encode()")
        if not self._numbers and self.number_of_graphs:
            raise GraphError("prepare_edge_configuration() must be called before encode().")
        if any(self._left):
            self._refuse_left()
        node_ptr = self._pointers
        self.codebook.fix()
        carried = properties_of(self._firsts, self._runs, self._carried, len(self.symbol_id))
        edges = array_of(self._edges)
        source, destination, types = (edges[column::3].copy() for column in range(3))
        graph = np.repeat(np.arange(self.number_of_graphs), np.diff(node_ptr))[source]
        self._packed = PackedGraphs(
            Vocabulary(),  # names may still be added, by graphs that share them
            node_ptr,
            carried,
            *both_ways(source, destination, types, node_ptr, graph, local=False),
            self._node_types(),
        )
        self._names = np.fromiter(chain.from_iterable(self._numbers), object, self._packed.n_nodes)
        self._numbers, self._left, self._typed, self._edges = [], [], [], []
        self._firsts, self._runs, self._carried = [], [], []

    # Vectorised parts

    def _node_types(self) -> NDArray[np.int32]:
        node, node_type = array_of(self._typed).reshape(-1, 2).T
        n_nodes = self._first[-1]
        if len(node) < n_nodes:
            self.node_type_id.setdefault(PLAIN_TYPE, len(self.node_type_id))
        types = np.full(n_nodes, self.node_type_id.get(PLAIN_TYPE, 0), np.int32)
        types[node] = node_type
        return types


def _dictionaries(n: int) -> list[dict[Hashable, int]]:
    """Return empty dictionaries. So many new objects would make the garbage collector go through all there are."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return [{} for _ in range(n)]
    finally:
        if collects:
            gc.enable()
