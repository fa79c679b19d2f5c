"""What a bandit did so far: how often it acted, the arms that were paid for, rewards and regret."""

from __future__ import annotations

import base64
import zlib
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines.random import Purpose, mix, step_key

_BLOCK = 1024
_COLUMNS = {"arms": "i", "rewards": "d", "best": "d"}


class BanditLog:
    """The updates of a bandit, in order, and the number of its decisions.

    Parameters
    ----------
    n_decisions
        Number of decisions so far.
    """

    def __init__(self, n_decisions: int = 0) -> None:
        self.n_decisions = n_decisions
        self._arms, self._rewards, self._best = array("i"), array("d"), array("d")

    def __len__(self) -> int:
        return len(self._arms)

    def add(self, arm: int, reward: float, best: float) -> None:
        """Add an update; ``best`` is NaN if it is not known."""
        self._arms.append(arm)
        self._rewards.append(reward)
        self._best.append(best)

    @property
    def arms(self) -> NDArray[np.int64]:
        """Number of the arm of each update."""
        return np.array(self._arms, dtype=np.int64)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Reward of each update."""
        return np.array(self._rewards, dtype=np.float64)

    @property
    def best(self) -> NDArray[np.float64]:
        """The best possible reward at each update, NaN where it is not known."""
        return np.array(self._best, dtype=np.float64)

    def to_json(self) -> dict[str, Any]:
        """Return the log as JSON: numbers as compressed little-endian bytes, which keeps them exact."""
        packed = {
            name: base64.b64encode(zlib.compress(values.astype(kind).tobytes())).decode()
            for (name, kind), values in zip(_kinds().items(), (self.arms, self.rewards, self.best), strict=True)
        }
        return {"n_decisions": self.n_decisions, "n_updates": len(self), **packed}

    @classmethod
    def from_json(cls, saved: dict[str, Any], n_arms: int, n_examples: int) -> BanditLog:
        """Return the log that :meth:`to_json` wrote.

        Raises
        ------
        ValueError
            If it is damaged.
        """
        decisions, n = saved["n_decisions"], saved["n_updates"]
        for number in (decisions, n):
            if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**63:
                raise ValueError(f"a number of decisions or updates cannot be {number!r}")
        if n > n_examples:
            raise ValueError(f"{n} updates cannot come from {n_examples} examples")
        log = cls(decisions)
        columns = [_unpacked(saved[name], kind, n) for name, kind in _kinds().items()]
        if n and not 0 <= int(columns[0].min()) <= int(columns[0].max()) < n_arms:
            raise ValueError("an arm that does not exist")
        log._arms, log._rewards, log._best = (
            array(code, column.tolist()) for code, column in zip(_COLUMNS.values(), columns, strict=True)
        )
        return log


class Draws:
    """Random words by number, made a block at a time: a pure function of the seed.

    Parameters
    ----------
    seed, purpose
        The seed of the model, and what the words are for.
    """

    def __init__(self, seed: int, purpose: Purpose) -> None:
        self.seed, self._purpose = seed, purpose
        self._first, self._block = -1, [0]

    def __getitem__(self, number: int) -> int:
        first = number - number % _BLOCK
        if first != self._first:
            self._first, self._block = first, self.words(np.arange(_BLOCK, dtype=np.uint64) + np.uint64(first)).tolist()
        return self._block[number - first]

    def words(self, numbers: NDArray[Any]) -> NDArray[np.uint64]:
        """Return the words of these numbers."""
        return mix(step_key(self.seed, self._purpose, numbers))


def _kinds() -> dict[str, str]:
    return {"arms": "<i4", "rewards": "<f8", "best": "<f8"}


def _unpacked(text: str, kind: str, n: int) -> NDArray[Any]:
    size = n * np.dtype(kind).itemsize
    content = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size + 1)
    if len(content) != size:
        raise ValueError(f"{n} updates cannot have {len(content)} bytes")
    return np.frombuffer(content, dtype=kind)
