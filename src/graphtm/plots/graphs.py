"""Drawings of graphs: nodes with their symbols, edges with their types."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.calling import require
from graphtm.graphs import Graph, GraphBatch
from graphtm.plots.arranging import arrange_text, choose, free_places, new_axes, room_for_lines, write_title
from graphtm.plots.canvas import Canvas, Fit
from graphtm.plots.drawing import Drawing, node_labels, read_graph
from graphtm.plots.edges import Look, draw_lines, is_undirected, lines_of
from graphtm.plots.heat import Heat
from graphtm.plots.highlight import PALE_TEXT, Highlight, with_texts
from graphtm.plots.legends import draw_legends, legend_groups, node_style, readout_style


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
    highlight: Iterable[Hashable] | None = None,
    highlight_edges: Iterable[Any] | Mapping[Any, str] | None = None,
    title: str | None = None,
) -> Any:
    r"""Draw a graph: nodes as boxes with their symbols, edges as arrows, edge types as colours with a legend.

    A line with heads at both ends is an edge in each direction; if all are, heads are left out. A line marked ×2 is two
    edges. If only some nodes are readout nodes, these have a thick border. Text that does not fit is written smaller,
    then cut. In graphs of more than about 60 nodes, some nodes are dots.

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
        - ``"chain"``: rows, every other one from right to left.
        - ``"text"``: lines of words, all from left to right.
        - ``"grid"``: positions from symbols such as ``("row", 3)`` and ``("column", 5)`` or node names
          ``(row, column)``, else row by row.
        - ``"hex"``: a grid whose rows are shifted by half a cell, as on a Hex board.
        - ``"circle"``, clockwise from the top.
        - ``"stress"``: distances on paper are like those along edges.
        - ``"spring"``: edges pull their ends together, all nodes repel each other.
        - An array of positions (x, y), one per node.
        - ``"auto"``: a grid or a Hex board if positions are known, a grid if there are no edges, a chain if edges join
          consecutive nodes and none far apart, stress for up to 200 nodes, else springs.
    node_text
        ``"symbols"``, ``"names"``, ``"both"``, ``None`` for dots, one string per node, or ``"auto"``: symbols, or names
        if no node has symbols.
    max_symbols
        Maximum number of symbols in a box.
    seed
        Seed of the stress and spring layouts.
    node_scores
        Score of each node, such as those of an explanation. It is written below the symbols. Boxes are orange if it is
        above 0 and blue below; the legend has the largest scores. Node types are then the colours of borders.
    edge_scores
        Score of each edge, in the order of ``graph.edges``. Edges have a band in the same colours; the higher the score
        of all edges of a line together, the wider the band.
    highlight
        Names of nodes to highlight, such as those of a planted motif. They are orange and the others are pale; with
        scores, which have the colours, they have a black border.
    highlight_edges
        Edges (source, destination, type) to highlight, or a mapping of such edges to the texts that are written on
        them. An arrow of its own stands for each, unless its opposite is highlighted in the same way.
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
    drawing = read_graph(graph_or_batch, i)
    scored = node_scores is not None or edge_scores is not None
    marks = Highlight(drawing, highlight, with_texts(highlight_edges), scored=scored)
    return paint(
        drawing,
        marks,
        ax=ax,
        layout=layout,
        node_text=node_text,
        max_symbols=max_symbols,
        seed=seed,
        node_scores=node_scores,
        edge_scores=edge_scores,
        title=title,
    )


def paint(
    drawing: Drawing,
    highlight: Highlight,
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
    """Draw a graph that is plain data; see :func:`draw_graph`."""
    if isinstance(max_symbols, bool) or not isinstance(max_symbols, int) or max_symbols < 0:
        raise ValueError(
            f"The 'max_symbols' parameter of draw_graph must be an integer of at least 0. Got {max_symbols!r} instead."
        )
    heat = Heat(node_scores, edge_scores, len(drawing.names), len(drawing.source))
    labels = node_labels(drawing.names, drawing.properties, node_text, max_symbols).with_scores(heat.nodes)
    kind, places = choose(drawing, layout, seed)
    legends = legend_groups(drawing, heat, highlight)
    keeps_limits = ax is not None and kind == "given" and bool(ax.has_data())
    if ax is None:
        ax = new_axes(drawing, kind, places, labels, legends, title, highlight.text_width)
    canvas = Canvas(ax, keeps_limits=keeps_limits)
    above = room_for_lines(drawing, kind)
    written = arrange_text(labels, canvas.size, above) if kind == "text" else None
    if written is not None:
        ax.set_xlim(0, canvas.size[0])
        ax.set_ylim(0, canvas.size[1])
        canvas, (centres, fit) = Canvas(ax), written
    else:
        if places is None:
            places = free_places(drawing, kind, labels, canvas.size, seed)
        movable, equal = kind in ("spring", "stress", "circle"), kind in ("given", "hex")
        centres, fit = canvas.arrange(places, labels, movable=movable, equal=equal, above=above)
    if not keeps_limits:
        ax.set_axis_off()
    boxes = _draw_nodes(ax, drawing, fit, centres, canvas, heat, highlight)
    ends = np.stack([drawing.source, drawing.destination, drawing.edge_types], axis=1)
    lines = lines_of(drawing.source, drawing.destination, drawing.edge_types, highlight.alone)
    looks = [
        Look(highlight.marked(line), highlight.text(line), highlight.fades and not highlight.marked(line))
        for line in lines
    ]
    bands = highlight.bands(lines, heat.bands(lines, ends))
    undirected = is_undirected(drawing.source, drawing.destination, drawing.edge_types)
    draw_lines(
        ax, lines, centres, canvas.to_data(centres), boxes, fit.sizes, bands, looks, kind=kind, undirected=undirected
    )
    if labels.most_lines and not fit.written.all():
        note = f"text of {int(fit.written.sum()):,} of {len(fit.written):,} nodes"
        paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
        ax.text(0.01, 0.99, note, transform=ax.transAxes, fontsize=7, color="#666666", va="top", zorder=5, bbox=paper)
    draw_legends(ax, legends, tuple(canvas.size.tolist()), above=keeps_limits)
    if title is not None:
        write_title(ax, title, canvas.size[0])
    return ax


def _draw_nodes(
    ax: Any,
    drawing: Drawing,
    fit: Fit,
    centres: NDArray[np.float64],
    canvas: Canvas,
    heat: Heat,
    highlight: Highlight,
) -> list[Any]:
    """Draw boxes with text, and dots; return the patch of each box, or ``None`` for a dot."""
    patches = require("matplotlib.patches", "draw_graph", "plots")
    places, units = canvas.to_data(centres), canvas.units(fit.sizes)
    styles = _node_styles(drawing, heat, highlight)
    corner = canvas.units(np.array([3.0, 3.0]))
    boxes: list[Any] = [None] * len(places)
    for node in np.flatnonzero(fit.written & (np.array(fit.texts) != "")).tolist():
        boxes[node] = patches.FancyBboxPatch(
            tuple(places[node] - units[node] / 2),
            *units[node],
            boxstyle=patches.BoxStyle("Round", pad=0, rounding_size=corner[0]),
            mutation_aspect=corner[1] / corner[0],
            zorder=3,
            **styles[node],
        )
        ax.add_patch(boxes[node])
        ax.text(
            *places[node], fit.texts[node], fontsize=fit.font, ha="center", va="center", zorder=4, parse_math=False,
            linespacing=1.15, color=PALE_TEXT if highlight.is_pale(node) else "black",
        )  # fmt: skip
    dots = [node for node, box in enumerate(boxes) if box is None]
    if dots:
        ax.scatter(
            *places[dots].T,
            s=[(30 if len(places) <= 300 else 12) * (1 + highlight.nodes[node]) for node in dots],
            c=[styles[node]["facecolor"] for node in dots],
            edgecolors=[styles[node]["edgecolor"] for node in dots],
            linewidths=[min(styles[node]["linewidth"], 1.5) for node in dots],
            zorder=2.5,
        )
    return boxes


def _node_styles(drawing: Drawing, heat: Heat, highlight: Highlight) -> list[dict[str, Any]]:
    """Return the colours and the border of each node."""
    heats, partial, styles = heat.box_colours(), not drawing.readout.all(), []
    for node, number in enumerate(drawing.node_types.tolist()):
        look = {"linewidth": 0.8, **node_style(number, scored=heats is not None)}
        if heats is not None:
            look |= {"facecolor": heats[node], "linewidth": 1.5 if number >= 0 else 0.8}
        if partial and drawing.readout[node]:
            look |= readout_style(highlighted=highlight.active)
        styles.append(look | highlight.node_style(node))
    return styles
