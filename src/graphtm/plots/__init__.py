"""Plots: functions of plain data that draw with matplotlib and return the axes, and displays that hold the data."""

from graphtm.plots.curves import draw_curves
from graphtm.plots.flow import draw_message_flow
from graphtm.plots.graphs import draw_graph
from graphtm.plots.images import HeatMapDisplay, draw_heat_map
from graphtm.plots.regret import RegretDisplay, draw_regret
from graphtm.plots.rules import RulesDisplay, draw_rules
from graphtm.plots.tables import draw_hypervectors
from graphtm.plots.training import TrainingDisplay, draw_training
from graphtm.plots.weights import WeightsDisplay, draw_weights
from graphtm.plots.witnesses import draw_witness

__all__ = [
    "HeatMapDisplay",
    "RegretDisplay",
    "RulesDisplay",
    "TrainingDisplay",
    "WeightsDisplay",
    "draw_curves",
    "draw_graph",
    "draw_heat_map",
    "draw_hypervectors",
    "draw_message_flow",
    "draw_regret",
    "draw_rules",
    "draw_training",
    "draw_weights",
    "draw_witness",
]
