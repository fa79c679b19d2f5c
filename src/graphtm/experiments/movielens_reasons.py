"""Why these films: the seen films behind each film of a user's list, and rules behind the first of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphtm.datasets.ratings import Movie
from graphtm.estimators import GraphTMMultiLabelClassifier
from graphtm.experiments.movielens_graphs import films_of_nodes, names_of
from graphtm.experiments.movielens_ranking import NONE, best_new
from graphtm.explain.rule_text import rule_text
from graphtm.foundation.arrays import Int64Array
from graphtm.graphs import GraphBatch

N_SEEN, N_RULES, N_LITERALS = 3, 5, 5


def reasons(
    classifier: GraphTMMultiLabelClassifier,
    graph: GraphBatch,
    films: Sequence[Movie],
    task: Mapping[str, Any],
    seen: Int64Array,
    held_out: Int64Array,
) -> str:
    """Return a user's list as text, with the seen films that contribute most to each, and rules behind the first film.

    Parameters
    ----------
    classifier, graph
        The machine, and the graph of the user.
    films
        All films; labels are their numbers.
    task
        What the graphs are like.
    seen, held_out
        Films that the user has seen, oldest first, and those seen later, which are marked.
    """
    names, nodes = names_of(films), films_of_nodes(seen, task)
    explanation = classifier.explain(graph)
    (best,) = best_new(classifier.class_sums(graph), [seen])
    best = best[best != NONE].tolist()
    lines = [f"Seen last: {'; '.join(names[film] for film in seen[: -1 - N_SEEN : -1].tolist())}"]
    for rank, film in enumerate(best, start=1):
        given = np.bincount(nodes, explanation.scores(film).nodes, minlength=len(films))
        largest = [one for one in np.argsort(-given, kind="stable")[:N_SEEN] if given[one] > 0]
        because = "; ".join(f"{names[one]} {given[one]:+.0f}" for one in largest)
        mark = ", seen later" if film in held_out else ""
        votes = f"{explanation.votes[film]:+} votes{mark}"
        lines.append(f"{rank}. {names[film]} ({votes}), most of them from: {because or 'no film'}")
    first = best[0]
    lines.append(f"Rules that are true for the user, with their votes for {names[first]}:")
    for rule in explanation.rules(first, N_RULES):
        alone = replace(rule, weights=(rule.weights[first],), outputs=(names[first],))  # not those for all other films
        lines.append(rule_text(alone, N_LITERALS))
    return "\n".join(lines)
