"""Pixels to Booleans: what an image must be, and four ways to read its grey levels.

Everything is computed on 8-bit levels, 0 to 255. Images in [0, 1] are rounded to them first, so that an image means
the same in either form, and the levels in the names of symbols are whole numbers, which model files can hold.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from graphtm.errors import GraphError
from graphtm.foundation.arrays import BoolArray, Int64Array, WordArray
from graphtm.foundation.properties import n_words, pack_bits

LevelArray: TypeAlias = NDArray[np.uint8]
MODES = ("threshold", "thermometer", "adaptive", "colour")
SPACINGS = ("linear", "quantile")

_COLOURS = ("red", "green", "blue", "alpha")
_BLOCK = 1 << 24
# The Gaussian is cut off at 2.5 sigma: with sigma 2 that is the window of 11 x 11 pixels that is customary.
_TRUNCATE = 2.5


def check_images(X: Any, owner: str) -> NDArray[Any]:
    """Return images as an array of shape (images, height, width, channels), not copied where that is possible.

    Raises
    ------
    GraphError
        If the array has another number of dimensions, no pixels, another type than bool, uint8 or float, or floats
        outside [0, 1].
    """
    try:
        images = np.asarray(X)
    except ValueError:
        raise GraphError(f"Images for {owner} must all be of one size; got images of different shapes.") from None
    if images.ndim not in (3, 4):
        raise GraphError(
            f"Images for {owner} must be an array of shape (images, height, width) or (images, height, width, "
            f"channels); got shape {images.shape}. Reshape flat rows of pixels; put a single image into a list."
        )
    if 0 in images.shape[1:]:
        raise GraphError(f"Images for {owner} must have pixels; got shape {images.shape}.")
    if images.dtype.kind == "f" and images.size:
        low, high = float(images.min()), float(images.max())
        if not (low >= 0 and high <= 1):
            found = "NaN" if low != low else f"values from {low:g} to {high:g}"
            raise GraphError(
                f"Images of floats for {owner} must lie in [0, 1]; got {found}. Divide by the largest possible value."
            )
    elif images.dtype not in (np.bool_, np.uint8) and images.dtype.kind != "f":
        raise GraphError(
            f"Images for {owner} must be of type bool, uint8 (0 to 255) or float (0 to 1); got {images.dtype}. "
            "Levels from 0 to 255 become uint8 with `.astype(np.uint8)`."
        )
    return images if images.ndim == 4 else images[..., None]


def check_training_images(X: Any, owner: str) -> NDArray[Any]:
    """Return images as :func:`check_images` does, of which there must be at least one."""
    images = check_images(X, owner)
    if not len(images):
        raise GraphError(f"{owner} needs at least one image to fit; got none.")
    return images


def check_later_images(X: Any, owner: str, shape: tuple[int, int, int]) -> NDArray[Any]:
    """Return images as :func:`check_images` does, which must have this height, width and number of channels."""
    images = check_images(X, owner)
    if images.shape[1:] != shape:
        raise GraphError(
            f"Images must have the height, width and channels of those that were fitted, {shape}; "
            f"got {images.shape[1:]}."
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
    """Yield checked images as levels, so many at a time that a byte per bit of theirs stays small."""
    step = max(1, _BLOCK // (images[:1].size * bits_per_pixel or 1))
    for start in range(0, len(images), step):
        part = slice(start, start + step)
        yield part, as_levels(images[part])


def channel_names(n_channels: int) -> tuple[Hashable, ...]:
    """Return what channels are called: nothing for one, colours for three or four, else their numbers.

    Examples
    --------
    >>> channel_names(3), channel_names(2)
    (('red', 'green', 'blue'), (0, 1))
    """
    if n_channels in (3, 4):
        return _COLOURS[:n_channels]
    return tuple(range(n_channels)) if n_channels > 1 else (None,)


def linear_levels(bins: int) -> Int64Array:
    """Return that many levels, evenly spaced between 0 and 256.

    Examples
    --------
    >>> linear_levels(8)
    array([ 28,  57,  85, 114, 142, 171, 199, 228])
    """
    return np.rint(np.arange(1, bins + 1) * 256 / (bins + 1)).astype(np.int64)


def quantile_levels(images: NDArray[Any], bins: int) -> list[Int64Array]:
    """Return, for each channel, levels that part the pixels into equal shares, as far as equal pixels allow.

    Black pixels do not count: they are the paper of many images, and most levels would be 0.

    Raises
    ------
    GraphError
        If a channel is black in all images.
    """
    counts = np.zeros((images.shape[3], 256), np.int64)
    for _, part in blocks(images, 1):
        for channel, count in enumerate(counts):
            count += np.bincount(part[..., channel].reshape(-1), minlength=256)
    counts[:, 0] = 0
    black = np.flatnonzero(counts.sum(axis=1) == 0)
    if len(black):
        raise GraphError(
            f"Quantiles need training images with pixels that are not black; channel {black[0]} has none. "
            "Use spacing='linear'."
        )
    shares = np.arange(1, bins + 1) / (bins + 1)
    # The level of a share is the first at which more than that share of the pixels is reached.
    return [
        np.unique(np.searchsorted(np.cumsum(count), shares * count.sum(), side="right").astype(np.int64))
        for count in counts
    ]


@dataclass(frozen=True, eq=False)
class Booleaniser:
    """How the pixels of images become Booleans, after fitting.

    Parameters
    ----------
    mode
        One of :data:`MODES`.
    channels
        Names of the channels, ``(None,)`` for grey images.
    levels
        For each channel the levels that pixels are compared with; of no use to ``"adaptive"``.
    sigma, offset
        Width of the Gaussian of ``"adaptive"``, and how far below the surrounding a pixel may be and still count.
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
        """Choose the levels; only quantiles look at the images."""
        channels = channel_names(images.shape[3])
        if mode == "colour" and len(channels) == 1:
            raise GraphError(
                "Booleanising by 'colour' needs images with channels, of shape (images, height, width, channels); got "
                "grey ones. Use 'thermometer'."
            )
        if mode in ("threshold", "adaptive"):
            levels = [np.array([threshold])] * len(channels)
        elif spacing == "linear":
            levels = [linear_levels(bins)] * len(channels)
        else:
            levels = quantile_levels(images, bins)
        return cls(mode, channels, tuple(tuple(channel.tolist()) for channel in levels), sigma, offset)

    @property
    def n_bits(self) -> int:
        """Booleans per pixel."""
        return sum(map(len, self.levels))

    def names(self) -> list[tuple[Hashable, ...]]:
        """Return the end of the name of each of a pixel's symbols: ``()``, or such as ``("red", ">=", 28)``."""
        graded = self.mode in ("thermometer", "colour")
        return [
            (() if channel is None else (channel,)) + ((">=", level) if graded else ())
            for channel, levels in zip(self.channels, self.levels, strict=True)
            for level in levels
        ]

    def channel_of_bits(self) -> Int64Array:
        """Return the number of the channel that each of a pixel's Booleans comes from."""
        return np.repeat(np.arange(len(self.channels)), list(map(len, self.levels)))

    def booleans(self, images: LevelArray) -> BoolArray:
        """Return levels of shape (images, height, width, channels) as Booleans, the last axis being the bits."""
        if self.mode == "adaptive":
            pixels = images.astype(np.float32)
            around = gaussian_filter(pixels, (0, self.sigma, self.sigma, 0), mode="nearest", truncate=_TRUNCATE)
            return np.asarray(pixels > around - self.offset)
        levels = np.concatenate([np.array(channel, np.uint8) for channel in self.levels])
        return np.asarray(images[..., self.channel_of_bits()] >= levels)

    def packed_rows(self, images: NDArray[Any]) -> WordArray:
        """Return checked images as bits: for each row of pixels, all bits of its pixels from left to right."""
        n, height, width = images.shape[:3]
        rows = np.empty((n, height, n_words(width * self.n_bits)), np.uint64)
        for part, levels in blocks(images, len(self.levels[0])):
            matrix = self.booleans(levels).reshape(-1, width * self.n_bits)
            rows[part] = pack_bits(matrix).reshape(-1, *rows.shape[1:])
        return rows
