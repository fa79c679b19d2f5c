"""Time per example of an engine, for training and prediction."""

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
        Name and description of the workload, and name of the engine.
    start_seconds
        Time of the first example, which includes compiling or loading compiled code.
    early, late
        Training after 1,000 examples, and after two more epochs.
    predict
        Prediction after these two epochs.
    """

    name: str
    detail: str
    engine: str
    start_seconds: float
    early: float
    late: float
    predict: float

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a dictionary, for JSON."""
        return asdict(self)


def measure_engine(engine: Engine, workload: Workload, repeats: int = 3) -> EngineTimes:
    """Return the median times of an engine on a workload; all repeats start from the same state."""
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
