"""The learned state of a machine: automata, weights, and number of examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphTMError
from graphtm.foundation.arrays import FrozenArrays, read_only
from graphtm.model.params import MachineParams


@dataclass(frozen=True, eq=False)
class MachineState(FrozenArrays):
    """The learned arrays in their canonical form, which is the same for all engines. They are read-only.

    Parameters
    ----------
    automata
        States of each layer, ``uint8`` of shape ``(clauses, 2 * size)``: column ``k`` is literal ``k``, column
        ``size + k`` its negation.
    weights
        ``int32`` of shape ``(outputs, clauses)``.
    step
        Number of examples presented since initialisation.
    """

    automata: tuple[NDArray[np.uint8], ...]
    weights: NDArray[np.int32]
    step: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "automata", tuple(map(read_only, self.automata)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__post_init__()

    def includes(self, layer: int, state_bits: int) -> NDArray[np.bool_]:
        """Return which literals each clause includes in a layer: those whose state is in the upper half."""
        return self.automata[layer] >= 1 << (state_bits - 1)

    def copy(self) -> MachineState:
        """Return a copy that shares no arrays."""
        return MachineState(tuple(layer.copy() for layer in self.automata), self.weights.copy(), self.step)

    def equals(self, other: MachineState) -> bool:
        """Return whether all bits are the same."""
        return (
            self.step == other.step
            and len(self.automata) == len(other.automata)
            and all(np.array_equal(mine, theirs) for mine, theirs in zip(self.automata, other.automata, strict=True))
            and np.array_equal(self.weights, other.weights)
        )

    def check(self, params: MachineParams) -> None:
        """Check that the arrays match the parameters of a machine.

        Raises
        ------
        GraphTMError
            If a shape, type or value is wrong.
        """
        if len(self.automata) != params.depth:
            raise GraphTMError(f"A state must have {params.depth} layers of automata; got {len(self.automata)}.")
        for layer, states in enumerate(self.automata):
            shape = (params.n_clauses, 2 * params.layer_size(layer))
            if states.dtype != np.uint8 or states.shape != shape:
                raise GraphTMError(
                    f"Automata of layer {layer} must be uint8 of shape {shape}; got {states.dtype} of {states.shape}."
                )
            if states.size and int(states.max()) >= 1 << params.state_bits:
                raise GraphTMError(
                    f"Automata states must be below {1 << params.state_bits}; layer {layer} has {states.max()}."
                )
        shape = (params.n_outputs, params.n_clauses)
        if self.weights.dtype != np.int32 or self.weights.shape != shape:
            raise GraphTMError(
                f"Weights must be int32 of shape {shape}; got {self.weights.dtype} of {self.weights.shape}."
            )
        if self.weights.size and int(self.weights.min()) == -(2**31):
            raise GraphTMError("Weights must be above -2^31.")
        if not 0 <= self.step < 2**64:
            raise GraphTMError(f"The step must be in [0, 2^64); got {self.step}.")
