"""Tables of the page of results, in Markdown; among them those of other systems that were run on our data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

from graphtm.experiments.baselines import Baseline, rows_of
from graphtm.experiments.commands import baseline_commands
from graphtm.experiments.declaration import Experiment, Reported
from graphtm.experiments.paper_systems import systems_of_paper
from graphtm.experiments.summary import heading, label, memory_text
from graphtm.foundation.display import count

WIDE = 8
"""Number of systems above which those of the paper and ours have tables of their own."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown.

    Examples
    --------
    >>> from graphtm.experiments.tables import table
    >>> print(table(["name", "value"], [["a", "1"]]))
    | name | value |
    | --- | --- |
    | a | 1 |
    """
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))


def commands_cell(commands: Sequence[str]) -> str:
    """Return commands as the text of a cell, one below the other."""
    return "<br>".join(f"`{command}`" for command in commands)


def tables_of_systems(experiment: Experiment, baselines: Sequence[Baseline]) -> list[str]:
    """Return a table with a column for each system of the paper and of ours, and one that says how ours were run.

    Scores that are all in the table of ours, where a row has only the best system, are not repeated.
    """
    runs = rows_of(experiment, baselines)
    papers = [
        (row, f"{name}, paper", text)
        for row in experiment.reported
        for name, text in systems_of_paper(experiment, row).items()
    ]
    ours = [(row, f"{one.system}, our run", one.text(row)) for row, one in runs]
    together = [papers + ours]
    if len({system for _, system, _ in papers + ours}) > WIDE:
        together = [papers, ours]
    is_told = not papers and not _has_more_than_the_best(runs)
    parts = [] if is_told else [_scores(experiment, cells) for cells in together if cells]
    if runs:
        header = ["other systems, our runs", "rows", "result", "device", "s in total", "process memory", "command"]
        parts.append(table(header, _runs(experiment, runs)))
    return parts


def _has_more_than_the_best(runs: Sequence[tuple[Reported, Baseline]]) -> bool:
    """Return whether a row has several systems, or one that is not beside ours since it is not compared."""
    rows = [row for row, _ in runs]
    return not all(row.compared and rows.count(row) == 1 for row in rows)


def _scores(experiment: Experiment, cells: Sequence[tuple[Reported, str, str]]) -> str:
    """Return the table of these rows, systems and results."""
    systems = list(dict.fromkeys(system for _, system, _ in cells))
    lines = []
    for row in experiment.reported:
        known = {system: text for own, system, text in cells if own == row}
        if known:
            lines.append([label(experiment, row), *(known.get(system, "-") for system in systems)])
    return table([heading(experiment), *systems], lines)


def _runs(experiment: Experiment, rows: Sequence[tuple[Reported, Baseline]]) -> list[list[str]]:
    """Return how systems were run: results that differ only in variants share a line."""
    alike: defaultdict[tuple[str, str, str], list[tuple[str, Baseline]]] = defaultdict(list)
    for row, one in rows:
        system = f"{one.system}, {one.version}" if one.version else one.system
        result = f"{one.result}, {count(len(one.seconds), experiment.repeats)}"
        alike[system, result, one.device or "-"].append((row.variant, one))
    found = []
    for (system, result, device), pairs in alike.items():
        variants = list(dict.fromkeys(variant for variant, _ in pairs))
        runs = list({id(one): one for _, one in pairs}.values())  # of several metrics, or variants with the same data
        which = "all" if {*variants} >= {*experiment.variants} else "; ".join(variants)
        seconds = [f"{value(mean(one.seconds) for one in runs):.3g}" for value in (min, max)]
        known = [one for one in runs if one.peak_bytes is not None]
        memory = memory_text(known) if known else "-"
        commands = commands_cell(baseline_commands(experiment, runs))
        found.append([system, which, result, device, " to ".join(dict.fromkeys(seconds)), memory, commands])
    return found
