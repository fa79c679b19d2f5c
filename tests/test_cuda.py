"""The CUDA engine without a device: where things lie, how kernels are launched, that they compile, what is refused."""

import re
import sys
from contextlib import nullcontext
from dataclasses import asdict
from functools import cache
from importlib import resources
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import graphtm as gtm
from graphtm.cli.app import app
from graphtm.codes import Code
from graphtm.engines import engine_statuses, make_engine
from graphtm.engines.cuda import device, kernels, launching, structs
from graphtm.engines.cuda.kernels import KERNELS, fixed, source
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.cuda.memory import presented
from graphtm.engines.cuda.plan import GROUP_WORDS, NOWHERE, Shape, plan_alone, plan_together, slots_per_example
from graphtm.engines.cuda.records import Sizes, bytes_of, check_sizes, common_of, heads_of, sizes_of, slices, taken
from graphtm.engines.cuda.runs import Pace
from graphtm.engines.targets import sparse_targets
from graphtm.errors import EngineFailedError, EngineUnavailableError, GraphTMError, NotEnoughMemoryError
from graphtm.model import MachineParams
from graphtm.testing import random_case

SHARED = 232_448  # bytes of a block on Hopper
seeds = st.integers(0, 3000)


def params(n_clauses=100, n_outputs=2, size=64, depth=1, message_size=64):
    positions = np.zeros((n_clauses, 1), np.int32)
    code = Code("random", message_size, positions) if depth > 1 else None
    return MachineParams(n_outputs, n_clauses, size, message_code=code, depth=depth)


# Records


@settings(max_examples=60)
@given(seeds, st.sampled_from(["auto", "always", "never"]))
def test_records_lie_side_by_side(seed, rows):
    case = random_case(seed)
    heads = heads_of(case.graphs, case.params, rows)
    counts = np.diff(case.graphs.node_ptr)
    assert np.array_equal(heads["n_nodes"], counts)
    assert np.array_equal(heads["first"], case.graphs.node_ptr[:-1])
    assert heads["at"][0] == 0
    assert np.array_equal(heads["at"][1:], (heads["at"] + heads["n_words"])[:-1])
    assert not np.any(heads["n_words"] % 4)
    masks = max(1, case.params.n_node_types) + 1
    for head in heads:
        if head["by_rows"]:
            assert 32 * head["stride"] >= head["n_nodes"]
            assert head["n_words"] >= (case.params.hypervector_size + masks) * head["stride"]
        else:
            assert head["n_nodes"] <= 32
            assert head["n_words"] >= head["n_nodes"] * 2 * Shape.of(case.params).half0 + masks + 2 * head["n_edges"]
    assert rows != "always" or heads["by_rows"].all()
    assert rows != "never" or not heads["by_rows"][counts <= 32].any()


@pytest.mark.parametrize(
    ("n_nodes", "stride", "lanes"),
    [(9, 1, 6), (32, 1, 6), (33, 2, 7), (64, 2, 7), (65, 4, 0), (128, 4, 0), (129, 12, 1), (361, 12, 2), (498, 20, 2)],
)
def test_rows_are_read_in_fours(n_nodes, stride, lanes):
    """129 nodes are 5 words, 2 fours, which 2^1 lanes read; 12 words, an odd number of fours, keep columns apart."""
    (head,) = heads_of(graphs_of_nodes(n_nodes), params())
    assert (head["stride"], head["lanes"]) == (stride, lanes)


def graphs_of_nodes(n_nodes):
    from graphtm import GraphBatch
    from graphtm.codes import encode, one_hot

    return encode(GraphBatch.from_arrays([n_nodes], np.ones((n_nodes, 64), bool)), one_hot(64))


def test_sizes_are_the_largest():
    case = random_case(4)
    sizes = sizes_of(heads_of(case.graphs, case.params, "never"))
    counts = np.diff(case.graphs.node_ptr)
    assert sizes.node_nodes == counts[counts <= 32].max()
    assert sizes.row_nodes == max([0, *counts[counts > 32]])
    assert 32 * sizes.truth >= counts.max()


def test_what_all_graphs_have_in_common():
    heads = np.zeros(3, structs.HEAD)
    heads["n_nodes"], heads["stride"] = (5, 5, 6), 4
    common = common_of(heads)
    assert common["stride"] == 4
    assert "n_nodes" not in common
    assert common_of(heads[:0]) == {}


def test_graphs_are_taken_in_any_order():
    case = random_case(11)
    which = np.array([2, 0, 2])
    some = taken(case.graphs, which)
    assert some.n_graphs == 3
    for place, graph in enumerate(which):
        mine, other = (slice(*b.node_ptr[i : i + 2]) for b, i in ((some, place), (case.graphs, graph)))
        assert np.array_equal(some.bits[mine], case.graphs.bits[other])
        edges, others = some.in_edges.select(mine), case.graphs.in_edges.select(other)
        assert edges.equals(others)
    mine, others = (bytes_of(graphs, heads_of(graphs, case.params)) for graphs in (some, case.graphs))
    assert np.array_equal(mine, others[which])


def test_a_graph_that_is_too_large_is_refused():
    huge = params(size=2**26)
    graphs = SimpleNamespace(
        node_ptr=np.array([0, 2000]), in_edges=SimpleNamespace(ptr=np.zeros(2001, np.int64)), bits=np.zeros((2000, 1))
    )
    with pytest.raises(GraphTMError, match=r"at most 2\^31 nodes or words.*2,000 nodes.*engine='cpu'"):
        heads_of(graphs, huge)
    with pytest.raises(GraphTMError, match=r"inboxes of at most.*messages of 1,073,741,824 bits.*Lower message_size"):
        check_sizes(params(depth=2, message_size=2**30), Sizes(16, 12, 361, 12, 0))
    with pytest.raises(GraphTMError, match=r"inboxes.*32 nodes with messages of 134,217,728 bits in 16 layers have"):
        check_sizes(params(1, depth=17, message_size=2**27), Sizes(16, 1, 0, 0, 32))


@given(st.lists(st.integers(0, 30)), st.integers(1, 40))
def test_parts_are_as_large_as_they_may_be(sizes, most):
    parts = list(slices(np.array(sizes, np.int64), most))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(sizes)))
    for part, following in pairwise(parts):
        assert sum(sizes[part]) <= most or part.stop == part.start + 1
        assert sum(sizes[part.start : following.start + 1]) > most


@given(st.lists(st.sets(st.integers(0, 4)), min_size=1), st.data())
def test_targets_are_presented_in_order(labels, data):
    ptr = np.concatenate([[0], np.cumsum([len(some) for some in labels])])
    outputs = np.array([output for some in labels for output in sorted(some)], np.int64)
    values = np.arange(len(outputs)) % 7
    targets = sparse_targets(ptr, outputs, values, 5, 10, weights=np.arange(len(labels)))
    order = np.array(data.draw(st.lists(st.integers(0, len(labels) - 1))), np.int64)
    arrays = presented(targets, order)
    assert len(arrays["ptr"]) == len(order) + 1
    for place, example in enumerate(order):
        mine, other = slice(*arrays["ptr"][place : place + 2]), slice(*ptr[example : example + 2])
        assert np.array_equal(arrays["outputs"][mine], outputs[other])
        assert np.array_equal(arrays["values"][mine], values[other])
        assert arrays["weights"][place] == targets.weights[example]


# Launches


@settings(max_examples=200)
@given(
    n_clauses=st.sampled_from([1, 3, 64, 65, 1000, 2500, 80_000, 1_000_000]),
    n_outputs=st.sampled_from([1, 10, 32, 33, 5000, 100_000]),
    size=st.sampled_from([0, 1, 64, 128, 2048, 60_000]),
    depth=st.sampled_from([1, 2, 5]),
    message_size=st.sampled_from([3, 512, 100_000]),
    record=st.sampled_from([4, 1692, 50_000, 10**7]),
    n_words=st.sampled_from([1, 2, 12, 400]),
    shared=st.sampled_from([65_536, 101_376, SHARED]),
)
def test_places_in_shared_memory_are_apart(n_clauses, n_outputs, size, depth, message_size, record, n_words, shared):
    machine = params(n_clauses, n_outputs, size, depth, message_size)
    sizes = Sizes(record, n_words, 32 * n_words, n_words, 2)
    launch = plan_together(machine, sizes, 132, shared)
    shape = Shape.of(machine)
    per_block = launch.clauses_per_block
    lengths = {
        "group": GROUP_WORDS,
        "flags": per_block,
        "entries": 4 * launch.n_entries,
        "heard": 2 * -(-n_outputs // 64),
        "planes": per_block * 16 * shape.words,
        "weights": per_block * n_outputs,
        "records": 2 * launch.record_words,
        "truth": per_block * n_words,
        "inbox": launch.inbox_words,
        "focus": launch.n_entries * shape.words,
    }
    places = sorted((getattr(launch, name), length) for name, length in lengths.items())
    places = [(place, length) for place, length in places if place != NOWHERE and length]
    for (place, length), (following, _) in pairwise(places):
        assert place + length <= following
    assert 4 * sum(places[-1]) <= launch.shared_bytes <= shared
    assert all(place % 4 == 0 for place, _ in places)
    assert launch.n_blocks <= 132
    assert launch.n_blocks * per_block >= n_clauses
    assert 1 <= launch.n_entries <= per_block
    assert launch.n_threads % 32 == 0
    assert 128 <= launch.n_threads <= 1024
    assert launch.n_entries * shape.words < 2**31


def test_small_machines_run_in_one_block():
    sizes = Sizes(16, 1, 0, 0, 2)
    assert plan_together(params(64), sizes, 132, SHARED).n_blocks == 1
    assert plan_together(params(65), sizes, 132, SHARED).n_blocks == 9
    assert plan_together(params(2500), sizes, 132, SHARED).n_blocks == 132


def test_state_that_does_not_fit_stays_in_global_memory():
    sizes = Sizes(1692, 12, 361, 12, 0)
    assert plan_together(params(80_000, 10, 128), sizes, 132, SHARED).planes_in_shared
    far = plan_together(params(80_000, 10, 4096), sizes, 132, SHARED)
    assert not far.planes_in_shared
    assert far.records != NOWHERE


def test_more_clauses_than_blocks_can_account_for():
    with pytest.raises(NotEnoughMemoryError, match="50,000,000 clauses are 378,788 for each of 132 blocks"):
        plan_together(params(50_000_000), Sizes(16, 1, 0, 0, 2), 132, SHARED)


def test_prediction_of_a_graph_in_one_block():
    small = plan_alone(
        params(2500, 10, 128), Sizes(1692, 12, 361, 12, 0), 132, SHARED, for_nodes=False, most_bytes=2**30
    )
    assert small is not None
    assert small.n_blocks == 264
    assert small.truth != NOWHERE
    assert small.shared_bytes <= SHARED
    # The truth of many clauses at many nodes lies in global memory; a record that does not fit is for all blocks.
    sizes = Sizes(40_000, 400, 12_800, 400, 0)
    far = plan_alone(params(2500, 10, 64), sizes, 132, SHARED, for_nodes=True, most_bytes=2**30)
    assert far is not None
    assert far.truth == NOWHERE
    assert far.truth_rows == 2500
    # Where only the last layer counts, each of 16 warps has a row of its own, wherever that lies.
    last = plan_alone(
        params(2500, 10, 64), Sizes(50_000, 752, 24_000, 752, 0), 132, SHARED, for_nodes=False, most_bytes=2**30
    )
    assert last is not None
    assert (last.truth, last.truth_rows, last.n_threads) == (NOWHERE, 16, 512)
    assert plan_alone(params(), Sizes(10**6, 400, 12_800, 400, 0), 132, SHARED, for_nodes=False, most_bytes=1) is None


def test_a_device_of_few_processors_has_a_block():
    sizes = Sizes(16, 10**6, 32 * 10**6, 10**6, 0)
    assert plan_alone(params(100_000), sizes, 2, SHARED, for_nodes=True, most_bytes=2**30) is None


def test_votes_of_many_clauses_take_two_words():
    assert slots_per_example(params(65_535, 10)) == (10, False)
    assert slots_per_example(params(65_536, 10)) == (20, True)


def test_launches_are_short():
    pace = Pace(1600)
    work = np.full(100_000, 100)
    pieces = pace.pieces(work)
    assert next(pieces) == slice(0, 16)
    pace.note(1600, 0.001)
    assert next(pieces) == slice(16, 16 + 128), "at most eight times as much as before"
    pace.note(1e7, 10.0)
    assert next(pieces) == slice(144, 144 + 2000), "a fifth of a second"
    assert sum(piece.stop - piece.start for piece in pieces) == 100_000 - 2144
    assert [piece.stop for piece in pace.pieces(work[:1200], 500)] == [500, 1000, 1200]
    assert list(pace.pieces(np.array([10**12, 10**12]))) == [slice(0, 1), slice(1, 2)]
    assert list(pace.pieces(work[:0])) == []


# Kernels


def nvrtc():
    bindings = pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")
    try:
        bindings.nvrtcVersion()
    except RuntimeError as error:
        pytest.skip(f"NVRTC is not installed: {error}")
    return bindings


@cache
def compile_for(architecture, text):
    """Return the machine code, or the compiler's log if it is none."""
    compiler = nvrtc()
    _, program = compiler.nvrtcCreateProgram(text.encode(), b"kernels.cu", 0, [], [])
    options = [option.encode() for option in (*kernels.OPTIONS, f"--gpu-architecture={architecture}")]
    (result,) = compiler.nvrtcCompileProgram(program, len(options), options)
    if result != compiler.nvrtcResult.NVRTC_SUCCESS:
        log = b" " * compiler.nvrtcGetProgramLogSize(program)[1]
        compiler.nvrtcGetProgramLog(program, log)
        return log.decode(), False
    code = b" " * compiler.nvrtcGetCUBINSize(program)[1]
    compiler.nvrtcGetCUBIN(program, code)
    return code, True


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("program", ["together", "alone"])
def test_kernels_compile(program, architecture):
    code, compiled = compile_for(architecture, source(program))
    assert compiled, code
    for kernel in KERNELS[program]:
        assert f".text.{kernel}\0".encode() in code


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_kernels_compile_for_automata_in_global_memory(architecture):
    code, compiled = compile_for(architecture, source("together_far"))
    assert compiled, code


def machine_struct(machine):
    shape = Shape.of(machine)
    struct = np.zeros((), structs.MACHINE)
    values = {"n_outputs": machine.n_outputs, "depth": machine.depth, "n_types": 1, "words": shape.words, "k": 51}
    values |= {"size0": machine.hypervector_size, "half0": shape.half0, "half1": shape.half1, "same_masks": 1, "n": 9}
    for name, value in values.items():
        struct[name] = value
    return struct


def constants_for_digits():
    machine = params(2500, 10, 128)
    launch = plan_together(machine, Sizes(1692, 12, 361, 12, 0), 132, SHARED)
    room = np.zeros((), structs.ROOM)
    for name in structs.ROOM.names:
        if name in asdict(launch):
            room[name] = getattr(launch, name)
    heads = heads_of(graphs_of_nodes(361), params(2500, 10, 64))
    return fixed(machine_struct(machine), room, common_of(heads), launch.n_blocks, launch.n_threads)


def test_constants_of_a_machine():
    text = constants_for_digits()
    assert "#define MOST_THREADS 640" in text
    assert re.search(r"fix\(Machine& x\) \{.* x\.half0 = 2; .*x\.k = 51;", text)
    assert re.search(r"fix\(GraphHead& x\) \{.* x\.n_nodes = 361; x\.stride = 12;", text)
    assert not re.search(r"x\.(T|owner_ptr|update_key|at|first|inverse) =", text)


def test_kernels_for_one_machine_compile_and_are_smaller():
    special, compiled = compile_for("sm_90", source("together", constants_for_digits()))
    assert compiled, special
    anything, _ = compile_for("sm_90", source("together"))
    assert len(special) < len(anything) / 2


def test_structs_of_both_sides_have_the_same_size(monkeypatch):
    wrong = np.dtype([(name, structs.ROOM[name]) for name in structs.ROOM.names[:-2]], align=True)
    monkeypatch.setitem(structs.BY_NAME, "Room", wrong)
    log, compiled = compile_for("sm_90", source.__wrapped__("alone"))
    assert not compiled
    assert "sizeof(Room) differs from structs.py" in log


@pytest.mark.parametrize(
    ("struct", "one", "other"),
    [
        ("Machine", "mask_k", "step"),
        ("Room", "truth", "inbox"),
        ("GraphHead", "at", "first"),
        ("Examples", "gates", "weights"),
    ],
)
def test_structs_of_both_sides_have_the_same_order(monkeypatch, struct, one, other):
    right = structs.BY_NAME[struct]
    swapped = {one: other, other: one}
    wrong = np.dtype([(swapped.get(name, name), right[name]) for name in right.names], align=True)
    assert wrong.itemsize == right.itemsize
    monkeypatch.setitem(structs.BY_NAME, struct, wrong)
    log, compiled = compile_for("sm_90", source.__wrapped__("alone"))
    assert not compiled
    differ = re.findall(r"error: static assertion failed with \"(.*)\"", log)
    assert sorted(differ) == sorted(f"__builtin_offsetof({struct}, {name}) differs from structs.py" for name in swapped)


@pytest.mark.parametrize("name", list(kernels._CONSTANTS))
def test_constants_of_both_sides_must_agree(monkeypatch, name):
    value, file = kernels._CONSTANTS[name]
    monkeypatch.setitem(kernels._CONSTANTS, name, (value + 1, file))
    log, compiled = compile_for("sm_90", source.__wrapped__("alone"))
    assert not compiled
    assert f"{name} differs from {file}" in log


def test_every_field_of_a_struct_must_be_given():
    with pytest.raises(TypeError, match="fields must be"):
        structs.filled(structs.ANSWERS, sums=None, truth=None)


def test_sources_belong_to_the_package():
    names = {file.name for file in (resources.files("graphtm.engines.cuda") / "source").iterdir()}
    assert {"learn.cu", "predict.cu", "pack.cu", "types.cuh", "random.cuh"} <= names
    assert all(name.endswith((".cu", ".cuh")) for name in names)


def test_lines_of_sources_are_no_longer_than_those_of_the_package():
    for file in (resources.files("graphtm.engines.cuda") / "source").iterdir():
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 120, f"{file.name}, line {number}"


# What is not there


class FakeError(Exception):
    pass


class FakeMemoryError(Exception):
    pass


class FakeCompileError(Exception):
    pass


def fake_cupy(monkeypatch, count=1, hip=False, compiles=True, lost=False, **changes):
    """Put a CuPy in place that sees such a device."""
    properties = {
        "name": b"Toy",
        "major": 9,
        "minor": 0,
        "cooperativeLaunch": 1,
        "multiProcessorCount": 4,
        "sharedMemPerBlockOptin": 1000,
        **changes,
    }

    def device_count():
        if count is None:
            raise FakeError("no driver")
        return count

    def device_properties(number):
        if lost:
            raise RuntimeError("GPU is lost")
        return properties

    def compiler_version():
        if not compiles:
            raise RuntimeError("no libnvrtc")

    runtime = SimpleNamespace(
        is_hip=hip,
        CUDARuntimeError=FakeError,
        getDeviceCount=device_count,
        getDeviceProperties=device_properties,
        memGetInfo=lambda: (1, 2000),
    )
    cuda = SimpleNamespace(
        runtime=runtime,
        nvrtc=SimpleNamespace(getVersion=compiler_version),
        compiler=SimpleNamespace(CompileException=FakeCompileError),
        driver=SimpleNamespace(CUDADriverError=FakeError),
        memory=SimpleNamespace(OutOfMemoryError=FakeMemoryError),
        Device=lambda number: nullcontext(),
    )
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))


def test_a_device_is_described(monkeypatch):
    fake_cupy(monkeypatch, count=2)
    assert device.find_device(1) == device.Device(1, "Toy", 4, 1000, 2000)


@pytest.mark.parametrize(
    ("number", "changes", "message"),
    [
        (0, {"count": None}, "needs an NVIDIA device with its driver; CUDA reports: no driver"),
        (0, {"lost": True}, "needs an NVIDIA device with its driver; CUDA reports: GPU is lost"),
        (2, {"count": 2}, "CUDA device number 2; this machine has 2, counted from 0"),
        (0, {"major": 7, "minor": 5}, r"compute capability 8\.0 or later; device 0, Toy, has 7\.5"),
        (0, {"hip": True}, "needs CuPy for CUDA; the one installed is for ROCm"),
        (0, {"compiles": False}, r"device 0, Toy, cannot be used now: no libnvrtc.*pip install 'graphtm\[cuda\]'"),
        (0, {"cooperativeLaunch": 0}, r"all blocks at once \(cooperative launch\); device 0, Toy, cannot"),
    ],
)
def test_devices_that_cannot_be_used(monkeypatch, number, changes, message):
    fake_cupy(monkeypatch, **changes)
    with pytest.raises(EngineUnavailableError, match=message):
        device.find_device(number)


def test_without_cupy_everything_else_works(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(EngineUnavailableError, match=r"needs CuPy.*pip install 'graphtm\[cuda\]'"):
        make_engine("cuda")
    assert make_engine("auto").name == "cpu"
    assert [status.available for status in engine_statuses()] == [False, True, True]
    shown = CliRunner().invoke(app, ["engines"])
    assert "needs CuPy" in " ".join(shown.output.split())
    assert "graphtm[cuda]" in shown.output, "brackets are no markup"


def test_a_named_device_must_be_there(monkeypatch):
    fake_cupy(monkeypatch)
    with pytest.raises(EngineUnavailableError, match="CUDA device number 3"):
        make_engine("cuda:3")


def test_a_model_of_a_device_is_used_without_one(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]])
    model = gtm.GraphTMClassifier(n_clauses=4, T=5, depth=1, epochs=2, random_state=0, engine="cpu").fit(graphs, [0, 1])
    for engine in ("cuda", "cuda:1"):
        model.set_params(engine=engine).save(tmp_path / "m.gtm")
        loaded = gtm.load(tmp_path / "m.gtm")
        assert loaded.engine == "auto"
        assert list(loaded.predict(graphs)) == list(model.set_params(engine="cpu").predict(graphs))


@pytest.mark.parametrize("engine", ["cuda", "cuda:1"])
def test_estimators_take_a_device(monkeypatch, engine):
    monkeypatch.setitem(sys.modules, "cupy", None)
    graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]])
    with pytest.raises(EngineUnavailableError, match="needs CuPy"):
        gtm.GraphTMClassifier(n_clauses=4, depth=1, engine=engine).fit(graphs, [0, 1])
    with pytest.raises(ValueError, match=r"'engine' parameter of GraphTMClassifier.*'cuda:1'.*Got 'cuda:one'"):
        gtm.GraphTMClassifier(n_clauses=4, depth=1, engine="cuda:one").fit(graphs, [0, 1])


TOY = device.Device(0, "Toy", 4, 1000, 2000)


class Toy:
    """A device whose launches take 0.3 seconds each."""

    def __init__(self, monkeypatch, fails=False):
        self.compiled = []
        self.fails = fails
        monkeypatch.setattr(launching, "compiled", self.compile)
        monkeypatch.setattr(Launcher, "_timed", lambda *arguments: 0.3)
        monkeypatch.setattr(Launcher, "_spent", {})

    def compile(self, program, toy, *constants):
        self.compiled.append((program, *constants))
        if constants and self.fails:
            raise OSError("the disk is full")
        return SimpleNamespace(get_function=lambda name: name)


@pytest.mark.parametrize(("special", "first"), [(None, 3), (True, 1), (False, 9)])
def test_kernels_are_made_for_a_machine_once_that_pays(monkeypatch, special, first):
    toy = Toy(monkeypatch)
    for _ in range(4):
        Launcher(TOY, special).launch("alone", "predict", "these", 1, 32, 0, ())
    made = [place for place, program in enumerate(toy.compiled, 1) if program == ("alone", "these")]
    assert made == list(range(first, 5)), "seconds count, whichever engine spent them"
    Launcher(TOY, special).launch("alone", "predict", "others", 1, 32, 0, ())
    assert toy.compiled[-1] == (("alone", "others") if special else ("alone",)), "seconds count for their numbers only"


def test_what_works_goes_on_where_faster_kernels_cannot_be_compiled(monkeypatch, caplog):
    toy = Toy(monkeypatch, fails=True)
    for _ in range(5):
        assert Launcher(TOY).launch("alone", "predict", "these", 1, 32, 0, ()) == 0.3
    assert toy.compiled == [("alone",)] * 2 + [("alone", "these")] + [("alone",)] * 3
    assert "Faster kernels cannot be compiled; those for any machine go on. the disk is full" in caplog.text


def test_a_folder_that_cannot_be_written_is_told(monkeypatch):
    def refuse():
        raise PermissionError("no such luck")

    module = SimpleNamespace(compile=refuse)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(RawModule=lambda **options: module))
    with pytest.raises(EngineFailedError, match=r"can be written; CuPy's cannot: no such luck. Set .*CUPY_CACHE_DIR"):
        kernels.compiled.__wrapped__("alone", TOY)


@pytest.mark.parametrize("name", ["cuda:", "cuda:x", "cuda:-1", "cuda1", "CUDA"])
def test_names_that_are_no_device(name):
    with pytest.raises(ValueError, match=r"'engine' parameter must be a str among .*'cuda'"):
        make_engine(name)
    with pytest.raises(ValueError, match=r"must be 'cuda' or 'cuda:' and a device number"):
        device.device_number(name)


@pytest.mark.parametrize(
    ("error", "expected", "message"),
    [
        (FakeMemoryError("4 bytes"), NotEnoughMemoryError, r"Graphs must fit .*Toy; .*4 bytes.*Take fewer"),
        (FakeCompileError("syntax"), EngineFailedError, "cannot be compiled for CUDA device 0, Toy: syntax"),
        (FakeError("illegal address"), EngineFailedError, r"Toy, failed: illegal address.*engine='cpu'"),
    ],
)
def test_failures_of_a_device_are_told(monkeypatch, error, expected, message):
    fake_cupy(monkeypatch)
    toy = device.find_device()
    with pytest.raises(expected, match=message), device.on_device(toy, "Graphs", "Take fewer"):
        raise error
