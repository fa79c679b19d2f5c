"""Two threads beside a process that keeps a core busy: they must not be slower than one.

    python benchmarks/busy_neighbour.py [--runs 5]

Interleaved runs of three workloads on one and two threads, alone and beside the busy process; medians.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time

import numpy as np

from graphtm.bench.workloads import chain, mnist, multivalue_xor
from graphtm.engines import initial_state
from graphtm.engines.cpu import CpuEngine


def spin() -> None:
    while True:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    for make, examples in ((mnist, 20_000), (multivalue_xor, 10_000), (chain, 4000)):
        workload = make()
        state = initial_state(workload.params)
        order = np.random.default_rng(0).integers(0, workload.targets.n_examples, examples)
        for busy in (False, True):
            neighbour = multiprocessing.Process(target=spin, daemon=True)
            if busy:
                neighbour.start()
            times: dict[int, list[float]] = {1: [], 2: []}
            for _ in range(options.runs):
                for n_threads in (1, 2):
                    engine = CpuEngine(n_threads)
                    engine.load(workload.params, state)
                    graphs = engine.prepare(workload.train)
                    engine.fit(graphs, workload.targets, order[:10])
                    start = time.perf_counter()
                    engine.fit(graphs, workload.targets, order)
                    times[n_threads].append(time.perf_counter() - start)
            if busy:
                neighbour.terminate()
                neighbour.join()
            one, two = (float(np.median(times[n])) for n in (1, 2))
            where = "beside a busy process" if busy else "alone"
            print(
                f"{workload.name}, {where}: 1 thread {one:.2f} s, 2 threads {two:.2f} s, ratio {two / one:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
