"""Pipelines of encoders and an estimator: one file for all of them, and explanations on the user's own graph."""

from graphtm.pipelines.explaining import explain
from graphtm.pipelines.files import load, save

__all__ = ["explain", "load", "save"]
