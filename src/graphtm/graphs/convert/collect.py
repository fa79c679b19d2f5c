"""Helpers of converters: batches of graphs that are read one by one, labels, and graphs that are written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError, GraphTMError
from graphtm.foundation.names import Name
from graphtm.foundation.numbering import Names
from graphtm.foundation.type_names import type_of
from graphtm.graphs.batch import CHUNK_NODES, GraphBatch
from graphtm.graphs.graph import Graph
from graphtm.graphs.vocabulary import Vocabulary

_NUMBERS = (bool, int, float)


class Found(NamedTuple):
    """A graph, its label (or None), and its description in error messages."""

    graph: Graph
    label: object
    where: str


def collect(found: Iterable[Found], error: type[GraphTMError] = GraphError) -> tuple[GraphBatch, NDArray[Any] | None]:
    """Return graphs as a batch, and their labels, or None if no graph has one.

    Graphs are packed in chunks, since unpacked graphs take much more memory.

    Raises
    ------
    GraphTMError
        If only some graphs have labels, or only some nodes have types. ``error`` is the class to raise.
    """
    parts: list[GraphBatch] = []
    waiting: list[Graph] = []
    labels: list[object] = []
    labelled: dict[bool, str] = {}
    typed: dict[bool, str] = {}
    n_waiting = 0
    for graph, label, where in found:
        if graph.n_nodes == 0:
            raise error(f"A graph must have at least one node; {where} has none.")
        labelled.setdefault(label is not None, where)
        for name, node_type in zip(graph._names, graph._types, strict=True):
            if (node_type is not None) not in typed:
                typed[node_type is not None] = f"node {name!r} of {where}"
        _refuse_both(labelled, "graphs", "label", error)
        _refuse_both(typed, "nodes", "type", error)
        waiting.append(graph)
        labels.append(label)
        n_waiting += graph.n_nodes
        if n_waiting >= CHUNK_NODES:
            parts.append(GraphBatch.from_graphs(waiting))
            waiting, n_waiting = [], 0
    if waiting or not parts:
        parts.append(GraphBatch.from_graphs(waiting))
    batch = parts[0] if len(parts) == 1 else GraphBatch.concatenate(parts)
    return batch, label_array(labels, error) if True in labelled else None


def _refuse_both(first: dict[bool, str], what: str, missing: str, error: type[GraphTMError]) -> None:
    if len(first) == 2:
        raise error(f"Either all {what} or none must have a {missing}; {first[True]} has one, {first[False]} has none.")


def label_array(labels: Sequence[object], error: type[GraphTMError] = GraphError, owner: str = "graph") -> NDArray[Any]:
    """Return labels as an array of strings, Booleans or numbers; lists of numbers give a matrix.

    Raises
    ------
    GraphTMError
        If labels have different types, or do not fit into an array. ``error`` is the class to raise.
    """
    plain: list[Any] = [label.item() if isinstance(label, np.generic) else label for label in labels]
    if plain and all(isinstance(label, list | tuple) for label in plain):
        rows = [list(label) for label in plain]
        width = len(rows[0])
        for number, row in enumerate(rows):
            if len(row) != width or not all(isinstance(value, (*_NUMBERS, np.number, np.bool_)) for value in row):
                raise error(
                    "Labels that are lists must hold numbers and have the same length; "
                    f"{owner} 0 has {rows[0]!r} and {owner} {number} has {row!r}."
                )
        return np.array(rows)
    kinds: dict[type, int] = {}
    for number, label in enumerate(plain):
        kinds.setdefault(type(label), number)
    unknown = [kind for kind in kinds if kind not in (*_NUMBERS, str)]
    if unknown or not (len(kinds) <= 1 or kinds.keys() == {int, float}):
        examples = ", ".join(f"{plain[number]!r} of {owner} {number}" for number in kinds.values())
        raise error(f"Labels must all be strings, all Booleans or all numbers; got {examples}.")
    for number, label in enumerate(plain):
        if isinstance(label, int) and not -(2**63) <= label < 2**63:
            raise error(f"Integer labels must fit into 64 bits; the label of {owner} {number} does not.")
        if isinstance(label, str) and label.endswith("\0"):
            raise error(
                f"Labels must not end with a NUL character, which NumPy removes; {owner} {number} has {label!r}."
            )
    return np.array(plain)


def with_declared(batch: GraphBatch, symbols: Iterable[Name]) -> GraphBatch:
    """Return the batch with further symbols in its vocabulary, which no node needs to have."""
    known = batch.vocabulary
    more = known.symbols.union(Names(list(dict.fromkeys(symbols))))
    if len(more) == len(known.symbols):
        return batch
    return batch.with_vocabulary(Vocabulary(more, known.edge_types, known.node_types))


def check_place(graphs: object, i: object, function: str) -> int:
    """Return the non-negative index of a graph in a batch.

    Raises
    ------
    TypeError
        If ``graphs`` is not a batch, or ``i`` is not an integer.
    IndexError
        If ``i`` is out of range.
    """
    if not isinstance(graphs, GraphBatch):
        raise TypeError(f"The 'graphs' parameter of {function} must be a GraphBatch. Got {type_of(graphs)} instead.")
    if isinstance(i, bool) or not isinstance(i, int | np.integer):
        raise TypeError(f"The 'i' parameter of {function} must be an int. Got {i!r} instead.")
    if not -len(graphs) <= i < len(graphs):
        raise IndexError(f"The batch has graphs 0..{len(graphs) - 1}; got {i}.")
    return int(i) % len(graphs)


def refuse_none(graph: Graph, number: int, form: str) -> None:
    """Refuse symbols and edge types named None, which would be read back as missing values."""
    for what, names in (("symbol", [name for each in graph._properties for name in each]), ("type", graph._edge_types)):
        if any(name is None for name in names):
            raise GraphError(
                f"A symbol or edge type must not be None, which is a missing value in {form}; graph {number} has the "
                f"{what} None. Rename it first."
            )
