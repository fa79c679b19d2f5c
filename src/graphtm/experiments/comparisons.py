"""Ours beside the best competitor, row by row: the paper's best other system, or another one that we have run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from graphtm.experiments.baselines import Baseline, read_baselines, runs_on
from graphtm.experiments.declaration import Experiment, Folder, Reported
from graphtm.experiments.records import Record, read_records
from graphtm.experiments.results import presets_of, results_of, shortened
from graphtm.experiments.summary import Measured, measured, name_of

OURS = ("best", "paper")
"""Presets that are compared: the first of them that was run. The better score must not decide which one counts."""


@dataclass(frozen=True)
class Competitor:
    """A system to compare ours with, on a row of the paper.

    Parameters
    ----------
    value
        Its result in the unit of the row.
    text
        The same with its spread.
    name
        Name of the system.
    is_ours
        Whether we have run it on our data; otherwise, the paper reports it.
    differs
        How its data or labels differ from ours; empty if they do not.
    """

    value: float
    text: str
    name: str
    is_ours: bool
    differs: str = ""

    @property
    def full_text(self) -> str:
        """The result with the name, and who ran it."""
        return f"{self.text} ({self.name}, {'our run' if self.is_ours else 'paper'})"


def best_run(experiment: Experiment, row: Reported, baselines: Sequence[Baseline]) -> Competitor | None:
    """Return the best of the other systems that we have run; none for rows by which systems are not compared."""
    unit = 100 if row.percent else 1
    runs = [
        Competitor(unit * mean(one.measured[row.metric]), one.text(row), one.system, True)
        for one in runs_on(experiment, row, baselines)
        if row.compared
    ]
    return max(runs, key=lambda run: run.value, default=None)


def best_competitor(experiment: Experiment, row: Reported, baselines: Sequence[Baseline]) -> Competitor | None:
    """Return the better of the paper's best other system and those that we have run; ``None`` if there is neither.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> from graphtm.experiments.comparisons import best_competitor
    >>> mnist = experiment("mnist")
    >>> best_competitor(mnist, mnist.reported[0], []).full_text
    '98.93 ± 0.02 (CoTM, paper)'
    """
    run = best_run(experiment, row, baselines)
    if row.best is None or not row.compared or (run is not None and run.value > row.best):
        return run
    return Competitor(row.best, row.text(row.best, row.best_spread), row.best_name, False, row.differs)


@dataclass(frozen=True)
class Ours:
    """Our result on a row.

    Parameters
    ----------
    preset
        Name of the preset.
    measured
        What was measured.
    short
        How many epochs the runs have, as text, if they are not complete; else nothing.
    """

    preset: str
    measured: Measured
    short: str


def ours_of(experiment: Experiment, row: Reported, shown: Mapping[str, Sequence[Record]]) -> Ours | None:
    """Return our result on a row, with the preset ``best`` or else ``paper``, given the results of presets."""
    for preset in OURS:
        records = shown.get(preset, [])
        found = measured(experiment, row, records)
        if found is not None:
            return Ours(preset, found, shortened(experiment, preset, row.variant, records))
    return None


@dataclass(frozen=True)
class Comparison:
    """Ours and the best competitor on a row."""

    experiment: Experiment
    row: Reported
    ours: Ours
    other: Competitor

    @property
    def name(self) -> str:
        """The experiment and the row as text."""
        return name_of(self.experiment, self.row)

    @property
    def gain(self) -> float:
        """Ours minus the competitor, in percentage points."""
        return self.row.points(self.ours.measured.value - self.other.value)


def comparisons(experiments: Sequence[Experiment], folder: Folder) -> list[Comparison]:
    """Return the comparisons of all rows that have a competitor and a result of ours, the largest gain first."""
    found = []
    for experiment in experiments:
        records, baselines = read_records(folder, experiment.name), read_baselines(folder, experiment.name)
        shown = {preset: results_of(experiment, preset, records) for preset in OURS if preset in presets_of(experiment)}
        for row in experiment.reported:
            other, ours = best_competitor(experiment, row, baselines), ours_of(experiment, row, shown)
            if other is not None and ours is not None:
                found.append(Comparison(experiment, row, ours, other))
    return sorted(found, key=lambda one: -one.gain)


def short_system(name: str) -> str:
    """Return the name of a system without its settings and what it sees.

    Examples
    --------
    >>> from graphtm.experiments.comparisons import short_system
    >>> short_system("GCN, 2 layers of 64 (PyTorch Geometric)")
    'GCN'
    >>> short_system("GRU of 64 on 3-mers"), short_system("most frequent rating of the product")
    ('GRU', 'most frequent rating of the product')
    >>> short_system("linear SVM on n-grams"), short_system("ItemKNN with more weight on recent films")
    ('linear SVM', 'ItemKNN with more weight on recent films')
    """
    return re.split(r",| \(| of (?=\d)|(?<!weight) on ", name, maxsplit=1)[0]
