"""Workloads and timing: speed is measured, never asserted in a test."""

from graphtm.bench.data import measure_data
from graphtm.bench.timing import Measurement, measure

__all__ = ["Measurement", "measure", "measure_data"]
