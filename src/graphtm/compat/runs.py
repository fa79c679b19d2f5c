"""The symbols of nodes, from the order in which scripts add them."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import Int64Array, ragged
from graphtm.foundation.properties import Properties

_BLOCK_NODES = 1 << 16
_DENSE = 32


def array_of(numbers: list[int]) -> Int64Array:
    """Return numbers from 0 on as an array; several times faster than NumPy converts a list."""
    return np.frombuffer(array("Q", numbers), np.int64)


def properties_of(firsts: list[int], runs: list[int], others: bytearray | list[int], n_symbols: int) -> Properties:
    """Return the symbols of all nodes.

    Parameters
    ----------
    firsts
        The first symbol of each node, or -1.
    runs
        For each run of other symbols of the same node, two numbers: the node, and the place after its first symbol.
    others
        The other symbols of all nodes, in the order of the calls.
    n_symbols
        Number of symbols.
    """
    n_nodes = len(firsts)
    first_symbols = np.frombuffer(array("i", firsts), np.int32)
    nodes, after_first = array_of(runs).reshape(-1, 2).T
    starts = np.append(after_first, len(others) + 1) - 1
    if isinstance(others, bytearray):
        symbols: NDArray[Any] = np.frombuffer(others, np.uint8)
    else:
        symbols = array_of(others)
    lengths = np.diff(starts)
    if n_nodes <= _BLOCK_NODES:
        return _table(first_symbols, np.repeat(nodes, lengths), symbols, n_symbols)
    order = np.argsort(nodes, kind="stable")
    nodes, lengths, tables = nodes[order], lengths[order], []
    for first in range(0, n_nodes, _BLOCK_NODES):
        start, stop = np.searchsorted(nodes, [first, first + _BLOCK_NODES]).tolist()
        rows = np.repeat(nodes[start:stop] - first, lengths[start:stop])
        block = first_symbols[first : first + _BLOCK_NODES]
        tables.append(_table(block, rows, symbols[ragged(starts, order[start:stop])], n_symbols))
    return property_tables.concatenate(tables)


def _table(firsts: NDArray[np.int32], nodes: Int64Array, symbols: NDArray[Any], n_symbols: int) -> Properties:
    """Return the symbols of a block of nodes: the first of each, and the others."""
    n_nodes, carriers = len(firsts), np.flatnonzero(firsts >= 0)
    if n_nodes * n_symbols > _DENSE * (len(symbols) + len(carriers)):
        rows, columns = np.concatenate([carriers, nodes]), np.concatenate([firsts[carriers], symbols]).astype(np.int64)
        return property_tables.from_pairs(rows, columns, n_nodes, n_symbols)
    matrix = np.zeros((n_nodes, n_symbols), np.bool_)
    matrix[carriers, firsts[carriers]] = True
    matrix[nodes, symbols] = True
    return property_tables.from_matrix(matrix)
