"""Converts data frames of nodes, edges and graphs to a batch."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, pointers
from graphtm.foundation.display import count
from graphtm.foundation.frames import BOOLEAN, FLOAT, LIST, NAME, Library
from graphtm.foundation.names import Name
from graphtm.foundation.numbering import Numbering
from graphtm.foundation.type_names import quoted
from graphtm.graphs.attributes import (
    PROPERTIES,
    check_missing,
    check_one_name,
    chosen,
    edge_attributes,
    ignored,
    refuse_both,
    refuse_floats,
    refuse_two_labels,
    saved_name_at,
)
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.bins import Binning, Cuts, Numbers, Owner, missing_name
from graphtm.graphs.convert.collect import label_array
from graphtm.graphs.convert.frame_columns import FrameChecks, FrameColumns, FrameOptions
from graphtm.graphs.convert.frame_rows import RowFinder, both_ways, node_names_of
from graphtm.graphs.other_values import Values
from graphtm.graphs.vocabulary import PLAIN

Numbered: TypeAlias = "tuple[list[Int64Array], list[Name]]"
_NONE = np.zeros(0, np.int64)


class FrameReader:
    """Converts data frames to a batch."""

    def __init__(
        self, library: Library, columns: FrameColumns, options: FrameOptions, nodes: Any, edges: Any, graphs: Any
    ) -> None:
        if graphs is not None and columns.label is None and columns.node_label is None:
            columns = replace(columns, label="label")
        self._library, self._columns, self._options = library, columns, options
        self._nodes, self._edges, self._graph_rows = nodes, edges, graphs
        frames = {"nodes": nodes, "edges": edges, "graphs": graphs}
        for what, frame in frames.items():
            if not library.is_frame(frame) and not (frame is None and what != "nodes"):
                kind = type(frame).__name__
                advice = " Call collect() first." if kind == "LazyFrame" else ""
                whose = f" of {type(frame).__module__.partition('.')[0]}" if kind == "DataFrame" else ""
                raise TypeError(f"The {what} must be a {library.name} DataFrame; got {quoted(kind)}{whose}.{advice}")
        self._frames = {what: frame for what, frame in frames.items() if frame is not None}
        function = options.function
        for name, parameter in columns.single():
            check_one_name(name, parameter, function)
        self._several = edge_attributes(columns.edge_type, function)[0]
        self._check_options(function)
        self._ignored = ignored(columns.ignore, function)
        self._carried = self._symbol_columns(function)
        asked = {*columns.of_nodes, *columns.of_edges, columns.label, *(name for name, _ in self._carried)}
        refuse_both(self._ignored, asked - {None}, function)

    def _check_options(self, function: str) -> None:
        check_missing(self._options.missing, function)
        refuse_two_labels(self._columns.label, self._columns.node_label, function)
        if self._graph_rows is not None and self._columns.node_label is not None:
            raise ValueError(
                f"Either 'graphs' (with labels of graphs) or 'node_label' (labels of nodes) must be None in {function}."
                f" Got node_label={self._columns.node_label!r} and graphs."
            )
        if not isinstance(self._options.directed, bool | np.bool_):
            raise TypeError(
                f"The 'directed' parameter of {function} must be True or False. Got {self._options.directed!r} instead."
            )
        if self._graph_rows is not None and self._columns.graph is None:
            raise ValueError(
                f"The 'graph' parameter of {function} must be a column if there is a data frame of graphs. Got None "
                "instead."
            )

    def read(self) -> GraphBatch | tuple[GraphBatch, NDArray[Any]]:
        """Return the batch, and the labels if there is a column of labels."""
        columns = self._columns
        binning = Binning(self._options.bins, self._options.function)
        self._cuts = self._find_cuts(binning)
        binning.refuse_unknown()
        FrameChecks(
            self._library,
            columns,
            self._carried,
            self._cuts.keys(),
            self._ignored,
            self._frames,
            self._options.function,
        ).check()
        self._refuse_unused_cuts(binning)
        graphs = self._graphs()
        of_node = graphs[0][0]
        ids = self._together(columns.node, columns.source, columns.destination)
        source, destination = self._rows_of_ends(graphs, ids)
        counts = np.bincount(of_node)
        # Rows in the order of the batch, and the position of each row in the batch.
        order = np.argsort(of_node, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        carriers, symbols, symbol_names = self._symbols()
        edge_types, edge_type_names = self._edge_types(len(source))
        if not self._options.directed:
            source, destination, edge_types = both_ways(source, destination, edge_types)
        node_types = None
        if columns.type is not None and len(order):
            (numbers,), names = self._together(columns.type)
            node_types = (numbers[order], self._type_names(names, columns.type, "nodes", "node type"))
        packed = GraphBatch.from_arrays(
            counts,
            (place[carriers], symbols),
            symbol_names,
            (place[source], place[destination], edge_types),
            edge_type_names,
            node_types=node_types,
        ).pack()
        batch = GraphBatch(replace(packed, node_names=node_names_of(ids[0][0][order], ids[1], counts)))
        if columns.node_label is not None:
            return self._with_node_labels(batch, graphs, order)
        if columns.label is None:
            return batch
        if self._graph_rows is not None:
            return batch, self._labels_of_rows(graphs)
        return batch, self._labels(graphs, order[pointers(counts)[:-1]])

    # Columns

    def _find_cuts(self, binning: Binning) -> dict[tuple[str, Hashable], Cuts]:
        """Return the cuts of the columns that are divided into bins."""
        found = {}
        columns = [("nodes", name) for name, _ in self._carried]
        columns += [("edges", name) for name in self._columns.edge_attributes if self._edges is not None]
        for what, name in columns:
            if self._library.names(self._frames[what]).count(name) == 1:
                owner: Owner = "node" if what == "nodes" else "edge"
                values = partial(self._different, what, name)
                cuts = binning.cuts(name, owner, self._numbers(what, name), values)
                if cuts is not None:
                    found[what, name] = cuts
        return found

    def _refuse_unused_cuts(self, binning: Binning) -> None:
        owners: tuple[Owner, ...] = ("node", "edge")
        for owner in owners:
            frame = self._frames.get(f"{owner}s")
            if frame is not None and len(frame):
                binning.refuse_unused(owner, [name for name in binning.unused(owner) if name not in self._ignored])

    def _different(self, what: str, name: Hashable) -> Values | None:
        """Return the values of a column that has others than numbers."""
        column = self._library.column(self._frames[what], name)
        if self._library.kind(column) != NAME:
            return None
        (numbers,), values = self._library.number([column])
        return Values(values, numbers, lambda row: f"row {row}")

    def _numbers(self, what: str, name: Hashable) -> Numbers | None:
        """Return a column as numbers, or None if it has other values."""
        column = self._library.column(self._frames[what], name)
        kind = self._library.kind(column)
        if kind in (BOOLEAN, LIST) or self._library.is_temporal(column):
            return None
        values = self._library.values(column)
        if values.dtype.kind in "iuf":
            return Numbers(values.astype(np.float64), kind == FLOAT)
        return Numbers.read(values.tolist())

    def _binned(self, what: str, name: Hashable) -> NDArray[np.float64]:
        numbers = self._numbers(what, name)
        return np.zeros(0) if numbers is None else numbers.values

    def _together(self, *names: Hashable) -> Numbered:
        """Return columns with common numbers and without missing values: one of the nodes, others of the edges."""
        frames = [(self._nodes, "nodes"), *[(self._edges, "edges")] * (len(names) - 1)]
        named = [(*frame, name) for frame, name in zip(frames, names, strict=True) if frame[0] is not None]
        numbers, values = self._library.number([self._library.column(frame, name) for frame, _, name in named])
        for number, (_, what, name) in zip(numbers, named, strict=True):
            missing = np.flatnonzero(number < 0)
            if len(missing):
                raise GraphError(
                    f"Column {name!r} of the {what} must not have missing values; row {missing[0]} has one."
                )
        return numbers + [_NONE] * (len(names) - len(numbers)), values

    def _type_names(self, values: list[Name], column: Hashable, what: str, kind: str) -> list[Name]:
        """Return the values of a column as names of types."""
        refuse_floats(column, values, f"the {what}")
        return [saved_name_at(value, f"column {column!r} of the {what}", kind) for value in values]

    # Graphs and edges

    def _graphs(self) -> Numbered:
        """Return the graph of each node and of each edge, and the names of the graphs."""
        name = self._columns.graph
        if name is None:
            n_edges = 0 if self._edges is None else len(self._edges)
            return [np.zeros(len(self._nodes), np.int64), np.zeros(n_edges, np.int64)], ["all"]
        return self._together(name, name)

    def _rows_of_ends(self, graphs: Numbered, ids: Numbered) -> tuple[Int64Array, Int64Array]:
        """Return the rows of the sources and destinations of edges."""
        (of_node, of_edge), graph_names = graphs
        (node, *ends), names = ids
        row_of = RowFinder(of_node * len(names) + node, len(graph_names) * len(names), len(of_edge))
        if row_of.twice is not None:
            first, second = row_of.twice
            raise GraphError(
                f"Node names must be unique within a graph; node {names[node[first]]!r} of graph "
                f"{graph_names[of_node[first]]!r} is in rows {first} and {second} of the nodes."
            )
        rows = []
        for end in ends:
            found = row_of(of_edge * len(names) + end)
            unknown = np.flatnonzero(found < 0)
            if len(unknown):
                row = unknown[0]
                source, destination = (names[other[row]] for other in ends)
                raise GraphError(
                    f"Both ends of an edge must be nodes of its graph; row {row} of the edges is {source!r} -> "
                    f"{destination!r}, but graph {graph_names[of_edge[row]]!r} has no node {names[end[row]]!r} "
                    f"({count(len(unknown), 'such edge')})."
                )
            rows.append(found)
        return rows[0], rows[1]

    def _edge_types(self, n_edges: int) -> tuple[Int64Array, list[Name]]:
        attributes = self._columns.edge_attributes
        if not attributes or self._edges is None:
            return np.zeros(n_edges, np.int64), [PLAIN]
        parts = [self._edge_part(name) for name in attributes]
        if len(parts) == 1:
            return parts[0]
        key = np.zeros(n_edges, np.int64)
        for numbers, names in parts:
            key = np.unique(key * len(names) + numbers, return_inverse=True)[1]
        first = np.unique(key, return_index=True)[1].tolist()
        return key, [tuple(names[numbers[row]] for numbers, names in parts) for row in first]

    def _edge_part(self, name: Hashable) -> tuple[Int64Array, list[Name]]:
        """Return a column of the edges as types, or as parts of them if there are several columns."""
        numbering = Numbering()
        cuts = self._cuts.get(("edges", name))
        if cuts is not None:
            numbers, names = cuts.bins(self._binned("edges", name)), cuts.intervals()
        else:
            (numbers,), values = self._library.number([self._library.column(self._edges, name)])
            names = self._type_names(values, name, "edges", "edge type")
            names = [(name, value) for value in names] if self._several else names
        common = np.array([*map(numbering, names), -1], dtype=np.int64)
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            self._refuse_missing("edges", name, missing[0])
            common[-1] = numbering(missing_name(name) if self._several else PLAIN)
        return common[numbers], list(numbering.names())

    # Symbols and labels

    def _symbols(self) -> tuple[Int64Array, Int64Array, list[Name]]:
        """Return rows of nodes, the indices of their symbols, and the names of symbols."""
        numbering = Numbering()
        rows, symbols = [_NONE], [_NONE]
        for name, plain in self._carried:
            for carriers, carried in (
                *self._symbols_of(name, plain, numbering),
                *self._symbol_of_missing(name, numbering),
            ):
                rows.append(carriers)
                symbols.append(carried)
        return np.concatenate(rows), np.concatenate(symbols), list(numbering.names())

    def _symbol_columns(self, function: str) -> list[tuple[Hashable, bool]]:
        """Return the columns with symbols, and whether their values are symbols themselves."""
        given = self._columns.symbols
        if given is None:
            taken = {*self._columns.of_nodes, *self._ignored}
            taken |= {self._columns.label} if self._graph_rows is None else set()
            given = [name for name in self._library.names(self._nodes) if name not in taken]
        elif isinstance(given, str) or not isinstance(given, Iterable):
            return [(given, True)]
        listed = chosen(given, "symbols", function, "the name of a column or a list of them")
        return [(name, name == PROPERTIES) for name in listed]

    def _symbol_of_missing(self, name: Hashable, numbering: Numbering) -> Iterable[tuple[Int64Array, Int64Array]]:
        """Yield the rows with missing values and their symbol, or raise, as ``missing`` says."""
        column = self._library.column(self._nodes, name)
        if self._options.missing == "drop" or self._library.kind(column) == LIST:
            return
        if ("nodes", name) in self._cuts:
            rows = np.flatnonzero(np.isnan(self._binned("nodes", name)))
        else:
            rows = np.flatnonzero(self._library.number([column])[0][0] < 0)
        if len(rows):
            self._refuse_missing("nodes", name, rows[0])
            yield rows, np.full(len(rows), numbering(saved_name_at(missing_name(name), "a column of the nodes")))

    def _refuse_missing(self, what: str, name: Hashable, row: int) -> None:
        """Refuse a missing value if ``missing`` says so."""
        if self._options.missing == "error":
            raise GraphError(
                f"Column {name!r} of the {what} must not have missing values with missing='error'; row {row} has one. "
                "Pass missing='drop' or missing='symbol'."
            )

    def _symbols_of(self, name: Hashable, plain: bool, numbering: Numbering) -> Iterable[tuple[Int64Array, Int64Array]]:
        cuts = self._cuts.get(("nodes", name))
        if cuts is not None:
            numbers_of_cuts = np.array([*map(numbering, cuts.symbols())], dtype=np.int64)
            rows, reached = cuts.pairs(self._binned("nodes", name))
            yield rows, numbers_of_cuts[reached] if len(rows) else _NONE
            return
        column = self._library.column(self._nodes, name)
        kind = self._library.kind(column)
        if kind == BOOLEAN and not plain:
            rows = self._library.true_rows(column)
            yield rows, np.full(len(rows), numbering(saved_name_at(name, "a column of the nodes")) if len(rows) else 0)
            return
        rows = np.arange(len(column))
        if kind == LIST:
            rows, column = self._library.flat(column)
        (numbers,), values = self._library.number([column])
        refuse_floats(name, values, "the nodes")
        where = f"column {name!r} of the nodes"
        common = np.full(len(values), -1)
        for number, value in enumerate(values):
            symbol = value if plain else (name, value)
            if isinstance(value, bool) and not plain and kind != LIST:  # as in a column of Booleans only
                if not value:
                    continue
                symbol = name
            common[number] = numbering(saved_name_at(symbol, where))
        if len(values):
            carried = np.where(numbers < 0, -1, common[numbers])
            yield rows[carried >= 0], carried[carried >= 0]

    def _labels(self, graphs: Numbered, first: Int64Array) -> NDArray[Any]:
        """Return the label of each graph; ``first`` has the rows of their first nodes."""
        name, of_node = self._columns.label, graphs[0][0]
        (numbers,), values = self._library.number([self._library.column(self._nodes, name)])
        missing = np.flatnonzero(numbers < 0)
        if len(missing):
            raise GraphError(
                f"Every graph must have a label; row {missing[0]} of the nodes has no value in column {name!r}."
            )
        other = np.flatnonzero(numbers != numbers[first][of_node])
        if len(other):
            graph = of_node[other[0]]
            raise GraphError(
                f"All nodes of a graph must have the same label; in graph {graphs[1][graph]!r} row {first[graph]} has "
                f"{values[numbers[first[graph]]]!r} and row {other[0]} has {values[numbers[other[0]]]!r}."
            )
        return label_array([values[number] for number in numbers[first].tolist()])

    def _labels_of_rows(self, graphs: Numbered) -> NDArray[Any]:
        """Return the label of each graph from the data frame with one row per graph."""
        name, label, names = self._columns.graph, self._columns.label, graphs[1]
        columns = [self._library.column(frame, name) for frame in (self._nodes, self._graph_rows)]
        # Graphs of nodes are numbered first, so they have the same numbers as before.
        (of_node, of_row), values = self._library.number(columns)
        n_graphs = int(of_node.max(initial=-1)) + 1
        row_of = np.full(n_graphs, -1)
        for row, graph in enumerate(of_row.tolist()):
            if not 0 <= graph < n_graphs:
                what = "has no name" if graph < 0 else f"is {values[graph]!r}, which has no nodes"
                raise GraphError(f"Every graph must have a name and at least one node; row {row} of the graphs {what}.")
            if row_of[graph] >= 0:
                raise GraphError(
                    f"Every graph must have one row; graph {values[graph]!r} is in rows {row_of[graph]} and {row} of "
                    "the graphs."
                )
            row_of[graph] = row
        (numbers,), labels = self._library.number([self._library.column(self._graph_rows, label)])
        for graph, row in enumerate(row_of.tolist()):
            if row < 0 or numbers[row] < 0:
                what = "no row in the graphs" if row < 0 else f"no value in column {label!r} of the graphs"
                raise GraphError(f"Every graph must have a label; graph {names[graph]!r} has {what}.")
        return label_array([labels[number] for number in numbers[row_of].tolist()])

    def _with_node_labels(
        self, batch: GraphBatch, graphs: Numbered, order: Int64Array
    ) -> tuple[GraphBatch, NDArray[Any]]:
        """Return the batch with the labelled nodes as readout nodes, and their labels."""
        name = self._columns.node_label
        (numbers,), values = self._library.number([self._library.column(self._nodes, name)])
        labelled = numbers[order] >= 0
        lacking = np.setdiff1d(np.arange(len(batch)), graphs[0][0][numbers >= 0])
        if len(lacking):
            raise GraphError(
                f"At least one node of each graph must have a label; graph {graphs[1][lacking[0]]!r} has no value in "
                f"column {name!r}."
            )
        labels = label_array([values[number] for number in numbers[order][labelled].tolist()], owner="label")
        return batch if labelled.all() else batch.with_readout(labelled), labels
