"""Encode what nodes of graphs look like, with their neighbours, as symbols with readable names."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder, graph_batch, warn_of_unknown
from graphtm.encoders.learned import Learned
from graphtm.encoders.look_edges import Covered, LookEdges
from graphtm.encoders.look_parts import DEFAULT_PARTS, PARTS
from graphtm.encoders.neighbourhood_plan import Carried, NeighbourhoodPlan
from graphtm.encoders.stage_numbers import StageNumbers, unlike
from graphtm.encoders.surroundings import merged
from graphtm.errors import GraphError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.numbering import Names
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import Graph, GraphBatch, PackedGraphs, Vocabulary

_LOG = logging.getLogger(__name__)
_MOST_HOPS = 10


class Neighbourhoods(GraphEncoder):
    r"""Add symbols for what each node looks like with its neighbours.

    The look of a node up to one hop is what it is by itself, with the multiset of its neighbours and how they are
    connected: ``C(-C,-C,=O)`` is a carbon atom with three neighbours. Up to two hops, each neighbour comes with its
    own neighbours, ``C(-C(-C,-N),=O(=C))``, and so on. These are the colours of Weisfeiler and Leman. Whole looks are
    exact, and most are rare. Parts of looks say less and occur more often: ``C: -C>=2``, ``C: -C & =O``.

    Graphs keep their nodes, edges and symbols. Clauses can use the new symbols at any depth, and
    :class:`~graphtm.encoders.WholeGraph` counts them.

    Parameters
    ----------
    hops
        Greatest number of edges that a look extends to; there is a symbol for 1, 2, ..., ``hops``.
    parts
        Kinds of parts to name, a list of:

        - ``"counts"``: ``C: -C>=2``, at least 1, 2, 3, 4, 6 or 8 neighbours of a kind;
        - ``"pairs"``: ``C: -C & =O``, two neighbours of different kinds;
        - ``"degrees"``: ``C: -C of degree 3``, a neighbour of a kind that has three neighbours itself;
        - ``"paths"``: ``C-C=O``, two edges that start at the node and do not lead back to it.

        The kind of a neighbour is what it is by itself, and its edge. True means counts, pairs and degrees, False none.
    min_graphs
        Number of training graphs in which a look or part must occur to be named. If there is a single training graph,
        the number of its nodes instead; looks and paths are then named only if what they contain is frequent too.

    Attributes
    ----------
    vocabulary_
        The symbols of the training graphs, followed by looks of nodes by themselves (if they are more than one symbol),
        looks up to 1, 2, ... hops, and parts; each stage in a fixed order.

    Notes
    -----
    Names are strings that people can read:

    - A node by itself is its symbol, ``C``; several symbols, ``{C,aromatic,charge=1}``, or none, ``{}``. A node type
      comes first, ``person|Ann``, or alone, ``person``. If no training graph has symbols or types, it is its number of
      neighbours, ``deg3``.
    - Nodes usually have all cuts of an attribute up to one: ``("charge", ">=", 1)`` and ``("charge", ">=", 2)``, say.
      Only the highest is written, ``{C,charge>=2}``, in brackets if nothing else is: ``[degree>=8]``. If lower cuts are
      missing, all that the node has are written with a mark: ``{C,charge>=2!}``.
    - A neighbour is written ``-C`` if edges lead both ways, ``->C`` if the edge is outgoing, and ``<-C`` if it is
      incoming. The edge type follows, as in ``-near:C``, except for ``"plain"`` and the bonds of molecules: ``-`` is
      single, ``=`` double, ``#`` triple, and ``~`` aromatic. Types that are not strings are in brackets, ``-[1]:C``,
      and so are bins of numbers: ``-[w in [0.5, 1)]:C``, ``-[w < 0.5]:C``. Parallel edges count as several neighbours.
      Three or more equal neighbours are counted: ``C(-C,-H*3)``.
    - If all symbols are values of one attribute, such as ``("label", 6)``, only the value is written: ``6(-6,-8)``.
      Other tuples are written in brackets, ``[color=red]``, and strings of digits in quotes.
    - Characters with a meaning in names, and spaces at the ends, are escaped by a backslash in symbols and types:
      ``"C-C"`` becomes ``C\-C``.

    In batches of :meth:`~graphtm.GraphBatch.node_examples`, looks are those within an example, where most edges of
    neighbours are missing. To name looks in the whole graph, encode it before making examples.

    Different looks have different names, and names do not depend on the order of nodes, edges or graphs. A name that
    is already a symbol of the graphs gets a prime, ``C(-C)'``. Looks without a name are left out, and
    :meth:`unknown_looks` counts them; ``transform`` logs their number.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from graphtm.encoders import Neighbourhoods
    >>> graphs = gtm.from_smiles(["CC(=O)O", "OC(=O)C"], hydrogens=False, rings=False)
    >>> print(Neighbourhoods(parts=["counts"]).fit_transform(graphs)[0])
    Graph with 4 nodes and 6 edges
      0: element=C, 'C(-C)', 'C(-C(-C,-O,=O))', 'C: -C>=1'
          single -> 1
      1: element=C, 'C(-C,-O,=O)', 'C(-C(-C),-O(-C),=O(=C))', 'C: -C>=1', 'C: -O>=1', 'C: =O>=1'
          single -> 0
          double -> 2
          single -> 3
      2: element=O, 'O(=C)', 'O(=C(-C,-O,=O))', 'O: =C>=1'
          double -> 1
      3: element=O, 'O(-C)', 'O(-C(-C,-O,=O))', 'O: -C>=1'
          single -> 1
    """

    _plan: NeighbourhoodPlan
    _numbers: StageNumbers

    def __init__(self, hops: int = 2, parts: bool | Sequence[str] = True, min_graphs: int = 2) -> None:
        self.hops = hops
        self.parts = parts
        self.min_graphs = min_graphs

    def fit(self, X: GraphBatch | Iterable[Graph], y: Any = None) -> Neighbourhoods:  # noqa: ARG002
        """Learn the looks and parts of training graphs.

        Parameters
        ----------
        X
            Graphs, a batch or a list.
        y
            Ignored.
        """
        self._learn(X)
        return self

    def fit_transform(
        self,
        X: GraphBatch | Iterable[Graph],
        y: Any = None,  # noqa: ARG002
        **fit_params: Any,  # noqa: ARG002
    ) -> GraphBatch:
        """Fit the encoder and return the graphs with looks; they are read once."""
        return self._graphs(*self._learn(X))

    def transform(self, X: GraphBatch | Iterable[Graph]) -> GraphBatch:
        """Return the graphs with looks.

        Symbols, looks and edges that are not known from training are left out. Symbols and edge types that no training
        graph has cause one :class:`~graphtm.UnknownNameWarning`. Looks do not: many are rare.

        Raises
        ------
        UnknownSymbolError
            If a node has an unknown type.
        """
        check_is_fitted(self, "vocabulary_")
        graphs = graph_batch(X).pack()
        carried = self._plan.find(graphs)
        unknown = self._plan.count_unknown(graphs, carried).sum(axis=0)
        if unknown.any():
            found = ", ".join(f"{n:,} up to {hop} hops" for hop, n in enumerate(unknown.tolist()) if hop)
            _LOG.info("Of %s nodes, these have an unknown look: %s.", f"{graphs.n_nodes:,}", found)
        made = self._graphs(graphs, carried)
        warn_of_unknown(self, GraphBatch(graphs).names_missing_in(self._plan.vocabulary))
        return made

    def unknown_looks(self, X: GraphBatch | Iterable[Graph]) -> Int64Array:
        """Return how many nodes of each graph have a look without a name.

        Returns
        -------
        ndarray of shape (graphs, hops + 1)
            The number of nodes that are unknown by themselves (column 0) or with their neighbours up to 1, 2, ... hops.
            Beyond one hop, nodes without neighbours do not count.

        Examples
        --------
        >>> import graphtm as gtm
        >>> from graphtm.encoders import Neighbourhoods
        >>> encoder = Neighbourhoods().fit(gtm.from_smiles(["CCO", "CCO"]))
        >>> encoder.unknown_looks(gtm.from_smiles(["CCO", "CCCO", "CCN"]))
        array([[0, 0, 0],
               [0, 2, 4],
               [1, 2, 3]])
        """
        check_is_fitted(self, "vocabulary_")
        graphs = graph_batch(X).pack()
        return self._plan.count_unknown(graphs, self._plan.find(graphs))

    @property
    def _known(self) -> Names:
        """Symbols of the training graphs."""
        return self._plan.vocabulary.symbols

    def _numbers_in(self, symbols: Names) -> Int64Array:
        """Return the number of each symbol of ``vocabulary_`` among those of graphs given to ``transform``, or -1."""
        numbers = np.full(len(self.vocabulary_.symbols), -1)
        numbers[: len(self._known)] = self._known.numbers_in(symbols)
        return numbers

    def _edges_of(self, graph: PackedGraphs, nodes: Int64Array, symbols: Int64Array) -> Covered:
        """Return the edges that looks of nodes cover, by the place of the look; none for other symbols.

        Parameters
        ----------
        graph
            One graph as given to ``transform``.
        nodes, symbols
            Nodes, and numbers of symbols of ``vocabulary_`` that they carry.
        """
        edges, found = LookEdges(self._plan, graph), [Covered(*np.zeros((2, 0), np.int64))]
        stages, numbers = self._numbers.stages(symbols)
        for stage in np.unique(stages[stages >= 0]).tolist():
            chosen = np.flatnonzero(stages == stage)
            places, covered = edges.of(nodes[chosen], stage, numbers[chosen])
            found.append(Covered(chosen[places], covered))
        return Covered(*map(np.concatenate, zip(*found, strict=True)))

    def _learn(self, X: Any) -> tuple[PackedGraphs, Carried]:
        kinds = self._checked_kinds()
        graphs = graph_batch(X).pack()
        if not graphs.n_graphs:
            raise GraphError("Neighbourhoods needs at least one graph to fit; got none.")
        plan, carried, names = NeighbourhoodPlan.learn(graphs, int(self.hops), kinds, int(self.min_graphs))
        self._make(plan, names)
        self._keep_parameters()
        return graphs, carried

    def _make(self, plan: NeighbourhoodPlan, names: list[list[str]]) -> None:
        """Set the attributes of a fit, given a plan and the names of each stage."""
        own, is_new = plan.vocabulary, ~plan.single_symbols()
        new = [name for name, wanted in zip(names[0], is_new.tolist(), strict=True) if wanted]
        new += [name for stage in names[1:] for name in stage]
        symbols = [*own.symbols, *unlike(new, own.symbols)]
        self.vocabulary_ = Vocabulary(symbols, own.edge_types, own.node_types)
        self._plan, self._numbers = plan, StageNumbers.of(len(own.symbols), is_new, names)

    def _learned(self) -> dict[str, Any]:
        return self._plan.to_file()

    def _restore(self, learned: Learned) -> None:
        kinds = self._checked_kinds()
        self._make(*NeighbourhoodPlan.from_file(learned, int(self.hops), kinds))

    def _checked_kinds(self) -> tuple[str, ...]:
        """Check the parameters and return the kinds of parts."""
        checks = ParameterChecks(self)
        checks.integer("hops", 1, _MOST_HOPS)
        checks.integer("min_graphs", 1, 2**31 - 1)
        parts = self.parts
        if isinstance(parts, bool | np.bool_):
            return DEFAULT_PARTS if parts else ()
        listed = isinstance(parts, list | tuple) and all(isinstance(kind, str) and kind in PARTS for kind in parts)
        if not listed or len(set(parts)) < len(parts):
            checks.refuse("parts", f"a bool or a list of different names among {', '.join(map(repr, PARTS))}")
        return tuple(parts)

    def _graphs(self, graphs: PackedGraphs, carried: Carried) -> GraphBatch:
        graphs = graphs.with_vocabulary(self._plan.vocabulary, "ignore")
        nodes, symbols = graphs.properties.pairs()
        more_nodes, more_symbols = self._numbers.symbols(carried)
        properties = property_tables.from_pairs(
            *merged([nodes, *more_nodes], [symbols, *more_symbols], graphs.n_nodes),
            graphs.n_nodes,
            len(self.vocabulary_.symbols),
        )
        return GraphBatch(replace(graphs, vocabulary=self.vocabulary_, properties=properties))
