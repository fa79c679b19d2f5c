"""The score of a trial of ``tune``: fit on training parts, report each epoch, give up what does not promise."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from graphtm.learning import Callback, Training
from graphtm.search.keys import NoKeyError, key_of
from graphtm.search.samples import Samples
from graphtm.search.space import Space
from graphtm.search.trials import encoded

MOST_ENCODED = 12
"""Number of representations of training and held-out data that are kept, those used last."""


@dataclass(frozen=True, eq=False)
class Split:
    """Samples to train on, and samples to score."""

    train: Samples
    test: Samples


class EpochReports(Callback):
    """Report the score of each epoch to a trial of Optuna, and end the fit if the trial is not promising.

    Parameters
    ----------
    trial
        The trial.
    metric
        Name of the score in the record of an epoch.
    pruned
        Exception that tells Optuna that the trial was pruned.
    """

    def __init__(self, trial: Any, metric: str, pruned: type[Exception]) -> None:
        self._trial, self._metric, self._pruned = trial, metric, pruned

    def on_epoch_end(self, training: Training) -> None:
        epoch = training.record["epoch"]
        self._trial.report(training.record[self._metric], epoch)
        if not training.is_over and self._trial.should_prune():
            raise self._pruned(f"after epoch {epoch}")


@dataclass(eq=False)
class Objective:
    """The function that Optuna maximises: the mean score of the last epoch on held-out samples.

    Parameters
    ----------
    pipeline
        The pipeline, whose parameters are changed in a copy.
    splits
        Training and held-out samples, one pair or one per fold. Trials are pruned in the first.
    space
        The search space.
    metric
        Name of the score.
    pruned
        Exception for pruned trials.
    """

    pipeline: Pipeline
    splits: Sequence[Split]
    space: Space
    metric: str
    pruned: type[Exception]
    _encoded: OrderedDict[Any, tuple[Any, Any]] = field(default_factory=OrderedDict)
    _lock: Any = field(default_factory=threading.Lock)

    @property
    def n_train(self) -> int:
        """Number of samples to train on."""
        return len(self.splits[0].train)

    def parameters(self, trial: Any) -> dict[str, Any]:
        """Return the parameters of a trial, for ``set_params`` of the pipeline."""
        return self.space.draw(trial, self.pipeline, self.n_train)

    def __call__(self, trial: Any) -> float:
        pipeline = clone(self.pipeline).set_params(**self.parameters(trial))
        # Samples that the machine itself holds out are the first evaluation set.
        name = f"{'val' if pipeline[-1].validation_fraction is None else 'val2'}_{self.metric}"
        scores = []
        for number, split in enumerate(self.splits):
            reports = [] if number else [EpochReports(trial, name, self.pruned)]
            scores.append(self._score(pipeline, number, split, name, reports))
        return float(np.mean(scores))

    def _score(self, pipeline: Pipeline, number: int, split: Split, name: str, callbacks: list[EpochReports]) -> float:
        train, test = self._shared(pipeline, number, split)
        machine = split.train.prepared(pipeline[-1])
        machine.fit(train, split.train.labels, eval_set=(test, split.test.labels), callbacks=callbacks)
        return float(machine.history_[machine.epoch_ - 1][name])

    def _shared(self, pipeline: Pipeline, number: int, split: Split) -> tuple[Any, Any]:
        """Return the encoded data of a split; trials with the same encoders share them."""
        steps = pipeline.steps[:-1]
        try:
            key = number, key_of(steps)
        except NoKeyError:
            return encoded(steps, split.train, split.test.X)
        with self._lock:
            if key not in self._encoded:
                self._encoded[key] = encoded(steps, split.train, split.test.X)
            self._encoded.move_to_end(key)
            while len(self._encoded) > MOST_ENCODED * len(self.splits):
                self._encoded.popitem(last=False)
            return self._encoded[key]
