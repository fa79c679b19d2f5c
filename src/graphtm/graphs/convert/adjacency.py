"""Graphs from adjacency matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import Name, refuse_set, saved_name
from graphtm.foundation.numbering import Names, Numbering
from graphtm.foundation.type_names import type_of
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.build_arrays import NodeTypesLike
from graphtm.graphs.vocabulary import PLAIN


def from_adjacency(
    matrices: Any,
    *,
    properties: Any = None,
    symbols: Iterable[object] | None = None,
    edge_types: Iterable[object] | None = None,
    node_types: NodeTypesLike | None = None,
    directed: bool = True,
) -> GraphBatch:
    """Convert adjacency matrices to a batch.

    A 1 in row ``i`` and column ``j`` is an edge from node ``i`` to node ``j``. All entries must be 0 or 1: a larger
    number could be a weight or several edges.

    Parameters
    ----------
    matrices
        A list with one item per graph. An item is a square matrix (a SciPy sparse matrix or array, or a NumPy array),
        or several matrices of the same size, one per edge type, as a dictionary or a list. A single matrix or
        dictionary is a batch of one graph.
    properties
        As in :meth:`graphtm.GraphBatch.from_arrays`, or a list with one matrix per graph.
    symbols
        Names of the symbols. Default: 0, 1, 2, ...
    edge_types
        Names of the edge types, in the order of lists of matrices. Default: 0, 1, 2, ..., or ``"plain"`` for single
        matrices. For dictionaries, the order of the edge types in the vocabulary.
    node_types
        As in :meth:`graphtm.GraphBatch.from_arrays`.
    directed
        Whether edges are directed. If not, each entry is an edge in both directions, even if the matrix is not
        symmetric.

    Raises
    ------
    GraphError
        If a matrix is not square, has entries other than 0 and 1, or has no edge type.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> import graphtm as gtm
    >>> path = sparse.csr_array(np.eye(3, k=1))
    >>> batch = gtm.from_adjacency([{"right": path, "left": path.T}], properties=np.eye(3), symbols=["a", "b", "c"])
    >>> print(batch[0])
    Graph with 3 nodes and 4 edges
      0: 'a'
          right -> 1
      1: 'b'
          left -> 0
          right -> 2
      2: 'c'
          left -> 1
    >>> gtm.from_adjacency([path, path.T], directed=False)
    GraphBatch(2 graphs, 6 nodes, 8 edges, 0 symbols, 1 edge type)
    """
    if not isinstance(directed, bool | np.bool_):
        raise TypeError(f"The 'directed' parameter of from_adjacency must be True or False. Got {directed!r} instead.")
    refuse_set(edge_types, "'edge_types' parameter of from_adjacency")
    declared = None if edge_types is None else Names(edge_types, "edge type")
    number = Numbering(declared)
    counts: list[int] = []
    sources, destinations, types, edge_counts = [], [], [], []
    for graph, relations in enumerate(_graph_list(matrices)):
        named = _named(relations, graph, declared)
        counts.append(_n_nodes(named, graph))
        n_edges = 0
        for name, matrix in named:
            source, destination = _ends(matrix, directed, _where(graph, name))
            sources.append(source)
            destinations.append(destination)
            types.append(np.full(len(source), number(name)))
            n_edges += len(source)
        edge_counts.append(n_edges)
    return GraphBatch.from_arrays(
        np.array(counts, dtype=np.int64),
        _properties(properties, counts),
        symbols,
        (_joined(sources), _joined(destinations), _joined(types)),
        number.names(),
        np.array(edge_counts, dtype=np.int64),
        node_types,
    )


def _graph_list(matrices: Any) -> list[Any]:
    if _is_matrix(matrices) or isinstance(matrices, Mapping):
        return [matrices]
    refuse_set(matrices, "matrices")
    if isinstance(matrices, Iterable) and not isinstance(matrices, str | bytes | np.ndarray):
        return list(matrices)
    raise TypeError(
        "The matrices must be a list with one square matrix, or one dictionary or list of them, per graph; "
        f"got {type_of(matrices)}."
    )


def _is_matrix(value: object) -> bool:
    return bool(sparse.issparse(value)) or (isinstance(value, np.ndarray) and value.ndim == 2)


def _named(relations: Any, graph: int, declared: Names | None) -> list[tuple[Name, Any]]:
    """Return the edge types of a graph and their matrices."""
    if isinstance(relations, Mapping):
        named = [(saved_name(name, "edge type"), matrix) for name, matrix in relations.items()]
    elif _is_matrix(relations):
        if declared is not None and len(declared) != 1:
            raise GraphError(
                f"A graph with a single matrix must have one edge type; got {len(declared)} for graph {graph}. "
                "Pass a dictionary from edge types to matrices."
            )
        named = [(PLAIN if declared is None else declared[0], relations)]
    elif isinstance(relations, list | tuple):
        names: Sequence[Name] = range(len(relations)) if declared is None else declared
        if len(names) != len(relations):
            raise GraphError(
                f"edge_types must have one name per matrix; got {len(names)} names, but graph {graph} has "
                f"{len(relations)} matrices."
            )
        named = list(zip(names, relations, strict=True))
    else:
        named = [(PLAIN, relations)]
    for name, matrix in named:
        if not _is_matrix(matrix):
            raise TypeError(
                "An adjacency matrix must be a SciPy sparse matrix or a two-dimensional NumPy array; "
                f"{_where(graph, name)} is {type_of(matrix)}."
            )
    return named


def _where(graph: int, name: Name) -> str:
    return f"the matrix of graph {graph}" if name == PLAIN else f"the matrix of graph {graph} for {name!r}"


def _n_nodes(named: list[tuple[Name, Any]], graph: int) -> int:
    if not named:
        raise GraphError(f"A graph must have at least one matrix, which may be all 0; graph {graph} has none.")
    first = named[0][1].shape
    for name, matrix in named:
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise GraphError(f"An adjacency matrix must be square; {_where(graph, name)} has shape {matrix.shape}.")
        if matrix.shape != first:
            raise GraphError(
                f"All matrices of a graph must have the same size; {_where(graph, named[0][0])} has shape {first}, "
                f"{_where(graph, name)} has {matrix.shape}."
            )
    return int(first[0])


def _ends(matrix: Any, directed: bool, where: str) -> tuple[Int64Array, Int64Array]:
    """Return the sources and destinations of the edges in a matrix."""
    if matrix.dtype.kind not in "biuf":
        raise GraphError(f"Entries of an adjacency matrix must be 0 or 1; {where} has dtype {matrix.dtype}.")
    entries = sparse.coo_array(matrix, copy=True)
    entries.sum_duplicates()
    row, column = entries.row.astype(np.int64), entries.col.astype(np.int64)
    kept = entries.data == 1
    bad = np.flatnonzero(~kept & (entries.data != 0))
    if len(bad):
        raise GraphError(
            f"Entries of an adjacency matrix must be 0 or 1; {where} has {entries.data[bad[0]]} in row {row[bad[0]]}, "
            f"column {column[bad[0]]}. Pass `matrix != 0` to ignore weights, or one matrix per edge type."
        )
    row, column = row[kept], column[kept]
    if directed:
        return row, column
    size = matrix.shape[0]
    both = np.unique(np.concatenate([row * size + column, column * size + row]))
    return both // size, both % size


def _properties(given: Any, counts: list[int]) -> Any:
    """Return properties for from_arrays; a list of matrices is stacked."""
    if not (isinstance(given, list) and given and all(map(_is_matrix, given))):
        return given
    shapes = [matrix.shape for matrix in given]
    if len(shapes) != len(counts):
        raise GraphError(f"properties must have one matrix per graph, {len(counts)}; got {len(shapes)}.")
    for graph, (shape, n_nodes) in enumerate(zip(shapes, counts, strict=True)):
        if shape != (n_nodes, shapes[0][1]):
            raise GraphError(
                f"The properties of graph {graph} must have one row per node and one column per symbol, "
                f"{(n_nodes, shapes[0][1])}; got {shape}."
            )
    return sparse.vstack([sparse.coo_array(matrix) for matrix in given], format="csr")


def _joined(parts: list[Int64Array]) -> Int64Array:
    return np.concatenate([np.zeros(0, np.int64), *parts])
