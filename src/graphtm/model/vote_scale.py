"""What vote sums mean where targets are numbers: the units of the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.arrays import FrozenArrays

Floats = NDArray[np.float64]
_NUMBERS = ("intercepts", "values", "lows", "highs")


@dataclass(frozen=True, eq=False)
class VoteScale(FrozenArrays):
    """How vote sums become numbers, output by output.

    A vote sum ``v`` means ``intercept + value * v``, at least ``low`` and at most ``high``, in float64: first the
    product is rounded, then the sum.

    Parameters
    ----------
    intercepts
        What a vote sum of 0 means.
    values
        What one vote adds; 0 for an output that never varies.
    lows, highs
        The smallest and the largest number that is predicted.

    Examples
    --------
    >>> scale = VoteScale.of_range([[0.0, 10.0]], T=100)
    >>> scale.predicted(np.array([[-300], [0], [50]])).ravel()
    array([0. , 5. , 7.5])
    >>> scale.votes(np.array([[0.0], [7.54], [11.0]]), T=100).ravel()
    array([-100,   51,  100])
    """

    intercepts: Floats
    values: Floats
    lows: Floats
    highs: Floats

    @classmethod
    def of_range(cls, ranges: ArrayLike, T: int) -> VoteScale:
        """Return the scale on which ``-T`` and ``T`` are the ends of a range; ``ranges`` has a row per output."""
        lows, highs = np.asarray(ranges, dtype=np.float64).T
        return cls(lows / 2 + highs / 2, (highs - lows) / (2 * T), lows, highs)

    def __len__(self) -> int:
        return len(self.values)

    def predicted(self, sums: NDArray[np.int64]) -> Floats:
        """Return what vote sums mean, ``(..., outputs)``."""
        with np.errstate(over="ignore"):
            return np.asarray(np.clip(self.intercepts + self.values * sums, self.lows, self.highs))

    def votes(self, numbers: Floats, T: int) -> NDArray[np.int64]:
        """Return the vote sums that come closest to numbers, within ``[-T, T]``."""
        steps = np.where(self.values > 0, self.values, 1.0)
        with np.errstate(over="ignore"):
            exact = (numbers - self.intercepts) / steps
        return np.asarray(np.rint(np.clip(np.where(self.values > 0, exact, 0.0), -T, T)), dtype=np.int64)

    def only(self, outputs: Sequence[int]) -> VoteScale:
        """Return the scale of some outputs."""
        return VoteScale(*(getattr(self, name)[list(outputs)] for name in _NUMBERS))

    def to_json(self) -> dict[str, list[float]]:
        """Return the scale as plain data."""
        return {name: getattr(self, name).tolist() for name in _NUMBERS}

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> VoteScale:
        """Return the scale that :meth:`to_json` wrote.

        Raises
        ------
        ValueError
            If it is not a scale.
        """
        scale = cls(*(np.array(saved[name], dtype=np.float64) for name in _NUMBERS))
        rows = [getattr(scale, name) for name in _NUMBERS]
        if any(row.shape != (len(scale.intercepts),) or not np.isfinite(row).all() for row in rows):
            raise ValueError("a scale must have four finite numbers for each output")
        if np.any(scale.values < 0) or np.any(scale.lows > scale.highs):
            raise ValueError("a scale must rise")
        return scale
