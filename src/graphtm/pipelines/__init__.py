"""Pipelines of encoders and an estimator: the recommended ones, and one file for all of a pipeline."""

from graphtm.pipelines.files import load, save
from graphtm.pipelines.recommended import make_classifier

__all__ = ["load", "make_classifier", "save"]
