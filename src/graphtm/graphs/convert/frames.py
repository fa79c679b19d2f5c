"""Graphs from data frames with one row per node and one row per edge."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, pointers
from graphtm.foundation.display import count
from graphtm.foundation.frames import BOOLEAN, LIST, Library, Pandas, Polars
from graphtm.foundation.names import Name
from graphtm.foundation.numbering import Numbering
from graphtm.graphs.attributes import (
    PROPERTIES,
    check_one_name,
    chosen,
    ignored,
    refuse_both,
    refuse_floats,
    saved_name_at,
)
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.convert.collect import label_array
from graphtm.graphs.convert.frame_columns import FrameChecks, FrameColumns
from graphtm.graphs.packed import NodeNames
from graphtm.graphs.vocabulary import PLAIN


def from_pandas(
    nodes: Any,
    edges: Any = None,
    *,
    graph: Hashable | None = "graph",
    node: Hashable = "node",
    symbols: Hashable | Iterable[Hashable] | None = None,
    type: Hashable | None = None,
    source: Hashable = "source",
    destination: Hashable = "destination",
    edge_type: Hashable | None = None,
    label: Hashable | None = None,
    ignore: Iterable[Hashable] = (),
) -> Any:
    """Convert pandas data frames of nodes and edges to a batch.

    Graphs are in the order of their first nodes, and nodes are in the order of their rows. A million edges take about
    a second.

    Parameters
    ----------
    nodes
        Data frame with one row per node.
    edges
        Data frame with one row per edge, or ``None``.
    graph
        Column of both data frames with the graph that a row belongs to; ``None`` for a single graph.
    node
        Column of node names, which are strings or integers and unique within a graph.
    symbols
        Columns of the nodes that become symbols. For a single name, its values are the symbols, or lists of symbols.
        For a list of names, the value ``"C"`` of ``atom`` becomes the symbol ``("atom", "C")``, a list becomes one
        symbol per item, a Boolean becomes the symbol ``"atom"`` if it is true, and missing values give no symbol; the
        values of a column ``properties`` are symbols also in this case. Default: all columns that are not used
        otherwise.
    type
        Column of node types.
    source, destination
        Columns with the ends of edges.
    edge_type
        Column of edge types; a missing value becomes ``"plain"``.
    label
        Column of the nodes with the label of the graph, which must be the same in all rows of a graph.
    ignore
        Columns of either data frame to ignore. Columns that are neither used nor ignored raise an error.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        The graphs; and their labels if ``label`` is given.

    Raises
    ------
    GraphError
        If a column is missing, is neither used nor ignored, or cannot be used as names (floats must be divided into
        bins first); if a node is given twice; or if an edge has an unknown node.

    Examples
    --------
    >>> import pandas as pd
    >>> import graphtm as gtm
    >>> atoms = pd.DataFrame({
    ...     "molecule": ["water", "water", "water", "neon"], "atom": ["o", "h1", "h2", "ne"],
    ...     "element": ["O", "H", "H", "Ne"], "noble": [False, False, False, True], "gas": ["no", "no", "no", "yes"],
    ... })
    >>> bonds = pd.DataFrame({"molecule": ["water"] * 2, "source": ["h1", "h2"], "destination": ["o", "o"]})
    >>> graphs, y = gtm.from_pandas(
    ...     atoms, bonds, graph="molecule", node="atom", symbols=["element", "noble"], label="gas"
    ... )
    >>> print(graphs[0], y)
    Graph with 3 nodes and 2 edges
      'o': element=O
      'h1': element=H
          plain -> 'o'
      'h2': element=H
          plain -> 'o' ['no' 'yes']
    >>> graphs[1].properties("ne")
    (('element', 'Ne'), 'noble')
    """
    columns = FrameColumns(graph, node, symbols, type, source, destination, edge_type, label, ignore)
    return FrameReader(Pandas("from_pandas"), columns, nodes, edges).read()


def from_polars(
    nodes: Any,
    edges: Any = None,
    *,
    graph: Hashable | None = "graph",
    node: Hashable = "node",
    symbols: Hashable | Iterable[Hashable] | None = None,
    type: Hashable | None = None,
    source: Hashable = "source",
    destination: Hashable = "destination",
    edge_type: Hashable | None = None,
    label: Hashable | None = None,
    ignore: Iterable[Hashable] = (),
) -> Any:
    """Convert polars data frames to a batch; see :func:`from_pandas`.

    Examples
    --------
    >>> import polars as pl
    >>> import graphtm as gtm
    >>> nodes = pl.DataFrame({"graph": [0, 0, 1], "node": [0, 1, 0], "letters": [["a", "b"], [], ["b"]]})
    >>> edges = pl.DataFrame({"graph": [0], "source": [1], "destination": [0], "kind": ["up"]})
    >>> print(gtm.from_polars(nodes, edges, symbols="letters", edge_type="kind")[0])
    Graph with 2 nodes and 1 edge
      0: 'a', 'b'
      1: no properties
          up -> 0
    """
    columns = FrameColumns(graph, node, symbols, type, source, destination, edge_type, label, ignore)
    return FrameReader(Polars("from_polars"), columns, nodes, edges).read()


Numbered: TypeAlias = "tuple[list[Int64Array], list[Name]]"
_NONE = np.zeros(0, np.int64)


class FrameReader:
    """Converts two data frames to a batch."""

    def __init__(self, library: Library, columns: FrameColumns, nodes: Any, edges: Any) -> None:
        self._library, self._columns, self._nodes, self._edges = library, columns, nodes, edges
        for frame, what in ((nodes, "nodes"), (edges, "edges")):
            if not library.is_frame(frame) and not (frame is None and what == "edges"):
                kind = type(frame).__name__
                advice = " Call collect() first." if kind == "LazyFrame" else ""
                whose = f" of {type(frame).__module__.partition('.')[0]}" if kind == "DataFrame" else ""
                raise TypeError(f"The {what} must be a {library.name} DataFrame; got a {kind!r}{whose}.{advice}")
        function = f"from_{library.name}"
        for name, parameter in columns.single():
            check_one_name(name, parameter, function)
        self._ignored = ignored(columns.ignore, function)
        self._carried = self._symbol_columns(function)
        asked = {*columns.of_nodes, *columns.of_edges, *(name for name, _ in self._carried)}
        refuse_both(self._ignored, asked - {None}, function)

    def read(self) -> GraphBatch | tuple[GraphBatch, NDArray[Any]]:
        """Return the batch, and the labels if there is a column of labels."""
        columns = self._columns
        FrameChecks(self._library, columns, self._carried, self._ignored, self._nodes, self._edges).check()
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
        batch = GraphBatch(replace(packed, node_names=_node_names(ids[0][0][order], ids[1], counts)))
        return batch if columns.label is None else (batch, self._labels(graphs, order[pointers(counts)[:-1]]))

    # Columns

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
        row_of = _Rows(of_node * len(names) + node, len(graph_names) * len(names), len(of_edge))
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
        name = self._columns.edge_type
        if name is None or self._edges is None:
            return np.zeros(n_edges, np.int64), [PLAIN]
        (numbers,), values = self._library.number([self._library.column(self._edges, name)])
        numbering = Numbering()
        names = self._type_names(values, name, "edges", "edge type")
        common = np.array([*map(numbering, names), -1], dtype=np.int64)
        if np.any(numbers < 0):
            common[-1] = numbering(PLAIN)
        return common[numbers], list(numbering.names())

    # Symbols and labels

    def _symbols(self) -> tuple[Int64Array, Int64Array, list[Name]]:
        """Return rows of nodes, the indices of their symbols, and the names of symbols."""
        numbering = Numbering()
        rows, symbols = [_NONE], [_NONE]
        for name, plain in self._carried:
            for carriers, carried in self._symbols_of(name, plain, numbering):
                rows.append(carriers)
                symbols.append(carried)
        return np.concatenate(rows), np.concatenate(symbols), list(numbering.names())

    def _symbol_columns(self, function: str) -> list[tuple[Hashable, bool]]:
        """Return the columns with symbols, and whether their values are symbols themselves."""
        given = self._columns.symbols
        if given is None:
            taken = {*self._columns.of_nodes, *self._ignored}
            given = [name for name in self._library.names(self._nodes) if name not in taken]
        elif isinstance(given, str) or not isinstance(given, Iterable):
            return [(given, True)]
        listed = chosen(given, "symbols", function, "the name of a column or a list of them")
        return [(name, name == PROPERTIES) for name in listed]

    def _symbols_of(self, name: Hashable, plain: bool, numbering: Numbering) -> Iterable[tuple[Int64Array, Int64Array]]:
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
        symbols = (saved_name_at(value if plain else (name, value), where) for value in values)
        common = np.array([*map(numbering, symbols)], dtype=np.int64)
        present = numbers >= 0
        yield rows[present], common[numbers[present]] if len(common) else _NONE

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


class _Rows:
    """Finds rows by key: by a table if there are not too many possible keys, else by binary search."""

    def __init__(self, keys: Int64Array, n_keys: int, n_lookups: int) -> None:
        rows = np.arange(len(keys))
        self._table: Int64Array | None = None
        self._order, self._keys = rows, keys
        if n_keys <= 4 * (len(keys) + n_lookups):
            self._table = np.full(n_keys, -1, dtype=np.int64)
            self._table[keys] = rows
        else:
            self._order = np.argsort(keys, kind="stable")
            self._keys = keys[self._order]
        found = self(keys)
        twice = np.flatnonzero(found != rows)
        self.twice = sorted((int(twice[0]), int(found[twice[0]]))) if len(twice) else None

    def __call__(self, keys: Int64Array) -> Int64Array:
        """Return the row of each key, or -1 if there is none."""
        if self._table is not None:
            rows: Int64Array = self._table[keys]
            return rows
        if not len(self._keys):
            return np.full(len(keys), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._order[place], -1)


def _node_names(numbers: Int64Array, names: list[Name], counts: Int64Array) -> NodeNames | None:
    """Return the node names of each graph, or None if these are 0, 1, 2, ..."""
    ptr = pointers(counts)
    ordinary = np.zeros(len(counts), np.bool_)
    if len(counts) and all(type(name) is int and name < len(numbers) for name in names):
        inside = np.arange(len(numbers)) - np.repeat(ptr[:-1], counts)
        ordinary = np.logical_and.reduceat(np.array(names, dtype=np.int64)[numbers] == inside, ptr[:-1])
    if ordinary.all():
        return None
    flat = [names[number] for number in numbers.tolist()]
    bounds = ptr.tolist()
    return tuple(
        None if plain else tuple(flat[start:stop])
        for plain, start, stop in zip(ordinary.tolist(), bounds[:-1], bounds[1:], strict=True)
    )
