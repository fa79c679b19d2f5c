"""How fast images become encoded patches, and how much memory the whole process needs for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.bench.images import INK, drawn_digits
from graphtm.bench.processes import measure_apart, peak_memory, real_data
from graphtm.bench.timing import DRAWN, REAL, Measurement
from graphtm.codes import encode, symbol_code
from graphtm.datasets import load_cifar10, load_mnist
from graphtm.encoders.images import ImagePatches
from graphtm.engines.random import Purpose, code_draws

SIZE = 128
"""Bits of the hypervectors, the paper's."""
DIGITS, PHOTOS = 60_000, 50_000


def measure_image_encoders(
    data: Path | None = None, n_digits: int = DIGITS, n_photos: int = PHOTOS
) -> Iterator[Measurement]:
    """Yield one measurement after the other, each of a process of its own; the second takes minutes.

    Parameters
    ----------
    data
        Where MNIST and CIFAR-10 may lie. What does not lie there is drawn: digits of as much ink as real ones, and
        photos that are noise, which takes the same time and memory.
    n_digits, n_photos
        How many images; photos are taken a second time, flipped.
    """
    yield measure_apart(measure_digits, n_digits, data)
    yield measure_apart(measure_photos, n_photos, data)


def measure_digits(n: int, data: Path | None = None) -> Measurement:
    """Measure digits as patches of 10 x 10 pixels, in this process."""
    images = real_data(load_mnist, data)
    source = DRAWN if images is None else REAL
    if images is None:
        # As bytes, so that the threshold is part of what is measured.
        images = drawn_digits(n, seed=0)[0] * np.uint8(255)
    return _measure(ImagePatches(10, threshold=INK + 1), images[:n], source)


def measure_photos(n: int, data: Path | None = None) -> Measurement:
    """Measure photos and their mirror images as patches of 8 x 8 pixels in two views, in this process."""
    photos = real_data(load_cifar10, data)
    source = DRAWN if photos is None else REAL
    if photos is None:
        photos = np.random.default_rng(0).integers(0, 256, (n, 32, 32, 3), dtype=np.uint8)
    images = np.concatenate([photos[:n], photos[:n, :, ::-1]])
    del photos
    # Twelve levels give the 2,500 symbols of the paper; the eight that it names would give 1,780.
    views: list[dict[str, Any]] = [{"booleanise": "adaptive"}, {"booleanise": "colour", "bins": 12}]
    return _measure(ImagePatches(8, views=views), images, source)


def _measure(encoder: ImagePatches, images: NDArray[Any], source: str) -> Measurement:
    start = time.perf_counter()
    graphs = encoder.fit_transform(images)
    n_symbols = len(graphs.vocabulary.symbols)
    code = symbol_code(n_symbols, code_draws(0, Purpose.SYMBOL_CODE), encoding="random", size=SIZE)
    n_bytes = encode(graphs, code).bits.nbytes
    seconds = time.perf_counter() - start
    nodes = graphs.n_nodes // len(graphs)
    name = f"ImagePatches: {len(graphs):,} images, {nodes:,} nodes each, {n_symbols:,} symbols, into {SIZE} bits"
    return Measurement(name, seconds, peak_memory(), n_bytes, source)
