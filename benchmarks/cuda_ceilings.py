"""What a CUDA device can do at most: logical instructions, words read from shared memory, bytes moved.

    python benchmarks/cuda_ceilings.py

Kernels that do nothing else, on every multiprocessor, the best of five launches. An instruction is one of a warp, as
profilers count them.
"""

from __future__ import annotations

from typing import Any

import typer

_ROUNDS = 20_000
_THREADS = 1024
_SOURCE = r"""
typedef unsigned int u32;
extern "C" __global__ void logic(u32* out, int rounds) {
    u32 a = threadIdx.x, b = blockIdx.x, c = a ^ b, d = a + 7, e = b + 5, f = c + 3, g = d ^ e, h = f + 1;
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            a = (a & b) ^ c; b = (b & c) ^ d; c = (c & d) ^ e; d = (d & e) ^ f;
            e = (e & f) ^ g; f = (f & g) ^ h; g = (g & h) ^ a; h = (h & a) ^ b;
        }
    }
    if ((a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) == 0x1234567u) out[0] = a;
}
extern "C" __global__ void reads(u32* out, int rounds) {
    __shared__ uint4 words[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = make_uint4(i, i + 1, i + 2, i + 3);
    __syncthreads();
    uint4 sum = make_uint4(0, 0, 0, 0);
#pragma unroll 1
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const uint4 w = words[(threadIdx.x + 32 * (i + j)) & 2047];
            sum.x ^= w.x; sum.y ^= w.y; sum.z ^= w.z; sum.w ^= w.w;
        }
    }
    if ((sum.x ^ sum.y ^ sum.z ^ sum.w) == 0x1234567u) out[0] = sum.x;
}
"""


def main() -> None:
    """Measure, and print a line for each."""
    import cupy

    module = cupy.RawModule(code=_SOURCE)
    n_processors = cupy.cuda.Device().attributes["MultiProcessorCount"]
    out = cupy.zeros(1, cupy.uint32)
    per_launch = 8.0 * _ROUNDS * 2 * n_processors * _THREADS
    launch = (2 * n_processors,), (_THREADS,), (out, cupy.int32(_ROUNDS))
    seconds = _best(cupy, lambda: module.get_function("logic")(*launch))
    typer.echo(f"logical instructions of warps: {8 * per_launch / 32 / seconds / 1e12:.2f} million a microsecond")
    seconds = _best(cupy, lambda: module.get_function("reads")(*launch))
    typer.echo(f"read from shared memory: {16 * per_launch / seconds / 1e12:.1f} TB/s")
    source, target = (cupy.zeros(1 << 30, cupy.uint8) for _ in range(2))
    seconds = _best(cupy, lambda: cupy.copyto(target, source))
    typer.echo(f"copied in device memory: {2 * source.nbytes / seconds / 1e12:.2f} TB/s, read and written")


def _best(cupy: Any, work: Any) -> float:
    """Return the seconds of the fastest of five, after one that warms up."""
    times = []
    for _ in range(6):
        first, last = cupy.cuda.Event(), cupy.cuda.Event()
        first.record()
        work()
        last.record()
        last.synchronize()
        times.append(1e-3 * float(cupy.cuda.get_elapsed_time(first, last)))
    return min(times[1:])


if __name__ == "__main__":
    typer.run(main)
