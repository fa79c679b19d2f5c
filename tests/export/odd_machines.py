"""Machines for graphs with any names, and graphs as the dicts of JSON lines, for the tests of all exports."""

import json

import numpy as np

from graphtm import codes
from graphtm.graphs.convert.jsonl import _line
from graphtm.model import MachineParams, MachineState, Model


def as_dicts(graphs):
    """Return graphs as ``json.loads`` reads them from a file of ``write_jsonl``."""
    return [json.loads(_line(graph, None)) for graph in graphs]


def machine_for(batch, seed):
    """Return a model with short clauses, of any depth, code and grade, for the vocabulary of a batch."""
    rng = np.random.default_rng(seed)
    vocabulary = batch.vocabulary
    n_clauses, depth = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    n_symbols, stride = len(vocabulary.symbols), max(1, len(vocabulary.edge_types))
    hashed = rng.integers(2, size=2) == 1
    symbol_code = _hashed(rng, n_symbols, n_symbols + 3) if hashed[0] and n_symbols else codes.one_hot(n_symbols)
    message_code = _hashed(rng, n_clauses, 7) if hashed[1] else codes.one_hot(n_clauses, stride)
    params = MachineParams(
        n_outputs=3,
        n_clauses=n_clauses,
        hypervector_size=symbol_code.size,
        message_code=message_code,
        depth=depth,
        max_misses=int(rng.choice([0, 1, 3])),
        n_node_types=len(vocabulary.node_types),
    )
    automata = []
    for layer in range(depth):
        states = np.zeros((n_clauses, 2 * params.layer_size(layer)), np.uint8)
        for clause in range(n_clauses if states.shape[1] else 0):
            states[clause, rng.integers(0, states.shape[1], rng.integers(0, 4))] = 255
        automata.append(states)
    weights = rng.integers(-4, 5, (3, n_clauses)).astype(np.int32)
    return Model(vocabulary, symbol_code, params, MachineState(tuple(automata), weights))


def _hashed(rng, n_owners, size):
    def draw(owner, number):
        return rng.integers(0, 2**32, np.broadcast(owner, number).shape, dtype=np.uint64).astype(np.uint32)

    return codes.random(n_owners, size, 2, draw, distinct=False)
