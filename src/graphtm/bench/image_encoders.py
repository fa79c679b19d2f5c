"""How fast images become encoded patches, and how much memory the whole process needs for it.

Each measurement is a process of its own, because peak memory is that of a process: images, bits and all.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.bench.images import INK, drawn_digits, load_digits
from graphtm.bench.timing import Measurement
from graphtm.codes import encode, symbol_code
from graphtm.encoders.images import ImagePatches
from graphtm.engines.random import Purpose, code_draws

SIZE = 128
"""Bits of the hypervectors, the paper's."""
DIGITS, PHOTOS = 60_000, 50_000


def measure_image_encoders(
    data: Path | None = None, n_digits: int = DIGITS, n_photos: int = PHOTOS
) -> Iterator[Measurement]:
    """Yield one measurement after the other; the second takes minutes.

    Parameters
    ----------
    data
        Where ``mnist.npz`` lies; drawn digits are used if not given. Photos are noise: how long it takes and how much
        memory it needs does not depend on what they show.
    n_digits, n_photos
        How many images; photos are taken a second time, flipped.
    """
    for work, n in ((_digits, n_digits), (_photos, n_photos)):
        # A new process per measurement, since a process never forgets its peak.
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool.submit(_measured, work, n, data).result()


def _measured(work: Callable[[int, Path | None], tuple[ImagePatches, NDArray[Any]]], n: int, data: Path | None) -> Any:
    encoder, images = work(n, data)
    start = time.perf_counter()
    graphs = encoder.fit_transform(images)
    n_symbols = len(graphs.vocabulary.symbols)
    code = symbol_code(n_symbols, code_draws(0, Purpose.SYMBOL_CODE), encoding="random", size=SIZE)
    n_bytes = encode(graphs, code).bits.nbytes
    seconds = time.perf_counter() - start
    nodes = graphs.n_nodes // len(graphs)
    name = f"ImagePatches: {len(graphs):,} images, {nodes:,} nodes each, {n_symbols:,} symbols, into {SIZE} bits"
    return Measurement(name, seconds, peak_memory(), n_bytes)


def _digits(n: int, data: Path | None) -> tuple[ImagePatches, NDArray[Any]]:
    images = drawn_digits(n, seed=0)[0] if data is None else load_digits(data, "train", n)[0]
    # As bytes again, so that the threshold is part of what is measured.
    return ImagePatches(10, threshold=INK + 1), images.astype(np.uint8) * np.uint8(255)


def _photos(n: int, data: Path | None) -> tuple[ImagePatches, NDArray[Any]]:  # noqa: ARG001
    images = np.random.default_rng(0).integers(0, 256, (2 * n, 32, 32, 3), dtype=np.uint8)
    images[n:] = images[:n, :, ::-1]
    # Twelve levels give the 2,500 symbols of the paper; the eight that it names would give 1,780.
    views: list[dict[str, Any]] = [{"booleanise": "adaptive"}, {"booleanise": "colour", "bins": 12}]
    return ImagePatches(8, views=views), images


def peak_memory() -> int:
    """Return the most bytes that this process has had in memory at one time."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Unlike getrusage, this does not count what the parent had when it started the process.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource  # not on every system

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
