"""The options of commands that use models or data: ``predict``, ``rules``, ``explain`` and ``data``."""

from __future__ import annotations

from typing import Annotated

import typer

from graphtm.cli.options import (
    As,
    Bins,
    Column,
    DataArgument,
    Edges,
    EdgeType,
    Engine,
    Format,
    FormatOption,
    GraphLabels,
    Ignore,
    Label,
    Labels,
    LabelsOrLog,
    ModelArgument,
    Quiet,
    Separator,
    Text,
    Threads,
    Undirected,
    UnknownOption,
    reading_from,
)
from graphtm.cli.output import Screen, write_lines
from graphtm.cli.reading import Source


def predict(
    model: ModelArgument,
    data: DataArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="File (.csv or .jsonl); default: standard output.")
    ] = "-",
    probabilities: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object a line.")] = False,
    unknown: UnknownOption = None,
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
    separator: Separator = None,
    engine: Engine = None,
    n_jobs: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Predict a file of data: a line per graph, row or text.

    Data are read as in training. With labels, the accuracy, the error or the mean reward is printed, too.
    """
    from graphtm.cli.predict import predict as run

    run(
        Screen(quiet),
        model,
        Source(data, edges, graphs, labels),
        reading_from(kind, label, text, edge_type, undirected, column, ignore, separator),
        output,
        probabilities=probabilities,
        as_json=as_json,
        unknown=None if unknown is None else unknown.value,
        engine=engine,
        n_jobs=n_jobs,
    )


def rules(
    model: ModelArgument,
    class_: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="NAME",
            help="Only rules that vote for this class, label, arm or symbol; of a target, all that change it.",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Number of rules, the strongest first; 0: all.")] = 10,
    form: FormatOption = Format.text,
    unroll: Annotated[bool, typer.Option("--unroll", help="Write out what messages mean.")] = False,
) -> None:
    """Print the rules that a model has learned."""
    from graphtm.cli.rules import rules as run

    run(Screen(), model, class_, top, form.value, unroll=unroll)


def explain(
    model: ModelArgument,
    data: DataArgument,
    number: Annotated[int, typer.Option("--index", "-i", metavar="NUMBER", help="Number of the sample, from 0.")] = 0,
    top: Annotated[int, typer.Option(min=0, help="Number of rules to show; 0: all, in full.")] = 5,
    form: FormatOption = Format.text,
    change: Annotated[
        bool, typer.Option("--change", help="Find the smallest change that changes the prediction.")
    ] = False,
    at_least: Annotated[
        float | None,
        typer.Option("--at-least", metavar="NUMBER", help="Find the smallest change that predicts so much or more."),
    ] = None,
    at_most: Annotated[
        float | None,
        typer.Option("--at-most", metavar="NUMBER", help="Find the smallest change that predicts so much or less."),
    ] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="NAME", help="Of an auto-encoder: the node to explain.")
    ] = None,
    mask: Annotated[
        str | None, typer.Option("--mask", metavar="SYMBOL", help="Of an auto-encoder: the node's symbol to mask.")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the graph, coloured by what its nodes and edges contribute (.png, .svg or .pdf).",
        ),
    ] = None,
    unknown: UnknownOption = None,
    labels: Labels = None,
    edges: Edges = None,
    graphs: GraphLabels = None,
    kind: As = None,
    label: Label = None,
    text: Text = None,
    edge_type: EdgeType = None,
    undirected: Undirected = False,
    column: Column = None,
    ignore: Ignore = None,
    separator: Separator = None,
    engine: Engine = None,
    n_jobs: Threads = None,
) -> None:
    """Explain the prediction for one graph, row or text."""
    from graphtm.cli.explain import explain as run

    run(
        Screen(),
        model,
        Source(data, edges, graphs, labels),
        reading_from(kind, label, text, edge_type, undirected, column, ignore, separator),
        number,
        top,
        form.value,
        change=change,
        at_least=at_least,
        at_most=at_most,
        node=node,
        mask=mask,
        plot=plot,
        unknown=None if unknown is None else unknown.value,
        engine=engine,
        n_jobs=n_jobs,
    )


def data_command(
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="File or folder; - reads JSON lines from standard input.")
    ] = None,
    number: Annotated[
        int | None, typer.Option("--index", "-i", metavar="NUMBER", help="Print this graph, row or text, from 0.")
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Number of symbols to list; 0: all.")] = 10,
    schema: Annotated[bool, typer.Option("--schema", help="Describe the input formats, with examples.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    labels: Labels = None,
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
) -> None:
    """Show what is in a file of data: counts, symbols, degrees, labels."""
    if schema:
        from graphtm.cli.schema import schema_text

        write_lines(schema_text())
        return
    if data is None:
        raise typer.BadParameter("Say which file or folder, or pass --schema.", param_hint="DATA")
    from graphtm.cli.inspect_data import inspect

    inspect(
        Screen(for_machines=as_json),
        Source(data, edges, graphs, labels),
        reading_from(kind, label, text, edge_type, undirected, column, ignore, separator, bins),
        number,
        top,
    )
