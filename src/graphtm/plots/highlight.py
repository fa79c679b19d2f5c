"""Highlighted parts of a graph: the evidence of a rule, a planted motif, the winning chain of a game."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.names import name_key, normalize_name, shorten
from graphtm.plots.drawing import Drawing, text_width
from graphtm.plots.edges import TEXT_FONT, Band, Line

FILL, BORDER = "#FFD8A8", "#B35900"
"""Colours of highlighted nodes; edges have a band in the same colour."""
STRONG = "#111111"
"""Border of highlighted nodes where scores are the colours."""
PALE_FILL, PALE_BORDER, PALE_TEXT = "#FAFAFA", "#CCCCCC", "#8C8C8C"
"""Colours of the others."""
_BAND = 7.0
_FOCUS_WIDTH, _WIDTH = 3.4, 1.8


class Words(NamedTuple):
    """What a legend says of highlighted parts: its title, and what focus, nodes and edges are."""

    title: str = "highlighted"
    focus: str = "focus"
    nodes: str = "nodes"
    edges: str = "edges"


class Highlight:
    """What is highlighted in one graph.

    Parameters
    ----------
    drawing
        The graph.
    nodes
        Names of nodes; ``None`` for none.
    edges
        Pairs of an edge (source, destination, type) and its text; ``None`` for none.
    focus
        Names of nodes with the thickest border.
    scored
        Whether colours are scores. Highlighted nodes then differ by their border only, and no node is pale.
    words
        What the legend says.

    Raises
    ------
    ValueError
        If the graph has no such node or edge.
    """

    def __init__(
        self,
        drawing: Drawing,
        nodes: Iterable[Hashable] | None,
        edges: Iterable[tuple[Any, str]] | None,
        focus: Iterable[Hashable] = (),
        *,
        scored: bool = False,
        words: Words | None = None,
    ) -> None:
        self.active = nodes is not None or edges is not None
        self.scored = scored
        self._words = Words() if words is None else words
        self.focus = _marked(drawing, focus, "focus")
        self.nodes = _marked(drawing, () if nodes is None else nodes, "highlight") | self.focus
        self.edges = _numbered(drawing, () if edges is None else edges)
        ends = [end for edge in self.edges for end in edge[:2]]
        self._near = self.nodes.copy()
        self._near[ends] = True

    @property
    def alone(self) -> list[tuple[int, int, int]]:
        """The edges that are arrows of their own: those whose opposites are not highlighted in the same way."""
        return [
            (source, destination, kind)
            for (source, destination, kind), text in self.edges.items()
            if self.edges.get((destination, source, kind)) != text
        ]

    def marked(self, line: Line) -> bool:
        """Whether the edges of a line are highlighted."""
        return (line.source, line.destination, line.type) in self.edges

    def is_pale(self, node: int) -> bool:
        """Whether a node is pale: neither highlighted, nor at the end of a highlighted edge."""
        return self.fades and not self._near[node]

    def text(self, line: Line) -> str:
        """Return the text of a line."""
        return self.edges.get((line.source, line.destination, line.type), "")

    @property
    def text_width(self) -> float:
        """Width in points of the longest text of an edge."""
        return max((text_width(text) * TEXT_FONT + 16 for text in self.edges.values() if text), default=0.0)

    @property
    def fades(self) -> bool:
        """Whether parts that are not highlighted are pale."""
        return self.active and not self.scored

    def node_style(self, node: int) -> dict[str, Any]:
        """Return how a node differs from the usual."""
        if self.nodes[node]:
            return self._style(focus=bool(self.focus[node]))
        return {"facecolor": PALE_FILL, "edgecolor": PALE_BORDER} if self.is_pale(node) else {}

    def _style(self, *, focus: bool) -> dict[str, Any]:
        border = STRONG if self.scored else BORDER
        width = _FOCUS_WIDTH if focus else _WIDTH + 0.6 * self.scored
        return {"edgecolor": border, "linewidth": width} | ({} if self.scored else {"facecolor": FILL})

    def bands(self, lines: list[Line], scored: list[Band | None]) -> list[Band | None]:
        """Return the bands under lines: those of scores, or of what is highlighted."""
        from matplotlib.colors import to_rgb

        if self.scored:
            return scored
        band = Band(to_rgb(FILL), _BAND)
        return [band if self.marked(line) else other for line, other in zip(lines, scored, strict=True)]

    def legend_entries(self) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
        """Return the title and the entries of the legend."""
        found: list[tuple[str, dict[str, Any]]] = []
        paper = {"facecolor": "white"} if self.scored else {}
        if self.focus.any():
            found.append((self._words.focus, paper | self._style(focus=True)))
        if (self.nodes & ~self.focus).any():
            found.append((self._words.nodes, paper | self._style(focus=False)))
        if self.edges:
            found.append((self._words.edges, {"color": STRONG if self.scored else FILL, "linewidth": _BAND}))
        return self._words.title, found


def _marked(drawing: Drawing, names: Iterable[Hashable], parameter: str) -> NDArray[np.bool_]:
    """Return which nodes are named."""
    if isinstance(names, str):
        raise ValueError(
            f"The {parameter!r} parameter of draw_graph must be a list of names of nodes. Got the string {names!r} "
            f"instead; write [{names!r}]."
        )
    number = {name_key(name): place for place, name in enumerate(drawing.names)}
    found = np.zeros(len(drawing.names), np.bool_)
    for name in map(normalize_name, names):
        if name_key(name) not in number:
            raise ValueError(
                f"The {parameter!r} parameter of draw_graph must have names of nodes, among {shorten(drawing.names)}. "
                f"Got {name!r} instead."
            )
        found[number[name_key(name)]] = True
    return found


def with_texts(edges: Iterable[Any] | Mapping[Any, str] | None) -> list[tuple[Any, str]] | None:
    """Return edges with their texts, none if they are not given."""
    if edges is None:
        return None
    return list(edges.items()) if isinstance(edges, Mapping) else [(edge, "") for edge in edges]


def _numbered(drawing: Drawing, edges: Iterable[tuple[Any, str]]) -> dict[tuple[int, int, int], str]:
    """Return the texts of edges by their numbers of source, destination and type."""
    node = {name_key(name): place for place, name in enumerate(drawing.names)}
    kind = {name_key(name): place for place, name in enumerate(drawing.edge_type_names)}
    there = set(zip(drawing.source.tolist(), drawing.destination.tolist(), drawing.edge_types.tolist(), strict=True))
    found = {}
    for edge, text in edges:
        parts = [name_key(normalize_name(part)) for part in edge] if isinstance(edge, tuple | list) else []
        numbers = (-1, -1, -1)
        if len(parts) == 3:
            numbers = node.get(parts[0], -1), node.get(parts[1], -1), kind.get(parts[2], -1)
        if numbers not in there:
            raise ValueError(
                "The 'highlight_edges' parameter of draw_graph must have edges of the graph, as (source, destination, "
                f"type). Got {edge!r} instead."
            )
        found[numbers] = str(text)
    return found
