"""The smallest change of properties that makes a machine predict another class: searched for, never guessed.

A change is a set of edits, each of which adds a symbol to a node or takes one away. All single edits are tried, then
all pairs, and so on, as far as the number of tries allows; where not all can be tried, those that go on from the best
ones so far. The result says for every size how many there are and how many were tried, and whether it is the smallest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch, encode
from graphtm.engines import Engine
from graphtm.explain.trace import included_literals
from graphtm.graphs import Graph, GraphBatch, PackedGraphs
from graphtm.graphs.arrays import BoolArray, Int64Array
from graphtm.graphs.display import count
from graphtm.graphs.edges import edge_table, repeated
from graphtm.graphs.names import name_key
from graphtm.graphs.properties import from_pairs
from graphtm.model import Model

CHUNK_NODES = 1 << 16
WIDTH = 32
"""Changes from which the next size goes on where it cannot be tried whole."""


@dataclass(frozen=True)
class Edit:
    """One property added to a node, or taken away."""

    node: Hashable
    symbol: Hashable
    adds: bool

    def __str__(self) -> str:
        return f"add {self.symbol!r} to {self.node!r}" if self.adds else f"remove {self.symbol!r} from {self.node!r}"


@dataclass(frozen=True)
class Searched:
    """How many changes of a size there are, and how many were tried."""

    size: int
    tried: int
    total: int

    @property
    def is_complete(self) -> bool:
        """Whether all were tried."""
        return self.tried == self.total

    def __str__(self) -> str:
        tried = "all" if self.is_complete else f"{self.tried:,} of"
        return f"{tried} {count(self.total, 'change')} of {count(self.size, 'edit')}"


@dataclass(frozen=True, eq=False)
class Change:
    """What a search for a change of the prediction came to.

    Parameters
    ----------
    edits
        The change; empty if none was found.
    before, after
        The classes predicted before and after; both the same if none was found.
    votes
        The vote sum of each class after it.
    searched
        What was tried, size by size. Edits that no clause can see are left out, since they change nothing.
    to
        The class that was wanted; ``None`` for any other.
    """

    edits: tuple[Edit, ...]
    before: Hashable
    after: Hashable
    votes: dict[Hashable, int]
    searched: tuple[Searched, ...]
    to: Hashable = None

    @property
    def found(self) -> bool:
        """Whether a change was found."""
        return bool(self.edits)

    @property
    def is_smallest(self) -> bool:
        """Whether no smaller change can do it: one was found, and all smaller ones were tried."""
        return self.found and all(level.is_complete for level in self.searched if level.size < len(self.edits))

    def apply(self, graph: Graph) -> Graph:
        """Return a copy of the graph with the change made."""
        changed = Graph()
        for node in graph.nodes:
            carried = list(graph.properties(node))
            for edit in self.edits:
                if name_key(edit.node) == name_key(node):
                    carried = [symbol for symbol in carried if name_key(symbol) != name_key(edit.symbol)]
                    carried += [edit.symbol] * edit.adds
            changed.add_node(node, carried, graph.node_type(node))
        for source, destination, edge_type in graph.edges:
            changed.add_edge(source, destination, edge_type)
        changed.set_readout(graph.readout)
        return changed

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        return {
            "found": self.found,
            "is_smallest": self.is_smallest,
            "edits": [vars(edit).copy() for edit in self.edits],
            "before": self.before,
            "after": self.after,
            "to": self.to,
            "votes": dict(self.votes),
            "searched": [vars(level).copy() for level in self.searched],
        }

    def __str__(self) -> str:
        tried = "; ".join(map(str, self.searched)) or "nothing: no clause reads a property that may be changed"
        if not self.found:
            wanted = "another class" if self.to is None else repr(self.to)
            return f"No change found that turns {self.before!r} into {wanted}. Tried: {tried}."
        smallest = "the smallest change" if self.is_smallest else "a change, maybe not the smallest,"
        edits = " and ".join(map(str, self.edits))
        return f"{edits}: {smallest} that turns {self.before!r} into {self.after!r}. Tried: {tried}."


@dataclass(frozen=True, eq=False)
class Search:
    """A search for a change of one graph.

    Parameters
    ----------
    model
        The machine and its names.
    graph
        One graph, numbered as the model numbers names.
    classes
        Names of the outputs.
    edits
        The edits to be combined, as rows of node and symbol number, the most promising first.
    engine
        An engine that holds the machine.
    """

    model: Model
    graph: PackedGraphs
    classes: tuple[Hashable, ...]
    edits: Int64Array
    engine: Engine

    @cached_property
    def _encoded(self) -> EncodedBatch:
        return encode(GraphBatch(self.graph), self.model.symbol_code)

    def _sums(self, graphs: EncodedBatch) -> Int64Array:
        return self.engine.class_sums(self.engine.prepare(graphs))

    def run(self, to: int | None, max_changes: int, max_tries: int) -> Change:
        """Search for a change to a class, or to any other one."""
        votes = self._sums(self._encoded)[0]
        before, left = int(votes.argmax()), max_tries
        searched: list[Searched] = []
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
            sums = self._try(changes)
            margins = _margins(sums, before, to)
            turned = sums.argmax(axis=1) != before if to is None else sums.argmax(axis=1) == to
            if turned.any():
                place = int(np.flatnonzero(turned)[margins[turned].argmax()])
                return self._found(changes[place], before, sums[place], searched)
            best = [changes[place] for place in np.argsort(-margins, kind="stable")[:WIDTH]]
        wanted = None if to is None else self.classes[to]
        return Change((), self.classes[before], self.classes[before], self._named(votes), tuple(searched), wanted)

    def _longer(self, best: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
        """Yield the changes that are one edit longer than one of these, each once."""
        seen = set()
        for change in best:
            for edit in range(len(self.edits)):
                longer = tuple(sorted({*change, edit}))
                if len(longer) > len(change) and longer not in seen:
                    seen.add(longer)
                    yield longer

    def _try(self, changes: list[tuple[int, ...]]) -> Int64Array:
        step = max(1, CHUNK_NODES // self.graph.n_nodes)
        parts = [self._sums(self._changed(changes[start : start + step])) for start in range(0, len(changes), step)]
        return np.concatenate(parts)

    def _changed(self, changes: list[tuple[int, ...]]) -> EncodedBatch:
        """Return the graph once for every change, which is made: only nodes that are edited are encoded anew."""
        base, n_nodes, n = self._encoded, self.graph.n_nodes, len(changes)
        edits = self.edits[np.array(changes)]
        touched, row = np.unique(np.arange(n)[:, None] * n_nodes + edits[:, :, 0], return_inverse=True)
        bits = np.tile(base.bits, (n, 1))
        bits[touched] = self._edited(touched % n_nodes, row.ravel(), edits[:, :, 1].ravel())
        return EncodedBatch(
            bits,
            base.size,
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

    def _found(self, change: tuple[int, ...], before: int, votes: Int64Array, searched: list[Searched]) -> Change:
        names, symbols = self.graph.names_of(0), self.graph.vocabulary.symbols
        carried = set(zip(*(part.tolist() for part in self.graph.properties.pairs()), strict=True))
        edits = tuple(
            Edit(names[node], symbols[symbol], (node, symbol) not in carried)
            for node, symbol in self.edits[list(change)].tolist()
        )
        after = self.classes[int(votes.argmax())]
        return Change(edits, self.classes[before], after, self._named(votes), tuple(searched))

    def _named(self, votes: Int64Array) -> dict[Hashable, int]:
        return dict(zip(self.classes, votes.tolist(), strict=True))


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


def _margins(sums: Int64Array, before: int, to: int | None) -> Int64Array:
    """Return by how much the class wanted leads; of any other class, the one that leads most."""
    others = np.delete(sums, before if to is None else to, axis=1)
    if not others.shape[1]:
        return np.zeros(len(sums), np.int64)
    leading = np.asarray(others.max(axis=1))
    return leading - sums[:, before] if to is None else sums[:, to] - leading
