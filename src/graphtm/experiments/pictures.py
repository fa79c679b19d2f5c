"""Pictures of results, saved as PNG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphtm.experiments.declaration import Experiment, Folder
from graphtm.experiments.records import Record
from graphtm.experiments.summary import measured
from graphtm.foundation.calling import require


def save_pictures(
    experiment: Experiment, records: Sequence[Record], folder: Folder, beginning: str | None = None
) -> list[Path]:
    """Draw the pictures of an experiment, and save them in a folder as ``EXPERIMENT-NAME.png``.

    Parameters
    ----------
    experiment, records
        The experiment, and its records.
    folder
        Existing folder of the files.
    beginning
        Beginning of the names of the files, by default the name of the experiment and a hyphen.

    Returns
    -------
    list of Path
        The files; none if the experiment has no pictures, or there is nothing to draw.

    Raises
    ------
    MissingLibraryError
        If matplotlib is not installed.
    """
    figures = {} if experiment.draw is None else experiment.draw(records)
    paths = []
    for name, figure in figures.items():
        paths.append(Path(folder) / f"{f'{experiment.name}-' if beginning is None else beginning}{name}.png")
        figure.savefig(paths[-1], dpi=100)
    return paths


def clause_curves(experiment: Experiment, records: Sequence[Record], curves: Mapping[str, Mapping[int, str]]) -> Any:
    """Draw the accuracy against the number of clauses.

    Parameters
    ----------
    experiment, records
        The experiment, and its records.
    curves
        For each curve, by its name: the variants, by number of clauses. What was not measured is left out.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, ax = require("matplotlib.pyplot", "A picture of results", "plots").subplots(layout="constrained")
    rows = {row.variant: row for row in experiment.reported}
    ticks = set[int]()
    for name, variants in curves.items():
        results = {n: measured(experiment, rows[variant], records) for n, variant in variants.items()}
        points = [(n, result.value, result.spread or 0.0) for n, result in results.items() if result is not None]
        if points:
            numbers, values, spreads = zip(*points, strict=True)
            ax.errorbar(numbers, values, spreads, marker="o", capsize=3, label=name)
            ticks |= {*numbers}
    spread = "standard error" if experiment.standard_error else "standard deviation"
    ax.set(title=experiment.title, xlabel="clauses", ylabel=f"accuracy, %, and {spread}", xscale="log")
    ax.set_xticks(sorted(ticks), labels=[f"{n:,}" for n in sorted(ticks)])
    ax.minorticks_off()
    ax.legend()
    return figure
