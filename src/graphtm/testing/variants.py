"""The ways in which an engine can run: all of them must give the oracle's bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

from graphtm.engines import Engine, make_engine
from graphtm.engines.cpu import CpuEngine
from graphtm.engines.cpu.pace import Pace
from graphtm.engines.registry import is_cuda


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


class ThreadedCpuEngine(CpuEngine):
    """The CPU engine on a given number of threads, whether or not there are as many processors."""

    def __init__(self, n_threads: int, **how: Any) -> None:
        super().__init__(1, **how)
        self._n_threads = n_threads


def engine_variants(name: str) -> list[Callable[[], Engine]]:
    """Return functions that make an engine in each of its ways.

    The CPU engine: on 1, 2 and 3 threads, with vectors and without, row by row and node by node. The CUDA engine: in
    one block and several, by rows and by nodes, with little shared memory, and with graphs that are copied in parts.
    """
    if is_cuda(name):
        from graphtm.engines.cuda import CudaEngine

        choices: list[dict[str, Any]] = [
            {},
            {"n_blocks": 1, "rows": "always"},
            {"n_blocks": 3, "rows": "never"},
            {"n_blocks": 5, "rows": "always"},
            {"n_blocks": 2, "shared_bytes": 10_000, "rows": "always"},
            {"n_blocks": 1, "shared_bytes": 10_000, "rows": "never"},
            {"n_blocks": 4, "shared_bytes": 16_000, "part_bytes": 4000},
        ]
        return [partial(CudaEngine, name, **choice) for choice in choices]
    if name != "cpu":
        return [partial(make_engine, name)]
    ways = product((1, 2, 3), (True, False), ("always", "auto", "never"))
    return [
        partial(ThreadedCpuEngine, n_threads, vectors=vectors, rows=rows, pace=RestlessPace)
        for n_threads, vectors, rows in ways
    ]
