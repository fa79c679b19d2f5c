"""How the cost of an example grows with clauses, nodes, edges, depth and edge types, one at a time.

    python benchmarks/growth.py [--json OUT]

Prints Markdown tables of microseconds per example (learning, after some examples) with the exponent, the slope of a
line through the logarithms: 1 is proportional growth.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from graphtm.codes import encode, message_code, symbol_code
from graphtm.engines import class_targets, initial_state, make_engine
from graphtm.engines.random import Purpose, code_draws
from graphtm.graphs import GraphBatch
from graphtm.model import MachineParams

BASE: dict[str, Any] = dict(clauses=500, nodes=500, degree=4, depth=2, edge_types=4)
SERIES: dict[str, list[dict[str, Any]]] = {
    "clauses": [dict(clauses=500 * k) for k in (1, 2, 4, 8)],
    "nodes": [dict(nodes=500 * k) for k in (1, 2, 4, 8, 16, 32, 64)],
    "edges per node": [dict(degree=k) for k in (1, 2, 4, 8, 16, 32, 64, 128)],
    "depth": [dict(depth=k) for k in (1, 2, 3, 6, 12, 35)],
    "edge types": [dict(edge_types=k) for k in (1, 3, 10, 30, 100, 300, 1000)],
}


def microseconds(clauses: int, nodes: int, degree: int, depth: int, edge_types: int, repeats: int) -> float:
    rng = np.random.default_rng(0)
    n = max(4, 200 * 500 // nodes)
    y = rng.integers(0, 2, n)
    symbols = rng.integers(0, 64, n * nodes)
    symbols[rng.integers(0, n * nodes, n * nodes // 20)] = 0
    graph = np.repeat(np.arange(n), nodes * degree)
    edges = (
        graph * nodes + rng.integers(0, nodes, len(graph)),
        graph * nodes + rng.integers(0, nodes, len(graph)),
        rng.integers(0, edge_types, len(graph)),
    )
    graphs = GraphBatch.from_arrays(
        np.full(n, nodes), (np.arange(n * nodes), symbols), range(64), edges=edges, edge_types=range(edge_types)
    )
    code = symbol_code(64, code_draws(0, Purpose.SYMBOL_CODE), encoding="random", size=256)
    messages = message_code(clauses, edge_types, code_draws(0, Purpose.CLAUSE_CODE), encoding="random", size=512)
    params = MachineParams(
        n_outputs=2,
        n_clauses=clauses,
        hypervector_size=256,
        message_code=messages if depth > 1 else None,
        depth=depth,
        T=clauses,
        s=5.0,
        seed=1,
    )
    engine = make_engine("cpu")
    engine.load(params, initial_state(params))
    prepared, targets = engine.prepare(encode(graphs, code)), class_targets(y, 2, params.T)
    order = np.tile(np.arange(n), -(-200 // n))
    engine.fit(prepared, targets, order)
    state, times = engine.state(), []
    order = order[: max(4, min(len(order), 100 * 500 // nodes))]
    for _ in range(repeats):
        engine.load(params, state)
        start = time.perf_counter()
        engine.fit(prepared, targets, order)
        times.append((time.perf_counter() - start) / len(order))
    return 1e6 * float(np.median(times))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--repeats", type=int, default=5, help="measurements of each; the median counts")
    options = parser.parse_args()
    results = []
    print("Base: " + ", ".join(f"{name} {value}" for name, value in BASE.items()) + ", H=256, M=512\n")
    for name, changes in SERIES.items():
        sizes = [size for change in changes for size in change.values()]
        times = [microseconds(**{**BASE, **change}, repeats=options.repeats) for change in changes]
        exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
        results.append({"series": name, "sizes": sizes, "microseconds": times, "exponent": exponent})
        print(f"| {name} | " + " | ".join(f"{size:,}" for size in sizes) + " | exponent |")
        print("|---" * (len(sizes) + 2) + "|")
        print("| µs | " + " | ".join(f"{value:,.0f}" for value in times) + f" | {exponent:.2f} |\n", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
