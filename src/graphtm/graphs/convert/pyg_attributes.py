"""Attributes of a graph of PyTorch Geometric: its edges and names, what is left out, and what nobody reads.

PyTorch Geometric does not say what an attribute belongs to; like it, this goes by lengths. What is as long as there are
nodes or edges in every graph belongs to them; all else belongs to the graph as a whole and is never refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, integers, pointers
from graphtm.foundation.names import Name
from graphtm.graphs.attributes import node_name_at
from graphtm.graphs.convert.attributes import refuse_unchosen
from graphtm.graphs.convert.pyg_features import array

# Targets say what is to be learnt, not what a graph is: they are asked for with the label parameter.
_READ = {
    "x", "node_type", "edge_index", "edge_attr", "edge_type", "num_nodes", "batch", "ptr", "y"
}  # fmt: skip
_READ_WITH_VOCABULARY = {"readout", "node_names", "vocabulary"}
KNOWN = _READ | _READ_WITH_VOCABULARY
"""Attributes that mean the same in every dataset."""


class Without:
    """A store of attributes in which some are hidden.

    Parameters
    ----------
    store
        The store: a ``Data``, or a part of a ``HeteroData``.
    hidden
        Names of the attributes to hide. The number of nodes is asked for all the same.
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
    """Attributes of nodes and edges that nobody reads, gathered from many graphs.

    Parameters
    ----------
    label
        The attribute that holds the labels, if there is one.
    """

    def __init__(self, label: str | None) -> None:
        self._read = {*_READ, label}
        self._kinds: dict[tuple[Hashable, str], set[str]] = {}

    def add(self, store: Any, owner: Hashable, counts: Mapping[str, int], named: bool) -> None:
        """Look at the attributes of a store.

        Parameters
        ----------
        store
            The store.
        owner
            The node type or relation it is of, or ``None`` where there is but one kind.
        counts
            How many nodes, edges and graphs it has; what is as long as there are graphs is no part of nodes or edges.
        named
            Whether :func:`to_pyg` attached names, so that these are read too.
        """
        for name in attribute_names(store):
            if name in self._read or name.startswith("_") or (named and name in _READ_WITH_VOCABULARY):
                continue
            length = _length(getattr(store, name, None))
            kinds = {kind for kind, count in counts.items() if count == length}
            self._kinds.setdefault((owner, name), kinds).intersection_update(kinds)

    def refuse(self) -> None:
        """Refuse what was found, all of it at once."""
        left = (name for (_, name), kinds in self._kinds.items() if kinds and "graphs" not in kinds)
        refuse_unchosen(
            dict.fromkeys(left),
            "nodes or edges have",
            "Put them into 'x' or 'edge_attr' as 0 and 1 or whole numbers",
        )


def graph_pointers(store: Any, key: Name, graph: int) -> Int64Array:
    """Return where the nodes of each graph of a batch start; a single graph is a batch of one."""
    if store.num_nodes is None:
        what = "a graph" if key is None else f"the nodes {key!r}"
        raise GraphError(f"The number of nodes must be known; set 'num_nodes' of {what}: graph {graph} has none.")
    n_nodes = int(store.num_nodes)
    ptr, batch = getattr(store, "ptr", None), getattr(store, "batch", None)
    if ptr is not None:
        found = integers(array(ptr, "ptr"), "ptr")
    elif batch is not None:
        graphs = integers(array(batch, "batch"), "batch")
        if np.any(np.diff(graphs) < 0) or np.any(graphs < 0):
            raise GraphError("'batch' must number the graphs in ascending order; sort the nodes by graph first.")
        found = pointers(np.bincount(graphs))
    else:
        found = np.array([0, n_nodes])
    if len(found) < 2 or found[0] != 0 or found[-1] != n_nodes:
        raise GraphError(f"The graphs of a batch must have its {n_nodes:,} nodes between them; got the bounds {found}.")
    return found


def edge_index(store: Any, graph: int, where: str = "") -> Int64Array:
    """Return the ends of the edges, none where there are no edges; ``where`` names the relation, for messages."""
    value = getattr(store, "edge_index", None)
    if value is None:
        for other in ("adj_t", "adj"):
            if getattr(store, other, None) is not None:
                raise GraphError(
                    f"Edges must be given as 'edge_index'; graph {graph} has {other!r}{where} instead. Leave out the "
                    "transform that made it, such as ToSparseTensor or ToDense."
                )
        return np.zeros((2, 0), np.int64)
    found = array(value, "edge_index")
    if found.ndim != 2 or len(found) != 2:
        raise GraphError(f"'edge_index'{where} must be of shape (2, edges); got {found.shape} in graph {graph}.")
    return np.stack([integers(side, f"'edge_index'{where} of graph {graph}") for side in found])


def node_names(item: Any, node_counts: Int64Array, graph: int) -> list[tuple[Hashable, ...] | None]:
    """Return the names that :func:`to_pyg` attached, per graph, or ``None`` where they are 0, 1, 2, ..."""
    found = getattr(item, "node_names", None)
    if found is None:
        return [None] * len(node_counts)
    listed = [found] if getattr(item, "ptr", None) is None else found
    if [len(one) for one in listed] != node_counts.tolist():
        raise GraphError(f"'node_names' must have a name per node; they have not in graph {graph}.")
    names = [[node_name_at(name, f"'node_names' of graph {graph}") for name in one] for one in listed]
    return [
        None if all(type(name) is int and name == place for place, name in enumerate(one)) else tuple(one)
        for one in names
    ]


def attribute_names(store: Any) -> list[str]:
    """Return the names of the attributes of a store, or of any object that has some."""
    keys = getattr(store, "keys", None)
    if keys is None:
        return list(getattr(store, "__dict__", ()))
    # A method since version 2.4 of PyTorch Geometric, a property before.
    return list(keys() if callable(keys) else keys)


def _length(value: Any) -> int | None:
    """Return how many rows or items a value has, or ``None`` if it is no array and no list."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else None
    return len(value) if isinstance(value, list | tuple) else None
