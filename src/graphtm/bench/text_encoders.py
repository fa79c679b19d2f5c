"""How fast texts become graphs, and how much memory the whole process needs for it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from graphtm.bench.processes import measure_apart, peak_memory, real_data
from graphtm.bench.timing import DRAWN, REAL, Measurement
from graphtm.datasets import load_imdb
from graphtm.encoders.kmers import KMers
from graphtm.encoders.tokens import Tokens

REVIEWS, GENOMES = 25_000, 10_000


def drawn_reviews(n: int = REVIEWS, seed: int = 0) -> list[str]:
    """Return texts with the lengths and the frequencies of words of film reviews, but of made-up words."""
    rng = np.random.default_rng(seed)
    # Half of the reviews have fewer than 175 words, the average one 235; words follow Zipf's law.
    lengths = np.clip(rng.lognormal(5.2, 0.75, n), 5, 2500).astype(int)
    ranks = np.minimum(rng.zipf(1.25, int(lengths.sum())), 100_000)
    words = [f"word{rank}" for rank in range(100_001)]
    drawn = [words[rank] for rank in ranks.tolist()]
    ends = np.cumsum(lengths).tolist()
    return [" ".join(drawn[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]


def drawn_genomes(n: int = GENOMES, length: int = 1000, seed: int = 0) -> list[str]:
    """Return random sequences of the letters A, C, G and T."""
    letters = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(seed).integers(0, 4, (n, length))]
    return [row.tobytes().decode() for row in letters]


def measure_text_encoders(
    data: Path | None = None, n_reviews: int = REVIEWS, n_genomes: int = GENOMES
) -> Iterator[Measurement]:
    """Yield the measurements of words, of words with pairs of words, and of k-mers, each of a process of its own.

    Parameters
    ----------
    data
        Where IMDB may lie; made-up reviews are used if it does not. Genomes are always made up.
    n_reviews, n_genomes
        How many texts.
    """
    yield measure_apart(measure_reviews, n_reviews, data)
    yield measure_apart(measure_reviews, n_reviews, data, Tokens(vocabulary_size=10_000, ngrams=2))
    yield measure_apart(measure_genomes, n_genomes)


def measure_reviews(n: int, data: Path | None = None, encoder: Tokens | None = None) -> Measurement:
    """Measure film reviews as windowed graphs of words, or as the encoder has it, in this process."""
    texts = real_data(load_imdb, data)
    return _measure(
        encoder or Tokens(), drawn_reviews(n) if texts is None else texts[:n], DRAWN if texts is None else REAL
    )


def measure_genomes(n: int) -> Measurement:
    """Measure sequences of a thousand letters as chains of triplets, in this process."""
    return _measure(KMers(), drawn_genomes(n), DRAWN)


def _measure(encoder: Tokens | KMers, texts: Sequence[str], source: str) -> Measurement:
    """Measure fitting, transforming and making all graphs; the graphs are lazy, so a chunk at a time."""
    start = time.perf_counter()
    graphs = encoder.fit_transform(texts)
    n_bytes = sum(chunk.pack().nbytes for chunk in graphs.chunks())
    seconds = time.perf_counter() - start
    name = f"{encoder}: {len(texts):,} texts, {graphs.n_nodes:,} nodes"
    return Measurement(name, seconds, peak_memory(), n_bytes, source)
