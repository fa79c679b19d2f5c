"""Tiny stand-ins for TU datasets: triangles and paths of three nodes."""

from archives import write, zipped

from graphtm.experiments.graph_benchmarks_data import SETS

N_GRAPHS = 30
TRIANGLE, PATH = [(1, 2), (2, 1), (2, 3), (3, 2), (1, 3), (3, 1)], [(1, 2), (2, 1), (2, 3), (3, 2)]


def molecules(name, n=N_GRAPHS):
    """Return the zip file of a TU dataset with two labels of nodes; triangles are the graphs of class 1."""
    edges = [(3 * k + u, 3 * k + v) for k in range(n) for u, v in (TRIANGLE if k % 2 else PATH)]
    files = {
        "A": "".join(f"{u}, {v}\n" for u, v in edges),
        "graph_indicator": "".join(f"{1 + node // 3}\n" for node in range(3 * n)),
        "graph_labels": "".join(f"{k % 2}\n" for k in range(n)),
        "node_labels": "".join(f"{5 + node % 2}\n" for node in range(3 * n)),
        "node_attributes": "0.5\n" * 3 * n,
    }
    return zipped({f"{name}_{part}.txt": text.encode() for part, text in files.items()})


def tu(folder):
    """Write a zip file for each of the sets."""
    for name in SETS:
        write(folder / f"{name}.zip", molecules(name))
