"""The edges of a graph that looks and parts of looks are about."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.encoders.look_names import IN, N_DIRECTIONS, OUT
from graphtm.encoders.neighbourhood_plan import NeighbourhoodPlan
from graphtm.encoders.surroundings import Surroundings
from graphtm.foundation.arrays import BoolArray, Int64Array, pointers, ragged
from graphtm.graphs import PackedGraphs

Integers: TypeAlias = NDArray[np.integer]

_MOST_ENTRIES = 1 << 22


class Covered(NamedTuple):
    """What nodes cover: the place of a node in a list, and a neighbour or an edge; each pair once."""

    places: Int64Array
    items: Int64Array


class LookEdges:
    """Finds the edges of one graph that looks cover.

    A look up to ``hops`` edges covers all edges at nodes that are less than ``hops`` edges away; a node that is known
    by its degree, the edges at it. A part covers the edges to the neighbours that it names, and a path both its edges.
    Edges in either direction count.

    Parameters
    ----------
    plan
        The looks and parts.
    graph
        One graph.
    """

    def __init__(self, plan: NeighbourhoodPlan, graph: PackedGraphs) -> None:
        self._plan, self._graph = plan, graph
        self._around = Surroundings.of(graph)
        self._ptr = pointers(self._around.degrees)
        self._ends = plan.ends(graph)
        self._kinds = tuple(plan.parts.keys)
        table = graph.out_edges
        # Edges are sorted by source, destination and type, so parallel ones of a type are consecutive.
        self._keys, counts = np.unique(self._key(table.near_ends(), table.neighbours, table.types), return_counts=True)
        self._edge_ptr = pointers(counts)

    def of(self, nodes: Int64Array, stage: int, numbers: Int64Array) -> Covered:
        """Return the edges that looks or parts cover, by the place of the look.

        Parameters
        ----------
        nodes
            Nodes that carry the looks.
        stage, numbers
            Stage of the looks, as in :class:`~graphtm.encoders.neighbourhood_plan.Carried`, and their numbers there.

        Returns
        -------
        Covered
            Edges are numbered in the order of the graph's outgoing edges.
        """
        n_looks = len(self._plan.hops)
        found = []
        # Every look may cover all edges, so few of a large graph are found at a time.
        step = max(1, _MOST_ENTRIES // max(1, len(self._around.node)))
        for start in range(0, len(nodes), step):
            part = slice(start, start + step)
            if stage > n_looks:
                places, entries = self._of_parts(nodes[part], self._kinds[stage - n_looks - 1], numbers[part])
            else:
                places, entries = self._of_looks(nodes[part], stage or int(self._plan.by_degree))
            found.append(self._edges(start + places, entries))
        return Covered(*map(np.concatenate, zip(Covered(*_NONE), *found, strict=True)))

    def _at(self, places: Int64Array, nodes: Int64Array) -> Covered:
        """Return the neighbours of nodes, by number."""
        return Covered(np.repeat(places, self._around.degrees[nodes]), np.asarray(ragged(self._ptr, nodes)))

    def _of_looks(self, nodes: Int64Array, hops: int) -> Covered:
        if not hops:
            return Covered(*_NONE)
        n_nodes, reached = len(self._around.degrees), Covered(np.arange(len(nodes)), nodes)
        for _ in range(hops - 1):
            places, entries = self._at(*reached)
            keys = [reached.places * n_nodes + reached.items, places * n_nodes + self._around.neighbour[entries]]
            reached = Covered(*np.divmod(np.unique(np.concatenate(keys)), n_nodes))
        return self._at(*reached)

    def _of_parts(self, nodes: Int64Array, kind: str, numbers: Int64Array) -> Covered:
        first, second = self._plan.parts.decoded(kind, numbers)
        places, entries = self._at(np.arange(len(nodes)), nodes)
        ends, neighbours = self._ends[entries], self._around.neighbour[entries]
        named: BoolArray = ends == first[places]
        if kind == "pairs":
            named |= ends == second[places]
        if kind == "degrees":
            named &= self._around.degrees[neighbours] == second[places]
        places, entries, neighbours = places[named], entries[named], neighbours[named]
        if kind != "paths":
            return Covered(places, entries)
        way, onward = self._at(np.arange(len(places)), neighbours)
        leads = self._ends[onward] == second[places[way]]
        leads &= self._around.neighbour[onward] != self._around.node[entries[way]]
        way, onward = way[leads], onward[leads]
        return Covered(np.tile(places[way], 2), np.concatenate([entries[way], onward]))

    def _key(self, source: Integers, destination: Integers, edge_type: Integers) -> Int64Array:
        n_nodes, n_types = self._graph.n_nodes, max(1, len(self._graph.vocabulary.edge_types))
        return (source.astype(np.int64) * n_nodes + destination) * n_types + edge_type

    def _edges(self, places: Int64Array, entries: Int64Array) -> Covered:
        """Return the edges that neighbours are connected by; parallel edges of a type are not distinguished."""
        around = self._around
        node, neighbour = around.node[entries], around.neighbour[entries]
        edge_type, direction = np.divmod(around.relation[entries], N_DIRECTIONS)
        out, into = direction != IN, direction != OUT
        keys = [
            self._key(node[out], neighbour[out], edge_type[out]),
            self._key(neighbour[into], node[into], edge_type[into]),
        ]
        groups = np.searchsorted(self._keys, np.concatenate(keys))
        n_groups = max(1, len(self._keys))
        places, groups = np.divmod(np.unique(np.concatenate([places[out], places[into]]) * n_groups + groups), n_groups)
        counts = np.diff(self._edge_ptr)
        return Covered(np.repeat(places, counts[groups]), np.asarray(ragged(self._edge_ptr, groups)))


_NONE = np.zeros(0, np.int64), np.zeros(0, np.int64)
