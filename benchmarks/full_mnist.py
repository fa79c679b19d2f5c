"""Train on all of MNIST as patches: accuracy over seeds, peak memory, and epochs beside a yardstick's.

    python benchmarks/full_mnist.py --mnist FILE [--seeds 3] [--epochs 10] [--engine cuda] [--clauses 2500] [--one-hot]
    python benchmarks/full_mnist.py --mnist FILE --max-misses 9 --max-included-literals 60 --one-hot [--epochs 30]
    python benchmarks/full_mnist.py --mnist FILE --yardstick DIR [--epochs 10]

T = 1.25 for each clause, s = 10, patches of 10 x 10, 2 of 128 bits for a symbol or, with ``--one-hot``, a bit of its
own. With ``--max-misses`` clauses are graded; T is then half of the strongest vote of each clause, max_misses + 1, and
s = 500. With ``--yardstick`` only epochs of 2,500 clauses are timed, the yardstick's and the CPU engine's in turn;
without it the classifier is trained, tested after each epoch, and its memory measured.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from graphtm import GraphTMClassifier
from graphtm.bench import INK
from graphtm.datasets import load_mnist
from graphtm.encoders import ImagePatches


def digits(path: Path, subset: str) -> tuple[np.ndarray, np.ndarray]:
    images, y = load_mnist(subset=subset, data_home=path.parent if path.is_file() else path, download=False)
    return images > INK, y


def accuracies(path: Path, seeds: int, settings: dict[str, Any]) -> dict[str, Any]:
    train, y = digits(path, "train")
    test, y_test = digits(path, "test")
    encoder = ImagePatches().fit(train)
    graphs, tests = encoder.transform(train), encoder.transform(test)
    scores, seconds = [], []
    for seed in range(seeds):
        start = time.perf_counter()
        classifier = GraphTMClassifier(**settings, depth=1, random_state=seed, verbose=1)
        classifier.fit(graphs, y, eval_set=(tests, y_test))
        whole = time.perf_counter() - start
        for record in classifier.history_:
            print(
                f"  epoch {record['epoch']}: {100 * record['val_accuracy']:.2f} %, {record['seconds']:.3f} s, "
                f"{record['included_literals']:.1f} literals in a clause"
            )
        scores.append([record["val_accuracy"] for record in classifier.history_])
        seconds += [record["seconds"] for record in classifier.history_]
        begin = time.perf_counter()
        classifier.predict(tests)
        predicting = 1e6 * (time.perf_counter() - begin) / len(y_test)
        print(
            f"seed {seed} on {classifier.engine_}, {classifier.model_.params.hypervector_size} bits: "
            f"{100 * scores[-1][-1]:.2f} % after {len(scores[-1])} epochs, {100 * np.mean(scores[-1][-5:]):.2f} % on "
            f"average over the last five; {whole:.1f} s with encoding and testing; "
            f"prediction {predicting:.2f} us, encoding included",
            flush=True,
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"mean {100 * np.mean([each[-1] for each in scores]):.2f} %, "
        f"of the last five epochs {100 * np.mean([each[-5:] for each in scores]):.2f} %, "
        f"median epoch {np.median(seconds):.3f} s, peak memory {peak / 2**30:.2f} GiB"
    )
    return {"accuracies": scores, "epoch_seconds": seconds, "peak_bytes": peak}


def beside(yardstick: ModuleType, path: Path, epochs: int) -> dict[str, Any]:
    from compare_yardstick import Ours, Theirs

    x, y = digits(path, "train")
    x_test, y_test = digits(path, "test")
    config, train, test = yardstick.w1(x.astype(np.uint8), y, x_test.astype(np.uint8), y_test)
    theirs = Theirs(yardstick, config, train, test)
    ours = Ours(config, train, test, theirs.model, "w1")
    for side in (theirs, ours):
        side.fit(np.arange(2), 2)
    rng = np.random.default_rng(0)
    times: dict[str, list[float]] = {"engine": [], "yardstick": []}
    for epoch in range(epochs):
        order = rng.permutation(len(y)).astype(np.int64)
        times["yardstick"].append(theirs.fit(order, 2, keep=True))
        times["engine"].append(ours.fit(order, 2, keep=True))
        mine, other = times["engine"][-1], times["yardstick"][-1]
        print(f"epoch {epoch}: engine {mine:.2f} s, yardstick {other:.2f} s, ratio {mine / other:.2f}", flush=True)
    ratio = float(np.median(times["engine"]) / np.median(times["yardstick"]))
    right = [float((side.predict(len(y_test), 2)[1].argmax(1) == y_test).mean()) for side in (ours, theirs)]
    print(f"ratio of medians {ratio:.2f}; accuracy of the engine {right[0]:.4f}, of the yardstick {right[1]:.4f}")
    return {"epoch_seconds": times, "ratio": ratio, "accuracies": right}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mnist", type=Path, required=True, help="mnist.npz")
    parser.add_argument("--yardstick", type=Path, help="folder of yardstick.py: time epochs beside it")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--clauses", type=int, default=2500)
    parser.add_argument("--T", type=int)
    parser.add_argument("--s", type=float)
    parser.add_argument("--max-misses", type=int, default=0, help="literals that a clause may miss: graded clauses")
    parser.add_argument("--max-included-literals", type=int, help="literals above which a clause stops growing")
    parser.add_argument("--one-hot", action="store_true", help="a bit for each symbol, instead of 2 of 128")
    parser.add_argument("--json", type=Path, help="where to write the results")
    options = parser.parse_args()
    if options.yardstick is None:
        code = {} if options.one_hot else {"symbol_encoding": "random", "hypervector_size": 128}
        strongest = options.clauses * (options.max_misses + 1)
        settings = dict(
            n_clauses=options.clauses,
            T=options.T or (strongest // 2 if options.max_misses else strongest * 5 // 4),
            s=options.s or (500.0 if options.max_misses else 10.0),
            max_misses=options.max_misses,
            max_included_literals=options.max_included_literals,
            epochs=options.epochs,
            engine=options.engine,
            **code,
        )
        print(", ".join(f"{name}={value}" for name, value in settings.items()), flush=True)
        result = accuracies(options.mnist, options.seeds, settings)
    else:
        sys.path.insert(0, str(options.yardstick))
        import yardstick

        result = beside(yardstick, options.mnist, options.epochs)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
