"""Symbols of the looks and parts of nodes, stage by stage; see :class:`Carried`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtm.encoders.neighbourhood_plan import Carried
from graphtm.foundation.arrays import BoolArray, Int64Array, pointers
from graphtm.foundation.numbering import Names


@dataclass(frozen=True, eq=False)
class StageNumbers:
    """Symbols of the looks and parts of each stage.

    Parameters
    ----------
    n_symbols
        Number of symbols of the training graphs, which come first.
    own
        Symbol of each look of a node by itself, or -1 if that is one symbol, which the node has anyway.
    first
        First symbol of each other stage.
    """

    n_symbols: int
    own: Int64Array
    first: Int64Array

    @classmethod
    def of(cls, n_symbols: int, is_new: BoolArray, names: list[list[str]]) -> StageNumbers:
        """Return numbers after those of the symbols, given which looks of nodes by themselves get one."""
        own = np.where(is_new, n_symbols + np.cumsum(is_new) - 1, -1)
        n_own = n_symbols + int(np.count_nonzero(is_new))
        return cls(n_symbols, own, n_own + pointers(np.array([len(stage) for stage in names[1:]], dtype=np.int64)))

    def stages(self, symbols: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Return the stage of each symbol, -1 for those of the training graphs, and its number there."""
        stages = np.where(symbols < self.n_symbols, -1, np.searchsorted(self.first, symbols, side="right"))
        return stages, symbols - np.concatenate([[self.n_symbols], self.first])[np.maximum(0, stages)]

    def symbols(self, carried: Carried) -> tuple[list[Int64Array], list[Int64Array]]:
        """Return nodes and the symbols that they carry, by stage."""
        own = self.own[carried.numbers[0]]
        others = zip(carried.numbers[1:], self.first.tolist(), strict=False)
        nodes = [carried.nodes[0][own >= 0], *carried.nodes[1:]]
        return nodes, [own[own >= 0], *(numbers + first for numbers, first in others)]


def unlike(names: list[str], taken: Names) -> list[str]:
    """Return different names, with primes after those that are taken."""
    used = set(names)
    result: list[str] = []
    for name in names:
        unlike = name
        while unlike in taken or (unlike != name and unlike in used):
            unlike += "'"
        used.add(unlike)
        result.append(unlike)
    return result
