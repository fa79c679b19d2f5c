"""Tables of the page of results, in Markdown; among them those of other systems that were run on our data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

from graphtm.experiments.baselines import Baseline, rows_of
from graphtm.experiments.commands import baseline_commands
from graphtm.experiments.declaration import Experiment
from graphtm.experiments.summary import heading, label, memory_text
from graphtm.foundation.display import count


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
    """Return a table with a column for each system, and one that says how they were run; none without systems.

    Scores that are all in the table of ours, where a row has only the best system, are not repeated.
    """
    measured = rows_of(experiment, baselines)
    if not measured:
        return []
    rows = [row for row in experiment.reported if any(row == one for one, _ in measured)]
    parts = []
    if len(measured) > len(rows) or not all(row.compared for row in rows):
        systems = list(dict.fromkeys(baseline.system for _, baseline in measured))
        scores = {(label(experiment, row), one.system): one.text(row) for row, one in measured}
        names = [label(experiment, row) for row in rows]
        lines_of_scores = [[name, *(scores.get((name, system), "-") for system in systems)] for name in names]
        parts.append(table([heading(experiment), *(f"{system}, our run" for system in systems)], lines_of_scores))
    header = ["other systems, our runs", "rows", "result", "device", "s in total", "process memory", "command"]
    return [*parts, table(header, _runs(experiment, [one for _, one in measured]))]


def _runs(experiment: Experiment, baselines: Sequence[Baseline]) -> list[list[str]]:
    """Return how systems were run: results that differ only in variants share a line."""
    alike: defaultdict[tuple[str, str, str], list[Baseline]] = defaultdict(list)
    for one in baselines:
        if not any(one is other for others in alike.values() for other in others):  # it may have several metrics
            system = f"{one.system}, {one.version}" if one.version else one.system
            result = f"{one.result}, {count(len(one.seconds), experiment.repeats)}"
            alike[system, result, one.device or "-"].append(one)
    found = []
    for (system, result, device), runs in alike.items():
        variants = list(dict.fromkeys(one.variant for one in runs))
        which = "all" if {*variants} >= {*experiment.variants} else "; ".join(variants)
        seconds = [f"{value(mean(one.seconds) for one in runs):.3g}" for value in (min, max)]
        known = [one for one in runs if one.peak_bytes is not None]
        memory = memory_text(known) if known else "-"
        commands = commands_cell(baseline_commands(experiment, runs))
        found.append([system, which, result, device, " to ".join(dict.fromkeys(seconds)), memory, commands])
    return found
