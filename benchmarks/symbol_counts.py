"""Graphs as numbers for models that take tables: how many nodes carry each symbol."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphtm import GraphBatch


def symbol_counts(graphs: GraphBatch) -> sparse.csr_array:
    """Return the number of nodes with each symbol of the vocabulary, (graphs, symbols)."""
    packed = graphs.pack()
    nodes, symbols = packed.properties.pairs()
    graph = np.repeat(np.arange(len(graphs)), packed.node_counts)[nodes]
    shape = (len(graphs), len(graphs.vocabulary.symbols))
    # Equal pairs are added up. Estimators of scikit-learn need indices of 32 bits.
    return sparse.csr_array((np.ones(len(nodes)), (graph.astype(np.int32), symbols.astype(np.int32))), shape)
