"""Training for ``graphtm fit``: one fit, a held-out part, and folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from graphtm.cli.data_files import Data
from graphtm.cli.output import Screen, label_text
from graphtm.cli.reading import GRAPHS, GTMG
from graphtm.cli.regression_scoring import RegressionScore
from graphtm.cli.scoring import Score, score_of
from graphtm.estimators.fit_inputs import held_out
from graphtm.estimators.regression_targets import TargetTable
from graphtm.estimators.rule_regression import NoRuleError
from graphtm.foundation.display import count
from graphtm.graphs.bins import edge_cuts, node_cuts
from graphtm.learning import Checkpoint, ProgressBar

FINAL, HELD_OUT = "", "held-out"
"""Parts of a training, each of which has its own checkpoint: the fit to all data, and the one to be scored."""


@dataclass(frozen=True)
class Schedule:
    """How to train.

    Parameters
    ----------
    seed
        Seed of splits.
    validation
        Fraction to hold out, or 0.
    folds
        Number of folds, or ``None``.
    n_rules
        Number of rules to keep, or ``None``.
    prune
        Whether to prune.
    checkpoint
        File of checkpoints, or ``None``.
    resume
        Whether to continue from it.
    """

    seed: int = 0
    validation: float = 0.2
    folds: int | None = None
    n_rules: int | None = None
    prune: bool = False
    checkpoint: Path | None = None
    resume: bool = False

    def checkpoint_of(self, part: str) -> Path | None:
        """Return the file of the checkpoints of a part."""
        if self.checkpoint is None or part == FINAL:
            return self.checkpoint
        return self.checkpoint.with_name(f"{self.checkpoint.name}.{part}")

    def checkpoints(self) -> list[Path]:
        """Return the files of the checkpoints of all parts."""
        return [file for file in map(self.checkpoint_of, [FINAL, *self.parts()]) if file is not None]

    def parts(self) -> list[str]:
        """Return the names of all parts that are scored."""
        if self.folds is not None:
            return [f"fold-{number}" for number in range(1, self.folds + 1)]
        return [HELD_OUT] if self.validation else []


@dataclass(frozen=True)
class Trained:
    """A fitted pipeline, what its machine saw, and the seconds it took."""

    pipeline: Pipeline
    seen: Any
    seconds: float


def announce(screen: Screen, data: Data, schedule: Schedule, measure: str) -> None:
    """Print what is trained on and what is measured, if samples are held out."""
    part = f"{100 * (1 - schedule.validation):.0f} % of them, to measure the {measure} on the rest"
    what = f"Cross-validating on {schedule.folds} folds" if schedule.folds else f"Training on {part}"
    bins = " Limits of bins come from all graphs, those held out included." if _has_bins(data) else ""
    screen.say()
    screen.say(f"{what}, then training on all {count(len(data), data.noun)}.{bins}")


def _has_bins(data: Data) -> bool:
    """Whether numbers of graphs were divided into bins when they were read."""
    if data.reading.kind != GRAPHS or data.format == GTMG:
        return False
    return bool(node_cuts(data.X.vocabulary) or edge_cuts(data.X.vocabulary))


def train(screen: Screen, pipeline: Pipeline, data: Data, schedule: Schedule, part: str = FINAL) -> Trained:
    """Fit a fresh copy of a pipeline, and shorten the model if that is asked for."""
    X, y = data.X, data.y
    start = time.perf_counter()
    fresh = clone(pipeline)
    encoders, machine = fresh[:-1], fresh[-1]
    seen = X
    if len(encoders):
        with screen.waiting("Encoding ..."):
            seen = encoders.fit_transform(X, y)
    if data.of_numbers and data.reading.label is not None:  # the target has the name of its column
        y = TargetTable(y[:, None], (data.reading.label,), is_vector=True)
    callbacks: list[Any] = [ProgressBar()] if screen.shows_progress else []
    file = schedule.checkpoint_of(part)
    if file is not None:
        callbacks.append(Checkpoint(file))
    machine.fit(seen, y, callbacks=callbacks, resume_from=file if schedule.resume else None)
    if schedule.n_rules is not None:
        with screen.waiting(f"Choosing {schedule.n_rules} rules ..."):
            _shorten(machine, seen, y, schedule.n_rules)
    if schedule.prune:
        with screen.waiting("Pruning ..."):
            machine.prune(seen)
    return Trained(fresh, seen, time.perf_counter() - start)


def _shorten(machine: Any, seen: Any, y: Any, n_rules: int) -> None:
    """Choose rules; if none tells the classes apart, warn and keep the model, which took time to train."""
    try:
        machine.refit(seen, y, n_rules=n_rules)
    except NoRuleError:
        warnings.warn(
            f"--rules {n_rules} has no effect, since no clause of the model tells samples apart: all clauses are "
            "kept. Train with more --epochs, with more --clauses, or without --rules.",
            stacklevel=2,
        )


def scores(screen: Screen, pipeline: Pipeline, data: Data, schedule: Schedule) -> Iterator[Score | RegressionScore]:
    """Yield the score of each part that is held out, trained on the rest."""
    if schedule.folds is not None and data.has_classes:
        classes, counts = np.unique(data.y, return_counts=True)
        rarest = int(np.argmin(counts))
        if counts[rarest] < schedule.folds:
            screen.note(
                f"Note: {schedule.folds} folds are more than the {count(int(counts[rarest]), data.noun)} of class "
                f"{label_text(classes[rarest])}, so some folds have none of it."
            )
    splits = list(_splits(data, schedule))
    for part, test in zip(schedule.parts(), splits, strict=True):
        rest = np.setdiff1d(np.arange(len(data)), test)
        if len(splits) > 1:
            screen.note(f"{part.replace('-', ' ').capitalize()} of {len(splits)} ...")
        start = time.perf_counter()
        some = replace(data, X=take(data.X, rest), y=take(data.y, rest), ids=None)
        trained = train(screen, pipeline, some, schedule, part)
        truth = take(data.y, test)
        predicted = trained.pipeline.predict(take(data.X, test))
        yield score_of(truth, predicted, trained.pipeline[-1], time.perf_counter() - start)


def can_hold_out(data: Data, schedule: Schedule) -> bool:
    """Whether there are enough samples to hold some out."""
    try:
        list(_splits(data, schedule))
    except ValueError:
        return False
    return True


def _splits(data: Data, schedule: Schedule) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of the samples of each part, with the same shares of all classes."""
    strata = strata_of(data)
    if schedule.folds is not None:
        kind = StratifiedKFold if data.has_classes else KFold
        folds = kind(schedule.folds, shuffle=True, random_state=schedule.seed % 2**32)
        for _, test in folds.split(np.zeros((len(data), 1)), strata):
            yield np.asarray(test, np.int64)
    elif schedule.validation:
        yield np.flatnonzero(held_out(strata, schedule.validation, schedule.seed))


def strata_of(data: Data) -> NDArray[np.int64]:
    """Return the number of the class of each sample; samples with several labels or numbers are all alike."""
    if not data.has_classes:
        return np.zeros(len(data), np.int64)
    _, numbers = np.unique(data.y, return_inverse=True)
    return np.asarray(numbers, np.int64).reshape(-1)


def take(values: Any, numbers: NDArray[np.int64]) -> Any:
    """Return the samples or labels with these numbers."""
    if isinstance(values, list):
        return [values[number] for number in numbers.tolist()]
    return values.iloc[numbers] if hasattr(values, "iloc") else values[numbers]
