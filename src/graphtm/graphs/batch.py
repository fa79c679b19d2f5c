"""Batches of graphs, which estimators learn from."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import count, size_text
from graphtm.foundation.names import Name
from graphtm.foundation.parameters import is_integer
from graphtm.foundation.type_names import type_of
from graphtm.graphs import build, build_arrays
from graphtm.graphs.build_arrays import EdgesLike, NodeTypesLike, PropertiesLike
from graphtm.graphs.degrees import with_degrees
from graphtm.graphs.file import read_graphs, write_graphs
from graphtm.graphs.graph import Graph
from graphtm.graphs.lazy import GraphSource, LazyGraphs, join
from graphtm.graphs.node_examples import NodeExamples
from graphtm.graphs.packed import PackedGraphs, concatenate, merge_vocabularies
from graphtm.graphs.validate import graph_numbers, node_numbers, readout_mask, validate
from graphtm.graphs.vocabulary import Vocabulary, facts_html, names_facts

CHUNK_NODES = 1 << 18
"""Default number of nodes per chunk: a few dozen MiB of bits at usual hypervector sizes."""


class GraphBatch:
    """An immutable batch of graphs, packed into arrays or created on demand.

    Use :meth:`from_graphs`, :meth:`from_arrays`, a converter or an encoder to create one. A batch behaves like a
    one-dimensional array of graphs: it has ``len(batch)`` and ``batch.shape``; ``batch[3]`` is a
    :class:`~graphtm.Graph`; ``batch[10:20]``, ``batch[[3, 1]]`` and ``batch[mask]`` are batches. It works with the
    splitters of scikit-learn.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = []
    >>> for word in ("AB", "BA", "AA"):
    ...     g = gtm.Graph()
    ...     for place, letter in enumerate(word):
    ...         g.add_node(place, properties=[letter])
    ...     g.add_edge(0, 1, type="right")
    ...     graphs.append(g)
    >>> batch = gtm.GraphBatch.from_graphs(graphs)
    >>> batch
    GraphBatch(3 graphs, 6 nodes, 3 edges, 2 symbols, 1 edge type)
    >>> print(batch[-1])
    Graph with 2 nodes and 1 edge
      0: 'A'
          right -> 1
      1: 'A'
    >>> len(batch[[True, False, True]])
    2
    """

    __slots__ = ("_store",)

    def __init__(self, store: PackedGraphs | LazyGraphs) -> None:
        self._store = store

    # Creation

    @classmethod
    def from_graphs(cls, graphs: Iterable[Graph], vocabulary: Vocabulary | None = None) -> GraphBatch:
        """Create a batch from a list of graphs.

        Parameters
        ----------
        graphs
            The graphs; each must have at least one node.
        vocabulary
            Names of symbols and types. If not given, they are numbered in order of first appearance.

        Raises
        ------
        GraphError
            If a graph is empty, or only some nodes have a type.
        UnknownSymbolError
            If a name is not in the given vocabulary.
        """
        return cls(build.from_graphs(graphs, vocabulary))

    @classmethod
    def from_arrays(
        cls,
        node_counts: ArrayLike,
        properties: PropertiesLike | None = None,
        symbols: Iterable[object] | None = None,
        edges: EdgesLike | None = None,
        edge_types: Iterable[object] | None = None,
        edge_counts: ArrayLike | None = None,
        node_types: NodeTypesLike | None = None,
    ) -> GraphBatch:
        """Create a batch from arrays, at millions of nodes per second.

        Parameters
        ----------
        node_counts
            Number of nodes of each graph.
        properties
            A Boolean matrix, dense or SciPy sparse, with one row per node and one column per symbol; or a tuple of
            arrays ``(node_index, symbol_index)``. Nodes are numbered across all graphs.
        symbols
            Names of the symbols, in the order of columns or indices. Default: 0, 1, 2, ...
        edges
            Tuple of arrays ``(source, destination, edge_type_index)``, or ``(source, destination)`` if there is one
            edge type. Nodes are numbered across all graphs, or within each graph if ``edge_counts`` is given. Use
            ``tuple(zip(*edges))`` for a list of edges.
        edge_types
            Names of the edge types, in the order of their indices. Default: 0, 1, 2, ..., or ``"plain"`` without
            ``edge_type_index``.
        edge_counts
            Number of edges of each graph; edges must be ordered by graph.
        node_types
            One name per node (a list or array), or a tuple ``(type_index, names)``.

        Raises
        ------
        GraphError
            If the arrays do not describe valid graphs.

        Examples
        --------
        >>> import graphtm as gtm
        >>> gtm.GraphBatch.from_arrays(
        ...     node_counts=[2, 1],
        ...     properties=[[1, 0], [1, 1], [0, 0]],
        ...     symbols=["red", "round"],
        ...     edges=([0, 1], [1, 0]),
        ... )
        GraphBatch(2 graphs, 3 nodes, 2 edges, 2 symbols, 1 edge type)
        >>> gtm.GraphBatch.from_arrays(node_counts=[2, 1], edges=([0], [2]))
        Traceback (most recent call last):
            ...
        graphtm.errors.GraphError: Both ends of an edge must be in the same graph; edge 0 goes from node 0 of graph 0
        to node 2 of graph 1.
        """
        return cls(
            build_arrays.from_arrays(node_counts, properties, symbols, edges, edge_types, edge_counts, node_types)
        )

    @classmethod
    def from_source(cls, source: GraphSource) -> GraphBatch:
        """Create a lazy batch, whose graphs are created by ``source`` when they are needed."""
        return cls(LazyGraphs(source))

    @classmethod
    def concatenate(cls, batches: Sequence[GraphBatch]) -> GraphBatch:
        """Concatenate batches.

        Vocabularies are merged by name; names of the first batch keep their numbers. The result is lazy if one of the
        batches is.

        Raises
        ------
        GraphError
            If there are no batches, or only some nodes have a type.
        """
        batches = list(batches)
        if not all(isinstance(batch, GraphBatch) for batch in batches):
            raise TypeError("The batches must be a list of GraphBatch, such as [train, test].")
        stores = [batch._store for batch in batches]
        if not stores:
            raise GraphError("The list of batches must not be empty.")
        packed = [store for store in stores if isinstance(store, PackedGraphs)]
        if len(packed) == len(stores):
            return cls(concatenate(packed))
        return cls(join(stores, merge_vocabularies(stores)))

    # Attributes

    @property
    def vocabulary(self) -> Vocabulary:
        """Names of symbols, edge types and node types."""
        return self._store.vocabulary

    @property
    def shape(self) -> tuple[int]:
        """Shape as a one-dimensional array: ``(number of graphs,)``."""
        return (len(self),)

    @property
    def n_nodes(self) -> int:
        """Total number of nodes."""
        return self._store.n_nodes

    @property
    def node_counts(self) -> Int64Array:
        """Number of nodes of each graph."""
        return self._store.node_counts

    @property
    def is_lazy(self) -> bool:
        """Whether graphs are created on demand."""
        return isinstance(self._store, LazyGraphs)

    def __len__(self) -> int:
        return self._store.n_graphs

    def __repr__(self) -> str:
        vocabulary, store = self.vocabulary, self._store
        parts = [count(len(self), "graph"), count(self.n_nodes, "node")]
        if isinstance(store, PackedGraphs):
            parts.append(count(store.n_edges, "edge"))
        parts += [count(len(vocabulary.symbols), "symbol"), count(len(vocabulary.edge_types), "edge type")]
        if len(vocabulary.node_types):
            parts.append(count(len(vocabulary.node_types), "node type"))
        return f"GraphBatch({', '.join(parts)}{', lazy' if self.is_lazy else ''})"

    def __str__(self) -> str:
        return "\n".join([repr(self), *(f"  {name}: {text}" for name, text in self._facts())])

    def _repr_html_(self) -> str:
        return facts_html(repr(self), self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        """Return names and texts of further facts about the batch."""
        store = self._store
        facts = names_facts(self.vocabulary)
        if len(self):
            least, most = self.node_counts.min(), self.node_counts.max()
            facts.append(("nodes per graph", f"{least:,}" if least == most else f"{least:,} to {most:,}"))
        if store.readout is not None:
            facts.append(("readout nodes", f"{np.count_nonzero(store.readout):,}"))
        if isinstance(store, PackedGraphs):
            facts.append(("memory", size_text(store.nbytes)))
        return facts

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same graphs, with the same node names and vocabulary."""
        if not isinstance(other, GraphBatch):
            return NotImplemented
        if self.vocabulary != other.vocabulary or not np.array_equal(self.node_counts, other.node_counts):
            return False
        chunks = zip(self.chunks(), other.chunks(), strict=True)
        return all(mine.pack().equals(theirs.pack()) for mine, theirs in chunks)

    __hash__ = None  # type: ignore[assignment]

    # Graphs

    @overload
    def __getitem__(self, index: int | np.integer) -> Graph: ...
    @overload
    def __getitem__(self, index: slice | ArrayLike | tuple[object, ...]) -> GraphBatch: ...
    def __getitem__(self, index: object) -> Graph | GraphBatch:
        if isinstance(index, tuple):
            # scikit-learn indexes arrays by batch[rows, ...].
            if len(index) == 2 and index[1] is Ellipsis:
                return self[index[0]]
            raise IndexError(f"A batch has one dimension; got index {index!r}.")
        if isinstance(index, int | np.integer) and not isinstance(index, bool):
            place = int(index)
            if not -len(self) <= place < len(self):
                what = f"graphs 0..{len(self) - 1}" if len(self) else "no graphs"
                raise IndexError(f"The batch has {what}; got index {place}.")
            # Indexing by an array copies, so that the graph does not keep the whole batch in memory.
            one = self._store.take(np.array([place % len(self)])).pack()
            graph = one.graph(0)
            graph._packed = one
            return graph
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return GraphBatch(self._store.take(slice(start, max(start, stop))))
            return GraphBatch(self._store.take(np.arange(len(self))[index]))
        return GraphBatch(self._store.take(graph_numbers(index, len(self))))

    def __iter__(self) -> Iterator[Graph]:
        for chunk in self.chunks():
            packed = chunk.pack()
            for number in range(packed.n_graphs):
                yield packed.graph(number)

    def chunks(self, max_nodes: int = CHUNK_NODES) -> Iterator[GraphBatch]:
        """Iterate over the batch in packed chunks; a lazy batch creates one chunk at a time.

        Parameters
        ----------
        max_nodes
            Maximum number of nodes per chunk, at least 1. A larger graph is a chunk of its own.
        """
        if not isinstance(max_nodes, int | np.integer) or isinstance(max_nodes, bool) or max_nodes < 1:
            raise ValueError(
                f"The 'max_nodes' parameter of chunks must be an int of at least 1. Got {max_nodes!r} instead."
            )
        return map(GraphBatch, self._store.chunks(int(max_nodes)))

    def pack(self) -> PackedGraphs:
        """Return the packed arrays; a lazy batch creates all its graphs."""
        return self._store.pack()

    # Other views of the graphs

    def with_readout(self, nodes: ArrayLike | Sequence[Iterable[Hashable]] | None) -> GraphBatch:
        """Return the batch with other readout nodes: a clause is true of a graph if it is true at one of them.

        Parameters
        ----------
        nodes
            A Boolean mask over all nodes; or node indices, numbered across all graphs; or, for each graph, a list of
            names of its nodes; or ``None`` for all nodes.

        Raises
        ------
        GraphError
            If a graph has no readout node, or a node does not exist.

        Examples
        --------
        >>> import graphtm as gtm
        >>> batch = gtm.GraphBatch.from_arrays(node_counts=[2, 2])
        >>> batch.with_readout([0, 2])[1].readout
        (0,)
        >>> batch.with_readout([[1], [0, 1]])[0].readout
        (1,)
        """
        return GraphBatch(self._store.with_readout(None if nodes is None else readout_mask(self._store, nodes)))

    def node_examples(self, depth: int, nodes: ArrayLike | Sequence[Iterable[Hashable]] | None = None) -> GraphBatch:
        """Return one graph per node, for node classification.

        Each graph has a single readout node, and contains the nodes and edges from which messages reach it in
        ``depth - 1`` steps. An estimator of that ``depth`` computes exactly the same from it as from the whole graph;
        a deeper one would need a larger neighbourhood. Graphs are created on demand, so that a large graph with
        thousands of labelled nodes is stored once.

        Parameters
        ----------
        depth
            The ``depth`` of the estimator, or more.
        nodes
            The nodes, in order, given as in :meth:`with_readout`. Default: the readout nodes of the batch.

        Examples
        --------
        Two of three people have labels:

        >>> import graphtm as gtm
        >>> g = gtm.Graph()
        >>> for name, likes in (("Ann", "chess"), ("Bob", "music"), ("Cid", "chess")):
        ...     g.add_node(name, properties=[likes])
        >>> g.add_edge("Ann", "Bob", type="tells")
        >>> g.add_edge("Bob", "Cid", type="tells")
        >>> examples = gtm.GraphBatch.from_graphs([g]).node_examples(depth=2, nodes=[["Cid", "Bob"]])
        >>> [(graph.nodes, graph.readout) for graph in examples]
        [(('Bob', 'Cid'), ('Cid',)), (('Ann', 'Bob'), ('Bob',))]
        """
        if not isinstance(depth, int | np.integer) or isinstance(depth, bool) or depth < 1:
            raise ValueError(
                f"The 'depth' parameter of node_examples must be an int of at least 1. Got {depth!r} instead."
            )
        packed = self.pack()
        if nodes is None:
            nodes = np.ones(packed.n_nodes, np.bool_) if packed.readout is None else packed.readout
        return GraphBatch.from_source(NodeExamples(packed, node_numbers(packed, nodes), int(depth) - 1))

    def with_degrees(self, largest: int = 8) -> GraphBatch:
        """Return the batch with symbols for the number of neighbours of each node, also for graphs without labels.

        A node with three neighbours gets ``("degree", ">=", 1)``, ``("degree", ">=", 2)`` and ``("degree", ">=", 3)``,
        printed ``degree>=3``. Neighbours are other nodes with an edge to or from the node, each counted once. The
        symbols do not depend on the data, so later graphs have the same ones. A lazy batch is created.

        Parameters
        ----------
        largest
            Largest number that has a symbol.

        Examples
        --------
        >>> import graphtm as gtm
        >>> star = gtm.GraphBatch.from_arrays([3], edges=([0, 0], [1, 2]))
        >>> [star.with_degrees(2)[0].properties(node) for node in (0, 1)]
        [(('degree', '>=', 1), ('degree', '>=', 2)), (('degree', '>=', 1),)]
        """
        if not is_integer(largest) or not 1 <= largest <= 1 << 20:
            raise ValueError(
                f"The 'largest' parameter of with_degrees must be an int in the range [1, {1 << 20}]. Got {largest!r} "
                "instead."
            )
        return GraphBatch(with_degrees(self.pack(), int(largest)))

    def with_vocabulary(self, vocabulary: Vocabulary, unknown: str = "error") -> GraphBatch:
        """Return the same graphs with another vocabulary.

        Parameters
        ----------
        vocabulary
            The vocabulary to use, for instance of a trained model.
        unknown
            What to do with names that are not in it: ``"error"``, or ``"ignore"`` to drop such properties and edges.

        Raises
        ------
        UnknownSymbolError
            If a name is unknown. Unknown node types are refused even with ``"ignore"``.
        """
        if not isinstance(vocabulary, Vocabulary):
            raise TypeError(f"The vocabulary must be a Vocabulary; got {type_of(vocabulary)}.")
        if unknown not in ("error", "ignore"):
            raise ValueError(f"The 'unknown' parameter must be 'error' or 'ignore'. Got {unknown!r} instead.")
        return GraphBatch(self._store.with_vocabulary(vocabulary, unknown))

    def names_missing_in(self, vocabulary: Vocabulary) -> list[Name]:
        """Return the used symbols and edge types missing in a vocabulary; for a lazy batch, used or not."""
        mine = self.vocabulary
        symbols = mine.symbols.numbers_in(vocabulary.symbols) < 0
        edge_types = mine.edge_types.numbers_in(vocabulary.edge_types) < 0
        if isinstance(self._store, PackedGraphs) and (symbols.any() or edge_types.any()):
            symbols &= self._store.properties.frequencies() > 0
            edge_types &= np.bincount(self._store.out_edges.types, minlength=len(edge_types)) > 0
        return [
            names[number]
            for names, missing in ((mine.symbols, symbols), (mine.edge_types, edge_types))
            for number in np.flatnonzero(missing).tolist()
        ]

    def validate(self) -> None:
        """Check that the arrays describe valid graphs; a lazy batch is created chunk by chunk.

        Batches from :meth:`from_graphs` and :meth:`from_arrays` are always valid. Use this for encoders under
        development, and for files that were loaded without verification.

        Raises
        ------
        GraphError
            If the arrays are not valid.
        """
        if isinstance(self._store, PackedGraphs):
            validate(self._store)
        else:
            for chunk in self._store.chunks(CHUNK_NODES):
                validate(chunk)

    def to_networkx(self, i: int) -> Any:
        """Return one graph as a ``networkx.MultiDiGraph``; see :func:`graphtm.to_networkx`."""
        from graphtm.graphs.convert.networkx import to_networkx

        return to_networkx(self, i)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the batch to a ``.gtmg`` file, which is written completely or not at all.

        Raises
        ------
        GraphError
            If the name of a node is not a str, int, bool, None or a tuple of these.
        """
        write_graphs(self.pack(), path)


def load_graphs(path: str | os.PathLike[str], *, mmap: bool = False, verify: bool = True) -> GraphBatch:
    """Load a batch that was saved by :meth:`GraphBatch.save`.

    Parameters
    ----------
    path
        The file.
    mmap
        Whether to memory-map the arrays, for batches that are larger than memory.
    verify
        Whether to verify all checksums and arrays, which reads the whole file once. Disable it only for files that
        you trust.

    Raises
    ------
    GraphFormatError
        If the file is damaged, truncated, of another version, or not a graph file.
    """
    return GraphBatch(read_graphs(path, mmap=mmap, verify=verify))
