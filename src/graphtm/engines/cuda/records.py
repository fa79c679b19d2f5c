"""Layout of graphs in device memory: a record for each, and the largest sizes of all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.cuda import structs
from graphtm.errors import GraphTMError
from graphtm.foundation.arrays import ragged
from graphtm.foundation.properties import n_words
from graphtm.model import MachineParams

Form: TypeAlias = Literal["auto", "always", "never"]
_MOST_NODES = 32  # of a graph by nodes, which has one word of node bits
_MOST_EDGES = 1024
_FEW_NODES = 8  # without messages, rows are faster for more nodes
_LARGEST = 2**31 - 64  # of sizes that kernels store in 32 bits, rounded up to whole words
ONE_WORD, TWO_WORDS = 6, 7  # `lanes` of graphs of up to 32 and up to 64 nodes


@dataclass(frozen=True)
class Sizes:
    """Largest sizes of some graphs, in 32-bit words.

    Parameters
    ----------
    record
        Words of a record.
    truth
        Words of a row of truth values, one bit per node.
    row_nodes, row_stride
        Nodes and words of a row, of graphs by rows; 0 if there are none.
    node_nodes
        Nodes of graphs by nodes; 0 if there are none.
    """

    record: int
    truth: int
    row_nodes: int
    row_stride: int
    node_nodes: int


def in_fours(n: Any) -> Any:
    """Round numbers of words up to a multiple of 4, so that the next data is aligned."""
    return -(-n // 4) * 4


def heads_of(graphs: EncodedBatch, params: MachineParams, rows: Form = "auto") -> NDArray[Any]:
    """Return the position and layout of the record of each graph.

    Parameters
    ----------
    graphs
        Graphs encoded for the machine.
    params
        The machine.
    rows
        Whether records are by rows: ``"always"``, ``"never"`` (unless a graph is too large), or ``"auto"`` where it is
        faster.

    Raises
    ------
    GraphTMError
        If a graph is too large for the kernels.
    """
    counts, n_edges = np.diff(graphs.node_ptr), np.diff(graphs.in_edges.ptr[graphs.node_ptr])
    few = {"auto": _FEW_NODES if params.depth == 1 else _MOST_NODES, "always": 0, "never": _MOST_NODES}[rows]
    by_rows = (counts > few) | (n_edges > _MOST_EDGES)
    size, masks = params.hypervector_size, max(1, params.n_node_types) + 1
    words = -(-counts // 32)
    # Rows of more than two words are read in fours; an odd number of fours spreads columns over memory banks.
    fours = -(-words // 4)
    stride = np.where(words <= 2, words, 4 * (fours | 1))
    length = np.where(by_rows, (size + masks) * stride, counts * 2 * n_words(size) + masks + 2 * n_edges)
    length = in_fours(length)
    if int(np.maximum(length, counts).max(initial=0)) > _LARGEST:
        raise GraphTMError(
            "The CUDA engine supports graphs of at most 2^31 nodes or words of node bits; got a graph of "
            f"{counts.max():,} nodes with {size:,} bits and {masks - 1:,} node types. Use engine='cpu'."
        )
    heads = np.zeros(len(counts), structs.HEAD)
    heads["at"] = np.concatenate([[0], np.cumsum(length)[:-1]]) if len(length) else 0
    heads["first"] = graphs.node_ptr[:-1]
    heads["n_nodes"], heads["stride"], heads["n_words"] = counts, stride, length
    heads["n_edges"], heads["by_rows"] = np.where(by_rows, 0, n_edges), by_rows
    lanes = np.ceil(np.log2(np.clip(fours, 1, 32)))
    heads["lanes"] = np.select([words <= 1, words <= 2], [ONE_WORD, TWO_WORDS], lanes)
    return heads


def sizes_of(heads: NDArray[Any]) -> Sizes:
    """Return the largest sizes of graphs with these heads."""
    rows, nodes = heads[heads["by_rows"] == 1], heads[heads["by_rows"] == 0]
    return Sizes(
        record=int(heads["n_words"].max(initial=0)),
        truth=int(heads["stride"].max(initial=1)),
        row_nodes=int(rows["n_nodes"].max(initial=0)),
        row_stride=int(rows["stride"].max(initial=0)),
        node_nodes=int(nodes["n_nodes"].max(initial=0)),
    )


def common_of(heads: NDArray[Any]) -> dict[str, int]:
    """Return the fields of heads that are the same for all graphs."""
    return {name: int(heads[name][0]) for name in heads.dtype.names or () if len(heads) and np.ptp(heads[name]) == 0}


def check_sizes(params: MachineParams, sizes: Sizes) -> None:
    """Check that the inboxes of the largest graph are not too large for the kernels.

    Raises
    ------
    GraphTMError
        If they are.
    """
    # By rows, an inbox has a row for each bit; by nodes, the inboxes of all layers are stored together.
    by_rows = params.message_size * sizes.row_stride
    by_nodes = (params.depth - 1) * (sizes.node_nodes * 2 * n_words(params.message_size) + 4)
    if max(by_rows, by_nodes) > _LARGEST:
        raise GraphTMError(
            "The CUDA engine supports inboxes of at most 2^31 words in a graph; got a graph of "
            f"{max(sizes.row_nodes, sizes.node_nodes):,} nodes with messages of {params.message_size:,} bits in "
            f"{params.depth - 1:,} layers. Lower message_size, with message_encoding='random', or use engine='cpu'."
        )


def bytes_of(graphs: EncodedBatch, heads: NDArray[Any]) -> NDArray[np.int64]:
    """Return the device memory of each graph while it is packed: record, bits and edges."""
    n_nodes, n_edges = np.diff(graphs.node_ptr), np.diff(graphs.in_edges.ptr[graphs.node_ptr])
    per_node = 8 * graphs.bits.shape[1] + 8 + 5  # bits, edge pointer, type, and whether it is a readout node
    return np.asarray(4 * heads["n_words"].astype(np.int64) + per_node * n_nodes + 8 * n_edges + structs.HEAD.itemsize)


def slices(sizes: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Yield slices of items whose sizes sum to at most ``most``; a larger item is in a slice of its own."""
    upto, first = np.cumsum(sizes), 0
    while first < len(sizes):
        before = int(upto[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(upto, before + most, side="right")))
        yield slice(first, last)
        first = last


def taken(graphs: EncodedBatch, which: NDArray[np.int64]) -> EncodedBatch:
    """Return the graphs with these numbers, in this order."""
    nodes = ragged(graphs.node_ptr, which)
    counts = np.diff(graphs.node_ptr)[which]
    return EncodedBatch(
        graphs.bits[nodes],
        graphs.n_bits,
        np.concatenate([[0], np.cumsum(counts)]),
        graphs.out_edges.select(nodes),
        graphs.in_edges.select(nodes),
        None if graphs.node_types is None else graphs.node_types[nodes],
        None if graphs.readout is None else graphs.readout[nodes],
    )
