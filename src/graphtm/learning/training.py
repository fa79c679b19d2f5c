"""A fit under way: epochs in pieces, scores, callbacks, checkpoints."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from graphtm.learning.callbacks import Callback
from graphtm.learning.machine import Machine
from graphtm.learning.resume import Checksums, Progress
from graphtm.model import MachineState, Model

logger = logging.getLogger("graphtm.learning")

Record: TypeAlias = dict[str, Any]
Scorer: TypeAlias = Callable[[], Mapping[str, float]]
_PIECE_SECONDS = 0.2
_FIRST_PIECE = 32


class Training:
    """What callbacks are given: a fit under way.

    Attributes
    ----------
    estimator
        Whose fit it is.
    first_epoch, last_epoch
        Numbers of the epoch with which this fit began and before which it ends.
    history
        The records of this fit, one for each epoch that is over.
    model
        The model after the last whole epoch.
    metrics
        Names of the scores that records will have.
    stopping
        Whether the fit ends after this epoch, though it need not.
    """

    def __init__(
        self,
        estimator: Any,
        machine: Machine,
        model: Model,
        *,
        last_epoch: int,
        metrics: Sequence[str],
        scorers: Mapping[str, Scorer],
        callbacks: Iterable[Callback],
        keep: Callable[[Model, list[Record]], None],
        write: Callable[[str | os.PathLike[str], Model, Record, dict[str, MachineState]], None],
        checksums: Callable[[], Checksums],
    ) -> None:
        self.estimator = estimator
        self.machine = machine
        self.model = model
        self.first_epoch = model.epoch
        self.last_epoch = last_epoch
        self.history: list[Record] = []
        self.stopping = False
        self.callbacks = sorted(callbacks, key=lambda callback: callback.order)
        wishes = {callback.score_training for callback in self.callbacks}
        score_training = True in wishes or (None in wishes and len(scorers) == 1)
        self._scorers = {prefix: scorer for prefix, scorer in scorers.items() if prefix or score_training}
        self.metrics = tuple(prefix + name for prefix in self._scorers for name in metrics) + tuple(
            name for callback in self.callbacks for name in callback.metrics
        )
        self._keep = keep
        self._write = write
        self._checksums = checksums
        self._last: Model | None = None
        self._watchers = [one for one in self.callbacks if type(one).on_progress is not Callback.on_progress]
        self._piece = _FIRST_PIECE

    # What callbacks ask, and ask for

    @property
    def record(self) -> Record:
        """What is known of the last whole epoch; what is added to it is part of ``history_``."""
        return self.history[-1]

    @property
    def epoch(self) -> int:
        """Number of the epoch under way, or, between epochs, of the next."""
        return self.machine.epoch

    @property
    def position(self) -> int:
        """Examples of the epoch under way that have been presented."""
        return self.machine.position

    @property
    def n_examples(self) -> int:
        """Examples of an epoch."""
        return self.machine.n_examples

    @property
    def step(self) -> int:
        """Examples presented since the machine was new."""
        return self.machine.step

    @property
    def is_over(self) -> bool:
        """Whether no epoch will follow."""
        return self.stopping or self.epoch >= self.last_epoch

    @property
    def has_returned(self) -> bool:
        """Whether the model is an earlier one than training had come to; see :meth:`return_to`."""
        return self._last is not None

    def stop(self) -> None:
        """End the fit after this epoch."""
        self.stopping = True

    def return_to(self, model: Model) -> None:
        """Make an earlier model the one that is kept; a checkpoint still goes on from where training ended."""
        self._last = self._last or self.machine.model()
        self.machine.engine.load(model.params, model.state)
        self.model = model
        self._keep(model, self.history)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint, from which ``fit(..., resume_from=path)`` goes on, bit for bit."""
        saved: list[Record] = []
        states: dict[str, MachineState] = {}
        for callback in self.callbacks:
            if callback.remembers:
                values, own = callback.checkpoint()
                states |= {f"{len(saved)}.{name}": state for name, state in own.items()}
                saved.append({"kind": type(callback).__name__, "values": values, "states": sorted(own)})
        if self._last is not None:
            states["last"] = self._last.state
        checksums = self._checksums()
        progress = Progress(
            first_epoch=self.first_epoch,
            records=len(self.history),
            seconds=self.machine.seconds,
            stopping=self.stopping,
            shuffle=self.machine.shuffle,
            n_examples=self.n_examples,
            fingerprint=checksums.examples,
            callbacks=saved,
            evaluations=checksums.evaluations,
            last_epoch=None if self._last is None else self._last.epoch,
        )
        model = self.machine.model() if self._last is None else self.model
        self._write(path, model, progress.to_json(), states)
        logger.info("checkpoint after %d examples: %s", self.step, path)

    # The fit itself

    def resume(self, progress: Progress, history: list[Record], states: Mapping[str, MachineState]) -> None:
        """Take up what :meth:`save` wrote; the machine is already the one of the checkpoint.

        Raises
        ------
        ValueError
            If a callback that had something to remember does not take part any more, or one that has did not before.
        """
        self.first_epoch, self.stopping = progress.first_epoch, progress.stopping
        self.history = history[len(history) - progress.records :]
        others, takers = [one for one in self.callbacks if one.remembers], []
        for one in progress.callbacks:
            taker = next((each for each in others if type(each).__name__ == one["kind"]), None)
            if taker is None:
                raise ValueError(
                    "A fit must be resumed with the callbacks that its checkpoint knows of; there is no "
                    f"{one['kind']} among those given. Add it; the 'patience' parameter adds an EarlyStopping."
                )
            others.remove(taker)
            takers.append(taker)
        if others:
            raise ValueError(
                "A fit must be resumed with the callbacks that its checkpoint knows of; there was no "
                f"{type(others[0]).__name__} when it was written. Leave it out, or start from scratch."
            )
        for number, (taker, one) in enumerate(zip(takers, progress.callbacks, strict=True)):
            taker.resume(one["values"], {name: states[f"{number}.{name}"] for name in one["states"]}, self.model)

    def begin(self) -> None:
        """Let callbacks look at the fit before anything is changed."""
        begun: list[Callback] = []
        try:
            for callback in self.callbacks:
                callback.on_fit_begin(self)
                begun.append(callback)
        except BaseException:
            for callback in begun:
                callback.on_fit_error(self)
            raise

    def run(self) -> None:
        """Train until the last epoch, or until a callback stops it."""
        logger.info("fit: epochs %d to %d of %d examples", self.epoch, self.last_epoch - 1, self.n_examples)
        try:
            while self.position or not self.is_over:  # an epoch in which a fit was stopped is finished, resumed or not
                self._run_epoch()
            for callback in sorted(self.callbacks, key=lambda callback: callback.order_at_end):
                callback.on_fit_end(self)
        except BaseException:
            for callback in self.callbacks:
                callback.on_fit_error(self)
            raise

    def _run_epoch(self) -> None:
        self._last = None
        for callback in self.callbacks:
            callback.on_epoch_begin(self)
        machine = self.machine
        while machine.position < machine.n_examples:
            before, seconds = machine.position, machine.seconds
            machine.learn(self._next_piece())
            self._note_pace(machine.position - before, machine.seconds - seconds)
            if machine.position < machine.n_examples:
                for callback in self._watchers:
                    callback.on_progress(self)
        self.model, known = machine.end_epoch()
        record = known.to_dict()
        for prefix, scorer in self._scorers.items():
            record |= {prefix + name: value for name, value in scorer().items()}
        self.history = [*self.history, record]
        self._keep(self.model, self.history)
        for callback in self.callbacks:
            callback.on_epoch_end(self)
        logger.info("%s", _line(record))

    def _next_piece(self) -> int:
        """Return how many examples to learn from before callbacks are asked again."""
        if not self._watchers:
            return self.n_examples
        stops = [one.every_examples - self.step % one.every_examples for one in self._watchers if one.every_examples]
        return min([self._piece, *stops])

    def _note_pace(self, n_examples: int, seconds: float) -> None:
        target = int(_PIECE_SECONDS * n_examples / seconds) if seconds > 0 else self.n_examples
        self._piece = max(1, min(target, 8 * self._piece))


def _line(record: Record) -> str:
    values = (
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in record.items()
    )
    return ", ".join(values)
