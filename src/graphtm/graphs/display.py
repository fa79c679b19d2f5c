"""Text forms of graphs and batches, in the user's names."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphtm.graphs.graph import Graph
    from graphtm.graphs.names import Name

MAX_NODES = 20
# Words that rules use themselves, and what they call clauses and parts of formulas.
_WORDS = re.compile(r"[^\W\d_]\w*([ -]\w+)*")
_RESERVED = frozenset(["AND", "ANY", "EXISTS", "NEVER", "NODE", "NOT", "OF", "OR", "TYPE", "True", "False", "None"])
_CLAUSE = re.compile(r"[CF]\d+")
MAX_EDGES = 10


def count(number: int, noun: str) -> str:
    """Return a number and its noun, in the plural where it must be."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def bare(name: Name) -> str:
    """Return a name as a rule prints it: without quotes only where it cannot be taken for anything else."""
    plain = isinstance(name, str) and _WORDS.fullmatch(name) and not _RESERVED.intersection(re.split("[ -]", name))
    return str(name) if plain and not _CLAUSE.fullmatch(str(name)) else repr(name)


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


def size_text(n_bytes: int) -> str:
    """Return a number of bytes for people."""
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
