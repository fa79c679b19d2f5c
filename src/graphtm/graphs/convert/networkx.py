"""Conversion from and to networkx."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.calling import require
from graphtm.foundation.names import refuse_set
from graphtm.foundation.type_names import type_of
from graphtm.graphs.attributes import READOUT, TYPE
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.convert.collect import check_place, collect, label_array, refuse_none, with_declared
from graphtm.graphs.convert.networkx_reader import NetworkxReader, refuse_unknown_edges


@overload
def from_networkx(
    graphs: Any,
    *,
    node_attributes: str | Iterable[str] | None = ...,
    edge_type: str | list[str] | None = ...,
    node_type: str | None = ...,
    label: None = ...,
    node_label: None = ...,
    bins: Any = ...,
    missing: str = ...,
    ignore: Iterable[Hashable] = ...,
) -> GraphBatch: ...
@overload
def from_networkx(
    graphs: Any,
    *,
    node_attributes: str | Iterable[str] | None = ...,
    edge_type: str | list[str] | None = ...,
    node_type: str | None = ...,
    label: str,
    node_label: None = ...,
    bins: Any = ...,
    missing: str = ...,
    ignore: Iterable[Hashable] = ...,
) -> tuple[GraphBatch, NDArray[Any]]: ...
@overload
def from_networkx(
    graphs: Any,
    *,
    node_attributes: str | Iterable[str] | None = ...,
    edge_type: str | list[str] | None = ...,
    node_type: str | None = ...,
    label: None = ...,
    node_label: str,
    bins: Any = ...,
    missing: str = ...,
    ignore: Iterable[Hashable] = ...,
) -> tuple[GraphBatch, NDArray[Any]]: ...
def from_networkx(
    graphs: Any,
    *,
    node_attributes: str | Iterable[str] | None = None,
    edge_type: str | list[str] | None = None,
    node_type: str | None = None,
    label: str | None = None,
    node_label: str | None = None,
    bins: Any = None,
    missing: str = "error",
    ignore: Iterable[Hashable] = (),
) -> GraphBatch | tuple[GraphBatch, NDArray[Any]]:
    """Convert networkx graphs to a batch.

    An undirected edge becomes two edges, one in each direction; a self-loop stays one edge. Nodes keep their names.
    Without parameters, the attributes that :func:`to_networkx` writes are used: ``properties`` (a list of symbols),
    ``type`` and ``readout`` of nodes, and ``type`` of edges; all are optional.

    Parameters
    ----------
    graphs
        A ``Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph``, or a list of them.
    node_attributes
        Node attributes that become symbols. For a single name, its values are the symbols, or lists of symbols. For a
        list of names, the value ``"C"`` of ``atom`` becomes the symbol ``("atom", "C")``, a list becomes one symbol per
        item, and a Boolean becomes the symbol ``"atom"`` if it is true; the values of ``properties`` are symbols also
        in this case.
    edge_type
        Edge attribute with the type of the edge; ``"plain"`` if it is missing or None, whatever ``missing`` is. For a
        list of attributes, the type is a tuple of pairs, such as ``(("bond", "single"), ("ring", True))``, with
        ``("bond", "is", "missing")`` for a missing value.
    node_type
        Node attribute with the type of the node.
    label
        Graph attribute (``graph.graph[label]``) with the label. Other graph attributes are not read.
    node_label
        Node attribute with the label of the node, for node-level tasks. Nodes that have one are the readout nodes.
    bins
        How to divide numbers into bins. A number of bins: attributes with floats are cut at their quantiles. A mapping
        from attributes to numbers of bins or to cuts: these attributes are divided, also if they have integers. A
        training batch, its vocabulary, or a pipeline, encoder or estimator fitted to it: the same cuts again. A node
        gets a symbol ``("charge", ">=", "0.5")``, printed ``charge>=0.5``, for each cut that it reaches; the type of an
        edge is its bin, ``("length", "in", "[0.5, 1)")``.
    missing
        What to do if a node does not have one of ``node_attributes``, or if its value is None or NaN. ``"error"``:
        raise an error. ``"drop"``: no symbol. ``"symbol"``: a symbol ``("charge", "is", "missing")``.
    ignore
        Attributes of nodes and edges to ignore. Attributes that are neither used nor ignored raise an error.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        The graphs; and their labels if ``label`` is given, or the labels of nodes, in the order of the nodes of all
        graphs, if ``node_label`` is given: those of ``graphs.node_examples(depth)``.

    Raises
    ------
    GraphError
        If an attribute is missing, is neither used nor ignored, or has values that cannot be names, such as floats
        without ``bins``.

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
      'o': atom=O
          single -> 'h1'
          single -> 'h2'
      'h1': atom=H
          single -> 'o'
      'h2': atom=H
          single -> 'o' ['none']
    >>> gtm.from_networkx(water, node_attributes=["atom"])
    Traceback (most recent call last):
        ...
    graphtm.errors.GraphError: Edge attribute 'bond' is not used: pass edge_type='bond', or ignore=['bond'].

    Numbers are divided into bins, and later graphs into the same ones:

    >>> train, test = nx.path_graph(3), nx.path_graph(1)
    >>> nx.set_node_attributes(train, {0: -0.4, 1: 0.1, 2: 0.7}, "charge")
    >>> nx.set_node_attributes(test, 0.6, "charge")
    >>> graphs = gtm.from_networkx(train, node_attributes=["charge"], bins=2)
    >>> list(graphs.vocabulary.symbols)
    [('charge', '>=', '0.1')]
    >>> gtm.from_networkx(test, node_attributes=["charge"], bins=graphs)[0].properties(0)
    (('charge', '>=', '0.1'),)
    """
    listed = _graph_list(graphs)
    read = NetworkxReader(node_attributes, edge_type, node_type, label, node_label, bins, missing, ignore)
    if edge_type is not None:
        refuse_unknown_edges(listed, read.edges)
    read.learn_cuts(listed)
    batch, labels = collect(read.each(listed))
    read.refuse_unused()
    batch = with_declared(batch, [symbol for symbols in read.node_symbols.values() for symbol in symbols])
    if node_label is not None:
        return batch, label_array(read.node_labels, owner="label")
    if label is None:
        return batch
    return batch, np.zeros(0) if labels is None else labels


def to_networkx(graphs: GraphBatch, i: int) -> Any:
    """Return one graph of a batch as a ``networkx.MultiDiGraph``.

    Nodes have the attributes ``properties`` (a list of symbols), ``type`` if nodes have types, and ``readout`` if not
    all nodes are readout nodes. Edges have the attribute ``type``. :func:`from_networkx` converts back.

    Parameters
    ----------
    graphs
        The batch.
    i
        Index of the graph; negative indices count from the end.

    Raises
    ------
    GraphError
        If networkx does not allow a node name (None, or names that are equal in Python, such as 1 and True), or if a
        symbol or edge type is None, which would be read back as a missing value.

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
                "Node names in networkx must not be None or equal to one another in Python; "
                f"graph {place} has {equal}. Rename it first."
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
    # A networkx graph is iterable, too, over its nodes.
    refuse_set(graphs, "graphs")
    listed = [graphs] if isinstance(graphs, networkx.Graph) or not isinstance(graphs, Iterable) else list(graphs)
    for number, graph in enumerate(listed):
        if not isinstance(graph, networkx.Graph):
            raise TypeError(
                f"The graphs must be a networkx graph or a list of them; element {number} is {type_of(graph)}."
            )
    return listed
