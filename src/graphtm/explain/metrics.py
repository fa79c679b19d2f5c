"""How good explanations are: do they name what the prediction rests on, are they short, do they find a planted rule.

All of it is about nodes, numbered through a batch as :attr:`graphtm.datasets.Generated.nodes` numbers them: scores are
one number per node, choices one Boolean per node.
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
    """Whether chosen nodes carry the predictions.

    Parameters
    ----------
    necessity
        Share of graphs whose predicted class changes when the chosen nodes are blanked; 1 is best.
    sufficiency
        Share of graphs whose predicted class stays when all other nodes are blanked; 1 is best.
    """

    necessity: float
    sufficiency: float


@dataclass(frozen=True)
class Recovery:
    """Whether the nodes of a planted rule have the highest scores.

    Parameters
    ----------
    precision
        Share of planted nodes among as many highest-scored ones, averaged over the graphs that have planted nodes.
    complete
        Share of those graphs in which the highest-scored nodes are exactly the planted ones.
    n_graphs
        How many graphs that are.
    """

    precision: float
    complete: float
    n_graphs: int


def top_nodes(scores: ArrayLike, node_counts: ArrayLike, n: ArrayLike) -> BoolArray:
    """Choose the nodes with the highest scores in each graph; of equal ones, the first.

    Parameters
    ----------
    scores
        One number per node.
    node_counts
        Nodes of each graph, ``graphs.node_counts``.
    n
        How many nodes to choose, or one number for each graph; all nodes of a graph that has fewer.

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
    """Return the share of nodes that are not chosen, averaged over the graphs: 1 says it all in no node.

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
        One number per node: what it contributes to the class that the rule makes.
    truth
        Which nodes make the rule true, ``made.nodes`` of generated data; graphs without any are left out.
    node_counts
        Nodes of each graph.

    Raises
    ------
    GraphError
        If no graph has planted nodes, or the arrays do not fit the graphs.

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
        raise GraphError("Recovery needs a graph with nodes of the planted rule; none of these has any.")
    found = _per_graph(top_nodes(scores, counts, n_planted) & planted, counts)
    judged = n_planted > 0
    shares = found[judged] / n_planted[judged]
    return Recovery(float(shares.mean()), float(np.mean(shares == 1)), int(judged.sum()))


def fidelity(predict: Callable[[GraphBatch], NDArray[Any]], graphs: GraphBatch, chosen: ArrayLike) -> Fidelity:
    """Ask whether chosen nodes are needed for the predictions, and whether they are enough.

    A blanked node loses its properties and its edges; its type stays, and it answers if it did. A clause that asks for
    the absence of something may become true at it: the measure is of the machine, which sees blank nodes so.

    Parameters
    ----------
    predict
        ``clf.predict``.
    graphs
        The graphs.
    chosen
        Which nodes the explanations name, for instance from :func:`top_nodes`.

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
    """Add up what edges contribute over many graphs, by the symbols at their ends and their type.

    On graphs with a planted motif its edges come out on top, in the names of the data.

    Parameters
    ----------
    explanations
        Explanations of graphs.
    class_, against
        As of :meth:`Explanation.scores`.

    Returns
    -------
    list
        Pairs of a pattern ``(symbols of the source, edge type, symbols of the destination)`` and its score, the
        highest first.
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
            f"The {name!r} must hold one value for each of the {int(counts.sum()):,} nodes; got shape {values.shape}."
        )
    return values


def _per_graph(mask: BoolArray, counts: Int64Array) -> Int64Array:
    return np.bincount(np.repeat(np.arange(len(counts)), counts)[mask], minlength=len(counts))


def _blanked(graphs: GraphBatch, blank: BoolArray) -> GraphBatch:
    """Return the graphs with the properties and edges of some nodes gone."""
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
