"""Graphs as facts for clingo, which the logic program of a machine reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from graphtm.export.logic_terms import term
from graphtm.export.program import Program
from graphtm.graphs import Graph, GraphBatch, PackedGraphs


def facts_text(graphs: GraphBatch | Iterable[Graph], program: Program | None = None) -> str:
    """Return graphs as facts for clingo, to be read with the logic program of a machine.

    Parameters
    ----------
    graphs
        A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`. Graphs are numbered 0, 1, ..., and so are
        the nodes of each.
    program
        The machine, with whose names those of the graphs are matched. By default they are not matched: the logic
        program itself refuses or ignores unknown names.

    Returns
    -------
    str
        One line per node ``N`` of a graph ``G``: ``node(G,N)``, ``type(G,N,Type)`` if nodes have types,
        ``has(G,N,Symbol)`` for each property, ``edge(G,N,To,Type)`` for each edge that leaves it, and ``readout(G,N)``
        if it is a readout node and other nodes of the graph are not.

    Raises
    ------
    UnknownSymbolError
        If the machine does not know a name, unless it ignores unknown names.

    Examples
    --------
    >>> import graphtm as gtm
    >>> g = gtm.Graph()
    >>> g.add_node("x", properties=["A", ("size", 3)])
    >>> g.add_node("y")
    >>> g.add_edge("x", "y", type="right")
    >>> print(facts_text([g]))
    node(0,0). has(0,0,"A"). has(0,0,("size",3)). edge(0,0,1,"right").
    node(0,1).
    <BLANKLINE>
    """
    if isinstance(graphs, Graph):
        raise TypeError("The graphs must be a GraphBatch or a list of Graph; got one Graph. Write [graph].")
    batch = graphs if isinstance(graphs, GraphBatch) else GraphBatch.from_graphs(graphs)
    if program is not None:
        batch = batch.with_vocabulary(program.vocabulary, "ignore" if program.ignores_unknown else "error")
    parts: list[str] = []
    first = 0
    for chunk in batch.chunks():
        parts += _lines(chunk.pack(), first)
        first += len(chunk)
    return "".join(parts)


def _lines(graphs: PackedGraphs, first: int) -> Iterator[str]:
    """Yield the line of each node; graphs are numbered from ``first``."""
    graph_of = np.repeat(np.arange(graphs.n_graphs), graphs.node_counts)
    places = [
        f"{first + graph},{node}"
        for graph, node in zip(
            graph_of.tolist(), (np.arange(graphs.n_nodes) - graphs.node_ptr[graph_of]).tolist(), strict=True
        )
    ]
    vocabulary = graphs.vocabulary
    symbols, edge_types = list(map(term, vocabulary.symbols)), list(map(term, vocabulary.edge_types))
    lines = [[f"node({place})."] for place in places]
    if graphs.node_types is not None:
        node_types = list(map(term, vocabulary.node_types))
        for node, node_type in enumerate(graphs.node_types.tolist()):
            lines[node].append(f"type({places[node]},{node_types[node_type]}).")
    if graphs.readout is not None:
        read = np.add.reduceat(graphs.readout, graphs.node_ptr[:-1], dtype=np.int64)
        for node in np.flatnonzero(graphs.readout & (read < graphs.node_counts)[graph_of]).tolist():
            lines[node].append(f"readout({places[node]}).")
    nodes, numbers = graphs.properties.pairs()
    for node, number in zip(nodes.tolist(), numbers.tolist(), strict=True):
        lines[node].append(f"has({places[node]},{symbols[number]}).")
    edges = graphs.out_edges
    for node, to, number in zip(
        edges.near_ends().tolist(), edges.neighbours.tolist(), edges.types.tolist(), strict=True
    ):
        lines[node].append(f"edge({places[node]},{to},{edge_types[number]}).")
    for line in lines:
        yield f"{' '.join(line)}\n"
