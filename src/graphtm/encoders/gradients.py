"""Strength of the gradients of brightness around each pixel, by direction."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

from graphtm.foundation.arrays import LevelArray

DIRECTIONS = ("right", "down right", "down", "down left", "left", "up left", "up", "up right")
"""Directions in which the image gets brighter."""


def gradient_maps(images: LevelArray, sigma: float, truncate: float) -> LevelArray:
    """Return how strongly the brightness increases around each pixel, in each of eight directions.

    The strength of a gradient is the difference of brightness across the pixel, averaged over the surroundings. It is
    shared by the two directions next to it: the diagonal one has the ratio of the smaller to the larger difference,
    vertical or horizontal.

    Parameters
    ----------
    images
        Levels of shape (images, height, width, channels); the brightness is the mean over channels, of four
        only over the first three: the fourth is transparency.
    sigma, truncate
        Width of the Gaussian that averages, in pixels, and where it is cut off, in multiples of the width.

    Returns
    -------
    ndarray, (images, height, width, 8)
        Levels; larger ones than 255 become 255.

    Notes
    -----
    There are only operations whose results are the same on all processors, no trigonometric functions: models must not
    depend on the computer.

    Examples
    --------
    >>> from graphtm.encoders.gradients import DIRECTIONS, gradient_maps
    >>> image = np.zeros((1, 5, 5, 1), np.uint8)
    >>> image[:, :, 2:] = 100
    >>> DIRECTIONS[int(gradient_maps(image, 1.0, 2.5)[0, 2, 2].argmax())]
    'right'
    """
    opaque = images[..., :3] if images.shape[3] == 4 else images
    brightness = opaque.sum(axis=3, dtype=np.float64) / opaque.shape[3]
    down, right = (
        2 * np.gradient(brightness, axis=axis) if brightness.shape[axis] > 1 else 0 * brightness for axis in (1, 2)
    )
    strength = np.sqrt(down * down + right * right)
    across, along = np.abs(right), np.abs(down)
    larger = np.maximum(across, along)
    diagonal = np.minimum(across, along) / np.where(larger == 0, 1, larger)
    straight_direction = np.where(across >= along, np.where(right > 0, 0, 4), np.where(down > 0, 2, 6))
    diagonal_direction = np.where(down > 0, np.where(right > 0, 1, 3), np.where(right > 0, 7, 5))
    maps = np.empty((*brightness.shape, len(DIRECTIONS)), np.uint8)
    for number in range(len(DIRECTIONS)):
        chosen, share = (diagonal_direction, diagonal) if number % 2 else (straight_direction, 1 - diagonal)
        own = np.where(chosen == number, strength * share, 0)
        mean = gaussian_filter(own, (0, sigma, sigma), mode="nearest", truncate=truncate)
        maps[..., number] = np.minimum(np.rint(mean), 255)
    return maps
