"""Plots: functions of plain data that draw with matplotlib and return the axes."""

from graphtm.plots.curves import draw_curves
from graphtm.plots.graphs import draw_graph

__all__ = ["draw_curves", "draw_graph"]
