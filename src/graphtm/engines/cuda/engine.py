"""The CUDA engine: the host side, which holds a machine on a device and launches kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.base import check_graphs, check_readable, machine_needs
from graphtm.engines.cuda import structs
from graphtm.engines.cuda.device import device_number, find_device, free_bytes, on_device
from graphtm.engines.cuda.kernels import Program, compiled, fixed, same_numbers
from graphtm.engines.cuda.memory import Desks, DeviceExamples, DeviceGraphs, DeviceMachine
from graphtm.engines.cuda.plan import plan_alone, plan_together
from graphtm.engines.cuda.records import Form, Sizes, bytes_of, heads_of, sizes_of, taken
from graphtm.engines.cuda.runs import Pace, Run
from graphtm.engines.targets import Targets, check_run
from graphtm.errors import GraphTMError
from graphtm.graphs.memory import require_memory
from graphtm.model import MachineParams, MachineState

_LONG = 0.5  # seconds of work after which kernels are compiled for the machine at hand
_SHARE = 0.6  # of the free memory that graphs may take
_TRUTH_BYTES = 1 << 30  # that blocks may take which predict a graph each


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs for the kernels: on the device, or on the host and copied in parts."""

    graphs: EncodedBatch
    heads: NDArray[Any]
    sizes: Sizes
    n_types: int | None  # node types up to the last that occurs; None if there are none
    form: tuple[bool, int]  # of the machine that they were prepared for
    on_device: DeviceGraphs | None
    part_bytes: int


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

    _machine: DeviceMachine

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
        self._special = special
        self._seconds = 0.0  # in kernels, for machines of these numbers
        self._pace = Pace()

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        with self._on_device(*machine_needs(params)) as cupy:
            machine = DeviceMachine.of(cupy, self._program("alone"), params, state)
        if not hasattr(self, "_machine") or not same_numbers(machine.struct, self._machine.struct):
            self._seconds = 0.0
        self._params, self._machine = params, machine

    def state(self) -> MachineState:
        self._need_machine()
        with self._on_device(*machine_needs(self._params)) as cupy:
            return self._machine.state(cupy, self._program("alone"), self._params)

    def _need_machine(self) -> None:
        if not hasattr(self, "_params"):
            raise GraphTMError("The engine holds no machine yet; load one first.")

    def _on_device(self, what: str, advice: str) -> AbstractContextManager[Any]:
        return on_device(self._device, what, advice)

    def _program(self, program: Program, constants: Callable[[], str] | None = None) -> Any:
        """Return a program, made for one machine if that pays and its constants are given."""
        special = self._seconds > _LONG if self._special is None else self._special
        if constants is None or not special:
            return compiled(program, self._device.number)
        return compiled(program, self._device.number, constants())

    def prepare(self, graphs: EncodedBatch) -> PreparedGraphs:
        self._need_machine()
        params = self._params
        check_graphs(params, graphs)
        heads = heads_of(graphs, params, self._rows)
        types = graphs.node_types
        with self._on_device(f"{graphs.n_graphs:,} graphs", "Take fewer graphs at a time") as cupy:
            part = self._part_bytes or int(free_bytes(cupy) * _SHARE)
            fits = int(bytes_of(graphs, heads).sum()) <= part
            packed = DeviceGraphs.of(cupy, self._program("alone"), params, graphs, heads) if fits else None
        return PreparedGraphs(
            graphs,
            heads,
            sizes_of(heads),
            None if types is None else int(types.max(initial=-1)) + 1,
            _form(params),
            packed,
            part,
        )

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        self._need_machine()
        check_run(self._params, graphs.graphs.n_graphs, targets, order)
        self._check(graphs)
        with self._on_device("What learning needs room for", "Take smaller graphs or fewer clauses") as cupy:
            run = self._run(cupy, graphs)
            for packed, heads, part in self._parts(cupy, graphs, order):
                done = 0
                while done < len(part):
                    work = self._work(graphs, part[done:])
                    n = self._pace.piece(work, run.most_examples)
                    examples = DeviceExamples(cupy, targets, part[done : done + n])
                    seconds = run.learn(self._machine.struct, packed.struct(heads[done : done + n]), examples.struct)
                    self._pace.note(float(work[:n].sum()), seconds)
                    done += n

    def class_sums(self, graphs: PreparedGraphs) -> NDArray[np.int64]:
        self._need_machine()
        shape = graphs.graphs.n_graphs, self._params.n_outputs
        return self._predict(graphs, "sums", np.zeros(shape, np.int64))

    def clause_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        self._need_machine()
        shape = graphs.graphs.n_graphs, self._params.n_clauses
        return self._predict(graphs, "truth", np.zeros(shape, np.bool_))

    def node_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        self._need_machine()
        n_nodes, n_clauses = graphs.graphs.n_nodes, self._params.n_clauses
        what = f"The truth of {n_clauses:,} clauses at {n_nodes:,} nodes"
        require_memory(n_nodes * n_clauses, what, "Take fewer graphs at a time")
        return self._predict(graphs, "nodes", np.zeros((n_nodes, n_clauses), np.bool_))

    def _predict(self, graphs: PreparedGraphs, what: str, result: NDArray[Any]) -> NDArray[Any]:
        """Fill ``result`` with the answers of this kind, graphs on the device at a time."""
        self._check(graphs)
        per_graph = np.diff(graphs.graphs.node_ptr) if what == "nodes" else np.ones(graphs.graphs.n_graphs, np.int64)
        ends = np.concatenate([[0], np.cumsum(per_graph)])
        order = np.arange(graphs.graphs.n_graphs)
        with self._on_device(f"Answers for {len(order):,} graphs", "Take fewer graphs at a time") as cupy:
            for packed, heads, part in self._parts(cupy, graphs, order):
                rows = slice(int(ends[part[0]]), int(ends[part[-1] + 1]))
                answers = cupy.zeros((rows.stop - rows.start, result.shape[1]), cupy.asarray(result[:0]).dtype)
                fields = dict.fromkeys(("sums", "truth", "nodes")) | {what: answers}
                struct = structs.filled(structs.ANSWERS, **fields)
                self._answer(cupy, graphs, packed.struct(heads), struct, for_nodes=what == "nodes")
                answers.get(out=result[rows])
        return result

    def _answer(self, cupy: Any, prepared: PreparedGraphs, graphs: Any, answers: Any, *, for_nodes: bool) -> None:
        """Launch prediction: a block for each graph, or all blocks together on graphs that are too large for one."""
        device, params, sizes = self._device, self._params, prepared.sizes
        desk = plan_alone(
            params, sizes, device.n_processors, self._shared_bytes, for_nodes=for_nodes, most_bytes=_TRUTH_BYTES
        )
        if desk is None:
            self._run(cupy, prepared).answer(self._machine.struct, graphs, answers)
            return
        room = Desks(cupy, self._machine, sizes, desk)

        def constants() -> str:
            return fixed(self._machine.struct, room.struct, prepared.heads, None, desk.n_threads)

        kernel = self._program("alone", constants).get_function("predict")
        n_blocks = min(desk.n_blocks, int(graphs["n_graphs"]))
        arguments = (self._machine.struct, graphs, room.struct, answers)
        self._start(kernel, n_blocks, desk.n_threads, desk.shared_bytes, arguments)

    def _run(self, cupy: Any, graphs: PreparedGraphs) -> Run:
        """Return what launches the cooperative kernel for these graphs."""
        launch = plan_together(
            self._params, graphs.sizes, self._device.n_processors, self._shared_bytes, n_blocks=self._n_blocks
        )
        return Run(cupy, self._params, graphs.sizes, graphs.heads, launch, self._program, self._start)

    def _start(
        self, kernel: Any, n_blocks: int, n_threads: int, shared_bytes: int, arguments: tuple[Any, ...]
    ) -> float:
        """Launch a kernel and wait for it; return the seconds it took."""
        import cupy

        begin = time.perf_counter()
        kernel.max_dynamic_shared_size_bytes = shared_bytes
        kernel((n_blocks,), (n_threads,), arguments, shared_mem=shared_bytes)
        cupy.cuda.get_current_stream().synchronize()
        seconds = time.perf_counter() - begin
        self._seconds += seconds
        return seconds

    def _parts(
        self, cupy: Any, graphs: PreparedGraphs, order: NDArray[np.int64]
    ) -> Iterator[tuple[DeviceGraphs, Any, NDArray[np.int64]]]:
        """Yield graphs on the device with their heads in this order: all of them, or as many as there is room for."""
        if not len(order):
            return
        if graphs.on_device is not None:
            yield graphs.on_device, graphs.on_device.heads[cupy.asarray(order)], order
            return
        so_far = np.cumsum(bytes_of(graphs.graphs, graphs.heads)[order])
        first = 0
        while first < len(order):
            before = int(so_far[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(so_far, before + graphs.part_bytes, side="right")))
            part = order[first:last]
            some = taken(graphs.graphs, part)
            packed = DeviceGraphs.of(
                cupy, self._program("alone"), self._params, some, heads_of(some, self._params, self._rows)
            )
            yield packed, packed.heads, part
            first = last

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
        if graphs.form != _form(self._params):
            raise GraphTMError("Graphs were prepared for another machine; prepare them again for this one.")


def _form(params: MachineParams) -> tuple[bool, int]:
    """Return what of a machine the records depend on, beside the size of hypervectors."""
    return params.depth > 1, max(1, params.n_node_types)
