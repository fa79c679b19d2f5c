"""The parameters of machines of earlier implementations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphtm.codes import Code, message_code
from graphtm.compat.codebook import Codebook, drawn_seed, scheme
from graphtm.compat.hashing import hashed_code, is_hashed
from graphtm.engines import initial_state
from graphtm.engines.random import Purpose, code_draws
from graphtm.estimators.parameters import CLASS_SAMPLING_ABOVE
from graphtm.foundation.calling import warn_user
from graphtm.foundation.parameters import ParameterChecks, is_number
from graphtm.model import MachineParams, Model
from graphtm.model.settings import MAX_CLAUSES, MAX_DEPTH, MAX_S, MAX_T, per_layer

MOST_STATE_BITS = 8


class Settings:
    """The parameters of a machine, checked, with the attributes that scripts read.

    The parameters are those of :class:`~graphtm.compat.machines.MultiClassGraphTsetlinMachine`.
    """

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
            self.number_of_state_bits = MOST_STATE_BITS

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
        return Model(vocabulary, codebook.code, params, initial_state(params))

    def _message_code(self, n_edge_types: int, seed: int) -> Code:
        if self.double_hashing:
            return hashed_code(self.number_of_clauses, self.message_size, distinct=False)
        return message_code(
            self.number_of_clauses,
            n_edge_types,
            code_draws(seed, Purpose.CLAUSE_CODE),
            encoding=scheme(self.double_hashing, self.one_hot_encoding),
            size=None if self.one_hot_encoding else self.message_size,
            bits=self.message_bits,
        )

    def adopt(self, model: Model) -> None:
        """Take the parameters of a model."""
        params, messages = model.params, model.params.message_code
        self.number_of_clauses, self.T, self.s = params.n_clauses, params.T, params.s_per_layer
        if len(set(self.s)) == 1:
            self.s = self.s[0]
        self.max_included_literals, self.depth = params.max_included_literals, params.depth
        self.boost_true_positive_feedback = params.boost_true_positive
        self.number_of_state_bits = params.state_bits
        if messages is not None:
            self.message_size, self.message_bits = messages.size, messages.bits_per_owner
            self.double_hashing = is_hashed(messages)
            self.one_hot_encoding = messages.scheme == "one_hot"

    def arguments(self) -> dict[str, Any]:
        """Return the parameters by name, such as a machine can be created with."""
        names = (
            "number_of_clauses", "T", "s", "q", "max_included_literals", "boost_true_positive_feedback",
            "number_of_state_bits", "depth", "message_size", "message_bits", "double_hashing", "one_hot_encoding",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


def _truncated(number: Any) -> Any:
    """Return a whole number: earlier implementations cut off fractions."""
    if isinstance(number, float | np.floating) and math.isfinite(number):
        return int(number)
    return number
