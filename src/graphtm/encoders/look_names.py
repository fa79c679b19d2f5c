"""Names of looks: what a node and its neighbours look like, as text that people can read.

========================  ==============================================================================
``C``                     a node with the symbol ``"C"``
``{C,size=3}``            a node with several symbols, ``"C"`` and ``("size", 3)``
``{C,charge>=2}``         a node with ``"C"``, ``("charge", ">=", 2)`` and all lower cuts of ``"charge"`` that exist
``{C,charge>=2!}``        the same without the lower cuts: the mark says that some are missing
``person|Ann``            a node of type ``"person"``; just ``person`` if it has no symbols
``deg3``                  a node with three neighbours, in graphs without symbols and types
``C(-C,-C,=O)``           such a node with three neighbours
``C(-C(-C,-N),=O(=C))``   the same, two hops far
``C(-C,-H*3)``            three equal neighbours or more are counted
``-C``, ``->C``, ``<-C``  a neighbour along a plain edge in both directions, outgoing, or incoming
``-near:C``               a neighbour along an edge of type ``"near"``; ``->near:C`` and ``<-near:C``
``-[1]:C``                the same for types that are not strings, such as 1; ``-[w in [0.5, 1)]:C`` for bins
========================  ==============================================================================

The edge types of SMILES are written as chemists do: ``-`` single, ``=`` double, ``#`` triple and ``~`` aromatic.

Different looks have different names. In strings, all characters with a meaning in names are escaped by a backslash, and
so are spaces at both ends. Whatever is not escaped tells how a name was made:

- A tuple is in brackets. They contain nothing, or texts with commas; or two texts with a sign such as ``=`` or ``>=``,
  without spaces; or a text and the words of a bin or of a missing value, such as ``in [0.5, 1)``, after a space.
- Of the cuts of an attribute, a node has all up to the one that is written without a mark, or exactly those with one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from graphtm.encoders.row_tables import Rows
from graphtm.foundation.names import Name, name_key
from graphtm.graphs import Vocabulary
from graphtm.graphs.vocabulary import PLAIN

N_DIRECTIONS = 3
BOTH, OUT, IN = range(N_DIRECTIONS)
"""Directions of edges: in both directions, outgoing, incoming."""
_DELIMITERS = re.compile(r"""[\\()\[\]{},:|=<>&*#~'+!-]|^ | \Z""")
_OTHER_KINDS = re.compile(r"\d*|True|False|None")
_COMPARISONS = frozenset([">=", "<=", ">", "<", "!="])
_FLOAT = re.compile(r"-?[0-9]+(\.[0-9]+(e[-+][0-9]+)?|e[-+][0-9]+)")
_INTERVAL = re.compile(r"(?P<among>\[[-+.\w]+, [-+.\w]+\)|any)|(<|>=) [-+.\w]+")
_BONDS = {PLAIN: "-", "single": "-", "double": "=", "triple": "#", "aromatic": "~"}
_COUNTED = 3


def name_text(name: Name) -> str:
    r"""Return the name of a symbol or type as part of a look; different names have different texts.

    Examples
    --------
    >>> print(name_text("C"), name_text("C(-C)"), name_text(3), name_text("3"), name_text(("color", "red")))
    C C\(\-C\) 3 '3' [color=red]
    >>> print(name_text(("size", ">=", 3)), name_text(("w", "in", "[0.5, 1)")), name_text((1, 2, 3)), name_text((1,)))
    [size>=3] [w in [0.5, 1)] [1,2,3] [1,]
    """
    if isinstance(name, str):
        escaped = _DELIMITERS.sub(r"\\\g<0>", name)
        return f"'{escaped}'" if _OTHER_KINDS.fullmatch(name) else escaped
    if not isinstance(name, tuple):
        return str(name)
    return f"[{_comparison(name) or _statement(name) or _list(name)}]"


def _comparison(name: tuple[Name, ...]) -> str | None:
    """Return ``("color", "red")`` as ``color=red`` and ``("size", ">=", 3)`` as ``size>=3``, others as None."""
    if len(name) == 2 and not (isinstance(name[0], tuple) and isinstance(name[1], tuple)):
        return f"{name_text(name[0])}={_value_text(name[1])}"
    if len(name) == 3 and isinstance(name[1], str) and name[1] in _COMPARISONS:
        return f"{name_text(name[0])}{name[1]}{_value_text(name[2])}"
    return None


def _value_text(value: Name) -> str:
    """Return what stands behind a sign; floats, which names hold as text, are not escaped and look like no integer."""
    return value if isinstance(value, str) and _FLOAT.fullmatch(value) else name_text(value)


def _statement(name: tuple[Name, ...]) -> str | None:
    """Return the bin of a number, such as ``("w", "in", "[0.5, 1)")``, or a missing value as words; others as None."""
    if len(name) != 3 or not isinstance(name[1], str) or not isinstance(name[2], str):
        return None
    match = _INTERVAL.fullmatch(name[2]) if name[1] == "in" else None
    if match is not None:
        return f"{name_text(name[0])} {'in ' if match['among'] else ''}{name[2]}"
    return f"{name_text(name[0])} is missing" if name[1:] == ("is", "missing") else None


def _list(name: tuple[Name, ...]) -> str:
    """Return a tuple as its items, with a comma after a single one, as Python writes it."""
    return ",".join(map(name_text, name)) + "," * (len(name) == 1)


def _member_text(name: Name) -> str:
    """Return a symbol as text among others in braces, where a comparison needs no brackets."""
    return (_comparison(name) if isinstance(name, tuple) else None) or name_text(name)


@dataclass(frozen=True)
class LookNames:
    """Names looks with the words of a vocabulary.

    Parameters
    ----------
    symbols, members
        Texts of the symbols, by number: alone, and among others in braces.
    cuts
        Attribute and rank of the symbols that are cuts of an attribute, by number.
    node_types
        Texts of the node types.
    relations
        Texts of the relations to a neighbour: those of each edge type in the order of directions.
    """

    symbols: tuple[str, ...]
    members: tuple[str, ...]
    cuts: dict[int, tuple[Hashable, int]]
    node_types: tuple[str, ...]
    relations: tuple[str, ...]

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> LookNames:
        symbols = _without_common_head(vocabulary.symbols)
        return cls(
            tuple(map(name_text, symbols)),
            tuple(map(_member_text, symbols)),
            _ranked_cuts(vocabulary.symbols),
            tuple(map(name_text, vocabulary.node_types)),
            tuple(_relation_texts(vocabulary.edge_types)),
        )

    def own(self, rows: Rows) -> list[str]:
        """Return the names of nodes by themselves; rows hold numbers of symbols, then of types after all symbols."""
        return [self._own(row) for row in _lists(rows)]

    def _own(self, row: list[int]) -> str:
        n = len(self.symbols)
        symbols = [item for item in row if item < n]
        shown = self._shown(symbols)
        if len(shown) == 1:
            ((symbol, mark),) = shown
            text = f"[{self.members[symbol]}{mark}]" if mark else self.symbols[symbol]
        else:
            text = f"{{{','.join(sorted(self.members[symbol] + mark for symbol, mark in shown))}}}"
        if not self.node_types:
            return text
        node_type = self.node_types[row[-1] - n]
        return f"{node_type}|{text}" if symbols else node_type

    def _shown(self, symbols: list[int]) -> list[tuple[int, str]]:
        """Return the symbols of a node to write, with their marks: the highest cut of an attribute stands for all."""
        shown = [(symbol, "") for symbol in symbols if symbol not in self.cuts]
        ladders: dict[Hashable, list[tuple[int, int]]] = {}
        for symbol in symbols:
            if symbol in self.cuts:
                attribute, rank = self.cuts[symbol]
                ladders.setdefault(attribute, []).append((rank, symbol))
        for ladder in ladders.values():
            highest, top = max(ladder)
            shown += [(top, "")] if len(ladder) == highest + 1 else [(symbol, "!") for _, symbol in ladder]
        return shown

    def looks(self, rows: Rows, own: Sequence[str], neighbours: Sequence[str]) -> list[str]:
        """Return the names of looks.

        Parameters
        ----------
        rows
            Each has the number of the node's own look, then numbers of neighbours after all own looks, as
            ``relation * len(neighbours) + look``.
        own, neighbours
            Names of the own looks, and of the looks of neighbours.
        """
        n, first, named = len(neighbours), len(own), []
        for row in _lists(rows):
            texts = sorted(self.relations[(item - first) // n] + neighbours[(item - first) % n] for item in row[1:])
            named.append(f"{own[row[0]]}({','.join(_counted(texts))})")
        return named

    def kind(self, item: int, own: Sequence[str]) -> str:
        """Return the text of a neighbour of a kind, ``relation * len(own) + look``."""
        return self.relations[item // len(own)] + own[item % len(own)]


def degree_names(rows: Rows) -> list[str]:
    """Return the names of nodes that are known by their number of neighbours alone."""
    return [f"deg{degree}" for degree in rows.items.tolist()]


def _lists(rows: Rows) -> list[list[int]]:
    items, ptr = rows.items.tolist(), rows.ptr.tolist()
    return [items[start:stop] for start, stop in pairwise(ptr)]


def _counted(texts: list[str]) -> Iterable[str]:
    """Yield sorted texts; three equal ones or more become one with its number."""
    start = 0
    while start < len(texts):
        stop = start + 1
        while stop < len(texts) and texts[stop] == texts[start]:
            stop += 1
        n = stop - start
        yield from [f"{texts[start]}*{n}"] if n >= _COUNTED else [texts[start]] * n
        start = stop


def _without_common_head(symbols: Sequence[Name]) -> list[Name]:
    """Return the values of symbols that are all values of one attribute, such as ``("label", 3)``; or the symbols."""
    pairs = [symbol for symbol in symbols if isinstance(symbol, tuple) and len(symbol) == 2]
    if len(pairs) == len(symbols) and len({name_key(head) for head, _ in pairs}) == 1:
        return [value for _, value in pairs]
    return list(symbols)


def _ranked_cuts(symbols: Sequence[Name]) -> dict[int, tuple[Hashable, int]]:
    """Return the attribute of each symbol such as ``("charge", ">=", "0.5")``, and its rank among those of it."""
    cuts: dict[Hashable, list[tuple[float, str, int]]] = {}
    for number, symbol in enumerate(symbols):
        if isinstance(symbol, tuple) and len(symbol) == 3 and symbol[1] == ">=":
            cut = _cut(symbol[2])
            if cut is not None:
                cuts.setdefault(name_key(symbol[0]), []).append((cut, name_text(symbol), number))
    return {
        number: (attribute, rank)
        for attribute, found in cuts.items()
        for rank, (_, _, number) in enumerate(sorted(found))
    }


def _cut(name: Name) -> float | None:
    """Return the number that a name is or, as those of floats, is the text of; else None."""
    if isinstance(name, str):
        try:
            cut = float(name)
        except ValueError:
            return None
        return cut if math.isfinite(cut) else None
    return name if isinstance(name, int) and not isinstance(name, bool) else None


def _relation_texts(edge_types: Sequence[Name]) -> list[str]:
    ambiguous = PLAIN in edge_types and "single" in edge_types
    texts = []
    for name in edge_types:
        bond = _BONDS.get(name) if isinstance(name, str) and not (ambiguous and name == "single") else None
        text = name_text(name)
        # In brackets, so that the line of type 1 does not look like a minus sign; tuples have them anyway.
        kind = "" if bond else f"{text}:" if isinstance(name, str | tuple) else f"[{text}]:"
        line = bond or "-"
        texts += [f"{line}{kind}", f"{line}>{kind}", f"<{line}{kind}"]
    return texts
