"""Formulas about a node: its symbols, its type, and what its in-neighbours satisfy.

A formula is a DAG in which equal parts are one object. It contains no bits, codes or clauses, so it can be evaluated
without the machine. ``EXISTS t: f`` holds at a node if an edge of type ``t`` arrives from a node that satisfies ``f``.
The formula of a graded clause counts the conditions that hold; it has a strength at each node instead of a truth value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, Literal, TypeAlias

from graphtm.engines.base import Outputs
from graphtm.explain.evaluation import evaluate, matches, walk
from graphtm.explain.formula_text import LATEX, TEXT, written
from graphtm.explain.implication import Conditions, Subsets, by_edge_type, reduced, weakest
from graphtm.foundation.names import name_key
from graphtm.foundation.parameters import is_integer
from graphtm.graphs import Graph, GraphBatch
from graphtm.model.settings import MAX_MISSES

_numbers = count()
Kind: TypeAlias = Literal["true", "false", "has", "type", "match", "exists", "not", "all", "any", "count", "times"]


@dataclass(frozen=True, eq=False, repr=False)
class Formula:
    """A formula, or a part of one. Build it with :class:`Formulas`, or get it from ``rule.unroll()``.

    Parameters
    ----------
    kind
        ``"has"`` (a symbol), ``"type"`` (a node type), ``"exists"`` (an in-neighbour), ``"not"``, ``"all"`` (AND),
        ``"any"`` (OR), ``"true"`` and ``"false"``; ``"match"`` in the form for chains, see :meth:`chain`. In graded
        formulas also ``"count"``, and ``"times"`` (a part that counts several times), see :meth:`Formulas.graded`.
    name
        Symbol, node type or edge type. For ``"count"``, the strength if no part holds, or what is missing from 0 as a
        negative number; for ``"times"``, how often the part counts.
    parts
        Formulas that it combines.
    number
        Unique number; parts have lower numbers than the formulas they belong to.
    digest
        Hash; equal for equal formulas.

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
        """Whether the formula is known to hold at every node."""
        return self.kind == "true"

    @property
    def is_false(self) -> bool:
        """Whether the formula is known to hold at no node."""
        return self.kind == "false"

    @property
    def is_graded(self) -> bool:
        """Whether the formula has strengths: it counts conditions, or is an AND with a part that does."""
        return self.kind == "count" or (self.kind == "all" and any(part.is_graded for part in self.parts))

    @property
    def conjuncts(self) -> tuple[Formula, ...]:
        """The conditions joined by AND: the parts of an AND, none if always true, else the formula itself."""
        if self.kind == "all":
            return self.parts
        return () if self.kind == "true" else (self,)

    @cached_property
    def conditions(self) -> Conditions:
        """Numbers of the conditions joined by AND."""
        return frozenset(conjunct.number for conjunct in self.conjuncts)

    @cached_property
    def sought(self) -> dict[Hashable, Subsets]:
        """For an EXISTS, or an OR of them: the conditions on in-neighbours, by edge type."""
        groups = by_edge_type(self.parts if self.kind == "any" else [self])
        return {edge_type: Subsets(part.parts[0].conditions for part in parts) for edge_type, parts in groups.items()}

    def walk(self) -> list[Formula]:
        """Return all distinct parts, each after its own parts; the formula itself comes last."""
        return walk([self])

    def evaluate(self, graphs: Graph | GraphBatch | Iterable[Graph]) -> Outputs:
        """Return at which nodes the formula holds; if it is graded, its strength at each node.

        Names are matched with those of the graphs; a name that the graphs do not have is present nowhere.

        Parameters
        ----------
        graphs
            One graph, several graphs, or a batch.

        Returns
        -------
        ndarray of bool, or of uint8 if graded, (nodes of all graphs,)
        """
        return evaluate([self], graphs)[:, 0]

    def matches(self, graphs: Graph | GraphBatch | Iterable[Graph]) -> Outputs:
        """Return which graphs satisfy the formula at a readout node; if it is graded, its largest strength there.

        Returns
        -------
        ndarray of bool, or of uint8 if graded, (graphs,)
        """
        return matches([self], graphs)[:, 0]

    def chain(self, places: Mapping[Any, int] | None = None, *, simplify: bool = True) -> Formula:
        """Return the formula for chains in the paper's form: which symbols each place must have.

        Parameters
        ----------
        places
            For each edge type, the offset of the neighbour that sends messages over it. Default: ``right`` brings the
            message of X_{n-1}, ``left`` that of X_{n+1}.
        simplify
            Whether to drop ``M(ANY, X_{n-1})``, the condition that a place exists, where another condition implies it.

        Raises
        ------
        ValueError
            If ``places`` has no offset for an edge type of the formula.

        Examples
        --------
        >>> f = Formulas()
        >>> formula = f.all_of([f.has("A"), f.exists("right", f.has("A")), f.not_(f.exists("left", f.has("B")))])
        >>> print(formula.chain())
        M(A, X_n) AND M(A, X_{n-1}) AND NOT M(B, X_{n+1})
        """
        from graphtm.explain.paper_forms import chain_form

        return chain_form(self, places, simplify=simplify)

    def to_text(self, max_terms: int | None = 100) -> str:
        """Return the formula as text; parts used more than once are named ``F1``, ``F2``, ... and defined below.

        Parameters
        ----------
        max_terms
            Maximum number of terms; the text says how many are left out. ``None`` for no limit.
        """
        return written(self, TEXT, max_terms)

    def to_latex(self, max_terms: int | None = 100) -> str:
        """Return the formula for LaTeX's math mode."""
        return written(self, LATEX, max_terms)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Formula {self.to_text(8)}>"

    def __eq__(self, other: object) -> bool:
        """Whether both have the same structure; the order of AND and OR does not matter."""
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
    """Return an unpickled formula with numbers and digests of this process."""
    make = Formulas(simplify=False)
    made: list[Formula] = []
    for kind, name, parts in rows:
        made.append(make._make(kind, name, [made[place] for place in parts]))
    return made[-1]


def _class_of(formula: Formula, numbers: dict[Hashable, int]) -> int:
    """Return a number that equal formulas share, given the numbers so far."""
    mine: dict[int, int] = {}
    for part in formula.walk():
        key = (part.kind, name_key(part.name), frozenset(mine[inner.number] for inner in part.parts))
        mine[part.number] = numbers.setdefault(key, len(numbers))
    return mine[formula.number]


class Formulas:
    """Builds formulas. Equal formulas are one object; constants and duplicates are removed.

    Parameters
    ----------
    simplify
        Whether to drop implied parts, such as ``EXISTS t: A`` beside ``EXISTS t: (A AND B)``, and to detect
        contradictions.
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
        """Return a formula that holds at nodes with this symbol."""
        return self._make("has", symbol)

    def is_type(self, node_type: Hashable) -> Formula:
        """Return a formula that holds at nodes of this type."""
        return self._make("type", node_type)

    def match(self, place: int, conditions: tuple[Formula, ...]) -> Formula:
        """Return a formula for chains: the place exists and satisfies the conditions; see :meth:`Formula.chain`."""
        return self._make("match", (place, conditions), ())

    def exists(self, edge_type: Hashable, formula: Formula) -> Formula:
        """Return a formula that holds at nodes with an in-neighbour over this edge type that satisfies ``formula``."""
        return self.false if formula.is_false else self._make("exists", edge_type, [formula])

    def not_(self, formula: Formula) -> Formula:
        """Return the negation of a formula."""
        if formula.kind == "not":
            return formula.parts[0]
        if formula.kind in ("true", "false"):
            return self.true if formula.is_false else self.false
        if formula.number not in self._negations:
            self._negations[formula.number] = self._make("not", None, [formula])
        return self._negations[formula.number]

    def all_of(self, formulas: Iterable[Formula]) -> Formula:
        """Return the conjunction of formulas."""
        return self._joined("all", (part for formula in formulas for part in formula.conjuncts), self.true, self.false)

    def any_of(self, formulas: Iterable[Formula]) -> Formula:
        """Return the disjunction of formulas."""
        parts = (part for formula in formulas for part in (formula.parts if formula.kind == "any" else (formula,)))
        return self._joined("any", parts, self.false, self.true)

    def graded(self, formulas: Iterable[Formula], max_misses: int) -> Formula:
        """Return a formula with a strength: ``max_misses + 1``, less one for each formula that does not hold.

        The strength is at least 0. A formula that is given twice counts twice. Formulas whose strengths are equal
        because of constants, negations or duplicates are one object. Conditions that must hold for any strength are
        joined by AND.

        Within an AND, the strength is 0 where another part does not hold. NOT, OR and EXISTS only ask whether it is
        above 0; a double negation, and an OR of one formula, are the formula itself.

        Parameters
        ----------
        formulas
            Formulas to count. They must not be graded.
        max_misses
            Number of formulas that may be missed, 0 to 254.

        Raises
        ------
        ValueError
            If ``max_misses`` is not such a number, or a formula is graded.

        Examples
        --------
        >>> f = Formulas()
        >>> formula = f.graded([f.has("A"), f.has("B"), f.not_(f.has("C"))], max_misses=1)
        >>> print(formula)
        at least 2 of: A, B, NOT C
        >>> import graphtm as gtm
        >>> graph = gtm.Graph()
        >>> graph.add_node("x", properties=["A", "B"])
        >>> graph.add_node("y", properties=["A", "B", "C"])
        >>> graph.add_node("z", properties=["B", "C"])
        >>> formula.evaluate(graph)
        array([2, 1, 0], dtype=uint8)
        """
        if not is_integer(max_misses) or not 0 <= max_misses <= MAX_MISSES:
            raise ValueError(
                f"The 'max_misses' parameter of graded must be an int from 0 to {MAX_MISSES}. Got {max_misses!r} "
                "instead."
            )
        counts, made = Counter[int](), {}
        for formula in formulas:
            if formula.is_graded:
                raise ValueError(
                    f"The formulas to count must not be graded. Got {formula.to_text(8)!r}. Count its parts instead, "
                    "or join graded formulas with all_of."
                )
            made[formula.number] = formula
            counts[formula.number] += 1
        # A strength is ``base`` plus the count of what holds. Constants and opposites do not depend on the node.
        base = int(max_misses) + 1 - counts.total() + counts.pop(self.true.number, 0)
        counts.pop(self.false.number, None)
        for formula in made.values():
            if formula.kind == "not" and formula.parts[0].number in counts:
                inner = formula.parts[0].number
                both = min(counts[formula.number], counts[inner])
                base += both
                counts[formula.number] -= both
                counts[inner] -= both
        full = base + counts.total()
        if full <= 0:
            return self.false
        required = [made[number] for number, times in counts.items() if times >= full]
        base += sum(times for times in counts.values() if times >= full)
        counted = [
            made[number] if times == 1 else self._make("times", times, [made[number]])
            for number, times in counts.items()
            if 0 < times < full
        ]
        count = self.true if base == 1 and not counted else self._make("count", base, counted)
        return self.all_of([*required, count])

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
            kept = reduced(kept) if kind == "all" else weakest(kept)
        if kept is None:
            return absorbing
        return kept[0] if len(kept) == 1 else self._make(kind, None, kept) if kept else neutral
