"""Collects the arrays of PyTorch Geometric graphs into a batch.

PyTorch Geometric does not declare what an attribute belongs to. As there, an attribute belongs to nodes or edges if its
length is their number in every graph; all other attributes belong to the graph and are never refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, integers, pointers
from graphtm.foundation.names import Name
from graphtm.foundation.numbering import Names, Numbering
from graphtm.graphs.attributes import node_name_at, refuse_strange, refuse_unused
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.bins import Binning, Owner
from graphtm.graphs.convert.pyg_features import Features, Types, Way, array, check_owners, edge_types_of, symbols_of
from graphtm.graphs.vocabulary import PLAIN, Vocabulary

# The relation in homogeneous graphs.
_PLAIN = (None, None, None)


def is_hetero(item: Any) -> bool:
    """Whether a graph is a ``HeteroData``."""
    return all(hasattr(item, name) for name in ("node_types", "edge_types", "__getitem__"))


class Reader:
    """Reads graphs one by one.

    Parameters
    ----------
    node_features, edge_features
        Encodings of ``x`` and ``edge_attr``; ``None`` to ignore them.
    symbols, edge_types
        Given names by node type and relation; ``None`` is the key for homogeneous graphs.
    ignored
        Attributes to ignore.
    label
        Attribute with the labels, which are not read here.
    binning
        How numbers are divided into bins.
    """

    def __init__(
        self,
        node_features: Way | None,
        edge_features: Way | None,
        symbols: Mapping[Any, Sequence[Name]],
        edge_types: Mapping[Any, Sequence[Name]],
        ignored: frozenset[Hashable],
        label: str | None,
        binning: Binning,
    ) -> None:
        self._binning = binning
        self._ignored, self._unread = ignored, Unread(label)
        self._there: dict[Hashable, None] = {}
        self._ways = node_features, edge_features
        self._symbols, self._edge_types = symbols, edge_types
        self._n_graphs = self._n_nodes = self._n_edges = 0
        self._node_counts: list[Int64Array] = []
        self._edge_counts: list[Int64Array] = []
        self._edges: list[Int64Array] = []
        self._node_types = Types("node_type")
        self._relations = Types("edge_type")
        self._nodes: dict[Hashable, Features] = {}
        self._attributes: dict[Hashable, Features] = {}
        self._vocabulary: Vocabulary | None = None
        self._readout: list[NDArray[Any]] = []
        self._names: list[tuple[Hashable, ...] | None] = []

    def read(self, item: Any) -> int:
        """Read a graph or a batch, and return the number of graphs; nodes are ordered by type."""
        hetero = is_hetero(item)
        stores = {key: self._seen(item[key]) for key in item.node_types} if hetero else {None: self._seen(item)}
        relations = {key: self._seen(item[key]) for key in item.edge_types} if hetero else {_PLAIN: stores[None]}
        item = stores.get(None)
        self._read_vocabulary(item)
        blocks = _Blocks(stores, self._n_graphs)
        self._read_nodes(item, stores, blocks)
        ends, graphs = self._read_edges(item, relations, blocks)
        if self._vocabulary is not None:
            readout = getattr(item, "readout", None)
            self._readout.append(np.ones(blocks.n_nodes, np.bool_) if readout is None else array(readout, "readout"))
            self._names += node_names(item, blocks.node_counts, self._n_graphs)
        self._node_counts.append(blocks.node_counts)
        self._edge_counts.append(np.bincount(graphs, minlength=blocks.n_graphs))
        self._edges.append(ends)
        self._n_graphs += blocks.n_graphs
        self._n_nodes += blocks.n_nodes
        self._n_edges += len(graphs)
        return blocks.n_graphs

    def _seen(self, store: Any) -> Any:
        if not self._ignored:
            return store
        self._there.update(dict.fromkeys(attribute_names(store)))
        return Without(store, self._ignored)

    def _read_nodes(self, item: Any, stores: Mapping[Any, Any], blocks: _Blocks) -> None:
        """Read the features and types of nodes."""
        for key, store in stores.items():
            x = None if self._ways[0] is None else getattr(store, "x", None)
            features = self._nodes.setdefault(key, Features("x", key))
            features.add(None if x is None else array(x, "x"), blocks.numbers[key] + self._n_nodes, self._n_graphs)
            if key is not None:
                self._unread.add(store, key, {"nodes": len(blocks.numbers[key])}, False)
        if None in stores:
            names = getattr(item, "_node_type_names", None)
            names = names if self._vocabulary is None else self._vocabulary.node_types
            self._node_types.add(getattr(item, "node_type", None), blocks.n_nodes, self._n_graphs, names)
            return
        types = np.zeros(blocks.n_nodes, np.int64)
        for number, key in enumerate(stores):
            types[blocks.numbers[key]] = number
        self._node_types.add(types, blocks.n_nodes, self._n_graphs, list(stores))

    def _read_edges(self, item: Any, relations: Mapping[Any, Any], blocks: _Blocks) -> tuple[Int64Array, Int64Array]:
        """Read the edges, ordered by graph; return their ends, numbered within each graph, and their graphs."""
        found = [blocks.edges(key, store) for key, store in relations.items()]
        ends = np.concatenate([np.zeros((2, 0), np.int64), *(part for part, _ in found)], axis=1)
        graphs = np.concatenate([np.zeros(0, np.int64), *(part for _, part in found)])
        order = np.argsort(graphs, kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        start = 0
        for (key, store), (_, part) in zip(relations.items(), found, strict=True):
            values = None if self._ways[1] is None else getattr(store, "edge_attr", None)
            features = self._attributes.setdefault(key, Features("edge_attr", key[1]))
            mine = places[start : start + len(part)] + self._n_edges
            features.add(None if values is None else array(values, "edge_attr"), mine, self._n_graphs)
            start += len(part)
            counts = {"edges": len(part)}
            if key == _PLAIN:
                counts |= {"nodes": blocks.n_nodes, "graphs": blocks.n_graphs}
            self._unread.add(store, key, counts, self._vocabulary is not None)
        names: Sequence[Name] | None = [key[1] for key in relations]
        numbers: Any = np.repeat(np.arange(len(found)), np.array([len(part) for _, part in found], np.int64))
        if _PLAIN in relations:
            numbers, names = getattr(item, "edge_type", None), getattr(item, "_edge_type_names", None)
            names = names if self._vocabulary is None else self._vocabulary.edge_types
        self._relations.add(numbers, len(order), self._n_graphs, names, order)
        return ends[:, order], graphs[order]

    def _read_vocabulary(self, item: Any) -> None:
        """Read the vocabulary attached by :func:`to_pyg`, which must be the same for all graphs."""
        found = getattr(item, "vocabulary", None)
        attached = found if isinstance(found, list) else [found]
        every = [one if isinstance(one, Vocabulary) else None for one in attached] or [None]
        first = self._vocabulary if self._n_graphs else every[0]
        if any(one is not first and one != first for one in every):
            raise GraphError(
                f"All graphs must have the same 'vocabulary', as attached by to_pyg; graph {self._n_graphs} differs. "
                "Convert them separately and use GraphBatch.concatenate."
            )
        self._vocabulary = first

    def batch(self) -> GraphBatch:
        """Return all graphs as a batch."""
        if not self._n_graphs:
            return GraphBatch.from_graphs([])
        refuse_strange(self._ignored, self._there, "attributes of the graphs", "from_pyg", KNOWN)
        self._unread.refuse()
        check_owners("symbols", self._symbols, self._nodes.values())
        check_owners("edge_types", self._edge_types, self._attributes.values())
        nodes, numbers, symbols = self._all_symbols()
        types, edge_types = self._all_edge_types()
        self._binning.refuse_unknown()
        self._refuse_unused_cuts()
        source, destination = np.concatenate(self._edges, axis=1)
        node_types, node_type_names = self._node_types.all()
        batch = GraphBatch.from_arrays(
            np.concatenate(self._node_counts),
            (nodes, numbers),
            symbols,
            (source, destination, types),
            edge_types,
            np.concatenate(self._edge_counts),
            None if node_types is None else (node_types, node_type_names),
        )
        if self._vocabulary is None:
            return batch
        named = batch.with_readout(np.concatenate(self._readout)).pack()
        return GraphBatch(replace(named, node_names=tuple(self._names)))

    def _refuse_unused_cuts(self) -> None:
        """Refuse that columns with cuts in the training batch are not there, unless all features are ignored."""
        if self._vocabulary is not None:
            return
        owners: tuple[tuple[Owner, str, Mapping[Hashable, Features]], ...] = (
            ("node", "x", self._nodes),
            ("edge", "edge_attr", self._attributes),
        )
        for (owner, attribute, found), way in zip(owners, self._ways, strict=True):
            if way is None or attribute in self._ignored:
                continue
            there = {features.owner for features in found.values() if features.places}
            # Of a HeteroData, names tell their node type or relation, unless they are given.
            self._binning.refuse_unused(
                owner,
                [
                    name
                    for name in self._binning.unused(owner)
                    if None in there or (isinstance(name, tuple) and name[0] in there)
                ],
            )

    def _all_symbols(self) -> tuple[Int64Array, Int64Array, list[Name]]:
        """Return node indices, symbol indices and names of symbols."""
        nodes, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        numbering = Numbering()
        way = self._ways[0] or "auto"
        for owner, features in self._nodes.items():
            given: Sequence[Name] | None = self._symbols.get(owner)
            if self._vocabulary is not None and given is None:
                way, given = "one_hot", self._vocabulary.symbols
            rows, found, names = symbols_of(features, way, given, self._binning)
            # Node types may share symbols, but the names of one node type must be unique.
            common = np.array([numbering(name) for name in Names(names)], np.int64)
            if len(rows):
                nodes.append(np.concatenate(features.places)[rows])
                numbers.append(common[found])
        return np.concatenate(nodes), np.concatenate(numbers), list(numbering.names())

    def _all_edge_types(self) -> tuple[Int64Array, list[Name]]:
        """Return the type of each edge: its relation, the category of its features, or both."""
        relations, relation_names = self._relations.all()
        categories = np.full(self._n_edges, -1)
        numbering, parts = Numbering(), dict[int, tuple[Name, ...]]()
        for features in self._attributes.values():
            if features.rows:
                given = self._edge_types.get(features.owner)
                codes, names = edge_types_of(features, self._ways[1] or "auto", given, self._binning)
                numbers = np.array([numbering(name) for name in names], np.int64)
                parts |= {
                    int(number): name
                    if isinstance(name, tuple) and name[0] == "edge_attr" and given is None
                    else (name,)
                    for number, name in zip(numbers, names, strict=True)
                }
                categories[np.concatenate(features.places)] = numbers[codes]
        if not parts:
            return (np.zeros(self._n_edges, np.int64), [PLAIN]) if relations is None else (relations, relation_names)
        if relations is None:
            return categories, list(numbering.names())
        width = len(parts) + 1
        pairs, types = np.unique(relations * width + categories + 1, return_inverse=True)
        return types, [
            (relation_names[pair // width], *parts[pair % width - 1]) if pair % width else relation_names[pair // width]
            for pair in pairs.tolist()
        ]


class _Blocks:
    """Node indices of a graph or batch, ordered by graph, then by node type.

    Parameters
    ----------
    stores
        Stores of the node types; ``None`` is the key for homogeneous graphs.
    first
        Index of the first graph, for error messages.
    """

    def __init__(self, stores: Mapping[Any, Any], first: int) -> None:
        self._first = first
        self._ptr = {key: graph_pointers(store, key, first) for key, store in stores.items()}
        if len({len(ptr) for ptr in self._ptr.values()}) != 1:
            raise GraphError(
                f"All node types of a batch must have the same number of graphs, at least one; graph {first} has not."
            )
        counts = np.stack([np.diff(ptr) for ptr in self._ptr.values()], axis=1)
        starts = pointers(counts.reshape(-1))[:-1].reshape(counts.shape)
        self.node_counts = counts.sum(axis=1)
        self.n_graphs, self.n_nodes = len(counts), int(counts.sum())
        self._graph_start = starts[:, 0]
        self.numbers = {
            key: np.arange(ptr[-1]) + np.repeat(starts[:, place] - ptr[:-1], counts[:, place])
            for place, (key, ptr) in enumerate(self._ptr.items())
        }

    def edges(self, relation: tuple[Any, Any, Any], store: Any) -> tuple[Int64Array, Int64Array]:
        """Return the ends of the edges of a relation, numbered within each graph, and the graphs of the edges."""
        where = "" if relation[1] is None else f" of {relation!r}"
        index = edge_index(store, self._first, where)
        for ends, key in zip(index, (relation[0], relation[2]), strict=True):
            n_nodes = len(self.numbers.get(key, ()))
            bad = np.flatnonzero((ends < 0) | (ends >= n_nodes))
            if len(bad):
                kind = "" if key is None else f" {key!r}"
                raise GraphError(
                    f"'edge_index'{where} must contain nodes of the graph; edge {bad[0]} has node {ends[bad[0]]}, but "
                    f"graph {self._first} has {n_nodes:,} nodes{kind}."
                )
        if not index.shape[1]:
            return index, index[0]
        graphs = np.searchsorted(self._ptr[relation[0]], index[0], side="right") - 1
        ends = np.stack([self.numbers[relation[0]][index[0]], self.numbers[relation[2]][index[1]]])
        return ends - self._graph_start[graphs], graphs


# Targets are not part of a graph; they are requested by the label parameter.
_READ = {
    "x", "node_type", "edge_index", "edge_attr", "edge_type", "num_nodes", "batch", "ptr", "y"
}  # fmt: skip
_READ_WITH_VOCABULARY = {"readout", "node_names", "vocabulary"}
KNOWN = _READ | _READ_WITH_VOCABULARY
"""Attributes with a fixed meaning."""


class Without:
    """A store of attributes, some of which are hidden.

    Parameters
    ----------
    store
        A ``Data``, or a store of a ``HeteroData``.
    hidden
        Names of the attributes to hide. ``num_nodes`` is never hidden.
    """

    def __init__(self, store: Any, hidden: frozenset[Hashable]) -> None:
        self._store, self._hidden = store, hidden - {"num_nodes"}

    def __getattr__(self, name: str) -> Any:
        if name in self._hidden:
            raise AttributeError(name)
        return getattr(self._store, name)

    def keys(self) -> list[str]:
        """Return the names of the attributes that are not hidden."""
        return [name for name in attribute_names(self._store) if name not in self._hidden]


class Unread:
    """Unused attributes of nodes and edges, collected from all graphs.

    Parameters
    ----------
    label
        Attribute with the labels, if there is one.
    """

    def __init__(self, label: str | None) -> None:
        self._read = {*_READ, label}
        self._kinds: dict[tuple[Hashable, str], set[str]] = {}

    def add(self, store: Any, owner: Hashable, counts: Mapping[str, int], named: bool) -> None:
        """Add the attributes of a store.

        Parameters
        ----------
        store
            The store.
        owner
            Node type or relation of the store, or ``None`` for homogeneous graphs.
        counts
            Number of nodes, edges and graphs. Attributes with one entry per graph do not belong to nodes or edges.
        named
            Whether the attributes that only :func:`to_pyg` writes are used, too.
        """
        for name in attribute_names(store):
            if name in self._read or name.startswith("_") or (named and name in _READ_WITH_VOCABULARY):
                continue
            length = _length(getattr(store, name, None))
            kinds = {kind for kind, count in counts.items() if count == length}
            self._kinds.setdefault((owner, name), kinds).intersection_update(kinds)

    def refuse(self) -> None:
        """Refuse all unused attributes."""
        left = (name for (_, name), kinds in self._kinds.items() if kinds and "graphs" not in kinds)
        refuse_unused(
            dict.fromkeys(left),
            "Attribute",
            "encode {it} in 'x' or 'edge_attr'",
            " of nodes or edges",
        )


def graph_pointers(store: Any, key: Name, graph: int) -> Int64Array:
    """Return the node offsets of the graphs of a batch; a single graph is a batch of one."""
    if store.num_nodes is None:
        what = "" if key is None else f" for the nodes {key!r}"
        raise GraphError(f"Every graph must have 'num_nodes'; graph {graph} has none{what}.")
    n_nodes = int(store.num_nodes)
    ptr, batch = getattr(store, "ptr", None), getattr(store, "batch", None)
    if ptr is not None:
        found = integers(array(ptr, "ptr"), "ptr")
    elif batch is not None:
        graphs = integers(array(batch, "batch"), "batch")
        if np.any(np.diff(graphs) < 0) or np.any(graphs < 0):
            raise GraphError("'batch' must be ascending. Sort the nodes by graph first.")
        found = pointers(np.bincount(graphs))
    else:
        found = np.array([0, n_nodes])
    if len(found) < 2 or found[0] != 0 or found[-1] != n_nodes:
        raise GraphError(f"'ptr' or 'batch' must cover all {n_nodes:,} nodes; got offsets {found}.")
    return found


def edge_index(store: Any, graph: int, where: str = "") -> Int64Array:
    """Return the ends of the edges, possibly none; ``where`` names the relation in error messages."""
    value = getattr(store, "edge_index", None)
    if value is None:
        for other in ("adj_t", "adj"):
            if getattr(store, other, None) is not None:
                raise GraphError(
                    f"Edges must be given as 'edge_index'; graph {graph} has {other!r}{where} instead. Remove the "
                    "transform that created it, such as ToSparseTensor or ToDense."
                )
        return np.zeros((2, 0), np.int64)
    found = array(value, "edge_index")
    if found.ndim != 2 or len(found) != 2:
        raise GraphError(f"'edge_index'{where} must have shape (2, edges); got {found.shape} in graph {graph}.")
    return np.stack([integers(side, f"'edge_index'{where} of graph {graph}") for side in found])


def node_names(item: Any, node_counts: Int64Array, graph: int) -> list[tuple[Hashable, ...] | None]:
    """Return the node names of each graph, as attached by :func:`to_pyg`, or ``None`` if these are 0, 1, 2, ..."""
    found = getattr(item, "node_names", None)
    if found is None:
        return [None] * len(node_counts)
    listed = [found] if getattr(item, "ptr", None) is None else found
    if [len(one) for one in listed] != node_counts.tolist():
        raise GraphError(f"'node_names' must have one name per node; graph {graph} has another number.")
    names = [[node_name_at(name, f"'node_names' of graph {graph}") for name in one] for one in listed]
    return [
        None if all(type(name) is int and name == place for place, name in enumerate(one)) else tuple(one)
        for one in names
    ]


def attribute_names(store: Any) -> list[str]:
    """Return the names of the attributes of a store, or of any object."""
    keys = getattr(store, "keys", None)
    if keys is None:
        return list(getattr(store, "__dict__", ()))
    # A method since version 2.4 of PyTorch Geometric, a property before.
    return list(keys() if callable(keys) else keys)


def _length(value: Any) -> int | None:
    """Return the length of an array or list, or ``None`` for other values."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    return len(value) if isinstance(value, list | tuple) else None
