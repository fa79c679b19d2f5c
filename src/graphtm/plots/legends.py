"""Legends of drawings: edge types, node types, and what colours and borders mean."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtm.foundation.calling import require
from graphtm.graphs import PLAIN
from graphtm.plots.drawing import Drawing, name_text, text_width
from graphtm.plots.edges import style
from graphtm.plots.heat import Heat
from graphtm.plots.highlight import Highlight

NODE_COLOURS = ("#DCEBF7", "#FBE3D6", "#DDF2E7", "#F6E1EE", "#FFF2CC", "#E6E6E6")
MOST_ENTRIES = 12
"""Maximum number of edge types in the legend."""
_FONT, _LINE, _PAD = 8.0, 12.5, 7.0
"""Sizes in points: letters, a line, and the space above and below a legend."""
_HANDLE = 39.0
"""Width in points of the sign before a text, with the space around both."""


class Group(NamedTuple):
    """Entries of a legend under one title: a text, and the style of its line or box."""

    title: str
    entries: list[tuple[str, dict[str, Any]]]

    @property
    def column(self) -> float:
        """Width in points of a column."""
        return max(text_width(text) for text, _ in self.entries) * _FONT + _HANDLE

    def n_columns(self, width: float) -> int:
        """Return the number of columns that fit in a width in points."""
        return max(1, min(len(self.entries), int(width // self.column)))

    def height(self, width: float) -> float:
        """Return the height in points within a width."""
        n_rows = -(-len(self.entries) // self.n_columns(width))
        return (n_rows + 1) * _LINE + _PAD


def node_style(node_type: int, *, scored: bool) -> dict[str, Any]:
    """Return the colours of a node of a type, -1 for none; if it is scored, the type is in the border."""
    if scored:
        return {"facecolor": "white", "edgecolor": "#888888" if node_type < 0 else style(node_type)["color"]}
    colour = "#F4F4F4" if node_type < 0 else NODE_COLOURS[node_type % len(NODE_COLOURS)]
    return {"facecolor": colour, "edgecolor": "#888888"}


def readout_style(*, highlighted: bool) -> dict[str, Any]:
    """Return the border of readout nodes; where borders show what is highlighted, it is dashed."""
    return {"edgecolor": "#222222", **({"linestyle": "--", "linewidth": 1.4} if highlighted else {"linewidth": 2.0})}


def legend_groups(drawing: Drawing, heat: Heat, highlight: Highlight) -> list[Group]:
    """Return what the legends of a drawing contain."""
    used = np.unique(drawing.edge_types).tolist()
    edges = [(name_text(drawing.edge_type_names[number]), style(number)) for number in used]
    if [drawing.edge_type_names[number] for number in used] == [PLAIN]:
        edges = []
    if len(edges) > MOST_ENTRIES:
        left_out = len(edges) - MOST_ENTRIES + 1
        edges = [*edges[: MOST_ENTRIES - 1], (f"… {left_out} more types", {"color": "none"})]
    nodes = [
        (name_text(drawing.node_type_names[number]), node_style(number, scored=heat.nodes is not None))
        for number in np.unique(drawing.node_types[drawing.node_types >= 0]).tolist()
    ]
    title = "node type" if nodes else "node"
    if not drawing.readout.all():
        nodes.append(("readout", {"facecolor": "white", **readout_style(highlighted=highlight.active)}))
    groups = [Group("edge type", edges), Group(title, nodes), Group("node score", heat.legend_entries())]
    groups.append(Group(*highlight.legend_entries()))
    return [group for group in groups if group.entries]


def legend_height(groups: list[Group], width: float) -> float:
    """Return the height in points that legends need below axes of some width."""
    heights = [group.height(width) for group in groups]
    return max(heights, default=0.0) if _in_a_row(groups, width) else sum(heights)


def draw_legends(ax: Any, groups: list[Group], size: tuple[float, float], *, above: bool) -> None:
    """Draw legends below or above axes of a size in points, side by side if there is room, else one below the other."""
    width, height = size
    left, offset = (1 - sum(map(_row_width, groups)) / width) / 2, 0.0
    for group in groups:
        place, columns = (0.5, offset), group.n_columns(width)
        if _in_a_row(groups, width):
            share = _row_width(group) / width
            place, columns = (left + share / 2, 0.0), len(group.entries)
            left += share
        else:
            offset += group.height(width)
        _draw_legend(ax, group, (place[0], 1 + place[1] / height if above else -place[1] / height), columns, above)


def _row_width(group: Group) -> float:
    """Return the width in points of all entries of a group in one row, and of their title."""
    return max(group.column * len(group.entries), text_width(group.title) * _FONT + 2 * _PAD)


def _in_a_row(groups: list[Group], width: float) -> bool:
    return sum(map(_row_width, groups)) <= width


def _draw_legend(ax: Any, group: Group, place: tuple[float, float], n_columns: int, above: bool) -> None:
    patches, lines = (require(f"matplotlib.{name}", "draw_graph", "plots") for name in ("patches", "lines"))
    legends = require("matplotlib.legend", "draw_graph", "plots")
    handles = [
        patches.Patch(**look) if "facecolor" in look else lines.Line2D([], [], **look) for _, look in group.entries
    ]
    options = {
        # A leading underscore would hide an entry.
        "labels": [f" {text}" if text.startswith("_") else text for text, _ in group.entries],
        "title": group.title,
        "title_fontsize": _FONT,
        "loc": "lower center" if above else "upper center",
        "bbox_to_anchor": place,
        "ncols": n_columns,
        "fontsize": _FONT,
        "frameon": False,
        "borderaxespad": 0.2,
    }
    if ax.get_legend() is None:
        legend = ax.legend(handles=handles, **options)
    else:
        legend = legends.Legend(ax, handles, bbox_transform=ax.transAxes, **options)
        ax.add_artist(legend)
    for text in (*legend.get_texts(), legend.get_title()):
        text.set_parse_math(False)
