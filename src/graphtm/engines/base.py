"""What an engine does, and nothing else: epochs, shuffling and callbacks are not its business."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.random import initial_weights
from graphtm.engines.targets import Targets
from graphtm.errors import GraphTMError
from graphtm.foundation.resources import require_memory
from graphtm.model import MachineParams, MachineSize, MachineState


class Engine(Protocol):
    """A way of computing a Graph Tsetlin Machine; all engines give the same bits.

    An engine holds one machine at a time: :meth:`load` puts it in, :meth:`state` gives it back; all other methods need
    one. Graphs are prepared once for as many epochs as wanted; what :meth:`prepare` returns is the engine's own affair
    and belongs to the parameters loaded then. Arrays handed in are never changed, arrays given back are copies.
    """

    name: str

    @property
    def adjust(self) -> Callable[..., None]:
        """Compute in another way that gives the same bits. For tests and benchmarks, before a machine is loaded.

        A method; each engine has keyword arguments of its own. See ``variants`` in its description.
        """
        ...

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
        """Learn from the examples with these numbers, strictly one after the other.

        Any numbers in any order are legal, repeated ones too.
        """
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


def check_graphs(params: MachineParams, graphs: EncodedBatch) -> None:
    """Check that a machine can read graphs.

    Raises
    ------
    GraphTMError
        If they are encoded for another size, or have other node types.
    """
    check_readable(params, graphs.n_bits, n_types_of(graphs))


def n_types_of(graphs: EncodedBatch) -> int | None:
    """Return the number of node types up to the last that occurs; ``None`` if nodes have none."""
    return None if graphs.node_types is None else int(graphs.node_types.max(initial=-1)) + 1


def need_machine(engine: object) -> None:
    """Check that an engine holds a machine.

    Raises
    ------
    GraphTMError
        If none has been loaded.
    """
    if not hasattr(engine, "_params"):
        raise GraphTMError("The engine holds no machine yet; load one first.")


def check_readable(params: MachineParams, n_bits: int, n_types: int | None) -> None:
    """Check that a machine can read graphs of so many bits whose nodes have so many types, or none.

    Graphs may have been prepared for a machine that the engine held before.
    """
    if n_bits != params.hypervector_size:
        raise GraphTMError(
            f"Graphs must be encoded into {params.hypervector_size} bits for this machine; got {n_bits}."
        )
    if params.n_node_types > 1:
        if n_types is None:
            raise GraphTMError(f"Nodes must have one of the machine's {params.n_node_types} types; these have none.")
        if n_types > params.n_node_types:
            raise GraphTMError(f"Node types must be below {params.n_node_types} for this machine; got {n_types - 1}.")


def state_bytes(params: MachineParams | MachineSize) -> int:
    """Return the bytes of a machine's state: one per automaton, four per weight."""
    automata = 2 * params.hypervector_size + 2 * params.message_size * (params.depth - 1)
    return params.n_clauses * (automata + 4 * params.n_outputs)


def machine_needs(params: MachineParams | MachineSize) -> tuple[str, str]:
    """Return what a machine needs memory for, in words, and which parameter to lower."""
    parts = {
        "hypervector_size": 2 * params.hypervector_size,
        "message_size": 2 * params.message_size * (params.depth - 1),
        "n_outputs": 4 * params.n_outputs,
    }
    largest = max(parts, key=lambda name: parts[name])
    advice = {
        "hypervector_size": f"Lower n_clauses (now {params.n_clauses:,}) or hypervector_size "
        f"(now {params.hypervector_size:,}, with symbol_encoding='random')",
        "message_size": f"Lower n_clauses (now {params.n_clauses:,}), depth (now {params.depth}) or message_size "
        f"(now {params.message_size:,}, with message_encoding='random')",
        "n_outputs": f"Lower n_clauses (now {params.n_clauses:,}): each has a weight for {params.n_outputs:,} outputs",
    }[largest]
    layers = "layer" if params.depth == 1 else "layers"
    return f"A machine of {params.n_clauses:,} clauses and {params.depth:,} {layers}", advice


def require_machine_memory(params: MachineParams | MachineSize, also: int = 0) -> None:
    """Refuse a machine that would not fit into memory: its state, and ``also`` bytes for the engine and the codes.

    Raises
    ------
    NotEnoughMemoryError
        If there is less.
    """
    require_memory(state_bytes(params) + also, *machine_needs(params))


def initial_state(params: MachineParams) -> MachineState:
    """Return the state of a new machine: automata just below inclusion, weights +1 and -1 at random.

    Raises
    ------
    NotEnoughMemoryError
        If there is not enough memory for it.
    """
    require_machine_memory(params)
    start = (1 << (params.state_bits - 1)) - 1
    automata = tuple(
        np.full((params.n_clauses, 2 * params.layer_size(layer)), start, dtype=np.uint8)
        for layer in range(params.depth)
    )
    return MachineState(automata, initial_weights(params.seed, params.n_outputs, params.n_clauses))


def predicted_classes(sums: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class with the largest vote sum; ties go to the lowest class (section 3, step 4).

    Parameters
    ----------
    sums
        Vote sums, ``(graphs, classes)``, or ``(classes,)`` for one graph.

    Examples
    --------
    >>> predicted_classes(np.array([[3, 5, 5], [0, -2, -1]]))
    array([1, 0])
    """
    return np.asarray(sums.argmax(axis=-1))
