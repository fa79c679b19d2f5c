"""Several labels per graph: indicator matrices and label sets, in and out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphtm.estimators.labels import as_labels, class_numbers, classes_of, given_classes
from graphtm.graphs.arrays import pointers

FORMS = ("bool", "int", "sparse", "sets")
"""What labels come as, and predictions go back as: a dense matrix of either kind, a sparse one, or label sets."""


class LabelTable(NamedTuple):
    """Labels of some graphs.

    Parameters
    ----------
    matrix
        Which graph has which label, (graphs, labels), Boolean.
    classes
        Names of the columns.
    form
        What it was read from, one of :data:`FORMS`.
    """

    matrix: sparse.csr_array
    classes: NDArray[Any]
    form: str


def read_labels(y: Any, n: int, classes: Any = None) -> LabelTable:
    """Return the labels of ``n`` graphs, which ``y`` holds in any of its forms.

    Parameters
    ----------
    y
        An indicator matrix, dense (an array or a data frame, whose columns are the labels) or sparse; or for each
        graph a set, list, tuple or array of labels.
    n
        Number of graphs.
    classes
        All labels there are, in the order of columns; if not given, those in use.

    Raises
    ------
    ValueError
        If ``y`` is none of these, is not for ``n`` graphs, or has a label that is none of the classes.
    """
    known = None if classes is None else given_classes(classes)
    found = _indicator(y)
    if found is not None:
        matrix, names, form = found
        _check_rows(matrix.shape[0], n)
        return LabelTable(*_named(matrix, names, known), form)
    sets = _label_sets(y, n)
    labels = _flat(sets)
    if known is None:
        known = classes_of(labels)
        if not len(known):
            raise ValueError("At least one label is needed to learn from; the label sets are all empty.")
    return LabelTable(_matrix(sets, class_numbers(labels, known), len(known)), known, "sets")


def read_truth(y: Any, n: int, classes: NDArray[Any]) -> sparse.csr_array:
    """Return true labels as a matrix with a column per class and one more for all labels that are no class.

    A rare label may be missing where a machine was trained, as in a fold of a cross-validation; whoever has it is
    not told right by that machine.
    """
    if _indicator(y) is not None:
        matrix = read_labels(y, n, classes).matrix.copy()
        matrix.resize(n, len(classes) + 1)
        return matrix
    sets = _label_sets(y, n)
    labels = _flat(sets)
    numbers = class_numbers(labels, classes, strict=False)
    return _matrix(sets, np.where(numbers < 0, len(classes), numbers), len(classes) + 1)


def write_labels(matrix: sparse.csr_array, classes: NDArray[Any], form: str) -> Any:
    """Return which graph has which label in the given form."""
    if form == "sets":
        names = classes.tolist()
        rows = np.split(matrix.indices, matrix.indptr[1:-1]) if matrix.shape[0] else []
        return [{names[column] for column in row.tolist()} for row in rows]
    if form == "sparse":
        return matrix.astype(np.int64)
    return matrix.toarray().astype(np.bool_ if form == "bool" else np.int64)


def _indicator(y: Any) -> tuple[sparse.csr_array, list[Any] | None, str] | None:
    """Return an indicator matrix with the names of its columns, if it has some; ``None`` if ``y`` is no matrix."""
    if sparse.issparse(y):
        values, form = y.data, "sparse"
    elif getattr(y, "ndim", None) == 2 or hasattr(y, "columns"):
        values = np.asarray(y)
        form = "bool" if values.dtype == np.bool_ else "int"
    else:
        return None
    if values.dtype.kind not in "biuf" or not np.all((values == 0) | (values == 1)):
        wrong = values[(values != 0) & (values != 1)] if values.dtype.kind in "biuf" else values.ravel()
        raise ValueError(
            f"An indicator matrix must hold 0 and 1, or Booleans; got {wrong.ravel()[:1].tolist()[0]!r} in one of "
            f"{values.dtype}. Labels by name are given as a set for each graph."
        )
    matrix = sparse.csr_array(y if form == "sparse" else values, dtype=np.bool_)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix, list(y.columns) if hasattr(y, "columns") else None, form


def _named(
    matrix: sparse.csr_array, names: list[Any] | None, known: NDArray[Any] | None
) -> tuple[sparse.csr_array, NDArray[Any]]:
    """Return the matrix with its columns in the order of the known classes."""
    n_columns = matrix.shape[1]
    if not n_columns:
        raise ValueError("An indicator matrix must have a column per label, at least one; got none.")
    if known is None:
        return matrix, np.arange(n_columns) if names is None else given_classes(names)
    if len(known) != n_columns:
        raise ValueError(f"An indicator matrix must have one column per label, {len(known):,}; got {n_columns:,}.")
    if names is None:
        return matrix, known
    order = np.argsort(class_numbers(given_classes(names), known))
    return sparse.csr_array(matrix[:, order]), known


def _label_sets(y: Any, n: int) -> list[Sequence[Any]]:
    wanted = "y must be an indicator matrix with a row per graph, or hold a set of labels for each graph"
    if isinstance(y, str | bytes | dict | set | frozenset) or not hasattr(y, "__len__"):
        raise ValueError(f"{wanted}; got {'None' if y is None else f'a {type(y).__name__!r}'}.")
    _check_rows(len(y), n)
    rows = list(y)
    for number, row in enumerate(rows):
        if not isinstance(row, set | frozenset | list | tuple | np.ndarray):
            raise ValueError(
                f"{wanted}; graph {number} has {row!r}. Write {{{row!r}}} for one label, or use GraphTMClassifier "
                "where every graph has one class."
            )
    sets = [row.tolist() if isinstance(row, np.ndarray) else list(row) for row in rows]
    listed = not any(isinstance(row, set | frozenset) for row in rows)
    same_length = len({len(one) for one in sets}) == 1 and len(sets[0]) > 1
    if listed and same_length and all(label in (0, 1) for one in sets for label in one):
        raise ValueError(
            "y is a list of lists of 0 and 1, which may be meant as rows of an indicator matrix or as labels called 0 "
            "and 1. Write numpy.array(y) for the first, a list of sets for the second."
        )
    return sets


def _flat(sets: list[Sequence[Any]]) -> NDArray[Any]:
    labels = [label for one in sets for label in one]
    nested = next((label for label in labels if isinstance(label, list | dict | set | np.ndarray)), None)
    if nested is not None:
        raise ValueError(f"A label must be hashable, for instance a string or a number; got {nested!r}.")
    return as_labels(labels, len(labels))


def _matrix(sets: list[Sequence[Any]], numbers: NDArray[np.int64], n_columns: int) -> sparse.csr_array:
    ptr = pointers(np.array([len(one) for one in sets], dtype=np.int64))
    matrix = sparse.csr_array((np.ones(len(numbers), np.bool_), numbers, ptr), shape=(len(sets), n_columns))
    matrix.sum_duplicates()  # a list may name a label twice
    return matrix


def _check_rows(got: int, n: int) -> None:
    if got != n:
        raise ValueError(f"y must hold the labels of each of {n:,} graphs; got {got:,} rows.")
