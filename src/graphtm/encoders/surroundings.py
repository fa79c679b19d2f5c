"""Edges as nodes see them: neighbours with relations, which are edge types with a direction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphtm.encoders.look_names import BOTH, IN, N_DIRECTIONS, OUT
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.graphs import PackedGraphs
from graphtm.graphs.edges import EdgeTable


class Surroundings(NamedTuple):
    """The neighbours of all nodes, ordered by node; nodes are numbered across all graphs.

    An edge and its reverse of the same type are one relation in both directions. Other edges are seen from both their
    nodes, as outgoing and as incoming.
    """

    node: Int64Array
    neighbour: Int64Array
    relation: Int64Array
    degrees: Int64Array

    @classmethod
    def of(cls, graphs: PackedGraphs) -> Surroundings:
        out, into = graphs.out_edges, graphs.in_edges
        first = np.repeat(graphs.node_ptr[:-1], graphs.node_counts)
        if out.equals(into):
            node = out.near_ends()
            return cls(
                node,
                out.neighbours + first[node],
                out.types.astype(np.int64) * N_DIRECTIONS + BOTH,
                np.diff(out.ptr),
            )
        returned, node = _returned(out, into), out.near_ends()
        alone = ~_returned(into, out)
        back = into.near_ends()[alone]
        nodes = np.concatenate([node, back])
        order = np.argsort(nodes, kind="stable")
        directions = np.where(returned, BOTH, OUT)
        relations = [out.types * N_DIRECTIONS + directions, into.types[alone] * N_DIRECTIONS + IN]
        neighbours = np.concatenate([out.neighbours, into.neighbours[alone]])
        return cls(
            nodes[order],
            (neighbours + first[nodes])[order],
            np.concatenate(relations).astype(np.int64)[order],
            np.bincount(nodes, minlength=graphs.n_nodes),
        )


def _returned(edges: EdgeTable, others: EdgeTable) -> BoolArray:
    """Return which edges have a partner with the same nodes and type in the other table; each partner serves one."""
    mine, theirs = _numbered(edges, others)
    place = np.arange(len(mine)) - np.searchsorted(mine, mine)
    partners = np.searchsorted(theirs, mine, side="right") - np.searchsorted(theirs, mine)
    return place < partners


def _numbered(edges: EdgeTable, others: EdgeTable) -> tuple[Int64Array, Int64Array]:
    """Return ascending numbers of the edges of both tables, equal for equal nodes and type."""
    tables = (edges, others)
    width = 1 + int(max(table.neighbours.max(initial=0) for table in tables))
    n_types = 1 + int(max(table.types.max(initial=0) for table in tables))
    ends = [table.near_ends() * width + table.neighbours for table in tables]
    if (len(edges.ptr) * width) >= 2**63 // n_types:
        # The pairs of nodes that have edges are few beside all pairs.
        ends = np.split(np.unique(np.concatenate(ends), return_inverse=True)[1], [len(ends[0])])
    mine, theirs = (pair * n_types + table.types for pair, table in zip(ends, tables, strict=True))
    return mine, theirs
