"""Why one graph got its class: votes, the clauses that cast them, where, and what that rests on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphtm.codes import encode
from graphtm.engines import make_engine
from graphtm.explain.changes import Change, Search, visible_edits
from graphtm.explain.clauses import Clauses
from graphtm.explain.explanation_text import explanation_text
from graphtm.explain.rules import Rule, rule_of
from graphtm.explain.scores import Scores, share_votes
from graphtm.explain.trace import Trace, trace
from graphtm.explain.witness import Witness, Witnesses
from graphtm.graphs import Edge, Graph, GraphBatch
from graphtm.graphs.arrays import Int64Array
from graphtm.graphs.display import count
from graphtm.graphs.names import name_key, normalize_name, shorten
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

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return {"clause": self.clause, "nodes": list(self.nodes), "votes": list(self.votes)}


class Explanation:
    """Why a machine votes as it does on one graph; ``clf.explain(graph)`` makes one.

    Everything in it is exact and the same whenever it is computed: votes are the machine's own, a witness can be
    checked by hand, and scores add up to the votes.

    Parameters
    ----------
    model
        The machine and its names.
    graphs
        A batch with one graph, numbered as the model numbers names.
    classes
        Names of the outputs.
    engine
        Name of the engine, and threads at most, that tries changes.

    Attributes
    ----------
    nodes, edges
        Names of the nodes; the edges, sorted by source, destination and type as the graph and the model number them.
    classes
        Names of the outputs.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
    >>> ex = clf.fit(graphs, ["summer", "winter"] * 20).explain(graphs[0])
    >>> print(ex)
    Predicted summer; votes: summer +5, winter -6
    2 of 4 clauses are true; those that vote most for or against summer:
      C2: hot AND NOT cold   [+4, -4]   at 0
      C0: hot AND NOT cold   [+1, -2]   at 0
    Nodes that contribute most to summer: 0 +5.00
    Symbols that contribute most to summer: hot +2.50, NOT cold +2.50
    >>> print(ex.smallest_change())
    remove 'hot' from 0 and add 'cold' to 0: the smallest change that turns 'summer' into 'winter'.
    Tried: all 2 changes of 1 edit; all 1 change of 2 edits.
    """

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
        return dict(zip(self.classes, self.trace.votes.tolist(), strict=True))

    @property
    def prediction(self) -> Hashable:
        """The class with the largest vote sum; of several, the first."""
        return self.classes[self._predicted]

    @property
    def _predicted(self) -> int:
        return int(self.trace.votes.argmax())

    @cached_property
    def fired(self) -> tuple[FiredClause, ...]:
        """The clauses that are true of the graph; those that vote most for or against the prediction first."""
        weights, clauses = self.model.state.weights, self.trace.fired
        order = clauses[np.argsort(-np.abs(weights[self._predicted, clauses].astype(np.int64)), kind="stable")]
        return tuple(
            FiredClause(
                clause,
                tuple(self.nodes[node] for node in np.flatnonzero(self.trace.true_at[clause]).tolist()),
                tuple(weights[:, clause].tolist()),
            )
            for clause in order.tolist()
        )

    def rule(self, clause: int) -> Rule:
        """Return a clause as a rule, true or not."""
        return rule_of(self._clauses, self._clauses.checked(clause), self.classes)

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
        key = (self._class(class_), None if against is None else self._class(against))
        if key not in self._scores:
            weights = self.model.state.weights.astype(np.int64)
            difference = weights[key[0]] if key[1] is None else weights[key[0]] - weights[key[1]]
            self._scores[key] = share_votes(self._clauses, self.trace, self._packed.properties, difference)
        return self._scores[key]

    def smallest_change(
        self,
        to: Any = None,
        *,
        nodes: Iterable[Hashable] | None = None,
        symbols: Iterable[Hashable] | None = None,
        max_changes: int = 3,
        max_tries: int = 10_000,
    ) -> Change:
        """Search for the smallest change of properties that makes the machine predict another class.

        Adding a symbol to a node or taking one away is one edit. All single edits are tried, then all pairs, and so on;
        where that would be too many, only those that go on from the best found so far. What comes back says what was
        tried, and whether it is the smallest.

        Parameters
        ----------
        to
            The class to reach; any other than the predicted one if not given.
        nodes, symbols
            Only edits of these nodes, and of these symbols; of all if not given.
        max_changes
            Most edits of a change.
        max_tries
            Most changes to try.

        Raises
        ------
        ValueError
            If the class is predicted already or not known, or a limit is below 1.
        """
        for name, value in (("max_changes", max_changes), ("max_tries", max_tries)):
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(
                    f"The {name!r} parameter of smallest_change must be an int of at least 1. Got {value!r} instead."
                )
        target = None if to is None else self._class(to)
        if target == self._predicted:
            raise ValueError(f"The class to reach must be another than the predicted one; got {to!r}, which it is.")
        edits = visible_edits(self.model, self._packed, np.abs(self.scores().nodes))
        if nodes is not None:
            edits = edits[np.isin(edits[:, 0], self._numbers(nodes, self.nodes, "node"))]
        if symbols is not None:
            edits = edits[np.isin(edits[:, 1], self._numbers(symbols, self.model.vocabulary.symbols, "symbol"))]
        engine = make_engine(*self._engine)
        engine.load(self.model.params, self.model.state)
        search = Search(self.model, self._packed, self.classes, edits, engine)
        return search.run(target, int(max_changes), int(max_tries))

    # Forms

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data, in the user's names."""
        return {
            "prediction": self.prediction,
            "votes": dict(self.votes),
            "nodes": list(self.nodes),
            "edges": [tuple(edge) for edge in self.edges],
            "fired": [fired.to_dict() | {"rule": str(self.rule(fired.clause))} for fired in self.fired],
            "scores": {name: self._scores_dict(self.scores(name)) for name in self.classes},
        }

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
        return explanation_text(self)

    def __repr__(self) -> str:
        return f"Explanation(prediction={self.prediction!r}, {count(len(self.fired), 'true clause')})"

    # Names

    def _class(self, label: Any) -> int:
        if label is None and None not in self.classes:
            return self._predicted
        if label not in self.classes:
            raise ValueError(f"The class must be one of {shorten(self.classes)}; got {label!r}.")
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
