"""How fast texts become graphs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from graphtm.bench.timing import Measurement
from graphtm.encoders.kmers import KMers
from graphtm.encoders.tokens import Tokens


def drawn_reviews(n: int = 25_000, seed: int = 0) -> list[str]:
    """Return texts with the lengths and the frequencies of words of film reviews, but of made-up words."""
    rng = np.random.default_rng(seed)
    # Half of the reviews have fewer than 175 words, the average one 235; words follow Zipf's law.
    lengths = np.clip(rng.lognormal(5.2, 0.75, n), 5, 2500).astype(int)
    ranks = np.minimum(rng.zipf(1.25, int(lengths.sum())), 100_000)
    words = [f"word{rank}" for rank in range(100_001)]
    drawn = [words[rank] for rank in ranks.tolist()]
    ends = np.cumsum(lengths).tolist()
    return [" ".join(drawn[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]


def drawn_genomes(n: int = 10_000, length: int = 1000, seed: int = 0) -> list[str]:
    """Return random sequences of the letters A, C, G and T."""
    letters = np.frombuffer(b"ACGT", np.uint8)[np.random.default_rng(seed).integers(0, 4, (n, length))]
    return [row.tobytes().decode() for row in letters]


def measure_texts(texts: Sequence[str] | None = None, encoder: Any = None, name: str | None = None) -> Measurement:
    """Measure fitting an encoder, transforming the texts and making all graphs, once.

    Parameters
    ----------
    texts
        The texts; made-up reviews, 25,000 of them, if not given.
    encoder
        The encoder; windowed graphs of words if not given.
    name
        What to call the work.

    Returns
    -------
    Measurement
        Seconds of all three together; the bytes are those of the graphs made, the peak that of the largest chunk.
    """
    texts = drawn_reviews() if texts is None else texts
    encoder = Tokens() if encoder is None else encoder
    start = time.perf_counter()
    graphs = encoder.fit_transform(texts)
    sizes = [chunk.pack().nbytes for chunk in graphs.chunks()]
    seconds = time.perf_counter() - start
    name = name or f"{type(encoder).__name__}: {len(texts):,} texts, {graphs.n_nodes:,} nodes"
    return Measurement(name, seconds, max(sizes, default=0), sum(sizes))


def measure_text_encoders(
    texts: Sequence[str] | None = None, genomes: Sequence[str] | None = None
) -> Iterator[Measurement]:
    """Yield the measurements of words, of words with pairs of words, and of k-mers; of made-up data if not given."""
    texts = drawn_reviews() if texts is None else texts
    genomes = drawn_genomes() if genomes is None else genomes
    yield measure_texts(texts)
    yield measure_texts(texts, Tokens(vocabulary_size=10_000, ngrams=2), "Tokens: the same, 10,000 words and pairs")
    yield measure_texts(genomes, KMers())
