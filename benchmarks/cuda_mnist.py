"""Train on all of MNIST as patches on a CUDA device: accuracy, time per epoch, and what bounds it.

    python benchmarks/cuda_mnist.py --mnist mnist.npz [--clauses 2500] [--epochs 30] [--seeds 1] [--one-hot] [--T 3125]

Words compared are those of the literals that clauses include, over all nodes: what evaluation reads from shared memory
if no clause is found false early.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from graphtm.codes import encode, symbol_code
from graphtm.encoders import ImagePatches
from graphtm.engines import class_targets, initial_state
from graphtm.engines.cuda import CudaEngine
from graphtm.engines.random import Purpose, code_draws
from graphtm.learning.machine import Machine
from graphtm.model import MachineParams


def main(
    mnist: Annotated[Path, typer.Option(help="mnist.npz.")],
    clauses: Annotated[int, typer.Option(help="Number of clauses.")] = 2500,
    epochs: Annotated[int, typer.Option(help="How many times to present all digits.")] = 30,
    seeds: Annotated[int, typer.Option(help="How many machines to train.")] = 1,
    one_hot: Annotated[
        bool, typer.Option("--one-hot", help="A bit for each symbol, instead of 2 of 128 bits.")
    ] = False,
    T: Annotated[int | None, typer.Option(help="Voting margin; 1.25 per clause if not given.")] = None,
    s: Annotated[float, typer.Option(help="Specificity.")] = 10.0,
    limit: Annotated[int | None, typer.Option(help="Literals above which a clause takes no more.")] = None,
) -> None:
    """Train, and print accuracy and seconds of each epoch."""
    with np.load(mnist) as arrays:
        train, y, test, y_test = (arrays[name] for name in ("x_train", "y_train", "x_test", "y_test"))
    encoder = ImagePatches().fit(train)
    for seed in range(seeds):
        draws = code_draws(seed, Purpose.SYMBOL_CODE)
        n = len(encoder.vocabulary_.symbols)
        code = symbol_code(n, draws) if one_hot else symbol_code(n, draws, encoding="random", size=128)
        graphs, tests = (encode(encoder.transform(images), code) for images in (train, test))
        margin = T or clauses * 5 // 4
        params = MachineParams(10, clauses, code.size, T=margin, s=s, max_included_literals=limit, seed=seed)
        engine = CudaEngine()
        machine = Machine(engine, params, initial_state(params))
        start = time.perf_counter()
        prepared, others = engine.prepare(graphs), engine.prepare(tests)
        typer.echo(
            f"seed {seed}: {clauses:,} clauses, {code.size} bits, T={margin}, s={s}; "
            f"copied and packed in {time.perf_counter() - start:.2f} s"
        )
        scores, seconds = [], []
        for record in machine.train(prepared, class_targets(y.astype(np.int64), 10, margin), epochs):
            begin = time.perf_counter()
            scores.append(float(np.mean(engine.class_sums(others).argmax(axis=1) == y_test)))
            predicted = time.perf_counter() - begin
            seconds.append(record.seconds)
            typer.echo(
                f"  epoch {record.epoch}: {100 * scores[-1]:.2f} %, {record.seconds:.3f} s "
                f"({1e6 * record.seconds / len(y):.2f} us an example), {record.included_literals:.1f} literals, "
                f"prediction {1e6 * predicted / len(y_test):.2f} us; "
                f"{clauses * record.included_literals * 12 / 1e6:.2f} million words compared at most"
            )
        typer.echo(
            f"  last five epochs {100 * np.mean(scores[-5:]):.2f} % on average, median epoch {np.median(seconds):.3f} s"
        )


if __name__ == "__main__":
    typer.run(main)
