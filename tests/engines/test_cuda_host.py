"""The host side of the CUDA engine on a device of paper: what is copied when, and where answers end up."""

import gc
import weakref
from itertools import pairwise

import numpy as np
import pytest
from fake_cuda import CudaError, FakeCuda, nodes_of, number_of, sums_of, truth_of

import graphtm as gtm
from graphtm.datasets import sequences
from graphtm.engines.cuda import engine as engine_module
from graphtm.engines.cuda import memory
from graphtm.engines.cuda.prediction import shares
from graphtm.engines.cuda.records import common_of, heads_of, sizes_of, taken
from graphtm.engines.cuda.runs import Pace
from graphtm.engines.targets import class_targets
from graphtm.errors import EngineFailedError, GraphTMError, NotEnoughMemoryError
from graphtm.testing import random_case
from graphtm.testing.machines import _case
from graphtm.testing.variants import adjusted


def many_graphs(seed=1, n_graphs=60, **choices):
    nodes = np.random.default_rng(seed).integers(1, 40, n_graphs)
    choices = {"n_clauses": 20, "depth": 2, "n_outputs": 3, "n_symbols": 30, "T": 8} | choices
    return _case(np.random.default_rng(seed), "many", seed, **({"nodes": tuple(nodes.tolist())} | choices))


def loaded(case, **options):
    engine = adjusted("cuda", **options)
    engine.load(case.params, case.start)
    return engine


def numbers_of(graphs):
    return [number_of(graphs.bits[first:last]) for first, last in pairwise(graphs.node_ptr)]


def check_answers(engine, graphs, case):
    """Compare the answers for all graphs with what the kernels on paper make of their numbers."""
    numbers, counts = numbers_of(case.graphs), np.diff(case.graphs.node_ptr)
    n_outputs, n_clauses = case.params.n_outputs, case.params.n_clauses
    assert np.array_equal(engine.class_sums(graphs), [sums_of(number, n_outputs) for number in numbers])
    assert np.array_equal(engine.clause_outputs(graphs), [truth_of(number, n_clauses) for number in numbers])
    nodes = [nodes_of(number, n, n_clauses) for number, n in zip(numbers, counts, strict=True)]
    assert np.array_equal(engine.node_outputs(graphs), np.concatenate(nodes))


@pytest.mark.parametrize("state_bytes", [1, 700, 2**26])
@pytest.mark.parametrize("seed", range(8))
def test_states_are_copied_in_slices(monkeypatch, seed, state_bytes):
    cuda = FakeCuda(monkeypatch)
    monkeypatch.setattr(memory, "_STATE_BYTES", state_bytes)
    case = random_case(seed)
    engine = loaded(case)
    assert engine.state().equals(case.start)
    automata = sum(2 * case.params.layer_size(layer) for layer in range(case.params.depth))
    at_once = max(1, state_bytes // automata)
    assert cuda.launches.count("pack_states") == -(-case.params.n_clauses // at_once)


@pytest.mark.parametrize("part_bytes", [None, 1, 9000])
@pytest.mark.parametrize("work_bytes", [1, 500, 2**20])
@pytest.mark.parametrize("first_work", [1.0, 1e5, 1e10])
def test_answers_come_in_parts_and_pieces(monkeypatch, part_bytes, work_bytes, first_work):
    cuda = FakeCuda(monkeypatch)
    monkeypatch.setattr(engine_module, "_FIRST_WORK", dict.fromkeys(engine_module._FIRST_WORK, first_work))
    monkeypatch.setattr(Pace, "note", lambda *arguments: None)
    case = many_graphs()
    engine = loaded(case, part_bytes=part_bytes)
    engine._work_bytes = work_bytes
    graphs = engine.prepare(case.graphs)
    assert (graphs.on_host is None) == (part_bytes is None)
    check_answers(engine, graphs, case)
    if (part_bytes, work_bytes, first_work) == (None, 2**20, 1e10):
        assert cuda.launches[-3:] == [("predict", 60)] * 3, "all graphs in one launch"


@pytest.mark.parametrize("part_bytes", [None, 100_000])
@pytest.mark.parametrize("depth", [1, 2])
def test_large_graphs_do_not_slow_down_small_ones(monkeypatch, part_bytes, depth):
    cuda = FakeCuda(monkeypatch, shared=16_000)
    sizes = (3, 5000, 20, 3, 4, 300, 9000, 1, 2, 33)
    case = many_graphs(nodes=sizes, depth=depth, n_clauses=5, hashed=False)
    engine = loaded(case, part_bytes=part_bytes)
    graphs = engine.prepare(case.graphs)
    check_answers(engine, graphs, case)
    answered = dict.fromkeys(("predict", "answer_together"), 0)
    for launch in cuda.launches:
        if launch[0] in answered:
            answered[launch[0]] += launch[1]
    assert 3 * 2 <= answered["answer_together"] <= 3 * 3
    assert sum(answered.values()) == 3 * len(sizes)


def test_shares_of_graphs():
    case = many_graphs(nodes=(3, 5000, 20, 300))
    heads = heads_of(case.graphs, case.params)
    given = heads, sizes_of(heads), common_of(heads)
    (everything,) = shares(*given, lambda sizes: "desk")
    assert (everything.graphs, everything.sizes, everything.desk) == (None, given[1], "desk")
    assert everything.among(2, 2) == slice(None)
    small, large = shares(*given, lambda sizes: "desk" if sizes.row_nodes < 400 else None)
    assert small.graphs.tolist() == [0, 2, 3]
    assert small.sizes.row_nodes == 300
    assert (large.graphs.tolist(), large.desk) == ([1], None)
    assert [small.among(first, n).tolist() for first, n in ((0, 4), (1, 2), (1, 1), (2, 2))] == [
        [0, 2, 3],
        [1],
        [],
        [0, 1],
    ]
    (together,) = shares(*given, lambda sizes: None)
    assert (together.graphs, together.desk) == (None, None)


@pytest.mark.parametrize("part_bytes", [None, 9000])
def test_examples_are_learned_in_their_order(monkeypatch, part_bytes):
    cuda = FakeCuda(monkeypatch)
    monkeypatch.setattr(engine_module, "_FIRST_WORK", dict.fromkeys(engine_module._FIRST_WORK, 1e5))
    case = many_graphs()
    targets = class_targets(np.zeros(60, np.int64), 3, 8, weights=np.arange(60))
    engine = loaded(case, part_bytes=part_bytes)
    order = np.random.default_rng(0).integers(0, 60, 500)
    engine.fit(engine.prepare(case.graphs), targets, order)
    numbers = numbers_of(case.graphs)
    assert cuda.learned == [(numbers[graph], int(targets.weights[graph])) for graph in order]
    assert engine.state().step == case.start.step + 500
    assert len([launch for launch in cuda.launches if launch[0] == "learn"]) > 3


@pytest.mark.parametrize("part_bytes", [None, 1])
def test_no_graphs(monkeypatch, part_bytes):
    cuda = FakeCuda(monkeypatch)
    case = many_graphs()
    engine = loaded(case, part_bytes=part_bytes)
    none = engine.prepare(taken(case.graphs, np.zeros(0, np.int64)))
    assert engine.class_sums(none).shape == (0, 3)
    assert engine.clause_outputs(none).shape == engine.node_outputs(none).shape == (0, 20)
    engine.fit(engine.prepare(case.graphs), case.targets, np.zeros(0, np.int64))
    assert engine.state().equals(case.start)
    assert not any(launch[0] in ("learn", "predict") for launch in cuda.launches)


def test_votes_of_many_outputs_limit_a_launch(monkeypatch):
    cuda = FakeCuda(monkeypatch)
    monkeypatch.setattr("graphtm.engines.cuda.runs._SLOTS_BYTES", 8 * 3 * 7)
    monkeypatch.setattr(Pace, "note", lambda *arguments: None)
    case = many_graphs()
    engine = loaded(case)
    engine.fit(engine.prepare(case.graphs), case.targets, np.arange(60))
    assert [launch[1] for launch in cuda.launches if launch[0] == "learn"] == [7] * 8 + [4]


def test_data_larger_than_the_device_is_streamed(monkeypatch):
    """Twenty sets, of which the first fit: they may not take what the others, answers and states need to pass by."""
    case = many_graphs(n_graphs=300)
    cuda = FakeCuda(monkeypatch)
    engine = loaded(case)
    graphs = engine.prepare(case.graphs)
    cuda = FakeCuda(monkeypatch, memory=4 * cuda.used)
    engine = loaded(case)
    sets = [engine.prepare(case.graphs) for _ in range(20)]
    assert sets[0].on_device is not None
    assert sets[-1].on_host is not None
    assert cuda.used < cuda.memory * 7 / 8
    before = engine.state()
    for graphs in sets:
        check_answers(engine, graphs, case)
        engine.fit(graphs, case.targets, np.arange(300))
    assert engine.state().step == before.step + 20 * 300
    assert cuda.learned == cuda.learned[:300] * 20


def test_where_others_have_most_of_the_memory_parts_are_still_large(monkeypatch):
    """Nine tenths are taken: less is free than the reserve of an empty device."""
    cuda = FakeCuda(monkeypatch, memory=2**25)
    ballast = cuda.empty(int(0.9 * cuda.memory), np.uint8)
    case = many_graphs(n_graphs=300)
    engine = loaded(case)
    assert engine.prepare(case.graphs).on_device is not None
    more = cuda.empty(cuda.memory - cuda.used - 250_000, np.uint8)
    graphs = engine.prepare(case.graphs)
    assert graphs.on_host is not None
    cuda.launches.clear()
    engine.fit(graphs, case.targets, np.arange(300))
    assert 1 < cuda.launches.count("pack_graphs") < 20
    assert len(ballast) > len(more) > 0


def test_a_limit_of_the_pool_is_kept(monkeypatch):
    case = many_graphs(n_graphs=300)
    cuda = FakeCuda(monkeypatch)
    engine = loaded(case)
    graphs = engine.prepare(case.graphs)
    FakeCuda(monkeypatch, limit=cuda.used)
    engine = loaded(case)
    graphs = engine.prepare(case.graphs)
    assert graphs.on_host is not None
    check_answers(engine, graphs, case)


def test_graphs_leave_room_for_messages(monkeypatch):
    """Truth and inboxes of a large graph take more than the reserve."""
    case = many_graphs(nodes=(20_000, 20_000), n_clauses=300, n_symbols=3)
    cuda = FakeCuda(monkeypatch)
    engine = loaded(case)
    graphs = engine.prepare(case.graphs)
    records = cuda.used
    engine.fit(graphs, case.targets, np.arange(2))
    assert cuda.most > 3 * records
    FakeCuda(monkeypatch, memory=2 * cuda.most)
    engine = loaded(case)
    sets = [engine.prepare(case.graphs) for _ in range(30)]
    assert sets[0].on_device is not None
    assert sets[-1].on_host is not None
    for graphs in (sets[0], sets[-1]):
        engine.fit(graphs, case.targets, np.arange(2))


def test_graphs_leave_room_for_another_machine(monkeypatch):
    """As when training returns to its best epoch."""
    monkeypatch.setattr(memory, "_STATE_BYTES", 10_000)
    case = many_graphs(n_clauses=400)
    cuda = FakeCuda(monkeypatch)
    engine = loaded(case)
    assert engine._machine.n_bytes == cuda.used
    FakeCuda(monkeypatch, memory=4 * cuda.used)
    engine = loaded(case)
    kept = [engine.prepare(case.graphs) for _ in range(50)]
    assert kept[0].on_device is not None
    assert kept[-1].on_device is None
    engine.load(case.params, case.start)
    assert engine.state().equals(case.start)


def test_prepared_graphs_let_go_of_the_host(monkeypatch):
    FakeCuda(monkeypatch)
    case = many_graphs()
    engine = loaded(case)
    batch = taken(case.graphs, np.arange(60))
    alive, graphs = weakref.ref(batch), engine.prepare(batch)
    del batch
    gc.collect()
    assert alive() is None
    check_answers(engine, graphs, case)


def test_a_machine_that_does_not_fit_changes_nothing(monkeypatch):
    FakeCuda(monkeypatch, memory=200_000)
    small, large = many_graphs(), many_graphs(n_clauses=2000)
    engine = loaded(small)
    with pytest.raises(NotEnoughMemoryError, match=r"must fit into the memory of CUDA device 0, Toy"):
        engine.load(large.params, large.start)
    assert engine.state().equals(small.start)


def test_graphs_are_those_of_their_engine(monkeypatch):
    FakeCuda(monkeypatch)
    case = many_graphs()
    graphs = loaded(case, rows="never", part_bytes=1).prepare(case.graphs)
    with pytest.raises(GraphTMError, match="prepared for another machine"):
        loaded(case, rows="always").class_sums(graphs)


def test_a_classifier_keeps_what_it_had_when_a_device_fails(monkeypatch):
    cuda = FakeCuda(monkeypatch)
    graphs, y = sequences(60, random_state=1)
    model = gtm.GraphTMClassifier(n_clauses=10, T=8, epochs=2, random_state=3, engine="cuda").fit(graphs, y)
    assert model.engine_ == "cuda"
    before, history = model.state_, list(model.history_)
    assert before.step == 120
    start = cuda.learn

    def fails(*arguments, **options):
        start(*arguments, **options)
        raise CudaError("unspecified launch failure")

    monkeypatch.setattr(cuda, "learn", fails)
    for again in (model.fit, model.partial_fit):
        with pytest.raises(EngineFailedError, match=r"Toy, failed: unspecified launch failure. Models keep"):
            again(graphs, y)
        assert model.state_.equals(before)
        assert model.history_ == history


def test_an_evaluation_set_is_prepared_once(monkeypatch):
    cuda = FakeCuda(monkeypatch)
    monkeypatch.setattr(Pace, "note", lambda *arguments: None)
    graphs, y = sequences(60, random_state=1)
    model = gtm.GraphTMClassifier(n_clauses=10, T=8, epochs=4, random_state=3, engine="cuda")
    model.fit(graphs, y, eval_set=(graphs, y))
    assert cuda.launches.count("pack_graphs") == 2
    assert [launch for launch in cuda.launches if launch[0] == "predict"] == [("predict", 60)] * 4
