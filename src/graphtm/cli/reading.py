"""How data are to be read: what options say, or what a model file remembers of its training data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import typer

GRAPHS, TABLE, TEXT = "graphs", "table", "text"
CSV, JSONL, GTMG, GRAPHML, TU, LINES = "CSV", "JSON lines", "graph file", "GraphML", "TUDataset", "lines of text"
"""Names of formats."""
STANDARD_INPUT = "standard input"
FOLDER_FILES = ("nodes.csv", "edges.csv", "graphs.csv")
"""Names of CSV files of graphs in a folder."""
COLUMNS = ("graph", "node", "source", "destination", "type")
"""Columns of CSV files of graphs whose names can differ."""


@dataclass(frozen=True)
class Source:
    """Where data are.

    Parameters
    ----------
    data
        File or folder, or ``-`` for standard input.
    edges, graphs
        CSV files of edges and of labels of graphs.
    labels
        File with labels.
    """

    data: str
    edges: Path | None = None
    graphs: Path | None = None
    labels: Path | None = None

    @property
    def is_standard_input(self) -> bool:
        return self.data == "-"

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield each file that is read, with the argument that names it."""
        options = {"--edges": self.edges, "--graphs": self.graphs, "--labels": self.labels}
        yield from ((option, file) for option, file in options.items() if file is not None)
        if self.is_standard_input:
            return
        data = Path(self.data)
        yield "DATA", data
        if not data.is_dir():
            return
        nodes = data / "nodes.csv"
        found = [data / name for name in FOLDER_FILES] if nodes.is_file() else sorted(data.glob("*.graphml"))
        yield from (("part of DATA", file) for file in found or sorted(data.glob("*.txt")))


@dataclass(frozen=True)
class Reading:
    """How data are to be read.

    Parameters
    ----------
    kind
        What the data are: graphs, rows of a table, or texts. ``None``: what the format of the file suggests.
    label, text
        Columns, or attributes of JSON lines, with labels and with texts.
    edge_type
        Columns of edges with their types.
    undirected
        Whether each row of edges is an edge in both directions.
    columns
        Names of other columns of CSV files of graphs.
    ignore
        Columns or attributes to leave out.
    separator
        Character between cells.
    bins
        How to divide numbers; not remembered, since the names of symbols have the limits.
    multilabel
        Whether samples have several labels.
    labelled
        Whether labels in the data are read, if there are any; not remembered, since the estimator says so.
    edges
        Whether there was a CSV file of edges; ``None`` for other formats.
    remembered
        Whether this was read from a model file, so that what is missing is no typo.
    """

    kind: str | None = None
    label: str | None = None
    text: str | None = None
    edge_type: tuple[str, ...] = ()
    undirected: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    separator: str | None = None
    bins: Any = None
    multilabel: bool = False
    labelled: bool = True
    edges: bool | None = None
    remembered: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        kept = asdict(self)
        del kept["bins"], kept["labelled"], kept["remembered"]
        return kept

    @classmethod
    def from_json(cls, value: Any) -> Reading:
        """Return what a model file keeps; what is damaged or unknown is left out."""
        known = cls()
        if not isinstance(value, dict):
            return known
        kinds: dict[str, type | tuple[type, ...]] = {
            "kind": str,
            "label": str,
            "text": str,
            "separator": str,
            "columns": dict,
            "undirected": bool,
            "multilabel": bool,
            "edges": bool,
        }
        found = {name: value[name] for name, kind in kinds.items() if isinstance(value.get(name), kind)}
        for name in ("edge_type", "ignore"):
            if isinstance(value.get(name), list):
                found[name] = tuple(map(str, value[name]))
        return replace(known, **found, remembered=True)

    def changed_by(self, given: Reading) -> Reading:
        """Return this with what options say otherwise."""
        default = Reading()
        changes = {
            one.name: getattr(given, one.name)
            for one in fields(Reading)
            if getattr(given, one.name) != getattr(default, one.name)
        }
        return replace(self, **changes)


def bins_from(values: Sequence[str] | None) -> Any:
    """Return ``bins`` of converters from values of ``--bins``: a number, or ``NAME=NUMBER`` any number of times."""
    if not values:
        return None
    numbers: dict[str, int] = {}
    for value in values:
        name, _, number = value.rpartition("=")
        if not number.isdecimal() or int(number) < 2 or (not name and len(values) > 1):
            raise typer.BadParameter(
                f"It must be a number of bins of at least 2, or NAME=NUMBER for each column; got {value!r}.",
                param_hint="--bins",
            )
        numbers[name] = int(number)
    return numbers.get("", numbers)


def columns_from(values: Sequence[str] | None) -> dict[str, str]:
    """Return names of columns from values of ``--column``, such as ``graph=molecule``."""
    found: dict[str, str] = {}
    for value in values or ():
        what, _, name = value.partition("=")
        if what not in COLUMNS or not name:
            raise typer.BadParameter(
                f"It must be WHAT=NAME, where WHAT is one of {', '.join(COLUMNS)}; got {value!r}.",
                param_hint="--column",
            )
        found[what] = name
    return found
