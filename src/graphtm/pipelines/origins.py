"""Where the symbols of a machine's graph come from: the nodes and edges of the graph given to encoders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from graphtm.encoders import Neighbourhoods, WholeGraph
from graphtm.foundation.arrays import Int64Array, WithoutCaches, pointers, ragged
from graphtm.foundation.numbering import Names
from graphtm.graphs import GraphBatch, PackedGraphs, Vocabulary


class EncodedOrigin(WithoutCaches):
    """A graph and the encoders that make the machine's graph from it.

    Parameters
    ----------
    encoders
        Fitted encoders of graphs, in order; only the last may be ``WholeGraph``.
    graph
        The user's own graph.
    vocabulary
        Vocabulary of the model.
    """

    def __init__(self, encoders: Sequence[Neighbourhoods | WholeGraph], graph: GraphBatch, vocabulary: Vocabulary):
        self._encoders, self._vocabulary = tuple(encoders), vocabulary
        self.graph = graph.pack()

    @property
    def is_whole(self) -> bool:
        """Whether the machine's graph is a single node for the whole graph; else both graphs have the same nodes."""
        return isinstance(self._encoders[-1], WholeGraph)

    @property
    def symbols(self) -> Names:
        """Symbols of training graphs that the first encoder knows."""
        return self._encoders[0]._known

    @property
    def seen(self) -> GraphBatch:
        """The machine's graph."""
        return GraphBatch(self._stages[-1])

    def encoded(self, graphs: GraphBatch) -> GraphBatch:
        """Return what the machine sees of graphs like the own one."""
        for encoder in self._encoders:
            graphs = encoder.transform(graphs)
        return graphs

    def nodes_of(self, nodes: Int64Array, symbols: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the own nodes that make symbols of the machine's nodes true.

        Parameters
        ----------
        nodes, symbols
            Nodes of the machine's graph, and numbers of symbols of the model that they carry.

        Returns
        -------
        tuple
            Places in the lists, and own nodes.
        """
        if not self.is_whole:
            return np.arange(len(nodes)), nodes
        properties = self._stages[-2].properties
        carrying, carried = properties.pairs()
        ptr = pointers(np.bincount(carried, minlength=properties.n_symbols))
        counted = self._numbers[-2][symbols]
        found = carrying[np.argsort(carried, kind="stable")][ragged(ptr, counted)]
        places = np.repeat(np.arange(len(symbols)), np.diff(ptr)[counted])
        readout = self._stages[-2].readout
        if readout is None:
            return places, found
        kept = readout[found] | ~self._encoders[-1]._of_readout[self._numbers[-1][symbols]][places]
        return places[kept], found[kept]

    def edges_of(self, nodes: Int64Array, symbols: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the own edges that looks cover.

        Parameters
        ----------
        nodes, symbols
            Own nodes, and numbers of symbols of the model.

        Returns
        -------
        tuple
            Places in the lists, and own edges.
        """
        places, edges = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for stage, encoder in enumerate(self._encoders):
            if isinstance(encoder, Neighbourhoods):
                numbers = self._numbers[stage + 1][symbols]
                known = np.flatnonzero(numbers >= 0)
                at, covered = encoder._edges_of(self._stages[stage], nodes[known], numbers[known])
                places.append(known[at])
                edges.append(self._edges[stage][covered])
        return np.concatenate(places), np.concatenate(edges)

    @property
    def edges_seen(self) -> Int64Array:
        """Number of the own edge of each edge of the machine's graph."""
        return self._edges[-1]

    @cached_property
    def _stages(self) -> list[PackedGraphs]:
        """The own graph, and what each encoder makes of it."""
        stages = [self.graph]
        for encoder in self._encoders:
            stages.append(encoder.transform(GraphBatch(stages[-1])).pack())
        return stages

    @cached_property
    def _numbers(self) -> list[Int64Array]:
        """Number of each symbol of the model, or of what it counts, at each stage; -1 where it does not exist yet."""
        numbers = [self._vocabulary.symbols.numbers_in(self._stages[-1].vocabulary.symbols)]
        for encoder, stage in zip(reversed(self._encoders), reversed(self._stages[:-1]), strict=True):
            before = encoder._numbers_in(stage.vocabulary.symbols)
            numbers.insert(0, np.where(numbers[0] < 0, -1, before[numbers[0]]))
        return numbers

    @cached_property
    def _edges(self) -> list[Int64Array]:
        """Number of the own edge of each edge at each stage, and of the machine's graph."""
        edges = [np.arange(self.graph.n_edges)]
        vocabularies = [*(stage.vocabulary for stage in self._stages[1:]), self._vocabulary]
        for stage, vocabulary in zip(self._stages, vocabularies, strict=True):
            table = stage.out_edges
            types = stage.vocabulary.edge_types.numbers_in(vocabulary.edge_types)[table.types]
            order = np.lexsort((types, table.neighbours, table.near_ends()))
            edges.append(edges[-1][order[types[order] >= 0]])
        return edges
