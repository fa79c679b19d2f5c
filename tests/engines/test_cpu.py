"""The CPU engine is the oracle, bit for bit, on any number of threads, with vectors and without."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from machines import cases, run_engine

import graphtm as gtm
from graphtm.bench.workloads import noisy_xor
from graphtm.codes import encode
from graphtm.engines import class_targets, initial_state, make_engine
from graphtm.engines.base import state_bytes
from graphtm.engines.cpu import KIND, CpuEngine, compiling, layout, rooms
from graphtm.engines.cpu.pace import Pace, RestlessPace
from graphtm.engines.cpu.threads import thread_count
from graphtm.engines.random import Purpose, code_draws
from graphtm.engines.reference import ReferenceEngine
from graphtm.errors import EngineMismatchError, NotEnoughMemoryError
from graphtm.foundation import resources as memory
from graphtm.foundation.resources import capped_jobs, usable_processors
from graphtm.testing import check_engine, engine_variants
from graphtm.testing.machines import random_case, wide_cases
from graphtm.testing.variants import adjusted


@pytest.mark.parametrize("vectors", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["vectors", "plain words"])
def test_parity_with_the_oracle(vectors):
    """Every variant: 1, 2 and 3 threads; by row, node or column. Kernels for plain words take long to compile."""
    variants = KIND.variants()
    assert len(variants) == len(engine_variants("cpu")) == 24
    n_machines = 0
    for number, choices in enumerate(variants):
        if choices["vectors"] == vectors:
            wide = choices["n_threads"] == 2 and choices["rows"] == "auto"
            n_machines += check_engine(partial(adjusted, "cpu", **choices), 3, 3 * number, wide=wide).n_machines
    assert n_machines > 36


@pytest.mark.slow
def test_parity_with_the_oracle_on_many_machines():
    assert check_engine("cpu", cases=1000, first=10_000).n_machines > 1000


def check_small_machine(case, **choices):
    state, *answers = run_engine(adjusted("cpu", **choices, pace=RestlessPace), case)
    expected, *right_answers = run_engine(ReferenceEngine(), case)
    assert state.equals(expected)
    for got, right in zip(answers, right_answers, strict=True):
        assert np.array_equal(got, right)


@given(cases(), st.sampled_from([1, 2, 3]), st.sampled_from(["auto", "always", "never", "columns"]))
def test_any_small_machine_is_the_oracles(case, n_threads, rows):
    check_small_machine(case, n_threads=n_threads, vectors=True, rows=rows)


@pytest.mark.slow
@settings(max_examples=150)
@given(cases(), st.sampled_from([1, 2, 3]), st.sampled_from(["auto", "always", "never", "columns"]))
def test_any_small_machine_of_plain_words_is_the_oracles(case, n_threads, rows):
    check_small_machine(case, n_threads=n_threads, vectors=False, rows=rows)


# Bugs that are planted must be caught


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("_valid", lambda size, team: np.full(team.stride, ~np.uint64(0))),
        ("mask_digits", lambda s: (1, 1)),
        ("_PURPOSES", (1, 2, 3, 5)),
        ("_lift", lambda params: np.uint8(0)),
    ],
)
def test_a_planted_bug_is_caught(monkeypatch, part, wrong):
    """With vectors only, since kernels for plain words take long to compile."""
    monkeypatch.setattr(layout, part, wrong)
    with pytest.raises(EngineMismatchError, match=r"machine \d+"):
        check_engine(partial(adjusted, "cpu", vectors=True), cases=72)


KERNEL_BUGS = [
    ("automata.py", "new_top ^ carry)", "new_top)"),
    ("automata.py", "undecided = undecided & ~x", "undecided = undecided | x"),
    ("lists.py", "word & ~always[U(w)]", "word & always[U(w)]"),
    ("lists.py", "m.list_sizes[team] = n", "m.list_sizes[team] = max(0, n - 4)"),
    ("messages.py", "<< U(63 - (shift & 63))", "<< U(62 - (shift & 63))"),
    ("learn.py", "left -= here", "left -= here + U(1)"),
    ("learn.py", "p.flags[U(i)] = 0", "p.flags[U(i)] |= 0"),
    ("tiles.py", "mask ^= mask << U(width)", "mask ^= mask << U(1)"),
    ("rows.py", "(2 * block + part) * half_words", "2 * block * half_words"),
    ("columns.py", "m.includes[U(m.shown + start + w)] = word", "m.includes[U(m.shown + start + w)] = changes"),
    ("columns.py", "64 * (part * half + w)", "64 * w"),
    ("columns.py", "columns + U(s.false", "U(s.false"),
    ("learn.py", "m.ages[team_number(m, m.depth + layer, clause)] = 1", "pass"),
    ("graded.py", "return sums ^ c, (a & b) | (sums & c)", "return sums ^ c, a & b"),
    ("graded.py", "strength < s.true[clause]", "strength < 0"),
    ("strengths.py", "max(1, s.true[U(clause)])", "max(2, s.true[U(clause)])"),
    ("graded_automata.py", "~(holds | top)", "~holds"),
    ("graded_automata.py", "key, first + U(len(width))", "key, first"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "right", "wrong"), KERNEL_BUGS)
def test_a_bug_in_a_kernel_is_caught_and_old_code_is_not_run(tmp_path, module, right, wrong):
    """The edited copy shares its cache folder with the whole one: the cache must notice the edit."""
    package = tmp_path / "graphtm"
    subprocess.run(["cp", "-r", Path(gtm.__file__).parent, package], check=True)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "graphtm.testing", "--engine", "cpu", "--cases", "72"]
    source = package / "engines" / "cpu" / module
    text = source.read_text()
    assert text.count(right) == 1
    source.write_text(text.replace(right, wrong))
    result = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 1, result.stdout
    assert "differ" in result.stderr or "failed" in result.stderr


# Graded clauses


@pytest.mark.parametrize("rows", ["always", "never"])
@pytest.mark.parametrize("vectors", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_sums_of_the_largest_weights_and_strengths_are_exact(vectors, rows):
    """5,000 clauses of strength 255 and weight 2^31 - 1: more than 2^51 votes, in learning and in prediction."""
    n = 5000
    graphs = gtm.codes.encode(gtm.GraphBatch.from_arrays([1, 70], np.zeros((71, 3), np.bool_)), gtm.codes.one_hot(3))
    params = gtm.model.MachineParams(n_outputs=3, n_clauses=n, hypervector_size=3, T=2**30 - 1, s=500.0, max_misses=254)
    limit = 2**31 - 1
    weights = np.array([limit, -limit, limit])[:, None] * np.ones(n, np.int64)
    weights[2, 1::2] = -limit
    weights[2, 0] = 1
    state = replace(initial_state(params), weights=weights.astype(np.int32))
    engine, oracle = adjusted("cpu", n_threads=2, vectors=vectors, rows=rows), ReferenceEngine()
    for each in (engine, oracle):
        each.load(params, state)
    prepared = engine.prepare(graphs)
    assert engine.clause_outputs(prepared).tolist() == [[255] * n] * 2
    expected = [[255 * n * limit, -255 * n * limit, 255 * (1 - limit)]] * 2
    assert engine.class_sums(prepared).tolist() == oracle.class_sums(graphs).tolist() == expected
    targets = class_targets([1, 2], 3, params.T)
    engine.fit(prepared, targets, np.arange(2))
    oracle.fit(graphs, targets, np.arange(2))
    assert engine.state().equals(oracle.state())


@pytest.mark.parametrize("max_misses", [1, 14, 15, 254])
@pytest.mark.parametrize("n_included", [3, 300, 600])
def test_strengths_at_each_node_and_the_largest(max_misses, n_included):
    """Counters of four and of eight planes; teams with a list, and teams that are too long for one."""
    rng = np.random.default_rng(n_included)
    holds = rng.random((1100, 600)) < np.linspace(0, 1, 1100)[:, None]
    graphs = gtm.codes.encode(gtm.GraphBatch.from_arrays([1100], holds), gtm.codes.one_hot(600))
    params = gtm.model.MachineParams(n_outputs=2, n_clauses=4, hypervector_size=600, max_misses=max_misses)
    included = np.zeros((4, 1200), np.bool_)
    for clause in included:
        clause[rng.permutation(600)[:n_included]] = True
    state = replace(initial_state(params), automata=(np.where(included, 128, 127).astype(np.uint8),))
    missed = (included[None, :, :600] & ~holds[:, None]).sum(axis=2)
    strengths = np.maximum(0, max_misses + 1 - missed)
    assert len(np.unique(strengths)) >= min(3, max_misses + 1)
    for rows in ("always", "never"):
        engine = adjusted("cpu", n_threads=1, rows=rows)
        engine.load(params, state)
        prepared = engine.prepare(graphs)
        assert engine.node_outputs(prepared).dtype == engine.clause_outputs(prepared).dtype == np.uint8
        assert np.array_equal(engine.node_outputs(prepared), strengths)
        assert np.array_equal(engine.clause_outputs(prepared)[0], strengths.max(axis=0))


# Compilation


def test_an_edit_of_any_kernel_is_noticed(monkeypatch, tmp_path):
    for name in ("run.py", "automata.py"):
        (tmp_path / name).write_text("x = 1")
    monkeypatch.setattr(compiling, "__file__", str(tmp_path / "compiling.py"))
    before = compiling.source_stamp()
    assert compiling.source_stamp() == before
    (tmp_path / "automata.py").write_text("x = 2")
    assert compiling.source_stamp() != before


@pytest.mark.slow
def test_a_processor_without_long_vectors_works_and_compilation_is_announced(tmp_path):
    """Numba is told of a plain processor: another entry in the cache, hence compiled anew, with a line that says so."""
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    code = (
        "from graphtm.testing import check_engine; from graphtm.testing.variants import adjusted\n"
        "print(check_engine(lambda: adjusted('cpu', n_threads=2, rows='always'), cases=25))"
    )
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "no difference" in result.stdout, result.stderr
    assert "Compiling the CPU engine" in result.stderr
    assert any(tmp_path.rglob("*.nbi"))


def test_without_a_folder_for_the_cache_it_still_compiles(monkeypatch, caplog):
    def nowhere(function):
        raise RuntimeError("cannot cache function")

    monkeypatch.setattr(compiling, "_SourceCache", nowhere)
    with caplog.at_level(logging.WARNING):
        assert compiling.entry(lambda x: x + 1)(1) == 2
    assert "compiled in every process" in caplog.text


# Threads


def test_thread_counts(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(12)), raising=False)
    monkeypatch.setattr("graphtm.engines.cpu.threads.config.NUMBA_NUM_THREADS", 12)
    assert [thread_count(n) for n in (None, 1, 5, 13, 10**6, -1, -2, -20)] == [8, 1, 5, 12, 12, 12, 11, 1]
    with pytest.raises(ValueError, match="'n_jobs' parameter must be an int above 0"):
        thread_count(0)
    monkeypatch.setattr("graphtm.engines.cpu.threads.config.NUMBA_NUM_THREADS", 2)
    assert thread_count(None) == 2


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_n_jobs_is_checked(n_jobs):
    graphs, y = gtm.datasets.sequences(10, random_state=0)
    with pytest.raises(ValueError, match="'n_jobs' parameter of GraphTMClassifier must be an int above 0, -1"):
        gtm.GraphTMClassifier(n_clauses=4, n_jobs=n_jobs).fit(graphs, y)


def test_results_do_not_depend_on_threads_nor_on_the_engine():
    graphs, y = gtm.datasets.sequences(300, random_state=0)
    fitted = [
        gtm.GraphTMClassifier(n_clauses=10, T=8, s=3.0, epochs=2, random_state=1, engine=engine, n_jobs=n_jobs).fit(
            graphs, y
        )
        for engine, n_jobs in (("cpu", 1), ("cpu", 3), ("reference", None))
    ]
    assert fitted[0].state_.equals(fitted[1].state_)
    assert fitted[0].state_.equals(fitted[2].state_)


def test_another_engine_or_number_of_threads_takes_effect_at_once():
    graphs, y = gtm.datasets.sequences(50, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=4, T=8, epochs=1, random_state=1, engine="cpu").fit(graphs, y)
    sums = clf.class_sums(graphs)
    clf.set_params(engine="reference")
    assert clf.engine_ == "reference"
    assert np.array_equal(clf.class_sums(graphs), sums)
    clf.set_params(engine="cpu", n_jobs=1)
    assert clf.engine_ == "cpu"
    assert clf._engine._n_threads == 1


def test_there_are_never_more_threads_than_processors(tmp_path):
    """Not even if a model file asks for a million."""
    graphs, y = gtm.datasets.sequences(20, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=4, T=8, epochs=1, random_state=1, engine="cpu", n_jobs=10**6).fit(graphs, y)
    clf.save(tmp_path / "m.gtm")
    again = gtm.load(tmp_path / "m.gtm")
    again.predict(graphs)
    assert again._engine._n_threads == clf._engine._n_threads == usable_processors()
    assert capped_jobs(10**6) == usable_processors()
    assert (capped_jobs(None), capped_jobs(-1)) == (None, -1)


def test_threads_are_used_only_where_they_pay():
    def run(pace, seconds, until):
        """Let so many seconds go by, in which an example takes so long on so many threads."""
        used = {1: 0.0, 4: 0.0}
        while sum(used.values()) < until:
            n_threads, length = pace.plan()
            examples = max(1, round(length / seconds[n_threads]))
            pace._next_trial -= examples * seconds[n_threads]  # the clock goes on
            pace.note(n_threads, examples, examples * seconds[n_threads])
            used[n_threads] += examples * seconds[n_threads]
        return used

    assert run(Pace(1), {1: 1e-3}, 10) == {1: pytest.approx(10, abs=0.2), 4: 0}
    assert run(Pace(4), {1: 20e-6, 4: 5e-6}, 10)[4] == 0
    assert run(Pace(4), {1: 100e-6, 4: 300e-6}, 10)[4] < 0.5
    pace = Pace(4)
    assert run(pace, {1: 100e-6, 4: 30e-6}, 10)[1] < 0.5
    assert run(pace, {1: 100e-6, 4: 300e-6}, 10)[4] < 1
    assert run(Pace(4), {1: 3.0, 4: 1.0}, 300)[1] < 30


class FixedPace(Pace):
    """Always the same number of threads."""

    def plan(self):
        return self._most, 0.1


@pytest.fixture
def ctrl_c():
    """Ctrl-C raises KeyboardInterrupt, also where the tests were started in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _long_job(n_threads=2):
    work = noisy_xor()
    params = replace(work.params, n_clauses=300, message_code=gtm.codes.one_hot(300))
    engine = adjusted("cpu", n_threads=n_threads, pace=FixedPace)
    engine.load(params, initial_state(params))
    engine.fit(engine.prepare(work.train), work.targets, np.arange(3))  # compiled now
    return replace(work, params=params), engine


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_ctrl_c_stops_at_once_and_leaves_a_whole_machine(n_threads, ctrl_c):
    """A real signal: what has been learned up to it is what the oracle learns from as many examples."""
    work, engine = _long_job(n_threads)
    graphs = engine.prepare(work.train)
    order = np.tile(np.arange(work.train.n_graphs), 50)
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.1, interrupt)  # time for a few examples on a busy machine, too
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.fit(graphs, work.targets, order)
    assert time.perf_counter() - sent[0] < 1
    assert signal.getsignal(signal.SIGINT) is handler
    state = engine.state()
    learned = state.step - 3
    assert 0 < learned < len(order)
    time.sleep(0.01)
    assert engine.state().equals(state)
    known = ReferenceEngine() if learned < 100 else CpuEngine(1)
    known.load(work.params, initial_state(work.params))
    known.fit(known.prepare(work.train), work.targets, np.concatenate([np.arange(3), order[:learned]]))
    assert known.state().equals(state)


def test_ctrl_c_is_heard_during_one_long_example(ctrl_c):
    """The example is given up before anything of it is learned."""
    graphs = gtm.GraphBatch.from_arrays([300_000], (np.arange(300_000), np.arange(300_000) % 60), range(60))
    params = gtm.model.MachineParams(n_outputs=2, n_clauses=3000, hypervector_size=60, T=10, s=2.0)
    engine = CpuEngine(1)
    engine.load(params, initial_state(params))
    prepared = engine.prepare(gtm.codes.encode(graphs, gtm.codes.one_hot(60)))
    before, sent = engine.state(), []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.1, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.fit(prepared, class_targets([0], 2, 10), np.zeros(50, np.int64))
    assert time.perf_counter() - sent[0] < 1
    after = engine.state()
    assert after.step > 0 or after.equals(before)


def test_a_handler_of_the_users_own_is_called():
    work, engine = _long_job(1)
    graphs, heard = engine.prepare(work.train), []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        timer = threading.Timer(0.02, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        engine.fit(graphs, work.targets, np.tile(np.arange(work.train.n_graphs), 5))
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == [signal.SIGINT]
    assert engine.state().step == 3 + 5 * work.train.n_graphs


def test_other_python_threads_go_on_running():
    work, engine = _long_job()
    graphs = engine.prepare(work.train)
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    try:
        while time.perf_counter() - start < 0.3:
            engine.fit(graphs, work.targets, np.arange(work.train.n_graphs))
    finally:
        done.set()
        thread.join()
    assert len(ticks) > 20


def test_an_error_in_a_thread_is_raised_and_the_others_do_not_wait_for_it():
    work, engine = _long_job()
    before = engine.state()
    call = engine._call

    def fails(*arguments):
        if arguments[-2] == 1:
            raise ValueError("no")
        return call(*arguments)

    engine._call = fails
    with pytest.raises(ValueError, match="no"):
        engine.fit(engine.prepare(work.train), work.targets, np.arange(5))
    assert engine.state().equals(before)


def test_threads_that_cannot_all_start_do_not_wait_for_the_missing(monkeypatch):
    work, engine = _long_job()
    before = engine.state()
    start, started = threading.Thread.start, []

    def refuse(thread):
        if isinstance(thread, threading.Timer) or not started:
            started.append(thread)
            start(thread)
        else:
            raise RuntimeError("can't start new thread")

    graphs = engine.prepare(work.train)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        engine.fit(graphs, work.targets, np.arange(5))
    assert engine.state().equals(before)


# Memory


def test_a_machine_that_would_not_fit_is_refused(monkeypatch):
    graphs, y = gtm.datasets.sequences(20, random_state=0)
    monkeypatch.setattr("graphtm.foundation.resources.free_memory", lambda: 10**6)
    clf = gtm.GraphTMClassifier(n_clauses=1000, message_encoding="one_hot")
    with pytest.raises(
        NotEnoughMemoryError,
        match=r"A machine of 1,000 clauses and 2 layers would take 10\.3 MiB; 1\.0 MiB.*message_size",
    ):
        clf.fit(graphs, y)
    assert not hasattr(clf, "model_")
    with pytest.raises(NotEnoughMemoryError, match=r"Lower n_clauses \(now 60,000\) or hypervector_size"):
        gtm.GraphTMClassifier(n_clauses=60_000, depth=1).fit(graphs, y)


@pytest.mark.parametrize(
    ("depth", "H", "clauses", "advice"),
    [(3, 10, 10, "message_size"), (1, 10_000, 10, "hypervector_size"), (1, 10, 10_000, "n_clauses")],
)
def test_graphs_that_would_not_fit_are_refused(monkeypatch, depth, H, clauses, advice):
    monkeypatch.setattr("graphtm.foundation.resources.free_memory", lambda: 10**8)
    code = gtm.codes.one_hot(clauses)
    params = gtm.model.MachineParams(n_outputs=1, n_clauses=clauses, hypervector_size=H, message_code=code, depth=depth)
    rooms.require_room(params, 100, 2, True)
    with pytest.raises(NotEnoughMemoryError, match=f"a graph of 1,000,000 nodes would take .* GiB.*{advice}"):
        rooms.require_room(params, 1_000_000, 2, True)


def test_nodes_that_would_not_fit_are_refused(monkeypatch):
    graphs = gtm.GraphBatch.from_arrays([10_000], np.zeros((10_000, 640), np.bool_))
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    with pytest.raises(NotEnoughMemoryError, match=r"10,000 nodes in 640 bits each would .* Lower hypervector_size"):
        gtm.codes.encode(graphs, gtm.codes.one_hot(640))


def test_single_graphs_reuse_working_memory_and_threads_do_not_share_it():
    """Graphs of different sizes, one call each, alternate with predictions; the oracle does the same."""
    cases = [next(iter(wide_cases())), random_case(3)]
    for case in cases:
        results = []
        for name in ("cpu", "reference"):
            engine = make_engine(name, 1)
            engine.load(case.params, case.start)
            graphs = engine.prepare(case.graphs)
            singles = [engine.prepare(encode(case.batch[i : i + 1], case.symbol_code)) for i in range(len(case.batch))]
            sums = []
            for i, one in enumerate(singles):
                sums.append(engine.class_sums(one)[0].tolist())
                engine.fit(graphs, case.targets, np.array([i]))
            results.append((sums, engine.state()))
        (fast, state), (true, oracle) = results
        assert fast == true
        assert state.equals(oracle)
    with engine_rooms(make_engine("cpu", 1), cases[1]) as (one, other):
        assert one.shared.truth is not other.shared.truth


def texts_like(n_clauses=600):
    """Return a machine with large teams that include many negations, and graphs whose nodes have few of many bits."""
    rng = np.random.default_rng(0)
    counts = np.array([30, 1, 530, 65])
    symbols = rng.integers(0, 500, counts.sum())  # a sixth never occurs: literals that always hold
    batch = gtm.GraphBatch.from_arrays(counts, (np.arange(counts.sum()), symbols), list(range(600)))
    draws = code_draws(1, Purpose.CLAUSE_CODE)
    params = gtm.model.MachineParams(
        n_outputs=2,
        n_clauses=n_clauses,
        hypervector_size=600,
        message_code=gtm.codes.message_code(n_clauses, 0, draws, encoding="random", size=520),
        depth=2,
        T=500,
        s=3.0,
        seed=1,
    )
    states = np.full((n_clauses, 1200), 127, np.uint8)
    states[:, 600:][rng.random((n_clauses, 600)) < 0.3] = 130
    initial = initial_state(params)
    return params, replace(initial, automata=(states, *initial.automata[1:])), batch


def test_columns_are_used_for_large_teams_and_follow_the_machine():
    """After each step of learning, one graph, all graphs, and Python threads with other graphs predict."""
    params, state, batch = texts_like()
    code, targets = gtm.codes.one_hot(600), class_targets([0, 1, 0, 1], 2, 500)
    graphs = encode(batch, code)
    engine, oracle = CpuEngine(2), ReferenceEngine()
    for each in (engine, oracle):
        each.load(params, state)
    parts = [slice(0, 4), slice(0, 1), slice(1, 4)]
    prepared = [engine.prepare(encode(batch[part], code)) for part in parts]
    for i in (3, 2):
        engine.fit(prepared[0], targets, np.array([i]))
        oracle.fit(graphs, targets, np.array([i]))
        outdated = engine._machine.ages[2 * 600 : 3 * 600]  # columns of layer 0, if they were not used
        assert not outdated.all()
        expected = oracle.class_sums(graphs)
        with ThreadPoolExecutor(3) as pool:
            for part, sums in zip(parts * 4, pool.map(engine.class_sums, prepared * 4), strict=True):
                assert np.array_equal(sums, expected[part])
    assert engine.state().equals(oracle.state())


def test_graphs_of_two_python_threads_may_have_other_literals_that_always_hold():
    """Lists leave out literals that hold at all nodes of a batch."""
    rng = np.random.default_rng(0)
    params = gtm.model.MachineParams(n_outputs=2, n_clauses=8, hypervector_size=40, T=10)
    bits = rng.random((2, 1200, 40)) < 0.5
    bits[0, :, :20] = bits[1, :, 20:] = True
    batches = [gtm.GraphBatch.from_arrays([300] * 4, some) for some in bits]
    states = np.where(rng.random((8, 80)) < 0.1, 200, 3).astype(np.uint8)
    engine, oracle = adjusted("cpu", rows="always"), ReferenceEngine()
    for each in (engine, oracle):
        each.load(params, replace(initial_state(params), automata=(states,)))
    encoded = [encode(batch, gtm.codes.one_hot(40)) for batch in batches]
    prepared, expected = [engine.prepare(one) for one in encoded], [oracle.class_sums(one) for one in encoded]
    with ThreadPoolExecutor(2) as pool:
        for got, right in zip(pool.map(engine.class_sums, prepared * 100), expected * 100, strict=True):
            assert np.array_equal(got, right)


@contextmanager
def engine_rooms(engine, case):
    """Lend working memory twice at the same time, as to two Python threads."""
    engine.load(case.params, case.start)
    with engine._rooms(5, 1) as one, engine._rooms(5, 1) as other:
        yield one, other


def test_what_is_planned_is_what_is_taken():
    work, _ = _long_job()
    for params in (work.params, texts_like()[0]):
        room = rooms.shared_room(params, 1000, 2, True)
        taken = sum(part.nbytes for part in room if isinstance(part, np.ndarray))
        assert taken == rooms.shared_bytes(params, 1000, 2, True)
        private = rooms.private_room(params)
        taken = sum(part.nbytes for part in private if part is not private.eights)  # a view of the flags
        assert taken == rooms.private_bytes(params)
        machine = layout.machine_of(params, initial_state(params), True)
        large = ("planes", "includes", "columns", "lists", "weights")
        taken = sum(getattr(machine, name).nbytes for name in large)
        assert taken <= rooms.machine_bytes(params, True) <= 1.05 * taken


def test_packing_and_unpacking_take_little_more_than_the_machine():
    params = gtm.model.MachineParams(n_outputs=2, n_clauses=2000, hypervector_size=4000, T=10)
    state = initial_state(params)
    engine = CpuEngine(1)
    tracemalloc.start()
    try:
        engine.load(params, state)
        loaded = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        base = tracemalloc.get_traced_memory()[0]
        assert engine.state().equals(state)
        unloaded = tracemalloc.get_traced_memory()[1] - base
    finally:
        tracemalloc.stop()
    assert loaded < rooms.machine_bytes(params, True) + 3 * 10**7
    assert unloaded < state_bytes(params) + 4 * 10**7


def test_free_memory_of_a_container(monkeypatch, tmp_path):
    files = {"memory.max": "1000", "memory.current": "900", "memory.stat": "anon 5\ninactive_file 300\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(memory, "_CONTAINER", ((tmp_path / "memory.max", tmp_path / "memory.current"),))
    assert memory.free_memory() == 400
    (tmp_path / "memory.max").write_text("max")
    assert memory.free_memory() > 10**6


def test_graphs_prepared_for_another_machine_are_refused():
    graphs = gtm.GraphBatch.from_arrays([2, 3], np.eye(5, 10), node_types=([0, 1, 2, 0, 1], [*"abc"]))
    encoded = gtm.codes.encode(graphs, gtm.codes.one_hot(10))
    for engine in (CpuEngine(1), ReferenceEngine()):
        params = gtm.model.MachineParams(n_outputs=2, n_clauses=4, hypervector_size=10, n_node_types=3)
        engine.load(params, initial_state(params))
        prepared = engine.prepare(encoded)
        for other, why in (({"hypervector_size": 1000}, "encoded into 1000 bits"), ({"n_node_types": 2}, "below 2")):
            params = replace(
                gtm.model.MachineParams(n_outputs=2, n_clauses=4, hypervector_size=10, n_node_types=3), **other
            )
            engine.load(params, initial_state(params))
            for use in (engine.class_sums, engine.node_outputs):
                with pytest.raises(gtm.GraphTMError, match=why):
                    use(prepared)
            with pytest.raises(gtm.GraphTMError, match=why):
                engine.fit(prepared, class_targets([0, 1], 2, params.T), np.arange(2))


def test_nothing_without_a_machine():
    with pytest.raises(gtm.GraphTMError, match="call load first"):
        CpuEngine().state()
