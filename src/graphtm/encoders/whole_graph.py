"""Encode what each graph contains, with counts, as a single node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder, graph_batch, warn_of_unknown
from graphtm.encoders.learned import Learned
from graphtm.encoders.whole_graph_plan import Totals, WholeGraphPlan
from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.foundation.numbering import Names
from graphtm.foundation.parameters import ParameterChecks, is_integer
from graphtm.graphs import Graph, GraphBatch, Vocabulary


class WholeGraph(GraphEncoder):
    """Make one node per graph that carries what the graph contains, counted.

    A clause describes one node and the messages that reach it. It cannot say "some node is an oxygen, and some other
    node is a nitrogen", which is often what decides. With one node per graph it can: the node carries facts such as
    ``("O", ">=", 1)``, which says that at least one node of the graph carries the symbol ``"O"``. After
    :class:`~graphtm.encoders.Neighbourhoods`, facts tell how many nodes have a look. After
    :class:`~graphtm.encoders.Tokens` or :class:`~graphtm.encoders.KMers`, a text or a genome becomes one set of facts.

    If only some nodes are readout nodes, as in node-level tasks, facts such as ``("readout", "O")`` also tell which
    symbols they carry.

    The new graphs have no edges, so use estimators with ``depth=1``. Node types and edges are not counted by
    themselves; the names of :class:`~graphtm.encoders.Neighbourhoods` contain them.

    Parameters
    ----------
    counts
        Numbers of nodes to ask for: "at least 1", "at least 2", ...
    min_graphs
        Number of training graphs in which a fact must hold to be used.

    Attributes
    ----------
    vocabulary_
        The facts ``(symbol, ">=", count)``, in the order of the symbols of the training graphs, then of counts. For
        each symbol, the fact ``("readout", symbol)`` comes last.

    Notes
    -----
    Estimators with ``symbol_encoding="auto"`` code the facts ``one_hot``, however many there are. Symbols that no
    training graph has are left out with a warning, and :meth:`unknown_symbols` counts them. Node types and edge types
    may be new.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from graphtm.encoders import WholeGraph
    >>> graphs = gtm.from_smiles(["CCO", "CCCO", "CCN"], hydrogens=False, rings=False)
    >>> encoder = WholeGraph(counts=(1, 2, 3)).fit(graphs)
    >>> list(encoder.vocabulary_.symbols)
    [(('element', 'C'), '>=', 1), (('element', 'C'), '>=', 2), (('element', 'O'), '>=', 1)]
    >>> print(encoder.transform(graphs)[2])
    Graph with 1 node and 0 edges
      0: (element=C)>=1, (element=C)>=2
    """

    _plan: WholeGraphPlan
    _input_vocabulary: Vocabulary

    def __init__(self, counts: Sequence[int] = (1, 2, 3, 5, 8), min_graphs: int = 2) -> None:
        self.counts = counts
        self.min_graphs = min_graphs

    def fit(self, X: GraphBatch | Iterable[Graph], y: Any = None) -> WholeGraph:  # noqa: ARG002
        """Learn the facts of training graphs.

        Parameters
        ----------
        X
            Graphs, a batch or a list. A lazy batch is read chunk by chunk.
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
        """Fit the encoder and return one node per graph; the graphs are read once."""
        return self._graphs(self._learn(X))

    def transform(self, X: GraphBatch | Iterable[Graph]) -> GraphBatch:
        """Return one node per graph, which carries the facts that hold in the graph.

        Symbols that no training graph has are left out, with one :class:`~graphtm.UnknownNameWarning`.
        """
        totals, numbers, symbols = self._read(X)
        missing = np.unique(totals.symbols[numbers[totals.symbols] < 0])
        made = self._graphs(totals.renumbered(numbers))
        warn_of_unknown(self, [symbols[number] for number in missing.tolist()])
        return made

    def unknown_symbols(self, X: GraphBatch | Iterable[Graph]) -> Int64Array:
        """Return how many symbols of nodes are left out in each graph, since no training graph has them.

        Returns
        -------
        ndarray of shape (graphs,)
            A symbol counts at each node that carries it. Looks that :class:`~graphtm.encoders.Neighbourhoods` has left
            out before do not count here; see its ``unknown_looks``.

        Examples
        --------
        >>> import graphtm as gtm
        >>> from graphtm.encoders import WholeGraph
        >>> encoder = WholeGraph().fit(gtm.from_smiles(["CCO", "CCCO"], hydrogens=False, rings=False))
        >>> encoder.unknown_symbols(gtm.from_smiles(["CCO", "NCCN"], hydrogens=False, rings=False))
        array([0, 2])
        """
        totals, numbers, _ = self._read(X)
        unknown = numbers[totals.symbols] < 0
        left_out = np.zeros(totals.n_graphs, np.int64)
        np.add.at(left_out, totals.graphs[unknown], totals.counts[unknown])
        return left_out

    def locate(self, graphs: GraphBatch | Sequence[Graph], i: int, symbol: Hashable) -> list[Hashable]:
        """Return the nodes of a graph that make a fact true: those that carry its symbol.

        Parameters
        ----------
        graphs
            Graphs as given to ``transform``. In a pipeline, these come from the step before, such as
            :class:`~graphtm.encoders.Neighbourhoods`, which keeps the nodes of the original graphs.
        i
            Number of the graph.
        symbol
            A fact of ``vocabulary_``.

        Returns
        -------
        list
            Names of the nodes, in their order. Empty if the fact does not hold.

        Raises
        ------
        UnknownSymbolError
            If there is no such fact.

        Examples
        --------
        >>> import graphtm as gtm
        >>> from graphtm.encoders import WholeGraph
        >>> graphs = gtm.from_smiles(["CCO", "CCCO", "CCN"], hydrogens=False, rings=False)
        >>> encoder = WholeGraph(counts=(1, 2)).fit(graphs)
        >>> encoder.locate(graphs, 0, (("element", "C"), ">=", 2))
        [0, 1]
        >>> encoder.locate(graphs, 2, (("element", "O"), ">=", 1))
        []
        """
        check_is_fitted(self, "vocabulary_")
        wanted, count = self._plan.fact(self.vocabulary_.symbols.index(symbol))
        batch = graph_batch(graphs)
        graph = batch[[i]].pack()
        number = graph.vocabulary.symbols.numbers_in(Names([self._plan.symbols[wanted]]))
        nodes, symbols = graph.properties.pairs()
        asked = number[symbols] >= 0
        if count is None and graph.readout is not None:
            asked &= graph.readout[nodes]
        found = nodes[asked].tolist()
        names = graph.names_of(0)
        return [names[node] for node in found] if len(found) >= (count or 1) else []

    @property
    def _known(self) -> Names:
        """Symbols of the training graphs."""
        return self._plan.symbols

    def _numbers_in(self, symbols: Names) -> Int64Array:
        """Return the number of the symbol that each fact counts among those of graphs given to ``transform``, or -1."""
        rows, _ = np.nonzero(self._plan.numbers >= 0)
        return self._known.numbers_in(symbols)[rows]

    @property
    def _of_readout(self) -> BoolArray:
        """Which facts are about readout nodes only."""
        _, columns = np.nonzero(self._plan.numbers >= 0)
        return np.asarray(columns == len(self._plan.levels))

    def _learn(self, X: Any) -> Totals:
        levels = self._levels()
        batch = graph_batch(X)
        if not len(batch):
            raise GraphError("WholeGraph needs at least one graph to fit; got none.")
        totals = Totals.of(batch)
        plan = WholeGraphPlan.learn(totals, batch.vocabulary.symbols, levels, int(self.min_graphs))
        self._make(plan, batch.vocabulary.edge_types)
        self._keep_parameters()
        return totals

    def _read(self, X: Any) -> tuple[Totals, Int64Array, Names]:
        """Return the totals of graphs, the numbers of their symbols in the plan or -1, and these symbols."""
        check_is_fitted(self, "vocabulary_")
        batch = graph_batch(X)
        symbols = batch.vocabulary.symbols
        return Totals.of(batch), symbols.numbers_in(self._plan.symbols), symbols

    def _levels(self) -> Int64Array:
        """Return the counts to ask for, ascending, after checking the parameters."""
        checks = ParameterChecks(self)
        checks.integer("min_graphs", 1, 2**31 - 1)
        counts = self.counts
        listed = isinstance(counts, list | tuple | range | np.ndarray) and len(counts) > 0
        if not listed or not all(is_integer(n) and n >= 1 for n in counts) or len(set(counts)) < len(counts):
            checks.refuse("counts", "a list of different ints of at least 1")
        return np.array(sorted(map(int, counts)), dtype=np.int64)

    def _make(self, plan: WholeGraphPlan, edge_types: Iterable[Hashable]) -> None:
        self.vocabulary_ = Vocabulary(plan.names())
        self._plan = plan
        # Converters read the cuts of numbers from it, for later graphs; see graphs/bins.py.
        self._input_vocabulary = Vocabulary(plan.symbols, edge_types)

    def _learned(self) -> dict[str, Any]:
        edge_types = list(self._input_vocabulary.edge_types)
        return {"symbols": list(self._plan.symbols), "edge_types": edge_types, "known": self._plan.numbers >= 0}

    def _restore(self, learned: Learned) -> None:
        levels, symbols = self._levels(), Names(learned.names("symbols"))
        known = learned.array("known", np.bool_, len(symbols), len(levels) + 1)
        self._make(WholeGraphPlan.of(symbols, levels, known), learned.names("edge_types"))

    def _graphs(self, totals: Totals) -> GraphBatch:
        graphs, facts = self._plan.facts(totals)
        return GraphBatch.from_arrays(np.ones(totals.n_graphs, np.int64), (graphs, facts), self.vocabulary_.symbols)
