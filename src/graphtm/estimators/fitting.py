"""Fitting: from scratch, from a fitted model or from a checkpoint, with scores, callbacks and held-out graphs."""

from __future__ import annotations

import os
import sys
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Sized
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from tqdm.auto import tqdm

from graphtm.engines import Engine, Targets, make_engine
from graphtm.errors import ModelFormatError
from graphtm.estimators.advice import warn_about_settings
from graphtm.estimators.fit_inputs import PreparedGraphs, checked_weights, evaluation_sets, fingerprint, held_out
from graphtm.estimators.machine_estimator import MachineEstimator
from graphtm.estimators.new_models import CollisionWatch, check_unchanged, new_model
from graphtm.foundation.container import DAMAGE
from graphtm.foundation.type_names import type_of
from graphtm.graphs import GraphBatch
from graphtm.graphs.vocabulary import vocabulary_to_json
from graphtm.learning import Callback, Checkpoint, EarlyStopping, Machine, ProgressBar, Training
from graphtm.learning.resume import Checksums, Progress
from graphtm.learning.training import Record, Scorer
from graphtm.model import MachineState, Model, read_model

Self = TypeVar("Self", bound="GraphTMEstimator")


@dataclass(frozen=True, eq=False)
class _Start:
    """The start of a fit: a model, the meaning of its outputs, and the history so far."""

    model: Model
    outputs: Any
    history: list[Record]
    epochs: int
    """Number of epochs that this fit was asked for."""
    last_epoch: int
    is_new: bool = False
    progress: Progress | None = None
    states: dict[str, MachineState] = field(default_factory=dict)


class GraphTMEstimator(MachineEstimator):
    """Base class of estimators: everything about training that they share.

    A subclass converts ``y`` into its *truth*, which has one row per graph and can be indexed by Boolean masks. It
    defines its *outputs* (the classes, for instance), which have a length and are fixed by the first fit. It converts a
    truth into targets, and vote sums into scores. In return it gets sample weights, evaluation sets, held-out graphs,
    early stopping, callbacks, warm starts, checkpoints and resuming.
    """

    _metrics: ClassVar[tuple[str, ...]]
    """Names of the scores; early stopping monitors the first. Larger is better."""

    @abstractmethod
    def _truth(self, y: Any, n: int) -> Any:
        """Return the checked truth of ``n`` graphs; ``y`` may be part of a truth that was returned before."""

    @abstractmethod
    def _outputs_of(self, truth: Any) -> Sized:
        """Return the outputs of a new model: the classes, for instance."""

    @abstractmethod
    def _fitted_outputs(self) -> Any:
        """Return the outputs of the fitted model."""

    @abstractmethod
    def _adopt(self, outputs: Any) -> None:
        """Set the outputs; called whenever training begins."""

    @abstractmethod
    def _targets(self, truth: Any, outputs: Any, weights: NDArray[np.float64] | None, T: int) -> Targets:
        """Return the targets that an engine learns from, with a margin of ``T``."""

    @abstractmethod
    def _scores(self, sums: NDArray[np.int64], truth: Any, outputs: Any) -> Mapping[str, float]:
        """Return the scores of vote sums, by the names in ``_metrics``."""

    @abstractmethod
    def _truth_numbers(self, truth: Any, outputs: Any) -> Sequence[NDArray[Any]]:
        """Return a truth as numeric arrays, for a checksum."""

    @abstractmethod
    def _check_kind(self, truth: Any, outputs: Any, what: str) -> None:
        """Refuse a truth whose labels are all of another type than the outputs, so that none can be correct."""

    def _strata(self, truth: Any, outputs: Any) -> NDArray[np.int64]:  # noqa: ARG002
        """Return a stratum per graph: the same fraction of each stratum is held out."""
        return np.zeros(truth.shape[0], np.int64)

    def fit(
        self: Self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        callbacks: Iterable[Callback] | None = None,
        resume_from: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Fit the model to graphs and their labels, from scratch unless ``warm_start`` or ``resume_from`` is set.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.
        y
            Labels, one per graph, of one sortable type such as str, int or bool. Floats must be whole numbers, since
            other floats are regression targets. Labels of other types, such as dates, cannot be saved.
        sample_weight
            Weight of each graph: 0 ignores it, 2 makes feedback twice as likely.
        eval_set
            A pair ``(graphs, y)`` or a list of such pairs, scored at the end of each epoch. The scores are in
            ``history_`` as ``"val_accuracy"``, ``"val2_accuracy"`` and so on.
        callbacks
            List of callbacks, such as :class:`~graphtm.EarlyStopping`, :class:`~graphtm.Checkpoint` or your own.
        resume_from
            File written by :class:`~graphtm.Checkpoint`. Training continues from there and gives the same bits as a fit
            that was never interrupted, on any engine. Pass the same data, evaluation sets, parameters and early
            stopping; only ``epochs``, ``engine``, ``n_jobs``, ``unknown``, ``verbose`` and other callbacks may differ.
            If the file does not exist yet and a ``Checkpoint`` of this fit writes it, training starts from scratch.

        Raises
        ------
        ValueError
            If a parameter is out of range, the labels do not match the graphs, or the checkpoint is from another fit.
        GraphTMError
            If the graphs cannot be learned from. The estimator stays unchanged.
        """
        self._check()
        taking_part = self._callbacks(callbacks)
        batch = self._batch(X)
        truth = self._truth(y, len(batch))
        weights = checked_weights(sample_weight, len(batch))
        epochs = int(self.chosen(len(batch)).get("epochs", self.epochs))
        if resume_from is not None and not _is_yet_to_be(resume_from, taking_part):
            start = self._resumed(Path(resume_from), epochs)
        elif self.warm_start and hasattr(self, "model_"):
            start = self._continued(epochs)
        else:
            start = self._new(batch, self._outputs_of(truth), epochs, self.chosen(len(batch)))
        evaluations = evaluation_sets(eval_set)
        batch = self._known(batch, start.model.vocabulary)
        if self.validation_fraction is not None:
            strata = self._strata(truth, start.outputs)
            out = held_out(strata, float(self.validation_fraction), start.model.params.seed)
            evaluations = [(batch[out], truth[out]), *evaluations]
            batch, truth, weights = batch[~out], truth[~out], None if weights is None else weights[~out]
        self._learn(start, batch, truth, weights, evaluations, taking_part)
        return self

    def _fit_epoch(self, X: Any, y: Any, outputs: Any, sample_weight: Any) -> None:
        """Train for one more epoch. A new model has the given outputs, or those found in ``y``."""
        batch = self._batch(X)
        truth = self._truth(y, len(batch))
        weights = checked_weights(sample_weight, len(batch))
        if hasattr(self, "model_"):
            start = self._continued(1)
        else:
            chosen = {name: value for name, value in self.chosen(len(batch)).items() if name != "epochs"}
            start = self._new(batch, self._outputs_of(truth) if outputs is None else outputs, 1, chosen)
        bar = [ProgressBar()] if self.verbose else []
        self._learn(start, self._known(batch, start.model.vocabulary), truth, weights, callbacks=bar)

    # Where a fit begins

    def _new(self, batch: GraphBatch, outputs: Any, epochs: int, chosen: Mapping[str, Any]) -> _Start:
        model = new_model(self, batch, len(outputs))
        if self.verbose and chosen:
            values = ", ".join(f"{name}={value}" for name, value in chosen.items())
            tqdm.write(f"Chosen for {len(batch):,} graphs: {values}", file=sys.stderr)
        return _Start(model, outputs, [], epochs, epochs, is_new=True)

    def _check_fixed(self, then: Mapping[str, Any]) -> None:
        """Refuse parameters of the task that must stay as they were in the fit that goes on, if there are any."""

    def _continued(self, epochs: int) -> _Start:
        check_unchanged(self, self.model_, self._fitted_params["n_clauses"])
        self._check_fixed(self._fitted_params)
        model = replace(self.model_, position=0)  # the rest of an interrupted epoch is not resumed
        return _Start(model, self._fitted_outputs(), self.history_, epochs, model.epoch + epochs)

    def _resumed(self, path: Path, epochs: int) -> _Start:
        saved = read_model(path)
        if saved.kind != type(self).__name__ or "progress" not in saved.extra:
            what = f"a checkpoint of a {type(self).__name__}"
            got = f"one of a {saved.kind!r}" if "progress" in saved.extra else "a saved model"
            raise ValueError(
                f"resume_from must be {what}; {path} is {got}. To train a saved model further, use graphtm.load(path) "
                "and partial_fit, or fit with warm_start."
            )
        check_unchanged(self, saved.model, saved.settings.get("n_clauses"))
        self._check_fixed(saved.settings)
        trial = clone(self)
        try:
            trial._restore(saved.model, saved.extra)
            progress = Progress.from_json(saved.extra["progress"], saved.model, saved.states, trial.history_)
        except DAMAGE as cause:
            raise ModelFormatError(f"{path} is damaged: its content is not a checkpoint ({cause}).") from cause
        model = saved.model
        if progress.last_epoch is not None:  # the file's model is the one that the fit returned
            model = replace(model, state=saved.states["last"], epoch=progress.last_epoch, position=0)
        seed = model.params.seed
        shuffle = bool(self.shuffle)
        for name, now, then in (("random_state", self.random_state, seed), ("shuffle", shuffle, progress.shuffle)):
            if isinstance(now, int | np.integer) and now != then:
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} must be {then!r}, as it was when the checkpoint "
                    f"{path} was written. Got {now!r} instead."
                )
        last_epoch = progress.first_epoch + epochs
        begun = model.epoch + (model.position > 0)
        if last_epoch < begun:
            raise ValueError(
                f"The 'epochs' parameter of {type(self).__name__} must be at least {begun - progress.first_epoch}, the "
                f"number of epochs begun when the checkpoint {path} was written. Got {epochs} instead."
            )
        return _Start(
            model, trial._fitted_outputs(), trial.history_, epochs, last_epoch, progress=progress, states=saved.states
        )

    # The fit itself

    def _callbacks(self, callbacks: Iterable[Callback] | None) -> list[Callback]:
        if not (callbacks is None or isinstance(callbacks, Iterable)):
            raise TypeError(
                f"callbacks must be a list of graphtm.Callback; got {type_of(callbacks)}. Write [callback]."
            )
        given = [] if callbacks is None else list(callbacks)
        for callback in given:
            if not isinstance(callback, Callback):
                raise TypeError(
                    "callbacks must be a list of graphtm.Callback; it holds a "
                    f"{getattr(callback, '__name__', type(callback).__name__)!r}. Derive from Callback, and pass an "
                    "instance, not a class."
                )
        if self.patience is not None:
            given.append(EarlyStopping(int(self.patience)))
        return [*given, ProgressBar()] if self.verbose else given

    def _learn(
        self,
        start: _Start,
        batch: GraphBatch,
        truth: Any,
        weights: NDArray[np.float64] | None,
        evaluations: Sequence[tuple[Any, Any]] = (),
        callbacks: Sequence[Callback] = (),
    ) -> None:
        """Train. If interrupted, the model is that of the last complete epoch, or the one before the fit."""
        model, outputs, progress = start.model, start.outputs, start.progress
        targets = self._targets(truth, outputs, weights, model.params.T)
        engine = make_engine(*self._engine_choice())
        engine.load(model.params, model.state)
        # A callback that does not say so may write a checkpoint, too; the checksum is computed then.
        checksum = progress is not None or any(one.writes_checkpoints for one in callbacks)
        watch = CollisionWatch(model) if start.is_new else None
        examples = PreparedGraphs(engine, batch, model.symbol_code, [targets], checksum=checksum, watch=watch)
        if progress is not None and (progress.n_examples, progress.fingerprint) != (len(batch), examples.checksum()):
            raise ValueError(
                "A fit must be resumed with the same graphs, labels and weights (class_weight, q and "
                f"validation_fraction change these). The data has changed: {progress.n_examples:,} graphs then, "
                f"{len(batch):,} now."
            )
        if watch is not None:
            watch.warn()
            warn_about_settings(model, self._automatic_values(len(batch))["T"])
        shuffle, seconds = bool(self.shuffle), 0.0 if progress is None else progress.seconds
        machine = Machine(engine, model, examples.graphs, targets, shuffle=shuffle, seconds=seconds)
        scorers: dict[str, Scorer] = {"": self._scorer(engine, examples, truth, outputs)}
        evaluated = []
        for number, (X, y) in enumerate(evaluations, 1):
            known, answers = self._evaluation(X, y, model, outputs)
            numbers = self._truth_numbers(answers, outputs)
            evaluated.append(PreparedGraphs(engine, known, model.symbol_code, numbers, checksum=checksum))
            scorers[f"val{number if number > 1 else ''}_"] = self._scorer(engine, evaluated[-1], answers, outputs)

        def checksums() -> Checksums:
            sets = [one.checksum() for one in evaluated]
            return Checksums(examples.checksum(), fingerprint(*sets) if sets else None)

        if progress is not None and evaluated and progress.evaluations not in (None, checksums().evaluations):
            raise ValueError(
                "A fit must be resumed with the same evaluation sets (eval_set and validation_fraction), since they "
                "decide when to stop; got different ones."
            )
        before = start.history[: len(start.history) - (0 if progress is None else progress.records)]

        def keep(model: Model, records: list[Record]) -> None:
            self.model_, self.history_ = model, [*before, *records]
            self._engine = None  # during training, the engine is ahead of the model

        training = Training(
            self,
            machine,
            model,
            last_epoch=start.last_epoch,
            metrics=self._metrics,
            scorers=scorers,
            callbacks=callbacks,
            keep=keep,
            write=self._write,
            checksums=checksums,
        )
        if any(one.writes_checkpoints for one in callbacks):
            self._check_can_be_written(model, outputs)
        if progress is not None:
            training.resume(progress, start.history, start.states)
        training.begin()
        begun, parameters = len(training.history), self.get_params(deep=False)
        held = {name: value for name, value in vars(self).items() if name not in parameters}
        self._adopt(outputs)
        self._fitted_params, self._epochs = deepcopy(parameters), start.epochs
        keep(model, training.history)
        held["_engine"] = None  # it can be made again
        try:
            training.run()
        except BaseException:
            if len(training.history) == begun:
                self.__dict__.update(held)
                for name in set(vars(self)) - set(held) - set(parameters):
                    delattr(self, name)
            raise
        self._keep(engine)

    def _check_can_be_written(self, model: Model, outputs: Any) -> None:
        """Refuse names and labels that cannot be saved: the first checkpoint may be hours away."""
        self._check_kind_of_file()
        vocabulary_to_json(model.vocabulary)
        trial = clone(self)
        trial._adopt(outputs)
        trial._extra()

    def _evaluation(self, X: Any, y: Any, model: Model, outputs: Any) -> tuple[GraphBatch, Any]:
        """Return the checked graphs and truth of an evaluation set."""
        batch = self._known(X, model.vocabulary)
        truth = self._truth(y, len(batch))
        if not len(batch):
            raise ValueError("An eval_set must have at least one graph; got none.")
        self._check_kind(truth, outputs, "An eval_set")
        return batch, truth

    def _scorer(self, engine: Engine, examples: PreparedGraphs, truth: Any, outputs: Any) -> Scorer:
        return lambda: self._scores(engine.class_sums(examples.graphs), truth, outputs)


def _is_yet_to_be(path: str | os.PathLike[str], callbacks: Iterable[Callback]) -> bool:
    """Return whether a checkpoint does not exist yet but will be written by this fit."""
    path = Path(path)
    if path.exists():
        return False
    if any(isinstance(one, Checkpoint) and one.path.absolute() == path.absolute() for one in callbacks):
        return True
    raise FileNotFoundError(
        f"resume_from must be a checkpoint; the file {path} does not exist, and no Checkpoint callback writes it."
    )
