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
FILM, RARE = "film", "rare film"


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


def film_graphs(histories: Histories, films: Sequence[Movie], ages: Sequence[int], frequent: Int64Array) -> GraphBatch:
    """Return a graph for each history: the type of a node is its film, and its symbols say how recent that is.

    Clauses are divided among the types of nodes, so that each is about one film.

    Parameters
    ----------
    histories, films
        Films that users have seen, oldest first, and all films.
    ages
        Symbols: ``("last", 5)`` is that of the last five films.
    frequent
        Films that have a type of their own; others are a rare film of their first genre.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.datasets.ratings import Movie
    >>> from graphtm.experiments.movielens_graphs import film_graphs
    >>> films = [Movie("Heat (1995)", ("Action", "Crime")), Movie("Clueless (1995)", ("Comedy",))]
    >>> print(film_graphs([np.array([1, 0])], films, (1, 2), frequent=np.array([0]))[0])
    Graph with 2 nodes and 0 edges
      0 (rare film=Comedy): last=2
      1 (film='Heat (1995)'): last=1, last=2
    """
    names = names_of(films)
    kinds: dict[tuple[str, ...], int] = {(FILM, names[film]): kind for kind, film in enumerate(frequent.tolist())}
    kind_of = np.array([_kind(names[film], one, kinds) for film, one in enumerate(films)], dtype=np.int64)
    counts = np.array([len(history) for history in histories], dtype=np.int64)
    age = np.repeat(counts, counts) - _positions(counts)  # 1 is the last film
    recent = [np.flatnonzero(age <= limit) for limit in ages]
    return GraphBatch.from_arrays(
        counts,
        (np.concatenate(recent), np.repeat(np.arange(len(ages)), [len(nodes) for nodes in recent])),
        [("last", limit) for limit in ages],
        node_types=(kind_of[np.concatenate(histories)], list(kinds)),
    )


def _kind(name: str, film: Movie, kinds: dict[tuple[str, ...], int]) -> int:
    """Return the number of the type of a film; types of rare films are added."""
    if (FILM, name) in kinds:
        return kinds[FILM, name]
    return kinds.setdefault((RARE, *film.genres[:1]), len(kinds))


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
    return film_graphs(histories, films, task["ages"], frequent)
