"""Rows about customers, products and the like to graphs of typed nodes and edges."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.records import Cells, join, read_cells, read_columns
from graphtm.encoders.relation_graphs import Plan, find_edges, number_nodes, read_rows
from graphtm.encoders.weights import heaviest
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import in_order, normalize_name, shorten
from graphtm.foundation.numbering import Names, Numbering
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch, Vocabulary

Triple: TypeAlias = tuple[Hashable, Hashable, Hashable]
_UNKNOWN = ("is", "unknown")


class Relations(GraphEncoder):
    """Rows as graphs of the things that they name.

    Each row names things: a customer, a product, a category. They become nodes whose type is the column and which
    carry what is known of them; edges say how the columns are related. A graph is made of one row, or of all rows with
    the same value in a column, in which a thing that is named twice is one node.

    Parameters
    ----------
    entities
        The columns whose values are nodes. ``None``: those that ``edges`` names.
    edges
        Triples ``(column, type, column)``, such as ``("customer", "buys", "product")``: in each row, an edge from the
        one to the other. If both columns are the same, from the thing in a row to that in the next row of the same
        graph, which makes a history a chain. ``None``: ``"with"`` between all entities of a row.
    attributes
        A mapping from entities to the columns that describe them: ``{"product": ["brand", "colour"]}``.
    graph
        The column that tells which rows make one graph. ``None``: each row is one.
    identity
        Whether a node carries which thing it is, ``("customer", "Ann")``; or a list of the columns whose nodes do.
    both_ways
        Whether each edge also goes back, with the type ``("back", "buys")``: messages travel along edges only.
    min_count
        How often a value must occur in the training data to be known.
    unknown
        What becomes of a value that is not known. ``"drop"``: its node carries no symbol for it. ``"symbol"``: it
        carries ``("customer", "is", "unknown")``. ``"error"``: it is refused.

    Attributes
    ----------
    vocabulary_
        Symbols ``(column, value)``, column by column; the edge types; the entities as node types.

    Notes
    -----
    Rows are a list of records (dicts), a dict of columns, a structured array such as
    :func:`graphtm.datasets.load_movielens` gives, or a frame of pandas or polars. A cell may hold a list: then it names
    several things, or values. A missing one names none. Numbers that are not whole are named by their text;
    put numbers into classes first, since each is a symbol of its own.

    Examples
    --------
    The experiment of the paper on sales: customers, products and their categories.

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
      0 (customer): ('customer', 'Ann')
          buys -> 1
      1 (product): ('product', 'kettle')
          back=buys -> 0
          in -> 2
      2 (category): ('category', 'kitchen')
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
        """Learn which values there are.

        Parameters
        ----------
        X
            The rows.
        y
            Not used.
        """
        plan = self._make_plan()
        n_rows, columns = read_columns(X, plan.columns, "Relations")
        if not n_rows:
            raise GraphError("At least one row is needed to learn from; got none.")
        symbols: list[Hashable] = []
        for column in plan.described:
            cells = read_cells(columns[column], column)
            counts = np.bincount(cells.number, minlength=len(cells.names))
            known = [name for name, count in zip(cells.names, counts, strict=True) if count >= self.min_count]
            symbols += [(column, name) for name in sorted(known, key=lambda name: (type(name).__name__, name))]
            if self.unknown == "symbol":
                symbols.append((column, *_UNKNOWN))
        vocabulary = Vocabulary(symbols, plan.edge_types, plan.entities)
        number_nodes(plan, *read_rows(plan, n_rows, columns))
        self._plan = plan
        self.vocabulary_ = vocabulary
        return self

    def transform(self, X: Any) -> GraphBatch:
        """Return rows as graphs, in order of the first row of each."""
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
        """Return the value of the graph column for each graph that ``transform`` makes, in the same order.

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
            raise ValueError("Graphs have names only if the 'graph' parameter of Relations names a column.")
        columns = read_columns(X, [self._plan.graph], "Relations")[1]
        return list(read_cells(columns[self._plan.graph], self._plan.graph).names)

    def render(self, weights: Any) -> dict[Hashable, dict[Hashable, float]]:
        """Return weights of symbols column by column, the heaviest value first.

        Parameters
        ----------
        weights
            A mapping from symbols to numbers, or the literals of a rule, ``rule.layers[0]``, which weigh 1, or -1 where
            negated.

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
        """Return the symbol of each value of a column, -1 for none."""
        symbols = Names([(column, name) for name in cells.names], "symbol").numbers_in(self.vocabulary_.symbols)
        unknown = np.flatnonzero(symbols < 0)
        if len(unknown) and self._plan.unknown == "error":
            names = [cells.names[number] for number in unknown.tolist()]
            raise GraphError(
                f"Column {column!r} must have values of the training data; got {shorten(names)}. Choose "
                "unknown='drop' or 'symbol' to accept others."
            )
        if self._plan.unknown == "symbol":
            symbols[unknown] = self.vocabulary_.symbols.index((column, *_UNKNOWN))
        return symbols

    def _make_plan(self) -> Plan:
        """Check the parameters and return what is to be done."""
        checks = ParameterChecks(self)
        checks.boolean("both_ways")
        checks.integer("min_count", 1, 2**31 - 1)
        checks.one_of("unknown", ("drop", "symbol", "error"))
        entities = _in_order(self.entities) if isinstance(self.entities, Set) else self.entities
        triples: list[Any] = _in_order(self.edges) if isinstance(self.edges, Collection) else []
        listed = self.edges is None or isinstance(self.edges, Collection)
        if not listed or not all(isinstance(one, tuple | list) and len(one) == 3 and _hashable(one) for one in triples):
            self._refuse("edges", "a list of triples (column, type, column), or None")
        if entities is None:
            entities = list(
                dict.fromkeys(column for source, _, destination in triples for column in (source, destination))
            )
        if not _is_list(entities) or not len(entities):
            self._refuse("entities", "a list of columns; without one, edges must name some")
        if self.edges is None:
            triples = [(source, "with", destination) for source, destination in combinations(entities, 2)]
        strangers = {column for source, _, destination in triples for column in (source, destination)} - set(entities)
        if strangers:
            self._refuse("edges", f"between entities, {shorten(list(entities))}")
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
        carried += [(entity, column) for entity in attributes for column in _in_order(attributes[entity])]
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


def _in_order(names: Collection[Any]) -> list[Any]:
    """Return names as a list, those of a set in the same order in every process."""
    return in_order(names) if isinstance(names, Set) else list(names)


def _is_list(value: object) -> bool:
    """Whether a value is a list of names, and no single one."""
    return isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping) and _hashable(value)


def _hashable(names: Iterable[object]) -> bool:
    return all(isinstance(name, Hashable) for name in names)
