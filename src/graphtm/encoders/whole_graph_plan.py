"""What graphs contain: how often they have each symbol, and the facts that are numbered in training graphs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from graphtm.foundation.arrays import BoolArray, FrozenArrays, Int64Array, pointers
from graphtm.foundation.numbering import Names
from graphtm.graphs import GraphBatch


@dataclass(frozen=True, eq=False)
class Totals:
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
    def of(cls, batch: GraphBatch) -> Totals:
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

    def renumbered(self, numbers: Int64Array) -> Totals:
        """Return the totals with new numbers of the symbols, without those whose number is -1."""
        symbols = numbers[self.symbols]
        kept = symbols >= 0
        counts, answers = self.counts[kept], self.answers[kept]
        return Totals(self.n_graphs, self.some_answer, self.graphs[kept], symbols[kept], counts, answers)


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
    def learn(cls, totals: Totals, symbols: Names, levels: Int64Array, min_graphs: int) -> WholeGraphPlan:
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

    def facts(self, totals: Totals) -> tuple[Int64Array, Int64Array]:
        """Return graphs and the numbers of facts that hold in them."""
        reached = np.searchsorted(self.levels, totals.counts, side="right")
        level = np.arange(reached.sum()) - np.repeat(pointers(reached)[:-1], reached)
        graphs = np.concatenate([np.repeat(totals.graphs, reached), totals.graphs[totals.answers]])
        numbers = np.concatenate(
            [self.numbers[np.repeat(totals.symbols, reached), level], self.numbers[totals.symbols[totals.answers], -1]]
        )
        return graphs[numbers >= 0], numbers[numbers >= 0]
