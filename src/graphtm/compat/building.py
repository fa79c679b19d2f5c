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
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from graphtm.compat.checks import check_hashable, described, number_of_edges, whole
from graphtm.compat.codebook import Codebook, plain_name
from graphtm.compat.runs import array_of, properties_of
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, node_pointers
from graphtm.foundation.display import count
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import is_integer
from graphtm.graphs import PackedGraphs, Vocabulary
from graphtm.graphs.build_arrays import both_ways

PLAIN_TYPE = "Plain"
MOST_NODES = 2**32 - 1


class Building:
    """The methods that build graphs; base class of ``Graphs``.

    Parameters
    ----------
    number_of_graphs
        Number of graphs.
    codebook
        Numbers of symbols and types, perhaps shared with other graphs.
    """

    def __init__(self, number_of_graphs: int, codebook: Codebook) -> None:
        self.number_of_graphs = number_of_graphs
        self.codebook = codebook
        self.symbol_id = codebook.symbol_id
        self.edge_type_id = codebook.edge_type_id
        self.node_type_id = codebook.node_type_id
        self._sizes: Any = array("I", bytes(array("I").itemsize * number_of_graphs))
        self._node_ptr: Int64Array | None = None
        self._first: list[int] = []
        # Numbers of the nodes of each graph, by name: while nodes are added, and then while edges and symbols are.
        self._growing: list[dict[Hashable, int]] = []
        self._numbers: list[dict[Hashable, int]] = []
        # By node: how many edges are still to come. Flat: node and type of typed nodes; source, destination and type of
        # edges.
        self._left: Any = []
        self._typed: list[int] = []
        self._edges: list[int] = []
        # By node: its first symbol, or -1. The others are in the order of the calls, with the runs of those of the
        # same node: the node, and the place after the first of them.
        self._firsts: list[int] = []
        self._carried: Any = []
        self._runs: list[int] = []
        self._last = -1
        self._packed: PackedGraphs | None = None
        self._names: NDArray[np.object_] = np.zeros(0, object)

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
            nodes, first = self._growing[graph_id], self._first
            number = first[graph_id] + len(nodes)
            if graph_id < 0 or node_name in nodes or number == first[graph_id + 1]:
                raise KeyError
            self._left[number] = number_of_outgoing_edges
            if node_type_name is not PLAIN_TYPE:
                self._typed += number, self.node_type_id[node_type_name]
            nodes[node_name] = number
        except (KeyError, IndexError, TypeError, OverflowError):
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
        except (KeyError, TypeError, IndexError):
            if source_name is MISSING:
                source_name = source_node_name
            if destination_name is MISSING:
                destination_name = destination_node_name
            self._add_edge(graph_id, source_name, destination_name, edge_type_name)

    def add_graph_node_property(self, graph_id: int, node_name: Hashable, symbol: Hashable) -> None:
        """Give a symbol to a node."""
        try:
            node = self._numbers[graph_id][node_name]
            found = self.symbol_id[symbol]
            if graph_id < 0:
                raise IndexError
        except (KeyError, TypeError, IndexError):
            node = self._node(graph_id, node_name)
            check_hashable(symbol, "A symbol", graph_id, node_name)
            found = self.codebook.number(symbol, described(graph_id, node_name))
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

    @property
    def _pointers(self) -> Int64Array:
        self._check_prepared("the nodes are numbered")
        assert self._node_ptr is not None  # noqa: S101 -- checked above
        return self._node_ptr

    def _node_types(self) -> NDArray[np.int32]:
        node, node_type = array_of(self._typed).reshape(-1, 2).T
        n_nodes = self._first[-1]
        if len(node) < n_nodes:
            self.node_type_id.setdefault(PLAIN_TYPE, len(self.node_type_id))
        types = np.full(n_nodes, self.node_type_id.get(PLAIN_TYPE, 0), np.int32)
        types[node] = node_type
        return types

    # Wrong calls, calls with a new name, and calls with rare arguments

    def _add_node(self, graph_id: Any, node_name: Any, n_edges: object, node_type: Hashable) -> None:
        """Add a node of a new type, or with a number from an array; or say what is wrong."""
        try:
            nodes, first = self._growing[graph_id], self._first
            number = first[graph_id] + len(nodes)
            refused = graph_id < 0 or node_name in nodes or number == first[graph_id + 1]
        except (IndexError, TypeError):
            nodes, number, refused = {}, 0, True
        if refused:
            self._refuse_node(graph_id, node_name)
        found = number_of_edges(n_edges, graph_id, node_name)
        if node_type != PLAIN_TYPE:
            check_hashable(node_type, "A node type", graph_id, node_name)
            self._typed += number, self._type_number(node_type)
        self._left[number] = found
        nodes[node_name] = number

    def _type_number(self, node_type: Hashable) -> int:
        """Return the number of a node type, perhaps of a new one."""
        types, n_nodes = self.node_type_id, sum(map(len, self._growing))
        if PLAIN_TYPE not in types and n_nodes > len(self._typed) // 2:
            types[PLAIN_TYPE] = len(types)  # types are numbered as they appear, and a plain node came before
        return types.setdefault(plain_name(node_type), len(types))

    def _check_prepared(self, what: str) -> None:
        if self._node_ptr is None:
            raise GraphError(f"prepare_node_configuration() must be called before {what}.")

    def _check_open(self, here: str) -> None:
        if self._packed is not None:
            raise GraphError(f"Graphs cannot be changed after encode(); got {here}. Build new graphs.") from None

    def _check_graph(self, graph_id: Any, got: str) -> None:
        if not is_integer(graph_id) or not 0 <= graph_id < self.number_of_graphs:
            known = f"from 0 to {self.number_of_graphs - 1}" if self.number_of_graphs else "but there are no graphs"
            raise GraphError(f"graph_id must be a number {known}; got {got}.") from None

    def _set_size(self, graph_id: Any, n: Any) -> None:
        """Set a number of nodes that is whole but no int, or say what is wrong."""
        if self._node_ptr is not None:
            raise GraphError(
                f"The number of nodes of graph {graph_id} must be set before prepare_node_configuration()."
            ) from None
        self._check_graph(graph_id, repr(graph_id))
        size = whole(n)
        if size is None or not 0 < size <= MOST_NODES:
            self._refuse_size(graph_id, n)
        self._sizes[graph_id] = size

    def _refuse_size(self, graph_id: Any, size: object) -> NoReturn:
        raise GraphError(
            f"The number of nodes of a graph must be an int from 1 to {MOST_NODES:,}; got {size!r} for graph "
            f"{graph_id}. Call set_number_of_graph_nodes({graph_id}, n) before prepare_node_configuration()."
        ) from None

    def _refuse_node(self, graph_id: Any, node_name: Any) -> NoReturn:
        """Say why a node cannot be added."""
        here = described(graph_id, node_name)
        self._check_open(here)
        self._check_prepared(f"add_graph_node adds {here}")
        if not self._growing and self.number_of_graphs:
            raise GraphError(f"add_graph_node must add {here} before prepare_edge_configuration().")
        self._check_graph(graph_id, here)
        check_hashable(node_name, "The name of a node", graph_id, node_name)
        if node_name in self._growing[graph_id]:
            raise GraphError(f"The nodes of a graph must have different names; {here} exists already.")
        raise GraphError(
            f"Graph {graph_id} must have {count(self._sizes[graph_id], 'node')}, as set_number_of_graph_nodes said; "
            f"node {node_name!r} is one too many."
        )

    def _refuse_few_nodes(self) -> NoReturn:
        """Say which graph has fewer nodes than announced."""
        graph = next(graph for graph, nodes in enumerate(self._growing) if len(nodes) != self._sizes[graph])
        nodes, size = self._growing[graph], self._sizes[graph]
        raise GraphError(
            f"Graph {graph} must have {count(size, 'node')}, as set_number_of_graph_nodes said; add_graph_node "
            f"added {len(nodes)}: {shorten(list(nodes)) or 'none'}."
        )

    def _node(self, graph_id: Any, node_name: Any) -> int:
        """Return the number of a node that can still be changed, or say why there is none."""
        here = described(graph_id, node_name)
        self._check_open(here)
        self._check_prepared(f"anything is added to {here}")
        graphs = self._numbers or self._growing  # symbols may come before edges
        self._check_graph(graph_id, here)
        check_hashable(node_name, "The name of a node", graph_id, node_name)
        if node_name not in graphs[graph_id]:
            names = shorten(list(graphs[graph_id])) or "none yet"
            raise GraphError(f"Graph {graph_id} has no node {node_name!r}; its nodes: {names}.")
        found: int = graphs[graph_id][node_name]
        return found

    def _add_edge(self, graph_id: Any, source_name: Any, destination_name: Any, edge_type: Any) -> None:
        """Add an edge of a new type; or say what is wrong."""
        given = {"source_name": source_name, "destination_name": destination_name, "edge_type_name": edge_type}
        missing = [name for name, value in given.items() if value is MISSING]
        if missing:
            raise TypeError(f"add_graph_node_edge needs {' and '.join(missing)}.")
        source, destination = self._node(graph_id, source_name), self._node(graph_id, destination_name)
        here, left = described(graph_id, source_name), self._left[source]
        if not self._numbers:
            raise GraphError(f"prepare_edge_configuration() must be called before edges are added to {here}.")
        if left < 1:
            raise GraphError(
                "A node must have as many outgoing edges as add_graph_node said; this is one too many for "
                f"{here}. Increase its number_of_outgoing_edges."
            )
        check_hashable(edge_type, "An edge type", graph_id, source_name)
        number = self.edge_type_id.setdefault(plain_name(edge_type), len(self.edge_type_id))
        self._edges += source, destination, number
        self._left[source] -= 1

    def _refuse_left(self) -> NoReturn:
        """Say which node has fewer edges than announced."""
        node = next(node for node, left in enumerate(self._left) if left)
        graph = int(np.searchsorted(self._pointers, node, side="right")) - 1
        name = list(self._numbers[graph])[node - self._first[graph]]
        raise GraphError(
            f"A node must have as many outgoing edges as add_graph_node said; there are {self._left[node]} too few for "
            f"{described(graph, name)}. Decrease its number_of_outgoing_edges."
        )


def _dictionaries(n: int) -> list[dict[Hashable, int]]:
    """Return empty dictionaries. So many new objects would make the garbage collector go through all there are."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return [{} for _ in range(n)]
    finally:
        if collects:
            gc.enable()
