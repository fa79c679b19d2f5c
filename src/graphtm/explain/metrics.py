"""Metrics of explanations: fidelity, sparsity, and recovery of a planted rule.

All metrics are about the nodes of a batch, in the order of :attr:`graphtm.datasets.Generated.nodes`: one score or one
Boolean per node. Fidelity is that of GraphFramEx (Amara et al., 2022, arXiv:2206.09677) for explanations of the model;
sparsity is that of Yuan et al. (2020, arXiv:2012.15445). Planted motifs as ground truth follow GNNExplainer (Ying et
al., 2019, arXiv:1903.03894).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.errors import GraphError
from graphtm.explain.explanation import Explanation
from graphtm.foundation.arrays import BoolArray, Int64Array, pointers
from graphtm.foundation.properties import from_pairs
from graphtm.graphs import GraphBatch
from graphtm.graphs.edges import EdgeTable, edge_table


@dataclass(frozen=True)
class Fidelity:
    """Fidelity of an explanation: whether the selected nodes determine the predictions.

    Parameters
    ----------
    necessity
        Share of graphs whose prediction changes when the selected nodes are blanked; 1 is best. Known as fidelity+.
    sufficiency
        Share of graphs whose prediction stays the same when all other nodes are blanked; 1 is best. Known as
        1 - fidelity-.
    """

    necessity: float
    sufficiency: float


@dataclass(frozen=True)
class Recovery:
    """Recovery of a planted rule: whether its nodes have the highest scores.

    Parameters
    ----------
    precision
        Share of planted nodes among the k highest-scored ones, where k is the number of planted nodes; averaged over
        the graphs that have planted nodes.
    complete
        Share of these graphs in which the highest-scored nodes are exactly the planted ones.
    n_graphs
        Number of these graphs.
    """

    precision: float
    complete: float
    n_graphs: int


def top_nodes(scores: ArrayLike, node_counts: ArrayLike, n: ArrayLike) -> BoolArray:
    """Select the nodes with the highest scores in each graph; ties go to the first.

    Parameters
    ----------
    scores
        Score of each node.
    node_counts
        Number of nodes of each graph, ``graphs.node_counts``.
    n
        Number of nodes to select, for all graphs or for each. Graphs with fewer nodes are selected entirely.

    Returns
    -------
    ndarray of bool, (nodes,)

    Examples
    --------
    >>> from graphtm.explain import top_nodes
    >>> top_nodes([0.1, 3.0, 2.0, 5.0, 4.0], node_counts=[3, 2], n=1)
    array([False,  True, False,  True, False])
    """
    counts = np.asarray(node_counts, np.int64)
    values = _per_node("scores", np.asarray(scores, np.float64), counts)
    graph = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-values, graph))
    rank = np.empty(len(values), np.int64)
    rank[order] = np.arange(len(values)) - pointers(counts)[:-1][graph]
    return rank < np.broadcast_to(np.asarray(n, np.int64), len(counts))[graph]


def sparsity(chosen: ArrayLike, node_counts: ArrayLike) -> float:
    """Return the share of nodes that are not selected, averaged over graphs. 1 means that no node was selected.

    Parameters
    ----------
    chosen
        Whether each node is selected.
    node_counts
        Number of nodes of each graph.

    Examples
    --------
    >>> from graphtm.explain import sparsity
    >>> sparsity([True, False, False, False, True, True], node_counts=[4, 2])
    0.375
    """
    counts = np.asarray(node_counts, np.int64)
    mask = _per_node("chosen", np.asarray(chosen, np.bool_), counts)
    return float(np.mean(1 - _per_graph(mask, counts) / counts))


def recovery(scores: ArrayLike, truth: ArrayLike, node_counts: ArrayLike) -> Recovery:
    """Compare scores with the nodes of a planted rule.

    Parameters
    ----------
    scores
        Score of each node for the class that the rule determines.
    truth
        Whether each node belongs to the rule, ``made.nodes`` of generated data. Graphs without such nodes are left out.
    node_counts
        Number of nodes of each graph.

    Raises
    ------
    GraphError
        If no graph has planted nodes, or an array does not have one value per node.

    Examples
    --------
    >>> from graphtm.explain import recovery
    >>> recovery([9, 8, 1, 2, 3, 1], [True, True, False, False, True, True], node_counts=[3, 3])
    Recovery(precision=0.75, complete=0.5, n_graphs=2)
    """
    counts = np.asarray(node_counts, np.int64)
    planted = _per_node("truth", np.asarray(truth, np.bool_), counts)
    n_planted = _per_graph(planted, counts)
    if not n_planted.any():
        raise GraphError("At least one graph must have nodes of the planted rule; got none.")
    found = _per_graph(top_nodes(scores, counts, n_planted) & planted, counts)
    judged = n_planted > 0
    shares = found[judged] / n_planted[judged]
    return Recovery(float(shares.mean()), float(np.mean(shares == 1)), int(judged.sum()))


def fidelity(predict: Callable[[GraphBatch], NDArray[Any]], graphs: GraphBatch, chosen: ArrayLike) -> Fidelity:
    """Measure whether the selected nodes are necessary and sufficient for the predictions.

    A blanked node loses its properties and its edges; it keeps its type and remains a readout node if it was one. A
    clause that requires the absence of something can become true at a blanked node.

    Parameters
    ----------
    predict
        Function that returns predictions, ``clf.predict``.
    graphs
        The graphs.
    chosen
        Whether each node is selected, for instance by :func:`top_nodes`.

    Examples
    --------
    >>> import numpy as np
    >>> import graphtm as gtm
    >>> from graphtm.explain import fidelity
    >>> graphs = gtm.GraphBatch.from_arrays([2] * 40, [[1, 0], [0, 0], [0, 1], [0, 0]] * 20, symbols=["hot", "cold"])
    >>> y = ["summer", "winter"] * 20
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3).fit(graphs, y)
    >>> fidelity(clf.predict, graphs, np.array([True, False] * 40)).sufficiency
    1.0
    """
    mask = _per_node("chosen", np.asarray(chosen, np.bool_), graphs.node_counts)
    before = predict(graphs)
    changed = predict(_blanked(graphs, mask)) != before
    stays = predict(_blanked(graphs, ~mask)) == before
    return Fidelity(float(np.mean(changed)), float(np.mean(stays)))


def edge_patterns(
    explanations: Iterable[Explanation], class_: Any = None, against: Any = None
) -> list[tuple[tuple[tuple[Hashable, ...], Hashable, tuple[Hashable, ...]], float]]:
    """Sum the edge scores of many graphs, by edge type and the symbols at both ends.

    On graphs with a planted motif, the edges of the motif come first.

    Parameters
    ----------
    explanations
        Explanations of the graphs.
    class_, against
        As for :meth:`Explanation.scores`.

    Returns
    -------
    list
        Pairs of a pattern ``(symbols of the source, edge type, symbols of the destination)`` and its score, highest
        first.
    """
    total: Counter[Any] = Counter()
    for explanation in explanations:
        graph, scores = explanation.graph, explanation.scores(class_, against).edges
        for edge, score in zip(explanation.edges, scores.tolist(), strict=True):
            ends = graph.properties(edge.source), graph.properties(edge.destination)
            total[ends[0], edge.type, ends[1]] += score
    return sorted(total.items(), key=lambda item: -item[1])


def _per_node(name: str, values: NDArray[Any], counts: Int64Array) -> NDArray[Any]:
    if values.shape != (int(counts.sum()),):
        raise GraphError(
            f"{name!r} must have one value for each of the {int(counts.sum()):,} nodes; got shape {values.shape}."
        )
    return values


def _per_graph(mask: BoolArray, counts: Int64Array) -> Int64Array:
    return np.bincount(np.repeat(np.arange(len(counts)), counts)[mask], minlength=len(counts))


def _blanked(graphs: GraphBatch, blank: BoolArray) -> GraphBatch:
    """Return the graphs without the properties and edges of some nodes."""
    packed = graphs.pack()
    first = np.repeat(packed.node_ptr[:-1], packed.node_counts)

    def kept(table: EdgeTable) -> EdgeTable:
        near = table.near_ends()
        keep = ~(blank[near] | blank[first[near] + table.neighbours])
        far, types = table.neighbours[keep].astype(np.int64), table.types[keep].astype(np.int64)
        return edge_table(near[keep], far, types, len(table.ptr) - 1)

    nodes, symbols = packed.properties.pairs()
    keep = ~blank[nodes]
    properties = from_pairs(nodes[keep], symbols[keep], packed.n_nodes, packed.properties.n_symbols)
    tables = kept(packed.out_edges), kept(packed.in_edges)
    return GraphBatch(replace(packed, properties=properties, out_edges=tables[0], in_edges=tables[1]))
