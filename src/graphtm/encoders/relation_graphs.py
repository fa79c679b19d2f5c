"""Nodes and edges of things that rows name, found without a loop over rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtm.encoders.records import Cells, join, read_cells
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import shorten


@dataclass(frozen=True)
class Plan:
    """The parameters of :class:`~graphtm.encoders.Relations`, checked and complete.

    Edges are (column, number of the type, column); ``back`` is what to add to that number for the way back, 0 for no
    way back. ``carried`` are pairs of an entity and a column that its nodes carry. ``unknown`` says what becomes of a
    value that is not known.
    """

    entities: tuple[Hashable, ...]
    edges: tuple[tuple[Hashable, int, Hashable], ...]
    carried: tuple[tuple[Hashable, Hashable], ...]
    graph: Hashable
    edge_types: tuple[Hashable, ...]
    back: int
    unknown: str

    @property
    def described(self) -> list[Hashable]:
        """The columns whose values are symbols."""
        return list(dict.fromkeys(column for _, column in self.carried))

    @property
    def columns(self) -> list[Hashable]:
        """All columns that are read."""
        return [*self.entities, *self.described, *([] if self.graph is None else [self.graph])]


def read_rows(
    plan: Plan, n_rows: int, columns: Mapping[Hashable, list[Any]]
) -> tuple[Int64Array, dict[Hashable, Cells]]:
    """Return each row's graph, graphs in order of first appearance, and the cells of all other columns."""
    cells = {column: read_cells(columns[column], column) for column in {*plan.entities, *plan.described}}
    if plan.graph is None:
        return np.arange(n_rows), cells
    graphs = read_cells(columns[plan.graph], plan.graph)
    named_once = np.bincount(graphs.row, minlength=n_rows) == 1
    if not named_once.all():
        row = int(np.argmin(named_once))
        raise GraphError(
            f"Every row must name one graph; row {row} has {columns[plan.graph][row]!r} in column {plan.graph!r}."
        )
    return graphs.number, cells


def number_nodes(
    plan: Plan, graph_of_row: Int64Array, cells: Mapping[Hashable, Cells]
) -> tuple[dict[Hashable, Int64Array], Int64Array, Int64Array]:
    """Return the node of each cell of an entity, the nodes per graph, and the type of each node."""
    n_graphs = int(graph_of_row.max(initial=-1)) + 1
    most = max(len(cells[entity].names) for entity in plan.entities) + 1
    keys = [
        (graph_of_row[cells[entity].row] * len(plan.entities) + number) * most + cells[entity].number
        for number, entity in enumerate(plan.entities)
    ]
    nodes, node_of_cell = np.unique(np.concatenate(keys), return_inverse=True)
    graph, node_type = np.divmod(nodes // most, len(plan.entities))
    node_counts = np.bincount(graph, minlength=n_graphs)
    if (node_counts == 0).any():
        row = int(np.flatnonzero(np.isin(graph_of_row, np.flatnonzero(node_counts == 0)))[0])
        raise GraphError(
            f"A graph must have a node; the graph of row {row} names nothing in the columns {shorten(plan.entities)}."
        )
    parts = np.split(node_of_cell, np.cumsum([len(key) for key in keys])[:-1])
    return dict(zip(plan.entities, parts, strict=True)), node_counts, node_type


def find_edges(
    plan: Plan, graph_of_row: Int64Array, cells: Mapping[Hashable, Cells], node_of_cell: Mapping[Hashable, Int64Array]
) -> Int64Array:
    """Return the edges as rows (source, destination, type), each once."""
    n_rows = len(graph_of_row)
    found = [np.zeros((0, 3), np.int64)]
    for source, edge_type, destination in plan.edges:
        ours, theirs = cells[source].row, cells[destination].row
        node_there = node_of_cell[destination]
        if source == destination:
            before = _row_before(graph_of_row)[theirs]
            order = np.argsort(before, kind="stable")
            order = order[before[order] >= 0]
            theirs, node_there = before[order], node_there[order]
        left, right = join(ours, theirs, n_rows)
        ends = node_of_cell[source][left], node_there[right]
        found.append(np.stack([*ends, np.full(len(left), edge_type)], axis=1))
        if plan.back:
            found.append(np.stack([*ends[::-1], np.full(len(left), edge_type + plan.back)], axis=1))
    edges = np.concatenate(found)
    edges = edges[np.lexsort(edges.T)]
    return edges[np.any(np.diff(edges, axis=0, prepend=-1), axis=1)]


def _row_before(graph_of_row: Int64Array) -> Int64Array:
    """Return the row before each one in the same graph, -1 for the first."""
    order = np.argsort(graph_of_row, kind="stable")
    before = np.full(len(order), -1)
    same = graph_of_row[order[1:]] == graph_of_row[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    return before
