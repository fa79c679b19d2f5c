"""The experiments of the paper (arXiv:2507.14874): one module each, with presets in plain view."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from graphtm.experiments.declaration import Experiment, Folder, Preset, Reported, Split
from graphtm.experiments.options import Options, data_for
from graphtm.experiments.progress import silent
from graphtm.experiments.records import Record, read_records
from graphtm.experiments.running import Run
from graphtm.foundation.parameters import nearest

__all__ = [
    "NAMES",
    "Experiment",
    "Preset",
    "Record",
    "Reported",
    "Run",
    "Split",
    "experiment",
    "read_records",
    "reproduce",
]

NAMES = (
    "sequence",
    "sequence3",
    "elimination",
    "multivalue_xor",
    "mnist",
    "fashion_mnist",
    "cifar10",
    "superpixels",
    "imdb",
    "yelp",
    "mpqa",
    "tangram",
    "amazon",
    "movielens",
    "viral",
    "graph_benchmarks",
)
"""Names of the experiments, in the order of the paper; each is a module of this package."""


def experiment(name: str) -> Experiment:
    """Return an experiment.

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> mnist = experiment("mnist")
    >>> mnist.reported[0].paper_text, mnist.reported[0].best_text
    ('98.42 ± 0.05', '98.93 ± 0.02 (CoTM)')
    >>> mnist.presets["paper"].machine["n_clauses"]
    2500
    """
    if name not in NAMES:
        raise ValueError(f"There is no experiment {name!r}.{nearest(name, NAMES)} Choose from: {', '.join(NAMES)}.")
    declared: Experiment = importlib.import_module(f"graphtm.experiments.{name}").EXPERIMENT
    return declared


def reproduce(
    name: str,
    *,
    data_home: Folder | None = None,
    output: Folder | None = None,
    checkpoints: Folder | None = None,
    models: Folder | None = None,
    note: Callable[[str], None] | None = None,
    show: Callable[[str], None] | None = None,
    bar: bool = False,
    **options: Any,
) -> list[Record]:
    """Run an experiment of the paper, and return a record per run.

    Parameters
    ----------
    name
        Name of the experiment.
    data_home
        Folder of the data, as for the loaders in :mod:`graphtm.datasets`.
    output
        Existing folder with results, to which each run is appended when it ends; ``None`` writes nothing.
    checkpoints
        Existing folder for checkpoints. After an interruption, the same call continues: runs that have ended are not
        repeated, and the one that was interrupted goes on. The files are removed when all runs have ended.
    models
        Existing folder for models: each run saves ``NAME-PRESET-VARIANT-seedN.gtm``, which :func:`graphtm.load` reads.
        Where one machine learns from images by itself, it is a pipeline that takes raw images.
    note, show
        Functions that print progress, and texts such as learned clauses.
    bar
        Whether to show a progress bar instead of notes.
    **options
        What to run: ``preset``, ``variants`` (default: all), ``seeds`` (a number), ``first_seed``, ``epochs``,
        ``engine``, ``n_jobs``, and ``quick`` for a run in seconds on little data. For trials: ``changes``, a dict of
        parameters, ``train_size``, the number of training samples to use, and ``holdout``, the number of last training
        samples to hold out and to test on instead of the test set; generated data has another test set instead.

    Raises
    ------
    ValueError
        If there is no such experiment, preset, variant or parameter.
    DatasetNotFoundError
        If the data is missing and cannot be downloaded.

    Examples
    --------
    >>> from graphtm.experiments import reproduce
    >>> (record,) = reproduce("sequence", quick=True, engine="cpu")
    >>> record.variant, record.seed, len(record.scores["accuracy"])
    ('', 0, 2)
    """
    declared, chosen = experiment(name), Options(**options)
    chosen.check(declared)
    folders = {"output": output, "checkpoints": checkpoints, "models": models}
    for folder in folders.values():
        if folder is not None and not Path(folder).is_dir():
            raise FileNotFoundError(f"The folder {folder} does not exist. Create it first.")
    data = data_for(declared, chosen, data_home)
    run = Run(declared, chosen, data, **folders, note=note or silent, show=show or silent, bar=bar)
    declared.run(run)
    run.end()
    return run.records
