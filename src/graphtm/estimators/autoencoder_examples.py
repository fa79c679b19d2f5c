"""Examples of the auto-encoder: a node that lost one of its symbols, and symbols that it never had."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines import Targets, sparse_targets
from graphtm.engines.random import Purpose, mix, step_key
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import BoolArray, Int64Array, WithoutCaches, pointers
from graphtm.foundation.properties import PackedProperties, Properties
from graphtm.foundation.resources import require_memory
from graphtm.graphs import GraphBatch, PackedGraphs, Vocabulary
from graphtm.graphs.edges import EdgeTable, edge_table
from graphtm.graphs.node_examples import NodeExamples

_ORDER, _REPEATED, _ABSENT = 1 << 40, 2 << 40, 3 << 40
"""First numbers of the random words that order examples, order repeated nodes, and draw absent symbols."""
_NODE_BYTES, _ABSENT_BYTES = 64, 24
"""Memory for each node and each absent symbol of a sample, while it is drawn."""
_ROUNDS = 64
"""Number of times that an absent symbol is drawn again if the node has it."""


@dataclass(frozen=True, eq=False)
class MaskedTruth:
    """What examples should say, as numbers of outputs.

    Parameters
    ----------
    numbers
        For each example the masked symbol, then absent ones; -1 where none was found.
    symbols
        Names of the outputs.
    """

    numbers: Int64Array
    symbols: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int]:
        """Shape as an array of examples."""
        return (len(self.numbers),)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> MaskedTruth:
        return replace(self, numbers=self.numbers[rows])

    def targets(self, T: int, weights: NDArray[np.float64] | None) -> Targets:
        """Return the targets: ``T`` for the masked symbol, ``-T`` for absent ones; other outputs are silent."""
        values = np.full(self.numbers.shape, -T)
        values[:, 0] = T
        ascending = np.argsort(self.numbers, axis=1, kind="stable")
        numbers = np.take_along_axis(self.numbers, ascending, axis=1)
        listed = numbers >= 0
        values = np.take_along_axis(values, ascending, axis=1)[listed]
        ptr = pointers(listed.sum(axis=1))
        return sparse_targets(ptr, numbers[listed], values, len(self.symbols), T, silent=True, weights=weights)

    def scores(self, sums: NDArray[np.int64]) -> dict[str, float]:
        """Return how often the masked symbol has more votes than an absent one; ``sums`` has the form of ``numbers``.

        Ties count half.
        """
        ahead = np.sign(sums[:, :1] - sums[:, 1:])[self.numbers[:, 1:] >= 0]
        return {"accuracy": float((ahead.mean() + 1) / 2) if ahead.size else 0.5}


class MaskedGraphs(WithoutCaches):
    """Creates neighbourhoods of nodes, each without one symbol of the node, on demand.

    Parameters
    ----------
    graphs
        The whole graphs.
    nodes
        Nodes of each example, (examples, nodes); nodes are numbered across all graphs. Several nodes of an example are
        merged into one, which has the symbols and the edges of all.
    symbols
        Masked symbol of each example; -1 masks nothing.
    hops
        Radius of the neighbourhoods in edges.
    """

    def __init__(self, graphs: PackedGraphs, nodes: Int64Array, symbols: Int64Array, hops: int) -> None:
        self._graphs = replace(graphs, node_names=None)
        self._nodes, self._symbols, self._hops = nodes, symbols, hops

    @property
    def vocabulary(self) -> Vocabulary:
        return self._graphs.vocabulary

    @cached_property
    def _neighbourhoods(self) -> NodeExamples:
        return NodeExamples(self._graphs, self._nodes.reshape(-1), self._hops)

    @cached_property
    def node_counts(self) -> Int64Array:
        if not self._hops:
            return np.ones(len(self._nodes), np.int64)
        others = self._neighbourhoods.node_counts.reshape(self._nodes.shape) - 1
        return np.asarray(others.sum(axis=1) + 1)

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Create the examples with these indices."""
        each = self._nodes.shape[1]
        if self._hops:
            parts = (graphs[:, None] * each + np.arange(each)).reshape(-1)
            made = self._neighbourhoods.make(parts)
        else:
            made = _without_edges(self._graphs, self._nodes[graphs].reshape(-1))
        made = replace(made, readout=np.ones(made.n_nodes, np.bool_) if made.readout is None else made.readout)
        if each > 1:
            made = _merged(made, each)
        assert made.readout is not None  # noqa: S101 -- it was set above
        rows, symbols = np.flatnonzero(made.readout), self._symbols[graphs]
        masked = symbols >= 0
        return replace(made, properties=without(made.properties, rows[masked], symbols[masked]), node_names=None)


def _without_edges(graphs: PackedGraphs, nodes: Int64Array) -> PackedGraphs:
    """Return each node as a graph of its own."""
    edges = EdgeTable(np.zeros(len(nodes) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    types = None if graphs.node_types is None else graphs.node_types[nodes]
    ptr = np.arange(len(nodes) + 1)
    return PackedGraphs(graphs.vocabulary, ptr, graphs.properties.select(nodes), edges, edges, types)


def _merged(graphs: PackedGraphs, each: int) -> PackedGraphs:
    """Return every ``each`` graphs as one, their readout nodes merged into the first of these; they have one each."""
    readout = readout_of(graphs)
    centres = np.flatnonzero(readout)
    first = np.zeros(graphs.n_nodes, np.bool_)
    first[centres[::each]] = True
    kept = ~readout | first
    number = np.cumsum(kept) - 1
    number[centres] = np.repeat(number[centres[::each]], each)  # numbers across the batch after merging
    node_ptr = np.concatenate([[0], np.cumsum(kept)[graphs.node_ptr[each::each] - 1]])
    start = np.repeat(graphs.node_ptr[:-1], graphs.node_counts)
    begun = np.repeat(node_ptr[:-1], np.diff(graphs.node_ptr[::each]))
    nodes, symbols = graphs.properties.pairs()

    def joined(table: EdgeTable) -> EdgeTable:
        near = table.near_ends()
        far = number[table.neighbours + start[near]] - begun[near]
        return edge_table(number[near], far, table.types.astype(np.int64), int(node_ptr[-1]))

    return PackedGraphs(
        graphs.vocabulary,
        node_ptr,
        property_tables.from_pairs(number[nodes], symbols, int(node_ptr[-1]), graphs.properties.n_symbols),
        joined(graphs.out_edges),
        joined(graphs.in_edges),
        None if graphs.node_types is None else graphs.node_types[kept],
        readout[kept],
    )


def without(properties: Properties, nodes: Int64Array, symbols: Int64Array) -> Properties:
    """Return properties without some (node, symbol) pairs; a node must not occur twice."""
    if isinstance(properties, PackedProperties):
        bits = properties.bits.copy()
        bits[nodes, symbols >> 6] &= ~(np.uint64(1) << (symbols & 63).astype(np.uint64))
        return PackedProperties(bits, properties.n_symbols)
    rows, columns = properties.pairs()
    kept = ~np.isin(rows * properties.n_symbols + columns, nodes * properties.n_symbols + symbols)
    return property_tables.from_pairs(rows[kept], columns[kept], properties.n_nodes, properties.n_symbols)


def readout_of(graphs: PackedGraphs) -> BoolArray:
    """Return the mask of readout nodes."""
    return np.ones(graphs.n_nodes, np.bool_) if graphs.readout is None else graphs.readout


def occurrences(graphs: PackedGraphs, numbers: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return readout nodes and their symbols, as pairs of node and output; ``numbers`` are the symbols of outputs."""
    output = np.full(len(graphs.vocabulary.symbols), -1)
    output[numbers] = np.arange(len(numbers))
    nodes, symbols = graphs.properties.pairs()
    kept = readout_of(graphs)[nodes] & (output[symbols] >= 0)
    return nodes[kept], output[symbols[kept]]


def judged(graphs: PackedGraphs, numbers: Int64Array, hops: int) -> GraphBatch:
    """Return each readout node as it is, then without each of its symbols; ``numbers`` are the symbols of outputs."""
    nodes = np.flatnonzero(readout_of(graphs))
    centres, outputs = occurrences(graphs, numbers)
    masked = np.concatenate([np.full(len(nodes), -1), numbers[outputs]])
    return GraphBatch.from_source(MaskedGraphs(graphs, np.concatenate([nodes, centres])[:, None], masked, hops))


def most_frequent(graphs: PackedGraphs, n: int | None) -> Int64Array:
    """Return the numbers of the symbols that most readout nodes have, at most ``n``; ties are in order of numbers."""
    nodes, symbols = graphs.properties.pairs()
    counts = np.bincount(symbols[readout_of(graphs)[nodes]], minlength=len(graphs.vocabulary.symbols))
    order = np.argsort(-counts, kind="stable")
    return np.sort(order[: np.count_nonzero(counts)][:n])


def sampled(
    graphs: PackedGraphs,
    symbols: tuple[Any, ...],
    hops: int,
    *,
    n_contexts: int,
    accumulation: int,
    n_absent: int,
    seed: int,
) -> tuple[GraphBatch, MaskedTruth]:
    """Return masked examples, as many for each symbol that occurs, in random order.

    Parameters
    ----------
    graphs
        The graphs.
    symbols
        Names of the outputs.
    hops
        Radius of the neighbourhoods in edges.
    n_contexts, accumulation, n_absent
        Number of examples per symbol, and of nodes and absent symbols per example.
    seed
        The sample is a function of the seed and the data.

    Raises
    ------
    NotEnoughMemoryError
        If the sample does not fit into memory.
    """
    n_nodes = n_contexts * accumulation
    require_memory(
        len(symbols) * (n_nodes * _NODE_BYTES + n_contexts * n_absent * _ABSENT_BYTES),
        f"A sample of {n_nodes:,} nodes for each of {len(symbols):,} symbols",
        "Lower n_contexts, accumulation, n_absent, or the number of symbols",
    )
    numbers = np.array([graphs.vocabulary.symbols.index(symbol) for symbol in symbols], dtype=np.int64)
    nodes, outputs = occurrences(graphs, numbers)
    chosen = _balanced(outputs, len(symbols), n_contexts * accumulation, seed).reshape(-1, accumulation)
    chosen = chosen[np.argsort(_words(seed, _ORDER, len(chosen)), kind="stable")]
    masked, centres = outputs[chosen[:, 0]], nodes[chosen]
    has = np.sort(nodes * len(symbols) + outputs)
    absent = _absent(has, centres, len(symbols), n_absent, seed)
    batch = GraphBatch.from_source(MaskedGraphs(graphs, centres, numbers[masked], hops))
    return batch, MaskedTruth(np.column_stack([masked, absent]), symbols)


def _balanced(outputs: Int64Array, n_outputs: int, n_each: int, seed: int) -> Int64Array:
    """Return ``n_each`` random occurrences of each output; those of rare ones repeat, in another order each time."""
    order = np.lexsort((_words(seed, 0, len(outputs)), outputs))
    counts = np.bincount(outputs, minlength=n_outputs)
    there = np.flatnonzero(counts)
    turn, rank = np.divmod(np.arange(n_each), counts[there, None])
    words = _words(seed, _REPEATED, rank.size).reshape(rank.shape)
    shuffled = np.take_along_axis(rank, np.lexsort((words, turn), axis=1), axis=1)
    return np.asarray(order[(pointers(counts)[there, None] + shuffled).reshape(-1)])


def _absent(has: Int64Array, nodes: Int64Array, n_outputs: int, n_absent: int, seed: int) -> Int64Array:
    """Return different outputs that none of the nodes has, (examples, n_absent); -1 where none was found."""
    absent = np.full((len(nodes), n_absent), -1)
    for column in range(n_absent):
        open_, first = np.arange(len(nodes)), _ABSENT + column * _ROUNDS * len(nodes)
        for turn in range(_ROUNDS):
            words = _words(seed, first + turn * len(nodes), len(nodes))[open_]
            drawn = ((words >> np.uint64(32)) * np.uint64(n_outputs) >> np.uint64(32)).astype(np.int64)
            key = nodes[open_] * n_outputs + drawn[:, None]
            place = np.searchsorted(has, key)
            taken = (has[np.minimum(place, len(has) - 1)] == key).any(axis=1)
            taken |= (absent[open_] == drawn[:, None]).any(axis=1)
            absent[open_[~taken], column] = drawn[~taken]
            open_ = open_[taken]
            if not len(open_):
                break
    return absent


def _words(seed: int, first: int, n: int) -> NDArray[np.uint64]:
    return mix(step_key(seed, Purpose.SAMPLE, np.arange(n, dtype=np.uint64) + np.uint64(first)))
