"""Building of graphs by one call per node, edge and property.

Calls only look up numbers and store them; everything else is done for all graphs at once. The numbers are kept in flat
lists of integers and bytes, since Python's garbage collector would go through containers of its own again and again.
Nodes are numbered across all graphs.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from itertools import chain
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from graphtm.compat.codebook import Codebook
from graphtm.errors import GraphError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import Int64Array, node_pointers
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import is_integer
from graphtm.foundation.properties import Properties
from graphtm.graphs import PackedGraphs, Vocabulary
from graphtm.graphs.build_arrays import both_ways

PLAIN_TYPE = "Plain"
_BLOCK_NODES = 1 << 16
_DENSE = 32


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
        self._symbols: Any = codebook.lookup
        self._sizes: list[int] = [0] * number_of_graphs
        self._node_ptr: Int64Array | None = None
        self._first: list[int] = []
        # Numbers of the nodes of each graph, by name: while nodes are added, and then while edges and symbols are.
        self._growing: dict[int, dict[Hashable, int]] = {}
        self._numbers: dict[int, dict[Hashable, int]] = {}
        # By node: numbers of its symbols, and how many edges are still to come. Flat: node and type of typed nodes;
        # source, destination and type of edges.
        self._carried: list[Any] = []
        self._left: list[int] = []
        self._typed: list[int] = []
        self._edges: list[int] = []
        self._packed: PackedGraphs | None = None
        self._names: NDArray[np.object_] = np.zeros(0, object)

    # Calls, in this order

    def set_number_of_graph_nodes(self, graph_id: int, number_of_graph_nodes: int) -> None:
        """Set the number of nodes of a graph."""
        if self._node_ptr is not None:
            raise GraphError(
                f"The number of nodes of graph {graph_id} must be set before prepare_node_configuration()."
            )
        if graph_id < 0 or graph_id >= self.number_of_graphs:
            self._refuse_graph(graph_id)
        self._sizes[graph_id] = number_of_graph_nodes

    def prepare_node_configuration(self) -> None:
        """Begin to add nodes."""
        if self._node_ptr is not None:
            raise GraphError("prepare_node_configuration() must be called once; this was the second time.")
        for graph, size in enumerate(self._sizes):
            if not is_integer(size) or size < 1:
                raise GraphError(
                    f"A graph must have at least one node; graph {graph} has {size!r}. Call "
                    f"set_number_of_graph_nodes({graph}, ...) before prepare_node_configuration()."
                )
        self._node_ptr = node_pointers(np.array(self._sizes, np.int64))
        self._first = self._node_ptr.tolist()
        n_nodes = self._first[-1]
        self._left = [0] * n_nodes
        # Graphs that share symbols may still add some, unless these are fixed.
        small = self.codebook.is_fixed and len(self.symbol_id) <= 1 << 8
        none: Any = bytearray() if small else array("i")
        self._carried = [none * 1 for _ in range(n_nodes)]
        self._growing = {graph: {} for graph in range(self.number_of_graphs)}

    def add_graph_node(
        self, graph_id: int, node_name: Hashable, number_of_outgoing_edges: int, node_type_name: Hashable = PLAIN_TYPE
    ) -> None:
        """Add a node to a graph, and say how many edges it will have to other nodes."""
        try:
            nodes = self._growing[graph_id]
            place = len(nodes)
            if node_name in nodes or place == self._sizes[graph_id]:
                self._refuse_node(graph_id, node_name)
            nodes[node_name] = number = self._first[graph_id] + place
            self._left[number] = number_of_outgoing_edges
        except (KeyError, TypeError):
            self._refuse_node(graph_id, node_name)
        if node_type_name != PLAIN_TYPE:
            check_hashable(node_type_name, "A node type", graph_id, node_name)
            self._typed += number, self.node_type_id.setdefault(node_type_name, len(self.node_type_id))

    def prepare_edge_configuration(self) -> None:
        """Begin to add edges and symbols."""
        self._check_prepared("prepare_edge_configuration()")
        if not self._growing and self.number_of_graphs:
            raise GraphError("prepare_edge_configuration() must be called once; this was the second time.")
        for graph, (nodes, size) in enumerate(zip(self._growing.values(), self._sizes, strict=True)):
            if len(nodes) != size:
                raise GraphError(
                    f"Graph {graph} must have {size} nodes, as set_number_of_graph_nodes said; add_graph_node added "
                    f"{len(nodes)}: {shorten(list(nodes)) or 'none'}."
                )
        self._numbers, self._growing = self._growing, {}

    def add_graph_node_edge(
        self, graph_id: int, source_node_name: Hashable, destination_node_name: Hashable, edge_type_name: Hashable
    ) -> None:
        """Add an edge between two nodes of a graph."""
        try:
            numbers = self._numbers[graph_id]
            source = numbers[source_node_name]
            left = self._left[source]
            if left < 1:
                self._refuse_edge(graph_id, source_node_name)
            destination, edge_type = numbers[destination_node_name], self.edge_type_id[edge_type_name]
            edges = self._edges
            edges.append(source)
            edges.append(destination)
            edges.append(edge_type)
            self._left[source] = left - 1
        except (KeyError, TypeError):
            self._add_edge_type(graph_id, source_node_name, destination_node_name, edge_type_name)
            self.add_graph_node_edge(graph_id, source_node_name, destination_node_name, edge_type_name)

    def add_graph_node_property(self, graph_id: int, node_name: Hashable, symbol: Hashable) -> None:
        """Give a symbol to a node."""
        try:
            self._carried[self._numbers[graph_id][node_name]].append(self._symbols[symbol])
        except (KeyError, TypeError, IndexError):
            node = self._node(graph_id, node_name)
            check_hashable(symbol, "A symbol", graph_id, node_name)
            self._carried[node].append(self.codebook.number(symbol, described(graph_id, node_name)))

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
        blocks = range(0, max(1, len(self._carried)), _BLOCK_NODES)
        carried = property_tables.concatenate([self._properties(first) for first in blocks])
        source, destination, types = np.fromiter(self._edges, np.int64, len(self._edges)).reshape(-1, 3).T
        graph = np.repeat(np.arange(self.number_of_graphs), np.diff(node_ptr))[source]
        self._packed = PackedGraphs(
            Vocabulary(),  # names may still be added, by graphs that share them
            node_ptr,
            carried,
            *both_ways(source, destination, types, node_ptr, graph, local=False),
            self._node_types(),
        )
        self._names = np.fromiter(chain.from_iterable(self._numbers.values()), object, self._packed.n_nodes)
        self._numbers, self._carried, self._left, self._typed, self._edges = {}, [], [], [], []

    # Vectorised parts

    @property
    def _pointers(self) -> Int64Array:
        self._check_prepared("the nodes are numbered")
        assert self._node_ptr is not None  # noqa: S101 -- checked above
        return self._node_ptr

    def _properties(self, first: int) -> Properties:
        """Return the symbols of a block of nodes."""
        nodes = self._carried[first : first + _BLOCK_NODES]
        dtype = np.uint8 if nodes and isinstance(nodes[0], bytearray) else np.dtype("i")
        symbols = np.frombuffer(b"".join(nodes), dtype).astype(np.int64)
        rows = np.repeat(np.arange(len(nodes)), np.fromiter(map(len, nodes), np.int64, len(nodes)))
        n_symbols = len(self.symbol_id)
        if len(nodes) * n_symbols > _DENSE * len(symbols):
            return property_tables.from_pairs(rows, symbols, len(nodes), n_symbols)
        matrix = np.zeros(len(nodes) * n_symbols, np.bool_)
        matrix[rows * n_symbols + symbols] = True
        return property_tables.from_matrix(matrix.reshape(len(nodes), n_symbols))

    def _node_types(self) -> NDArray[np.int32]:
        node, node_type = np.fromiter(self._typed, np.int64, len(self._typed)).reshape(-1, 2).T
        n_nodes = len(self._carried)
        if len(node) < n_nodes:
            self.node_type_id.setdefault(PLAIN_TYPE, len(self.node_type_id))
        types = np.full(n_nodes, self.node_type_id.get(PLAIN_TYPE, 0), np.int32)
        types[node] = node_type
        return types

    # Wrong calls, and calls with a new name

    def _check_prepared(self, what: str) -> None:
        if self._node_ptr is None:
            raise GraphError(f"prepare_node_configuration() must be called before {what}.")

    def _refuse_graph(self, graph_id: object) -> NoReturn:
        known = f"from 0 to {self.number_of_graphs - 1}" if self.number_of_graphs else "but there are no graphs"
        raise GraphError(f"graph_id must be a number {known}; got {graph_id!r}.")

    def _refuse_node(self, graph_id: Any, node_name: Any) -> NoReturn:
        """Say why a node cannot be added."""
        here = described(graph_id, node_name)
        self._check_prepared(f"add_graph_node adds {here}")
        if not self._growing and self.number_of_graphs:
            raise GraphError(f"add_graph_node must add {here} before prepare_edge_configuration().")
        if not is_integer(graph_id) or graph_id not in self._growing:
            self._refuse_graph(graph_id)
        check_hashable(node_name, "The name of a node", graph_id, node_name)
        if node_name in self._growing[graph_id]:
            raise GraphError(f"The nodes of a graph must have different names; {here} exists already.")
        raise GraphError(
            f"Graph {graph_id} must have {self._sizes[graph_id]} nodes, as set_number_of_graph_nodes said; node "
            f"{node_name!r} is one too many."
        )

    def _node(self, graph_id: Any, node_name: Any) -> int:
        """Return the number of a node that can still be changed, or say why there is none."""
        here = described(graph_id, node_name)
        if self._packed is not None:
            raise GraphError(f"Graphs cannot be changed after encode(); got {here}. Build new graphs.")
        self._check_prepared(f"anything is added to {here}")
        graphs = self._numbers or self._growing  # symbols may come before edges
        if not is_integer(graph_id) or graph_id not in graphs:
            self._refuse_graph(graph_id)
        check_hashable(node_name, "The name of a node", graph_id, node_name)
        if node_name not in graphs[graph_id]:
            names = shorten(list(graphs[graph_id])) or "none yet"
            raise GraphError(f"Graph {graph_id} has no node {node_name!r}; its nodes: {names}.")
        return graphs[graph_id][node_name]

    def _add_edge_type(self, graph_id: int, source: Hashable, destination: Hashable, edge_type: Hashable) -> None:
        """Give a new edge type its number, or say what else is wrong with an edge."""
        node = self._node(graph_id, source)
        self._node(graph_id, destination)
        here = described(graph_id, source)
        if not self._numbers:
            raise GraphError(f"prepare_edge_configuration() must be called before edges are added to {here}.")
        if not is_integer(self._left[node]):
            self._refuse_number(here, self._left[node])
        check_hashable(edge_type, "An edge type", graph_id, source)
        self.edge_type_id[edge_type] = len(self.edge_type_id)

    def _refuse_edge(self, graph_id: int, node_name: Hashable) -> NoReturn:
        raise GraphError(
            "A node must have as many outgoing edges as add_graph_node said; this is one too many for "
            f"{described(graph_id, node_name)}. Increase its number_of_outgoing_edges."
        )

    def _refuse_number(self, here: str, number: object) -> NoReturn:
        raise GraphError(f"number_of_outgoing_edges must be an int of at least 0; got {number!r} for {here}.")

    def _refuse_left(self) -> NoReturn:
        """Say which node has fewer edges than announced."""
        node = next(node for node, left in enumerate(self._left) if left)
        graph = int(np.searchsorted(self._pointers, node, side="right")) - 1
        name = list(self._numbers[graph])[node - self._first[graph]]
        here, left = described(graph, name), self._left[node]
        if not is_integer(left) or left < 0:
            self._refuse_number(here, left)
        raise GraphError(
            f"A node must have as many outgoing edges as add_graph_node said; there are {left} too few for {here}. "
            "Decrease its number_of_outgoing_edges."
        )


def described(graph_id: object, node_name: object) -> str:
    """Return which node of which graph is meant, for error messages."""
    return f"node {node_name!r} of graph {graph_id!r}"


def check_hashable(name: object, what: str, graph_id: object, node_name: object) -> None:
    """Refuse names that cannot be keys of a dictionary."""
    try:
        hash(name)
    except TypeError:
        raise GraphError(
            f"{what} must be hashable, such as a string or a number; got {name!r} for {described(graph_id, node_name)}."
        ) from None
