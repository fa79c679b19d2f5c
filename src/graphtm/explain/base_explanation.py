"""What explanations of classes and of labels share: votes, true clauses, witnesses, scores and forms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from graphtm.codes import encode
from graphtm.engines import make_engine
from graphtm.explain.change_search import Found, Goal, Search, visible_edits
from graphtm.explain.clauses import Clauses
from graphtm.explain.explanation_text import SHOWN, explanation_text
from graphtm.explain.notebook import explanation_html
from graphtm.explain.rule_sets import RuleSet
from graphtm.explain.rules import Rule, rule_of
from graphtm.explain.scores import Scores, share_votes
from graphtm.explain.trace import Trace, trace
from graphtm.explain.witness import Witness, Witnesses
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import count
from graphtm.foundation.names import name_key, normalize_name, shorten
from graphtm.foundation.parameters import check_at_least
from graphtm.foundation.short_repr import short_repr
from graphtm.graphs import Edge, Graph, GraphBatch
from graphtm.model import Model


@dataclass(frozen=True)
class FiredClause:
    """A clause that is true of the graph.

    Parameters
    ----------
    clause
        Its number.
    nodes
        Names of the readout nodes at which it is true.
    votes
        Its vote for each class, in the order of the classes.
    """

    clause: int
    nodes: tuple[Hashable, ...]
    votes: tuple[int, ...]

    __repr__ = short_repr

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return {"clause": self.clause, "nodes": list(self.nodes), "votes": list(self.votes)}


class BaseExplanation(ABC):
    """Why a machine votes as it does on one graph; see :class:`Explanation`."""

    _output: ClassVar[str]
    """What an output is called."""

    def __init__(
        self, model: Model, graphs: GraphBatch, classes: Iterable[Hashable], engine: tuple[str, int | None]
    ) -> None:
        self.model, self._packed, self._engine = model, graphs.pack(), engine
        self.classes = tuple(classes)
        self.nodes: Sequence[Hashable] = tuple(self._packed.names_of(0))
        self.trace: Trace = trace(model.params, model.state, encode(graphs, model.symbol_code))
        self._clauses = Clauses(model)
        self._scores: dict[tuple[int, int | None], Scores] = {}

    # Votes and clauses

    @property
    def graph(self) -> Graph:
        """The graph, as the machine reads it."""
        return self._packed.graph(0)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges, in the order of their scores' numbers."""
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
        """What is predicted."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """What is predicted and how votes stand, in one line."""

    @property
    @abstractmethod
    def _scored(self) -> tuple[Hashable, ...]:
        """The outputs whose scores are part of the data."""

    @property
    def leading(self) -> Hashable:
        """The output with the largest vote sum, of several the first: what is meant where a question names none."""
        return self.classes[self._leading]

    @property
    def _leading(self) -> int:
        return int(self.trace.votes.argmax())

    @cached_property
    def fired(self) -> tuple[FiredClause, ...]:
        """The clauses that are true of the graph; those that vote most for or against the prediction first."""
        weights, clauses = self.model.state.weights, self.trace.fired
        order = clauses[np.argsort(-np.abs(weights[self._leading, clauses].astype(np.int64)), kind="stable")]
        return tuple(
            FiredClause(
                clause,
                self.nodes_of(clause),
                tuple(weights[:, clause].tolist()),
            )
            for clause in order.tolist()
        )

    def rule(self, clause: int, *, simplify: bool = True) -> Rule:
        """Return a clause as a rule with its own votes, true or not.

        Parameters
        ----------
        clause
            Its number.
        simplify
            Whether literals say no more than others leave open, as in ``clf.rules()``, instead of each bit for itself.
        """
        return rule_of(self._clauses, [self._clauses.checked(clause)], self.classes, simplify=simplify)

    def rules(self, class_: Any = None, top: int | None = None) -> RuleSet:
        """Return the true clauses as rules, as ``clf.rules()`` has them: equal ones are one, with the votes of all.

        Parameters
        ----------
        class_
            Those that vote most for or against this class come first; the predicted one if not given.
        top
            Only so many.
        """
        check_at_least("top", "rules", top, 0)
        weights = self.model.state.weights[self._number(class_)].astype(np.int64)
        groups = sorted(self._alike, key=lambda members: -abs(int(weights[members].sum())))
        rules = [rule_of(self._clauses, members, self.classes, simplify=True) for members in groups[:top]]
        return RuleSet(rules, self.classes, self._clauses, simplify=True)

    @property
    def n_rules(self) -> int:
        """How many rules are true, equal clauses being one."""
        return len(self._alike)

    @cached_property
    def _alike(self) -> list[list[int]]:
        """The true clauses; those that are true at the same nodes of every graph stand together."""
        return self._clauses.alike(self.trace.fired.tolist())

    def nodes_of(self, clause: int) -> tuple[Hashable, ...]:
        """Return the names of the readout nodes at which a clause is true."""
        at = self.trace.true_at[self._clauses.checked(clause)]
        return tuple(self.nodes[node] for node in np.flatnonzero(at).tolist())

    # Reasons

    def witness(self, clause: int, node: Hashable = None) -> Witness:
        """Return why a clause is true: its conditions at a node, and the messages they rest on, traced back.

        Parameters
        ----------
        clause
            Number of a clause that is true of the graph, see :attr:`fired`.
        node
            Name of a node at which it is true; the first readout node of those if not given.

        Raises
        ------
        ValueError
            If the clause is not true there.
        """
        clause = self._clauses.checked(clause)
        truth = self.trace.truth[-1][clause]
        if node is None and None not in self.nodes:
            at = np.flatnonzero(self.trace.true_at[clause])
            if not len(at):
                raise ValueError(f"A witness needs a clause that is true of the graph; C{clause} is not. See fired.")
            return self._witnesses.of(clause, int(at[0]))
        place = int(self._numbers([node], self.nodes, "node")[0])
        if not truth[place]:
            where = [self.nodes[number] for number in np.flatnonzero(truth).tolist()]
            at_others = f"true at {shorten(where)}" if where else "true nowhere in the graph"
            raise ValueError(f"A witness needs a node at which C{clause} is true; got {node!r}, and it is {at_others}.")
        return self._witnesses.of(clause, place)

    @cached_property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self._clauses, self._packed, self.trace)

    def scores(self, class_: Any = None, against: Any = None) -> Scores:
        """Return what each node, edge and symbol contributes to the votes for a class.

        Every vote is shared out: equally among the nodes where its clause is true, there equally among the clause's
        conditions, and what falls to a message is passed on to its sender. So scores of nodes add up to the vote sum;
        see :doc:`/explanations` for the definition.

        Parameters
        ----------
        class_
            The class; the predicted one if not given.
        against
            Another class, whose votes are subtracted: why the one and not the other.

        Returns
        -------
        Scores
            Arrays in the order of :attr:`nodes`, :attr:`edges` and the symbols of ``model.vocabulary``.
        """
        key = (self._number(class_), None if against is None else self._number(against))
        if key not in self._scores:
            weights = self.model.state.weights.astype(np.int64)
            difference = weights[key[0]] if key[1] is None else weights[key[0]] - weights[key[1]]
            self._scores[key] = share_votes(self._clauses, self.trace, self._packed.properties, difference)
        return self._scores[key]

    def _search(
        self,
        goal: Goal,
        output: int,
        nodes: Iterable[Hashable] | None,
        symbols: Iterable[Hashable] | None,
        max_changes: int,
        max_tries: int,
    ) -> Found:
        """Search for a change, first at nodes that contribute most to an output."""
        for name, value in (("max_changes", max_changes), ("max_tries", max_tries)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(
                    f"The {name!r} parameter of smallest_change must be an int of at least 1. Got {value!r} instead."
                )
        edits = visible_edits(self.model, self._packed, np.abs(self.scores(self.classes[output]).nodes))
        if nodes is not None:
            edits = edits[np.isin(edits[:, 0], self._numbers(nodes, self.nodes, "node"))]
        if symbols is not None:
            edits = edits[np.isin(edits[:, 1], self._numbers(symbols, self.model.vocabulary.symbols, "symbol"))]
        engine = make_engine(*self._engine)
        engine.load(self.model.params, self.model.state)
        return Search(self.model, self._packed, edits, engine).run(goal, int(max_changes), int(max_tries))

    def _named(self, votes: Int64Array) -> dict[Hashable, int]:
        return dict(zip(self.classes, votes.tolist(), strict=True))

    # Forms

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data, in the user's names."""
        return {
            "prediction": self.prediction,
            "votes": dict(self.votes),
            "nodes": list(self.nodes),
            "edges": [tuple(edge) for edge in self.edges],
            "fired": [fired.to_dict() | {"rule": str(self.rule(fired.clause))} for fired in self.fired],
            "scores": {name: self._scores_dict(self.scores(name)) for name in self._scored},
        }

    def to_text(self, class_: Any = None, *, max_rules: int | None = SHOWN) -> str:
        """Return the explanation as text, about a class.

        Parameters
        ----------
        class_
            The class whose votes are explained; the predicted one if not given.
        max_rules
            How many rules to show, the strongest first, and how many literals of each; ``None`` for all.
        """
        check_at_least("max_rules", "to_text", max_rules, 0)
        return explanation_text(self, self.classes[self._number(class_)], max_rules)

    def _scores_dict(self, scores: Scores) -> dict[str, Any]:
        names = self.model.vocabulary.symbols
        present, absent = scores.symbols, scores.absences
        return {
            "nodes": scores.nodes.tolist(),
            "edges": scores.edges.tolist(),
            "present": [(names[k], float(present[k])) for k in np.flatnonzero(present).tolist()],
            "absent": [(names[k], float(absent[k])) for k in np.flatnonzero(absent).tolist()],
            "silence": scores.silence,
            "existence": scores.existence,
        }

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return explanation_html(self)

    def __repr__(self) -> str:
        return f"Explanation(prediction={self.prediction!r}, {count(len(self.trace.fired), 'true clause')})"

    # Names

    def _number(self, label: Any) -> int:
        if label is None and None not in self.classes:
            return self._leading
        if label not in self.classes:
            raise ValueError(f"The {self._output} must be one of {shorten(self.classes)}; got {label!r}.")
        return self.classes.index(label)

    def _numbers(self, wanted: Iterable[Hashable], names: Sequence[Hashable], kind: str) -> Int64Array:
        """Return the numbers of names, which must be there."""
        if isinstance(wanted, str):
            raise TypeError(f"The {kind}s must be a list of names; got the string {wanted!r}; write [{wanted!r}].")
        number = {name_key(name): place for place, name in enumerate(names)}
        wanted = [normalize_name(name) for name in wanted]
        strange = [name for name in wanted if name_key(name) not in number]
        if strange:
            raise ValueError(f"Every {kind} must be one of {shorten(names)}; got {shorten(strange)}.")
        return np.array([number[name_key(name)] for name in wanted], dtype=np.int64)
