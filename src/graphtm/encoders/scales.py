"""Steps of something, such as rows of a grid or levels of intensity, and the symbols that tell them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import BoolArray, Int64Array

ENCODINGS = ("one_hot", "thermometer")
"""How a step is told: by a symbol of its own, or by the symbols of all steps up to it."""


@dataclass(frozen=True)
class Scale:
    """Steps 0, 1, ..., ``n`` - 1 of something, and the symbols that tell them.

    Parameters
    ----------
    name
        How the symbols' names begin.
    n
        Number of steps.
    graded
        Whether there is a symbol for "at least this step" instead of one for each step.

    Examples
    --------
    >>> Scale(("row",), 3, graded=False).symbols()
    [('row', 0), ('row', 1), ('row', 2)]
    >>> Scale(("row",), 3, graded=True).symbols()
    [('row', '>=', 1), ('row', '>=', 2)]
    """

    name: tuple[Hashable, ...]
    n: int
    graded: bool

    @property
    def n_symbols(self) -> int:
        return self.n - 1 if self.graded else self.n

    def symbols(self) -> list[Hashable]:
        """Return the names of the symbols."""
        if self.graded:
            return [(*self.name, ">=", step) for step in range(1, self.n)]
        return [(*self.name, step) for step in range(self.n)]

    def booleans(self, steps: Int64Array) -> BoolArray:
        """Return a row of Booleans for each step, one per symbol."""
        places = np.arange(self.n_symbols)
        return np.asarray(steps[:, None] > places if self.graded else steps[:, None] == places)

    def gathered(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what each step collects of the weights of the symbols: its own, or those of all steps up to it.

        Examples
        --------
        >>> Scale(("row",), 4, graded=True).gathered(np.array([1.0, 0.0, 2.0]))
        array([0., 1., 1., 3.])
        """
        return np.concatenate([[0.0], np.cumsum(weights)]) if self.graded else weights
