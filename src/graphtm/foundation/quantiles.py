"""Where to cut numbers into bins, so that what is above or below can be told in symbols."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def quantile_cuts(values: NDArray[Any], bins: int) -> NDArray[Any]:
    """Return where to cut: at equal shares of the data, or at all values but the smallest if they are few.

    A bin holds its lower cut. Of values that are all alike the one that there is is returned.
    """
    distinct = np.unique(values)
    if len(distinct) < 2:
        return distinct
    if len(distinct) <= bins:
        return distinct[1:]
    cuts = np.quantile(values, np.arange(1, bins) / bins, method="higher")
    # Nothing lies below the smallest value; where most are that one, what differs from it is told.
    chosen = np.searchsorted(distinct, np.unique(np.maximum(cuts, distinct[1])))
    return np.array([_shortest(distinct[place - 1], distinct[place]) for place in chosen], dtype=distinct.dtype)


def _shortest(below: Any, cut: Any) -> Any:
    """Return a number of few digits that parts the same data as ``cut``: above ``below``, at most ``cut``."""
    rounded = (cut.dtype.type(f"{cut:.{digits}g}") for digits in range(4, 17))
    return next((number for number in rounded if below < number <= cut), cut)
