"""Bits of a layer stored by literal, for questions such as "at which nodes does this literal fail?"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import BoolArray, Int64Array, WordArray
from graphtm.foundation.properties import unpack_bits

Bytes = NDArray[np.uint8]
UNPACKED_BYTES = 1 << 24
"""Largest memory for bits that are unpacked at a time."""


@dataclass(frozen=True, eq=False)
class LiteralBits:
    """The bits that a layer reads, one packed row over all nodes for each bit that some clause reads.

    Parameters
    ----------
    n_nodes
        Number of nodes.
    rows
        Row of each bit of the layer; -1 for bits that no clause reads.
    packed
        The rows, as ``numpy.packbits`` returns them.
    """

    n_nodes: int
    rows: Int64Array
    packed: Bytes

    @classmethod
    def of(cls, words: WordArray, includes: BoolArray) -> LiteralBits:
        """Return the bits that clauses read, from the packed bits of each node.

        Parameters
        ----------
        words
            Bits of the nodes, ``(nodes, words)``.
        includes
            Included literals of the layer, ``(clauses, literals)``.
        """
        n_nodes, size = len(words), includes.shape[1] // 2
        read = np.flatnonzero(bits_read(includes))
        packed = np.zeros((len(read), (n_nodes + 7) // 8), np.uint8)
        step = max(8, UNPACKED_BYTES // max(1, size) // 8 * 8)  # whole bytes
        for start in range(0, n_nodes, step):
            block = unpack_bits(words[start : start + step], size)[:, read]
            packed[:, start // 8 : (start + step) // 8] = np.packbits(block.T, axis=1)
        return cls.with_rows(n_nodes, size, read, packed)

    @classmethod
    def with_rows(cls, n_nodes: int, size: int, read: Int64Array, packed: Bytes) -> LiteralBits:
        """Return a layer of ``size`` bits from the packed rows of the bits that are read."""
        rows = np.full(size, -1, np.int64)
        rows[read] = np.arange(len(read))
        return cls(n_nodes, rows, packed)

    def failing(self, literals: Int64Array) -> Bytes:
        """Return the packed rows of the nodes at which included literals do not hold; padding is arbitrary."""
        size = len(self.rows)
        flipped = np.where(literals < size, 0xFF, 0).astype(np.uint8)
        return np.asarray(self.packed[self.rows[literals % size]] ^ flipped[:, None])

    def misses(self, literals: Int64Array) -> NDArray[np.int32]:
        """Return the number of these literals that do not hold, for each node."""
        total = np.zeros(self.n_nodes, np.int32)
        step = min(255, max(1, UNPACKED_BYTES // max(1, self.n_nodes)))  # a byte counts up to 255
        for start in range(0, len(literals), step):
            failing = np.unpackbits(self.failing(literals[start : start + step]), axis=1, count=self.n_nodes)
            total += failing.sum(axis=0, dtype=np.uint8)
        return total

    def is_set(self, bit: int) -> BoolArray:
        """Return the nodes at which a bit, which some clause must read, is set."""
        return np.unpackbits(self.packed[self.rows[bit]], count=self.n_nodes).view(np.bool_)


def bits_read(includes: BoolArray) -> BoolArray:
    """Return which bits of a layer these clauses read, plain or negated."""
    size = includes.shape[1] // 2
    return np.asarray((includes[:, :size] | includes[:, size:]).any(axis=0))
