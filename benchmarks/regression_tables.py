"""The regressor on tables, against gradient boosting, linear regression and the regression machine of tmu.

    python benchmarks/regression_tables.py [--tmu PYTHON] [--folds 5] [--json FILE]

Diabetes, the only real set with one target that comes with scikit-learn; Friedman's first function with noise, which
is generated (``make_friedman1``); and 4,000 rows of California housing, if ``fetch_california_housing`` finds it on
disk. All systems get the same folds, and choose their settings on a fifth of the training part of each fold. tmu gets
the bits that ``Table`` makes, with the same numbers of bins. It needs ``pip install tmu "numpy<2"`` in an environment
of its own: PYTHON is the interpreter there, which runs this file again on the bits alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

SEED = 0
OURS = [dict(bins=bins, n_clauses=n, max_misses=m) for bins in (8, 24) for n, m in ((500, 0), (2000, 0), (500, 3))]
BOOSTING = [
    dict(learning_rate=rate, n_estimators=n, max_depth=depth)
    for rate, n, depth in itertools.product((0.05, 0.1), (100, 400), (2, 4))
]
TMU = [
    dict(bins=bins, number_of_clauses=n, T=T, s=s, weighted_clauses=True)
    for bins in (8, 24)
    for n, T in ((500, 500), (500, 5000), (2000, 5000))
    for s in (2.0, 5.0)
]
TMU_EPOCHS = 60


def data_sets() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield names, features and targets."""
    from sklearn.datasets import fetch_california_housing, load_diabetes, make_friedman1

    yield "diabetes", *load_diabetes(return_X_y=True)
    yield "friedman1", *make_friedman1(1000, noise=1.0, random_state=SEED)
    try:
        X, y = fetch_california_housing(download_if_missing=False, return_X_y=True)
    except OSError:
        sys.stderr.write(
            "California housing is left out: it is not on disk. sklearn.datasets.fetch_california_housing() downloads "
            "it.\n"
        )
        return
    some = np.random.default_rng(SEED).permutation(len(X))[:4000]
    yield "california", X[some], y[some]


def bits_of(train: np.ndarray, other: np.ndarray, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the symbols of rows as bits, with the limits of the training rows."""
    from graphtm.encoders import Table

    encoder = Table(bins=bins).fit(train)
    made = []
    for rows in (train, other):
        nodes, symbols = encoder.transform(rows).pack().properties.pairs()
        bits = np.zeros((len(rows), len(encoder.vocabulary_.symbols)), np.uint32)
        bits[nodes, symbols] = 1
        made.append(bits)
    return made[0], made[1]


def ours(train: np.ndarray, y: np.ndarray, test: np.ndarray, settings: dict[str, Any]) -> np.ndarray:
    """Return predictions of this library."""
    from sklearn.pipeline import make_pipeline

    import graphtm as gtm
    from graphtm.encoders import Table

    machine = {name: value for name, value in settings.items() if name != "bins"}
    regressor = gtm.GraphTMRegressor(depth=1, random_state=SEED, n_jobs=1, **machine)
    return np.asarray(make_pipeline(Table(bins=settings["bins"]), regressor).fit(train, y).predict(test))


def boosting(train: np.ndarray, y: np.ndarray, test: np.ndarray, settings: dict[str, Any]) -> np.ndarray:
    """Return predictions of gradient boosting."""
    from sklearn.ensemble import GradientBoostingRegressor

    return np.asarray(GradientBoostingRegressor(random_state=SEED, **settings).fit(train, y).predict(test))


def linear(train: np.ndarray, y: np.ndarray, test: np.ndarray, settings: dict[str, Any]) -> np.ndarray:
    """Return predictions of a linear regression with an L2 penalty."""
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return np.asarray(make_pipeline(StandardScaler(), Ridge(**settings)).fit(train, y).predict(test))


def tmu_of(python: str) -> Callable[..., np.ndarray]:
    """Return a function that gives predictions of tmu, in another interpreter."""

    def predictions(train: np.ndarray, y: np.ndarray, test: np.ndarray, settings: dict[str, Any]) -> np.ndarray:
        seen, asked = bits_of(train, test, settings["bins"])
        with tempfile.TemporaryDirectory() as folder:
            file, found = Path(folder, "bits.npz"), Path(folder, "predictions.npy")
            np.savez(file, train=seen, y=y, test=asked)
            machine = json.dumps({name: value for name, value in settings.items() if name != "bins"})
            command = [python, __file__, "--bits", str(file), "--machine", machine, "--predictions", str(found)]
            subprocess.run(command, check=True, capture_output=True)
            return np.asarray(np.load(found))

    return predictions


def run_tmu(file: str, machine: str, predictions: str) -> None:
    """Train tmu on bits, and write its predictions; this runs where tmu is installed."""
    from tmu.models.regression.vanilla_regressor import TMRegressor

    with np.load(file) as bits:
        train, y, test = bits["train"], bits["y"], bits["test"]
    model = TMRegressor(seed=SEED + 1, **json.loads(machine))
    for _ in range(TMU_EPOCHS):
        model.fit(train, y)
    np.save(predictions, np.asarray(model.predict(test), dtype=np.float64))


def measured(
    system: Callable[..., np.ndarray], grid: list[dict[str, Any]], X: np.ndarray, y: np.ndarray, n_folds: int
) -> dict[str, Any]:
    """Return R2 and MAE of each fold, with settings chosen on a fifth of its training part."""
    from sklearn.metrics import mean_absolute_error, r2_score
    from sklearn.model_selection import KFold, train_test_split

    scores, chosen, begun = [], [], time.perf_counter()
    for train, test in KFold(n_folds, shuffle=True, random_state=SEED).split(X):
        inner, held_out = train_test_split(train, test_size=0.2, random_state=SEED)
        errors = [np.square(system(X[inner], y[inner], X[held_out], one) - y[held_out]).mean() for one in grid]
        best = grid[int(np.argmin(errors))]
        predicted = system(X[train], y[train], X[test], best)
        scores.append((r2_score(y[test], predicted), mean_absolute_error(y[test], predicted)))
        chosen.append(best)
    r2, mae = np.transpose(scores)
    return {
        "r2": float(r2.mean()),
        "r2_deviation": float(r2.std(ddof=1)),
        "mae": float(mae.mean()),
        "seconds": time.perf_counter() - begun,
        "chosen": chosen,
    }


def main() -> None:
    """Measure all systems, print a table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tmu", metavar="PYTHON", help="interpreter of the environment with tmu")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--bits", help=argparse.SUPPRESS)
    parser.add_argument("--machine", help=argparse.SUPPRESS)
    parser.add_argument("--predictions", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.bits:
        run_tmu(given.bits, given.machine, given.predictions)
        return
    systems: dict[str, tuple[Callable[..., np.ndarray], list[dict[str, Any]]]] = {
        "GraphTMRegressor": (ours, OURS),
        "gradient boosting": (boosting, BOOSTING),
        "linear (ridge)": (linear, [dict(alpha=alpha) for alpha in (0.1, 1.0, 10.0, 100.0)]),
    }
    if given.tmu:
        systems["tmu"] = (tmu_of(given.tmu), TMU)
    results: dict[str, dict[str, Any]] = {}
    for name, X, y in data_sets():
        for system, (predictions, grid) in systems.items():
            found = measured(predictions, grid, X, y, given.folds)
            results.setdefault(name, {})[system] = found
            sys.stdout.write(
                f"{name:12} {system:20} R2 {found['r2']:.3f} +- {found['r2_deviation']:.3f}, MAE {found['mae']:.3f}, "
                f"{found['seconds']:.0f} s\n"
            )
            sys.stdout.flush()
    if given.json:
        given.json.write_text(json.dumps({"folds": given.folds, "results": results}, indent=1))


if __name__ == "__main__":
    main()
