"""Graphs of networkx, in and out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.calling import require
from graphtm.foundation.names import refuse_set
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.convert.attributes import READOUT, TYPE, refuse_none
from graphtm.graphs.convert.collect import check_place, collect
from graphtm.graphs.convert.networkx_reader import NetworkxReader


@overload
def from_networkx(
    graphs: Any,
    *,
    node_attributes: str | Iterable[str] | None = ...,
    edge_type: str | None = ...,
    node_type: str | None = ...,
    label: None = ...,
    ignore: Iterable[Hashable] = ...,
) -> GraphBatch: ...
@overload
def from_networkx(
    graphs: Any,
    *,
    node_attributes: str | Iterable[str] | None = ...,
    edge_type: str | None = ...,
    node_type: str | None = ...,
    label: str,
    ignore: Iterable[Hashable] = ...,
) -> tuple[GraphBatch, NDArray[Any]]: ...
def from_networkx(
    graphs: Any,
    *,
    node_attributes: str | Iterable[str] | None = None,
    edge_type: str | None = None,
    node_type: str | None = None,
    label: str | None = None,
    ignore: Iterable[Hashable] = (),
) -> GraphBatch | tuple[GraphBatch, NDArray[Any]]:
    """Turn graphs of networkx into a batch.

    An undirected edge becomes two edges, one each way; a self-loop stays one. Nodes keep their names. Without
    parameters this reads what :func:`to_networkx` writes: the node attributes ``properties`` (a list of symbols),
    ``type`` and ``readout``, and the edge attribute ``type``, where they are there.

    Parameters
    ----------
    graphs
        A ``Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph``, or a list of them.
    node_attributes
        Which attributes of nodes become symbols. One name: its values are symbols as they are, one or a list of
        them. A list of names: the value ``"C"`` of ``atom`` becomes the symbol ``("atom", "C")``, a list one symbol
        per item, a Boolean the symbol ``"atom"`` where it is true, None and NaN none, within lists too; the attribute
        ``properties`` holds symbols as they are here, too. A node that lacks one of the attributes is refused.
    edge_type
        The edge attribute that is the edge's type; an edge that lacks it, or where it is None, is ``"plain"``.
    node_type
        The node attribute that is the node's type.
    label
        The graph attribute (``graph.graph[label]``) to return as labels. Other attributes of graphs are not read.
    ignore
        Attributes of nodes and edges to leave out. What is neither read nor listed here is refused, and so is what is
        listed but not there.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        The graphs, and with ``label`` their labels.

    Raises
    ------
    GraphError
        If an attribute is missing, is neither read nor ignored, or cannot be a name; numbers with a fraction are
        refused.

    Examples
    --------
    >>> import networkx as nx
    >>> import graphtm as gtm
    >>> water = nx.Graph(smell="none")
    >>> water.add_node("o", atom="O")
    >>> water.add_nodes_from(["h1", "h2"], atom="H")
    >>> water.add_edges_from([("o", "h1"), ("o", "h2")], bond="single")
    >>> graphs, y = gtm.from_networkx(water, node_attributes=["atom"], edge_type="bond", label="smell")
    >>> print(graphs[0], y)
    Graph with 3 nodes and 4 edges
      'o': ('atom', 'O')
          single -> 'h1'
          single -> 'h2'
      'h1': ('atom', 'H')
          single -> 'o'
      'h2': ('atom', 'H')
          single -> 'o'
    ['none']
    >>> gtm.from_networkx(water, node_attributes=["atom"])
    Traceback (most recent call last):
        ...
    graphtm.errors.GraphError: What is there must be read or left out on purpose; the edges have 'bond'. Name one
    attribute as edge_type, or leave out what is not needed: ignore=['bond'].
    """
    listed = _graph_list(graphs)
    read = NetworkxReader(node_attributes, edge_type, node_type, label, ignore)
    if edge_type is not None:
        _refuse_unused(listed, edge_type)
    batch, labels = collect(read.each(listed))
    read.refuse_unchosen()
    if label is None:
        return batch
    return batch, np.zeros(0) if labels is None else labels


def to_networkx(graphs: GraphBatch, i: int) -> Any:
    """Return one graph of a batch as a ``networkx.MultiDiGraph``.

    Nodes have the attribute ``properties``, a list of symbols; ``type`` if nodes are typed; and ``readout`` if only
    some nodes answer. Edges have the attribute ``type``. :func:`from_networkx` reads them back.

    Parameters
    ----------
    graphs
        The graphs.
    i
        Which one; negative numbers count from the end.

    Raises
    ------
    GraphError
        If a node's name cannot be one in networkx: None, or two names that are equal to Python, such as 1 and True;
        or if a symbol or edge type is None, which would be read back as a missing value.

    Examples
    --------
    >>> import graphtm as gtm
    >>> batch = gtm.GraphBatch.from_arrays([2], [[1, 1], [0, 1]], ["red", "round"], edges=([0], [1]))
    >>> graph = gtm.to_networkx(batch, 0)
    >>> graph.nodes(data=True)
    NodeDataView({0: {'properties': ['red', 'round']}, 1: {'properties': ['round']}})
    >>> graph.edges(data=True)
    OutMultiEdgeDataView([(0, 1, {'type': 'plain'})])
    """
    networkx = require("networkx", "to_networkx")
    place = check_place(graphs, i, "to_networkx")
    graph = graphs[place]
    refuse_none(graph, place, "networkx")
    made = networkx.MultiDiGraph()
    readout = None if graph.readout is None else {graph._find(name) for name in graph.readout}
    for number, name in enumerate(graph.nodes):
        if name is None or name in made:
            equal = (
                "None" if name is None else f"{next(other for other in graph.nodes if other == name)!r} and {name!r}"
            )
            raise GraphError(
                "Names of nodes in networkx must be different to Python and not None; "
                f"graph {place} has a node named {equal}. Rename it first."
            )
        made.add_node(name, properties=list(graph.properties(name)))
        if graph.node_type(name) is not None:
            made.nodes[name][TYPE] = graph.node_type(name)
        if readout is not None:
            made.nodes[name][READOUT] = number in readout
    made.add_edges_from((source, destination, {TYPE: edge_type}) for source, destination, edge_type in graph.edges)
    return made


def _graph_list(graphs: Any) -> list[Any]:
    networkx = require("networkx", "from_networkx")
    # A graph of networkx is iterable too, over its nodes.
    refuse_set(graphs, "graphs")
    listed = [graphs] if isinstance(graphs, networkx.Graph) or not isinstance(graphs, Iterable) else list(graphs)
    for number, graph in enumerate(listed):
        if not isinstance(graph, networkx.Graph):
            raise TypeError(
                "The graphs must be a graph of networkx or a list of them; "
                f"element {number} is a {type(graph).__name__!r}."
            )
    return listed


def _refuse_unused(graphs: list[Any], edge_type: str) -> None:
    """Refuse a name that no edge has, which is a slip of the pen."""
    seen: set[str] = set()
    for graph in graphs:
        for _, _, data in graph.edges(data=True):
            if edge_type in data:
                return
            seen.update(data)
    if any(graph.number_of_edges() for graph in graphs):
        has = ", ".join(map(repr, sorted(seen, key=repr))) or "no attributes"
        raise GraphError(f"An edge must have the attribute {edge_type!r} to be typed by it; edges have {has}.")
