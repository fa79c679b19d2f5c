"""How long an engine takes for an example, to learn from it and to predict it."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from statistics import median

import numpy as np

from graphtm.bench.workloads import Workload
from graphtm.engines import Engine, initial_state
from graphtm.model import MachineState

EARLY, LATE_EPOCHS = 1000, 2


@dataclass(frozen=True)
class EngineTimes:
    """Microseconds per example.

    Parameters
    ----------
    name, detail, engine
        What was measured, on which engine.
    start_seconds
        What the first example took: reading compiled code, or compiling, comes with it.
    early, late
        Learning by a machine that has seen 1,000 examples, and by one that has seen two epochs more.
    predict
        Prediction by the latter.
    """

    name: str
    detail: str
    engine: str
    start_seconds: float
    early: float
    late: float
    predict: float

    def to_dict(self) -> dict[str, object]:
        """Return the fields, for JSON."""
        return asdict(self)


def measure_engine(engine: Engine, workload: Workload, repeats: int = 3) -> EngineTimes:
    """Time an engine on a workload; medians of some repetitions that all start from the same state."""
    rng = np.random.default_rng(0)
    state = initial_state(workload.params)
    engine.load(workload.params, state)
    graphs = engine.prepare(workload.train)
    start = time.perf_counter()
    engine.fit(graphs, workload.targets, np.arange(1))
    start_seconds = time.perf_counter() - start
    n = workload.targets.n_examples
    engine.fit(graphs, workload.targets, rng.permutation(n)[: min(n, EARLY)])
    early = _learning(engine, workload, engine.state(), rng, repeats)
    graphs = engine.prepare(workload.train)
    for _ in range(LATE_EPOCHS):
        engine.fit(graphs, workload.targets, rng.permutation(n))
    state = engine.state()
    late = _learning(engine, workload, state, rng, repeats)
    engine.load(workload.params, state)
    tests = engine.prepare(workload.test)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        engine.class_sums(tests)
        times.append((time.perf_counter() - start) / workload.test.n_graphs)
    return EngineTimes(
        workload.name, workload.detail, engine.name, start_seconds, 1e6 * early, 1e6 * late, 1e6 * median(times)
    )


def _learning(engine: Engine, workload: Workload, state: MachineState, rng: np.random.Generator, repeats: int) -> float:
    times = []
    order = rng.permutation(workload.targets.n_examples)[: workload.examples]
    for _ in range(repeats):
        engine.load(workload.params, state)
        graphs = engine.prepare(workload.train)
        start = time.perf_counter()
        engine.fit(graphs, workload.targets, order)
        times.append((time.perf_counter() - start) / len(order))
    return median(times)
