"""One graph of networkx after the other, by its attributes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NoReturn

from graphtm.errors import GraphError
from graphtm.graphs.convert.attributes import (
    PROPERTIES,
    READOUT,
    TYPE,
    edge_type_from,
    ignored,
    is_true,
    name_at,
    refuse_both,
    refuse_floats,
    refuse_unchosen,
    symbols_from,
)
from graphtm.graphs.convert.collect import Found
from graphtm.graphs.graph import Graph
from graphtm.graphs.names import is_missing


class NetworkxReader:
    """What to read of a graph of networkx, and how."""

    def __init__(
        self,
        node_attributes: Any,
        edge_type: str | None,
        node_type: str | None,
        label: str | None,
        ignore: Iterable[Hashable],
    ) -> None:
        self.required = node_attributes is not None
        if node_attributes is None or isinstance(node_attributes, str):
            self.attributes = [(node_attributes or PROPERTIES, True)]
        elif isinstance(node_attributes, Iterable):
            self.attributes = [(name, name == PROPERTIES) for name in node_attributes]
        else:
            raise TypeError(
                "The 'node_attributes' parameter of from_networkx must be a name or a list of names. "
                f"Got {node_attributes!r} instead."
            )
        self.edge_type = TYPE if edge_type is None else edge_type
        self.node_type = node_type
        self.label = label
        # Edge types may be named 0.5, which to_networkx writes; an attribute that a user chose is then a weight.
        self.weighed = edge_type is not None
        given = [name for name, _ in self.attributes] if self.required else []
        self.ignored = ignored(ignore, "from_networkx")
        refuse_both(self.ignored, [*given, *filter(None, (edge_type, node_type))], "from_networkx")
        self.of_nodes = {*(name for name, _ in self.attributes), node_type or TYPE, READOUT}
        self.of_edges = {self.edge_type}
        # Names alone, in order of appearance: what is neither read nor ignored.
        self.left_of_nodes: dict[Hashable, None] = {}
        self.left_of_edges: dict[Hashable, None] = {}

    def refuse_unchosen(self) -> None:
        """Refuse what all graphs have that is neither read nor ignored."""
        refuse_unchosen(self.left_of_nodes, "the nodes have", "Name them in node_attributes to make them symbols")
        refuse_unchosen(self.left_of_edges, "the edges have", "Name one attribute as edge_type")

    def kept(self, data: Mapping[str, Any], read: set[str], left: dict[Hashable, None]) -> Mapping[str, Any]:
        """Return attributes less those to ignore, and note those that will not be read."""
        if self.ignored:
            data = {name: data[name] for name in data if name not in self.ignored}
        if not data.keys() <= read:
            left.update(dict.fromkeys(name for name in data if name not in read))
        return data

    def each(self, graphs: list[Any]) -> Iterator[Found]:
        for number, graph in enumerate(graphs):
            where = f"graph {number}"
            label = None
            if self.label is not None:
                label = graph.graph.get(self.label)
                if label is None:
                    _refuse_missing("graph", where, self.label, graph.graph)
            yield Found(self.graph(graph, where), label, where)

    def graph(self, graph: Any, place: str) -> Graph:
        made = Graph()
        answers: list[Any] | None = None
        for name, data in graph.nodes(data=True):
            where = f"node {name!r} of {place}"
            data = self.kept(data, self.of_nodes, self.left_of_nodes)
            made.add_node(name_at(name, where), self.symbols(data, where), self.type_of(data, where))
            if READOUT in data:
                answers = answers or []
                if is_true(data[READOUT], READOUT, where):
                    answers.append(name)
        if answers is not None:
            if not answers:
                raise GraphError(f"At least one node of a graph must have a true {READOUT!r}; in {place} none has.")
            made.set_readout(answers)
        both_ways = not graph.is_directed()
        for source, destination, data in graph.edges(data=True):
            where = f"edge {source!r} -> {destination!r} of {place}"
            data = self.kept(data, self.of_edges, self.left_of_edges)
            edge_type = edge_type_from(data.get(self.edge_type), where)
            if self.weighed:
                refuse_floats(self.edge_type, [edge_type], where)
            made.add_edge(source, destination, edge_type)
            if both_ways and source != destination:
                made.add_edge(destination, source, edge_type)
        return made

    def symbols(self, data: Mapping[str, Any], where: str) -> list[Any]:
        symbols = []
        for attribute, plain in self.attributes:
            if attribute in data:
                symbols += symbols_from(attribute, data[attribute], plain, where)
            elif self.required:
                _refuse_missing("node", where, attribute, data)
        return symbols

    def type_of(self, data: Mapping[str, Any], where: str) -> object:
        value = data.get(self.node_type or TYPE)
        if not is_missing(value):
            return name_at(value, f"the type of {where}")
        if self.node_type is not None:
            _refuse_missing("node", where, self.node_type, data)
        return None


def _refuse_missing(what: str, where: str, attribute: str, data: Mapping[str, Any]) -> NoReturn:
    has = f"it has {', '.join(map(repr, data))}" if data else "it has none at all"
    raise GraphError(f"Every {what} must have the attribute {attribute!r}; {where} has not: {has}.")
