"""The CPU engine: the host side, which holds a machine and runs the kernels on threads."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.base import check_graphs, machine_needs
from graphtm.engines.cpu import layout, rooms, run, structs
from graphtm.engines.cpu.barrier import new_barrier
from graphtm.engines.cpu.compiling import compiled
from graphtm.engines.cpu.pace import Pace
from graphtm.engines.cpu.threads import run_together, thread_count
from graphtm.engines.memory import require_memory
from graphtm.engines.targets import Targets, check_run
from graphtm.errors import GraphTMError
from graphtm.model import MachineParams, MachineState

_ROOMS_FOR_THREADS = 1 << 30  # bytes that threads may take which predict a graph each
_SHORT = 0.2  # seconds of an example up to which Ctrl-C may wait for a run of examples
_FIRST_RUN = 200_000_000  # clauses times layers times nodes that a first run of prediction looks at
_NO_VOTES = np.zeros(0, np.uint64)
_NO_SUMS = np.zeros((0, 0), np.int64)
_NO_TRUTH = np.zeros((0, 0), np.bool_)


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs for the kernels, and what they need room for."""

    arrays: structs.Graphs
    n_graphs: int
    n_nodes: int
    most_nodes: int


class _Run(NamedTuple):
    """What the threads of a run share."""

    mode: int
    graphs: PreparedGraphs
    examples: structs.Examples
    votes: NDArray[np.uint64] = _NO_VOTES
    sums: NDArray[np.int64] = _NO_SUMS
    truth: NDArray[np.bool_] = _NO_TRUTH


class CpuEngine:
    """Numba on 64-bit words; the same bits as the oracle.

    Parameters
    ----------
    n_jobs
        Threads at most: ``None`` for the processors this process may use, up to eight; -1 for all. Where one is
        faster, as with small examples or next to a busy process, one is used.
    vectors
        Whether to compute on vectors of eight words, or word by word. For tests: vectors also run on processors with
        shorter registers.
    rows
        Whether to evaluate literal by literal over all nodes: where that is less work, always or never. For tests.
    pace
        What decides how many threads are used, given how many there may be. For tests.
    """

    name = "cpu"

    def __init__(
        self,
        n_jobs: int | None = None,
        *,
        vectors: bool = True,
        rows: Literal["auto", "always", "never"] = "auto",
        pace: Callable[[int], Pace] = Pace,
    ) -> None:
        self._n_threads = thread_count(n_jobs)
        self._vectors = vectors
        self._rows = rows
        self._make_pace = pace
        self._always: NDArray[np.uint64] | None = None

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        require_memory(rooms.machine_bytes(params, self._vectors), *machine_needs(params))
        self._params = params
        self._step = state.step
        self._machine = layout.machine_of(params, state, self._vectors, self._rows)
        self._always = None
        self._pace = self._make_pace(self._n_threads)

    def state(self) -> MachineState:
        self._need_machine()
        return layout.state_of(self._params, self._machine, self._step, self._vectors)

    def _need_machine(self) -> None:
        if not hasattr(self, "_params"):
            raise GraphTMError("The engine holds no machine yet; load one first.")

    def prepare(self, graphs: EncodedBatch) -> PreparedGraphs:
        self._need_machine()
        check_graphs(self._params, graphs)
        most = int(np.diff(graphs.node_ptr).max(initial=0))
        rooms.require_room(self._params, most, self._n_threads, self._vectors)
        arrays = layout.graphs_of(graphs, layout.teams(self._params, self._vectors)[0])
        return PreparedGraphs(arrays, graphs.n_graphs, graphs.n_nodes, most)

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        self._need_machine()
        check_run(self._params, graphs.n_graphs, targets, order)
        self._use(graphs)
        shared = rooms.shared_room(self._params, graphs.most_nodes, self._n_threads, self._vectors)
        private = [rooms.private_room(self._params) for _ in range(self._n_threads)]
        done = 0
        while done < len(order):
            n_threads, size = self._pace.plan(len(order) - done)
            work = _Run(run.LEARN, graphs, layout.examples_of(targets, order[done : done + size]))
            start = time.perf_counter()
            before = self._step
            short = self._pace.example_seconds < _SHORT
            self._together(work, shared, private[:n_threads], take_part=short)
            self._pace.note(n_threads, self._step - before, time.perf_counter() - start)
            done += size

    def class_sums(self, graphs: PreparedGraphs) -> NDArray[np.int64]:
        self._need_machine()
        params = self._params
        sums = np.zeros((graphs.n_graphs, params.n_outputs), np.int64)
        votes = layout.votes_of(params, self._machine, self._vectors)
        self._predict(_Run(run.SUMS, graphs, _all(graphs), votes=votes, sums=sums))
        return sums

    def clause_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        self._need_machine()
        truth = np.zeros((graphs.n_graphs, self._params.n_clauses), np.bool_)
        self._predict(_Run(run.CLAUSES, graphs, _all(graphs), truth=truth))
        return truth

    def node_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        self._need_machine()
        truth = np.zeros((graphs.n_nodes, self._params.n_clauses), np.bool_)
        self._predict(_Run(run.NODES, graphs, _all(graphs), truth=truth))
        return truth

    def _predict(self, work: _Run) -> None:
        """Evaluate graphs: a thread for some of them each, or all threads together on few or huge ones."""
        graphs, n_threads = work.graphs, self._n_threads
        self._use(graphs)
        room = rooms.shared_bytes(self._params, graphs.most_nodes, 1, self._vectors)
        apart = graphs.n_graphs >= 2 * n_threads and room * n_threads <= _ROOMS_FOR_THREADS
        n_rooms = n_threads if apart else 1
        shared = [rooms.shared_room(self._params, graphs.most_nodes, n_threads, self._vectors) for _ in range(n_rooms)]
        private = [rooms.private_room(self._params) for _ in range(n_threads)]
        if self._machine.ages.any():
            lists = _Run(run.LISTS, graphs, layout.graphs_only(np.zeros(0, np.int64)))
            self._together(lists, shared[0], private[:1])
        if not apart:
            self._together(work, shared[0], private)
            return
        # A run of up to some tenths of a second; it grows if it is shorter.
        done, size = (
            0,
            max(2 * n_threads, _FIRST_RUN // (self._params.n_clauses * self._params.depth * graphs.most_nodes)),
        )
        while done < graphs.n_graphs:
            last = min(graphs.n_graphs, done + size)
            start = time.perf_counter()
            self._predict_apart(work, shared, private, done, last)
            size = size if time.perf_counter() - start > _SHORT / 4 else 4 * size
            done = last

    def _predict_apart(
        self, work: _Run, shared: list[structs.Shared], private: list[structs.Private], first: int, last: int
    ) -> None:
        """Evaluate some graphs, split among the threads by their nodes."""
        n_threads, ptr = len(private), work.graphs.arrays.node_ptr
        ends = np.searchsorted(ptr, np.linspace(ptr[first], ptr[last], n_threads + 1))
        ends[0], ends[-1] = first, last
        barriers = [new_barrier() for _ in range(n_threads)]
        parts = [layout.graphs_only(np.arange(*ends[i : i + 2])) for i in range(n_threads)]

        def part(i: int) -> None:
            self._call(work, shared[i], parts[i], private[i], barriers[i], 0, 1)

        run_together(part, n_threads, barriers, take_part=True)

    def _use(self, graphs: PreparedGraphs) -> None:
        """Make the machine ready for these graphs: lists leave out literals that hold everywhere in them."""
        if self._always is None or not np.array_equal(self._always, graphs.arrays.always):
            ages = self._machine.ages[: self._params.n_clauses]
            ages[ages == 0] = 1
            self._always = graphs.arrays.always

    def _together(
        self, work: _Run, shared: structs.Shared, private: list[structs.Private], take_part: bool = False
    ) -> None:
        """Run on threads that share every graph; the examples that were learned count, whatever ended it."""
        n_threads, barrier = len(private), new_barrier()
        compiled(run.run, self._arguments(work, shared, work.examples, private[0], barrier, 0, n_threads))
        done = [0] * n_threads

        def part(i: int) -> None:
            done[i] = self._call(work, shared, work.examples, private[i], barrier, i, n_threads)

        try:
            run_together(part, n_threads, [barrier], take_part=take_part)
        finally:
            if work.mode == run.LEARN:
                self._step += max(done)

    def _call(
        self,
        work: _Run,
        shared: structs.Shared,
        examples: structs.Examples,
        private: structs.Private,
        barrier: NDArray[np.int64],
        thread: int,
        n_threads: int,
    ) -> int:
        return int(run.run(*self._arguments(work, shared, examples, private, barrier, thread, n_threads)))

    def _arguments(
        self,
        work: _Run,
        shared: structs.Shared,
        examples: structs.Examples,
        private: structs.Private,
        barrier: NDArray[np.int64],
        thread: int,
        n_threads: int,
    ) -> tuple[Any, ...]:
        return (
            *layout.widths(self._vectors),
            work.mode,
            self._machine,
            work.graphs.arrays,
            shared,
            examples,
            private,
            np.uint64(self._step),
            work.votes,
            work.sums,
            work.truth,
            barrier,
            thread,
            n_threads,
        )


def _all(graphs: PreparedGraphs) -> structs.Examples:
    return layout.graphs_only(np.arange(graphs.n_graphs))
