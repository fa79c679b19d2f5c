"""Scores as colours: what is for something is orange, what is against it is blue, and what does not matter white."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.plots.drawing import score_digits
from graphtm.plots.edges import Band, Line

# Two colours of the palette of Okabe and Ito, which colour-blind people can tell apart.
FOR, AGAINST = np.array([0xE6, 0x6E, 0x00]) / 255, np.array([0x00, 0x72, 0xB2]) / 255
_STRONGEST = 0.8
"""Share of the full colour that the largest score has, so that black text on it is easy to read."""
_LEAST, _MOST = 2.0, 11.0
"""Widths in points of the bands under edges."""


class Heat:
    """Colours of the scores of one graph.

    Parameters
    ----------
    nodes, edges
        Score of each node and edge; ``None`` for no scores. Nodes and edges have a scale of their own.

    Raises
    ------
    ValueError
        If their number is not that of nodes or edges, or one is not finite.
    """

    def __init__(self, nodes: ArrayLike | None, edges: ArrayLike | None, n_nodes: int, n_edges: int) -> None:
        self.nodes = _checked("node_scores", nodes, n_nodes)
        self.edges = _checked("edge_scores", edges, n_edges)

    def box_colours(self) -> list[Any] | None:
        """Return the colour of each node, or ``None`` without scores."""
        if self.nodes is None:
            return None
        return list(colours(self.nodes, _largest(self.nodes)))

    def bands(self, lines: list[Line], ends: Int64Array) -> list[Band | None]:
        """Return the colour and width of the band under each line; ``None`` for lines whose score is 0.

        Parameters
        ----------
        lines
            Lines to draw.
        ends
            Source, destination and type of each edge, in columns.
        """
        if self.edges is None:
            return [None] * len(lines)
        total: dict[tuple[int, ...], float] = {}
        for edge, score in zip(map(tuple, ends.tolist()), self.edges.tolist(), strict=True):
            total[edge] = total.get(edge, 0.0) + score
        scores = np.array(
            [
                total[line.source, line.destination, line.type]
                + (total[line.destination, line.source, line.type] if line.both_ways else 0.0)
                for line in lines
            ]
        )
        top = _largest(scores)
        widths = _LEAST + (_MOST - _LEAST) * np.abs(scores) / top
        shown = zip(scores.tolist(), colours(scores, top), widths.tolist(), strict=True)
        return [Band(tuple(colour.tolist()), width) if score else None for score, colour, width in shown]

    def legend_entries(self) -> list[tuple[str, dict[str, Any]]]:
        """Return entries for the largest scores of nodes on both sides."""
        if self.nodes is None:
            return []
        top = _largest(self.nodes)
        both, digits = np.array([self.nodes.max(), self.nodes.min()]), score_digits(self.nodes)
        return [
            (f"{score:+,.{digits}f}", {"facecolor": tuple(colour), "edgecolor": "#888888"})
            for score, colour, sign in zip(both.tolist(), colours(both, top), (1, -1), strict=True)
            if score * sign > 0
        ]


def colours(scores: NDArray[np.float64], top: float) -> NDArray[np.float64]:
    """Return the colour of each score, given the largest absolute one."""
    share = (_STRONGEST * np.abs(scores) / top)[:, None]
    return 1 - share + share * np.where(scores[:, None] > 0, FOR, AGAINST)


def _largest(scores: NDArray[np.float64]) -> float:
    return float(np.abs(scores).max(initial=0.0)) or 1.0


def _checked(name: str, scores: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    if scores is None:
        return None
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (n,) or not np.isfinite(values).all():
        what = "node" if name == "node_scores" else "edge"
        raise ValueError(
            f"The {name!r} parameter of draw_graph must have one finite number per {what}, {n} in total. Got an array "
            f"of shape {values.shape} instead."
        )
    return values
