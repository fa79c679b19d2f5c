"""The parameters of the regressor that differ from those of classifiers, and what ``"auto"`` becomes for them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtm.estimators.automatic import AUTOMATIC
from graphtm.estimators.parameters import EstimatorSettings, automatic_parameter, or_automatic
from graphtm.foundation.parameters import ParameterChecks, integer, is_number, parameter
from graphtm.model.settings import MAX_T

VOTES_PER_CLAUSE = 16
"""``T`` for each clause and strength. The mean update of a vote sum is the error times the share of true clauses,
divided by this: small steps average the noise out, and many votes give a fine resolution."""
FEW_LITERALS, FEW_WITH_MESSAGES, FEW_PER_MISS = 3, 10, 4
"""Limit of literals of a clause with a depth of 1 and above, and of graded clauses for each that they may miss."""
SPECIFICITY, WITH_MESSAGES, GRADED = 3.0, 1.0, 30.0
"""``s`` with a depth of 1 and above, and of graded clauses. Clauses that send messages must be learned in steps that
are as large as possible: those that read them can only follow."""
ENOUGH_EXAMPLES, FEWEST_EPOCHS, MOST_EPOCHS = 40_000, 40, 100


def _check_range(checks: ParameterChecks, name: str) -> None:
    value = checks.value(name)
    if value is None:
        return
    rows = value if _is_list(value) and len(value) and all(map(_is_list, value)) else [value]
    if not all(_is_list(row) and len(row) == 2 and all(map(is_number, row)) and _has_width(row) for row in rows):
        checks.refuse(name, "a pair of finite numbers (low, high) with low < high, one such pair per target, or None")


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple | np.ndarray)


def _has_width(pair: Any) -> bool:
    try:
        return 0 < float(pair[1]) - float(pair[0]) < math.inf
    except OverflowError:  # an integer of more than 308 digits
        return False


@dataclass(eq=False, repr=False, kw_only=True)
class RegressionSettings(EstimatorSettings):
    """Parameters of the regressor."""

    T: Any = parameter(
        or_automatic(integer(1, MAX_T - 1)),
        "Voting margin: vote sums of ``-T`` and ``T`` are the ends of ``target_range``, so that one vote is worth a "
        "``2 * T``-th of it. A clause is updated with a probability of the error in votes, divided by ``2 * T``: with "
        f'a larger T, training takes smaller steps, and noise averages out. ``"auto"`` is {VOTES_PER_CLAUSE} for each '
        "clause, times ``max_misses + 1``.",
        default=AUTOMATIC,
    )
    s: Any = automatic_parameter(
        "s",
        f'``"auto"`` is {SPECIFICITY:g}, {WITH_MESSAGES:g} with a depth above 1, and {GRADED:g} with ``max_misses``.',
    )
    epochs: Any = parameter(
        or_automatic(integer(0, 2**31 - 1)),
        f'Number of times that ``fit`` goes through all graphs. ``"auto"`` is {FEWEST_EPOCHS}, and up to {MOST_EPOCHS} '
        f"for few graphs: as many as it takes to learn from {ENOUGH_EXAMPLES:,} graphs in all.",
        default=AUTOMATIC,
    )
    max_included_literals: Any = automatic_parameter(
        "max_included_literals",
        f'``"auto"`` is {FEW_LITERALS}, {FEW_WITH_MESSAGES} with a depth above 1, and {FEW_PER_MISS} times '
        "``max_misses`` for graded clauses: short clauses are general.",
    )
    target_range: Any = parameter(
        _check_range,
        "The smallest and the largest target, ``(low, high)``, or one such pair per target. Predictions stay within "
        "it, and targets outside are learned as the nearest end, with a warning. ``None`` takes the range of the "
        "training targets, which for ``partial_fit`` are those of the first call.",
        default=None,
    )

    def _automatic_values(self, n_graphs: int) -> dict[str, Any]:
        n_clauses, misses = int(self.n_clauses), int(self.max_misses)
        epochs = math.ceil(ENOUGH_EXAMPLES / max(n_graphs, 1))
        limit, s = (FEW_LITERALS, SPECIFICITY) if int(self.depth) == 1 else (FEW_WITH_MESSAGES, WITH_MESSAGES)
        return {
            "T": min(VOTES_PER_CLAUSE * n_clauses * (misses + 1), MAX_T - 1),
            "s": GRADED if misses else s,
            "epochs": min(max(epochs, FEWEST_EPOCHS), MOST_EPOCHS),
            "max_included_literals": FEW_PER_MISS * misses if misses else limit,
        }
