"""Pipelines of encoders and an estimator: recommended ones, files, and explanations on the user's own graph."""

from graphtm.pipelines.explaining import explain
from graphtm.pipelines.files import load, save
from graphtm.pipelines.recommended import make_classifier

__all__ = ["explain", "load", "make_classifier", "save"]
