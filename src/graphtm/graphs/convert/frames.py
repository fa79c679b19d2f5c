"""Graphs from data frames, and from CSV files, with one row per node and one row per edge."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable
from typing import Any

from graphtm.foundation.frames import Pandas, Polars
from graphtm.graphs.attributes import check_one_name, chosen, edge_attributes, ignored
from graphtm.graphs.bins import Binning
from graphtm.graphs.convert.csv_frames import read_frames
from graphtm.graphs.convert.frame_columns import FrameColumns, FrameOptions
from graphtm.graphs.convert.frame_reader import FrameReader


def from_pandas(
    nodes: Any,
    edges: Any = None,
    graphs: Any = None,
    *,
    graph: Hashable | None = "graph",
    node: Hashable = "node",
    symbols: Hashable | Iterable[Hashable] | None = None,
    type: Hashable | None = None,
    source: Hashable = "source",
    destination: Hashable = "destination",
    edge_type: Hashable | list[Hashable] | None = None,
    directed: bool = True,
    label: Hashable | None = None,
    node_label: Hashable | None = None,
    bins: Any = None,
    missing: str = "drop",
    ignore: Iterable[Hashable] = (),
) -> Any:
    """Convert pandas data frames of nodes and edges to a batch.

    Graphs are in the order of their first nodes, and nodes are in the order of their rows. A million edges take about
    a second.

    Parameters
    ----------
    nodes
        Data frame with one row per node.
    edges
        Data frame with one row per edge, or ``None``.
    graphs
        Data frame with one row per graph, with its label; or ``None``.
    graph
        Column of all data frames with the graph that a row belongs to; ``None`` for a single graph.
    node
        Column of node names, which are strings or integers and unique within a graph.
    symbols
        Columns of the nodes that become symbols. For a single name, its values are the symbols, or lists of symbols.
        For a list of names, the value ``"C"`` of ``atom`` becomes the symbol ``("atom", "C")``, a list becomes one
        symbol per item, and a Boolean becomes the symbol ``"atom"`` if it is true; the values of a column
        ``properties`` are symbols also in this case. Default: all columns that are not used otherwise.
    type
        Column of node types.
    source, destination
        Columns with the ends of edges.
    edge_type
        Column of edge types; a missing value becomes ``"plain"``. For a list of columns, the type is a tuple of pairs,
        such as ``(("bond", "single"), ("ring", True))``, with ``("bond", "is", "missing")`` for a missing value.
    directed
        Whether edges are directed. If not, each row is an edge in both directions.
    label
        Column with the label of the graph: of ``graphs``, where the default is ``"label"``, or else of the nodes, where
        it must be the same in all rows of a graph.
    node_label
        Column of the nodes with the label of the node, for node-level tasks. Nodes that have one are the readout nodes.
    bins
        How to divide numbers into bins. A number of bins: columns of floats are cut at their quantiles. A mapping from
        columns to numbers of bins or to cuts: these columns are divided, also if they have integers. A training batch,
        its vocabulary, or a pipeline, encoder or estimator fitted to it: the same cuts again. A node gets a symbol
        ``("charge", ">=", "0.5")``, printed ``charge>=0.5``, for each cut that it reaches; the type of an edge is its
        bin, ``("length", "in", "[0.5, 1)")``.
    missing
        What to do with missing values of ``symbols``. ``"drop"``: no symbol. ``"symbol"``: a symbol ``("charge", "is",
        "missing")``. ``"error"``: raise an error, also for missing values of ``edge_type``; with the other choices,
        these become what is described there.
    ignore
        Columns of any data frame to ignore. Columns that are neither used nor ignored raise an error.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        The graphs; and their labels if ``label`` or ``graphs`` is given, or the labels of nodes if ``node_label`` is
        given, in the order of ``batch.node_examples(depth)``.

    Raises
    ------
    GraphError
        If a column is missing, is neither used nor ignored, or cannot be used as names (such as floats without
        ``bins``); if a column has numbers with decimals but also other values, and ``bins`` is a number; if a column
        has cuts in the training batch but is not there; if a node is given twice; if an edge has an unknown node; or if
        a graph has no label.

    Examples
    --------
    >>> import pandas as pd
    >>> import graphtm as gtm
    >>> atoms = pd.DataFrame({
    ...     "molecule": ["water", "water", "water", "neon"], "atom": ["o", "h1", "h2", "ne"],
    ...     "element": ["O", "H", "H", "Ne"], "noble": [False, False, False, True], "gas": ["no", "no", "no", "yes"],
    ... })
    >>> bonds = pd.DataFrame({"molecule": ["water"] * 2, "source": ["h1", "h2"], "destination": ["o", "o"]})
    >>> graphs, y = gtm.from_pandas(
    ...     atoms, bonds, graph="molecule", node="atom", symbols=["element", "noble"], label="gas"
    ... )
    >>> print(graphs[0], y)
    Graph with 3 nodes and 2 edges
      'o': element=O
      'h1': element=H
          plain -> 'o'
      'h2': element=H
          plain -> 'o' ['no' 'yes']
    >>> graphs[1].properties("ne")
    (('element', 'Ne'), 'noble')
    """
    columns = FrameColumns(graph, node, symbols, type, source, destination, edge_type, label, node_label, ignore)
    options = FrameOptions("from_pandas", bins, missing, directed)
    return FrameReader(Pandas("from_pandas"), columns, options, nodes, edges, graphs).read()


def from_polars(
    nodes: Any,
    edges: Any = None,
    graphs: Any = None,
    *,
    graph: Hashable | None = "graph",
    node: Hashable = "node",
    symbols: Hashable | Iterable[Hashable] | None = None,
    type: Hashable | None = None,
    source: Hashable = "source",
    destination: Hashable = "destination",
    edge_type: Hashable | list[Hashable] | None = None,
    directed: bool = True,
    label: Hashable | None = None,
    node_label: Hashable | None = None,
    bins: Any = None,
    missing: str = "drop",
    ignore: Iterable[Hashable] = (),
) -> Any:
    """Convert polars data frames to a batch; see :func:`from_pandas`.

    Examples
    --------
    >>> import polars as pl
    >>> import graphtm as gtm
    >>> nodes = pl.DataFrame({"graph": [0, 0, 1], "node": [0, 1, 0], "letters": [["a", "b"], [], ["b"]]})
    >>> edges = pl.DataFrame({"graph": [0], "source": [1], "destination": [0], "kind": ["up"]})
    >>> print(gtm.from_polars(nodes, edges, symbols="letters", edge_type="kind")[0])
    Graph with 2 nodes and 1 edge
      0: 'a', 'b'
      1: no properties
          up -> 0
    """
    columns = FrameColumns(graph, node, symbols, type, source, destination, edge_type, label, node_label, ignore)
    options = FrameOptions("from_polars", bins, missing, directed)
    return FrameReader(Polars("from_polars"), columns, options, nodes, edges, graphs).read()


def read_csv(
    nodes: str | os.PathLike[str],
    edges: str | os.PathLike[str] | None = None,
    graphs: str | os.PathLike[str] | None = None,
    *,
    graph: str | None = "graph",
    node: str = "node",
    symbols: str | Iterable[str] | None = None,
    type: str | None = None,
    source: str = "source",
    destination: str = "destination",
    edge_type: str | list[str] | None = None,
    directed: bool = True,
    label: str | None = None,
    node_label: str | None = None,
    bins: Any = None,
    missing: str = "drop",
    ignore: Iterable[str] = (),
    separator: str = ",",
) -> Any:
    r"""Read graphs from CSV files; requires pandas.

    Parameters
    ----------
    nodes
        File with one row per node. The first line has the names of the columns.
    edges
        File with one row per edge, or ``None``.
    graphs
        File with one row per graph, with its label, or ``None``.
    graph, node, symbols, type, source, destination, edge_type, directed, label, node_label, bins, missing, ignore
        Names of columns, and what to do with them, as in :func:`from_pandas`. Empty cells are missing values, and so
        are ``NA``, ``NaN`` and the like.

        A cell becomes an integer if it is written as one (``7`` and ``-7``, but not ``007``, of at most 64 bits), a
        Boolean if it is ``True`` or ``False``, also in capital or small letters, else a string. Other cells play no
        part in it, so that the same cell is the same symbol in every file. Only columns in which all cells are numbers,
        one of them with decimals, are floats, which ``bins`` divides. Names of graphs are integers if all of them are
        integers, else strings; so are names of nodes. Labels are all of one kind.
    separator
        Character between the cells of a row.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        As :func:`from_pandas`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    GraphFormatError
        If a file is not CSV.
    GraphError
        As :func:`from_pandas`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import graphtm as gtm
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nodes.csv").write_text("graph,node,atom,charge\n1,a,C,0.5\n1,b,O,-0.3\n2,a,C,0.1\n")
    >>> _ = (folder / "edges.csv").write_text("graph,source,destination,bond\n1,a,b,double\n")
    >>> _ = (folder / "graphs.csv").write_text("graph,label\n2,no\n1,yes\n")
    >>> batch, y = gtm.read_csv(
    ...     folder / "nodes.csv", folder / "edges.csv", folder / "graphs.csv", edge_type="bond", directed=False, bins=2
    ... )
    >>> print(batch[0], y)
    Graph with 2 nodes and 2 edges
      'a': atom=C, charge>=0.1
          double -> 'b'
      'b': atom=O
          double -> 'a' ['yes' 'no']
    """
    function = "read_csv"
    without = ignored(ignore, function)
    if isinstance(symbols, Iterable) and not isinstance(symbols, str):
        symbols = chosen(symbols, "symbols", function, "the name of a column or a list of them")
    columns = FrameColumns(graph, node, symbols, type, source, destination, edge_type, label, node_label, without)
    for name, parameter in columns.single():
        check_one_name(name, parameter, function)
    edge_attributes(edge_type, function)
    binning = Binning(bins, function)
    frames = read_frames((nodes, edges, graphs), columns, separator, binning.divides)
    options = FrameOptions(function, bins, missing, directed)
    return FrameReader(Pandas(function), columns, options, *frames).read()
