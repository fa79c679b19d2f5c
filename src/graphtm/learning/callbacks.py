"""The interface of callbacks, the history, and early stopping."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphtm.errors import ModelFormatError
from graphtm.learning.machine import EpochRecord
from graphtm.model import MachineState, Model

if TYPE_CHECKING:
    from graphtm.learning.training import Training


class Callback:
    """Base class of callbacks: derive from it and override the methods you need.

    Every method receives the running :class:`~graphtm.learning.Training`. It knows the progress of the fit, has a
    ``record`` to which values can be added at the end of an epoch, and can be stopped by ``stop()``.

    Attributes
    ----------
    score_training
        Whether to score the training graphs at the end of each epoch. ``None`` scores them only if there is no
        evaluation set.
    every_examples
        If set, ``on_progress`` is called after every multiple of this number of examples.
    metrics
        Names that ``on_epoch_end`` adds to the record, so that :class:`EarlyStopping` can monitor them.
    writes_checkpoints
        Whether the callback calls ``training.save``. Then data is checksummed and names are checked before the first
        epoch.
    order
        Callbacks with a smaller number are called first; ties keep the order given. Early stopping has 1, since it may
        monitor what other callbacks add to the record. A checkpoint has 2, since it saves the state of the others.
    order_at_end
        The same for :meth:`on_fit_end`. Early stopping has -1, since it chooses the model that the others see.

    Examples
    --------
    Stop when rules grow too long:

    >>> import graphtm as gtm
    >>> class KeepShort(gtm.Callback):
    ...     def on_epoch_end(self, training):
    ...         if training.record["included_literals"] > 3:
    ...             training.stop()
    >>> graphs, y = gtm.datasets.sequences(500, random_state=0)
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=50, random_state=0)
    >>> clf.fit(graphs, y, callbacks=[KeepShort()]).epoch_ < 50
    True
    """

    score_training: bool | None = False
    every_examples: int | None = None
    metrics: tuple[str, ...] = ()
    writes_checkpoints: bool = False
    order: int = 0
    order_at_end: int = 0

    def on_fit_begin(self, training: Training) -> None:
        """Act before the first example. An error raised here leaves the estimator unchanged."""

    def on_epoch_begin(self, training: Training) -> None:
        """Act before each epoch."""

    def on_progress(self, training: Training) -> None:
        """Act within epochs, a few times a second. The estimator still has the model of the previous epoch."""

    def on_epoch_end(self, training: Training) -> None:
        """Act after each epoch, when the estimator has its model and ``training.record`` its scores."""

    def on_fit_end(self, training: Training) -> None:
        """Act after the last epoch. The estimator has the final model."""

    def on_fit_error(self, training: Training) -> None:
        """Act instead of :meth:`on_fit_end` when an error or Ctrl-C ends the fit."""

    @property
    def remembers(self) -> bool:
        """Whether the callback has state to save in checkpoints: it overrides :meth:`checkpoint`."""
        return type(self).checkpoint is not Callback.checkpoint

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, MachineState]]:
        """Return the state of the callback for a checkpoint: values for JSON, and machine states by name."""
        return {}, {}

    def resume(self, values: Mapping[str, Any], states: Mapping[str, MachineState], model: Model) -> None:
        """Restore what :meth:`checkpoint` returned, before ``on_fit_begin``. ``model`` is that of the checkpoint."""


class History(Callback):
    """Records the scores and statistics of each epoch, as columns.

    The estimator's ``history_`` has the same records. This one covers a single fit, and can also score the training
    graphs.

    Parameters
    ----------
    score_training
        Whether to score the training graphs at the end of each epoch, which takes as long as predicting them.

    Attributes
    ----------
    records
        A dict per epoch.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.sequences(500, random_state=0)
    >>> history = gtm.History()
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=3, random_state=0)
    >>> clf = clf.fit(graphs, y, eval_set=gtm.datasets.sequences(100, random_state=1), callbacks=[history])
    >>> history["step"]
    [500, 1000, 1500]
    >>> sorted(history.to_dict())[:4]
    ['accuracy', 'empty_clauses', 'epoch', 'included_literals']
    """

    def __init__(self, score_training: bool = True) -> None:
        self.score_training = score_training
        self.records: list[dict[str, Any]] = []

    def on_fit_begin(self, training: Training) -> None:
        self.records = list(training.history)

    def on_epoch_end(self, training: Training) -> None:
        self.records = list(training.history)

    def __getitem__(self, name: str) -> list[Any]:
        return [record[name] for record in self.records]

    __iter__ = None  # or Python would ask for columns 0, 1, 2, ... forever

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, for ``pandas.DataFrame``; ``None`` where an epoch lacks a value."""
        names = dict.fromkeys(name for record in self.records for name in record)
        return {name: [record.get(name) for record in self.records] for name in names}


class EarlyStopping(Callback):
    """Stop training when a score no longer improves, and return to the best epoch.

    Parameters
    ----------
    patience
        Number of epochs without improvement after which training stops.
    monitor
        Name of the score in ``history_``: ``"val_accuracy"`` for the first evaluation set, ``"val2_accuracy"`` for the
        second, ``"accuracy"`` for the training graphs. ``None`` monitors the first score of the first evaluation set.
    min_delta
        Smallest change that counts as an improvement.
    mode
        ``"max"`` if larger is better, ``"min"`` if smaller is better. ``None`` is ``"min"`` for a mean absolute error
        (``"val_mae"``), else ``"max"``.
    restore_best
        Whether to return to the first best epoch when training ends. The model is then the same as after ``fit`` with
        that number of epochs.

    Attributes
    ----------
    best_score, best_epoch
        Best score and its epoch; ``None`` before the first epoch.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.sequences(500, noise=0.05, random_state=0)
    >>> stopping = gtm.EarlyStopping(patience=3)
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=50, random_state=0)
    >>> clf = clf.fit(graphs, y, eval_set=gtm.datasets.sequences(200, random_state=1), callbacks=[stopping])
    >>> clf.epoch_ == stopping.best_epoch + 1
    True
    """

    order = 1
    order_at_end = -1

    def __init__(
        self,
        patience: int = 5,
        monitor: str | None = None,
        min_delta: float = 0.0,
        mode: str | None = None,
        restore_best: bool = True,
    ) -> None:
        if not isinstance(patience, int | np.integer) or isinstance(patience, bool) or patience < 1:
            raise ValueError(_sentence("patience", "an int of at least 1", patience))
        if not (monitor is None or isinstance(monitor, str)):
            raise ValueError(_sentence("monitor", "a str or None", monitor))
        if not isinstance(min_delta, int | float) or not 0 <= min_delta < math.inf:
            raise ValueError(_sentence("min_delta", "a finite number of at least 0", min_delta))
        if mode not in ("max", "min", None):
            raise ValueError(_sentence("mode", "a str among {'max', 'min'} or None", mode))
        if not isinstance(restore_best, bool):
            raise ValueError(_sentence("restore_best", "a bool", restore_best))
        self.patience = int(patience)
        self.monitor = monitor
        self.min_delta = float(min_delta)
        self.mode = mode or ("min" if monitor is not None and monitor.split("_")[-1] == "mae" else "max")
        self.restore_best = restore_best
        self.score_training = monitor is not None and not monitor.startswith("val")
        self.best_score: float | None = None
        self.best_epoch: int | None = None
        self._best: Model | None = None
        self._resumed: Model | None = None

    def on_fit_begin(self, training: Training) -> None:
        resumed, self._resumed = self._resumed, None
        self._watched = self._name(training)
        if resumed is not training.model:  # a resumption that failed may have gone before
            self.best_score = self.best_epoch = self._best = None

    def _name(self, training: Training) -> str:
        known = [*training.metrics, *(field.name for field in fields(EpochRecord))]
        if self.monitor in known:
            return str(self.monitor)
        if self.monitor is not None:
            raise ValueError(_sentence("monitor", f"one of {', '.join(map(repr, known))}", self.monitor))
        for name in training.metrics:
            if name.startswith("val_"):
                return name
        raise ValueError(
            "Early stopping needs a score to monitor: pass an eval_set to fit, or set validation_fraction, or the "
            "'monitor' parameter of EarlyStopping."
        )

    def on_epoch_end(self, training: Training) -> None:
        score = training.record.get(self._watched)
        if not isinstance(score, int | float | np.number):
            raise ValueError(
                f"Early stopping needs a number as {self._watched!r} at the end of each epoch; got "
                f"{'nothing' if score is None else repr(score)}. The callback with this metric must add it."
            )
        score = float(score)
        if self._is_better(score):
            self.best_score, self.best_epoch, self._best = score, training.record["epoch"], training.model
        assert self.best_epoch is not None  # noqa: S101 -- the first epoch is better than none
        if training.record["epoch"] - self.best_epoch >= self.patience:
            training.stop()

    def _is_better(self, score: float) -> bool:
        if self.best_score is None:
            return True
        if math.isnan(self.best_score):
            return not math.isnan(score)
        rise = score - self.best_score if self.mode == "max" else self.best_score - score
        return rise > self.min_delta

    def on_fit_end(self, training: Training) -> None:
        if self.restore_best and self._best is not None:
            training.return_to(self._best)

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, MachineState]]:
        values = {"best_score": self.best_score, "best_epoch": self.best_epoch, "settings": self._settings()}
        return values, {} if self._best is None else {"best": self._best.state}

    def resume(self, values: Mapping[str, Any], states: Mapping[str, MachineState], model: Model) -> None:
        score, epoch = values.get("best_score"), values.get("best_epoch")
        mine = self._settings()
        then = values.get("settings", mine)  # earlier versions did not write them
        whole = isinstance(epoch, int) and not isinstance(epoch, bool) and 0 <= epoch < model.epoch
        known = whole and isinstance(score, float) if "best" in states else epoch is score is None
        if not known or not isinstance(then, dict):
            raise ModelFormatError("The checkpoint is damaged: the state of early stopping is invalid.")
        for name, now in mine.items():
            if then.get(name) != now:
                rule = f"{then.get(name)!r}, as it was when the checkpoint was written"
                raise ValueError(_sentence(name, rule, now))
        self._resumed = model
        self.best_score, self.best_epoch, self._best = score, epoch, None
        if epoch is not None:
            self._best = replace(model, state=states["best"], epoch=epoch + 1, position=0)

    def _settings(self) -> dict[str, Any]:
        names = ("patience", "monitor", "min_delta", "mode", "restore_best")
        return {name: getattr(self, name) for name in names}


def _sentence(name: str, rule: str, got: object) -> str:
    return f"The {name!r} parameter of EarlyStopping must be {rule}. Got {got!r} instead."
