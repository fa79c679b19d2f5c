"""Message flow: on which clauses, at which nodes and layers, the truth of a deep clause depends, and over which edges.

A witness follows the first message that satisfies a condition; a message flow follows all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtm.engines.trace import Trace
from graphtm.explain.clauses import Clauses
from graphtm.explain.witness import Witnesses
from graphtm.foundation.display import bare
from graphtm.foundation.short_repr import short_repr
from graphtm.graphs import Edge
from graphtm.plots.flow import draw_message_flow

Key = tuple[int, int, int]
"""A clause, a node and the layer up to which the clause is meant."""


@dataclass(frozen=True)
class FlowPart:
    """The conditions of a clause in one layer.

    Parameters
    ----------
    layer, clause
        The layer, and the number of the clause.
    text
        The conditions.
    holds
        Names of the nodes at which all conditions of the clause hold up to this layer.
    needed
        Names of the nodes at which the explained clause depends on it.
    """

    layer: int
    clause: int
    text: str
    holds: tuple[Hashable, ...]
    needed: tuple[Hashable, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the part as plain data."""
        return {**vars(self), "holds": list(self.holds), "needed": list(self.needed)}


@dataclass(frozen=True)
class FlowMessage:
    """A message that a clause reads.

    Parameters
    ----------
    layer
        Layer at which it arrives.
    clause
        Number of the clause that sends it.
    edge
        The edge.
    to
        Number of the clause that reads it.
    """

    layer: int
    clause: int
    edge: Edge
    to: int

    def to_dict(self) -> dict[str, Any]:
        """Return the message as plain data."""
        return {**vars(self), "edge": tuple(self.edge)}


@dataclass(frozen=True, eq=False)
class MessageFlow:
    """How a clause with several layers becomes true at a node; see :meth:`Explanation.message_flow`.

    Parameters
    ----------
    clause, node
        Number of the clause, and name of the node.
    nodes
        Names of all nodes of the graph.
    parts
        The clause and those whose messages it depends on, layer by layer.
    messages
        The messages that they read.
    title
        The clause in words.
    node_text
        Text of each node.
    """

    clause: int
    node: Hashable
    nodes: tuple[Hashable, ...]
    parts: tuple[FlowPart, ...]
    messages: tuple[FlowMessage, ...]
    title: str = ""
    node_text: tuple[str, ...] = field(default=(), repr=False)

    __repr__ = short_repr

    def __str__(self) -> str:
        lines = [self.title or f"C{self.clause} at {self.node!r}"]
        for layer in sorted({part.layer for part in self.parts}):
            lines.append(f"  layer {layer}")
            for part in self.parts:
                if part.layer == layer:
                    where = ", ".join(map(repr, part.needed))
                    lines.append(f"    C{part.clause}: {part.text}   needed at {where}")
            for one in self.messages:
                if one.layer == layer:
                    source, destination, kind = one.edge
                    arrow = f"{source!r} -{bare(kind)}-> {destination!r}"
                    lines.append(f"    message of C{one.clause} to C{one.to}: {arrow}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the flow as plain data, the arguments of :func:`graphtm.plots.draw_message_flow`."""
        return {
            "nodes": list(self.nodes),
            "parts": [part.to_dict() for part in self.parts],
            "messages": [message.to_dict() for message in self.messages],
            "focus": self.node,
            "node_text": list(self.node_text) or None,
            "title": self.title or None,
        }

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the flow, layer by layer; see :func:`graphtm.plots.draw_message_flow`.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        MissingLibraryError
            If matplotlib is not installed.
        """
        return draw_message_flow(**self.to_dict(), ax=ax)


def message_flow(
    clauses: Clauses,
    witnesses: Witnesses,
    trace: Trace,
    clause: int,
    node: int,
    nodes: Sequence[Hashable],
    node_text: Sequence[str],
    title: str,
) -> MessageFlow:
    """Return the flow to a clause that is true at a node.

    Parameters
    ----------
    clauses, witnesses, trace
        The clauses of the machine, what sets the bits of the graph, and its evaluation.
    clause, node
        Numbers of the clause and of the node.
    nodes, node_text
        Names and texts of all nodes.
    title
        The clause in words.
    """
    start = (clause, node, clauses.depth - 1)
    keys: dict[Key, None] = {start: None}
    # The same message can be read for several reasons; its numbers tell it from others, and put it in order.
    waiting, messages = [start], dict[tuple[int, int, int, int], FlowMessage]()
    for key in waiting:
        for layer, edge, sender in _read(clauses, witnesses, trace, *key):
            messages[layer, key[0], sender, edge] = FlowMessage(layer, sender, witnesses.edge(edge), key[0])
            below = (sender, int(trace.edges.sources[edge]), layer - 1)
            waiting += [] if below in keys else [below]
            keys[below] = None
    needed: dict[tuple[int, int], set[int]] = {}
    for number, place, top in keys:
        for layer in range(top + 1):
            needed.setdefault((layer, number), set()).add(place)
    # The clause itself is the last of its layer, the highest row of a picture.
    order = sorted(needed, key=lambda part: (part[0], part[1] == clause, part[1]))
    parts = tuple(
        FlowPart(
            layer,
            number,
            _conditions(clauses, number, layer),
            tuple(nodes[place] for place in np.flatnonzero(trace.truth[layer][number]).tolist()),
            tuple(nodes[place] for place in sorted(needed[layer, number])),
        )
        for layer, number in order
    )
    read = tuple(message for _, message in sorted(messages.items(), key=lambda one: one[0]))
    return MessageFlow(clause, nodes[node], tuple(nodes), parts, read, title, tuple(node_text))


def _read(
    clauses: Clauses, witnesses: Witnesses, trace: Trace, clause: int, node: int, top: int
) -> Iterator[tuple[int, int, int]]:
    """Yield layer, edge and sender of each message that satisfies a condition of a clause up to a layer."""
    for layer in range(1, top + 1):
        size = trace.params.layer_size(layer)
        for number in clauses.included[layer][clause].tolist():
            negated, bit = divmod(number, size)
            if not negated and trace.messages[layer - 1][node, bit] > 0:
                yield from ((layer, edge, sender) for edge, sender in witnesses.arrivals(node, layer, bit))


def _conditions(clauses: Clauses, clause: int, layer: int) -> str:
    """Return the conditions of a clause in one layer as text."""
    literals = [clauses.literal(layer, number) for number in clauses.included[layer][clause].tolist()]
    texts = dict.fromkeys(str(literal) for literal in literals if not literal.is_always)
    kind = clauses.node_type(clause) if layer == 0 else None
    named = [] if kind is None else [f"TYPE {bare(kind)}"]
    return " AND ".join([*named, *texts]) or ("ANY NODE" if layer == 0 else "no condition")
