"""The options of ``graphtm export``."""

from __future__ import annotations

from typing import Annotated

import typer

from graphtm.cli.options import (
    As,
    Column,
    Edges,
    EdgeType,
    GraphLabels,
    Ignore,
    Label,
    Labels,
    ModelArgument,
    Quiet,
    Separator,
    Text,
    Undirected,
    UnknownOption,
    reading_from,
)
from graphtm.cli.output import Screen
from graphtm.cli.reading import Reading, Source


def export(
    model: ModelArgument,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File: .json, .py, .h or .lp; for graphs .jsonl, .h or .lp."
        ),
    ],
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="Data to write as graphs that the export reads.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="C: what identifiers begin with; default: as the file.")
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
    quiet: Quiet = False,
) -> None:
    """Write a model as a program that predicts the same: JSON, Python, C or logic.

    With DATA, write the graphs that the program reads instead; if the model has encoders, those that they make.

    For example:

    graphtm export m.gtm -o model.py

    graphtm export m.gtm new.jsonl -o seen.jsonl

    python model.py seen.jsonl
    """
    from graphtm.cli.export import export_graphs, export_machine

    given = reading_from(kind, label, text, edge_type, undirected, column, ignore, separator)
    chosen = None if unknown is None else unknown.value
    if data is not None:
        export_graphs(Screen(quiet), model, Source(data, edges, graphs, labels), given, output, name, chosen)
        return
    if given != Reading() or (edges, graphs, labels) != (None, None, None):
        raise typer.BadParameter("Options about data have no effect without DATA.", param_hint="DATA")
    export_machine(Screen(quiet), model, output, name, chosen)
