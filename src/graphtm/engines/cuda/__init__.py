"""The CUDA engine: persistent kernels on an NVIDIA device."""

from graphtm.engines.cuda.engine import CudaEngine

__all__ = ["CudaEngine"]
