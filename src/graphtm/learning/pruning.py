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
from graphtm.engines.trace import edges_of, inboxes
from graphtm.foundation.arrays import BoolArray
from graphtm.learning.literal_bits import LiteralBits, bits_read
from graphtm.model import MachineParams, MachineState

_FREE = np.iinfo(np.int32).max
_WEIGHT_LIMIT = np.iinfo(np.int32).max


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
        if np.abs(total).max() <= _WEIGHT_LIMIT:
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
        self._automata = state.automata
        self.includes = [state.includes(layer, params.state_bits).copy() for layer in range(params.depth)]
        words = (graphs.bits, *inboxes(params, state, graphs))
        self._bits = [LiteralBits.of(layer, includes) for layer, includes in zip(words, self.includes, strict=True)]
        self._edges = edges_of(graphs, 0, graphs.n_graphs)
        self._readout = np.ones(graphs.n_nodes, np.bool_) if graphs.readout is None else graphs.readout
        self._graph_of = np.repeat(np.arange(graphs.n_graphs), np.diff(graphs.node_ptr))
        self._n_types = max(1, params.n_node_types)
        untyped = np.zeros(graphs.n_nodes, np.int32)
        self._types = untyped if graphs.node_types is None or self._n_types == 1 else graphs.node_types
        self._inbox_matters = self._where_inboxes_matter()
        self._reads: dict[int, BoolArray] = {}

    def run(self, bar: Any) -> None:
        """Remove literals: layer by layer from the highest, clause by clause."""
        for layer in reversed(range(self._params.depth)):
            for clause in range(self._params.n_clauses):
                if self.includes[layer][clause].any():
                    self._prune_team(layer, clause)
                bar.update()
            self._reads[layer] = self._bits_read_by_type(layer)

    def _prune_team(self, layer: int, clause: int) -> None:
        """Remove literals of one clause and layer: negations first, then symbols; the least certain first."""
        included = np.flatnonzero(self.includes[layer][clause])
        plain = included < self.includes[layer].shape[1] // 2
        literals = included[np.lexsort((included, self._automata[layer][clause, included], plain))]
        failing = self._bits[layer].failing(literals)
        # More slack than there are literals is never used up, so small integers do.
        slack = np.minimum(self._slack(layer, clause), len(literals)).astype(np.min_scalar_type(len(literals)))
        tight = np.packbits(slack == 0)
        for place in np.flatnonzero(~(failing & tight).any(axis=1)).tolist():
            if not (failing[place] & tight).any():
                slack -= np.unpackbits(failing[place], count=len(slack))
                tight = np.packbits(slack == 0)
                self.includes[layer][clause, literals[place]] = False

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
        size, edges, above = self._params.message_size, self._edges, layer + 1
        silent = np.zeros(len(self._types), np.bool_)
        for position in self._params.message_code.positions[clause].tolist():
            bits = (position + edges.types) % size
            types = self._types[edges.destinations]
            heard = np.flatnonzero(self._reads[above][types, bits] & self._inbox_matters[above][edges.destinations])
            new = heard[~self._bits[above].are_set(bits[heard], edges.destinations[heard])]
            silent[edges.sources[new]] = True
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
            matters[self._edges.sources[layers[layer][self._edges.destinations]]] = True
        return layers
