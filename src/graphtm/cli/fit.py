"""``graphtm fit``: from a file of data to a trained model."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from graphtm.cli.choice import Choice, choose, describe, show_choice
from graphtm.cli.data_files import Data, load_data
from graphtm.cli.labels import SET_SEPARATOR, are_decimals, as_numbers, fractions, label_counts, numbers_text
from graphtm.cli.model_files import check_checkpoint, check_target, same_file, save_model
from graphtm.cli.other_tasks import OTHER_TASKS, fit_other
from graphtm.cli.output import Screen, label_text, named, write_json
from graphtm.cli.reading import GRAPHS, Reading, Source
from graphtm.cli.summary import Result, show_summary
from graphtm.cli.training import FINAL, Schedule, announce, can_hold_out, scores, train
from graphtm.errors import GraphError

CLASSIFICATION, MULTILABEL, REGRESSION = "classification", "multilabel", "regression"
_MOST_SHOWN = 10
_MANY_CLASSES = 20


@dataclass(frozen=True)
class FitRequest:
    """What the user asked for.

    Parameters
    ----------
    source, reading
        The data.
    output
        File of the model.
    task
        ``"classification"``, ``"multilabel"``, ``"regression"``, ``"autoencoding"``, ``"bandit"``, or ``None`` to
        follow the labels.
    parameters
        Parameters of the machine.
    plain
        Whether the machine works on the graphs as they are.
    schedule
        How to train.
    """

    source: Source
    reading: Reading
    output: str
    task: str | None
    parameters: Mapping[str, Any]
    plain: bool
    schedule: Schedule


def fit(screen: Screen, request: FitRequest) -> None:
    """Train on the data of a file, print a summary, and save the model."""
    target = check_target(request.output, inputs=request.source.files())
    schedule = _checked_schedule(request.schedule, target, request.source)
    if request.task in OTHER_TASKS:
        fit_other(screen, request, target)
        return
    with screen.waiting("Reading ..."):
        data = labelled(load_data(request.source, request.reading), request.task)
    if request.plain and data.reading.kind != GRAPHS:
        raise typer.BadParameter(f"It has no effect with --as {data.reading.kind}.", param_hint="--plain")
    screen.say(describe(data))
    screen.say(f"Labels: {_distribution(data)}")
    if request.task is None and _may_be_numbers(data):
        screen.note("Note: whole numbers are taken as classes. To predict numbers, pass --task regression.")
    screen.say()
    bins = request.reading.bins
    if isinstance(bins, Mapping) and data.reading.kind != GRAPHS:
        raise typer.BadParameter("For a table, it must be one number for all columns.", param_hint="--bins")
    given = {**request.parameters, **({} if bins is None or data.reading.kind == GRAPHS else {"bins": bins})}
    choice = choose(data, given, plain=request.plain)
    show_choice(screen, choice)
    try:
        result = _trained(screen, choice, data, schedule)
    except KeyboardInterrupt:
        if schedule.checkpoint is not None:
            screen.note("Run the same command with --resume to continue from the checkpoint.")
        raise
    save_model(result.trained.pipeline, target, data.reading)
    for file in schedule.checkpoints():
        file.unlink(missing_ok=True)
    show_summary(screen, result, target, request.source.data)
    if screen.for_machines:
        write_json(_report(result, choice, data, target, schedule))
    screen.finish()


def _checked_schedule(schedule: Schedule, target: Path, source: Source) -> Schedule:
    """Return the schedule, after checking that its checkpoints can be written."""
    file = schedule.checkpoint
    if file is None:
        if schedule.resume:
            raise typer.BadParameter("It needs --checkpoint FILE, to say what to continue from.", param_hint="--resume")
        return schedule
    check_target(str(file), "--checkpoint", inputs=source.files())
    files = schedule.checkpoints()
    if any(same_file(one, target) for one in files):
        raise typer.BadParameter("It must be another file than the model.", param_hint="--checkpoint")
    there = [one for one in files if one.exists()]
    if there and not schedule.resume:
        raise typer.BadParameter(
            f"{there[0]} exists. Pass --resume to continue from it, or delete it to start again.",
            param_hint="--checkpoint",
        )
    for one in there:
        check_checkpoint(one)
    return schedule


def labelled(data: Data, task: str | None) -> Data:
    """Return data whose labels fit a task.

    Raises
    ------
    GraphError
        If there are no labels, or they do not.
    """
    if data.y is None:
        raise GraphError(f"{data.name} has no labels: {_how_to_label(data)}, or pass --labels FILE.")
    is_matrix = isinstance(data.y, np.ndarray) and data.y.ndim == 2
    if task == REGRESSION:
        if is_matrix:
            raise GraphError(
                f"{data.name} has several labels for each {data.noun}; a regression needs one number. In Python, "
                "GraphTMRegressor predicts several."
            )
        return replace(data, y=as_numbers(data.y, data.name, data.noun), of_numbers=True)
    if (is_matrix or isinstance(data.y, list)) and task == CLASSIFICATION:
        raise GraphError(f"{data.name} has several labels for each {data.noun}: pass --task multilabel.")
    if is_matrix or isinstance(data.y, list):
        n_labels = data.y.shape[1] if isinstance(data.y, np.ndarray) else len(set().union(*data.y))
        if not n_labels:
            raise GraphError(f"No {data.noun} of {data.name} has a label.")
        return replace(data, reading=replace(data.reading, multilabel=True))
    classes = np.unique(data.y)
    if task is None and are_decimals(classes):
        return labelled(data, REGRESSION)
    if task == CLASSIFICATION and are_decimals(classes):
        first = named(classes[fractions(classes)][0])
        raise GraphError(
            f"Labels such as {first} are numbers, not classes: pass --task regression, or divide them into classes "
            "first."
        )
    if len(classes) < 2:
        raise GraphError(f"There must be at least two classes; {_all_of(data)} the label {named(classes[0])!r}.")
    return data


def _all_of(data: Data) -> str:
    if len(data) == 1:
        return f"the only {data.noun} of {data.name} has"
    return f"all {len(data):,} {data.noun}s of {data.name} have"


def _may_be_numbers(data: Data) -> bool:
    """Whether classes are whole numbers, and so many that they may be meant as numbers."""
    return data.has_classes and np.asarray(data.y).dtype.kind in "iu" and len(np.unique(data.y)) > _MANY_CLASSES


def _how_to_label(data: Data) -> str:
    if data.format == "CSV":
        return (
            "pass --graphs FILE with the columns graph and label, or --label COLUMN"
            if data.reading.kind == GRAPHS
            else "pass --label COLUMN"
        )
    return {
        "JSON lines": 'add "label" to each line',
        "GraphML": "add the graph attribute label",
    }.get(data.format, "this format holds none")


def _distribution(data: Data) -> str:
    """Return how often each class or label occurs, the most frequent first; of numbers, where they are."""
    if data.of_numbers:
        return numbers_text(data.y)
    counts = label_counts(data.y)
    shown = [f"{label_text(label)} {number:,}" for label, number in counts.most_common(_MOST_SHOWN)]
    more = f", and {len(counts) - len(shown):,} more" if len(counts) > len(shown) else ""
    several = f" (several per {data.noun}, separated by {SET_SEPARATOR!r} in texts)" if data.reading.multilabel else ""
    return ", ".join(shown) + more + several


def _trained(screen: Screen, choice: Choice, data: Data, schedule: Schedule) -> Result:
    """Score on held-out samples, then train on all."""
    start, found = time.perf_counter(), list[Any]()
    if schedule.parts() and not can_hold_out(data, schedule):
        if schedule.folds is not None:
            raise typer.BadParameter(
                f"There are too few {data.noun}s for {schedule.folds} folds: each class needs as many.",
                param_hint="--folds",
            )
        screen.note(f"Note: there are too few {data.noun}s to hold some out, so the accuracy is not measured.")
        schedule = replace(schedule, validation=0.0)
    if schedule.parts():
        announce(screen, data, schedule, "accuracy")
        found = list(scores(screen, choice.pipeline, data, schedule))
    trained = train(screen, choice.pipeline, data, schedule, FINAL)
    outputs = trained.pipeline[-1].transform(trained.seen)
    weights = trained.pipeline[-1].state_.weights
    alive = int(np.count_nonzero(outputs.any(axis=0) & weights.any(axis=0)))
    return Result(trained, found, schedule, len(data), data.noun, alive, time.perf_counter() - start)


def _report(result: Result, choice: Choice, data: Data, target: Path, schedule: Schedule) -> dict[str, Any]:
    """Return everything about a fit as plain data."""
    machine = result.trained.pipeline[-1]
    return {
        "model": str(target),
        "data": {"name": data.name, "format": data.format, "kind": data.reading.kind, "n": len(data)},
        "task": REGRESSION if data.of_numbers else MULTILABEL if data.reading.multilabel else CLASSIFICATION,
        "classes": None if data.of_numbers else machine.classes_,
        **({"range": machine.target_range_[0]} if data.of_numbers else {}),
        "choice": choice.to_dict(),
        "used": machine.params_,
        "seed": schedule.seed,
        "validation": result.scores[0].to_dict() if result.scores and schedule.folds is None else None,
        "folds": result.folds_to_dict() if schedule.folds is not None else None,
        "seconds": {"model": result.trained.seconds, "all": result.seconds},
        "clauses": {"n": int(machine.state_.weights.shape[1]), "alive": result.alive},
        "rules": machine.rules(top=5).to_dict(),
    }
