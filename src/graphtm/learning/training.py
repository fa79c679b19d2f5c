"""A running fit: epochs in pieces, scores, callbacks, checkpoints."""

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
    """A running fit, as callbacks see it.

    Attributes
    ----------
    estimator
        The estimator.
    first_epoch, last_epoch
        The fit runs from epoch ``first_epoch`` up to, but not including, ``last_epoch``.
    history
        Records of this fit, one per finished epoch.
    model
        Model after the last complete epoch.
    metrics
        Names of the scores in records.
    stopping
        Whether a callback has stopped the fit.
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

    # For callbacks

    @property
    def record(self) -> Record:
        """Record of the last complete epoch; values added to it become part of ``history_``."""
        return self.history[-1]

    @property
    def epoch(self) -> int:
        """Number of the current epoch or, between epochs, of the next one."""
        return self.machine.epoch

    @property
    def position(self) -> int:
        """Number of examples of the current epoch that have been presented."""
        return self.machine.position

    @property
    def n_examples(self) -> int:
        """Number of examples per epoch."""
        return self.machine.n_examples

    @property
    def step(self) -> int:
        """Number of examples presented since initialisation."""
        return self.machine.step

    @property
    def is_over(self) -> bool:
        """Whether the current epoch is the last."""
        return self.stopping or self.epoch >= self.last_epoch

    @property
    def has_returned(self) -> bool:
        """Whether the fit has returned to an earlier model; see :meth:`return_to`."""
        return self._last is not None

    def stop(self) -> None:
        """Stop the fit after this epoch."""
        self.stopping = True

    def return_to(self, model: Model) -> None:
        """Return to an earlier model. A checkpoint still continues from where training ended."""
        self._last = self._last or self.machine.model()
        self.machine.engine.load(model.params, model.state)
        self.model = model
        self._keep(model, self.history)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint, from which ``fit(..., resume_from=path)`` continues."""
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
        """Restore what :meth:`save` wrote; the machine already has the state of the checkpoint.

        Raises
        ------
        ValueError
            If the callbacks with state are not those of the checkpoint.
        """
        self.first_epoch, self.stopping = progress.first_epoch, progress.stopping
        self.history = history[len(history) - progress.records :]
        others, takers = [one for one in self.callbacks if one.remembers], []
        for one in progress.callbacks:
            taker = next((each for each in others if type(each).__name__ == one["kind"]), None)
            if taker is None:
                raise ValueError(
                    f"A fit must be resumed with the same callbacks; {one['kind']} is missing. Add it; the 'patience' "
                    "parameter adds an EarlyStopping."
                )
            others.remove(taker)
            takers.append(taker)
        if others:
            raise ValueError(
                f"A fit must be resumed with the same callbacks; there was no {type(others[0]).__name__} when the "
                "checkpoint was written. Remove it, or start from scratch."
            )
        for number, (taker, one) in enumerate(zip(takers, progress.callbacks, strict=True)):
            taker.resume(one["values"], {name: states[f"{number}.{name}"] for name in one["states"]}, self.model)

    def begin(self) -> None:
        """Call ``on_fit_begin`` of the callbacks, before anything is changed."""
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
        """Train until the last epoch, or until a callback stops the fit."""
        logger.info("fit: epochs %d to %d of %d examples", self.epoch, self.last_epoch - 1, self.n_examples)
        try:
            while (
                self.position or not self.is_over
            ):  # an epoch in which the fit was stopped is finished, resumed or not
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
        """Return the number of examples to learn from before the next ``on_progress``."""
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
