"""Edges as arrows: shared lines, curvature, and the colour and dash of each type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.calling import require

# The colour-blind safe palette of Okabe and Ito.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#333333")
DASHES = ("-", "--", ":")
MOST_ARROWS = 600
"""Largest number of lines drawn with arrow heads; with more, heads would cover the picture."""


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


def lines_of(source: Int64Array, destination: Int64Array, types: Int64Array) -> list[Line]:
    """Return the lines to draw: parallel edges of a type share a line, and so do both directions."""
    counts: dict[tuple[int, int, int], int] = {}
    for edge in zip(source.tolist(), destination.tolist(), types.tolist(), strict=True):
        counts[edge] = counts.get(edge, 0) + 1
    between: dict[tuple[int, int], list[tuple[int, int, int, bool, int]]] = {}
    for (start, end, edge_type), number in counts.items():
        back = counts.get((end, start, edge_type), 0) if start != end else 0
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


def draw_lines(
    ax: Any,
    lines: list[Line],
    centres: NDArray[np.float64],
    places: NDArray[np.float64],
    boxes: list[Any],
    heights: NDArray[np.float64],
    bands: Sequence[Band | None],
    *,
    chain: bool,
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
    heights
        Heights of the boxes in points.
    bands
        Band under each line, or ``None``.
    chain
        Whether the layout is a chain.
    """
    if len(lines) > MOST_ARROWS:
        _draw_plain(ax, lines, places, bands)
        return
    patches = require("matplotlib.patches", "draw_graph", "plots")
    scale = _points_per_unit(ax)
    for line, band in zip(lines, bands, strict=True):
        if line.source == line.destination:
            half = np.array([6.0 + 4 * line.place, 0.0])
            top = centres[line.source] + [0, heights[line.source] / 2 + 1]
            ends = [(places[line.source] + (spot - centres[line.source]) / scale) for spot in (top - half, top + half)]
            bent, clip = -1.5, (None, None)
        else:
            ends = [places[line.source], places[line.destination]]
            bent = bend(line, chain=chain, centres=centres, heights=heights)
            clip = boxes[line.source], boxes[line.destination]
        shrink = [0.0 if line.source == line.destination else 1.0 if box is not None else 5.0 for box in clip]
        curve = {
            "posA": tuple(ends[0]), "posB": tuple(ends[1]), "connectionstyle": f"arc3,rad={bent:.4f}",
            "patchA": clip[0], "patchB": clip[1], "shrinkA": shrink[0], "shrinkB": shrink[1],
        }  # fmt: skip
        heads = "<|-|>" if line.both_ways else "-|>"
        if band is not None:
            below = {"color": band.colour, "linewidth": band.width, "capstyle": "butt", "zorder": 1.5}
            ax.add_patch(patches.FancyArrowPatch(**curve, arrowstyle="-", **below))
        ax.add_patch(
            patches.FancyArrowPatch(
                **curve, arrowstyle=heads, mutation_scale=8, linewidth=1.1, zorder=2, **style(line.type)
            )
        )
        if line.count > 1:
            _write_count(ax, line, ends, bent)


def _write_count(ax: Any, line: Line, ends: list[NDArray[np.float64]], bent: float) -> None:
    """Write the number of edges at the middle of a line, where a quadratic curve has half its bend."""
    pixels = ax.transData.transform(np.array(ends))
    along = pixels[1] - pixels[0]
    middle = pixels.mean(axis=0) + bent / 2 * np.array([along[1], -along[0]])
    x, y = ax.transData.inverted().transform(middle)
    ax.text(
        x,
        y,
        f"\N{MULTIPLICATION SIGN}{line.count}",
        color=style(line.type)["color"],
        fontsize=7,
        ha="center",
        va="center",
        zorder=4,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )


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
