"""Shared by explanations of classes and of labels: votes, true clauses, witnesses, scores, text and HTML."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from graphtm.codes import encode
from graphtm.engines import Engine, make_engine, predicted_classes
from graphtm.engines.trace import Trace, trace_graph
from graphtm.explain.change_search import Found, Goal, Search, visible_edits
from graphtm.explain.clauses import Clauses
from graphtm.explain.explanation_forms import latex_of, markdown_of
from graphtm.explain.explanation_text import (
    MORE_RULES,
    MORE_USED,
    MOST_USED,
    SHOWN,
    WIDTH,
    edge_text,
    folded,
    listed,
    node_texts,
    numbers_of,
    ranked,
    scores_dict,
)
from graphtm.explain.fired_clause import FiredClause
from graphtm.explain.relevance import Relevance, n_shown
from graphtm.explain.rule_sets import RuleSet, values_of
from graphtm.explain.rule_text import USED_TITLE, rule_cells, rule_header, rule_text, rules_table
from graphtm.explain.rules import Rule, rule_of
from graphtm.explain.scores import Floats, Scores, share_votes
from graphtm.explain.tables import table_html
from graphtm.explain.witness import Witness, Witnesses
from graphtm.foundation.arrays import Int64Array, WithoutCaches
from graphtm.foundation.display import bare, count
from graphtm.foundation.names import name_key, shorten
from graphtm.foundation.parameters import check_at_least
from graphtm.graphs import Edge, Graph, GraphBatch, PackedGraphs
from graphtm.model import Model, VoteScale


class BaseExplanation(WithoutCaches, ABC):
    """Explanation of the votes of a machine for one graph; see :class:`Explanation`."""

    _output: str
    """The word for an output, such as class or label."""

    def __init__(
        self, model: Model, graphs: GraphBatch, classes: Iterable[Hashable], engine: Engine | None = None
    ) -> None:
        self.model, self._packed, self._engine = model, graphs.pack(), engine
        self.classes = tuple(classes)
        self.nodes: Sequence[Hashable] = tuple(self._packed.names_of(0))
        self.trace: Trace = trace_graph(model.params, model.state, encode(graphs, model.symbol_code))

    def __getstate__(self) -> dict[str, Any]:
        """Leave the engine out; a new one is made when needed."""
        return {**super().__getstate__(), "_engine": None}

    @cached_property
    def _clauses(self) -> Clauses:
        return Clauses(self.model)

    # Votes and clauses

    @property
    def graph(self) -> Graph:
        """The graph, with the names that the model knows."""
        return self._packed.graph(0)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges, in the order of their scores."""
        edges, kinds = self.trace.edges, self.model.vocabulary.edge_types
        rows = zip(edges.sources.tolist(), edges.destinations.tolist(), edges.types.tolist(), strict=True)
        return tuple(Edge(self.nodes[source], self.nodes[target], kinds[kind]) for source, target, kind in rows)

    @cached_property
    def votes(self) -> dict[Hashable, int]:
        """The vote sum of each class, not clipped."""
        return self._named(self.trace.votes)

    @property
    @abstractmethod
    def prediction(self) -> Any:
        """The prediction."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """The prediction and the vote sums, in one line."""

    @property
    @abstractmethod
    def _scored(self) -> tuple[Hashable, ...]:
        """The outputs whose scores :meth:`to_dict` contains."""

    @property
    def leading(self) -> Hashable:
        """The output with the largest vote sum; ties go to the first. It is the default of all methods."""
        return self.classes[self._leading]

    @property
    def _leading(self) -> int:
        return int(predicted_classes(self.trace.votes))

    @cached_property
    def fired(self) -> tuple[FiredClause, ...]:
        """The clauses that are true for the graph, strongest votes for or against the prediction first."""
        clauses = self.trace.fired
        order = clauses[np.argsort(-np.abs(self._cast(clauses)[self._leading]), kind="stable")]
        votes, strengths = self._cast(order).T.tolist(), self.trace.outputs[order].tolist()
        return tuple(
            FiredClause(clause, self.nodes_of(clause), tuple(cast), strength if self._graded else None)
            for clause, cast, strength in zip(order.tolist(), votes, strengths, strict=True)
        )

    @property
    def _scale(self) -> VoteScale | None:
        """What votes mean, for a regressor."""
        return None

    @property
    def _graded(self) -> bool:
        """Whether clauses are graded."""
        return self.model.params.max_misses > 0

    def _cast(self, clauses: Sequence[int] | Int64Array) -> Int64Array:
        """Return the votes that clauses cast for the graph, (outputs, clauses): weights, times strengths."""
        return self.model.state.weights[:, clauses].astype(np.int64) * self.trace.outputs[clauses]

    def rule(self, clause: int, *, simplify: bool = True) -> Rule:
        """Return any clause as a rule with its own votes, true or not.

        Parameters
        ----------
        clause
            Clause number.
        simplify
            Whether to remove redundant literals and owners, as in ``clf.rules()``.
        """
        members = [self._clauses.checked(clause)]
        return rule_of(self._clauses, members, self.classes, simplify=simplify, values=values_of(self._scale))

    def rules(self, class_: Any = None, top: int | None = None) -> RuleSet:
        """Return the true clauses that vote as rules, like ``clf.rules()``: equivalent clauses are merged.

        Parameters
        ----------
        class_
            Class to sort by: the strongest votes for or against it come first. Default: the predicted class.
        top
            Maximum number of rules.
        """
        check_at_least("top", "rules", top, 0)
        number = self._number(class_)
        groups = sorted(self._groups, key=lambda members: -abs(int(self._cast(members)[number].sum())))
        values = values_of(self._scale)
        rules = [
            rule_of(self._clauses, members, self.classes, simplify=True, values=values) for members in groups[:top]
        ]
        return RuleSet(rules, self.classes, self._clauses, simplify=True, scale=self._scale, noun=self._output)

    @property
    def n_rules(self) -> int:
        """Number of rules that are true and vote, with equivalent clauses merged."""
        return len(self._groups)

    @cached_property
    def _groups(self) -> list[list[int]]:
        """The true clauses, in groups of equivalent ones that cast a vote together."""
        groups = self._clauses.equivalent(self.trace.fired.tolist())
        return [members for members in groups if self._cast(members).sum(axis=1).any()]

    def nodes_of(self, clause: int) -> tuple[Hashable, ...]:
        """Return the names of the readout nodes at which a clause is true; if it is graded, where it is strongest."""
        at = self.trace.strongest_at[self._clauses.checked(clause)]
        return tuple(self.nodes[node] for node in np.flatnonzero(at).tolist())

    # Reasons

    def witness(self, clause: int, node: Hashable = None) -> Witness:
        """Return the proof that a clause is true at a node: its conditions, and the messages they depend on.

        For a graded clause, it proves the strength: which conditions hold, and which are missed.

        Parameters
        ----------
        clause
            Number of a clause that is true for the graph, see :attr:`fired`.
        node
            Name of a node at which it is true. Default: the first readout node of :meth:`nodes_of`.

        Raises
        ------
        ValueError
            If the clause is not true there.
        """
        clause = self._clauses.checked(clause)
        truth = self.trace.strengths[clause]
        if node is None and None not in self.nodes:
            at = np.flatnonzero(self.trace.strongest_at[clause])
            if not len(at):
                raise ValueError(
                    f"The clause must be true for the graph; C{clause} is not. `fired` lists those that are."
                )
            return self._witness_of(clause, int(at[0]))
        place = int(numbers_of([node], self.nodes, "node")[0])
        if not truth[place]:
            where = [self.nodes[number] for number in np.flatnonzero(truth).tolist()]
            at_others = f"at {shorten(where)}" if where else "nowhere in the graph"
            raise ValueError(f"The clause must be true at the node; got {node!r}, but C{clause} is true {at_others}.")
        return self._witness_of(clause, place)

    def _witness_of(self, clause: int, place: int) -> Witness:
        return replace(self._witnesses.of(clause, place), explanation=self)

    @cached_property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self._clauses, self._packed, self.trace)

    def scores(self, class_: Any = None, against: Any = None) -> Scores:
        """Return the contribution of each node, edge and symbol to the votes for a class.

        Each vote is divided equally among the nodes at which its clause is true, and there equally among the clause's
        conditions; the share of a message is passed on to its sender. For a graded clause these are the nodes at which
        it is strongest; the conditions that hold share ``max_misses + 1`` times the weight, and each one that is missed
        takes the weight away. The node scores add up to the vote sum. See :doc:`/explanations` for the full definition.

        Parameters
        ----------
        class_
            The class. Default: the predicted class.
        against
            Another class, whose votes are subtracted. The scores then explain the difference.

        Returns
        -------
        Scores
            Arrays in the order of :attr:`nodes`, :attr:`edges` and the symbols of ``model.vocabulary``.
        """
        key = (self._number(class_), None if against is None else self._number(against))
        if key not in self._scores:
            weights = self.model.state.weights.astype(np.int64)
            difference = weights[key[0]] if key[1] is None else weights[key[0]] - weights[key[1]]
            self._scores[key] = self._shared(difference)
        return self._scores[key]

    def _shared(self, weights: Int64Array) -> Scores:
        """Divide the votes of clauses with these weights among nodes, edges and symbols."""
        return share_votes(self._clauses, self.trace, self._packed.properties, weights)

    @cached_property
    def _scores(self) -> dict[tuple[int, int | None], Scores]:
        return {}

    def _search(
        self,
        goal: Goal,
        output: int,
        nodes: Iterable[Hashable] | None,
        symbols: Iterable[Hashable] | None,
        max_changes: int,
        max_tries: int,
    ) -> Found:
        """Search for a change, starting with nodes that contribute most to an output."""
        for name, value in (("max_changes", max_changes), ("max_tries", max_tries)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(
                    f"The {name!r} parameter of smallest_change must be an int of at least 1. Got {value!r} instead."
                )
        if self._engine is None:
            self._engine = make_engine()
            self._engine.load(self.model.params, self.model.state)
        search = self._all_edits(np.abs(self.scores(self.classes[output]).nodes), self._engine)
        edits = search.edits
        if nodes is not None:
            edits = edits[np.isin(edits[:, 0], numbers_of(nodes, self.nodes, "node"))]
        if symbols is not None:
            edits = edits[np.isin(edits[:, 1], numbers_of(symbols, search.graph.vocabulary.symbols, "symbol"))]
        return replace(search, edits=edits).run(goal, int(max_changes), int(max_tries))

    def _all_edits(self, promise: Floats, engine: Engine) -> Search:
        """Return a search with all edits that can change a vote, at nodes with larger values of ``promise`` first."""
        return Search(self.model, self._packed, visible_edits(self.model, self._packed, promise), engine)

    def _named(self, votes: Int64Array) -> dict[Hashable, int]:
        return dict(zip(self.classes, votes.tolist(), strict=True))

    # Output

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data, in the names of the data."""
        return {
            "prediction": self.prediction,
            "votes": dict(self.votes),
            "nodes": list(self.nodes),
            "edges": [tuple(edge) for edge in self.edges],
            "fired": [fired.to_dict() | {"rule": str(self.rule(fired.clause))} for fired in self.fired],
            "scores": {name: self._scores_dict(self.scores(name)) for name in self._scored},
        }

    def _scores_dict(self, scores: Scores) -> dict[str, Any]:
        return scores_dict(scores, self.model.vocabulary.symbols)

    def to_text(
        self, class_: Any = None, *, max_rules: int | None = SHOWN, width: int | None = WIDTH, more: str | None = None
    ) -> str:
        """Return the explanation as text.

        Parameters
        ----------
        class_
            Class whose votes to explain. Default: the predicted class.
        max_rules
            Maximum number of rules, strongest first. Long rules are shortened to the literals that matter most here.
            ``None`` shows all rules in full.
        width
            Width at which lines are folded, at least 40. ``None`` does not fold them.
        more
            What the text says about where to find rules that are left out. Default: the methods that return them.
        """
        check_at_least("max_rules", "to_text", max_rules, 0)
        check_at_least("width", "to_text", width, 40)
        return "\n".join(folded(line, width) for line in self._lines(self._number(class_), max_rules, more))

    def to_markdown(self, class_: Any = None, *, max_rules: int | None = SHOWN) -> str:
        """Return the explanation in Markdown: the prediction, votes, rules, and what contributes most.

        Parameters
        ----------
        class_, max_rules
            As for :meth:`to_text`; rules are written in full.
        """
        return markdown_of(self.headline, self._output, self.votes, *self._sections(class_, max_rules))

    def to_latex(self, class_: Any = None, *, max_rules: int | None = SHOWN) -> str:
        """Return the explanation in LaTeX, like :meth:`to_markdown`; rules are in the paper's notation."""
        return latex_of(self.headline, *self._sections(class_, max_rules))

    def _sections(self, class_: Any, max_rules: int | None) -> tuple[str, RuleSet, str, list[str]]:
        """Return the line before the rules, the rules, how many are left out, and what contributes most."""
        check_at_least("max_rules", "to_markdown and to_latex", max_rules, 0)
        class_ = self.classes[self._number(class_)]
        shown = self.rules(class_, max_rules)
        more = f"... and {self.n_rules - len(shown):,} more" if len(shown) < self.n_rules else ""
        return self._summary(class_), shown, more, list(self._contribution_lines(class_))

    def _lines(self, number: int, max_rules: int | None, more: str | None) -> Iterator[str]:
        class_ = self.classes[number]
        yield self.headline
        yield from self._contribution_lines(class_)
        yield self._summary(class_)
        shown, relevance = self.rules(class_, max_rules), self._relevance(class_)
        for rule in shown:
            strength = f"strength {self.trace.outputs[rule.clause]} " if self._graded else ""
            most, order = (None, None) if max_rules is None else relevance.shown(rule)
            yield f"  {rule_text(rule, most, number, order)}   {strength}{self._where(rule.clause)}"
        if len(shown) < self.n_rules:
            yield f"  ... and {self.n_rules - len(shown):,} more; {more or MORE_RULES}"
        used = shown.used()
        if used:
            yield USED_TITLE
            first = used if max_rules is None else used[:MOST_USED]
            yield from (f"  {rule_text(one, None if max_rules is None else n_shown(one.varying))}" for one in first)
            if len(first) < len(used):
                yield f"  ... and {len(used) - len(first):,} more; {more or MORE_USED}"

    def _relevance(self, class_: Hashable) -> Relevance:
        return Relevance(self._packed, self.trace, self.scores(class_))

    @cached_property
    def _text_of_nodes(self) -> dict[Hashable, str]:
        """How nodes are printed, by the key of their name."""
        return dict(zip(map(name_key, self.nodes), node_texts(self._shown_graph), strict=True))

    @property
    def _shown_graph(self) -> PackedGraphs:
        """The graph whose nodes are named."""
        return self._packed

    def _node_text(self, node: Hashable) -> str:
        return self._text_of_nodes[name_key(node)]

    def _where(self, clause: int) -> str:
        """Return where a clause is true, as text."""
        return f"at {self._nodes_text(self.nodes_of(clause))}"

    def _nodes_text(self, nodes: Sequence[Hashable]) -> str:
        return listed([*map(self._node_text, nodes[:SHOWN])], len(nodes))

    def _contribution_lines(self, class_: Hashable) -> Iterator[str]:
        for title, values in self._contributions(class_):
            yield f"{title} that contribute most to {bare(class_)}: {values}"

    def _score_text(self, score: float) -> str:
        return f"{score:+.2f}"

    @property
    def _least_score(self) -> float:
        """The smallest score that is not printed as 0."""
        return 0.005

    def _summary(self, class_: Hashable) -> str:
        """Return how many clauses are true and vote, as the line before the rules."""
        shown = [clause for members in self._groups for clause in members]  # equal clauses may cancel each other
        n_fired, n_voting = len(self.trace.fired), int(self._cast(shown).any(axis=0).sum())
        are = "is" if n_fired == 1 else "are"
        text = f"{n_fired:,} of {count(self.model.params.n_clauses, 'clause')} {are} true"
        if n_voting < n_fired:
            some = f"{f'{n_voting:,}' if n_voting else 'none'} of which vote{'s' * (n_voting < 2)}"
            text += ", which does not vote" if n_fired == 1 else f", {some}"
        return f"{text}; {self._strongest(class_)}:" if self._groups else text

    def _strongest(self, class_: Hashable) -> str:
        return f"those that vote most for or against {bare(class_)}"

    def _contributions(self, class_: Hashable) -> Iterator[tuple[str, str]]:
        """Yield the nodes, edges and symbols with the largest scores, as text."""
        scores, symbols = self.scores(class_), [bare(name) for name in self.model.vocabulary.symbols]
        arrows = [edge_text(edge, self._node_text) for edge in self.edges]
        for title, names, values in (
            ("Nodes", list(self._text_of_nodes.values()), scores.nodes),
            ("Edges", arrows, scores.edges),
            ("Symbols", [*symbols, *(f"NOT {name}" for name in symbols)], np.append(scores.symbols, scores.absences)),
        ):
            largest = ranked(names, values, self._score_text)
            if largest:
                yield title, ", ".join(largest)

    def _repr_html_(self) -> str:
        class_, number = self.leading, self._leading
        shown, relevance = self.rules(top=SHOWN), self._relevance(class_)
        rows = []
        for rule in shown:
            strength = int(self.trace.outputs[rule.clause]) if self._graded else None
            most, order = relevance.shown(rule)
            cells = rule_cells(rule, most, number, order, strength=strength)
            rows.append([*cells, self._nodes_text(self.nodes_of(rule.clause))])
        parts = [f"<p>{escape(self.headline)}</p><p>{escape(self._summary(class_))}</p>"]
        if rows:
            header = rule_header(self.classes, "strength" if self._graded else None, adds=self._scale is not None)
            parts.append(table_html([*header, "at"], rows, self.n_rules))
        used = shown.used()
        if used:
            parts.append(f"<p>{USED_TITLE}</p>{rules_table(used, (), MOST_USED)}")
        largest = list(self._contributions(class_))
        if largest:
            parts.append(table_html(["", f"contribute most to {bare(class_)}"], largest))
        return "".join(parts)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Explanation(prediction={self.prediction!r}, {count(len(self.trace.fired), 'true clause')})"

    # Names

    def _number(self, label: Any) -> int:
        if label is None and None not in self.classes:
            return self._leading
        if label not in self.classes:
            raise ValueError(f"The {self._output} must be one of {shorten(self.classes)}; got {label!r}.")
        return self.classes.index(label)
