"""The CUDA engine beside the yardstick, a special-cased prototype, on the same device in the same run.

    python benchmarks/compare_yardstick_cuda.py YARDSTICK_FOLDER [--workload mnist-2500] [--mnist mnist.npz]

Prints, for each epoch, accuracy, microseconds per learned example and per prediction of kernels alone, which is what
the yardstick prints, and in brackets those of the engine by the clock, with everything that the host does in between.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from graphtm.codes import EncodedBatch, message_code
from graphtm.engines import class_targets, initial_state
from graphtm.engines.cuda import CudaEngine
from graphtm.engines.cuda.device import Device, find_device
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.random import Purpose, code_draws, epoch_order
from graphtm.foundation.arrays import pointers
from graphtm.graphs.edges import edge_table
from graphtm.model import MachineParams

WORKLOADS = {"noisyxor": 4, "mvxor500-1000": 3, "chain498": 3, "mnist-2500": 3, "mnist-20000": 2}
SEED = 42


class TimedLauncher(Launcher):
    """Adds up the time of kernels; the device is kept busy while the host prepares a launch."""

    def __init__(self, device: Device) -> None:
        super().__init__(device, special=True)
        self.microseconds = 0.0

    def _timed(
        self, kernel: Any, n_blocks: int, n_threads: int, shared_bytes: int, arguments: tuple[Any, ...]
    ) -> float:
        import cupy

        code = 'extern "C" __global__ void busy() { long long end = clock64() + 2000000; while (clock64() < end) {} }'
        first, last = cupy.cuda.Event(), cupy.cuda.Event()
        cupy.RawKernel(code, "busy")((1,), (1,), ())
        first.record()
        kernel((n_blocks,), (n_threads,), arguments, shared_mem=shared_bytes)
        last.record()
        last.synchronize()
        milliseconds = float(cupy.cuda.get_elapsed_time(first, last))
        self.microseconds += 1e3 * milliseconds
        return 1e-3 * milliseconds

    def taken(self) -> float:
        """Return the microseconds since this was last asked."""
        self.microseconds, taken = 0.0, self.microseconds
        return taken


def encoded(graphs: Any) -> EncodedBatch:
    """Return the yardstick's graphs, which all have as many nodes, as the engine takes them."""
    size, counts = graphs.hypervector_size, graphs.number_of_graph_nodes.astype(np.int64)
    ptr, n_nodes = pointers(counts), int(counts.sum())
    words = np.ascontiguousarray(graphs.X[:, : size // 32])
    if words.shape[1] % 2:
        words = np.concatenate([words, np.zeros_like(words[:, :1])], axis=1)
    per_node = graphs.number_of_graph_node_edges.astype(np.int64)
    source = np.repeat(np.arange(n_nodes), per_node)
    graph = np.repeat(np.arange(len(counts)), counts)[source]
    target, types = graphs.edge[:, 0].astype(np.int64), graphs.edge[:, 1].astype(np.int64)
    in_edges = edge_table(target + ptr[graph], source - ptr[graph], types, n_nodes)
    out_edges = edge_table(source, target, types, n_nodes)
    return EncodedBatch(words.view(np.uint64), size, ptr, out_edges, in_edges, None, None)


def measure_engine(
    train: Any, y: Any, test: Any, y_test: Any, settings: dict[str, Any], epochs: int
) -> list[list[float]]:
    """Return accuracy, microseconds to learn and to predict an example in kernels, and by the clock, per epoch."""
    n, n_outputs, depth = settings["number_of_clauses"], int(y.max()) + 1, settings["depth"]
    messages = None
    if depth > 1:
        draws = code_draws(SEED, Purpose.CLAUSE_CODE)
        messages = message_code(n, max(1, train.ntypes), draws, encoding="random", size=settings["message_size"])
    params = MachineParams(
        n_outputs=n_outputs,
        n_clauses=n,
        hypervector_size=train.hypervector_size,
        message_code=messages,
        depth=depth,
        T=settings["T"],
        s=settings["s"],
        max_included_literals=settings.get("max_included_literals"),
        seed=SEED,
    )
    targets = class_targets(y.astype(np.int64), n_outputs, params.T)
    timed, plain = CudaEngine(), CudaEngine()
    plain.adjust(special=True)
    launcher = timed._launcher = TimedLauncher(find_device())
    prepared = []
    for engine in (timed, plain):
        engine.load(params, initial_state(params))
        prepared.append((engine.prepare(encoded(train)), engine.prepare(encoded(test))))
        engine.fit(prepared[-1][0], targets, np.arange(2))
        engine.class_sums(prepared[-1][1])
        engine.load(params, initial_state(params))
    rows = []
    launcher.taken()
    for epoch in range(epochs):
        order = epoch_order(SEED, epoch, len(y))
        timed.fit(prepared[0][0], targets, order)
        learn = launcher.taken() / len(y)
        sums = timed.class_sums(prepared[0][1])
        predict = launcher.taken() / len(y_test)
        start = time.perf_counter()
        plain.fit(prepared[1][0], targets, order)
        learned = time.perf_counter()
        plain.class_sums(prepared[1][1])
        end = time.perf_counter()
        accuracy = 100 * float(np.mean(sums.argmax(axis=1) == y_test))
        wall = [1e6 * (learned - start) / len(y), 1e6 * (end - learned) / len(y_test)]
        rows.append([accuracy, learn, predict, *wall])
    return rows


def measure_yardstick(yardstick: Any, name: str, epochs: int) -> list[list[float]]:
    """Return the same of the yardstick, of its best launch without mini-batches."""
    yardstick.CFG = [setting for setting in yardstick.CFG if setting[0] == name and setting[2] == 1]
    yardstick.EP[name] = epochs
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        yardstick.main([name])
    runs = [
        [[float(number) for number in cell.split("|")] for cell in re.findall(r"[\d.]+\|[\d.]+\|[\d.]+", line)]
        for line in output.getvalue().splitlines()
    ]
    runs = [run for run in runs if run]
    if not runs:
        raise SystemExit(f"The yardstick failed: {output.getvalue()}")
    return min(runs, key=lambda run: run[-1][1])


def main(
    folder: Annotated[Path, typer.Argument(help="Folder of the yardstick: yardstick.py and workloads.py.")],
    workload: Annotated[
        list[str] | None, typer.Option(help=f"One of {', '.join(WORKLOADS)}; all if not given.")
    ] = None,
    mnist: Annotated[Path | None, typer.Option(help="mnist.npz, for the workloads of digits.")] = None,
    alone: Annotated[bool, typer.Option("--alone", help="The engine only.")] = False,
) -> None:
    """Compare the CUDA engine with the yardstick."""
    sys.path.insert(0, str(folder))
    if mnist is not None:
        os.environ["MNIST_NPZ"] = str(mnist)
    import workloads
    import yardstick

    all_settings = list(yardstick.CFG)
    for name in workload or WORKLOADS:
        train, y, test, y_test, settings = workloads.load(name)
        ours = measure_engine(train, y, test, y_test, settings, WORKLOADS[name])
        theirs = None
        if not alone:
            yardstick.CFG = list(all_settings)
            theirs = measure_yardstick(yardstick, name, WORKLOADS[name])
        for epoch, mine in enumerate(ours):
            line = f"{name:14} epoch {epoch}: {mine[0]:6.2f} %, learn {mine[1]:7.2f} ({mine[3]:.2f}) us, "
            line += f"predict {mine[2]:7.3f} ({mine[4]:.3f}) us"
            if theirs is not None:
                other = theirs[epoch]
                line += f" | yardstick {other[0]:6.2f} %, {other[1]:8.2f}, {other[2]:8.3f}"
                line += f" | ratio {mine[1] / other[1]:.2f}, {mine[2] / other[2]:.2f}"
            typer.echo(line)


if __name__ == "__main__":
    typer.run(main)
