"""Parameters of the estimators, checked in scikit-learn's one sentence."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from typing import Any, NoReturn, TypeGuard

import numpy as np

from graphtm.codes.choice import ENCODINGS
from graphtm.engines.registry import engine_choices, is_engine_name
from graphtm.model.params import CLASS_SAMPLING_ABOVE, MAX_DEPTH, MAX_T, NegativeSampling, is_specificity


class ParameterChecks:
    """Checks attributes of an estimator; every failure is one sentence of the same form."""

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator

    def _value(self, name: str) -> Any:
        return getattr(self._estimator, name)

    def refuse(self, name: str, rule: str) -> NoReturn:
        """Say what an attribute must be."""
        owner = type(self._estimator).__name__
        raise ValueError(f"The {name!r} parameter of {owner} must be {rule}. Got {self._value(name)!r} instead.")

    def integer(self, name: str, low: int, high: int, *, optional: bool = False) -> None:
        """Require an integer in a closed range, or ``None`` where that is allowed."""
        value = self._value(name)
        if value is None and optional:
            return
        if not is_integer(value) or not low <= value <= high:
            self.refuse(name, f"an int in the range [{low}, {high}]" + (" or None" if optional else ""))

    def positive(self, name: str, *, optional: bool = False) -> None:
        """Require a finite number above 0, or ``None`` where that is allowed."""
        value = self._value(name)
        if not (value is None and optional) and not _is_positive(value):
            self.refuse(name, "a finite number above 0" + (" or None" if optional else ""))

    def number(self, name: str, low: float, high: float) -> None:
        """Require a number in a closed range."""
        value = self._value(name)
        if not _is_number(value) or not low <= value <= high:
            self.refuse(name, f"a number in the range [{low:g}, {high:g}]")

    def one_of(self, name: str, choices: Iterable[str], *, optional: bool = False) -> None:
        """Require one of some strings, or ``None`` where that is allowed."""
        choices, value = tuple(choices), self._value(name)
        if value is None and optional:
            return
        if not isinstance(value, str) or value not in choices:
            self.refuse(name, f"a str among {{{', '.join(map(repr, choices))}}}" + (" or None" if optional else ""))

    def jobs(self, name: str = "n_jobs") -> None:
        """Require a number of threads or processes as scikit-learn has it."""
        value = self._value(name)
        if value is not None and (not is_integer(value) or value == 0):
            self.refuse(name, "an int above 0, -1 for all processors, -2 for all but one and so on, or None")

    def boolean(self, name: str) -> None:
        """Require a Boolean."""
        if not isinstance(self._value(name), bool | np.bool_):
            self.refuse(name, "a bool")

    def specificity(self, name: str, depth: int) -> None:
        """Require a positive number, or one for each layer."""
        value = self._value(name)
        several = isinstance(value, list | tuple | np.ndarray)
        values = list(value) if several else [value]
        if (several and len(values) != depth) or not all(map(is_specificity, values)):
            self.refuse(name, f"a number above 0 and up to 2^32, or {depth} of them, one a layer")

    def machine(self) -> None:
        """Check the parameters that all estimators share."""
        self.integer("n_clauses", 1, 2**31 - 1)
        self.integer("T", 1, MAX_T - 1)
        self.integer("depth", 1, MAX_DEPTH)
        self.specificity("s", int(self._value("depth")))
        self.positive("q", optional=True)
        self.one_of("negative_sampling", ("auto", "clause", "class"))
        self.integer("epochs", 0, 2**31 - 1)
        self.integer("max_included_literals", 0, 2**62, optional=True)
        self.boolean("boost_true_positive")
        self.integer("state_bits", 1, 8)
        for name in ("symbol", "message"):
            self.one_of(f"{name}_encoding", ENCODINGS)
            self.integer(f"{name}_bits", 1, 2**31 - 1)
        self.integer("hypervector_size", 1, 2**31 - 1, optional=True)
        self.integer("message_size", 1, 2**31 - 1, optional=True)
        fraction = self._value("validation_fraction")
        if fraction is not None and not (_is_number(fraction) and 0 < fraction < 1):
            self.refuse("validation_fraction", "a number between 0 and 1, both excluded, or None")
        self.integer("patience", 1, 2**31 - 1, optional=True)
        self.boolean("warm_start")
        self.one_of("unknown", ("error", "ignore"))
        self.boolean("shuffle")
        if not isinstance(self._value("verbose"), bool):
            self.integer("verbose", 0, 100)
        if not is_engine_name(self._value("engine")):
            self.refuse("engine", f"a str among {{{engine_choices()}, ...}}")
        self.jobs()
        seed = self._value("random_state")
        if not (seed is None or isinstance(seed, np.random.RandomState | np.random.Generator)):
            self.integer("random_state", 0, 2**64 - 1)


def seed_from(random_state: Any) -> int:
    """Return a 64-bit seed: the number itself, a draw from a NumPy generator, or, for ``None``, one from the system."""
    if random_state is None:
        return secrets.randbits(64)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(0, 2**64, dtype=np.uint64))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(0, 2**64, dtype=np.uint64))
    return int(random_state)


def sampling_for(negative_sampling: str, n_outputs: int) -> NegativeSampling:
    """Return how negative outputs are thinned; ``"auto"`` draws per clause while there are few outputs."""
    if negative_sampling == "auto":
        return "class" if n_outputs > CLASS_SAMPLING_ABOVE else "clause"
    return "class" if negative_sampling == "class" else "clause"


def is_integer(value: object) -> bool:
    """Whether a value is a whole number and no Boolean."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_weight(value: object) -> bool:
    """Whether a value is a finite number of at least 0."""
    return _is_number(value) and bool(0 <= value < math.inf)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _is_positive(value: object) -> bool:
    return _is_number(value) and bool(0 < value < math.inf)
