"""The ways in which an engine can run: all of them must give the oracle's bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

from graphtm.engines import Engine, make_engine
from graphtm.engines.cpu import CpuEngine
from graphtm.engines.cpu.pace import Pace


class RestlessPace(Pace):
    """Changes the number of threads every few examples, whether that pays or not."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._threads = most
        self._runs = 0

    def plan(self) -> tuple[int, float]:
        """Return all threads first, then one fewer at a time; for one example, or as many as there are."""
        n_threads = self._threads - self._runs % self._threads
        self._runs += 1
        return n_threads, 0.0 if self._runs % 3 else 1.0


def engine_variants(name: str) -> list[Callable[[], Engine]]:
    """Return functions that make an engine in each of its ways.

    The CPU engine: on 1, 2 and 3 threads, with vectors and without, row by row and node by node.
    """
    if name != "cpu":
        return [partial(make_engine, name)]
    ways = product((1, 2, 3), (True, False), ("always", "auto", "never"))
    return [
        partial(CpuEngine, n_jobs, vectors=vectors, rows=rows, pace=RestlessPace)  # type: ignore[arg-type]
        for n_jobs, vectors, rows in ways
    ]
