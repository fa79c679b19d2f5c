"""One graph as plain data, ready to draw: its nodes, edges and types, and the text of each node."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.calling import require
from graphtm.foundation.display import cut
from graphtm.foundation.names import Name, name_key
from graphtm.foundation.numbering import Numbering
from graphtm.foundation.type_names import type_of
from graphtm.graphs import Graph, GraphBatch

MOST_LETTERS = 22
"""Maximum length of a name."""
MOST_TITLE_LINES = 6
"""Maximum number of lines of a title."""
DOT = 7.0
"""Diameter in points of a node without text."""
_LINE, _PAD = 1.25, 7.0
_HINTING = 1.1
"""How much wider letters become where they are fitted to pixels, as at the usual 100 dpi."""


@dataclass(frozen=True)
class Drawing:
    """A graph as plain data; nodes, edge types and node types are numbers."""

    names: tuple[Hashable, ...]
    properties: list[tuple[Name, ...]]
    node_types: Int64Array
    node_type_names: list[Name]
    source: Int64Array
    destination: Int64Array
    edge_types: Int64Array
    edge_type_names: list[Name]
    readout: NDArray[np.bool_]


def read_graph(graph_or_batch: Graph | GraphBatch, i: int | None) -> Drawing:
    """Return the graph to draw. All graphs of a batch share the numbers of types, and thus the colours."""
    if isinstance(graph_or_batch, GraphBatch):
        if i is None and len(graph_or_batch) != 1:
            raise ValueError(
                "The 'i' parameter of draw_graph must be the number of a graph unless the batch has exactly one. Got "
                f"None instead, and a batch of {len(graph_or_batch):,} graphs."
            )
        graph, vocabulary = graph_or_batch[0 if i is None else i], graph_or_batch.vocabulary
        edge_types, node_types = Numbering(vocabulary.edge_types), Numbering(vocabulary.node_types)
        if not isinstance(graph, Graph):
            raise TypeError(f"The 'i' parameter of draw_graph must be an integer. Got {i!r} instead.")
    elif isinstance(graph_or_batch, Graph):
        if i is not None:
            raise ValueError(f"The 'i' parameter of draw_graph must be None for a single graph. Got {i!r} instead.")
        graph, edge_types, node_types = graph_or_batch, Numbering(), Numbering()
    else:
        raise TypeError(
            "The 'graph_or_batch' parameter of draw_graph must be a Graph or a GraphBatch. Got "
            f"{type_of(graph_or_batch)} instead."
        )
    if not graph.n_nodes:
        raise GraphError("A graph to draw must have at least one node; got none.")
    nodes = graph.nodes
    number = {name_key(node): place for place, node in enumerate(nodes)}
    edges = [(number[name_key(a)], number[name_key(b)], edge_types(kind)) for a, b, kind in graph.edges]
    source, destination, types = np.array(edges, np.int64).reshape(-1, 3).T
    typed = [graph.node_type(node) for node in nodes]
    readout = set(map(name_key, nodes if graph.readout is None else graph.readout))
    return Drawing(
        nodes,
        [graph.properties(node) for node in nodes],
        np.array([-1 if name is None else node_types(name) for name in typed]),
        list(node_types.names()),
        source,
        destination,
        types,
        list(edge_types.names()),
        np.array([name_key(node) in readout for node in nodes]),
    )


# Text


def name_text(name: Name) -> str:
    """Return a name as text: the parts of a tuple side by side, cut to ``MOST_LETTERS``."""
    if isinstance(name, tuple):
        text = " ".join(map(name_text, name)) if name else "()"
    else:
        text = name if isinstance(name, str) and name.isprintable() and name.strip() else repr(name)
    return cut(text, MOST_LETTERS)


def node_labels(
    names: Sequence[Hashable],
    properties: Sequence[Sequence[Name]],
    node_text: str | Sequence[str] | None,
    max_symbols: int,
) -> Labels:
    """Return the text of each node; see :func:`graphtm.plots.draw_graph`."""
    if node_text is None:
        return Labels([[] for _ in names])
    if isinstance(node_text, str):
        if node_text not in ("auto", "symbols", "names", "both"):
            raise ValueError(
                "The 'node_text' parameter of draw_graph must be 'auto', 'symbols', 'names', 'both', None or a list of "
                f"strings. Got {node_text!r} instead."
            )
        if node_text == "names" or (node_text == "auto" and not any(properties)):
            return Labels([[name_text(name)] for name in names])
        if node_text == "both":
            return Labels(
                [_named(name, _lines(symbols, max_symbols)) for name, symbols in zip(names, properties, strict=True)]
            )
        return Labels([_lines(symbols, max_symbols) for symbols in properties])
    texts = list(node_text)
    if len(texts) != len(names):
        raise ValueError(
            f"The 'node_text' parameter of draw_graph must have one string per node, {len(names)} in total. Got "
            f"{len(texts)} instead."
        )
    return Labels([str(text).splitlines() for text in texts])


def node_lines(name: Hashable, symbols: Sequence[Name], max_symbols: int, *, named: bool = True) -> list[str]:
    """Return the lines of a node: its name, if wanted, and its symbols."""
    lines = _lines(symbols, max_symbols)
    return _named(name, lines) if named else lines


def _lines(symbols: Sequence[Name], max_symbols: int) -> list[str]:
    lines = [name_text(symbol) for symbol in symbols[:max_symbols]]
    left_out = len(symbols) - len(lines)
    return [*lines, f"+{left_out} more"] if left_out else lines


def _named(name: Name, lines: list[str]) -> list[str]:
    """Return lines with the name of their node: numbers in the first line, other names above."""
    if isinstance(name, int) and lines:
        return [f"{name}: {lines[0]}", *lines[1:]]
    return [name_text(name), *lines]


def wrapped(text: str, width: float, font: float, most_lines: int) -> str:
    """Return text in at most so many lines of a width in points; words that are too long are broken."""
    lines: list[str] = []
    for line in text.split("\n"):
        for part in _broken(line, width, font):
            lines.append(part)
            if len(lines) > most_lines:
                return "\n".join(cut_lines(lines, most_lines))
    return "\n".join(lines)


def _broken(text: str, width: float, font: float) -> Iterator[str]:
    """Yield the lines of a text without line breaks."""
    line = ""
    for word in re.finditer(r"\S+\s*", text):
        if line and text_width((line + word[0]).rstrip()) * font > width:
            yield line.rstrip()
            line = ""
        for letter in word[0]:
            if line and not letter.isspace() and text_width(line + letter) * font > width:
                yield line.rstrip()
                line = ""
            line += letter
    yield line.rstrip()


def cut_lines(lines: list[str], most: int) -> list[str]:
    """Return at most so many lines, of which the last shows that others are missing."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} …"]


def score_digits(scores: NDArray[np.float64]) -> int:
    """Return the number of decimals of scores in a picture: none where the largest are in the hundreds."""
    return 0 if np.abs(scores).max(initial=0.0) >= 100 else 2


class Labels:
    """Text of each node, in lines."""

    def __init__(self, lines: list[list[str]]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    def with_scores(self, scores: NDArray[np.float64] | None) -> Labels:
        """Return the texts with scores other than 0 as their last lines; if all nodes are dots, they stay dots."""
        if scores is None or not self.most_lines:
            return self
        digits = score_digits(scores)
        rows = zip(self._lines, scores.round(digits).tolist(), strict=True)
        return Labels([[*lines, f"{score:+,.{digits}f}"] if score else lines for lines, score in rows])

    @property
    def most_lines(self) -> int:
        """Number of lines of the longest text."""
        return max(map(len, self._lines), default=0)

    def texts(self, most_lines: int) -> list[str]:
        """Return the text of each node, cut to a number of lines; cut texts end with an ellipsis."""
        return ["\n".join(cut_lines(lines, most_lines)) for lines in self._lines]

    def sizes(self, font: float, most_lines: int) -> NDArray[np.float64]:
        """Return width and height of each box in points; nodes without text are dots."""
        return np.array(
            [
                (
                    max(text_width(line) for line in text.split("\n")) * font + _PAD,
                    (text.count("\n") + 1) * font * _LINE + _PAD,
                )
                if text
                else (DOT, DOT)
                for text in self.texts(most_lines)
            ]
        ).reshape(-1, 2)


@lru_cache(maxsize=4096)
def text_width(line: str) -> float:
    """Return the width of a line of text at font size 1, with some allowance: it differs a bit at each resolution."""
    textpath = require("matplotlib.textpath", "draw_graph", "plots")
    fonts = require("matplotlib.font_manager", "draw_graph", "plots")
    properties = fonts.FontProperties(size=10)
    with warnings.catch_warnings():
        # Where the font lacks a letter, matplotlib warns when it draws the text, which is enough.
        warnings.simplefilter("ignore")
        width = textpath.text_to_path.get_text_width_height_descent(line, properties, ismath=False)[0]
    return float(width) / 10 * _HINTING
