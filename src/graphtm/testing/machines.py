"""Random machines on which engines are compared, including unusual but valid ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import SCHEMES, Code, EncodedBatch, Encoding, encode, message_code, symbol_code
from graphtm.engines import Targets, class_targets, initial_state, label_targets, sparse_targets, value_targets
from graphtm.engines.random import Purpose, code_draws
from graphtm.graphs import GraphBatch
from graphtm.model import MachineParams, MachineState, Model

_SIZES = (1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 127, 128, 129)
_NODES = (1, 1, 2, 3, 5, 9, 31, 33, 63, 64, 65, 70)
LIMIT = 2**31 - 1


@dataclass(frozen=True)
class MachineCase:
    """A machine with its state, graphs (symbolic and encoded) and targets, and the number of epochs to train."""

    name: str
    seed: int
    params: MachineParams
    start: MachineState
    graphs: EncodedBatch
    targets: Targets
    epochs: int
    batch: GraphBatch
    symbol_code: Code

    @property
    def model(self) -> Model:
        """The initial model, with vocabulary and codes."""
        return Model(self.batch.vocabulary, self.symbol_code, self.params, self.start)


_NEGATIONS: dict[str, Any] = {
    "n_clauses": 1100,
    "n_symbols": 700,
    "hashed": False,
    "density": 0.003,
    "negated": 0.2,
    "message_size": 600,
    "n_outputs": 2,
    "s": 3.0,
    "limit": None,
    "max_misses": 0,
}
"""Large teams that include many negations, at nodes that have few of many symbols."""


def random_case(seed: int) -> MachineCase:
    """Return the case for a seed; the same seed always gives the same case."""
    rng = np.random.default_rng(seed)
    return _case(rng, f"machine {seed}", seed)


def wide_cases() -> Iterator[MachineCase]:
    """Yield cases that are each large in one dimension, beyond the word, register and block sizes of engines."""
    wide: list[dict[str, Any]] = [
        *({"nodes": (n,), "n_clauses": 3} for n in (127, 128, 511, 512, 513, 1025)),
        {"nodes": (1,) * 300},
        {"nodes": (1, 700, 2, 65)},
        {"n_clauses": 1000, "depth": 2, "nodes": (2, 5), "n_symbols": 5, "message_size": 64, "n_outputs": 2},
        {"n_outputs": 300, "n_clauses": 8},
        *({"n_symbols": n, "hashed": False, "n_clauses": 3} for n in (511, 512, 513, 1025)),
        {"n_symbols": 0, "hashed": False, "n_edge_types": 2, "depth": 3},
        {"n_symbols": 0, "hashed": False, "nodes": (600,), "n_clauses": 3},
        {"nodes": (5000,), "n_clauses": 3, "depth": 2, "n_edge_types": 2, "n_symbols": 5},
        *({"message_size": n, "depth": 3, "n_clauses": 5, "n_edge_types": 2} for n in (511, 512, 513)),
        {"message_size": 0, "depth": 2, "n_clauses": 8, "n_edge_types": 4100, "nodes": (3, 5)},
        {"message_size": 3, "depth": 3, "n_clauses": 8, "n_edge_types": 20},
        {"nodes": (300,), "star": True, "depth": 3, "n_clauses": 8, "n_edge_types": 40},
        *({"max_misses": m, "nodes": n, "n_clauses": 5} for m, n in ((1, (513, 3)), (9, (65, 700)), (254, (600, 1)))),
        {"max_misses": 5, "n_symbols": 1025, "hashed": False, "n_clauses": 5, "nodes": (1,) * 40},
        {"max_misses": 20, "depth": 3, "n_clauses": 65, "n_edge_types": 2, "message_size": 513, "nodes": (3, 33, 70)},
        {"s": 1e4, "n_clauses": 8},
        {"s": float(2**32), "n_clauses": 8},
        {"depth": 35, "n_clauses": 5, "nodes": (5, 9), "n_edge_types": 2},
        *({**_NEGATIONS, "nodes": nodes, "depth": depth} for nodes, depth in (((9, 70, 3, 600), 1), ((40, 65), 2))),
    ]
    for number, choices in enumerate(wide):
        what = ", ".join(f"{name}={value}" for name, value in choices.items() if value != (1,) * 300)
        yield _case(np.random.default_rng(10**6 + number), f"wide machine {number} ({what})", number, **choices)


def _case(rng: np.random.Generator, name: str, seed: int, **choices: Any) -> MachineCase:
    def choose(what: str, options: Sequence[Any]) -> Any:
        drawn = options[int(rng.integers(len(options)))]
        return choices.get(what, drawn)

    n_symbols = choose("n_symbols", _SIZES)
    n_edge_types = choose("n_edge_types", (0, 1, 2, 3, 7, 20))
    n_clauses = choose("n_clauses", (1, 2, 3, 8, 17, 33, 64, 65))
    n_node_types = int(rng.integers(2, min(4, n_clauses) + 1)) if n_clauses > 1 and rng.random() < 0.3 else 0
    counts = np.array(choices.get("nodes", rng.choice(_NODES, rng.integers(1, 13))))
    graphs = _random_graphs(
        rng, counts, n_symbols, n_edge_types, n_node_types, star="star" in choices, density=choices.get("density")
    )
    draws = code_draws(seed, Purpose.SYMBOL_CODE)
    if choose("hashed", (True, False)):
        symbols = symbol_code(n_symbols, draws, encoding="random", size=choose("size", (40, 64, 65)), bits=2)
    else:
        symbols = symbol_code(n_symbols, draws)
    depth = choose("depth", (1, 1, 2, 2, 3, 4, 6))
    messages = _random_messages(rng, seed, n_clauses, n_edge_types, choices.get("message_size")) if depth > 1 else None
    params = MachineParams(
        n_outputs=choose("n_outputs", (1, 2, 3, 5, 40) if n_clauses < 20 else (1, 2, 3)),
        n_clauses=n_clauses,
        hypervector_size=symbols.size,
        message_code=messages,
        depth=depth,
        T=choose("T", (1, 3, 8, 50, 1000, 2**30 - 1)),
        s=choices.get("s", _random_s(rng, depth)),
        negative_sampling=choose("negative_sampling", ("class", "clause")),
        max_included_literals=choose("limit", (None, None, None, 0, 1, 4, 20)),
        max_misses=choose("max_misses", (0, 0, 0, 0, 1, 2, 3, 5, 9, 20, 254)),
        boost_true_positive=choose("boost", (True, False)),
        state_bits=choose("state_bits", (1, 2, 3, 5, 7, 8, 8, 8)),
        n_node_types=n_node_types,
        seed=int(rng.integers(0, 2**64, dtype=np.uint64)),
    )
    targets = _random_targets(rng, len(counts), params)
    negated = choices.get("negated", 0.0)
    start = _random_state(rng, params, negated) if rng.random() >= 0.3 or negated else initial_state(params)
    epochs = 1 if choices else int(rng.integers(1, 4))
    return MachineCase(name, seed, params, start, encode(graphs, symbols), targets, epochs, graphs, symbols)


def _random_state(rng: np.random.Generator, params: MachineParams, negated: float = 0.0) -> MachineState:
    """Return a state as after long training: saturated automata, a share of negations, large weights, a large step."""
    half, top = 1 << (params.state_bits - 1), (1 << params.state_bits) - 1
    excluded = np.array([0, min(1, half - 1), half - 1], dtype=np.uint8)
    included = np.array([half, max(half, top - 1), top], dtype=np.uint8)
    automata = []
    for layer in range(params.depth):
        shape = (params.n_clauses, 2 * params.layer_size(layer))
        graded = [params.max_misses + 1.0, 3.0 * params.max_misses] if params.max_misses else []
        share = rng.choice([0.0, 0.5, 2.0, *graded]) / max(1, shape[1])
        automata.append(np.where(rng.random(shape) < share, rng.choice(included, shape), rng.choice(excluded, shape)))
        if negated:
            negations = automata[-1][:, params.layer_size(layer) :]
            negations[rng.random(negations.shape) < negated] = half
    weights = rng.choice(np.array([0, 1, -1, 300, -40_000, 2**30, LIMIT, -LIMIT]), (params.n_outputs, params.n_clauses))
    step = int(rng.choice(np.array([0, 5, 2**32 - 3, 2**63], dtype=np.uint64)))
    return MachineState(tuple(automata), weights.astype(np.int32), step)


def _random_s(rng: np.random.Generator, depth: int) -> float | tuple[float, ...]:
    choices = (0.5, 1.0, 1.002, 1.5, 2.2, 3.0, 3.9, 10.0, 25.0, 100.0)
    if rng.random() < 0.7:
        return float(rng.choice(choices))
    return tuple(float(s) for s in rng.choice(choices, depth))


def _random_messages(rng: np.random.Generator, seed: int, n_clauses: int, n_edge_types: int, size: int | None) -> Code:
    """Return a code for the clauses: of this size, one_hot if 0, or of random size and scheme if ``None``."""
    draws = code_draws(seed, Purpose.CLAUSE_CODE)
    encoding: Encoding = rng.choice(SCHEMES if size is None else ["random"])
    if encoding == "one_hot" or size == 0:
        return message_code(n_clauses, n_edge_types, draws, encoding="one_hot")
    if size is None:
        size = int(rng.choice([3, 5, 31, 33, 64, 65, 100, 129]))
    bits = int(rng.integers(1, 4)) if encoding == "random" else 2
    return message_code(n_clauses, n_edge_types, draws, encoding=encoding, size=size, bits=bits)


def _random_graphs(
    rng: np.random.Generator,
    counts: NDArray[np.int64],
    n_symbols: int,
    n_edge_types: int,
    n_node_types: int,
    *,
    star: bool,
    density: float | None,
) -> GraphBatch:
    """Return graphs with single nodes, no edges, self-loops, parallel edges, nodes without symbols; or a large star."""
    n_nodes = int(counts.sum())
    drawn = rng.choice([0.0, 0.05, 0.3, 0.9])
    edge_counts = np.where(rng.random(len(counts)) < 0.2, 0, rng.integers(0, 3 * counts + 1)) * (n_edge_types > 0)
    edge_counts = counts if star else edge_counts
    ends = np.repeat(counts, edge_counts)
    destination = np.zeros_like(ends) if star else rng.integers(0, ends)
    source = np.arange(len(ends)) if star else rng.integers(0, ends)
    edges = (source, destination, rng.integers(0, max(1, n_edge_types), len(ends)))
    batch = GraphBatch.from_arrays(
        counts,
        rng.random((n_nodes, n_symbols)) < (drawn if density is None else density),
        edges=edges,
        edge_types=range(n_edge_types),
        edge_counts=edge_counts,
        node_types=(rng.integers(0, n_node_types, n_nodes), range(n_node_types)) if n_node_types else None,
    )
    if rng.random() < 0.5:
        mask = rng.random(n_nodes) < 0.2
        mask[np.cumsum(counts) - 1] = True
        batch = batch.with_readout(mask)
    return batch


def _random_targets(rng: np.random.Generator, n: int, params: MachineParams) -> Targets:
    n_outputs, T = params.n_outputs, params.T
    weights = None if rng.random() < 0.6 else rng.choice([0.0, 0.3, 1.0, 2.5, 1e6, 1e15], n)
    q = None if rng.random() < 0.5 else float(rng.choice([0.3, 1.0, 2.0, 5.0]))
    kind = rng.choice(["class", "labels", "values", "sparse", "sparse"])
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
    silent = bool(rng.random() < 0.5)
    return sparse_targets(ptr, np.nonzero(listed)[1], values[listed], n_outputs, T, silent=silent, q=q, weights=weights)
