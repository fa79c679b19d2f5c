"""Drawn digits, with the same share of ink as real ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

INK = 75
"""Grey level above which a pixel is ink."""


def drawn_digits(n: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return drawings of ten kinds: strokes through five points of their own, which move a little each time."""
    rng = np.random.default_rng(seed)
    kinds = rng.uniform(5, 23, (10, 5, 2))
    y = rng.integers(0, 10, n)
    points = kinds[y] + rng.normal(0, 1.5, (n, 5, 2))
    steps = np.linspace(0, 1, 24)[:, None]
    path = np.concatenate([points[:, i, None] * (1 - steps) + points[:, i + 1, None] * steps for i in range(4)], axis=1)
    images = np.zeros((n, 28, 28), np.bool_)
    for offset in np.ndindex(3, 3):
        place = np.clip(np.rint(path).astype(int) + np.array(offset) - 1, 0, 27)
        images[np.arange(n)[:, None], place[..., 0], place[..., 1]] = True
    return images, y
