"""Turn pixels into Booleans: checks of images, and five ways to Booleanise their levels.

Everything is computed on 8-bit levels, 0 to 255. Images in [0, 1] are rounded to them first. So both forms of an image
give the same graph, and the levels in symbol names are integers, which model files can store.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from graphtm.encoders.gradients import DIRECTIONS, gradient_maps
from graphtm.encoders.learned import whole
from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, Int64Array, LevelArray, WordArray
from graphtm.foundation.properties import n_words, pack_bits

MODES = ("threshold", "thermometer", "adaptive", "colour", "gradients")
SPACINGS = ("linear", "quantile")

_COLOURS = ("red", "green", "blue", "alpha")
_BLOCK = 1 << 24
# The Gaussian is cut off at 2.5 sigma: for sigma 2 this is the usual window of 11 x 11 pixels.
_TRUNCATE = 2.5


def check_images(X: Any, owner: str) -> NDArray[Any]:
    """Return images as an array of shape (images, height, width, channels), without a copy if possible.

    Raises
    ------
    GraphError
        If the array does not have 3 or 4 dimensions, has no pixels, is not bool, uint8 or float, or has floats outside
        [0, 1].
    """
    try:
        images = np.asarray(X)
    except ValueError:
        raise GraphError(f"Images for {owner} must all have the same shape; got different shapes.") from None
    if images.ndim not in (3, 4):
        raise GraphError(
            f"Images for {owner} must be an array of shape (images, height, width) or (images, height, width, "
            f"channels); got shape {images.shape}. Reshape flattened images; pass a single image as [image]."
        )
    if 0 in images.shape[1:]:
        raise GraphError(f"Images for {owner} must have pixels; got shape {images.shape}.")
    if images.dtype.kind == "f" and images.size:
        low, high = float(images.min()), float(images.max())
        if not (low >= 0 and high <= 1):
            found = "NaN" if low != low else f"values from {low:g} to {high:g}"
            raise GraphError(
                f"Float images for {owner} must be in [0, 1]; got {found}. Divide by the largest possible value."
            )
    elif images.dtype not in (np.bool_, np.uint8) and images.dtype.kind != "f":
        raise GraphError(
            f"Images for {owner} must have dtype bool, uint8 (0 to 255) or float (0 to 1); got {images.dtype}. "
            "Convert levels from 0 to 255 with `.astype(np.uint8)`."
        )
    return images if images.ndim == 4 else images[..., None]


def check_training_images(X: Any, owner: str) -> NDArray[Any]:
    """Check images with :func:`check_images`, and that there is at least one."""
    images = check_images(X, owner)
    if not len(images):
        raise GraphError(f"{owner} needs at least one image to fit; got none.")
    return images


def check_later_images(X: Any, owner: str, shape: tuple[int, int, int]) -> NDArray[Any]:
    """Check images with :func:`check_images`, and that they have the height, width and channels of the fitted ones."""
    images = check_images(X, owner)
    if images.shape[1:] != shape:
        raise GraphError(
            f"Images must have the height, width and channels of the training images, {shape}; got {images.shape[1:]}."
        )
    return images


def as_levels(images: NDArray[Any]) -> LevelArray:
    """Return checked images as 8-bit levels."""
    if images.dtype == np.uint8:
        return images
    if images.dtype == np.bool_:
        return images.astype(np.uint8) * np.uint8(255)
    return np.asarray(np.rint(images * 255), dtype=np.uint8)


def blocks(images: NDArray[Any], bits_per_pixel: int) -> Iterator[tuple[slice, LevelArray]]:
    """Yield checked images as levels, in blocks small enough for one byte per bit."""
    step = max(1, _BLOCK // (images[:1].size * bits_per_pixel or 1))
    for start in range(0, len(images), step):
        part = slice(start, start + step)
        yield part, as_levels(images[part])


def channel_names(n_channels: int) -> tuple[Hashable, ...]:
    """Return the names of the channels: None for one, colours for three or four, else their numbers.

    Examples
    --------
    >>> channel_names(3), channel_names(2)
    (('red', 'green', 'blue'), (0, 1))
    """
    if n_channels in (3, 4):
        return _COLOURS[:n_channels]
    return tuple(range(n_channels)) if n_channels > 1 else (None,)


def _named_channels(n_channels: int, mode: str) -> tuple[Hashable, ...]:
    """Return the names of the channels that are Booleanised; refuse the mode ``"colour"`` for grey images."""
    if mode == "gradients":
        return DIRECTIONS
    if mode == "colour" and n_channels == 1:
        raise GraphError(
            "booleanise='colour' needs images of shape (images, height, width, channels); got grey images. Use "
            "'thermometer'."
        )
    return channel_names(n_channels)


def _ascending(levels: tuple[int, ...]) -> bool:
    """Return whether there are levels and each is above the one before."""
    return bool(levels) and all(low < high for low, high in pairwise(levels))


def linear_levels(bins: int) -> Int64Array:
    """Return ``bins`` levels, evenly spaced between 0 and 256.

    Examples
    --------
    >>> linear_levels(8)
    array([ 28,  57,  85, 114, 142, 171, 199, 228])
    """
    return np.rint(np.arange(1, bins + 1) * 256 / (bins + 1)).astype(np.int64)


def quantile_levels(parts: Iterable[LevelArray], channels: Sequence[Hashable], bins: int) -> list[Int64Array]:
    """Return, for each channel or direction, levels that split pixels into equal shares, as far as ties allow.

    Black pixels are not counted: they are the background of many images, and most levels would be 0.

    Raises
    ------
    GraphError
        If a channel is black in every image, or no image gets brighter in a direction.
    """
    counts = np.zeros((len(channels), 256), np.int64)
    for part in parts:
        for channel, count in enumerate(counts):
            count += np.bincount(part[..., channel].reshape(-1), minlength=256)
    counts[:, 0] = 0
    black = np.flatnonzero(counts.sum(axis=1) == 0)
    if len(black):
        first = channels[black[0]]
        found = f"none gets brighter {first}" if first in DIRECTIONS else f"channel {black[0]} has none"
        needed = "that get brighter in every direction" if first in DIRECTIONS else "with nonzero pixels"
        raise GraphError(f"spacing='quantile' needs training images {needed}; {found}. Use spacing='linear'.")
    shares = np.arange(1, bins + 1) / (bins + 1)
    # The level of a share is the smallest one with more than that share of the pixels at or below it.
    return [
        np.unique(np.searchsorted(np.cumsum(count), shares * count.sum(), side="right").astype(np.int64))
        for count in counts
    ]


def _compared(images: NDArray[Any], mode: str, sigma: float, bins: int) -> Iterator[tuple[slice, LevelArray]]:
    """Yield checked images, or their gradients, as the levels that are compared, in blocks."""
    gradients = mode == "gradients"
    for part, levels in blocks(images, bins * (len(DIRECTIONS) if gradients else 1)):
        yield part, gradient_maps(levels, sigma, _TRUNCATE) if gradients else levels


@dataclass(frozen=True, eq=False)
class Booleaniser:
    """A fitted rule for turning pixels into Booleans.

    Parameters
    ----------
    mode
        One of :data:`MODES`.
    channels
        Names of the channels, ``(None,)`` for grey images; directions for ``"gradients"``.
    levels
        Levels to compare pixels with, for each channel; not used by ``"adaptive"``.
    sigma, offset
        Width of the Gaussian for ``"adaptive"`` and ``"gradients"``; for ``"adaptive"``, how far a pixel may be below
        its surroundings.
    """

    mode: str
    channels: tuple[Hashable, ...]
    levels: tuple[tuple[int, ...], ...]
    sigma: float
    offset: float

    @classmethod
    def fit(
        cls, images: NDArray[Any], mode: str, threshold: int, bins: int, spacing: str, sigma: float, offset: float
    ) -> Booleaniser:
        """Choose the levels; only quantiles depend on the images."""
        channels = _named_channels(images.shape[3], mode)
        if mode in ("threshold", "adaptive"):
            levels = [np.array([threshold])] * len(channels)
        elif spacing == "linear":
            levels = [linear_levels(bins)] * len(channels)
        else:
            levels = quantile_levels((part for _, part in _compared(images, mode, sigma, bins)), channels, bins)
        return cls(mode, channels, tuple(tuple(channel.tolist()) for channel in levels), sigma, offset)

    @classmethod
    def restore(cls, n_channels: int, levels: Any, mode: str, sigma: float, offset: float) -> Booleaniser:
        """Return the rule with the levels that a file holds.

        Raises
        ------
        ValueError
            If these are not ascending levels for each channel.
        """
        channels = _named_channels(n_channels, mode)
        rows = tuple(tuple(whole(level, "levels", 1) for level in channel) for channel in levels)
        if len(rows) != len(channels) or not all(_ascending(row) and row[-1] <= 255 for row in rows):
            raise ValueError("the levels must be ascending numbers from 1 to 255 for each channel")
        if mode in ("threshold", "adaptive") and {len(row) for row in rows} != {1}:
            raise ValueError(f"there must be one level per channel for {mode!r}")
        return cls(mode, channels, rows, sigma, offset)

    @property
    def n_bits(self) -> int:
        """Number of Booleans per pixel."""
        return sum(map(len, self.levels))

    def names(self) -> list[tuple[Hashable, ...]]:
        """Return the last part of the names of a pixel's symbols: ``()``, or for example ``("red", ">=", 28)``."""
        graded = self.mode not in ("threshold", "adaptive")
        return [
            (() if channel is None else (channel,)) + ((">=", level) if graded else ())
            for channel, levels in zip(self.channels, self.levels, strict=True)
            for level in levels
        ]

    def channel_of_bits(self) -> Int64Array:
        """Return the channel of each of a pixel's Booleans."""
        return np.repeat(np.arange(len(self.channels)), list(map(len, self.levels)))

    def booleans(self, images: LevelArray) -> BoolArray:
        """Turn compared levels of shape (images, height, width, channels) into Booleans of shape (..., bits)."""
        if self.mode == "adaptive":
            pixels = images.astype(np.float32)
            around = gaussian_filter(pixels, (0, self.sigma, self.sigma, 0), mode="nearest", truncate=_TRUNCATE)
            return np.asarray(pixels > around - self.offset)
        levels = np.concatenate([np.array(channel, np.uint8) for channel in self.levels])
        return np.asarray(images[..., self.channel_of_bits()] >= levels)

    def packed_rows(self, images: NDArray[Any]) -> WordArray:
        """Return checked images as packed bits: for each row, the bits of its pixels from left to right."""
        n, height, width = images.shape[:3]
        rows = np.empty((n, height, n_words(width * self.n_bits)), np.uint64)
        for part, levels in _compared(images, self.mode, self.sigma, len(self.levels[0])):
            matrix = self.booleans(levels).reshape(-1, width * self.n_bits)
            rows[part] = pack_bits(matrix).reshape(-1, *rows.shape[1:])
        return rows
