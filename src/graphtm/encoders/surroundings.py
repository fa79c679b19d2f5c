"""Edges as nodes see them: neighbours with relations, which are edge types with a direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.encoders.look_names import BOTH, IN, N_DIRECTIONS, OUT
from graphtm.encoders.row_tables import run_starts
from graphtm.foundation.arrays import BoolArray, Int64Array, pointers
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
        there, back = _partners(out, into)
        stages = [out.near_ends(), into.near_ends()[~back]]
        types = [out.types * N_DIRECTIONS + np.where(there, BOTH, OUT), into.types[~back] * N_DIRECTIONS + IN]
        node, neighbour = merged(stages, [out.neighbours, into.neighbours[~back]], graphs.n_nodes)
        relation = merged(stages, types, graphs.n_nodes)[1]
        return cls(node, neighbour + first[node], relation, np.bincount(node, minlength=graphs.n_nodes))


def merged(
    nodes: list[Int64Array], values: Sequence[NDArray[np.integer]], n_nodes: int
) -> tuple[Int64Array, Int64Array]:
    """Return lists of nodes with values, each ordered by node, as one: at each node, those of one list after another.

    This is much faster than sorting.
    """
    counts = [np.bincount(stage, minlength=n_nodes) for stage in nodes]
    total = np.sum(counts, axis=0)
    result = np.empty(int(total.sum()), np.int64)
    start = pointers(total)[:-1]
    for count, stage, own in zip(counts, nodes, values, strict=True):
        result[np.arange(len(stage)) + (start - pointers(count)[:-1])[stage]] = own
        start = start + count
    return np.repeat(np.arange(n_nodes), total), result


def _partners(edges: EdgeTable, others: EdgeTable) -> tuple[BoolArray, BoolArray]:
    """Return which edges of two tables have a partner in the other one, with the same nodes and type.

    Of parallel edges, the first of both tables are partners.
    """
    mine, theirs = _numbered(edges, others)
    place = np.searchsorted(theirs, mine) + np.arange(len(mine)) - _starts_of_runs(mine)
    have = place < len(theirs)
    have[have] = theirs[place[have]] == mine[have]
    had = np.zeros(len(theirs), np.bool_)
    had[place[have]] = True
    return have, had


def _starts_of_runs(values: Int64Array) -> Int64Array:
    """Return for each of sorted values the first place of an equal one."""
    starts = run_starts(values)
    return np.repeat(starts, np.diff(starts, append=len(values)))


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
