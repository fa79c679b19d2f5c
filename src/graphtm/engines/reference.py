"""The oracle: the machine in plain NumPy, written for reading beside the semantics, not for speed.

Section numbers refer to ``docs/semantics.md``, which defines the Graph Tsetlin Machine. Every other engine is tested
against this one, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.base import Outputs, check_graphs, need_machine, output_type
from graphtm.engines.kinds import EngineKind
from graphtm.engines.random import Purpose, clause_key, hash32, mask_digits, mask_words, output_key, step_key
from graphtm.engines.targets import ALWAYS, Targets, check_run
from graphtm.foundation.properties import n_words, unpack_bits
from graphtm.model import MachineParams, MachineState

Bools = NDArray[np.bool_]
WEIGHT_LIMIT = 2**31 - 1


@dataclass
class Evaluation:
    """Result of evaluating one graph (sections 3 and 9).

    ``literals[d]`` has a row per node and a column per literal of layer ``d``. ``strengths`` has a row per clause and a
    column per node; without grading, a strength is 1 where the clause is true. ``readout`` is the mask of readout
    nodes.
    """

    literals: list[Bools]
    strengths: NDArray[np.uint8]
    readout: Bools

    @property
    def at_readout(self) -> NDArray[np.uint8]:
        """Strengths of the clauses at readout nodes, 0 at the others."""
        return self.strengths * self.readout

    @property
    def outputs(self) -> NDArray[np.uint8]:
        """Strengths of the clauses for the graph: the largest of any readout node (section 3, step 3)."""
        return np.asarray(self.at_readout.max(axis=1))


class ReferenceEngine:
    """The engine that defines the results of all others."""

    name = "reference"

    def adjust(self) -> None:
        """Do nothing: there is only one code path."""

    def load(self, params: MachineParams, state: MachineState) -> None:
        state.check(params)
        self._params = params
        self._automata = [states.copy() for states in state.automata]
        self._weights = state.weights.copy()
        self._step = state.step

    def state(self) -> MachineState:
        need_machine(self)
        return MachineState(tuple(states.copy() for states in self._automata), self._weights.copy(), self._step)

    def prepare(self, graphs: EncodedBatch) -> EncodedBatch:
        need_machine(self)
        check_graphs(self._params, graphs)
        return graphs

    def fit(self, graphs: EncodedBatch, targets: Targets, order: NDArray[np.int64]) -> None:
        check_graphs(self._params, graphs)
        check_run(self._params, graphs.n_graphs, targets, order)
        for example in order.tolist():
            self._learn(self._evaluate(graphs, example), targets, example)
            self._step += 1

    def class_sums(self, graphs: EncodedBatch) -> NDArray[np.int64]:
        weights = self._weights.astype(np.int64)
        outputs: NDArray[np.int64] = self.clause_outputs(graphs).astype(np.int64)
        return outputs @ weights.T

    def clause_outputs(self, graphs: EncodedBatch) -> Outputs:
        check_graphs(self._params, graphs)
        rows = [self._evaluate(graphs, graph).outputs for graph in range(graphs.n_graphs)]
        return np.array(rows, dtype=output_type(self._params)).reshape(graphs.n_graphs, self._params.n_clauses)

    def node_outputs(self, graphs: EncodedBatch) -> Outputs:
        check_graphs(self._params, graphs)
        columns = [self._evaluate(graphs, graph).strengths for graph in range(graphs.n_graphs)]
        empty = np.zeros((self._params.n_clauses, 0), dtype=np.uint8)
        return np.concatenate([empty, *columns], axis=1).T.astype(output_type(self._params))

    # Section 3: evaluation

    def _evaluate(self, graphs: EncodedBatch, graph: int) -> Evaluation:
        """Evaluate all layers of one graph (section 3, steps 1 and 2; section 9)."""
        params = self._params
        first, last = int(graphs.node_ptr[graph]), int(graphs.node_ptr[graph + 1])
        n_nodes = last - first
        bits = unpack_bits(graphs.bits[first:last], params.hypervector_size)
        literals = [np.concatenate([bits, ~bits], axis=1)]
        served = np.ones((params.n_clauses, n_nodes), dtype=np.bool_)
        if params.n_node_types > 1 and graphs.node_types is not None:
            types = np.arange(params.n_clauses) % params.n_node_types
            served = types[:, None] == graphs.node_types[first:last]
        misses = self._misses(0, literals[0])
        for layer in range(1, params.depth):
            inbox = self._inboxes(graphs, first, n_nodes, (misses == 0) & served)
            literals.append(np.concatenate([inbox, ~inbox], axis=1))
            misses = misses + self._misses(layer, literals[layer])
        strengths = np.where(served, np.maximum(0, params.max_misses + 1 - misses), 0)
        readout = np.ones(n_nodes, np.bool_) if graphs.readout is None else graphs.readout[first:last]
        return Evaluation(literals, strengths.astype(np.uint8), readout)

    def _includes(self, layer: int) -> Bools:
        """Return which literals each clause includes: those whose state is in the upper half."""
        return np.asarray(self._automata[layer] >= 1 << (self._params.state_bits - 1))

    def _misses(self, layer: int, literals: Bools) -> NDArray[np.int64]:
        """Return how many included literals of a layer do not hold, per clause and node; an empty team misses none."""
        misses: NDArray[np.int64] = self._includes(layer).astype(np.int64) @ (~literals).astype(np.int64).T
        return misses

    def _inboxes(self, graphs: EncodedBatch, first: int, n_nodes: int, truth: Bools) -> Bools:
        """Return the inbox of each node: codes of the true clauses at its in-neighbours, shifted by the edge type."""
        code, size = self._params.message_code, self._params.message_size
        assert code is not None  # noqa: S101 -- deep machines have one
        inbox = np.zeros((n_nodes, size), dtype=np.bool_)
        edges = graphs.in_edges
        for node in range(n_nodes):
            for edge in range(int(edges.ptr[first + node]), int(edges.ptr[first + node + 1])):
                senders = np.flatnonzero(truth[:, edges.neighbours[edge]])
                positions = (code.positions[senders].astype(np.int64) + int(edges.types[edge])) % size
                inbox[node, positions.reshape(-1)] = True
        return inbox

    # Section 4: learning from one example

    def _learn(self, evaluation: Evaluation, targets: Targets, example: int) -> None:
        """Learn from one example (section 4, steps 1 to 3; section 9)."""
        params, weights = self._params, self._weights
        outputs = evaluation.outputs
        focus = self._focus(evaluation)
        n_included = sum(self._includes(layer).sum(axis=1) for layer in range(params.depth))
        sums = weights.astype(np.int64) @ outputs.astype(np.int64)
        for output, y in self._heard(targets, example):
            v = max(-params.T, min(params.T, int(sums[output])))
            target = 1 if v <= y else -1
            threshold = (abs(y - v) << 32) // (2 * params.T)
            if y == -params.T and params.negative_sampling == "clause":
                threshold = (threshold * int(targets.gates[example])) >> 32
            threshold = min(ALWAYS, (threshold * int(targets.weights[example])) >> 16)
            key = output_key(params.seed, Purpose.UPDATE, self._step, output)
            draws = hash32(key, np.arange(params.n_clauses))
            for clause in range(params.n_clauses):
                if int(draws[clause]) >= threshold:
                    continue
                true = outputs[clause] > 0
                sign = 1 if weights[output, clause] >= 0 else -1
                type_one = target == sign
                if true:
                    self._move_weight(output, clause, sign if type_one else -sign)
                at_focus = [literals[focus[clause]] for literals in evaluation.literals] if true else None
                if type_one:
                    limit = params.max_included_literals
                    within = limit is None or int(n_included[clause]) <= limit
                    if params.max_misses > 0 and at_focus is not None:
                        self._graded_type_one(output, clause, at_focus, grows=within)
                    else:
                        self._type_one(output, clause, at_focus if within else None)
                elif at_focus is not None:
                    self._type_two(clause, at_focus)

    def _focus(self, evaluation: Evaluation) -> list[int]:
        """Return the focus node of each true clause, one of those where it is strongest; -1 for false clauses."""
        # Section 4, step 1, and section 9.
        key = output_key(self._params.seed, Purpose.FOCUS, self._step)
        draws = hash32(key, np.arange(self._params.n_clauses))
        outputs, focus = evaluation.outputs, []
        for clause, strengths in enumerate(evaluation.at_readout):
            strongest = np.flatnonzero(strengths == outputs[clause])
            place = int(draws[clause]) * len(strongest) >> 32
            focus.append(int(strongest[place]) if outputs[clause] else -1)
        return focus

    def _heard(self, targets: Targets, example: int) -> list[tuple[int, int]]:
        """Return the active outputs of an example, ascending, with their targets (section 4, step 2)."""
        params = self._params
        listed = slice(int(targets.ptr[example]), int(targets.ptr[example + 1]))
        values = dict(zip(targets.outputs[listed].tolist(), targets.values[listed].tolist(), strict=True))
        if not targets.silent:
            values = {output: values.get(output, -params.T) for output in range(params.n_outputs)}
        if params.negative_sampling == "class":
            key = step_key(params.seed, Purpose.OUTPUT, self._step)
            draws = hash32(key, np.arange(params.n_outputs))
            gate = int(targets.gates[example])
            values = {output: y for output, y in values.items() if y != -params.T or int(draws[output]) < gate}
        return sorted(values.items())

    def _move_weight(self, output: int, clause: int, by: int) -> None:
        moved = int(self._weights[output, clause]) + by
        if abs(moved) <= WEIGHT_LIMIT:
            self._weights[output, clause] = moved

    def _type_one(self, output: int, clause: int, at_focus: list[Bools] | None) -> None:
        """Give Type I feedback; without literals at a focus node, all automata move down (section 4, step 4)."""
        params = self._params
        key = output_key(params.seed, Purpose.MASK, self._step, output)
        for layer in range(params.depth):
            mask = self._mask(key, clause, layer)
            states = self._automata[layer][clause]
            if at_focus is None:
                up, down = np.zeros_like(mask), mask
            else:
                up = at_focus[layer] if params.boost_true_positive else at_focus[layer] & ~mask
                down = ~at_focus[layer] & mask
            self._move(states, up, down)

    def _graded_type_one(self, output: int, clause: int, at_focus: list[Bools], *, grows: bool) -> None:
        """Give Type I feedback to a graded clause that is true: nothing is forgotten by chance (section 9)."""
        params = self._params
        key = output_key(params.seed, Purpose.MASK, self._step, output)
        for layer in range(params.depth):
            states = self._automata[layer][clause]
            up = at_focus[layer] & grows
            if not params.boost_true_positive:
                up &= ~self._mask(key, clause, layer)
            excluded = states < 1 << (params.state_bits - 1)
            self._move(states, up, ~at_focus[layer] & excluded)

    def _type_two(self, clause: int, at_focus: list[Bools]) -> None:
        """Give Type II feedback: excluded literals that are false at the focus node move up (section 4, step 5)."""
        half = 1 << (self._params.state_bits - 1)
        for layer in range(self._params.depth):
            states = self._automata[layer][clause]
            up = (states < half) & ~at_focus[layer]
            self._move(states, up, np.zeros_like(up))

    def _move(self, states: NDArray[np.uint8], up: Bools, down: Bools) -> None:
        """Move automata one state up or down; states saturate at both ends."""
        top = (1 << self._params.state_bits) - 1
        states += up & (states < top)
        states -= down & (states > 0)

    def _mask(self, key: NDArray[np.uint64], clause: int, layer: int) -> Bools:
        """Return one bit per automaton of a team, 1 with probability min(1, 1/s) (section 6)."""
        size = self._params.layer_size(layer)
        k, n = mask_digits(self._params.s_per_layer[layer])
        words = mask_words(clause_key(key, clause, layer), np.arange(2 * n_words(size)), k, n)
        halves = words.reshape(2, n_words(size))
        return unpack_bits(halves, size).reshape(-1)


KIND = EngineKind(
    names=("reference",),
    pattern="reference",
    make=lambda _, __: ReferenceEngine(),
    detail=lambda _: "plain NumPy, the definition of the results of all engines; slow",
)
