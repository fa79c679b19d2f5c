"""Graphs from a folder or zip archive in the format of the TUDatasets."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import DatasetNotFoundError, GraphFormatError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.compressed import PACKED, read_bytes, read_member, zip_members
from graphtm.foundation.names import Name
from graphtm.foundation.parameters import is_integer, nearest
from graphtm.graphs.attributes import chosen
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.bins import Binning, Cuts, Numbers, Owner
from graphtm.graphs.vocabulary import PLAIN


def read_tudataset(
    folder: str | os.PathLike[str],
    *,
    name: str | None = None,
    bins: Any = None,
    bins_from: Any = None,
    booleanise: int | None = None,
    ignore: Iterable[str] = (),
) -> tuple[GraphBatch, NDArray[Any]]:
    r"""Read a dataset in the format of the TUDatasets.

    A node label 3 becomes the symbol ``("label", 3)``, or ``("label", 0, 3)`` if there are several columns of labels.
    An edge label 1 becomes the edge type ``1``, or ``(1, 2)`` if there are several columns; without labels, edges are
    ``"plain"``. Attributes of nodes and edges, which are numbers, must be divided by ``bins`` or ignored.

    Parameters
    ----------
    folder
        Folder or zip archive with the files ``DS_A.txt``, ``DS_graph_indicator.txt`` and ``DS_graph_labels.txt`` (or
        ``DS_graph_attributes.txt`` for regression), where ``DS`` is the name of the dataset; and optionally
        ``DS_node_labels.txt``, ``DS_edge_labels.txt``, ``DS_node_attributes.txt`` and ``DS_edge_attributes.txt``. Files
        may be compressed (``.gz``, ``.xz``).
    name
        Name of the dataset; required if the folder has several datasets.
    bins
        How to divide attributes into bins: a number of bins, cut at quantiles of ``bins_from``; a mapping from
        ``"attribute 0"``, ``"edge attribute 0"`` and so on to numbers of bins or to cuts; or a training batch, its
        vocabulary or what was fitted to it, for the same cuts. A node gets a symbol ``("attribute 0", ">=", "1.5")``
        for each cut that it reaches. The type of an edge is its bin, ``("edge attribute 0", "in", "[1, 2)")``, or a
        tuple of its label, ``("label", 1)``, and the bins of all attributes.
    bins_from
        Numbers of the graphs (0, 1, 2, ... in the order of the labels), or a mask of them, whose quantiles are the
        cuts: usually the training graphs, so that test graphs play no part in it. Only with a number of bins. Default:
        all graphs.
    booleanise
        Former name of ``bins``, for a number of bins.
    ignore
        Optional files to ignore: ``"node_labels"``, ``"node_attributes"``, ``"edge_labels"``, ``"edge_attributes"``.

    Returns
    -------
    graphs : GraphBatch
    labels : array
        One label, or one row of labels, per graph.

    Raises
    ------
    DatasetNotFoundError
        If a file is missing.
    GraphFormatError
        If a file is not valid, does not match the other files, or has numbers that are neither binned nor ignored.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from graphtm.graphs.convert import read_tudataset
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> files = {"A": "1, 2\n2, 1\n3, 3", "graph_indicator": "1\n1\n2", "graph_labels": "-1\n1",
    ...          "node_labels": "0\n6\n0", "node_attributes": "0.5, 7\n1.5, 7\n2.5, 7"}
    >>> for name, text in files.items():
    ...     _ = (folder / f"TINY_{name}.txt").write_text(text)
    >>> graphs, y = read_tudataset(folder, bins=3)
    >>> print(graphs[0], y)
    Graph with 2 nodes and 2 edges
      0: label=0, attribute 1>=7
          plain -> 1
      1: label=6, attribute 0>=1.5, attribute 1>=7
          plain -> 0 [-1  1]
    >>> graphs, _ = read_tudataset(folder, bins=3, bins_from=[0])
    >>> list(graphs.vocabulary.symbols)
    [('label', 0), ('label', 6), ('attribute 0', '>=', '1.5'), ('attribute 1', '>=', 7)]
    """
    binning = Binning(_one_of(bins, booleanise), "read_tudataset")
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
            f"Nodes in {files.name('A')} must be in 1..{len(indicator)}, the rows of the graph indicator; row "
            f"{bad[0] + 1} is {', '.join(map(str, ends[bad[0]]))}."
        )
    source, destination = ends[:, 0] - 1, ends[:, 1] - 1
    bad = np.flatnonzero(indicator[source] != indicator[destination])
    if len(bad):
        raise GraphFormatError(
            f"Both ends of an edge must be in the same graph; row {bad[0] + 1} of {files.name('A')} joins node "
            f"{ends[bad[0], 0]} of graph {indicator[source[bad[0]]]} and node {ends[bad[0], 1]} of graph "
            f"{indicator[destination[bad[0]]]}."
        )
    training = _training_graphs(bins_from, len(labels), binning)[indicator - 1]
    nodes, numbers, symbols = _symbols(files, binning, training)
    types, type_names = _edge_types(files, binning, training[source])
    binning.refuse_unknown()
    owners: tuple[tuple[Owner, int], ...] = (("node", len(indicator)), ("edge", len(ends)))
    for owner, n in owners:
        if n and f"{owner}_attributes" not in files.ignore:
            binning.refuse_unused(owner, binning.unused(owner))
    graphs = GraphBatch.from_arrays(
        counts,
        (place[nodes], numbers),
        symbols,
        (place[source], place[destination], types),
        type_names,
    )
    return graphs, labels


def _one_of(bins: Any, booleanise: int | None) -> Any:
    """Return the number of bins by its new or its former name."""
    if booleanise is None:
        return bins
    if not is_integer(booleanise) or booleanise < 2:
        raise ValueError(
            "The 'booleanise' parameter of read_tudataset must be an int of at least 2, or None. "
            f"Got {booleanise!r} instead."
        )
    if bins is not None:
        raise ValueError(
            f"Either 'bins' or 'booleanise', its former name, must be None. Got {bins!r} and {booleanise!r}."
        )
    return booleanise


def _node_counts(indicator: Int64Array, n_graphs: int, files: TUFiles) -> Int64Array:
    bad = np.flatnonzero((indicator < 1) | (indicator > n_graphs))
    if len(bad):
        raise GraphFormatError(
            f"Graphs in {files.name('graph_indicator')} must be in 1..{n_graphs}, the graphs with labels; "
            f"row {bad[0] + 1} is {indicator[bad[0]]}."
        )
    counts = np.bincount(indicator - 1, minlength=n_graphs)
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        raise GraphFormatError(
            f"A graph must have at least one node; graph {empty[0] + 1} has none in {files.name('graph_indicator')}."
        )
    return counts


def _training_graphs(bins_from: Any, n_graphs: int, binning: Binning) -> NDArray[np.bool_]:
    """Return a mask of the graphs whose quantiles are the cuts."""
    if bins_from is None:
        return np.ones(n_graphs, np.bool_)
    must = "The 'bins_from' parameter of read_tudataset must"
    if not binning.counts:
        raise ValueError(
            f"{must} be None if 'bins' has no number of bins, since there are no quantiles. Pass bins=4, or omit "
            "bins_from."
        )
    chosen = np.asarray(bins_from)
    if chosen.ndim != 1 or chosen.dtype.kind not in "biu" or not len(chosen):
        raise ValueError(f"{must} be numbers of graphs, or a mask of them. Got {bins_from!r:.60} instead.")
    if chosen.dtype.kind == "b":
        if len(chosen) != n_graphs or not chosen.any():
            raise ValueError(
                f"{must} be true for at least one of {n_graphs:,} graphs if it is a mask. Got a mask of length "
                f"{len(chosen):,} with {np.count_nonzero(chosen):,} true."
            )
        return chosen
    bad = chosen[(chosen < 0) | (chosen >= n_graphs)]
    if len(bad):
        raise ValueError(f"{must} be numbers of graphs in 0..{n_graphs - 1}. Got {bad[0]} instead.")
    mask = np.zeros(n_graphs, np.bool_)
    mask[chosen] = True
    return mask


def _symbols(
    files: TUFiles, binning: Binning, training: NDArray[np.bool_]
) -> tuple[Int64Array, Int64Array, list[Name]]:
    """Return nodes, indices of their symbols, and names of symbols."""
    n_nodes = len(training)
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
    for cuts, measured in _attributes(files, "node_attributes", "attribute", "node", binning, training):
        rows, reached = cuts.pairs(measured)
        nodes.append(rows)
        numbers.append(reached + len(names))
        names += cuts.symbols()
    return np.concatenate(nodes), np.concatenate(numbers), names


def _attributes(
    files: TUFiles, part: str, name: str, owner: Owner, binning: Binning, training: NDArray[np.bool_]
) -> Iterator[tuple[Cuts, NDArray[np.float64]]]:
    """Yield the cuts and the values of each column of a file of numbers; nothing if there is no such file.

    ``training`` has an entry for each row: whether it counts for quantiles.
    """
    if not files.has(part):
        return
    matrix = files.floats(part)
    files.check_length(part, len(matrix), len(training), owner)
    for column in range(matrix.shape[1]):
        cuts = binning.cuts(f"{name} {column}", owner, Numbers(matrix[training, column], real=True))
        if cuts is None:
            raise GraphFormatError(
                f"{owner.capitalize()} attributes in {files.name(part)} must be divided into bins or ignored: pass "
                f"bins=4 for 4 bins, or ignore=[{part!r}]."
            )
        yield cuts, matrix[:, column]


def _edge_types(files: TUFiles, binning: Binning, training: NDArray[np.bool_]) -> tuple[Int64Array, list[Name]]:
    """Return the type of each edge, and the names of the types."""
    n_edges = len(training)
    labels = files.integers("edge_labels") if files.has("edge_labels") else np.zeros((n_edges, 0), np.int64)
    files.check_length("edge_labels", len(labels), n_edges, "edge")
    attributes = list(_attributes(files, "edge_attributes", "edge attribute", "edge", binning, training))
    if not labels.shape[1] and not attributes:
        return np.zeros(n_edges, np.int64), [PLAIN]
    bins = [cuts.bins(measured) for cuts, measured in attributes]
    values, types = np.unique(np.column_stack([labels, *bins]), axis=0, return_inverse=True)
    intervals, n_labels, names = [cuts.intervals() for cuts, _ in attributes], labels.shape[1], list[Name]()
    for row in values.tolist():
        label = row[0] if n_labels == 1 else tuple(row[:n_labels])
        parts = [("label", label)] * bool(n_labels)
        parts += [several[number] for several, number in zip(intervals, row[n_labels:], strict=True)]
        names.append(label if not attributes else parts[0] if len(parts) == 1 else tuple(parts))
    return types.reshape(-1), names


OPTIONAL = ("node_labels", "node_attributes", "edge_labels", "edge_attributes")
"""Files that can be ignored."""


class TUFiles:
    """The files of one dataset.

    Parameters
    ----------
    place
        Folder or zip archive; the files can be anywhere in the archive.
    dataset
        Name of the dataset; optional if there is only one.
    ignore
        Files to ignore.
    """

    def __init__(self, place: Path, dataset: str | None, ignore: Sequence[str]) -> None:
        unknown = [name for name in ignore if name not in OPTIONAL]
        if unknown:
            raise ValueError(
                f"The 'ignore' parameter of read_tudataset must list files among {', '.join(map(repr, OPTIONAL))}. "
                f"Got {unknown[0]!r} instead.{nearest(str(unknown[0]), OPTIONAL)}"
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
                f"There is no file *_A.txt, *_A.txt.gz or *_A.txt.xz in {self.place}. A TUDataset folder must have "
                "DS_A.txt, DS_graph_indicator.txt and DS_graph_labels.txt, where DS is the name of the dataset."
            )
        if len(found) > 1:
            raise GraphFormatError(
                f"{self.place} has several datasets: {', '.join(found)}. Choose one with name={found[0]!r}."
            )
        return found[0]

    def name(self, part: str) -> str:
        """Return the name of a file, with the suffix of its compression."""
        plain = f"{self.dataset}_{part}.txt"
        return next((plain + suffix for suffix in PACKED if plain + suffix in self._readers), plain)

    def has(self, part: str) -> bool:
        return part not in self.ignore and self.name(part) in self._readers

    def integers(self, part: str, n_columns: int | None = None) -> Int64Array:
        """Return the rows of a file, which must have ``n_columns`` columns."""
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
                f"{self._path(part)} must have finite numbers; row {row + 1} has {rows[row, column]}."
            )
        return rows

    def targets(self) -> NDArray[Any]:
        """Return the graph labels, as integers if possible, or the graph attributes if there are no labels."""
        part = "graph_labels" if self.has("graph_labels") or not self.has("graph_attributes") else "graph_attributes"
        rows: NDArray[Any] = self.floats(part)
        # Floats above 2**53 are not exact.
        if part == "graph_labels" and np.array_equal(rows, np.rint(rows)) and np.all(np.abs(rows) < 2**53):
            rows = rows.astype(np.int64)
        return rows[:, 0] if rows.shape[1] == 1 else rows

    def check_length(self, part: str, n_rows: int, n_expected: int, what: str) -> None:
        if n_rows != n_expected:
            raise GraphFormatError(f"{self._path(part)} must have one row per {what}, {n_expected:,}; got {n_rows:,}.")

    def _path(self, part: str) -> Path:
        return self.place / self.name(part)

    def _rows(self, part: str, dtype: type) -> NDArray[Any]:
        if self.name(part) not in self._readers:
            raise DatasetNotFoundError(
                f"The TUDataset {self.dataset} must have the file {self.name(part)}, optionally with .gz or .xz; it is "
                f"not in {self.place}."
            )
        content = self._readers[self.name(part)]()
        try:
            text = content.decode("utf-8-sig")
            if not text.strip():
                return np.zeros((0, 1), dtype)
            return np.loadtxt(io.StringIO(text), dtype, comments=None, delimiter=",", ndmin=2)
        except (ValueError, OverflowError) as error:
            kind = "integers" if dtype is np.int64 else "numbers"
            raise GraphFormatError(
                f"{self._path(part)} must have rows of {kind}, separated by commas: {error}"
            ) from None


def _readers(place: Path) -> dict[str, Callable[[], bytes]]:
    """Return functions that read the files of a folder or archive, by file name."""
    if place.is_dir():
        return {path.name: partial(read_bytes, path) for path in place.iterdir() if path.is_file()}
    if not place.is_file():
        return {}
    members: dict[str, list[str]] = {}
    for member in zip_members(place):
        members.setdefault(PurePosixPath(member).name, []).append(member)
    return {name: partial(_read_only_member, place, found) for name, found in members.items()}


def _read_only_member(place: Path, members: Sequence[str]) -> bytes:
    """Return the content of a file in an archive, which must not be in two folders of it."""
    if len(members) > 1:
        raise GraphFormatError(
            f"An archive must have each file of a TUDataset once; {place} has {members[0]} and {members[1]}. Extract "
            "it and read one of the folders."
        )
    return read_member(place, members[0])
