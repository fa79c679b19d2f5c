"""Edges as arrows: shared lines, curvature, and the colour and dash of each type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.calling import require
from graphtm.plots.drawing import text_width

# The colour-blind safe palette of Okabe and Ito.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#333333")
DASHES = ("-", "--", ":")
MOST_ARROWS = 600
"""Largest number of lines drawn with arrow heads; with more, heads would cover the picture."""
PALE = 0.3
"""Opacity of lines that are not highlighted."""
TEXT_FONT = 7.0
"""Size in points of texts on lines."""
STUB = 12.0
"""Length in points of the ends of a line that is cut."""


@dataclass(frozen=True)
class Line:
    """Edges that are drawn as one line.

    Parameters
    ----------
    source, destination
        Node numbers.
    type
        Number of the edge type.
    both_ways
        Whether there are edges in both directions.
    count
        Number of edges in each direction.
    place, of
        Index of the line among those between the two nodes, and their number.
    """

    source: int
    destination: int
    type: int
    both_ways: bool
    count: int
    place: int
    of: int


class Band(NamedTuple):
    """Colour and width in points of the band under a line, which shows a score."""

    colour: tuple[float, float, float]
    width: float


class Look(NamedTuple):
    """How a line differs from the usual: emphasised, with a text, or pale."""

    strong: bool = False
    text: str = ""
    pale: bool = False


def lines_of(
    source: Int64Array,
    destination: Int64Array,
    types: Int64Array,
    alone: Collection[tuple[int, int, int]] = (),
) -> list[Line]:
    """Return the lines to draw: parallel edges of a type share a line, and so do both directions.

    The edges in ``alone`` do not share a line with those in the other direction.
    """
    counts: dict[tuple[int, int, int], int] = {}
    for edge in zip(source.tolist(), destination.tolist(), types.tolist(), strict=True):
        counts[edge] = counts.get(edge, 0) + 1
    between: dict[tuple[int, int], list[tuple[int, int, int, bool, int]]] = {}
    for (start, end, edge_type), number in counts.items():
        back = counts.get((end, start, edge_type), 0) if start != end else 0
        if not {(start, end, edge_type), (end, start, edge_type)}.isdisjoint(alone):
            back = 0
        if back == number and start > end:
            continue
        pair = (min(start, end), max(start, end))
        between.setdefault(pair, []).append((start, end, edge_type, back == number, number))
    return [Line(*edge, place, len(edges)) for edges in between.values() for place, edge in enumerate(edges)]


def style(edge_type: int) -> dict[str, Any]:
    """Return the colour and dash of an edge type."""
    return {
        "color": COLOURS[edge_type % len(COLOURS)],
        "linestyle": DASHES[edge_type // len(COLOURS) % len(DASHES)],
    }


def is_undirected(source: Int64Array, destination: Int64Array, types: Int64Array) -> bool:
    """Whether every edge has an opposite of its type, so that heads of arrows would tell nothing."""
    edges = Counter(zip(source.tolist(), destination.tolist(), types.tolist(), strict=True))
    others = [edge for edge in edges if edge[0] != edge[1]]
    return bool(others) and all(edges[start, end, kind] == edges[end, start, kind] for start, end, kind in others)


def bend(line: Line, *, chain: bool, centres: NDArray[np.float64], heights: NDArray[np.float64]) -> float:
    """Return the curvature of a line, relative to its length; negative values bend to the left.

    In a chain, a line that skips nodes passes above them if it points forward, and below them if it points back.
    """
    start, end = line.source, line.destination
    reach = abs(end - start)
    same_row = bool(np.isclose(centres[start, 1], centres[end, 1]))
    if chain and reach > 1 and same_row:
        length = float(np.abs(centres[end, 0] - centres[start, 0]))
        height = float(heights.max()) / 2 + 9.0 * reach + 6.0 * line.place
        return -2 * height / max(length, 1.0)
    bent = 0.3 * (line.place - (line.of - 1) / 2)
    return bent if start < end else -bent


class Curve(NamedTuple):
    """A curve between two points, cut at the border of patches."""

    ends: Sequence[NDArray[np.float64]]
    bent: float = 0.0
    clip: tuple[Any, Any] = (None, None)
    shrink: tuple[float, float] = (0.0, 0.0)


def draw_lines(
    ax: Any,
    lines: list[Line],
    centres: NDArray[np.float64],
    places: NDArray[np.float64],
    boxes: list[Any],
    sizes: NDArray[np.float64],
    bands: Sequence[Band | None],
    looks: Sequence[Look],
    *,
    kind: str,
    undirected: bool,
) -> None:
    """Draw arrows between boxes.

    Parameters
    ----------
    ax
        The axes.
    lines
        Lines from :func:`lines_of`.
    centres, places
        Centres of the nodes in points and in data coordinates.
    boxes
        Patch of each node, at whose border arrows end, or ``None`` for a dot.
    sizes
        Widths and heights of the boxes in points.
    bands
        Band under each line, or ``None``.
    looks
        How each line differs from the usual.
    kind
        Kind of the layout. In a text, lines from the end of one line to the start of the next are cut.
    undirected
        Whether heads are left out, except for highlighted edges.
    """
    if len(lines) > MOST_ARROWS:
        _draw_plain(ax, lines, places, bands)
        return
    scale = _points_per_unit(ax)
    texts = _Texts(ax, centres, sizes)
    for line, band, look in zip(lines, bands, looks, strict=True):
        # A highlighted edge that is alone has a direction, even where the others have none.
        there = "" if undirected and not (look.strong and not line.both_ways) else "|>"
        back = "<|" if line.both_ways and not undirected else ""
        around = boxes[line.source], boxes[line.destination]
        shrink = tuple(1.0 if box is not None else 5.0 for box in around)
        if kind == "text" and _is_broken(line, centres):
            for curve, heads in _stubs(line, places, sizes, scale, around, shrink, (f"{back}-", f"-{there}")):
                _draw_arrow(ax, curve, heads, line, band, look)
            continue
        curve = Curve((places[line.source], places[line.destination]), 0.0, around, (shrink[0], shrink[1]))
        if line.source == line.destination:
            half = np.array([6.0 + 4 * line.place, 0.0])
            top = np.array([0, sizes[line.source, 1] / 2 + 1])
            curve = Curve([places[line.source] + spot / scale for spot in (top - half, top + half)], -1.5)
        else:
            is_chain = kind in ("chain", "text")
            curve = curve._replace(bent=bend(line, chain=is_chain, centres=centres, heights=sizes[:, 1]))
        _draw_arrow(ax, curve, f"{back}-{there}", line, band, look)
        if line.count > 1:
            texts.write(f"\N{MULTIPLICATION SIGN}{line.count}", line, curve)
        if look.text:
            texts.write(look.text, line, curve, if_room=True)


def _draw_arrow(ax: Any, curve: Curve, heads: str, line: Line, band: Band | None, look: Look) -> None:
    patches = require("matplotlib.patches", "draw_graph", "plots")
    ends: dict[str, Any] = {
        "posA": tuple(curve.ends[0]), "posB": tuple(curve.ends[1]), "connectionstyle": f"arc3,rad={curve.bent:.4f}",
        "patchA": curve.clip[0], "patchB": curve.clip[1], "shrinkA": curve.shrink[0], "shrinkB": curve.shrink[1],
    }  # fmt: skip
    if band is not None:
        below = {"color": band.colour, "linewidth": band.width, "capstyle": "butt", "zorder": 1.5}
        ax.add_patch(patches.FancyArrowPatch(**ends, arrowstyle="-", **below))
    sizes = {"mutation_scale": 13, "linewidth": 2.2} if look.strong else {"mutation_scale": 8, "linewidth": 1.1}
    shade = {"alpha": PALE} if look.pale else {}
    above = 2.2 if look.strong else 2
    ax.add_patch(patches.FancyArrowPatch(**ends, arrowstyle=heads, zorder=above, **sizes, **shade, **style(line.type)))


def _stubs(
    line: Line,
    places: NDArray[np.float64],
    sizes: NDArray[np.float64],
    scale: NDArray[np.float64],
    boxes: tuple[Any, Any],
    shrink: tuple[float, ...],
    heads: tuple[str, str],
) -> list[tuple[Curve, str]]:
    """Return both ends of a line that leads from the end of one line of text to the start of the next, or back."""
    outside = []
    for node, other in ((line.source, line.destination), (line.destination, line.source)):
        side = 1 if node < other else -1
        outside.append(places[node] + [side * (sizes[node, 0] / 2 + STUB) / scale[0], 0])
    return [
        (Curve((places[line.source], outside[0]), 0.0, (boxes[0], None), (shrink[0], 0.0)), heads[0]),
        (Curve((outside[1], places[line.destination]), 0.0, (None, boxes[1]), (0.0, shrink[1])), heads[1]),
    ]


def _is_broken(line: Line, centres: NDArray[np.float64]) -> bool:
    """Whether a line leads from the end of one line of text to the start of the next, or back."""
    return abs(line.source - line.destination) == 1 and not np.isclose(*centres[[line.source, line.destination], 1])


class _Texts:
    """Writes texts on lines, where they cover neither boxes nor each other."""

    def __init__(self, ax: Any, centres: NDArray[np.float64], sizes: NDArray[np.float64]) -> None:
        self._ax = ax
        self._taken = [(*centre, *size) for centre, size in zip(centres.tolist(), sizes.tolist(), strict=True)]

    def write(self, text: str, line: Line, curve: Curve, *, if_room: bool = False) -> None:
        """Write a text at the middle of a line, where a quadratic curve has half its bend."""
        pixels = self._ax.transData.transform(np.array(curve.ends))
        along = pixels[1] - pixels[0]
        middle = pixels.mean(axis=0) + curve.bent / 2 * np.array([along[1], -along[0]])
        if if_room and not self._take(middle, text):
            return
        x, y = self._ax.transData.inverted().transform(middle)
        self._ax.text(
            x,
            y,
            text,
            color=style(line.type)["color"],
            fontsize=TEXT_FONT,
            ha="center",
            va="center",
            zorder=4,
            parse_math=False,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )

    def _take(self, pixels: NDArray[np.float64], text: str) -> bool:
        """Whether there is room for a text at a place, which is then taken."""
        low = self._ax.get_window_extent().min
        x, y = ((pixels - low) * 72 / self._ax.figure.dpi).tolist()
        wanted = (x, y, text_width(text) * TEXT_FONT, 1.3 * TEXT_FONT)
        if any(abs(x - a) < (wanted[2] + w) / 2 and abs(y - b) < (wanted[3] + h) / 2 for a, b, w, h in self._taken):
            return False
        self._taken.append(wanted)
        return True


def _draw_plain(ax: Any, lines: list[Line], places: NDArray[np.float64], bands: Sequence[Band | None]) -> None:
    collections = require("matplotlib.collections", "draw_graph", "plots")
    scored = [(places[[line.source, line.destination]], band) for line, band in zip(lines, bands, strict=True) if band]
    if scored:
        ax.add_collection(
            collections.LineCollection(
                [ends for ends, _ in scored],
                colors=[band.colour for _, band in scored],
                linewidths=[band.width for _, band in scored],
                zorder=0.5,
            )
        )
    for edge_type in sorted({line.type for line in lines}):
        ends = np.array([(line.source, line.destination) for line in lines if line.type == edge_type])
        ax.add_collection(
            collections.LineCollection(places[ends], linewidths=0.6, alpha=0.5, zorder=1, **style(edge_type))
        )


def _points_per_unit(ax: Any) -> NDArray[np.float64]:
    """Return the length of a data unit in points, for both axes."""
    pixels: NDArray[np.float64] = ax.transData.transform([(0.0, 0.0), (1.0, 1.0)])
    scale: NDArray[np.float64] = (pixels[1] - pixels[0]) * 72 / ax.figure.dpi
    return scale
