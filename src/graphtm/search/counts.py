"""Counts of data: what a suggestion is based on before anything is tried."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtm.foundation.display import count
from graphtm.graphs import GraphBatch
from graphtm.search.samples import Samples


def counts_of(samples: Samples, sample: Samples) -> dict[str, int | float]:
    """Return counts of data by name; means over graphs are those of a sample."""
    sizes = samples.class_sizes
    several = samples.classes is None
    found: dict[str, int | float] = {"samples": len(samples), "labels" if several else "classes": len(sizes)}
    found["smallest_label" if several else "smallest_class"] = int(sizes.min(initial=len(samples)))
    found["tried_on"] = len(sample)
    return {**found, **_graph_counts(sample.X)} if isinstance(sample.X, GraphBatch) else found


def _graph_counts(batch: GraphBatch) -> dict[str, int | float]:
    graphs = batch.pack()
    degrees = np.diff(graphs.out_edges.ptr)
    readout = graphs.n_nodes if graphs.readout is None else int(np.count_nonzero(graphs.readout))
    return {
        "nodes_per_graph": graphs.n_nodes / graphs.n_graphs,
        "edges_per_graph": graphs.n_edges / graphs.n_graphs,
        "readout_nodes_per_graph": readout / graphs.n_graphs,
        "single_node_graphs": int(np.count_nonzero(graphs.node_counts == 1)),
        "mean_degree": float(degrees.mean()),
        "largest_degree": int(degrees.max(initial=0)),
        "symbols": len(graphs.vocabulary.symbols),
        "edge_types": len(graphs.vocabulary.edge_types),
        "node_types": len(graphs.vocabulary.node_types),
    }


def counts_text(counts: dict[str, Any]) -> str:
    """Return the most important counts as a line of text."""
    several = "labels" in counts
    kind, smallest = ("label", "smallest_label") if several else ("class", "smallest_class")
    n_kinds = counts["labels" if several else "classes"]
    kinds = f"{n_kinds:,} {kind if n_kinds == 1 else kind + ('s' if several else 'es')}"
    parts = [count(counts["samples"], "sample"), f"{kinds} (smallest: {counts[smallest]:,})"]
    if "nodes_per_graph" in counts:
        parts += [
            f"{counts['nodes_per_graph']:.1f} nodes and {counts['edges_per_graph']:.1f} edges a graph",
            f"{counts['mean_degree']:.1f} edges from a node (at most {counts['largest_degree']:,})",
            f"{count(counts['symbols'], 'symbol')}, {count(counts['edge_types'], 'edge type')}",
        ]
        if counts["readout_nodes_per_graph"] < counts["nodes_per_graph"]:
            parts.append(f"{counts['readout_nodes_per_graph']:.1f} readout nodes a graph")
    return "; ".join(parts)
