"""The search for the smallest change of properties that turns a prediction: tried out, never guessed.

A change is a set of edits, each of which adds a symbol to a node or takes one away. All single edits are tried, then
all pairs, and so on, as far as the number of tries allows; where not all can be tried, those that go on from the best
ones so far. The result says for every size how many there are and how many were tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch, encode
from graphtm.engines import Engine
from graphtm.explain.changes import Edit, Searched
from graphtm.explain.trace import included_literals
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.foundation.properties import from_pairs
from graphtm.graphs import GraphBatch, PackedGraphs
from graphtm.graphs.edges import edge_table, repeated
from graphtm.model import Model

CHUNK_NODES = 1 << 16
CHUNK_SUMS = 1 << 22
"""Nodes, and vote sums, that are held at a time."""
WIDTH = 32
"""Changes from which the next size goes on where it cannot be tried whole."""


class Goal(Protocol):
    """What a change is to reach."""

    def margins(self, sums: Int64Array) -> Int64Array:
        """Return for each row of vote sums how near it comes, the more the better."""

    def reached(self, sums: Int64Array) -> BoolArray:
        """Return which rows of vote sums are what is wanted."""


@dataclass(frozen=True)
class OtherClass:
    """That a class other than ``before`` is predicted: ``to``, or any."""

    before: int
    to: int | None

    def margins(self, sums: Int64Array) -> Int64Array:
        """Return by how much the class wanted leads; of any other class, the one that leads most."""
        others = np.delete(sums, self.before if self.to is None else self.to, axis=1)
        if not others.shape[1]:
            return np.zeros(len(sums), np.int64)
        leading = np.asarray(others.max(axis=1))
        return leading - sums[:, self.before] if self.to is None else sums[:, self.to] - leading

    def reached(self, sums: Int64Array) -> BoolArray:
        found = sums.argmax(axis=1)
        return np.asarray(found != self.before if self.to is None else found == self.to)


@dataclass(frozen=True, eq=False)
class TurnedLabel:
    """That a label is predicted which was not ``before``, or no longer is: ``label``, or any."""

    before: BoolArray
    label: int | None

    def margins(self, sums: Int64Array) -> Int64Array:
        """Return by how much the vote sum is on the other side; of any label, the one that is farthest over."""
        # A sum of 0 is predicted: from there it is one vote to the other side.
        across = np.where(self.before, -sums - 1, sums)
        return np.asarray(across.max(axis=1) if self.label is None else across[:, self.label])

    def reached(self, sums: Int64Array) -> BoolArray:
        return self.margins(sums) >= 0


class Found(NamedTuple):
    """What a search came to: the edits, none if nothing was found; the vote sums after them; what was tried."""

    edits: tuple[Edit, ...]
    votes: Int64Array
    searched: tuple[Searched, ...]


@dataclass(frozen=True, eq=False)
class Search:
    """A search for a change of one graph.

    Parameters
    ----------
    model
        The machine and its names.
    graph
        One graph, numbered as the model numbers names.
    edits
        The edits to be combined, as rows of node and symbol number, the most promising first.
    engine
        An engine that holds the machine.
    """

    model: Model
    graph: PackedGraphs
    edits: Int64Array
    engine: Engine

    @cached_property
    def _encoded(self) -> EncodedBatch:
        return encode(GraphBatch(self.graph), self.model.symbol_code)

    def _sums(self, graphs: EncodedBatch) -> Int64Array:
        return self.engine.class_sums(self.engine.prepare(graphs))

    def run(self, goal: Goal, max_changes: int, max_tries: int) -> Found:
        """Search for a change that reaches a goal."""
        left, searched = max_tries, []
        best: list[tuple[int, ...]] = [()]
        for size in range(1, min(max_changes, len(self.edits)) + 1):
            total = comb(len(self.edits), size)
            if total <= left:
                changes = list(combinations(range(len(self.edits)), size))
            else:
                # An equal share for each size to come, rounded up: even a single try is made.
                changes = list(islice(self._longer(best), -(-left // (max_changes - size + 1))))
            if not changes:
                break
            left -= len(changes)
            searched.append(Searched(size, len(changes), total))
            margins, reached = self._try(changes, goal)
            if reached.any():
                place = int(np.flatnonzero(reached)[margins[reached].argmax()])
                votes = self._sums(self._changed([changes[place]]))[0]
                return Found(self._named(changes[place]), votes, tuple(searched))
            best = [changes[place] for place in np.argsort(-margins, kind="stable")[:WIDTH]]
        return Found((), self._sums(self._encoded)[0], tuple(searched))

    def _longer(self, best: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """Yield the changes that are one edit longer than one of these, each once."""
        seen = set()
        for change in best:
            for edit in range(len(self.edits)):
                longer = tuple(sorted({*change, edit}))
                if len(longer) > len(change) and longer not in seen:
                    seen.add(longer)
                    yield longer

    def _try(self, changes: list[tuple[int, ...]], goal: Goal) -> tuple[Int64Array, BoolArray]:
        """Return how near each change comes, and which reach the goal."""
        step = max(1, min(CHUNK_NODES // self.graph.n_nodes, CHUNK_SUMS // self.model.params.n_outputs))
        margins, reached = [], []
        for start in range(0, len(changes), step):
            sums = self._sums(self._changed(changes[start : start + step]))
            margins.append(goal.margins(sums))
            reached.append(goal.reached(sums))
        return np.concatenate(margins), np.concatenate(reached)

    def _changed(self, changes: list[tuple[int, ...]]) -> EncodedBatch:
        """Return the graph once for every change, which is made: only nodes that are edited are encoded anew."""
        base, n_nodes, n = self._encoded, self.graph.n_nodes, len(changes)
        edits = self.edits[np.array(changes)]
        touched, row = np.unique(np.arange(n)[:, None] * n_nodes + edits[:, :, 0], return_inverse=True)
        bits = np.tile(base.bits, (n, 1))
        bits[touched] = self._edited(touched % n_nodes, row.ravel(), edits[:, :, 1].ravel())
        return EncodedBatch(
            bits,
            base.n_bits,
            np.arange(n + 1) * n_nodes,
            repeated(base.out_edges, n),
            repeated(base.in_edges, n),
            None if base.node_types is None else np.tile(base.node_types, n),
            None if base.readout is None else np.tile(base.readout, n),
        )

    def _edited(self, nodes: Int64Array, row: Int64Array, symbol: Int64Array) -> NDArray[np.uint64]:
        """Return hypervectors of nodes, to each of which some symbols are added, or taken away if they are there."""
        rows, symbols = self.graph.properties.select(nodes).pairs()
        n_symbols = self.graph.properties.n_symbols
        keys = np.concatenate([rows * n_symbols + symbols, row * n_symbols + symbol])
        # A property that is there and edited stands twice, and is gone.
        keys, times = np.unique(keys, return_counts=True)
        rows, symbols = np.divmod(keys[times == 1], n_symbols)
        properties = from_pairs(rows, symbols, len(nodes), n_symbols)
        ptr, none = np.arange(len(nodes) + 1), np.zeros(0, np.int64)
        edges = edge_table(none, none, none, len(nodes))
        lone = PackedGraphs(self.model.vocabulary, ptr, properties, edges, edges)
        return encode(GraphBatch(lone), self.model.symbol_code).bits

    def _named(self, change: tuple[int, ...]) -> tuple[Edit, ...]:
        names, symbols = self.graph.names_of(0), self.graph.vocabulary.symbols
        carried = set(zip(*(part.tolist() for part in self.graph.properties.pairs()), strict=True))
        return tuple(
            Edit(names[node], symbols[symbol], (node, symbol) not in carried)
            for node, symbol in self.edits[list(change)].tolist()
        )


def visible_edits(model: Model, graph: PackedGraphs, promise: Iterable[float]) -> Int64Array:
    """Return the edits that some clause could see, as rows of node and symbol number.

    A node matters if a readout node is at most as many edges away as messages travel; a symbol matters at a node if a
    clause that serves the node includes one of its bits. Everything else cannot change a vote, however combined.

    Parameters
    ----------
    model, graph
        The machine, and one graph numbered as it numbers names.
    promise
        A number per node: the higher, the earlier it is tried.
    """
    read = _symbols_read(model)
    kinds = graph.node_types if len(read) > 1 and graph.node_types is not None else np.zeros(graph.n_nodes, np.int64)
    nodes = np.flatnonzero(_within_reach(graph, model.params.depth - 1))
    order = nodes[np.argsort(-np.asarray(list(promise))[nodes], kind="stable")]
    rows = [(node, symbol) for node in order.tolist() for symbol in np.flatnonzero(read[kinds[node]]).tolist()]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _symbols_read(model: Model) -> BoolArray:
    """Return which symbols own a bit that some clause includes, a row per node type."""
    params, code = model.params, model.symbol_code
    includes = included_literals(params, model.state, 0)
    n_kinds = max(1, params.n_node_types)
    rows = []
    for kind in range(n_kinds):
        used = np.asarray(includes[kind::n_kinds].sum(axis=0)) > 0
        rows.append((used[: code.size] | used[code.size :])[code.positions].any(axis=1))
    return np.array(rows)


def _within_reach(graph: PackedGraphs, steps: int) -> BoolArray:
    """Return the nodes from which a message can reach a readout node in that many steps."""
    reached = np.ones(graph.n_nodes, np.bool_) if graph.readout is None else graph.readout.copy()
    sources, destinations = graph.out_edges.near_ends(), graph.out_edges.neighbours
    for _ in range(steps):
        further = reached.copy()
        further[sources[reached[destinations]]] = True
        if np.array_equal(further, reached):
            break
        reached = further
    return reached
