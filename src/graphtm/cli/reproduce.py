"""The command ``graphtm reproduce``: an experiment of the paper, beside what the paper reports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from graphtm.cli.options import MACHINE_PANEL, OUTPUT_PANEL, Engine, Quiet, Threads
from graphtm.cli.output import Screen, write_lines

if TYPE_CHECKING:
    from graphtm.experiments import Experiment, Record

RESULTS = Path("results")
TRIALS_PANEL = "Trials"


def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of the experiment; without it, all are listed.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder that holds mnist/, imdb/, ..., or one of these folders itself.",
            metavar="DIR",
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            help="Settings: paper, or best, the best that were found; graphtm reproduce lists all presets.",
            metavar="NAME",
        ),
    ] = "paper",
    variant: Annotated[
        list[str] | None,
        typer.Option(help="Run only this variant, a row of the table; may be repeated.", metavar="NAME"),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Number of runs, for mean and spread.", metavar="NUMBER")
    ] = None,
    first_seed: Annotated[int, typer.Option(min=0, help="Seed of the first run.", metavar="NUMBER")] = 0,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Number of epochs (default: the preset's).", metavar="NUMBER")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run in seconds on little data, to try it out; not a result.")
    ] = False,
    values: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="multivalue_xor: number of values. Other numbers than 500 select the small task, elimination; 10 "
            "shows the paper's first figure.",
            metavar="NUMBER",
        ),
    ] = None,
    engine: Engine = None,
    n_jobs: Threads = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder for checkpoints, from which the same command continues after an interruption.",
            metavar="DIR",
            rich_help_panel=MACHINE_PANEL,
        ),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder for models: one file for each run.",
            metavar="DIR",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Another value of a parameter, such as n_clauses=500; may be repeated.",
            metavar="NAME=VALUE",
            rich_help_panel=TRIALS_PANEL,
        ),
    ] = None,
    train_size: Annotated[
        int | None,
        typer.Option(min=1, help="Number of training samples to use.", metavar="NUMBER", rich_help_panel=TRIALS_PANEL),
    ] = None,
    holdout: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Hold out the last N training samples and test on them instead of the test set.",
            metavar="NUMBER",
            rich_help_panel=TRIALS_PANEL,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder of results, to which each run is appended. Default: results, if there is such a folder here "
            "and the run is not quick.",
            metavar="DIR",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="Folder for pictures.", metavar="DIR", rich_help_panel=OUTPUT_PANEL
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run an experiment of the paper, and print its results beside those of the paper."""
    from graphtm import experiments
    from graphtm.experiments.pictures import save_pictures
    from graphtm.foundation.calling import require

    screen = Screen(quiet)
    if name is None:
        _list(screen)
        return
    changed = changes_from(changes)
    if values is not None:
        name, changed = _with_values(name, values, changed)
    if output is None and RESULTS.is_dir() and not quick:
        output = RESULTS
    declared = experiments.experiment(name)
    if plot is not None:
        if not declared.has_pictures:
            raise typer.BadParameter(f"{name} has no pictures.", param_hint="'--plot'")
        require("matplotlib", "A picture of results", "plots")  # before hours of training
    with _errors_of_options(), _continued(checkpoints):
        records = experiments.reproduce(
            name,
            data_home=data,
            output=output,
            checkpoints=checkpoints,
            models=models,
            note=lambda text: None if quiet else write_lines(text, error=True),
            show=lambda text: screen.lines(f"{text}\n"),
            bar=screen.shows_progress,
            preset=preset,
            variants=tuple(variant or ()),
            seeds=seeds,
            first_seed=first_seed,
            epochs=epochs,
            engine=engine or "auto",
            n_jobs=n_jobs,
            quick=quick,
            changes=changed,
            train_size=train_size,
            holdout=holdout,
        )
    _report(screen, declared, records)
    if plot is not None:
        for path in save_pictures(declared, records, plot):
            screen.note(f"Picture: {path}")
    if models is not None:
        screen.note(f"Models: {models}")
    if output is not None:
        screen.note(f"Appended to {output / name}.jsonl")
    elif not quick:
        screen.note("The results were not saved; --output DIR appends them to a file in a folder.")


def changes_from(given: Sequence[str] | None) -> dict[str, Any]:
    """Return the parameters that ``--set`` gives: numbers, True, False, None and lists as in Python, else text.

    Examples
    --------
    >>> changes_from(["T=50", "max_included_literals=None", "symbol_encoding=one_hot"])
    {'T': 50, 'max_included_literals': None, 'symbol_encoding': 'one_hot'}
    """
    changes: dict[str, Any] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise typer.BadParameter(
                f"It must be a name and a value, such as T=50; got {text!r}.", param_hint="'--set'"
            )
        try:
            changes[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            changes[name] = value
    return changes


@contextmanager
def _errors_of_options() -> Iterator[None]:
    """Name the option instead of the parameter if data is missing."""
    from graphtm.errors import DatasetNotFoundError

    try:
        yield
    except DatasetNotFoundError as error:
        raise DatasetNotFoundError(str(error).replace("data_home=", "--data")) from error


@contextmanager
def _continued(checkpoints: Path | None) -> Iterator[None]:
    """Say after Ctrl-C how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("" if checkpoints is None else "The same command continues where it stopped.") from None


def _with_values(name: str, values: int, changes: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the experiment for a number of values, and the changes: few are the paper's first figure."""
    if name != "multivalue_xor":
        raise typer.BadParameter("Only multivalue_xor has a number of values.", param_hint="'--values'")
    if "n_values" in changes:
        raise typer.BadParameter(
            "The number of values is given twice, also by --set: leave one out.", param_hint="'--values'"
        )
    many, few = 500, 10
    if values == many:
        return name, changes
    return "elimination", changes if values == few else {**changes, "n_values": values}


def _list(screen: Screen) -> None:
    from graphtm.experiments import NAMES, experiment

    table = Table("experiment", "what it is about", "presets")
    for name in NAMES:
        declared = experiment(name)
        table.add_row(name, declared.title, ", ".join(declared.presets))
    if not screen.quiet:
        Console().print(table)


def _report(screen: Screen, experiment: Experiment, records: Sequence[Record]) -> None:
    """Print a table of results, and how they were obtained."""
    from graphtm.experiments.summary import cost_text, epochs_text, heading, label, measured, seeds_text

    columns = (heading(experiment), "paper's GraphTM", "paper's best other", "ours")
    table = Table(*columns, title=f"{experiment.title}: {_kind(experiment, records[0])}")
    for row in experiment.rows_of(dict.fromkeys(record.variant for record in records)):
        ours = measured(experiment, row, records)
        if ours is not None:
            table.add_row(label(experiment, row), row.paper_text, row.best_text, ours.text)
    Console().print(table)  # it is what was asked for, even if quietly
    spread = "standard error" if experiment.standard_error else "standard deviation"
    screen.say(
        f"Ours: {epochs_text(experiment, records)}, {seeds_text(experiment, records)}"
        + (f", ± {spread}" if len({record.seed for record in records}) > 1 else "")
        + f"; {cost_text(records)}.",
        indent=0,
    )
    if experiment.note and not (records[0].quick or records[0].changes):  # notes are about complete runs
        screen.say(experiment.note, indent=0)


def _kind(experiment: Experiment, record: Record) -> str:
    """Return the preset of a run, and what differs from it and from the title of the experiment."""
    names = experiment.presets[record.preset].quick if record.quick else ()
    changed = {name: record.parameters[name] for name in names} | dict(record.changes)
    kind = f"preset {record.preset}" + (", quick run, not a result" if record.quick else "")
    different = ", ".join(f"{name}={value}" for name, value in changed.items())
    return f"{kind}, with {different}" if changed else kind
