"""The page of results, written from the files of records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean

from graphtm.experiments.baselines import Baseline, read_baselines, rows_of
from graphtm.experiments.declaration import Experiment, Folder, Preset, Reported
from graphtm.experiments.records import Record, as_json, read_records
from graphtm.experiments.summary import (
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

HEADINGS = {"paper": "ours, paper's settings", "best": "ours, best settings"}
INTRODUCTION = """# Results

The experiments of the paper, [arXiv:2507.14874](https://arxiv.org/abs/2507.14874), beside what it reports.
`python -m graphtm.experiments` writes this page from the records of runs in `results/`. It shows every run of the
presets as they are now, not trials with other settings. Numbers are means over seeds on the test set, with standard
deviations if there are several seeds, or standard errors where the paper has these. "-" means that the paper has no
number, or that the preset was not run. [Experiments of the paper](experiments.md) says how to run them.
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
    columns = [*HEADINGS, *(name for name in presets if name not in HEADINGS)]
    headings = {name: HEADINGS.get(name, f"ours, `{name}`") for name in columns}
    if presets["best"] == presets["paper"]:
        columns.remove("best")
        headings["paper"] = "ours, paper's settings and best"
    shown = {name: found for name in columns if (found := results_of(experiment, name, records))}
    columns = [name for name in columns if name in HEADINGS or name in shown]
    header = [heading(experiment), "paper's GraphTM", "paper's best other", *(headings[name] for name in columns)]
    lines = [_row(header), _row(["---"] * len(header))]
    for row in experiment.reported:
        ours = [_cell(experiment, name, row, shown.get(name, [])) for name in columns]
        lines.append(_row([label(experiment, row), row.paper_text, row.best_text, *ours]))
    where = f"`graphtm reproduce {experiment.name}`; section of the paper: {experiment.section}."
    verdict = " ".join(_verdicts(experiment, shown))
    parts = [f"## {experiment.title}", where, "\n".join(lines), verdict, experiment.note]
    if shown:
        lines = [_row(["preset", "result", "engine", "s per epoch", "memory", "command"]), _row(["---"] * 6)]
        lines += [_run_row(experiment, name, found) for name, found in shown.items()]
        parts.append("\n".join(lines))
    others = rows_of(experiment, baselines)
    if others:
        header = ["other systems, our runs", heading(experiment), "score", "result", "s", "command"]
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
    fewer = then.get("epochs", 0) <= now["epochs"]
    return fewer and not record.changes.keys() - {"epochs"} and {**then, "epochs": 0} == {**now, "epochs": 0}


def _cell(experiment: Experiment, preset: str, row: Reported, records: Sequence[Record]) -> str:
    ours = measured(experiment, row, records)
    if ours is None:
        return "-"
    wanted = experiment.presets[preset].of(row.variant).machine["epochs"]
    had = next(one.parameters["epochs"] for one in records if one.variant == row.variant)
    return ours.text + ("" if had == wanted else f" ({had} of {wanted} epochs)")


def _verdicts(experiment: Experiment, shown: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """Yield a sentence for each row with numbers of the paper: how the better of our presets compares."""
    for row in experiment.reported:
        ours = [one for records in shown.values() if (one := measured(experiment, row, records))]
        if ours and (row.graphtm is not None or row.best is not None):
            metric = "" if row.variant and heading(experiment) != "measured" else row.metric
            what = ", ".join(filter(None, (row.variant, metric)))
            yield _verdict(what, row, max(ours, key=lambda one: one.value))


def _verdict(what: str, row: Reported, ours: Measured) -> str:
    parts = [
        _distance(row, ours.value - other, name)
        for name, other in (("the paper's GraphTM", row.graphtm), (row.best_name, row.best))
        if other is not None
    ]
    return f"{what[0].upper()}{what[1:]}: ours, {row.text(ours.value)}, is {' and '.join(parts)}."


def _distance(row: Reported, gain: float, other: str) -> str:
    if float(row.text(abs(gain))) == 0:
        return f"as {other}"
    return f"{row.text(abs(gain))} {'above' if gain > 0 else 'below'} {other}"


def _run_row(experiment: Experiment, preset: str, records: Sequence[Record]) -> str:
    engines = " and ".join(sorted({f"{one.engine}, {one.device}" for one in records}))
    result = f"{epochs_text(experiment, records)}, {seeds_text(records)}"
    commands = "<br>".join(f"`{command}`" for command in dict.fromkeys(one.command for one in records))
    return _row([preset, result, engines, seconds_text(records), memory_text(records), commands])


def _baseline_row(experiment: Experiment, row: Reported, one: Baseline) -> str:
    what = f"{one.result}, {count(len(one.seconds), 'seed')}"
    seconds = f"{mean(one.seconds):.3g}"
    return _row([one.system, label(experiment, row), one.text(row), what, seconds, f"`{one.command}`"])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
