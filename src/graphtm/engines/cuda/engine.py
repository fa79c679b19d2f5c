"""The CUDA engine: the host side, which holds a machine on a device and launches kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.base import check_graphs, check_readable, machine_needs, n_types_of, need_machine
from graphtm.engines.cuda import structs
from graphtm.engines.cuda.device import device_number, find_device, free_bytes, on_device
from graphtm.engines.cuda.kernels import compiled, fixed
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.cuda.memory import Desks, DeviceExamples, DeviceGraphs, DeviceMachine
from graphtm.engines.cuda.plan import plan_alone, plan_together
from graphtm.engines.cuda.records import (
    Form,
    Sizes,
    bytes_of,
    check_sizes,
    common_of,
    heads_of,
    sizes_of,
    slices,
    taken,
)
from graphtm.engines.cuda.runs import Pace, Run
from graphtm.engines.targets import Targets, check_run
from graphtm.errors import GraphTMError
from graphtm.graphs.memory import require_memory
from graphtm.model import MachineParams, MachineState

_SHARE = 0.6  # of the free memory that graphs may take which stay
_SHARE_OF_PART = 0.3  # of those that are copied in parts: one may still be there when the next comes
_TRUTH_BYTES = 1 << 30  # that blocks may take which predict a graph each
_ANSWER_BYTES = 1 << 30  # that are given at a time
_POINTERS = 2**64 - 1


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs for the kernels: on the device, or on the host and copied in parts."""

    graphs: EncodedBatch
    heads: NDArray[Any]
    sizes: Sizes
    common: Mapping[str, int]  # fields of heads in which all graphs agree
    n_types: int | None  # node types up to the last that occurs; None if there are none
    form: tuple[bool, int]  # of the machine that they were prepared for
    on_device: DeviceGraphs | None
    device: int


class CudaEngine:
    """Kernels on an NVIDIA device; the same bits as the oracle.

    Parameters
    ----------
    name
        ``"cuda"``, or ``"cuda:1"`` for the second device.
    rows
        Whether graphs are evaluated literal by literal: where that is faster, always, or never where it can be
        avoided. For tests.
    n_blocks
        Blocks that share the clauses, if not what seems best. For tests.
    shared_bytes
        Shared memory to use at most. For tests.
    part_bytes
        Device memory for graphs, above which they are copied in parts. For tests.
    special
        Whether to compile kernels for the machine at hand, which are faster and take seconds to compile: always,
        never, or once it has been at work for a while.
    """

    def __init__(
        self,
        name: str = "cuda",
        *,
        rows: Form = "auto",
        n_blocks: int | None = None,
        shared_bytes: int | None = None,
        part_bytes: int | None = None,
        special: bool | None = None,
    ) -> None:
        self.name = name
        self._device = find_device(device_number(name))
        self._rows: Form = rows
        self._n_blocks = n_blocks
        self._shared_bytes = min(shared_bytes or self._device.shared_bytes, self._device.shared_bytes)
        self._part_bytes = part_bytes
        self._launcher = Launcher(self._device, special)

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        with self._on_device(*machine_needs(params)) as cupy:
            machine = DeviceMachine.of(cupy, self._packing(), params, state)
        self._params, self._machine, self._pace = params, machine, Pace()

    def state(self) -> MachineState:
        need_machine(self)
        with self._on_device(*machine_needs(self._params)) as cupy:
            return self._machine.state(cupy, self._packing(), self._params)

    def _on_device(self, what: str, advice: str) -> AbstractContextManager[Any]:
        return on_device(self._device, what, advice)

    def _packing(self) -> Any:
        """Return the kernels that bring states and graphs into their form, and back."""
        return compiled("alone", self._device)

    def prepare(self, graphs: EncodedBatch) -> PreparedGraphs:
        need_machine(self)
        params = self._params
        check_graphs(params, graphs)
        heads = heads_of(graphs, params, self._rows)
        sizes = sizes_of(heads)
        check_sizes(params, sizes)
        with self._on_device(f"{graphs.n_graphs:,} graphs", "Take fewer graphs at a time") as cupy:
            room = self._part_bytes or int(free_bytes(cupy) * _SHARE)
            fits = int(bytes_of(graphs, heads).sum()) <= room
            packed = DeviceGraphs.of(cupy, self._packing(), params, graphs, heads) if fits else None
        return PreparedGraphs(
            graphs, heads, sizes, common_of(heads), n_types_of(graphs), _form(params), packed, self._device.number
        )

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        need_machine(self)
        check_run(self._params, graphs.graphs.n_graphs, targets, order)
        self._check(graphs)
        with self._on_device("What learning needs room for", "Take smaller graphs or fewer clauses") as cupy:
            run = self._run(cupy, graphs, len(order))
            for packed, heads, part in self._parts(cupy, graphs, order):
                work = self._work(graphs, part)
                done = 0
                while done < len(part):
                    n = self._pace.piece(work[done:], run.most_examples)
                    some = slice(done, done + n)
                    examples = DeviceExamples(cupy, targets, part[some])
                    seconds = run.learn(packed.struct(heads[some]), examples.struct)
                    self._pace.note(n, float(work[some].sum()), seconds)
                    done += n
                del packed, heads  # before the next part is copied

    def class_sums(self, graphs: PreparedGraphs) -> NDArray[np.int64]:
        need_machine(self)
        shape = graphs.graphs.n_graphs, self._params.n_outputs
        return self._predict(graphs, "sums", np.zeros(shape, np.int64))

    def clause_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        need_machine(self)
        shape = graphs.graphs.n_graphs, self._params.n_clauses
        return self._predict(graphs, "truth", np.zeros(shape, np.bool_))

    def node_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        need_machine(self)
        n_nodes, n_clauses = graphs.graphs.n_nodes, self._params.n_clauses
        what = f"The truth of {n_clauses:,} clauses at {n_nodes:,} nodes"
        require_memory(n_nodes * n_clauses, what, "Take fewer graphs at a time")
        return self._predict(graphs, "nodes", np.zeros((n_nodes, n_clauses), np.bool_))

    def _predict(self, graphs: PreparedGraphs, what: str, result: NDArray[Any]) -> NDArray[Any]:
        """Fill ``result`` with the answers of this kind, a row for each graph or node."""
        self._check(graphs)
        n_graphs = graphs.graphs.n_graphs
        ends = graphs.graphs.node_ptr if what == "nodes" else np.arange(n_graphs + 1)
        row_bytes = result.shape[1] * result.itemsize
        with self._on_device(f"Answers for {n_graphs:,} graphs", "Take fewer graphs at a time") as cupy:
            for packed, heads, part in self._parts(cupy, graphs, np.arange(n_graphs)):
                for some in slices(np.diff(ends)[part] * row_bytes, _ANSWER_BYTES):
                    rows = slice(int(ends[part[some.start]]), int(ends[part[some.stop - 1] + 1]))
                    answers = cupy.zeros((rows.stop - rows.start, result.shape[1]), result.dtype)
                    fields: dict[str, Any] = dict.fromkeys(("sums", "truth", "nodes")) | {what: answers}
                    if what == "nodes":
                        # Kernels count nodes from the first on the device, answers from the first of these graphs.
                        first = rows.start - (0 if graphs.on_device else int(ends[part[0]]))
                        fields["nodes"] = answers.data.ptr - first * row_bytes & _POINTERS
                    struct = structs.filled(structs.ANSWERS, **fields)
                    self._answer(cupy, graphs, packed.struct(heads[some]), struct, for_nodes=what == "nodes")
                    answers.get(out=result[rows])
                del packed, heads  # before the next part is copied
        return result

    def _answer(self, cupy: Any, prepared: PreparedGraphs, graphs: Any, answers: Any, *, for_nodes: bool) -> None:
        """Launch prediction: a block for each graph, or all blocks together on graphs that are too large for one."""
        device, machine, sizes = self._device, self._machine, prepared.sizes
        n_blocks = min(device.n_processors, int(graphs["n_graphs"]))
        desk = plan_alone(
            self._params, sizes, n_blocks, self._shared_bytes, for_nodes=for_nodes, most_bytes=_TRUTH_BYTES
        )
        if desk is None:
            self._run(cupy, prepared).answer(graphs, answers)
            return
        room = Desks(cupy, machine, sizes, desk)
        constants = fixed(machine.struct, room.struct, prepared.common, None, desk.n_threads)
        arguments = (machine.struct, graphs, room.struct, answers)
        self._launcher.launch(
            "alone", "predict", constants, desk.n_blocks, desk.n_threads, desk.shared_bytes, arguments
        )

    def _run(self, cupy: Any, graphs: PreparedGraphs, n_examples: int = 0) -> Run:
        """Return what launches the cooperative kernel for these graphs."""
        launch = plan_together(
            self._params, graphs.sizes, self._device.n_processors, self._shared_bytes, n_blocks=self._n_blocks
        )
        machine = self._machine.struct
        return Run(cupy, self._params, machine, graphs.sizes, graphs.common, launch, self._launcher, n_examples)

    def _parts(
        self, cupy: Any, graphs: PreparedGraphs, order: NDArray[np.int64]
    ) -> Iterator[tuple[DeviceGraphs, Any, NDArray[np.int64]]]:
        """Yield graphs on the device with their heads in this order: all of them, or as many as there is room for."""
        if graphs.on_device is not None:
            if len(order):
                yield graphs.on_device, graphs.on_device.heads[cupy.asarray(order)], order
            return
        room = self._part_bytes or int(free_bytes(cupy) * _SHARE_OF_PART)
        for some in slices(bytes_of(graphs.graphs, graphs.heads)[order], room):
            part = order[some]
            batch = taken(graphs.graphs, part)
            heads = heads_of(batch, self._params, self._rows)
            packed = DeviceGraphs.of(cupy, self._packing(), self._params, batch, heads)
            yield packed, packed.heads, part
            del packed  # the caller has let go of it too: the next part needs the room

    def _work(self, graphs: PreparedGraphs, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return about how much work examples are: clauses, layers and nodes, and what every example takes."""
        return (
            np.asarray(graphs.heads["n_nodes"][order].astype(np.int64) * self._params.n_clauses * self._params.depth)
            + 20_000
        )

    def _check(self, graphs: PreparedGraphs) -> None:
        """Check that graphs were prepared for a machine of this form.

        Raises
        ------
        GraphTMError
            If they were not.
        """
        check_readable(self._params, graphs.graphs.size, graphs.n_types)
        check_sizes(self._params, graphs.sizes)
        if graphs.form != _form(self._params):
            raise GraphTMError("Graphs were prepared for another machine; prepare them again for this one.")
        if graphs.device != self._device.number:
            raise GraphTMError(
                f"Graphs must be on the engine's device, {self._device.number}; they were prepared for device "
                f"{graphs.device}. Prepare them again."
            )


def _form(params: MachineParams) -> tuple[bool, int]:
    """Return what of a machine the records depend on, beside the size of hypervectors."""
    return params.depth > 1, max(1, params.n_node_types)
