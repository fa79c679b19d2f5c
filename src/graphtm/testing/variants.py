"""The ways in which an engine can run: all of them must give the oracle's bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

from graphtm.engines import Engine, make_engine


def engine_variants(name: str) -> list[Callable[[], Engine]]:
    """Return functions that make an engine in each of its ways.

    The CPU engine: on 1, 2 and 3 threads, with vectors and without, row by row and node by node.
    """
    if name != "cpu":
        return [partial(make_engine, name)]
    from graphtm.engines.cpu import CpuEngine

    ways = product((1, 2, 3), (True, False), ("always", "auto", "never"))
    return [partial(CpuEngine, n_jobs, vectors=vectors, rows=rows) for n_jobs, vectors, rows in ways]  # type: ignore[arg-type]
