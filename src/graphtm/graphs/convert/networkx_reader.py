"""Reads networkx graphs one by one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation.names import Name, is_missing
from graphtm.graphs.attributes import (
    PROPERTIES,
    READOUT,
    TYPE,
    check_missing,
    check_one_name,
    chosen,
    edge_attributes,
    edge_type_from,
    ignored,
    is_true,
    node_name_at,
    node_type_from,
    refuse_both,
    refuse_strange,
    refuse_two_labels,
    refuse_unused,
    symbols_from,
)
from graphtm.graphs.bins import Binning, Cuts, Numbers, Owner, missing_name
from graphtm.graphs.convert.collect import Found
from graphtm.graphs.graph import Graph
from graphtm.graphs.other_values import Values
from graphtm.graphs.vocabulary import PLAIN

MISSING_ADVICE = " Pass missing='drop' or missing='symbol' to accept nodes without it."


def refuse_unknown_edges(graphs: list[Any], attributes: list[str]) -> None:
    """Refuse edge attributes that no edge has, which are probably typos."""
    for attribute in attributes:
        edges = (data for graph in graphs for _, _, data in graph.edges(data=True))
        if any(attribute in data for data in edges) or not any(graph.number_of_edges() for graph in graphs):
            continue
        seen = {name for graph in graphs for _, _, data in graph.edges(data=True) for name in data}
        has = ", ".join(map(repr, sorted(seen, key=repr))) or "no attributes"
        raise GraphError(f"No edge has the attribute {attribute!r} given by edge_type; edges have {has}.")


class NetworkxReader:
    """Converts networkx graphs one by one."""

    def __init__(
        self,
        node_attributes: Any,
        edge_type: Any,
        node_type: str | None,
        label: str | None,
        node_label: str | None,
        bins: Any,
        missing: str,
        ignore: Iterable[Hashable],
    ) -> None:
        function = "from_networkx"
        single = ((node_type, "node_type"), (label, "label"), (node_label, "node_label"))
        for name, parameter in single:
            check_one_name(name, parameter, function)
        check_missing(missing, function)
        refuse_two_labels(label, node_label, function)
        self.required = node_attributes is not None
        if node_attributes is None or isinstance(node_attributes, str):
            self.attributes = [(node_attributes or PROPERTIES, True)]
        else:
            listed = chosen(node_attributes, "node_attributes", function, "a name or a list of names")
            self.attributes = [(name, name == PROPERTIES) for name in listed]
        self.several_edges, self.edges = edge_attributes(edge_type, function)
        self.edges = self.edges or [TYPE]
        self.node_type = node_type
        self.label, self.node_label = label, node_label
        self.node_labels: list[object] = []
        self.missing = missing
        self.binning = Binning(bins, function)
        # Cuts and their names, by attribute.
        self.node_cuts: dict[Hashable, Cuts] = {}
        self.node_symbols: dict[Hashable, list[Name]] = {}
        self.edge_cuts: dict[Hashable, tuple[Cuts, list[Name]]] = {}
        given = [name for name, _ in self.attributes] if self.required else []
        self.ignored = ignored(ignore, function)
        asked = [*given, *(self.edges if edge_type is not None else ()), *filter(None, (node_type, node_label))]
        refuse_both(self.ignored, asked, function)
        self.of_nodes = {
            *(name for name, _ in self.attributes),
            node_type or TYPE,
            READOUT,
            *filter(None, [node_label]),
        }
        self.of_edges = set(self.edges)
        # Names that are neither used nor ignored, in order of appearance.
        self.left_of_nodes: dict[Hashable, None] = {}
        self.left_of_edges: dict[Hashable, None] = {}
        # All names; gathered only if some are ignored.
        self.there: dict[Hashable, None] = {}
        self.n_nodes = self.n_edges = 0

    def learn_cuts(self, graphs: list[Any]) -> None:
        """Find the cuts of the attributes that are divided into bins."""
        if self.binning.is_none:
            return
        of_nodes = [data for graph in graphs for _, data in graph.nodes(data=True)]
        of_edges = [data for graph in graphs for _, _, data in graph.edges(data=True)]
        for attribute, _ in self.attributes:
            cuts = self.cuts_of(attribute, "node", of_nodes, partial(_node_at, graphs))
            if cuts is not None:
                self.node_cuts[attribute], self.node_symbols[attribute] = cuts, cuts.symbols()
        for attribute in self.edges:
            cuts = self.cuts_of(attribute, "edge", of_edges, partial(_edge_at, graphs))
            if cuts is not None:
                self.edge_cuts[attribute] = cuts, cuts.intervals()
        self.binning.refuse_unknown()

    def cuts_of(
        self, attribute: str, owner: Owner, data: list[Mapping[str, Any]], where: Callable[[int], str]
    ) -> Cuts | None:
        """Return the cuts of an attribute of all nodes or edges."""
        numbers = Numbers.read(one.get(attribute) for one in data)
        return self.binning.cuts(
            attribute, owner, numbers, lambda: Values.read((one.get(attribute) for one in data), where)
        )

    def refuse_unused(self) -> None:
        """Refuse attributes that are neither used nor ignored, and ignored ones that do not exist."""
        if self.n_nodes:
            known = (PROPERTIES, TYPE, READOUT)
            refuse_strange(self.ignored, self.there, "attributes of nodes or edges", "from_networkx", known)
        refuse_unused(self.left_of_nodes, "Node attribute", "pass node_attributes={names}")
        refuse_unused(self.left_of_edges, "Edge attribute", "pass edge_type={name}")
        owners: tuple[tuple[Owner, int], ...] = (("node", self.n_nodes), ("edge", self.n_edges))
        for owner, n in owners:
            unused = [name for name in self.binning.unused(owner) if name not in self.ignored]
            self.binning.refuse_unused(owner, unused if n else ())

    def kept(self, data: Mapping[str, Any], read: set[str], left: dict[Hashable, None]) -> Mapping[str, Any]:
        """Return attributes without ignored ones, and remember those that are not used."""
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
            if self.node_label is not None:
                answers = answers or []
                if not is_missing(data.get(self.node_label)):
                    answers.append(name)
                    self.node_labels.append(data[self.node_label])
            elif READOUT in data:
                answers = answers or []
                if is_true(data[READOUT], READOUT, where):
                    answers.append(name)
        self.n_nodes += len(numbers)
        self.n_edges += graph.number_of_edges()
        if answers is not None:
            if not answers:
                must = f"{READOUT!r} set to True" if self.node_label is None else f"a label, {self.node_label!r}"
                raise GraphError(f"At least one node of a graph must have {must}; {place} has none.")
            if len(answers) < len(numbers) or self.node_label is None:
                made.set_readout(answers)
        both_ways = not graph.is_directed()
        only, simple = self.edges[0], not (self.several_edges or self.edge_cuts)
        for source, destination, data in graph.edges(data=True):
            where = f"edge {source!r} -> {destination!r} of {place}"
            data = self.kept(data, self.of_edges, self.left_of_edges)
            edge_type = edge_type_from(only, data.get(only), where) if simple else self.type_of_edge(data, where)
            ends = numbers[source], numbers[destination]
            made._add_edge(*ends, edge_type)
            if both_ways and ends[0] != ends[1]:
                made._add_edge(*ends[::-1], edge_type)
        return made

    def symbols(self, data: Mapping[str, Any], where: str) -> list[Any]:
        symbols: list[Any] = []
        for attribute, plain in self.attributes:
            if is_missing(data.get(attribute)):
                symbols += self.symbols_of_missing(attribute, data, where)
            elif attribute in self.node_cuts:
                symbols += self.reached(attribute, data[attribute])
            else:
                symbols += symbols_from(attribute, data[attribute], plain, where)
        return symbols

    def symbols_of_missing(self, attribute: str, data: Mapping[str, Any], where: str) -> list[Name]:
        """Return the symbols of a node without an attribute, or raise, as ``missing`` says."""
        if not self.required or self.missing == "drop":
            return []
        if self.missing == "symbol":
            return [missing_name(attribute)]
        if attribute not in data:
            _refuse_missing("node", where, attribute, data, MISSING_ADVICE)
        raise GraphError(
            f"Attribute {attribute!r} of the nodes must not have missing values with missing='error'; {where} has "
            f"{data[attribute]!r}. Pass missing='drop' or missing='symbol'."
        )

    def reached(self, attribute: str, value: Any) -> list[Name]:
        """Return the symbols of the cuts that a number reaches."""
        n = int(np.searchsorted(self.node_cuts[attribute].values, float(value), side="right"))
        return self.node_symbols[attribute][:n]

    def type_of_edge(self, data: Mapping[str, Any], where: str) -> Name:
        parts = [self.part_of_edge(attribute, data.get(attribute), where) for attribute in self.edges]
        return parts[0] if len(parts) == 1 else tuple(parts)

    def part_of_edge(self, attribute: str, value: Any, where: str) -> Name:
        """Return an attribute of an edge as a type, or as a part of it if there are several attributes."""
        if is_missing(value):
            return missing_name(attribute) if self.several_edges else PLAIN
        if attribute in self.edge_cuts:
            cuts, names = self.edge_cuts[attribute]
            return names[int(np.searchsorted(cuts.values, float(value), side="right"))]
        name = edge_type_from(attribute, value, where)
        return (attribute, name) if self.several_edges else name

    def type_of(self, data: Mapping[str, Any], where: str) -> Name:
        attribute = self.node_type or TYPE
        found = node_type_from(attribute, data.get(attribute), where)
        if found is None and self.node_type is not None:
            _refuse_missing("node", where, self.node_type, data)
        return found


def _node_at(graphs: list[Any], place: int) -> str:
    """Return the description of a node, counted over all graphs."""
    every = ((name, number) for number, graph in enumerate(graphs) for name in graph.nodes)
    name, number = next(islice(every, place, None))
    return f"node {name!r} of graph {number}"


def _edge_at(graphs: list[Any], place: int) -> str:
    """Return the description of an edge, counted over all graphs."""
    every = ((ends, number) for number, graph in enumerate(graphs) for ends in graph.edges())
    (source, destination), number = next(islice(every, place, None))
    return f"edge {source!r} -> {destination!r} of graph {number}"


def _refuse_missing(what: str, where: str, attribute: str, data: Mapping[str, Any], advice: str = "") -> NoReturn:
    has = f"only {', '.join(map(repr, data))}" if data else "no attributes"
    raise GraphError(f"Every {what} must have the attribute {attribute!r}; {where} has {has}.{advice}")
