"""The CUDA kernels are compiled by NVRTC, which needs no device."""

import ctypes
import re
from dataclasses import asdict
from functools import cache
from importlib import metadata, resources

import numpy as np
import pytest
from fake_cuda import SHARED, graphs_of_nodes, params

from graphtm.engines.cuda import kernels, structs
from graphtm.engines.cuda.kernels import KERNELS, fixed, generic, source
from graphtm.engines.cuda.plan import Shape, plan_alone, plan_together
from graphtm.engines.cuda.records import Sizes, common_of, heads_of

FIELDS_ARE_CHECKED = "#define FIELDS_ARE_CHECKED\n"  # which takes NVRTC 13.4
# The oldest compiler that kernels are made for with the oldest devices, and a new one with newer devices.
COMPILERS = {"sm_80": "nvidia-cuda-nvrtc-cu12", "sm_90": "nvidia-cuda-nvrtc"}
ARCHITECTURES = [pytest.param("sm_80", marks=pytest.mark.slow), "sm_90"]
PROGRAMS = [pytest.param(name, marks=pytest.mark.slow) if name != "alone" else name for name in KERNELS]


@cache
def nvrtc(package):
    try:
        files = metadata.files(package)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    builtins, compiler = (
        next(str(file.locate()) for file in files if file.name.startswith(f"{name}.so"))
        for name in ("libnvrtc-builtins", "libnvrtc")
    )
    ctypes.CDLL(builtins, ctypes.RTLD_GLOBAL)  # which the compiler would look for elsewhere
    return ctypes.CDLL(compiler)


def skip_unless_fields_can_be_checked():
    nvrtc(COMPILERS["sm_90"])
    version = metadata.version(COMPILERS["sm_90"])
    if tuple(map(int, version.split(".")[:2])) < (13, 4):
        pytest.skip(f"fields can be checked by NVRTC 13.4 and later; {version} is installed")


@cache
def compile_for(architecture, text):
    """Return the machine code, or the compiler's log if it is none. "compute_90" gives PTX, in half of the time."""
    compiler = nvrtc(COMPILERS[architecture.replace("compute_", "sm_")])
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    compiler.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernels.cu", 0, None, None)
    options = [option.encode() for option in (*kernels.OPTIONS, f"--gpu-architecture={architecture}")]
    failed = compiler.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    what = "ProgramLog" if failed else "PTX" if architecture.startswith("compute_") else "CUBIN"
    getattr(compiler, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    result = ctypes.create_string_buffer(size.value)
    getattr(compiler, f"nvrtcGet{what}")(program, result)
    compiler.nvrtcDestroyProgram(ctypes.byref(program))
    return (result.raw.decode(), False) if failed else (result.raw, True)


def test_kernels_of_several_blocks_compile():
    code, compiled = compile_for("compute_90", source("together", generic()))
    assert compiled, code
    for kernel in KERNELS["together"]:
        assert f".entry {kernel}(".encode() in code


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "max_misses", [0, pytest.param(9, marks=pytest.mark.slow), pytest.param(254, marks=pytest.mark.slow)]
)
def test_kernels_compile(program, architecture, max_misses):
    code, compiled = compile_for(architecture, source(program, generic(max_misses)))
    assert compiled, code
    for kernel in KERNELS[program]:
        assert f".text.{kernel}\0".encode() in code


def machine_struct(machine):
    shape = Shape.of(machine)
    struct = np.zeros((), structs.MACHINE)
    values = {"n_outputs": machine.n_outputs, "depth": machine.depth, "n_types": 1, "words": shape.words, "k": 51}
    values["max_misses"] = machine.max_misses
    values |= {"size0": machine.hypervector_size, "half0": shape.half0, "half1": shape.half1, "same_masks": 1, "n": 9}
    for name, value in values.items():
        struct[name] = value
    return struct


def constants_for_digits(program="together", max_misses=0):
    machine, sizes = params(2500, 10, 128, max_misses=max_misses), Sizes(1692, 12, 361, 12, 0)
    if program == "alone":
        launch = plan_alone(machine, sizes, 132, SHARED, for_nodes=False, most_bytes=2**30)
        room = np.zeros((), structs.DESK)
    else:
        launch = plan_together(machine, sizes, 132, SHARED)
        room = np.zeros((), structs.ROOM)
    for name in room.dtype.names:
        if name in asdict(launch):
            room[name] = getattr(launch, name)
    heads = heads_of(graphs_of_nodes(361), params(2500, 10, 64))
    n_blocks = None if program == "alone" else launch.n_blocks
    return fixed(machine_struct(machine), room, common_of(heads), n_blocks, launch.n_threads)


def test_constants_of_a_machine():
    text = constants_for_digits().special
    assert "#define MOST_THREADS 640" in text
    assert re.search(r"fix\(Machine& x\) \{.* x\.half0 = 2; .*x\.k = 51;", text)
    assert re.search(r"fix\(GraphHead& x\) \{.* x\.n_nodes = 361; x\.stride = 12;", text)
    assert not re.search(r"x\.(T|owner_ptr|update_key|at|first|inverse) =", text)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_kernels_for_one_machine_compile_and_are_smaller(program, architecture):
    special, compiled = compile_for(architecture, source(program, constants_for_digits(program).special))
    assert compiled, special
    anything, _ = compile_for(architecture, source(program, generic()))
    assert len(special) < len(anything) * 0.8


@pytest.mark.slow
@pytest.mark.parametrize("program", KERNELS)
def test_kernels_for_one_graded_machine_compile(program):
    constants = constants_for_digits(program, max_misses=9)
    assert "#define GRADED 4" in constants.special
    assert constants.generic == generic(15)
    code, compiled = compile_for("sm_90", source(program, constants.special))
    assert compiled, code


def test_structs_of_both_sides_agree():
    skip_unless_fields_can_be_checked()
    log, compiled = compile_for("sm_90", FIELDS_ARE_CHECKED + source("alone", generic()))
    assert compiled, log


def test_structs_of_both_sides_have_the_same_size(monkeypatch):
    wrong = np.dtype([(name, structs.ROOM[name]) for name in structs.ROOM.names[:-2]], align=True)
    monkeypatch.setitem(structs.BY_NAME, "Room", wrong)
    log, compiled = compile_for("sm_90", source.__wrapped__("alone", generic()))
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
    skip_unless_fields_can_be_checked()
    right = structs.BY_NAME[struct]
    swapped = {one: other, other: one}
    wrong = np.dtype([(swapped.get(name, name), right[name]) for name in right.names], align=True)
    assert wrong.itemsize == right.itemsize
    monkeypatch.setitem(structs.BY_NAME, struct, wrong)
    log, compiled = compile_for("sm_90", FIELDS_ARE_CHECKED + source.__wrapped__("alone", generic()))
    assert not compiled
    differ = re.findall(r"error: static assertion failed with \"(.*)\"", log)
    assert sorted(differ) == sorted(f"__builtin_offsetof({struct}, {name}) differs from structs.py" for name in swapped)


@pytest.mark.parametrize("name", list(kernels._CONSTANTS))
def test_constants_of_both_sides_must_agree(monkeypatch, name):
    value, file = kernels._CONSTANTS[name]
    monkeypatch.setitem(kernels._CONSTANTS, name, (value + 1, file))
    log, compiled = compile_for("sm_90", source.__wrapped__("alone", generic()))
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
