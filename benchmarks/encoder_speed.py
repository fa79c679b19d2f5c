"""Time and memory of encoders and converters: from images, texts, sequences and data frames to graphs.

    python benchmarks/encoder_speed.py [--data DIR] [--scale 1] [--json FILE]

Each row is measured once, in its own process. Peak memory is that of the whole process, including data and libraries.
The full run takes minutes. `make bench-encoders` runs it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from measurements import DRAWN, REAL, Measurement, measure_apart, parser, peak_memory, report
from numpy.typing import NDArray

from graphtm.bench import INK, drawn_digits
from graphtm.codes import encode, symbol_code
from graphtm.datasets import load_cifar10, load_imdb, load_mnist
from graphtm.encoders import ImagePatches, KMers, Neighbourhoods, Tokens
from graphtm.engines.random import Purpose, code_draws
from graphtm.errors import DatasetNotFoundError
from graphtm.foundation.calling import require
from graphtm.graphs import GraphBatch

SIZE = 128
"""Bits of the hypervectors, as in the paper (arXiv:2507.14874)."""
DIGITS, PHOTOS, REVIEWS, GENOMES, EDGES, MOLECULES = 60_000, 50_000, 25_000, 10_000, 1_000_000, 10_000


def measure_encoders(data: Path | None = None, scale: float = 1.0) -> Iterator[Measurement]:
    """Yield the measurements, each from its own process.

    Parameters
    ----------
    data
        Folder with MNIST, CIFAR-10 and IMDB. Missing datasets are replaced by similar random data.
    scale
        Fraction of the samples to use.
    """
    digits, photos, reviews, genomes, edges, molecules = (
        max(1, round(scale * n)) for n in (DIGITS, PHOTOS, REVIEWS, GENOMES, EDGES, MOLECULES)
    )
    if find_spec("pandas") is not None:
        yield measure_apart(measure_frames, edges)
    yield measure_apart(measure_reviews, reviews, data)
    yield measure_apart(measure_reviews, reviews, data, Tokens(vocabulary_size=10_000, ngrams=2))
    yield measure_apart(measure_genomes, genomes)
    yield measure_apart(measure_neighbourhoods, molecules)
    yield measure_apart(measure_digits, digits, data)
    yield measure_apart(measure_photos, photos, data)


def measure_digits(n: int, data: Path | None = None) -> Measurement:
    """Measure digits as patches of 10 x 10 pixels, in this process."""
    images = _real_data(load_mnist, data)
    source = DRAWN if images is None else REAL
    if images is None:
        # As bytes, so that the threshold is part of what is measured.
        images = drawn_digits(n, seed=0)[0] * np.uint8(255)
    return _measure_images(ImagePatches(10, threshold=INK + 1), images[:n], source)


def measure_photos(n: int, data: Path | None = None) -> Measurement:
    """Measure photos and their mirror images as patches of 8 x 8 pixels in two views, in this process.

    Random photos take the same time and memory as real ones.
    """
    photos = _real_data(load_cifar10, data)
    source = DRAWN if photos is None else REAL
    if photos is None:
        photos = np.random.default_rng(0).integers(0, 256, (n, 32, 32, 3), dtype=np.uint8)
    images = np.concatenate([photos[:n], photos[:n, :, ::-1]])
    del photos
    # Twelve levels give the 2,500 symbols of the paper; the eight that it states would give 1,780.
    views: list[dict[str, Any]] = [{"booleanise": "adaptive"}, {"booleanise": "colour", "bins": 12}]
    return _measure_images(ImagePatches(8, views=views), images, source)


def measure_reviews(n: int, data: Path | None = None, encoder: Tokens | None = None) -> Measurement:
    """Measure film reviews as graphs of words, in this process."""
    texts = _real_data(load_imdb, data)
    source = DRAWN if texts is None else REAL
    return _measure_texts(encoder or Tokens(), random_reviews(n) if texts is None else texts[:n], source)


def measure_genomes(n: int) -> Measurement:
    """Measure sequences of a thousand letters as chains of triplets, in this process."""
    letters = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(0).integers(0, 4, (n, 1000))]
    return _measure_texts(KMers(), [row.tobytes().decode() for row in letters], DRAWN)


def measure_neighbourhoods(n: int, size: int = 100, n_edges: int = 250) -> Measurement:
    """Measure looks up to two hops of random graphs with five symbols and edges in both directions, in this process."""
    rng = np.random.default_rng(0)
    first = np.repeat(np.arange(n) * size, n_edges)
    ends = first + rng.integers(0, size, (2, len(first)))
    graphs = GraphBatch.from_arrays(
        np.full(n, size),
        (np.arange(n * size), rng.integers(0, 5, n * size)),
        list("ABCDE"),
        (np.concatenate(ends), np.concatenate(ends[::-1])),
    )
    encoder = Neighbourhoods()
    start = time.perf_counter()
    made = encoder.fit_transform(graphs)
    seconds = time.perf_counter() - start
    name = f"{encoder}: {n:,} graphs, {made.n_nodes:,} nodes, {2 * len(first):,} edges"
    return Measurement(name, seconds, peak_memory(), made.pack().nbytes)


def measure_frames(n_edges: int = EDGES, n_graphs: int = 1000, size: int = 100) -> Measurement:
    """Measure random graphs in pandas data frames, in this process."""
    from graphtm.graphs.convert import from_pandas

    pandas = require("pandas", "The measurement of from_pandas", "frames")
    rng = np.random.default_rng(0)
    number = np.arange(n_graphs * size)
    nodes = pandas.DataFrame(
        {"graph": number // size, "node": number % size, "letter": rng.choice(list("ABCD"), len(number))}
    )
    ends = rng.integers(0, size, (2, n_edges))
    edges = pandas.DataFrame(
        {
            "graph": rng.integers(0, n_graphs, n_edges),
            "source": ends[0],
            "destination": ends[1],
            "type": rng.choice(["right", "left"], n_edges),
        }
    )
    start = time.perf_counter()
    graphs = from_pandas(nodes, edges, symbols=["letter"], edge_type="type")
    seconds = time.perf_counter() - start
    name = f"from_pandas: {n_graphs:,} graphs, {len(number):,} nodes, {n_edges:,} edges"
    return Measurement(name, seconds, peak_memory(), graphs.pack().nbytes)


def random_reviews(n: int, seed: int = 0) -> list[str]:
    """Return texts of made-up words, with the lengths and word frequencies of film reviews."""
    rng = np.random.default_rng(seed)
    # The median review has 175 words, the mean is 235; words follow Zipf's law.
    lengths = np.clip(rng.lognormal(5.2, 0.75, n), 5, 2500).astype(int)
    ranks = np.minimum(rng.zipf(1.25, int(lengths.sum())), 100_000)
    words = [f"word{rank}" for rank in range(100_001)]
    drawn = [words[rank] for rank in ranks.tolist()]
    ends = np.cumsum(lengths).tolist()
    return [" ".join(drawn[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]


def _real_data(load: Callable[..., tuple[Any, Any]], data: Path | None) -> Any:
    """Return the training data of a dataset in a folder, or ``None`` if it is not there."""
    if data is None:
        return None
    try:
        return load(subset="train", data_home=data, download=False)[0]
    except DatasetNotFoundError:
        return None


def _measure_images(encoder: ImagePatches, images: NDArray[Any], source: str) -> Measurement:
    start = time.perf_counter()
    graphs = encoder.fit_transform(images)
    n_symbols = len(graphs.vocabulary.symbols)
    code = symbol_code(n_symbols, code_draws(0, Purpose.SYMBOL_CODE), encoding="random", size=SIZE)
    n_bytes = encode(graphs, code).bits.nbytes
    seconds = time.perf_counter() - start
    nodes = graphs.n_nodes // len(graphs)
    name = f"ImagePatches: {len(graphs):,} images, {nodes:,} nodes each, {n_symbols:,} symbols, into {SIZE} bits"
    return Measurement(name, seconds, peak_memory(), n_bytes, source)


def _measure_texts(encoder: Tokens | KMers, texts: Sequence[str], source: str) -> Measurement:
    """Measure fitting, transforming and making all graphs; the graphs are lazy, so one chunk at a time."""
    start = time.perf_counter()
    graphs = encoder.fit_transform(texts)
    n_bytes = sum(chunk.pack().nbytes for chunk in graphs.chunks())
    seconds = time.perf_counter() - start
    name = f"{encoder}: {len(texts):,} texts, {graphs.n_nodes:,} nodes"
    return Measurement(name, seconds, peak_memory(), n_bytes, source)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, metavar="DIR", help="folder with mnist/, cifar10/, imdb/: use real data")
    options.add_argument("--scale", type=float, default=1.0, help="fraction of the samples (default: %(default)s)")
    given = options.parse_args()
    if given.data is not None and not given.data.is_dir():
        options.error(f"the folder {given.data} does not exist")
    if find_spec("pandas") is None:
        print("Data frames are not measured, because pandas is not installed: pip install 'graphtm[frames]'.")
    report("encoders", "peak memory,\nwhole process", measure_encoders(given.data, given.scale), given.json)


if __name__ == "__main__":
    main()
