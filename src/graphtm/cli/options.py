"""Options and arguments that several commands share."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from graphtm.cli.reading import Reading, bins_from, columns_from

DATA_PANEL = "Data"
MACHINE_PANEL = "Machine"
TRAINING_PANEL = "Training"
OUTPUT_PANEL = "Output"


class Kind(str, Enum):
    """What data are."""

    graphs = "graphs"
    table = "table"
    text = "text"


class Format(str, Enum):
    """Forms of rules and explanations."""

    text = "text"
    json = "json"
    markdown = "markdown"
    latex = "latex"


class Task(str, Enum):
    """What is learned."""

    classification = "classification"
    multilabel = "multilabel"
    regression = "regression"
    autoencoding = "autoencoding"
    bandit = "bandit"


class Unknown(str, Enum):
    """What to do with names that are not in the training data."""

    error = "error"
    ignore = "ignore"


def _data(help_text: str, *names: str, metavar: str | None = None) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(*names, help=help_text, metavar=metavar, rich_help_panel=DATA_PANEL)
    return option


DataArgument = Annotated[
    str, typer.Argument(metavar="DATA", help="File or folder; - reads JSON lines from standard input.")
]
ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="Model file (.gtm).")]
Edges = Annotated[
    Path | None, _data("CSV file with a row per edge; DATA has a row per node.", "--edges", metavar="FILE")
]
GraphLabels = Annotated[
    Path | None, _data("CSV file with a row per graph, with its label.", "--graphs", metavar="FILE")
]
_LABELS = "File with a label on each line, or with a column of labels"
Labels = Annotated[Path | None, _data(f"{_LABELS}.", "--labels", metavar="FILE")]
LabelsOrLog = Annotated[
    Path | None,
    _data(f"{_LABELS}; of a bandit, a CSV file with the columns arm and reward.", "--labels", metavar="FILE"),
]
As = Annotated[Kind | None, _data("What the data are; default: graphs, or text for .txt.", "--as")]
Label = Annotated[str | None, _data("Column of labels; default: label.", "--label", metavar="NAME")]
Text = Annotated[str | None, _data("Column of texts; default: text.", "--text", metavar="NAME")]
EdgeType = Annotated[
    list[str] | None, _data("CSV: column with the type of an edge; may be repeated.", "--edge-type", metavar="NAME")
]
Undirected = Annotated[bool, _data("CSV: a row of edges is an edge in both directions.", "--undirected")]
Column = Annotated[
    list[str] | None,
    _data(
        "CSV: name of another column, such as graph=molecule; also node, source, destination, type.",
        "--column",
        metavar="WHAT=NAME",
    ),
]
Ignore = Annotated[
    list[str] | None, _data("Column or attribute to leave out; may be repeated.", "--ignore", metavar="NAME")
]
Separator = Annotated[str | None, _data("Character between cells of CSV files.", "--separator", metavar="CHARACTER")]
Bins = Annotated[
    list[str] | None,
    _data(
        "Number of bins for numbers, 4 for graphs, 8 for a table; or NAME=NUMBER for single columns, also of integers.",
        "--bins",
        metavar="NUMBER",
    ),
]
UnknownOption = Annotated[
    Unknown | None,
    typer.Option(
        "--unknown",
        help=(
            "Names of graphs that are not in the training data: an error, or ignored. Default: error; models with "
            "encoders warn and ignore."
        ),
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine", metavar="NAME", help="auto, reference, cpu, cuda or cuda:1.", rich_help_panel=MACHINE_PANEL
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--n-jobs", metavar="NUMBER", help="Number of threads, -1 for all.", rich_help_panel=MACHINE_PANEL),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")]
FormatOption = Annotated[Format, typer.Option("--format", help="Form of the output.")]


def reading_from(
    kind: Kind | None,
    label: str | None,
    text: str | None,
    edge_type: list[str] | None,
    undirected: bool,
    column: list[str] | None,
    ignore: list[str] | None,
    separator: str | None,
    bins: list[str] | None = None,
    *,
    multilabel: bool = False,
) -> Reading:
    """Return how data are to be read, as options say."""
    if separator is not None and len(separator) != 1:
        separator = {"tab": "\t", "\\t": "\t"}.get(separator, separator)
        if len(separator) != 1:
            raise typer.BadParameter(f"It must be one character, or tab; got {separator!r}.", param_hint="--separator")
    return Reading(
        kind=None if kind is None else kind.value,
        label=label,
        text=text,
        edge_type=tuple(edge_type or ()),
        undirected=undirected,
        columns=columns_from(column),
        ignore=tuple(ignore or ()),
        separator=separator,
        bins=bins_from(bins),
        multilabel=multilabel,
    )
