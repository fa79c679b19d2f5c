"""Run experiments: seeds, variants, trials on training data, checkpoints, and a record of each run."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from graphtm.engines.registry import resolved_name
from graphtm.estimators import GraphTMClassifier
from graphtm.experiments.declaration import Experiment, Folder, Preset, Split
from graphtm.experiments.records import Record, append, as_json, device_of, peak_memory
from graphtm.foundation.parameters import ParameterChecks, check_at_least
from graphtm.learning import Callback, Checkpoint, ProgressBar, Training

LEAST_SECONDS = 2.0
"""Least time between two lines of progress."""
Tell = Callable[[str], None]
Measure = Callable[[GraphTMClassifier], Mapping[str, float]]
_TEST = "val_"
VERSION: str = sys.modules["graphtm"].__version__  # not imported, since rooms must not import the whole package


def _silent(text: str) -> None:
    """Print nothing."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What to run of an experiment; see :func:`graphtm.experiments.reproduce`."""

    preset: str = "paper"
    variants: Sequence[str] = ()
    seeds: int | None = None
    first_seed: int = 0
    epochs: int | None = None
    engine: str = "auto"
    n_jobs: int | None = None
    quick: bool = False
    changes: Mapping[str, Any] = field(default_factory=dict)
    train_size: int | None = None
    holdout: int | None = None

    def check(self, experiment: Experiment) -> None:
        """Raise ``ValueError`` if the experiment has no such preset or variant, or a number is out of range."""
        for name, least in (("seeds", 1), ("first_seed", 0), ("epochs", 1), ("train_size", 1), ("holdout", 1)):
            check_at_least(name, "reproduce", getattr(self, name), least)
        if self.preset not in experiment.presets:
            known = ", ".join(experiment.presets)
            raise ValueError(f"{experiment.name} has no preset {self.preset!r}. Choose from: {known}.")
        known_variants = experiment.presets[self.preset].only or experiment.variants
        for name in self.variants:
            if name not in known_variants:
                known = ", ".join(map(repr, known_variants))
                raise ValueError(f"{experiment.name} has no variant {name!r} with this preset. Choose from: {known}.")

    def n_seeds(self, experiment: Experiment) -> int:
        """Return the number of runs: as asked for, or the experiment's; one to be quick."""
        return self.seeds or (1 if self.quick else experiment.seeds)

    def command(self, name: str) -> str:
        """Return the command that runs the same again; folders are left out."""
        words = ["graphtm", "reproduce", name, "--preset", self.preset]
        words += [word for variant in self.variants for word in ("--variant", variant)]
        for option in ("seeds", "first_seed", "epochs", "train_size", "holdout", "n_jobs"):
            value = getattr(self, option)
            if value is not None and (option, value) != ("first_seed", 0):
                words += [f"--{option.replace('_', '-')}", str(value)]
        words += [] if self.engine == "auto" else ["--engine", self.engine]
        words += [word for name, value in self.changes.items() for word in ("--set", f"{name}={value}")]
        return shlex.join(words + ["--quick"] * self.quick)


class Run:
    """A running experiment: its data and settings, and what it has measured.

    Attributes
    ----------
    data
        What ``load`` of the experiment returned.
    seeds
        Seeds to run.
    variants
        Variants to run.
    quick
        Whether to be quick.
    records
        What was measured.
    show
        Function that prints a text for the user, such as learned clauses.
    """

    def __init__(
        self,
        experiment: Experiment,
        options: Options,
        data: Any,
        *,
        output: Folder | None = None,
        checkpoints: Folder | None = None,
        note: Tell = _silent,
        show: Tell = _silent,
        bar: bool = False,
    ) -> None:
        preset = experiment.presets[options.preset]
        given = dict(options.changes) | ({} if options.epochs is None else {"epochs": options.epochs})
        self.data = data
        self.seeds = range(options.first_seed, options.first_seed + options.n_seeds(experiment))
        self.variants = tuple(options.variants or preset.only) or experiment.variants
        self.quick = options.quick
        self.records: list[Record] = []
        self.show = show
        self._experiment, self._options = experiment, options
        self._settings: dict[str, Preset] = {}
        self._changes: dict[str, dict[str, Any]] = {}
        sizes = {name: getattr(options, name) for name in ("train_size", "holdout")}
        for variant in self.variants:
            before = preset.of(variant, quick=options.quick)
            self._settings[variant] = after = before.with_changes(given)
            changed = {name: value for name, value in after.parameters.items() if _differs(before, name, value)}
            self._changes[variant] = changed | {name: size for name, size in sizes.items() if size is not None}
            ParameterChecks(self.classifier(variant)).declared()  # before data are loaded and encoded
        self._output, self._checkpoints, self._note, self._bar = output, checkpoints, note, bar

    def task(self, variant: str = "") -> dict[str, Any]:
        """Return the parameters of the data and of the encoder."""
        return dict(self._settings[variant].task)

    def machine(self, variant: str = "") -> dict[str, Any]:
        """Return the parameters of the estimator."""
        return dict(self._settings[variant].machine)

    def classifier(self, variant: str = "", seed: int = 0) -> GraphTMClassifier:
        """Return a new classifier with the settings of a variant."""
        options = self._options
        return GraphTMClassifier(
            **self.machine(variant), random_state=seed, engine=options.engine, n_jobs=options.n_jobs
        )

    def fit(
        self,
        train: tuple[Any, Any],
        test: tuple[Any, Any],
        *,
        seed: int,
        variant: str = "",
        score_training: bool = False,
        measure: Measure | None = None,
    ) -> GraphTMClassifier:
        """Train a classifier, test it after each epoch, record the run, and return the classifier.

        Parameters
        ----------
        train, test
            Graphs and their labels.
        seed
            Seed of the classifier.
        variant
            The variant, whose settings are used.
        score_training
            Whether to record the accuracy on the training graphs, too, as ``"training accuracy"``.
        measure
            Function that returns the scores of a classifier by metric, ``"accuracy"`` among them. By default, the
            accuracy on ``test``, which is otherwise only counted.
        """
        name = ", ".join([self._experiment.name, *([variant] if variant else []), f"seed {seed}"])
        callbacks: list[Callback] = [ProgressBar()] if self._bar else [_Lines(name, self._note)]
        callbacks += [_Scored()] if score_training else []
        callbacks += [] if measure is None else [_Measured(measure)]
        path = None
        if self._checkpoints is not None:
            parts = (self._experiment.name, self._options.preset, variant.replace(" ", "_"), f"seed{seed}")
            path = Path(self._checkpoints) / ("-".join(filter(None, parts)) + ".gtm")
            callbacks.append(Checkpoint(path))
        if self._bar:
            self._note(name)
        classifier = self.classifier(variant, seed)
        classifier.fit(*train, eval_set=test if measure is None else None, callbacks=callbacks, resume_from=path)
        history = classifier.history_
        metrics = [name.removeprefix(_TEST) for name in history[0] if name.startswith(_TEST)]
        scores = {metric: [record[_TEST + metric] for record in history] for metric in metrics}
        if score_training:
            scores["training accuracy"] = [record["accuracy"] for record in history]
        seconds = [record["seconds"] for record in history]
        self.record(scores, seconds=seconds, seed=seed, variant=variant, sizes=(len(train[1]), len(test[1])))
        if path is not None:
            path.unlink()
        return classifier

    def record(
        self,
        scores: Mapping[str, Sequence[float]],
        *,
        seconds: Sequence[float],
        seed: int,
        sizes: tuple[int, int],
        variant: str = "",
    ) -> Record:
        """Record a run, and append it to the results file at once.

        Parameters
        ----------
        scores
            Score after each epoch, by metric.
        seconds
            Duration of learning, by epoch.
        seed, variant
            What was run.
        sizes
            Number of samples for training and for testing.
        """
        experiment, options, engine = self._experiment, self._options, resolved_name(self._options.engine)
        final = {name: float(np.mean(values[-experiment.last_epochs :])) for name, values in scores.items()}
        record = Record(
            experiment=experiment.name,
            variant=variant,
            preset=options.preset,
            changes=as_json(self._changes[variant]),
            quick=options.quick,
            parameters=as_json(self._settings[variant].parameters),
            seed=seed,
            scores={name: [round(float(value), 6) for value in values] for name, values in scores.items()},
            final=final,
            n_train=sizes[0],
            n_test=sizes[1],
            seconds=[round(value, 3) for value in seconds],
            peak_bytes=peak_memory(),
            engine=engine,
            device=device_of(engine),
            n_jobs=options.n_jobs,
            command=options.command(experiment.name),
            version=VERSION,
            date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        )
        self.records.append(record)
        if self._output is not None:
            append(record, self._output)
        return record


def _differs(preset: Preset, name: str, value: Any) -> bool:
    known = preset.parameters
    return name not in known or as_json(known[name]) != as_json(value)


def data_for(experiment: Experiment, options: Options, data_home: Folder | None) -> Any:
    """Load the data of an experiment, and cut it as the options say.

    Raises
    ------
    ValueError
        If data that cannot be cut should be: the experiment generates it, or there is too little of it.
    """
    data = experiment.load(data_home, options.quick)
    if options.holdout is None and options.train_size is None:
        return data
    if not isinstance(data, Split):
        raise ValueError(
            f"The data of {experiment.name} cannot be cut by train_size and holdout. Use other seeds for trials, such "
            "as first_seed=100."
        )
    data = data if options.holdout is None else data.held_out(options.holdout)
    if options.train_size is not None and options.train_size > len(data.y):
        raise ValueError(f"There are {len(data.y):,} samples for training; train_size is {options.train_size:,}.")
    return data if options.train_size is None else data.first(options.train_size)


class _Scored(Callback):
    """Asks for the score on the training graphs."""

    score_training = True


class _Measured(Callback):
    """Adds scores to the history, as if they were those of an evaluation set."""

    order = -1  # before what prints or saves them

    def __init__(self, measure: Measure) -> None:
        self._measure = measure

    def on_epoch_end(self, training: Training) -> None:
        scores = self._measure(training.estimator)
        training.record.update({_TEST + metric: float(value) for metric, value in scores.items()})


class _Lines(Callback):
    """Tells the score after epochs, a line each, but not several a second: for files, which have no progress bar."""

    def __init__(self, name: str, note: Tell) -> None:
        self._name, self._note = name, note
        self._last = time.monotonic()

    def on_epoch_end(self, training: Training) -> None:
        if time.monotonic() - self._last < LEAST_SECONDS and not training.is_over:
            return
        self._last = time.monotonic()
        record = training.record
        self._note(
            f"{self._name}, epoch {training.epoch}/{training.last_epoch}: {100 * record['val_accuracy']:.2f} %, "
            f"{record['seconds']:.1f} s, {record['included_literals']:.1f} literals"
        )
