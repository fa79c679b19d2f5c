"""What exported C headers say of small graphs, worked out by hand, and of graphs that are not valid."""

import re

import pytest
from export.by_hand import TINY, graph
from export.compiled import Compiled, needs_cc

from graphtm.export import c_header_text

pytestmark = needs_cc


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return Compiled(tmp_path_factory.mktemp("tiny"), TINY)


def test_messages_are_shifted_by_the_edge_type(tiny):
    graphs = [graph([0], [1], edges=[(0, 1, edge_type)]) for edge_type in range(7)]
    assert tiny.run("shift", graphs)[1][:, 0].tolist() == [100, 1_000, 10_000, 1, 10, 100, 1_000]


def test_edges_have_a_direction_and_may_be_parallel_or_loops(tiny):
    assert tiny.run("shift", [graph([0], [1], edges=[(1, 0, 0)])])[1].item() == 0
    assert tiny.run("shift", [graph([0], [1], edges=[(0, 1, 0), (0, 1, 0), (0, 1, 1)])])[1].item() == 1_100
    loop = graph([0, 1], edges=[(0, 0, 2)])  # C1 to C5 are true at layer 0, and send bit 0
    assert tiny.run("shift", [loop])[1].item() == 10_100


def test_the_first_of_equal_sums_is_predicted(tiny):
    _, sums, predicted = tiny.run("equal", [graph([])])
    assert (sums.tolist(), predicted.tolist()) == ([[1, 2, 2]], [[1]])


def test_labels_have_a_sum_of_at_least_zero(tiny):
    _, sums, predicted = tiny.run("labels", [graph([0]), graph([1]), graph([0], [1]), graph([2])])
    assert sums.tolist() == [[1, -1, 0], [-1, 1, -1], [0, 0, -1], [0, 0, 0]]
    assert predicted.tolist() == [[2, 1, 0, 1], [1, 0, 1, 0], [2, 1, 1, 0], [3, 1, 1, 1]]


def test_sums_beyond_32_bits(tiny):
    weight = 2**31 - 1
    sums = [[510 * weight, -510 * weight], [509 * weight, -509 * weight]]
    assert tiny.run("large", [graph([0]), graph([])])[1].tolist() == sums


def test_a_clause_serves_nodes_of_one_type(tiny):
    graphs = [graph([], node_types=[0]), graph([], node_types=[1]), graph([], [], node_types=[1, 0])]
    assert tiny.run("typed", graphs)[1].tolist() == [[1], [10], [11]]


def test_a_machine_without_names(tiny):
    assert tiny.run("nameless", [graph([], [], property_ptr=None), graph([])])[1].tolist() == [[7], [7]]


def test_unknown_symbols_and_edge_types_are_ignored_or_errors(tiny):
    known = graph([0], [1], edges=[(0, 1, 0)])
    unknown = [graph([0, 3], [255, 1], edges=[(0, 1, 0)]), graph([0], [1], edges=[(0, 1, 3)])]
    assert tiny.run("ignoring", [known, *unknown])[1].tolist() == [[11], [11], [1]]
    assert tiny.run("strict", [known, *unknown])[0].tolist() == [0, -3, -6]


@pytest.mark.parametrize(
    ("name", "wrong", "error"),
    [
        ("equal", graph(), "ERROR_NODES"),
        ("equal", graph([0], [1], property_ptr=[0, 5, 2]), "ERROR_PROPERTIES"),
        ("equal", graph([3]), "ERROR_SYMBOL"),
        ("nameless", graph([0]), "ERROR_SYMBOL"),
        ("typed", graph([0]), "ERROR_NODE_TYPE"),
        ("typed", graph([0], [0], node_types=[1, 2]), "ERROR_NODE_TYPE"),
        ("strict", graph([0], [1], edges=[(0, 2, 0)]), "ERROR_EDGE"),
        ("strict", graph([0], [1], edges=[(2, 0, 0)]), "ERROR_EDGE"),
        ("ignoring", graph([0], edges=[(1, 0, 3)]), "ERROR_EDGE"),
        ("strict", graph([0], edges=[(0, 0, 3)]), "ERROR_EDGE_TYPE"),
        ("nameless", graph([], edges=[(0, 0, 0)]), "ERROR_EDGE_TYPE"),
        ("equal", graph([0], [1], readout=[0, 0]), "ERROR_READOUT"),
        ("equal", graph([0], bytes_missing=1), "ERROR_WORKSPACE"),
        ("strict", graph(*[[0]] * 33, bytes_missing=1), "ERROR_WORKSPACE"),
        ("labels", graph([0], bytes_missing=4), "ERROR_WORKSPACE"),
    ],
)
def test_error_codes(name, wrong, error, tiny):
    codes = dict(re.findall(rf"{name}_(ERROR_\w+) = (-\d)", c_header_text(TINY[name], name)))
    assert tiny.run(name, [wrong])[0].tolist() == [int(codes[error])]


def test_edges_and_types_that_a_machine_does_not_need_are_not_read(tiny):
    assert tiny.run("equal", [graph([0], edges=[(5, 5, 9)], node_types=[7])])[0].item() == 0
