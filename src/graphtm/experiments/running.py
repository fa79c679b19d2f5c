"""Run experiments: seeds and variants, training and testing, a record and a model of each run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from graphtm.encoders import GraphEncoder
from graphtm.engines.registry import resolved_name
from graphtm.estimators import GraphTMClassifier, GraphTMMultiLabelClassifier
from graphtm.experiments.declaration import TEST_SEED, Experiment, Folder, Preset
from graphtm.experiments.options import SIZES, Options
from graphtm.experiments.progress import (
    TEST,
    Begun,
    LabelMeasure,
    Lines,
    Measure,
    Measured,
    ScoreTraining,
    Tell,
    silent,
)
from graphtm.experiments.records import Record, append, as_json, commit, device_of, peak_memory, read_records
from graphtm.experiments.run_files import RunFiles, file_name, fingerprint, save_model
from graphtm.foundation.version import __version__
from graphtm.learning import Callback, Checkpoint, ProgressBar

__all__ = ["LabelMeasure", "Measure", "Options", "Run"]

_Machine = TypeVar("_Machine", GraphTMClassifier, GraphTMMultiLabelClassifier)


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
    n_jobs
        Number of threads or processes that was asked for.
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
        models: Folder | None = None,
        note: Tell = silent,
        show: Tell = silent,
        bar: bool = False,
    ) -> None:
        self.data = data
        self.seeds = range(options.first_seed, options.first_seed + options.n_seeds(experiment))
        self.variants = options.variants_of(experiment)
        self.quick, self.n_jobs = options.quick, options.n_jobs
        self.records: list[Record] = []
        self.show = show
        self._experiment, self._options = experiment, options
        self._settings: dict[str, Preset] = {name: options.settings(experiment, name) for name in self.variants}
        self._output, self._checkpoints, self._models = output, checkpoints, models
        self._note, self._bar = note, bar
        self._files: dict[str, RunFiles] = {}
        self._version = __version__ + commit()  # before the run: the work tree may change meanwhile

    def task(self, variant: str = "") -> dict[str, Any]:
        """Return the parameters of the data and of the encoder."""
        return dict(self._settings[variant].task)

    def machine(self, variant: str = "") -> dict[str, Any]:
        """Return the parameters of the estimator."""
        return dict(self._settings[variant].machine)

    def adapt(self, variant: str, machine: Mapping[str, Any]) -> None:
        """Take parameters of the estimator from the data, except those that were asked for."""
        asked = self._options.differences(self._experiment, variant)
        new = {name: value for name, value in machine.items() if name not in asked}
        self._settings[variant] = self._settings[variant].with_changes(new)

    def test_set(self, n: int) -> tuple[int, int]:
        """Return the number of samples and the seed of a test set to generate; ``holdout`` asks for another one."""
        holdout = self._options.holdout
        return (n, TEST_SEED) if holdout is None else (holdout, TEST_SEED + 1)

    def classifier(self, variant: str = "", seed: int = 0) -> GraphTMClassifier:
        """Return a new classifier with the settings of a variant."""
        return GraphTMClassifier(
            **self.machine(variant), random_state=seed, engine=self._options.engine, n_jobs=self.n_jobs
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
        encoders: Sequence[GraphEncoder] = (),
    ) -> GraphTMClassifier:
        """Train a classifier, test it after each epoch, record the run, and return the classifier.

        A run that an interrupted command has completed is not repeated.

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
        encoders
            Fitted encoders that make the graphs from raw data, for the saved model; none saves the classifier alone.
        """
        new = self.classifier(variant, seed)
        return self._fit(new, train, test, variant, seed, measure, encoders, score_training=score_training)

    def fit_labels(
        self, train: tuple[Any, Any], test: tuple[Any, Any], *, seed: int, measure: LabelMeasure, variant: str = ""
    ) -> GraphTMMultiLabelClassifier:
        """Train a classifier of graphs with several labels, measure it after each epoch, record the run, and return it.

        Parameters
        ----------
        train
            Graphs and their labels.
        test
            What to test on, which is only counted.
        seed, measure, variant
            As for :meth:`fit`.
        """
        parameters = {**self.machine(variant), "random_state": seed}
        new = GraphTMMultiLabelClassifier(**parameters, engine=self._options.engine, n_jobs=self.n_jobs)
        return self._fit(new, train, test, variant, seed, measure)

    def _fit(
        self,
        classifier: _Machine,
        train: tuple[Any, Any],
        test: tuple[Any, Any],
        variant: str,
        seed: int,
        measure: Callable[[_Machine], Mapping[str, float]] | None,
        encoders: Sequence[GraphEncoder] = (),
        *,
        score_training: bool = False,
    ) -> _Machine:
        """Train a new classifier as :meth:`fit` does, and return it, or the one of a run that has ended."""
        name = self._name(variant, seed)
        files = self._files_of(variant, seed)
        ended = None if files is None else files.record()
        if files is not None and ended is not None and files.checkpoint.exists():
            self._note(f"{name}: done before the interruption")
            self._keep(ended, again=True)
            classifier = files.classifier(engine=self._options.engine, n_jobs=self.n_jobs)
        else:
            callbacks = [self._progress(name)]
            callbacks += [ScoreTraining()] if score_training else []
            callbacks += [] if measure is None else [Measured(measure)]
            self._learn(classifier, train, test if measure is None else None, callbacks, files)
            history = classifier.history_
            metrics = [name.removeprefix(TEST) for name in history[0] if name.startswith(TEST)]
            scores = {metric: [record[TEST + metric] for record in history] for metric in metrics}
            if score_training:
                scores["training accuracy"] = [record["accuracy"] for record in history]
            seconds = [record["seconds"] for record in history]
            sizes = (len(train[0]), len(test[1]))
            self.record(scores, seconds=seconds, seed=seed, variant=variant, sizes=sizes)
        self._save(classifier, variant, seed, encoders)
        return classifier

    def fit_part(self, train: tuple[Any, Any], *, seed: int, part: str, measure: Measure, variant: str = "") -> Any:
        """Train one of several classifiers of a run, which :meth:`record` records together, and return its history.

        Parameters
        ----------
        train
            Graphs and their labels.
        part
            What the classifier is for, such as ``"position 1"``.
        seed, measure, variant
            As for :meth:`fit`; only progress shows the scores.
        """
        classifier = self.classifier(variant, seed)
        progress = self._progress(f"{self._name(variant, seed)}, {part}")
        classifier.fit(*train, callbacks=[progress, Measured(measure)])
        self._save(classifier, variant, seed, part=part)
        return classifier.history_

    def has_ended(self, seed: int, variant: str = "") -> bool:
        """Return whether an interrupted command has completed a run, whose record is taken then."""
        files = self._files_of(variant, seed)
        ended = None if files is None else files.record()
        if ended is None:
            return False
        self._note(f"{self._name(variant, seed)}: done before the interruption")
        self._keep(ended, again=True)
        return True

    def _learn(
        self,
        classifier: GraphTMClassifier | GraphTMMultiLabelClassifier,
        train: tuple[Any, Any],
        test: tuple[Any, Any] | None,
        callbacks: list[Callback],
        files: RunFiles | None,
    ) -> None:
        """Train a classifier, from its checkpoint if there is one."""
        if files is None:
            classifier.fit(*train, eval_set=test, callbacks=callbacks)
            return
        path, begun = files.checkpoint, Begun()
        is_there = path.exists()
        try:
            classifier.fit(*train, eval_set=test, callbacks=[*callbacks, begun, Checkpoint(path)], resume_from=path)
        except ValueError as error:
            if not is_there or begun.has_begun:
                raise
            raise ValueError(
                f"The checkpoint {path} is of a run with other settings or data. Delete it, or use another folder."
            ) from error

    def record(
        self,
        scores: Mapping[str, Sequence[float]],
        *,
        seconds: Sequence[float],
        seed: int,
        sizes: tuple[int, int],
        variant: str = "",
    ) -> Record:
        """Record a run, and append it to the results file at once, unless an interrupted command has done so.

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
        files = self._files_of(variant, seed)
        ended = None if files is None else files.record()
        if ended is not None:
            return self._keep(ended, again=True)
        experiment, options, engine = self._experiment, self._options, resolved_name(self._options.engine)
        final = {name: float(np.mean(values[-experiment.last_epochs :])) for name, values in scores.items()}
        record = Record(
            experiment=experiment.name,
            variant=variant,
            preset=options.preset,
            changes=as_json(options.differences(experiment, variant)),
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
            version=self._version,
            date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        )
        if files is not None:
            files.end(record)
        return self._keep(record)

    def _keep(self, record: Record, again: bool = False) -> Record:
        """Add a record to what was measured, and to the results file."""
        self.records.append(record)
        if self._output is not None and not (again and record in read_records(self._output, record.experiment)):
            append(record, self._output)
        return record

    def _name(self, variant: str, seed: int) -> str:
        return ", ".join([self._experiment.name, *([variant] if variant else []), f"seed {seed}"])

    def _progress(self, name: str) -> Callback:
        """Return what shows progress: a bar below the name of the run, or lines."""
        if not self._bar:
            return Lines(name, self._note)
        self._note(name)
        return ProgressBar()

    def _save(
        self,
        classifier: GraphTMClassifier | GraphTMMultiLabelClassifier,
        variant: str,
        seed: int,
        encoders: Sequence[GraphEncoder] = (),
        part: str = "",
    ) -> None:
        """Save the model of a run, or of a part of it, in the folder of models, if there is one."""
        if self._models is not None:
            name = self._file_name(", ".join(filter(None, (variant, part))), seed)
            save_model(Path(self._models) / f"{name}.gtm", encoders, classifier)

    def _file_name(self, variant: str, seed: int) -> str:
        return file_name(self._experiment.name, self._options.preset, variant, seed)

    def _files_of(self, variant: str, seed: int) -> RunFiles | None:
        """Return the files of a run in the folder of checkpoints, if there is one; settings are a part of the name."""
        if self._checkpoints is None:
            return None
        sizes = {name: getattr(self._options, name) for name in SIZES}
        settings = {**self._settings[variant].parameters, **sizes, "quick": self.quick}
        name = f"{self._file_name(variant, seed)}-{fingerprint(settings)}"
        return self._files.setdefault(name, RunFiles(self._checkpoints, name))

    def end(self) -> None:
        """Remove the checkpoints of all runs: the whole command has ended."""
        for files in self._files.values():
            files.remove()
