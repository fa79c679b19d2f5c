"""Building graphs call by call, beside the same loops calling empty methods."""

import compat_building
import numpy as np
import pytest

from graphtm.compat.graphs import Graphs


@pytest.mark.parametrize("name", compat_building.WORKLOADS)
def test_the_loops_of_the_benchmark_build_graphs(name):
    loops, _, symbols, size = compat_building.WORKLOADS[name]
    state = np.random.get_state()
    graphs = Graphs(3, size or 128, symbols=symbols, one_hot_encoding=size is None)
    loops(graphs, 3)
    np.random.set_state(state)
    graphs.batch.validate()
    assert len(graphs.batch) == 3
    assert any(graph.properties(node) for graph in graphs.batch for node in graph.nodes)


@pytest.mark.slow
@pytest.mark.parametrize("name", compat_building.LIMITED)
def test_building_takes_at_most_four_times_as_long_as_empty_methods(name):
    assert compat_building.measured(name)["ratio"] <= compat_building.LIMIT
