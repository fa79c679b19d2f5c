"""Encoding: from symbols in the user's names to the packed bits that engines read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.codes.schemes import Code
from graphtm.errors import CodeError
from graphtm.graphs import GraphBatch, PackedGraphs
from graphtm.graphs import edges as edge_tables
from graphtm.graphs.arrays import BoolArray, FrozenArrays, Int32Array, Int64Array, pointers
from graphtm.graphs.edges import EdgeTable
from graphtm.graphs.properties import (
    ListedProperties,
    PackedProperties,
    bits_from_pairs,
    n_words,
    sorted_pairs,
)


@dataclass(frozen=True, eq=False)
class EncodedBatch(FrozenArrays):
    """Graphs as engines read them: a hypervector per node, edges, and no symbols.

    Bit ``k % 64`` of word ``k // 64`` of a node's row in ``bits`` is literal ``k``, the padding above ``size`` is
    0. The negated literals ``size + k`` are the complement and are not stored. The other arrays are those of
    :class:`graphtm.graphs.PackedGraphs`.
    """

    bits: NDArray[np.uint64]
    size: int
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


def encode(batch: GraphBatch, code: Code) -> EncodedBatch:
    """Return the graphs with a hypervector per node: the OR of the codes of its symbols.

    A lazy batch is encoded chunk by chunk, so that its symbolic form never exists as a whole.

    Raises
    ------
    CodeError
        If the code is not one for the vocabulary of the graphs.
    """
    n_symbols = len(batch.vocabulary.symbols)
    if code.n_owners != n_symbols:
        raise CodeError(
            f"A symbol code must have one entry per symbol of the graphs, {n_symbols:,}; "
            f"it has {code.n_owners:,}. Match the graphs with the model's vocabulary first."
        )
    if not batch.is_lazy:
        return _encode_graphs(batch.pack(), code)
    parts = [_encode_graphs(chunk.pack(), code) for chunk in batch.chunks()]
    if len(parts) < 2:
        return parts[0] if parts else _encode_graphs(batch.pack(), code)
    return _joined(parts)


def _encode_graphs(graphs: PackedGraphs, code: Code) -> EncodedBatch:
    properties = graphs.properties
    if isinstance(properties, PackedProperties):
        same = code.scheme == "one_hot" and code.size == properties.n_symbols
        bits = properties.bits if same else _encode_packed(properties, code)
    else:
        bits = _encode_listed(properties, code)
    return EncodedBatch(
        bits, code.size, graphs.node_ptr, graphs.out_edges, graphs.in_edges, graphs.node_types, graphs.readout
    )


def _joined(parts: Sequence[EncodedBatch]) -> EncodedBatch:
    node_types = [part.node_types for part in parts if part.node_types is not None]
    readout = None
    if any(part.readout is not None for part in parts):
        readout = np.concatenate(
            [np.ones(part.n_nodes, np.bool_) if part.readout is None else part.readout for part in parts]
        )
    return EncodedBatch(
        np.concatenate([part.bits for part in parts]),
        parts[0].size,
        pointers(np.concatenate([np.diff(part.node_ptr) for part in parts])),
        edge_tables.concatenate([part.out_edges for part in parts]),
        edge_tables.concatenate([part.in_edges for part in parts]),
        np.concatenate(node_types) if node_types else None,
        readout,
    )


def literal_words(size: int) -> int:
    """Return how many words hold all literals of a hypervector, the negated ones included."""
    return 2 * n_words(size)


def literal_place(literal: int, size: int) -> tuple[int, int]:
    """Return word and bit of a literal: ``k`` for bit ``k``, ``size + k`` for its negation.

    Examples
    --------
    >>> literal_place(65, size=70), literal_place(70 + 65, size=70)
    ((1, 1), (3, 1))
    """
    negated, position = divmod(literal, size)
    return negated * n_words(size) + position // 64, position % 64


def full_literals(bits: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Return rows of all literals: the bits, then their complement, padding 0 in both halves."""
    negated = ~bits
    if size % 64:
        negated[:, -1] &= np.uint64((1 << size % 64) - 1)
    return np.concatenate([bits, negated], axis=1)


def _encode_packed(properties: PackedProperties, code: Code) -> NDArray[np.uint64]:
    """OR together, for each byte of the property bits, what its 256 values contribute."""
    octets = np.ascontiguousarray(properties.bits).view(np.uint8)
    width = n_words(code.size)
    result = np.zeros((properties.n_nodes, width), dtype=np.uint64)
    for first in range(0, properties.n_symbols, 8):
        contributions = np.zeros((256, width), dtype=np.uint64)
        for bit, positions in enumerate(code.positions[first : first + 8]):
            carriers = np.flatnonzero(np.arange(256) >> bit & 1)
            for position in positions.tolist():
                contributions[carriers, position // 64] |= np.uint64(1 << position % 64)
        result |= contributions[octets[:, first // 8]]
    return result


def _encode_listed(properties: ListedProperties, code: Code) -> NDArray[np.uint64]:
    nodes, symbols = properties.pairs()
    rows = np.repeat(nodes, code.bits)
    columns = code.positions[symbols].astype(np.int64).reshape(-1)
    rows, columns = sorted_pairs(rows, columns, code.size)
    return bits_from_pairs(rows, columns, properties.n_nodes, code.size)
