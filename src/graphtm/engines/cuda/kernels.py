"""The kernels: their sources in this package, compiled by NVRTC for the device at hand and kept on disk by CuPy."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from graphtm.engines.cuda import structs

_HEADERS = ("types", "random", "sync", "evaluate", "automata", "messages", "block", "layers", "targets")
_KERNELS = ("learn", "predict", "pack")
OPTIONS = ("--std=c++17",)
NAMES = ("learn", "answer_together", "predict", "pack_graphs", "pack_states", "unpack_states")


@cache
def source(planes_in_shared: bool) -> str:
    """Return the text of all kernels as one program, for machines whose states fit shared memory or do not.

    It is one text, not a file that includes others: the cache on disk is found by the text.
    """
    files = resources.files("graphtm.engines.cuda") / "source"
    names = [f"{name}.cuh" for name in _HEADERS] + [f"{name}.cu" for name in _KERNELS]
    # A struct of another size on the two sides would be read as nonsense.
    sizes = [
        f'static_assert(sizeof({name}) == {struct.itemsize}, "{name} differs from structs.py");'
        for name, struct in structs.BY_NAME.items()
    ]
    defines = [f"#define PLANES_IN_SHARED {int(planes_in_shared)}"]
    return "\n".join([*defines, *((files / name).read_text(encoding="utf-8") for name in names), *sizes])


@cache
def compiled(planes_in_shared: bool, device: int) -> Any:  # noqa: ARG001 -- a module belongs to a device
    """Return the module for the current device, whose number is given; compiled on first use, about ten seconds."""
    import cupy

    return cupy.RawModule(code=source(planes_in_shared), options=OPTIONS, enable_cooperative_groups=True)
