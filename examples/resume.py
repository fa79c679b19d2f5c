"""Kill training with SIGKILL, resume it from the last checkpoint, and end with exactly the same model.

Run it with ``python examples/resume.py [--picture FILE] [--epochs N]``; the picture shows the checkpoint at each kill.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib as mpl

import graphtm as gtm

mpl.use("Agg")
from matplotlib import pyplot as plt

KILLS = 3


def train(epochs: int, path: Path | None = None) -> gtm.GraphTMClassifier:
    """Train; with a path, write checkpoints and continue from the last one, if there is one."""
    graphs, y = gtm.datasets.sequences(5000, noise=0.01, random_state=0)
    machine = gtm.GraphTMClassifier(n_clauses=20, T=20, s=3.0, epochs=epochs, random_state=0)
    callbacks = [] if path is None else [gtm.Checkpoint(path, every=500, unit="examples")]
    return machine.fit(graphs, y, callbacks=callbacks, resume_from=path)


def written(path: Path) -> float | None:
    """Return the time when a file was last written."""
    return path.stat().st_mtime if path.exists() else None


def main() -> None:
    """Train, kill and resume, plot the checkpoints, and print the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="resume.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--checkpoint", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.checkpoint:
        train(given.epochs, given.checkpoint)
        return
    path, moments, steps = Path(tempfile.mkdtemp()) / "run.gtm", random.Random(0), [0]  # noqa: S311
    command = [sys.executable, __file__, "--epochs", str(given.epochs), "--checkpoint", str(path)]
    for _ in range(KILLS):
        before = written(path)
        with subprocess.Popen(command) as process:  # noqa: S603
            while process.poll() is None and written(path) == before:  # training has not started yet
                time.sleep(0.001)
            time.sleep(moments.uniform(0, 0.1))
            process.kill()
        steps.append(gtm.load(path).state_.step)
    resumed, clean = train(given.epochs, path), train(given.epochs)
    same = resumed.state_.equals(clean.state_)
    axes = plt.figure(figsize=(8, 3)).add_subplot()
    axes.bar(range(KILLS + 2), [*steps, resumed.state_.step])
    axes.set(xlabel="kills", ylabel="examples seen", xticks=range(KILLS + 1))
    axes.figure.savefig(given.picture, dpi=120, bbox_inches="tight")
    test, truth = gtm.datasets.sequences(1000, random_state=1)
    if not same:
        raise SystemExit("The resumed model differs from the one trained without interruption.")
    print(f"{KILLS} kills, same model as without interruption; accuracy: {resumed.score(test, truth):.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
