"""The CPU engine: the host side, which packs machines and graphs for the kernels."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.base import check_graphs
from graphtm.engines.cpu import kernels
from graphtm.engines.random import Purpose, mask_digits, purpose_key
from graphtm.engines.targets import Targets, check_run
from graphtm.errors import GraphTMError
from graphtm.graphs.properties import n_words, pack_bits, unpack_bits
from graphtm.model import MachineParams, MachineState

_PURPOSES = (Purpose.FOCUS, Purpose.OUTPUT, Purpose.UPDATE, Purpose.MASK)


@dataclass(frozen=True, eq=False)
class PreparedGraphs:
    """Graphs for the kernels, and what they need room for."""

    arrays: kernels.Graphs
    n_graphs: int
    n_nodes: int
    most_nodes: int


class CpuEngine:
    """Numba on 64-bit words; the same bits as the oracle."""

    name = "cpu"

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        self._params = params
        self._step = state.step
        self._machine = _machine(params, state)
        self._scratch: tuple[int, kernels.Scratch] | None = None

    def state(self) -> MachineState:
        self._need_machine()
        params, machine = self._params, self._machine
        automata, first = [], 0
        for layer in range(params.depth):
            size = params.layer_size(layer)
            words = params.n_clauses * params.state_bits * 2 * n_words(size)
            planes = machine.planes[first : first + words]
            automata.append(_states(planes, params, size))
            first += words
        return MachineState(tuple(automata), machine.weights.T.copy(order="C"), self._step)

    def _need_machine(self) -> None:
        if not hasattr(self, "_params"):
            raise GraphTMError("The engine holds no machine yet; load one first.")

    def prepare(self, graphs: EncodedBatch) -> PreparedGraphs:
        self._need_machine()
        check_graphs(self._params, graphs)
        return _prepared(graphs)

    def fit(self, graphs: PreparedGraphs, targets: Targets, order: NDArray[np.int64]) -> None:
        check_run(self._params, graphs.n_graphs, targets, order)
        room = self._room(graphs)
        done, size = 0, 16
        # In runs of about a tenth of a second, between which Ctrl-C is heard; the machine is whole between examples.
        while done < len(order):
            start = time.perf_counter()
            part = order[done : done + size].copy()
            kernels.fit(
                self._machine,
                graphs.arrays,
                room,
                targets.ptr,
                targets.outputs,
                targets.values,
                targets.silent,
                targets.gates,
                targets.weights,
                part,
                np.uint64(self._step),
            )
            self._step += len(part)
            done += len(part)
            if time.perf_counter() - start < 0.1:
                size *= 2

    def class_sums(self, graphs: PreparedGraphs) -> NDArray[np.int64]:
        return self._predict(graphs)[1]

    def clause_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        return self._predict(graphs)[0]

    def _predict(self, graphs: PreparedGraphs) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        outputs = np.zeros((graphs.n_graphs, self._params.n_clauses), np.bool_)
        sums = np.zeros((graphs.n_graphs, self._params.n_outputs), np.int64)
        kernels.predict(self._machine, graphs.arrays, self._room(graphs), 0, graphs.n_graphs, outputs, sums)
        return outputs, sums

    def node_outputs(self, graphs: PreparedGraphs) -> NDArray[np.bool_]:
        truth = np.zeros((graphs.n_nodes, self._params.n_clauses), np.bool_)
        kernels.predict_nodes(self._machine, graphs.arrays, self._room(graphs), 0, graphs.n_graphs, truth)
        return truth

    def _room(self, graphs: PreparedGraphs) -> kernels.Scratch:
        """Return room for graphs of this size, kept as long as it is large enough."""
        if self._scratch is None or self._scratch[0] < graphs.most_nodes:
            self._scratch = (graphs.most_nodes, _scratch(self._params, graphs.most_nodes))
        return self._scratch[1]


def _machine(params: MachineParams, state: MachineState) -> kernels.Machine:
    sizes = [params.layer_size(layer) for layer in range(params.depth)]
    planes = [_planes(states, params, size) for states, size in zip(state.automata, sizes, strict=True)]
    capacity = sum(params.n_clauses * 128 * n_words(size) for size in sizes)
    code = np.zeros((params.n_clauses, 0), np.int32) if params.message_code is None else params.message_code.positions
    digits = np.array([mask_digits(s) for s in params.s_per_layer], dtype=np.int64)
    limit = params.max_included_literals
    return kernels.Machine(
        planes=np.concatenate(planes),
        weights=state.weights.T.copy(order="C"),
        lists=np.zeros(capacity, np.int32),
        list_sizes=np.zeros(params.depth * params.n_clauses, np.int32),
        dirty=np.ones(params.depth * params.n_clauses, np.uint8),
        code=code.copy(order="C"),
        valid0=_valid(params.hypervector_size),
        valid1=_valid(params.message_size),
        mask_k=np.ascontiguousarray(digits[:, 0]),
        mask_n=np.ascontiguousarray(digits[:, 1]),
        purpose_keys=np.concatenate([purpose_key(params.seed, purpose) for purpose in _PURPOSES]),
        n_clauses=params.n_clauses,
        n_outputs=params.n_outputs,
        depth=params.depth,
        state_bits=params.state_bits,
        T=params.T,
        limit=2**62 if limit is None else limit,
        n_node_types=params.n_node_types,
        message_size=params.message_size,
        boost=params.boost_true_positive,
        by_class=params.negative_sampling == "class",
    )


def _planes(states: NDArray[np.uint8], params: MachineParams, size: int) -> NDArray[np.uint64]:
    """Return states as bit planes, flat: clause, plane, then words of the literals and of their negations."""
    planes = np.zeros((params.n_clauses, params.state_bits, 2, n_words(size)), np.uint64)
    for bit in range(params.state_bits):
        ones = (states >> np.uint8(bit) & np.uint8(1)).astype(np.bool_)
        planes[:, bit, 0], planes[:, bit, 1] = pack_bits(ones[:, :size]), pack_bits(ones[:, size:])
    return planes.reshape(-1)


def _states(planes: NDArray[np.uint64], params: MachineParams, size: int) -> NDArray[np.uint8]:
    shaped = planes.reshape(params.n_clauses, params.state_bits, 2, n_words(size))
    states = np.zeros((params.n_clauses, 2 * size), np.uint8)
    for bit in range(params.state_bits):
        for half in range(2):
            ones = unpack_bits(shaped[:, bit, half], size)
            states[:, half * size : (half + 1) * size] |= ones.astype(np.uint8) << np.uint8(bit)
    return states


def _valid(size: int) -> NDArray[np.uint64]:
    return pack_bits(np.ones((1, size), np.bool_)).reshape(-1)


def _prepared(graphs: EncodedBatch) -> PreparedGraphs:
    counts = np.diff(graphs.node_ptr)
    words = np.where(counts <= 64, 1, (counts + 511) // 512 * 8)
    half = n_words(graphs.size)
    row_ptr = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(words * 64 * half, out=row_ptr[1:])
    rows = np.zeros(int(row_ptr[-1]), np.uint64)
    bits = graphs.bits.copy(order="C")
    block = np.zeros(64, np.uint64)
    kernels.transpose_all(bits.reshape(-1), half, graphs.node_ptr, row_ptr, rows, block)
    arrays = kernels.Graphs(
        bits=bits,
        rows=rows,
        row_ptr=row_ptr,
        node_ptr=np.array(graphs.node_ptr),
        edge_ptr=np.array(graphs.in_edges.ptr),
        edge_sources=np.array(graphs.in_edges.neighbours),
        edge_types=np.array(graphs.in_edges.types),
        node_types=np.zeros(0, np.int32) if graphs.node_types is None else np.array(graphs.node_types),
        readout=np.zeros(0, np.bool_) if graphs.readout is None else np.array(graphs.readout),
    )
    return PreparedGraphs(arrays, graphs.n_graphs, graphs.n_nodes, int(counts.max(initial=0)))


def _scratch(params: MachineParams, most_nodes: int) -> kernels.Scratch:
    node_words = kernels.node_words(most_nodes)
    half0, half1 = n_words(params.hypervector_size), n_words(params.message_size)
    team = 2 * max(half0, half1)
    layers = max(0, params.depth - 1)

    def words(number: int) -> NDArray[Any]:
        return np.zeros(number, np.uint64)

    return kernels.Scratch(
        truth=words(params.n_clauses * node_words),
        true=np.zeros(params.n_clauses, np.uint8),
        included=np.zeros(params.n_clauses, np.int64),
        focus=np.zeros(params.n_clauses, np.int64),
        start=words(max(1, params.n_node_types) * node_words),
        read=words(node_words),
        inbox=words(layers * most_nodes * half1),
        sent=words(64 * half1 * node_words),
        messages=words(most_nodes * half1),
        inbox_rows=words(64 * half1 * node_words),
        block=words(64),
        literals=words(team),
        up=words(team),
        down=words(team),
        mask=words(team),
        x=words(team),
        y=words(team),
        undecided=words(team),
        active=np.zeros(params.n_outputs, np.int32),
        wanted=np.zeros(params.n_outputs, np.int64),
        sums=np.zeros(params.n_outputs, np.int64),
        chosen=np.zeros(params.n_clauses, np.uint8),
    )
