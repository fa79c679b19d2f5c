"""Candidates: names say what is tried, and nothing is tried twice."""

import numpy as np
import pytest

import graphtm as gtm
from graphtm.search.candidates import candidates_for
from graphtm.search.keys import key_of


def rings(has):
    """Return rings of nodes with symbols A, B, ... where (graphs, nodes, symbols) says so."""
    n, size, n_symbols = has.shape
    nodes = np.arange(n * size)
    edges = nodes, nodes // size * size + (nodes + 1) % size, np.zeros(n * size, int)
    symbols = list("ABCDEF")[:n_symbols]
    return gtm.GraphBatch.from_arrays(
        [size] * n, has.reshape(n * size, n_symbols), symbols, edges=edges, edge_types=["next"]
    )


RNG = np.random.default_rng(0)
DATA = {
    "many combinations": rings(RNG.random((20, 6, 6)) < 0.4),
    "few combinations": rings(np.eye(6, dtype=bool)[RNG.integers(6, size=(20, 8))]),
    "no edges": gtm.GraphBatch.from_arrays([2, 2], [[1, 0], [0, 1]] * 2, ["a", "b"]),
    "no symbols": gtm.GraphBatch.from_arrays([2, 2], np.zeros((4, 0)), [], edges=([0], [1], [0]), edge_types=["e"]),
    "single nodes": gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], ["a", "b"]),
    "texts": ["a b", "b c"],
    "table": np.ones((2, 2)),
}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("given", [{}, dict(depth=1), dict(depth=2), dict(depth=3), dict(max_misses=0)])
def test_nothing_is_tried_twice_and_names_are_true(data, given):
    candidates = candidates_for(DATA[data], given)
    pipelines = [candidate.pipeline(False, given) for candidate in candidates]
    assert len({candidate.name for candidate in candidates}) == len(candidates)
    assert len({key_of(pipeline) for pipeline in pipelines}) == len(candidates)
    for candidate, pipeline in zip(candidates, pipelines, strict=True):
        depth = pipeline[-1].depth
        if "depth" in candidate.name:
            assert candidate.name.startswith(f"nodes, depth {depth}")
            assert ("messages" in candidate.representation.reason) == (depth > 1)


def test_the_recommended_nodes_have_the_given_depth():
    graphs = DATA["many combinations"]
    names = {depth: [one.name for one in candidates_for(graphs, {"depth": depth})] for depth in (1, 2, 3)}
    for depth, found in names.items():
        assert found[:2] == [f"nodes, depth {depth}", f"nodes, depth {depth}, exact"]
        assert sum(name.startswith("nodes, depth") for name in found) == 2
    suggestion = gtm.suggest(graphs, [0, 1] * 10, seconds=0, depth=1, n_clauses=4, epochs=1)
    assert suggestion.representation == "nodes, depth 1"
    assert "messages" not in suggestion.reasons["representation"]
