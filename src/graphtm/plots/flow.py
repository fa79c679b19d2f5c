"""Message flow of a deep clause: its parts layer by layer, where they hold, and the messages between them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from graphtm.foundation.names import Name, name_key
from graphtm.graphs import PLAIN
from graphtm.plots.drawing import Labels, name_text, text_width, wrapped
from graphtm.plots.edges import style
from graphtm.plots.highlight import BORDER, FILL
from graphtm.plots.legends import Group
from graphtm.plots.sheets import Sheet

MOST_COLUMNS = 14
"""Largest number of nodes that are drawn; of more, those at which a part is needed come first."""
MOST_ROWS = 30
"""Largest number of rows, one per part of a clause; of more, those of the highest layers."""
NEEDED: dict[str, Any] = {"facecolor": FILL, "edgecolor": BORDER, "linewidth": 1.6}
HOLDS: dict[str, Any] = {"facecolor": "#FFF3E2", "edgecolor": "#D9B48C", "linewidth": 0.8}
FAILS: dict[str, Any] = {"facecolor": "white", "edgecolor": "#DDDDDD", "linewidth": 0.8}
"""Looks of parts: needed for the clause at the focus; true, but not needed; false."""
_CHIP = (34.0, 17.0)
_ROW, _LAYER = 24.0, 30.0
"""Height of a row, and the space between layers."""
_MARGIN, _FONT, _HEADING = 190.0, 8.0, 9.0
_GAP = 26.0


def draw_message_flow(
    nodes: Sequence[Hashable],
    parts: Sequence[Mapping[str, Any]],
    messages: Sequence[Mapping[str, Any]],
    *,
    focus: Hashable = None,
    node_text: Sequence[str] | None = None,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    r"""Draw how a clause with several layers becomes true at a node, in the manner of the paper's receptive field.

    Each column is a node, each row a part of a clause: its conditions in one layer. The lowest rows are layer 0, which
    reads symbols; those above read messages. Boxes are filled where a part holds, together with the layers below it.
    Arrows are messages that the clause at the focus depends on, directly or through others; dashed lines join the
    layers of a clause.

    Parameters
    ----------
    nodes
        Names of the nodes.
    parts
        A mapping for each part: ``"layer"``, ``"clause"``, ``"text"`` (its conditions), ``"holds"`` (names of the nodes
        at which the clause is true up to this layer), and ``"needed"`` (those at which the focus depends on it).
    messages
        A mapping for each message: ``"layer"`` at which it arrives, ``"clause"`` that sends it, ``"edge"`` (source,
        destination, type), and ``"to"``, the clause that reads it.
    focus
        Name of the node at which the clause is true.
    node_text
        Text of each node. Default: the names.
    title
        Text above the diagram.
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
    C1 holds at ``y``, because C0 holds at ``x``:

    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_message_flow
    >>> parts = [
    ...     {"layer": 0, "clause": 0, "text": "A", "holds": ["x"], "needed": ["x"]},
    ...     {"layer": 0, "clause": 1, "text": "B", "holds": ["y"], "needed": ["y"]},
    ...     {"layer": 1, "clause": 1, "text": "right:C0", "holds": ["y"], "needed": ["y"]},
    ... ]
    >>> messages = [{"layer": 1, "clause": 0, "edge": ("x", "y", "right"), "to": 1}]
    >>> ax = draw_message_flow(["x", "y"], parts, messages, focus="y", node_text=["x: A", "y: B"])
    >>> [text.get_text() for text in ax.texts][:4]
    ['layer 0', 'C0: A', 'C0', 'C0']
    """
    return _Diagram(nodes, parts, messages, focus, node_text).draw(ax, title)


class _Diagram:
    """Where everything goes."""

    def __init__(
        self,
        nodes: Sequence[Hashable],
        parts: Sequence[Mapping[str, Any]],
        messages: Sequence[Mapping[str, Any]],
        focus: Hashable,
        node_text: Sequence[str] | None,
    ) -> None:
        names = list(nodes)
        texts = [name_text(name) for name in names] if node_text is None else list(node_text)
        if len(texts) != len(names):
            raise ValueError(
                f"The 'node_text' parameter of draw_message_flow must have one string per node, {len(names)} in total. "
                f"Got {len(texts)} instead."
            )
        self._all = len(names)
        needed = {name_key(node) for part in parts for node in part["needed"]}
        ranked = sorted(range(len(names)), key=lambda place: (name_key(names[place]) not in needed, place))
        shown = sorted(ranked[:MOST_COLUMNS])
        self._column = {name_key(names[place]): number for number, place in enumerate(shown)}
        self._texts = [texts[place] for place in shown]
        self._focus = name_key(focus)
        self._parts = sorted(parts, key=lambda part: part["layer"])[-MOST_ROWS:]
        self._left_out = len(parts) - len(self._parts)
        self._row = {(part["layer"], part["clause"]): row for row, part in enumerate(self._parts)}
        self._messages = [one for one in messages if self._is_shown(one)]
        self._kinds: dict[Hashable, Name] = {name_key(one["edge"][2]): one["edge"][2] for one in messages}
        self._lay_out()

    def _is_shown(self, message: Mapping[str, Any]) -> bool:
        source, destination, _ = message["edge"]
        rows = (message["layer"] - 1, message["clause"]), (message["layer"], message["to"])
        ends = name_key(source), name_key(destination)
        return all(row in self._row for row in rows) and all(end in self._column for end in ends)

    def _lay_out(self) -> None:
        labels = Labels([text.splitlines() for text in self._texts])
        self._headings = labels.texts(max(labels.most_lines, 1))
        sizes = labels.sizes(_HEADING, max(labels.most_lines, 1))
        step = max(_CHIP[0], float(sizes[:, 0].max())) + _GAP
        self._heading_sizes, below = sizes, float(sizes[:, 1].max()) + 14
        self._rules = [wrapped(f"C{part['clause']}: {part['text']}", _MARGIN - 12, _FONT, 3) for part in self._parts]
        y, last, self._y, self._low = below, None, list[float](), list[float]()
        for part, text in zip(self._parts, self._rules, strict=True):
            height = max(_ROW, (text.count("\n") + 1) * _FONT * 1.25 + 6)
            if part["layer"] != last:
                y += 0.0 if last is None else _LAYER
                y += 12.0
                last = part["layer"]
            self._low.append(y)
            self._y.append(y + height / 2)
            y += height
        margin = min(_MARGIN, 24 + max(text_width(line) for text in self._rules for line in text.split("\n")) * _FONT)
        self._x = [margin + step * (column + 0.5) for column in range(len(self._texts))]
        self.size = margin + step * len(self._texts) + 8, y + 8

    def draw(self, ax: Any, title: str | None) -> Any:
        sheet = Sheet(ax, self.size, self._legends(), title)
        self._draw_parts(sheet)
        self._draw_nodes(sheet)
        self._draw_messages(sheet)
        return sheet.ax

    def _draw_parts(self, sheet: Sheet) -> None:
        layer = None
        for row, part in enumerate(self._parts):
            y = self._y[row]
            if part["layer"] != layer:
                layer, low = part["layer"], self._low[row]
                sheet.write(0, low - 6, f"layer {layer}", _FONT, ha="left", color="#666666", weight="bold")
                sheet.arrow((0, low - 12), (self.size[0], low - 12), arrowstyle="-", color="#E4E4E4", linewidth=0.8)
            sheet.write(8, y, self._rules[row], _FONT, ha="left", linespacing=1.15)
            holds, needed = ({name_key(node) for node in part[what]} for what in ("holds", "needed"))
            for node, column in self._column.items():
                look = NEEDED if node in needed else HOLDS if node in holds else FAILS
                is_goal = node == self._focus and row == len(self._parts) - 1
                look = look | ({"linewidth": 3.0} if is_goal else {})
                sheet.box(self._x[column], y, *_CHIP, rounded=4.0, **look)
                colour = "black" if node in needed else "#8A6A45" if node in holds else "#BBBBBB"
                sheet.write(self._x[column], y, f"C{part['clause']}", _FONT, color=colour)

    def _draw_nodes(self, sheet: Sheet) -> None:
        middle = float(self._heading_sizes[:, 1].max()) / 2 + 2
        for node, column in self._column.items():
            width, height = self._heading_sizes[column].tolist()
            edge = {"edgecolor": BORDER, "linewidth": 2.0} if node == self._focus else {"edgecolor": "#888888"}
            sheet.box(self._x[column], middle, width, height, rounded=3.0, facecolor="#F4F4F4", **edge)
            sheet.write(self._x[column], middle, self._headings[column], _HEADING, linespacing=1.15)
        notes = []
        if self._all > len(self._column):
            notes.append(f"{len(self._column)} of {self._all:,} nodes")
        if self._left_out:
            notes.append(f"{self._left_out:,} parts of lower layers left out")
        if notes:
            sheet.write(0, middle, "\n".join(notes), 7.0, ha="left", color="#666666")

    def _draw_messages(self, sheet: Sheet) -> None:
        kinds = list(self._kinds)
        half = _CHIP[1] / 2
        drawn = set()
        for message in self._messages:
            source, destination, kind = message["edge"]
            low = self._row[message["layer"] - 1, message["clause"]]
            high = self._row[message["layer"], message["to"]]
            start = self._x[self._column[name_key(source)]], self._y[low] + half
            end = self._x[self._column[name_key(destination)]], self._y[high] - half
            key = (start, end, name_key(kind))
            if key not in drawn:
                drawn.add(key)
                look = style(kinds.index(name_key(kind)))
                sheet.arrow(start, end, linewidth=1.5, mutation_scale=11, zorder=2.5, **look)
        for row, part in enumerate(self._parts):
            above = self._row.get((part["layer"] + 1, part["clause"]))
            if above is None:
                continue
            both = {name_key(node) for node in part["needed"]} & {
                name_key(node) for node in self._parts[above]["needed"]
            }
            for node in both & set(self._column):
                x = self._x[self._column[node]]
                ends = (x, self._y[row] + half), (x, self._y[above] - half)
                sheet.arrow(*ends, arrowstyle="-", linestyle=":", color="#777777", linewidth=1.2)

    def _legends(self) -> list[Group]:
        kinds = list(self._kinds.values())
        edges = [(f"message over {name_text(kind)}", style(number)) for number, kind in enumerate(kinds)]
        if kinds == [PLAIN]:
            edges = [("message", style(0))]
        dotted = {"color": "#777777", "linestyle": ":"}
        joined = any((part["layer"] + 1, part["clause"]) in self._row for part in self._parts)
        edges += [("AND", dotted)] if joined else []
        states = [("holds, and is needed", NEEDED), ("holds", HOLDS), ("does not hold", FAILS)]
        return [Group("clause at a node, up to the layer", states), Group("lines", edges)]
