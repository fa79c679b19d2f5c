"""Graph benchmarks, the TU datasets: nodes that know their degree, and the ten folds that everybody uses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import StratifiedKFold, train_test_split

from graphtm.datasets import load_tudataset
from graphtm.experiments.declaration import Folder, Split
from graphtm.foundation.arrays import Int64Array
from graphtm.graphs import GraphBatch, PackedGraphs

SETS = {"AIDS": 2000, "COX2": 467, "DHFR": 756, "IMDB-MULTI": 1500, "Mutagenicity": 4337, "NCI109": 4127, "PTC_FM": 349}
"""Names of the datasets that the experiment runs by itself, and their numbers of graphs."""
N_FOLDS = 10


def load_graphs(name: str, data_home: Folder | None) -> tuple[GraphBatch, NDArray[np.int64]]:
    """Return the graphs of a TU dataset without their numeric attributes, and their classes."""
    return load_tudataset(name, data_home=data_home, ignore=["node_attributes", "edge_attributes"])


def with_degrees(graphs: GraphBatch) -> GraphBatch:
    """Return the graphs with a symbol such as ``("degree", 3)`` at each node: its number of outgoing edges.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from graphtm.experiments.graph_benchmarks_data import with_degrees
    >>> graphs = gtm.GraphBatch.from_arrays([2], ([0, 1], [0, 0]), ["C"], ([0], [1], [0]), ["bond"])
    >>> with_degrees(graphs)[0].properties(0)
    ('C', ('degree', 1))
    """
    packed, symbols = graphs.pack(), list(graphs.vocabulary.symbols)
    degrees, number = np.unique(np.diff(packed.out_edges.ptr), return_inverse=True)
    nodes, symbol = packed.properties.pairs()
    return GraphBatch.from_arrays(
        packed.node_counts,
        (np.concatenate([nodes, np.arange(packed.n_nodes)]), np.concatenate([symbol, number + len(symbols)])),
        [*symbols, *(("degree", degree) for degree in degrees.tolist())],
        edge_arrays(packed),
        list(graphs.vocabulary.edge_types),
    )


def edge_arrays(packed: PackedGraphs) -> tuple[Int64Array, NDArray[Any], NDArray[Any]]:
    """Return source, destination and type of all edges; nodes are numbered across all graphs."""
    edges = packed.out_edges
    source = edges.near_ends()
    # Neighbours are numbered within their graph.
    destination = edges.neighbours + np.repeat(packed.node_ptr[:-1], packed.node_counts)[source]
    return source, destination, edges.types


def symbol_counts(graphs: GraphBatch) -> sparse.csr_array:
    """Return the number of nodes with each symbol of the vocabulary, (graphs, symbols), for models that take tables.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from graphtm.experiments.graph_benchmarks_data import symbol_counts
    >>> graphs = gtm.GraphBatch.from_arrays([2, 1, 1], ([0, 1, 1, 2], [0, 0, 1, 1]), ["a", "b"])
    >>> symbol_counts(graphs).toarray().tolist()
    [[2.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    packed = graphs.pack()
    nodes, symbols = packed.properties.pairs()
    graph = np.repeat(np.arange(len(graphs)), packed.node_counts)[nodes]
    shape = (len(graphs), len(graphs.vocabulary.symbols))
    # Equal pairs are added up. Estimators of scikit-learn need indices of 32 bits.
    return sparse.csr_array((np.ones(len(nodes)), (graph.astype(np.int32), symbols.astype(np.int32))), shape)


def some(graphs: GraphBatch, y: NDArray[np.int64], n: int | None) -> tuple[GraphBatch, NDArray[np.int64]]:
    """Return so many graphs with as many of each class as there are in proportion; ``None`` means all."""
    if n is None or n >= len(y):
        return graphs, y
    chosen, _ = train_test_split(np.arange(len(y)), train_size=n, stratify=y, random_state=0)
    return graphs[chosen], y[chosen]


def fold_of(graphs: GraphBatch, y: NDArray[np.int64], number: int, trial: bool = False) -> Split:
    """Return one of ten folds, the same for everybody: ``StratifiedKFold(10, shuffle=True, random_state=0)``.

    With ``trial``, a tenth of the training graphs replaces the test graphs, which are left out.
    """
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(np.zeros(len(y)), y)
    train, test = list(folds)[number]
    if trial:
        train, test = train_test_split(train, test_size=0.1, stratify=y[train], random_state=0)
    train, test = np.sort(train), np.sort(test)
    return Split(graphs[train], y[train], graphs[test], y[test])
