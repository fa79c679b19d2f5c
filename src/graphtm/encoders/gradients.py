"""Strength of the gradients of brightness around each pixel, by direction."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

from graphtm.foundation.arrays import LevelArray

DIRECTIONS = ("right", "down right", "down", "down left", "left", "up left", "up", "up right")
"""Directions in which the image gets brighter."""


def gradient_maps(images: LevelArray, sigma: float, truncate: float) -> LevelArray:
    """Return how strongly the brightness increases around each pixel, in each of eight directions.

    A gradient counts for the two directions next to it, in proportion to how near they are. Its strength is the
    difference of brightness between the two neighbouring pixels, averaged over the surroundings.

    Parameters
    ----------
    images
        Levels of shape (images, height, width, channels); the brightness is the mean over channels.
    sigma, truncate
        Width of the Gaussian that averages, in pixels, and where it is cut off, in multiples of the width.

    Returns
    -------
    ndarray, (images, height, width, 8)
        Levels; larger ones than 255 become 255.

    Examples
    --------
    >>> from graphtm.encoders.gradients import DIRECTIONS, gradient_maps
    >>> image = np.zeros((1, 5, 5, 1), np.uint8)
    >>> image[:, :, 2:] = 100
    >>> DIRECTIONS[int(gradient_maps(image, 1.0, 2.5)[0, 2, 2].argmax())]
    'right'
    """
    brightness = images.mean(axis=3, dtype=np.float32)
    down, right = (
        np.gradient(brightness, axis=axis) if brightness.shape[axis] > 1 else 0 * brightness for axis in (1, 2)
    )
    turn = np.arctan2(down, right) * np.float32(len(DIRECTIONS) / (2 * np.pi)) % len(DIRECTIONS)
    strength = 2 * np.hypot(down, right)
    maps = np.empty((*brightness.shape, len(DIRECTIONS)), np.uint8)
    for number in range(len(DIRECTIONS)):
        away = np.abs((turn - number + len(DIRECTIONS) / 2) % len(DIRECTIONS) - len(DIRECTIONS) / 2)
        share = strength * np.maximum(0, 1 - away)
        mean = gaussian_filter(share, (0, sigma, sigma), mode="nearest", truncate=truncate)
        maps[..., number] = np.minimum(np.rint(mean), 255)
    return maps
