"""Many graphs as one value: what estimators learn from."""

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
from graphtm.graphs import build, build_arrays
from graphtm.graphs.build_arrays import EdgesLike, NodeTypesLike, PropertiesLike
from graphtm.graphs.file import read_graphs, write_graphs
from graphtm.graphs.graph import Graph
from graphtm.graphs.lazy import GraphSource, LazyGraphs, join
from graphtm.graphs.node_examples import NodeExamples
from graphtm.graphs.packed import PackedGraphs, concatenate, merge_vocabularies
from graphtm.graphs.validate import graph_numbers, node_numbers, readout_mask, validate
from graphtm.graphs.vocabulary import Vocabulary, facts_html, names_facts

CHUNK_NODES = 1 << 18
"""Nodes of a chunk by default: a few dozen MiB of bits at usual hypervector sizes."""


class GraphBatch:
    """An immutable batch of graphs, packed into arrays or made on demand.

    Build one with :meth:`from_graphs`, :meth:`from_arrays` or an encoder. A batch behaves like a
    one-dimensional array of graphs: ``len(batch)``, ``batch.shape``, ``batch[3]`` (a
    :class:`~graphtm.Graph`), ``batch[10:20]``, ``batch[[3, 1]]``, ``batch[mask]`` (batches), and it is what
    scikit-learn's splitters hand on.

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

    # Making one

    @classmethod
    def from_graphs(cls, graphs: Iterable[Graph], vocabulary: Vocabulary | None = None) -> GraphBatch:
        """Pack a list of graphs.

        Parameters
        ----------
        graphs
            The graphs; each must have a node.
        vocabulary
            Names and their numbers. If not given, names are numbered in order of first appearance.

        Raises
        ------
        GraphError
            If a graph is empty, or typed and untyped nodes are mixed.
        UnknownSymbolError
            If a vocabulary is given and lacks a name.
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
        """Pack arrays, millions of nodes a second.

        Parameters
        ----------
        node_counts
            Nodes per graph.
        properties
            A Boolean matrix, dense or SciPy sparse, with a row per node and a column per symbol; or a tuple
            ``(node_index, symbol_index)``. Nodes are numbered through all graphs.
        symbols
            Names of the symbols, in the order of their numbers; 0, 1, 2, ... if not given.
        edges
            Columns: ``(source, destination, edge_type_index)``, or ``(source, destination)`` when there is one type.
            Nodes are numbered through all graphs, or within each graph if ``edge_counts`` is given. A list of edges
            becomes columns with ``tuple(zip(*edges))``.
        edge_types
            Names of the edge types, in the order of their numbers; 0, 1, 2, ... if not given, or ``"plain"`` when there
            is one. Several names need an ``edge_type_index``.
        edge_counts
            Edges per graph, edges being listed graph by graph.
        node_types
            One name per node (a list or array), or a tuple ``(type_index, names)``.

        Raises
        ------
        GraphError
            If the arrays do not describe graphs; nothing is built then.

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
        graphtm.errors.GraphError: An edge must stay within its graph; edge 0 goes from node 0 of graph 0 to
        node 2 of graph 1.
        """
        return cls(
            build_arrays.from_arrays(node_counts, properties, symbols, edges, edge_types, edge_counts, node_types)
        )

    @classmethod
    def from_source(cls, source: GraphSource) -> GraphBatch:
        """Return a lazy batch, whose graphs ``source`` makes chunk by chunk when they are read."""
        return cls(LazyGraphs(source))

    @classmethod
    def concatenate(cls, batches: Sequence[GraphBatch]) -> GraphBatch:
        """Return the graphs of all batches, one batch after the other.

        Vocabularies are merged by name, so the batches may have been built apart; the numbers of the
        first batch stay. If one of the batches is lazy, so is the result.

        Raises
        ------
        GraphError
            If there is no batch, or typed and untyped nodes would be mixed.
        """
        batches = list(batches)
        if not all(isinstance(batch, GraphBatch) for batch in batches):
            raise TypeError("Batches to concatenate must be a list of GraphBatch, for instance [train, test].")
        stores = [batch._store for batch in batches]
        if not stores:
            raise GraphError("At least one batch is needed to concatenate; got none.")
        packed = [store for store in stores if isinstance(store, PackedGraphs)]
        if len(packed) == len(stores):
            return cls(concatenate(packed))
        return cls(join(stores, merge_vocabularies(stores)))

    # What it is

    @property
    def vocabulary(self) -> Vocabulary:
        """Names of symbols, edge types and node types."""
        return self._store.vocabulary

    @property
    def shape(self) -> tuple[int]:
        """``(number of graphs,)``, as of a one-dimensional array."""
        return (len(self),)

    @property
    def n_nodes(self) -> int:
        """Nodes of all graphs together."""
        return self._store.n_nodes

    @property
    def node_counts(self) -> Int64Array:
        """Nodes of each graph."""
        return self._store.node_counts

    @property
    def is_lazy(self) -> bool:
        """Whether graphs are made on demand."""
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
        """Return what there is to say about the batch beside its numbers."""
        store = self._store
        facts = names_facts(self.vocabulary)
        if len(self):
            facts.append(("nodes per graph", f"{self.node_counts.min():,} to {self.node_counts.max():,}"))
        if store.readout is not None:
            facts.append(("readout nodes", f"{np.count_nonzero(store.readout):,}"))
        if isinstance(store, PackedGraphs):
            facts.append(("memory", size_text(store.nbytes)))
        return facts

    def __eq__(self, other: object) -> bool:
        """Whether both hold the same graphs, nodes named and vocabulary numbered alike."""
        if not isinstance(other, GraphBatch):
            return NotImplemented
        if self.vocabulary != other.vocabulary or not np.array_equal(self.node_counts, other.node_counts):
            return False
        chunks = zip(self.chunks(), other.chunks(), strict=True)
        return all(mine.pack().equals(theirs.pack()) for mine, theirs in chunks)

    __hash__ = None  # type: ignore[assignment]

    # Its graphs

    @overload
    def __getitem__(self, index: int | np.integer) -> Graph: ...
    @overload
    def __getitem__(self, index: slice | ArrayLike | tuple[object, ...]) -> GraphBatch: ...
    def __getitem__(self, index: object) -> Graph | GraphBatch:
        if isinstance(index, tuple):
            # NumPy's spelling of "these rows, whole", which scikit-learn uses: batch[rows, ...].
            if len(index) == 2 and index[1] is Ellipsis:
                return self[index[0]]
            raise IndexError(f"A batch has one dimension; got the index {index!r}.")
        if isinstance(index, int | np.integer) and not isinstance(index, bool):
            place = int(index)
            if not -len(self) <= place < len(self):
                raise IndexError(f"The batch has graphs 0..{len(self) - 1}; got {place}.")
            # Taken by an array, which copies: a graph must not keep the arrays of the whole batch alive.
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
        """Yield the batch in packed pieces, in order; a lazy batch makes one piece at a time.

        Parameters
        ----------
        max_nodes
            Most nodes of a piece, at least 1; a single larger graph is a piece of its own.
        """
        if not isinstance(max_nodes, int | np.integer) or isinstance(max_nodes, bool) or max_nodes < 1:
            raise ValueError(
                f"The 'max_nodes' parameter of chunks must be an int of at least 1. Got {max_nodes!r} instead."
            )
        return map(GraphBatch, self._store.chunks(int(max_nodes)))

    def pack(self) -> PackedGraphs:
        """Return the arrays; a lazy batch makes all its graphs."""
        return self._store.pack()

    # The same graphs, read otherwise

    def with_readout(self, nodes: ArrayLike | Sequence[Iterable[Hashable]] | None) -> GraphBatch:
        """Return the batch with other readout nodes: those at which clauses answer.

        Parameters
        ----------
        nodes
            A Boolean per node; or node numbers, counted through all graphs; or, for each graph, a list of
            names of its nodes; or ``None`` for all nodes.

        Raises
        ------
        GraphError
            If a graph is left without a readout node, or a node does not exist.

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
        """Return one graph per node: what a machine of that depth sees of it, for labels that nodes have.

        Each graph holds the nodes that reach its node in ``depth - 1`` edges, with the edges by which they do, and is
        read out at its node. An estimator of that ``depth`` learns and answers from it as from the whole graph, bit
        for bit; one that is deeper would miss what lies beyond. The graphs are made on demand, so that a large graph
        with thousands of labelled nodes is kept once.

        Parameters
        ----------
        depth
            The estimator's ``depth``, or more.
        nodes
            Which nodes, and in which order: as in :meth:`with_readout`. If not given, the readout nodes in the order of
            the batch.

        Examples
        --------
        Two people of three are labelled:

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

    def with_vocabulary(self, vocabulary: Vocabulary, unknown: str = "error") -> GraphBatch:
        """Return the same graphs with names numbered as ``vocabulary`` numbers them.

        Parameters
        ----------
        vocabulary
            The numbering to use, for instance a trained model's.
        unknown
            What to do with names it lacks: ``"error"``, or ``"ignore"`` to drop such properties and edges.

        Raises
        ------
        UnknownSymbolError
            If a name in use is unknown; an unknown node type is refused even with ``"ignore"``.
        """
        if not isinstance(vocabulary, Vocabulary):
            raise TypeError(f"The vocabulary must be a Vocabulary; got a {type(vocabulary).__name__!r}.")
        if unknown not in ("error", "ignore"):
            raise ValueError(f"The 'unknown' parameter must be 'error' or 'ignore'. Got {unknown!r} instead.")
        return GraphBatch(self._store.with_vocabulary(vocabulary, unknown))

    def names_missing_in(self, vocabulary: Vocabulary) -> list[Name]:
        """Return the symbols and edge types in use that a vocabulary lacks; of a lazy batch, all that it may use."""
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
        """Check every invariant of the arrays; a lazy batch is made chunk by chunk.

        Batches from :meth:`from_graphs` and :meth:`from_arrays` always pass; this is for the author of an
        encoder, and for files that were loaded without verification.

        Raises
        ------
        GraphError
            If the arrays do not describe graphs.
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
        """Write the batch to a ``.gtmg`` file, which appears complete or not at all.

        Raises
        ------
        GraphError
            If the name of a node is neither str, int, bool, None nor a tuple of these.
        """
        write_graphs(self.pack(), path)


def load_graphs(path: str | os.PathLike[str], *, mmap: bool = False, verify: bool = True) -> GraphBatch:
    """Read a batch that :meth:`GraphBatch.save` wrote.

    Parameters
    ----------
    path
        The file.
    mmap
        Leave the arrays on disk and read them when they are used, for batches larger than memory.
    verify
        Check all checksums and invariants, which reads the whole file once. Turn it off only for a file
        that you wrote yourself.

    Raises
    ------
    GraphFormatError
        If the file is damaged, truncated, of another version or no graph file.
    """
    return GraphBatch(read_graphs(path, mmap=mmap, verify=verify))
