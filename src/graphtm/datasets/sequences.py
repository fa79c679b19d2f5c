"""Words with and without a run of A's: the paper's first task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.graphs import GraphBatch


def make_sequences(
    n_samples: int = 5000,
    *,
    length: int = 5,
    letters: str = "ABCDE",
    run: int = 3,
    noise: float = 0.0,
    random_state: int | None = None,
) -> tuple[GraphBatch, NDArray[np.int64]]:
    """Make words as graphs; class 1 has ``run`` consecutive A's somewhere.

    A word is a chain: a node per letter, an edge ``right`` to the next letter and ``left`` to the one before. A third
    of the words get a run of A's on purpose, as in the paper.

    Parameters
    ----------
    n_samples
        Number of words.
    length, letters, run
        Letters per word, the alphabet, whose first letter counts, and how many of it make class 1.
    noise
        Share of labels that are turned around.
    random_state
        Seed of the words.

    Returns
    -------
    graphs, y
        The words and their classes, 0 and 1.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.make_sequences(1000, random_state=0)
    >>> graphs
    GraphBatch(1,000 graphs, 5,000 nodes, 8,000 edges, 5 symbols, 2 edge types)
    """
    if length < 1 or len(letters) < 1:
        raise ValueError(f"Words must have at least one letter and one place. Got {letters!r} and {length} instead.")
    if not 1 <= run <= length:
        raise ValueError(
            f"The 'run' parameter of make_sequences must be in the range [1, {length}]. Got {run} instead."
        )
    if not 0 <= noise <= 1:
        raise ValueError(f"The 'noise' parameter of make_sequences must be in the range [0, 1]. Got {noise} instead.")
    rng = np.random.default_rng(random_state)
    words = rng.integers(0, len(letters), (n_samples, length))
    chosen = np.flatnonzero(rng.random(n_samples) < 1 / 3)
    starts = rng.integers(0, length - run + 1, len(chosen))
    words[chosen[:, None], starts[:, None] + np.arange(run)] = 0
    y = has_run(words == 0, run).astype(np.int64)
    flipped = rng.random(n_samples) < noise
    return word_graphs(words, letters), np.where(flipped, 1 - y, y)


def has_run(hits: NDArray[np.bool_], run: int) -> NDArray[np.bool_]:
    """Return which rows have that many hits in a row."""
    windows = np.lib.stride_tricks.sliding_window_view(hits, run, axis=1)
    return np.asarray(np.any(np.all(windows, axis=2), axis=1))


def word_graphs(words: NDArray[np.integer[Any]], letters: str) -> GraphBatch:
    """Return rows of letter numbers as chains of nodes."""
    n, length = words.shape
    first = np.arange(n)[:, None] * length + np.arange(length - 1)
    right, left = (first, first + 1), (first + 1, first)
    return GraphBatch.from_arrays(
        np.full(n, length),
        (np.arange(n * length), words.reshape(-1)),
        symbols=list(letters),
        edges=(
            np.concatenate([right[0].reshape(-1), left[0].reshape(-1)]),
            np.concatenate([right[1].reshape(-1), left[1].reshape(-1)]),
            np.repeat([0, 1], first.size),
        ),
        edge_types=["right", "left"],
    )
