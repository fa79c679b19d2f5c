"""The parameters of the contextual bandit beside those of every estimator."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.estimators.labels import given_classes
from graphtm.estimators.parameters import EstimatorSettings
from graphtm.foundation.parameters import ParameterChecks, integer, is_integer, is_number, one_of, parameter

MOST_ARMS = 1 << 20
MOST_HEADS = 64
"""Heads take part in an update by the bits of one random word."""


def _check_arms(checks: ParameterChecks, name: str) -> None:
    arms = checks.value(name)
    if is_integer(arms):
        checks.integer(name, 1, MOST_ARMS)
        return
    names = arms.tolist() if isinstance(arms, np.ndarray) else arms
    known = isinstance(names, list | tuple) and 0 < len(names) <= MOST_ARMS
    kinds = str | int | np.integer | np.bool_  # arms counted in an array are NumPy's
    if not known or not all(isinstance(arm, kinds) for arm in names) or len(set(names)) < len(names):
        checks.refuse(name, "the number of arms, or a list of different names, each a str or an int")


def _check_range(checks: ParameterChecks, name: str) -> None:
    pair = checks.value(name)
    is_pair = isinstance(pair, list | tuple | np.ndarray) and len(pair) == 2
    if not is_pair or not all(map(is_number, pair)) or not 0 < float(pair[1]) - float(pair[0]) < math.inf:
        checks.refuse(name, "a pair of finite numbers (low, high) with low < high")


def _check_epsilon(checks: ParameterChecks, name: str) -> None:
    checks.number(name, 0.0, 1.0)


@dataclass(eq=False, repr=False, kw_only=True)
class BanditSettings(EstimatorSettings):
    """Parameters of the bandit."""

    arms: Any = parameter(
        _check_arms,
        "The arms to choose from: a list of names, or a number of arms, which are then named 0, 1, 2, ...",
        default=2,
    )
    reward_range: Any = parameter(
        _check_range,
        "The smallest and the largest reward that is possible, ``(low, high)``. Vote sums of ``-T`` and ``T`` stand "
        "for them.",
        default=(0.0, 1.0),
    )
    exploration: str = parameter(
        one_of("epsilon", "thompson"),
        'How :meth:`act` explores. ``"epsilon"`` takes an arm at random with probability ``epsilon``, and the best '
        'known one otherwise. ``"thompson"`` keeps ``n_heads`` opinions on every arm, each learned from a random half '
        "of the rewards, and takes the best arm of an opinion drawn at random: arms are explored as long as opinions "
        "differ.",
        default="epsilon",
    )
    epsilon: float = parameter(
        _check_epsilon,
        'Probability of a random arm, for ``exploration="epsilon"``. It may be changed at any time, and ``save`` keeps '
        "the value that it has then.",
        default=0.1,
    )
    n_heads: int = parameter(
        integer(2, MOST_HEADS),
        'Number of opinions on every arm, for ``exploration="thompson"``. All share the clauses.',
        default=10,
    )

    @property
    def heads(self) -> int:
        """Number of outputs of the machine for each arm."""
        return int(self.n_heads) if self.exploration == "thompson" else 1

    @property
    def arm_names(self) -> NDArray[Any]:
        """Names of the arms."""
        return given_classes(np.arange(int(self.arms)) if is_integer(self.arms) else list(self.arms))
