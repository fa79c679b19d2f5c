"""Random machines with everything that is legal and odd: the cases on which engines are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtm.codes import Code, EncodedBatch, Encoding, encode, message_code, symbol_code
from graphtm.engines import Targets, class_targets, label_targets, sparse_targets, value_targets
from graphtm.engines.random import Purpose, code_draws
from graphtm.graphs import GraphBatch
from graphtm.model import MachineParams

_SIZES = (1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 128, 129)
_NODES = (1, 1, 2, 3, 5, 9, 31, 33, 63, 64, 65, 70)


@dataclass(frozen=True)
class MachineCase:
    """A machine, its graphs and targets, and how many epochs to train."""

    seed: int
    params: MachineParams
    graphs: EncodedBatch
    targets: Targets
    epochs: int


def random_case(seed: int) -> MachineCase:
    """Return the case with this number; the same number always gives the same case."""
    rng = np.random.default_rng(seed)
    n_symbols = int(rng.choice(_SIZES))
    n_edge_types = int(rng.choice([0, 1, 2, 3, 7]))
    n_clauses = int(rng.choice([1, 2, 3, 8, 17, 33, 64, 65]))
    n_node_types = int(rng.integers(2, min(4, n_clauses) + 1)) if n_clauses > 1 and rng.random() < 0.3 else 0
    graphs = _random_graphs(rng, n_symbols, n_edge_types, n_node_types)
    draws = code_draws(seed, Purpose.SYMBOL_CODE)
    hashed = rng.random() < 0.5
    symbols = (
        symbol_code(n_symbols, draws, encoding="random", size=int(rng.choice([40, 64, 65])), bits=2)
        if hashed
        else symbol_code(n_symbols, draws)
    )
    depth = int(rng.choice([1, 1, 2, 2, 3, 4, 6]))
    params = MachineParams(
        n_outputs=int(rng.choice([1, 2, 3, 5, 40] if n_clauses < 20 else [1, 2, 3])),
        n_clauses=n_clauses,
        hypervector_size=symbols.size,
        message_code=_random_messages(rng, seed, n_clauses, n_edge_types) if depth > 1 else None,
        depth=depth,
        T=int(rng.choice([1, 3, 8, 50, 1000, 2**30 - 1])),
        s=_random_s(rng, depth),
        negative_sampling="class" if rng.random() < 0.5 else "clause",
        max_included_literals=None if rng.random() < 0.6 else int(rng.choice([0, 1, 4, 20])),
        boost_true_positive=bool(rng.random() < 0.5),
        state_bits=int(rng.choice([1, 2, 3, 5, 7, 8, 8, 8])),
        n_node_types=n_node_types,
        seed=int(rng.integers(0, 2**64, dtype=np.uint64)),
    )
    targets = _random_targets(rng, graphs.shape[0], params)
    return MachineCase(seed, params, encode(graphs, symbols), targets, epochs=int(rng.integers(1, 4)))


def _random_s(rng: np.random.Generator, depth: int) -> float | tuple[float, ...]:
    choices = (0.5, 1.0, 1.002, 1.5, 2.2, 3.0, 3.9, 10.0, 25.0, 100.0)
    if rng.random() < 0.7:
        return float(rng.choice(choices))
    return tuple(float(s) for s in rng.choice(choices, depth))


def _random_messages(rng: np.random.Generator, seed: int, n_clauses: int, n_edge_types: int) -> Code:
    draws = code_draws(seed, Purpose.CLAUSE_CODE)
    encoding: Encoding = rng.choice(["one_hot", "random", "double_hashing"])
    if encoding == "one_hot":
        return message_code(n_clauses, n_edge_types, draws, encoding="one_hot")
    size = int(rng.choice([3, 5, 31, 33, 64, 65, 100, 129]))
    bits = int(rng.integers(1, 4)) if encoding == "random" else 2
    return message_code(n_clauses, n_edge_types, draws, encoding=encoding, size=size, bits=bits)


def _random_graphs(rng: np.random.Generator, n_symbols: int, n_edge_types: int, n_node_types: int) -> GraphBatch:
    """Return 1 to 12 graphs: single nodes, no edges, self-loops, parallel edges, nodes without properties."""
    counts = rng.choice(_NODES, rng.integers(1, 13))
    n_nodes = int(counts.sum())
    density = rng.choice([0.0, 0.05, 0.3, 0.9])
    edge_counts = np.where(rng.random(len(counts)) < 0.2, 0, rng.integers(0, 3 * counts + 1)) * (n_edge_types > 0)
    ends = np.repeat(counts, edge_counts)
    edges = (rng.integers(0, ends), rng.integers(0, ends), rng.integers(0, max(1, n_edge_types), len(ends)))
    batch = GraphBatch.from_arrays(
        counts,
        rng.random((n_nodes, n_symbols)) < density,
        edges=edges,
        edge_types=range(n_edge_types),
        edge_counts=edge_counts,
        node_types=(rng.integers(0, n_node_types, n_nodes), range(n_node_types)) if n_node_types else None,
    )
    if rng.random() < 0.3:
        mask = rng.random(n_nodes) < 0.4
        mask[np.cumsum(counts) - 1] = True
        batch = batch.with_readout(mask)
    return batch


def _random_targets(rng: np.random.Generator, n: int, params: MachineParams) -> Targets:
    n_outputs, T = params.n_outputs, params.T
    weights = None if rng.random() < 0.6 else rng.choice([0.0, 0.3, 1.0, 2.5, 1e6, 1e15], n)
    q = None if rng.random() < 0.5 else float(rng.choice([0.3, 1.0, 2.0, 5.0]))
    kind = rng.choice(["class", "labels", "values", "sparse"])
    if kind == "class":
        return class_targets(rng.integers(0, n_outputs, n), n_outputs, T, q, weights)
    if kind == "labels":
        return label_targets(rng.random((n, n_outputs)) < 0.3, T, q, weights)
    values = rng.integers(-T, T + 1, (n, n_outputs))
    values = np.where(rng.random(values.shape) < 0.3, rng.choice([-T, T], values.shape), values)
    if kind == "values":
        return value_targets(values, T, weights)
    listed = rng.random((n, n_outputs)) < 0.4
    ptr = np.concatenate([[0], np.cumsum(listed.sum(axis=1))])
    return sparse_targets(
        ptr, np.nonzero(listed)[1], values[listed], T, silent=bool(rng.random() < 0.5), weights=weights
    )
