"""The convolutional coalesced Tsetlin machine of tmu on MNIST, with the clauses, T, s and patches of our experiment.

Needs ``pip install tmu "numpy<2"``. Appends its result to ``results/baselines.jsonl``, from which ``python -m
graphtm.experiments`` takes it. The state is rewritten after each epoch, so that a run that was stopped can be
recorded::

    python benchmarks/baselines/mnist_cotm.py --data DIR --epochs 30 --seeds 2 --state cotm.json
    python benchmarks/baselines/mnist_cotm.py --record cotm.json
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.experiments import Split, experiment
from graphtm.experiments.baselines import append_baseline
from graphtm.experiments.mnist import load
from graphtm.experiments.records import peak_memory

LAST = 5
"""Number of last epochs whose mean is the result."""


def booleanise(images: NDArray[np.uint8], threshold: int) -> NDArray[np.uint32]:
    """Return images of zeros and ones as tmu wants them."""
    return (images >= threshold).astype(np.uint32).reshape(len(images), 28, 28)


def train(images: Split, seed: int, epochs: int, state: dict[str, Any], path: Path | None) -> None:
    """Train with a seed, test after each epoch, and write the scores and seconds of all epochs so far."""
    from tmu.models.classification.coalesced_classifier import TMCoalescedClassifier

    preset = experiment("mnist").presets["paper"]
    machine, task = preset.machine, preset.task
    shown, tested = booleanise(images.train, task["threshold"]), booleanise(images.test, task["threshold"])
    y = np.asarray(images.y, dtype=np.uint32)
    model = TMCoalescedClassifier(
        machine["n_clauses"],
        machine["T"],
        machine["s"],
        patch_dim=(task["patch_size"], task["patch_size"]),
        weighted_clauses=True,
        seed=seed,
    )
    scores, seconds = list[float](), list[float]()
    state["runs"][str(seed)] = {"scores": scores, "seconds": seconds}
    for epoch in range(1, epochs + 1):
        start = time.perf_counter()
        model.fit(shown, y)
        seconds.append(time.perf_counter() - start)
        scores.append(float((model.predict(tested) == images.y_test).mean()))
        print(f"seed {seed}, epoch {epoch}/{epochs}: {100 * scores[-1]:.2f} %, {seconds[-1]:.1f} s", flush=True)
        state["peak_bytes"] = peak_memory()
        if path is not None:
            path.write_text(json.dumps(state))


def record(state: dict[str, Any], folder: str) -> None:
    """Append the mean over the last epochs, for the seeds with the most epochs."""
    epochs = max(len(run["scores"]) for run in state["runs"].values())
    runs = {int(seed): run for seed, run in state["runs"].items() if len(run["scores"]) == epochs}
    last = min(LAST, epochs)
    append_baseline(
        folder,
        experiment="mnist",
        system="convolutional CoTM",
        version=state["version"],
        scores={"accuracy": [float(np.mean(run["scores"][-last:])) for run in runs.values()]},
        seconds=[sum(run["seconds"]) for run in runs.values()],
        seeds=[*runs],
        peak_bytes=state["peak_bytes"],
        result=f"the mean of the last {last} of {epochs} epochs, elapsed time",
        command="python benchmarks/baselines/mnist_cotm.py "
        f"--epochs {epochs} --first-seed {min(runs)} --seeds {len(runs)}",
    )


def main() -> None:
    """Train with each seed, and append the result; or append that of a state."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder that holds mnist/; without it, MNIST is downloaded")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=1, help="number of runs")
    parser.add_argument("--train-size", type=int, help="number of training images to use; the result is not recorded")
    parser.add_argument("--state", type=Path, help="file that is rewritten after each epoch")
    parser.add_argument("--record", type=Path, help="record what this file has, and train nothing")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    if options.train_size and options.state:
        parser.error("--state is for results; leave it out with --train-size, whose result is not recorded.")

    if options.record is not None:
        record(json.loads(options.record.read_text()), options.output)
        return
    images = load(options.data, quick=False).first(options.train_size or 60_000, 10_000)
    state: dict[str, Any] = {"version": f"tmu {version('tmu')}", "runs": {}}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        train(images, seed, options.epochs, state, options.state)
    if not options.train_size:
        record(state, options.output)


if __name__ == "__main__":
    main()
