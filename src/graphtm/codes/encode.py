"""Encoding of graphs: from symbols to the packed bits that engines read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.codes.schemes import Code
from graphtm.errors import CodeError
from graphtm.foundation.arrays import BoolArray, FrozenArrays, Int32Array, Int64Array, pointers
from graphtm.foundation.properties import (
    ListedProperties,
    PackedProperties,
    bits_from_pairs,
    n_words,
    sorted_pairs,
)
from graphtm.foundation.resources import require_memory
from graphtm.graphs import GraphBatch, PackedGraphs
from graphtm.graphs.edges import EdgeTable

_BLOCK_NODES = 1 << 13


@dataclass(frozen=True, eq=False)
class EncodedBatch(FrozenArrays):
    """Graphs in the form that engines read: a hypervector per node, and edges.

    Bit ``k % 64`` of word ``k // 64`` of a node's row in ``bits`` is literal ``k``; padding above ``n_bits`` is 0. The
    negated literals ``n_bits + k`` are the complement and are not stored. The other arrays are those of
    :class:`graphtm.graphs.PackedGraphs`.
    """

    bits: NDArray[np.uint64]
    n_bits: int
    node_ptr: Int64Array
    out_edges: EdgeTable
    in_edges: EdgeTable
    node_types: Int32Array | None
    readout: BoolArray | None

    @property
    def n_graphs(self) -> int:
        return len(self.node_ptr) - 1

    @property
    def n_nodes(self) -> int:
        return len(self.bits)


def encode(batch: GraphBatch, code: Code, watch: Callable[[PackedGraphs], None] | None = None) -> EncodedBatch:
    """Encode graphs: the hypervector of a node is the OR of the codes of its symbols.

    A lazy batch is encoded chunk by chunk, so that the symbols of all graphs are never in memory at once.

    Parameters
    ----------
    batch
        The graphs.
    code
        The symbol code.
    watch
        Function called with the symbols of every chunk, which may be slow to make again.

    Raises
    ------
    CodeError
        If the code does not match the vocabulary of the graphs.
    NotEnoughMemoryError
        If the hypervectors do not fit into memory.
    """
    n_symbols = len(batch.vocabulary.symbols)
    if code.n_owners != n_symbols:
        raise CodeError(
            f"The symbol code must have one entry for each of the {n_symbols:,} symbols of the graphs; "
            f"it has {code.n_owners:,}. Match the graphs with the model's vocabulary first."
        )
    require_memory(
        8 * n_words(code.size) * batch.n_nodes,
        f"{batch.n_nodes:,} nodes in {code.size:,} bits each",
        "Lower hypervector_size, with symbol_encoding='random', or pass fewer graphs at a time",
    )
    if not batch.is_lazy or not len(batch):
        return _encode_graphs(batch.pack(), code, watch)
    return _joined((_encode_graphs(chunk.pack(), code, watch) for chunk in batch.chunks()), batch.n_nodes)


def _encode_graphs(graphs: PackedGraphs, code: Code, watch: Callable[[PackedGraphs], None] | None) -> EncodedBatch:
    if watch is not None:
        watch(graphs)
    properties = graphs.properties
    if isinstance(properties, PackedProperties):
        same = code.scheme == "one_hot" and code.size == properties.n_symbols
        bits = properties.bits if same else _encode_packed(properties, code)
    else:
        bits = _encode_listed(properties, code)
    return EncodedBatch(
        bits, code.size, graphs.node_ptr, graphs.out_edges, graphs.in_edges, graphs.node_types, graphs.readout
    )


def _joined(parts: Iterable[EncodedBatch], n_nodes: int) -> EncodedBatch:
    """Concatenate parts with ``n_nodes`` nodes in total as they arrive, without a second copy of the bits."""
    n_bits, first, bits = 0, 0, np.empty((0, 0), np.uint64)
    out_edges, in_edges = _JoinedEdges(n_nodes), _JoinedEdges(n_nodes)
    node_counts, node_types = [], []
    readout: BoolArray | None = None
    for part in parts:
        if not first:
            n_bits, bits = part.n_bits, np.empty((n_nodes, part.bits.shape[1]), np.uint64)
        last = first + part.n_nodes
        bits[first:last] = part.bits
        out_edges.add(part.out_edges, first)
        in_edges.add(part.in_edges, first)
        node_counts.append(np.diff(part.node_ptr))
        if part.node_types is not None:
            node_types.append(part.node_types)
        if part.readout is not None:
            readout = np.ones(n_nodes, np.bool_) if readout is None else readout
            readout[first:last] = part.readout
        first = last
    return EncodedBatch(
        bits,
        n_bits,
        pointers(np.concatenate(node_counts)),
        out_edges.table(),
        in_edges.table(),
        np.concatenate(node_types) if node_types else None,
        readout,
    )


class _JoinedEdges:
    """Concatenates edge tables. Nodes without edges take no memory, since untouched zeros are not allocated.

    Parameters
    ----------
    n_nodes
        Total number of nodes of all tables.
    """

    def __init__(self, n_nodes: int) -> None:
        self._ptr = np.zeros(n_nodes + 1, np.int64)
        self._neighbours, self._types = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        self._n_edges = 0

    def add(self, table: EdgeTable, first: int) -> None:
        """Add the edges of the nodes starting at ``first``."""
        if self._n_edges + table.n_edges:
            np.add(table.ptr[1:], self._n_edges, out=self._ptr[first + 1 : first + len(table.ptr)])
            self._neighbours.append(table.neighbours)
            self._types.append(table.types)
            self._n_edges += table.n_edges

    def table(self) -> EdgeTable:
        return EdgeTable(self._ptr, np.concatenate(self._neighbours), np.concatenate(self._types))


def _encode_packed(properties: PackedProperties, code: Code) -> NDArray[np.uint64]:
    """OR the codes of the symbols of each byte of the property bits, by lookup."""
    contributions = _byte_contributions(code)
    octets = np.ascontiguousarray(properties.bits).view(np.uint8)[:, : len(contributions)]
    result = np.zeros((properties.n_nodes, n_words(code.size)), dtype=np.uint64)
    for start in range(0, properties.n_nodes, _BLOCK_NODES):
        block = result[start : start + _BLOCK_NODES]
        found = np.empty_like(block)
        # One column of bytes at a time, short enough to stay in the cache.
        columns = np.ascontiguousarray(octets[start : start + _BLOCK_NODES].T)
        for table, column in zip(contributions, columns, strict=True):
            np.take(table, column, axis=0, out=found, mode="clip")
            block |= found
    return result


def _byte_contributions(code: Code) -> NDArray[np.uint64]:
    """Return, for each group of eight symbols and each of its 256 subsets, the OR of their codes."""
    n_octets, width = (code.n_owners + 7) // 8, n_words(code.size)
    own = np.zeros((n_octets * 8, width), np.uint64)
    for positions in code.positions.T:
        own[np.arange(code.n_owners), positions // 64] |= np.uint64(1) << (positions % 64).astype(np.uint64)
    tables = np.zeros((n_octets, 256, width), np.uint64)
    for bit, symbols in enumerate(own.reshape(n_octets, 8, width).swapaxes(0, 1)):
        tables[:, 1 << bit : 2 << bit] = tables[:, : 1 << bit] | symbols[:, None]
    return tables


def _encode_listed(properties: ListedProperties, code: Code) -> NDArray[np.uint64]:
    nodes, symbols = properties.pairs()
    rows = np.repeat(nodes, code.bits_per_owner)
    columns = code.positions[symbols].astype(np.int64).reshape(-1)
    rows, columns = sorted_pairs(rows, columns, code.size)
    return bits_from_pairs(rows, columns, properties.n_nodes, code.size)
