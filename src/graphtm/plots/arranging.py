"""Where nodes go: the kind of layout, positions that depend on the size of the axes, and the size of new figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.calling import require
from graphtm.plots import layouts
from graphtm.plots.canvas import Fit
from graphtm.plots.drawing import MOST_TITLE_LINES, Drawing, Labels, text_width, wrapped
from graphtm.plots.legends import Group, legend_height

TITLE_FONTS = (10.0, 9.0, 8.0, 7.0, 6.0, 5.0)
"""Sizes in points of titles: the usual one, and those for axes that leave little room."""
MOST_TITLE = 460.0
"""Largest width in points that a new figure has for the sake of its title."""
MOST_INCHES = (12.0, 9.0)
"""Largest width and height of the nodes' part of a new figure."""
_FONTS = (9.0, 8.0, 7.0, 6.0)
_BESIDE, _BETWEEN, _MARGIN = 18.0, 20.0, 14.0
"""Space in points between words of a line, between lines, and around a text."""


def choose(drawing: Drawing, layout: str | ArrayLike, seed: int) -> tuple[str, NDArray[np.float64] | None]:
    """Return the kind of layout, and the positions of the nodes if they do not depend on the size of the axes."""
    n_nodes = len(drawing.names)
    if not isinstance(layout, str):
        places = np.asarray(layout, dtype=float)
        if places.shape != (n_nodes, 2) or not np.isfinite(places).all():
            raise ValueError(
                f"The 'layout' parameter of draw_graph must be a name or an array of finite positions (x, y), of shape "
                f"{(n_nodes, 2)}. Got an array of shape {places.shape} instead."
            )
        return "given", places
    if layout not in layouts.LAYOUTS:
        raise ValueError(
            f"The 'layout' parameter of draw_graph must be one of {', '.join(map(repr, layouts.LAYOUTS))} or an array "
            f"of positions. Got {layout!r} instead."
        )
    on_board = layout in ("auto", "grid", "hex")
    known = layouts.places_from_names(drawing.properties, drawing.names) if on_board else None
    if layout == "auto":
        layout = layouts.choose_layout(n_nodes, drawing.source, drawing.destination, known)
    for kind, most, instead in (("spring", layouts.MOST_SPRINGS, "grid"), ("stress", layouts.MOST_STRESS, "spring")):
        if layout == kind and n_nodes > most:
            raise ValueError(
                f"The 'layout' parameter of draw_graph must not be {kind!r} for more than {most:,} nodes. Got "
                f"{n_nodes:,} instead; use {instead!r}, or an array of positions."
            )
    if layout == "grid":
        return layout, layouts.square(n_nodes) if known is None else known
    if layout == "hex":
        return layout, layouts.sheared(layouts.square(n_nodes, one_row=1) if known is None else known)
    if layout == "stress":
        return layout, layouts.stress(n_nodes, drawing.source, drawing.destination, seed)
    return layout, layouts.circle(n_nodes) if layout == "circle" else None


def free_places(
    drawing: Drawing, kind: str, labels: Labels, room: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Return positions that depend on the size of the axes in points, or on edges."""
    n_nodes = len(labels)
    if kind == "spring":
        return layouts.spring(n_nodes, drawing.source, drawing.destination, seed)
    n_rows = 1
    for font in _FONTS:
        width, height = labels.sizes(font, max(labels.most_lines, 1)).max(axis=0)
        n_rows = -(-n_nodes // max(1, int(room[0] // (width + 26))))
        if n_rows * (height + 24 + 2 * room_for_lines(drawing, kind)) <= room[1]:
            break
    return layouts.chain(n_nodes, -(-n_nodes // n_rows))


def text_centres(
    labels: Labels, size: NDArray[np.float64], above: float, font: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centres and the sizes of words in lines, in the middle of axes, in points.

    Parameters
    ----------
    labels
        The words.
    size
        Width of the lines, and height of the axes.
    above
        Space for lines above and below words.
    font
        Size of letters.
    """
    sizes = labels.sizes(font, max(labels.most_lines, 1))
    step = float(sizes[:, 1].max()) + _BETWEEN * font / _FONTS[0] + 2 * above
    places = layouts.text(sizes[:, 0] + _BESIDE * font / _FONTS[0], step, float(size[0]) - 2 * _MARGIN)
    low, high = (places - sizes / 2).min(axis=0), (places + sizes / 2).max(axis=0)
    return places - (low + high) / 2 + size / 2, sizes


def arrange_text(labels: Labels, size: NDArray[np.float64], above: float) -> tuple[NDArray[np.float64], Fit] | None:
    """Return the centres of words in points, and how to write them; ``None`` if there are too many for the axes."""
    for font in (*_FONTS, 5.0):
        centres, sizes = text_centres(labels, size, above, font)
        low, high = (centres - sizes / 2).min(axis=0), (centres + sizes / 2).max(axis=0)
        if (low >= 0).all() and (high <= size).all():
            texts = labels.texts(max(labels.most_lines, 1))
            return centres, Fit(font, texts, sizes, np.ones(len(labels), np.bool_))
    return None


def room_for_lines(drawing: Drawing, kind: str) -> float:
    """Return the space in points that lines need above and below the nodes."""
    loops = bool((drawing.source == drawing.destination).any())
    reach = int(np.abs(drawing.source - drawing.destination).max(initial=0)) if kind in ("chain", "text") else 0
    return max(12.0 * loops, 12.0 * min(reach, 5) if reach > 1 else 0.0)


def new_axes(
    drawing: Drawing,
    kind: str,
    places: NDArray[np.float64] | None,
    labels: Labels,
    legends: list[Group],
    title: str | None,
    beside: float = 0.0,
) -> Any:
    """Make a figure with room for text of the usual size, up to a maximum size.

    ``beside`` is the width in points of texts between nodes.
    """
    size, least = _wanted_size(drawing, kind, places, labels, beside)
    size = np.maximum(size, (title_width(title), 0))
    return axes_of_size(np.clip(size / 72, least, MOST_INCHES), legends, title)


def axes_of_size(inches: Sequence[float] | NDArray[np.float64], legends: list[Group], title: str | None) -> Any:
    """Make a figure whose axes have a size in inches, with room for legends below and a title above."""
    pyplot = require("matplotlib.pyplot", "draw_graph", "plots")
    width = 0.98 * 72 * inches[0]
    below = 0.05 + legend_height(legends, width) / 72
    n_lines = 0 if title is None else 1 + wrapped(title, width, TITLE_FONTS[0], MOST_TITLE_LINES).count("\n")
    above = (n_lines > 0) * 0.13 + n_lines * 1.2 * TITLE_FONTS[0] / 72
    height = inches[1] + below + above
    figure = pyplot.figure(figsize=(inches[0], height))
    return figure.add_axes((0.01, below / height, 0.98, 0.99 - (below + above) / height))


def title_width(title: str | None) -> float:
    """Return the width in points that a title needs, up to a maximum."""
    return 0.0 if title is None else min(text_width(" ".join(title.split())) * TITLE_FONTS[0] + 20, MOST_TITLE)


def _wanted_size(
    drawing: Drawing, kind: str, places: NDArray[np.float64] | None, labels: Labels, beside: float
) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return the size in points that nodes need, and the smallest size in inches."""
    n_nodes = len(labels)
    width, height = labels.sizes(9.0, max(labels.most_lines, 1)).max(axis=0) + 30
    width += beside
    if kind == "text":
        above = room_for_lines(drawing, kind)
        centres, sizes = text_centres(labels, np.array([9.5 * 72, 0.0]), above, _FONTS[0])
        size = (centres + sizes / 2).max(axis=0) - (centres - sizes / 2).min(axis=0) + 2 * _MARGIN
        # Axes take 98 % of the width of a figure.
        return (size + np.array([1.0, 2 * above])) / np.array([0.98, 1.0]), (3.0, 0.4)
    if kind == "chain":
        per_row = min(n_nodes, max(1, int(11 * 72 // width)))
        size = np.array([per_row * width, -(-n_nodes // per_row) * (height + 2 * room_for_lines(drawing, kind)) + 20])
        return size, (4.0, 1.2)
    if kind in ("grid", "hex") and places is not None:
        n_rows = len(np.unique(places[:, 1].round(6)))
        n_columns = len(np.unique(places[:, 0].round(6))) if kind == "grid" else np.ptp(places[:, 0]) + 1
        return np.array([n_columns * width, n_rows * height]), (4.0, 1.2 if n_rows == 1 else 2.4)
    if kind == "stress" and places is not None:
        # Edges have a length of about 1, which is enough for a box and the line to the next.
        unit = np.array([0.85 * width, max(height, 0.6 * width)])
        size = np.ptp(places, axis=0) * unit + np.array([width, height])
        most = np.array(MOST_INCHES) * 72
        # What is too wide for a page becomes higher instead, so that boxes have room.
        shrunk = size * min(1.0, *(most / size))
        return np.minimum(size, shrunk * 1.5), (4.0, 2.0)
    side = np.sqrt(2.2 * n_nodes * width * height)
    return np.array([side * 1.2, side / 1.2]), (6.4, 4.8)


def write_title(ax: Any, title: str, width: float) -> None:
    """Write a title above axes of a width in points, smaller, and then shorter, if there is no room for it."""
    room = (ax.figure.bbox.height - ax.bbox.y1) * 72 / ax.figure.dpi - 6
    made = [(font, wrapped(title, width, font, MOST_TITLE_LINES)) for font in TITLE_FONTS]
    fitting = [(font, text) for font, text in made if (1 + text.count("\n")) * 1.2 * font <= room]
    smallest = TITLE_FONTS[-1]
    shortest = smallest, wrapped(title, width, smallest, max(1, int(room / (1.2 * smallest))))
    font, text = fitting[0] if fitting else shortest
    ax.set_title(text, fontsize=font, parse_math=False)
