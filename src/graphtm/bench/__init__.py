"""Workloads and timing: speed is measured, never asserted in a test."""

from graphtm.bench.data import measure_data
from graphtm.bench.engines import EngineTimes, measure_engine
from graphtm.bench.timing import Measurement, measure
from graphtm.bench.workloads import Workload, workloads

__all__ = ["EngineTimes", "Measurement", "Workload", "measure", "measure_data", "measure_engine", "workloads"]
