"""Settings of all tests and examples in documentation."""

import sys

import pytest


@pytest.fixture(autouse=True)
def _close_figures():
    """Close all figures after each test: matplotlib warns of too many, and examples leave theirs open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
