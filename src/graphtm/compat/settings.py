"""The parameters of machines of earlier implementations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphtm.codes import Code, message_code
from graphtm.compat.codebook import Codebook, drawn_seed, scheme
from graphtm.compat.hashing import hashed_code, is_hashed
from graphtm.engines import initial_state
from graphtm.engines.base import require_machine_memory
from graphtm.engines.random import Purpose, code_draws
from graphtm.estimators.parameters import CLASS_SAMPLING_ABOVE
from graphtm.foundation.calling import warn_user
from graphtm.foundation.parameters import ParameterChecks, is_number
from graphtm.model import MachineParams, Model
from graphtm.model.settings import MAX_CLAUSES, MAX_DEPTH, MAX_S, MAX_T, per_layer

MOST_STATE_BITS = 8
_FLAGS = ("boost_true_positive_feedback", "double_hashing", "one_hot_encoding")
_WHOLE = (
    "number_of_clauses", "T", "max_included_literals", "number_of_state_bits", "depth", "message_size", "message_bits",
)  # fmt: skip
OF_MESSAGES = ("message_size", "message_bits", "double_hashing", "one_hot_encoding")
"""Parameters that models of depth 1 do not have."""
OF_TRAINING = ("T", "s", "q", "max_included_literals", "boost_true_positive_feedback")
"""Parameters that may be set between two calls of ``fit``."""
NAMES = (
    "number_of_clauses", "T", "s", "q", "max_included_literals", "boost_true_positive_feedback",
    "number_of_state_bits", "depth", "message_size", "message_bits", "double_hashing", "one_hot_encoding",
)  # fmt: skip
"""All parameters."""


class Settings:
    """The parameters of a machine, checked, with the attributes that scripts read and set.

    The parameters are those of :class:`~graphtm.compat.machines.MultiClassGraphTsetlinMachine`.
    """

    number_of_clauses: int
    T: int
    s: float | Sequence[float]
    q: float | None
    max_included_literals: int | None
    boost_true_positive_feedback: bool
    number_of_state_bits: int
    depth: int
    message_size: int
    message_bits: int
    double_hashing: bool
    one_hot_encoding: bool

    _is_made = False

    def __init__(
        self,
        number_of_clauses: int,
        T: float,
        s: float | Sequence[float],
        q: float | None = None,
        max_included_literals: int | None = None,
        boost_true_positive_feedback: bool = True,
        number_of_state_bits: int = MOST_STATE_BITS,
        depth: int = 1,
        message_size: int = 256,
        message_bits: int = 2,
        double_hashing: bool = False,
        one_hot_encoding: bool = False,
        grid: Any = None,  # noqa: ARG002 -- earlier implementations ran on one device
        block: Any = None,  # noqa: ARG002
    ) -> None:
        self.number_of_clauses = _truncated(number_of_clauses)
        self.T = _truncated(T)
        self.s = s
        self.q = q
        self.max_included_literals = _truncated(max_included_literals)
        self.boost_true_positive_feedback = bool(boost_true_positive_feedback)
        self.number_of_state_bits = _truncated(number_of_state_bits)
        self.depth = _truncated(depth)
        self.message_size = _truncated(message_size)
        self.message_bits = _truncated(message_bits)
        self.double_hashing = bool(double_hashing)
        self.one_hot_encoding = bool(one_hot_encoding)
        self._check()
        self._is_made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._is_made or name not in NAMES:
            super().__setattr__(name, value)
            return
        if name not in OF_TRAINING and self._is_trained:
            raise AttributeError(
                f"{name} of a trained {type(self).__name__} cannot be changed. Create a new one with {name}={value!r}."
            )
        self._update({name: value})
        self._changed()

    def _update(self, values: Mapping[str, Any]) -> None:
        """Set parameters: all of them or, if one is wrong, none."""
        former = self.arguments()
        for name, value in values.items():
            vars(self)[name] = _truncated(value) if name in _WHOLE else bool(value) if name in _FLAGS else value
        try:
            self._check()
        except ValueError:
            vars(self).update(former)
            raise

    @property
    def _is_trained(self) -> bool:
        return False

    def _changed(self) -> None:
        """Note that a parameter has been set after the machine was created."""

    def _check(self) -> None:
        checks = ParameterChecks(self)
        checks.integer("number_of_clauses", 1, MAX_CLAUSES)
        checks.integer("T", 1, MAX_T - 1)
        if self.q is not None:
            checks.number("q", 0, math.inf)
        checks.integer("max_included_literals", 0, 2**62, optional=True)
        checks.integer("number_of_state_bits", 1, 64)
        checks.integer("depth", 1, MAX_DEPTH)
        layers = per_layer(self.s, self.depth)
        if len(layers) != self.depth or not all(is_number(s) and 0 < s <= MAX_S for s in layers):
            checks.refuse("s", f"a number above 0 and up to 2^32, or {self.depth} of them, one per layer")
        checks.integer("message_size", 1, 2**31 - 1)
        checks.integer("message_bits", 1, 2**31 - 1)
        scheme(self.double_hashing, self.one_hot_encoding)
        if self.number_of_state_bits > MOST_STATE_BITS:
            warn_user(
                f"An automaton has at most {MOST_STATE_BITS} bits here; number_of_state_bits="
                f"{self.number_of_state_bits} is treated as {MOST_STATE_BITS}.",
                UserWarning,
            )
            vars(self)["number_of_state_bits"] = MOST_STATE_BITS

    def new_model(self, codebook: Codebook, n_outputs: int) -> Model:
        """Return a new model with a seed from NumPy's global generator."""
        seed, vocabulary = drawn_seed(), codebook.vocabulary()
        if len(vocabulary.node_types) > self.number_of_clauses:
            n_types = len(vocabulary.node_types)
            ParameterChecks(self).refuse(
                "number_of_clauses", f"at least the number of node types, {n_types}, since each clause serves one type"
            )
        messages = None if self.depth == 1 else self._message_code(len(vocabulary.edge_types), seed)
        params = MachineParams(
            n_outputs=n_outputs,
            hypervector_size=codebook.code.size,
            message_code=messages,
            n_node_types=len(vocabulary.node_types),
            seed=seed,
            n_clauses=self.number_of_clauses,
            depth=self.depth,
            T=self.T,
            s=tuple(map(float, per_layer(self.s, self.depth))),
            max_included_literals=self.max_included_literals,
            boost_true_positive=self.boost_true_positive_feedback,
            state_bits=self.number_of_state_bits,
            negative_sampling="class" if n_outputs > CLASS_SAMPLING_ABOVE else "clause",
        )
        require_new_weights(params)
        return Model(vocabulary, codebook.code, params, initial_state(params))

    def _message_code(self, n_edge_types: int, seed: int) -> Code:
        if self.double_hashing:
            return hashed_code(self.number_of_clauses, self.message_size, distinct=False)
        return message_code(
            self.number_of_clauses,
            n_edge_types,
            code_draws(seed, Purpose.CLAUSE_CODE),
            encoding="one_hot" if self.one_hot_encoding else "random",
            size=None if self.one_hot_encoding else self.message_size,
            bits=self.message_bits,
        )

    def params_with_own(self, params: MachineParams) -> MachineParams:
        """Return the parameters of a model with those of training as they are set here."""
        return replace(
            params,
            T=self.T,
            s=self.s,
            max_included_literals=self.max_included_literals,
            boost_true_positive=self.boost_true_positive_feedback,
        )

    def adopt(self, model: Model, others: Mapping[str, Any] | None = None) -> None:
        """Take the parameters of a model, and others that it does not have.

        Raises
        ------
        ValueError
            If one of the others is wrong; nothing has changed then.
        """
        params, messages = model.params, model.params.message_code
        layers = params.s_per_layer
        found = {
            **(others or {}),
            "number_of_clauses": params.n_clauses,
            "T": params.T,
            "s": layers[0] if len(set(layers)) == 1 else layers,
            "max_included_literals": params.max_included_literals,
            "depth": params.depth,
            "boost_true_positive_feedback": params.boost_true_positive,
            "number_of_state_bits": params.state_bits,
        }
        if messages is not None:
            found |= {
                "message_size": messages.size,
                "message_bits": messages.bits_per_owner,
                "double_hashing": is_hashed(messages),
                "one_hot_encoding": messages.scheme == "one_hot",
            }
        self._update(found)

    def check_layers(self, depth: int) -> None:
        """Check that there is an ``s`` for each layer of a model."""
        if len(per_layer(self.s, depth)) != depth:
            raise ValueError(
                f"The 's' parameter of {type(self).__name__} must be a number, or {depth} of them, one per layer of "
                f"the state. Got {self.s!r} instead. Set s to a number, or create the machine with depth={depth}."
            )

    def arguments(self) -> dict[str, Any]:
        """Return the parameters by name, such as a machine can be created with."""
        return {name: getattr(self, name) for name in NAMES}


def require_new_weights(params: MachineParams) -> None:
    """Check that a machine fits into memory while its weights are drawn: one wild class makes very many outputs."""
    require_machine_memory(params, 16 * params.n_outputs * (params.n_clauses + 2))


def _truncated(number: Any) -> Any:
    """Return a whole number: earlier implementations cut off fractions."""
    if isinstance(number, float | np.floating) and math.isfinite(number):
        return int(number)
    return number
