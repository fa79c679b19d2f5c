"""Graphs of a TUDataset folder: text files whose rows are edges, nodes and graphs."""

from __future__ import annotations

import difflib
import io
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import DatasetNotFoundError, GraphFormatError
from graphtm.foundation.arrays import Int64Array, quantile_cuts
from graphtm.foundation.compressed import PACKED, read_bytes, read_member, zip_members
from graphtm.foundation.names import Name
from graphtm.graphs.attributes import chosen
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.vocabulary import PLAIN


def read_tudataset(
    folder: str | os.PathLike[str],
    *,
    name: str | None = None,
    booleanise: int | None = None,
    ignore: Iterable[str] = (),
) -> tuple[GraphBatch, NDArray[Any]]:
    r"""Read a folder in the format of the TUDatasets.

    A node with label 3 gets the symbol ``("label", 3)``, or ``("label", 0, 3)`` where there are several columns of
    labels; an edge with label 1 is of type ``1``, of type ``(1, 2)`` where there are several columns, and ``"plain"``
    without labels. Numbers on nodes are refused, or turned into symbols on request.

    Parameters
    ----------
    folder
        The folder with the files ``DS_A.txt``, ``DS_graph_indicator.txt`` and ``DS_graph_labels.txt`` (or
        ``DS_graph_attributes.txt``, the targets of a regression), where ``DS`` is the dataset's name; and optionally
        ``DS_node_labels.txt``, ``DS_edge_labels.txt`` and ``DS_node_attributes.txt``. Each may be compressed (``.gz``,
        ``.xz``). Or a zip archive of them.
    name
        The dataset's name; needed if there are several in the folder.
    booleanise
        Cut every numeric attribute of nodes into that many bins of about equal size (quantiles over all graphs of the
        folder), or at each value if there are no more; a node gets the symbol ``"attribute 0 >= 1.5"`` for every limit
        that it reaches.
    ignore
        Optional files to leave out: ``"node_labels"``, ``"node_attributes"``, ``"edge_labels"``,
        ``"edge_attributes"``.

    Returns
    -------
    graphs : GraphBatch
    labels : array
        One label per graph, or a row of them.

    Raises
    ------
    DatasetNotFoundError
        If a file is missing.
    GraphFormatError
        If a file cannot be read, does not fit the others, or holds what graphs cannot.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from graphtm.graphs.convert import read_tudataset
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> files = {"A": "1, 2\n2, 1\n3, 3", "graph_indicator": "1\n1\n2", "graph_labels": "-1\n1",
    ...          "node_labels": "0\n6\n0", "node_attributes": "0.5, 7\n1.5, 7\n2.5, 7"}
    >>> for name, text in files.items():
    ...     _ = (folder / f"TINY_{name}.txt").write_text(text)
    >>> graphs, y = read_tudataset(folder, booleanise=3)
    >>> print(graphs[0], y)
    Graph with 2 nodes and 2 edges
      0: ('label', 0)
          plain -> 1
      1: ('label', 6), 'attribute 0 >= 1.5'
          plain -> 0
    [-1  1]
    """
    if booleanise is not None and (isinstance(booleanise, bool) or not isinstance(booleanise, int) or booleanise < 2):
        raise ValueError(
            "The 'booleanise' parameter of read_tudataset must be a number of bins, at least 2, or None. "
            f"Got {booleanise!r} instead."
        )
    files = TUFiles(Path(folder), name, chosen(ignore, "ignore", "read_tudataset"))
    indicator = files.integers("graph_indicator", 1)[:, 0]
    labels = files.targets()
    counts = _node_counts(indicator, len(labels), files)
    order = np.argsort(indicator, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    ends = files.integers("A", 2)
    bad = np.flatnonzero(((ends < 1) | (ends > len(indicator))).any(axis=1))
    if len(bad):
        raise GraphFormatError(
            f"Nodes in {files.name('A')} must lie in 1..{len(indicator)}, the nodes of the graph indicator; row "
            f"{bad[0] + 1} is {', '.join(map(str, ends[bad[0]]))}."
        )
    source, destination = ends[:, 0] - 1, ends[:, 1] - 1
    bad = np.flatnonzero(indicator[source] != indicator[destination])
    if len(bad):
        raise GraphFormatError(
            f"An edge must stay within its graph; row {bad[0] + 1} of {files.name('A')} joins node "
            f"{ends[bad[0], 0]} of graph {indicator[source[bad[0]]]} and node {ends[bad[0], 1]} of graph "
            f"{indicator[destination[bad[0]]]}."
        )
    nodes, numbers, symbols = _symbols(files, len(indicator), booleanise)
    types, type_names = _edge_types(files, len(ends))
    graphs = GraphBatch.from_arrays(
        counts,
        (place[nodes], numbers),
        symbols,
        (place[source], place[destination], types),
        type_names,
    )
    return graphs, labels


def _node_counts(indicator: Int64Array, n_graphs: int, files: TUFiles) -> Int64Array:
    bad = np.flatnonzero((indicator < 1) | (indicator > n_graphs))
    if len(bad):
        raise GraphFormatError(
            f"Graphs in {files.name('graph_indicator')} must lie in 1..{n_graphs}, the graphs that have labels; "
            f"row {bad[0] + 1} is {indicator[bad[0]]}."
        )
    counts = np.bincount(indicator - 1, minlength=n_graphs)
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        raise GraphFormatError(
            f"A graph must have at least one node; graph {empty[0] + 1} has none in {files.name('graph_indicator')}."
        )
    return counts


def _symbols(files: TUFiles, n_nodes: int, bins: int | None) -> tuple[Int64Array, Int64Array, list[Name]]:
    """Return nodes, numbers of their symbols, and the symbols' names."""
    nodes, numbers, names = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], list[Name]()
    if files.has("node_labels"):
        labels = files.integers("node_labels")
        files.check_length("node_labels", len(labels), n_nodes, "node")
        for column in range(labels.shape[1]):
            values, number = np.unique(labels[:, column], return_inverse=True)
            nodes.append(np.arange(n_nodes))
            numbers.append(number + len(names))
            several = labels.shape[1] > 1
            names += [("label", column, value) if several else ("label", value) for value in values.tolist()]
    if files.has("node_attributes"):
        if bins is None:
            raise GraphFormatError(
                f"Numbers on nodes must become symbols first; {files.name('node_attributes')} holds some. Give "
                "booleanise=8 to cut them into 8 bins, or ignore=['node_attributes']."
            )
        attributes = files.floats("node_attributes")
        files.check_length("node_attributes", len(attributes), n_nodes, "node")
        for column in range(attributes.shape[1]):
            measured = attributes[:, column]
            for limit in quantile_cuts(measured, bins).tolist():
                reached = np.flatnonzero(measured >= limit)
                if len(reached) == n_nodes:
                    continue  # what all have tells nothing
                nodes.append(reached)
                numbers.append(np.full(len(reached), len(names)))
                names.append(f"attribute {column} >= {limit!r}")
    return np.concatenate(nodes), np.concatenate(numbers), names


def _edge_types(files: TUFiles, n_edges: int) -> tuple[Int64Array, list[Name]]:
    if files.has("edge_attributes"):
        raise GraphFormatError(
            f"Edges must have no numbers, only a type; {files.name('edge_attributes')} holds some. Give "
            "ignore=['edge_attributes'] to leave them out."
        )
    if not files.has("edge_labels"):
        return np.zeros(n_edges, np.int64), [PLAIN]
    labels = files.integers("edge_labels")
    files.check_length("edge_labels", len(labels), n_edges, "edge")
    values, types = np.unique(labels, axis=0, return_inverse=True)
    return types.reshape(-1), [row[0] if len(row) == 1 else tuple(row) for row in values.tolist()]


OPTIONAL = ("node_labels", "node_attributes", "edge_labels", "edge_attributes")
"""Files that may be left out."""


class TUFiles:
    """The files of one dataset, all of which begin with its name.

    Parameters
    ----------
    place
        The folder, or a zip archive with the files anywhere in it.
    dataset
        The dataset's name; without it there must be one dataset only.
    ignore
        Optional files to do as if they were not there.
    """

    def __init__(self, place: Path, dataset: str | None, ignore: Sequence[str]) -> None:
        unknown = [name for name in ignore if name not in OPTIONAL]
        if unknown:
            near = difflib.get_close_matches(str(unknown[0]), OPTIONAL, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"The 'ignore' parameter of read_tudataset must list some of {', '.join(map(repr, OPTIONAL))}. "
                f"Got {unknown[0]!r} instead.{hint}"
            )
        self.place = place
        self.ignore = ignore
        self._readers = _readers(place)
        self.dataset = dataset if dataset is not None else self._only_dataset()

    def _only_dataset(self) -> str:
        ends = tuple(f"_A.txt{suffix}" for suffix in PACKED)
        found = sorted({file.rpartition("_A.txt")[0] for file in self._readers if file.endswith(ends)})
        if not found:
            raise DatasetNotFoundError(
                "A TUDataset folder must hold DS_A.txt, DS_graph_indicator.txt and DS_graph_labels.txt, DS being the "
                f"dataset's name; looked for *_A.txt in {self.place}, also with .gz or .xz."
            )
        if len(found) > 1:
            raise GraphFormatError(
                f"A TUDataset folder must hold one dataset, or its name be given; {self.place} has "
                f"{', '.join(found)}. Choose one with name={found[0]!r}."
            )
        return found[0]

    def name(self, part: str) -> str:
        """Return the name of a file, as it is there if it is."""
        plain = f"{self.dataset}_{part}.txt"
        return next((plain + suffix for suffix in PACKED if plain + suffix in self._readers), plain)

    def has(self, part: str) -> bool:
        return part not in self.ignore and self.name(part) in self._readers

    def integers(self, part: str, n_columns: int | None = None) -> Int64Array:
        """Return the rows of a file; it must have that many columns."""
        rows: Int64Array = self._rows(part, np.int64)
        if n_columns is not None and rows.shape[1] != n_columns:
            if rows.size:
                raise GraphFormatError(f"{self._path(part)} must have {n_columns} columns; it has {rows.shape[1]}.")
            rows = rows.reshape(0, n_columns)
        return rows

    def floats(self, part: str) -> NDArray[np.float64]:
        rows: NDArray[np.float64] = self._rows(part, np.float64)
        bad = np.argwhere(~np.isfinite(rows))
        if len(bad):
            row, column = bad[0].tolist()
            raise GraphFormatError(
                f"{self._path(part)} must hold finite numbers; row {row + 1} has {rows[row, column]}."
            )
        return rows

    def targets(self) -> NDArray[Any]:
        """Return the labels, whole numbers or numbers, or the graphs' attributes where there are no labels."""
        part = "graph_labels" if self.has("graph_labels") or not self.has("graph_attributes") else "graph_attributes"
        rows: NDArray[Any] = self.floats(part)
        # Beyond 2**53 a number says nothing about the digits that were written.
        if part == "graph_labels" and np.array_equal(rows, np.rint(rows)) and np.all(np.abs(rows) < 2**53):
            rows = rows.astype(np.int64)
        return rows[:, 0] if rows.shape[1] == 1 else rows

    def check_length(self, part: str, n_rows: int, n_expected: int, what: str) -> None:
        if n_rows != n_expected:
            raise GraphFormatError(f"{self._path(part)} must have a row per {what}, {n_expected:,}; it has {n_rows:,}.")

    def _path(self, part: str) -> Path:
        return self.place / self.name(part)

    def _rows(self, part: str, dtype: type) -> NDArray[Any]:
        if self.name(part) not in self._readers:
            raise DatasetNotFoundError(
                f"The TUDataset {self.dataset} must have the file {self.name(part)}; looked for it in {self.place}, "
                "also with .gz or .xz."
            )
        content = self._readers[self.name(part)]()
        try:
            text = content.decode("utf-8-sig")
            if not text.strip():
                return np.zeros((0, 1), dtype)
            return np.loadtxt(io.StringIO(text), dtype, comments=None, delimiter=",", ndmin=2)
        except (ValueError, OverflowError) as error:
            kind = "whole numbers" if dtype is np.int64 else "numbers"
            raise GraphFormatError(
                f"{self._path(part)} must hold rows of {kind}, separated by commas: {error}"
            ) from None


def _readers(place: Path) -> dict[str, Callable[[], bytes]]:
    """Return the files of a folder or an archive by name, each with what reads it."""
    if place.is_dir():
        return {path.name: partial(read_bytes, path) for path in place.iterdir() if path.is_file()}
    if not place.is_file():
        return {}
    members: dict[str, list[str]] = {}
    for member in zip_members(place):
        members.setdefault(PurePosixPath(member).name, []).append(member)
    return {name: partial(_read_only_member, place, found) for name, found in members.items()}


def _read_only_member(place: Path, members: Sequence[str]) -> bytes:
    """Return the content of a file of an archive, which no other folder in it must have, too."""
    if len(members) > 1:
        raise GraphFormatError(
            f"Every file of a TUDataset must be in its archive once; {place} has {members[0]} and {members[1]}. Unpack "
            "it and read one of the folders."
        )
    return read_member(place, members[0])
