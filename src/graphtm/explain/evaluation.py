"""Evaluation of formulas on graphs: from symbols, types and edges, without bits or messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from graphtm.engines.base import Outputs
from graphtm.foundation.arrays import BoolArray, Int64Array, pointers
from graphtm.foundation.numbering import Names
from graphtm.graphs import Graph, GraphBatch
from graphtm.graphs.packed import PackedGraphs

if TYPE_CHECKING:
    from graphtm.explain.formulas import Formula

_TRUTH_BYTES = 1 << 26


def walk(formulas: Iterable[Formula]) -> list[Formula]:
    """Return all distinct parts of formulas, each after its own parts."""
    found: dict[int, Formula] = {}
    waiting = list(formulas)
    while waiting:
        formula = waiting.pop()
        if formula.number not in found:
            found[formula.number] = formula
            waiting.extend(formula.parts)
    return [found[number] for number in sorted(found)]


def evaluate(formulas: Iterable[Formula], graphs: Graph | GraphBatch | Iterable[Graph]) -> Outputs:
    """Return at which nodes formulas hold; if one of them is graded, the strengths of all.

    Parameters
    ----------
    formulas
        Formulas to evaluate.
    graphs
        One graph, several graphs, or a batch.

    Returns
    -------
    ndarray of bool, or of uint8 if graded, (nodes of all graphs, formulas)
        The strength of a formula that is not graded is 1 where it holds.
    """
    formulas = tuple(formulas)
    rows = [values for _, values in _by_piece(formulas, graphs)]
    return np.concatenate([np.zeros((0, len(formulas)), _type_of(formulas)), *rows])


def matches(formulas: Iterable[Formula], graphs: Graph | GraphBatch | Iterable[Graph]) -> Outputs:
    """Return which graphs satisfy each formula at a readout node; if one of them is graded, the largest strengths.

    Parameters
    ----------
    formulas
        Formulas to evaluate.
    graphs
        One graph, several graphs, or a batch.

    Returns
    -------
    ndarray of bool, or of uint8 if graded, (graphs, formulas)
    """
    formulas = tuple(formulas)
    rows = [np.zeros((0, len(formulas)), _type_of(formulas))]
    for piece, values in _by_piece(formulas, graphs):
        answers = values if piece.readout is None else values * piece.readout[:, None]
        rows.append(np.maximum.reduceat(answers, piece.node_ptr[:-1], axis=0))
    return np.concatenate(rows)


def _type_of(formulas: Iterable[Formula]) -> np.dtype[Any]:
    return np.dtype(np.uint8 if any(formula.is_graded for formula in formulas) else np.bool_)


def _by_piece(
    formulas: tuple[Formula, ...], graphs: Graph | GraphBatch | Iterable[Graph]
) -> Iterator[tuple[PackedGraphs, Outputs]]:
    """Yield pieces of the graphs, small enough for memory, with the nodes at which formulas hold, or strengths."""
    if not isinstance(graphs, GraphBatch):
        graphs = GraphBatch.from_graphs([graphs] if isinstance(graphs, Graph) else graphs)
    parts = walk(formulas)
    for chunk in graphs.chunks(max(1, _TRUTH_BYTES // max(1, len(parts)))):
        piece = chunk.pack()
        values = NodeTruth(piece).of(parts)
        columns = [values[formula.number] for formula in formulas]
        yield piece, np.array(columns, _type_of(formulas)).reshape(len(formulas), piece.n_nodes).T


class NodeTruth:
    """Evaluates formulas at all nodes of packed graphs."""

    def __init__(self, graphs: PackedGraphs) -> None:
        self._graphs = graphs

    def of(self, formulas: Iterable[Formula]) -> dict[int, Outputs]:
        """Return, by formula number, where formulas hold, or their strengths; each must come after its parts."""
        values: dict[int, Outputs] = {}
        for formula in formulas:
            at = self._at(formula, [values[part.number].astype(np.bool_, copy=False) for part in formula.parts])
            strengths = [values[part.number] for part in formula.parts if part.is_graded] if formula.is_graded else []
            values[formula.number] = np.minimum.reduce(strengths) * at if strengths else at
        return values

    def _at(self, formula: Formula, parts: list[BoolArray]) -> Outputs:
        n_nodes = self._graphs.n_nodes
        if formula.kind in ("true", "false"):
            return np.full(n_nodes, formula.is_true)
        if formula.kind == "has":
            return self._carrying(formula.name)
        if formula.kind == "type":
            return self._of_type(formula.name)
        if formula.kind == "exists":
            return self._reached(formula.name, parts[0])
        if formula.kind == "not":
            return ~parts[0]
        if formula.kind == "all":
            return np.asarray(np.logical_and.reduce(parts))
        if formula.kind == "any":
            return np.asarray(np.logical_or.reduce(parts))
        if formula.kind == "count":
            return self._counted(formula, parts)
        if formula.kind == "times":
            return parts[0]
        raise ValueError(
            f"A formula in chain form cannot be evaluated; got {str(formula)!r}. Evaluate the formula that `chain` was "
            "called on."
        )

    def _counted(self, formula: Formula, parts: list[BoolArray]) -> Outputs:
        """Return the strengths of a count, given where its parts hold."""
        strengths = np.full(self._graphs.n_nodes, formula.name, np.int64)
        for part, at in zip(formula.parts, parts, strict=True):
            strengths += at * (part.name if part.kind == "times" else 1)
        return np.maximum(0, strengths).astype(np.uint8)

    def _carrying(self, symbol: Hashable) -> BoolArray:
        at = np.zeros(self._graphs.n_nodes, np.bool_)
        number = _number(self._graphs.vocabulary.symbols, symbol)
        if number is not None:
            nodes, ptr = self._nodes_by_symbol
            at[nodes[ptr[number] : ptr[number + 1]]] = True
        return at

    def _of_type(self, node_type: Hashable) -> BoolArray:
        types = self._graphs.node_types
        number = _number(self._graphs.vocabulary.node_types, node_type)
        if types is None or number is None:
            return np.zeros(self._graphs.n_nodes, np.bool_)
        return np.asarray(types == number)

    def _reached(self, edge_type: Hashable, sending: BoolArray) -> BoolArray:
        """Return the nodes at which an edge of the type arrives from a node in ``sending``."""
        at = np.zeros(self._graphs.n_nodes, np.bool_)
        number = _number(self._graphs.vocabulary.edge_types, edge_type)
        if number is not None:
            sources, destinations, ptr = self._edges_by_type
            edges = slice(ptr[number], ptr[number + 1])
            at[destinations[edges][sending[sources[edges]]]] = True
        return at

    @cached_property
    def _nodes_by_symbol(self) -> tuple[Int64Array, Int64Array]:
        properties = self._graphs.properties
        nodes, symbols = properties.pairs()
        return nodes[np.argsort(symbols, kind="stable")], pointers(np.bincount(symbols, minlength=properties.n_symbols))

    @cached_property
    def _edges_by_type(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        """Sources and destinations of the edges, sorted by edge type, and the offset of each type."""
        graphs = self._graphs
        sources = graphs.out_edges.near_ends()
        first = np.repeat(graphs.node_ptr[:-1], graphs.node_counts)[sources] if len(sources) else sources
        types = graphs.out_edges.types
        order = np.argsort(types, kind="stable")
        counts = np.bincount(types, minlength=len(graphs.vocabulary.edge_types))
        return sources[order], (first + graphs.out_edges.neighbours)[order], pointers(counts)


def _number(names: Names, name: Hashable) -> int | None:
    return names.index(name) if name in names else None
