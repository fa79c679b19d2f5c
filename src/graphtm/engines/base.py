"""The interface of engines, and checks that they share. Epochs, shuffling and callbacks are handled elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.random import initial_weights
from graphtm.engines.targets import Targets
from graphtm.errors import GraphTMError
from graphtm.foundation.resources import require_memory
from graphtm.model import MachineParams, MachineSize, MachineState

Outputs: TypeAlias = NDArray[np.bool_] | NDArray[np.uint8]


class Engine(Protocol):
    """Implementation of the Graph Tsetlin Machine; all engines give the same bits.

    An engine holds one machine at a time: :meth:`load` sets it and :meth:`state` returns its state; all other methods
    need one. Graphs are prepared once and used for any number of epochs. The type of prepared graphs is private to the
    engine, and they are valid for the parameters loaded at that time. Input arrays are never modified; returned arrays
    are copies.
    """

    name: str

    @property
    def adjust(self) -> Callable[..., None]:
        """Select another code path that gives the same bits; for tests and benchmarks, before :meth:`load`.

        A method whose keyword arguments depend on the engine. See ``variants`` in its description.
        """
        ...

    def load(self, params: MachineParams, state: MachineState) -> None:
        """Set the machine, replacing any other; the arrays are copied."""
        ...

    def state(self) -> MachineState:
        """Return a copy of the learned state."""
        ...

    def prepare(self, graphs: EncodedBatch) -> Any:
        """Convert graphs into the form that the other methods take."""
        ...

    def fit(self, graphs: Any, targets: Targets, order: NDArray[np.int64]) -> None:
        """Learn from examples one after the other, in the order of these indices, which may repeat."""
        ...

    def class_sums(self, graphs: Any) -> NDArray[np.int64]:
        """Return the vote sums, ``(graphs, outputs)``, not clipped."""
        ...

    def clause_outputs(self, graphs: Any) -> Outputs:
        """Return which clauses are true for which graphs, or their strengths, ``(graphs, clauses)``."""
        ...

    def node_outputs(self, graphs: Any) -> Outputs:
        """Return which clauses are true at which nodes, or their strengths, ``(nodes, clauses)``, readout or not."""
        ...


def output_type(params: MachineParams) -> np.dtype[Any]:
    """Return the type of clause outputs: truth values, or strengths if clauses are graded."""
    return np.dtype(np.bool_ if params.max_misses == 0 else np.uint8)


def check_graphs(params: MachineParams, graphs: EncodedBatch) -> None:
    """Check that graphs are encoded for a machine.

    Raises
    ------
    GraphTMError
        If the number of bits or the node types do not match.
    """
    check_readable(params, graphs.n_bits, n_types_of(graphs))


def n_types_of(graphs: EncodedBatch) -> int | None:
    """Return the largest node type that occurs, plus 1; ``None`` if nodes have no types."""
    return None if graphs.node_types is None else int(graphs.node_types.max(initial=-1)) + 1


def need_machine(engine: object) -> None:
    """Check that a machine has been loaded into an engine.

    Raises
    ------
    GraphTMError
        If not.
    """
    if not hasattr(engine, "_params"):
        raise GraphTMError("No machine is loaded into the engine; call load first.")


def check_readable(params: MachineParams, n_bits: int, n_types: int | None) -> None:
    """Check that graphs match a machine in their number of bits and of node types.

    Prepared graphs may belong to a machine that was loaded earlier.
    """
    if n_bits != params.hypervector_size:
        raise GraphTMError(
            f"Graphs must be encoded into {params.hypervector_size} bits for this machine; got {n_bits} bits."
        )
    if params.n_node_types > 1:
        if n_types is None:
            raise GraphTMError(f"Nodes must have one of the machine's {params.n_node_types} types; got untyped nodes.")
        if n_types > params.n_node_types:
            raise GraphTMError(f"Node types must be below {params.n_node_types} for this machine; got {n_types - 1}.")


def state_bytes(params: MachineParams | MachineSize) -> int:
    """Return the size of a machine's state in bytes: one per automaton, four per weight."""
    automata = 2 * params.hypervector_size + 2 * params.message_size * (params.depth - 1)
    return params.n_clauses * (automata + 4 * params.n_outputs)


def machine_needs(params: MachineParams | MachineSize) -> tuple[str, str]:
    """Return the size of a machine in words, and which parameter to lower, for error messages."""
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
        "n_outputs": f"Lower n_clauses (now {params.n_clauses:,}): each clause has {params.n_outputs:,} weights",
    }[largest]
    layers = "layer" if params.depth == 1 else "layers"
    return f"A machine of {params.n_clauses:,} clauses and {params.depth:,} {layers}", advice


def require_machine_memory(params: MachineParams | MachineSize, also: int = 0) -> None:
    """Check that a machine fits into memory: its state, and ``also`` bytes for the engine and the codes.

    Raises
    ------
    NotEnoughMemoryError
        If it does not fit.
    """
    require_memory(state_bytes(params) + also, *machine_needs(params))


def initial_state(params: MachineParams) -> MachineState:
    """Return the state of a new machine: automata just below inclusion, random weights of +1 and -1.

    Raises
    ------
    NotEnoughMemoryError
        If it does not fit into memory.
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
