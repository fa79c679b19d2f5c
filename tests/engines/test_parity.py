"""The comparison of engines itself: it accepts the oracle and catches every planted bug."""

import dataclasses
import inspect
import re
import subprocess
import sys
import types

import numpy as np
import pytest
import typer

from graphtm.engines import engine_names, make_engine, reference
from graphtm.errors import EngineMismatchError
from graphtm.model import MachineState
from graphtm.testing import check_engine, random_case, wide_cases
from graphtm.testing.__main__ import main


@pytest.mark.slow
def test_the_oracle_equals_itself_split_and_moved():
    wide = len(list(wide_cases()))
    report = check_engine("reference", cases=15)
    assert report.n_machines == 15 + wide
    assert report.n_examples > 500
    assert report.n_bits > 10**7
    assert str(report).endswith("no difference")


def test_cases_are_what_they_were():
    one, other = random_case(5), random_case(5)
    assert np.array_equal(one.graphs.bits, other.graphs.bits)
    assert one.params.seed == other.params.seed
    assert random_case(6).params.seed != one.params.seed


def test_cases_cover_what_is_odd():
    cases = [random_case(number) for number in range(150)]
    params = [case.params for case in cases]
    graphs = [case.graphs for case in cases]
    assert {1, 2, 3, 4, 6} <= {one.depth for one in params}
    assert {1, 2, 8} <= {one.state_bits for one in params}
    assert {31, 33, 63, 64, 65, 129} <= {one.hypervector_size for one in params}
    assert {"clause", "class"} == {one.negative_sampling for one in params}
    assert {True, False} == {one.boost_true_positive for one in params}
    assert any(one.n_node_types for one in params)
    assert any(one.max_included_literals is not None for one in params)
    assert any(len(set(one.s)) > 1 for one in params)
    assert any(one.n_outputs > 32 for one in params)
    assert any(one.readout is not None for one in graphs)
    assert any(1 in np.diff(one.node_ptr) for one in graphs)
    assert any(np.diff(one.node_ptr).max() > 64 for one in graphs)
    assert any(one.in_edges.n_edges == 0 for one in graphs)
    assert any(case.targets.silent for case in cases)
    edges = [one.in_edges for one in graphs if one.in_edges.n_edges]
    assert any(has_parallel_edges(one) for one in edges)


def has_parallel_edges(table):
    rows = np.stack([table.near_ends(), table.neighbours, table.types], axis=1)
    return len(np.unique(rows, axis=0)) < len(rows)


PLANTED = {
    "target": ("1 if v <= y else -1", "1 if v <= y + 1 else -1"),
    "threshold": ("(abs(y - v) << 32) // (2 * params.T)", "(abs(y - v) << 32) // (2 * params.T + 1)"),
    "update draw": ("int(draws[clause]) >= threshold", "int(draws[clause]) > threshold + 2**20"),
    "literal limit": ("<= limit", "< limit"),
    "top state": ("top = (1 << self._params.state_bits) - 1", "top = (1 << self._params.state_bits) - 2"),
    "bottom state": ("states > 0", "states > 1"),
    "type two on included": ("(states < half) & ~at_focus", "(states <= half) & ~at_focus"),
    "boost": ("if params.boost_true_positive else at_focus[layer] & ~mask", "if True else mask"),
    "mask layer": ("clause_key(key, clause, layer)", "clause_key(key, clause, 0)"),
    "mask word": ("np.arange(2 * n_words(size))", "np.arange(1, 2 * n_words(size) + 1)"),
    "edge shift": ("+ int(edges.types[edge])", "+ int(edges.types[edge]) + 1"),
    "focus": ("* len(strongest) >> 32", "* max(0, len(strongest) - 1) >> 32"),
    "node type": ("np.arange(params.n_clauses) % params", "(1 + np.arange(params.n_clauses)) % params"),
    "sign of zero": ("weights[output, clause] >= 0", "weights[output, clause] > 0"),
    "gate": ("int(draws[output]) < gate", "int(draws[output]) <= gate // 2"),
    "thinning": ("(threshold * int(targets.gates[example])) >> 32", "threshold"),
    "example weight": (">> 16)", ">> 15)"),
    "step": ("self._step += 1", "self._step += 2"),
    "readout": ("self.strengths * self.readout", "self.strengths"),
    "weight limit": ("if abs(moved) <= WEIGHT_LIMIT:", "if abs(moved) <= WEIGHT_LIMIT - 1:"),
    "wrapping states": ("states += up & (states < top)", "states += up"),
    "states below zero": ("states -= down & (states > 0)", "states -= down"),
    "sums of 32 bits in learning": (
        "sums = weights.astype(np.int64) @ outputs.astype(np.int64)",
        "sums = weights.astype(np.int32) @ outputs.astype(np.int32)",
    ),
    "sums of 32 bits in prediction": (
        "weights = self._weights.astype(np.int64)",
        "weights = self._weights.astype(np.int16).astype(np.int64)",
    ),
    "step of 32 bits": ("self._step = state.step", "self._step = state.step % 2**32"),
    "thinning of listed outputs": (
        "if y != -params.T or int(draws[output]) < gate}",
        "if output in targets.outputs[listed] or y != -params.T or int(draws[output]) < gate}",
    ),
    "misses of lower layers": ("misses = misses + self._misses", "misses = self._misses"),
    "number of misses": ("params.max_misses + 1 - misses", "params.max_misses + (params.max_misses == 0) - misses"),
    "messages of clauses that miss": ("(misses == 0) & served", "(misses <= params.max_misses) & served"),
    "missed literals move": ("~at_focus[layer] & excluded", "~at_focus[layer]"),
    "forgetting above the limit": ("at_focus if within else None)\n", "at_focus)\n"),
    "growing above the limit": ("up = at_focus[layer] & grows", "up = at_focus[layer]"),
    "ties of the focus": ("strengths == outputs[clause]", "strengths > 0"),
    "strengths in sums": ("outputs.astype(np.int64)\n        for", "(outputs > 0).astype(np.int64)\n        for"),
}


def planted(bug):
    """The oracle's source with one mistake in it."""
    right, wrong = PLANTED[bug]
    source = inspect.getsource(reference)
    assert source.count(right) == 1, f"the oracle must say {right!r} once"
    module = types.ModuleType("planted")
    sys.modules["planted"] = module
    exec(compile(source.replace(right, wrong), "planted", "exec"), vars(module))
    return module.ReferenceEngine


LATE = {"thinning": 25, "thinning of listed outputs": 25}
"""Bugs that only later machines show, and where to begin, to save time."""


@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_caught(bug):
    with pytest.raises(EngineMismatchError, match=r"machine \d+"):
        check_engine(planted(bug), cases=60, first=LATE.get(bug, 0))


class LoadsWithoutCopy(reference.ReferenceEngine):
    def load(self, params, state):
        super().load(params, state)
        self._weights = np.asarray(state.weights).base


class GivesLiveArrays(reference.ReferenceEngine):
    def state(self):
        return MachineState(tuple(self._automata), self._weights, self._step)


class LearnsWhilePredicting(reference.ReferenceEngine):
    def class_sums(self, graphs):
        sums = super().class_sums(graphs)
        self._step += 1
        return sums


class IgnoresRepeats(reference.ReferenceEngine):
    def fit(self, graphs, targets, order):
        super().fit(graphs, targets, np.array(list(dict.fromkeys(order.tolist())), dtype=np.int64))


class KeepsTheFirstMachine(reference.ReferenceEngine):
    def load(self, params, state):
        super().load(params, state)
        self._limit = getattr(self, "_limit", params.T)
        self._params = dataclasses.replace(params, T=self._limit) if self._limit != params.T else params


class Crashes(reference.ReferenceEngine):
    def fit(self, graphs, targets, order):
        raise IndexError("boom")


class LosesALayer(reference.ReferenceEngine):
    def state(self):
        state = super().state()
        return dataclasses.replace(state, automata=state.automata[:1])


@pytest.mark.parametrize(
    "engine",
    [
        LoadsWithoutCopy,
        GivesLiveArrays,
        LearnsWhilePredicting,
        IgnoresRepeats,
        KeepsTheFirstMachine,
        Crashes,
        LosesALayer,
    ],
)
def test_a_broken_contract_is_caught(engine):
    with pytest.raises(EngineMismatchError, match=r"machine \d+"):
        check_engine(engine, cases=10, wide=False)


def test_a_crash_names_the_machine():
    with pytest.raises(EngineMismatchError, match=r"machine 7: the engine failed with IndexError\('boom'\)"):
        check_engine(Crashes, cases=1, first=7)


def test_a_wrong_shape_or_step_is_caught():
    class Transposed(reference.ReferenceEngine):
        def class_sums(self, graphs):
            return super().class_sums(graphs).astype(np.int32)

    with pytest.raises(EngineMismatchError, match=r"class_sums must be int64 of shape .* the engine has int32"):
        check_engine(Transposed, cases=1)

    class Forgetful(reference.ReferenceEngine):
        def fit(self, graphs, targets, order):
            super().fit(graphs, targets, order)
            self._step -= len(order)

    with pytest.raises(EngineMismatchError, match=r"the step must be \d+; the engine has \d+|differ from the oracle"):
        check_engine(Forgetful, cases=1)


def test_engines_by_name():
    assert "reference" in engine_names()
    assert make_engine("reference").name == "reference"
    wrong = r"must be a str among {'auto', 'cuda', 'cpu', 'reference', .*Got 'refrence' instead"
    with pytest.raises(ValueError, match=wrong):
        make_engine("refrence")


def test_command_line():
    command = [sys.executable, "-m", "graphtm.testing", "--engine"]
    done = subprocess.run(
        [*command, "reference", "--cases", "3", "--no-wide"], capture_output=True, text=True, check=True
    )
    assert re.match(r"reference: \d+ machines, [\d,]+ training examples, [\d,]+ bits compared", done.stdout)


def test_a_wrong_engine_on_the_command_line():
    with pytest.raises(typer.BadParameter, match="There is no engine 'nothing'"):
        main("nothing")
