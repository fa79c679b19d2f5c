"""Feature matrices of PyTorch Geometric as symbols and edge types.

Matrices must be one-hot or contain categories. Columns of real numbers are divided into bins, if users ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, integers
from graphtm.foundation.names import Name
from graphtm.foundation.numbering import Numbering
from graphtm.graphs.bins import Binning, Cuts, Numbers, Owner, missing_name

Way: TypeAlias = Literal["auto", "one_hot", "category"]
WAYS = ("auto", "one_hot", "category", None)


def array(value: Any, what: str) -> NDArray[Any]:
    """Return a tensor, an array or a list as an array."""
    if hasattr(value, "detach"):
        if str(value.layout) != "torch.strided":
            raise GraphError(f"{what!r} must be a dense tensor; got layout {value.layout}. Call to_dense() first.")
        value = value.detach().cpu()
        # NumPy has no bfloat16; float32 represents all its values.
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    return np.asarray(value)


@dataclass
class Features:
    """The rows of one attribute, collected from all graphs.

    Parameters
    ----------
    attribute
        Name of the attribute, ``"x"`` or ``"edge_attr"``.
    owner
        Node type or relation that the attribute belongs to, or ``None`` for homogeneous graphs.
    """

    attribute: str
    owner: Name = None
    rows: list[NDArray[Any]] = field(default_factory=list)
    places: list[Int64Array] = field(default_factory=list)
    graphs: list[int] = field(default_factory=list)

    def add(self, values: NDArray[Any] | None, places: Int64Array, graph: int) -> None:
        """Add the rows of a graph (or of a batch that starts with that graph), one for each of ``places``."""
        if not len(places):
            return
        if values is not None:
            if values.ndim == 1:
                values = values[:, None]
            if values.ndim != 2 or len(values) != len(places):
                what = "node" if self.attribute == "x" else "edge"
                raise GraphError(
                    f"{self} must be a matrix with one row per {what}, {len(places):,}; got shape {values.shape} in "
                    f"graph {graph}."
                )
            if values.dtype.kind not in "biuf":
                raise GraphError(f"{self} must have numbers; got dtype {values.dtype} in graph {graph}.")
            self.rows.append(values)
            self.graphs.append(graph)
        self.places.append(places)
        if len(self.rows) not in (0, len(self.places)):
            raise GraphError(f"Either all graphs or none must have {self}; graph {graph} differs.")
        if values is not None and values.shape[1] != self.rows[0].shape[1]:
            raise GraphError(
                f"{self} must have the same number of columns in all graphs; got {self.rows[0].shape[1]} in graph "
                f"{self.graphs[0]} and {values.shape[1]} in graph {graph}."
            )

    @property
    def matrix(self) -> NDArray[Any] | None:
        """All rows, or ``None`` if no graph has the attribute."""
        return np.concatenate(self.rows) if self.rows else None

    def where(self, row: int) -> str:
        """Return the row and graph (or batch) of a row of the matrix, as text."""
        starts = np.cumsum([0, *(len(rows) for rows in self.rows)])
        part = int(np.searchsorted(starts, row, side="right")) - 1
        return f"row {row - starts[part]} of graph {self.graphs[part]}"

    def __str__(self) -> str:
        return f"{self.attribute!r}" + ("" if self.owner is None else f" of {self.owner!r}")


class Types:
    """Node types or relations, collected from all graphs."""

    def __init__(self, attribute: str) -> None:
        self._attribute = attribute
        self._numbering = Numbering()
        self._numbers: list[Int64Array] = []
        self._given: bool | None = None

    def add(
        self, numbers: Any, length: int, graph: int, names: Sequence[Name] | None, order: Int64Array | None = None
    ) -> None:
        """Add an index into ``names`` per node or edge, to be reordered by ``order``."""
        mine = [self._numbering(name) for name in names or ()] if numbers is not None else []
        if length and self._given is not None and self._given != (numbers is not None):
            raise GraphError(f"Either all graphs or none must have {self._attribute!r}; graph {graph} differs.")
        if length or (self._given is None and numbers is not None):
            self._given = numbers is not None
        if numbers is None:
            return
        found = integers(array(numbers, self._attribute), f"{self._attribute!r} of graph {graph}")
        if len(found) != length:
            raise GraphError(f"{self._attribute!r} must have {length:,} entries in graph {graph}; got {len(found):,}.")
        if names is None:
            values, found = np.unique(found, return_inverse=True)
            mine = [self._numbering((self._attribute, value)) for value in values.tolist()]
        elif length and not 0 <= found.min() <= found.max() < len(names):
            raise GraphError(
                f"{self._attribute!r} must be in 0..{len(names) - 1}, the indices of its names; got {found.min()} to "
                f"{found.max()} in graph {graph}."
            )
        self._numbers.append(np.array(mine, np.int64)[found if order is None else found[order]])

    def all(self) -> tuple[Int64Array | None, list[Name]]:
        """Return all indices, or ``None`` if graphs have no such types, and the names."""
        numbers = np.concatenate([np.zeros(0, np.int64), *self._numbers]) if self._given else None
        return numbers, list(self._numbering.names())


def choose_way(features: Features, matrix: NDArray[Any], way: Way) -> Literal["one_hot", "category"]:
    """Return the encoding of a matrix, after checking its entries.

    With "auto", floats and Booleans are one-hot (or multi-hot), as in the datasets of PyTorch Geometric; integers are
    one-hot if every row has exactly one 1, else categories.
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
            must = "entries 0 and 1 (one-hot) or integers (categories)"
            advice = f"Pass bins=4 to divide real numbers into bins, or {parameter}=None to ignore them."
        else:
            must = "entries 0 and 1 to be one-hot"
            advice = f"Pass {parameter}='category' for categories."
        raise GraphError(
            f"{features} must have {must}; got {value} in column {column}, {features.where(row)}. {advice}"
        )
    return "one_hot" if way == "one_hot" else "category"


def cuts_of(features: Features, names: Sequence[Name] | None, binning: Binning) -> dict[int, Cuts]:
    """Return the cuts of the columns that are divided into bins."""
    matrix, found = features.matrix, dict[int, Cuts]()
    if matrix is None or binning.is_none:
        return found
    owner: Owner = "node" if features.attribute == "x" else "edge"
    for column in range(matrix.shape[1]):
        name: Name = f"{features.attribute} {column}"
        if features.owner is not None:
            name = (features.owner, name)
        name = name if names is None or column >= len(names) else names[column]
        values = matrix[:, column]
        real = values.dtype.kind == "f" and not _is_binary(values).all()
        numbers = None if values.dtype.kind == "b" else Numbers(values.astype(np.float64), real)
        cuts = binning.cuts(name, owner, numbers)
        if cuts is not None:
            found[column] = cuts
    return found


def symbols_of(
    features: Features, way: Way, names: Sequence[Name] | None, binning: Binning
) -> tuple[Int64Array, Int64Array, list[Name]]:
    """Return rows, symbol indices and names of symbols of a node feature matrix."""
    matrix = features.matrix
    if matrix is None:
        none = np.zeros(0, np.int64)
        return none, none, []
    if names is not None:
        check_length(names, matrix.shape[1], "symbols", f"column of {features}")
    cuts = cuts_of(features, names, binning)
    rows, numbers, symbols = list[Int64Array](), list[Int64Array](), list[Name]()
    for column, one in cuts.items():
        reaching, reached = one.pairs(matrix[:, column].astype(np.float64))
        rows.append(reaching)
        numbers.append(reached + len(symbols))
        symbols += one.symbols()
    others = [column for column in range(matrix.shape[1]) if column not in cuts]
    if others or not cuts:
        more = _symbols_of_columns(features, matrix, others, way, names)
        rows.append(more[0])
        numbers.append(more[1] + len(symbols))
        symbols += more[2]
    return np.concatenate(rows), np.concatenate(numbers), symbols


def _symbols_of_columns(
    features: Features, matrix: NDArray[Any], places: Sequence[int], way: Way, names: Sequence[Name] | None
) -> tuple[Int64Array, Int64Array, list[Name]]:
    """Return rows, symbol indices and names of symbols of the columns at these places."""
    matrix = matrix[:, places]
    chosen = choose_way(features, matrix, way)
    n_columns = matrix.shape[1]
    prefix: tuple[Name, ...] = (features.attribute,) if features.owner is None else (features.owner, features.attribute)
    if names is None:
        columns: list[tuple[Name, ...]] = [(*prefix, column) for column in places]
    else:
        names = [names[column] for column in places]
        columns = [(name,) for name in names]
    if chosen == "one_hot":
        rows, numbers = np.nonzero(matrix)
        return rows, numbers, [*names] if names is not None else [*columns]
    numbers, found = _number_columns(matrix)
    symbols: list[Name] = [(*columns[column], value) for column, values in enumerate(found) for value in values]
    return np.repeat(np.arange(len(matrix)), n_columns), numbers.reshape(-1), symbols


def edge_types_of(
    features: Features, way: Way, names: Sequence[Name] | None, binning: Binning
) -> tuple[Int64Array, list[Name]]:
    """Return the type index of each row of an edge feature matrix, and the names of the types."""
    matrix = features.matrix
    if matrix is None:
        raise ValueError("There are no features.")
    cuts = cuts_of(features, None, binning)
    if cuts and names is not None:
        raise GraphError(f"'edge_types' cannot name bins; {features} has columns that are divided. Omit edge_types.")
    if cuts:
        return _binned_types(features, matrix, cuts)
    if choose_way(features, matrix, way) == "one_hot":
        several = np.flatnonzero(np.count_nonzero(matrix, axis=1) != 1)
        if len(several):
            raise GraphError(
                f"{features} must have exactly one 1 per row, since an edge has one type; got "
                f"{np.count_nonzero(matrix[several[0]])} in {features.where(int(several[0]))}. Pass "
                "edge_features='category' to make each combination of values a type, or None to ignore them."
            )
        if names is not None:
            check_length(names, matrix.shape[1], "edge_types", f"column of {features}")
        return np.nonzero(matrix)[1], [*names] if names else [("edge_attr", k) for k in range(matrix.shape[1])]
    if names is not None:
        return _named_by_number(features, matrix, names)
    codes, found = _number_columns(matrix)
    # Combine each row into one integer: np.unique(axis=0) sorts rows as bytes, which is far slower.
    starts = np.cumsum([0, *map(len, found)])
    key = np.zeros(len(matrix), np.int64)
    for column, values in enumerate(found):
        key = np.unique(key * len(values) + codes[:, column] - starts[column], return_inverse=True)[1]
    first = np.unique(key, return_index=True)[1]
    return key, [("edge_attr", *map(_plain, matrix[row])) for row in first]


def _binned_types(features: Features, matrix: NDArray[Any], cuts: Mapping[int, Cuts]) -> tuple[Int64Array, list[Name]]:
    """Return edge types from a matrix some columns of which are divided into bins; the others are categories."""
    key, parts = np.zeros(len(matrix), np.int64), list[tuple[Int64Array, list[Name]]]()
    for column in range(matrix.shape[1]):
        values = matrix[:, column]
        if column in cuts:
            names = [*cuts[column].intervals(), missing_name(cuts[column].name)]
            numbers = cuts[column].bins(values.astype(np.float64)) % len(names)
        else:
            choose_way(features, values[:, None], "category")
            found, numbers = np.unique(values, return_inverse=True)
            names = [(f"{features.attribute} {column}", _plain(value)) for value in found]
        parts.append((numbers, names))
        key = np.unique(key * len(names) + numbers, return_inverse=True)[1]
    if len(parts) == 1:
        return parts[0]
    first = np.unique(key, return_index=True)[1].tolist()
    return key, [tuple(names[numbers[row]] for numbers, names in parts) for row in first]


def _named_by_number(features: Features, matrix: NDArray[Any], names: Sequence[Name]) -> tuple[Int64Array, list[Name]]:
    """Return edge types from the values 0, 1, 2, ... of a single column, with given names."""
    if matrix.shape[1] != 1:
        raise GraphError(
            f"'edge_types' needs a single column of categories; {features} has {matrix.shape[1]}. Omit edge_types."
        )
    values = matrix[:, 0].astype(np.int64)
    bad = np.flatnonzero((values < 0) | (values >= len(names)))
    if len(bad):
        raise GraphError(
            f"'edge_types' must have a name for every value of {features}; got {len(names)} names and the value "
            f"{values[bad[0]]} in {features.where(int(bad[0]))}."
        )
    return values, [*names]


def check_length(names: Sequence[Name], length: int, parameter: str, what: str) -> None:
    """Refuse a list of names of the wrong length."""
    if len(names) != length:
        raise GraphError(f"{parameter!r} must have one name per {what}, {length}; got {len(names)}.")


def check_owners(parameter: str, given: Iterable[Name], found: Iterable[Features]) -> None:
    """Refuse names for features that do not exist, such as those of a misspelt node type."""
    # Features without places belong to types without nodes or edges, so nothing is known about them.
    known = [features.owner for features in found if features.rows or not features.places]
    for owner in given:
        if owner not in known:
            whose = "homogeneous graphs" if owner is None else repr(owner)
            there = ", ".join("homogeneous graphs" if one is None else repr(one) for one in known)
            raise GraphError(
                f"{parameter!r} has names for {whose}, but there are "
                f"{f'only features of {there}' if there else 'no features'}."
            )


def _number_columns(matrix: NDArray[Any]) -> tuple[Int64Array, list[list[Name]]]:
    """Return numbers for the values of all columns, one column after the other, and the values of each column."""
    numbers, found, start = np.empty(matrix.shape, np.int64), [], 0
    for column in range(matrix.shape[1]):
        values, inverse = np.unique(matrix[:, column], return_inverse=True)
        numbers[:, column] = inverse + start
        found.append([_plain(value) for value in values])
        start += len(values)
    return numbers, found


def _plain(value: Any) -> Name:
    """Return a number as plain Python; whole floats become integers."""
    return bool(value) if isinstance(value, np.bool_) else int(value)


def _is_binary(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    binary: NDArray[np.bool_] = (matrix == 0) | (matrix == 1)
    return binary


def _is_fraction(matrix: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where a matrix has entries that are not integers, including NaN and infinity."""
    if matrix.dtype.kind != "f":
        return np.zeros(matrix.shape, np.bool_)
    whole: NDArray[np.bool_] = np.isfinite(matrix) & (matrix == np.floor(matrix))
    return ~whole
