"""The page of results, written from the files of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from graphtm.experiments.baselines import Baseline, read_baselines, rows_of
from graphtm.experiments.commands import run_commands
from graphtm.experiments.comparisons import Comparison, best_competitor, best_run, comparisons
from graphtm.experiments.declaration import DAGGER, NOT_IN_PAPER, Experiment, Folder, Reported
from graphtm.experiments.paper_items import items_table
from graphtm.experiments.records import Record, read_records
from graphtm.experiments.reproduction import NEAR, reproduction
from graphtm.experiments.results import is_complete, presets_of, results_of, shortened
from graphtm.experiments.summary import (
    epochs_text,
    heading,
    label,
    measured,
    memory_text,
    seconds_text,
    seeds_text,
)
from graphtm.experiments.tables import commands_cell, table, tables_of_systems
from graphtm.experiments.verdicts import SETTINGS, title_of, verdicts
from graphtm.foundation.display import count

SUMMARY = "results_summary.png"
"""File of the picture on top of the page."""
INTRODUCTION = """# Results

The experiments of the paper, [arXiv:2507.14874](https://arxiv.org/abs/2507.14874), beside what it reports.
[Experiments of the paper](experiments.md) says how to run them. `python -m graphtm.experiments` writes this page from
the records of runs in `results/`: all runs of the presets as they are now, but no trials with other settings.

- Numbers are means over seeds on the test set, with standard deviations if there are several seeds, or standard errors
  where the paper has these. Points are percentage points.
- "-" means that there is no number: the paper has none, the preset was not run, or we have run no other system.
- The best competitor of a row, in bold, is the better of the paper's best other system and those that we have run on
  our data. Rows with the same data, such as two depths on the same texts, have the same competitors.
- Settings of presets best were chosen on training data that were held out, or on generated data of other seeds, unless
  a section says otherwise.
- Memory is the largest that the process has had, without that of a GPU.
"""


def results_page(experiments: Sequence[Experiment], folder: Folder, pictures: Folder | None = None) -> str:
    """Return the page of results in Markdown, from the records in a folder.

    Pictures of presets with complete records are shown, if they are in the folder of pictures, next to the page.

    Examples
    --------
    >>> from graphtm.experiments import experiment
    >>> from graphtm.experiments.page import results_page
    >>> print(results_page([experiment("mnist")], "no-such-folder"))
    # Results
    ...
    ## MNIST, disconnected patches
    ...
    """
    sections = (
        section(experiment, read_records(folder, experiment.name), read_baselines(folder, experiment.name), pictures)
        for experiment in experiments
    )
    rows = comparisons(experiments, folder)
    items = _joined(["## Tables and figures of the paper", items_table(experiments)])
    parts = [summary(rows, pictures) if rows else "", reproduction(experiments, folder)]
    return "\n".join([INTRODUCTION, *filter(None, parts), items, *sections])


def summary(rows: Sequence[Comparison], pictures: Folder | None = None) -> str:
    """Return the section that compares ours with the best competitors, with its picture if there is one."""
    alike, others = ([one for one in rows if bool(one.other.differs) == differs] for differs in (False, True))
    text = (
        f"Of {count(len(alike), 'row')} with a competitor on the same data and labels, ours are above or equal in "
        f"{_n_above(alike)}. They are more than half a point above in {_n_far(alike)}, and more than half a point "
        f"below in {_n_far(alike, -1)}; smaller differences are often within chance. {_of_others(others)}Several rows "
        "can be of the same data. Ours are those with the best settings or, where these were not run, with the "
        "paper's. Where scores are not in percent, points are hundredths."
    )
    parts = ["## Ours and the best competitors", text]
    if pictures is not None and (Path(pictures) / SUMMARY).exists():
        parts.append(f"![Ours minus the best competitor, row by row](pictures/{SUMMARY})")
    lines = []
    for one in rows:
        preset = f"{one.ours.preset} ({one.ours.short})" if one.ours.short else one.ours.preset
        mark = f" {DAGGER}" if one.other.differs else ""
        lines.append([one.name, one.ours.measured.text, preset, one.other.full_text + mark, f"{one.gain:+.2f}"])
    parts.append(table(["row", "ours", "preset", "best competitor", "difference, points"], lines))
    differences = dict.fromkeys((one.experiment.name, one.other.name, one.other.differs) for one in others)
    parts += [f"{DAGGER} {experiment}, {system}: {differs}." for experiment, system, differs in differences]
    return _joined(parts)


def _n_above(rows: Sequence[Comparison]) -> int:
    return sum(one.gain >= 0 for one in rows)


def _n_far(rows: Sequence[Comparison], sign: int = 1) -> int:
    return sum(sign * one.gain > NEAR for one in rows)


def _of_others(rows: Sequence[Comparison]) -> str:
    """Return a sentence about rows whose competitors had other data or labels, if there are any."""
    if not rows:
        return ""
    which = f"In {count(len(rows), 'other row')}, marked {DAGGER}, the paper's competitor had other data or labels"
    return f"{which}; there, ours are above or equal in {_n_above(rows)}. "


def section(
    experiment: Experiment,
    records: Sequence[Record],
    baselines: Sequence[Baseline] = (),
    pictures: Folder | None = None,
) -> str:
    """Return the section of an experiment: the paper's results and ours, and those of other systems on our data."""
    shown = {name: results for name in presets_of(experiment) if (results := results_of(experiment, name, records))}
    in_paper = experiment.section != NOT_IN_PAPER
    where = f"section of the paper: {experiment.section}" if in_paper else NOT_IN_PAPER
    parts = [
        f"## {experiment.title}",
        f"`graphtm reproduce {experiment.name}`; {where}.",
        _results_table(experiment, shown, baselines),
        *verdicts(experiment, shown, baselines),
        experiment.note,
    ]
    for name, results in shown.items():
        if pictures is not None and is_complete(experiment, name, results):
            parts += _pictures(experiment, name, pictures)
    if shown:
        header = ["preset", "result", "engine", "s per epoch", "process memory", "command"]
        parts.append(table(header, [_run_row(experiment, name, results) for name, results in shown.items()]))
    parts += tables_of_systems(experiment, baselines)
    return _joined(parts)


def _pictures(experiment: Experiment, preset: str, folder: Folder) -> list[str]:
    """Return what the pictures of a preset show, and the pictures; nothing if there are none."""
    beginning = f"{experiment.name}_{preset}_"
    paths = sorted(Path(folder).glob(f"{beginning}*.png"))
    title = title_of(experiment, preset)
    shown = [
        f"![{experiment.title}, {title}: {path.stem.removeprefix(beginning)}](pictures/{path.name})" for path in paths
    ]
    return [f"With the {title}:", *shown] if shown else []


def _results_table(experiment: Experiment, shown: Mapping[str, Sequence[Record]], baselines: Sequence[Baseline]) -> str:
    """Return the table of what the paper reports, the best of the other systems that we have run, and ours."""
    presets = presets_of(experiment)
    titles = {name: title_of(experiment, name) for name in presets}
    if "best" not in presets and not experiment.presets["paper"].title:
        titles["paper"] = "paper's settings and best"
    columns = [name for name in presets if name in SETTINGS or name in shown]
    in_paper, have_others = experiment.section != NOT_IN_PAPER, bool(rows_of(experiment, baselines))
    header = [heading(experiment)]
    header += ["paper's GraphTM", "paper's best other"] * in_paper + ["best other, our runs"] * have_others
    header += [f"ours, {titles[name]}" for name in columns]
    lines = []
    for row in experiment.reported:
        run, best = best_run(experiment, row, baselines), best_competitor(experiment, row, baselines)
        line = [label(experiment, row)]
        paper = [
            _marked(row.paper_text, row),
            _bold(_marked(row.best_text, row), best is not None and not best.is_ours),
        ]
        line += paper * in_paper
        line += ["-" if run is None else _bold(f"{run.text} ({run.name})", run == best)] * have_others
        lines.append(line + [_cell(experiment, name, row, shown.get(name, [])) for name in columns])
    return table(header, lines)


def _cell(experiment: Experiment, preset: str, row: Reported, records: Sequence[Record]) -> str:
    ours = measured(experiment, row, records)
    if ours is None:
        return "-"
    short = shortened(experiment, preset, row.variant, records)
    return f"{ours.text} ({short})" if short else ours.text


def _marked(text: str, row: Reported) -> str:
    return text if text == "-" else text + row.mark


def _bold(text: str, is_bold: bool) -> str:
    return f"**{text}**" if is_bold else text


def _run_row(experiment: Experiment, preset: str, records: Sequence[Record]) -> list[str]:
    engines = " and ".join(sorted({f"{record.engine}, {record.device}" for record in records}))
    result = f"{epochs_text(experiment, records)}, {seeds_text(experiment, records)}"
    commands = commands_cell(run_commands(experiment, preset, records))
    return [preset, result, engines, seconds_text(records), memory_text(records), commands]


def _joined(parts: Sequence[str]) -> str:
    return "".join(f"{part}\n\n" for part in parts if part).removesuffix("\n")
