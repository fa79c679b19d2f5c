"""The oracle equals the naive twin: states, weights, outputs, after whole epochs."""

import numpy as np
import pytest
from hypothesis import given, settings
from machines import cases, run_engine, run_twin, twin_arrays

from graphtm.engines.reference import ReferenceEngine


def compare(case):
    state, sums, outputs, at_nodes = run_engine(ReferenceEngine(), case)
    twin = run_twin(case)
    automata, weights = twin_arrays(twin)
    for layer, (mine, theirs) in enumerate(zip(state.automata, automata, strict=True)):
        assert np.array_equal(mine, theirs), f"automata of layer {layer}"
    assert np.array_equal(state.weights, weights)
    assert state.step == twin.step
    graphs = case["graphs"]
    assert outputs.tolist() == [twin.clause_outputs(graph) for graph in graphs]
    assert sums.tolist() == [twin.class_sums(graph) for graph in graphs]
    assert at_nodes.tolist() == [row for graph in graphs for row in twin.node_outputs(graph)]


@given(cases())
def test_oracle_equals_twin(case):
    compare(case)


@pytest.mark.slow
@settings(max_examples=3000)
@given(cases())
def test_oracle_equals_twin_thousands_of_times(case):
    compare(case)
