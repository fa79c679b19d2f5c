"""Regression targets: one number, or one row of numbers, per graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import r2_score

from graphtm.foundation.names import Name, name_from_json, name_to_json, normalize_name, number_name, shorten
from graphtm.foundation.type_names import type_of
from graphtm.model import VoteScale

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TargetTable:
    """Targets of some graphs.

    Parameters
    ----------
    values
        The targets, ``(graphs, targets)``.
    names
        Names of the targets; ``None`` where they have none.
    is_vector
        Whether there is one number per graph, not a row.
    """

    values: Floats
    names: tuple[Name, ...] | None
    is_vector: bool

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __getitem__(self, rows: NDArray[np.bool_]) -> TargetTable:
        return replace(self, values=self.values[rows])

    def ranges(self) -> Floats:
        """Return the smallest and the largest target, a row per target.

        Raises
        ------
        ValueError
            If there are no graphs, or the targets differ by more than floats hold.
        """
        if not len(self.values):
            raise ValueError("At least one graph is needed for training; got none.")
        found = np.stack([self.values.min(axis=0), self.values.max(axis=0)], axis=1)
        with np.errstate(over="ignore"):
            spans = found[:, 1] - found[:, 0]
        if not np.isfinite(spans).all():
            low, high = found[~np.isfinite(spans)][0].tolist()
            raise ValueError(f"Targets must differ by less than 1.8e308; got {low} and {high}. Scale them first.")
        return found


@dataclass(frozen=True, eq=False)
class RegressionOutputs:
    """The targets that outputs stand for, and what votes mean.

    Parameters
    ----------
    names
        Names of the targets.
    is_vector
        Whether predictions are one number per graph, not a row.
    scale
        What vote sums mean.
    """

    names: tuple[Name, ...]
    is_vector: bool
    scale: VoteScale

    def __len__(self) -> int:
        return len(self.names)

    def to_json(self) -> dict[str, Any]:
        """Return the outputs as JSON.

        Raises
        ------
        GraphTMError
            If a name is of a type that cannot be saved.
        """
        names = [name_to_json(name) for name in self.names]
        return {"targets": names, "vector": self.is_vector, "scale": self.scale.to_json()}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> RegressionOutputs:
        """Return the outputs that :meth:`to_json` wrote; a damaged file may raise any error."""
        names = tuple(name_from_json(name) for name in saved["targets"])
        scale, is_vector = VoteScale.from_json(saved["scale"]), saved["vector"]
        if len(scale) != len(names) or not isinstance(is_vector, bool) or (is_vector and len(names) > 1):
            raise ValueError("there must be a scale for each target")
        return cls(names, is_vector, scale)


def read_targets(y: Any, n: int) -> TargetTable:
    """Return the targets of ``n`` graphs.

    Parameters
    ----------
    y
        One number per graph, as a list, an array or a Series; or a row of numbers per graph, as nested lists, an
        array or a data frame.
    n
        Number of graphs.

    Raises
    ------
    ValueError
        If ``y`` is none of these, not for ``n`` graphs, or has a number that is not finite.
    """
    values = _floats(y)
    if values.ndim not in (1, 2) or len(values) != n:
        hint = " To predict targets of nodes, use GraphBatch.node_examples." if values.ndim and len(values) > n else ""
        raise ValueError(
            f"y must hold one number, or one row of numbers, for each of {n:,} graphs; got shape {values.shape}.{hint}"
        )
    if values.ndim == 2 and not values.shape[1]:
        raise ValueError("y must hold at least one target for each graph; got rows without numbers.")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        what = "NaN" if np.isnan(values[tuple(bad[0])]) else f"infinity or a value too large for {values.dtype!r}"
        raise ValueError(f"Input y contains {what}. Targets must be finite; see position {int(bad[0][0])}.")
    is_vector = values.ndim == 1
    return TargetTable(values[:, None] if is_vector else values, _names(y, is_vector), is_vector)


def _floats(y: Any) -> Floats:
    if y is None:
        raise ValueError("y must hold one number for each graph; got None.")
    is_array, wrong = hasattr(y, "__array__"), str | bytes | dict | set | frozenset
    if sparse.issparse(y):
        raise ValueError(f"Targets must be dense; got {type_of(y)}. Write y.toarray().")
    if np.ma.is_masked(y):
        raise ValueError("Targets must all be known; got a masked array. Leave out the graphs without targets.")
    if isinstance(y, wrong) or not (is_array or isinstance(y, Iterable)):
        raise ValueError(f"Targets must be a list or an array of numbers; got {type_of(y)}.")
    try:
        array = np.asarray(y if is_array else list(y))
    except ValueError:  # NumPy's text does not say what must hold
        raise ValueError("y must hold one number, or one row of numbers, for each graph; the rows differ.") from None
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    strange = [one for one in array.ravel().tolist() if not isinstance(one, Real | Decimal)]
    if strange:
        raise ValueError(
            f"Regression targets must be numbers; got {strange[0]!r:.80}. Labels such as names are learned by "
            "GraphTMClassifier."
        )
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(
            "Targets must be numbers that a float can hold; got an integer of 309 digits or more."
        ) from None


def _names(y: Any, is_vector: bool) -> tuple[Name, ...] | None:
    """Return the names of targets: of the columns of a data frame, or of a Series."""
    given: Sequence[Any] | None = None
    if is_vector:
        name = getattr(y, "name", None)
        given = None if name in (None, "") or callable(name) else [name]
    elif hasattr(y, "columns"):
        given = list(y.columns)
    if given is None:
        return None
    names = [number_name(one) if isinstance(one, float) else normalize_name(one) for one in given]
    if len(set(names)) < len(names):
        raise ValueError(f"The columns of y must have different names; got {shorten(names)}.")
    return tuple(names)


def r_squared(truth: Floats, predicted: Floats, weights: Floats | None = None) -> float:
    """Return R2, the mean over targets, also where squares of the targets are more than floats can hold."""
    largest = np.maximum(np.abs(truth).max(axis=0, initial=0.0), np.abs(predicted).max(axis=0, initial=0.0))
    exponents = -np.frexp(largest)[1]  # powers of two change no digit
    scaled = (np.ldexp(numbers, exponents) for numbers in (truth, predicted))
    return float(r2_score(*scaled, sample_weight=weights))


def target_names(table: TargetTable) -> tuple[Name, ...]:
    """Return the names of the targets of a new model: ``"y"``, or ``"y0"``, ``"y1"``, ..., if they have none."""
    if table.names is not None:
        return table.names
    return ("y",) if table.is_vector else tuple(f"y{number}" for number in range(table.shape[1]))
