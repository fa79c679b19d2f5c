"""The parameters of a machine, as engines see them: numbers only, checked and frozen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from graphtm.codes.schemes import Code
from graphtm.graphs.short_repr import short_repr

NegativeSampling: TypeAlias = Literal["clause", "class"]
MAX_T = 2**30
MAX_S = 2**32
MAX_DEPTH = 10_000
CLASS_SAMPLING_ABOVE = 32
"""``negative_sampling="auto"`` draws negative outputs per clause up to so many outputs, per output above."""


class MachineSize(NamedTuple):
    """What decides how much memory a machine takes; the fields are those of :class:`MachineParams`."""

    n_outputs: int
    n_clauses: int
    hypervector_size: int
    message_size: int
    depth: int


@dataclass(frozen=True, eq=False)
class MachineParams:
    """What defines a machine apart from what it learns; see the paper for T, s and D.

    Parameters
    ----------
    n_outputs, n_clauses
        Number of outputs (classes, labels or targets) and of clauses.
    hypervector_size
        H, bits of a node's hypervector.
    message_code
        Which bits of the inbox each clause signs its messages with; its size is M. Needed from depth 2 on.
    depth
        D, number of layers.
    T
        The vote sum at which an output is content.
    s
        Specificity, one number for all layers or one for each. The probability of forgetting is min(1, 1/s).
    negative_sampling
        Whether thinning of negative outputs is drawn per ``"clause"`` or per ``"class"``.
    max_included_literals
        Literals above which a clause learns no more of them; ``None`` for no limit. The limit is soft: one update can
        exceed it.
    boost_true_positive
        Whether literals that hold are always reinforced.
    state_bits
        Bits of an automaton's state.
    n_node_types
        Number of node types; above 1 each clause serves one type.
    seed
        Seed of all randomness, 64 bits.
    """

    n_outputs: int
    n_clauses: int
    hypervector_size: int
    message_code: Code | None = None
    depth: int = 1
    T: int = 100
    s: float | Sequence[float] = 10.0
    negative_sampling: NegativeSampling = "clause"
    max_included_literals: int | None = None
    boost_true_positive: bool = True
    state_bits: int = 8
    n_node_types: int = 0
    seed: int = 0

    __repr__ = short_repr

    def __post_init__(self) -> None:
        for name, low, high in (
            ("n_outputs", 1, 2**31 - 1),
            ("n_clauses", 1, 2**31 - 1),
            ("hypervector_size", 0, 2**31 - 1),
            ("depth", 1, MAX_DEPTH),
            ("T", 1, MAX_T - 1),
            ("state_bits", 1, 8),
            ("n_node_types", 0, 2**31 - 1),
            ("seed", 0, 2**64 - 1),
        ):
            self._check_integer(name, low, high)
        if self.max_included_literals is not None:
            self._check_integer("max_included_literals", 0, 2**63 - 1)
        values = list(self.s) if isinstance(self.s, Sequence | np.ndarray) else [self.s] * self.depth
        if isinstance(self.s, str) or len(values) != self.depth or not all(map(is_specificity, values)):
            raise ValueError(
                self._sentence("s", f"a number above 0 and up to 2^32, or {self.depth} of them, one a layer")
            )
        object.__setattr__(self, "s", tuple(float(value) for value in values))
        if not isinstance(self.boost_true_positive, bool):
            raise ValueError(self._sentence("boost_true_positive", "a bool"))
        if self.negative_sampling not in ("clause", "class"):
            raise ValueError(self._sentence("negative_sampling", "a str among {'clause', 'class'}"))
        if self.depth > 1 and (self.message_code is None or self.message_code.n_owners != self.n_clauses):
            got = None if self.message_code is None else f"one for {self.message_code.n_owners} clauses"
            raise ValueError(
                f"The 'message_code' parameter of MachineParams must be a code for all {self.n_clauses} clauses "
                f"when depth is above 1. Got {got} instead."
            )
        if self.n_node_types > self.n_clauses:
            raise ValueError(
                "The 'n_clauses' parameter of MachineParams must be at least the number of node types, since a clause "
                f"serves one type. Got {self.n_clauses} clauses for {self.n_node_types} node types instead."
            )

    def _check_integer(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, Integral) or isinstance(value, bool) or not low <= int(value) <= high:
            raise ValueError(self._sentence(name, f"an int in the range [{low}, {high}]"))
        object.__setattr__(self, name, int(value))

    def _sentence(self, name: str, rule: str) -> str:
        return f"The {name!r} parameter of MachineParams must be {rule}. Got {getattr(self, name)!r} instead."

    @property
    def message_size(self) -> int:
        """M, bits of an inbox; 0 if there is no message layer."""
        return 0 if self.message_code is None or self.depth == 1 else self.message_code.size

    @property
    def s_per_layer(self) -> tuple[float, ...]:
        """Specificity of each layer."""
        assert isinstance(self.s, tuple)  # noqa: S101 -- made so when the parameters were checked
        return self.s

    def layer_size(self, layer: int) -> int:
        """Return the bits that a layer reads; it has twice as many literals."""
        return self.hypervector_size if layer == 0 else self.message_size


def is_specificity(value: object) -> bool:
    """Whether a value can be the ``s`` of a layer; up to 2^32, so that masks have at most 40 digits."""
    return isinstance(value, Real) and not isinstance(value, bool) and bool(0 < value <= MAX_S)  # type: ignore[operator]
