"""The looks of nodes: how they are numbered in training graphs and found in others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from graphtm.encoders.learned import Learned
from graphtm.encoders.look_names import N_DIRECTIONS, LookNames, degree_names
from graphtm.encoders.look_parts import FoundParts, Parts
from graphtm.encoders.row_tables import Rows, RowTable, learned_rows, sorted_rows
from graphtm.encoders.surroundings import Surroundings
from graphtm.foundation.arrays import LIMIT, BoolArray, FrozenArrays, Int64Array
from graphtm.graphs import PackedGraphs, Vocabulary


class Carried(NamedTuple):
    """Numbers of looks and parts, stage by stage, and the nodes that carry them; sorted by node, then number.

    The stages are nodes by themselves, their looks up to 1, 2, ... hops, and each kind of parts.
    """

    nodes: list[Int64Array]
    numbers: list[Int64Array]

    def add(self, looks: Int64Array) -> None:
        """Add a stage, given the number of each node's look, or -1."""
        nodes = np.flatnonzero(looks >= 0)
        self.nodes.append(nodes)
        self.numbers.append(looks[nodes])

    def add_parts(self, found: list[FoundParts]) -> None:
        """Add a stage for each kind of parts."""
        self.nodes.extend(nodes for nodes, _ in found)
        self.numbers.extend(numbers for _, numbers in found)


@dataclass(frozen=True, eq=False)
class NeighbourhoodPlan(FrozenArrays):
    """Looks and parts with their numbers.

    Parameters
    ----------
    vocabulary
        Names of the training graphs.
    by_degree
        Whether nodes by themselves are known by their number of neighbours.
    own
        Looks of nodes by themselves.
    hops
        Looks up to 1, 2, ... hops.
    parts
        Parts of looks.
    """

    vocabulary: Vocabulary
    by_degree: bool
    own: RowTable
    hops: tuple[RowTable, ...]
    parts: Parts

    @classmethod
    def learn(
        cls, graphs: PackedGraphs, n_hops: int, kinds: Sequence[str], min_graphs: int
    ) -> tuple[NeighbourhoodPlan, Carried, list[list[str]]]:
        """Find and number all looks and parts that occur in enough graphs.

        Returns
        -------
        tuple
            The plan, the looks and parts that nodes carry, and the names of each stage.
        """
        vocabulary = graphs.vocabulary
        reading = _Reading.of(graphs, vocabulary)
        by_degree = not len(reading.symbols)
        # A graph by itself has no others to compare with: looks have to occur at several of its nodes instead.
        alone = graphs.n_graphs == 1
        places = np.arange(graphs.n_nodes) if alone else np.repeat(np.arange(graphs.n_graphs), graphs.node_counts)
        texts = LookNames.of(vocabulary)

        rows, nodes = reading.own_rows(by_degree)
        own, own_names, numbers = learned_rows(
            rows, places[nodes], min_graphs, degree_names if by_degree else texts.own
        )
        own_looks = looks = _spread(numbers, nodes)
        carried, names, tables = Carried([], []), [own_names], []
        carried.add(own_looks)
        # NumPy computes parts on one core and hops on another.
        with ThreadPoolExecutor(1) as pool:
            sizes, kinds = (own.n_rows, len(texts.relations)), tuple(kinds)
            learning = pool.submit(Parts.learn, reading.around, own_looks, sizes, places, min_graphs, kinds)
            for hop in range(n_hops):
                rows, nodes = reading.rows(own_looks, own.n_rows, looks, len(names[-1]), isolated=not hop)
                table, found, numbers = learned_rows(
                    rows, places[nodes], min_graphs, lambda rows: texts.looks(rows, own_names, names[-1])
                )
                looks = _spread(numbers, nodes)
                carried.add(looks)
                tables.append(table)
                names.append(found)
            parts, found_parts = learning.result()
        carried.add_parts(found_parts)
        names += parts.names(own_names, texts)
        return cls(vocabulary, by_degree, own, tuple(tables), parts), carried, names

    def to_file(self) -> dict[str, Any]:
        """Return the plan as values and arrays for a file; names follow from them."""
        vocabulary = self.vocabulary
        names = {
            "symbols": vocabulary.symbols,
            "edge_types": vocabulary.edge_types,
            "node_types": vocabulary.node_types,
        }
        tables = {"own": self.own, **{f"hop_{hop}": table for hop, table in enumerate(self.hops, 1)}}
        return {
            **{name: list(listed) for name, listed in names.items()},
            "by_degree": self.by_degree,
            **{f"{name}_ptr": table.ptr for name, table in tables.items()},
            **{f"{name}_items": table.items for name, table in tables.items()},
            "n_degrees": self.parts.n_degrees,
            "ends": self.parts.ends,
            **{f"parts_{kind}": keys for kind, keys in self.parts.keys.items()},
        }

    @classmethod
    def from_file(
        cls, learned: Learned, n_hops: int, kinds: Sequence[str]
    ) -> tuple[NeighbourhoodPlan, list[list[str]]]:
        """Return the plan that :meth:`to_file` wrote, and the names of each stage; a damaged file raises an error."""
        vocabulary = Vocabulary(*(learned.names(name) for name in ("symbols", "edge_types", "node_types")))
        by_degree, texts = learned.value("by_degree"), LookNames.of(vocabulary)
        if not isinstance(by_degree, bool):
            raise ValueError("'by_degree' must be a bool")
        highest = LIMIT if by_degree else len(vocabulary.symbols) + len(vocabulary.node_types)
        own, own_names = _saved_table(learned, "own", highest, degree_names if by_degree else texts.own)
        names, tables = [own_names], []
        for hop in range(1, n_hops + 1):
            highest = len(own_names) + len(texts.relations) * len(names[-1])
            named = partial(texts.looks, own=own_names, neighbours=names[-1])
            table, found = _saved_table(learned, f"hop_{hop}", highest, named)
            tables.append(table)
            names.append(found)
        parts = Parts.from_file(learned, (own.n_rows, len(texts.relations)), tuple(kinds))
        names += parts.names(own_names, texts)
        return cls(vocabulary, by_degree, own, tuple(tables), parts), names

    def find(self, graphs: PackedGraphs) -> Carried:
        """Return the looks and parts that nodes carry; unknown ones are left out."""
        reading = _Reading.of(graphs, self.vocabulary)
        rows, nodes = reading.own_rows(self.by_degree)
        own_looks = looks = _spread(self.own.find(rows), nodes)
        carried, n_looks = Carried([], []), self.own.n_rows
        carried.add(own_looks)
        with ThreadPoolExecutor(1) as pool:
            finding = pool.submit(self.parts.find, reading.around, own_looks)
            for hop, table in enumerate(self.hops):
                rows, nodes = reading.rows(own_looks, self.own.n_rows, looks, n_looks, isolated=not hop)
                looks, n_looks = _spread(table.find(rows), nodes), table.n_rows
                carried.add(looks)
            carried.add_parts(finding.result())
        return carried

    def ends(self, graphs: PackedGraphs) -> Int64Array:
        """Return the number of the end that each neighbour makes, or -1; see :class:`Parts`."""
        reading = _Reading.of(graphs, self.vocabulary)
        rows, nodes = reading.own_rows(self.by_degree)
        return self.parts.find_ends(reading.around, _spread(self.own.find(rows), nodes))

    def single_symbols(self) -> BoolArray:
        """Return which looks of nodes by themselves are a single symbol."""
        untyped = not self.by_degree and not len(self.vocabulary.node_types)
        single: BoolArray = (np.diff(self.own.ptr) == 1) & untyped
        return single

    def count_unknown(self, graphs: PackedGraphs, carried: Carried) -> Int64Array:
        """Return how many nodes of each graph have no number by themselves and at each number of hops."""
        graph = np.repeat(np.arange(graphs.n_graphs), graphs.node_counts)
        degrees = np.diff(graphs.out_edges.ptr) + np.diff(graphs.in_edges.ptr)
        connected = np.bincount(graph[degrees > 0], minlength=graphs.n_graphs)
        unknown = [
            (graphs.node_counts if hop < 2 else connected) - np.bincount(graph[nodes], minlength=graphs.n_graphs)
            for hop, nodes in enumerate(carried.nodes[: len(self.hops) + 1])
        ]
        return np.stack(unknown, axis=1)


def _saved_table(
    learned: Learned, name: str, highest: int, named: Callable[[Rows], list[str]]
) -> tuple[RowTable, list[str]]:
    """Return a table of a file and the names of its rows, which must be in the order of :func:`learned_rows`."""
    ptr = learned.array(f"{name}_ptr", np.int64, None)
    items = learned.array(f"{name}_items", np.int64, None)
    if not len(ptr) or ptr[0] != 0 or ptr[-1] != len(items) or np.any(np.diff(ptr) < 0):
        raise ValueError(f"the rows of {name!r} must be consecutive")
    if len(items) and not 0 <= items.min() <= items.max() < highest:
        raise ValueError(f"the rows of {name!r} must hold known numbers")
    rows = Rows(ptr, items)
    names = named(rows)
    if len(names) != len(ptr) - 1 or any(one >= other for one, other in pairwise(names)):
        raise ValueError(f"the rows of {name!r} must differ, in the order of their names")
    return RowTable.of(rows), names


class _Reading(NamedTuple):
    """Graphs read with a vocabulary: names that it does not have are -1.

    Parameters
    ----------
    nodes, symbols
        The symbols of nodes, then their types, numbered after all symbols.
    around
        The neighbours of nodes.
    """

    nodes: Int64Array
    symbols: Int64Array
    around: Surroundings

    @classmethod
    def of(cls, graphs: PackedGraphs, vocabulary: Vocabulary) -> _Reading:
        nodes, symbols = graphs.properties.pairs()
        symbols = graphs.vocabulary.symbols.numbers_in(vocabulary.symbols)[symbols]
        if graphs.node_types is not None:
            types = graphs.vocabulary.node_types.numbers_in(vocabulary.node_types)[graphs.node_types]
            nodes = np.concatenate([nodes, np.arange(graphs.n_nodes)])
            symbols = np.concatenate([symbols, np.where(types < 0, -1, types + len(vocabulary.symbols))])
        around = Surroundings.of(graphs)
        edge_type = graphs.vocabulary.edge_types.numbers_in(vocabulary.edge_types)[around.relation // N_DIRECTIONS]
        relation = np.where(edge_type < 0, -1, edge_type * N_DIRECTIONS + around.relation % N_DIRECTIONS)
        return cls(nodes, symbols, around._replace(relation=relation))

    def own_rows(self, by_degree: bool) -> tuple[Rows, BoolArray]:
        """Return what nodes are by themselves: a row for each node of which all is known, and which nodes these are."""
        known = np.ones(len(self.around.degrees), np.bool_)
        if by_degree:
            return Rows(np.arange(len(known) + 1), self.around.degrees), known
        return _known_rows(self.nodes, self.symbols, known)

    def rows(
        self, own: Int64Array, n_own: int, looks: Int64Array, n_looks: int, *, isolated: bool
    ) -> tuple[Rows, BoolArray]:
        """Return what nodes are by themselves and the looks of their neighbours, as :meth:`own_rows` does.

        Nodes without neighbours look the same at any number of hops, and are left out if ``isolated`` is False.
        """
        node, neighbour, relation, degrees = self.around
        seen = looks[neighbour]
        items = np.where((relation < 0) | (seen < 0), -1, n_own + relation * n_looks + seen)
        nodes = np.concatenate([np.arange(len(degrees)), node])
        return _known_rows(nodes, np.concatenate([own, items]), np.full(len(degrees), isolated) | (degrees > 0))


def _known_rows(nodes: Int64Array, items: Int64Array, known: BoolArray) -> tuple[Rows, BoolArray]:
    """Return the rows of the known nodes without an unknown item, and which nodes these are."""
    unknown = items < 0
    if known.all() and not unknown.any():
        return sorted_rows(nodes, items, len(known)), known
    known[nodes[unknown]] = False
    inside, number = known[nodes], np.cumsum(known) - 1
    return sorted_rows(number[nodes[inside]], items[inside], int(np.count_nonzero(known))), known


def _spread(numbers: Int64Array, nodes: BoolArray) -> Int64Array:
    """Return the numbers of the given nodes as an array over all nodes, -1 for others."""
    looks = np.full(len(nodes), -1)
    looks[nodes] = numbers
    return looks
