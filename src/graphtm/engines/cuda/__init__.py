"""The CUDA engine: persistent kernels on an NVIDIA device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphtm.engines.kinds import EngineKind

if TYPE_CHECKING:
    from graphtm.engines.cuda.engine import CudaEngine

__all__ = ["KIND", "CudaEngine"]


def _make(name: str, _: int | None) -> CudaEngine:
    from graphtm.engines.cuda.engine import CudaEngine

    return CudaEngine(name)


def _detail(name: str) -> str:
    from graphtm.engines.cuda.device import device_number, find_device

    device = find_device(device_number(name))
    return f"kernels on {device.name}; compiled on first use in up to 20 s, then cached on disk"


def _variants() -> list[dict[str, Any]]:
    """Return variants: one or several blocks, by rows or by nodes, little shared memory, graphs copied in parts."""
    return [
        {},
        {"n_blocks": 1, "rows": "always"},
        {"n_blocks": 3, "rows": "never"},
        {"n_blocks": 5, "rows": "always"},
        {"n_blocks": 2, "shared_bytes": 10_000, "rows": "always"},
        {"n_blocks": 1, "shared_bytes": 10_000, "rows": "never"},
        {"n_blocks": 4, "shared_bytes": 16_000, "part_bytes": 4000},
    ]


KIND = EngineKind(
    names=("cuda", "cuda:1"),
    pattern="cuda(:[0-9]{1,4})?",
    make=_make,
    detail=_detail,
    machine_bytes=lambda _: 0,  # device memory is checked when the machine is loaded
    variants=_variants,
    warmed_up={"special": True},
    detour="cpu",
)


def __getattr__(name: str) -> Any:
    if name == "CudaEngine":
        from graphtm.engines.cuda.engine import CudaEngine

        return CudaEngine
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
