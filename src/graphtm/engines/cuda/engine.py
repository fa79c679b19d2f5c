"""The CUDA engine: the host side, which holds a machine on a device and launches kernels."""

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
from graphtm.engines.base import check_graphs, check_readable, machine_needs, n_types_of, need_machine
from graphtm.engines.cuda.device import device_number, find_device, free_bytes, on_device
from graphtm.engines.cuda.kernels import compiled
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
_RESERVE = 1 / 8  # of the device's memory, which graphs must leave to answers and votes
_SHARE = 1 / 4  # of what is free: the reserve at most, where others have most of the memory, and graphs that pass by
_WORK = 1 / 32  # of the device's memory, that answers may take, and blocks that predict a graph each
_MOST_WORK_BYTES = 1 << 30
_MOST_PART_BYTES = 1 << 31  # of graphs that are copied in parts: more gains nothing and costs the host as much
# Work of a first launch at most: some 10 milliseconds on a large device, so less than a second on a small one.
_FIRST_WORK = {"learn": 2e8, "alone": 2e10, "together": 2e8}


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs for the kernels: on the device, or on the host and copied in parts."""

    on_device: DeviceGraphs | None
    on_host: EncodedBatch | None  # if they are not on the device
    node_ptr: NDArray[np.int64]
    heads: NDArray[Any]
    graph_bytes: NDArray[np.int64]
    sizes: Sizes
    common: Mapping[str, int]  # fields of heads in which all graphs agree
    n_bits: int  # bits of a node
    n_types: int | None  # node types up to the last that occurs; None if there are none
    form: tuple[bool, int, Form]  # of the machine that they were prepared for, and of their records
    device: int

    @property
    def n_graphs(self) -> int:
        return len(self.heads)


class CudaEngine:
    """Kernels on an NVIDIA device; the same bits as the oracle.

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
        """Compute in another way that gives the same bits.

        Parameters
        ----------
        rows
            Whether graphs are evaluated literal by literal: where that is faster, always, or never where it can be
            avoided.
        n_blocks
            Blocks that share the clauses, if not what seems best.
        shared_bytes
            Shared memory to use at most.
        part_bytes
            Device memory for graphs, above which they are copied in parts.
        special
            Whether to compile kernels for the machine at hand, which are faster and take seconds to compile: always,
            never, or, by default, once it has been at work for a while.
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
            room = self._part_bytes or self._room(cupy, sizes)
            graph_bytes = bytes_of(graphs, heads)
            fits = int(graph_bytes.sum()) <= room
            packed = DeviceGraphs.of(cupy, self._packing(), params, graphs, heads) if fits else None
        if not fits:
            _LOG.info("%d graphs do not fit CUDA device %d; they are copied in parts.", len(heads), self._device.number)
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
        """Return the memory that graphs of such sizes may keep: the rest is for work, and for another such machine."""
        free = free_bytes(cupy)
        work = 4 * sum(global_words(self._params, sizes, self._plan(sizes)).values())
        return free - self._machine.n_bytes - work - int(min(self._device.memory_bytes * _RESERVE, free * _SHARE))

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        need_machine(self)
        check_run(self._params, graphs.n_graphs, targets, order)
        self._check(graphs)
        with self._on_device("What learning needs room for", "Take smaller graphs or fewer clauses") as cupy:
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

    def clause_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        need_machine(self)
        shape = graphs.n_graphs, self._params.n_clauses
        return self._predict(graphs, "truth", np.zeros(shape, np.bool_))

    def node_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        need_machine(self)
        n_nodes, n_clauses = int(graphs.node_ptr[-1]), self._params.n_clauses
        what = f"The truth of {n_clauses:,} clauses at {n_nodes:,} nodes"
        require_memory(n_nodes * n_clauses, what, "Take fewer graphs at a time")
        return self._predict(graphs, "nodes", np.zeros((n_nodes, n_clauses), np.bool_))

    def _predict(self, graphs: PreparedGraphs, what: str, result: NDArray[Any]) -> NDArray[Any]:
        """Fill ``result`` with the answers of this kind, a row for each graph or node."""
        self._check(graphs)
        if not graphs.n_graphs:
            return result
        ends = graphs.node_ptr if what == "nodes" else np.arange(graphs.n_graphs + 1)
        row_bytes = result.shape[1] * result.itemsize
        with self._on_device(f"Answers for {graphs.n_graphs:,} graphs", "Take fewer graphs at a time") as cupy:
            ways = self._ways(cupy, graphs, for_nodes=what == "nodes")
            for packed, heads, part in self._parts(cupy, graphs, np.arange(graphs.n_graphs)):
                work = self._work(graphs, part)
                for some in slices(np.diff(ends)[part] * row_bytes, self._work_bytes):
                    rows = slice(int(ends[part[some.start]]), int(ends[part[some.stop - 1] + 1]))
                    answers = cupy.zeros((rows.stop - rows.start, result.shape[1]), result.dtype)
                    # Kernels count nodes from the first on the device, answers from the first of these graphs.
                    row_of_node_0 = (0 if graphs.on_host is None else int(ends[part[0]])) - rows.start
                    first = int(part[some.start])
                    for way in ways:
                        way.answer(cupy, what, packed, heads[some], first, work[some], answers, row_of_node_0)
                    answers.get(out=result[rows])
                del packed, heads  # before the next part is copied
        return result

    def _ways(self, cupy: Any, graphs: PreparedGraphs, *, for_nodes: bool) -> list[Way]:
        """Return how graphs are answered."""
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
        """Return what launches the cooperative kernel for such graphs."""
        machine, launch = self._machine.struct, self._plan(sizes)
        return Run(cupy, self._params, machine, sizes, common, launch, self._launcher, n_examples)

    def _plan(self, sizes: Sizes) -> Launch:
        return plan_together(
            self._params, sizes, self._device.n_processors, self._shared_bytes, n_blocks=self._n_blocks
        )

    def _parts(
        self, cupy: Any, graphs: PreparedGraphs, order: NDArray[np.int64]
    ) -> Iterator[tuple[DeviceGraphs, Any, NDArray[np.int64]]]:
        """Yield graphs on the device with their heads in this order: all of them, or as many as there is room for."""
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
            del packed  # the caller has let go of it too: the next part needs the room

    def _work(self, graphs: PreparedGraphs, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return about how much work graphs are: nodes, automata and weights of all clauses, and what each takes."""
        params = self._params
        n_nodes = graphs.heads["n_nodes"][order].astype(np.int64)
        per_clause = params.depth * n_nodes + 8 * Shape.of(params).words + params.n_outputs
        return np.asarray(params.n_clauses * per_clause + 20_000)

    def _check(self, graphs: PreparedGraphs) -> None:
        """Check that graphs were prepared for a machine of this form.

        Raises
        ------
        GraphTMError
            If they were not.
        """
        check_readable(self._params, graphs.n_bits, graphs.n_types)
        check_sizes(self._params, graphs.sizes)
        if graphs.form != self._form():
            raise GraphTMError("Graphs were prepared for another machine; prepare them again for this one.")
        if graphs.device != self._device.number:
            raise GraphTMError(
                f"Graphs must be on the engine's device, {self._device.number}; they were prepared for device "
                f"{graphs.device}. Prepare them again."
            )

    def _form(self) -> tuple[bool, int, Form]:
        """Return what records depend on, beside the size of hypervectors."""
        return self._params.depth > 1, max(1, self._params.n_node_types), self._rows
