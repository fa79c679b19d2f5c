"""From symbols back to pictures: weights of symbols laid out where the symbols are in an image."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.encoders.weights import symbol_weights
from graphtm.explain import Literal
from graphtm.graphs import Vocabulary

FloatArray = NDArray[np.float64]
Weights = Mapping[Hashable, float] | Iterable[Hashable]
"""A weight per symbol; or literals of a rule; or symbols, which then weigh 1."""


@dataclass(frozen=True, eq=False)
class PatchPicture:
    """Weights of symbols as arrays that can be drawn.

    Parameters
    ----------
    pixels
        Of shape (height, width) of a patch, or (height, width, channels); weights of several levels are added up.
    bits
        The same, level by level: (height, width, bits per pixel).
    rows, columns
        Weight of each row and each column of the grid of patches, as a patch there would collect it.
    """

    pixels: FloatArray
    bits: FloatArray
    rows: FloatArray
    columns: FloatArray

    @property
    def position(self) -> FloatArray:
        """Weight of each place of the grid of patches: its row's and its column's."""
        return np.add.outer(self.rows, self.columns)


@dataclass(frozen=True, eq=False)
class SuperpixelPicture:
    """Weights of symbols as arrays that can be drawn.

    Parameters
    ----------
    intensity
        Weight of each level of intensity; with colours, a row for each channel.
    position
        Weight of each place: what a segment whose centre is there collects.
    nearest
        The same, for the centre of the nearest other segment.
    neighbours
        Weight of each number of neighbours.
    """

    intensity: FloatArray
    position: FloatArray
    nearest: FloatArray
    neighbours: FloatArray


def literal_weights(weights: Weights, vocabulary: Vocabulary) -> FloatArray:
    """Return a weight for every symbol of a vocabulary.

    A literal of a rule weighs 1, or -1 if it is negated; where several symbols share its bit, they share that. Literals
    about messages are left out: they are about other nodes.

    Raises
    ------
    UnknownSymbolError
        If the vocabulary lacks a symbol.
    """
    if isinstance(weights, str) or not isinstance(weights, Mapping | Iterable):
        raise TypeError(
            "Weights must be a mapping from symbols to numbers, or a list of literals or symbols. "
            f"Got {weights!r} instead."
        )
    if isinstance(weights, Mapping):
        return symbol_weights(weights, vocabulary.symbols)
    found = np.zeros(len(vocabulary.symbols))
    for item in weights:
        if not isinstance(item, Literal):
            found[vocabulary.symbols.index(item)] += 1
        elif item.layer == 0:
            for owner in item.owners:
                found[vocabulary.symbols.index(owner)] += (-1 if item.negated else 1) / len(item.owners)
    return found


def gathered(weights: FloatArray, *, graded: bool) -> FloatArray:
    """Return what each step of a scale collects: its own weight, or those of all levels up to it.

    Examples
    --------
    >>> gathered(np.array([1.0, 0.0, 2.0]), graded=True)
    array([0., 1., 1., 3.])
    """
    return np.concatenate([[0.0], np.cumsum(weights)]) if graded else weights
