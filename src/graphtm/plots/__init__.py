"""Pictures: functions of plain data that draw with matplotlib and return its axes."""

from graphtm.plots.graphs import draw_graph

__all__ = ["draw_graph"]
