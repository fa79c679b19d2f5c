"""Metrics by hand: what is chosen, how short it is, whether it matters, whether it is what was planted."""

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import batches

import graphtm as gtm
from graphtm.errors import GraphError
from graphtm.explain import Fidelity, Recovery, fidelity, recovery, sparsity, top_nodes
from graphtm.explain.metrics import _blanked


def test_the_highest_are_chosen_the_first_of_equals():
    scores = [1.0, 1.0, 0.0, -1.0, -3.0]
    assert top_nodes(scores, [3, 2], 1).tolist() == [True, False, False, True, False]
    assert top_nodes(scores, [3, 2], [2, 0]).tolist() == [True, True, False, False, False]
    assert top_nodes(scores, [3, 2], 9).all()


def test_sparsity_is_averaged_over_graphs():
    assert sparsity([True, False, False, False, True, True], [4, 2]) == (0.75 + 0.0) / 2


def test_recovery_judges_graphs_that_have_something_to_find():
    truth = [True, True, False, False, False, False, True]
    assert recovery([3, 2, 1, 9, 9, 9, 0], truth, [3, 2, 2]) == Recovery(0.5, 0.5, 2)
    with pytest.raises(GraphError, match="At least one graph must have nodes of the planted rule; got none"):
        recovery([1.0], [False], [1])
    with pytest.raises(GraphError, match=r"'truth' must have one value for each of the 3 nodes; got shape \(2,\)"):
        recovery([1, 2, 3], [True, False], [3])
    with pytest.raises(GraphError, match=r"'scores' must have one value for each of the 2 nodes; got shape \(3,\)"):
        recovery([1, 2, 3], [True, False], [2])


def test_fidelity_of_a_rule_that_is_known():
    """The class is whether some node carries A; so the nodes that do are what matters."""
    graphs = gtm.GraphBatch.from_arrays(
        [3, 3, 2], np.eye(8, 2, dtype=bool), symbols=["A", "B"], edges=([0, 1, 3], [1, 2, 4])
    )

    def predict(batch):
        return np.array([any("A" in graph.properties(node) for node in graph.nodes) for graph in batch])

    chosen = np.arange(8) == 0
    assert fidelity(predict, graphs, chosen) == Fidelity(1 / 3, 1.0)
    assert fidelity(predict, graphs, ~chosen) == Fidelity(0.0, 2 / 3)
    with pytest.raises(GraphError, match=r"'chosen' must have one value for each of the 8 nodes"):
        fidelity(predict, graphs, [True])


@settings(max_examples=15)
@given(batches(min_size=1))
def test_blank_nodes_have_neither_properties_nor_edges(made):
    graphs, batch = made
    blank = np.arange(batch.n_nodes) % 2 == 0
    changed = _blanked(batch, blank)
    changed.validate()
    first = 0
    for before, after in zip(graphs, changed, strict=True):
        gone = {node for place, node in enumerate(before.nodes) if blank[first + place]}
        first += before.n_nodes
        assert after.nodes == before.nodes
        for node in before.nodes:
            assert set(after.properties(node)) == (set() if node in gone else set(before.properties(node)))
            assert after.node_type(node) == before.node_type(node)
        kept = [edge for edge in before.edges if edge.source not in gone and edge.destination not in gone]
        assert sorted(map(repr, after.edges)) == sorted(map(repr, kept))
