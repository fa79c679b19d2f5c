"""Measure the CPU engine beside a yardstick, interleaved in one run, so that a noisy machine is noisy for both.

    python benchmarks/compare_yardstick.py --yardstick DIR [--mnist FILE] [--json OUT] [--workload w2]

DIR holds ``yardstick.py`` with its ``workloads.py``: a special-cased trainer whose data and settings are used for
both. For each workload, phase and number of threads the ratio of the engine's time to the yardstick's is printed; below
1 the engine is faster. "early" is a machine that has seen 1,000 examples, "late" one that has seen two epochs more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from graphtm.codes import Code, EncodedBatch
from graphtm.engines import class_targets, initial_state
from graphtm.engines.cpu import CpuEngine
from graphtm.graphs.edges import EdgeTable
from graphtm.model import MachineParams, MachineState

THREADS = (1, 2)


def edges_of(n_graphs: int, n_nodes: int, name: str) -> EdgeTable:
    """Return edges by destination: the two nodes of w2 tell each other, those of w3 their neighbours on both sides."""
    if name == "w1":
        return EdgeTable(np.zeros(n_graphs * n_nodes + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    if name == "w2":
        sources, types, counts = [1, 0], [0, 0], [1, 1]
    else:
        pairs = [(u, v, int(u > v)) for v in range(n_nodes) for u in (v - 1, v + 1) if 0 <= u < n_nodes]
        sources, types = [u for u, _, _ in pairs], [t for _, _, t in pairs]
        counts = np.bincount([v for _, v, _ in pairs], minlength=n_nodes).tolist()
    ptr = np.concatenate([[0], np.cumsum(np.tile(counts, n_graphs))])
    return EdgeTable(ptr, np.tile(sources, n_graphs).astype(np.int32), np.tile(types, n_graphs).astype(np.int32))


def graphs_of(data: Any, config: Any, name: str) -> EncodedBatch:
    """Return the yardstick's nodes, without the negated literals that it writes out."""
    n_graphs = len(data.y)
    bits = data.Xn.reshape(n_graphs * config.N, -1)[:, : config.H // 64].copy()
    edges = edges_of(n_graphs, config.N, name)
    ptr = np.arange(n_graphs + 1, dtype=np.int64) * config.N
    return EncodedBatch(bits, config.H, ptr, edges, edges, None, None)


def params_of(config: Any, model: Any) -> MachineParams:
    code = Code("random", config.M, np.sort(model.I, axis=1).astype(np.int32)) if config.depth > 1 else None
    limit = None if config.maxinc >= 10**9 else config.maxinc
    return MachineParams(
        n_outputs=config.C,
        n_clauses=config.m,
        hypervector_size=config.H,
        message_code=code,
        depth=config.depth,
        T=config.T,
        s=config.s,
        max_included_literals=limit,
        seed=config.seed,
    )


class Ours:
    """The engine on one workload."""

    def __init__(self, config: Any, train: Any, test: Any, model: Any, name: str) -> None:
        self.params = params_of(config, model)
        self.graphs, self.tests = graphs_of(train, config, name), graphs_of(test, config, name)
        self.targets = class_targets(train.y, config.C, config.T, config.q)
        self.state: MachineState = initial_state(self.params)

    def fit(self, order: Any, n_threads: int, keep: bool = False) -> float:
        engine = CpuEngine(n_threads)
        engine.load(self.params, self.state)
        graphs = engine.prepare(self.graphs)
        start = time.perf_counter()
        engine.fit(graphs, self.targets, order)
        seconds = time.perf_counter() - start
        if keep:
            self.state = engine.state()
        return seconds

    def predict(self, n: int, n_threads: int) -> tuple[float, Any]:
        engine = CpuEngine(n_threads)
        engine.load(self.params, self.state)
        part = EncodedBatch(
            self.tests.bits[: int(self.tests.node_ptr[n])],
            self.tests.n_bits,
            self.tests.node_ptr[: n + 1],
            self.tests.out_edges,
            self.tests.in_edges,
            None,
            None,
        )
        graphs = engine.prepare(part)
        start = time.perf_counter()
        sums = engine.class_sums(graphs)
        return time.perf_counter() - start, sums


class Theirs:
    """The yardstick on the same workload."""

    def __init__(self, yardstick: ModuleType, config: Any, train: Any, test: Any) -> None:
        self.y, self.config, self.train, self.test = yardstick, config, train, test
        self.run = yardstick.engine(config)
        self.model, self.step = yardstick.M(config), 0

    def fit(self, order: Any, n_threads: int, keep: bool = False) -> float:
        model = self.model if keep else self.y.clone(self.model)
        start = time.perf_counter()
        self.y.nrun(self.run, self.config, model, self.train, n_threads, order, len(order), self.step, 1)
        seconds = time.perf_counter() - start
        self.step += len(order) if keep else 0
        return seconds

    def predict(self, n: int, n_threads: int) -> tuple[float, Any]:
        start = time.perf_counter()
        sums = self.y.nrun(self.run, self.config, self.model, self.test, n_threads, None, n, 0, 0)
        return time.perf_counter() - start, sums


def measure(ours: Ours, theirs: Theirs, when: str, examples: int, reps: int) -> list[dict[str, Any]]:
    order = np.random.default_rng(5).permutation(len(theirs.train.y))[:examples].astype(np.int64)
    n_tests = min(len(theirs.test.y), examples)
    times: dict[tuple[str, int, str], list[float]] = {}
    for _ in range(reps):
        for n_threads in THREADS:
            for name, side in (("yardstick", theirs), ("engine", ours)):
                key = (f"train_{when}", n_threads, name)
                times.setdefault(key, []).append(side.fit(order, n_threads) / len(order))
                key = (f"predict_{when}", n_threads, name)
                times.setdefault(key, []).append(side.predict(n_tests, n_threads)[0] / n_tests)
    results = []
    for phase, n_threads in sorted({key[:2] for key in times}):
        micro = {name: 1e6 * float(np.median(times[phase, n_threads, name])) for name in ("engine", "yardstick")}
        results.append(
            {
                "phase": phase,
                "threads": n_threads,
                "ratio": round(micro["engine"] / micro["yardstick"], 3),
                "engine_us": round(micro["engine"], 2),
                "yardstick_us": round(micro["yardstick"], 2),
            }
        )
    return results


def compare(yardstick: ModuleType, name: str, options: Any) -> list[dict[str, Any]]:
    config, train, test = yardstick.load(SimpleNamespace(workload=name, mnist=options.mnist, clauses=1000))
    theirs = Theirs(yardstick, config, train, test)
    ours = Ours(config, train, test, theirs.model, name)
    rng = np.random.default_rng(0)
    for side in (theirs, ours):
        side.fit(np.arange(2), 1)  # compiles
    order = rng.permutation(len(train.y))[:1000].astype(np.int64)
    for side in (theirs, ours):
        side.fit(order, 1, keep=True)
    results = measure(ours, theirs, "early", options.examples, options.reps)
    for _ in range(options.epochs):
        order = rng.permutation(len(train.y)).astype(np.int64)
        for side in (theirs, ours):
            side.fit(order, 2, keep=True)
    results += measure(ours, theirs, "late", options.examples, options.reps)
    accuracies = [float((side.predict(len(test.y), 2)[1].argmax(1) == test.y).mean()) for side in (ours, theirs)]
    print(f"{name}: accuracy of the engine {accuracies[0]:.3f}, of the yardstick {accuracies[1]:.3f}")
    return [{"workload": name, **result} for result in results]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yardstick", type=Path, required=True, help="folder of yardstick.py")
    parser.add_argument("--mnist", type=Path, help="mnist.npz for w1; without it w1 is left out")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--workload", choices=["w1", "w2", "w3"], action="append", help="only this one")
    parser.add_argument("--examples", type=int, default=800, help="examples of a measurement")
    parser.add_argument("--reps", type=int, default=5, help="measurements of each kind; the median counts")
    parser.add_argument("--epochs", type=int, default=2, help="epochs between early and late")
    options = parser.parse_args()
    if not (options.yardstick / "yardstick.py").is_file():
        parser.error(f"there must be a yardstick.py in {options.yardstick}")
    sys.path.insert(0, str(options.yardstick))
    import yardstick

    results = []
    for name in options.workload or ["w1", "w2", "w3"]:
        if name == "w1" and options.mnist is None:
            print("w1: left out, it needs --mnist FILE")
            continue
        for result in compare(yardstick, name, options):
            results.append(result)
            print(
                "{workload} {phase:14} {threads} threads: {engine_us:8.1f} us, yardstick {yardstick_us:8.1f}, "
                "ratio {ratio:.2f}".format(**result),
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({"results": results}, indent=1) + "\n")
        print(f"Written to {options.json}.")


if __name__ == "__main__":
    main()
