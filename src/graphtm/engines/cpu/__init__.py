"""The CPU engine: Numba on 64-bit words, bit for bit the oracle."""

from graphtm.engines.cpu.engine import CpuEngine

__all__ = ["CpuEngine"]
