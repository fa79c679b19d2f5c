"""Data from any supported file or folder: graphs, texts or the rows of a table, and their labels."""

from __future__ import annotations

import codecs
import gzip
import json
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from graphtm.cli.labels import LABEL, as_labels, is_names, read_labels
from graphtm.cli.reading import (
    CSV,
    GRAPHML,
    GRAPHS,
    GTMG,
    JSONL,
    LINES,
    STANDARD_INPUT,
    TABLE,
    TEXT,
    TU,
    Reading,
    Source,
)
from graphtm.cli.row_files import read_table, read_texts
from graphtm.cli.rows import csv_columns, csv_rows, file_text, separator_of, standard_input
from graphtm.errors import GraphFormatError

DEFAULT_BINS = 4
_SUFFIXES = {
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".csv": CSV,
    ".tsv": CSV,
    ".gtmg": GTMG,
    ".graphml": GRAPHML,
    ".zip": TU,
    ".txt": LINES,
}
_SUPPORTED = (
    ".jsonl, .gtmg, .graphml, .csv, .txt, a zip archive of a TUDataset, or a folder with nodes.csv, GraphML files or a "
    "TUDataset"
)


@dataclass(frozen=True)
class Data:
    """Samples and their labels.

    Parameters
    ----------
    X
        A batch of graphs, a list of texts, or a data frame.
    y
        Labels, or ``None``.
    reading
        How the data were read.
    format
        The format of the file.
    name
        Name of the file, for messages.
    ids
        Names of the samples in the file, if it has any.
    of_numbers
        Whether labels are numbers to predict.
    """

    X: Any
    y: Any
    reading: Reading
    format: str
    name: str
    ids: list[Any] | None = None
    of_numbers: bool = False

    @property
    def has_classes(self) -> bool:
        """Whether each sample has one label, its class."""
        return not (self.of_numbers or self.reading.multilabel)

    @property
    def noun(self) -> str:
        """What a sample is called."""
        return {GRAPHS: "graph", TABLE: "row", TEXT: "text"}[str(self.reading.kind)]

    def __len__(self) -> int:
        return len(self.X)


def load_data(source: Source, reading: Reading, trained: Any = None) -> Data:
    """Return the data of a file or folder.

    Parameters
    ----------
    source
        Where they are.
    reading
        How to read them.
    trained
        The pipeline that will predict them, which knows the limits of bins and the columns of tables.

    Raises
    ------
    GraphTMError, OSError, typer.BadParameter
        If there is no such file, its format is not known or it is not valid, or options do not fit it.
    """
    name = STANDARD_INPUT if source.is_standard_input else source.data
    form = format_of(source)
    kind = reading.kind or (TEXT if form == LINES else GRAPHS)
    reading = replace(reading, kind=kind)
    _check_options(source, reading, form, trained)
    readers = {GRAPHS: _graphs, TABLE: read_table, TEXT: read_texts}
    X, y, ids = readers[kind](source, reading, form, trained)
    y = y if reading.labelled else None
    if source.labels is not None:
        y = read_labels(source.labels, reading.label, reading.multilabel, reading.separator)
    if kind == GRAPHS and form == CSV:
        reading = replace(reading, edges=_edges_file(source) is not None)
    data = Data(X, y, reading, form, name, ids)
    if not len(data):
        raise GraphFormatError(f"{name} is empty: it has no {data.noun}s.")
    n_labels = None if y is None else len(y) if isinstance(y, list) else y.shape[0]
    if n_labels not in (None, len(data)):
        raise GraphFormatError(
            f"There must be one label for each {data.noun}: {source.labels} has {n_labels:,} for {len(data):,}. If its "
            "first line names the column, pass --label NAME."
        )
    return data


def format_of(source: Source) -> str:
    """Return the format of a file or folder, by its name and content."""
    if source.is_standard_input:
        return JSONL
    path = Path(source.data)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}.")
    if path.is_dir():
        if (path / "nodes.csv").is_file():
            return CSV
        names = [file.name for file in path.iterdir()]
        if any(name.endswith(".graphml") for name in names):
            return GRAPHML
        if any("_A.txt" in name for name in names):
            return TU
        raise GraphFormatError(f"The folder {path} has no nodes.csv, *.graphml or *_A.txt, so there are no graphs.")
    suffixes = [suffix for suffix in path.suffixes if suffix != ".gz"]
    found = _SUFFIXES.get(suffixes[-1] if suffixes else "")
    if found is None:
        what = " It is a model; data are needed here." if path.suffix == ".gtm" else ""
        raise GraphFormatError(f"{path} is of an unknown format.{what} Supported: {_SUPPORTED}.")
    return found


def _check_options(source: Source, reading: Reading, form: str, trained: Any) -> None:
    """Refuse options that have no effect for a format: they would be forgotten silently."""
    kind = reading.kind
    if kind == GRAPHS and form == LINES:
        raise GraphFormatError(f"{source.data} has lines of text, not graphs: pass --as text.")
    if kind != GRAPHS and form not in (CSV, JSONL, *([LINES] if kind == TEXT else [])):
        forms = "CSV or JSON lines" if kind == TABLE else "CSV, JSON lines or lines of text"
        raise GraphFormatError(f"With --as {kind}, the data must be {forms}; {source.data} is not.")
    is_csv_graphs = kind == GRAPHS and form == CSV
    checks = {
        "--edges": source.edges is not None and not is_csv_graphs,
        "--graphs": source.graphs is not None and not is_csv_graphs,
        "--bins": reading.bins is not None and (form == GTMG or kind == TEXT),
        "--text": reading.text is not None and kind != TEXT,
    }
    if not reading.remembered:
        checks |= {
            "--edge-type": bool(reading.edge_type) and not is_csv_graphs,
            "--undirected": reading.undirected and not is_csv_graphs,
            "--column": bool(reading.columns) and not is_csv_graphs,
            "--ignore": bool(reading.ignore) and (form in (GTMG, LINES) or kind == TEXT),
            "--label": reading.label is not None and kind == GRAPHS and form != CSV and source.labels is None,
            "--separator": reading.separator is not None and form != CSV and source.labels is None,
        }
    if reading.bins is not None and trained is not None:
        raise typer.BadParameter("The model has the limits of the bins; leave the option out.", param_hint="--bins")
    for option, is_useless in checks.items():
        if is_useless:
            raise typer.BadParameter(f"It has no effect for {form} (--as {kind}).", param_hint=option)


# Graphs


def _graphs(source: Source, reading: Reading, form: str, trained: Any) -> tuple[Any, Any, list[Any] | None]:
    import graphtm

    if form == CSV:
        return _csv_graphs(source, reading, trained)
    bins = reading.bins if trained is None else trained
    bins = DEFAULT_BINS if bins is None else bins
    if form == TU:
        path = Path(source.data)
        X, y = graphtm.read_tudataset(path, bins=bins, ignore=reading.ignore)
        return X, as_labels(y.tolist(), True) if reading.multilabel and y.ndim == 1 else y, None
    if form == GTMG:
        return graphtm.load_graphs(source.data), None, None
    if form == GRAPHML:
        X, labels = graphtm.read_graphml(source.data, bins=bins, ignore=reading.ignore)
        return X, as_labels(labels.tolist(), True) if reading.multilabel and labels is not None else labels, None
    if not source.is_standard_input:
        return *_json_graphs(Path(source.data), reading, bins), None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graphs.jsonl"
        path.write_text(standard_input(), encoding="utf-8")
        try:
            return *_json_graphs(path, reading, bins), None
        except GraphFormatError as error:
            raise GraphFormatError(str(error).replace(str(path), STANDARD_INPUT)) from None


def _json_graphs(path: Path, reading: Reading, bins: Any) -> tuple[Any, Any]:
    """Return graphs of JSON lines; labels may be lists of names, which arrays cannot hold."""
    import graphtm
    from graphtm.graphs.convert.collect import collect
    from graphtm.graphs.convert.jsonl import each_graph, learned_cuts

    if reading.labelled and not reading.remembered and is_names(_first_label(path)):
        reading = replace(reading, multilabel=True)
    if reading.labelled and not reading.multilabel and not reading.remembered:
        return graphtm.read_jsonl(path, bins=bins, ignore=reading.ignore)
    labels: list[Any] = []
    ignore = frozenset(reading.ignore)
    cuts = learned_cuts(path, ignore, bins)

    def without_labels() -> Any:
        for found in each_graph(path, ignore, {}, cuts):
            labels.append(found.label)
            yield found if reading.labelled and not reading.multilabel else found._replace(label=None)

    X, y = collect(without_labels(), GraphFormatError)
    X = cuts.finished(X, ignore)
    if not reading.multilabel:
        return X, y
    return X, as_labels(labels, True) if any(label is not None for label in labels) else None


def _first_label(path: Path) -> Any:
    """Return the label on the first line of JSON lines, if there is one."""
    opened = gzip.open if path.suffix == ".gz" else open
    with suppress(ValueError, OSError, EOFError, RecursionError), opened(path, "rb") as file:
        line = json.loads(next(filter(bytes.strip, file), b"{}").removeprefix(codecs.BOM_UTF8))
        if isinstance(line, dict):
            inner = line.get("graph")
            return line.get(LABEL, inner.get(LABEL) if isinstance(inner, dict) else None)
    return None


def _csv_graphs(source: Source, reading: Reading, trained: Any) -> tuple[Any, Any, list[Any] | None]:
    import graphtm

    path, edges, graphs = Path(source.data), _edges_file(source), source.graphs
    if edges is None and reading.remembered and reading.edges:
        where = f"{path} has no edges.csv" if path.is_dir() else "there is no file of edges"
        raise GraphFormatError(
            f"The model was trained with edges, but {where}: pass --edges FILE. For graphs without edges, a file with "
            "only the names of its columns is enough."
        )
    if path.is_dir():
        folder, path = path, path / "nodes.csv"
        graphs = graphs or _if_there(folder / "graphs.csv")
    for file in (edges, graphs):
        if file is not None and not file.exists():
            raise FileNotFoundError(f"There is no file {file}.")
    columns = dict(reading.columns)
    group = columns.setdefault("graph", "graph")
    there = csv_columns(path, reading.separator)
    _check_nodes(path, there, group, edges)
    label, ignore = reading.label, reading.ignore
    of_graphs = [] if graphs is None else csv_columns(graphs, reading.separator)
    is_needed = trained is None and source.labels is None
    if not reading.labelled:
        ignore = (*ignore, label) if label in there else ignore  # it must not be learned from, either
        graphs = label = None
    elif graphs is not None:
        label = label or LABEL
        graphs, label = (graphs, label) if is_needed or label in of_graphs else (None, None)
    elif label not in there and not is_needed:
        label = None
    if graphs is None:
        ignore = tuple(name for name in ignore if name in there or name not in of_graphs)
    bins = reading.bins if trained is None else trained
    if reading.remembered:
        has = {name for file in (path, edges, graphs) if file for name in csv_columns(file, reading.separator)}
        ignore = tuple(name for name in ignore if name in has)
    edge_type = list(reading.edge_type)
    found = graphtm.read_csv(
        path,
        edges,
        graphs,
        **columns,
        label=label,
        edge_type=edge_type[0] if len(edge_type) == 1 else edge_type or None,
        directed=not reading.undirected,
        bins=DEFAULT_BINS if bins is None else bins,
        ignore=ignore,
        separator=reading.separator or separator_of(path),
    )
    X, y = found if isinstance(found, tuple) else (found, None)
    if reading.multilabel and y is not None:
        y = as_labels([str(value) for value in y.tolist()], True)
    return X, y, _names_of_graphs(path, reading.separator, group, len(X)) if trained is not None else None


def _check_nodes(path: Path, there: list[str], group: str, edges: Path | None) -> None:
    """Refuse a file that is empty, or has other things than nodes, before anything else is said of it."""
    if not there and not file_text(path).strip():
        raise GraphFormatError(f"{path} is empty; its first line must name the columns.")
    if edges is None and group not in there:
        raise GraphFormatError(
            f"{path} has no column {group!r}, so its rows are no nodes of graphs. For rows of a table, pass --as "
            "table; for texts, --as text; for one row per node, --edges FILE and --column graph=NAME."
        )


def _names_of_graphs(path: Path, separator: str | None, column: str, n: int) -> list[Any] | None:
    """Return the names of the graphs, in the order of their first nodes."""
    try:
        names = list(dict.fromkeys(csv_rows(path, separator).column(column)))
    except GraphFormatError:  # this reader is stricter
        return None
    return names if len(names) == n else None


def _edges_file(source: Source) -> Path | None:
    """Return the CSV file of edges, if there is one."""
    return source.edges or _if_there(Path(source.data) / "edges.csv")


def _if_there(path: Path) -> Path | None:
    return path if path.is_file() else None
