"""Learn from some digits on a machine that has seen all of them, in one launch that a profiler can look at.

ncu --profile-from-start off --metrics ... python benchmarks/cuda_profile.py --mnist mnist.npz [--clauses 40000]
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from graphtm.bench import INK
from graphtm.codes import encode, symbol_code
from graphtm.encoders import ImagePatches
from graphtm.engines import class_targets, initial_state
from graphtm.engines.cuda import CudaEngine
from graphtm.engines.cuda.runs import Pace
from graphtm.engines.random import Purpose, code_draws, epoch_order
from graphtm.model import MachineParams


def main(
    mnist: Annotated[Path, typer.Option(help="mnist.npz.")],
    clauses: Annotated[int, typer.Option(help="Number of clauses.")] = 40_000,
    examples: Annotated[int, typer.Option(help="Of the launch.")] = 2000,
) -> None:
    """Train for an epoch, then launch."""
    from cupyx.profiler import profile

    with np.load(mnist) as arrays:
        images, y = arrays["x_train"] > INK, arrays["y_train"].astype(np.int64)
    encoder = ImagePatches().fit(images)
    code = symbol_code(
        len(encoder.vocabulary_.symbols), code_draws(0, Purpose.SYMBOL_CODE), encoding="random", size=128
    )
    params = MachineParams(n_outputs=10, n_clauses=clauses, hypervector_size=code.size, T=clauses * 5 // 4, s=10.0)
    engine = CudaEngine()
    engine.adjust(special=True)
    engine.load(params, initial_state(params))
    graphs, targets = engine.prepare(encode(encoder.transform(images), code)), class_targets(y, 10, params.T)
    engine.fit(graphs, targets, epoch_order(0, 0, len(y)))
    state = engine.state()
    literals = sum(state.includes(layer, params.state_bits).sum() for layer in range(params.depth))
    typer.echo(f"{clauses:,} clauses with {literals / clauses:.1f} literals each; a launch of {examples:,} examples")
    engine._paces["learn"] = Pace(1e18)
    with profile():
        engine.fit(graphs, targets, epoch_order(0, 1, len(y))[:examples])


if __name__ == "__main__":
    typer.run(main)
