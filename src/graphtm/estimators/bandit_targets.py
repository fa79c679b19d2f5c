"""What a machine learns from rewards: targets for the heads of an arm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines import Targets, sparse_targets
from graphtm.engines.targets import ALWAYS, WEIGHT_ONE
from graphtm.foundation.arrays import Int64Array, pointers

_ALWAYS, _ONCE = np.array([ALWAYS], dtype=np.uint64), np.array([WEIGHT_ONE], dtype=np.uint64)
"""Gate and weight of a single example."""
_ALWAYS.flags.writeable = _ONCE.flags.writeable = False


@dataclass(frozen=True, eq=False)
class ArmOutputs:
    """The outputs of a bandit's machine: ``heads`` of them for each arm, one arm after the other."""

    names: NDArray[Any]
    heads: int

    def __len__(self) -> int:
        return len(self.names) * self.heads

    def sums(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return vote sums of outputs, (graphs, outputs), as vote sums of heads, (graphs, arms, heads)."""
        return sums.reshape(len(sums), len(self.names), self.heads)

    def targets(
        self, arms: Int64Array, votes: Int64Array, words: NDArray[np.uint64], T: int, weights: Any = None
    ) -> Targets:
        """Return the targets of examples; all outputs but the heads of their arm that take part are silent.

        Parameters
        ----------
        arms, votes
            Number of the arm of each example, and the vote sum that stands for its reward.
        words
            A random word per example: head ``h`` takes part if bit ``h`` is 1. One head alone always does.
        T, weights
            Voting margin, and weights of the examples.
        """
        bits = words[:, None] >> np.arange(self.heads, dtype=np.uint64) & np.uint64(1)
        takes_part = np.ones(bits.shape, np.bool_) if self.heads == 1 else bits.astype(np.bool_)
        counts = takes_part.sum(axis=1)
        outputs = (arms[:, None] * self.heads + np.arange(self.heads))[takes_part]
        values = np.repeat(votes, counts)
        return sparse_targets(pointers(counts), outputs, values, len(self), T, silent=True, weights=weights)


def one_target(outputs: tuple[int, ...], votes: int, n_outputs: int, T: int) -> Targets:
    """Return the targets of a single example: ``votes`` for these outputs, in ascending order; others are silent."""
    ptr, places = _places(outputs)
    # Made without sparse_targets, and without what a dataclass does: they would take as long as the update itself.
    made = object.__new__(Targets)
    made.__dict__.update(
        ptr=ptr,
        outputs=places,
        values=_values(len(outputs), votes),
        silent=True,
        gates=_ALWAYS,
        weights=_ONCE,
        n_outputs=n_outputs,
        T=T,
    )
    return made


@lru_cache(maxsize=8192)
def _places(outputs: tuple[int, ...]) -> tuple[Int64Array, NDArray[np.int32]]:
    """Return the bounds of an example in a list, and its outputs."""
    ptr, places = np.array([0, len(outputs)]), np.array(outputs, dtype=np.int32)
    ptr.flags.writeable = places.flags.writeable = False
    return ptr, places


@lru_cache(maxsize=8192)
def _values(n: int, votes: int) -> NDArray[np.int32]:
    values = np.full(n, votes, dtype=np.int32)
    values.flags.writeable = False
    return values
