"""Pipelines of encoders and an estimator: one file for all of them."""

from graphtm.pipelines.files import load, save

__all__ = ["load", "save"]
