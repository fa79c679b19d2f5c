"""Labels: from files of labels, cells and JSON, as classes or as sets of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.cli.output import named
from graphtm.cli.rows import Rows, csv_columns, csv_rows, file_text, numbered
from graphtm.errors import GraphFormatError

LABEL, ARM, REWARD = "label", "arm", "reward"
"""Columns of labels and of the log of a bandit."""
SET_SEPARATOR = ";"
"""Character between the labels of a sample with several labels."""


def takes_several_labels(estimator: Any) -> bool:
    """Whether an estimator predicts sets of labels."""
    from graphtm.estimators import GraphTMMultiLabelClassifier

    return isinstance(estimator, GraphTMMultiLabelClassifier)


def predicts_numbers(estimator: Any) -> bool:
    """Whether an estimator predicts numbers."""
    from graphtm.estimators import GraphTMRegressor

    return isinstance(estimator, GraphTMRegressor)


def labels_of(rows: Rows, name: str, multilabel: bool) -> Any:
    """Return the labels in a column.

    Raises
    ------
    GraphFormatError
        If one is missing. Samples that may have several labels may also have none.
    """
    cells = rows.column(name)
    if not multilabel:
        without = next((line for cell, line in zip(cells, rows.lines, strict=True) if cell is None), None)
        if without is not None:
            raise GraphFormatError(f"Line {without} of {rows.name} has no label in column {name!r}.")
    return as_labels(cells, multilabel)


def read_labels(path: Path, label: str | None, multilabel: bool, separator: str | None) -> Any:
    """Return the labels in a file: a named column, or else one label on each line.

    Parameters
    ----------
    path
        The file.
    label
        The column; by default ``label`` if the first line has it, or else lines are labels.
    multilabel
        Whether a line has several labels, with ``;`` between them.
    separator
        Character between cells.
    """
    columns = csv_columns(path, separator)
    if label is not None or LABEL in columns:
        return labels_of(csv_rows(path, separator), label or LABEL, multilabel)
    if len(columns) > 1:
        raise GraphFormatError(
            f"{path} has several columns, {', '.join(columns)}; say which has the labels: --label NAME."
        )
    lines = list(numbered(file_text(path).replace("\r\n", "\n")))
    if not lines:
        raise GraphFormatError(f"{path} is empty; it must have one label on each line.")
    without = next((number for number, line in lines if not line.strip()), None)
    if without is not None and not multilabel:
        raise GraphFormatError(f"Line {without} of {path} has no label.")
    return as_labels([line.strip().strip('"') for _, line in lines], multilabel)


def as_labels(values: Sequence[Any], multilabel: bool) -> Any:
    """Return values as classes, an array; or as a list of sets of labels.

    Texts are integers if all of them are, or Booleans if all of them are. Lists of names are sets in any case.
    """
    if multilabel or (len(values) and is_names(values[0])):
        return _sets(values)
    if not all(isinstance(value, str) for value in values):
        from graphtm.graphs.convert.collect import label_array

        return label_array(values)
    return np.array(_of_one_kind(list(values)))


def as_numbers(values: Any, name: str, noun: str, what: str = "Labels of a regression") -> NDArray[np.float64]:
    """Return labels, or whatever else they are, as numbers.

    Raises
    ------
    GraphFormatError
        If one is not a finite number.
    """
    found = np.empty(len(values), np.float64)
    for place, value in enumerate(values if isinstance(values, list) else values.tolist()):
        try:
            if isinstance(value, bool | list | set):
                raise ValueError
            found[place] = float(value)
        except (TypeError, ValueError):
            found[place] = np.nan
        if not np.isfinite(found[place]):
            raise GraphFormatError(f"{what} must be finite numbers; that of {noun} {place} of {name} is {value!r}.")
    return found


def are_decimals(labels: Any) -> bool:
    """Whether labels are numbers, and not only whole ones."""
    return bool(fractions(labels).any())


def fractions(labels: Any) -> NDArray[np.bool_]:
    """Return which labels are numbers with a fraction; none if one is no number."""
    try:
        numbers = np.asarray(labels, np.float64)
    except ValueError:
        return np.zeros(len(labels), np.bool_)
    found: NDArray[np.bool_] = numbers != np.rint(numbers)
    return found


def numbers_text(numbers: NDArray[np.float64]) -> str:
    """Return where numbers are, as text."""
    from graphtm.explain.rule_text import number_text

    low, high, mean, deviation = map(number_text, (numbers.min(), numbers.max(), numbers.mean(), numbers.std()))
    return f"numbers from {low} to {high}; mean {mean}, standard deviation {deviation}"


def read_log(path: Path, n: int, separator: str | None) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the arms and the rewards of ``n`` graphs, from a CSV file with the columns ``arm`` and ``reward``.

    Raises
    ------
    GraphFormatError
        If there are no such columns, an arm or a reward is missing, or the number of rows is another.
    """
    rows = csv_rows(path, separator)
    arms, rewards = rows.column(ARM), rows.column(REWARD)
    for cells, verb in ((arms, "name an arm"), (rewards, "have a reward")):
        if None in cells:
            raise GraphFormatError(f"Every row must {verb}; that of graph {cells.index(None)} of {path} does not.")
    paid = as_numbers(rewards, rows.name, "graph", "Rewards")
    if len(arms) != n:
        raise GraphFormatError(f"There must be one row for each graph: {path} has {len(arms):,} for {n:,} graphs.")
    return as_labels(arms, False), paid


def is_names(label: Any) -> bool:
    """Whether a label is a list of names, so that there can be several per sample."""
    return isinstance(label, list) and all(isinstance(name, str) for name in label)


def as_classes(labels: Any, classes: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return labels as the classes with the same names, and those that are no class.

    The same names can be texts in one file and numbers in another, such as ``"1"`` in JSON and ``1`` in CSV.
    """
    known = {named(one): one for one in classes}
    unknown: dict[Any, None] = {}

    def matched(label: Any) -> Any:
        names = [named(label), *([named(label).lower()] if isinstance(label, bool) else [])]
        found = [label] if label in classes else [known[name] for name in names if name in known]
        if not found:
            unknown[label] = None
        return found[0] if found else label

    if isinstance(labels, list):
        return [{matched(one) for one in each} for each in labels], list(unknown)
    if labels.ndim > 1:  # columns are the classes
        return labels, []
    found = np.empty(len(labels), object)
    found[:] = [matched(one) for one in labels.tolist()]
    return found, list(unknown)


def label_counts(labels: Any) -> Counter[Any]:
    """Return how often each class or label occurs; columns of a matrix are labels."""
    if isinstance(labels, list):
        return Counter(label for each in labels for label in each)
    if labels.ndim == 2:
        return Counter({column: int(number) for column, number in enumerate(labels.sum(axis=0).tolist())})
    return Counter(labels.tolist())


def _sets(values: Sequence[Any]) -> list[set[Any]]:
    """Return each value as a set of labels: a list, or a text with separators."""
    parts: list[list[Any]] = []
    for value in values:
        if isinstance(value, str):
            parts.append([part.strip() for part in value.split(SET_SEPARATOR) if part.strip()])
        elif value is None or (isinstance(value, float) and value != value):
            parts.append([])
        elif isinstance(value, list | tuple | set):
            parts.append(list(value))
        else:
            parts.append([value])
    flat = [label for part in parts for label in part]
    if all(isinstance(label, str) for label in flat):
        typed = iter(_of_one_kind(flat))
        return [{next(typed) for _ in part} for part in parts]
    return [set(part) for part in parts]


def _of_one_kind(texts: list[str]) -> list[Any]:
    """Return texts as integers or Booleans if all of them are."""
    booleans = {"true": True, "false": False}
    if texts and all(text.lower() in booleans for text in texts):
        return [booleans[text.lower()] for text in texts]
    try:
        numbers = [int(text) for text in texts]
    except ValueError:
        return texts
    # 007 is a name.
    return numbers if all(str(number) == text for number, text in zip(numbers, texts, strict=True)) else texts
