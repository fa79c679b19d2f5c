"""The symbols of nodes, from the order in which scripts add them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import Int64Array, ragged
from graphtm.foundation.properties import Properties

_BLOCK_NODES = 1 << 16
_DENSE = 32


def properties_of(runs: Sequence[int], carried: bytearray | list[int], n_nodes: int, n_symbols: int) -> Properties:
    """Return the symbols of all nodes.

    Parameters
    ----------
    runs
        For each run of symbols of the same node, two numbers: the node, and the place after its first symbol.
    carried
        The symbols of all nodes, in the order of the calls.
    n_nodes, n_symbols
        Number of nodes and of symbols.
    """
    nodes, after_first = np.fromiter(runs, np.int64, len(runs)).reshape(-1, 2).T
    starts = np.append(after_first - 1, len(carried))
    if isinstance(carried, bytearray):
        symbols: NDArray[Any] = np.frombuffer(carried, np.uint8)
    else:
        symbols = np.fromiter(carried, np.int32, len(carried))
    in_order = bool((np.diff(nodes) >= 0).all())
    order = np.arange(0) if in_order else np.argsort(nodes, kind="stable")
    sorted_nodes, lengths, tables = nodes if in_order else nodes[order], np.diff(starts), []
    for first in range(0, max(1, n_nodes), _BLOCK_NODES):
        size = min(_BLOCK_NODES, n_nodes - first)
        start, stop = np.searchsorted(sorted_nodes, [first, first + size]).tolist()
        chosen = slice(start, stop) if in_order else order[start:stop]
        rows = np.repeat(nodes[chosen] - first, lengths[chosen])
        tables.append(_table(rows, symbols[ragged(starts, chosen)], size, n_symbols))
    return property_tables.concatenate(tables)


def _table(rows: Int64Array, symbols: NDArray[Any], n_nodes: int, n_symbols: int) -> Properties:
    """Return the symbols of a block of nodes."""
    if n_nodes * n_symbols > _DENSE * len(symbols):
        return property_tables.from_pairs(rows, symbols.astype(np.int64), n_nodes, n_symbols)
    matrix = np.zeros(n_nodes * n_symbols, np.bool_)
    matrix[rows * n_symbols + symbols] = True
    return property_tables.from_matrix(matrix.reshape(n_nodes, n_symbols))
