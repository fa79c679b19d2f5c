"""Pictures of results, saved as PNG files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from graphtm.experiments.baselines import Baseline
from graphtm.experiments.comparisons import Comparison, short_system
from graphtm.experiments.declaration import ACCURACY, Experiment, Folder
from graphtm.experiments.records import Record
from graphtm.experiments.results import presets_of
from graphtm.experiments.summary import measured
from graphtm.foundation.calling import require
from graphtm.plots.edges import COLOURS


def save_pictures(
    experiment: Experiment,
    records: Sequence[Record],
    folder: Folder,
    beginning: str | None = None,
    baselines: Sequence[Baseline] = (),
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
    baselines
        What other systems reach.

    Returns
    -------
    list of Path
        The files; none if the experiment has no pictures, or there is nothing to draw.

    Raises
    ------
    MissingLibraryError
        If matplotlib is not installed.
    """
    if not experiment.has_pictures:
        return []
    figures: dict[str, Any] = {}
    # Accuracies such as 99.98 are written in full, not as a small number to add to another.
    with require("matplotlib", "A picture of results", "plots").rc_context({"axes.formatter.useoffset": False}):
        if experiment.draw is not None:
            figures |= experiment.draw(records)
        if experiment.draw_beside is not None:
            figures |= experiment.draw_beside(records, baselines)
    paths = []
    for name, figure in figures.items():
        paths.append(Path(folder) / f"{f'{experiment.name}-' if beginning is None else beginning}{name}.png")
        save_picture(figure, paths[-1])
    return paths


def save_picture(figure: Any, path: Path) -> None:
    """Save a figure with 64 colours, in a third of the space."""
    file = io.BytesIO()
    figure.savefig(file, dpi=100)
    image = require("PIL.Image", "A picture of results", "plots").open(file)  # Pillow comes with matplotlib
    image.convert("RGB").quantize(64).save(path, "PNG", optimize=True)


def clause_curves(experiment: Experiment, records: Sequence[Record], curves: Mapping[str, Mapping[int, str]]) -> Any:
    """Draw the accuracy against the number of clauses; dotted, in the same colour, that of the paper's GraphTM.

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
    rows = {row.variant: row for row in experiment.reported if row.metric == ACCURACY}
    ticks = set[int]()
    spreads = has_paper = False
    for number, (name, variants) in enumerate(curves.items()):
        results = {n: measured(experiment, rows[variant], records) for n, variant in variants.items()}
        points = {n: result for n, result in results.items() if result is not None}
        spreads |= any(result.spread is not None for result in points.values())
        colour = COLOURS[number % len(COLOURS)]
        if points:
            several = any(result.spread is not None for result in points.values())
            errors = [result.spread or 0.0 for result in points.values()] if several else None
            values = [result.value for result in points.values()]
            ax.errorbar([*points], values, errors, marker="o", capsize=3, color=colour, label=name)
            ticks |= points.keys()
        paper = {n: rows[variant].graphtm for n, variant in variants.items() if rows[variant].graphtm is not None}
        if points and paper:
            ax.plot([*paper], [*paper.values()], linestyle="dotted", marker=".", color=colour)
            has_paper = True
    spread = "standard error" if experiment.standard_error else "standard deviation"
    unit = f"accuracy, %, and {spread}" if spreads else "accuracy, %"
    ax.set(title=experiment.title, xlabel="clauses", ylabel=unit, xscale="log")
    ax.set_xticks(sorted(ticks), labels=[f"{n:,}" for n in sorted(ticks)])
    ax.minorticks_off()
    if has_paper:
        ax.plot([], [], linestyle="dotted", marker=".", color="#333333", label="GraphTM, paper")
    ax.legend()
    return figure


def summary_picture(rows: Sequence[Comparison]) -> Any:
    """Draw ours minus the best competitor, a line for each row, in the given order from top to bottom.

    Rows are named on the left, with the epochs of incomplete runs, and their competitors on the right. Circles are
    competitors that the paper reports, diamonds those that we have run; hollow markers are competitors whose data or
    labels differ from ours. Lengths are logarithmic beyond one point, so that small differences can be seen beside
    large ones. Rows whose best settings were not run are marked by a star.

    Returns
    -------
    matplotlib.figure.Figure
    """
    subplots = require("matplotlib.pyplot", "A picture of results", "plots").subplots
    figure, ax = subplots(figsize=(11, 2 + 0.25 * len(rows)), layout="constrained", facecolor="white")
    gains = [one.gain for one in rows]
    ax.axvline(0, color="#333333", linewidth=1)
    marks = {}
    for height, one in enumerate(rows):
        colour = COLOURS[0] if one.gain >= 0 else COLOURS[1]
        ax.hlines(height, 0, one.gain, color=colour, linewidth=2)
        marker, fill = "D" if one.other.is_ours else "o", "white" if one.other.differs else colour
        style = dict(marker=marker, color=colour, markerfacecolor=fill, markersize=6, linestyle="none")
        ax.plot(one.gain, height, **style)
        marks[_mark_text(one)] = style
        side = 1 if one.gain >= 0 else -1
        ax.annotate(
            f"{one.gain:+.2f}",
            (one.gain, height),
            (7 * side, 0),
            textcoords="offset points",
            ha="left" if side == 1 else "right",
            va="center",
            fontsize=8,
        )
    starred = [one.ours.preset == "paper" and "best" in presets_of(one.experiment) for one in rows]
    short = [f" ({one.ours.short})" if one.ours.short else "" for one in rows]
    names = [f"{one.name}{epochs}{' *' * star}" for one, epochs, star in zip(rows, short, starred, strict=True)]
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_yticks(range(len(rows)), labels=names, fontsize=8)
    right = ax.secondary_yaxis("right")
    right.set_yticks(range(len(rows)), labels=[short_system(one.other.name) for one in rows], fontsize=8)
    ax.set_xscale("symlog", linthresh=1, linscale=1)
    ends = [side * value for side in (-1, 1) for value in (0.5, 1, 3, 10, 30)]
    ticks = sorted([0, *(end for end in ends if min(gains) <= end <= max(gains))])
    ax.set_xticks(ticks, labels=[f"{tick:+g}" if tick else "0" for tick in ticks], fontsize=8)
    ax.minorticks_off()
    ax.margins(x=0.15)
    ax.grid(color="#EEEEEE", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set(
        xlabel="percentage points, logarithmic beyond one point" + "\n* with the paper's settings" * any(starred),
        title="Ours minus the best competitor, which is named on the right",
    )
    ax.spines[["top", "right", "left"]].set_visible(False)
    for axis in (ax, right):
        axis.tick_params(axis="y", length=0)
    right.spines["right"].set_visible(False)
    for text, style in sorted(marks.items()):
        ax.plot([], [], label=text, **style)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    return figure


def _mark_text(one: Comparison) -> str:
    """Return what the marker of a row says."""
    who = "run by us" if one.other.is_ours else "of the paper"
    other = ", other data or labels" if one.other.differs else ""
    return f"{'above, or equal' if one.gain >= 0 else 'below'}; competitor {who}{other}"
