"""Pictures of results, saved as PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphtm.experiments.declaration import Experiment, Folder
from graphtm.experiments.records import Record


def save_pictures(experiment: Experiment, records: Sequence[Record], folder: Folder) -> list[Path]:
    """Draw the pictures of an experiment, and save them in a folder as ``EXPERIMENT-NAME.png``.

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
        paths.append(Path(folder) / f"{experiment.name}-{name}.png")
        figure.savefig(paths[-1], dpi=120)
    return paths
