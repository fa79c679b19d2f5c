"""Which records are results of presets as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean

from graphtm.experiments.declaration import Experiment, Preset
from graphtm.experiments.records import Record, as_json

ROUNDED = 2e-6
"""Difference between results that rounding of scores may make."""


def results_of(experiment: Experiment, preset: str, records: Sequence[Record]) -> list[Record]:
    """Return the records that are results of a preset as it is now, the latest of each seed.

    Runs of fewer epochs count for variants without a complete run: the longest of them. Results are means over as many
    last epochs as the experiment declares now, even if it was another number when they were run.
    """
    results: list[Record] = []
    for variant in experiment.variants_of(preset):
        settings = experiment.presets[preset].of(variant)
        runs = [run for run in records if (run.preset, run.variant) == (preset, variant) and not run.quick]
        runs = [run for run in runs if _is_of(settings, run)]
        epochs = max((run.parameters["epochs"] for run in runs), default=None)
        results += {run.seed: run for run in runs if run.parameters["epochs"] == epochs}.values()
    return [_with_result(run, experiment.last_epochs) for run in results]


def _with_result(record: Record, last_epochs: int) -> Record:
    """Return a record whose result is the mean of so many last epochs."""
    final = {metric: mean(scores[-last_epochs:]) for metric, scores in record.scores.items()}
    # Scores are rounded; the result, if it is of these epochs, is not.
    same = {metric: metric in record.final and abs(record.final[metric] - final[metric]) < ROUNDED for metric in final}
    return record if all(same.values()) else replace(record, final={**record.final, **final})


def _is_of(settings: Preset, record: Record) -> bool:
    """Return whether a record was made with these settings, but for fewer epochs at most."""
    now, then = as_json(settings.parameters), dict(record.parameters)
    fewer = isinstance(then.get("epochs"), int) and then["epochs"] <= now["epochs"]
    return fewer and not record.changes.keys() - {"epochs"} and {**then, "epochs": 0} == {**now, "epochs": 0}


def shortened(experiment: Experiment, preset: str, variant: str, records: Sequence[Record]) -> str:
    """Return how many epochs results of a variant have, as text, if they are not complete; else nothing."""
    all_epochs = experiment.presets[preset].of(variant).machine["epochs"]
    epochs = next(record.parameters["epochs"] for record in records if record.variant == variant)
    return "" if epochs == all_epochs else f"{epochs} of {all_epochs} epochs"


def is_complete(experiment: Experiment, preset: str, records: Sequence[Record]) -> bool:
    """Return whether there is a complete run of each variant among the results of a preset."""
    variants = experiment.variants_of(preset)
    missing = set(variants) - {record.variant for record in records}
    return not missing and not any(shortened(experiment, preset, variant, records) for variant in variants)


def presets_of(experiment: Experiment) -> list[str]:
    """Return the names of the presets that differ: paper, best and others."""
    names = [*dict.fromkeys(("paper", "best", *experiment.presets))]
    return [name for name in names if name != "best" or experiment.presets["best"] != experiment.presets["paper"]]
