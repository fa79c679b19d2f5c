"""Trials of representations: small machines on the same folds of a sample, as long as there is time."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from graphtm.estimators import GraphTMClassifier
from graphtm.estimators.fitting import GraphTMEstimator
from graphtm.foundation.arrays import BoolArray
from graphtm.graphs import GraphBatch
from graphtm.learning import Callback, Training
from graphtm.search.candidates import Candidate
from graphtm.search.samples import Samples, n_nodes

N_FOLDS = 3
MOST_SAMPLES, LEAST_SAMPLES = 1000, 100
MOST_NODES = 100_000
"""Number of nodes in a sample, unless that would leave too few graphs."""
TRIAL_CLAUSES = 100
TRIAL_EXAMPLES = 10_000
"""Number of examples that a machine of a trial learns from in each fold, if epochs are neither too few nor too many."""
LEAST_EPOCHS, MOST_EPOCHS = 15, 100


@dataclass(frozen=True)
class RepresentationTrial:
    """How well a representation did in a trial.

    Parameters
    ----------
    name
        Name of the representation.
    accuracy
        Score on held-out samples, as :meth:`graphtm.GraphTMClassifier.score` computes it.
    standard_error
        Standard error of the accuracy.
    gain, gain_error
        Accuracy minus that of the recommended representation on the same samples, and its standard error.
    seconds
        Duration.
    n_symbols
        Number of symbols, or facts, that clauses could use.
    """

    name: str
    accuracy: float
    standard_error: float
    gain: float
    gain_error: float
    seconds: float
    n_symbols: int

    @property
    def is_better(self) -> bool:
        """Whether it is better than the recommended representation by more than the standard error."""
        return self.gain > self.gain_error * (1 + 1e-9)  # equal but for rounding is not better


class _OutOfTimeError(Exception):
    """A trial was abandoned."""


class _Deadline(Callback):
    """Abandon a fit when time is over."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def on_progress(self, training: Training) -> None:  # noqa: ARG002
        _check_time(self._deadline)

    def on_epoch_end(self, training: Training) -> None:  # noqa: ARG002
        _check_time(self._deadline)


def _check_time(deadline: float) -> None:
    """Raise an error if time is over."""
    if time.perf_counter() > deadline:
        raise _OutOfTimeError("time is over")


def trial_sample(samples: Samples, seed: int) -> Samples:
    """Return the sample for trials: at most 1,000 samples, and at most 100,000 nodes if these are many graphs."""
    most, nodes = MOST_SAMPLES, n_nodes(samples.X)
    if nodes is not None and nodes > MOST_NODES:
        most = min(most, max(LEAST_SAMPLES, MOST_NODES * len(samples) // nodes))
    return samples.sample(most, seed)


def trial_machine(estimator: GraphTMEstimator, n_train: int) -> GraphTMEstimator:
    """Return a smaller machine for trials. Its size depends on counts only, never on the clock."""
    machine = clone(estimator)
    if machine.T == "auto":  # a given T belongs to the given number of clauses
        machine.set_params(n_clauses=min(int(machine.n_clauses), TRIAL_CLAUSES))
    epochs = int(machine.chosen(n_train).get("epochs", machine.epochs))
    few = min(max(math.ceil(TRIAL_EXAMPLES / n_train), LEAST_EPOCHS), MOST_EPOCHS)
    return machine.set_params(epochs=min(epochs, few))  # type: ignore[no-any-return]


def run_trials(
    candidates: Sequence[Candidate],
    samples: Samples,
    make: Callable[[Candidate], Any],
    *,
    seconds: float,
    seed: int,
    watched: Callable[[Sequence[Candidate]], Iterable[Candidate]] = iter,
) -> list[RepresentationTrial]:
    """Try candidates in their order, the first in any case and the others until time is over.

    Parameters
    ----------
    candidates
        The candidates; the first is the recommended one.
    samples
        The sample.
    make
        Function that makes the pipeline of a candidate.
    seconds
        Time for all of them. A trial that is not finished by then does not count.
    seed
        Seed of the folds.
    watched
        Wraps the candidates to show progress.

    Returns
    -------
    list of RepresentationTrial
        In the order of the candidates.
    """
    folds = samples.folds(N_FOLDS, seed)
    pipelines = {candidate.name: make(candidate) for candidate in candidates}
    _make_ready([pipeline[-1] for pipeline in pipelines.values()])
    deadline, found, first = time.perf_counter() + seconds, [], None
    for candidate in watched(candidates):
        start = time.perf_counter()
        try:
            right, n_symbols = _held_out(
                pipelines[candidate.name], samples, folds, math.inf if first is None else deadline
            )
        except _OutOfTimeError:
            break
        first = right if first is None else first
        error, gain_error = (_standard_error(values) for values in (right, right - first))
        found.append(
            RepresentationTrial(
                candidate.name,
                float(right.mean()),
                error,
                float((right - first).mean()),
                gain_error,
                time.perf_counter() - start,
                n_symbols,
            )
        )
    return found


def _held_out(pipeline: Any, samples: Samples, folds: Any, deadline: float) -> tuple[Any, int]:
    """Return which samples are predicted correctly while held out, as 0 and 1, and the number of symbols."""
    right, n_symbols = np.zeros(len(samples)), 0
    for fold in range(N_FOLDS):
        _check_time(deadline)
        train, test = (samples.part(np.flatnonzero(mask)) for mask in (folds != fold, folds == fold))
        known, held_out = encoded(pipeline.steps[:-1], train, test.X)
        _check_time(deadline)
        machine = train.prepared(trial_machine(pipeline[-1], len(train)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a sample; the fit on all data warns again
            machine.fit(known, train.labels, callbacks=[_Deadline(deadline)])
            answers = test.correct(machine.predict(held_out))
        right[folds == fold] = answers
        n_symbols = max(n_symbols, len(machine.model_.vocabulary.symbols))
    return right, n_symbols


def encoded(steps: Sequence[tuple[str, Any]], train: Samples, test: Any) -> tuple[Any, Any]:
    """Return training and other data after the steps of a pipeline, which are fitted to the training data only."""
    known = train.X
    for _, step in steps:
        if step is not None and step != "passthrough":
            fitted = clone(step)
            known, test = fitted.fit_transform(known, train.labels), fitted.transform(test)
    return known, test


def _standard_error(values: BoolArray) -> float:
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _make_ready(machines: Sequence[GraphTMEstimator]) -> None:
    """Let engines compile or load what they need, which must not count as the time of a trial."""
    graphs = GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], symbols=["a", "b"])
    choices = {(one.engine, one.n_jobs, one.max_misses > 0) for one in machines}
    for engine, n_jobs, graded in sorted(choices, key=str):
        tiny = GraphTMClassifier(
            n_clauses=2, depth=1, max_misses=int(graded), epochs=1, random_state=0, engine=engine, n_jobs=n_jobs
        )
        tiny.fit(graphs, [0, 1]).predict(graphs)
