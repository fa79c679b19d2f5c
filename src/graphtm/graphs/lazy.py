"""Graphs that are created on demand.

The patches of a set of images can take a hundred times the memory of the images. A lazy batch stores the images and
creates the graphs of one chunk at a time; all code that reads a batch reads it in chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, Int64Array, node_pointers, pointers, ragged, read_only, total
from graphtm.foundation.type_names import type_of
from graphtm.graphs.packed import PackedGraphs, chunk_slices, concatenate
from graphtm.graphs.vocabulary import Vocabulary


@runtime_checkable
class GraphSource(Protocol):
    """Interface of encoders that create graphs on demand.

    ``make`` must always return the same graphs for the same indices, with the announced vocabulary and node counts.
    """

    @property
    def vocabulary(self) -> Vocabulary:
        """Vocabulary of all graphs."""
        ...

    @property
    def node_counts(self) -> Int64Array:
        """Number of nodes of each graph, known before the graphs are created."""
        ...

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Create the graphs with these indices, in this order."""
        ...


class LazyGraphs:
    """Selected graphs of a source, with the interface of :class:`PackedGraphs`."""

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
        # Graphs of the source may have readout nodes, so "all nodes" must be explicit.
        return LazyGraphs(self.source, self._graphs, np.ones(self.n_nodes, np.bool_) if readout is None else readout)

    def with_vocabulary(self, vocabulary: Vocabulary, unknown: str = "error") -> LazyGraphs:
        if vocabulary == self.vocabulary:
            return self
        if self.n_nodes and len(vocabulary.node_types) and not len(self.vocabulary.node_types):
            self.take(slice(0, 1)).pack().with_vocabulary(vocabulary, unknown)  # raises the error
        return LazyGraphs(_Joined([self], vocabulary, unknown))

    def names_of(self, graph: int) -> Sequence[object]:
        return self.take(slice(graph, graph + 1)).pack().names_of(0)

    def pack(self) -> PackedGraphs:
        """Create all graphs.

        Raises
        ------
        GraphError
            If the vocabulary or the node counts differ from those announced by the source.
        """
        made = self.source.make(self._graphs)
        if not isinstance(made, PackedGraphs):
            raise TypeError(
                f"The 'make' method of {type(self.source).__name__!r} must return PackedGraphs (see GraphBatch.pack); "
                f"got {type_of(made)}."
            )
        if made.vocabulary != self.vocabulary or not np.array_equal(made.node_counts, self.node_counts):
            raise GraphError(
                f"The 'make' method of {type(self.source).__name__!r} must return graphs with the announced vocabulary "
                "and node counts; these differ. This is an error in the graph source, not in your data."
            )
        return made if self.readout is None else made.with_readout(self.readout)

    def chunks(self, max_nodes: int) -> Iterator[PackedGraphs]:
        """Create the graphs in chunks of at most ``max_nodes`` nodes, or of one graph."""
        for part in chunk_slices(self.node_ptr, max_nodes):
            yield self.take(part).pack()


class _Joined:
    """Concatenated graphs with a common vocabulary."""

    def __init__(
        self, parts: Sequence[PackedGraphs | LazyGraphs], vocabulary: Vocabulary, unknown: str = "error"
    ) -> None:
        self._parts = parts
        self._unknown = unknown
        self._ptr = pointers(np.array([part.n_graphs for part in parts]))
        self.vocabulary = vocabulary
        self.node_counts = np.concatenate([part.node_counts for part in parts])

    def make(self, graphs: Int64Array) -> PackedGraphs:
        # Created part by part, then put into the requested order.
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
    """Concatenate graphs without creating them."""
    return LazyGraphs(_Joined(parts, vocabulary))
