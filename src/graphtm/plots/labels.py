"""What is written on a node, and how much room it takes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.calling import require
from graphtm.foundation.names import Name

MOST_LETTERS = 22
DOT = 7.0
"""Diameter in points of a node without text."""
_LINE, _PAD = 1.25, 7.0


def name_text(name: Name) -> str:
    """Return a name as a picture shows it: the parts of a tuple side by side, long ones cut."""
    if isinstance(name, tuple):
        text = " ".join(map(name_text, name)) if name else "()"
    else:
        text = name if isinstance(name, str) and name.isprintable() and name.strip() else repr(name)
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 1]}…"


def node_labels(
    names: Sequence[Hashable],
    properties: Sequence[Sequence[Name]],
    node_text: str | Sequence[str] | None,
    max_symbols: int,
) -> Labels:
    """Return the lines to write on each node; see :func:`graphtm.plots.draw_graph`."""
    if node_text is None:
        return Labels([[] for _ in names])
    if isinstance(node_text, str):
        if node_text not in ("auto", "symbols", "names"):
            raise ValueError(
                "The 'node_text' parameter of draw_graph must be 'auto', 'symbols', 'names', None or a list of "
                f"strings. Got {node_text!r} instead."
            )
        if node_text == "names" or (node_text == "auto" and not any(properties)):
            return Labels([[name_text(name)] for name in names])
        return Labels([_lines(symbols, max_symbols) for symbols in properties])
    texts = list(node_text)
    if len(texts) != len(names):
        raise ValueError(
            f"The 'node_text' parameter of draw_graph must have a string per node, {len(names)} in all. Got "
            f"{len(texts)} instead."
        )
    return Labels([str(text).splitlines() for text in texts])


def _lines(symbols: Sequence[Name], max_symbols: int) -> list[str]:
    lines = [name_text(symbol) for symbol in symbols[:max_symbols]]
    left_out = len(symbols) - len(lines)
    return [*lines, f"+{left_out} more"] if left_out else lines


class Labels:
    """Lines of text per node."""

    def __init__(self, lines: list[list[str]]) -> None:
        self._lines = lines

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def most_lines(self) -> int:
        """Lines of the longest text."""
        return max(map(len, self._lines), default=0)

    def texts(self, most_lines: int) -> list[str]:
        """Return the text of each node, cut to a number of lines; the last one says that there were more."""
        return [
            "\n".join(lines if len(lines) <= most_lines else [*lines[: most_lines - 1], f"{lines[most_lines - 1]} …"])
            for lines in self._lines
        ]

    def sizes(self, font: float, most_lines: int) -> NDArray[np.float64]:
        """Return widths and heights in points of the boxes around the texts; those without text are dots."""
        return np.array(
            [
                (
                    max(_width(line) for line in text.split("\n")) * font + _PAD,
                    (text.count("\n") + 1) * font * _LINE + _PAD,
                )
                if text
                else (DOT, DOT)
                for text in self.texts(most_lines)
            ]
        ).reshape(-1, 2)


@lru_cache(maxsize=4096)
def _width(line: str) -> float:
    """Return the width of a line of text of size 1."""
    textpath = require("matplotlib.textpath", "draw_graph", "plots")
    fonts = require("matplotlib.font_manager", "draw_graph", "plots")
    properties = fonts.FontProperties(size=10)
    return float(textpath.text_to_path.get_text_width_height_descent(line, properties, ismath=False)[0]) / 10
