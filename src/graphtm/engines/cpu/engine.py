"""The CPU engine: the host side, which holds a machine and runs the kernels on threads."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.base import check_graphs
from graphtm.engines.cpu import layout, rooms, run, structs
from graphtm.engines.cpu.barrier import new_barrier
from graphtm.engines.cpu.threads import run_together, thread_count
from graphtm.engines.targets import Targets, check_run
from graphtm.errors import GraphTMError
from graphtm.model import MachineParams, MachineState


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs for the kernels, and what they need room for."""

    arrays: structs.Graphs
    n_graphs: int
    n_nodes: int
    most_nodes: int


class CpuEngine:
    """Numba on 64-bit words; the same bits as the oracle."""

    name = "cpu"

    def __init__(self, n_jobs: int | None = None, *, vectors: bool = True) -> None:
        self._n_threads = thread_count(n_jobs)
        self._vectors = vectors

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        self._params = params
        self._step = state.step
        self._machine = layout.machine_of(params, state, self._vectors)

    def state(self) -> MachineState:
        self._need_machine()
        return layout.state_of(self._params, self._machine, self._step, self._vectors)

    def _need_machine(self) -> None:
        if not hasattr(self, "_params"):
            raise GraphTMError("The engine holds no machine yet; load one first.")

    def prepare(self, graphs: EncodedBatch) -> PreparedGraphs:
        self._need_machine()
        check_graphs(self._params, graphs)
        arrays = layout.graphs_of(graphs, layout.teams(self._params, self._vectors)[0])
        most = int(np.diff(graphs.node_ptr).max(initial=0))
        return PreparedGraphs(arrays, graphs.n_graphs, graphs.n_nodes, most)

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        check_run(self._params, graphs.n_graphs, targets, order)
        self._use(graphs)
        n = self._n_threads
        room = rooms.shared_room(self._params, graphs.most_nodes, n, self._vectors)
        private = [rooms.private_room(self._params) for _ in range(n)]
        barrier = new_barrier()
        done = [0]
        examples = layout.examples_of(targets, order)
        def work(thread):
            d = self._call(run.LEARN, graphs, room, examples, private[thread], barrier, thread, n)
            if thread == 0: done[0]=d
        try:
            run_together(work, n, [barrier])
        finally:
            self._step += done[0]

    def _use(self, graphs):
        always = graphs.arrays.always
        old = getattr(self, "_always", None)
        if old is None or not np.array_equal(old, always):
            ages = self._machine.ages[: self._params.n_clauses]
            ages[ages == 0] = 1
            self._always = always

    def _call(self, mode, graphs, room, examples, private, barrier, thread, n, votes=np.zeros((1,1),np.int32), answers=np.zeros((1,1),np.int64), truth=np.zeros((1,1),np.bool_)):
        wide, half = layout.widths(self._vectors)
        return run.run(wide, half, mode, self._machine, graphs.arrays, room, examples, private, np.uint64(self._step), votes, answers, truth, barrier, thread, n)

    def _each(self, graphs, mode, **kw):
        self._use(graphs)
        n = self._n_threads
        room = rooms.shared_room(self._params, 1, n, self._vectors)
        priv = [rooms.private_room(self._params) for _ in range(n)]
        no = layout.graphs_only(np.zeros(0,np.int64))
        bars=[new_barrier() for _ in range(n)]
        run_together(lambda t: self._call(run.LISTS, graphs, room, no, priv[t], bars[0], t, n), n, bars)
        sh = [rooms.shared_room(self._params, graphs.most_nodes, 1, self._vectors) for _ in range(n)]
        def work(t):
            lo, hi = graphs.n_graphs*t//n, graphs.n_graphs*(t+1)//n
            self._call(mode, graphs, sh[t], layout.graphs_only(np.arange(lo,hi)), priv[t], bars[t], 0, 1, **kw)
        run_together(work, n, bars)

    def class_sums(self, graphs: PreparedGraphs) -> NDArray[np.int64]:
        sums = np.zeros((graphs.n_graphs, self._params.n_outputs), np.int64)
        self._each(graphs, run.SUMS, votes=self._machine.weights.reshape(self._params.n_outputs, -1).T.copy(), answers=sums)
        return sums

    def clause_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        outputs = np.zeros((graphs.n_graphs, self._params.n_clauses), np.bool_)
        self._each(graphs, run.CLAUSES, truth=outputs)
        return outputs

    def node_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        truth = np.zeros((graphs.n_nodes, self._params.n_clauses), np.bool_)
        self._each(graphs, run.NODES, truth=truth)
        return truth
