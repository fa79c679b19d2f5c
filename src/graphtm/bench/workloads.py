"""Machines and graphs for timing engines; all data is generated, except MNIST if its folder is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch, encode, message_code, symbol_code
from graphtm.datasets import load_mnist
from graphtm.encoders import ImagePatches
from graphtm.engines import Targets, class_targets, label_targets
from graphtm.engines.random import Purpose, code_draws
from graphtm.graphs import GraphBatch
from graphtm.model import MachineParams

SEED = 42
INK = 75
"""Grey level above which a pixel of MNIST is set."""


@dataclass(frozen=True)
class Workload:
    """A machine, and graphs for training and prediction.

    Parameters
    ----------
    name, detail
        Name and description.
    params
        Parameters of the machine.
    train, targets, test
        Encoded training graphs, their targets, and encoded test graphs.
    examples
        Number of examples per timed run.
    """

    name: str
    detail: str
    params: MachineParams
    train: EncodedBatch
    targets: Targets
    test: EncodedBatch
    examples: int


def workloads(data: Path | None = None) -> dict[str, Callable[[], Workload]]:
    """Return functions that make the workloads, by name.

    Parameters
    ----------
    data
        Folder that contains ``mnist/``. If None, similar digits are drawn.
    """
    return {
        "noisy-xor": noisy_xor,
        "multivalue-xor": multivalue_xor,
        "chain": chain,
        "mnist": lambda: mnist(data),
        "mnist-graded": lambda: mnist_graded(data),
        "random-graphs": random_graphs,
        "many-labels": many_labels,
        "whole-graph": whole_graph,
    }


def noisy_xor() -> Workload:
    """Make pairs of connected nodes with one bit each; the class is their exclusive or, with 1 % noise."""
    return _xor("noisy-xor", "10 clauses, H=32, M=256, depth 2", 2, 5000, n_clauses=10, H=32, M=256, T=10, s=3.0)


def multivalue_xor() -> Workload:
    """Make pairs of connected nodes with one of a hundred values each; the class is the parity of their sum."""
    detail = "1,000 clauses, H=M=2048, depth 2"
    return _xor("multivalue-xor", detail, 100, 20_000, n_clauses=1000, H=2048, M=2048, T=10_000, s=2.2)


def _xor(name: str, detail: str, values: int, n: int, *, n_clauses: int, H: int, M: int, T: int, s: float) -> Workload:
    rng = np.random.default_rng(SEED)
    x = rng.integers(0, values, (n, 2))
    y = x.sum(axis=1) % 2 ^ (rng.random(n) < 0.01)
    nodes = np.arange(2 * n)
    graphs = GraphBatch.from_arrays(np.full(n, 2), (nodes, x.ravel()), range(values), edges=(nodes, nodes ^ 1))
    return _workload(name, detail, graphs, y, 2, H=H, M=M, n_clauses=n_clauses, T=T, s=s, depth=2, examples=1000)


def chain() -> Workload:
    """Make chains of 498 triplets over four letters, with motifs of five classes."""
    rng = np.random.default_rng(SEED)
    n = 2000
    y = rng.integers(0, 5, n)
    letters = rng.integers(0, 4, (n, 500))
    motifs = rng.integers(0, 4, (5, 3, 12))
    for graph in range(n):
        for place in rng.integers(0, 488, 6):
            letters[graph, place : place + 12] = motifs[y[graph], rng.integers(3)]
    triplets = letters[:, :-2] * 16 + letters[:, 1:-1] * 4 + letters[:, 2:]
    nodes = np.arange(n * 498).reshape(n, 498)
    right = (nodes[:, :-1].ravel(), nodes[:, 1:].ravel())
    both = (np.concatenate(right), np.concatenate(right[::-1]), np.repeat([0, 1], len(right[0])))
    graphs = GraphBatch.from_arrays(
        np.full(n, 498),
        (nodes.ravel(), triplets.ravel()),
        range(64),
        edges=both,
        edge_types=["right", "left"],
    )
    detail = "498 nodes, 2,000 clauses, H=M=512, depth 2, 5 classes"
    return _workload(
        "chain", detail, graphs, y, 5, H=512, M=512, n_clauses=2000, T=2000, s=1.0, depth=2, examples=300, limit=200
    )


def mnist(data: Path | None = None) -> Workload:
    """Make digits as 361 patches of 10 x 10 pixels; drawn ones if ``data`` is None."""
    graphs, y, kind = _patches(data)
    detail = f"361 patches of {kind} digits, 2,500 clauses, H=128, depth 1, 10 classes"
    return _workload("mnist", detail, graphs, y, 10, H=128, M=None, n_clauses=2500, T=3125, s=10.0, depth=1)


def mnist_graded(data: Path | None = None) -> Workload:
    """Make the digits of :func:`mnist` for a tenth of the clauses, graded."""
    graphs, y, kind = _patches(data)
    detail = f"361 patches of {kind} digits, 250 clauses with up to 9 misses, H=128, depth 1, 10 classes"
    return _workload(
        "mnist-graded",
        detail,
        graphs,
        y,
        10,
        H=128,
        M=None,
        n_clauses=250,
        T=1250,
        s=500.0,
        depth=1,
        limit=60,
        max_misses=9,
    )


def _patches(data: Path | None) -> tuple[GraphBatch, NDArray[np.int64], str]:
    """Return the patches of digits, their classes, and whether the digits are real or drawn."""
    if data is None:
        images, y = drawn_digits(5000, SEED)
        return ImagePatches().fit_transform(images), y, "drawn"
    grey, y = load_mnist(data_home=data, download=False)
    return ImagePatches().fit_transform(grey[:5000] > INK), y[:5000], "real"


def drawn_digits(n: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return images (n, 28, 28) of drawn digits and their classes, with as many set pixels as MNIST.

    Each of the ten classes is a stroke through five points, which are moved a little in each image.
    """
    rng = np.random.default_rng(seed)
    kinds = rng.uniform(5, 23, (10, 5, 2))
    y = rng.integers(0, 10, n)
    points = kinds[y] + rng.normal(0, 1.5, (n, 5, 2))
    steps = np.linspace(0, 1, 24)[:, None]
    path = np.concatenate([points[:, i, None] * (1 - steps) + points[:, i + 1, None] * steps for i in range(4)], axis=1)
    images = np.zeros((n, 28, 28), np.bool_)
    for offset in np.ndindex(3, 3):
        place = np.clip(np.rint(path).astype(int) + np.array(offset) - 1, 0, 27)
        images[np.arange(n)[:, None], place[..., 0], place[..., 1]] = True
    return images, y


def random_graphs() -> Workload:
    """Make random graphs; class 1 has more edges of type 0 from nodes with symbol 0 to nodes with symbol 1."""
    rng = np.random.default_rng(SEED)
    n, size, degree = 400, 1000, 8
    y = rng.integers(0, 2, n)
    n_edges = n * size * degree
    graph = np.repeat(np.arange(n), size * degree)
    source = graph * size + rng.integers(0, size, n_edges)
    destination = graph * size + rng.integers(0, size, n_edges)
    kind = rng.integers(0, 12, n_edges)
    symbols = rng.integers(0, 64, n * size)
    marked = (y[graph] == 1) & (rng.random(n_edges) < 0.005)
    symbols[source[marked]], symbols[destination[marked]], kind[marked] = 0, 1, 0
    graphs = GraphBatch.from_arrays(
        np.full(n, size),
        (np.arange(n * size), symbols),
        range(64),
        edges=(source, destination, kind),
        edge_types=range(12),
    )
    detail = "1,000 nodes, degree 8, 12 edge types, 500 clauses, H=M=512, depth 3"
    return _workload(
        "random-graphs", detail, graphs, y, 2, H=512, M=512, n_clauses=500, T=500, s=5.0, depth=3, examples=100
    )


def many_labels() -> Workload:
    """Make sets of twenty symbols with three of 4,000 labels each."""
    rng = np.random.default_rng(SEED)
    n, n_labels = 3000, 4000
    symbols = rng.integers(0, 500, (n, 20))
    indicator = np.zeros((n, n_labels), np.bool_)
    for k in range(3):
        indicator[np.arange(n), (symbols[:, k] * 8 + symbols[:, k + 3] % 8) % n_labels] = True
    graphs = GraphBatch.from_arrays(np.full(n, 20), (np.arange(n * 20), symbols.ravel()), range(500))
    params, train, test = _machine(graphs, n_labels, H=512, M=None, n_clauses=4000, T=1000, s=5.0, depth=1)
    detail = "4,000 labels, 4,000 clauses, 20 nodes, H=512, depth 1"
    targets = label_targets(indicator[: len(indicator) * 4 // 5], params.T)
    return Workload("many-labels", detail, params, train, targets, test, 200)


def whole_graph() -> Workload:
    """Make graphs of one node with about 40 of 2,500 symbols, a tenth of which are more frequent in one class."""
    rng = np.random.default_rng(SEED)
    n, n_symbols = 5000, 2500
    y = rng.integers(0, 2, n)
    # Few symbols are frequent and most are rare, as words are.
    frequency = np.arange(1, n_symbols + 1) ** -0.8
    lean = np.where(rng.random(n_symbols) < 0.1, rng.choice([-1, 1], n_symbols), 0)
    shares = frequency * 1.6 ** (np.array([[-1], [1]]) * lean)
    shares = np.minimum(40 * shares / shares.sum(axis=1, keepdims=True), 0.9)
    has = rng.random((n, n_symbols)) < shares[y]
    graphs = GraphBatch.from_arrays(np.ones(n, np.int64), has)
    detail = "1 node, 2,500 symbols, 200 clauses with up to 9 misses, depth 1, 2 classes"
    return _workload(
        "whole-graph",
        detail,
        graphs,
        y,
        2,
        H=None,
        M=None,
        n_clauses=200,
        T=1000,
        s=500.0,
        depth=1,
        limit=100,
        max_misses=9,
    )


def _workload(
    name: str,
    detail: str,
    graphs: GraphBatch,
    y: NDArray[np.int64],
    n_classes: int,
    *,
    T: int,
    examples: int = 800,
    **machine: Any,
) -> Workload:
    params, train, test = _machine(graphs, n_classes, T=T, **machine)
    targets = class_targets(y[: len(y) * 4 // 5].astype(np.int64), n_classes, T)
    return Workload(name, detail, params, train, targets, test, examples)


def _machine(
    graphs: GraphBatch,
    n_outputs: int,
    *,
    H: int | None,
    M: int | None,
    n_clauses: int,
    T: int,
    s: float,
    depth: int,
    limit: int | None = None,
    max_misses: int = 0,
) -> tuple[MachineParams, EncodedBatch, EncodedBatch]:
    """Return a machine with random codes, and the encoded graphs: four fifths for training, the rest for tests.

    Without ``H``, each symbol has a bit of its own.
    """
    vocabulary = graphs.vocabulary
    symbols = symbol_code(
        len(vocabulary.symbols),
        code_draws(SEED, Purpose.SYMBOL_CODE),
        encoding="one_hot" if H is None else "random",
        size=H,
    )
    messages = None
    if M is not None:
        draws = code_draws(SEED, Purpose.CLAUSE_CODE)
        messages = message_code(n_clauses, len(vocabulary.edge_types), draws, encoding="random", size=M)
    params = MachineParams(
        n_outputs=n_outputs,
        n_clauses=n_clauses,
        hypervector_size=symbols.size,
        message_code=messages,
        depth=depth,
        T=T,
        s=s,
        negative_sampling="class" if n_outputs > 32 else "clause",
        max_included_literals=limit,
        max_misses=max_misses,
        seed=SEED,
    )
    split = len(graphs) * 4 // 5
    return params, encode(graphs[:split], symbols), encode(graphs[split:], symbols)
