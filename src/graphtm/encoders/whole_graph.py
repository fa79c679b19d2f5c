"""Encode what each graph contains, with counts, as a single node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder, graph_batch
from graphtm.encoders.learned import Learned
from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, FrozenArrays, Int64Array, pointers
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
    Estimators with ``symbol_encoding="auto"`` code the facts ``one_hot``, however many there are. Symbols that are not
    known from training are left out.

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
        """Return one node per graph, which carries the facts that hold in the graph."""
        check_is_fitted(self, "vocabulary_")
        batch = graph_batch(X)
        return self._graphs(_Totals.of(batch).renumbered(batch.vocabulary.symbols, self._plan.symbols))

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

    def _learn(self, X: Any) -> _Totals:
        levels = self._levels()
        batch = graph_batch(X)
        if not len(batch):
            raise GraphError("WholeGraph needs at least one graph to fit; got none.")
        totals = _Totals.of(batch)
        plan = WholeGraphPlan.learn(totals, batch.vocabulary.symbols, levels, int(self.min_graphs))
        self._make(plan, batch.vocabulary.edge_types)
        self._keep_parameters()
        return totals

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

    def _graphs(self, totals: _Totals) -> GraphBatch:
        graphs, facts = self._plan.facts(totals)
        return GraphBatch.from_arrays(np.ones(totals.n_graphs, np.int64), (graphs, facts), self.vocabulary_.symbols)


@dataclass(frozen=True, eq=False)
class _Totals:
    """How many nodes of a graph carry a symbol; pairs that do not occur are left out.

    Parameters
    ----------
    n_graphs
        Number of graphs.
    some_answer
        Whether some nodes are not readout nodes.
    graphs, symbols
        The pairs.
    counts
        Number of nodes for each pair.
    answers
        Whether one of them is a readout node.
    """

    n_graphs: int
    some_answer: bool
    graphs: Int64Array
    symbols: Int64Array
    counts: Int64Array
    answers: BoolArray

    @classmethod
    def of(cls, batch: GraphBatch) -> _Totals:
        """Count the symbols of a batch, chunk by chunk."""
        n_symbols, first, some_answer = max(1, len(batch.vocabulary.symbols)), 0, False
        keys, counts, answers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.bool_)]
        for chunk in batch.chunks():
            packed = chunk.pack()
            nodes, symbols = packed.properties.pairs()
            graphs = first + np.repeat(np.arange(packed.n_graphs), packed.node_counts)
            key, place, count = np.unique(graphs[nodes] * n_symbols + symbols, return_inverse=True, return_counts=True)
            answer = np.ones(len(key), np.bool_)
            if packed.readout is not None and not packed.readout.all():
                some_answer = True
                answer = np.bincount(place, packed.readout[nodes], len(key)) > 0
            keys.append(key)
            counts.append(count)
            answers.append(answer)
            first += packed.n_graphs
        graph, symbol = np.divmod(np.concatenate(keys), n_symbols)
        return cls(len(batch), some_answer, graph, symbol, np.concatenate(counts), np.concatenate(answers))

    def renumbered(self, mine: Names, known: Names) -> _Totals:
        """Return the totals with symbols numbered as in ``known``, without those that it does not have."""
        symbols = mine.numbers_in(known)[self.symbols]
        kept = symbols >= 0
        counts, answers = self.counts[kept], self.answers[kept]
        return _Totals(self.n_graphs, self.some_answer, self.graphs[kept], symbols[kept], counts, answers)


@dataclass(frozen=True, eq=False)
class WholeGraphPlan(FrozenArrays):
    """Facts with their numbers.

    Parameters
    ----------
    symbols
        Symbols of the training graphs.
    levels
        The counts to ask for, ascending.
    numbers
        Number of the fact of each symbol (row) and level (column), or -1; the last column is for readout nodes.
    """

    symbols: Names
    levels: Int64Array
    numbers: Int64Array

    @classmethod
    def learn(cls, totals: _Totals, symbols: Names, levels: Int64Array, min_graphs: int) -> WholeGraphPlan:
        """Find and number the facts that hold in enough graphs."""
        reached = np.searchsorted(levels, totals.counts, side="right")
        width = len(levels) + 1
        exactly = np.bincount(totals.symbols * width + reached, minlength=len(symbols) * width).reshape(-1, width)
        n_graphs = exactly[:, ::-1].cumsum(axis=1)[:, -2::-1]
        answering = np.bincount(totals.symbols[totals.answers & totals.some_answer], minlength=len(symbols))
        return cls.of(symbols, levels, np.column_stack([n_graphs, answering]) >= min_graphs)

    @classmethod
    def of(cls, symbols: Names, levels: Int64Array, known: BoolArray) -> WholeGraphPlan:
        """Return a plan with numbers for the facts that are known, given for each symbol and level."""
        return cls(symbols, levels, np.where(known, np.cumsum(known).reshape(known.shape) - 1, -1))

    def names(self) -> list[Hashable]:
        """Return the facts in the order of their numbers."""
        rows, columns = np.nonzero(self.numbers >= 0)
        levels = [*self.levels.tolist(), None]
        return [
            ("readout", self.symbols[row]) if levels[column] is None else (self.symbols[row], ">=", levels[column])
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        ]

    def fact(self, number: int) -> tuple[int, int | None]:
        """Return the symbol and the count of a fact; no count if it is about readout nodes."""
        row, column = np.argwhere(self.numbers == number)[0]
        return int(row), int(self.levels[column]) if column < len(self.levels) else None

    def facts(self, totals: _Totals) -> tuple[Int64Array, Int64Array]:
        """Return graphs and the numbers of facts that hold in them."""
        reached = np.searchsorted(self.levels, totals.counts, side="right")
        level = np.arange(reached.sum()) - np.repeat(pointers(reached)[:-1], reached)
        graphs = np.concatenate([np.repeat(totals.graphs, reached), totals.graphs[totals.answers]])
        numbers = np.concatenate(
            [self.numbers[np.repeat(totals.symbols, reached), level], self.numbers[totals.symbols[totals.answers], -1]]
        )
        return graphs[numbers >= 0], numbers[numbers >= 0]
