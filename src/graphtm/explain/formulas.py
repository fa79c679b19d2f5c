"""Formulas about a node: its symbols, its type, and what its in-neighbours satisfy. They are evaluated by themselves.

A formula is a DAG: equal parts are one object. It knows nothing of bits, codes and clauses, and does not need the
machine that it came from. ``EXISTS t: f`` says that an edge of type ``t`` leads here from a node that satisfies ``f``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Literal, TypeAlias

import numpy as np

from graphtm.explain import conjunctions
from graphtm.explain.evaluation import evaluate, matches, walk
from graphtm.explain.formula_text import LATEX, TEXT, written
from graphtm.foundation.arrays import BoolArray
from graphtm.foundation.names import name_key
from graphtm.graphs import Graph, GraphBatch

_numbers = count()
Kind: TypeAlias = Literal["true", "false", "has", "type", "match", "exists", "not", "all", "any"]


@dataclass(frozen=True, eq=False, repr=False)
class Formula:
    """A formula, or a part of one. Make them with :class:`Formulas`, or get one from ``rule.unroll()``.

    Parameters
    ----------
    kind
        ``"has"`` (a symbol), ``"type"`` (a node type), ``"exists"`` (an in-neighbour), ``"not"``, ``"all"`` (AND),
        ``"any"`` (OR), ``"true"`` and ``"false"``; ``"match"`` in the form for chains, see :meth:`chain`.
    name
        The symbol, node type or edge type that it is about.
    parts
        What it is made of.
    number
        Its own among all formulas; parts have lower numbers than what they are parts of.
    digest
        Equal for formulas made alike, seldom for others.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from graphtm.explain import Formulas
    >>> f = Formulas()
    >>> formula = f.all_of([f.has("A"), f.exists("right", f.has("B"))])
    >>> print(formula)
    A AND EXISTS right: B
    >>> graph = gtm.Graph()
    >>> for place, letter in enumerate("BAA"):
    ...     graph.add_node(place, properties=[letter])
    >>> graph.add_edge(0, 1, type="right")
    >>> graph.add_edge(1, 2, type="right")
    >>> formula.evaluate(graph)
    array([False,  True, False])
    """

    kind: Kind
    name: Any
    parts: tuple[Formula, ...]
    number: int
    digest: int

    @property
    def is_true(self) -> bool:
        """Whether it holds at every node, as far as could be seen."""
        return self.kind == "true"

    @property
    def is_false(self) -> bool:
        """Whether it holds nowhere, as far as could be seen."""
        return self.kind == "false"

    @property
    def conjuncts(self) -> tuple[Formula, ...]:
        """What must hold, all of it: its parts if it is an AND, none if it is always true, else itself."""
        if self.kind == "all":
            return self.parts
        return () if self.kind == "true" else (self,)

    @cached_property
    def conditions(self) -> conjunctions.Conditions:
        """The numbers of what must hold, all of it."""
        return frozenset(conjunct.number for conjunct in self.conjuncts)

    @cached_property
    def sought(self) -> dict[Hashable, conjunctions.Smaller]:
        """What it looks for over which edge types, any of it being enough: of an EXISTS, or an OR of some."""
        groups = conjunctions.by_edge_type(self.parts if self.kind == "any" else [self])
        return {
            edge_type: conjunctions.Smaller(part.parts[0].conditions for part in parts)
            for edge_type, parts in groups.items()
        }

    def walk(self) -> list[Formula]:
        """Return every different part once, parts before what they are parts of; the formula itself is the last."""
        return walk([self])

    def evaluate(self, graphs: Graph | GraphBatch | Iterable[Graph]) -> BoolArray:
        """Return at which nodes it holds.

        Names are matched with those of the graphs; what the graphs do not know is nowhere.

        Parameters
        ----------
        graphs
            A graph, several, or a batch.

        Returns
        -------
        ndarray of bool, (nodes of all graphs,)
        """
        return np.asarray(evaluate([self], graphs)[:, 0])

    def matches(self, graphs: Graph | GraphBatch | Iterable[Graph]) -> BoolArray:
        """Return of which graphs it is true: those where it holds at a readout node.

        Returns
        -------
        ndarray of bool, (graphs,)
        """
        return np.asarray(matches([self], graphs)[:, 0])

    def chain(self, places: Mapping[Any, int] | None = None, *, simplify: bool = True) -> Formula:
        """Return what it says on chains, in the paper's form: which symbols stand at which place.

        Parameters
        ----------
        places
            For each edge type how far off the neighbour is whose message it brings. If not given: an edge ``right``
            goes from a place to the next one and brings the message of X_{n-1}, ``left`` that of X_{n+1}.
        simplify
            Whether to leave out that a place exists, ``M(ANY, X_{n-1})``, where something else implies it.

        Raises
        ------
        ValueError
            If the formula reads an edge type without a place.

        Examples
        --------
        >>> f = Formulas()
        >>> formula = f.all_of([f.has("A"), f.exists("right", f.has("A")), f.not_(f.exists("left", f.has("B")))])
        >>> print(formula.chain())
        M(A, X_n) AND M(A, X_{n-1}) AND NOT M(B, X_{n+1})
        """
        from graphtm.explain.chains import chain_form

        return chain_form(self, places, simplify=simplify)

    def to_text(self, max_terms: int | None = 100) -> str:
        """Return the formula as text; parts that it uses more than once are named ``F1``, ``F2``, ... and given below.

        Parameters
        ----------
        max_terms
            Terms after which it stops and says how many it left out; ``None`` for all.
        """
        return written(self, TEXT, max_terms)

    def to_latex(self, max_terms: int | None = 100) -> str:
        """Return the formula for LaTeX's mathematical mode."""
        return written(self, LATEX, max_terms)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Formula {self.to_text(8)}>"

    def __eq__(self, other: object) -> bool:
        """Whether both are made alike, whatever the order of AND and OR."""
        if not isinstance(other, Formula):
            return NotImplemented
        if self is other or self.digest != other.digest:
            return self is other
        numbers: dict[Hashable, int] = {}
        return _class_of(self, numbers) == _class_of(other, numbers)

    def __hash__(self) -> int:
        return self.digest

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.walk()
        places = {part.number: place for place, part in enumerate(parts)}
        rows = [(part.kind, part.name, [places[inner.number] for inner in part.parts]) for part in parts]
        return _remade, (rows,)


def _remade(rows: list[tuple[Kind, Any, list[int]]]) -> Formula:
    """Return a formula that comes from a file or another process, where other numbers and digests hold."""
    make = Formulas(simplify=False)
    made: list[Formula] = []
    for kind, name, parts in rows:
        made.append(make._make(kind, name, [made[place] for place in parts]))
    return made[-1]


def _class_of(formula: Formula, numbers: dict[Hashable, int]) -> int:
    """Return a number that formulas made alike share, given the numbers so far."""
    mine: dict[int, int] = {}
    for part in formula.walk():
        key = (part.kind, name_key(part.name), frozenset(mine[inner.number] for inner in part.parts))
        mine[part.number] = numbers.setdefault(key, len(numbers))
    return mine[formula.number]


class Formulas:
    """Makes formulas; equal ones are the same object, and what is plainly true, false or said twice is left out.

    Parameters
    ----------
    simplify
        Whether also to leave out what other parts imply: ``EXISTS t: ANY`` beside another ``EXISTS t``, or ``EXISTS t:
        A`` beside ``EXISTS t: (A AND B)``; and to see that two parts exclude each other.
    """

    def __init__(self, *, simplify: bool = True) -> None:
        self._made: dict[Hashable, Formula] = {}
        self._negations: dict[int, Formula] = {}
        self._simplify = simplify
        self.true = self._make("true")
        self.false = self._make("false")

    def _make(self, kind: Kind, name: Any = None, parts: Iterable[Formula] = ()) -> Formula:
        parts = tuple(parts)
        key = (kind, name_key(name), frozenset(part.number for part in parts))
        if key not in self._made:
            digest = hash((kind, key[1], frozenset(part.digest for part in parts)))
            self._made[key] = Formula(kind, name, parts, next(_numbers), digest)
        return self._made[key]

    def has(self, symbol: Hashable) -> Formula:
        """Return that a node carries a symbol."""
        return self._make("has", symbol)

    def is_type(self, node_type: Hashable) -> Formula:
        """Return that a node is of a type."""
        return self._make("type", node_type)

    def match(self, place: int, conditions: tuple[Formula, ...]) -> Formula:
        """Return that a place of a chain is there and satisfies conditions; see :meth:`Formula.chain`."""
        return self._make("match", (place, conditions), ())

    def exists(self, edge_type: Hashable, formula: Formula) -> Formula:
        """Return that some in-neighbour over an edge of a type satisfies a formula."""
        return self.false if formula.is_false else self._make("exists", edge_type, [formula])

    def not_(self, formula: Formula) -> Formula:
        """Return that a formula does not hold."""
        if formula.kind == "not":
            return formula.parts[0]
        if formula.kind in ("true", "false"):
            return self.true if formula.is_false else self.false
        if formula.number not in self._negations:
            self._negations[formula.number] = self._make("not", None, [formula])
        return self._negations[formula.number]

    def all_of(self, formulas: Iterable[Formula]) -> Formula:
        """Return that all of them hold."""
        return self._joined("all", (part for formula in formulas for part in formula.conjuncts), self.true, self.false)

    def any_of(self, formulas: Iterable[Formula]) -> Formula:
        """Return that one of them holds at least."""
        parts = (part for formula in formulas for part in (formula.parts if formula.kind == "any" else (formula,)))
        return self._joined("any", parts, self.false, self.true)

    def _joined(
        self, kind: Literal["all", "any"], given: Iterable[Formula], neutral: Formula, absorbing: Formula
    ) -> Formula:
        parts = {part.number: part for part in given}
        parts.pop(neutral.number, None)
        opposed = any(part.kind == "not" and part.parts[0].number in parts for part in parts.values())
        if opposed or absorbing.number in parts:
            return absorbing
        kept: list[Formula] | None = list(parts.values())
        if self._simplify and kept:
            kept = conjunctions.reduced(kept) if kind == "all" else conjunctions.weakest(kept)
        if kept is None:
            return absorbing
        return kept[0] if len(kept) == 1 else self._make(kind, None, kept) if kept else neutral
