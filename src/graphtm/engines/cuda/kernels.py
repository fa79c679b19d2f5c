"""The kernels: sources in this package, compiled by NVRTC for the device and cached on disk by CuPy."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, NamedTuple, TypeAlias

from numpy.typing import NDArray

from graphtm.engines.announce import announced
from graphtm.engines.cuda import structs
from graphtm.engines.cuda.device import Device
from graphtm.engines.cuda.plan import ENTRY_WORDS, GROUP_WORDS, MOST_THREADS, PLANES, counter_planes
from graphtm.engines.cuda.records import ONE_WORD, TWO_WORDS
from graphtm.engines.targets import ALWAYS
from graphtm.errors import EngineFailedError

_LOG = logging.getLogger(__name__)
Program: TypeAlias = Literal["together", "together_far", "alone"]
_HEADERS = ("random", "sync", "evaluate", "automata", "messages", "block", "graded", "layers", "focus", "targets")
_FILES: dict[Program, tuple[str, ...]] = {
    "together": ("learn",),
    "together_far": ("learn",),
    "alone": ("predict", "pack"),
}
KERNELS: dict[Program, tuple[str, ...]] = {
    "together": ("learn", "answer_together"),
    "together_far": ("learn", "answer_together"),
    "alone": ("predict", "pack_graphs", "pack_states", "unpack_states"),
}
"""Kernels by program: all blocks share a graph, with automata in shared or in global memory; or each block has its own
graph."""
# NVRTC 12 takes lambdas within templates for host functions unless device code is the default.
OPTIONS = ("--std=c++17", "--device-as-default-execution-space")
_MOST_PROGRAMS = 64  # kept in memory; all are cached on disk
_COUNTED = """#define ANY_MACHINE {any_machine}
#define GRADED {graded}
#define MOST_THREADS {most_threads}
__device__ __forceinline__ int n_threads() {{ return {n_threads}; }}
__device__ __forceinline__ int n_blocks() {{ return {n_blocks}; }}
template <class T> __device__ __forceinline__ void fix(T&) {{}}"""
# These vary between models or batches, and kernels are no faster if they are constants.
_FREE = frozenset({"T", "limit", "n_clauses", "at", "first"})


class Constants(NamedTuple):
    """Source texts that specialise a program for one machine, or only for machines graded like it."""

    special: str
    generic: str


def generic(max_misses: int = 0) -> str:
    """Return source text for any machine that is not graded, or whose counters of misses have up to 4 or 8 bits."""
    planes = next(n for n in (0, 4, 8) if counter_planes(max_misses) <= n)
    counts = {"most_threads": MOST_THREADS, "n_threads": "blockDim.x", "n_blocks": "gridDim.x"}
    return _COUNTED.format(any_machine=1, graded=planes, **counts)


# Constants that are defined both in Python and in CUDA: their values, and the Python files that define them.
_CONSTANTS = {
    "PLANES": (PLANES, "plan.py"),
    "sizeof(Entry)": (4 * ENTRY_WORDS, "plan.py"),
    "ONE_WORD": (ONE_WORD, "records.py"),
    "TWO_WORDS": (TWO_WORDS, "records.py"),
    "ALWAYS": (ALWAYS, "targets.py"),
}


def fixed(
    machine: NDArray[Any], room: NDArray[Any], common: Mapping[str, int], n_blocks: int | None, n_threads: int
) -> Constants:
    """Return source texts that specialise a program for one machine: its numbers become constants.

    Parameters
    ----------
    machine, room
        The structs that are passed to the kernel. Their numbers must not change later; the arrays may.
    common
        Fields of heads that are the same for all graphs.
    n_blocks, n_threads
        Numbers of blocks and threads of the launch; ``None`` if the number of blocks may change.
    """
    max_misses = int(machine["max_misses"])
    counted = _COUNTED.format(
        any_machine=0,
        graded=counter_planes(max_misses),
        most_threads=n_threads,
        n_threads=n_threads,
        n_blocks=n_blocks or "gridDim.x",
    )
    parts = [
        _fix("Machine", {name: machine[name] for name in (*_numbers(machine), "k")}),
        _fix("Room" if room.dtype == structs.ROOM else "Desk", {name: room[name] for name in _numbers(room)}),
        _fix("GraphHead", {name: value for name, value in common.items() if name not in _FREE}),
    ]
    return Constants("\n".join([counted, *parts]), generic(max_misses))


def _numbers(struct: NDArray[Any]) -> list[str]:
    """Return the names of integer fields to fix; pointers and keys are unsigned and left out."""
    fields: Any = struct.dtype.fields
    return [name for name, field in fields.items() if field[0].kind == "i" and name not in _FREE]


def _fix(struct: str, values: Mapping[str, Any]) -> str:
    body = " ".join(f"x.{name} = {int(value)};" for name, value in values.items())
    return f"__device__ __forceinline__ void fix({struct}& x) {{ {body} }}"


@lru_cache(_MOST_PROGRAMS)
def source(program: Program, constants: str) -> str:
    """Return the source of a program, with the constants from :func:`fixed` or :func:`generic`.

    It is a single text without includes, since the cache on disk is keyed by the text.
    """
    files = resources.files("graphtm.engines.cuda") / "source"
    names = [f"{name}.cuh" for name in _HEADERS] + [f"{name}.cu" for name in _FILES[program]]
    define = f"#define PLANES_IN_SHARED {int(program == 'together')}"
    texts = [(files / name).read_text(encoding="utf-8") for name in ("types.cuh", *names)]
    return "\n".join([define, texts[0], constants, *texts[1:], *_agreed()])


def _agreed() -> list[str]:
    """Return static assertions that Python and CUDA define the same constants and structs."""
    alike = dict(_CONSTANTS)
    offsets: dict[str, tuple[int, str]] = {}
    for name, struct in structs.BY_NAME.items():
        fields: Any = struct.fields
        alike[f"sizeof({name})"] = (struct.itemsize, "structs.py")
        offsets |= {f"__builtin_offsetof({name}, {field})": (fields[field][1], "structs.py") for field in fields}
    return [
        f'static_assert(sizeof(Group) <= {4 * GROUP_WORDS}, "plan.py gives Group too little room");',
        *_asserted(alike),
        "#ifdef FIELDS_ARE_CHECKED",  # by tests: only recent compilers support this
        *_asserted(offsets),
        "#endif",
    ]


def _asserted(alike: Mapping[str, tuple[int, str]]) -> list[str]:
    return [f'static_assert({here} == {there}, "{here} differs from {file}");' for here, (there, file) in alike.items()]


@lru_cache(_MOST_PROGRAMS)
def compiled(program: Program, device: Device, constants: str) -> Any:
    """Return a program for ``device``, which must be current; compiling it on first use takes seconds."""
    import cupy

    module = cupy.RawModule(
        code=source(program, constants), options=OPTIONS, enable_cooperative_groups=program.startswith("together")
    )
    with announced(_LOG, "Compiling CUDA kernels. This takes up to 20 seconds; the result is cached on disk."):
        try:
            module.compile()
        except (OSError, cupy.cuda.compiler.CompileException) as error:
            raise EngineFailedError(
                f"Kernels cannot be compiled for CUDA device {device.number}, {device.name}, or cannot be cached on "
                f"disk: {error}. If the cache folder is the reason, set the environment variable CUPY_CACHE_DIR to a "
                "writable folder; or use engine='cpu'."
            ) from error
    for name in KERNELS[program]:
        # Set once for all launches: threads that each set their own value would interfere with each other.
        module.get_function(name).max_dynamic_shared_size_bytes = device.shared_bytes
    return module
