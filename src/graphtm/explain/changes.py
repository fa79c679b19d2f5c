"""Changes of properties that change a prediction, and the report of the search for them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from graphtm.explain.rule_text import number_text
from graphtm.foundation.display import bare, count, plural
from graphtm.foundation.names import name_key, shorten
from graphtm.foundation.short_repr import short_repr
from graphtm.graphs import Graph


@dataclass(frozen=True)
class Edit:
    """One symbol added to a node, or removed from it."""

    node: Hashable
    symbol: Hashable
    adds: bool

    def __str__(self) -> str:
        symbol = bare(self.symbol) if isinstance(self.symbol, tuple) else repr(self.symbol)
        return f"add {symbol} to {self.node!r}" if self.adds else f"remove {symbol} from {self.node!r}"


@dataclass(frozen=True)
class Searched:
    """Number of changes of one size: all, and those tried."""

    size: int
    tried: int
    total: int

    @property
    def is_complete(self) -> bool:
        """Whether all changes of this size were tried."""
        return self.tried == self.total

    def __str__(self) -> str:
        tried = "all" if self.is_complete else f"{self.tried:,} of"
        return f"{tried} {count(self.total, 'change')} of {count(self.size, 'edit')}"


@dataclass(frozen=True, eq=False)
class Change:
    """Result of a search for a change of the predicted class.

    Parameters
    ----------
    edits
        Edits of the change; empty if none was found.
    before, after
        Predicted class before and after the change; equal if none was found.
    votes
        Vote sum of each class after the change.
    searched
        Changes tried, by size. Edits that cannot change a vote are not counted.
    to
        Class to reach; ``None`` for any other class.
    noun
        The word for what is predicted, such as ``"arm"``.
    """

    edits: tuple[Edit, ...]
    before: Hashable
    after: Hashable
    votes: dict[Hashable, int]
    searched: tuple[Searched, ...]
    to: Hashable = None
    noun: str = "class"

    __repr__ = short_repr

    @property
    def found(self) -> bool:
        """Whether a change was found."""
        return bool(self.edits)

    @property
    def is_smallest(self) -> bool:
        """Whether the change is proved to be the smallest: all smaller ones were tried."""
        return self.found and all(level.is_complete for level in self.searched if level.size < len(self.edits))

    def apply(self, graph: Graph) -> Graph:
        """Return a copy of the graph with the edits applied."""
        changed = Graph()
        for node in graph.nodes:
            carried = list(graph.properties(node))
            for edit in self.edits:
                if name_key(edit.node) == name_key(node):
                    carried = [symbol for symbol in carried if name_key(symbol) != name_key(edit.symbol)]
                    carried += [edit.symbol] * edit.adds
            changed.add_node(node, carried, graph.node_type(node))
        for source, destination, edge_type in graph.edges:
            changed.add_edge(source, destination, edge_type)
        changed.set_readout(graph.readout)
        return changed

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain data."""
        return {
            "found": self.found,
            "is_smallest": self.is_smallest,
            "edits": [vars(edit).copy() for edit in self.edits],
            "before": self.before,
            "after": self.after,
            "to": self.to,
            "votes": dict(self.votes),
            "searched": [vars(level).copy() for level in self.searched],
        }

    def __str__(self) -> str:
        tried = "; ".join(map(str, self.searched)) or "nothing: no clause reads a property that may be changed"
        if not self.found:
            return f"No change found that {self._wanted()}. Tried: {tried}."
        smallest = "the smallest change" if self.is_smallest else "a change, maybe not the smallest,"
        edits = " and ".join(map(str, self.edits))
        return f"{edits}: {smallest} that {self._turned()}. Tried: {tried}."

    def _wanted(self) -> str:
        """Return the goal of the search, in words."""
        return f"turns {self.before!r} into {f'another {self.noun}' if self.to is None else repr(self.to)}"

    def _turned(self) -> str:
        """Return the effect of the change, in words."""
        return f"turns {self.before!r} into {self.after!r}"


@dataclass(frozen=True, eq=False)
class LabelChange(Change):
    """Result of a search for a change of the predicted labels.

    Parameters
    ----------
    before, after
        Predicted labels before and after the change, those with the largest vote sums first.
    to
        Label to add, or to remove if it was predicted; ``None`` for any label.
    edits, votes, searched, noun
        As for :class:`Change`.
    """

    before: tuple[Hashable, ...]
    after: tuple[Hashable, ...]
    noun: str = "label"

    __repr__ = short_repr

    def _wanted(self) -> str:
        if self.to is None:
            return f"adds or removes a {self.noun}"
        return f"{'removes' if self.to in self.before else 'adds'} the {self.noun} {self.to!r}"

    def _turned(self) -> str:
        gone = [label for label in self.before if label not in self.after]
        new = [label for label in self.after if label not in self.before]
        parts = [(word, labels) for word, labels in (("removes", gone), ("adds", new)) if labels]
        if self.to in new:
            parts.reverse()  # the label asked for comes first
        nouns = [self.noun if len(labels) == 1 else plural(self.noun) for _, labels in parts]
        return " and ".join(
            f"{word} the {noun} {shorten(labels)}" for (word, labels), noun in zip(parts, nouns, strict=True)
        )


@dataclass(frozen=True, eq=False)
class ValueChange(Change):
    """Result of a search for a change of a predicted number.

    Parameters
    ----------
    before, after
        Predicted number before and after the change.
    to
        What to reach, such as ``"at least 5"``.
    edits, votes, searched
        As for :class:`Change`.
    """

    before: float
    after: float

    __repr__ = short_repr

    def _wanted(self) -> str:
        return f"turns {number_text(self.before)} into {self.to}"

    def _turned(self) -> str:
        return f"turns {number_text(self.before)} into {number_text(self.after)}"
