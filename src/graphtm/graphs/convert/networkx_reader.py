"""One graph of networkx after the other, by its attributes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NoReturn

from graphtm.errors import GraphError
from graphtm.foundation.names import Name
from graphtm.graphs.attributes import PROPERTIES, node_name_at, symbols_from
from graphtm.graphs.convert.attributes import (
    READOUT,
    TYPE,
    check_one_name,
    chosen,
    edge_type_from,
    ignored,
    is_true,
    node_type_from,
    refuse_both,
    refuse_strange,
    refuse_unchosen,
)
from graphtm.graphs.convert.collect import Found
from graphtm.graphs.graph import Graph


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
        for name, parameter in ((edge_type, "edge_type"), (node_type, "node_type"), (label, "label")):
            check_one_name(name, parameter, "from_networkx")
        self.required = node_attributes is not None
        if node_attributes is None or isinstance(node_attributes, str):
            self.attributes = [(node_attributes or PROPERTIES, True)]
        else:
            listed = chosen(node_attributes, "node_attributes", "from_networkx", "a name or a list of names")
            self.attributes = [(name, name == PROPERTIES) for name in listed]
        self.edge_type = TYPE if edge_type is None else edge_type
        self.node_type = node_type
        self.label = label
        given = [name for name, _ in self.attributes] if self.required else []
        self.ignored = ignored(ignore, "from_networkx")
        refuse_both(self.ignored, [*given, *filter(None, (edge_type, node_type))], "from_networkx")
        self.of_nodes = {*(name for name, _ in self.attributes), node_type or TYPE, READOUT}
        self.of_edges = {self.edge_type}
        # Names alone, in order of appearance: what is neither read nor ignored.
        self.left_of_nodes: dict[Hashable, None] = {}
        self.left_of_edges: dict[Hashable, None] = {}
        # What the graphs have, gathered only where it is compared with what to ignore.
        self.there: dict[Hashable, None] = {}
        self.n_nodes = 0

    def refuse_unchosen(self) -> None:
        """Refuse what all graphs have that is neither read nor ignored, and what is ignored though none has it."""
        if self.n_nodes:
            known = (PROPERTIES, TYPE, READOUT)
            refuse_strange(self.ignored, self.there, "attributes that nodes or edges have", "from_networkx", known)
        refuse_unchosen(self.left_of_nodes, "the nodes have", "Name them in node_attributes to make them symbols")
        refuse_unchosen(self.left_of_edges, "the edges have", "Name one attribute as edge_type")

    def kept(self, data: Mapping[str, Any], read: set[str], left: dict[Hashable, None]) -> Mapping[str, Any]:
        """Return attributes less those to ignore, and note those that will not be read."""
        if self.ignored:
            self.there.update(dict.fromkeys(data))
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
        numbers: dict[Hashable, int] = {}
        answers: list[Any] | None = None
        for number, (name, data) in enumerate(graph.nodes(data=True)):
            where = f"node {name!r} of {place}"
            data = self.kept(data, self.of_nodes, self.left_of_nodes)
            made._add_node(node_name_at(name, where), self.symbols(data, where), self.type_of(data, where))
            numbers[name] = number
            if READOUT in data:
                answers = answers or []
                if is_true(data[READOUT], READOUT, where):
                    answers.append(name)
        self.n_nodes += len(numbers)
        if answers is not None:
            if not answers:
                raise GraphError(f"At least one node of a graph must have a true {READOUT!r}; in {place} none has.")
            made.set_readout(answers)
        both_ways = not graph.is_directed()
        for source, destination, data in graph.edges(data=True):
            where = f"edge {source!r} -> {destination!r} of {place}"
            data = self.kept(data, self.of_edges, self.left_of_edges)
            edge_type = edge_type_from(self.edge_type, data.get(self.edge_type), where)
            ends = numbers[source], numbers[destination]
            made._add_edge(*ends, edge_type)
            if both_ways and ends[0] != ends[1]:
                made._add_edge(*ends[::-1], edge_type)
        return made

    def symbols(self, data: Mapping[str, Any], where: str) -> list[Any]:
        symbols = []
        for attribute, plain in self.attributes:
            if attribute in data:
                symbols += symbols_from(attribute, data[attribute], plain, where)
            elif self.required:
                _refuse_missing("node", where, attribute, data)
        return symbols

    def type_of(self, data: Mapping[str, Any], where: str) -> Name:
        attribute = self.node_type or TYPE
        found = node_type_from(attribute, data.get(attribute), where)
        if found is None and self.node_type is not None:
            _refuse_missing("node", where, self.node_type, data)
        return found


def _refuse_missing(what: str, where: str, attribute: str, data: Mapping[str, Any]) -> NoReturn:
    has = f"it has {', '.join(map(repr, data))}" if data else "it has none at all"
    raise GraphError(f"Every {what} must have the attribute {attribute!r}; {where} has not: {has}.")
