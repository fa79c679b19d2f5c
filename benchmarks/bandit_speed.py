"""Time of acting and learning with a bandit, graph by graph, on one thread.

    python benchmarks/bandit_speed.py [--repeats 3000] [--json FILE]

Graphs have 20 nodes, 40 edges and ten symbols; the bandit has 200 clauses and a depth of 2. Prints the median and the
smallest time of a call in microseconds, and how many times as long it takes as one example of a whole epoch in the same
engine. Other work on the machine raises the median more than the smallest time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import graphtm as gtm
from graphtm.codes import encode
from graphtm.engines import sparse_targets

N, ARMS = 300, 4


def graphs_of(n: int, seed: int = 0) -> list[gtm.Graph]:
    """Return graphs of 20 nodes and 40 edges, built one by one."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n):
        graph = gtm.Graph()
        for node in range(20):
            graph.add_node(node, properties=[f"symbol {rng.integers(10)}"])
        for source, destination in rng.integers(0, 20, (40, 2)).tolist():
            graph.add_edge(source, destination)
        graphs.append(graph)
    return graphs


def timed(call: Callable[[int], object], repeats: int) -> tuple[float, float]:
    """Return the median and the smallest time of a call in microseconds; the first calls do not count."""
    taken = []
    for i in range(repeats + 50):
        start = time.perf_counter()
        call(i % N)
        taken.append(time.perf_counter() - start)
    return float(np.median(taken[50:])) * 1e6, min(taken[50:]) * 1e6


def per_example_of_an_epoch(bandit: gtm.GraphTMBandit, batch: gtm.GraphBatch, repeats: int) -> float:
    """Return the microseconds that the engine needs per example of one long call."""
    model, engine = bandit.model_, bandit._loaded_engine()
    graphs, order = engine.prepare(encode(batch, model.symbol_code)), np.arange(repeats) % N
    values = np.random.default_rng(1).integers(-model.params.T, model.params.T + 1, N)
    targets = sparse_targets(np.arange(N + 1), np.arange(N) % ARMS, values, ARMS, model.params.T, silent=True)
    engine.fit(graphs, targets, order[:50])
    start = time.process_time()
    engine.fit(graphs, targets, order)
    return (time.process_time() - start) / repeats * 1e6


def measured(repeats: int) -> dict[str, dict[str, float]]:
    """Return the times of all calls, by name."""
    graphs, rng = graphs_of(N), np.random.default_rng(2)
    batch = gtm.GraphBatch.from_graphs(graphs)
    arms, rewards = rng.integers(ARMS, size=N).tolist(), rng.random(N).tolist()
    results = {}
    alone = gtm.GraphTMBandit(arms=ARMS, n_clauses=200, random_state=0, n_jobs=1)
    alone.update(batch, arms, rewards)
    base = per_example_of_an_epoch(alone, batch, 20 * repeats)
    for exploration in ("epsilon", "thompson"):
        bandit = gtm.GraphTMBandit(arms=ARMS, n_clauses=200, exploration=exploration, random_state=0, n_jobs=1)
        ready = bandit.prepare(batch)
        calls: dict[str, Callable[[int], object]] = {
            "act, prepared": lambda i, bandit=bandit, ready=ready: bandit.act(ready[i]),  # type: ignore[misc]
            "update, prepared": lambda i, bandit=bandit, ready=ready: bandit.update(ready[i], arms[i], rewards[i]),  # type: ignore[misc]
            "act, Graph": lambda i, bandit=bandit: bandit.act(graphs[i]),  # type: ignore[misc]
            "update, Graph": lambda i, bandit=bandit: bandit.update(graphs[i], arms[i], rewards[i]),  # type: ignore[misc]
        }
        for name, call in calls.items():
            median, least = timed(call, repeats)
            results[f"{exploration}: {name}"] = {"median": median, "min": least}
    for times in results.values():
        times["ratio"] = times["median"] / base
    return {"one example of an epoch": {"median": base, "min": base, "ratio": 1.0}, **results}


def main() -> None:
    """Measure, print a table, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    results = measured(given.repeats)
    table = Table("call", "median, us", "smallest, us", "times an example of an epoch")
    for name, times in results.items():
        table.add_row(name, f"{times['median']:.0f}", f"{times['min']:.0f}", f"{times['ratio']:.1f}")
    Console().print(table)
    if given.json:
        given.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
