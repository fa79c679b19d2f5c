"""Graphs with named symbols: single graphs, batches and vocabularies."""

from graphtm.graphs.batch import GraphBatch, load_graphs
from graphtm.graphs.graph import Edge, Graph
from graphtm.graphs.lazy import GraphSource
from graphtm.graphs.packed import PackedGraphs
from graphtm.graphs.vocabulary import PLAIN, Vocabulary

__all__ = ["PLAIN", "Edge", "Graph", "GraphBatch", "GraphSource", "PackedGraphs", "Vocabulary", "load_graphs"]
