"""How estimators learn: from scratch, further, from a checkpoint; with scores, callbacks and a share held out."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Sized
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from graphtm.engines import Engine, Targets, make_engine
from graphtm.errors import ModelFormatError
from graphtm.estimators.fit_inputs import PreparedGraphs, checked_weights, evaluation_sets, fingerprint, held_out
from graphtm.estimators.machine_estimator import MachineEstimator
from graphtm.estimators.new_models import CollisionWatch, check_unchanged, new_model
from graphtm.foundation.container import DAMAGE
from graphtm.graphs import GraphBatch
from graphtm.graphs.vocabulary import vocabulary_to_json
from graphtm.learning import Callback, Checkpoint, EarlyStopping, Machine, ProgressBar, Training
from graphtm.learning.resume import Checksums, Progress
from graphtm.learning.training import Record, Scorer
from graphtm.model import MachineState, Model, read_model

Self = TypeVar("Self", bound="GraphTMEstimator")


@dataclass(frozen=True, eq=False)
class _Start:
    """Where a fit begins: a model, what its outputs stand for, what was before."""

    model: Model
    outputs: Any
    history: list[Record]
    last_epoch: int
    is_new: bool = False
    progress: Progress | None = None
    states: dict[str, MachineState] = field(default_factory=dict)


class GraphTMEstimator(MachineEstimator):
    """Base of the estimators: what each must say, and everything about learning that all share.

    An estimator reads the answers it is given (``y``) into its *truth*, which has a row per graph and can be indexed by
    Boolean masks; says what its *outputs* stand for, which have a length and are kept from the first fit on; and makes
    targets of a truth, and scores of vote sums. In return it has weights, evaluation sets, a share held out, early
    stopping, callbacks, warm starts, checkpoints and resumption.
    """

    _metrics: ClassVar[tuple[str, ...]]
    """Names of the scores, the first being what early stopping watches; larger is better."""

    @abstractmethod
    def _truth(self, y: Any, n: int) -> Any:
        """Return the answers for ``n`` graphs, checked; parts of what it returns are given to it again."""

    @abstractmethod
    def _outputs_of(self, truth: Any) -> Sized:
        """Return what the outputs of a new machine stand for: the classes, for instance."""

    @abstractmethod
    def _fitted_outputs(self) -> Any:
        """Return what the outputs of the fitted machine stand for."""

    @abstractmethod
    def _adopt(self, outputs: Any) -> None:
        """Set what the outputs stand for; called whenever learning begins."""

    @abstractmethod
    def _targets(self, truth: Any, outputs: Any, weights: NDArray[np.float64] | None) -> Targets:
        """Return what the machine is to learn."""

    @abstractmethod
    def _scores(self, sums: NDArray[np.int64], truth: Any, outputs: Any) -> Mapping[str, float]:
        """Return how well vote sums answer, by the names in ``_metrics``."""

    @abstractmethod
    def _truth_numbers(self, truth: Any, outputs: Any) -> Sequence[NDArray[Any]]:
        """Return a truth as arrays of numbers, for a checksum."""

    @abstractmethod
    def _check_kind(self, truth: Any, outputs: Any, what: str) -> None:
        """Refuse a truth whose answers are all of another type than the outputs, so that none can be right."""

    def _strata(self, truth: Any, outputs: Any) -> NDArray[np.int64]:  # noqa: ARG002
        """Return a number per graph; of graphs with the same number the same share is held out."""
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
        """Learn from graphs and the answers to them: from scratch, unless there is a warm start or a checkpoint.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.
        y
            One answer per graph: for a classifier labels of one sortable type, such as str, int or bool. Floats must
            be whole numbers, since others are what a regression has.
        sample_weight
            How much each graph counts: 0 for not at all, 2 for feedback twice as likely.
        eval_set
            A pair ``(graphs, y)``, or a list of such pairs, to be scored at the end of each epoch: ``history_`` has the
            scores as ``"val_accuracy"``, ``"val2_accuracy"`` and so on.
        callbacks
            What takes part: :class:`~graphtm.EarlyStopping`, :class:`~graphtm.Checkpoint`, your own.
        resume_from
            A file that :class:`~graphtm.Checkpoint` wrote: training goes on from there, and ends with the same bits as
            if it had never been interrupted, whatever the engine. Give the same data, evaluation sets, parameters and
            early stopping; only ``epochs``, ``engine``, ``n_jobs``, ``unknown`` and ``verbose`` may differ, and other
            callbacks. If the file is not there yet, but a ``Checkpoint`` of this fit writes it, training starts from
            scratch.

        Raises
        ------
        ValueError
            If a parameter is out of range, answers do not fit the graphs, or a checkpoint is of another fit.
        GraphTMError
            If the graphs or sizes do not allow it. Nothing is changed then.
        """
        self._check()
        taking_part = self._callbacks(callbacks)
        batch = self._batch(X)
        truth = self._truth(y, len(batch))
        weights = checked_weights(sample_weight, len(batch))
        if resume_from is not None and not _is_yet_to_be(resume_from, taking_part):
            start = self._resumed(Path(resume_from))
        elif self.warm_start and hasattr(self, "model_"):
            start = self._continued(int(self.epochs))
        else:
            start = self._new(batch, self._outputs_of(truth), int(self.epochs))
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
        """Learn from one epoch more; a new machine has these outputs, or, if there are none, those of the answers."""
        batch = self._batch(X)
        truth = self._truth(y, len(batch))
        weights = checked_weights(sample_weight, len(batch))
        if hasattr(self, "model_"):
            start = self._continued(1)
        else:
            start = self._new(batch, self._outputs_of(truth) if outputs is None else outputs, 1)
        bar = [ProgressBar()] if self.verbose else []
        self._learn(start, self._known(batch, start.model.vocabulary), truth, weights, callbacks=bar)

    # Where a fit begins

    def _new(self, batch: GraphBatch, outputs: Any, epochs: int) -> _Start:
        return _Start(new_model(self, batch, len(outputs)), outputs, [], epochs, is_new=True)

    def _continued(self, epochs: int) -> _Start:
        check_unchanged(self, self.model_)
        model = replace(self.model_, position=0)  # an epoch that a checkpoint was written in is not gone on with
        return _Start(model, self._fitted_outputs(), self.history_, model.epoch + epochs)

    def _resumed(self, path: Path) -> _Start:
        saved = read_model(path)
        if saved.kind != type(self).__name__ or "progress" not in saved.extra:
            what = f"a checkpoint of a {type(self).__name__}"
            got = f"one of a {saved.kind!r}" if "progress" in saved.extra else "a saved model"
            raise ValueError(
                f"resume_from must be {what}; {path} is {got}. A saved model goes on learning by graphtm.load(path) "
                "and partial_fit, or fit with warm_start."
            )
        check_unchanged(self, saved.model)
        trial = clone(self)
        try:
            trial._restore(saved.model, saved.extra)
            progress = Progress.from_json(saved.extra["progress"], saved.model, saved.states, trial.history_)
        except DAMAGE as cause:
            raise ModelFormatError(f"{path} is damaged: its content is no checkpoint ({cause}).") from cause
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
        last_epoch = progress.first_epoch + int(self.epochs)
        begun = model.epoch + (model.position > 0)
        if last_epoch < begun:
            raise ValueError(
                f"The 'epochs' parameter of {type(self).__name__} must be at least {begun - progress.first_epoch}, "
                f"since the fit had begun so many when the checkpoint {path} was written. Got {self.epochs!r} instead."
            )
        return _Start(
            model, trial._fitted_outputs(), trial.history_, last_epoch, progress=progress, states=saved.states
        )

    # The fit itself

    def _callbacks(self, callbacks: Iterable[Callback] | None) -> list[Callback]:
        if not (callbacks is None or isinstance(callbacks, Iterable)):
            raise TypeError(
                f"callbacks must be a list of graphtm.Callback; got a {type(callbacks).__name__!r}. Write [callback]."
            )
        given = [] if callbacks is None else list(callbacks)
        for callback in given:
            if not isinstance(callback, Callback):
                raise TypeError(
                    "callbacks must be a list of graphtm.Callback; it holds a "
                    f"{getattr(callback, '__name__', type(callback).__name__)!r}. Derive from Callback, and give an "
                    "object, not a class."
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
        """Train; whatever ends the epochs, the model is that of the last whole one, or what there was before."""
        model, outputs, progress = start.model, start.outputs, start.progress
        targets = self._targets(truth, outputs, weights)
        engine = make_engine(*self._engine_choice())
        engine.load(model.params, model.state)
        # A callback of the user's may write a checkpoint, too; the checksum is computed then.
        checksum = progress is not None or any(isinstance(one, Checkpoint) for one in callbacks)
        watch = CollisionWatch(model) if start.is_new else None
        examples = PreparedGraphs(engine, batch, model.symbol_code, [targets], checksum=checksum, watch=watch)
        if progress is not None and (progress.n_examples, progress.fingerprint) != (len(batch), examples.checksum()):
            raise ValueError(
                "A fit must be resumed with the graphs, answers and weights that it began with (class_weight and q "
                f"are part of these), of which there were {progress.n_examples:,}; got {len(batch):,}, and they are "
                "not the same."
            )
        if watch is not None:
            watch.warn()
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
                "A fit must be resumed with the evaluation sets that it began with (those of eval_set and "
                "validation_fraction), since they decide when to stop; got others."
            )
        before = start.history[: len(start.history) - (0 if progress is None else progress.records)]

        def keep(model: Model, records: list[Record]) -> None:
            self.model_, self.history_ = model, [*before, *records]
            self._engine = None  # until learning is over, the engine is ahead of the model

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
        if any(isinstance(one, Checkpoint) for one in callbacks):
            self._check_can_be_written(model, outputs)
        if progress is not None:
            training.resume(progress, start.history, start.states)
        training.begin()
        begun, parameters = len(training.history), self.get_params(deep=False)
        held = {name: value for name, value in vars(self).items() if name not in parameters}
        self._adopt(outputs)
        self._fitted_params = deepcopy(parameters)
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
        """Refuse names and labels that no file can hold: the first checkpoint may be hours away."""
        vocabulary_to_json(model.vocabulary)
        trial = clone(self)
        trial._adopt(outputs)
        trial._extra()

    def _evaluation(self, X: Any, y: Any, model: Model, outputs: Any) -> tuple[GraphBatch, Any]:
        """Return the graphs and answers of an evaluation set, checked."""
        batch = self._known(X, model.vocabulary)
        truth = self._truth(y, len(batch))
        if not len(batch):
            raise ValueError("An eval_set must have at least one graph; got none.")
        self._check_kind(truth, outputs, "An eval_set")
        return batch, truth

    def _scorer(self, engine: Engine, examples: PreparedGraphs, truth: Any, outputs: Any) -> Scorer:
        return lambda: self._scores(engine.class_sums(examples.graphs), truth, outputs)


def _is_yet_to_be(path: str | os.PathLike[str], callbacks: Iterable[Callback]) -> bool:
    """Whether a checkpoint is not there, but will be written by this fit."""
    path = Path(path)
    if path.exists():
        return False
    if any(isinstance(one, Checkpoint) and one.path.absolute() == path.absolute() for one in callbacks):
        return True
    raise FileNotFoundError(
        f"resume_from must be a checkpoint; there is no file {path}, and no Checkpoint among the callbacks writes it."
    )
