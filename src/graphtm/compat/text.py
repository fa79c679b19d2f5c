"""Graphs as text."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Protocol

from graphtm.compat.codebook import plain_name
from graphtm.errors import GraphError
from graphtm.foundation.display import count
from graphtm.foundation.parameters import is_integer
from graphtm.graphs import PackedGraphs


class Printable(Protocol):
    """What printing needs of ``Graphs``."""

    symbol_id: dict[Hashable, int]
    edge_type_id: dict[Hashable, int]
    node_type_id: dict[Hashable, int]

    @property
    def encoded(self) -> PackedGraphs: ...

    def names_of(self, graph: int) -> list[Hashable]: ...

    def __len__(self) -> int: ...


def graph_text(graphs: Printable, graph_id: int) -> str:
    """Return the nodes of a graph with their symbols and edges."""
    one, edges = _graph(graphs, graph_id), _edges(graphs, graph_id)
    lines = [f"Graph {graph_id} with {count(one.n_nodes, 'node')} and {count(one.n_edges, 'edge')}"]
    for number, line in enumerate(_nodes(graphs, graph_id)):
        lines += [line, *(f"  {edge_type} -> {end}" for source, edge_type, end in edges if source == number)]
    return "\n  ".join(lines)


def nodes_text(graphs: Printable, graph_id: int) -> str:
    """Return the nodes of a graph with their symbols."""
    title = f"Graph {graph_id} with {count(_graph(graphs, graph_id).n_nodes, 'node')}"
    return "\n  ".join([title, *_nodes(graphs, graph_id)])


def edges_text(graphs: Printable, graph_id: int) -> str:
    """Return the edges of a graph."""
    edges, names = _edges(graphs, graph_id), graphs.names_of(graph_id)
    lines = [f"{plain_name(names[source])!r} {edge_type} -> {end}" for source, edge_type, end in edges]
    return "\n  ".join([f"Graph {graph_id} with {count(len(edges), 'edge')}", *lines])


def _graph(graphs: Printable, graph_id: int) -> PackedGraphs:
    if not is_integer(graph_id) or not 0 <= graph_id < len(graphs):
        raise GraphError(f"graph_id must be a number from 0 to {len(graphs) - 1}; got {graph_id!r}.")
    return graphs.encoded.take(slice(graph_id, graph_id + 1))


def _nodes(graphs: Printable, graph_id: int) -> Iterator[str]:
    """Yield a line per node: its name, its type and its symbols."""
    one, symbols, node_types = _graph(graphs, graph_id), list(graphs.symbol_id), list(graphs.node_type_id)
    assert one.node_types is not None  # noqa: S101 -- every node has one
    carried: list[list[str]] = [[] for _ in range(one.n_nodes)]
    for node, symbol in zip(*map(list, one.properties.pairs()), strict=True):
        carried[node].append(repr(symbols[symbol]))
    for name, node_type, words in zip(graphs.names_of(graph_id), one.node_types.tolist(), carried, strict=True):
        yield f"{plain_name(name)!r} ({node_types[node_type]}): {', '.join(words)}".rstrip()


def _edges(graphs: Printable, graph_id: int) -> list[tuple[int, str, str]]:
    """Return the number of the source, the type, and the name of the destination of each edge."""
    table, names = _graph(graphs, graph_id).out_edges, graphs.names_of(graph_id)
    edge_types = list(map(str, graphs.edge_type_id))
    ends = zip(table.near_ends().tolist(), table.types.tolist(), table.neighbours.tolist(), strict=True)
    return [
        (source, edge_types[edge_type], repr(plain_name(names[destination]))) for source, edge_type, destination in ends
    ]
