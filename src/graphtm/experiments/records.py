"""Records of runs: one line of JSON each, in one file per experiment."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from graphtm.engines.registry import engine_status
from graphtm.errors import GraphFormatError
from graphtm.experiments.declaration import Folder

_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, kw_only=True)
class Record:
    """One run: one seed of one variant.

    Parameters
    ----------
    experiment, variant, preset
        Names.
    changes
        What differs from the preset: parameters, and the sizes ``train_size`` and ``holdout``. A run with changes is a
        trial, not a result of the preset.
    quick
        Whether the run was shortened.
    parameters
        All parameters of data, encoder and estimator.
    seed
        Seed of the run.
    scores
        Score after each epoch, by metric.
    final
        Result by metric: the mean of the last epochs.
    n_train, n_test
        Number of samples.
    seconds
        Duration of learning, by epoch.
    peak_bytes
        Largest memory of the process so far, without that of a device, if known.
    engine, device, n_jobs
        Engine, what it ran on, and the number of threads that was asked for.
    command, version, date
        How to repeat the run, with which version it was made, with the commit if there is one, and when it ended.
    """

    experiment: str
    variant: str
    preset: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    quick: bool = False
    parameters: Mapping[str, Any]
    seed: int
    scores: Mapping[str, list[float]]
    final: Mapping[str, float]
    n_train: int
    n_test: int
    seconds: list[float]
    peak_bytes: int | None = None
    engine: str
    device: str
    n_jobs: int | None = None
    command: str
    version: str
    date: str

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} cannot be written as JSON")


def as_json(value: Any) -> Any:
    """Return a value as it is after being written and read."""
    return json.loads(json.dumps(value, default=_plain))


def results_file(folder: Folder, experiment: str) -> Path:
    """Return the file with the records of an experiment."""
    return Path(folder) / f"{experiment}.jsonl"


def append(record: Record, folder: Folder) -> Path:
    """Append a record to the file of its experiment, and return that file."""
    path = results_file(folder, record.experiment)
    with path.open("a", encoding="utf-8") as file:
        file.write(record.to_json() + "\n")
    return path


def read_records(folder: Folder, experiment: str) -> list[Record]:
    """Return the records of an experiment, oldest first; none if it has no file.

    Raises
    ------
    GraphFormatError
        If a line is not a record.
    """
    path = results_file(folder, experiment)
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [record_from(line, f"Line {number} of {path}") for number, line in enumerate(lines, 1)]


def record_from(line: str, where: str) -> Record:
    """Return the record in a line of JSON.

    Raises
    ------
    GraphFormatError
        If it is not a record; the message says where the line is.
    """
    try:
        values = json.loads(line)
        wrong = values.keys() ^ {field.name for field in fields(Record)}
        if wrong:
            raise ValueError(f"missing or unknown fields: {', '.join(map(repr, sorted(wrong)))}")
        return Record(**values)
    except (ValueError, TypeError, AttributeError) as error:
        raise GraphFormatError(f"{where} is not the record of a run ({error}).") from None


@lru_cache
def commit() -> str:
    """Return the last commit of the package as ``"+g1a2b3c4"``, if it is in a git work tree; else nothing.

    It ends in ``".changed"`` if files were changed since.
    """
    folder = Path(__file__).parents[1]

    def git(*words: str) -> str:
        command = ["git", "-C", str(folder), *words, "--", "."]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603

    try:
        last = git("log", "-1", "--format=%h")  # nothing, if the package is not a part of that work tree
        return f"+g{last}" + (".changed" if git("status", "--porcelain", "-uno") else "") if last else ""
    except (OSError, subprocess.CalledProcessError):
        return ""


def device_of(engine: str) -> str:
    """Return what an engine runs on: the name of the processor or of the device."""
    if engine.startswith("cuda"):
        return engine_status(engine).detail.partition(";")[0].removeprefix("kernels on ")
    try:
        lines = _CPUINFO.read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor() or platform.machine()


def peak_memory() -> int | None:
    """Return the largest memory that the process has had, in bytes; ``None`` where the system does not say."""
    try:
        import resource
    except ImportError:  # on Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
