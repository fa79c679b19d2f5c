"""Settings of all tests."""

import os
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, settings

# No deadline, because test machines are noisy. `make test` repeats the same cases everywhere; `make test-all` draws
# fresh and more ones, and hypothesis prints how to repeat a case that fails.
SHARED = dict(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", **SHARED, derandomize=True, max_examples=20)
settings.register_profile("fresh", **SHARED, max_examples=200, print_blob=True)
settings.load_profile(os.environ.get("GRAPHTM_HYPOTHESIS", "steady"))

COMPILE_SECONDS = 600


def pytest_sessionstart(session):
    """Let two workers compile the kernels of the CPU engine, one half each, before any test needs them.

    The kernels are cached on disk. Without this, both workers, and processes that tests start, would compile the same.
    """
    own = getattr(session.config, "workerinput", None)
    if own is None or own["workercount"] < 2 or own["workerid"] not in ("gw0", "gw1"):
        return
    number = int(own["workerid"][2:])
    _use_kernels(max_misses=number)
    done = [Path(tempfile.gettempdir()) / f"graphtm-kernels-{own['testrunuid']}-{half}" for half in range(2)]
    done[number].touch()
    deadline = time.monotonic() + COMPILE_SECONDS
    while not done[1 - number].exists() and time.monotonic() < deadline:
        time.sleep(0.05)


def _use_kernels(max_misses):
    from graphtm import GraphBatch, GraphTMClassifier

    graphs = GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]])
    GraphTMClassifier(n_clauses=2, T=2, s=30.0, max_misses=max_misses, epochs=1, engine="cpu").fit(graphs, [0, 1])
