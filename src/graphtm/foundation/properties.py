"""Properties of nodes, stored as packed bits or as sorted lists of symbol numbers.

A bit matrix is smaller if the vocabulary is small or nodes have many symbols; lists are smaller if the vocabulary is
large and nodes have few symbols. :func:`from_pairs` and :func:`from_matrix` choose the smaller layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from graphtm.foundation.arrays import (
    BoolArray,
    FrozenArrays,
    Int32Array,
    Int64Array,
    WordArray,
    pointers,
    ragged,
    selected_pointers,
)

Pairs: TypeAlias = tuple[Int64Array, Int64Array]
_UNPACKED_BYTES = 1 << 24


def n_words(n_bits: int) -> int:
    """Return the number of 64-bit words that hold ``n_bits`` bits."""
    return (n_bits + 63) // 64


@dataclass(frozen=True, eq=False)
class PackedProperties(FrozenArrays):
    """Properties as bits: bit ``k % 64`` of word ``k // 64`` in a node's row is 1 if the node has symbol ``k``."""

    bits: WordArray
    n_symbols: int

    @property
    def n_nodes(self) -> int:
        return len(self.bits)

    @property
    def n_pairs(self) -> int:
        return sum(int(np.count_nonzero(piece)) for _, piece in self._unpacked())

    @property
    def nbytes(self) -> int:
        return self.bits.nbytes

    def pairs(self) -> Pairs:
        """Return node numbers and symbol numbers, sorted by node, then symbol."""
        nodes, symbols = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for start, piece in self._unpacked():
            node, symbol = np.nonzero(piece)
            nodes.append(node + start)
            symbols.append(symbol)
        return np.concatenate(nodes), np.concatenate(symbols)

    def _unpacked(self) -> Iterator[tuple[int, BoolArray]]:
        """Yield the unpacked matrix in blocks of rows, since all of it might not fit into memory."""
        step = max(1, _UNPACKED_BYTES // max(1, self.n_symbols))
        for start in range(0, self.n_nodes, step):
            yield start, unpack_bits(self.bits[start : start + step], self.n_symbols)

    def select(self, nodes: Int64Array | slice) -> PackedProperties:
        return PackedProperties(self.bits[nodes], self.n_symbols)

    def frequencies(self) -> Int64Array:
        """Return the number of nodes that have each symbol."""
        total = np.zeros(self.n_symbols, np.int64)
        for _, piece in self._unpacked():
            total += np.count_nonzero(piece, axis=0)
        return total


@dataclass(frozen=True, eq=False)
class ListedProperties(FrozenArrays):
    """Properties as lists: ``ids[ptr[n]:ptr[n + 1]]`` are the symbol numbers of node ``n``, ascending."""

    ptr: Int64Array
    ids: Int32Array
    n_symbols: int

    @property
    def n_nodes(self) -> int:
        return len(self.ptr) - 1

    @property
    def n_pairs(self) -> int:
        return len(self.ids)

    @property
    def nbytes(self) -> int:
        return self.ptr.nbytes + self.ids.nbytes

    def pairs(self) -> Pairs:
        """Return node numbers and symbol numbers, sorted by node, then symbol."""
        return np.repeat(np.arange(self.n_nodes), np.diff(self.ptr)), self.ids.astype(np.int64)

    def select(self, nodes: Int64Array | slice) -> ListedProperties:
        return ListedProperties(selected_pointers(self.ptr, nodes), self.ids[ragged(self.ptr, nodes)], self.n_symbols)

    def frequencies(self) -> Int64Array:
        """Return the number of nodes that have each symbol."""
        return np.bincount(self.ids, minlength=self.n_symbols)


Properties: TypeAlias = PackedProperties | ListedProperties


def pack_bits(matrix: BoolArray) -> WordArray:
    """Return the rows of a Boolean matrix as 64-bit words; padding bits are 0."""
    n_rows, n_columns = matrix.shape
    packed = np.zeros((n_rows, n_words(n_columns) * 8), dtype=np.uint8)
    packed[:, : (n_columns + 7) // 8] = np.packbits(matrix, axis=1, bitorder="little")
    return packed.view(np.uint64)


def unpack_bits(bits: WordArray, n_columns: int) -> BoolArray:
    """Return 64-bit words as a Boolean matrix with ``n_columns`` columns."""
    if n_columns == 0:
        return np.zeros((len(bits), 0), dtype=np.bool_)
    octets = np.ascontiguousarray(bits).view(np.uint8)
    return np.unpackbits(octets, axis=1, count=n_columns, bitorder="little").view(np.bool_)


def bits_from_pairs(rows: Int64Array, columns: Int64Array, n_rows: int, n_columns: int) -> WordArray:
    """Return words with the given bits set; the pairs must be sorted and distinct."""
    width = n_words(n_columns)
    bits = np.zeros(n_rows * width, dtype=np.uint64)
    if len(rows):
        word = rows * width + (columns >> 6)
        first = np.flatnonzero(np.diff(word, prepend=-1))
        bits[word[first]] = np.bitwise_or.reduceat(np.uint64(1) << (columns & 63).astype(np.uint64), first)
    return bits.reshape(n_rows, width)


def sorted_pairs(rows: Int64Array, columns: Int64Array, n_columns: int) -> Pairs:
    """Return the distinct pairs, sorted by row, then column. Both must be below 2^31."""
    shift = max(1, n_columns - 1).bit_length()
    key = (rows << shift) | columns
    if not np.all(key[1:] > key[:-1]):
        key.sort()
        key = key[np.flatnonzero(np.diff(key, prepend=-1))]
    return key >> shift, key & ((1 << shift) - 1)


def from_pairs(nodes: Int64Array, symbols: Int64Array, n_nodes: int, n_symbols: int) -> Properties:
    """Return properties from (node, symbol) pairs in any order; duplicates are ignored."""
    nodes, symbols = sorted_pairs(nodes, symbols, n_symbols)
    if _packed_is_smaller(n_nodes, n_symbols, len(nodes)):
        return PackedProperties(bits_from_pairs(nodes, symbols, n_nodes, n_symbols), n_symbols)
    ptr = pointers(np.bincount(nodes, minlength=n_nodes))
    return ListedProperties(ptr, symbols.astype(np.int32), n_symbols)


def from_matrix(matrix: BoolArray) -> Properties:
    """Return properties from a Boolean matrix with one row per node and one column per symbol."""
    n_nodes, n_symbols = matrix.shape
    if _packed_is_smaller(n_nodes, n_symbols, int(np.count_nonzero(matrix))):
        return PackedProperties(pack_bits(matrix), n_symbols)
    nodes, symbols = np.nonzero(matrix)
    return from_pairs(nodes, symbols, n_nodes, n_symbols)


def _packed_is_smaller(n_nodes: int, n_symbols: int, n_pairs: int) -> bool:
    return n_nodes * n_words(n_symbols) * 8 <= (n_nodes + 1) * 8 + n_pairs * 4


def concatenate(tables: Sequence[Properties]) -> Properties:
    """Concatenate tables over the same symbols."""
    n_symbols, n_nodes = tables[0].n_symbols, sum(table.n_nodes for table in tables)
    smaller = _packed_is_smaller(n_nodes, n_symbols, sum(table.n_pairs for table in tables))
    packed = [table.bits for table in tables if isinstance(table, PackedProperties)]
    if smaller and len(packed) == len(tables):
        return PackedProperties(np.concatenate(packed), n_symbols)
    offsets = pointers(np.array([table.n_nodes for table in tables]))
    pairs = [table.pairs() for table in tables]
    nodes = np.concatenate([node + offset for (node, _), offset in zip(pairs, offsets[:-1], strict=True)])
    return from_pairs(nodes, np.concatenate([symbol for _, symbol in pairs]), n_nodes, n_symbols)


def renumber(table: Properties, numbers: Int64Array, n_symbols: int) -> Properties:
    """Return the table with symbol ``k`` renumbered to ``numbers[k]``; -1 removes the symbol."""
    unchanged = np.array_equal(numbers, np.arange(table.n_symbols))
    smaller = _packed_is_smaller(table.n_nodes, n_symbols, table.n_pairs)
    if unchanged and smaller and isinstance(table, PackedProperties):
        wider = n_words(n_symbols) - n_words(table.n_symbols)
        return PackedProperties(np.pad(table.bits, ((0, 0), (0, wider))) if wider else table.bits, n_symbols)
    if unchanged and not smaller and isinstance(table, ListedProperties):
        return ListedProperties(table.ptr, table.ids, n_symbols)
    nodes, symbols = table.pairs()
    symbols = numbers[symbols]
    known = symbols >= 0
    return from_pairs(nodes[known], symbols[known], table.n_nodes, n_symbols)


def equal(one: Properties, other: Properties) -> bool:
    """Whether two tables hold the same properties, in any layout."""
    if (one.n_nodes, one.n_symbols) != (other.n_nodes, other.n_symbols):
        return False
    if isinstance(one, PackedProperties) and isinstance(other, PackedProperties):
        return np.array_equal(one.bits, other.bits)
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one.pairs(), other.pairs(), strict=True))
