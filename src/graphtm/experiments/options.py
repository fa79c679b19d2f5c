"""What to run of an experiment: preset, variants and seeds, or a trial with other settings on other data."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphtm.estimators import GraphTMClassifier
from graphtm.experiments.declaration import Experiment, Folder, Preset, Split
from graphtm.experiments.records import as_json
from graphtm.foundation.parameters import ParameterChecks, check_at_least, nearest

SIZES = ("train_size", "holdout")
"""Options that change the data."""


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
        """Raise ``ValueError`` if the experiment has no such preset, variant or parameter, or a value is invalid."""
        for name, least in (("seeds", 1), ("first_seed", 0), ("epochs", 1), ("train_size", 1), ("holdout", 1)):
            check_at_least(name, "reproduce", getattr(self, name), least)
        if self.epochs is not None and "epochs" in self.changes:
            raise ValueError("The number of epochs is given twice, by epochs and by changes (--set): leave one out.")
        if self.preset not in experiment.presets:
            known = ", ".join(experiment.presets)
            hint = nearest(self.preset, experiment.presets)
            raise ValueError(f"{experiment.name} has no preset {self.preset!r}.{hint} Choose from: {known}.")
        known_variants = experiment.variants_of(self.preset)
        for name in self.variants:
            if name not in known_variants and not experiment.others:
                if known_variants == ("",):
                    raise ValueError(f"{experiment.name} has no variants; got {name!r}. Leave it out.")
                known = ", ".join(map(repr, known_variants))
                raise ValueError(
                    f"{experiment.name} has no variant {name!r} with preset {self.preset!r}."
                    f"{nearest(name, known_variants)} Choose from: {known}."
                )
        for name in self.variants_of(experiment):
            machine = self.settings(experiment, name).machine
            check_at_least("epochs", "reproduce", machine["epochs"], 1, optional=False)
            self._check_values(GraphTMClassifier(**machine, engine=self.engine, n_jobs=self.n_jobs))

    def _check_values(self, classifier: GraphTMClassifier) -> None:
        """Check the parameters of a classifier; those that were changed are named as they were given."""
        try:
            ParameterChecks(classifier).declared()
        except ValueError as error:
            text, of = str(error), f" parameter of {type(classifier).__name__} "
            name = text.partition("'")[2].partition("'")[0]
            if name not in self.changes or of not in text:
                raise
            raise type(error)(text.replace(f"The '{name}'{of}", f"The parameter '{name}' (--set) ", 1)) from None

    def n_seeds(self, experiment: Experiment) -> int:
        """Return the number of runs: as asked for, or the experiment's; one to be quick."""
        return self.seeds or (1 if self.quick else experiment.seeds)

    def variants_of(self, experiment: Experiment) -> tuple[str, ...]:
        """Return the variants to run: as asked for, or all those of the preset."""
        return tuple(self.variants) or experiment.variants_of(self.preset)

    def settings(self, experiment: Experiment, variant: str) -> Preset:
        """Return the settings of a variant."""
        given = dict(self.changes) | ({} if self.epochs is None else {"epochs": self.epochs})
        return experiment.presets[self.preset].of(variant, self.quick).with_changes(given)

    def differences(self, experiment: Experiment, variant: str) -> dict[str, Any]:
        """Return what differs from the preset: parameters, and sizes of the data."""
        before = as_json(experiment.presets[self.preset].of(variant, self.quick).parameters)
        after = self.settings(experiment, variant).parameters
        changed = {name: value for name, value in after.items() if before.get(name, ...) != as_json(value)}
        sizes = {name: getattr(self, name) for name in SIZES}
        return changed | {name: size for name, size in sizes.items() if size is not None}

    def command(self, name: str) -> str:
        """Return the command that runs the same again; folders are left out."""
        words = ["graphtm", "reproduce", name, "--preset", self.preset]
        words += [word for variant in self.variants for word in ("--variant", variant)]
        for option in ("seeds", "first_seed", "epochs", *SIZES, "n_jobs"):
            value = getattr(self, option)
            if value is not None and (option, value) != ("first_seed", 0):
                words += [f"--{option.replace('_', '-')}", str(value)]
        words += [] if self.engine == "auto" else ["--engine", self.engine]
        words += [word for name, value in self.changes.items() for word in ("--set", f"{name}={value}")]
        return shlex.join(words + ["--quick"] * self.quick)


def data_for(experiment: Experiment, options: Options, data_home: Folder | None) -> Any:
    """Load the data of an experiment, and cut it as the options say; ``None`` if the experiment generates it.

    Raises
    ------
    ValueError
        If data that cannot be cut should be, or there is too little of it.
    """
    if experiment.generates and options.train_size is not None:
        raise ValueError(f"The data of {experiment.name} is generated: train_size cannot cut it, only holdout.")
    data = experiment.load(data_home, options.quick)
    if experiment.generates or (options.holdout is None and options.train_size is None):
        return data
    if not isinstance(data, Split):
        task = experiment.presets[options.preset].task
        instead = " Use --set trial=True to test on other data than the test set." if "trial" in task else ""
        raise ValueError(f"The data of {experiment.name} cannot be cut by train_size and holdout.{instead}")
    data = data if options.holdout is None else data.held_out(options.holdout)
    if options.train_size is not None and options.train_size > len(data.y):
        raise ValueError(f"There are {len(data.y):,} samples for training; train_size is {options.train_size:,}.")
    return data if options.train_size is None else data.first(options.train_size)
