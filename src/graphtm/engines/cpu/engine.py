"""Host side of the CPU engine: it holds a machine and runs the kernels on threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

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
from graphtm.engines.cpu import layout, rooms, run, structs
from graphtm.engines.cpu.barrier import DONE, new_barrier
from graphtm.engines.cpu.compiling import make_ready
from graphtm.engines.cpu.pace import Pace
from graphtm.engines.cpu.threads import run_together, thread_count
from graphtm.engines.targets import Targets, check_run
from graphtm.foundation.resources import require_memory
from graphtm.model import MachineParams, MachineState

_ROOMS_FOR_THREADS = 1 << 30  # most bytes of working memory when each thread predicts its own graphs
_SHORT = 0.2  # most seconds of an example for which Ctrl-C may wait until a run ends
_SHORT_WORK = 200_000_000  # clauses times layers times nodes: a prediction up to this size is short
_ALONE_WORK = 200_000  # up to this size, starting a thread for one graph takes longer than the graph
_SPARE_BYTES = 1 << 22  # most bytes of working memory kept from one call to the next
_NO_VOTES = np.zeros(0, np.uint64)
_NO_SUMS = np.zeros((0, 0), np.int64)
_NO_OUTPUTS = np.zeros((0, 0), np.uint8)


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs in the form of the kernels, and their sizes."""

    arrays: structs.Graphs
    n_bits: int
    n_types: int | None  # largest node type that occurs, plus 1; None if nodes have no types
    n_graphs: int
    n_nodes: int
    most_nodes: int


class _Run(NamedTuple):
    """Data shared by the threads of a run."""

    mode: int
    graphs: PreparedGraphs
    examples: structs.Examples
    votes: NDArray[np.uint64] = _NO_VOTES
    sums: NDArray[np.int64] = _NO_SUMS
    outputs: NDArray[np.uint8] = _NO_OUTPUTS


@dataclass(frozen=True, eq=False)
class _Rooms:
    """Working memory of a call: of all threads together, and of each thread; whether to keep it for the next call."""

    shared: structs.Shared
    private: list[structs.Private]
    is_small: bool


class CpuEngine:
    """Engine with Numba kernels on 64-bit words.

    Parameters
    ----------
    n_jobs
        Maximum number of threads. ``None`` means all processors that this process may use, up to eight; -1 means all
        of them. One thread is used where it is faster, for example for small graphs or on busy processors.
    """

    name = "cpu"

    def __init__(self, n_jobs: int | None = None) -> None:
        self._n_threads = thread_count(n_jobs)
        self.adjust()
        # Lists are for one batch, so Python threads that predict at the same time take turns.
        self._turn = threading.RLock()
        self._always: NDArray[np.uint64] | None = None

    def adjust(
        self,
        *,
        vectors: bool = True,
        rows: Literal["auto", "always", "never", "columns"] = "auto",
        pace: Callable[[int], Pace] = Pace,
        n_threads: int | None = None,
    ) -> None:
        """Select another code path that gives the same bits.

        Parameters
        ----------
        vectors
            Whether to compute on vectors of eight words instead of single words. Vectors also run on processors with
            shorter registers.
        rows
            Whether to evaluate literal by literal over all nodes: ``"always"``, ``"never"``, or ``"auto"`` where it is
            less work. ``"columns"`` evaluates all clauses at once where few literals are false; ``"auto"`` does this
            for large teams.
        pace
            Class that chooses the number of threads, given the maximum.
        n_threads
            Maximum number of threads, even if there are fewer processors.
        """
        self._vectors = vectors
        self._rows = rows
        self._make_pace = pace
        self._n_threads = n_threads or self._n_threads

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        require_memory(rooms.machine_bytes(params, self._vectors, self._rows), *machine_needs(params))
        self._params = params
        self._step = state.step
        self._machine = layout.machine_of(params, state, self._vectors, self._rows)
        self._always = None
        self._pace = self._make_pace(self._n_threads)
        self._seconds_per_node = np.inf
        self._spare: list[_Rooms] = []

    def state(self) -> MachineState:
        need_machine(self)
        return layout.state_of(self._params, self._machine, self._step, self._vectors)

    def prepare(self, graphs: EncodedBatch) -> PreparedGraphs:
        need_machine(self)
        check_graphs(self._params, graphs)
        most = int(np.diff(graphs.node_ptr).max(initial=0))
        rooms.require_room(self._params, most, self._n_threads, self._vectors, self._rows)
        arrays = layout.graphs_of(graphs, layout.teams(self._params, self._vectors)[0])
        return PreparedGraphs(arrays, graphs.n_bits, n_types_of(graphs), graphs.n_graphs, graphs.n_nodes, most)

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        need_machine(self)
        check_run(self._params, graphs.n_graphs, targets, order)
        self._use(graphs)
        with self._rooms(graphs.most_nodes, self._n_threads) as room:
            done = 0
            while done < len(order):
                done += self._learn(graphs, targets, order[done:], room)

    def _learn(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64], room: _Rooms) -> int:
        """Learn from the first examples of an order for a while; return their number."""
        work = _Run(run.LEARN, graphs, layout.examples_of(targets, order))
        self._make_ready(work, room.shared, room.private[0])
        short = self._seconds_per_node * graphs.most_nodes < _SHORT
        n_threads, seconds = self._pace.plan()
        wait = None if short and len(order) == 1 else seconds  # a pause is between examples
        start = time.perf_counter()
        learned = self._together(work, room.shared, room.private[:n_threads], seconds=wait, take_part=short)
        taken = time.perf_counter() - start
        self._pace.note(n_threads, learned, taken)
        nodes = graphs.arrays.node_ptr
        n_nodes = int((nodes[order[:learned] + 1] - nodes[order[:learned]]).sum())
        self._seconds_per_node = taken / max(1, n_nodes)
        return learned

    def class_sums(self, graphs: PreparedGraphs) -> NDArray[np.int64]:
        need_machine(self)
        params = self._params
        sums = np.zeros((graphs.n_graphs, params.n_outputs), np.int64)
        votes = layout.votes_of(params, self._machine, self._vectors)
        self._predict(_Run(run.SUMS, graphs, _all(graphs), votes=votes, sums=sums))
        return sums

    def clause_outputs(self, graphs: PreparedGraphs) -> Outputs:
        need_machine(self)
        outputs = np.zeros((graphs.n_graphs, self._params.n_clauses), np.uint8)
        self._predict(_Run(run.CLAUSES, graphs, _all(graphs), outputs=outputs))
        return outputs.view(output_type(self._params))

    def node_outputs(self, graphs: PreparedGraphs) -> Outputs:
        need_machine(self)
        n_bytes = graphs.n_nodes * self._params.n_clauses
        what = f"The outputs of {self._params.n_clauses:,} clauses at {graphs.n_nodes:,} nodes"
        require_memory(n_bytes, what, "Pass fewer graphs at a time")
        outputs = np.zeros((graphs.n_nodes, self._params.n_clauses), np.uint8)
        self._predict(_Run(run.NODES, graphs, _all(graphs), outputs=outputs))
        return outputs.view(output_type(self._params))

    def _predict(self, work: _Run) -> None:
        """Evaluate graphs: a small one alone on this thread, others by all threads."""
        graphs = work.graphs
        with self._turn:
            self._use(graphs)
            if graphs.n_graphs > 1 or self._params.n_clauses * self._params.depth * graphs.most_nodes > _ALONE_WORK:
                self._predict_together(work)
                return
            with self._rooms(graphs.most_nodes, self._n_threads) as spare:
                alone = spare.shared._replace(columns_shown=False)
                self._make_ready(work, alone, spare.private[0])
                self._together(work, alone, spare.private[:1], take_part=True)

    def _predict_together(self, work: _Run) -> None:
        """Evaluate graphs: split among the threads, or, if few or huge, each by all threads."""
        params, graphs, n_threads = self._params, work.graphs, self._n_threads
        room = rooms.shared_bytes(params, graphs.most_nodes, 1, self._vectors, self._rows)
        apart = graphs.n_graphs >= 2 * n_threads and room * n_threads <= _ROOMS_FOR_THREADS
        n_rooms, n_sharing = (n_threads, 1) if apart else (1, n_threads)
        sizes = params, graphs.most_nodes, n_sharing, self._vectors, self._rows
        shared = [rooms.shared_room(*sizes) for _ in range(n_rooms)]
        private = [rooms.private_room(params) for _ in range(n_threads)]
        self._make_ready(work, shared[0], private[0])
        if self._machine.ages.any():
            lists = _Run(run.LISTS, graphs, layout.graphs_only(np.zeros(0, np.int64)))
            self._together(lists, shared[0], private[:1], take_part=True)
        if apart:
            self._predict_apart(work, shared, private)
        else:
            self._together(work, shared[0], private)

    def _predict_apart(self, work: _Run, shared: list[structs.Shared], private: list[structs.Private]) -> None:
        """Evaluate graphs, split among the threads by number of nodes."""
        graphs, n_threads = work.graphs, len(private)
        short = self._params.n_clauses * self._params.depth * graphs.most_nodes < _SHORT_WORK
        ends = np.searchsorted(graphs.arrays.node_ptr, np.linspace(0, graphs.n_nodes, n_threads + 1))
        ends[0], ends[-1] = 0, graphs.n_graphs
        left = [np.arange(*ends[i : i + 2]) for i in range(n_threads)]
        while any(map(len, left)):
            barriers = [new_barrier() for _ in range(n_threads)]

            def part(i: int, barriers: list[NDArray[np.int64]] = barriers) -> None:
                order = layout.graphs_only(left[i])
                left[i] = left[i][self._call(work, shared[i], order, private[i], barriers[i], 0, 1) :]

            run_together(part, n_threads, barriers, take_part=short, seconds=_SHORT)

    @contextmanager
    def _rooms(self, most_nodes: int, n_threads: int) -> Iterator[_Rooms]:
        """Lend working memory for graphs of up to ``most_nodes`` nodes; small ones are kept for the next call."""
        try:
            found = self._spare.pop()  # popped, since another Python thread may use the engine at the same time
        except IndexError:
            found = None
        if found is None or found.shared.most_nodes < most_nodes or len(found.private) < n_threads:
            sizes = self._params, most_nodes, n_threads, self._vectors, self._rows
            private = [rooms.private_room(self._params) for _ in range(n_threads)]
            found = _Rooms(rooms.shared_room(*sizes), private, rooms.shared_bytes(*sizes) <= _SPARE_BYTES)
        yield found
        if found.is_small:
            self._spare.append(found)

    def _use(self, graphs: PreparedGraphs) -> None:
        """Prepare the machine for these graphs: lists omit literals that hold at every node.

        Raises
        ------
        GraphTMError
            If the graphs were prepared for another machine.
        """
        check_readable(self._params, graphs.n_bits, graphs.n_types)
        always = graphs.arrays.always
        if self._always is None or not np.array_equal(self._always, always):
            ages = self._machine.ages[: self._params.n_clauses]
            ages[ages == 0] = 1
            self._always = always

    def _make_ready(self, work: _Run, shared: structs.Shared, private: structs.Private) -> None:
        """Compile the kernels, or load them from disk."""
        arguments = self._arguments(work, shared, work.examples, private, new_barrier(), 0, 1)
        make_ready(run.run, (self._vectors, self._params.max_misses > 0), arguments)

    def _together(
        self,
        work: _Run,
        shared: structs.Shared,
        private: list[structs.Private],
        *,
        take_part: bool = False,
        seconds: float | None = None,
    ) -> int:
        """Run on threads that share each graph; return the number of learned examples, even after an error."""
        n_threads, barrier = len(private), new_barrier()

        def part(i: int) -> None:
            self._call(work, shared, work.examples, private[i], barrier, i, n_threads)

        try:
            run_together(part, n_threads, [barrier], take_part=take_part, seconds=seconds)
        finally:
            learned = int(barrier[DONE])
            self._step += learned
        return learned

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
            *layout.kinds(self._params),
            work.mode,
            self._machine,
            work.graphs.arrays,
            shared,
            examples,
            private,
            np.uint64(self._step),
            work.votes,
            work.sums,
            work.outputs,
            barrier,
            thread,
            n_threads,
        )


def _all(graphs: PreparedGraphs) -> structs.Examples:
    return layout.graphs_only(np.arange(graphs.n_graphs))
