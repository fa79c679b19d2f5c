"""The options of ``graphtm fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphtm.cli.options import (
    MACHINE_PANEL,
    OUTPUT_PANEL,
    TRAINING_PANEL,
    As,
    Bins,
    Column,
    DataArgument,
    Edges,
    EdgeType,
    Engine,
    GraphLabels,
    Ignore,
    Label,
    LabelsOrLog,
    Quiet,
    Separator,
    Task,
    Text,
    Threads,
    Undirected,
    reading_from,
)
from graphtm.cli.output import Screen
from graphtm.cli.reading import Source


def fit(
    data: DataArgument,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to save the model (.gtm).")],
    labels: LabelsOrLog = None,
    edges: Edges = None,
    graphs: GraphLabels = None,
    kind: As = None,
    label: Label = None,
    text: Text = None,
    edge_type: EdgeType = None,
    undirected: Undirected = False,
    column: Column = None,
    ignore: Ignore = None,
    bins: Bins = None,
    separator: Separator = None,
    task: Annotated[
        Task | None,
        typer.Option(
            help="classification, multilabel or regression (default: as the labels are), autoencoding or bandit.",
            metavar="TASK",
            rich_help_panel=MACHINE_PANEL,
        ),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Use graphs as they are, without encoders.", rich_help_panel=MACHINE_PANEL),
    ] = False,
    depth: Annotated[
        int | None, typer.Option(help="Number of layers.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL)
    ] = None,
    clauses: Annotated[
        int | None, typer.Option(help="Number of clauses.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL)
    ] = None,
    margin: Annotated[
        str | None, typer.Option("--T", help="Voting margin, or auto.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL)
    ] = None,
    specificity: Annotated[
        str | None, typer.Option("--s", help="Specificity, or auto.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL)
    ] = None,
    epochs: Annotated[
        str | None, typer.Option(help="Number of epochs, or auto.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL)
    ] = None,
    max_misses: Annotated[
        int | None,
        typer.Option(
            help="Literals that a clause may miss; 0: exact.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL
        ),
    ] = None,
    max_included_literals: Annotated[
        int | None, typer.Option(help="Soft limit on literals.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL)
    ] = None,
    seed: Annotated[
        int,
        typer.Option(help="Seed of splits and training.", metavar="NUMBER", rich_help_panel=MACHINE_PANEL),
    ] = 0,
    engine: Engine = None,
    n_jobs: Threads = None,
    validation: Annotated[
        str,
        typer.Option(
            help="Fraction to hold out for the accuracy; 0: none.",
            metavar="NUMBER",
            rich_help_panel=TRAINING_PANEL,
        ),
    ] = "0.2",
    folds: Annotated[
        int | None,
        typer.Option(
            min=2, help="Cross-validate on so many folds instead.", metavar="NUMBER", rich_help_panel=TRAINING_PANEL
        ),
    ] = None,
    rules: Annotated[
        int | None,
        typer.Option(
            min=1, help="Keep so many rules, and weigh them anew.", metavar="NUMBER", rich_help_panel=TRAINING_PANEL
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove what changes no vote.", rich_help_panel=TRAINING_PANEL)
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write checkpoints while training.", rich_help_panel=TRAINING_PANEL),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the checkpoint.", rich_help_panel=TRAINING_PANEL)
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of text.", rich_help_panel=OUTPUT_PANEL)
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Train on a file of data, measure the accuracy, and save the model.

    Without options, representation and parameters are chosen from the data.
    """
    held_out = _fraction(validation)
    from graphtm.cli.fit import FitRequest
    from graphtm.cli.fit import fit as run
    from graphtm.cli.training import Schedule

    multilabel = task is Task.multilabel
    request = FitRequest(
        Source(data, edges, graphs, labels),
        reading_from(kind, label, text, edge_type, undirected, column, ignore, separator, bins, multilabel=multilabel),
        output,
        None if task is None else task.value,
        _given(
            depth=depth,
            n_clauses=clauses,
            T=_number(margin, "--T", whole=True),
            s=_number(specificity, "--s"),
            epochs=_number(epochs, "--epochs", whole=True),
            max_misses=max_misses,
            max_included_literals=max_included_literals,
            random_state=seed,
            engine=engine,
            n_jobs=n_jobs,
        ),
        plain,
        Schedule(seed, held_out, folds, rules, prune, checkpoint, resume),
    )
    run(Screen(quiet, as_json, goes_on=True), request)


def _number(text: str | None, option: str, *, whole: bool = False) -> int | float | str | None:
    """Return the value of an option that is a number or auto."""
    if text is None or text == "auto":
        return text
    try:
        return int(text) if whole else float(text)
    except ValueError:
        what = "a whole number" if whole else "a number"
        raise typer.BadParameter(f"It must be {what}, or auto; got {text!r}.", param_hint=option) from None


def _fraction(text: str) -> float:
    """Return the value of ``--validation``."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise typer.BadParameter(f"It must be a number from 0 to 1; got {text!r}.", param_hint="--validation")
    if share == 1:
        raise typer.BadParameter("It must be a fraction below 1; got 1.", param_hint="--validation")
    return share


def _given(**parameters: Any) -> dict[str, Any]:
    """Return the parameters that were given."""
    return {name: value for name, value in parameters.items() if value is not None}
