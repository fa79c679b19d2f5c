"""Encode rows of tables as graphs with one node, or with one node per column."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted, validate_data

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.cases import (
    ONE_HOT,
    QUANTILE,
    THERMOMETER,
    ColumnCode,
    check_kind,
    code_from_file,
    code_to_file,
    learn_code,
)
from graphtm.encoders.columns import CATEGORY, Column, array_column, frame_column, row_objects
from graphtm.encoders.learned import Learned, whole
from graphtm.encoders.rendering import symbol_weights
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.frames import is_frame, objects
from graphtm.foundation.names import normalize_name, shorten
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch, Vocabulary

_ENCODINGS = (THERMOMETER, QUANTILE, ONE_HOT)
_EDGE_TYPE = "beside"


class Table(GraphEncoder):
    """Encode rows of a table as graphs.

    Numbers are binned at quantiles of the training data; categories, Booleans and missing values are symbols. A row
    becomes one node with the symbols of all columns, or a fully connected graph with one node per column.

    Parameters
    ----------
    columns
        Columns to use, by name (by index for arrays): a list, or a mapping from columns to encodings, including
        ``"category"`` for numbers that are only names. If None, all columns.
    layout
        ``"one_node"``: one node per row. ``"node_per_column"``: one node per column, whose node type is the column,
        with edges of type ``"beside"`` between all of them.
    bins
        Number of bins of a numeric column. There are fewer if values repeat; if there are at most ``bins`` distinct
        values, each has its own bin.
    encoding
        Encoding of numbers. ``"thermometer"``: symbols ``("age", ">=", 30)`` for each boundary that the value reaches.
        ``"quantile"``: one symbol for the bin, ``("age", "in", "[30, 45)")``. ``"one_hot"``: one symbol per distinct
        value, ``("age", 30)``. Numbers that are not integers are written as text, ``("age", ">=", "30.5")``.
    missing
        How to handle missing values (``None``, NaN, NA). ``"symbol"``: symbol ``("age", "is", "missing")`` for columns
        with missing values in the training data. ``"drop"``: no symbol. ``"error"``: raise an error.
    unknown
        How to handle categories (or values with ``"one_hot"``) that are not in the training data, and missing values
        in columns without missing values in the training data. ``"drop"``: no symbol. ``"error"``: raise an error.

    Attributes
    ----------
    vocabulary_
        Symbols, column by column: ``(column, value)`` for a category, ``(column, True)`` for a Boolean, others as
        above. Columns of arrays are named ``"x0"``, ``"x1"``, ...
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Tables are arrays, lists of rows, or pandas or polars data frames. Dates, complex numbers, sparse matrices and
    infinity raise an error. To use :func:`sklearn.utils.estimator_checks.check_estimator` on a pipeline, choose
    ``missing="error"``, because it expects an error for NaN.

    Examples
    --------
    >>> from graphtm.encoders import Table
    >>> encoder = Table(bins=2)
    >>> graphs = encoder.fit_transform([[20, "Rome"], [30, "Oslo"], [40, None], [50, "Rome"]])
    >>> graphs
    GraphBatch(4 graphs, 4 nodes, 0 edges, 4 symbols, 0 edge types)
    >>> print(graphs[2])
    Graph with 1 node and 0 edges
      0: x0>=40, x1 IS missing
    >>> list(encoder.vocabulary_.symbols)
    [('x0', '>=', 40), ('x1', 'Oslo'), ('x1', 'Rome'), ('x1', 'is', 'missing')]
    >>> list(encoder.get_feature_names_out())
    ['x0>=40', 'x1=Oslo', 'x1=Rome', 'x1 IS missing']
    """

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    _plan: _Plan

    def __init__(
        self,
        columns: Sequence[Hashable] | Mapping[Hashable, str] | None = None,
        layout: str = "one_node",
        bins: int = 8,
        encoding: str = THERMOMETER,
        missing: str = "symbol",
        unknown: str = "drop",
    ) -> None:
        self.columns = columns
        self.layout = layout
        self.bins = bins
        self.encoding = encoding
        self.missing = missing
        self.unknown = unknown

    def fit(self, X: Any, y: Any = None) -> Table:  # noqa: ARG002
        """Learn bins and categories from training data.

        Parameters
        ----------
        X
            The table, with one row per sample.
        y
            Ignored.
        """
        self._check_parameters()
        # scikit-learn sets attributes while it checks the table: on a copy, so that a failing fit changes nothing.
        fresh = copy(self)
        table = fresh._checked_table(X, reset=True)
        places, names = self._chosen(table)
        columns = _read(table, places, names, self.missing)
        codes = [
            learn_code(column, encoding, self.bins, self.missing)
            for column, encoding in zip(columns, self._encodings(places), strict=True)
        ]
        fresh._make(places, codes)
        fresh._keep_parameters()
        self.__dict__ = fresh.__dict__
        return self

    def _encodings(self, places: Sequence[int]) -> list[str]:
        """Return the encoding of each used column."""
        chosen = self.columns if isinstance(self.columns, Mapping) else {}
        return [chosen.get(key, self.encoding) for key in (places if self.columns is None else self.columns)]

    def _make(self, places: Sequence[int], codes: Sequence[ColumnCode]) -> None:
        nodes = [code.name for code in codes] if self.layout == "node_per_column" else []
        self.vocabulary_ = Vocabulary(
            [symbol for code in codes for symbol in code.symbols], [_EDGE_TYPE] if nodes else [], nodes
        )
        self._plan = _Plan(tuple(places), tuple(codes), bool(nodes), self.missing, self.unknown)

    def _learned(self) -> dict[str, Any]:
        names = getattr(self, "feature_names_in_", None)
        return {
            "n_features": self.n_features_in_,
            "feature_names": None if names is None else list(names),
            "places": list(self._plan.places),
            "columns": [code_to_file(code) for code in self._plan.codes],
        }

    def _restore(self, learned: Learned) -> None:
        self._check_parameters()
        self.n_features_in_ = learned.whole("n_features", 1)
        if learned.value("feature_names") is not None:
            self.feature_names_in_ = objects(learned.names("feature_names"))
            if len(self.feature_names_in_) != self.n_features_in_:
                raise ValueError("there must be one feature name per column")
        places = [whole(place, "places") for place in learned.items("places")]
        if not places or max(places) >= self.n_features_in_ or len(set(places)) < len(places):
            raise ValueError("the columns that are used must be columns of the table")
        columns = zip(learned.items("columns"), self._encodings(places), strict=True)
        codes = [code_from_file(saved, encoding) for saved, encoding in columns]
        if len(codes) != len(places):
            raise ValueError("there must be one encoding per column")
        self._make(places, codes)

    def transform(self, X: Any) -> GraphBatch:
        """Return the rows as graphs."""
        check_is_fitted(self, "vocabulary_")
        plan = self._plan
        table = self._checked_table(X, reset=False)
        columns = _read(table, plan.places, [code.name for code in plan.codes], plan.missing)
        n_columns = len(columns)
        n_rows = len(columns[0].values)
        per_row = n_columns if plan.node_per_column else 1
        nodes, symbols, first = [], [], 0
        for place, (column, code) in enumerate(zip(columns, plan.codes, strict=True)):
            check_kind(column, code)
            cases = code.cases(column)
            plan.refuse_unknown(column, code, cases)
            rows, carried = code.pairs(cases)
            nodes.append(rows * per_row + place % per_row)
            symbols.append(first + carried)
            first += len(code.symbols)
        vocabulary = self.vocabulary_
        layout: dict[str, Any] = {}
        if plan.node_per_column:
            source, destination = np.nonzero(~np.eye(n_columns, dtype=np.bool_))
            layout = {
                "edges": (np.tile(source, n_rows), np.tile(destination, n_rows), np.zeros(n_rows * len(source), int)),
                "edge_counts": np.full(n_rows, len(source)),
                "edge_types": vocabulary.edge_types,
                "node_types": (np.tile(np.arange(n_columns), n_rows), vocabulary.node_types),
            }
        return GraphBatch.from_arrays(
            np.full(n_rows, per_row),
            (np.concatenate(nodes), np.concatenate(symbols)),
            symbols=vocabulary.symbols,
            **layout,
        )

    def render(self, weights: Any) -> dict[Hashable, list[tuple[str, float]]]:
        """Return the total weight of each bin or value, by column.

        Parameters
        ----------
        weights
            Mapping from symbols to numbers, or the literals of a rule, ``rule.layers[0]`` (weight 1, or -1 if
            negated).

        Examples
        --------
        >>> from graphtm.encoders import Table
        >>> encoder = Table(bins=3).fit([[1.0], [2.0], [3.0]])
        >>> encoder.render({("x0", ">=", 2): 5, ("x0", ">=", 3): -2})
        {'x0': [('< 2', 0.0), ('[2, 3)', 5.0), ('>= 3', 3.0)]}
        """
        check_is_fitted(self, "vocabulary_")
        values, first = symbol_weights(weights, self.vocabulary_.symbols), 0
        result = {}
        for code in self._plan.codes:
            result[code.name] = code.case_weights(values[first : first + len(code.symbols)])
            first += len(code.symbols)
        return result

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _check_parameters(self) -> None:
        checks = ParameterChecks(self)
        checks.one_of("layout", ("one_node", "node_per_column"))
        checks.integer("bins", 2, 2**20)
        checks.one_of("encoding", _ENCODINGS)
        checks.one_of("missing", ("symbol", "drop", "error"))
        checks.one_of("unknown", ("drop", "error"))
        if self.columns is None:
            return
        valid = not isinstance(self.columns, str) and isinstance(self.columns, Sequence | Mapping | np.ndarray)
        if not valid or not len(self.columns) or not all(isinstance(key, Hashable) for key in self.columns):
            rule = "a non-empty list of columns, a non-empty mapping from columns to encodings, or None"
        elif len(set(self.columns)) < len(self.columns):
            rule = "a list of distinct columns"
        elif isinstance(self.columns, Mapping) and not all(
            encoding in (*_ENCODINGS, CATEGORY) for encoding in self.columns.values()
        ):
            rule = f"a mapping to encodings among {(*_ENCODINGS, CATEGORY)}"
        else:
            return
        raise ValueError(f"The 'columns' parameter of Table must be {rule}. Got {self.columns!r} instead.")

    def _checked_table(self, X: Any, *, reset: bool) -> Any:
        """Return a data frame or an array; with ``reset``, store the names of its columns, else compare them."""
        if not is_frame(X):
            if isinstance(X, list | tuple) and not any(sparse.issparse(row) for row in X):
                X = row_objects(X)
            return validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
        names = list(X.columns)
        if len(set(names)) < len(names):
            raise GraphError(f"Columns must have distinct names; got {shorten(names)}.")
        # Not every version of scikit-learn reads the column names of every version of polars.
        if hasattr(X, "iloc") or not (reset or hasattr(self, "feature_names_in_")):
            validate_data(self, X, reset=reset, skip_check_array=True)
        elif reset:
            self.n_features_in_, self.feature_names_in_ = len(names), objects(names)
        elif names != self.feature_names_in_.tolist():
            raise ValueError(
                "The feature names should match those of the training data in the same order, "
                f"{shorten(self.feature_names_in_.tolist())}; got {shorten(names)}."
            )
        if 0 in X.shape:
            raise ValueError(
                f"Found a data frame with shape {X.shape} while a minimum of 1 row and 1 column is required."
            )
        return X

    def _chosen(self, table: Any) -> tuple[list[int], list[Hashable]]:
        """Return the indices and the names of the used columns."""
        there = list(table.columns) if is_frame(table) else list(range(table.shape[1]))
        absent = [key for key in (() if self.columns is None else self.columns) if key not in there]
        if absent:
            raise ValueError(
                f"The 'columns' parameter of Table must be columns of the table, {shorten(there)}. Got "
                f"{shorten(absent)} instead."
            )
        places = [there.index(key) for key in (there if self.columns is None else self.columns)]
        return places, [normalize_name(there[place]) if is_frame(table) else f"x{place}" for place in places]


@dataclass(frozen=True)
class _Plan:
    """How a fitted :class:`Table` turns rows into graphs."""

    places: tuple[int, ...]
    codes: tuple[ColumnCode, ...]
    node_per_column: bool
    missing: str
    unknown: str

    def refuse_unknown(self, column: Column, code: ColumnCode, cases: Int64Array) -> None:
        """Raise for values that are not in the training data, if ``unknown`` is ``"error"``."""
        if self.unknown != "error":
            return
        unseen = np.flatnonzero((cases == -1) | ((cases == -2) & (self.missing == "symbol")))
        if len(unseen):
            value = None if cases[unseen[0]] == -2 else column.as_category().values[unseen[0]]
            raise GraphError(
                f"Values of column {column.name!r} must occur in the training data, {shorten(code.texts)}; row "
                f"{unseen[0]} has {value!r}. Choose unknown='drop' to ignore unknown values."
            )


def _read(table: Any, places: Sequence[int], names: Sequence[Hashable], missing: str) -> list[Column]:
    """Return the checked columns at these indices, with these names."""
    columns = []
    for place, name in zip(places, names, strict=True):
        column = frame_column(table, place, name) if is_frame(table) else array_column(table[:, place], name)
        if column.has_infinity:
            raise ValueError(f"Input X contains infinity in column {name!r}. Replace it by a number or NaN.")
        if missing == "error" and column.missing.any():
            raise ValueError(
                f"Input X contains NaN or another missing value in column {name!r}. Impute it, or choose "
                "missing='symbol'."
            )
        columns.append(column)
    return columns
