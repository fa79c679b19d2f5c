"""The search for the smallest change of properties that changes a prediction.

A change is a set of edits, each of which adds a symbol to a node or removes one. All single edits are evaluated, then
all pairs, and so on. Where the limit on tries does not allow all changes of a size, the best smaller changes are
extended. The result reports, for every size, the number of changes and how many were tried.
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
from graphtm.engines import Engine, predicted_classes
from graphtm.engines.trace import included_literals
from graphtm.explain.changes import Edit, Searched
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.foundation.properties import from_pairs
from graphtm.graphs import GraphBatch, PackedGraphs
from graphtm.graphs.edges import edge_table, repeated
from graphtm.model import Model

CHUNK_NODES = 1 << 16
CHUNK_SUMS = 1 << 22
"""Maximum number of nodes, and of vote sums, in memory at a time."""
WIDTH = 32
"""Number of changes to extend where not all of the next size can be tried."""


class Goal(Protocol):
    """Goal of a search."""

    def margins(self, sums: Int64Array) -> Int64Array:
        """Return how close each row of vote sums is to the goal; larger is closer."""

    def reached(self, sums: Int64Array) -> BoolArray:
        """Return which rows of vote sums reach the goal."""


@dataclass(frozen=True)
class OtherClass:
    """Goal: predict class ``to``, or any class other than ``before``."""

    before: int
    to: int | None

    def margins(self, sums: Int64Array) -> Int64Array:
        """Return the lead of class ``to``, or of the best other class."""
        others = np.delete(sums, self.before if self.to is None else self.to, axis=1)
        if not others.shape[1]:
            return np.zeros(len(sums), np.int64)
        leading = np.asarray(others.max(axis=1))
        return leading - sums[:, self.before] if self.to is None else sums[:, self.to] - leading

    def reached(self, sums: Int64Array) -> BoolArray:
        found = predicted_classes(sums)
        return np.asarray(found != self.before if self.to is None else found == self.to)


@dataclass(frozen=True, eq=False)
class FlippedLabel:
    """Goal: predict ``label`` if it was not predicted ``before``, else no longer; ``None`` for any label."""

    before: BoolArray
    label: int | None

    def margins(self, sums: Int64Array) -> Int64Array:
        """Return how far the vote sum is beyond the threshold; for any label, the largest such margin."""
        # A label with sum 0 is predicted, so -1 is the first sum at which it is not.
        across = np.where(self.before, -sums - 1, sums)
        return np.asarray(across.max(axis=1) if self.label is None else across[:, self.label])

    def reached(self, sums: Int64Array) -> BoolArray:
        return self.margins(sums) >= 0


class Found(NamedTuple):
    """Result of a search: the edits, empty if none was found; the vote sums after them; the changes tried."""

    edits: tuple[Edit, ...]
    votes: Int64Array
    searched: tuple[Searched, ...]


@dataclass(frozen=True, eq=False)
class Search:
    """A search for a change of one graph.

    Parameters
    ----------
    model
        The model.
    graph
        One graph with the vocabulary of the model.
    edits
        Edits to combine, as rows of node and symbol number, the most promising first.
    engine
        Engine that holds the model.
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
                # An equal share of the tries for each remaining size, rounded up so that each gets at least one.
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
        """Yield the distinct changes that extend one of these by one edit."""
        seen = set()
        for change in best:
            for edit in range(len(self.edits)):
                longer = tuple(sorted({*change, edit}))
                if len(longer) > len(change) and longer not in seen:
                    seen.add(longer)
                    yield longer

    def _try(self, changes: list[tuple[int, ...]], goal: Goal) -> tuple[Int64Array, BoolArray]:
        """Return how close each change is to the goal, and which reach it."""
        step = max(1, min(CHUNK_NODES // self.graph.n_nodes, CHUNK_SUMS // self.model.params.n_outputs))
        margins, reached = [], []
        for start in range(0, len(changes), step):
            sums = self._sums(self._changed(changes[start : start + step]))
            margins.append(goal.margins(sums))
            reached.append(goal.reached(sums))
        return np.concatenate(margins), np.concatenate(reached)

    def _changed(self, changes: list[tuple[int, ...]]) -> EncodedBatch:
        """Return one copy of the graph per change, with the change applied; only edited nodes are encoded again."""
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
        """Return hypervectors of nodes in which some symbols are toggled."""
        rows, symbols = self.graph.properties.select(nodes).pairs()
        n_symbols = self.graph.properties.n_symbols
        keys = np.concatenate([rows * n_symbols + symbols, row * n_symbols + symbol])
        # A property that is present and edited occurs twice, and is removed.
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
    """Return the edits that can change a vote, as rows of node and symbol number.

    A node matters if messages can travel from it to a readout node; a symbol matters at a node if a clause that serves
    the node includes one of its bits. No combination of other edits can change a vote.

    Parameters
    ----------
    model, graph
        The model, and one graph with its vocabulary.
    promise
        Priority of each node; nodes with larger values are tried first.
    """
    read = _symbols_read(model)
    kinds = graph.node_types if len(read) > 1 and graph.node_types is not None else np.zeros(graph.n_nodes, np.int64)
    nodes = np.flatnonzero(_within_reach(graph, model.params.depth - 1))
    order = nodes[np.argsort(-np.asarray(list(promise))[nodes], kind="stable")]
    rows = [(node, symbol) for node in order.tolist() for symbol in np.flatnonzero(read[kinds[node]]).tolist()]
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _symbols_read(model: Model) -> BoolArray:
    """Return which symbols own a bit that a clause includes, (node types, symbols)."""
    params, code = model.params, model.symbol_code
    includes = included_literals(params, model.state, 0)
    n_kinds = max(1, params.n_node_types)
    rows = []
    for kind in range(n_kinds):
        used = np.asarray(includes[kind::n_kinds].sum(axis=0)) > 0
        rows.append((used[: code.size] | used[code.size :])[code.positions].any(axis=1))
    return np.array(rows)


def _within_reach(graph: PackedGraphs, steps: int) -> BoolArray:
    """Return the nodes from which a message reaches a readout node in at most ``steps`` steps."""
    reached = np.ones(graph.n_nodes, np.bool_) if graph.readout is None else graph.readout.copy()
    sources, destinations = graph.out_edges.near_ends(), graph.out_edges.neighbours
    for _ in range(steps):
        further = reached.copy()
        further[sources[reached[destinations]]] = True
        if np.array_equal(further, reached):
            break
        reached = further
    return reached
