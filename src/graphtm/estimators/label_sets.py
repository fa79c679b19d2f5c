"""Several labels per graph: reading and writing indicator matrices and label sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphtm.estimators.labels import as_labels, class_numbers, classes_of, given_classes
from graphtm.foundation.arrays import pointers
from graphtm.foundation.names import name_key
from graphtm.foundation.type_names import type_of

FORMS = ("bool", "int", "sparse", "sets")
"""Forms of labels and predictions: a dense matrix of bool or int, a sparse matrix, or label sets."""


@dataclass(frozen=True)
class Labelling:
    """The labels that outputs stand for, and the form in which they were given."""

    classes: NDArray[Any]
    form: str

    def __len__(self) -> int:
        return len(self.classes)


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Labels of some graphs.

    Parameters
    ----------
    matrix
        Which graph has which label, (graphs, columns), Boolean.
    names
        Names of the columns, or ``None``.
    form
        The form it was read from, one of :data:`FORMS`.
    """

    matrix: sparse.csr_array
    names: NDArray[Any] | None
    form: str

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.matrix.shape
        return n_rows, n_columns

    def __getitem__(self, rows: NDArray[np.bool_]) -> LabelTable:
        return replace(self, matrix=self.matrix[rows])

    def labelling(self) -> Labelling:
        """Return the labels: the columns in order, or the sorted names of label sets.

        Raises
        ------
        ValueError
            If there are none, or names cannot be sorted.
        """
        if not self.shape[1]:
            what = "the label sets are all empty" if self.form == "sets" else "the indicator matrix has no column"
            raise ValueError(f"At least one label is needed for training; {what}.")
        if self.names is None:
            return Labelling(np.arange(self.shape[1]), self.form)
        return Labelling(classes_of(self.names) if self.form == "sets" else self.names, self.form)

    def numbered(self, classes: NDArray[Any], *, strict: bool = True) -> sparse.csr_array:
        """Return the matrix with a column per class and, unless ``strict``, one more for labels that are not a class.

        A rare label may be missing in the training data, as in a fold of a cross-validation. Graphs with that label
        count as errors.

        Raises
        ------
        ValueError
            If the number of columns is wrong, or a label is not a class, unless ``strict`` is False.
        """
        n_columns = self.shape[1]
        if self.form != "sets" and n_columns != len(classes):
            raise ValueError(
                f"An indicator matrix must have one column per label, {len(classes):,}; got {n_columns:,}."
            )
        numbers = np.arange(n_columns) if self.names is None else class_numbers(self.names, classes, strict=strict)
        columns = np.where(numbers < 0, len(classes), numbers)[self.matrix.indices]
        return _matrix(columns, self.matrix.indptr, len(classes) + (not strict))


def read_labels(y: Any, n: int) -> LabelTable:
    """Return the labels of ``n`` graphs, given in any form.

    Parameters
    ----------
    y
        An indicator matrix, dense (an array, a data frame, whose columns are the labels, or nested lists) or sparse;
        or for each graph a set, list, tuple or array of labels.
    n
        Number of graphs.

    Raises
    ------
    ValueError
        If ``y`` is none of these, or not for ``n`` graphs.
    """
    if hasattr(y, "__array__") and not hasattr(y, "ndim"):
        y = np.asarray(y)
    if _lists_bits(y):
        y = np.array(list(y))
    if sparse.issparse(y):
        table = LabelTable(_indicator(sparse.csr_array(y, copy=True)), None, "sparse")
    elif getattr(y, "ndim", None) == 2:
        values = np.asarray(y)
        names = given_classes(list(y.columns)) if hasattr(y, "columns") else None
        table = LabelTable(_indicator(values), names, "bool" if values.dtype == np.bool_ else "int")
    else:
        table = _from_sets(_label_sets(y))
    if table.shape[0] != n:
        raise ValueError(f"y must have a row for each of {n:,} graphs; got {table.shape[0]:,} rows.")
    return table


def write_labels(matrix: sparse.csr_array, labelling: Labelling) -> Any:
    """Return an indicator matrix in the form in which labels were given."""
    if labelling.form == "sets":
        names = labelling.classes.tolist()
        rows = np.split(matrix.indices, matrix.indptr[1:-1]) if matrix.shape[0] else []
        return [{names[column] for column in row.tolist()} for row in rows]
    if labelling.form == "sparse":
        return matrix.astype(np.int64)
    return matrix.toarray().astype(np.bool_ if labelling.form == "bool" else np.int64)


def _indicator(matrix: sparse.csr_array | NDArray[Any]) -> sparse.csr_array:
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    is_number = values.dtype.kind in "biuf"
    wrong = values[(values != 0) & (values != 1)] if is_number else values.ravel()
    if wrong.size or not is_number:
        got = f"{wrong[0]} in a matrix of {values.dtype}" if wrong.size else f"{values.dtype}"
        raise ValueError(
            f"An indicator matrix must hold 0 and 1, or Booleans; got {got}. To pass labels by name, use a set per "
            "graph."
        )
    result = sparse.csr_array(matrix, dtype=np.bool_)
    result.eliminate_zeros()
    result.sort_indices()
    return result


def _label_sets(y: Any) -> list[Sequence[Any]]:
    wanted = "y must be an indicator matrix with a row per graph, or a list with a set of labels for each graph"
    if isinstance(y, str | bytes | dict | set | frozenset) or not hasattr(y, "__len__"):
        raise ValueError(f"{wanted}; got {'None' if y is None else type_of(y)}.")
    rows = list(y)
    for number, row in enumerate(rows):
        if not isinstance(row, set | frozenset | list | tuple | np.ndarray):
            raise ValueError(
                f"{wanted}; graph {number} has {row!r}. Write {{{row!r}}} for one label, or use GraphTMClassifier if "
                "every graph has one class."
            )
    return [row.tolist() if isinstance(row, np.ndarray) else list(row) for row in rows]


def _lists_bits(y: Any) -> bool:
    """Return whether ``y`` is an indicator matrix given as lists, as scikit-learn reads lists of 0 and 1.

    Raises
    ------
    ValueError
        If lists of 0 and 1 have different lengths or one item each, which is ambiguous.
    """
    if not (isinstance(y, list | tuple) or getattr(y, "ndim", None) == 1):
        return False
    rows = list(y)
    if not all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        return False
    if not all(_is_bit(label) for row in rows for label in row):
        return False
    lengths = {len(row) for row in rows}
    if len(lengths) == 1 and not lengths & {0, 1}:
        return True
    if max(lengths, default=0) > 0:
        alone = lengths == {1}
        what = "of one 0 or 1 each" if alone else "of 0 and 1 with different lengths"
        fix = "Write numpy.array(y)" if alone else "Make the rows equally long"
        raise ValueError(
            f"y holds lists {what}: they may be rows of an indicator matrix or labels called 0 and 1. {fix} for the "
            "first, a list of sets for the second."
        )
    return False


def _is_bit(value: object) -> bool:
    return isinstance(value, int | float | np.number | np.bool_) and bool(value in (0, 1))


def _from_sets(sets: list[Sequence[Any]]) -> LabelTable:
    flat = [label for one in sets for label in one]
    nested = next((label for label in flat if isinstance(label, list | dict | set | np.ndarray)), None)
    if nested is not None:
        raise ValueError(f"A label must be hashable, such as a string or a number; got {nested!r}.")
    labels = as_labels(flat, len(flat))
    ptr = pointers(np.array([len(one) for one in sets], dtype=np.int64))
    first: dict[Any, int] = {}
    for place, label in enumerate(labels.tolist()):
        first.setdefault(name_key(label), place)
    names = labels[np.array([*first.values()], dtype=np.int64)]
    return LabelTable(_matrix(class_numbers(labels, names), ptr, len(names)), names, "sets")


def _matrix(columns: NDArray[np.int64], ptr: NDArray[np.int64], n_columns: int) -> sparse.csr_array:
    matrix = sparse.csr_array((np.ones(len(columns), np.bool_), columns, ptr), shape=(len(ptr) - 1, n_columns))
    matrix.sum_duplicates()  # a list may contain a label twice
    return matrix
