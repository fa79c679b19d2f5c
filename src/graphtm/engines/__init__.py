"""Engines, the random generator that they share, and the targets that they learn from."""

from graphtm.engines.base import Engine, initial_state, predicted_classes
from graphtm.engines.registry import engine_names, engine_statuses, make_engine
from graphtm.engines.targets import Targets, class_targets, label_targets, sparse_targets, value_targets

__all__ = [
    "Engine",
    "Targets",
    "class_targets",
    "engine_names",
    "engine_statuses",
    "initial_state",
    "label_targets",
    "make_engine",
    "predicted_classes",
    "sparse_targets",
    "value_targets",
]
