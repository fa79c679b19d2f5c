"""Graphs prepared for a bandit: each is encoded once, and can then be learned from in a few microseconds."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NamedTuple, SupportsIndex, overload
from weakref import WeakKeyDictionary

import numpy as np

from graphtm.codes import Code, EncodedBatch, encode
from graphtm.engines import Engine
from graphtm.errors import GraphTMError
from graphtm.graphs import GraphBatch
from graphtm.model import Model


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
        self._vocabulary, self._code = batch.vocabulary, code
        self._encoded = list(_one_by_one(encode(batch, code)))
        self._prepared = WeakKeyDictionary[Engine, list[Any]]()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the forms of engines, which are made again when needed."""
        return {name: value for name, value in vars(self).items() if name != "_prepared"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepared = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._encoded)

    @overload
    def __getitem__(self, number: SupportsIndex) -> PreparedGraph: ...

    @overload
    def __getitem__(self, number: slice) -> list[PreparedGraph]: ...

    def __getitem__(self, number: SupportsIndex | slice) -> PreparedGraph | list[PreparedGraph]:
        if isinstance(number, slice):
            return [PreparedGraph(self, each) for each in range(*number.indices(len(self)))]
        try:
            if isinstance(number, bool | np.bool_):
                raise TypeError
            place = operator.index(number)
        except TypeError:
            raise TypeError(
                f"The number of a prepared graph must be an int, or a slice for several; got {number!r}."
            ) from None
        if not -len(self) <= place < len(self):
            raise IndexError(f"There are {len(self):,} prepared graphs; got number {place}.")
        return PreparedGraph(self, place % len(self))

    def __iter__(self) -> Iterator[PreparedGraph]:
        return (PreparedGraph(self, number) for number in range(len(self)))

    def __repr__(self) -> str:
        return f"PreparedGraphs({len(self):,} graphs)"

    def of(self, number: int, engine: Engine, model: Model) -> Any:
        """Return a graph in the form of an engine that holds a model.

        Raises
        ------
        GraphTMError
            If the graphs were prepared for another model.
        """
        prepared = self._prepared.get(engine)
        if prepared is None:  # engines keep the vocabulary and the code of their model
            if model.vocabulary != self._vocabulary or model.symbol_code != self._code:
                raise GraphTMError(
                    "The graphs were prepared for another bandit, or before this one was fitted again. Prepare them "
                    "again."
                )
            prepared = self._prepared[engine] = [engine.prepare(one) for one in self._encoded]
        return prepared[number]


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
