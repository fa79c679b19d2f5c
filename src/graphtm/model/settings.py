"""The parameters of a machine that users set. Each is declared only here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from graphtm.foundation.parameters import ParameterChecks, integer, parameter, parameters_of, plain_value, whole

MAX_CLAUSES = 2**31 - 1
MAX_T = 2**30
MAX_S = 2**32
MAX_DEPTH = 10_000
MAX_MISSES = 254  # strengths, up to one more, fit into a byte


def _check_specificity(checks: ParameterChecks, name: str) -> None:
    depth = int(checks.value("depth"))
    values = per_layer(checks.value(name), depth)
    if len(values) != depth or not all(map(_is_specificity, values)):
        checks.refuse(name, f"a number above 0 and up to 2^32, or {depth} of them, one per layer")


def _is_specificity(value: object) -> bool:
    """Return whether a value can be the ``s`` of a layer. Up to 2^32, masks have at most 40 digits."""
    return isinstance(value, Real) and not isinstance(value, bool) and bool(0 < value <= MAX_S)  # type: ignore[operator]


def _check_misses(checks: ParameterChecks, name: str) -> None:
    checks.integer(name, 0, MAX_MISSES)
    n_clauses = int(checks.value("n_clauses"))
    most = MAX_CLAUSES // n_clauses - 1  # all clauses together are never stronger than MAX_CLAUSES without grading
    if int(checks.value(name)) > most:
        checks.refuse(name, f"at most {most} with {n_clauses:,} clauses, so that vote sums fit into 64 bits")


def per_layer(value: Any, depth: int) -> list[Any]:
    """Return a list with one value per layer, from a list or from one value for all layers."""
    return list(value) if isinstance(value, list | tuple | np.ndarray) else [value] * depth


@dataclass(eq=False, repr=False, kw_only=True)
class MachineSettings:
    """Parameters of a machine: base class of the estimators and of :class:`~graphtm.model.MachineParams`.

    A field declared here is a parameter of every estimator. It is checked, documented, saved, compared when training
    continues, and passed to the engines as ``params.NAME``.
    """

    n_clauses: int = parameter(
        integer(1, MAX_CLAUSES), "Number of clauses, shared by all classes or labels.", default=1000, plain=int
    )
    depth: int = parameter(
        integer(1, MAX_DEPTH),
        "Number of layers. A clause sees nodes up to ``depth - 1`` edges away.",
        default=2,
        plain=int,
    )
    T: int = parameter(
        integer(1, MAX_T - 1),
        "Voting margin: the vote sum at which a class or label stops learning from an example. More clauses need a "
        "larger T.",
        default=2000,
        plain=int,
    )
    s: float | Sequence[float] = parameter(
        _check_specificity,
        "Specificity: larger values give longer, more specific clauses. A number, or one per layer.",
        default=10.0,
    )
    max_included_literals: int | None = parameter(
        integer(0, 2**62, optional=True),
        "Number of literals above which a clause stops growing; ``None`` for no limit. The limit is soft: one update "
        "may add several literals, and wrong votes still add some. Graded clauses are often twice as long.",
        default=None,
        plain=whole,
    )
    max_misses: int = parameter(
        _check_misses,
        "Number of included literals that a clause may miss. Above 0, clauses are graded: the vote of a clause falls "
        "by one with each miss, from ``max_misses + 1`` to 0. This helps where many weak signs decide together, as in "
        "real graphs, texts and images. Use it with a T that grows with ``max_misses + 1``, an ``s`` of 100 to 1,000 "
        "and a ``max_included_literals`` of 3 to 6 times ``max_misses``.",
        default=0,
        plain=int,
        before=0,
    )
    boost_true_positive: bool = parameter(
        ParameterChecks.boolean,
        "Whether to always reinforce true literals, instead of with probability ``1 - 1/s``.",
        default=True,
        plain=bool,
    )
    state_bits: int = parameter(
        integer(1, 8), "Number of bits of an automaton, which has ``2**state_bits`` states.", default=8, plain=int
    )

    def machine_settings(self) -> dict[str, Any]:
        """Return the parameters as plain Python values, with ``s`` as one number per layer."""
        settings = {name: plain_value(self, name) for name in parameters_of(MachineSettings)}
        settings["s"] = tuple(map(float, per_layer(self.s, settings["depth"])))
        return settings
