"""Encode rows about entities, such as customers and products, as graphs with typed nodes and edges."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.learned import Learned
from graphtm.encoders.records import Cells, join, read_cells, read_columns
from graphtm.encoders.rendering import heaviest
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import as_list, is_set, normalize_name, shorten
from graphtm.foundation.numbering import Names, Numbering
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch, Vocabulary

Triple: TypeAlias = tuple[Hashable, Hashable, Hashable]
_UNKNOWN = ("is", "unknown")


class Relations(GraphEncoder):
    """Encode rows as graphs of entities.

    Each row names entities, such as a customer, a product and a category. Each entity is a node; its type is the
    column, and its symbols are its name and attributes. Edges connect the entities of a row. A graph is made from one
    row, or from all rows with the same value in a column; an entity that is named twice in a graph is one node.

    Parameters
    ----------
    entities
        Columns whose values are nodes. If None, the columns named by ``edges``.
    edges
        Triples ``(column, type, column)``, such as ``("customer", "buys", "product")``: an edge in each row. If both
        columns are the same, the edge goes to the entity in the next row of the same graph, so a history becomes a
        chain. If None, edges of type ``"with"`` between all entities of a row.
    attributes
        Mapping from entities to the columns that describe them: ``{"product": ["brand", "colour"]}``.
    graph
        Column that groups rows into graphs. If None, each row is a graph.
    identity
        Whether nodes have a symbol for their name, ``("customer", "Ann")``; or a list of the columns whose nodes do.
    both_ways
        Whether to add a reverse edge of type ``("back", "buys")`` for each edge. Messages follow the direction of
        edges.
    min_count
        Minimum number of occurrences of a value in the training data. Rarer values are unknown.
    unknown
        How to handle unknown values. ``"drop"``: no symbol. ``"symbol"``: symbol ``("customer", "is", "unknown")``.
        ``"error"``: raise an error.

    Attributes
    ----------
    vocabulary_
        Symbols ``(column, value)``, column by column; the edge types; the entities as node types.

    Notes
    -----
    Rows are a list of records (dicts), a dict of columns, a structured array such as
    :func:`graphtm.datasets.load_movielens` returns, or a pandas or polars data frame. A cell may hold a list of
    several values; a missing value means none. Each number is a symbol of its own (as text if it is not an integer),
    so bin numeric columns first.

    Examples
    --------
    The sales experiment of the paper (arXiv:2507.14874): customers, products and their categories.

    >>> from graphtm.encoders import Relations
    >>> rows = [
    ...     {"customer": "Ann", "product": "kettle", "category": "kitchen"},
    ...     {"customer": "Ben", "product": "lamp", "category": ["light", "living"]},
    ... ]
    >>> encoder = Relations(edges=[("customer", "buys", "product"), ("product", "in", "category")])
    >>> graphs = encoder.fit_transform(rows)
    >>> graphs
    GraphBatch(2 graphs, 7 nodes, 10 edges, 7 symbols, 4 edge types, 3 node types)
    >>> print(graphs[0])
    Graph with 3 nodes and 4 edges
      0 (customer): customer=Ann
          buys -> 1
      1 (product): product=kettle
          back=buys -> 0
          in -> 2
      2 (category): category=kitchen
          back=in -> 1
    """

    _plan: Plan

    def __init__(
        self,
        entities: Sequence[Hashable] | None = None,
        edges: Sequence[Triple] | None = None,
        attributes: Mapping[Hashable, Sequence[Hashable]] | None = None,
        graph: Hashable = None,
        identity: bool | Sequence[Hashable] = True,
        both_ways: bool = True,
        min_count: int = 1,
        unknown: str = "drop",
    ) -> None:
        self.entities = entities
        self.edges = edges
        self.attributes = attributes
        self.graph = graph
        self.identity = identity
        self.both_ways = both_ways
        self.min_count = min_count
        self.unknown = unknown

    def fit(self, X: Any, y: Any = None) -> Relations:  # noqa: ARG002
        """Learn the values of the columns.

        Parameters
        ----------
        X
            The rows, see Notes of the class.
        y
            Ignored.
        """
        plan = self._make_plan()
        n_rows, columns = read_columns(X, plan.columns, "Relations")
        if not n_rows:
            raise GraphError("Relations needs at least one row to fit; got none.")
        values: list[list[Hashable]] = []
        for column in plan.described:
            cells = read_cells(columns[column], column)
            counts = np.bincount(cells.number, minlength=len(cells.names))
            known = [name for name, count in zip(cells.names, counts, strict=True) if count >= self.min_count]
            values.append(sorted(known, key=lambda name: (type(name).__name__, name)))
        vocabulary = plan.vocabulary(values)
        number_nodes(plan, *read_rows(plan, n_rows, columns))
        self._plan = plan
        self.vocabulary_ = vocabulary
        self._keep_parameters()
        return self

    def _learned(self) -> dict[str, Any]:
        values: dict[Any, list[Any]] = {column: [] for column in self._plan.described}
        symbols: list[Any] = list(self.vocabulary_.symbols)
        for column, *value in symbols:
            values[column] += value if len(value) == 1 else []  # all but the symbol of unknown values
        return {"values": list(values.values())}

    def _restore(self, learned: Learned) -> None:
        plan = self._make_plan()
        self.vocabulary_ = plan.vocabulary(learned.items("values"))
        self._plan = plan

    def transform(self, X: Any) -> GraphBatch:
        """Return the rows as graphs, in the order of their first rows."""
        check_is_fitted(self, "vocabulary_")
        plan, vocabulary = self._plan, self.vocabulary_
        n_rows, columns = read_columns(X, plan.columns, "Relations")
        graph_of_row, cells = read_rows(plan, n_rows, columns)
        node_of_cell, node_counts, types = number_nodes(plan, graph_of_row, cells)
        pairs = [np.zeros((0, 2), np.int64)]
        for entity, column in plan.carried:
            symbol_of = self._symbols_of(cells[column], column)
            if entity == column:
                nodes, values = node_of_cell[entity], cells[entity].number
            else:
                ours, theirs = join(cells[entity].row, cells[column].row, n_rows)
                nodes, values = node_of_cell[entity][ours], cells[column].number[theirs]
            pairs.append(np.stack([nodes, symbol_of[values]], axis=1))
        carried = np.concatenate(pairs)
        carried = carried[carried[:, 1] >= 0]
        edges = find_edges(plan, graph_of_row, cells, node_of_cell)
        return GraphBatch.from_arrays(
            node_counts,
            (carried[:, 0], carried[:, 1]),
            symbols=vocabulary.symbols,
            edges=(edges[:, 0], edges[:, 1], edges[:, 2]),
            edge_types=vocabulary.edge_types,
            node_types=(types, vocabulary.node_types),
        )

    def graph_names(self, X: Any) -> list[Hashable]:
        """Return the value of the graph column for each graph of ``transform``, in the same order.

        Examples
        --------
        >>> from graphtm.encoders import Relations
        >>> rows = {"user": [7, 9, 7], "film": ["Alien", "Alien", "Brazil"]}
        >>> encoder = Relations(edges=[("film", "next", "film")], graph="user").fit(rows)
        >>> encoder.graph_names(rows)
        [7, 9]
        """
        check_is_fitted(self, "vocabulary_")
        if self._plan.graph is None:
            raise ValueError(
                "Graphs have no names, because the 'graph' parameter of Relations is None: set it to a column."
            )
        columns = read_columns(X, [self._plan.graph], "Relations")[1]
        return list(read_cells(columns[self._plan.graph], self._plan.graph).names)

    def render(self, weights: Any) -> dict[Hashable, dict[Hashable, float]]:
        """Return the nonzero weights of symbols by column, the largest first.

        Parameters
        ----------
        weights
            Mapping from symbols to numbers, or the literals of a rule, ``rule.layers[0]`` (weight 1, or -1 if
            negated).

        Examples
        --------
        >>> from graphtm.encoders import Relations
        >>> encoder = Relations(["who", "what"]).fit({"who": ["Ann", "Ben"], "what": ["lamp", "lamp"]})
        >>> encoder.render({("who", "Ben"): -1, ("what", "lamp"): 2})
        {'who': {'Ben': -1.0}, 'what': {'lamp': 2.0}}
        """
        check_is_fitted(self, "vocabulary_")
        result: dict[Hashable, dict[Hashable, float]] = {column: {} for column in self._plan.described}
        for symbol, weight in heaviest(weights, self.vocabulary_.symbols):
            column, value = symbol[0], symbol[1:]  # type: ignore[index]
            result[column][value[0] if len(value) == 1 else value] = weight
        return {column: values for column, values in result.items() if values}

    def _symbols_of(self, cells: Cells, column: Hashable) -> Int64Array:
        """Return the symbol of each value of a column, or -1."""
        symbols = Names([(column, name) for name in cells.names], "symbol").numbers_in(self.vocabulary_.symbols)
        unknown = np.flatnonzero(symbols < 0)
        if len(unknown) and self._plan.unknown == "error":
            names = [cells.names[number] for number in unknown.tolist()]
            raise GraphError(
                f"Values of column {column!r} must occur in the training data; got {shorten(names)}. Choose "
                "unknown='drop' or 'symbol' to accept unknown values."
            )
        if self._plan.unknown == "symbol":
            symbols[unknown] = self.vocabulary_.symbols.index((column, *_UNKNOWN))
        return symbols

    def _make_plan(self) -> Plan:
        """Check the parameters and return them as a plan."""
        checks = ParameterChecks(self)
        checks.boolean("both_ways")
        checks.integer("min_count", 1, 2**31 - 1)
        checks.one_of("unknown", ("drop", "symbol", "error"))
        entities = as_list(self.entities) if is_set(self.entities) else self.entities
        triples: list[Any] = as_list(self.edges) if isinstance(self.edges, Collection) else []
        listed = self.edges is None or isinstance(self.edges, Collection)
        if not listed or not all(isinstance(one, tuple | list) and len(one) == 3 and _hashable(one) for one in triples):
            self._refuse("edges", "a list of triples (column, type, column), or None")
        if entities is None:
            entities = list(
                dict.fromkeys(column for source, _, destination in triples for column in (source, destination))
            )
        if not _is_list(entities) or not len(entities):
            self._refuse("entities", "a list of columns, or None if edges are given")
        if self.edges is None:
            triples = [(source, "with", destination) for source, destination in combinations(entities, 2)]
        strangers = {column for source, _, destination in triples for column in (source, destination)} - set(entities)
        if strangers:
            self._refuse("edges", f"triples whose columns are entities, {shorten(list(entities))}")
        attributes = {} if self.attributes is None else self.attributes
        listed = isinstance(attributes, Mapping) and all(map(_is_list, attributes.values()))
        if not listed or not set(attributes) <= set(entities):
            self._refuse("attributes", f"a mapping from entities, {shorten(list(entities))}, to lists of columns")
        if isinstance(self.identity, bool):
            named = list(entities) if self.identity else []
        else:
            named = list(self.identity) if _is_list(self.identity) else []
            if not named or not set(named) <= set(entities):
                self._refuse("identity", f"a bool, or a list of entities among {shorten(list(entities))}")
        if not isinstance(self.graph, Hashable):
            self._refuse("graph", "the name of a column, or None")
        carried = [(entity, entity) for entity in entities if entity in named]
        carried += [(entity, column) for entity in attributes for column in as_list(attributes[entity])]
        types = Numbering()
        numbered = tuple((source, types(normalize_name(name)), destination) for source, name, destination in triples)
        names = list(types.names())
        return Plan(
            tuple(entities),
            numbered,
            tuple(carried),
            self.graph,
            (*names, *(("back", name) for name in names if self.both_ways)),
            len(names) if self.both_ways else 0,
            self.unknown,
        )

    def _refuse(self, parameter: str, rule: str) -> None:
        raise ValueError(
            f"The {parameter!r} parameter of Relations must be {rule}. Got {getattr(self, parameter)!r} instead."
        )


def _is_list(value: object) -> bool:
    """Return whether a value is a collection of names, not a single name."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping) and _hashable(value)


def _hashable(names: Iterable[object]) -> bool:
    return all(isinstance(name, Hashable) for name in names)


@dataclass(frozen=True)
class Plan:
    """Checked parameters of :class:`Relations`.

    ``edges`` are (column, index of the type, column); ``back`` is added to the index for the reverse edge, 0 if there
    is none. ``carried`` are pairs of an entity and a column whose values are symbols of its nodes.
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
        """Columns whose values are symbols."""
        return list(dict.fromkeys(column for _, column in self.carried))

    def vocabulary(self, values: Sequence[Sequence[Hashable]]) -> Vocabulary:
        """Return the vocabulary, given the known values of each described column."""
        symbols: list[Hashable] = []
        for column, known in zip(self.described, values, strict=True):
            symbols += [(column, value) for value in known]
            symbols += [(column, *_UNKNOWN)] * (self.unknown == "symbol")
        return Vocabulary(symbols, self.edge_types, self.entities)

    @property
    def columns(self) -> list[Hashable]:
        """All columns that are used."""
        return [*self.entities, *self.described, *([] if self.graph is None else [self.graph])]


def read_rows(
    plan: Plan, n_rows: int, columns: Mapping[Hashable, list[Any]]
) -> tuple[Int64Array, dict[Hashable, Cells]]:
    """Return the graph of each row, numbered by first appearance, and the cells of all other columns."""
    cells = {column: read_cells(columns[column], column) for column in {*plan.entities, *plan.described}}
    if plan.graph is None:
        return np.arange(n_rows), cells
    graphs = read_cells(columns[plan.graph], plan.graph)
    named_once = np.bincount(graphs.row, minlength=n_rows) == 1
    if not named_once.all():
        row = int(np.argmin(named_once))
        raise GraphError(
            f"Column {plan.graph!r} must have exactly one value per row; row {row} has {columns[plan.graph][row]!r}."
        )
    return graphs.number, cells


def number_nodes(
    plan: Plan, graph_of_row: Int64Array, cells: Mapping[Hashable, Cells]
) -> tuple[dict[Hashable, Int64Array], Int64Array, Int64Array]:
    """Return the node of each entity cell, the number of nodes per graph, and the type of each node."""
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
            f"Each graph must have an entity; the graph of row {row} has no value in the columns "
            f"{shorten(plan.entities)}."
        )
    parts = np.split(node_of_cell, np.cumsum([len(key) for key in keys])[:-1])
    return dict(zip(plan.entities, parts, strict=True)), node_counts, node_type


def find_edges(
    plan: Plan, graph_of_row: Int64Array, cells: Mapping[Hashable, Cells], node_of_cell: Mapping[Hashable, Int64Array]
) -> Int64Array:
    """Return the distinct edges as rows (source, destination, type)."""
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
    """Return the previous row of the same graph for each row, -1 for the first."""
    order = np.argsort(graph_of_row, kind="stable")
    before = np.full(len(order), -1)
    same = graph_of_row[order[1:]] == graph_of_row[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    return before
