"""What an engine does, and nothing else: epochs, shuffling and callbacks are not its business."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.random import initial_weights
from graphtm.engines.targets import Targets
from graphtm.model import MachineParams, MachineState


class Engine(Protocol):
    """A way of computing a Graph Tsetlin Machine; all engines give the same bits.

    An engine holds one machine at a time: :meth:`load` puts it in, :meth:`state` gives it back. Graphs are
    prepared once for as many epochs as wanted; what :meth:`prepare` returns is the engine's own affair.
    """

    name: str

    def load(self, params: MachineParams, state: MachineState) -> None:
        """Take a machine; the arrays are copied, what was there before is forgotten."""
        ...

    def state(self) -> MachineState:
        """Return a copy of what has been learned."""
        ...

    def prepare(self, graphs: EncodedBatch) -> Any:
        """Bring graphs into the form that the other methods take."""
        ...

    def fit(self, graphs: Any, targets: Targets, order: NDArray[np.int64]) -> None:
        """Learn from the examples with these numbers, strictly one after the other."""
        ...

    def class_sums(self, graphs: Any) -> NDArray[np.int64]:
        """Return the vote sums, ``(graphs, outputs)``, not clipped."""
        ...

    def clause_outputs(self, graphs: Any) -> NDArray[np.bool_]:
        """Return which clauses are true of which graphs, ``(graphs, clauses)``."""
        ...

    def node_outputs(self, graphs: Any) -> NDArray[np.bool_]:
        """Return which clauses are true at which nodes, ``(nodes, clauses)``, whether a node is read out or not."""
        ...


def initial_state(params: MachineParams) -> MachineState:
    """Return the state of a new machine: automata just below inclusion, weights +1 and -1 at random."""
    start = (1 << (params.state_bits - 1)) - 1
    automata = tuple(
        np.full((params.n_clauses, 2 * params.layer_size(layer)), start, dtype=np.uint8)
        for layer in range(params.depth)
    )
    return MachineState(automata, initial_weights(params.seed, params.n_outputs, params.n_clauses))
