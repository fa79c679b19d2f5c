"""Building of graphs: what it keeps, and calls that are wrong or rare.

The methods here may take their time: the others call them only if a name is new or something is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from dataclasses import MISSING
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from graphtm.compat.checks import MOST, check_hashable, described, number_of_edges, whole
from graphtm.compat.codebook import Codebook, plain_name
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import count
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import is_integer
from graphtm.graphs import PackedGraphs

PLAIN_TYPE = "Plain"


class RareCalls:
    """What building graphs keeps, and the slow part of its methods; base class of ``Building``.

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

    @property
    def _pointers(self) -> Int64Array:
        self._check_prepared("the nodes are numbered")
        assert self._node_ptr is not None  # noqa: S101 -- checked above
        return self._node_ptr

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

    def _add_property(self, graph_id: Any, node_name: Any, symbol: Hashable) -> None:
        """Add a new symbol, or a symbol while nodes are added; or say what is wrong."""
        node = self._node(graph_id, node_name)
        check_hashable(symbol, "A symbol", graph_id, node_name)
        found = self.codebook.number(symbol, described(graph_id, node_name))
        if self._firsts[node] < 0:
            self._firsts[node] = found
            return
        self._carried.append(found)
        if node != self._last:
            self._last = node
            self._runs += node, len(self._carried)

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
        if size is None or not 0 < size <= MOST:
            self._refuse_size(graph_id, n)
        self._sizes[graph_id] = size

    def _refuse_size(self, graph_id: Any, size: object) -> NoReturn:
        raise GraphError(
            f"The number of nodes of a graph must be an int from 1 to {MOST:,}; got {size!r} for graph "
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
