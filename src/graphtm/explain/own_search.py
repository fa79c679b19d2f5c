"""The user's own graph, how encoders make the machine's graph from it, and the search for a change of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from graphtm.codes import EncodedBatch, encode
from graphtm.engines import Engine
from graphtm.explain.change_search import Search
from graphtm.explain.scores import Floats
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.numbering import Names
from graphtm.foundation.properties import from_pairs
from graphtm.graphs import GraphBatch, PackedGraphs, Vocabulary
from graphtm.graphs.edges import repeated
from graphtm.model import Model


class Origin(Protocol):
    """The user's own graph, and how the machine's graph was made from it."""

    @property
    def graph(self) -> PackedGraphs:
        """The user's own graph."""

    @property
    def symbols(self) -> Names:
        """Symbols of such graphs that the encoders know."""

    @property
    def is_whole(self) -> bool:
        """Whether the machine's graph is a single node for the whole graph; else both graphs have the same nodes."""

    @property
    def edges_seen(self) -> Int64Array:
        """Number of the own edge of each edge of the machine's graph."""

    def nodes_of(self, nodes: Int64Array, symbols: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the own nodes that make symbols of the machine's nodes true: the place in the list, and the node."""

    def edges_of(self, nodes: Int64Array, symbols: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the own edges that symbols are about, given own nodes: the place in the list, and the edge."""

    def encoded(self, graphs: GraphBatch) -> GraphBatch:
        """Return what the machine sees of graphs like the own one."""


@dataclass(frozen=True, eq=False)
class OwnGraphSearch(Search):
    """A search for a change of the user's own graph, which is encoded again after each change.

    Parameters
    ----------
    origin
        How the machine's graph is made from it.
    """

    origin: Origin

    @classmethod
    def of(cls, model: Model, origin: Origin, promise: Floats, engine: Engine) -> OwnGraphSearch:
        """Return a search with all edits of symbols that the encoders know, at promising nodes first."""
        graph = origin.graph
        # Names that the encoders do not know stay: they are part of what a node looks like.
        known = Vocabulary(origin.symbols, graph.vocabulary.edge_types, graph.vocabulary.node_types)
        graph = graph.with_vocabulary(graph.vocabulary.union(known))
        nodes = np.argsort(-promise, kind="stable")
        symbols = origin.symbols.numbers_in(graph.vocabulary.symbols)
        edits = np.stack([np.repeat(nodes, len(symbols)), np.tile(symbols, len(nodes))], axis=1)
        return cls(model, graph, edits, engine, origin)

    def _seen(self, graphs: PackedGraphs) -> EncodedBatch:
        seen = self.origin.encoded(GraphBatch(graphs)).with_vocabulary(self.model.vocabulary, "ignore")
        return encode(seen, self.model.symbol_code)

    @cached_property
    def _encoded(self) -> EncodedBatch:
        return self._seen(self.graph)

    def _changed(self, changes: list[tuple[int, ...]]) -> EncodedBatch:
        graph, n = self.graph, len(changes)
        n_nodes, n_symbols = graph.n_nodes, graph.properties.n_symbols
        first = np.arange(n)[:, None] * n_nodes
        nodes, symbols = graph.properties.pairs()
        edits = self.edits[np.array(changes)]
        keys = [((first + nodes) * n_symbols + symbols).ravel()]
        keys += [((first + edits[:, :, 0]) * n_symbols + edits[:, :, 1]).ravel()]
        # A property that is present and edited occurs twice, and is removed.
        toggled, times = np.unique(np.concatenate(keys), return_counts=True)
        nodes, symbols = np.divmod(toggled[times == 1], n_symbols)
        properties = from_pairs(nodes, symbols, n * n_nodes, n_symbols)
        return self._seen(
            replace(
                graph,
                node_ptr=np.arange(n + 1) * n_nodes,
                properties=properties,
                out_edges=repeated(graph.out_edges, n),
                in_edges=repeated(graph.in_edges, n),
                node_types=None if graph.node_types is None else np.tile(graph.node_types, n),
                readout=None if graph.readout is None else np.tile(graph.readout, n),
                node_names=None,
            )
        )
