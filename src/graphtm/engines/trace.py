"""Evaluation of one graph that keeps every layer: the clauses true at each node, and the messages each node received.

Engines return the last layer only. Explanations also need the layers below it and the inboxes between them. The result
equals the oracle's, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphtm.codes import Code, EncodedBatch
from graphtm.engines.base import check_graphs
from graphtm.foundation.arrays import BoolArray, Int64Array, WithoutCaches
from graphtm.foundation.properties import unpack_bits
from graphtm.foundation.short_repr import short_repr
from graphtm.model import MachineParams, MachineState


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges of one graph, as numbers, sorted by source, destination and type."""

    sources: Int64Array
    destinations: Int64Array
    types: Int64Array

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.sources)


@dataclass(frozen=True, eq=False)
class Trace(WithoutCaches):
    """Evaluation of one graph, layer by layer (section 3 of the semantics).

    Parameters
    ----------
    params, state
        The machine.
    bits
        Hypervectors of the nodes, ``(nodes, bits)``.
    edges
        Edges of the graph.
    readout
        Which nodes are readout nodes.
    truth
        For each layer ``d``, ``A^d``: at which nodes each clause is true up to layer ``d``, ``(clauses, nodes)``.
    messages
        For each layer from 1 on, the number of messages that set each bit of each inbox, ``(nodes, bits)``. A message
        is one pair of edge and clause. A bit of the inbox is set where the number is not 0.
    """

    params: MachineParams
    state: MachineState
    bits: BoolArray
    edges: Edges
    readout: BoolArray
    truth: tuple[BoolArray, ...]
    messages: tuple[Int64Array, ...]

    __repr__ = short_repr

    @cached_property
    def true_at(self) -> BoolArray:
        """At which readout nodes each clause is true."""
        return self.truth[-1] & self.readout

    @cached_property
    def fired(self) -> Int64Array:
        """Numbers of the clauses that are true of the graph."""
        return np.flatnonzero(self.true_at.any(axis=1))

    @cached_property
    def votes(self) -> Int64Array:
        """The vote sum of each output, not clipped."""
        return np.asarray(self.state.weights[:, self.fired].sum(axis=1, dtype=np.int64))


def trace_graph(params: MachineParams, state: MachineState, graphs: EncodedBatch, graph: int = 0) -> Trace:
    """Evaluate one graph of a batch and keep every layer.

    Parameters
    ----------
    params, state
        The machine.
    graphs
        Encoded graphs.
    graph
        Index of the graph to evaluate.

    Raises
    ------
    GraphTMError
        If the graphs are encoded for a machine of another size or with other node types.
    """
    check_graphs(params, graphs)
    nodes = slice(int(graphs.node_ptr[graph]), int(graphs.node_ptr[graph + 1]))
    table = graphs.out_edges.select(nodes)
    edges = Edges(table.near_ends(), table.neighbours.astype(np.int64), table.types.astype(np.int64))
    bits = unpack_bits(graphs.bits[nodes], params.hypervector_size)
    truth = [_holds(included_literals(params, state, 0), bits)]
    if params.n_node_types > 1 and graphs.node_types is not None:
        served = np.arange(params.n_clauses) % params.n_node_types
        truth[0] &= served[:, None] == graphs.node_types[nodes]
    messages = []
    for layer in range(1, params.depth):
        messages.append(_messages(params, edges, truth[-1]))
        truth.append(truth[-1] & _holds(included_literals(params, state, layer), messages[-1] > 0))
    readout = np.ones(len(bits), np.bool_) if graphs.readout is None else graphs.readout[nodes]
    return Trace(params, state, bits, edges, readout, tuple(truth), tuple(messages))


def included_literals(params: MachineParams, state: MachineState, layer: int) -> sparse.csr_array:
    """Return the included literals of a layer as a sparse matrix of ones, ``(clauses, literals)``."""
    return sparse.csr_array(state.includes(layer, params.state_bits), dtype=np.int32)


def code_matrix(code: Code) -> sparse.csr_array:
    """Return a code as a sparse matrix of ones, ``(owners, bits)``."""
    ptr = np.arange(code.n_owners + 1) * code.bits_per_owner
    ones = np.ones(code.positions.size, np.int64)
    return sparse.csr_array((ones, code.positions.reshape(-1), ptr), shape=(code.n_owners, code.size))


def _holds(includes: sparse.csr_array, bits: BoolArray) -> BoolArray:
    """Return where all included literals hold, ``(clauses, nodes)``."""
    failing = np.concatenate([~bits, bits], axis=1).T.astype(np.int32)
    return np.asarray(includes @ failing == 0)


def _messages(params: MachineParams, edges: Edges, truth: BoolArray) -> Int64Array:
    """Return the number of messages that set each bit of each inbox: codes of true clauses, shifted by edge type."""
    assert params.message_code is not None  # noqa: S101 -- deep machines have one
    sent: NDArray[np.int64] = (code_matrix(params.message_code).T @ truth.astype(np.int64)).T
    count = np.zeros_like(sent)
    for edge_type in np.unique(edges.types).tolist():
        chosen = edges.types == edge_type
        senders, place = np.unique(edges.sources[chosen], return_inverse=True)
        ones = np.ones(len(place), np.int64)
        arrives = sparse.csr_array((ones, (edges.destinations[chosen], place)), shape=(len(count), len(senders)))
        count += arrives @ np.roll(sent[senders], edge_type, axis=1)
    return count
