"""From symbols back to pictures: weights of symbols laid out where the symbols are in an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.short_repr import short_repr

FloatArray: TypeAlias = NDArray[np.float64]


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

    __repr__ = short_repr

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

    __repr__ = short_repr
