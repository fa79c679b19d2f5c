"""What an experiment declares: what the paper reports, its presets, its data, and how it runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from graphtm.estimators import GraphTMClassifier
from graphtm.foundation.parameters import nearest, parameters_of

if TYPE_CHECKING:
    from graphtm.experiments.baselines import Baseline
    from graphtm.experiments.records import Record
    from graphtm.experiments.running import Run

Folder: TypeAlias = str | os.PathLike[str]

ACCURACY = "accuracy"
"""Metric on the test set; other metrics have other names."""
TRAINING_SECONDS = "seconds of training"
"""Metric that every record has: the duration of learning, all epochs together."""
TEST_SEED = 1_000_003
"""Seed of test sets that are generated; the next one is that of test sets for trials."""
NOT_IN_PAPER = "not in the paper"
"""Section of experiments that the paper does not have."""
DAGGER = "†"
"""Mark of results of the paper whose data or labels differ from ours."""
_OF_RUNS = ("random_state", "engine", "n_jobs", "verbose")
_PROTOCOL = ("validation_fraction", "patience", "warm_start")


@dataclass(frozen=True)
class Reported:
    """A result that the paper reports; an experiment has one for each of its variants and metrics.

    Parameters
    ----------
    graphtm, spread
        The paper's GraphTM, and what follows its plus-minus sign; ``None`` if the paper has no number.
    best, best_spread, best_name
        The paper's best competitor.
    variant
        Name of the variant, such as ``"depth 2"``; empty if there is only one.
    metric
        Name of the metric.
    percent
        Whether it is a fraction that is printed in percent, as the numbers given here are.
    digits
        Number of decimals; by default 2 for percent, and 4 for other numbers.
    compared
        Whether more is better, so that systems are compared by it; not so for counts and times.
    differs
        How the data or the labels of the paper's competitor differ from ours, such as ``"other reviews"``; empty if
        they do not.
    """

    graphtm: float | None = None
    spread: float | None = None
    best: float | None = None
    best_spread: float | None = None
    best_name: str = ""
    variant: str = ""
    metric: str = ACCURACY
    percent: bool = True
    digits: int | None = None
    compared: bool = True
    differs: str = ""

    def text(self, value: float | None, spread: float | None = None) -> str:
        """Return a value in the unit of the paper as text; "-" if there is none."""
        if value is None:
            return "-"
        digits = (2 if self.percent else 4) if self.digits is None else self.digits
        return f"{value:,.{digits}f}" + ("" if spread is None else f" ± {spread:,.{digits}f}")

    def points(self, difference: float) -> float:
        """Return a difference in the unit of the paper as percentage points, or as hundredths."""
        return difference if self.percent else 100 * difference

    @property
    def mark(self) -> str:
        """What follows a result of the paper whose data or labels differ from ours."""
        return f" {DAGGER}" if self.differs else ""

    @property
    def metric_text(self) -> str:
        """The metric and its unit as text."""
        return f"{self.metric}, %" if self.percent else self.metric

    @property
    def paper_text(self) -> str:
        """The paper's GraphTM as text."""
        return self.text(self.graphtm, self.spread)

    @property
    def best_text(self) -> str:
        """The paper's best competitor as text."""
        return self.text(self.best, self.best_spread) + (f" ({self.best_name})" if self.best_name else "")


@dataclass(frozen=True)
class Preset:
    """Settings of an experiment, in plain view.

    Parameters
    ----------
    machine
        Parameters of the estimator, with the number of epochs.
    task
        Parameters of the data and of the encoder.
    variants
        What differs in single variants: parameters of either kind, by the name of the variant.
    quick
        What differs with ``--quick``.
    only
        The variants that the settings are for; by default, all of them.
    title
        What the settings are called in tables, if not by the name of the preset.
    """

    machine: Mapping[str, Any]
    task: Mapping[str, Any] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    only: Sequence[str] = ()
    title: str = ""

    def with_changes(self, changes: Mapping[str, Any]) -> Preset:
        """Return the preset with other values of some parameters, in all variants.

        Raises
        ------
        ValueError
            If neither the estimator nor the experiment has a parameter of that name, or it would change how runs are
            tested.
        """
        for name in _PROTOCOL:
            if name in changes:
                raise ValueError(
                    f"The parameter {name!r} cannot be set: every run trains for a fixed number of epochs on all "
                    "training samples, and is tested after each."
                )
        ours = parameters_of(GraphTMClassifier).keys() - {*_OF_RUNS, *_PROTOCOL}
        unknown = [name for name in changes if name not in ours | self.task.keys()]
        if unknown:
            known = [*self.task, *sorted(ours)]
            names = ", ".join(map(repr, known))
            hint = nearest(unknown[0], known)
            raise ValueError(f"There is no parameter {unknown[0]!r} to set.{hint} Choose from: {names}.")
        task = {name: changes.get(name, value) for name, value in self.task.items()}
        machine = {**self.machine, **{name: value for name, value in changes.items() if name not in task}}
        return replace(self, machine=machine, task=task)

    def of(self, variant: str, quick: bool = False) -> Preset:
        """Return the settings of a variant."""
        changes = {**self.variants.get(variant, {}), **(self.quick if quick else {})}
        return replace(self, variants={}, quick={}).with_changes(changes)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters by name."""
        return {**self.machine, **self.task}


@dataclass(frozen=True)
class Split:
    """Samples for training and testing with their labels: arrays, lists or batches of graphs."""

    train: Any
    y: Any
    test: Any
    y_test: Any

    @classmethod
    def load(cls, loader: Callable[..., tuple[Any, Any]], data_home: Folder | None) -> Split:
        """Return the two parts of a dataset, given its loader."""
        return cls(*loader(data_home=data_home), *loader(subset="test", data_home=data_home))

    def first(self, n_train: int, n_test: int | None = None) -> Split:
        """Return the first samples of each part."""
        return Split(self.train[:n_train], self.y[:n_train], self.test[:n_test], self.y_test[:n_test])

    def mirrored(self) -> Split:
        """Return the images for training with their mirror images, and those for testing."""
        train, y = np.concatenate([self.train, self.train[:, :, ::-1]]), np.concatenate([self.y, self.y])
        return replace(self, train=train, y=y)

    def held_out(self, n: int) -> Split:
        """Return the last samples for training as test set instead, so that the real one stays unseen.

        Raises
        ------
        ValueError
            If no sample would be left to train on.
        """
        if not 0 < n < len(self.y):
            raise ValueError(
                f"The number of samples to hold out must be from 1 to {len(self.y) - 1:,}, all but one of those for "
                f"training; got {n:,}."
            )
        return Split(self.train[:-n], self.y[:-n], self.train[-n:], self.y[-n:])


def _no_data(data_home: Folder | None, quick: bool) -> Any:  # noqa: ARG001
    """Return nothing: the experiment generates its data itself."""
    return None


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """An experiment of the paper.

    Parameters
    ----------
    name, title
        Name on the command line, and what it is about.
    section
        Section of the paper, or ``NOT_IN_PAPER``.
    reported
        What the paper reports.
    presets
        Settings by name: ``"paper"``, as in the paper; ``"best"``, the best that were found on training data alone.
    run
        Function that trains and tests: it calls :meth:`Run.fit` for each seed and each variant that is asked for.
    load
        Function that returns the data, given its folder and whether to be quick. A :class:`Split` can be cut, for
        trials on training data.
    last_epochs
        Number of last epochs whose mean is the result.
    seeds
        Number of runs, unless another one is asked for; quick looks run once.
    standard_error
        Whether the paper shows standard errors instead of standard deviations.
    repeats
        What differs between runs of a variant: the seed, or the fold of the data.
    same_data
        Groups of variants with the same samples for training and for testing. What another system reaches on one of
        them, it reaches on all.
    others
        What other variants may be, such as names of datasets; empty if there are none.
    note
        What differs from the paper, in a sentence or two.
    draw
        Function that draws pictures of results: given records, it returns figures of matplotlib by name.
    draw_beside
        The same for pictures that show other systems, too, given records and baselines.
    """

    name: str
    title: str
    section: str
    reported: Sequence[Reported]
    presets: Mapping[str, Preset]
    run: Callable[[Run], None]
    load: Callable[[Folder | None, bool], Any] = _no_data
    last_epochs: int = 1
    seeds: int = 1
    standard_error: bool = False
    repeats: str = "seed"
    same_data: Sequence[Sequence[str]] = ()
    others: str = ""
    note: str = ""
    draw: Callable[[Sequence[Record]], Mapping[str, Any]] | None = None
    draw_beside: Callable[[Sequence[Record], Sequence[Baseline]], Mapping[str, Any]] | None = None

    @property
    def variants(self) -> tuple[str, ...]:
        """Names of the variants, in the order of the paper."""
        return tuple(dict.fromkeys(row.variant for row in self.reported))

    def variants_of(self, preset: str) -> tuple[str, ...]:
        """Names of the variants that a preset is for."""
        return tuple(self.presets[preset].only) or self.variants

    def with_same_data(self, variant: str) -> list[str]:
        """Names of the variants with the same data as one of them, which comes first."""
        others = (name for group in self.same_data if variant in group for name in group)
        return list(dict.fromkeys((variant, *others)))

    def rows_of(self, variants: Iterable[str]) -> list[Reported]:
        """Return the rows of these variants; for others than the declared ones, those of the first."""
        known = {name: [row for row in self.reported if row.variant == name] for name in self.variants}
        first = known[self.variants[0]]
        return [row for name in variants for row in known.get(name) or [replace(one, variant=name) for one in first]]

    @property
    def has_pictures(self) -> bool:
        """Whether there are pictures of its results."""
        return self.draw is not None or self.draw_beside is not None

    @property
    def generates(self) -> bool:
        """Whether the experiment generates its data; its test set is then that of :meth:`Run.test_set`."""
        return self.load is _no_data
