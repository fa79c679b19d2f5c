"""Why these films: the seen films behind each film of a user's list, and rules behind the first of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphtm.datasets.ratings import Movie
from graphtm.estimators import GraphTMMultiLabelClassifier
from graphtm.experiments.movielens_graphs import names_of
from graphtm.experiments.movielens_ranking import NONE, best_new
from graphtm.foundation.arrays import Int64Array
from graphtm.graphs import GraphBatch

N_SEEN, N_RULES = 3, 5


def reasons(
    classifier: GraphTMMultiLabelClassifier,
    graph: GraphBatch,
    films: Sequence[Movie],
    seen: Int64Array,
    held_out: Int64Array,
) -> str:
    """Return a user's list as text, with the seen films that contribute most to each, and rules behind the first film.

    Parameters
    ----------
    classifier, graph
        The machine, and the graph of the user, with a node for each film that they have seen.
    films
        All films; labels are their numbers.
    seen, held_out
        Films that the user has seen, oldest first, and those seen later, which are marked.
    """
    names = names_of(films)
    explanation = classifier.explain(graph)
    (best,) = best_new(classifier.class_sums(graph), [seen])
    best = best[best != NONE].tolist()
    lines = [f"Seen last: {'; '.join(names[film] for film in seen[: -1 - N_SEEN : -1].tolist())}"]
    for rank, film in enumerate(best, start=1):
        nodes = explanation.scores(film).nodes
        strongest = np.argsort(-nodes, kind="stable")[:N_SEEN].tolist()
        because = "; ".join(f"{names[seen[node]]} {nodes[node]:+.0f}" for node in strongest)
        mark = ", seen later" if film in held_out else ""
        lines.append(f"{rank}. {names[film]} ({explanation.votes[film]:+} votes{mark}), most of them from: {because}")
    first = best[0]
    lines.append(f"Rules that are true for the user, with their votes for {names[first]}:")
    for rule in explanation.rules(first, N_RULES):
        alone = replace(rule, weights=(rule.weights[first],), outputs=(names[first],))  # not those for all other films
        lines.append(str(alone))
    return "\n".join(lines)
