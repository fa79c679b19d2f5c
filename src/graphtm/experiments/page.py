"""The page of results, written from the files of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from graphtm.experiments.baselines import Baseline, read_baselines, rows_of
from graphtm.experiments.commands import run_commands
from graphtm.experiments.comparisons import Comparison, Competitor, best_competitor, best_run, comparisons, ours_of
from graphtm.experiments.declaration import ACCURACY, NOT_IN_PAPER, Experiment, Folder, Reported
from graphtm.experiments.paper_items import items_table
from graphtm.experiments.records import Record, read_records
from graphtm.experiments.results import is_complete, presets_of, results_of, shortened
from graphtm.experiments.summary import (
    METRIC,
    epochs_text,
    heading,
    label,
    measured,
    memory_text,
    seconds_text,
    seeds_text,
)
from graphtm.experiments.tables import commands_cell, table, tables_of_systems

SETTINGS = {"paper": "paper's settings", "best": "best settings"}
"""What the settings of presets are called, in the order of columns."""
SUMMARY = "results_summary.png"
"""File of the picture on top of the page."""
MANY_ROWS = 4
"""Number of compared rows above which sentences are about those only that fall short."""
FEW_ROWS = 4
"""Number of rows without a run up to which they are named."""
INTRODUCTION = """# Results

The experiments of the paper, [arXiv:2507.14874](https://arxiv.org/abs/2507.14874), beside what it reports.
`python -m graphtm.experiments` writes this page from the records of runs in `results/`. It shows every run of the
presets as they are now, not trials with other settings. Numbers are means over seeds on the test set, with standard
deviations if there are several seeds, or standard errors where the paper has these. "-" means that the paper has no
number, or that the preset was not run. Points are percentage points. The best competitor of a row is the better of the
paper's best other system and those that we have run on our data; it is in bold. Memory is the largest that the process
has had, without that of a GPU. [Experiments of the paper](experiments.md) says how to run them.
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
    return "\n".join([INTRODUCTION, *([summary(rows, pictures)] if rows else []), items, *sections])


def summary(rows: Sequence[Comparison], pictures: Folder | None = None) -> str:
    """Return the section that compares ours with the best competitors, with its picture if there is one."""
    above = sum(one.gain >= 0 for one in rows)
    text = (
        f"{len(rows)} rows have a competitor and a run of ours; in {above} of them, ours are above or equal. Ours are "
        "those with the best settings or, where these were not run, with the paper's. Where scores are not in percent, "
        "points are hundredths."
    )
    parts = ["## Ours and the best competitors", text]
    if pictures is not None and (Path(pictures) / SUMMARY).exists():
        parts.append(f"![Ours minus the best competitor, row by row](pictures/{SUMMARY})")
    lines = []
    for one in rows:
        preset = f"{one.ours.preset} ({one.ours.short})" if one.ours.short else one.ours.preset
        lines.append([one.name, one.ours.measured.text, preset, one.other.full_text, f"{one.gain:+.2f}"])
    parts.append(table(["row", "ours", "preset", "best competitor", "difference, points"], lines))
    return _joined(parts)


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
        " ".join(_verdicts(experiment, shown, baselines)),
        experiment.note,
    ]
    parts += [
        f"![{experiment.title}: {path.stem.removeprefix(f'{experiment.name}_{name}_')}](pictures/{path.name})"
        for name, results in shown.items()
        if pictures is not None and is_complete(experiment, name, results)
        for path in sorted(Path(pictures).glob(f"{experiment.name}_{name}_*.png"))
    ]
    if shown:
        header = ["preset", "result", "engine", "s per epoch", "process memory", "command"]
        parts.append(table(header, [_run_row(experiment, name, results) for name, results in shown.items()]))
    parts += tables_of_systems(experiment, baselines)
    return _joined(parts)


def _results_table(experiment: Experiment, shown: Mapping[str, Sequence[Record]], baselines: Sequence[Baseline]) -> str:
    """Return the table of what the paper reports, the best of the other systems that we have run, and ours."""
    presets = presets_of(experiment)
    titles = {name: _title(experiment, name) for name in presets}
    if "best" not in presets and not experiment.presets["paper"].title:
        titles["paper"] = "paper's settings and best"
    columns = [name for name in presets if name in SETTINGS or name in shown]
    in_paper, have_others = experiment.section != NOT_IN_PAPER, bool(rows_of(experiment, baselines))
    header = [heading(experiment)]
    header += ["paper's GraphTM", "paper's best other"] * in_paper + ["best other, our runs"] * have_others
    header += [f"ours, {titles[name]}" for name in columns]
    lines = []
    for row in experiment.reported:
        run, best = best_run(row, baselines), best_competitor(row, baselines)
        line = [label(experiment, row)]
        line += [row.paper_text, _bold(row.best_text, best is not None and not best.is_ours)] * in_paper
        line += ["-" if run is None else _bold(f"{run.text} ({run.name})", run == best)] * have_others
        lines.append(line + [_cell(experiment, name, row, shown.get(name, [])) for name in columns])
    return table(header, lines)


def _cell(experiment: Experiment, preset: str, row: Reported, records: Sequence[Record]) -> str:
    ours = measured(experiment, row, records)
    if ours is None:
        return "-"
    short = shortened(experiment, preset, row.variant, records)
    return f"{ours.text} ({short})" if short else ours.text


def _title(experiment: Experiment, preset: str) -> str:
    return experiment.presets[preset].title or SETTINGS.get(preset, f"`{preset}`")


def _bold(text: str, is_bold: bool) -> str:
    return f"**{text}**" if is_bold else text


def _verdicts(
    experiment: Experiment, shown: Mapping[str, Sequence[Record]], baselines: Sequence[Baseline]
) -> Iterator[str]:
    """Yield a sentence for each row to compare: how the best settings do, or else the paper's; then what is missing.

    If there are many rows, those that do not fall short are only counted.
    """
    told, missing = [], []
    for row in experiment.reported:
        ours = ours_of(experiment, row, shown)
        if ours is None:
            missing.append(row.variant)
            continue
        others = _others(row, best_competitor(row, baselines))
        if not others or not row.compared:
            continue
        value, title = ours.measured.value, _title(experiment, ours.preset)
        what = _what(experiment, row)
        after = f" after {ours.short}" if ours.short else ""
        *first, last = (_distance(row, value - other, name) for name, other in others)
        how = " and ".join(filter(None, (", ".join(first), last)))
        sentence = f"{what[0].upper()}{what[1:]}: {row.text(value)} with the {title}{after}, {how}."
        if row.graphtm == 100 and ours.measured.n_seeds > 1:
            sentence += f" {_perfect(row, shown[ours.preset])}"
        falls_short = any(value < other for _, other in others)
        told.append((falls_short, sentence))
    kept = [sentence for falls_short, sentence in told if falls_short or len(told) <= MANY_ROWS]
    yield from kept
    if kept != [sentence for _, sentence in told]:
        papers = "" if experiment.section == NOT_IN_PAPER else "paper's GraphTM and "
        yield f"In {len(told) - len(kept)} rows, ours are above or equal to the {papers}best competitors."
    yield from _papers_settings(experiment, shown)
    yield from _missing(experiment, shown, missing)


def _papers_settings(experiment: Experiment, shown: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """Yield a sentence about rows where the paper's settings fall short of its GraphTM, if the best are compared."""
    gaps: list[tuple[float, str, str]] = []
    for row in experiment.reported:
        ours, run = ours_of(experiment, row, shown), measured(experiment, row, shown.get("paper", []))
        if ours is None or ours.preset == "paper" or run is None or row.graphtm is None or not row.compared:
            continue
        gap = row.graphtm - run.value
        if gap > 0 and row.text(gap).strip("0."):
            short = shortened(experiment, "paper", row.variant, shown["paper"])
            name = " after ".join(filter(None, (_what(experiment, row), short)))
            gaps.append((gap, row.text(gap) + " points" * row.percent, name))
    if len(gaps) > FEW_ROWS:
        (_, least, _), (_, most, _) = min(gaps), max(gaps)
        some = f"by {least.removesuffix(' points')} to {most} in {len(gaps)} rows"
    else:
        some = ", ".join(f"by {gap}" + f" ({name})" * (name != ACCURACY) for _, gap, name in gaps)
    if gaps:
        yield f"With the paper's settings, ours are below the paper's GraphTM {some}."


def _what(experiment: Experiment, row: Reported) -> str:
    """Return the variant of a row, and its metric if rows have different ones."""
    metric = "" if row.variant and heading(experiment) != METRIC else row.metric
    return ", ".join(filter(None, (row.variant, metric)))


def _missing(experiment: Experiment, shown: Mapping[str, Sequence[Record]], missing: Sequence[str]) -> Iterator[str]:
    """Yield a sentence about variants without a run of the presets that are compared."""
    elsewhere = {record.variant for records in shown.values() for record in records}
    names = [name for name in dict.fromkeys(missing) if name not in elsewhere]
    if shown and names:
        few = ", ".join(names) if len(names) <= FEW_ROWS else f"{len(names)} of {len(experiment.variants)} variants"
        yield f"Not run yet: {few}."


def _others(row: Reported, competitor: Competitor | None) -> list[tuple[str, float]]:
    """Return names and results of what ours is compared with: the paper's, and the best that we have run if better."""
    others = [("the paper's GraphTM", row.graphtm), (row.best_name, row.best)]
    if competitor is not None and competitor.is_ours:
        others.append((f"{competitor.name} in our run", competitor.value))
    return [(name, value) for name, value in others if value is not None]


def _perfect(row: Reported, records: Sequence[Record]) -> str:
    """Return how many runs reach what the paper reports, as a sentence."""
    rows = [record.scores for record in records if record.variant == row.variant]
    runs = [scores[row.metric] for scores in rows if row.metric in scores]
    last, some = sum(scores[-1] == 1 for scores in runs), sum(max(scores) == 1 for scores in runs)
    return f"{last} of {len(runs)} seeds reach 100 % in the last epoch, {some} in some epoch."


def _distance(row: Reported, gain: float, other: str) -> str:
    distance = row.text(abs(gain))
    if not distance.strip("0."):
        return f"equal to {other}"
    points = " points" if row.percent else ""
    return f"{distance}{points} {'above' if gain > 0 else 'below'} {other}"


def _run_row(experiment: Experiment, preset: str, records: Sequence[Record]) -> list[str]:
    engines = " and ".join(sorted({f"{record.engine}, {record.device}" for record in records}))
    result = f"{epochs_text(experiment, records)}, {seeds_text(experiment, records)}"
    commands = commands_cell(run_commands(experiment, preset, records))
    return [preset, result, engines, seconds_text(records), memory_text(records), commands]


def _joined(parts: Sequence[str]) -> str:
    return "".join(f"{part}\n\n" for part in parts if part).removesuffix("\n")
