"""What ``"auto"`` becomes: the voting margin, the specificity and the number of epochs, from counts."""

from __future__ import annotations

import math

from graphtm.model.settings import MAX_T

AUTOMATIC = "auto"
ENOUGH_EXAMPLES, ENOUGH_WITH_MESSAGES = 12_000, 40_000
"""Number of examples to learn from, over all epochs, at depth 1 and above, if that takes a fair number of epochs."""
FEWEST_EPOCHS, MOST_EPOCHS = 30, 200


def is_automatic(value: object) -> bool:
    """Return whether the value of a parameter is to be chosen."""
    return isinstance(value, str) and value == AUTOMATIC


def automatic_margin(n_clauses: int, max_misses: int) -> int:
    """Return the ``T`` for so many clauses.

    A fifth of the clauses, and at least 10, without grading. Graded clauses are rarely silent, and many weak votes
    that agree need room: the margin is four times the sum of their greatest strengths.
    """
    margin = max(n_clauses // 5, 10) if max_misses == 0 else 4 * (max_misses + 1) * n_clauses
    return min(margin, MAX_T - 1)


def automatic_specificity(max_misses: int, depth: int, n_graphs: int) -> float:
    """Return the ``s`` for so many training graphs.

    5 without grading. Graded clauses forget a literal with a probability of 1 / s whenever it is false, so they may
    be the more specific the more graphs there are: ten times the root of their number, from 100 to 1,000. With
    messages, where clauses must follow each other, three times the root, from 30 to 300.
    """
    if max_misses == 0:
        return 5.0
    factor, least = (10, 100) if depth == 1 else (3, 30)
    return float(min(max(round(factor * math.sqrt(n_graphs)), least), 10 * least))


def automatic_epochs(depth: int, n_graphs: int) -> int:
    """Return the number of ``epochs`` for so many training graphs: few graphs need many, and messages even more."""
    enough = ENOUGH_EXAMPLES if depth == 1 else ENOUGH_WITH_MESSAGES
    return min(max(math.ceil(enough / max(n_graphs, 1)), FEWEST_EPOCHS), MOST_EPOCHS)
