"""Graphs of histories: films in a row as in the paper, or a kind of nodes for each film."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphtm.datasets.ratings import Movie
from graphtm.experiments.movielens_data import Histories
from graphtm.foundation.arrays import Int64Array
from graphtm.graphs import GraphBatch

SEQUENCE, FILMS = "sequence", "films"
"""Kinds of graphs."""
LATER, EARLIER = "later", "earlier"


def names_of(films: Sequence[Movie]) -> list[str]:
    """Return the titles of films, made different where two films have the same.

    Examples
    --------
    >>> from graphtm.datasets.ratings import Movie
    >>> from graphtm.experiments.movielens_graphs import names_of
    >>> names_of([Movie("Hugo Pool (1997)", ()), Movie("Money Talks (1997)", ()), Movie("Hugo Pool (1997)", ())])
    ['Hugo Pool (1997)', 'Money Talks (1997)', 'Hugo Pool (1997) #2']
    """
    seen: Counter[str] = Counter()
    names = []
    for film in films:
        seen[film.title] += 1
        again = seen[film.title]
        names.append(film.title if again == 1 else f"{film.title} #{again}")
    return names


def sequence_graphs(histories: Histories, films: Sequence[Movie]) -> GraphBatch:
    """Return a graph for each history: films in a row, with their titles and genres, and edges to both neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.datasets.ratings import Movie
    >>> from graphtm.experiments.movielens_graphs import sequence_graphs
    >>> films = [Movie("Heat (1995)", ("Action", "Crime")), Movie("Clueless (1995)", ("Comedy",))]
    >>> print(sequence_graphs([np.array([1, 0])], films)[0])
    Graph with 2 nodes and 2 edges
      0: 'Clueless (1995)', genre=Comedy
          later -> 1
      1: 'Heat (1995)', genre=Action, genre=Crime
          earlier -> 0
    """
    genres = sorted({genre for film in films for genre in film.genres})
    number_of = {genre: len(films) + number for number, genre in enumerate(genres)}
    own = [np.array([film, *(number_of[genre] for genre in one.genres)]) for film, one in enumerate(films)]
    counts = np.array([len(history) for history in histories], dtype=np.int64)
    carried = [own[film] for history in histories for film in history.tolist()]
    nodes = np.repeat(np.arange(len(carried)), [len(numbers) for numbers in carried])
    first = _positions(counts)[: len(carried)]
    ends = np.repeat(counts, counts) - 1
    sources = np.concatenate([np.flatnonzero(first < ends), np.flatnonzero(first > 0)])
    kinds = np.repeat([0, 1], [np.count_nonzero(first < ends), np.count_nonzero(first > 0)])
    return GraphBatch.from_arrays(
        counts,
        (nodes, np.concatenate(carried)),
        [*names_of(films), *(("genre", genre) for genre in genres)],
        (sources, sources + np.where(kinds == 0, 1, -1), kinds),
        [LATER, EARLIER],
    )


def film_graphs(
    histories: Histories, films: Sequence[Movie], windows: Sequence[int], ages: Sequence[int], frequent: Int64Array
) -> GraphBatch:
    """Return a graph for each history: nodes are the films that were seen last, and their types are the films.

    Clauses are divided among the types of nodes, so that each is about one film.

    Parameters
    ----------
    histories, films
        Films that users have seen, oldest first, and all films.
    windows
        Numbers of last films: there is a node, with a type of its own, for each of the last five and each of the last
        twenty films, for instance.
    ages
        Symbols of nodes: ``("last", 3)`` is that of the last three films.
    frequent
        Films that have types of their own; others share those of rare films with the same first genre.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.datasets.ratings import Movie
    >>> from graphtm.experiments.movielens_graphs import film_graphs
    >>> films = [Movie("Heat (1995)", ("Action", "Crime")), Movie("Clueless (1995)", ("Comedy",))]
    >>> print(film_graphs([np.array([1, 0])], films, windows=[1, 20], ages=[1, 5], frequent=np.array([0]))[0])
    Graph with 3 nodes and 0 edges
      0 (in last 1='Heat (1995)'): last=1, last=5
      1 (rare in last 20=Comedy): last=5
      2 (in last 20='Heat (1995)'): last=1, last=5
    """
    names = names_of(films)
    kinds = dict.fromkeys(("", names[film]) for film in frequent.tolist())
    own = [("", name) if ("", name) in kinds else _rare(film) for name, film in zip(names, films, strict=True)]
    numbers = {kind: number for number, kind in enumerate([*kinds, *sorted({*own} - {*kinds})])}
    kind_of = np.array([numbers[kind] for kind in own], dtype=np.int64)
    counts = np.array([sum(min(window, len(history)) for window in windows) for history in histories], dtype=np.int64)
    seen = [history[-window:] for history in histories for window in windows]
    sizes = np.array([len(part) for part in seen], dtype=np.int64)
    shift = np.tile(np.arange(len(windows)) * len(numbers), len(histories))
    age = np.repeat(sizes, sizes) - _positions(sizes)  # 1 is the last film
    recent = [np.flatnonzero(age <= limit) for limit in ages]
    return GraphBatch.from_arrays(
        counts,
        (np.concatenate(recent), np.repeat(np.arange(len(ages)), [len(nodes) for nodes in recent])),
        [("last", limit) for limit in ages],
        node_types=(
            kind_of[np.concatenate(seen)] + np.repeat(shift, sizes),
            [(f"{rare}in last {window}", name) for window in windows for rare, name in numbers],
        ),
    )


def _rare(film: Movie) -> tuple[str, str]:
    """Return the type of a rare film."""
    return "rare ", next(iter(film.genres), "without genre")


def films_of_nodes(seen: Int64Array, task: Mapping[str, Any]) -> Int64Array:
    """Return the film of each node of the graph of a history.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.movielens_graphs import FILMS, films_of_nodes
    >>> films_of_nodes(np.array([8, 3, 5]), {"graphs": FILMS, "windows": [2, 20]})
    array([3, 5, 8, 3, 5])
    """
    return seen if task["graphs"] == SEQUENCE else np.concatenate([seen[-window:] for window in task["windows"]])


def _positions(counts: Int64Array) -> Int64Array:
    """Return the position of each node in its graph."""
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) - np.repeat(ends - counts, counts)


def frequent_films(histories: Histories, n_films: int, min_count: int) -> Int64Array:
    """Return the films that at least ``min_count`` histories have.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.movielens_graphs import frequent_films
    >>> frequent_films([np.array([4, 1]), np.array([1])], 5, 2)
    array([1])
    """
    return np.flatnonzero(np.bincount(np.concatenate(histories), minlength=n_films) >= min_count)


def graphs_of(
    histories: Histories, films: Sequence[Movie], task: Mapping[str, Any], frequent: Int64Array
) -> GraphBatch:
    """Return the graphs that a task asks for."""
    if task["graphs"] == SEQUENCE:
        return sequence_graphs(histories, films)
    return film_graphs(histories, films, task["windows"], task["ages"], frequent)
