"""The vocabulary: names of symbols, edge types and node types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from graphtm.errors import GraphError, GraphFormatError
from graphtm.foundation.display import bare
from graphtm.foundation.names import name_from_json, name_to_json, shorten
from graphtm.foundation.numbering import Names

PLAIN = "plain"
"""Default edge type, named as in the paper (arXiv:2507.14874)."""


@dataclass(frozen=True, init=False, slots=True)
class Vocabulary:
    """Names of symbols, edge types and node types; the index of a name is its number.

    A vocabulary is immutable. The vocabulary of the training data becomes part of the model. Names in later data are
    matched with it, so graphs can be built in another process or order.

    Parameters
    ----------
    symbols
        Names of node properties: strings, integers, Booleans, None and tuples of these. Names in a set are sorted.
    edge_types
        Names of edge types, of the same kinds.
    node_types
        Names of node types, of the same kinds except None; empty if nodes have no types.

    Examples
    --------
    >>> import graphtm as gtm
    >>> vocabulary = gtm.Vocabulary(symbols=["A", "B"], edge_types=["right", "left"])
    >>> vocabulary.symbols.index("B")
    1
    >>> vocabulary.symbols.index("b")
    Traceback (most recent call last):
        ...
    graphtm.errors.UnknownSymbolError: Unknown symbol 'b': not in the vocabulary, which has 2 symbols: 'A', 'B'.

    Names of different types are different names:

    >>> list(gtm.Vocabulary(symbols=[1, True, "1", (1, True)]).symbols)
    [1, True, '1', (1, True)]
    """

    symbols: Names
    edge_types: Names
    node_types: Names

    def __init__(
        self,
        symbols: Iterable[object] = (),
        edge_types: Iterable[object] = (),
        node_types: Iterable[object] = (),
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "symbols", _names(symbols, "symbol"))
        set_field(self, "edge_types", _names(edge_types, "edge type"))
        set_field(self, "node_types", _names(node_types, "node type"))
        if None in self.node_types:
            raise GraphError("A node type must not be None, which means 'no type'. Use another name.")

    def union(self, other: Vocabulary) -> Vocabulary:
        """Return the union of two vocabularies; names of ``self`` keep their numbers.

        Examples
        --------
        >>> import graphtm as gtm
        >>> gtm.Vocabulary(["A", "B"]).union(gtm.Vocabulary(["C", "A"]))
        Vocabulary(symbols=['A', 'B', 'C'], edge_types=[], node_types=[])
        """
        return Vocabulary(
            self.symbols.union(other.symbols),
            self.edge_types.union(other.edge_types),
            self.node_types.union(other.node_types),
        )

    def _repr_html_(self) -> str:
        return facts_html("Vocabulary", names_facts(self))

    def __repr__(self) -> str:
        parts = (("symbols", self.symbols), ("edge_types", self.edge_types), ("node_types", self.node_types))
        return f"Vocabulary({', '.join(f'{name}=[{shorten(names)}]' for name, names in parts)})"


def names_facts(vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Return the first names of each kind as text."""
    kinds = (
        ("symbols", vocabulary.symbols),
        ("edge types", vocabulary.edge_types),
        ("node types", vocabulary.node_types),
    )
    return [(kind, _first_names(names)) for kind, names in kinds if len(names)]


def _first_names(names: Names, limit: int = 10) -> str:
    text = ", ".join(bare(name) for name in names[:limit])
    return f"{text}, ... ({len(names):,} in all)" if len(names) > limit else text


def _names(names: Iterable[object], kind: str) -> Names:
    return names if isinstance(names, Names) and names.kind == kind else Names(names, kind)


def vocabulary_to_json(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the names as JSON."""
    return {
        "symbols": list(map(name_to_json, vocabulary.symbols)),
        "edge_types": list(map(name_to_json, vocabulary.edge_types)),
        "node_types": list(map(name_to_json, vocabulary.node_types)),
    }


def vocabulary_from_json(header: Mapping[str, Any]) -> Vocabulary:
    """Return the vocabulary written by :func:`vocabulary_to_json`."""
    lists = [header[kind] for kind in ("symbols", "edge_types", "node_types")]
    if not all(isinstance(names, list) for names in lists):
        raise GraphFormatError("The names of a vocabulary must be lists.")
    return Vocabulary(*(map(name_from_json, names) for names in lists))


def facts_html(title: str, facts: Iterable[tuple[str, str]]) -> str:
    """Return names and texts as an HTML table with a title."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in facts)
    return f"<table><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>"
