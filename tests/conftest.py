"""Settings of all tests."""

import os

from hypothesis import HealthCheck, settings

# No deadline, because test machines are noisy. `make test` repeats the same cases everywhere; `make test-all` draws
# fresh and more ones, and hypothesis prints how to repeat a case that fails.
SHARED = dict(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", **SHARED, derandomize=True, max_examples=50)
settings.register_profile("fresh", **SHARED, max_examples=200, print_blob=True)
settings.load_profile(os.environ.get("GRAPHTM_HYPOTHESIS", "steady"))

ENGINELESS = {"foundation", "graphs", "convert", "codes", "datasets", "plots"}
"""Folders of tests that hardly use an engine, and so need no compiled kernels."""


def pytest_collection_modifyitems(items):
    """Let the second of two workers begin with tests that need no kernels, while the first one compiles them."""
    later = [item for item in items if item.path.parent.name in ENGINELESS]
    first = [item for item in items if item.path.parent.name not in ENGINELESS]
    half = len(items) // 2
    items[:] = [*first[:half], *later, *first[half:]]
