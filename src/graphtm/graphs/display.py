"""Graphs as text, and as the tables that notebooks show; every name in those is escaped."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from graphtm.foundation.display import bare, count

if TYPE_CHECKING:
    from graphtm.graphs.graph import Graph


MAX_NODES, MAX_EDGES = 20, 10


def graph_text(graph: Graph) -> str:
    """Return one graph as text: a line per node, its outgoing edges below; long graphs are cut."""
    outgoing: dict[Hashable, list[str]] = {}
    for source, destination, edge_type in graph.edges:
        outgoing.setdefault(source, []).append(f"      {bare(edge_type)} -> {destination!r}")
    readout = graph.readout
    lines = [f"Graph with {count(graph.n_nodes, 'node')} and {count(graph.n_edges, 'edge')}"]
    for node in graph.nodes[:MAX_NODES]:
        node_type = graph.node_type(node)
        kind = "" if node_type is None else f" ({bare(node_type)})"
        mark = " [readout]" if readout is not None and node in readout else ""
        properties = ", ".join(map(repr, graph.properties(node))) or "no properties"
        lines.append(f"  {node!r}{kind}{mark}: {properties}")
        edges = outgoing.get(node, [])
        lines += edges[:MAX_EDGES]
        if len(edges) > MAX_EDGES:
            lines.append(f"      ... and {count(len(edges) - MAX_EDGES, 'more edge')}")
    if graph.n_nodes > MAX_NODES:
        lines.append(f"  ... and {count(graph.n_nodes - MAX_NODES, 'more node')}")
    return "\n".join(lines)


def facts_html(title: str, facts: Iterable[tuple[str, str]]) -> str:
    """Return a table with a title and a row per fact: what it is, and its text."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts)
    return f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>"


def graph_html(graph: Graph) -> str:
    """Return one graph as a table: a row per node with its properties and outgoing edges; long graphs are cut."""
    outgoing: dict[Hashable, list[str]] = {}
    for source, destination, edge_type in graph.edges:
        outgoing.setdefault(source, []).append(f"{bare(edge_type)} → {destination!r}")
    shown = graph.nodes[:MAX_NODES]
    typed, readout = any(graph.node_type(node) is not None for node in shown), graph.readout
    rows = []
    for node in shown:
        row = [repr(node)]
        row += [bare(graph.node_type(node))] if typed else []
        row += ["yes" if node in readout else ""] if readout is not None else []
        edges = outgoing.get(node, [])
        more = [f"... and {len(edges) - MAX_EDGES:,} more"] if len(edges) > MAX_EDGES else []
        rows.append([*row, ", ".join(map(repr, graph.properties(node))), ", ".join(edges[:MAX_EDGES] + more)])
    title = f"Graph with {count(graph.n_nodes, 'node')} and {count(graph.n_edges, 'edge')}"
    if graph.n_nodes > MAX_NODES:
        title += f", the first {MAX_NODES} nodes"
    head = ["node", *["type"] * typed, *["readout"] * (readout is not None), "properties", "edges"]
    return (
        f"<table><caption>{escape(title)}</caption><thead>{_row(head, 'th')}</thead>"
        f"<tbody>{''.join(_row(row, 'td') for row in rows)}</tbody></table>"
    )


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
