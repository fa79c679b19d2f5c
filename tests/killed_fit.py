"""A fit that is killed again and again: run by test_resume.py, in a process of its own that may fork.

``python killed_fit.py FOLDER ENGINES KILLS SEED`` trains in a child process, kills it with SIGKILL after a random time,
starts the next, which resumes, with the next of the engines; after so many kills a child may finish and save its model.
Prints, for each kill, how many examples the checkpoint had then seen.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

import graphtm as gtm
from graphtm.model import read_model

EPOCHS, PATIENCE = 12, 3
TRAINED = 225
"""Examples of an epoch: a quarter of 300 is held out."""


def train(folder=None, engine="auto", epochs=EPOCHS):
    """Train with all that a checkpoint must know of; with a folder, write and resume checkpoints."""
    graphs, y = gtm.datasets.sequences(300, noise=0.1, random_state=4)
    weights = np.linspace(0.5, 2.0, len(y))
    callbacks = [gtm.EarlyStopping(PATIENCE, min_delta=0.02)]
    path = None
    if folder is not None:
        path = folder / "run.gtm"
        callbacks.append(gtm.Checkpoint(path, every=13, unit="examples"))
    clf = gtm.GraphTMClassifier(
        n_clauses=8,
        T=8,
        s=3.0,
        depth=2,
        epochs=epochs,
        class_weight="balanced",
        validation_fraction=0.25,
        random_state=11,
        engine=engine,
        n_jobs=1,
    )
    return clf.fit(graphs, y, sample_weight=weights, callbacks=callbacks, resume_from=path)


def run_child(folder, engine):
    """Train in a child process; return its number."""
    child = os.fork()
    if child == 0:
        train(folder, engine).save(folder / "final.gtm")
        os._exit(0)
    return child


def ended_within(child, seconds, path=None):
    """Whether a child ends within so many seconds, counted, if there is a path, from when that is written anew."""
    before = path and written(path)
    end = time.monotonic() + seconds
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0, f"the fit failed with status {status}"
            return True
        if path is not None:
            if written(path) != before:
                path, end = None, time.monotonic() + seconds
        elif time.monotonic() > end:
            return False
        time.sleep(0.001)


def written(path):
    return path.stat().st_mtime_ns if path.exists() else None


def main(folder, engines, kills, seed):
    moments = random.Random(seed)
    seen = []
    for attempt in range(10 * kills):
        child = run_child(folder, engines[attempt % len(engines)])
        if len(seen) == kills:
            assert ended_within(child, 300)
            break
        # Half of the times it is left alone until it has come further, however slow the machine.
        path = folder / "run.gtm"
        if ended_within(
            child, moments.uniform(0, 0.1), path if moments.random() < 0.5 else None
        ):  # it got through: begin again
            path.unlink()
            continue
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        seen.append(read_model(path).model.state.step if path.exists() else 0)
    print(json.dumps(seen))  # noqa: T201


if __name__ == "__main__":
    for name in sys.argv[2].split(","):
        train(engine=name, epochs=1)  # what has been imported and compiled, children need not wait for
    main(Path(sys.argv[1]), sys.argv[2].split(","), int(sys.argv[3]), int(sys.argv[4]))
