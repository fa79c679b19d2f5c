"""Arrays on the device: a machine, graphs, and working memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.cuda import structs
from graphtm.engines.cuda.plan import PLANES, Desk, Launch, Shape, global_words, slots_per_example, strides
from graphtm.engines.cuda.records import Sizes
from graphtm.engines.random import Purpose, mask_digits, purpose_key
from graphtm.engines.targets import Targets
from graphtm.foundation.arrays import pointers, ragged, selected_pointers
from graphtm.model import MachineParams, MachineState

_BLOCKS, _THREADS = 1024, 256  # of kernels that pack and unpack
_STATE_BYTES = 1 << 26  # bytes of automata packed at a time


@dataclass(frozen=True, eq=False)
class DeviceMachine:
    """A machine on the device: its arrays, and the struct passed to kernels."""

    arrays: dict[str, Any]
    struct: NDArray[Any]

    @classmethod
    def of(cls, cupy: Any, module: Any, params: MachineParams, state: MachineState) -> DeviceMachine:
        """Copy a machine to the device."""
        shape, n = Shape.of(params), params.n_clauses
        digits = np.array([mask_digits(s) for s in params.s_per_layer])
        code = np.zeros((n, 0), np.int32) if params.message_code is None else params.message_code.positions
        if params.depth == 1:
            code = code[:, :0]
        order = np.argsort(code.reshape(-1), kind="stable")
        owner_ptr = pointers(np.bincount(code.reshape(-1), minlength=params.message_size)).astype(np.int32)
        arrays = {
            "planes": cupy.zeros((n, PLANES, shape.words), cupy.uint64),
            "weights": cupy.asarray(np.ascontiguousarray(state.weights.T)),
            "code": cupy.asarray(np.ascontiguousarray(code, np.int32)),
            "owner_ptr": cupy.asarray(owner_ptr),
            "owners": cupy.asarray((order // max(1, code.shape[1])).astype(np.int32)),
            "mask_k": cupy.asarray(digits[:, 0].astype(np.uint64)),
            "mask_n": cupy.asarray(digits[:, 1].astype(np.int32)),
            "step": cupy.asarray(np.array([state.step], np.uint64)),
        }
        keys = {
            f"{name}_key": int(purpose_key(params.seed, purpose)[0])
            for name, purpose in (
                ("focus", Purpose.FOCUS),
                ("output", Purpose.OUTPUT),
                ("update", Purpose.UPDATE),
                ("mask", Purpose.MASK),
            )
        }
        limit = params.max_included_literals
        struct = structs.filled(
            structs.MACHINE,
            **arrays,
            **keys,
            same_masks=len(set(params.s_per_layer)) == 1,
            inverse=1 / (2 * params.T),
            k=digits[0, 0],
            n=digits[0, 1],
            limit=0 if limit is None else limit,
            limited=limit is not None,
            n_clauses=n,
            n_outputs=params.n_outputs,
            depth=params.depth,
            T=params.T,
            n_types=max(1, params.n_node_types),
            size0=params.hypervector_size,
            half0=shape.half0,
            size1=params.message_size,
            half1=shape.half1,
            words=shape.words,
            code_bits=code.shape[1],
            first_plane=PLANES - params.state_bits,
            boost=params.boost_true_positive,
            by_class=params.negative_sampling == "class",
            max_misses=params.max_misses,
        )
        machine = cls(arrays, struct)
        for clauses, part in machine._parts(params):
            states = cupy.asarray(np.concatenate([layer[clauses].reshape(-1) for layer in state.automata]))
            module.get_function("pack_states")((_BLOCKS,), (_THREADS,), (part, states))
        cupy.cuda.get_current_stream().synchronize()  # other threads may now use the machine
        return machine

    @property
    def n_bytes(self) -> int:
        """Size in device memory."""
        return sum(int(array.nbytes) for array in self.arrays.values())

    def _parts(self, params: MachineParams) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield slices of clauses, each with the struct of a machine of only these, to limit temporary memory."""
        per_clause = sum(2 * params.layer_size(layer) for layer in range(params.depth))
        at_once = max(1, _STATE_BYTES // max(1, per_clause))
        for first in range(0, params.n_clauses, at_once):
            clauses = slice(first, min(first + at_once, params.n_clauses))
            part = self.struct.copy()
            part["planes"] += np.uint64(self.arrays["planes"][0].nbytes * first)
            part["n_clauses"] = clauses.stop - clauses.start
            yield clauses, part

    def state(self, cupy: Any, module: Any, params: MachineParams) -> MachineState:
        """Copy the learned state to the host."""
        sizes = [2 * params.layer_size(layer) for layer in range(params.depth)]
        automata = [np.empty((params.n_clauses, size), np.uint8) for size in sizes]
        for clauses, part in self._parts(params):
            n = clauses.stop - clauses.start
            states = cupy.empty(n * sum(sizes), cupy.uint8)
            module.get_function("unpack_states")((_BLOCKS,), (_THREADS,), (part, states))
            for layer, of_layer in zip(automata, np.split(states.get(), n * np.cumsum(sizes)[:-1]), strict=True):
                layer[clauses] = of_layer.reshape(n, -1)
        weights = np.ascontiguousarray(self.arrays["weights"].get().T)
        return MachineState(tuple(automata), weights, int(self.arrays["step"].get()[0]))


@dataclass(frozen=True, eq=False)
class DeviceGraphs:
    """Records of graphs on the device, with their edges."""

    records: Any
    heads: Any  # rows of int64, one per graph, each a struct
    edge_ptr: Any
    sources: Any
    edge_types: Any

    @classmethod
    def of(
        cls, cupy: Any, module: Any, params: MachineParams, graphs: EncodedBatch, heads: NDArray[Any]
    ) -> DeviceGraphs:
        """Copy graphs to the device and pack them there."""
        edges = graphs.in_edges
        on_device = cls(
            cupy.zeros(int((heads["at"] + heads["n_words"]).max(initial=0)), cupy.uint32),
            cupy.asarray(heads.view(np.int64).reshape(len(heads), structs.HEAD.itemsize // 8)),
            cupy.asarray(edges.ptr),
            cupy.asarray(edges.neighbours),
            cupy.asarray(edges.types),
        )
        if len(heads):
            types = cupy.asarray(graphs.node_types) if graphs.node_types is not None else None
            readout = cupy.asarray(graphs.readout.view(np.uint8)) if graphs.readout is not None else None
            arguments = (
                on_device.struct(),
                on_device.records,
                cupy.asarray(np.ascontiguousarray(graphs.bits)),
                np.uint64(0 if types is None else types.data.ptr),
                np.uint64(0 if readout is None else readout.data.ptr),
                np.int32(params.hypervector_size),
                np.int32(Shape.of(params).half0),
                np.int32(max(1, params.n_node_types)),
            )
            module.get_function("pack_graphs")((min(len(heads), 1 << 16),), (_THREADS,), arguments)
            cupy.cuda.get_current_stream().synchronize()  # before the source arrays are freed
        return on_device

    def struct(self, heads: Any = None) -> NDArray[Any]:
        """Return the struct passed to kernels; for graphs in another order, pass their heads."""
        heads = self.heads if heads is None else heads
        return structs.filled(
            structs.GRAPHS,
            records=self.records,
            heads=heads,
            edge_ptr=self.edge_ptr,
            sources=self.sources,
            edge_types=self.edge_types,
            n_graphs=len(heads),
        )


def presented(targets: Targets, order: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Return the arrays of targets in the order in which their examples are presented."""
    places = ragged(targets.ptr, order)
    return {
        "ptr": selected_pointers(targets.ptr, order),
        "outputs": targets.outputs[places],
        "values": targets.values[places],
        "gates": targets.gates[order],
        "weights": targets.weights[order],
    }


class DeviceExamples:
    """Targets on the device, in the order in which they are presented."""

    def __init__(self, cupy: Any, targets: Targets, order: NDArray[np.int64]) -> None:
        self._arrays = {name: cupy.asarray(array) for name, array in presented(targets, order).items()}
        self.struct = structs.filled(structs.EXAMPLES, **self._arrays, silent=targets.silent)


class Workroom:
    """Working memory of the cooperative kernel in global memory."""

    _ZEROED = ("global_posts", "slots", "barrier")

    def __init__(self, cupy: Any, params: MachineParams, sizes: Sizes, launch: Launch, n_examples: int) -> None:
        arrays: dict[str, Any] = {
            name: cupy.empty(n, cupy.uint32) if n else None
            for name, n in global_words(params, sizes, launch, n_examples).items()
        }
        self._zeroed = [arrays[name] for name in self._ZEROED if arrays[name] is not None]
        fields = (
            *("planes", "weights", "truth", "inbox", "focus", "records", "record_words", "inbox_words"),
            *("flags", "entries", "heard", "group", "n_entries", "clauses_per_block"),
        )
        self._arrays = arrays
        self.struct = structs.filled(
            structs.ROOM,
            **arrays,
            **{name: getattr(launch, name) for name in fields},
            **strides(params, sizes),
            wide=slots_per_example(params)[1],
        )

    def clear(self) -> None:
        """Clear the working memory before a launch."""
        for array in self._zeroed:
            array.fill(0)


class Desks:
    """Working memory of prediction in global memory: included literals, and truth values."""

    def __init__(self, cupy: Any, machine: DeviceMachine, sizes: Sizes, desk: Desk) -> None:
        self._includes = cupy.ascontiguousarray(machine.arrays["planes"][:, PLANES - 1])
        self._truth = None
        if desk.truth < 0:
            self._truth = cupy.empty(desk.n_blocks * desk.truth_rows * sizes.truth, cupy.uint32)
        fields = ("truth", "truth_rows", "inbox", "inbox_words", "sent", "list", "list_room")
        values = {name: getattr(desk, name) for name in fields}
        self.struct = structs.filled(
            structs.DESK, **values, includes=self._includes, global_truth=self._truth, truth_stride=sizes.truth
        )
