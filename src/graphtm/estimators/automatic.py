"""What ``"auto"`` becomes: the voting margin, the specificity and the number of epochs, from counts."""

from __future__ import annotations

import math

from graphtm.model.settings import MAX_T

AUTOMATIC = "auto"
MARGIN_PER_STRENGTH = 4
"""Weight that every clause needs, with all its strength, for the margin of graded clauses."""
ENOUGH_EXAMPLES = 40_000
"""Number of examples to learn from, over all epochs, if that takes neither too few nor too many epochs."""
FEWEST_EPOCHS, MOST_EPOCHS = 30, 200


def is_automatic(value: object) -> bool:
    """Return whether the value of a parameter is to be chosen."""
    return isinstance(value, str) and value == AUTOMATIC


def automatic_margin(n_clauses: int, max_misses: int) -> int:
    """Return the ``T`` for so many clauses.

    Twice the number of clauses without grading. Graded clauses are rarely silent, and many weak votes that agree need
    room: the margin is four times the sum of their strengths.
    """
    per_clause = 2 if max_misses == 0 else MARGIN_PER_STRENGTH * (max_misses + 1)
    return min(per_clause * n_clauses, MAX_T - 1)


def automatic_specificity(max_misses: int, n_graphs: int) -> float:
    """Return the ``s`` for so many training graphs.

    10 without grading. Graded clauses forget a literal with a probability of 1 / s whenever it is false, so they may
    be the more specific the more graphs there are: ten times the root of their number, from 100 to 1,000.
    """
    if max_misses == 0:
        return 10.0
    return float(min(max(round(10 * math.sqrt(n_graphs)), 100), 1000))


def automatic_epochs(n_graphs: int) -> int:
    """Return the number of ``epochs`` for so many training graphs: few graphs need many."""
    return min(max(math.ceil(ENOUGH_EXAMPLES / max(n_graphs, 1)), FEWEST_EPOCHS), MOST_EPOCHS)
