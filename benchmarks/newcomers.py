"""Compare the defaults with the best of 50 settings on the tasks of a newcomer, on data that were not learned from.

    python benchmarks/newcomers.py [--task csv ...] [--settings 50] [--splits N] [--jobs 14] [--seed 0] [--json OUT]

The tasks are those of ``newcomer_tasks.py``, each with several splits. Nothing is downloaded. The columns are:

- largest class: always the most frequent class of the training part, or the most frequent set of tags;
- plain: ``GraphTMClassifier()``, or the multi-label one, after ``Tokens()`` for texts and ``Table()`` for the table;
- defaults: ``make_classifier(X, y)``;
- best of 50: for each split, the one of 50 settings with the best mean score in a three-fold cross-validation on the
  training part, fitted to the whole training part. Settings are drawn once, from a fixed seed;
- random forest: scikit-learn's, on the number of nodes with each symbol.

Scores are accuracies, for tags the fraction of texts with exactly the right tags, all in percent: means over the splits
and their standard errors. The gap is the mean of best minus defaults, and its standard error over the splits.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from newcomer_tasks import GRAPHS, TABLE, TASKS, TEXTS, Split
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer
from tqdm.auto import tqdm

from graphtm import GraphBatch, GraphTMClassifier, GraphTMMultiLabelClassifier, make_classifier
from graphtm.encoders import Neighbourhoods, Table, Tokens, WholeGraph
from graphtm.experiments.graph_benchmarks_data import symbol_counts

LARGEST, PLAIN, DEFAULTS, BEST, FOREST = "largest class", "plain", "defaults", "best", "random forest"
METHODS = (LARGEST, PLAIN, DEFAULTS, BEST, FOREST)
SETTINGS_SEED = 18
N_FOLDS = 3

Encoders = tuple[Any, ...]


def representations(kind: str) -> list[tuple[str, Encoders, int]]:
    """Return the ways to represent data of a kind: name, encoders and depth of the machine."""
    if kind == TABLE:
        return [(f"{bins} bins", (Table(bins=bins),), 1) for bins in (4, 8, 16)]
    if kind == TEXTS:
        whole = [Tokens(ngrams=n, position=False, edges=None) for n in (1, 2, 3)]
        return [
            *((f"words, depth {depth}", (Tokens(),), depth) for depth in (1, 2, 3)),
            *((f"whole text, {one.ngrams}-grams", (one, WholeGraph()), 1) for one in whole),
        ]
    hops = (1, 2, 3)
    return [
        *((f"plain, depth {depth}", (), depth) for depth in (1, 2, 3)),
        *((f"whole graph, {n} hops", (Neighbourhoods(hops=n), WholeGraph()), 1) for n in hops),
        *((f"nodes, {n} hops", (Neighbourhoods(hops=n),), 1) for n in hops),
    ]


def settings(kind: str, n: int) -> list[dict[str, Any]]:
    """Return ``n`` settings: the number of a representation, each as often as the others, and drawn parameters.

    The parameters are the same for all kinds of data, and the first settings the same for every ``n``.
    """
    rng, n_choices = np.random.default_rng(SETTINGS_SEED), len(representations(kind))
    return [{"representation": number % n_choices, **_parameters(rng)} for number in range(n)]


def _parameters(rng: np.random.Generator) -> dict[str, Any]:
    def log_uniform(least: float, most: float) -> float:
        return float(np.exp(rng.uniform(np.log(least), np.log(most))))

    n_clauses, max_misses = round(log_uniform(20, 1000)), int(rng.choice([0, 4, 9]))
    limits = [None, 3 * max_misses, 6 * max_misses, 12 * max_misses] if max_misses else [None, 3, 10, 30]
    return {
        "n_clauses": n_clauses,
        "max_misses": max_misses,
        # From a fiftieth of what all clauses reach together, each with a weight of 1, to twice that.
        "T": max(2, round(n_clauses * (max_misses + 1) * log_uniform(0.02, 2))),
        "s": round(log_uniform(3, 1000) if max_misses else log_uniform(1.2, 50), 2),
        "max_included_literals": limits[rng.integers(4)],
        "epochs": round(log_uniform(10, 200)),
    }


def _machine(kind: str, **parameters: Any) -> Any:
    return (GraphTMMultiLabelClassifier if kind == TEXTS else GraphTMClassifier)(**parameters)


def pipeline(kind: str, setting: dict[str, Any], seed: int) -> Pipeline:
    """Return the encoders and the machine of a setting, not fitted."""
    _, encoders, depth = representations(kind)[setting["representation"]]
    own = {name: value for name, value in setting.items() if name != "representation"}
    return make_pipeline(*encoders, _machine(kind, **own, depth=depth, random_state=seed))


@lru_cache(maxsize=2)
def data(task: str, number: int) -> Split:
    """Return the data of a split; a process draws them once for all settings."""
    return TASKS[task].draw(number)


def validate(task: str, number: int, setting: dict[str, Any]) -> float:
    """Return the mean score of a setting in a cross-validation on the training part."""
    kind, own = TASKS[task].kind, data(task, number)
    # Sets of tags cannot be stratified.
    folds = (KFold if kind == TEXTS else StratifiedKFold)(N_FOLDS, shuffle=True, random_state=number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some settings are poor, and told so
        model = pipeline(kind, setting, number)
        return float(np.mean(cross_val_score(model, own.X, own.y, cv=folds, error_score="raise")))


def learn(task: str, number: int, method: str, setting: dict[str, Any] | None = None) -> dict[str, float]:
    """Learn from the training part, by a setting if one is given, else by a method.

    Returns the score on the test part, and the seconds of learning.
    """
    kind, own = TASKS[task].kind, data(task, number)
    encoders: dict[str, Encoders] = {GRAPHS: (), TEXTS: (Tokens(),), TABLE: (Table(),)}
    if setting is not None:
        model: Any = pipeline(kind, setting, number)
    elif method == DEFAULTS:
        model = make_classifier(own.X, own.y, random_state=number)
    elif method == PLAIN:
        model = make_pipeline(*encoders[kind], _machine(kind, random_state=number))
    elif method == FOREST:
        model = make_pipeline(*encoders[kind], _Forest(number))
    else:
        model = _LargestClass()
    start = time.perf_counter()
    with warnings.catch_warnings():
        if setting is not None:
            warnings.simplefilter("ignore", UserWarning)
        model.fit(own.X, own.y)
    seconds = time.perf_counter() - start
    return {"score": float(model.score(own.X_test, own.y_test)), "seconds": seconds}


class _LargestClass:
    """The most frequent class, or set of tags, of the training part."""

    def fit(self, X: Any, y: Any) -> None:  # noqa: ARG002
        ((self.answer, _),) = Counter(map(_hashable, y)).most_common(1)

    def score(self, X: Any, y: Any) -> float:  # noqa: ARG002
        return float(np.mean([_hashable(one) == self.answer for one in y]))


def _hashable(answer: Any) -> Any:
    return frozenset(answer) if isinstance(answer, set) else answer


class _Forest(BaseEstimator):  # type: ignore[misc]
    """A random forest on the number of nodes with each symbol."""

    def __init__(self, random_state: int) -> None:
        self.random_state = random_state

    def fit(self, X: GraphBatch, y: Any) -> _Forest:
        self.tags_ = MultiLabelBinarizer().fit(y) if isinstance(y, list) else None
        self.forest_ = RandomForestClassifier(random_state=self.random_state).fit(symbol_counts(X), self._answers(y))
        return self

    def score(self, X: GraphBatch, y: Any) -> float:
        return float(self.forest_.score(symbol_counts(X), self._answers(y)))

    def _answers(self, y: Any) -> Any:
        return y if self.tags_ is None else self.tags_.transform(y)


def run(pool: Executor, splits: list[tuple[str, int]], n_settings: int, bar: Any) -> Iterator[list[dict[str, Any]]]:
    """Yield the results of all splits, first without the best settings, then with them."""

    def finished(jobs: dict[Future[Any], Any]) -> Iterator[tuple[Any, Any]]:
        for job in as_completed(jobs):
            bar.update()
            yield jobs[job], job.result()

    drawn = {kind: settings(kind, n_settings) for kind in (GRAPHS, TEXTS, TABLE)}
    results: dict[tuple[str, int], dict[str, Any]] = {
        (task, number): {"task": task, "split": number, "methods": {}, "validation": [None] * n_settings}
        for task, number in splits
    }
    jobs: dict[Future[Any], Any] = {}
    for split in splits:
        for method in METHODS:
            if method != BEST:
                jobs[pool.submit(learn, *split, method)] = (split, method)
    for split in splits:
        for place, setting in enumerate(drawn[TASKS[split[0]].kind]):
            jobs[pool.submit(validate, *split, setting)] = (split, place)
    for (split, what), result in finished(jobs):
        results[split]["methods" if what in METHODS else "validation"][what] = result
    yield list(results.values())

    jobs = {}
    for split, one in results.items():
        chosen = int(np.argmax(one["validation"]))  # the first of equals
        kind = TASKS[split[0]].kind
        setting = drawn[kind][chosen]
        one.update(setting=setting, representation=representations(kind)[setting["representation"]][0])
        jobs[pool.submit(learn, *split, BEST, setting)] = split
    for split, result in finished(jobs):
        results[split]["methods"][BEST] = result
    yield list(results.values())


def table(results: list[dict[str, Any]], n_settings: int) -> str:
    """Return the means over splits as a Markdown table, with a row per task, and what was chosen for each."""
    names = [f"best of {n_settings}" if method == BEST else method for method in METHODS]
    heads = ["task", "splits", *names, "gap", "allowed", "s to fit the defaults", "representations chosen"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for task in dict.fromkeys(one["task"] for one in results):
        own = [one for one in results if one["task"] == task]
        scores = {name: 100 * np.array([one["methods"][name]["score"] for one in own]) for name in METHODS}
        seconds = np.mean([one["methods"][DEFAULTS]["seconds"] for one in own])
        chosen = Counter(one["representation"] for one in own).most_common()
        cells = [task, str(len(own)), *(_mean(scores[name]) for name in METHODS)]
        cells += [_mean(scores[BEST] - scores[DEFAULTS]), f"{TASKS[task].margin:g}", f"{seconds:.2f}"]
        cells.append(", ".join(f"{name} ({count})" for name, count in chosen))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean(values: NDArray[np.float64]) -> str:
    """Return the mean and, of several values, its standard error."""
    if len(values) == 1:
        return f"{values[0]:.1f}"
    return f"{values.mean():.1f} ± {values.std(ddof=1) / np.sqrt(len(values)):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="default: all")
    parser.add_argument("--settings", type=int, default=50, help="number of settings to choose from")
    parser.add_argument("--splits", type=int, help="run only the first splits of each task")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes, of one thread each")
    parser.add_argument("--seed", type=int, default=0, help="other seeds draw other data and splits")
    parser.add_argument("--json", type=Path, help="where to write the results")
    options = parser.parse_args()
    if options.settings < 1:
        parser.error(f"--settings must be at least 1; got {options.settings}")

    # New processes read these variables before they import NumPy and Numba.
    os.environ.update(NUMBA_NUM_THREADS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    splits = [
        (task, 1000 * options.seed + number)
        for task in options.task
        for number in range(min(options.splits or TASKS[task].n_splits, TASKS[task].n_splits))
    ]
    total = len(splits) * (options.settings + len(METHODS))
    context = multiprocessing.get_context("spawn")
    results: list[dict[str, Any]] = []
    with ProcessPoolExecutor(options.jobs, context) as pool, tqdm(total=total, unit="fit", smoothing=0) as bar:
        try:
            for results in run(pool, splits, options.settings, bar):
                if options.json:
                    options.json.write_text(json.dumps(results, indent=1) + "\n")
        except BaseException:
            pool.shutdown(cancel_futures=True)  # else an error would only be told after thousands of fits
            raise
    print(table(results, options.settings))


if __name__ == "__main__":
    main()
