"""Graphs packed into arrays."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError, UnknownSymbolError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import (
    BoolArray,
    FrozenArrays,
    Int32Array,
    Int64Array,
    check_limit,
    pointers,
    ragged,
    read_only,
)
from graphtm.foundation.names import Name, name_key, normalize_name, shorten
from graphtm.foundation.numbering import Names
from graphtm.foundation.properties import Properties
from graphtm.graphs import edges as edge_tables
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.graph import Graph
from graphtm.graphs.vocabulary import Vocabulary

NodeNames: TypeAlias = tuple[tuple[Hashable, ...] | None, ...]


@dataclass(frozen=True, eq=False)
class PackedGraphs(FrozenArrays):
    """Graphs packed into arrays; nodes are numbered across all graphs.

    Parameters
    ----------
    vocabulary
        Names of symbols, edge types and node types.
    node_ptr
        Offsets of graphs: the nodes of graph ``g`` are ``node_ptr[g]:node_ptr[g + 1]``.
    properties
        Symbols of each node.
    out_edges, in_edges
        Edges by source and by destination.
    node_types
        Index of the type of each node, or ``None`` if nodes have no types.
    readout
        Mask of the readout nodes, or ``None`` for all nodes.
    node_names
        Names of the nodes of each graph, or ``None`` if these are 0, 1, 2, ...
    """

    vocabulary: Vocabulary
    node_ptr: Int64Array
    properties: Properties
    out_edges: EdgeTable
    in_edges: EdgeTable
    node_types: Int32Array | None = None
    readout: BoolArray | None = None
    node_names: NodeNames | None = None

    @property
    def n_graphs(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def n_nodes(self) -> int:
        return self.properties.n_nodes

    @property
    def n_edges(self) -> int:
        return self.out_edges.n_edges

    @cached_property
    def node_counts(self) -> Int64Array:
        return read_only(np.diff(self.node_ptr))

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes, without names."""
        optional = sum(array.nbytes for array in (self.node_types, self.readout) if array is not None)
        return self.node_ptr.nbytes + self.properties.nbytes + self.out_edges.nbytes + self.in_edges.nbytes + optional

    def take(self, graphs: Int64Array | slice) -> PackedGraphs:
        """Return the selected graphs, in the given order; a slice must have step 1."""
        nodes = ragged(self.node_ptr, graphs)
        names = self.node_names
        if names is not None:
            names = names[graphs] if isinstance(graphs, slice) else tuple(names[graph] for graph in graphs)
        return PackedGraphs(
            self.vocabulary,
            pointers(self.node_counts[graphs]),
            self.properties.select(nodes),
            self.out_edges.select(nodes),
            self.in_edges.select(nodes),
            None if self.node_types is None else self.node_types[nodes],
            None if self.readout is None else self.readout[nodes],
            names,
        )

    def pack(self) -> PackedGraphs:
        return self

    def chunks(self, max_nodes: int) -> Iterator[PackedGraphs]:
        """Yield the graphs in chunks of at most ``max_nodes`` nodes, or of one graph."""
        for part in chunk_slices(self.node_ptr, max_nodes):
            yield self.take(part)

    def with_readout(self, readout: BoolArray | None) -> PackedGraphs:
        return replace(self, readout=readout)

    def names_of(self, graph: int) -> Sequence[Hashable]:
        """Return the node names of a graph."""
        names = None if self.node_names is None else self.node_names[graph]
        return range(int(self.node_counts[graph])) if names is None else names

    def with_vocabulary(self, vocabulary: Vocabulary, unknown: str = "error") -> PackedGraphs:
        """Return the same graphs with another vocabulary; names are matched.

        With ``unknown="ignore"``, properties and edges with unknown names are dropped. Unknown node types are always
        refused.
        """
        mine = self.vocabulary
        if mine == vocabulary:
            return replace(self, vocabulary=vocabulary)
        if self.n_nodes and self.node_types is None and len(vocabulary.node_types):
            raise GraphError(
                f"Nodes must have types, since the vocabulary has node types, {shorten(vocabulary.node_types)}; these "
                "nodes have none."
            )
        symbols = mine.symbols.numbers_in(vocabulary.symbols)
        edge_types = mine.edge_types.numbers_in(vocabulary.edge_types)
        node_types = mine.node_types.numbers_in(vocabulary.node_types)
        used = np.flatnonzero((symbols < 0) & (self.properties.frequencies() > 0))
        if unknown == "error":
            _refuse_unknown(mine.symbols, used, vocabulary.symbols)
            _refuse_unknown(mine.edge_types, _used_and_unknown(edge_types, self.out_edges.types), vocabulary.edge_types)
        if self.node_types is not None:
            _refuse_unknown(mine.node_types, _used_and_unknown(node_types, self.node_types), vocabulary.node_types)
        return PackedGraphs(
            vocabulary,
            self.node_ptr,
            property_tables.renumber(self.properties, symbols, len(vocabulary.symbols)),
            _renumber_edges(self.out_edges, edge_types),
            _renumber_edges(self.in_edges, edge_types),
            _renumber_node_types(self.node_types, node_types, vocabulary),
            self.readout,
            self.node_names,
        )

    def graph(self, number: int) -> Graph:
        """Return one graph as a :class:`Graph`."""
        one = self if self.n_graphs == 1 else self.take(slice(number, number + 1))
        names, vocabulary = one.names_of(0), self.vocabulary
        nodes, symbols = one.properties.pairs()
        ends = np.searchsorted(nodes, np.arange(1, one.n_nodes + 1)).tolist()
        carried = [vocabulary.symbols[symbol] for symbol in symbols.tolist()]
        types: list[Name] = [None] * one.n_nodes
        if one.node_types is not None:
            types = [vocabulary.node_types[node_type] for node_type in one.node_types.tolist()]
        graph = Graph()
        start = 0
        for name, end, node_type in zip(names, ends, types, strict=True):
            graph._add_node(normalize_name(name), carried[start:end], node_type)
            start = end
        out = one.out_edges
        for edge in zip(out.near_ends().tolist(), out.neighbours.tolist(), out.types.tolist(), strict=True):
            graph._add_edge(edge[0], edge[1], vocabulary.edge_types[edge[2]])
        if one.readout is not None and not one.readout.all():
            graph._readout = np.flatnonzero(one.readout).tolist()
        return graph

    def equals(self, other: PackedGraphs) -> bool:
        """Whether both hold the same graphs with the same vocabulary."""
        return (
            self.vocabulary == other.vocabulary
            and np.array_equal(self.node_ptr, other.node_ptr)
            and _same(self.node_types, other.node_types)
            and _same(self._explicit_readout(), other._explicit_readout())
            and self._explicit_names() == other._explicit_names()
            and self.out_edges.equals(other.out_edges)
            and property_tables.equal(self.properties, other.properties)
        )

    def _explicit_readout(self) -> BoolArray | None:
        return None if self.readout is None or self.readout.all() else self.readout

    def _explicit_names(self) -> list[tuple[Hashable, ...] | None] | None:
        if self.node_names is None or not any(self.node_names):
            return None
        return [None if names is None else tuple(map(name_key, names)) for names in self.node_names]


def concatenate(parts: Sequence[PackedGraphs]) -> PackedGraphs:
    """Concatenate graphs; vocabularies are merged by name.

    Raises
    ------
    GraphError
        If only some parts have node types, or if there are too many nodes or edges.
    """
    check_limit(sum(part.n_nodes for part in parts), "nodes")
    check_limit(sum(part.n_edges for part in parts), "edges")
    vocabulary = merge_vocabularies(parts)
    parts = [part.with_vocabulary(vocabulary) for part in parts]
    node_types = [part.node_types for part in parts if part.node_types is not None]
    readout = names = None
    if any(part.readout is not None for part in parts):
        readout = np.concatenate(
            [np.ones(part.n_nodes, np.bool_) if part.readout is None else part.readout for part in parts]
        )
    if any(part.node_names is not None for part in parts):
        names = tuple(name for part in parts for name in part.node_names or (None,) * part.n_graphs)
    return PackedGraphs(
        vocabulary,
        pointers(np.concatenate([part.node_counts for part in parts])),
        property_tables.concatenate([part.properties for part in parts]),
        edge_tables.concatenate([part.out_edges for part in parts]),
        edge_tables.concatenate([part.in_edges for part in parts]),
        np.concatenate(node_types) if len(vocabulary.node_types) else None,
        readout,
        names,
    )


class HasVocabulary(Protocol):
    """Packed or lazy graphs."""

    @property
    def vocabulary(self) -> Vocabulary: ...

    @property
    def n_nodes(self) -> int: ...


def merge_vocabularies(parts: Sequence[HasVocabulary]) -> Vocabulary:
    """Return a common vocabulary; either all nodes or none must have a type."""
    typed = [number for number, part in enumerate(parts) if part.n_nodes and len(part.vocabulary.node_types)]
    untyped = [number for number, part in enumerate(parts) if part.n_nodes and not len(part.vocabulary.node_types)]
    if typed and untyped:
        raise GraphError(
            f"Either all nodes or none must have a type; batch {typed[0]} has node types, batch {untyped[0]} has none."
        )
    merged = parts[0].vocabulary
    for part in parts[1:]:
        merged = merged.union(part.vocabulary)
    return merged


def chunk_slices(node_ptr: Int64Array, max_nodes: int) -> Iterator[slice]:
    """Yield slices of graphs with at most ``max_nodes`` nodes, or of one graph."""
    start, n_graphs = 0, len(node_ptr) - 1
    while start < n_graphs:
        stop = int(np.searchsorted(node_ptr, node_ptr[start] + max_nodes, side="right")) - 1
        stop = max(stop, start + 1)
        yield slice(start, stop)
        start = stop


def _used_and_unknown(numbers: Int64Array, used: Int32Array) -> Int64Array:
    return np.flatnonzero((numbers < 0) & (np.bincount(used, minlength=len(numbers)) > 0))


def _refuse_unknown(mine: Names, unknown: Int64Array, known: Names) -> None:
    if len(unknown):
        raise UnknownSymbolError(known.unknown_message([mine[number] for number in unknown.tolist()]))


def _renumber_edges(table: EdgeTable, numbers: Int64Array) -> EdgeTable:
    if np.array_equal(numbers, np.arange(len(numbers))):
        return table
    types = numbers[table.types]
    known = types >= 0
    near, far = table.near_ends()[known], table.neighbours[known].astype(np.int64)
    return edge_table(near, far, types[known], len(table.ptr) - 1)


def _renumber_node_types(types: Int32Array | None, numbers: Int64Array, vocabulary: Vocabulary) -> Int32Array | None:
    if not len(vocabulary.node_types):
        return None
    return np.zeros(0, np.int32) if types is None else numbers[types].astype(np.int32)


def _same(one: NDArray[np.generic] | None, other: NDArray[np.generic] | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
