"""The kernels: their sources in this package, compiled by NVRTC for the device at hand and kept on disk by CuPy."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any, Literal, TypeAlias

from graphtm.engines.cuda import structs

Program: TypeAlias = Literal["together", "together_far", "alone"]
_HEADERS = ("types", "random", "sync", "evaluate", "automata", "messages", "block", "layers", "targets")
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
"""Kernels by program: those in which all blocks work together, on automata in shared memory or in global memory, and
those whose blocks work alone."""
OPTIONS = ("--std=c++17",)


@cache
def source(program: Program) -> str:
    """Return the text of a program.

    It is one text, not a file that includes others: the cache on disk is found by the text.
    """
    files = resources.files("graphtm.engines.cuda") / "source"
    names = [f"{name}.cuh" for name in _HEADERS] + [f"{name}.cu" for name in _FILES[program]]
    # A struct of another size on the two sides would be read as nonsense.
    sizes = [
        f'static_assert(sizeof({name}) == {struct.itemsize}, "{name} differs from structs.py");'
        for name, struct in structs.BY_NAME.items()
    ]
    define = f"#define PLANES_IN_SHARED {int(program == 'together')}"
    return "\n".join([define, *((files / name).read_text(encoding="utf-8") for name in names), *sizes])


@cache
def compiled(program: Program, device: int) -> Any:  # noqa: ARG001 -- a module belongs to a device
    """Return a program for the current device, whose number is given; compiled on first use, which takes seconds."""
    import cupy

    return cupy.RawModule(
        code=source(program), options=OPTIONS, enable_cooperative_groups=program.startswith("together")
    )
