"""The parameters of a machine for engines: checked and frozen."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from graphtm.codes.schemes import Code
from graphtm.foundation.parameters import (
    ParameterChecks,
    documented,
    integer,
    one_of,
    parameter,
    parameters_of,
    plain_value,
)
from graphtm.foundation.short_repr import short_repr
from graphtm.model.settings import MAX_DEPTH, MachineSettings

NegativeSampling: TypeAlias = Literal["clause", "class"]


class MachineSize(NamedTuple):
    """The parameters that determine the memory of a machine; fields are those of :class:`MachineParams`."""

    n_outputs: int
    n_clauses: int
    hypervector_size: int
    message_size: int
    depth: int
    max_misses: int


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class MachineParams(MachineSettings):
    """Parameters of a machine; T, s and D are as in the paper.

    Parameters
    ----------
    {parameters}
    message_code
        Code of the clauses: the inbox bits that each clause sends. Its size is M. Required if depth is above 1.
    """

    depth: int = parameter(integer(1, MAX_DEPTH), "Number of layers, D.", default=1, plain=int)
    n_outputs: int = parameter(integer(1, 2**31 - 1), "Number of outputs: classes, labels or targets.", plain=int)
    hypervector_size: int = parameter(integer(0, 2**31 - 1), "Number of bits of a node's hypervector, H.", plain=int)
    negative_sampling: NegativeSampling = parameter(
        one_of("clause", "class"),
        'Whether negative outputs are sampled per ``"clause"`` or per ``"class"``.',
        default="clause",
    )
    n_node_types: int = parameter(
        integer(0, 2**31 - 1), "Number of node types; above 1, a clause applies to one type.", default=0, plain=int
    )
    seed: int = parameter(integer(0, 2**64 - 1), "Seed of the random generator, 64 bits.", default=0, plain=int)
    message_code: Code | None = None

    __repr__ = short_repr

    def __post_init__(self) -> None:
        ParameterChecks(self).declared()
        values = {name: plain_value(self, name) for name in parameters_of(MachineParams)}
        self.__dict__.update(values | self.machine_settings())
        if self.depth > 1 and (self.message_code is None or self.message_code.n_owners != self.n_clauses):
            got = None if self.message_code is None else f"one for {self.message_code.n_owners} clauses"
            raise ValueError(
                f"The 'message_code' parameter of MachineParams must be a code for {self.n_clauses} clauses "
                f"if depth is above 1. Got {got} instead."
            )
        if self.n_node_types > self.n_clauses:
            raise ValueError(
                "The 'n_clauses' parameter of MachineParams must be at least the number of node types, since each "
                f"clause applies to one type. Got {self.n_clauses} clauses for {self.n_node_types} node types instead."
            )
        self.__dict__["_frozen"] = True

    def __setattr__(self, name: str, value: Any) -> None:
        # Not a frozen dataclass, since those cannot inherit from MachineSettings, which is not frozen.
        if "_frozen" in self.__dict__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    @property
    def message_size(self) -> int:
        """Number of bits of an inbox, M; 0 if depth is 1."""
        return 0 if self.message_code is None or self.depth == 1 else self.message_code.size

    @property
    def s_per_layer(self) -> tuple[float, ...]:
        """Specificity of each layer."""
        assert isinstance(self.s, tuple)  # noqa: S101 -- converted when the parameters were checked
        return self.s

    def layer_size(self, layer: int) -> int:
        """Return the number of bits that a layer reads; it has twice as many literals."""
        return self.hypervector_size if layer == 0 else self.message_size
