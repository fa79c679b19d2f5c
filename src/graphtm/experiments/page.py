"""The page of results, written from the files of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

from graphtm.experiments.baselines import Baseline, read_baselines, rows_of
from graphtm.experiments.declaration import Experiment, Folder, Preset, Reported
from graphtm.experiments.records import Record, as_json, read_records
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
number, or that the preset was not run. Memory is the largest that the process has had, without that of a GPU.
[Experiments of the paper](experiments.md) says how to run them.
"""


def results_page(experiments: Sequence[Experiment], folder: Folder) -> str:
    """Return the page of results in Markdown, from the records in a folder.

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
    sections = (section(one, read_records(folder, one.name), read_baselines(folder, one.name)) for one in experiments)
    return "\n".join([INTRODUCTION, *sections])


def section(experiment: Experiment, records: Sequence[Record], baselines: Sequence[Baseline] = ()) -> str:
    """Return the section of an experiment: the paper's results and ours, and those of other systems on our data."""
    presets = experiment.presets
    columns = [*SETTINGS, *(name for name in presets if name not in SETTINGS)]
    headings = {name: f"ours, {SETTINGS.get(name, f'`{name}`')}" for name in columns}
    if presets["best"] == presets["paper"]:
        columns.remove("best")
        headings["paper"] = "ours, paper's settings and best"
    shown = {name: found for name in columns if (found := results_of(experiment, name, records))}
    columns = [name for name in columns if name in SETTINGS or name in shown]
    header = [heading(experiment), "paper's GraphTM", "paper's best other", *(headings[name] for name in columns)]
    lines = [_row(header), _row(["---"] * len(header))]
    for row in experiment.reported:
        ours = [_cell(experiment, name, row, shown.get(name, [])) for name in columns]
        lines.append(_row([label(experiment, row), row.paper_text, row.best_text, *ours]))
    where = f"`graphtm reproduce {experiment.name}`; section of the paper: {experiment.section}."
    verdict = " ".join(_verdicts(experiment, shown))
    parts = [f"## {experiment.title}", where, "\n".join(lines), verdict, experiment.note]
    if shown:
        lines = [_row(["preset", "result", "engine", "s per epoch", "process memory", "command"]), _row(["---"] * 6)]
        lines += [_run_row(experiment, name, found) for name, found in shown.items()]
        parts.append("\n".join(lines))
    others = rows_of(experiment, baselines)
    if others:
        header = ["other systems, our runs", heading(experiment), "score", "result", "device", "s in total"]
        header += ["process memory", "command"]
        lines = [_row(header), _row(["---"] * len(header))]
        lines += [_baseline_row(experiment, row, one) for row, one in others]
        parts.append("\n".join(lines))
    return "".join(f"{part}\n\n" for part in parts if part).removesuffix("\n")


def results_of(experiment: Experiment, preset: str, records: Sequence[Record]) -> list[Record]:
    """Return the records that are results of a preset as it is now, the latest of each seed.

    Runs of fewer epochs count for variants without a complete run: the longest of them.
    """
    found: list[Record] = []
    for variant in experiment.presets[preset].only or experiment.variants:
        settings = experiment.presets[preset].of(variant)
        candidates = [one for one in records if (one.preset, one.variant) == (preset, variant) and not one.quick]
        lengths = {one.parameters.get("epochs") for one in candidates if _is_of(settings, one)}
        epochs = max((n for n in lengths if isinstance(n, int)), default=None)
        chosen = [one for one in candidates if _is_of(settings, one) and one.parameters["epochs"] == epochs]
        found += {one.seed: one for one in chosen}.values()
    return found


def _is_of(settings: Preset, record: Record) -> bool:
    """Return whether a record was made with these settings, but for fewer epochs at most."""
    now, then = as_json(settings.parameters), dict(record.parameters)
    fewer = isinstance(then.get("epochs"), int) and then["epochs"] <= now["epochs"]
    return fewer and not record.changes.keys() - {"epochs"} and {**then, "epochs": 0} == {**now, "epochs": 0}


def _cell(experiment: Experiment, preset: str, row: Reported, records: Sequence[Record]) -> str:
    ours = measured(experiment, row, records)
    if ours is None:
        return "-"
    shortened = _shortened(experiment, preset, row, records)
    return f"{ours.text} ({shortened})" if shortened else ours.text


def _shortened(experiment: Experiment, preset: str, row: Reported, records: Sequence[Record]) -> str:
    """Return how many epochs shortened runs have, as text; nothing if they are complete."""
    all_epochs = experiment.presets[preset].of(row.variant).machine["epochs"]
    epochs = next(record.parameters["epochs"] for record in records if record.variant == row.variant)
    return "" if epochs == all_epochs else f"{epochs} of {all_epochs} epochs"


def _verdicts(experiment: Experiment, shown: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """Yield a sentence for each row with numbers of the paper: how the best settings compare, or else the paper's."""
    for row in experiment.reported:
        if row.graphtm is None and row.best is None:
            continue
        for preset in ("best", "paper"):
            records = shown.get(preset, [])
            ours = measured(experiment, row, records)
            if ours is not None:
                shortened = _shortened(experiment, preset, row, records)
                value = row.text(ours.value) + (f" after {shortened}" if shortened else "")
                metric = "" if row.variant and heading(experiment) != METRIC else row.metric
                what = ", ".join(filter(None, (row.variant, metric)))
                how = _comparison(row, ours)
                yield f"{what[0].upper()}{what[1:]}: ours with the {SETTINGS[preset]}, {value}, {how}."
                break


def _comparison(row: Reported, ours: Measured) -> str:
    others = (("the paper's GraphTM", row.graphtm), (row.best_name, row.best))
    return " and ".join(_distance(row, ours.value - value, name) for name, value in others if value is not None)


def _distance(row: Reported, gain: float, other: str) -> str:
    distance = row.text(abs(gain))
    if float(distance) == 0:
        return f"equals {other}"
    points = " percentage points" if row.percent else ""
    return f"is {distance}{points} {'above' if gain > 0 else 'below'} {other}"


def _run_row(experiment: Experiment, preset: str, records: Sequence[Record]) -> str:
    engines = " and ".join(sorted({f"{one.engine}, {one.device}" for one in records}))
    result = f"{epochs_text(experiment, records)}, {seeds_text(records)}"
    commands = "<br>".join(f"`{command}`" for command in dict.fromkeys(one.command for one in records))
    return _row([preset, result, engines, seconds_text(records), memory_text(records), commands])


def _baseline_row(experiment: Experiment, row: Reported, one: Baseline) -> str:
    system = f"{one.system}, {one.version}" if one.version else one.system
    result = f"{one.result}, {count(len(one.seconds), 'seed')}"
    costs = [one.device or "-", f"{mean(one.seconds):.3g}", "-" if one.peak_bytes is None else memory_text([one])]
    return _row([system, label(experiment, row), one.text(row), result, *costs, f"`{one.command}`"])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
