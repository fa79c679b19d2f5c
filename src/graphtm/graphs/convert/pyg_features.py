"""Feature matrices of PyTorch Geometric as symbols and edge types: one-hot, or a number per category.

A matrix of reals is neither, and is refused: which bins or thresholds make sense is the user's to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, integers
from graphtm.foundation.names import Name
from graphtm.foundation.numbering import Numbering

Way: TypeAlias = Literal["auto", "one_hot", "category"]
WAYS = ("auto", "one_hot", "category", None)


def array(value: Any, what: str) -> NDArray[Any]:
    """Return a tensor, an array or a list as an array."""
    if hasattr(value, "detach"):
        if str(value.layout) != "torch.strided":
            raise GraphError(f"{what!r} must be a dense tensor; got the layout {value.layout}. Call its to_dense().")
        value = value.detach().cpu()
        # NumPy has no such type; 32 bits hold all its values.
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    return np.asarray(value)


@dataclass
class Features:
    """The rows of one attribute, gathered from many graphs.

    Parameters
    ----------
    attribute
        Where they come from, ``"x"`` or ``"edge_attr"``.
    owner
        The node type or relation they belong to, or ``None`` where there is but one kind.
    """

    attribute: str
    owner: Name = None
    rows: list[NDArray[Any]] = field(default_factory=list)
    places: list[Int64Array] = field(default_factory=list)
    graphs: list[int] = field(default_factory=list)

    def add(self, values: NDArray[Any] | None, places: Int64Array, graph: int) -> None:
        """Add the rows of a graph (or of a batch whose first graph has that number), one per place."""
        if not len(places):
            return
        if values is not None:
            if values.ndim == 1:
                values = values[:, None]
            if values.ndim != 2 or len(values) != len(places):
                what = "node" if self.attribute == "x" else "edge"
                raise GraphError(
                    f"{self} must be a matrix with a row per {what}, {len(places):,} in all; got shape "
                    f"{values.shape} in graph {graph}."
                )
            if values.dtype.kind not in "biuf":
                raise GraphError(f"{self} must hold numbers; got dtype {values.dtype} in graph {graph}.")
            self.rows.append(values)
            self.graphs.append(graph)
        self.places.append(places)
        if len(self.rows) not in (0, len(self.places)):
            raise GraphError(f"Either all graphs or none must have {self}; graph {graph} differs from those before it.")
        if values is not None and values.shape[1] != self.rows[0].shape[1]:
            raise GraphError(
                f"{self} must have as many columns in all graphs; got {self.rows[0].shape[1]} in graph "
                f"{self.graphs[0]} and {values.shape[1]} in graph {graph}."
            )

    @property
    def matrix(self) -> NDArray[Any] | None:
        """All rows, or ``None`` if no graph has the attribute."""
        return np.concatenate(self.rows) if self.rows else None

    def where(self, row: int) -> str:
        """Say in which row of which graph (or batch) a row of the matrix stood."""
        starts = np.cumsum([0, *(len(rows) for rows in self.rows)])
        part = int(np.searchsorted(starts, row, side="right")) - 1
        return f"row {row - starts[part]} of graph {self.graphs[part]}"

    def __str__(self) -> str:
        return f"{self.attribute!r}" + ("" if self.owner is None else f" of {self.owner!r}")


class Types:
    """Node types or relations, gathered from many graphs."""

    def __init__(self, attribute: str) -> None:
        self._attribute = attribute
        self._numbering = Numbering()
        self._numbers: list[Int64Array] = []
        self._given: bool | None = None

    def add(
        self, numbers: Any, length: int, graph: int, names: Sequence[Name] | None, order: Int64Array | None = None
    ) -> None:
        """Add a number per node or edge; ``names`` says what they stand for, ``order`` how they are to be ordered."""
        mine = [self._numbering(name) for name in names or ()] if numbers is not None else []
        if length and self._given is not None and self._given != (numbers is not None):
            raise GraphError(f"Either all graphs or none must have {self._attribute!r}; graph {graph} differs.")
        if length or (self._given is None and numbers is not None):
            self._given = numbers is not None
        if numbers is None:
            return
        found = integers(array(numbers, self._attribute), f"{self._attribute!r} of graph {graph}")
        if len(found) != length:
            raise GraphError(f"{self._attribute!r} must have {length:,} numbers in graph {graph}; got {len(found):,}.")
        if names is None:
            values, found = np.unique(found, return_inverse=True)
            mine = [self._numbering((self._attribute, value)) for value in values.tolist()]
        elif length and not 0 <= found.min() <= found.max() < len(names):
            raise GraphError(
                f"{self._attribute!r} must hold numbers of its {len(names)} names; got {found.min()} to {found.max()} "
                f"in graph {graph}."
            )
        self._numbers.append(np.array(mine, np.int64)[found if order is None else found[order]])

    def all(self) -> tuple[Int64Array | None, list[Name]]:
        """Return all numbers and the names they stand for; ``None`` if graphs have no such types."""
        numbers = np.concatenate([np.zeros(0, np.int64), *self._numbers]) if self._given else None
        return numbers, list(self._numbering.names())


def choose_way(features: Features, matrix: NDArray[Any], way: Way) -> Literal["one_hot", "category"]:
    """Decide what a matrix holds, and check that it does.

    Floats and Booleans are taken for one-hot (or multi-hot) columns, as PyTorch Geometric's own datasets hold them;
    integers are one-hot if every row has exactly one 1, else categories.
    """
    if way == "auto":
        integer = matrix.dtype.kind in "iu"
        one_hot = not integer or (matrix.shape[1] > 1 and bool(_is_binary(matrix).all() and (matrix.sum(1) == 1).all()))
        way = "one_hot" if one_hot else "category"
    bad = ~_is_binary(matrix) if way == "one_hot" else _is_fraction(matrix)
    if bad.any():
        row, column = (int(at[0]) for at in np.nonzero(bad))
        value, parameter = matrix[row, column], "node_features" if features.attribute == "x" else "edge_features"
        if way == "category" or _is_fraction(matrix).any():
            must = "0 and 1 (one-hot) or whole numbers (categories)"
            advice = f"Turn real numbers into bins or thresholds first, or give {parameter}=None to leave them out."
        else:
            must = "0 and 1 where columns are one-hot"
            advice = f"Give {parameter}='category' if the numbers are categories."
        raise GraphError(
            f"{features} must hold {must}; got {value} in column {column}, {features.where(row)}. {advice}"
        )
    return "one_hot" if way == "one_hot" else "category"


def symbols_of(features: Features, way: Way, names: Sequence[Name] | None) -> tuple[Int64Array, Int64Array, list[Name]]:
    """Return rows, symbol numbers and the names of the symbols of a node feature matrix."""
    matrix = features.matrix
    if matrix is None:
        none = np.zeros(0, np.int64)
        return none, none, []
    chosen = choose_way(features, matrix, way)
    n_columns = matrix.shape[1]
    prefix: tuple[Name, ...] = (features.attribute,) if features.owner is None else (features.owner, features.attribute)
    if names is None:
        columns: list[tuple[Name, ...]] = [(*prefix, column) for column in range(n_columns)]
    else:
        check_length(names, n_columns, "symbols", f"column of {features}")
        columns = [(name,) for name in names]
    if chosen == "one_hot":
        rows, numbers = np.nonzero(matrix)
        return rows, numbers, [*names] if names is not None else [*columns]
    numbers, found = _number_columns(matrix)
    symbols: list[Name] = [(*columns[column], value) for column, values in enumerate(found) for value in values]
    return np.repeat(np.arange(len(matrix)), n_columns), numbers.reshape(-1), symbols


def edge_types_of(features: Features, way: Way, names: Sequence[Name] | None) -> tuple[Int64Array, list[Name]]:
    """Return the type number of each row of an edge feature matrix, and the names of the types."""
    matrix = features.matrix
    if matrix is None:
        raise ValueError("There must be rows.")
    if choose_way(features, matrix, way) == "one_hot":
        several = np.flatnonzero(np.count_nonzero(matrix, axis=1) != 1)
        if len(several):
            raise GraphError(
                f"{features} must have exactly one 1 in each row, since an edge has one type; got "
                f"{np.count_nonzero(matrix[several[0]])} in {features.where(int(several[0]))}. Give "
                "edge_features='category' to make each combination of values a type, or None to leave them out."
            )
        if names is not None:
            check_length(names, matrix.shape[1], "edge_types", f"column of {features}")
        return np.nonzero(matrix)[1], [*names] if names else [("edge_attr", k) for k in range(matrix.shape[1])]
    if names is not None:
        return _named_by_number(features, matrix, names)
    codes, found = _number_columns(matrix)
    # Rows are numbered as one integer each: np.unique(axis=0) sorts rows as bytes, which is far slower.
    starts = np.cumsum([0, *map(len, found)])
    key = np.zeros(len(matrix), np.int64)
    for column, values in enumerate(found):
        key = np.unique(key * len(values) + codes[:, column] - starts[column], return_inverse=True)[1]
    first = np.unique(key, return_index=True)[1]
    return key, [("edge_attr", *map(_plain, matrix[row])) for row in first]


def _named_by_number(features: Features, matrix: NDArray[Any], names: Sequence[Name]) -> tuple[Int64Array, list[Name]]:
    """Return types whose names are given for the values 0, 1, 2, ... of a single column."""
    if matrix.shape[1] != 1:
        raise GraphError(
            f"'edge_types' can name the values of one column; {features} has {matrix.shape[1]}. Leave it out."
        )
    values = matrix[:, 0].astype(np.int64)
    bad = np.flatnonzero((values < 0) | (values >= len(names)))
    if len(bad):
        raise GraphError(
            f"'edge_types' must name every value of {features}; got {len(names)} names and the value "
            f"{values[bad[0]]} in {features.where(int(bad[0]))}."
        )
    return values, [*names]


def check_length(names: Sequence[Name], length: int, parameter: str, what: str) -> None:
    """Refuse a list of names that does not fit what it names."""
    if len(names) != length:
        raise GraphError(f"{parameter!r} must have a name per {what}, {length} in all; got {len(names)}.")


def check_owners(parameter: str, given: Iterable[Name], found: Iterable[Features]) -> None:
    """Refuse names for features that there are not, such as those of a node type that is misspelt."""
    # Features without places are of kinds that no node or edge happens to be of: what they hold is not known.
    known = [features.owner for features in found if features.rows or not features.places]
    for owner in given:
        if owner not in known:
            whose = "graphs without node types" if owner is None else repr(owner)
            raise GraphError(
                f"{parameter!r} must name features that there are; got names for {whose}, but there are features of "
                f"{', '.join('such graphs' if one is None else repr(one) for one in known) or 'nothing'}."
            )


def _number_columns(matrix: NDArray[Any]) -> tuple[Int64Array, list[list[Name]]]:
    """Return numbers for the values of each column, the columns one after the other, and the values."""
    numbers, found, start = np.empty(matrix.shape, np.int64), [], 0
    for column in range(matrix.shape[1]):
        values, inverse = np.unique(matrix[:, column], return_inverse=True)
        numbers[:, column] = inverse + start
        found.append([_plain(value) for value in values])
        start += len(values)
    return numbers, found


def _plain(value: Any) -> Name:
    """Return a number as Python's own; whole floats are the integers they stand for."""
    return bool(value) if isinstance(value, np.bool_) else int(value)


def _is_binary(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    binary: NDArray[np.bool_] = (matrix == 0) | (matrix == 1)
    return binary


def _is_fraction(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a matrix holds what is no whole number, NaN and infinity included."""
    if matrix.dtype.kind != "f":
        return np.zeros(matrix.shape, np.bool_)
    whole: NDArray[np.bool_] = np.isfinite(matrix) & (matrix == np.floor(matrix))
    return ~whole
