"""Conversion from and to PyTorch Geometric.

:func:`from_pyg` does not import torch. It also accepts arrays in place of tensors.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.calling import require
from graphtm.foundation.names import Name, refuse_set, saved_name
from graphtm.foundation.type_names import type_of
from graphtm.graphs.attributes import check_one_name, ignored, refuse_both, refuse_two_labels
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.bins import Binning
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
    node_label: None = None,
    bins: Any = None,
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
    node_label: None = None,
    bins: Any = None,
    ignore: Iterable[Hashable] = (),
) -> tuple[GraphBatch, NDArray[Any]]: ...
@overload
def from_pyg(
    data: Any,
    *,
    node_features: Way | None = "auto",
    edge_features: Way | None = "auto",
    symbols: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    edge_types: Iterable[object] | Mapping[Any, Iterable[object]] | None = None,
    label: None = None,
    node_label: str,
    bins: Any = None,
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
    node_label: str | None = None,
    bins: Any = None,
    ignore: Iterable[Hashable] = (),
) -> GraphBatch | tuple[GraphBatch, NDArray[Any]]:
    """Convert PyTorch Geometric graphs to a batch.

    A node gets a symbol for each 1 in its row of ``x`` (one-hot), or for each column (categories). The type of an edge
    is its ``edge_type`` or its relation in a ``HeteroData``, the category in ``edge_attr``, or a tuple of both. Other
    attributes of nodes and edges, such as ``pos``, ``edge_weight`` and masks, must be ignored explicitly; ``y`` and
    attributes of the whole graph need not.

    Parameters
    ----------
    data
        A ``Data``, ``HeteroData`` or ``Batch``, a list of these, or a dataset. Node types of a ``HeteroData`` become
        node types, and its nodes are ordered by type; a relation is named by its middle part. ``node_type`` of a
        ``Data`` gives the types of its nodes.
    node_features
        Encoding of ``x``: ``"one_hot"`` (or multi-hot), ``"category"`` for integers, ``None`` to ignore ``x``, or
        ``"auto"``: floats and Booleans are one-hot; integers are one-hot if every row has exactly one 1, else
        categories.
    edge_features
        Encoding of ``edge_attr``, with the same choices. One-hot rows must have exactly one 1.
    symbols
        Names of the columns of ``x``. A one-hot column becomes the symbol ``name``; a column of categories becomes
        symbols ``(name, value)``. Default: ``("x", column)`` or ``("x", column, value)``, preceded by the node type for
        a ``HeteroData``. For a ``HeteroData``, pass a mapping from node types to names; node types can share symbols.
    edge_types
        Names of the columns of a one-hot ``edge_attr``, or of the values 0, 1, 2, ... of a single column of categories.
        Default: ``("edge_attr", column)`` or ``("edge_attr", value, ...)``, or ``"plain"`` without features. For a
        ``HeteroData``, pass a mapping from names of relations.
    label
        Attribute with one label, or one row of labels, per graph, such as ``"y"``.
    node_label
        Attribute with one label, or one row of labels, per node, for node-level tasks; not for a ``HeteroData``.
    bins
        How to divide numbers into bins. A number of bins: columns of floats other than 0 and 1 are cut at their
        quantiles. A mapping from columns, by their names in ``symbols``, or ``"x 0"`` and ``"edge_attr 0"``, to numbers
        of bins or to cuts: these columns are divided, also if they have integers. A training batch, its vocabulary, or
        a pipeline, encoder or estimator fitted to it: the same cuts again. A node gets a symbol ``("x 0", ">=",
        "0.5")``, printed ``x 0>=0.5``, for each cut that it reaches; the type of an edge is its bin, ``("edge_attr 0",
        "in", "[0.5, 1)")``.
    ignore
        Attributes to ignore, in all node types and relations of a ``HeteroData``. They must exist, except for
        attributes that this function always reads, such as ``edge_attr``.

    Returns
    -------
    GraphBatch or (GraphBatch, array)
        The graphs; and their labels if ``label`` is given, or the labels of all nodes if ``node_label`` is given.

    Raises
    ------
    GraphError
        If features are real numbers and ``bins`` is not given, shapes do not match, graphs have different attributes,
        or attributes of nodes or edges are neither used nor ignored.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace as Data                    # or torch_geometric.data.Data
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

    Real numbers must be divided into bins:

    >>> gtm.from_pyg(Data(num_nodes=1, x=np.array([[0.5]]), edge_index=None))
    Traceback (most recent call last):
        ...
    graphtm.errors.GraphError: 'x' must have entries 0 and 1 (one-hot) or integers (categories); got 0.5 in column 0,
    row 0 of graph 0. Pass bins=4 to divide real numbers into bins, or node_features=None to ignore them.
    >>> charged = Data(num_nodes=2, x=np.array([[0.5, 1.0], [0.1, 0.0]]), edge_index=None)
    >>> print(gtm.from_pyg(charged, symbols=["charge", "acid"], bins=2)[0])
    Graph with 2 nodes and 0 edges
      0: charge>=0.5, 'acid'
      1: no properties
    """
    for parameter, way in (("node_features", node_features), ("edge_features", edge_features)):
        if way not in WAYS:
            raise ValueError(
                f"The {parameter!r} parameter of from_pyg must be 'auto', 'one_hot', 'category' or None. Got "
                f"{way!r} instead."
            )
    items = _items(data)
    check_one_name(label, "label", "from_pyg")
    check_one_name(node_label, "node_label", "from_pyg")
    refuse_two_labels(label, node_label, "from_pyg")
    without = ignored(ignore, "from_pyg")
    asked = label if node_label is None else node_label
    refuse_both(without, [] if asked is None else [asked], "from_pyg")
    names = _names(symbols, "symbols"), _names(edge_types, "edge_types")
    reader = Reader(node_features, edge_features, *names, without, asked, Binning(bins, "from_pyg"))
    counts = [reader.read(item) for item in items]
    batch = reader.batch()
    if node_label is not None:
        if any(map(is_hetero, items)):
            raise GraphError(
                "Labels of nodes must belong to graphs with one kind of nodes; got a HeteroData. Convert it without "
                "node_label, and use GraphBatch.node_examples."
            )
        return batch, _labels(items, node_label, [int(item.num_nodes) for item in items], "node")
    return batch if label is None else (batch, _labels(items, label, counts))


def to_pyg(graphs: GraphBatch, i: int) -> Any:
    """Return one graph as ``torch_geometric.data.Data``.

    It has ``x`` (float, one column per symbol of the vocabulary), ``edge_index``, ``edge_type``, ``node_type`` if nodes
    have types, ``readout`` (Boolean), ``node_names``, and ``vocabulary`` with the names of columns and types.
    :func:`from_pyg` converts it back to the same graph.

    Parameters
    ----------
    graphs
        The batch.
    i
        Index of the graph; negative indices count from the end.

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
    """Return the given graphs and batches as a list."""
    # A dataset forwards attribute access to its graphs, and so looks like a graph.
    refuse_set(data, "'data' parameter of from_pyg")
    dataset = hasattr(type(data), "indices")
    if not dataset and (_is_graph(data) or is_hetero(data)):
        return [data]
    try:
        items = list(data)
    except TypeError:
        raise TypeError(_what_it_takes(type_of(data))) from None
    for number, item in enumerate(items):
        if not (_is_graph(item) or is_hetero(item)):
            raise TypeError(_what_it_takes(f"{type_of(item)} as element {number} of {type_of(data)}"))
    return items


def _is_graph(item: Any) -> bool:
    return hasattr(item, "num_nodes") and hasattr(item, "edge_index")


def _what_it_takes(got: str) -> str:
    return (
        "The 'data' parameter of from_pyg must be a Data, HeteroData or Batch of PyTorch Geometric, or a list of them. "
        f"Got {got} instead."
    )


def _names(
    given: Iterable[object] | Mapping[Any, Iterable[object]] | None, parameter: Literal["symbols", "edge_types"]
) -> Mapping[Any, Sequence[Name]]:
    """Return names by node type or relation; ``None`` is the key for homogeneous graphs."""
    if given is None:
        return {}
    by_owner = given if isinstance(given, Mapping) else {None: given}
    for names in by_owner.values():
        if isinstance(names, str | bytes) or not isinstance(names, Iterable):
            raise TypeError(f"The {parameter!r} parameter of from_pyg must be a list of names. Got {names!r} instead.")
        refuse_set(names, f"{parameter!r} parameter of from_pyg")
    kind = parameter.removesuffix("s").replace("_", " ")
    return {owner: [saved_name(name, kind) for name in names] for owner, names in by_owner.items()}


def _labels(items: Sequence[Any], label: str, counts: Sequence[int], owner: str = "graph") -> NDArray[Any]:
    """Return one label, or one row of labels, per graph or node."""
    parts = []
    for number, (item, expected) in enumerate(zip(items, counts, strict=True)):
        value = getattr(item, label, None)
        if value is None:
            raise GraphError(
                f"Every graph must have the attribute {label!r} with {'its label' if owner == 'graph' else 'labels'}; "
                f"item {number} has none."
            )
        part = array(value, label)
        parts.append(part.reshape(1) if part.ndim == 0 else part)
        if len(parts[-1]) != expected:
            advice = "" if owner == "node" else " Pass node_label for labels of nodes."
            raise GraphError(
                f"{label!r} must have one label, or one row of labels, per {owner} ({expected}); got shape "
                f"{part.shape} in item {number}.{advice}"
            )
    labels: NDArray[Any] = np.concatenate(parts) if parts else np.zeros(0)
    return labels.reshape(-1) if labels.ndim == 2 and labels.shape[1] == 1 else labels
