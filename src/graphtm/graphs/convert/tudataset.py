"""Graphs of a TUDataset folder: text files whose rows are edges, nodes and graphs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphFormatError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import Name
from graphtm.foundation.quantiles import quantile_cuts
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.convert.attributes import chosen
from graphtm.graphs.convert.tudataset_files import TUFiles
from graphtm.graphs.vocabulary import PLAIN


def read_tudataset(
    folder: str | os.PathLike[str],
    *,
    name: str | None = None,
    booleanise: int | None = None,
    ignore: Iterable[str] = (),
) -> tuple[GraphBatch, NDArray[Any]]:
    r"""Read a folder in the format of the TUDatasets.

    A node with label 3 gets the symbol ``("label", 3)``, or ``("label", 0, 3)`` where there are several columns of
    labels; an edge with label 1 is of type ``1``, of type ``(1, 2)`` where there are several columns, and ``"plain"``
    without labels. Numbers on nodes are refused, or turned into symbols on request.

    Parameters
    ----------
    folder
        The folder with the files ``DS_A.txt``, ``DS_graph_indicator.txt`` and ``DS_graph_labels.txt`` (or
        ``DS_graph_attributes.txt``, the targets of a regression), where ``DS`` is the dataset's name; and optionally
        ``DS_node_labels.txt``, ``DS_edge_labels.txt`` and ``DS_node_attributes.txt``. Each may be compressed (``.gz``,
        ``.xz``). Or a zip archive of them.
    name
        The dataset's name; needed if there are several in the folder.
    booleanise
        Cut every numeric attribute of nodes into that many bins of about equal size (quantiles over all graphs of the
        folder), or at each value if there are no more; a node gets the symbol ``"attribute 0 >= 1.5"`` for every limit
        that it reaches.
    ignore
        Optional files to leave out: ``"node_labels"``, ``"node_attributes"``, ``"edge_labels"``,
        ``"edge_attributes"``.

    Returns
    -------
    graphs : GraphBatch
    labels : array
        One label per graph, or a row of them.

    Raises
    ------
    DatasetNotFoundError
        If a file is missing.
    GraphFormatError
        If a file cannot be read, does not fit the others, or holds what graphs cannot.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from graphtm.graphs.convert import read_tudataset
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> files = {"A": "1, 2\n2, 1\n3, 3", "graph_indicator": "1\n1\n2", "graph_labels": "-1\n1",
    ...          "node_labels": "0\n6\n0", "node_attributes": "0.5, 7\n1.5, 7\n2.5, 7"}
    >>> for name, text in files.items():
    ...     _ = (folder / f"TINY_{name}.txt").write_text(text)
    >>> graphs, y = read_tudataset(folder, booleanise=3)
    >>> print(graphs[0], y)
    Graph with 2 nodes and 2 edges
      0: ('label', 0)
          plain -> 1
      1: ('label', 6), 'attribute 0 >= 1.5'
          plain -> 0
    [-1  1]
    """
    if booleanise is not None and (isinstance(booleanise, bool) or not isinstance(booleanise, int) or booleanise < 2):
        raise ValueError(
            "The 'booleanise' parameter of read_tudataset must be a number of bins, at least 2, or None. "
            f"Got {booleanise!r} instead."
        )
    files = TUFiles(Path(folder), name, chosen(ignore, "ignore", "read_tudataset"))
    indicator = files.integers("graph_indicator", 1)[:, 0]
    labels = files.targets()
    counts = _node_counts(indicator, len(labels), files)
    order = np.argsort(indicator, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    ends = files.integers("A", 2)
    bad = np.flatnonzero(((ends < 1) | (ends > len(indicator))).any(axis=1))
    if len(bad):
        raise GraphFormatError(
            f"Nodes in {files.name('A')} must lie in 1..{len(indicator)}, the nodes of the graph indicator; row "
            f"{bad[0] + 1} is {', '.join(map(str, ends[bad[0]]))}."
        )
    source, destination = ends[:, 0] - 1, ends[:, 1] - 1
    bad = np.flatnonzero(indicator[source] != indicator[destination])
    if len(bad):
        raise GraphFormatError(
            f"An edge must stay within its graph; row {bad[0] + 1} of {files.name('A')} joins node "
            f"{ends[bad[0], 0]} of graph {indicator[source[bad[0]]]} and node {ends[bad[0], 1]} of graph "
            f"{indicator[destination[bad[0]]]}."
        )
    nodes, numbers, symbols = _symbols(files, len(indicator), booleanise)
    types, type_names = _edge_types(files, len(ends))
    graphs = GraphBatch.from_arrays(
        counts,
        (place[nodes], numbers),
        symbols,
        (place[source], place[destination], types),
        type_names,
    )
    return graphs, labels


def _node_counts(indicator: Int64Array, n_graphs: int, files: TUFiles) -> Int64Array:
    bad = np.flatnonzero((indicator < 1) | (indicator > n_graphs))
    if len(bad):
        raise GraphFormatError(
            f"Graphs in {files.name('graph_indicator')} must lie in 1..{n_graphs}, the graphs that have labels; "
            f"row {bad[0] + 1} is {indicator[bad[0]]}."
        )
    counts = np.bincount(indicator - 1, minlength=n_graphs)
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        raise GraphFormatError(
            f"A graph must have at least one node; graph {empty[0] + 1} has none in {files.name('graph_indicator')}."
        )
    return counts


def _symbols(files: TUFiles, n_nodes: int, bins: int | None) -> tuple[Int64Array, Int64Array, list[Name]]:
    """Return nodes, numbers of their symbols, and the symbols' names."""
    nodes, numbers, names = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], list[Name]()
    if files.has("node_labels"):
        labels = files.integers("node_labels")
        files.check_length("node_labels", len(labels), n_nodes, "node")
        for column in range(labels.shape[1]):
            values, number = np.unique(labels[:, column], return_inverse=True)
            nodes.append(np.arange(n_nodes))
            numbers.append(number + len(names))
            several = labels.shape[1] > 1
            names += [("label", column, value) if several else ("label", value) for value in values.tolist()]
    if files.has("node_attributes"):
        if bins is None:
            raise GraphFormatError(
                f"Numbers on nodes must become symbols first; {files.name('node_attributes')} holds some. Give "
                "booleanise=8 to cut them into 8 bins, or ignore=['node_attributes']."
            )
        attributes = files.floats("node_attributes")
        files.check_length("node_attributes", len(attributes), n_nodes, "node")
        for column in range(attributes.shape[1]):
            measured = attributes[:, column]
            for limit in quantile_cuts(measured, bins).tolist():
                reached = np.flatnonzero(measured >= limit)
                if len(reached) == n_nodes:
                    continue  # what all have tells nothing
                nodes.append(reached)
                numbers.append(np.full(len(reached), len(names)))
                names.append(f"attribute {column} >= {limit!r}")
    return np.concatenate(nodes), np.concatenate(numbers), names


def _edge_types(files: TUFiles, n_edges: int) -> tuple[Int64Array, list[Name]]:
    if files.has("edge_attributes"):
        raise GraphFormatError(
            f"Edges must have no numbers, only a type; {files.name('edge_attributes')} holds some. Give "
            "ignore=['edge_attributes'] to leave them out."
        )
    if not files.has("edge_labels"):
        return np.zeros(n_edges, np.int64), [PLAIN]
    labels = files.integers("edge_labels")
    files.check_length("edge_labels", len(labels), n_edges, "edge")
    values, types = np.unique(labels, axis=0, return_inverse=True)
    return types.reshape(-1), [row[0] if len(row) == 1 else tuple(row) for row in values.tolist()]
