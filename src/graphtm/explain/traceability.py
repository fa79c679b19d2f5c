"""The paper's tables: where the messages of rules come from, and at which nodes of a graph rules are true."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from graphtm.explain.chains import PLACES
from graphtm.explain.clauses import Clauses
from graphtm.explain.evaluation import evaluate
from graphtm.explain.formula_text import place_text
from graphtm.explain.latex import latex_name
from graphtm.explain.literals import Literal, Message
from graphtm.explain.rule_text import literal_latex
from graphtm.explain.tables import Table
from graphtm.foundation.display import bare
from graphtm.foundation.names import name_key
from graphtm.graphs import Graph

if TYPE_CHECKING:
    from graphtm.explain.rules import Rule

MOST = 12
"""Components that a cell shows at most in each step."""


Node: TypeAlias = tuple[Hashable, ...]
"""A node as the way to it: the edge types that lead from X_n against their direction."""


class Component(NamedTuple):
    """A clause as far as a layer, at a node; or that it does not hold there."""

    clause: int
    layer: int
    node: Node
    negated: bool = False


def trace_table(rules: Sequence[Rule], clauses: Clauses, places: Mapping[Any, int] | None) -> Table:
    """Return rules with their components, and which component at which node each message tells of."""
    both = []
    for latex in (False, True):
        tracer = _Tracer(clauses, places, latex=latex)
        both.append([tracer.header(), *(line for rule in rules for line in tracer.lines(rule))])
    (header, *rows), (latex_header, *latex_rows) = both
    return Table(header, tuple(rows), latex_header, tuple(latex_rows))


class _Tracer:
    """Writes the cells of rules in one notation."""

    def __init__(self, clauses: Clauses, places: Mapping[Any, int] | None, *, latex: bool) -> None:
        self._clauses, self._latex = clauses, latex
        self._places = {name_key(edge_type): step for edge_type, step in (PLACES if places is None else places).items()}

    def header(self) -> tuple[str, ...]:
        layers = range(self._clauses.depth)
        names = ["C_j", *(f"C_j^{layer}" for layer in layers), *(f"C_j^{layer}(X_n)" for layer in layers)]
        return (*map(self._math, names), "weights")

    def lines(self, rule: Rule) -> list[tuple[str, ...]]:
        """Return the lines of a rule: in each a literal of every layer, and what it tells of."""
        literals = [list(map(self._literal, layer)) or [self._empty] for layer in rule.layers]
        traces = [list(map(self._trace, layer)) or [self._empty] for layer in rule.layers[1:]]
        own = self._component(Component(rule.clause, 0, ()))
        weights = f"[{', '.join(map(str, rule.weights))}]"
        columns = [[self._name(rule.clause)], *literals, [own], *traces, [weights]]
        return [tuple(map(self._math, line)) for line in zip_longest(*columns, fillvalue="")]

    def _math(self, text: str) -> str:
        return f"${text}$" if self._latex and text else text

    @property
    def _empty(self) -> str:
        return r"\phi" if self._latex else "ANY"

    def _name(self, clause: int) -> str:
        return f"C_{{{clause}}}" if self._latex else f"C{clause}"

    def _literal(self, literal: Literal) -> str:
        return literal_latex(literal) if self._latex else str(literal)

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
        """Return what a message tells of, at the sender: a component, and what that one is made of, down to layer 0."""
        if len(literal.owners) != 1:
            return self._literal(literal)
        top = _told(literal, ())._replace(negated=False)
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
        """Return what components are made of, one layer further down; nothing when there is no further.

        One with a bit that is not a single message's stays as it is: it is made of more than components.
        """
        found: dict[Component, None] = {}
        for component in components:
            clause, layer, node, negated = component
            literals = self._clauses.literals(clause, simplify=False)[layer]
            if layer == 0 or negated or any(len(literal.owners) != 1 for literal in literals):
                found[component] = None
            else:
                found[Component(clause, layer - 1, node)] = None
                found.update((_told(literal, node), None) for literal in literals)
        return [] if list(found) == components else list(found)


def _told(literal: Literal, node: Node) -> Component:
    """Return what a message literal with one owner says at a node."""
    (message,) = literal.owners
    if not isinstance(message, Message):
        raise TypeError(f"Only messages can be traced; got the symbol {message!r}.")
    return Component(message.clause, literal.layer - 1, (*node, message.edge_type), literal.negated)


def truth_table(rules: Sequence[Rule], clauses: Clauses, graph: Graph) -> Table:
    """Return at which nodes of a graph which rules are true."""
    if not isinstance(graph, Graph):
        raise TypeError(f"A truth table is of one Graph; got a {type(graph).__name__!r}. Write graphs[i].")
    truth = evaluate(clauses.unroll(rule.clause for rule in rules), graph)
    cells = [tuple(map(str, at.tolist())) for at in truth.T]
    names = [_node_text(graph, node, "X_{}", bare) for node in graph.nodes]
    latex_names = [f"${_node_text(graph, node, 'X_{{{}}}', latex_name)}$" for node in graph.nodes]
    return Table(
        ("C_j(X_n)", *names),
        tuple((f"C{rule.clause}", *row) for rule, row in zip(rules, cells, strict=True)),
        ("$C_j(X_n)$", *latex_names),
        tuple((f"$C_{{{rule.clause}}}$", *row) for rule, row in zip(rules, cells, strict=True)),
    )


def _node_text(graph: Graph, node: Hashable, numbered: str, written: Callable[[Hashable], str]) -> str:
    """Return a node and what it carries; a numbered node is called X, as in the paper."""
    name = numbered.format(node) if isinstance(node, int) and not isinstance(node, bool) else written(node)
    return f"{name}={','.join(map(written, graph.properties(node)))}"
