"""Time and memory of creating, encoding, indexing, saving and loading graphs.

    python benchmarks/graph_speed.py [--repeats 3] [--json FILE]

Prints median seconds and the peak memory that the work itself allocates. `make bench-graphs` runs it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measurements import Measurement, measure, parser, report

from graphtm.codes import encode, symbol_code
from graphtm.engines.random import Purpose, code_draws
from graphtm.graphs import GraphBatch, load_graphs


def patch_arrays(n_images: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return node counts and properties like those of MNIST patches.

    There are 361 nodes per image, for 10 x 10 patches at 19 x 19 positions, and 138 symbols: 19 rows, 19 columns, 100
    pixels.
    """
    rng = np.random.default_rng(seed)
    places = np.arange(361)
    properties = np.zeros((n_images, 361, 138), dtype=np.bool_)
    properties[:, places, places // 19] = True
    properties[:, places, 19 + places % 19] = True
    properties[:, :, 38:] = rng.random((n_images, 361, 100), dtype=np.float32) < 0.2
    return np.full(n_images, 361), properties.reshape(-1, 138)


def network_arrays(n_nodes: int, n_edges: int, n_graphs: int, seed: int = 0) -> dict[str, Any]:
    """Return arrays of random graphs with 8 edge types and three of 5,000 symbols per node."""
    rng = np.random.default_rng(seed)
    size = n_nodes // n_graphs
    graph = rng.integers(0, n_graphs, n_edges)
    return {
        "node_counts": np.full(n_graphs, size),
        "properties": (np.repeat(np.arange(n_graphs * size), 3), rng.integers(0, 5000, 3 * n_graphs * size)),
        "symbols": [f"symbol {number}" for number in range(5000)],
        "edges": (
            graph * size + rng.integers(0, size, n_edges),
            graph * size + rng.integers(0, size, n_edges),
            rng.integers(0, 8, n_edges),
        ),
        "edge_types": [f"type {number}" for number in range(8)],
    }


def measure_graphs(
    repeats: int = 3,
    n_images: int = 1000,
    n_nodes: int = 1_000_000,
    n_edges: int = 5_000_000,
    n_graphs: int = 1000,
) -> Iterator[Measurement]:
    """Yield the measurements."""
    counts, properties = patch_arrays(n_images)
    yield measure(
        f"from_arrays: {n_images:,} images of 361 patches, 138 symbols",
        lambda: GraphBatch.from_arrays(counts, properties).pack().nbytes,
        repeats,
    )
    patches = GraphBatch.from_arrays(counts, properties)
    code = symbol_code(138, code_draws(0, Purpose.SYMBOL_CODE), encoding="random", size=128)
    yield measure("encode: the same into 128-bit hypervectors", lambda: encode(patches, code).bits.nbytes, repeats)
    arrays = network_arrays(n_nodes, n_edges, n_graphs)
    yield measure(
        f"from_arrays: {n_graphs:,} graphs, {n_nodes:,} nodes, {n_edges:,} edges",
        lambda: GraphBatch.from_arrays(**arrays).pack().nbytes,
        repeats,
    )
    network = GraphBatch.from_arrays(**arrays)
    n_bytes = network.pack().nbytes
    order = np.random.default_rng(1).permutation(len(network))
    yield measure("index: the same, in another order", lambda: network[order].pack().nbytes, repeats)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.gtmg"
        network.save(path)
        yield measure("save: the same", lambda: _saved(network, path), repeats)
        yield measure("load: the same, verified", lambda: load_graphs(path).pack().nbytes, repeats)
        yield measure(
            "load: the same, memory-mapped, not verified",
            lambda: n_bytes if load_graphs(path, mmap=True, verify=False) else 0,
            repeats,
        )


def _saved(batch: GraphBatch, path: Path) -> int:
    batch.save(path)
    return path.stat().st_size


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--repeats", type=int, default=3, help="number of timed runs (default: %(default)s)")
    given = options.parse_args()
    report("graphs", "peak memory,\nof the work", measure_graphs(given.repeats), given.json)


if __name__ == "__main__":
    main()
