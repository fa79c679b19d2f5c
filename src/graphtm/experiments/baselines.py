"""Other systems on the data and splits of experiments: one line of JSON for each result."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from graphtm.errors import GraphFormatError
from graphtm.experiments.declaration import TRAINING_SECONDS, Experiment, Folder, Reported
from graphtm.experiments.records import device_of, peak_memory

FILE = "baselines.jsonl"
"""Name of the file in the folder of results."""
PROCESSOR_SECONDS = "processor seconds"
"""Metric of experiments that measure processor time themselves."""
_LATER = {"version", "seeds", "peak_bytes", "device"}
"""Fields that earlier lines do not have."""


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """What another system reached on the data of an experiment.

    Parameters
    ----------
    experiment, variant
        Names; the variant is empty if there is only one.
    system
        Name of the system with its version or main settings.
    scores
        Results by metric, one for each seed.
    seconds
        Duration of the whole training, for each seed; ``result`` says whether processor time or elapsed time.
    result
        What the results are, such as ``"the last of 30 epochs, elapsed time"``.
    command
        How to repeat the runs.
    date
        When they ended.
    version
        Version of the system, such as ``"tmu 0.8.3"``; empty if it is not known, as in earlier lines.
    seeds
        Seeds of the runs, if they are known.
    peak_bytes
        Largest memory of the process, without that of a device, if it is known.
    device
        What the runs were on, if it is known.
    """

    experiment: str
    variant: str = ""
    system: str
    scores: Mapping[str, Sequence[float]]
    seconds: Sequence[float]
    result: str
    command: str
    date: str
    version: str = ""
    seeds: Sequence[int] = ()
    peak_bytes: int | None = None
    device: str = ""

    @property
    def measured(self) -> Mapping[str, Sequence[float]]:
        """All that was measured by metric, one for each seed: the scores, and the duration of the training."""
        return {TRAINING_SECONDS: self.seconds, PROCESSOR_SECONDS: self.seconds, **self.scores}

    def text(self, row: Reported) -> str:
        """Return the mean of a metric in the unit of a row of the paper, with the standard deviation over seeds."""
        values = [(100 if row.percent else 1) * value for value in self.measured[row.metric]]
        return row.text(mean(values), stdev(values) if len(values) > 1 else None)


def append_baseline(
    folder: Folder,
    *,
    experiment: str,
    system: str,
    scores: Mapping[str, Sequence[float]],
    seconds: Sequence[float],
    result: str,
    command: str,
    variant: str = "",
    version: str = "",
    seeds: Sequence[int] = (),
    peak_bytes: int | None = None,
    device: str | None = None,
) -> Baseline:
    """Append the result of another system to the file of baselines, and return it.

    See :class:`Baseline` for the parameters; lists have an item for each seed. The current time is added, and the
    memory of this process and its processor, unless others are given.

    Examples
    --------
    >>> import tempfile
    >>> from graphtm.experiments.baselines import append_baseline, read_baselines
    >>> folder = tempfile.mkdtemp()
    >>> line = append_baseline(folder, experiment="mnist", system="linear SVM", scores={"accuracy": [0.918]},
    ...                        seconds=[60.0], result="C by cross-validation", command="python svm.py")
    >>> read_baselines(folder, "mnist") == [line]
    True
    """
    line = Baseline(
        experiment=experiment,
        variant=variant,
        system=system,
        scores={metric: [round(float(value), 6) for value in values] for metric, values in scores.items()},
        seconds=[round(float(value), 3) for value in seconds],
        result=result,
        command=command,
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        version=version,
        seeds=[int(seed) for seed in seeds],
        peak_bytes=peak_memory() if peak_bytes is None else peak_bytes,
        device=device_of("cpu") if device is None else device,
    )
    with (Path(folder) / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(line), ensure_ascii=False) + "\n")
    return line


def command_of(script: str, options: Mapping[str, Any]) -> str:
    """Return the command that runs a script of another system again, with all options, so that none is forgotten.

    Folders, and options that are off or not given, are left out; ``name`` is not an option, but an argument.

    Examples
    --------
    >>> from graphtm.experiments.baselines import command_of
    >>> command_of("svm.py", {"name": "imdb", "min_texts": 3, "trial": False, "data": "here", "sizes": [5, 6]})
    'python benchmarks/baselines/svm.py imdb --min-texts 3 --sizes 5 6'
    """
    words = ["python", f"benchmarks/baselines/{script}", *([options["name"]] if "name" in options else [])]
    for option, value in options.items():
        if option in ("name", "data", "output") or value is None or value is False:
            continue
        values = [] if value is True else value if isinstance(value, (list, tuple)) else [value]
        words += [f"--{option.replace('_', '-')}", *map(str, values)]
    return shlex.join(words)


def read_baselines(folder: Folder, experiment: str) -> list[Baseline]:
    """Return the baselines of an experiment, the latest of each system and variant.

    Raises
    ------
    GraphFormatError
        If a line of the file is not a baseline.
    """
    path = Path(folder) / FILE
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    baselines = (_baseline(line, f"Line {number} of {path}") for number, line in enumerate(lines, 1))
    return list({(line.system, line.variant): line for line in baselines if line.experiment == experiment}.values())


def _baseline(line: str, where: str) -> Baseline:
    try:
        values = json.loads(line)
        known = {field.name for field in fields(Baseline)}
        wrong = (values.keys() - known) | (known - _LATER - values.keys())
        if wrong:
            raise ValueError(f"missing or unknown fields: {', '.join(map(repr, sorted(wrong)))}")
        return Baseline(**values)
    except (ValueError, TypeError, AttributeError) as error:
        raise GraphFormatError(f"{where} is not the result of another system ({error}).") from None


def runs_on(experiment: Experiment, row: Reported, baselines: Sequence[Baseline]) -> list[Baseline]:
    """Return the baselines that measured a row of the paper: on its variant, or on another one with the same data."""
    found: dict[str, Baseline] = {}
    for variant in experiment.with_same_data(row.variant):
        for one in baselines:
            if one.variant == variant and row.metric in one.measured:
                found.setdefault(one.system, one)
    return list(found.values())


def rows_of(experiment: Experiment, baselines: Sequence[Baseline]) -> list[tuple[Reported, Baseline]]:
    """Return pairs of a row of the paper and a baseline that measured it, in the order of the paper."""
    return [(row, one) for row in experiment.reported for one in runs_on(experiment, row, baselines)]
