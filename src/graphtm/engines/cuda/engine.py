"""Host side of the CUDA engine: it holds a machine on a device and launches kernels."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.base import (
    Outputs,
    check_graphs,
    check_readable,
    machine_needs,
    n_types_of,
    need_machine,
    output_type,
)
from graphtm.engines.cuda.device import device_number, find_device, free_bytes, on_device
from graphtm.engines.cuda.kernels import compiled, generic
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.cuda.memory import DeviceExamples, DeviceGraphs, DeviceMachine
from graphtm.engines.cuda.plan import Launch, Shape, global_words, plan_alone, plan_together
from graphtm.engines.cuda.prediction import Way, alone, shares
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
from graphtm.foundation.resources import require_memory
from graphtm.model import MachineParams, MachineState

_LOG = logging.getLogger(__name__)
_RESERVE = 1 / 8  # fraction of the device's memory that graphs must leave for results and votes
_SHARE = 1 / 4  # fraction of the free memory: upper bound of the reserve, and for graphs copied in parts
_WORK = 1 / 32  # fraction of the device's memory for results, and for prediction with a block per graph
_MOST_WORK_BYTES = 1 << 30
_MOST_PART_BYTES = 1 << 31  # of graphs copied in parts: more is not faster and takes as much host memory
# Largest work of a first launch: about 10 milliseconds on a large device, so less than a second on a small one.
_FIRST_WORK = {"learn": 2e8, "alone": 2e10, "together": 2e8}


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs in the form of the kernels: on the device, or on the host and copied in parts."""

    on_device: DeviceGraphs | None
    on_host: EncodedBatch | None  # None if they are on the device
    node_ptr: NDArray[np.int64]
    heads: NDArray[Any]
    graph_bytes: NDArray[np.int64]
    sizes: Sizes
    common: Mapping[str, int]  # fields of heads that are the same for all graphs
    n_bits: int  # bits of a node
    n_types: int | None  # largest node type that occurs, plus 1; None if nodes have no types
    form: tuple[bool, int, Form]  # properties of the machine that records depend on
    device: int

    @property
    def n_graphs(self) -> int:
        return len(self.heads)


class CudaEngine:
    """Engine with kernels on an NVIDIA device.

    Parameters
    ----------
    name
        ``"cuda"``, or ``"cuda:1"`` for the second device.
    """

    def __init__(self, name: str = "cuda") -> None:
        self.name = name
        self._device = find_device(device_number(name))
        self._work_bytes = min(_MOST_WORK_BYTES, int(self._device.memory_bytes * _WORK))
        self.adjust()

    def adjust(
        self,
        *,
        rows: Form = "auto",
        n_blocks: int | None = None,
        shared_bytes: int | None = None,
        part_bytes: int | None = None,
        special: bool | None = None,
    ) -> None:
        """Select another code path that gives the same bits.

        Parameters
        ----------
        rows
            Whether to evaluate graphs literal by literal: ``"always"``, ``"never"`` (unless a graph is too large), or
            ``"auto"`` where it is faster.
        n_blocks
            Number of blocks that share the clauses; chosen automatically if ``None``.
        shared_bytes
            Largest amount of shared memory to use.
        part_bytes
            Device memory for graphs; larger batches are copied in parts.
        special
            Whether to compile kernels for the parameters of the machine, which are faster but take seconds to compile.
            ``None`` compiles them after half a second of work.
        """
        self._rows: Form = rows
        self._n_blocks = n_blocks
        self._shared_bytes = min(shared_bytes or self._device.shared_bytes, self._device.shared_bytes)
        self._part_bytes = part_bytes
        self._launcher = Launcher(self._device, special)

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        with self._on_device(*machine_needs(params)) as cupy:
            machine = DeviceMachine.of(cupy, self._packing(), params, state)
        self._params, self._machine = params, machine
        self._paces = {name: Pace(first) for name, first in _FIRST_WORK.items()}

    def state(self) -> MachineState:
        need_machine(self)
        with self._on_device(*machine_needs(self._params)) as cupy:
            return self._machine.state(cupy, self._packing(), self._params)

    def _on_device(self, what: str, advice: str) -> AbstractContextManager[Any]:
        return on_device(self._device, what, advice)

    def _packing(self) -> Any:
        """Return the kernels that pack states and graphs, and unpack states."""
        return compiled("alone", self._device, generic())

    def prepare(self, graphs: EncodedBatch) -> PreparedGraphs:
        need_machine(self)
        params = self._params
        check_graphs(params, graphs)
        heads = heads_of(graphs, params, self._rows)
        sizes = sizes_of(heads)
        check_sizes(params, sizes)
        with self._on_device(f"{graphs.n_graphs:,} graphs", "Pass fewer graphs at a time") as cupy:
            room = self._part_bytes or self._room(cupy, sizes)
            graph_bytes = bytes_of(graphs, heads)
            fits = int(graph_bytes.sum()) <= room
            packed = DeviceGraphs.of(cupy, self._packing(), params, graphs, heads) if fits else None
        if not fits:
            _LOG.info(
                "%d graphs exceed the memory of CUDA device %d and are copied in parts.",
                len(heads),
                self._device.number,
            )
        return PreparedGraphs(
            on_device=packed,
            on_host=None if fits else graphs,
            node_ptr=graphs.node_ptr,
            heads=heads,
            graph_bytes=graph_bytes,
            sizes=sizes,
            common=common_of(heads),
            n_bits=graphs.n_bits,
            n_types=n_types_of(graphs),
            form=self._form(),
            device=self._device.number,
        )

    def _room(self, cupy: Any, sizes: Sizes) -> int:
        """Return the memory for graphs of these sizes; the rest is for working memory and a second such machine."""
        free = free_bytes(cupy)
        work = 4 * sum(global_words(self._params, sizes, self._plan(sizes)).values())
        return free - self._machine.n_bytes - work - int(min(self._device.memory_bytes * _RESERVE, free * _SHARE))

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        need_machine(self)
        check_run(self._params, graphs.n_graphs, targets, order)
        self._check(graphs)
        with self._on_device("The working memory for training", "Use smaller graphs or fewer clauses") as cupy:
            run = self._run(cupy, graphs.sizes, graphs.common, len(order))
            pace = self._paces["learn"]
            for packed, heads, part in self._parts(cupy, graphs, order):
                work = self._work(graphs, part)
                for piece in pace.pieces(work, run.most_examples):
                    examples = DeviceExamples(cupy, targets, part[piece])
                    seconds = run.learn(packed.struct(heads[piece]), examples.struct)
                    pace.note(float(work[piece].sum()), seconds)
                del packed, heads  # before the next part is copied

    def class_sums(self, graphs: PreparedGraphs) -> NDArray[np.int64]:
        need_machine(self)
        shape = graphs.n_graphs, self._params.n_outputs
        return self._predict(graphs, "sums", np.zeros(shape, np.int64))

    def clause_outputs(self, graphs: PreparedGraphs) -> Outputs:
        need_machine(self)
        shape = graphs.n_graphs, self._params.n_clauses
        return self._predict(graphs, "outputs", np.zeros(shape, output_type(self._params)))

    def node_outputs(self, graphs: PreparedGraphs) -> Outputs:
        need_machine(self)
        n_nodes, n_clauses = int(graphs.node_ptr[-1]), self._params.n_clauses
        what = f"The outputs of {n_clauses:,} clauses at {n_nodes:,} nodes"
        require_memory(n_nodes * n_clauses, what, "Pass fewer graphs at a time")
        return self._predict(graphs, "nodes", np.zeros((n_nodes, n_clauses), output_type(self._params)))

    def _predict(self, graphs: PreparedGraphs, what: str, result: NDArray[Any]) -> NDArray[Any]:
        """Fill ``result`` with vote sums or clause outputs, a row for each graph or node."""
        self._check(graphs)
        if not graphs.n_graphs:
            return result
        ends = graphs.node_ptr if what == "nodes" else np.arange(graphs.n_graphs + 1)
        row_bytes = result.shape[1] * result.itemsize
        with self._on_device(f"The results for {graphs.n_graphs:,} graphs", "Pass fewer graphs at a time") as cupy:
            ways = self._ways(cupy, graphs, for_nodes=what == "nodes")
            for packed, heads, part in self._parts(cupy, graphs, np.arange(graphs.n_graphs)):
                work = self._work(graphs, part)
                for some in slices(np.diff(ends)[part] * row_bytes, self._work_bytes):
                    rows = slice(int(ends[part[some.start]]), int(ends[part[some.stop - 1] + 1]))
                    answers = cupy.zeros((rows.stop - rows.start, result.shape[1]), result.dtype)
                    # Kernels number nodes from the first on the device, results from the first of these graphs.
                    row_of_node_0 = (0 if graphs.on_host is None else int(ends[part[0]])) - rows.start
                    first = int(part[some.start])
                    for way in ways:
                        way.answer(cupy, what, packed, heads[some], first, work[some], answers, row_of_node_0)
                    answers.get(out=result[rows])
                del packed, heads  # before the next part is copied
        return result

    def _ways(self, cupy: Any, graphs: PreparedGraphs, *, for_nodes: bool) -> list[Way]:
        """Return how to predict graphs."""
        plan = partial(
            plan_alone,
            self._params,
            n_processors=min(self._device.n_processors, graphs.n_graphs),
            shared_bytes=self._shared_bytes,
            for_nodes=for_nodes,
            most_bytes=self._work_bytes,
        )
        ways = []
        for share in shares(graphs.heads, graphs.sizes, graphs.common, plan):
            if share.desk is None:
                run = self._run(cupy, share.sizes, share.common)
                ways.append(Way(share, run.answer, self._paces["together"]))
            else:
                start = alone(cupy, self._machine, self._launcher, share, share.desk)
                ways.append(Way(share, start, self._paces["alone"]))
        return ways

    def _run(self, cupy: Any, sizes: Sizes, common: Mapping[str, int], n_examples: int = 0) -> Run:
        """Return a run of the cooperative kernel for graphs of these sizes."""
        machine, launch = self._machine.struct, self._plan(sizes)
        return Run(cupy, self._params, machine, sizes, common, launch, self._launcher, n_examples)

    def _plan(self, sizes: Sizes) -> Launch:
        return plan_together(
            self._params, sizes, self._device.n_processors, self._shared_bytes, n_blocks=self._n_blocks
        )

    def _parts(
        self, cupy: Any, graphs: PreparedGraphs, order: NDArray[np.int64]
    ) -> Iterator[tuple[DeviceGraphs, Any, NDArray[np.int64]]]:
        """Yield graphs on the device with their heads in this order: all at once, or in parts that fit."""
        if graphs.on_host is None:
            if graphs.on_device is not None and len(order):
                yield graphs.on_device, graphs.on_device.heads[cupy.asarray(order)], order
            return
        room = self._part_bytes or min(_MOST_PART_BYTES, int(free_bytes(cupy) * _SHARE))
        for some in slices(graphs.graph_bytes[order], room):
            part = order[some]
            batch = taken(graphs.on_host, part)
            heads = heads_of(batch, self._params, self._rows)
            packed = DeviceGraphs.of(cupy, self._packing(), self._params, batch, heads)
            yield packed, packed.heads, part
            del packed  # the caller has deleted it, too: the next part needs the memory

    def _work(self, graphs: PreparedGraphs, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Estimate the work per graph: nodes, automata and weights of all clauses, plus a constant."""
        params = self._params
        n_nodes = graphs.heads["n_nodes"][order].astype(np.int64)
        per_clause = params.depth * n_nodes + 8 * Shape.of(params).words + params.n_outputs
        return np.asarray(params.n_clauses * per_clause + 20_000)

    def _check(self, graphs: PreparedGraphs) -> None:
        """Check that graphs were prepared for this machine and device.

        Raises
        ------
        GraphTMError
            If they were not.
        """
        check_readable(self._params, graphs.n_bits, graphs.n_types)
        check_sizes(self._params, graphs.sizes)
        if graphs.form != self._form():
            raise GraphTMError("The graphs were prepared for another machine; prepare them again.")
        if graphs.device != self._device.number:
            raise GraphTMError(
                f"The graphs must be on the engine's device, {self._device.number}; they were prepared for device "
                f"{graphs.device}. Prepare them again."
            )

    def _form(self) -> tuple[bool, int, Form]:
        """Return the properties of the machine that records depend on, except hypervector_size."""
        return self._params.depth > 1, max(1, self._params.n_node_types), self._rows
