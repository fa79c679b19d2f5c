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
from graphtm.engines.cuda.kernels import Program, compiled
from graphtm.engines.cuda.memory import DeviceExamples, DeviceGraphs, DeviceMachine, Workroom, desk_struct
from graphtm.engines.cuda.plan import Launch, plan_alone, plan_together, slots_per_example
from graphtm.engines.cuda.records import Form, Sizes, bytes_of, heads_of, sizes_of, taken
from graphtm.engines.targets import Targets, check_run
from graphtm.errors import GraphTMError
from graphtm.graphs.memory import require_memory
from graphtm.model import MachineParams, MachineState

_SECONDS = 0.2  # of a launch: as long as Ctrl-C may wait
_SLOTS_BYTES = 1 << 27  # votes of the examples of a launch
_SHARE = 0.6  # of the free memory that graphs may take
_TOGETHER = 1 << 30  # bytes that blocks may take that predict a graph each


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
    """

    def __init__(
        self,
        name: str = "cuda",
        *,
        rows: Form = "auto",
        n_blocks: int | None = None,
        shared_bytes: int | None = None,
        part_bytes: int | None = None,
    ) -> None:
        self.name = name
        self._device = find_device(device_number(name))
        self._rows: Form = rows
        self._n_blocks = n_blocks
        self._shared_bytes = min(shared_bytes or self._device.shared_bytes, self._device.shared_bytes)
        self._part_bytes = part_bytes
        self._pace = _Pace()

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        with self._on_device(*machine_needs(params)) as cupy:
            machine = DeviceMachine.of(cupy, self._program("alone"), params, state)
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

    def _program(self, program: Program) -> Any:
        return compiled(program, self._device.number)

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
            runner = _Runner(cupy, self._params, graphs.sizes, self._plan(graphs.sizes), self._program, "learn")
            for packed, heads, part in self._parts(cupy, graphs, order):
                done = 0
                while done < len(part):
                    work = self._work(graphs, part[done:])
                    n = self._pace.piece(work, runner.most_examples)
                    examples = DeviceExamples(cupy, targets, part[done : done + n])
                    start = time.perf_counter()
                    runner.run(self._machine.struct, packed.struct(heads[done : done + n]), examples.struct)
                    self._pace.note(float(work[:n].sum()), time.perf_counter() - start)
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
                self._answer(cupy, graphs.sizes, packed.struct(heads), struct, for_nodes=what == "nodes")
                answers.get(out=result[rows])
        return result

    def _answer(self, cupy: Any, sizes: Sizes, graphs: Any, answers: Any, *, for_nodes: bool) -> None:
        """Launch prediction: a block for each graph, or all blocks together on graphs that are too large for one."""
        device, params = self._device, self._params
        desk = plan_alone(
            params, sizes, device.n_processors, self._shared_bytes, for_nodes=for_nodes, most_bytes=_TOGETHER
        )
        if desk is None:
            runner = _Runner(cupy, params, sizes, self._plan(sizes), self._program, "answer_together")
            runner.run(self._machine.struct, graphs, answers=answers)
            return
        struct, _truth = desk_struct(cupy, sizes, desk)
        kernel = _kernel(self._program("alone"), "predict", desk.shared_bytes)
        n_blocks = min(desk.n_blocks, int(graphs["n_graphs"]))
        kernel(
            (n_blocks,),
            (desk.n_threads,),
            (self._machine.struct, graphs, struct, answers),
            shared_mem=desk.shared_bytes,
        )
        cupy.cuda.get_current_stream().synchronize()

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

    def _plan(self, sizes: Sizes) -> Launch:
        return plan_together(
            self._params, sizes, self._device.n_processors, self._shared_bytes, n_blocks=self._n_blocks
        )

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


class _Pace:
    """How many examples to learn in a launch, so that Ctrl-C is heard in time."""

    def __init__(self) -> None:
        self._seconds = 1e-9  # for a unit of work; a first guess that is too long rather than too short

    def piece(self, work: NDArray[np.int64], most: int) -> int:
        """Return how many of the next examples to take."""
        upto = np.cumsum(work[:most]) * self._seconds
        return max(1, int(np.searchsorted(upto, _SECONDS, side="right")))

    def note(self, work: float, seconds: float) -> None:
        """Learn from a launch how long work takes."""
        self._seconds = seconds / work


class _Runner:
    """Launches the cooperative kernel again and again, in the same room."""

    def __init__(
        self, cupy: Any, params: MachineParams, sizes: Sizes, launch: Launch, program: Callable[[Program], Any], name: str
    ) -> None:
        self._cupy, self._params, self._sizes, self._launch = cupy, params, sizes, launch
        module = program("together" if launch.planes_in_shared else "together_far")
        self._kernel = _kernel(module, name, launch.shared_bytes)
        self._room: Workroom | None = None
        self.most_examples = max(1, _SLOTS_BYTES // (8 * slots_per_example(params)[0]))

    def run(self, machine: Any, graphs: Any, examples: Any = None, answers: Any = None) -> None:
        """Launch once and wait."""
        n_slots = 0 if examples is None else int(graphs["n_graphs"])
        if self._room is None or self._room.n_examples < n_slots:
            self._room = Workroom(self._cupy, self._params, self._sizes, self._launch, n_slots)
        else:
            self._room.reset()
        arguments = (machine, graphs, *(() if examples is None else (examples,)), self._room.struct)
        arguments += () if answers is None else (answers,)
        launch = self._launch
        self._kernel((launch.n_blocks,), (launch.n_threads,), arguments, shared_mem=launch.shared_bytes)
        self._cupy.cuda.get_current_stream().synchronize()


def _kernel(module: Any, name: str, shared_bytes: int) -> Any:
    kernel = module.get_function(name)
    kernel.max_dynamic_shared_size_bytes = shared_bytes
    return kernel
