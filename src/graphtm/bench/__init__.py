"""Speed of the engines: workloads, and microseconds per example."""

from graphtm.bench.engines import EngineTimes, measure_engine
from graphtm.bench.workloads import INK, Workload, drawn_digits, workloads

__all__ = ["INK", "EngineTimes", "Workload", "drawn_digits", "measure_engine", "workloads"]
