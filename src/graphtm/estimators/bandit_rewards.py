"""Rewards of a bandit: checked, and as vote sums; logs of earlier decisions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.type_names import type_of

LOGGED = np.dtype([("arm", np.int64), ("reward", np.float64)])
BEST = "best reward"
"""What messages call the argument ``best``."""


class Rewards(NamedTuple):
    """The range of rewards, whose ends are vote sums of ``-T`` and ``T``."""

    low: float
    high: float

    def checked(self, reward: Any, what: str = "reward") -> float:
        """Return a reward as float.

        Raises
        ------
        ValueError
            If it is not a number within the range.
        """
        try:
            value = float(reward)
        except (TypeError, ValueError):
            value = np.nan
        if not self.low <= value <= self.high:
            raise ValueError(
                f"The {what} must be a number in reward_range, [{self.low:g}, {self.high:g}]. Got {reward!r} instead."
            )
        return value

    def checked_all(self, rewards: Any, n: int, what: str = "reward") -> NDArray[np.float64]:
        """Return ``n`` rewards as an array; one number stands for all of them.

        Raises
        ------
        ValueError
            If their number is wrong, or one is not a number within the range.
        """
        try:
            values = np.asarray(rewards)
        except ValueError:  # NumPy's text does not say what must hold
            raise ValueError(f"There must be one {what} for each of {n:,} graphs; got nested lists.") from None
        if values.ndim == 0 and what == BEST:
            values = np.full(n, values)
        if values.shape != (n,):
            raise ValueError(f"There must be one {what} for each of {n:,} graphs; got shape {values.shape}.")
        if values.dtype.kind not in "biuf":
            values = np.array([self.checked(one, f"{what} at place {i}") for i, one in enumerate(values.tolist())])
        values = values.astype(np.float64)
        bad = np.flatnonzero(~((values >= self.low) & (values <= self.high)))
        if len(bad):
            self.checked(values[bad[0]].item(), f"{what} at place {bad[0]}")
        return values

    def votes_of(self, reward: float, T: int) -> int:
        """Return the vote sum that stands for a reward."""
        return round((2 * ((reward - self.low) / (self.high - self.low)) - 1) * T)

    def all_votes_of(self, rewards: NDArray[np.float64], T: int) -> Int64Array:
        """Return the vote sums that stand for rewards."""
        return np.rint((2 * ((rewards - self.low) / (self.high - self.low)) - 1) * T).astype(np.int64)

    def expected(self, sums: NDArray[np.int64], T: int) -> NDArray[np.float64]:
        """Return the rewards that vote sums stand for."""
        return np.asarray(self.low + (self.high - self.low) * (np.clip(sums, -T, T) + T) / (2 * T))


def logged(y: Any) -> tuple[Any, Any]:
    """Return the arms and the rewards of a log.

    Raises
    ------
    TypeError
        If it is not a pair, or clearly one of graphs: two graphs with ``(arm, reward)`` each.
    """
    if isinstance(y, list) and len(y) == 2 and all(isinstance(one, tuple) and len(one) == 2 for one in y):
        raise TypeError(
            "y must be a pair (arms, rewards), each with an entry per graph; got a list of two pairs, one per graph. "
            "Write ([arm, arm], [reward, reward])."
        )
    if not isinstance(y, tuple | list) or len(y) != 2:
        got = f"{len(y)} items" if isinstance(y, tuple | list) else type_of(y)
        raise TypeError(f"y must be a pair (arms, rewards), each with an entry per graph; got {got}.")
    return y[0], y[1]


def checked_numbers(arms: Int64Array, rewards: NDArray[np.float64]) -> NDArray[Any]:
    """Return numbers of arms and rewards as one array with an element per graph."""
    truth = np.empty(len(arms), LOGGED)
    truth["arm"], truth["reward"] = arms, rewards
    return truth
