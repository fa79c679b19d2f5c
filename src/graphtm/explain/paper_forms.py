"""The paper's forms: formulas on chains, traceability tables and truth tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import starmap, zip_longest
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from graphtm.engines.base import output_type
from graphtm.explain.clauses import Clauses
from graphtm.explain.evaluation import evaluate
from graphtm.explain.formula_text import LATEX, TEXT, place_text
from graphtm.explain.formulas import Formula, Formulas
from graphtm.explain.literals import Literal, Message, latex_name
from graphtm.explain.rule_text import FULL_STRENGTH, NEEDED
from graphtm.explain.tables import ClauseTable
from graphtm.foundation.display import bare
from graphtm.foundation.names import name_key
from graphtm.foundation.type_names import type_of
from graphtm.graphs import Graph

if TYPE_CHECKING:
    from graphtm.explain.rules import Rule

PLACES = {"right": -1, "left": 1}
"""Offset of the sender for each edge type: an edge ``right`` goes from X_{n-1} to X_n, ``left`` from X_{n+1}."""
MOST = 12
"""Maximum number of components that a cell shows per step."""
Node: TypeAlias = tuple[Hashable, ...]
"""A node as a path from X_n: the edge types to follow against their direction."""


# Chains


def chain_form(formula: Formula, places: Mapping[Any, int] | None, *, simplify: bool) -> Formula:
    """Return a formula in the form for chains; see :meth:`Formula.chain`."""
    places = PLACES if places is None else places
    for edge_type, place in places.items():
        if isinstance(place, bool) or not isinstance(place, Integral):
            raise ValueError(
                f"The 'places' parameter of chain must map edge types to integer offsets. Got {place!r} for "
                f"{edge_type!r} instead."
            )
    offsets = {name_key(edge_type): int(place) for edge_type, place in places.items()}
    for part in formula.walk():
        if part.kind == "exists" and name_key(part.name) not in offsets:
            raise ValueError(
                "The 'places' parameter of chain must have an offset for every edge type of the formula. Got none for "
                f"{part.name!r}. Write, for instance, places={{{part.name!r}: -1}}."
            )
    return _Chain(offsets, simplify=simplify).form(formula)


class _Chain:
    def __init__(self, offsets: Mapping[Hashable, int], *, simplify: bool) -> None:
        self._offsets = offsets
        self._simplify = simplify
        self._make = Formulas(simplify=False)

    def form(self, formula: Formula) -> Formula:
        """Return the chain form of a formula at X_n, built from the bottom up at every place that needs it."""
        parts = formula.walk()
        wanted: dict[int, set[int]] = {part.number: set() for part in parts}
        wanted[formula.number].add(0)
        for part in reversed(parts):
            step = self._offsets[name_key(part.name)] if part.kind == "exists" else 0
            for inner in part.parts:
                wanted[inner.number].update(place + step for place in wanted[part.number])
        made: dict[tuple[int, int], Formula] = {}
        for part in parts:
            for place in sorted(wanted[part.number]):
                made[part.number, place] = self._at(part, place, made)
        return made[formula.number, 0]

    def _at(self, part: Formula, place: int, made: dict[tuple[int, int], Formula]) -> Formula:
        make = self._make
        if part.is_true or _is_condition(part):
            return make.match(place, part.conjuncts)
        if part.kind == "exists":
            there = place + self._offsets[name_key(part.name)]
            inner = made[part.parts[0].number, there]
            # A condition at a place implies that the place exists; one about other places, or a negated one, does not.
            implied = any(one.kind == "match" and one.name[0] == there for one in inner.conjuncts)
            return inner if implied else self._all([make.match(there, ()), inner])
        if part.kind == "all":
            here = tuple(one for one in part.parts if _is_condition(one))
            rest = [made[one.number, place] for one in part.parts if not _is_condition(one)]
            return self._all([make.match(place, here), *rest])
        if part.kind == "count":
            counted = [(one.parts[0], one.name) if one.kind == "times" else (one, 1) for one in part.parts]
            forms = [form for one, times in counted for form in [made[one.number, place]] * times]
            return make.graded(forms, part.name + len(forms) - 1)
        if part.kind == "times":
            return made[part.parts[0].number, place]
        inner_parts = [made[one.number, place] for one in part.parts]
        return make.not_(inner_parts[0]) if part.kind == "not" else make.any_of(inner_parts)

    def _all(self, formulas: Iterable[Formula]) -> Formula:
        """Return an AND without the conditions that a place exists where another condition implies it."""
        parts = [conjunct for formula in formulas for conjunct in formula.conjuncts]
        matches = [part for part in parts if part.kind == "match"]
        return self._make.all_of(part for part in parts if part.kind != "match" or not self._implied(part, matches))

    def _implied(self, match: Formula, matches: list[Formula]) -> bool:
        """Whether the existence of a place is implied: X_n exists, and so does every place on the way to another."""
        place, conditions = match.name
        if conditions or place == 0:
            return not conditions
        reached = (other.name for other in matches if other is not match)
        return self._simplify and any(
            other * place > 0 and (abs(other) > abs(place) or (other == place and found)) for other, found in reached
        )


def _is_condition(formula: Formula) -> bool:
    """Whether a formula tests a symbol or the type of the node itself, negated or not."""
    return (formula.parts[0] if formula.kind == "not" else formula).kind in ("has", "type")


# Tables


class Component(NamedTuple):
    """A clause up to a layer, at a node; negated or not."""

    clause: int
    layer: int
    node: Node
    negated: bool = False


def trace_table(rules: Sequence[Rule], clauses: Clauses, places: Mapping[Any, int] | None) -> ClauseTable:
    """Return the components of rules, and the component and node that each message comes from.

    For graded rules, also the number of literals needed and the full strength.
    """
    both = []
    for latex in (False, True):
        tracer = _Tracer(clauses, places, latex=latex)
        both.append([tracer.header(), *(line for rule in rules for line in tracer.lines(rule))])
    (header, *rows), (latex_header, *latex_rows) = both
    return ClauseTable(header, tuple(rows), latex_header, tuple(latex_rows))


class _Tracer:
    """Writes the cells of rules in one notation."""

    def __init__(self, clauses: Clauses, places: Mapping[Any, int] | None, *, latex: bool) -> None:
        self._clauses, self._latex = clauses, latex
        self._graded = clauses.max_misses > 0
        self._places = {name_key(edge_type): step for edge_type, step in (PLACES if places is None else places).items()}

    def header(self) -> tuple[str, ...]:
        layers = range(self._clauses.depth)
        names = ["C_j", *(f"C_j^{layer}" for layer in layers), *(f"C_j^{layer}(X_n)" for layer in layers)]
        return (*map(self._math, names), *([NEEDED, FULL_STRENGTH] if self._graded else []), "weights")

    def lines(self, rule: Rule) -> list[tuple[str, ...]]:
        """Return the lines of a rule, each with one literal per layer and its origin."""
        layers = [Counter(layer) for layer in rule.layers]
        literals = [list(starmap(self._counting, layer.items())) or [self._empty] for layer in layers]
        traces = [list(map(self._trace, layer)) or [self._empty] for layer in layers[1:]]
        own = self._component(Component(rule.clause, 0, ()))
        weights = f"[{', '.join(map(str, rule.weights))}]"
        strength = [[str(rule.n_needed)], [str(rule.full_strength)]] if self._graded else []
        columns = [[self._name(rule.clause)], *literals, [own], *traces, *strength, [weights]]
        return [tuple(map(self._math, line)) for line in zip_longest(*columns, fillvalue="")]

    def _math(self, text: str) -> str:
        return f"${text}$" if self._latex and text else text

    @property
    def _empty(self) -> str:
        return r"\phi" if self._latex else "ANY"

    def _name(self, clause: int) -> str:
        return f"C_{{{clause}}}" if self._latex else f"C{clause}"

    def _counting(self, literal: Literal, times: int) -> str:
        return (LATEX if self._latex else TEXT).counting(self._literal(literal), times)

    def _literal(self, literal: Literal) -> str:
        return literal.to_latex() if self._latex else str(literal)

    def _component(self, component: Component) -> str:
        sign = (r"\neg " if self._latex else "NOT ") if component.negated else ""
        return f"{sign}{self._name(component.clause)}^{component.layer}(X_{self._node(component.node)})"

    def _node(self, node: Node) -> str:
        steps = [self._places.get(name_key(edge_type)) for edge_type in node]
        if None not in steps:
            return place_text(sum(step for step in steps if step is not None))
        name = latex_name if self._latex else bare
        return f"{{{', '.join(map(name, node))}}}"

    def _trace(self, literal: Literal) -> str:
        """Return the component that a message comes from, traced down to layer 0."""
        if len(literal.owners) != 1:
            return self._literal(literal)
        top = _origin(literal, ())._replace(negated=False)
        steps, found = [], [top]
        while found:
            texts = [self._component(component) for component in found[:MOST]]
            texts += [f"... ({len(found) - MOST:,} more)"] if len(found) > MOST else []
            negated = (r"\neg " if self._latex else "NOT ") if literal.negated else ""
            inner = ", ".join(texts)
            steps.append(f"{negated}({inner})" if negated and len(texts) > 1 else f"{negated}{inner}")
            found = self._below(found)
        return (r" \rightarrow " if self._latex else " -> ").join(steps)

    def _below(self, components: list[Component]) -> list[Component]:
        """Return the components one layer further down, or nothing at the bottom.

        A component that reads a bit with several owners stays as it is, since no list of components equals it.
        """
        found: dict[Component, None] = {}
        for component in components:
            clause, layer, node, negated = component
            literals = self._clauses.literals(clause, simplify=False)[layer]
            if layer == 0 or negated or any(len(literal.owners) != 1 for literal in literals):
                found[component] = None
            else:
                found[Component(clause, layer - 1, node)] = None
                found.update((_origin(literal, node), None) for literal in literals)
        return [] if list(found) == components else list(found)


def _origin(literal: Literal, node: Node) -> Component:
    """Return the component that a message literal with one owner requires, seen from a node."""
    (message,) = literal.owners
    if not isinstance(message, Message):
        raise TypeError(f"A literal to trace must be a message; got the symbol {message!r}.")
    return Component(message.clause, literal.layer - 1, (*node, message.edge_type), literal.negated)


def truth_table(rules: Sequence[Rule], clauses: Clauses, graph: Graph) -> ClauseTable:
    """Return the table of rules and the nodes of a graph at which they are true, or their strengths if graded."""
    if not isinstance(graph, Graph):
        raise TypeError(
            f"The 'graph' parameter of truth_table must be a Graph. Got {type_of(graph)} instead; write graphs[i]."
        )
    values = evaluate(clauses.unroll(rule.clause for rule in rules), graph).astype(output_type(clauses.model.params))
    cells = [tuple(map(str, at.tolist())) for at in values.T]
    names = [_node_text(graph, node, "X_{}", bare) for node in graph.nodes]
    latex_names = [f"${_node_text(graph, node, 'X_{{{}}}', latex_name)}$" for node in graph.nodes]
    return ClauseTable(
        ("C_j(X_n)", *names),
        tuple((f"C{rule.clause}", *row) for rule, row in zip(rules, cells, strict=True)),
        ("$C_j(X_n)$", *latex_names),
        tuple((f"$C_{{{rule.clause}}}$", *row) for rule, row in zip(rules, cells, strict=True)),
    )


def _node_text(graph: Graph, node: Hashable, numbered: str, written: Callable[[Hashable], str]) -> str:
    """Return a node with its symbols; numbered nodes are written X_n, as in the paper."""
    name = numbered.format(node) if isinstance(node, int) and not isinstance(node, bool) else written(node)
    return f"{name}={','.join(map(written, graph.properties(node)))}"
