"""Graphs of tangrams: states with utterances between them, or an action with the words of an utterance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graphtm.experiments.tangram_actions import Task, World, facts_of, steps, words_of
from graphtm.graphs import GraphBatch, Vocabulary

UNKNOWN = "unknown"


def state_graphs(tasks: Sequence[Task], shown: str) -> GraphBatch:
    """Return a graph for each task: worlds are nodes, and utterances the types of the edges between them.

    All worlds but the last are shown, or only the first. A world that comes back is the same node.

    Examples
    --------
    >>> from graphtm.experiments.tangram_graphs import state_graphs
    >>> from graphtm.experiments.tangram_actions import Task
    >>> task = Task(("remove a", "undo", "again"), (("a", "b"), ("b",), ("a", "b"), ("b",)))
    >>> print(state_graphs([task], "all")[0])
    Graph with 3 nodes and 3 edges
      0: (1, a), (2, b)
          remove a -> 1
          again -> 2
      1: (1, b)
          undo -> 0
      2: 'unknown'
    """
    symbols, utterances = dict[Hashable, int](), dict[Hashable, int]()
    nodes, numbers, edges = list[int](), list[int](), list[tuple[int, int, int]]()
    counts = list[int]()
    first = 0
    for task in tasks:
        n_shown = len(task.utterances) if shown == "all" else 1
        node_of = dict[World, int]()
        path = [first + node_of.setdefault(world, len(node_of)) for world in task.worlds[:n_shown]]
        counts.append(len(node_of) + len(task.utterances) + 1 - n_shown)
        path += range(first + len(node_of), first + counts[-1])
        carried = [(node, (place, piece)) for world, node in node_of.items() for place, piece in enumerate(world, 1)]
        for node, symbol in [*carried, (counts[-1] - 1, UNKNOWN)]:
            nodes.append(first + node)
            numbers.append(symbols.setdefault(symbol, len(symbols)))
        for utterance, (source, target) in zip(task.utterances, pairwise(path), strict=True):
            edges.append((source, target, utterances.setdefault(utterance, len(utterances))))
        first += counts[-1]
    return GraphBatch.from_arrays(
        counts, (np.array(nodes), np.array(numbers)), list(symbols), tuple(np.array(edges).T), list(utterances)
    )


def action_graphs(symbols: Iterable[set[Hashable]], vocabulary: Vocabulary) -> GraphBatch:
    """Return an action node per set of symbols; symbols outside the vocabulary are left out."""
    number_of = {symbol: number for number, symbol in enumerate(vocabulary.symbols)}
    numbers = [[number_of[symbol] for symbol in carried if symbol in number_of] for carried in symbols]
    nodes = np.repeat(np.arange(len(numbers)), [len(found) for found in numbers])
    carried = np.array([number for found in numbers for number in found], dtype=np.int64)
    return GraphBatch.from_arrays(np.ones(len(numbers), np.int64), (nodes, carried), list(vocabulary.symbols))


def training_actions(
    tasks: Sequence[Task], negatives: float, min_count: int
) -> tuple[GraphBatch, NDArray[np.int64], Vocabulary]:
    """Return the actions that are meant (1), and a share of those that are possible but not meant (0).

    Symbols that fewer actions than ``min_count`` carry are left out.
    """
    rng = np.random.default_rng(0)
    symbols: list[set[Hashable]] = []
    y: list[int] = []
    for task in tasks:
        for utterance, story, meant in steps(task):
            words = words_of(utterance)
            for action in story.candidates():
                if action == meant or rng.random() < negatives:
                    symbols.append(words | facts_of(story, action))
                    y.append(int(action == meant))
    often = Counter(symbol for carried in symbols for symbol in carried)
    vocabulary = Vocabulary(sorted((symbol for symbol, n in often.items() if n >= min_count), key=repr))
    return action_graphs(symbols, vocabulary), np.array(y), vocabulary
