"""A single graph, built node by node and edge by edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from graphtm.errors import GraphError
from graphtm.foundation.display import bare, count, shortened
from graphtm.foundation.names import Name, as_list, name_key, normalize_name, saved_name
from graphtm.foundation.type_names import quoted, type_of
from graphtm.graphs.attributes import symbols_of_mapping
from graphtm.graphs.vocabulary import PLAIN

if TYPE_CHECKING:
    from graphtm.graphs.packed import PackedGraphs

_SHOWN_NODES, _SHOWN_EDGES = 20, 10


class Edge(NamedTuple):
    """A directed edge; nodes are given by name."""

    source: Hashable
    destination: Hashable
    type: Name


class Graph:
    """A directed multigraph with properties of nodes and types of edges.

    A node has any number of properties, which are symbols, and optionally a type. An edge is directed and has a type.
    Parallel edges and self-loops are allowed. Represent an undirected edge by two edges.

    Examples
    --------
    >>> import graphtm as gtm
    >>> g = gtm.Graph()
    >>> g.add_node("n0", properties=["A"])
    >>> g.add_node("n1", properties=["B", "last"])
    >>> g.add_edge("n0", "n1", type="right")
    >>> print(g)
    Graph with 2 nodes and 1 edge
      'n0': 'A'
          right -> 'n1'
      'n1': 'B', 'last'

    Both nodes of an edge must exist:

    >>> g.add_edge("n0", "n7")
    Traceback (most recent call last):
        ...
    graphtm.errors.GraphError: Both ends of an edge must be nodes of the graph; got 'n0' -> 'n7', but there is no node
    'n7'. Add the node first.
    """

    __slots__ = (
        "_destinations",
        "_edge_types",
        "_names",
        "_numbers",
        "_packed",
        "_properties",
        "_readout",
        "_sources",
        "_types",
    )

    def __init__(self) -> None:
        self._names: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}
        self._properties: list[tuple[Name, ...]] = []
        self._types: list[Name] = []
        self._sources: list[int] = []
        self._destinations: list[int] = []
        self._edge_types: list[Name] = []
        self._readout: list[int] | None = None
        # The packed form of a graph taken from a batch, until the graph is changed; see build.packed_graph.
        self._packed: PackedGraphs | None = None

    def add_node(
        self, name: Hashable, properties: Iterable[object] | Mapping[Any, object] = (), type: object = None
    ) -> None:
        """Add a node.

        Parameters
        ----------
        name
            Name of the node, which can be any hashable value.
        properties
            Symbols of the node: strings, integers, Booleans, None or tuples of these. Duplicates are ignored; symbols
            in a set are sorted. A dictionary is converted to symbols in the same way as attributes in converters:
            ``{"color": "red", "flat": True}`` becomes ``("color", "red")`` and ``"flat"``; a list becomes one symbol
            per item; False, None and NaN give no symbol.
        type
            Type of the node. Either all nodes of a batch or none must have a type.

        Raises
        ------
        GraphError
            If the name is already used, or if a name or property is not valid.

        Examples
        --------
        >>> import graphtm as gtm
        >>> g = gtm.Graph()
        >>> g.add_node("n0", properties={"color": "red", "size": 3, "flat": True})
        >>> g.properties("n0")
        (('color', 'red'), ('size', 3), 'flat')
        """
        if isinstance(properties, str | bytes):
            raise TypeError(
                f"The properties of node {name!r} must be a list of symbols; got the string {properties!r}. "
                f"Write [{properties!r}] for one symbol, or list({properties!r}) for one symbol per letter."
            )
        if not isinstance(properties, Iterable):
            raise TypeError(f"The properties of node {name!r} must be a list of symbols; got {properties!r}.")
        if hasattr(properties, "to_dict") and not isinstance(properties, Mapping):
            raise TypeError(
                f"The properties of node {name!r} must be a list or a dict; got {quoted(_class_name(properties))}. Use "
                "to_dict() for named values, to_list() for symbols."
            )
        name = normalize_name(name)
        if isinstance(properties, Mapping):
            symbols = symbols_of_mapping(properties, f"node {name!r}")
        else:
            symbols = list(map(saved_name, as_list(properties)))
        self._add_node(name, symbols, saved_name(type, "node type"))

    def _add_node(self, name: Name, symbols: Iterable[Name], node_type: Name) -> None:
        """Add a node; name, symbols and type must be checked already."""
        key = name_key(name)
        if key in self._numbers:
            raise GraphError(f"Node names must be unique within a graph; there is already a node {name!r}.")
        self._numbers[key] = len(self._names)
        self._names.append(name)
        self._properties.append(tuple({name_key(symbol): symbol for symbol in symbols}.values()))
        self._types.append(node_type)
        self._packed = None

    def add_edge(self, source: Hashable, destination: Hashable, type: object = PLAIN) -> None:
        """Add a directed edge; messages travel from ``source`` to ``destination``.

        Parameters
        ----------
        source, destination
            Names of existing nodes.
        type
            Type of the edge.

        Raises
        ------
        GraphError
            If a node does not exist, or if the type is not a str, int, bool, None or a tuple of these.
        """
        source_number, destination_number = self._find(source), self._find(destination)
        if source_number is None or destination_number is None:
            missing = source if source_number is None else destination
            raise GraphError(
                f"Both ends of an edge must be nodes of the graph; got {source!r} -> {destination!r}, but there is no "
                f"node {missing!r}. Add the node first."
            )
        self._add_edge(source_number, destination_number, saved_name(type, "edge type"))

    def _add_edge(self, source: int, destination: int, edge_type: Name) -> None:
        """Add an edge between nodes given by index; the type must be checked already."""
        self._sources.append(source)
        self._destinations.append(destination)
        self._edge_types.append(edge_type)
        self._packed = None

    def set_readout(self, nodes: Iterable[Hashable] | None) -> None:
        """Set the nodes at which clauses are evaluated; ``None`` means all nodes.

        Raises
        ------
        GraphError
            If a node does not exist, or if there are no nodes.
        """
        if nodes is None:
            self._readout = self._packed = None
            return
        if isinstance(nodes, str | bytes):
            raise TypeError(f"Readout nodes must be a list of names; got the string {nodes!r}. Write [{nodes!r}].")
        if isinstance(nodes, Mapping) or not isinstance(nodes, Iterable):
            raise TypeError(f"Readout nodes must be a list of names; got {type_of(nodes)}.")
        chosen = set()
        for name in nodes:
            number = self._find(name)
            if number is None:
                raise GraphError(f"Readout nodes must be nodes of the graph; there is no node {name!r}.")
            chosen.add(number)
        if not chosen:
            raise GraphError("A graph must have at least one readout node; got none. Pass None to use all nodes.")
        self._readout, self._packed = sorted(chosen), None

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._names)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self._sources)

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """Names of the nodes, in order of addition."""
        return tuple(self._names)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Edges, in order of addition."""
        names = self._names
        return tuple(
            Edge(names[source], names[destination], edge_type)
            for source, destination, edge_type in zip(self._sources, self._destinations, self._edge_types, strict=True)
        )

    @property
    def readout(self) -> tuple[Hashable, ...] | None:
        """Names of the readout nodes, or ``None`` for all nodes."""
        return None if self._readout is None else tuple(self._names[number] for number in self._readout)

    def properties(self, node: Hashable) -> tuple[Name, ...]:
        """Return the properties of a node."""
        return self._properties[self._number(node)]

    def node_type(self, node: Hashable) -> Name:
        """Return the type of a node, or ``None`` if it has no type."""
        return self._types[self._number(node)]

    def _find(self, node: object) -> int | None:
        return self._numbers.get(name_key(normalize_name(node)))

    def _number(self, node: Hashable) -> int:
        number = self._find(node)
        if number is None:
            raise GraphError(f"The graph has no node {node!r}.")
        return number

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._names)

    def __contains__(self, node: object) -> bool:
        return self._find(node) is not None

    def __eq__(self, other: object) -> bool:
        """Whether both have the same nodes in the same order, and the same edges in any order."""
        if not isinstance(other, Graph):
            return NotImplemented
        return (
            list(self._numbers) == list(other._numbers)
            and list(map(_keys, self._properties)) == list(map(_keys, other._properties))
            and list(map(name_key, self._types)) == list(map(name_key, other._types))
            and self._partial_readout() == other._partial_readout()
            and self._edge_counts() == other._edge_counts()
        )

    __hash__ = None  # type: ignore[assignment]

    def _partial_readout(self) -> list[int] | None:
        """Return the readout nodes, or None if these are all nodes."""
        return None if self._readout is None or len(self._readout) == len(self._names) else self._readout

    def _edge_counts(self) -> Counter[tuple[int, int, Hashable]]:
        return Counter(zip(self._sources, self._destinations, map(name_key, self._edge_types), strict=True))

    def __repr__(self) -> str:
        return f"Graph(n_nodes={self.n_nodes}, n_edges={self.n_edges})"

    def __str__(self) -> str:
        return _graph_text(self)

    def _repr_html_(self) -> str:
        return _graph_html(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return copies of all attributes but those that follow from others."""
        values = {name: getattr(self, name) for name in Graph.__slots__ if name not in ("_numbers", "_packed")}
        own = {name: value.copy() if isinstance(value, list) else value for name, value in values.items()}
        return own | getattr(self, "__dict__", {})  # attributes of subclasses

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._numbers = {name_key(name): number for number, name in enumerate(self._names)}
        self._packed = None


def _keys(names: tuple[Name, ...]) -> frozenset[Hashable]:
    return frozenset(map(name_key, names))


def _graph_text(graph: Graph) -> str:
    """Return a graph as text, with a line per node and its outgoing edges below; long graphs are shortened."""
    outgoing: dict[Hashable, list[str]] = {}
    for source, destination, edge_type in graph.edges:
        outgoing.setdefault(source, []).append(f"      {bare(edge_type)} -> {destination!r}")
    readout = graph.readout
    lines = [f"Graph with {count(graph.n_nodes, 'node')} and {count(graph.n_edges, 'edge')}"]
    for node in graph.nodes[:_SHOWN_NODES]:
        node_type = graph.node_type(node)
        kind = "" if node_type is None else f" ({bare(node_type)})"
        mark = " [readout]" if readout is not None and node in readout else ""
        properties = ", ".join(map(_symbol_text, graph.properties(node))) or "no properties"
        lines.append(f"  {node!r}{kind}{mark}: {properties}")
        edges = outgoing.get(node, [])
        lines += edges[:_SHOWN_EDGES]
        if len(edges) > _SHOWN_EDGES:
            lines.append(f"      ... and {count(len(edges) - _SHOWN_EDGES, 'more edge')}")
    if graph.n_nodes > _SHOWN_NODES:
        lines.append(f"  ... and {count(graph.n_nodes - _SHOWN_NODES, 'more node')}")
    return "\n".join(lines)


def _graph_html(graph: Graph) -> str:
    """Return a graph as an HTML table with a row per node; long graphs are shortened."""
    outgoing: dict[Hashable, list[str]] = {}
    for source, destination, edge_type in graph.edges:
        outgoing.setdefault(source, []).append(f"{bare(edge_type)} → {destination!r}")
    shown = graph.nodes[:_SHOWN_NODES]
    typed, readout = any(graph.node_type(node) is not None for node in shown), graph.readout
    rows = []
    for node in shown:
        row = [repr(node)]
        row += [bare(graph.node_type(node))] if typed else []
        row += ["yes" if node in readout else ""] if readout is not None else []
        edges = outgoing.get(node, [])
        more = [f"... and {len(edges) - _SHOWN_EDGES:,} more"] if len(edges) > _SHOWN_EDGES else []
        rows.append(
            [*row, ", ".join(map(_symbol_text, graph.properties(node))), ", ".join(edges[:_SHOWN_EDGES] + more)]
        )
    title = f"Graph with {count(graph.n_nodes, 'node')} and {count(graph.n_edges, 'edge')}"
    if graph.n_nodes > _SHOWN_NODES:
        title += f", the first {_SHOWN_NODES} nodes"
    head = ["node", *["type"] * typed, *["readout"] * (readout is not None), "properties", "edges"]
    return (
        f"<table><caption>{escape(title)}</caption><thead>{_row(head, 'th')}</thead>"
        f"<tbody>{''.join(_row(row, 'td') for row in rows)}</tbody></table>"
    )


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _symbol_text(symbol: Name) -> str:
    """Return a symbol as text: tuples as in rules, others quoted, long ones shortened."""
    if isinstance(symbol, tuple):
        return bare(symbol)
    return repr(shortened(symbol) if isinstance(symbol, str) else symbol)


def _class_name(value: object) -> str:
    return f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
