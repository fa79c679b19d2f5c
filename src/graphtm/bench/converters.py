"""How fast frames become graphs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from graphtm.bench.processes import measure_apart, peak_memory
from graphtm.bench.timing import Measurement
from graphtm.foundation.calling import require


def measure_converters() -> Iterator[Measurement]:
    """Yield the measurement of frames of pandas, of a process of its own."""
    yield measure_apart(measure_frames)


def measure_frames(n_edges: int = 1_000_000, n_graphs: int = 1000, size: int = 100) -> Measurement:
    """Measure random graphs in frames of pandas, in this process."""
    from graphtm.graphs.convert import from_pandas

    pandas = require("pandas", "The measurement of from_pandas", "frames")
    rng = np.random.default_rng(0)
    number = np.arange(n_graphs * size)
    nodes = pandas.DataFrame(
        {"graph": number // size, "node": number % size, "letter": rng.choice(list("ABCD"), len(number))}
    )
    ends = rng.integers(0, size, (2, n_edges))
    edges = pandas.DataFrame(
        {
            "graph": rng.integers(0, n_graphs, n_edges),
            "source": ends[0],
            "destination": ends[1],
            "type": rng.choice(["right", "left"], n_edges),
        }
    )
    start = time.perf_counter()
    graphs = from_pandas(nodes, edges, symbols=["letter"], edge_type="type")
    seconds = time.perf_counter() - start
    name = f"from_pandas: {n_graphs:,} graphs, {len(number):,} nodes, {n_edges:,} edges"
    return Measurement(name, seconds, peak_memory(), graphs.pack().nbytes)
