"""Witnesses: proofs that a clause is true at a node, which can be checked by hand.

A witness lists every condition with what satisfies it. For a property these are the node's symbols that own the bit;
for a message, all edges and clauses that set the bit. The first message is followed: its clause is true at the sender,
up to the layer below, and the next step proves that. With hashed codes several clauses can own a bit; a witness lists
the messages that arrived, beside all that could have set the bit.

The witness of a graded clause proves its strength: it also lists the conditions that are missed. Literals that change
no strength, which simplified rules leave out, are listed as not counted. Messages are sent only where no condition is
missed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtm.engines.trace import Trace
from graphtm.errors import GraphTMError
from graphtm.explain.clauses import Clauses
from graphtm.explain.literals import Literal, Message
from graphtm.foundation.display import bare, count
from graphtm.graphs import PackedGraphs
from graphtm.graphs.graph import Edge

_SHOWN = 3
_NOT_COUNTED = {"always": "since it always holds", "never": "since it never holds", "opposed": "with its opposite"}


@dataclass(frozen=True)
class Arrival:
    """A message that arrived over an edge from a node at which a clause is true."""

    edge: Edge
    clause: int

    def __str__(self) -> str:
        return f"C{self.clause} at {self.edge.source!r} over {bare(self.edge.type)}"


@dataclass(frozen=True)
class Condition:
    """A literal that holds at a node, or that a graded clause misses there.

    Parameters
    ----------
    literal
        The literal; its owners are all that could set the bit.
    granted_by
        The owners that do set the bit: symbols, or messages (:class:`Arrival`). Empty if it is not set: for a negated
        literal that holds, and for another that is missed.
    step
        Number of the step that proves the first message; ``None`` if no message sets the bit, or if the literal is not
        counted.
    missed
        Whether the literal does not hold.
    constant
        Why a literal of a graded clause is not counted: ``"always"`` if it holds at every node, ``"never"`` if at none,
        ``"opposed"`` if the clause also includes its negation, so that one of them is missed at every node. ``None`` if
        it is counted.
    """

    literal: Literal
    granted_by: tuple[Hashable, ...]
    step: int | None = None
    missed: bool = field(default=False, repr=False)
    constant: str | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as plain data, with ``missed`` if it is, and ``constant`` if it is not counted."""
        granted = [
            {"edge": tuple(one.edge), "clause": one.clause} if isinstance(one, Arrival) else one
            for one in self.granted_by
        ]
        graded: dict[str, Any] = {"missed": True} if self.missed else {}
        graded |= {} if self.constant is None else {"constant": self.constant}
        return {"literal": self.literal.to_dict(), "granted_by": granted, "step": self.step, **graded}

    def __str__(self) -> str:
        if self.constant is not None:
            return f"not counted, {_NOT_COUNTED[self.constant]}: {self.literal}"
        text = f"missed: {self.literal}" if self.missed else str(self.literal)
        if not self.granted_by or (len(self.literal.owners) == 1 and not self.literal.layer):
            return text
        names = [str(one) if isinstance(one, Arrival) else bare(one) for one in self.granted_by[:_SHOWN]]
        more = len(self.granted_by) - _SHOWN
        return f"{text}: by {', '.join(names)}{f' and {more:,} more' if more > 0 else ''}"


@dataclass(frozen=True)
class Step:
    """A clause at a node, up to a layer, with its conditions; only the first step of a witness misses some."""

    clause: int
    node: Hashable
    layer: int
    conditions: tuple[Condition, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data."""
        conditions = [condition.to_dict() for condition in self.conditions]
        return {"clause": self.clause, "node": self.node, "layer": self.layer, "conditions": conditions}


@dataclass(frozen=True, eq=False)
class Witness:
    """Proof that a clause is true at a node, or of its strength if it is graded.

    Parameters
    ----------
    steps
        The clause at the node, followed by the clauses at other nodes whose messages earlier steps depend on, each
        once. All conditions of these hold.
    max_misses
        Number of counted conditions that the clause may miss, as in its simplified rule.
    explanation
        The explanation that the witness belongs to, for :meth:`plot`.
    """

    steps: tuple[Step, ...]
    max_misses: int = 0
    explanation: Any = field(default=None, repr=False)

    @property
    def clause(self) -> int:
        """Number of the clause."""
        return self.steps[0].clause

    @property
    def node(self) -> Hashable:
        """Name of the node."""
        return self.steps[0].node

    @property
    def strength(self) -> int:
        """Strength of the clause at the node: 1 for each condition that it may miss and does not, and 1 more."""
        counted = (condition for condition in self.steps[0].conditions if condition.constant is None)
        return self.max_misses + 1 - sum(condition.missed for condition in counted)

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the steps as plain data."""
        return [step.to_dict() for step in self.steps]

    def plot(self, **options: Any) -> Any:
        """Draw the graph with the witness, as ``explanation.plot(clause=...)`` does.

        Parameters
        ----------
        **options
            As for :meth:`Explanation.plot`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        GraphTMError
            If the witness belongs to no explanation.
        """
        if self.explanation is None:
            raise GraphTMError(
                "plot needs a witness that belongs to an explanation; this one was built by hand. Use "
                "`explanation.witness(clause)`, or `graphtm.plots.draw_witness(graph, witness.to_dict())`."
            )
        return self.explanation._draw_witness(self, **options)

    def __repr__(self) -> str:
        return f"<Witness of C{self.clause} at {self.node!r}, {count(len(self.steps), 'step')}>"

    def __str__(self) -> str:
        lines: list[str] = []
        # Depth first, so that the proof of a message stands below it. A stack, since machines can be deep.
        stack: list[tuple[int, str | int]] = [(0, 0)]
        written = {0}
        while stack:
            indent, item = stack.pop()
            if isinstance(item, str):
                lines.append("  " * indent + item)
                continue
            step = self.steps[item]
            graded = item == 0 and (self.max_misses or any(one.constant is not None for one in step.conditions))
            state = f"has strength {self.strength} of {self.max_misses + 1}" if graded else "is true"
            lines.append("  " * indent + f"C{step.clause} {state} at {step.node!r}:")
            below: list[tuple[int, str | int]] = []
            for condition in step.conditions:
                below.append((indent + 1, str(condition)))
                if condition.step is not None and condition.step not in written:
                    written.add(condition.step)
                    below.append((indent + 2, condition.step))
            stack += reversed(below or [(indent + 1, "no conditions")])
        return "\n".join(lines)


class Witnesses:
    """Finds witnesses in one graph.

    Parameters
    ----------
    clauses
        The clauses of the machine.
    graph
        One graph with the vocabulary of the model.
    trace
        Evaluation of the graph.
    """

    def __init__(self, clauses: Clauses, graph: PackedGraphs, trace: Trace) -> None:
        self._clauses, self._trace, self._model = clauses, trace, clauses.model
        self._names = graph.names_of(0)
        nodes, symbols = graph.properties.pairs()
        self._carried = np.split(symbols, np.searchsorted(nodes, np.arange(1, graph.n_nodes)))

    def of(self, clause: int, node: int) -> Witness:
        """Return the witness of a clause at a node where its strength is above 0."""
        constants, max_misses = self._clauses.constants(clause)
        numbers = {(clause, node, self._model.params.depth - 1): 0}
        steps: list[Step] = []
        waiting = list(numbers)
        for key in waiting:
            conditions = []
            for literal, granted_by, below, layer, place in self._conditions(*key):
                # The senders of messages miss nothing, so that only the first step has literals that are not counted.
                constant = None if steps else constants[layer][place]
                step = None
                if below is not None and constant is None:
                    step = numbers.setdefault(below, len(waiting))
                    waiting += [below] if step == len(waiting) else []
                conditions.append(Condition(literal, granted_by, step, bool(granted_by) == literal.negated, constant))
            steps.append(Step(key[0], self._names[key[1]], key[2], tuple(conditions)))
        return Witness(tuple(steps), max_misses)

    def _conditions(
        self, clause: int, node: int, layer: int
    ) -> Iterator[tuple[Literal, tuple[Hashable, ...], tuple[int, int, int] | None, int, int]]:
        """Yield the conditions of a clause up to a layer.

        Each is a literal, what sets its bit, the origin of the first message, and the literal's layer and place there.
        """
        for own in range(layer + 1):
            for place, number in enumerate(self._clauses.included[own][clause].tolist()):
                literal, bit = self._clauses.literal(own, number), number % self._model.params.layer_size(own)
                if literal.is_always:
                    continue
                is_set = self._trace.messages[own - 1][node, bit] > 0 if own else self._trace.bits[node, bit]
                if not is_set:
                    yield literal, (), None, own, place
                elif own == 0:
                    yield literal, self.symbols(node, bit), None, own, place
                else:
                    arrivals = self.arrivals(node, own, bit)
                    granted = tuple(Arrival(self.edge(edge), sender) for edge, sender in arrivals)
                    edge, sender = arrivals[0]
                    below = (sender, int(self._trace.edges.sources[edge]), own - 1)
                    yield literal, granted, below, own, place

    def setting(self, node: int, layer: int, bit: int) -> tuple[Hashable, ...]:
        """Return what sets a bit of a node in a layer: symbols, or messages."""
        if layer == 0:
            return self.symbols(node, bit)
        kinds, edges = self._model.vocabulary.edge_types, self._trace.edges
        found = dict.fromkeys((int(edges.types[edge]), sender) for edge, sender in self.arrivals(node, layer, bit))
        return tuple(Message(kinds[kind], sender) for kind, sender in found)

    def symbols(self, node: int, bit: int) -> tuple[Hashable, ...]:
        """Return the node's symbols that own a bit."""
        code, names = self._model.symbol_code, self._model.vocabulary.symbols
        carried = self._carried[node]
        return tuple(names[symbol] for symbol in carried[(code.positions[carried] == bit).any(axis=1)].tolist())

    def arrivals(self, node: int, layer: int, bit: int) -> list[tuple[int, int]]:
        """Return the edge and clause of every message that sets a bit of a node's inbox."""
        edges, code = self._trace.edges, self._model.params.message_code
        assert code is not None  # noqa: S101 -- deep machines have one
        truth, arrivals = self._trace.truth[layer - 1], []
        for edge in np.flatnonzero(edges.destinations == node).tolist():
            owners = ((code.positions + edges.types[edge]) % code.size == bit).any(axis=1)
            senders = np.flatnonzero(owners & truth[:, edges.sources[edge]])
            arrivals += [(edge, sender) for sender in senders.tolist()]
        return arrivals

    def edge(self, number: int) -> Edge:
        """Return an edge, given its number."""
        edges, names = self._trace.edges, self._names
        kind = self._model.vocabulary.edge_types[int(edges.types[number])]
        return Edge(names[int(edges.sources[number])], names[int(edges.destinations[number])], kind)
