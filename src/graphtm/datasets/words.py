"""Words with runs of A's: the first two sequence tasks of the paper (arXiv:2507.14874)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.generated import (
    Generated,
    Labels,
    Mask,
    TrueRule,
    any_node,
    carries,
    check_common,
    edges_of_type,
    graph_of_nodes,
    packed,
    with_noise,
)
from graphtm.graphs import GraphBatch, PackedGraphs


@dataclass(frozen=True)
class RunRule(TrueRule):
    """Class 1: ``run`` consecutive nodes, along edges of type ``right``, have the letter."""

    letter: str
    run: int

    def __str__(self) -> str:
        return f"1 if the word has {self.run} {self.letter}'s in a row, else 0"

    def __call__(self, graphs: GraphBatch) -> Labels:
        arrays = packed(graphs)
        return any_node(arrays, _run_ends(arrays, self.letter, self.run)[-1]).astype(np.int64)

    def nodes(self, graphs: GraphBatch) -> Mask:
        arrays = packed(graphs)
        return _walk_back(arrays, _run_ends(arrays, self.letter, self.run))


@dataclass(frozen=True)
class LongestRunRule(TrueRule):
    """The class is the length of the longest run of the letter. The nodes are those of the longest runs."""

    letter: str

    def __str__(self) -> str:
        return f"the length of the longest run of {self.letter}'s"

    def __call__(self, graphs: GraphBatch) -> Labels:
        arrays = packed(graphs)
        longest = np.zeros(arrays.n_graphs, np.int64)
        for ends in _run_ends(arrays, self.letter):
            longest += any_node(arrays, ends)
        return longest

    def nodes(self, graphs: GraphBatch) -> Mask:
        arrays = packed(graphs)
        longest = self(graphs)[graph_of_nodes(arrays)]
        levels = _run_ends(arrays, self.letter)
        made = np.zeros(arrays.n_nodes, dtype=np.bool_)
        for length in range(1, len(levels) + 1):
            ends = levels[length - 1] & (longest == length)
            made |= _walk_back(arrays, [*levels[: length - 1], ends])
        return made


def _run_ends(graphs: PackedGraphs, letter: str, run: int | None = None) -> list[Mask]:
    """Return masks of the nodes where a run of length 1, 2, ... ends, up to ``run`` or until there is none."""
    hits = carries(graphs, letter)
    sources, destinations = edges_of_type(graphs, "right")
    levels = [hits]
    # In a cycle there is no longest run: no run counts as longer than the number of nodes.
    most = int(graphs.node_counts.max(initial=1)) if run is None else run
    while len(levels) < most and (run is not None or levels[-1].any()):
        reached = np.zeros_like(hits)
        reached[destinations[levels[-1][sources]]] = True
        levels.append(reached & hits)
    return levels


def _walk_back(graphs: PackedGraphs, levels: list[Mask]) -> Mask:
    """Return a mask of all nodes of the runs that end at the nodes of the last level."""
    sources, destinations = edges_of_type(graphs, "right")
    here = levels[-1]
    made = here.copy()
    for earlier in levels[-2::-1]:
        before = np.zeros_like(here)
        before[sources[here[destinations]]] = True
        here = before & earlier
        made |= here
    return made


def sequences(
    n_samples: int = 5000,
    *,
    length: int = 5,
    letters: str = "ABCDE",
    run: int = 3,
    task: str = "contains",
    noise: float = 0.0,
    random_state: int | None = None,
) -> Generated:
    """Generate words whose class depends on a run of A's, as graphs.

    A word is a chain with one node per letter, an edge ``right`` to the next letter and ``left`` to the previous one.

    Parameters
    ----------
    n_samples
        Number of words.
    length, letters, run
        Length of a word, the alphabet, and the length of a run of its first letter.
    task
        ``"contains"``: class 1 contains ``run`` consecutive A's, class 0 does not; a run is inserted into a third of
        the words, as in the paper. ``"longest"``: the class is the length of the word's only run of A's, uniformly
        distributed from 1 to ``run`` (A, AA, AAA in the paper).
    noise
        Fraction of wrong labels.
    random_state
        Seed of the random generator.

    Returns
    -------
    Generated
        The words, their classes, the true rule, and the indices of the letters in ``data``.

    Examples
    --------
    >>> import graphtm as gtm
    >>> words = gtm.datasets.sequences(1000, random_state=0)
    >>> words
    Generated(GraphBatch(1,000 graphs, 5,000 nodes, 8,000 edges, 5 symbols, 2 edge types),
        rule="1 if the word has 3 A's in a row, else 0")
    >>> graphs, y = words
    >>> bool((words.rule(graphs) == y).all())
    True
    """
    check_common("sequences", n_samples, noise)
    if length < 1 or len(letters) < 1:
        raise ValueError(
            "The 'letters' and 'length' parameters of sequences must be at least one letter and 1. Got "
            f"{letters!r} and {length} instead."
        )
    if not 1 <= run <= length:
        raise ValueError(f"The 'run' parameter of sequences must be in the range [1, {length}]. Got {run} instead.")
    if task not in ("contains", "longest"):
        raise ValueError(f"The 'task' parameter of sequences must be 'contains' or 'longest'. Got {task!r} instead.")
    if task == "longest" and len(letters) < 2:
        raise ValueError(
            "The 'letters' parameter of sequences must be at least two letters for the task 'longest'. "
            f"Got {letters!r} instead."
        )
    rng = np.random.default_rng(random_state)
    if task == "contains":
        words, y = _words_with_runs(n_samples, length, len(letters), run, rng)
        y = with_noise(y, noise, rng)
        return Generated(word_graphs(words, letters), y, RunRule(letters[0], run), words)
    words, y = _words_of_one_run(n_samples, length, len(letters), run, rng)
    wrong = rng.random(n_samples) < noise
    if run > 1:
        y = np.where(wrong, (y - 1 + rng.integers(1, run, n_samples)) % run + 1, y)
    return Generated(word_graphs(words, letters), y, LongestRunRule(letters[0]), words)


def _words_with_runs(
    n: int, length: int, n_letters: int, run: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], Labels]:
    words = rng.integers(0, n_letters, (n, length))
    chosen = np.flatnonzero(rng.random(n) < 1 / 3)
    starts = rng.integers(0, length - run + 1, len(chosen))
    words[chosen[:, None], starts[:, None] + np.arange(run)] = 0
    windows = np.lib.stride_tricks.sliding_window_view(words == 0, run, axis=1)
    return words, np.any(np.all(windows, axis=2), axis=1).astype(np.int64)


def _words_of_one_run(
    n: int, length: int, n_letters: int, run: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], Labels]:
    words = rng.integers(1, n_letters, (n, length))
    y = rng.integers(1, run + 1, n)
    starts = rng.integers(0, length - y + 1)
    places = np.arange(length)
    words[(places >= starts[:, None]) & (places < (starts + y)[:, None])] = 0
    return words, y


def word_graphs(words: NDArray[np.integer[Any]], letters: str) -> GraphBatch:
    """Return rows of letter indices as chains."""
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
