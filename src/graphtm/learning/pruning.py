"""Pruning: a shorter machine that has the same class sums on given graphs.

Removing a literal can only make a clause true at more nodes, or stronger. So every requirement on a clause is a lower
bound on its misses at some nodes, and a literal can be removed if no node at which it fails is at its bound. Bounds
never change while literals are removed. A literal that must stay, stays; one pass is enough.

Two things are required. A clause that votes keeps its output for every graph: its misses at a readout node are at
least those of the strongest node. And no clause hears anything new: a clause that is false at a node must stay false if
its message would set a bit that is not set now and that another clause reads. From the highest layer down, the bits
that are still read by the layer above are known when a layer is pruned.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from graphtm.codes import EncodedBatch
from graphtm.engines.base import Outputs
from graphtm.engines.reference import WEIGHT_LIMIT
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.learning.literal_bits import UNPACKED_BYTES, LiteralBits, bits_read
from graphtm.model import MachineParams, MachineState

_FREE = np.iinfo(np.int32).max


def pruned(
    params: MachineParams, state: MachineState, graphs: EncodedBatch, outputs: Outputs, *, verbose: bool = False
) -> tuple[MachineParams, MachineState]:
    """Return a shorter machine with the same class sums on these graphs.

    Parameters
    ----------
    params, state
        The machine.
    graphs
        Encoded graphs, at least one.
    outputs
        Outputs of the clauses for these graphs, ``(graphs, clauses)``.
    verbose
        Whether to show a progress bar.

    Returns
    -------
    params, state
        Removed literals have state 0, clauses without a vote the weight 0. Where :func:`can_lose_clauses`, clauses
        without a vote are gone; one clause is always left.
    """
    weights = merged_weights(outputs, state.weights)
    votes = np.asarray(weights.any(axis=0))
    pruning = _Pruning(params, state, graphs, outputs, votes)
    with tqdm(total=params.depth * params.n_clauses, desc="prune", unit="team", disable=not verbose) as bar:
        pruning.run(bar)
    automata = tuple(
        np.where(state.includes(layer, params.state_bits) & ~kept, 0, state.automata[layer])
        for layer, kept in enumerate(pruning.includes)
    )
    if can_lose_clauses(params) and not votes.all():
        left = np.flatnonzero(votes) if votes.any() else np.zeros(1, np.int64)
        automata, weights = (automata[0][left],), weights[:, left]
        params = replace(params, n_clauses=len(left))
    return params, replace(state, automata=automata, weights=weights)


def can_lose_clauses(params: MachineParams) -> bool:
    """Return whether nothing depends on the numbers of clauses: neither their messages nor the types they serve."""
    return params.depth == 1 and params.n_node_types <= 1


def merged_weights(outputs: Outputs, weights: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return weights that give the same class sums, with as few voting clauses as possible.

    Clauses that are false for all graphs lose their votes. Of clauses with equal outputs, the first gets the votes of
    all, as far as 32 bits hold them.

    Examples
    --------
    >>> merged_weights(np.array([[1, 1, 0], [2, 2, 0]], np.uint8), np.array([[3, 4, 5]], np.int32))
    array([[7, 0, 0]], dtype=int32)
    """
    merged = weights.astype(np.int64)
    merged[:, ~outputs.any(axis=0)] = 0
    first: dict[bytes, int] = {}
    for clause in np.flatnonzero(merged.any(axis=0)).tolist():
        column = outputs[:, clause].tobytes()
        earlier = first.setdefault(column, clause)
        if earlier == clause:
            continue
        total = merged[:, earlier] + merged[:, clause]
        if np.abs(total).max() <= WEIGHT_LIMIT:
            merged[:, earlier], merged[:, clause] = total, 0
        else:
            first[column] = clause
    return merged.astype(np.int32)


class _Pruning:
    """A machine on given graphs, whose literals are removed one by one; arguments are those of :func:`pruned`.

    Attributes
    ----------
    includes
        Literals that are still included, ``(clauses, literals)`` for each layer.
    """

    def __init__(
        self, params: MachineParams, state: MachineState, graphs: EncodedBatch, outputs: Outputs, votes: BoolArray
    ) -> None:
        self._params, self._outputs, self._votes = params, outputs, votes
        self.includes = [state.includes(layer, params.state_bits).copy() for layer in range(params.depth)]
        self._readout = np.ones(graphs.n_nodes, np.bool_) if graphs.readout is None else graphs.readout
        self._graph_of = np.repeat(np.arange(graphs.n_graphs), np.diff(graphs.node_ptr))
        self._n_types = max(1, params.n_node_types)
        untyped = np.zeros(graphs.n_nodes, np.int32)
        self._types = untyped if graphs.node_types is None or self._n_types == 1 else graphs.node_types
        self._edges = _edges_by_type(graphs) if params.depth > 1 else {}
        self._bits = self._bits_of_layers(graphs)
        self._inbox_matters = self._where_inboxes_matter()
        self._reads: dict[int, BoolArray] = {}

    def _bits_of_layers(self, graphs: EncodedBatch) -> list[LiteralBits]:
        """Evaluate the machine layer by layer, with all clauses and nodes at once (section 3 of the semantics)."""
        layers = [LiteralBits.of(graphs.bits, self.includes[0])]
        served = np.packbits(self._types == np.arange(self._n_types)[:, None], axis=1)
        truth = served[np.arange(self._params.n_clauses) % self._n_types]
        for layer in range(1, self._params.depth):
            for clause, included in enumerate(self.includes[layer - 1]):
                truth[clause] &= ~np.bitwise_or.reduce(layers[-1].failing(np.flatnonzero(included)), axis=0)
            layers.append(self._inboxes(layer, truth))
        return layers

    def _inboxes(self, layer: int, truth: NDArray[np.uint8]) -> LiteralBits:
        """Return the inboxes of a layer; ``truth`` has a packed row of nodes per clause."""
        assert self._params.message_code is not None  # noqa: S101 -- deep machines have one
        code, n_nodes = self._params.message_code, len(self._types)
        owners, positions = np.repeat(np.arange(code.n_owners), code.bits_per_owner), code.positions.reshape(-1)
        order = np.argsort(positions, kind="stable")
        owners_of = np.split(owners[order], np.cumsum(np.bincount(positions, minlength=code.size))[:-1])
        read = np.flatnonzero(bits_read(self.includes[layer]))
        packed = np.zeros((len(read), truth.shape[1]), np.uint8)
        for row, bit in enumerate(read.tolist()):
            arrived = np.zeros(n_nodes, np.bool_)
            for edge_type, (sources, destinations) in self._edges.items():
                senders = owners_of[(bit - edge_type) % code.size]
                if len(senders):
                    sends = np.unpackbits(np.bitwise_or.reduce(truth[senders], axis=0), count=n_nodes)
                    arrived[destinations[sends[sources] > 0]] = True
            packed[row] = np.packbits(arrived)
        return LiteralBits.with_rows(n_nodes, code.size, read, packed)

    def run(self, bar: Any) -> None:
        """Remove literals: layer by layer from the highest, clause by clause."""
        for layer in reversed(range(self._params.depth)):
            for clause in range(self._params.n_clauses):
                if self.includes[layer][clause].any():
                    self._prune_team(layer, clause)
                bar.update()
            self._reads[layer] = self._bits_read_by_type(layer)

    def _prune_team(self, layer: int, clause: int) -> None:
        """Remove literals of one clause and layer, by number, but negations first: they say less."""
        included = np.flatnonzero(self.includes[layer][clause])
        negated = included >= self.includes[layer].shape[1] // 2
        literals = np.concatenate([included[negated], included[~negated]])
        failing = self._bits[layer].failing(literals)
        # More slack than there are literals is never used up, so small integers do.
        slack = np.minimum(self._slack(layer, clause), len(literals)).astype(np.min_scalar_type(len(literals)))
        self.includes[layer][clause, literals[_removable(failing, slack)]] = False

    def _slack(self, layer: int, clause: int) -> NDArray[np.int32]:
        """Return how many of the literals that fail at each node can be removed from a layer, at least."""
        params = self._params
        slack = np.full(len(self._types), _FREE, np.int32)
        served = self._types == clause % self._n_types
        misses = sum((self._misses(lower, clause) for lower in range(layer)), np.zeros_like(slack))
        for upper in range(layer, params.depth):
            misses = misses + self._misses(upper, clause)
            if upper < params.depth - 1:
                nodes = np.flatnonzero(self._must_be_silent(upper, clause) & served)
                least: Any = 1
            elif self._votes[clause]:
                nodes = np.flatnonzero(self._readout & served)
                least = params.max_misses + 1 - self._outputs[self._graph_of[nodes], clause].astype(np.int32)
            else:
                continue
            slack[nodes] = np.minimum(slack[nodes], misses[nodes] - least)
        return slack

    def _misses(self, layer: int, clause: int) -> NDArray[np.int32]:
        return self._bits[layer].misses(np.flatnonzero(self.includes[layer][clause]))

    def _must_be_silent(self, layer: int, clause: int) -> BoolArray:
        """Return the nodes whose message would set a bit that some clause reads in the layer above and that is 0."""
        assert self._params.message_code is not None  # noqa: S101 -- deep machines have one
        reads, matters = self._reads[layer + 1], self._inbox_matters[layer + 1]
        silent = np.zeros(len(self._types), np.bool_)
        for position in self._params.message_code.positions[clause].tolist():
            for edge_type, (sources, destinations) in self._edges.items():
                bit = (position + edge_type) % self._params.message_size
                if reads[:, bit].any():
                    heard = reads[self._types, bit] & matters & ~self._bits[layer + 1].is_set(bit)
                    silent[sources[heard[destinations]]] = True
        return silent

    def _bits_read_by_type(self, layer: int) -> BoolArray:
        """Return which bits of a layer are read at nodes of each type, ``(types, bits)``."""
        return np.array([bits_read(self.includes[layer][first :: self._n_types]) for first in range(self._n_types)])

    def _where_inboxes_matter(self) -> dict[int, BoolArray]:
        """Return, for each layer from 1 on, the nodes whose inbox can reach a readout node."""
        matters, layers = self._readout, {}
        for layer in reversed(range(1, self._params.depth)):
            layers[layer] = matters
            matters = matters.copy()
            for sources, destinations in self._edges.values():
                matters[sources[layers[layer][destinations]]] = True
        return layers


def _removable(failing: NDArray[np.uint8], slack: NDArray[Any]) -> Int64Array:
    """Return which literals can be removed one after the other, in the given order.

    Where many can be removed, most are removed together, and the result is the same: a literal that fails nowhere
    without slack goes, one that fails where there is none stays.

    Parameters
    ----------
    failing
        Packed nodes at which each literal fails.
    slack
        Number of misses that each node can lose; it is used up.
    """
    step = max(1, UNPACKED_BYTES // len(slack))
    waiting = [np.arange(start, min(start + step, len(failing))) for start in range(0, len(failing), step)][::-1]
    removed = [np.zeros(0, np.int64)]
    while waiting:
        literals = waiting.pop()
        literals = literals[~(failing[literals] & np.packbits(slack == 0)).any(axis=1)]
        count = np.unpackbits(failing[literals], axis=1, count=len(slack)).sum(axis=0, dtype=slack.dtype)
        if (count <= slack).all():
            slack -= count
            removed.append(literals)
        else:
            waiting += [literals[len(literals) // 2 :], literals[: len(literals) // 2]]
    return np.concatenate(removed)


def _edges_by_type(graphs: EncodedBatch) -> dict[int, tuple[Int64Array, Int64Array]]:
    """Return the sources and destinations of the edges of each type, numbered across the batch."""
    table, starts = graphs.out_edges, np.repeat(graphs.node_ptr[:-1], np.diff(graphs.node_ptr))
    sources = table.near_ends()
    destinations = table.neighbours + starts[sources]
    return {
        number: (sources[table.types == number], destinations[table.types == number])
        for number in np.unique(table.types).tolist()
    }
