"""Evaluation of one graph that keeps every layer: the clauses true at each node, and the messages each node received.

Engines return the result only. Explanations also need the layers below it and the inboxes between them. The result
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
    """Evaluation of one graph, layer by layer (sections 3 and 9 of the semantics).

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
        For each layer ``d``, ``A^d``: at which nodes every literal of each clause holds up to layer ``d``,
        ``(clauses, nodes)``. Messages depend on it.
    strengths
        Strength of each clause at each node, ``(clauses, nodes)``; without grading, 1 where it is true.
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
    strengths: NDArray[np.uint8]
    messages: tuple[Int64Array, ...]

    __repr__ = short_repr

    @cached_property
    def outputs(self) -> NDArray[np.uint8]:
        """Strength of each clause for the graph: the largest of any readout node."""
        return np.asarray((self.strengths * self.readout).max(axis=1))

    @cached_property
    def strongest_at(self) -> BoolArray:
        """At which readout nodes each true clause is strongest; without grading, where it is true."""
        strongest = np.maximum(1, self.outputs)[:, None]
        return (self.strengths >= strongest) & self.readout

    @cached_property
    def fired(self) -> Int64Array:
        """Numbers of the clauses that are true of the graph: those with a strength above 0."""
        return np.flatnonzero(self.outputs)

    @cached_property
    def votes(self) -> Int64Array:
        """The vote sum of each output, not clipped."""
        weights = self.state.weights[:, self.fired].astype(np.int64)
        return np.asarray(weights @ self.outputs[self.fired].astype(np.int64))


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
    misses = _misses(included_literals(params, state, 0), bits)
    served = np.ones(1, np.bool_)
    if params.n_node_types > 1 and graphs.node_types is not None:
        types = np.arange(params.n_clauses) % params.n_node_types
        served = types[:, None] == graphs.node_types[nodes]
    truth, messages = [(misses == 0) & served], []
    for layer in range(1, params.depth):
        messages.append(_messages(params, edges, truth[-1]))
        misses = misses + _misses(included_literals(params, state, layer), messages[-1] > 0)
        truth.append((misses == 0) & served)
    strengths = truth[-1].view(np.uint8)
    if params.max_misses:
        strengths = np.where(served, np.maximum(0, params.max_misses + 1 - misses), 0).astype(np.uint8)
    readout = np.ones(len(bits), np.bool_) if graphs.readout is None else graphs.readout[nodes]
    return Trace(params, state, bits, edges, readout, tuple(truth), strengths, tuple(messages))


def included_literals(params: MachineParams, state: MachineState, layer: int) -> sparse.csr_array:
    """Return the included literals of a layer as a sparse matrix of ones, ``(clauses, literals)``."""
    return sparse.csr_array(state.includes(layer, params.state_bits), dtype=np.int32)


def code_matrix(code: Code) -> sparse.csr_array:
    """Return a code as a sparse matrix of ones, ``(owners, bits)``."""
    ptr = np.arange(code.n_owners + 1) * code.bits_per_owner
    ones = np.ones(code.positions.size, np.int64)
    return sparse.csr_array((ones, code.positions.reshape(-1), ptr), shape=(code.n_owners, code.size))


def _misses(includes: sparse.csr_array, bits: BoolArray) -> NDArray[np.int32]:
    """Return how many included literals do not hold, ``(clauses, nodes)``."""
    failing = np.concatenate([~bits, bits], axis=1).T.astype(np.int32)
    return np.asarray(includes @ failing)


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
