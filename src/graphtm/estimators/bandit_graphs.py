"""Graphs prepared for a bandit: each is encoded once, and can then be learned from in a few microseconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, overload

import numpy as np

from graphtm.codes import Code, EncodedBatch, encode
from graphtm.engines import Engine
from graphtm.errors import GraphTMError
from graphtm.graphs import GraphBatch


class PreparedGraph(NamedTuple):
    """One of the graphs that :meth:`graphtm.GraphTMBandit.prepare` returns."""

    graphs: PreparedGraphs
    number: int


class PreparedGraphs:
    """Graphs prepared for a bandit; an element is passed to its methods instead of a :class:`graphtm.Graph`.

    Parameters
    ----------
    batch
        The graphs, with the vocabulary of the bandit.
    code
        The symbol code of the bandit.
    """

    def __init__(self, batch: GraphBatch, code: Code) -> None:
        self._code = code
        self._encoded = list(_one_by_one(encode(batch, code)))
        self._engine: Engine | None = None
        self._prepared: list[Any] = []

    def __len__(self) -> int:
        return len(self._encoded)

    @overload
    def __getitem__(self, number: int) -> PreparedGraph: ...

    @overload
    def __getitem__(self, number: slice) -> list[PreparedGraph]: ...

    def __getitem__(self, number: int | slice) -> PreparedGraph | list[PreparedGraph]:
        if isinstance(number, slice):
            return [PreparedGraph(self, each) for each in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(f"There are {len(self):,} prepared graphs; got number {number}.")
        return PreparedGraph(self, number % len(self))

    def __iter__(self) -> Iterator[PreparedGraph]:
        return (PreparedGraph(self, number) for number in range(len(self)))

    def __repr__(self) -> str:
        return f"PreparedGraphs({len(self):,} graphs)"

    def of(self, number: int, engine: Engine, code: Code) -> Any:
        """Return a graph in the form of an engine.

        Raises
        ------
        GraphTMError
            If the graphs were prepared for another model.
        """
        if self._engine is not engine:
            if code is not self._code and code != self._code:
                raise GraphTMError(
                    "The graphs were prepared for another bandit, or before this one was fitted again. Prepare them "
                    "again."
                )
            self._prepared, self._engine = [engine.prepare(one) for one in self._encoded], engine
        return self._prepared[number]


def _one_by_one(graphs: EncodedBatch) -> Iterator[EncodedBatch]:
    """Yield each graph as a batch of its own."""
    for first, last in zip(graphs.node_ptr[:-1].tolist(), graphs.node_ptr[1:].tolist(), strict=True):
        nodes = slice(first, last)
        yield EncodedBatch(
            graphs.bits[nodes],
            graphs.n_bits,
            np.array([0, last - first], dtype=np.int64),
            graphs.out_edges.select(nodes),
            graphs.in_edges.select(nodes),
            None if graphs.node_types is None else graphs.node_types[nodes],
            None if graphs.readout is None else graphs.readout[nodes],
        )
