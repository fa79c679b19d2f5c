"""Scores: the votes of the true clauses, divided among the nodes, edges and symbols of the graph.

The weight of a clause is divided equally among the readout nodes at which it is true, and at each node equally among
the clause's conditions: the literals it includes in all layers. The share of a condition goes to what satisfies it:

- a property: equally to the node's symbols that own the bit (one symbol with one_hot codes);
- an absent property: equally to the absences of the symbols that own the bit;
- a message: equally to the messages that set the bit. Each counts for its edge and is divided in the same way at its
  sender, among the conditions of the layers below. A message of a clause without conditions only shows that the edge
  exists; its share stays with the receiving node;
- an absent message: to the node, as silence;
- no condition at all: to the node, for its existence.

Bits without owners are never set and are not conditions. Every part of a vote ends at exactly one node, so the node
scores add up to the vote sum; so do symbols, absences, silence and existence together.

The vote of a graded clause is its weight times its strength. It is divided among the readout nodes at which the clause
is strongest. At each, the conditions that hold share ``max_misses + 1`` times the weight, and each condition that is
missed takes the weight away. It takes it from what makes it fail: a property that is not there from the absences of the
symbols that own the bit, one that must not be there from the symbols that set it; a message that did not arrive from
silence, one that must not arrive from the messages that set the bit. A literal that can never hold, because its bit has
no owner, takes it from existence. Senders of messages miss nothing; their shares are divided as above.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphtm.codes import Code
from graphtm.engines.trace import Trace, code_matrix, included_literals
from graphtm.explain.clauses import Clauses
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.foundation.properties import Properties
from graphtm.foundation.short_repr import short_repr

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Scores:
    """Contributions to a vote sum, for one graph.

    Parameters
    ----------
    nodes
        Score of each node; they add up to the vote sum, together with ``whole``.
    edges
        Score of each edge: the part of the vote sum that messages carried over it. A path of two edges counts for both.
    present, absent
        Sparse, (nodes, symbols): the scores of symbols that a node has, and of symbols that it does not have. Where
        absences belong to the graph as a whole, ``absent`` has a single row.
    silence, existence
        Scores of messages that did not arrive, and of nodes and edges that exist. Together with ``present`` and
        ``absent`` they add up to the vote sum.
    whole
        Score of the graph as a whole, which belongs to no node; see :class:`OwnGraphExplanation`. 0 in others.
    """

    nodes: Floats
    edges: Floats
    present: sparse.csr_array
    absent: sparse.csr_array
    silence: float
    existence: float
    whole: float = 0.0

    __repr__ = short_repr

    def times(self, factor: float) -> Scores:
        """Return all scores multiplied by a number."""
        return Scores(*(getattr(self, field.name) * factor for field in fields(self)))

    @property
    def symbols(self) -> Floats:
        """Score of each symbol where it is present, summed over nodes."""
        return np.asarray(self.present.sum(axis=0))

    @property
    def absences(self) -> Floats:
        """Score of each symbol where it is absent, summed over nodes."""
        return np.asarray(self.absent.sum(axis=0))


def share_votes(
    clauses: Clauses,
    trace: Trace,
    properties: Properties,
    weights: NDArray[np.integer[Any]],
    *,
    misses: bool = True,
) -> Scores:
    """Divide the votes of the true clauses among nodes, edges and symbols.

    Parameters
    ----------
    clauses
        The clauses of the machine.
    trace, properties
        Evaluation of the graph, and the symbols of its nodes.
    weights
        Weight of each clause: those of an output, or the difference of two outputs.
    misses
        Whether conditions that graded clauses miss take votes away. If not, the conditions that hold share the votes
        that are left, and no score of a clause with a weight above 0 is below 0. Sums are the same.
    """
    params, code, conditions = trace.params, clauses.model.symbol_code, _Conditions(clauses, trace)
    at = trace.strongest_at
    flow = at * (weights / np.maximum(1, at.sum(axis=1)))[:, None]
    nodes, edges, silence, existence = np.zeros(at.shape[1]), np.zeros(len(trace.edges)), 0.0, 0.0
    graded = _GradedShares(conditions, trace, flow, misses=misses) if params.max_misses else None
    if graded is not None:
        flow = np.zeros_like(flow)  # Only senders are left to divide; they are exact.
        nodes += graded.existence
        existence += float(graded.existence.sum())
    for layer in range(params.depth - 1, 0, -1):
        each = flow / np.maximum(1, conditions.up_to(layer))[:, None]
        messages, silent = conditions.meet(layer, each)
        if graded is not None:
            is_set, not_set = graded.of(layer)
            messages += is_set
            silent += not_set.sum(axis=1)
        flow = each * np.where(conditions.up_to(layer) > 0, conditions.up_to(layer - 1), 1)[:, None]
        messages /= np.maximum(1, trace.messages[layer - 1])
        carried, kept = _send_back(trace, layer, messages, flow, conditions.up_to(layer - 1) == 0)
        edges += carried
        nodes += silent + kept
        silence += float(silent.sum())
        existence += float(kept.sum())
    nodes += flow.sum(axis=0)
    existence += float(flow[conditions.up_to(0) == 0].sum())
    literals = conditions.literals(flow / np.maximum(1, conditions.up_to(0))[:, None])
    owned = literals[:, : code.size], literals[:, code.size :]
    if graded is not None:
        is_set, not_set = graded.of(0)
        nodes += is_set.sum(axis=1) + not_set.sum(axis=1)
        owned = owned[0] + is_set, owned[1] + not_set
    return Scores(nodes, edges, _present(owned[0], code, properties), _absent(owned[1], code), silence, existence)


class _Conditions:
    """The literals that count as conditions, layer by layer: those whose bits have owners."""

    def __init__(self, clauses: Clauses, trace: Trace) -> None:
        self._layers: list[sparse.csr_array] = []
        for number, layer in enumerate(clauses.plain_layers):
            owned = np.tile(np.diff(layer.owners.ptr) > 0, 2)
            includes = included_literals(trace.params, trace.state, number).astype(np.float64)
            self._layers.append(includes @ sparse.diags_array(owned.astype(np.float64), format="csr"))
        counts = [np.asarray(layer.sum(axis=1)) for layer in self._layers]
        self._up_to = np.cumsum(counts, axis=0)

    def of_bits(self, layer: int) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return which clauses have the bits of a layer as conditions, and which their negations, (clauses, bits)."""
        size = self._layers[layer].shape[1] // 2
        return self._layers[layer][:, :size], self._layers[layer][:, size:]

    def up_to(self, layer: int) -> Floats:
        """Return the number of conditions of each clause in the layers up to this one."""
        return np.asarray(self._up_to[layer])

    def meet(self, layer: int, each: Floats) -> tuple[Floats, Floats]:
        """Return the shares of each bit of each inbox, and of silence at each node.

        ``each`` is the share of one condition, (clauses, nodes).
        """
        shares, size = self.literals(each, layer), self._layers[layer].shape[1] // 2
        return shares[:, :size], shares[:, size:].sum(axis=1)

    def literals(self, each: Floats, layer: int = 0) -> Floats:
        """Return the share of each literal of a layer at each node, (nodes, literals)."""
        clauses = np.flatnonzero(each.any(axis=1))
        return np.asarray(self._layers[layer][clauses].T @ each[clauses]).T


class _GradedShares:
    """Divides the votes of graded clauses among their conditions, those that hold and those that are missed.

    ``each`` is the share of a strongest node in the weight, (clauses, nodes), 0 at other nodes. The attribute
    ``existence`` is what goes to nodes for their existence.
    """

    def __init__(self, conditions: _Conditions, trace: Trace, each: Floats, *, misses: bool) -> None:
        self._conditions = conditions
        self._set = [trace.bits, *(messages > 0 for messages in trace.messages)]
        self._clauses = np.flatnonzero(each.any(axis=1))
        self._missed = -each[self._clauses]
        held = np.zeros(self._missed.shape)
        for layer, bits in enumerate(self._set):
            wanted, unwanted = self._of(layer)
            held += wanted @ bits.T.astype(np.float64) + unwanted @ (~bits).T.astype(np.float64)
        full = -self._missed * (trace.params.max_misses + 1)
        if not misses:
            full, self._missed = -self._missed * trace.strengths[self._clauses], np.zeros_like(held)
        self._held = np.where(held > 0, full / np.maximum(1, held), 0)
        # Strengths count all misses, also those of literals whose bits have no owner and which are no conditions.
        n_missed = trace.params.max_misses + 1 - trace.strengths[self._clauses].astype(np.int64)
        unowned = n_missed - (conditions.up_to(-1)[self._clauses][:, None] - held)
        self.existence = np.asarray((np.where(held > 0, 0, full) + self._missed * unowned).sum(axis=0))

    def _of(self, layer: int) -> tuple[sparse.csr_array, sparse.csr_array]:
        wanted, unwanted = self._conditions.of_bits(layer)
        return wanted[self._clauses], unwanted[self._clauses]

    def of(self, layer: int) -> tuple[Floats, Floats]:
        """Return the shares of the bits of a layer at each node: where they are set, and where not, (nodes, bits)."""
        bits = self._set[layer]
        wanted, unwanted = self._of(layer)
        is_set = np.asarray(wanted.T @ self._held + unwanted.T @ self._missed).T
        not_set = np.asarray(unwanted.T @ self._held + wanted.T @ self._missed).T
        return is_set * bits, not_set * ~bits


def _send_back(trace: Trace, layer: int, messages: Floats, flow: Floats, empty: BoolArray) -> tuple[Floats, Floats]:
    """Add the share of every message to its sender in ``flow``; return the shares of edges, and those nodes keep.

    ``messages`` is the share of one message per bit of each inbox. Nodes keep the shares of ``empty`` clauses.
    """
    edges, code = trace.edges, trace.params.message_code
    assert code is not None  # noqa: S101 -- deep machines have one
    carried, kept = np.zeros(len(edges)), np.zeros(flow.shape[1])
    owns, truth = code_matrix(code), trace.truth[layer - 1]
    busy = np.asarray(messages.any(axis=1))[edges.destinations]
    for edge_type in np.unique(edges.types[busy]).tolist():
        chosen = np.flatnonzero(busy & (edges.types == edge_type))
        sources, destinations = edges.sources[chosen], edges.destinations[chosen]
        shares = (owns @ np.roll(messages[destinations], -edge_type, axis=1).T) * truth[:, sources]
        carried[chosen] = shares.sum(axis=0)
        np.add.at(kept, destinations, shares[empty].sum(axis=0))
        shares[empty] = 0
        np.add.at(flow.T, sources, shares.T)
    return carried, kept


def _present(shares: Floats, code: Code, properties: Properties) -> sparse.csr_array:
    """Divide the shares of set bits among the symbols of the node that own them."""
    nodes, symbols = properties.pairs()
    positions = code.positions[symbols]
    owners = np.zeros(shares.shape, np.int64)
    np.add.at(owners, (nodes[:, None], positions), 1)
    each = shares / np.maximum(1, owners)
    values = each[nodes[:, None], positions].sum(axis=1)
    return _table(values, nodes, symbols, (properties.n_nodes, properties.n_symbols))


def _absent(shares: Floats, code: Code) -> sparse.csr_array:
    """Divide the shares of bits that are not set among all symbols that own them."""
    owners = np.bincount(code.positions.ravel(), minlength=code.size)
    each = sparse.csr_array(shares / np.maximum(1, owners))
    table = sparse.csr_array(each @ code_matrix(code).T)
    table.sort_indices()
    return table


def _table(values: Floats, rows: Int64Array, columns: Int64Array, shape: tuple[int, int]) -> sparse.csr_array:
    table = sparse.csr_array((values, (rows, columns)), shape=shape)
    table.eliminate_zeros()
    return table
