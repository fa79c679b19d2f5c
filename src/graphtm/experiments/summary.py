"""Summaries of records: means and spreads beside what the paper reports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median, stdev

from graphtm.experiments.baselines import Baseline
from graphtm.experiments.declaration import ACCURACY, TRAINING_SECONDS, Experiment, Reported
from graphtm.experiments.records import Record
from graphtm.foundation.display import count

METRIC = "metric"
"""Heading of a column whose rows have different metrics."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one row of the paper.

    Parameters
    ----------
    reported
        The row.
    value, spread
        Mean over seeds in the unit of the paper, and its standard deviation or error; ``None`` with fewer than two
        seeds.
    n_seeds
        Number of seeds.
    """

    reported: Reported
    value: float
    spread: float | None
    n_seeds: int

    @property
    def text(self) -> str:
        """The mean and the spread as text."""
        return self.reported.text(self.value, self.spread)


def measured(experiment: Experiment, reported: Reported, records: Sequence[Record]) -> Measured | None:
    """Summarise the records of a row; ``None`` if there are none.

    Examples
    --------
    >>> from graphtm.experiments import experiment, reproduce
    >>> from graphtm.experiments.summary import measured
    >>> sequence = experiment("sequence")
    >>> records = reproduce("sequence", quick=True, engine="cpu", seeds=2)
    >>> measured(sequence, sequence.reported[0], records).n_seeds
    2
    """
    runs = [record for record in records if record.variant == reported.variant]
    finals = [{TRAINING_SECONDS: sum(record.seconds), **record.final} for record in runs]
    unit = 100 if reported.percent else 1
    values = [unit * final[reported.metric] for final in finals if reported.metric in final]
    if not values:
        return None
    spread = stdev(values) if len(values) > 1 else None
    if spread is not None and experiment.standard_error:
        spread /= len(values) ** 0.5
    return Measured(reported, mean(values), spread, len(values))


def heading(experiment: Experiment) -> str:
    """Return the heading of the column of rows: the metric and its unit, if these are the same in all rows."""
    metrics = {row.metric_text for row in experiment.reported}
    return METRIC if len(metrics) > 1 or experiment.variants == ("",) else metrics.pop()


def label(experiment: Experiment, reported: Reported) -> str:
    """Return what a row is about, next to :func:`heading`."""
    metric = reported.metric_text if heading(experiment) == METRIC else ""
    return ", ".join(filter(None, (reported.variant, metric)))


def name_of(experiment: Experiment, reported: Reported) -> str:
    """Return the experiment and the row as text; the metric is left out if it is the accuracy."""
    metric = "" if reported.metric == ACCURACY else reported.metric
    return ": ".join(filter(None, (experiment.name, ", ".join(filter(None, (reported.variant, metric))))))


def cost_text(records: Sequence[Record]) -> str:
    """Return the time of an epoch, the largest memory and the device of records, as text.

    Examples
    --------
    >>> from graphtm.experiments import reproduce
    >>> from graphtm.experiments.summary import cost_text
    >>> cost_text(reproduce("sequence", quick=True, engine="cpu"))
    'engine cpu, ..., ... s per epoch, ... GiB'
    """
    last = records[-1]
    parts = [f"engine {last.engine}", last.device, *([f"n_jobs={last.n_jobs}"] if last.n_jobs else [])]
    return ", ".join([*parts, f"{seconds_text(records)} s per epoch", memory_text(records)])


def seconds_text(records: Sequence[Record]) -> str:
    """Return the median duration of an epoch in seconds; from the shortest to the longest if runs are of several kinds.

    Runs are of one kind if they are of one variant, engine and device.
    """
    kinds: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for record in records:
        kinds[record.variant, record.engine, record.device] += record.seconds
    medians = [median(seconds) for seconds in kinds.values()]
    return " to ".join(dict.fromkeys(f"{value(medians):.3g}" for value in (min, max)))


def memory_text(records: Sequence[Record | Baseline]) -> str:
    """Return the largest memory of the processes, without that of devices, as text."""
    known = [record.peak_bytes for record in records if record.peak_bytes is not None]
    return f"{max(known) / 2**30:.2f} GiB" if known else "memory unknown"


def epochs_text(experiment: Experiment, records: Sequence[Record]) -> str:
    """Return what a result is the mean of, as text."""
    epochs = sorted({len(record.seconds) for record in records})
    many = " or ".join(map(str, epochs)) + (" epoch" if epochs == [1] else " epochs")
    last = min(experiment.last_epochs, epochs[-1])
    kept = "the last" if last == 1 else f"the mean of the last {last}"
    return f"{kept} of {many}" if epochs[-1] > 1 else many


def seeds_text(experiment: Experiment, records: Sequence[Record]) -> str:
    """Return the number of runs of a variant, seeds or folds, as text: the least and the most if variants differ."""
    seeds: defaultdict[str, set[int]] = defaultdict(set)
    for record in records:
        seeds[record.variant].add(record.seed)
    numbers = [len(own) for own in seeds.values()]
    least = f"{min(numbers)} to " if min(numbers) < max(numbers) else ""
    return least + count(max(numbers), experiment.repeats)
