"""Graphs given as data frames: a row per node, a row per edge."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from graphtm.graphs.convert.columns import FrameColumns, Pandas, Polars
from graphtm.graphs.convert.frame_reader import FrameReader


def from_pandas(
    nodes: Any,
    edges: Any = None,
    *,
    graph: Hashable | None = "graph",
    node: Hashable = "node",
    symbols: Hashable | Iterable[Hashable] | None = None,
    type: Hashable | None = None,
    source: Hashable = "source",
    destination: Hashable = "destination",
    edge_type: Hashable | None = None,
    label: Hashable | None = None,
    ignore: Iterable[Hashable] = (),
) -> Any:
    """Turn data frames of pandas, one of nodes and one of edges, into a batch.

    Graphs are in order of their first node, nodes in the order of their rows. A million edges take about a second.

    Parameters
    ----------
    nodes
        A frame with a row per node.
    edges
        A frame with a row per edge, or ``None``.
    graph
        The column, of both frames, that tells which graph a row belongs to; ``None`` if all are one graph.
    node
        The column of the nodes' names, strings or whole numbers, each once in a graph.
    symbols
        Which columns of the nodes become symbols. One name: its values are symbols as they are, one or a list of them.
        A list of names: the value ``"C"`` of ``atom`` becomes the symbol ``("atom", "C")``, a list one symbol per
        item, a Boolean the symbol ``"atom"`` where it is true, a missing value or item none; the column ``properties``
        holds symbols as they are here, too. If not given, all columns that nothing else is read from.
    type
        The column of the nodes' types.
    source, destination
        The columns of the edges' ends.
    edge_type
        The column of the edges' types; a missing one is ``"plain"``.
    label
        The column of the nodes that holds the graph's label, the same in all rows of a graph.
    ignore
        Columns of either frame to leave out. What is neither read nor listed here is refused, and so is what is listed
        but not there.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        The graphs, and with ``label`` their labels.

    Raises
    ------
    GraphError
        If a column is missing, is neither read nor ignored, or is of a type that cannot be names (a float has to be
        cut into bins first), a node is there twice, or an edge names a node that is not there.

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
      'o': ('element', 'O')
      'h1': ('element', 'H')
          plain -> 'o'
      'h2': ('element', 'H')
          plain -> 'o'
    ['no' 'yes']
    >>> graphs[1].properties("ne")
    (('element', 'Ne'), 'noble')
    """
    columns = FrameColumns(graph, node, symbols, type, source, destination, edge_type, label, ignore)
    return FrameReader(Pandas("from_pandas"), columns, nodes, edges).read()


def from_polars(
    nodes: Any,
    edges: Any = None,
    *,
    graph: Hashable | None = "graph",
    node: Hashable = "node",
    symbols: Hashable | Iterable[Hashable] | None = None,
    type: Hashable | None = None,
    source: Hashable = "source",
    destination: Hashable = "destination",
    edge_type: Hashable | None = None,
    label: Hashable | None = None,
    ignore: Iterable[Hashable] = (),
) -> Any:
    """Turn data frames of polars into a batch; see :func:`from_pandas`.

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
    columns = FrameColumns(graph, node, symbols, type, source, destination, edge_type, label, ignore)
    return FrameReader(Polars("from_polars"), columns, nodes, edges).read()
