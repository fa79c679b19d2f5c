"""The page of results, written from the files of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean

from graphtm.experiments.baselines import Baseline, read_baselines, rows_of
from graphtm.experiments.declaration import Experiment, Folder, Reported
from graphtm.experiments.records import Record, read_records
from graphtm.experiments.results import is_complete, presets_of, results_of, shortened
from graphtm.experiments.summary import (
    METRIC,
    Measured,
    epochs_text,
    heading,
    label,
    measured,
    memory_text,
    seconds_text,
    seeds_text,
)
from graphtm.foundation.display import count

SETTINGS = {"paper": "paper's settings", "best": "best settings"}
"""What the settings of presets are called, in the order of columns."""
INTRODUCTION = """# Results

The experiments of the paper, [arXiv:2507.14874](https://arxiv.org/abs/2507.14874), beside what it reports.
`python -m graphtm.experiments` writes this page from the records of runs in `results/`. It shows every run of the
presets as they are now, not trials with other settings. Numbers are means over seeds on the test set, with standard
deviations if there are several seeds, or standard errors where the paper has these. "-" means that the paper has no
number, or that the preset was not run. Points are percentage points. Memory is the largest that the process has had,
without that of a GPU. [Experiments of the paper](experiments.md) says how to run them.
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
    return "\n".join([INTRODUCTION, *sections])


def section(
    experiment: Experiment,
    records: Sequence[Record],
    baselines: Sequence[Baseline] = (),
    pictures: Folder | None = None,
) -> str:
    """Return the section of an experiment: the paper's results and ours, and those of other systems on our data."""
    columns = presets_of(experiment)
    headings = {name: f"ours, {SETTINGS.get(name, f'`{name}`')}" for name in columns}
    if "best" not in columns:
        headings["paper"] = "ours, paper's settings and best"
    shown = {name: results for name in columns if (results := results_of(experiment, name, records))}
    columns = [name for name in columns if name in SETTINGS or name in shown]
    header = [heading(experiment), "paper's GraphTM", "paper's best other", *(headings[name] for name in columns)]
    lines = [_row(header), _row(["---"] * len(header))]
    for row in experiment.reported:
        ours = [_cell(experiment, name, row, shown.get(name, [])) for name in columns]
        lines.append(_row([label(experiment, row), row.paper_text, row.best_text, *ours]))
    where = f"`graphtm reproduce {experiment.name}`; section of the paper: {experiment.section}."
    verdict = " ".join(_verdicts(experiment, shown))
    parts = [f"## {experiment.title}", where, "\n".join(lines), verdict, experiment.note]
    parts += [
        f"![{experiment.title}: {path.stem.removeprefix(f'{experiment.name}_{name}_')}](pictures/{path.name})"
        for name, results in shown.items()
        if pictures is not None and is_complete(experiment, name, results)
        for path in sorted(Path(pictures).glob(f"{experiment.name}_{name}_*.png"))
    ]
    if shown:
        lines = [_row(["preset", "result", "engine", "s per epoch", "process memory", "command"]), _row(["---"] * 6)]
        lines += [_run_row(experiment, name, results) for name, results in shown.items()]
        parts.append("\n".join(lines))
    others = rows_of(experiment, baselines)
    if others:
        header = ["other systems, our runs", heading(experiment), "score", "result", "device", "s in total"]
        header += ["process memory", "command"]
        lines = [_row(header), _row(["---"] * len(header))]
        lines += [_baseline_row(experiment, row, baseline) for row, baseline in others]
        parts.append("\n".join(lines))
    return "".join(f"{part}\n\n" for part in parts if part).removesuffix("\n")


def _cell(experiment: Experiment, preset: str, row: Reported, records: Sequence[Record]) -> str:
    ours = measured(experiment, row, records)
    if ours is None:
        return "-"
    short = shortened(experiment, preset, row.variant, records)
    return f"{ours.text} ({short})" if short else ours.text


def _verdicts(experiment: Experiment, shown: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """Yield a sentence for each row with numbers of the paper: how the best settings compare, or else the paper's."""
    for row in experiment.reported:
        if row.graphtm is None and row.best is None:
            continue
        for preset in ("best", "paper"):
            records = shown.get(preset, [])
            ours = measured(experiment, row, records)
            if ours is not None:
                short = shortened(experiment, preset, row.variant, records)
                after = f" after {short}" if short else ""
                metric = "" if row.variant and heading(experiment) != METRIC else row.metric
                what = ", ".join(filter(None, (row.variant, metric)))
                how = _comparison(row, ours)
                yield f"{what[0].upper()}{what[1:]}: {row.text(ours.value)} with the {SETTINGS[preset]}{after}, {how}."
                if row.graphtm == 100 and ours.n_seeds > 1:
                    yield _perfect(row, records)
                break


def _perfect(row: Reported, records: Sequence[Record]) -> str:
    """Return how many runs reach what the paper reports, as a sentence."""
    rows = [record.scores for record in records if record.variant == row.variant]
    runs = [scores[row.metric] for scores in rows if row.metric in scores]
    last, some = sum(scores[-1] == 1 for scores in runs), sum(max(scores) == 1 for scores in runs)
    return f"{last} of {len(runs)} seeds reach 100 % in the last epoch, {some} in some epoch."


def _comparison(row: Reported, ours: Measured) -> str:
    others = (("the paper's GraphTM", row.graphtm), (row.best_name, row.best))
    parts = [_distance(row, ours.value - value, name) for name, value in others if value is not None]
    return " and ".join(parts)


def _distance(row: Reported, gain: float, other: str) -> str:
    distance = row.text(abs(gain))
    if float(distance) == 0:
        return f"equal to {other}"
    points = " points" if row.percent else ""
    return f"{distance}{points} {'above' if gain > 0 else 'below'} {other}"


def _run_row(experiment: Experiment, preset: str, records: Sequence[Record]) -> str:
    engines = " and ".join(sorted({f"{record.engine}, {record.device}" for record in records}))
    result = f"{epochs_text(experiment, records)}, {seeds_text(experiment, records)}"
    commands = "<br>".join(f"`{command}`" for command in dict.fromkeys(record.command for record in records))
    return _row([preset, result, engines, seconds_text(records), memory_text(records), commands])


def _baseline_row(experiment: Experiment, row: Reported, baseline: Baseline) -> str:
    system = f"{baseline.system}, {baseline.version}" if baseline.version else baseline.system
    result = f"{baseline.result}, {count(len(baseline.seconds), 'seed')}"
    costs = [
        baseline.device or "-",
        f"{mean(baseline.seconds):.3g}",
        "-" if baseline.peak_bytes is None else memory_text([baseline]),
    ]
    return _row([system, label(experiment, row), baseline.text(row), result, *costs, f"`{baseline.command}`"])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
