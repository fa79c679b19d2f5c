"""Graphs that are made when needed.

Patches of an image collection, written out as nodes, can be a hundred times the size of the images.
A lazy batch holds the images and makes the nodes of a chunk of graphs at a time; everything that reads
a batch reads it in chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, Int64Array, node_pointers, pointers, ragged, read_only, total
from graphtm.graphs.packed import PackedGraphs, chunk_slices, concatenate
from graphtm.graphs.vocabulary import Vocabulary


@runtime_checkable
class GraphSource(Protocol):
    """What an encoder implements to offer graphs that are made on demand.

    ``make`` must be a pure function of its argument: the same numbers always give the same graphs,
    under the vocabulary and with the node counts announced.
    """

    @property
    def vocabulary(self) -> Vocabulary:
        """The names used by all graphs."""
        ...

    @property
    def node_counts(self) -> Int64Array:
        """Nodes per graph, known without making the graphs."""
        ...

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Make the graphs with these numbers, in this order."""
        ...


class LazyGraphs:
    """A selection of the graphs of a source, with the interface of :class:`PackedGraphs`."""

    def __init__(self, source: GraphSource, graphs: Int64Array | None = None, readout: BoolArray | None = None) -> None:
        counts = np.diff(node_pointers(source.node_counts))
        self.source = source
        self._graphs = np.arange(len(counts)) if graphs is None else graphs
        self.node_counts = read_only(counts[self._graphs])
        total(self.node_counts, "nodes")
        self.node_ptr = read_only(pointers(self.node_counts))
        self.readout = readout

    @property
    def vocabulary(self) -> Vocabulary:
        return self.source.vocabulary

    @property
    def n_graphs(self) -> int:
        return len(self._graphs)

    @property
    def n_nodes(self) -> int:
        return int(self.node_ptr[-1])

    def take(self, graphs: Int64Array | slice) -> LazyGraphs:
        readout = None if self.readout is None else self.readout[ragged(self.node_ptr, graphs)]
        return LazyGraphs(self.source, self._graphs[graphs], readout)

    def with_readout(self, readout: BoolArray | None) -> LazyGraphs:
        # What the source makes may have a readout of its own, so "all nodes" must be said.
        return LazyGraphs(self.source, self._graphs, np.ones(self.n_nodes, np.bool_) if readout is None else readout)

    def with_vocabulary(self, vocabulary: Vocabulary, unknown: str = "error") -> LazyGraphs:
        if vocabulary == self.vocabulary:
            return self
        if self.n_nodes and len(vocabulary.node_types) and not len(self.vocabulary.node_types):
            self.take(slice(0, 1)).pack().with_vocabulary(vocabulary, unknown)  # says what is wrong
        return LazyGraphs(_Joined([self], vocabulary, unknown))

    def names_of(self, graph: int) -> Sequence[object]:
        return self.take(slice(graph, graph + 1)).pack().names_of(0)

    def pack(self) -> PackedGraphs:
        """Make all graphs.

        Raises
        ------
        GraphError
            If the source makes other graphs than it announced.
        """
        made = self.source.make(self._graphs)
        if not isinstance(made, PackedGraphs):
            raise TypeError(
                f"The graph source {type(self.source).__name__!r} must make PackedGraphs (see GraphBatch.pack); "
                f"it made a {type(made).__name__!r}."
            )
        if made.vocabulary != self.vocabulary or not np.array_equal(made.node_counts, self.node_counts):
            raise GraphError(
                f"The graph source {type(self.source).__name__!r} must make graphs with the vocabulary and the node "
                "counts it announced; it made others. This is a mistake in the source, not in your data."
            )
        return made if self.readout is None else made.with_readout(self.readout)

    def chunks(self, max_nodes: int) -> Iterator[PackedGraphs]:
        """Yield all graphs in order, made as many at a time as have ``max_nodes`` nodes, but at least one."""
        for part in chunk_slices(self.node_ptr, max_nodes):
            yield self.take(part).pack()


class _Joined:
    """The graphs of several stores, one after the other, under a common vocabulary."""

    def __init__(
        self, parts: Sequence[PackedGraphs | LazyGraphs], vocabulary: Vocabulary, unknown: str = "error"
    ) -> None:
        self._parts = parts
        self._unknown = unknown
        self._ptr = pointers(np.array([part.n_graphs for part in parts]))
        self.vocabulary = vocabulary
        self.node_counts = np.concatenate([part.node_counts for part in parts])

    def make(self, graphs: Int64Array) -> PackedGraphs:
        # Made part by part, then put back into the order asked for.
        part_of = np.searchsorted(self._ptr, graphs, side="right") - 1
        order = np.argsort(part_of, kind="stable")
        made = [
            self._parts[part]
            .take(graphs[part_of == part] - self._ptr[part])
            .pack()
            .with_vocabulary(self.vocabulary, self._unknown)
            for part in np.unique(part_of)
        ]
        if not made:
            return self._parts[0].take(graphs).pack().with_vocabulary(self.vocabulary, self._unknown)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return concatenate(made).take(back)


def join(parts: Sequence[PackedGraphs | LazyGraphs], vocabulary: Vocabulary) -> LazyGraphs:
    """Return the graphs of all parts as one lazy store."""
    return LazyGraphs(_Joined(parts, vocabulary))
