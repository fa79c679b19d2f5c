"""The CUDA engine on a device: the oracle, bit for bit, in every way it can run."""

import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import resources
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import cases, run_engine

import graphtm as gtm
from graphtm.bench.workloads import noisy_xor, random_graphs
from graphtm.datasets import sequences
from graphtm.engines import initial_state
from graphtm.engines.cpu import CpuEngine
from graphtm.engines.cuda import CudaEngine, kernels
from graphtm.engines.cuda.device import find_device
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.cuda.records import taken
from graphtm.engines.cuda.runs import Pace
from graphtm.engines.random import epoch_order
from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.targets import sparse_targets
from graphtm.errors import EngineMismatchError, EngineUnavailableError, GraphTMError, NotEnoughMemoryError
from graphtm.model import MachineParams
from graphtm.testing import check_engine, engine_variants, random_case
from graphtm.testing.machines import _case
from graphtm.testing.variants import adjusted


@pytest.fixture(autouse=True, scope="module")
def _device():
    try:
        find_device()
    except EngineUnavailableError as error:
        pytest.skip(str(error))


def test_parity_with_the_oracle():
    report = check_engine("cuda", cases=100)
    assert report.n_machines > 120
    assert len(engine_variants("cuda")) == 7


@pytest.mark.slow
def test_parity_with_the_oracle_on_many_machines():
    assert check_engine("cuda", cases=600, first=30_000).n_machines > 600


@pytest.mark.slow
@pytest.mark.parametrize("variant", engine_variants("cuda"))
def test_programs_for_one_machine_are_the_oracles(variant):
    """Compiled for each machine, so only a few; the largest of each kind among them."""
    assert check_engine(partial(variant, special=True), cases=3, first=50, wide=False).n_machines == 3


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize(("max_misses", "nodes"), [(1, 100), (7, 200), (15, 400), (31, 600), (63, 1100), (127, 4200)])
def test_programs_for_one_graded_machine_are_the_oracles(max_misses, nodes, depth):
    """A program for each number of lanes and of bits of a counter."""
    choices = {"max_misses": max_misses, "nodes": (nodes, nodes - 1), "depth": depth, "n_clauses": 20, "n_outputs": 2}
    case = _case(np.random.default_rng(3), "graded", 3, **choices)
    order = np.tile(np.arange(case.graphs.n_graphs), 3)
    results = []
    for engine in (adjusted("cuda", special=True), CpuEngine()):
        engine.load(case.params, case.start)
        graphs = engine.prepare(case.graphs)
        engine.fit(graphs, case.targets, order)
        results.append((engine.state(), engine.class_sums(graphs), engine.node_outputs(graphs)))
    assert results[0][0].equals(results[1][0])
    assert np.array_equal(results[0][1], results[1][1])
    assert np.array_equal(results[0][2], results[1][2])


@settings(max_examples=100)
@given(cases(), st.sampled_from([1, 2, 5]), st.sampled_from(["auto", "always", "never"]))
def test_any_small_machine_is_the_oracles(case, n_blocks, rows):
    state, *answers = run_engine(adjusted("cuda", n_blocks=n_blocks, rows=rows), case)
    expected, *right_answers = run_engine(ReferenceEngine(), case)
    assert state.equals(expected)
    for got, right in zip(answers, right_answers, strict=True):
        assert np.array_equal(got, right)


@pytest.mark.parametrize("make_workload", [noisy_xor, random_graphs])
def test_a_model_moves_between_engines_in_mid_training(make_workload):
    work = make_workload()
    n = min(200, work.targets.n_examples)
    order = np.concatenate([epoch_order(1, epoch, work.targets.n_examples)[:n] for epoch in range(3)])
    alone, state = CpuEngine(), initial_state(work.params)
    alone.load(work.params, state)
    alone.fit(alone.prepare(work.train), work.targets, order)
    for engine, part in zip((CpuEngine(), CudaEngine(), CpuEngine()), np.array_split(order, 3), strict=True):
        engine.load(work.params, state)
        engine.fit(engine.prepare(work.train), work.targets, part)
        state = engine.state()
    assert state.equals(alone.state())


LARGE = [
    {"n_clauses": 80_000, "hashed": True, "size": 4096, "nodes": (50,) * 3, "depth": 1, "n_outputs": 10},
    {"n_clauses": 70_000, "nodes": (40, 3, 70), "depth": 2, "message_size": 2000, "n_outputs": 2},
    {"n_clauses": 30, "nodes": (300_000,), "depth": 2, "n_edge_types": 3, "n_symbols": 65, "n_outputs": 2},
    {"n_clauses": 500, "nodes": (5, 90), "n_outputs": 3000, "negative_sampling": "clause", "depth": 1},
]


@pytest.mark.slow
@pytest.mark.parametrize("choices", LARGE)
def test_large_machines_are_those_of_the_cpu_engine(choices):
    """State and rows that do not fit shared memory, votes of 70,000 clauses, thousands of outputs."""
    case = _case(np.random.default_rng(2), "large", 2, **choices)
    order = np.tile(np.arange(case.graphs.n_graphs), 3)
    results = []
    for engine in (CudaEngine(), CpuEngine()):
        engine.load(case.params, case.start)
        graphs = engine.prepare(case.graphs)
        engine.fit(graphs, case.targets, order)
        results.append((engine.state(), engine.class_sums(graphs), engine.clause_outputs(graphs)))
    assert results[0][0].equals(results[1][0])
    assert np.array_equal(results[0][1], results[1][1])
    assert np.array_equal(results[0][2], results[1][2])


def test_a_classifier_learns_the_same_on_both():
    graphs, y = sequences(500, random_state=3)
    models = [
        gtm.GraphTMClassifier(n_clauses=20, T=30, s=3.0, depth=2, epochs=5, random_state=7, engine=engine).fit(
            graphs, y
        )
        for engine in ("cuda", "cpu")
    ]
    assert models[0].engine_ == "cuda"
    assert models[0].state_.equals(models[1].state_)
    assert np.array_equal(models[0].class_sums(graphs), models[1].class_sums(graphs))
    assert np.array_equal(models[0].transform(graphs), models[1].transform(graphs))


KERNEL_BUGS = [
    ("automata.cuh", "up = ~state[PLANES - 1] & ~literals & place.valid", "up = ~state[PLANES - 1] & ~literals"),
    ("automata.cuh", "state[plane] = (state[plane] | up) & ~down", "state[plane] = state[plane] | up"),
    ("random.cuh", "undecided &= x ^ one", "undecided &= x"),
    ("messages.cuh", "int position = bits * 32 - type;", "int position = bits * 32 - type + 1;"),
    ("messages.cuh", "1u << (place & 31)", "1u << (place & 15)"),
    ("targets.cuh", "+ (rest >= range) - (rest < 0)", "+ 1"),
    ("focus.cuh", "__umulhi(draw, ", "__umulhi(~draw, "),
    ("layers.cuh", "<= m.limit", "< m.limit"),
    ("predict.cu", "clear(shared + desk.sent, n)", "clear(shared + desk.sent, n - 1)"),
    ("predict.cu", "(GRADED ? (layer - 1) * desk.inbox_words : 0)", "0"),
    ("graded.cuh", "(1 << GRADED) - 1 - m.max_misses", "(1 << GRADED) - m.max_misses"),
    ("graded.cuh", "if (count != least) nodes = Nodes<N>{};", ""),
    ("graded.cuh", "if (upper) word += N / 2;", ""),
    ("automata.cuh", "~literals & ~state[PLANES - 1] & place.valid;\n    if", "~literals & place.valid;\n    if"),
    ("learn.cu", "GRADED && (flags & TRUE_OF_GRAPH)", "false"),
]


def _verdict(right, wrong):
    """Return what the parity check says of an engine whose kernels have a bug."""
    text = kernels.source
    kernels.source = lambda *given: text(*given).replace(right, wrong)
    try:
        check_engine("cuda", cases=150)
    except EngineMismatchError as error:
        return str(error)
    return "no difference"


@pytest.mark.slow
@pytest.mark.parametrize(("file", "right", "wrong"), KERNEL_BUGS)
def test_a_planted_bug_is_caught(file, right, wrong):
    assert right in (resources.files("graphtm.engines.cuda") / "source" / file).read_text(encoding="utf-8")
    # In a process of its own: a kernel that leaves its arrays ends the process's use of the device.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
        verdict = child.submit(_verdict, right, wrong).result()
    assert re.search(r"differ from the oracle|cudaErrorIllegalAddress", verdict), verdict


def test_graphs_that_do_not_fit_are_copied_in_parts():
    case = random_case(8)
    whole, parts = CudaEngine(), adjusted("cuda", part_bytes=3000)
    for engine in (whole, parts):
        engine.load(case.params, case.start)
    prepared = [engine.prepare(case.graphs) for engine in (whole, parts)]
    assert prepared[0].on_device is not None
    assert prepared[1].on_device is None
    order = np.tile(np.arange(case.graphs.n_graphs)[::-1], 3)
    for engine, graphs in zip((whole, parts), prepared, strict=True):
        engine.fit(graphs, case.targets, order)
    assert whole.state().equals(parts.state())
    assert np.array_equal(whole.node_outputs(prepared[0]), parts.node_outputs(prepared[1]))


def test_too_little_memory_leaves_the_machine_as_it_was():
    case = random_case(5)
    engine = CudaEngine()
    engine.load(case.params, case.start)
    before = engine.state()
    huge = MachineParams(n_outputs=2, n_clauses=2**26, hypervector_size=2**14)
    # A state that pretends to be of that size: it must not come so far as to be copied.
    small = initial_state(MachineParams(n_outputs=2, n_clauses=1, hypervector_size=1))
    object.__setattr__(small, "check", lambda params: None)
    with pytest.raises(NotEnoughMemoryError, match=r"67,108,864 clauses.*into the memory of CUDA device 0.*Lower"):
        engine.load(huge, small)
    assert engine.state().equals(before)


class Slow(Pace):
    """A hundred examples in a launch."""

    def __init__(self):
        super().__init__(0.0)

    def pieces(self, work, most=None):
        return iter([slice(first, first + 100) for first in range(0, len(work), 100)])


def test_an_interrupt_leaves_a_whole_machine(monkeypatch):
    work = noisy_xor()
    order = np.arange(1000)
    engine = CudaEngine()
    engine.load(work.params, initial_state(work.params))
    graphs = engine.prepare(work.train)
    start = Launcher.launch
    launches = []

    def interrupted(self, *arguments):
        seconds = start(self, *arguments)
        launches.append(1)
        if len(launches) == 3:
            raise KeyboardInterrupt
        return seconds

    monkeypatch.setattr(Launcher, "launch", interrupted)
    monkeypatch.setattr(engine, "_paces", {"learn": Slow()})
    with pytest.raises(KeyboardInterrupt):
        engine.fit(graphs, work.targets, order)
    state = engine.state()
    assert state.step == 300
    other = CpuEngine()
    other.load(work.params, initial_state(work.params))
    other.fit(other.prepare(work.train), work.targets, order[:300])
    assert state.equals(other.state())


def test_graphs_of_another_machine_are_refused():
    deep = next(case for case in map(random_case, range(50)) if case.params.depth > 1)
    flat = MachineParams(
        n_outputs=2, n_clauses=5, hypervector_size=deep.params.hypervector_size, n_node_types=deep.params.n_node_types
    )
    engine = CudaEngine()
    engine.load(deep.params, deep.start)
    graphs = engine.prepare(deep.graphs)
    engine.load(flat, initial_state(flat))
    with pytest.raises(GraphTMError, match="prepared for another machine"):
        engine.class_sums(graphs)


def test_no_graphs_and_no_examples():
    case = random_case(3)
    engine = CudaEngine()
    engine.load(case.params, case.start)
    none = engine.prepare(taken(case.graphs, np.zeros(0, np.int64)))
    assert engine.class_sums(none).shape == (0, case.params.n_outputs)
    assert engine.clause_outputs(none).shape == (0, case.params.n_clauses)
    assert engine.node_outputs(none).shape == (0, case.params.n_clauses)
    engine.fit(engine.prepare(case.graphs), case.targets, np.zeros(0, np.int64))
    assert engine.state().equals(case.start)


@pytest.mark.parametrize("part_bytes", [None, 3000])
def test_answers_come_in_pieces(part_bytes):
    case = random_case(8)
    engine, oracle = adjusted("cuda", part_bytes=part_bytes), ReferenceEngine()
    for each in (engine, oracle):
        each.load(case.params, case.start)
    engine._work_bytes = 500
    engine._paces = {name: Pace(50_000.0) for name in engine._paces}
    check_answers(engine, oracle, case)


def check_answers(engine, other, case):
    graphs, others = engine.prepare(case.graphs), other.prepare(case.graphs)
    for name in ("class_sums", "clause_outputs", "node_outputs"):
        assert np.array_equal(getattr(engine, name)(graphs), getattr(other, name)(others)), name


@pytest.mark.parametrize("part_bytes", [None, 200_000])
@pytest.mark.parametrize("depth", [1, 3])
def test_large_graphs_beside_small_ones(depth, part_bytes):
    """Those that fit a block are answered by one each, and the others by all together."""
    sizes = (3, 5000, 20, 3, 4, 300, 9000, 1, 2, 33) * 3
    case = _case(np.random.default_rng(2), "mixed", 2, n_clauses=70, nodes=sizes, depth=depth, n_symbols=40, s=5.0)
    engine, other = adjusted("cuda", shared_bytes=30_000, part_bytes=part_bytes), CpuEngine()
    for each in (engine, other):
        each.load(case.params, case.start)
    check_answers(engine, other, case)


def test_truth_of_warps_in_global_memory():
    """One layer, records that fit shared memory and rows beside them that do not."""
    case = _case(
        np.random.default_rng(1), "large", 1, n_clauses=40, nodes=(24_000,) * 6, depth=1, n_symbols=8, hashed=False
    )
    engine, other = adjusted("cuda", shared_bytes=60_000), CpuEngine()
    for each in (engine, other):
        each.load(case.params, case.start)
    sums = [each.class_sums(each.prepare(case.graphs)) for each in (engine, other)]
    assert np.array_equal(*sums)


@pytest.mark.parametrize("n_outputs", [2, 40, 40_000])
def test_examples_that_nobody_hears(n_outputs):
    """Blocks must not run ahead where no vote is waited for: messages of two layers, five blocks, by nodes."""
    case = _case(
        np.random.default_rng(3),
        "silent",
        3,
        n_clauses=40,
        nodes=(3, 2, 5, 2),
        depth=2,
        n_edge_types=2,
        n_outputs=n_outputs,
    )
    last = n_outputs - 1
    few = sparse_targets([0, 0, 1, 1, 2], np.array([0, last]), np.array([1, -1]), n_outputs, case.params.T, silent=True)
    order = np.tile(np.arange(4), 1500 if n_outputs < 100 else 100)
    states = []
    for engine in (adjusted("cuda", n_blocks=5, rows="never"), CpuEngine()):
        engine.load(case.params, case.start)
        engine.fit(engine.prepare(case.graphs), few, order)
        states.append(engine.state())
    assert states[0].equals(states[1])


def test_an_engine_without_a_machine():
    with pytest.raises(GraphTMError, match="No machine is loaded"):
        CudaEngine().state()
