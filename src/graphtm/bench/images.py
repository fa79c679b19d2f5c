"""Digits: real ones from a file, or drawn ones with the same share of ink."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphTMError

INK = 75
"""Grey level above which a pixel is ink."""


def load_digits(path: Path, part: str, n: int | None = None) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return images as Booleans, and their digits, from ``mnist.npz`` or a folder in which it lies.

    Raises
    ------
    GraphTMError
        If there is no such file.
    """
    places = [path, path / "mnist.npz", path / "mnist" / "mnist.npz"]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise GraphTMError(f"There must be an mnist.npz at {path}, or in it; looked for {', '.join(map(str, places))}.")
    try:
        with np.load(found) as arrays:
            images, digits = arrays[f"x_{part}"][:n], arrays[f"y_{part}"][:n]
    except (KeyError, ValueError, OSError) as error:
        raise GraphTMError(f"{found} must hold the arrays x_{part} and y_{part}; it does not: {error}.") from error
    return images > INK, digits.astype(np.int64)


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
