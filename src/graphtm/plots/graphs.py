"""Drawings of graphs: nodes with their symbols, edges with their types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.calling import require
from graphtm.graphs import Graph, GraphBatch
from graphtm.plots import layouts
from graphtm.plots.canvas import Canvas, Fit
from graphtm.plots.drawing import Drawing, Labels, node_labels, read_graph, wrapped
from graphtm.plots.edges import draw_lines, lines_of
from graphtm.plots.heat import Heat
from graphtm.plots.legends import Group, draw_legends, legend_groups, legend_height, node_style

TITLE_FONTS = (10.0, 9.0, 8.0, 7.0, 6.0, 5.0)
"""Sizes in points of titles: the usual one, and those for axes that leave little room."""


def draw_graph(
    graph_or_batch: Graph | GraphBatch,
    i: int | None = None,
    *,
    ax: Any = None,
    layout: str | ArrayLike = "auto",
    node_text: str | Sequence[str] | None = "auto",
    max_symbols: int = 6,
    seed: int = 0,
    node_scores: ArrayLike | None = None,
    edge_scores: ArrayLike | None = None,
    title: str | None = None,
) -> Any:
    r"""Draw a graph: nodes as boxes with their symbols, edges as arrows, edge types as colours with a legend.

    A line with heads at both ends is an edge in each direction; a line marked ×2 is two edges. If only some nodes are
    readout nodes, these have a thick border. Text that does not fit is written smaller, then cut. In graphs of more
    than about 60 nodes, some nodes are dots.

    Parameters
    ----------
    graph_or_batch
        A graph, or a batch.
    i
        Number of the graph in a batch; not needed if the batch has one graph.
    ax
        Axes to draw on. Default: a new figure of suitable size. If ``layout`` is an array of positions, axes that
        already contain data keep their limits, so that a graph can be drawn over a picture.
    layout
        ``"chain"``: rows, every other one from right to left. ``"grid"``: positions from symbols such as ``("row", 3)``
        and ``("column", 5)`` or node names ``(row, column)``, else row by row. ``"circle"``. ``"spring"``. An array of
        positions (x, y), one per node. ``"auto"``: a grid if positions are known or there are no edges, a chain if
        edges join consecutive nodes and none far apart, else springs.
    node_text
        ``"symbols"``, ``"names"``, ``"both"``, ``None`` for dots, one string per node, or ``"auto"``: symbols, or names
        if no node has symbols.
    max_symbols
        Maximum number of symbols in a box.
    seed
        Seed of the spring layout.
    node_scores
        Score of each node, such as those of an explanation. It is written below the symbols. Boxes are orange if it is
        above 0 and blue below; the legend has the largest scores. Node types are then the colours of borders.
    edge_scores
        Score of each edge, in the order of ``graph.edges``. Edges have a band in the same colours; the higher the score
        of all edges of a line together, the wider the band.
    title
        Text above the graph, in as many lines as it needs.

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
    >>> import graphtm as gtm
    >>> from graphtm.plots import draw_graph
    >>> g = gtm.Graph()
    >>> g.add_node("n0", properties=["A"])
    >>> g.add_node("n1", properties=["B", "last"])
    >>> g.add_edge("n0", "n1", type="right")
    >>> ax = draw_graph(g)
    >>> [text.get_text() for text in ax.texts]
    ['A', 'B\nlast']
    """
    if isinstance(max_symbols, bool) or not isinstance(max_symbols, int) or max_symbols < 0:
        raise ValueError(
            f"The 'max_symbols' parameter of draw_graph must be an integer of at least 0. Got {max_symbols!r} instead."
        )
    drawing = read_graph(graph_or_batch, i)
    heat = Heat(node_scores, edge_scores, len(drawing.names), len(drawing.source))
    labels = node_labels(drawing.names, drawing.properties, node_text, max_symbols).with_scores(heat.nodes)
    kind, places = _layout(drawing, layout)
    legends = legend_groups(drawing, heat)
    keeps_limits = ax is not None and kind == "given" and bool(ax.has_data())
    if ax is None:
        ax = _new_axes(drawing, kind, places, labels, legends, title)
    canvas = Canvas(ax, keeps_limits=keeps_limits)
    if places is None:
        places = _free_places(drawing, kind, labels, canvas.size, seed)
    above = _room_for_lines(drawing, kind)
    movable = kind in ("spring", "circle")
    centres, fit = canvas.arrange(places, labels, movable=movable, equal=kind == "given", above=above)
    if not keeps_limits:
        ax.set_axis_off()
    boxes = _draw_nodes(ax, drawing, fit, centres, canvas, heat)
    ends = np.stack([drawing.source, drawing.destination, drawing.edge_types], axis=1)
    lines = lines_of(*ends.T)
    bands = heat.bands(lines, ends)
    draw_lines(ax, lines, centres, canvas.to_data(centres), boxes, fit.sizes[:, 1], bands, chain=kind == "chain")
    if labels.most_lines and not fit.written.all():
        note = f"text of {int(fit.written.sum()):,} of {len(fit.written):,} nodes"
        paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
        ax.text(0.01, 0.99, note, transform=ax.transAxes, fontsize=7, color="#666666", va="top", zorder=5, bbox=paper)
    draw_legends(ax, legends, tuple(canvas.size.tolist()), above=keeps_limits)
    if title is not None:
        _write_title(ax, title, canvas.size[0])
    return ax


def _write_title(ax: Any, title: str, width: float) -> None:
    """Write a title above axes of a width in points, smaller if it would be cut at the border of the figure."""
    room = (ax.figure.bbox.height - ax.bbox.y1) * 72 / ax.figure.dpi - 6
    made = [(font, wrapped(title, width, font)) for font in TITLE_FONTS]
    fitting = [(font, text) for font, text in made if (1 + text.count("\n")) * 1.2 * font <= room]
    font, text = fitting[0] if fitting else made[-1]
    ax.set_title(text, fontsize=font, parse_math=False)


def _layout(drawing: Drawing, layout: str | ArrayLike) -> tuple[str, NDArray[np.float64] | None]:
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
    known = layouts.places_from_names(drawing.properties, drawing.names) if layout in ("auto", "grid") else None
    if layout == "auto":
        layout = layouts.choose_layout(n_nodes, drawing.source, drawing.destination, known)
    if layout == "spring" and n_nodes > layouts.MOST_SPRINGS:
        raise ValueError(
            f"The 'layout' parameter of draw_graph must not be 'spring' for more than {layouts.MOST_SPRINGS:,} nodes. "
            f"Got {n_nodes:,} instead; use 'grid', or an array of positions."
        )
    if layout == "grid":
        return layout, layouts.square(n_nodes) if known is None else known
    return layout, layouts.circle(n_nodes) if layout == "circle" else None


def _free_places(
    drawing: Drawing, kind: str, labels: Labels, room: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    n_nodes = len(labels)
    if kind == "spring":
        return layouts.spring(n_nodes, drawing.source, drawing.destination, seed)
    n_rows = 1
    for font in (9.0, 8.0, 7.0, 6.0):
        width, height = labels.sizes(font, max(labels.most_lines, 1)).max(axis=0)
        n_rows = -(-n_nodes // max(1, int(room[0] // (width + 26))))
        if n_rows * (height + 24 + 2 * _room_for_lines(drawing, kind)) <= room[1]:
            break
    return layouts.chain(n_nodes, -(-n_nodes // n_rows))


def _room_for_lines(drawing: Drawing, kind: str) -> float:
    """Return the space in points that lines need above and below the nodes."""
    loops = bool((drawing.source == drawing.destination).any())
    reach = int(np.abs(drawing.source - drawing.destination).max(initial=0)) if kind == "chain" else 0
    return max(12.0 * loops, 12.0 * reach if reach > 1 else 0.0)


def _new_axes(
    drawing: Drawing,
    kind: str,
    places: NDArray[np.float64] | None,
    labels: Labels,
    legends: list[Group],
    title: str | None,
) -> Any:
    """Make a figure with room for text of the usual size, up to a maximum size."""
    pyplot = require("matplotlib.pyplot", "draw_graph", "plots")
    n_nodes = len(labels)
    width, height = labels.sizes(9.0, max(labels.most_lines, 1)).max(axis=0) + 30
    if kind == "chain":
        per_row = min(n_nodes, max(1, int(11 * 72 // width)))
        size = np.array([per_row * width, -(-n_nodes // per_row) * (height + 2 * _room_for_lines(drawing, kind)) + 20])
        least = np.array([4.0, 1.6])
    elif kind == "grid" and places is not None:
        size = np.array([len(np.unique(places[:, 0])) * width, len(np.unique(places[:, 1])) * height])
        least = np.array([4.0, 1.6 if len(np.unique(places[:, 1])) == 1 else 3.0])
    else:
        side = np.sqrt(2.2 * n_nodes * width * height)
        size, least = np.array([side * 1.2, side / 1.2]), np.array([6.4, 4.8])
    inches = np.clip(size / 72, least, (12.0, 9.0))
    width = 0.98 * 72 * inches[0]
    below = 0.05 + legend_height(legends, width) / 72
    n_lines = 0 if title is None else 1 + wrapped(title, width, TITLE_FONTS[0]).count("\n")
    above = (n_lines > 0) * 0.13 + n_lines * 1.2 * TITLE_FONTS[0] / 72
    height = inches[1] + below + above
    figure = pyplot.figure(figsize=(inches[0], height))
    return figure.add_axes((0.01, below / height, 0.98, 0.99 - (below + above) / height))


def _draw_nodes(
    ax: Any, drawing: Drawing, fit: Fit, centres: NDArray[np.float64], canvas: Canvas, heat: Heat
) -> list[Any]:
    """Draw boxes with text, and dots; return the patch of each box, or ``None`` for a dot."""
    patches = require("matplotlib.patches", "draw_graph", "plots")
    places, units = canvas.to_data(centres), canvas.units(fit.sizes)
    scored, partial = heat.box_colours(), not drawing.readout.all()
    colours = scored or [node_style(number, scored=False)["facecolor"] for number in drawing.node_types.tolist()]
    borders = [
        "#888888" if not scored else node_style(n, scored=True)["edgecolor"] for n in drawing.node_types.tolist()
    ]
    corner = canvas.units(np.array([3.0, 3.0]))
    boxes: list[Any] = [None] * len(places)
    for node in np.flatnonzero(fit.written & (np.array(fit.texts) != "")).tolist():
        read = partial and drawing.readout[node]
        boxes[node] = patches.FancyBboxPatch(
            tuple(places[node] - units[node] / 2),
            *units[node],
            boxstyle=patches.BoxStyle("Round", pad=0, rounding_size=corner[0]),
            mutation_aspect=corner[1] / corner[0],
            facecolor=colours[node],
            edgecolor="#222222" if read else borders[node],
            linewidth=2.0 if read else 1.5 if scored and drawing.node_types[node] >= 0 else 0.8,
            zorder=3,
        )
        ax.add_patch(boxes[node])
        ax.text(
            *places[node], fit.texts[node], fontsize=fit.font, ha="center", va="center", zorder=4, parse_math=False,
            linespacing=1.15,
        )  # fmt: skip
    dots = np.array([box is None for box in boxes])
    if dots.any():
        ax.scatter(
            *places[dots].T,
            s=30 if len(places) <= 300 else 12,
            c=[colour for colour, dot in zip(colours, dots, strict=True) if dot],
            edgecolors=["#222222" if partial and read else "#888888" for read in drawing.readout[dots]],
            linewidths=0.8,
            zorder=2.5,
        )
    return boxes
