"""Tables of hypervectors and inboxes: which bits are set at which node, by what, and what a clause asks of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphtm.plots.drawing import text_width
from graphtm.plots.highlight import BORDER, FILL
from graphtm.plots.legends import Group
from graphtm.plots.sheets import Sheet

SET: dict[str, Any] = {"facecolor": "#CFE3F3", "edgecolor": "#9DB7CC"}
CLEAR: dict[str, Any] = {"facecolor": "white", "edgecolor": "#DDDDDD"}
TRUE: dict[str, Any] = {"facecolor": FILL, "edgecolor": BORDER}
"""Looks of a bit that is set, of one that is not, and of a node at which the clause holds."""
_FONT, _SMALL = 8.0, 7.0
_LINE, _PAD, _LEAST = 1.25, 8.0, 16.0
_BETWEEN = 20.0
"""Space between tables."""


def draw_hypervectors(
    nodes: Sequence[str],
    layers: Sequence[Mapping[str, Any]],
    *,
    clause: str | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    r"""Draw hypervectors and inboxes as tables side by side, a row per node and a column per bit.

    Bits that are set are blue. With a clause, the first row has the bits that it includes, ``1`` for a bit that must
    be set and ``0`` for one that must not; the last column of each table tells at which nodes the clause holds up to
    this layer.

    Parameters
    ----------
    nodes
        Text of each node.
    layers
        A mapping for each layer: ``"title"``; ``"columns"``, the heading of each bit; ``"cells"``, for each node and
        bit the text of what set it, ``""`` if it is not set; ``"wanted"``, for each bit ``"1"``, ``"0"`` or ``""``
        (only with a clause); ``"holds"``, for each node whether the clause holds (only with a clause).
    clause
        Name of the clause.
    title
        Text above the tables.
    ax
        Axes to draw on. Default: a new figure of suitable size.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_hypervectors
    >>> layer = {"title": "hypervector", "columns": ["0", "1"], "cells": [["A", ""], ["", "B"]],
    ...          "wanted": ["1", ""], "holds": [True, False]}
    >>> ax = draw_hypervectors(["x: A", "y: B"], [layer], clause="C0")
    >>> [text.get_text() for text in ax.texts][:6]
    ['C0 includes', 'x: A', 'y: B', 'hypervector', '0', '1']
    """
    return _Tables(nodes, layers, clause).draw(ax, title)


class _Tables:
    """Where everything goes; the first row of each table is that of the clause, if there is one."""

    def __init__(self, nodes: Sequence[str], layers: Sequence[Mapping[str, Any]], clause: str | None) -> None:
        self._clause, self._layers = clause, list(layers)
        self._names = [*([] if clause is None else [f"{clause} includes"]), *nodes]
        for layer in layers:
            _check(layer, len(nodes), clause)
        self._left = max(map(_width, self._names)) + _PAD
        self._cells = [[*([] if clause is None else [layer["wanted"]]), *layer["cells"]] for layer in layers]
        self._widths = [_column_widths(layer["columns"], rows) for layer, rows in zip(layers, self._cells, strict=True)]
        self._upright = [
            any(_width(text, _SMALL) > width for text, width in zip(layer["columns"], widths, strict=True))
            for layer, widths in zip(layers, self._widths, strict=True)
        ]
        self._heights = [
            max(_height(text) for text in [name, *(text for rows in self._cells for text in rows[number])])
            for number, name in enumerate(self._names)
        ]
        self._truth = 0.0 if clause is None else max(_LEAST, _width(clause) + _PAD) + 4
        headings = [
            max((_width(text, _SMALL) if upright else _height(text) for text in layer["columns"]), default=0.0)
            for layer, upright in zip(layers, self._upright, strict=True)
        ]
        self._heading = max([*headings, _height("")]) + 4
        totals = [
            max(sum(widths) + self._truth, _width(layer["title"]))
            for layer, widths in zip(layers, self._widths, strict=True)
        ]
        self._starts = [self._left + sum(totals[:number]) + _BETWEEN * number for number in range(len(totals))]
        self._top = sum(self._heights)
        width = self._left + sum(totals) + _BETWEEN * max(0, len(totals) - 1) + 2
        self.size = width, self._top + self._heading + _height("") + 4

    def draw(self, ax: Any, title: str | None) -> Any:
        states = [("set", SET), ("not set", CLEAR)]
        states += [] if self._clause is None else [(f"{self._clause} holds up to this layer", TRUE)]
        sheet = Sheet(ax, self.size, [Group("bit", states)], title)
        for number, name in enumerate(self._names):
            sheet.write(self._left - _PAD, self._middle(number), name, _FONT, ha="right", linespacing=1.15)
        for number in range(len(self._layers)):
            self._draw_layer(sheet, number)
        return sheet.ax

    def _middle(self, row: int) -> float:
        return self._top - sum(self._heights[:row]) - self._heights[row] / 2

    def _draw_layer(self, sheet: Sheet, number: int) -> None:
        layer, x = self._layers[number], self._starts[number]
        y = self._top + self._heading + _height("") / 2
        sheet.write(x, y, layer["title"], _FONT, ha="left", weight="bold")
        first = 0 if self._clause is None else 1
        for column, (heading, width) in enumerate(zip(layer["columns"], self._widths[number], strict=True)):
            turned = {"rotation": 90, "va": "bottom"} if self._upright[number] else {"va": "bottom"}
            sheet.write(x + width / 2, self._top + 3, heading, _SMALL, **turned)
            for row, height in enumerate(self._heights):
                text = self._cells[number][row][column]
                self._draw_cell(sheet, (x + width / 2, self._middle(row)), (width, height), text, wanted=row < first)
            x += width
        if self._clause is None:
            return
        sheet.write(x + self._truth / 2 + 2, self._top + 3, self._clause, _SMALL, va="bottom")
        for row, holds in enumerate(layer["holds"], first):
            place = x + self._truth / 2 + 2, self._middle(row)
            sheet.box(*place, self._truth - 4, self._heights[row] - 2, **(TRUE if holds else CLEAR))
            sheet.write(*place, "1" if holds else "0", _FONT, color="black" if holds else "#AAAAAA")

    def _draw_cell(
        self, sheet: Sheet, place: tuple[float, float], size: tuple[float, float], text: str, *, wanted: bool
    ) -> None:
        if wanted:
            if text:
                sheet.write(*place, text, _FONT, weight="bold", color=BORDER)
            return
        sheet.box(*place, *size, **(SET if text else CLEAR))
        sheet.write(*place, text or "0", _FONT if text else _SMALL, color="black" if text else "#BBBBBB")


def _check(layer: Mapping[str, Any], n_nodes: int, clause: str | None) -> None:
    """Raise ``ValueError`` if a table does not have a row per node and a cell per column."""
    n_columns = len(layer["columns"])
    rows = [*layer["cells"], *([] if clause is None else [layer["wanted"]])]
    if len(layer["cells"]) != n_nodes or any(len(row) != n_columns for row in rows):
        raise ValueError(
            f"The 'layers' parameter of draw_hypervectors must have a row of {n_columns} cells for each of {n_nodes} "
            f"nodes, and as many wanted bits. Got rows of {[len(row) for row in rows]} cells in {layer['title']!r}."
        )
    if clause is not None and len(layer["holds"]) != n_nodes:
        raise ValueError(
            f"The 'layers' parameter of draw_hypervectors must tell for each of {n_nodes} nodes whether the clause "
            f"holds. Got {len(layer['holds'])} values in {layer['title']!r}."
        )


def _column_widths(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[float]:
    """Return widths that the cells need; headings that need more are written upright."""
    cells = [max((_width(row[column]) for row in rows), default=0.0) for column in range(len(headings))]
    return [max(_LEAST, width + _PAD) for width in cells]


def _width(text: str, font: float = _FONT) -> float:
    return max(text_width(line) for line in text.split("\n")) * font


def _height(text: str) -> float:
    return (text.count("\n") + 1) * _FONT * _LINE + 6
