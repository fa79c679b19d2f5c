"""Graphs of PyTorch Geometric, and back.

Nothing here imports torch: what is handed in brings its own methods along. Arrays in place of tensors will do too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.calling import require
from graphtm.foundation.names import Name, refuse_set, saved_name
from graphtm.graphs.attributes import check_one_name, ignored, refuse_both
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.convert.collect import check_place
from graphtm.graphs.convert.pyg_features import WAYS, Way, array
from graphtm.graphs.convert.pyg_reader import Reader, is_hetero


@overload
def from_pyg(
    data: Any,
    *,
    node_features: Way | None = "auto",
    edge_features: Way | None = "auto",
    symbols: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    edge_types: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    label: None = None,
    ignore: Iterable[Hashable] = (),
) -> GraphBatch: ...
@overload
def from_pyg(
    data: Any,
    *,
    node_features: Way | None = "auto",
    edge_features: Way | None = "auto",
    symbols: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    edge_types: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    label: str,
    ignore: Iterable[Hashable] = (),
) -> tuple[GraphBatch, NDArray[Any]]: ...
def from_pyg(
    data: Any,
    *,
    node_features: Way | None = "auto",
    edge_features: Way | None = "auto",
    symbols: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    edge_types: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    label: str | None = None,
    ignore: Iterable[Hashable] = (),
) -> GraphBatch | tuple[GraphBatch, NDArray[Any]]:
    """Convert graphs of PyTorch Geometric: ``Data``, ``HeteroData``, ``Batch``, a list of these or a dataset.

    A node carries a symbol for each 1 in its row of ``x`` (one-hot), or for each of its columns (categories). An
    edge has one type: where there are ``edge_type`` or relations of a ``HeteroData`` their name, where there is
    ``edge_attr`` its category, and a tuple of both where there are both. Other attributes of nodes and edges, such as
    ``pos``, ``edge_weight`` and masks, are refused unless they are ignored; the target ``y`` and what belongs to the
    graph as a whole are not.

    Parameters
    ----------
    data
        The graphs. Node types of a ``HeteroData`` become node types, in whose order its nodes are numbered; a
        relation is named by its middle part. ``node_type`` of a ``Data`` gives its nodes types.
    node_features
        What ``x`` holds: ``"one_hot"`` columns (or multi-hot), ``"category"`` whole numbers, or ``"auto"``: floats
        and Booleans are one-hot; integers are one-hot if every row has exactly one 1, else categories. ``None``
        leaves ``x`` out.
    edge_features
        The same for ``edge_attr``, whose rows must have exactly one 1 to be one-hot.
    symbols
        A name for each column of ``x``: the symbol itself if one-hot, the first part of ``(name, value)`` if it holds
        categories. If not given, symbols are ``("x", column)`` or ``("x", column, value)``, with the node type in
        front for a ``HeteroData``, where names are given as a mapping from node types; a name that two node types
        have is one symbol.
    edge_types
        A name for each column of ``edge_attr`` if one-hot, or for its values 0, 1, 2, ... if it has one column of
        categories; for a ``HeteroData`` as a mapping from the relation's name. If not given, types are
        ``("edge_attr", column)`` or ``("edge_attr", value, ...)``, or ``"plain"`` if edges have no features.
    label
        The attribute that holds one label (or one row of labels) per graph, such as ``"y"``.
    ignore
        Attributes to leave out, in all node types and relations of a ``HeteroData``. One that is listed but not there
        is refused, unless it is one that this function reads by itself, such as ``edge_attr``.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        The graphs; and the labels if ``label`` is given.

    Raises
    ------
    GraphError
        If features are real numbers, arrays do not fit together, graphs differ in what they have, or nodes or edges
        have attributes that are neither read nor ignored.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace as Data                    # torch_geometric.data.Data in earnest
    >>> import graphtm as gtm
    >>> water = Data(
    ...     num_nodes=3,
    ...     x=np.array([[1, 0], [0, 1], [1, 0]]),
    ...     edge_index=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]),
    ...     y=np.array([1]),
    ... )
    >>> graphs, y = gtm.from_pyg([water, water], symbols=["H", "O"], label="y")
    >>> print(graphs[0])
    Graph with 3 nodes and 4 edges
      0: 'H'
          plain -> 1
      1: 'O'
          plain -> 0
          plain -> 2
      2: 'H'
          plain -> 1
    >>> y
    array([1, 1])

    Real numbers are no symbols:

    >>> gtm.from_pyg(Data(num_nodes=1, x=np.array([[0.5]]), edge_index=None))
    Traceback (most recent call last):
        ...
    graphtm.errors.GraphError: 'x' must hold 0 and 1 (one-hot) or whole numbers (categories); got 0.5 in column 0, row 0
    of graph 0. Turn real numbers into bins or thresholds first, or give node_features=None to leave them out.
    """
    for parameter, way in (("node_features", node_features), ("edge_features", edge_features)):
        if way not in WAYS:
            raise ValueError(
                f"The {parameter!r} parameter of from_pyg must be 'auto', 'one_hot', 'category' or None. Got "
                f"{way!r} instead."
            )
    items = _items(data)
    check_one_name(label, "label", "from_pyg")
    without = ignored(ignore, "from_pyg")
    refuse_both(without, [] if label is None else [label], "from_pyg")
    names = _names(symbols, "symbols"), _names(edge_types, "edge_types")
    reader = Reader(node_features, edge_features, *names, without, label)
    counts = [reader.read(item) for item in items]
    batch = reader.batch()
    return batch if label is None else (batch, _labels(items, label, counts))


def to_pyg(graphs: GraphBatch, i: int) -> Any:
    """Return one graph as ``torch_geometric.data.Data``.

    It has ``x`` (float, a column per symbol of the vocabulary), ``edge_index``, ``edge_type``, ``node_type`` if nodes
    have types, ``readout`` (Boolean), ``node_names`` and ``vocabulary``, which names the columns and types and lets
    :func:`from_pyg` give back the same graph.

    Parameters
    ----------
    graphs
        The graphs.
    i
        Which one; negative numbers count from the end.

    Raises
    ------
    MissingLibraryError
        If PyTorch or PyTorch Geometric is not installed.
    """
    place = check_place(graphs, i, "to_pyg")
    torch, geometric = require("torch", "to_pyg"), require("torch_geometric.data", "to_pyg")
    one = graphs[place : place + 1].pack()
    x = np.zeros((one.n_nodes, len(one.vocabulary.symbols)), np.float32)
    x[one.properties.pairs()] = 1
    ends = np.stack([one.out_edges.near_ends(), one.out_edges.neighbours.astype(np.int64)])
    readout = np.ones(one.n_nodes, np.bool_) if one.readout is None else one.readout.copy()
    parts: dict[str, Any] = {
        "x": torch.from_numpy(x),
        "edge_index": torch.from_numpy(ends),
        "edge_type": torch.from_numpy(one.out_edges.types.astype(np.int64)),
        "readout": torch.from_numpy(readout),
        "node_names": list(one.names_of(0)),
        "vocabulary": one.vocabulary,
    }
    if one.node_types is not None:
        parts["node_type"] = torch.from_numpy(one.node_types.astype(np.int64))
    return geometric.Data(**parts)


def _items(data: Any) -> list[Any]:
    """Return the graphs and batches that were handed in, as a list."""
    # A dataset passes questions about attributes on to the graphs it holds, and so looks like one.
    refuse_set(data, "'data' parameter of from_pyg")
    dataset = hasattr(type(data), "indices")
    if not dataset and (_is_graph(data) or is_hetero(data)):
        return [data]
    try:
        items = list(data)
    except TypeError:
        raise TypeError(_what_it_takes(type(data).__name__)) from None
    for number, item in enumerate(items):
        if not (_is_graph(item) or is_hetero(item)):
            raise TypeError(_what_it_takes(f"{type(item).__name__}' as element {number} of a '{type(data).__name__}"))
    return items


def _is_graph(item: Any) -> bool:
    return hasattr(item, "num_nodes") and hasattr(item, "edge_index")


def _what_it_takes(got: str) -> str:
    return (
        "The 'data' parameter of from_pyg must be a Data, HeteroData or Batch of PyTorch Geometric, or a list of "
        f"these. Got a '{got}' instead."
    )


def _names(
    given: Iterable[object] | Mapping[Any, Iterable[object]] | None, parameter: Literal["symbols", "edge_types"]
) -> Mapping[Any, Sequence[Name]]:
    """Return given names by node type or relation; those of plain graphs are under ``None``."""
    if given is None:
        return {}
    by_owner = given if isinstance(given, Mapping) else {None: given}
    for names in by_owner.values():
        if isinstance(names, str | bytes) or not isinstance(names, Iterable):
            raise TypeError(f"The {parameter!r} parameter of from_pyg must be a list of names. Got {names!r} instead.")
        refuse_set(names, f"{parameter!r} parameter of from_pyg")
    kind = parameter.removesuffix("s").replace("_", " ")
    return {owner: [saved_name(name, kind) for name in names] for owner, names in by_owner.items()}


def _labels(items: Sequence[Any], label: str, counts: Sequence[int]) -> NDArray[Any]:
    """Return one label or row of labels per graph."""
    parts = []
    for number, (item, expected) in enumerate(zip(items, counts, strict=True)):
        value = getattr(item, label, None)
        if value is None:
            raise GraphError(
                f"Every graph must have the attribute {label!r} that holds its label; item {number} has none."
            )
        part = array(value, label)
        parts.append(part.reshape(1) if part.ndim == 0 else part)
        if len(parts[-1]) != expected:
            raise GraphError(
                f"{label!r} must hold one label (or one row of labels) per graph, {expected} in all; got shape "
                f"{part.shape} in item {number}. Labels of nodes need one graph per node: see GraphBatch.with_readout."
            )
    labels: NDArray[Any] = np.concatenate(parts) if parts else np.zeros(0)
    return labels.reshape(-1) if labels.ndim == 2 and labels.shape[1] == 1 else labels
