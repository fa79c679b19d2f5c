"""Pictures of graphs: what is written, drawn and refused, without looking at pixels."""

import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graph_lists

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; draw_graph is tested with it")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.legend import Legend  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # noqa: E402

from graphtm.plots import draw_graph  # noqa: E402
from graphtm.plots.drawing import name_text  # noqa: E402
from graphtm.plots.edges import Line, lines_of, style  # noqa: E402
from graphtm.plots.layouts import (  # noqa: E402
    overlaps,
    places_from_names,
    push_apart,
    spring,
    stress,
    text_lines,
    without_overlap,
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def chain(n_nodes, both=True):
    graph = gtm.Graph()
    for node in range(n_nodes):
        graph.add_node(node, [f"s{node}"])
    for node in range(1, n_nodes):
        graph.add_edge(node - 1, node, "right")
        if both:
            graph.add_edge(node, node - 1, "left")
    return graph


def texts(ax):
    return [text.get_text() for text in ax.texts]


def legends(ax):
    """Texts of each legend by its title."""
    found = [child for child in ax.get_children() if isinstance(child, Legend)]
    return {one.get_title().get_text(): [text.get_text() for text in one.get_texts()] for one in found}


def of_kind(ax, kind):
    return [patch for patch in ax.patches if isinstance(patch, kind)]


def boxes(ax):
    """Centres and sizes in pixels of the nodes' boxes, in order."""
    corners = [ax.transData.transform([box.get_bbox().min, box.get_bbox().max]) for box in of_kind(ax, FancyBboxPatch)]
    return np.array([box.mean(axis=0) for box in corners]), np.array([box[1] - box[0] for box in corners])


def test_nodes_edges_and_legend():
    ax = draw_graph(chain(3))
    assert texts(ax) == ["s0", "s1", "s2"]
    assert len(of_kind(ax, FancyBboxPatch)) == 3
    assert len(of_kind(ax, FancyArrowPatch)) == 4
    assert legends(ax) == {"edge type": ["right", "left"]}
    assert not ax.axison
    assert draw_graph(gtm.GraphBatch.from_arrays([2], edges=([0], [1]))).get_legend() is None


def test_arrows_point_from_source_to_destination():
    graph = chain(2, both=False)
    ax = draw_graph(graph)
    (arrow,) = of_kind(ax, FancyArrowPatch)
    centres, _ = boxes(ax)
    ends = ax.transData.transform(arrow._posA_posB)
    np.testing.assert_allclose(ends, centres)
    assert isinstance(arrow.get_arrowstyle(), matplotlib.patches.ArrowStyle.get_styles()["-|>"])


def test_edges_share_lines():
    source, destination = np.array([0, 1, 0, 0, 2]), np.array([1, 0, 1, 1, 2])
    types = np.array([0, 0, 1, 1, 0])
    assert lines_of(source, destination, types) == [
        Line(0, 1, 0, both_ways=True, count=1, place=0, of=2),
        Line(0, 1, 1, both_ways=False, count=2, place=1, of=2),
        Line(2, 2, 0, both_ways=False, count=1, place=0, of=1),
    ]
    graph = chain(2, both=False)
    graph.add_edge(0, 1, "right")
    graph.add_edge(1, 1, "self")
    ax = draw_graph(graph)
    assert "\N{MULTIPLICATION SIGN}2" in texts(ax)
    assert len(of_kind(ax, FancyArrowPatch)) == 2


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), max_size=12))
def test_lines_stand_for_all_edges(edges):
    source, destination, types = np.array(edges, np.int64).reshape(-1, 3).T
    found = []
    for line in lines_of(source, destination, types):
        found += [(line.source, line.destination, line.type)] * line.count
        found += [(line.destination, line.source, line.type)] * line.count * line.both_ways
    assert sorted(found) == sorted(edges)


def test_types_have_their_own_look_and_the_same_in_all_graphs():
    looks = [tuple(style(number).values()) for number in range(21)]
    assert len(set(looks)) == 21
    batch = gtm.GraphBatch.from_arrays(
        [2, 2], edges=([0, 2], [1, 3], [0, 1]), edge_types=["a", "b"], node_types=["x", "y", "y", "y"]
    )
    (arrow,) = of_kind(draw_graph(batch, 1), FancyArrowPatch)
    assert arrow.get_edgecolor() == matplotlib.colors.to_rgba(style(1)["color"])
    assert legends(draw_graph(batch, 1)) == {"edge type": ["b"], "node type": ["y"]}
    assert legends(draw_graph(batch, 0)) == {"edge type": ["a"], "node type": ["x", "y"]}


def test_readout_nodes_have_a_thick_border():
    graph = chain(2)
    graph.set_readout([1])
    ax = draw_graph(graph)
    assert [box.get_linewidth() for box in of_kind(ax, FancyBboxPatch)] == [0.8, 2.0]
    assert legends(ax) == {"edge type": ["right", "left"], "node": ["readout"]}


def test_many_types_are_not_all_explained():
    graph = gtm.Graph()
    graph.add_node(0)
    graph.add_node(1)
    for number in range(30):
        graph.add_edge(0, 1, number)
    explained = [text.get_text() for text in draw_graph(graph).get_legend().get_texts()]
    assert (len(explained), explained[-1]) == (12, "… 19 more types")


def test_names_as_text():
    assert name_text(("element", "C")) == "element C"
    assert name_text(("x", ("y", 1), True, None)) == "x y 1 True None"
    assert name_text("a" * 40) == "a" * 21 + "…"
    assert [name_text(name) for name in ("", " ", "a\nb", (), 3)] == ["''", "' '", "'a\\nb'", "()", "3"]


def test_text_of_nodes():
    graph = gtm.Graph()
    graph.add_node("a", list("pqrst"))
    graph.add_node("b")
    assert texts(draw_graph(graph)) == ["p\nq\nr\ns\nt"]
    assert texts(draw_graph(graph, max_symbols=2)) == ["p\nq\n+3 more"]
    assert texts(draw_graph(graph, max_symbols=0)) == ["+5 more"]
    assert texts(draw_graph(graph, node_text="names")) == ["a", "b"]
    assert texts(draw_graph(graph, node_text="both", max_symbols=1)) == ["a\np\n+4 more", "b"]
    assert texts(draw_graph(chain(2), node_text="both")) == ["0: s0", "1: s1"]
    assert texts(draw_graph(graph, node_text=["one", "two\nlines"])) == ["one", "two\nlines"]
    nothing = draw_graph(graph, node_text=None)
    assert texts(nothing) == []
    assert len(nothing.collections[0].get_offsets()) == 2
    bare = gtm.Graph()
    bare.add_node("alone")
    assert texts(draw_graph(bare)) == ["alone"]


def test_dollars_and_underscores_are_letters():
    graph = gtm.Graph()
    graph.add_node(0, ["$x$", "_hidden"])
    graph.add_edge(0, 0, "_type")
    graph.add_edge(0, 0, "$\\bad$")
    ax = draw_graph(graph)
    ax.figure.canvas.draw()
    assert texts(ax) == ["$x$\n_hidden"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [" _type", "$\\bad$"]


@pytest.mark.parametrize("layout", ["auto", "chain", "text", "grid", "hex", "circle", "stress", "spring"])
@pytest.mark.parametrize("n_nodes", [1, 2, 25, 60])
def test_boxes_do_not_overlap_and_stay_inside(layout, n_nodes):
    graph = chain(n_nodes, both=False)
    ax = draw_graph(graph, layout=layout)
    centres, sizes = boxes(ax)
    assert len(centres) == n_nodes
    assert not overlaps(centres, sizes).any()
    extent = ax.get_window_extent()
    assert (centres - sizes / 2 >= (extent.x0 - 1, extent.y0 - 1)).all()
    assert (centres + sizes / 2 <= (extent.x1 + 1, extent.y1 + 1)).all()


def test_text_fits_its_box():
    ax = draw_graph(chain(8))
    renderer = ax.figure.canvas.get_renderer()
    _, sizes = boxes(ax)
    for text, size in zip(ax.texts, sizes, strict=True):
        extent = text.get_window_extent(renderer)
        assert extent.width < size[0]
        assert extent.height < size[1]


@pytest.mark.parametrize("title", ["votes", "Votes for " + "a long class " * 20, "Votes for " + "x" * 200])
@pytest.mark.parametrize("layout", ["chain", "spring"])
def test_titles_and_legends_stay_inside(title, layout):
    graph = chain(3)
    graph.set_readout([1])
    ax = draw_graph(graph, layout=layout, title=title, node_scores=[1, -1, 0])
    assert "".join(ax.get_title().split()) == "".join(title.split())
    ax.figure.canvas.draw()
    renderer, (width, height) = ax.figure.canvas.get_renderer(), ax.figure.canvas.get_width_height()
    assert list(legends(ax)) == ["node", "node score", "edge type"]
    found = [child.get_window_extent(renderer) for child in ax.get_children() if isinstance(child, Legend)]
    for extent in (*found, ax.title.get_window_extent(renderer)):
        assert min(extent.x0, extent.y0, width - extent.x1, height - extent.y1) >= 0
    assert not any(one.overlaps(other) for one, other in combinations(found, 2))


def test_long_titles_are_smaller_on_given_axes():
    _, (ax, other) = pyplot.subplots(1, 2, figsize=(9, 4))
    draw_graph(chain(3), ax=ax, title="Votes for " + "a long class " * 10)
    draw_graph(chain(3), ax=other, title="Votes")
    extent = ax.title.get_window_extent(ax.figure.canvas.get_renderer())
    assert extent.y1 <= ax.figure.bbox.height
    assert ax.title.get_fontsize() < other.title.get_fontsize() == 10


def test_words_are_read_from_left_to_right():
    centres, _ = boxes(draw_graph(gtm.GraphBatch.from_arrays([5], np.eye(5), list("abcde"))))
    assert (np.diff(centres[:, 0]) > 0).all()
    assert np.ptp(centres[:, 1]) < 1


def test_chains_are_recognised():
    centres, _ = boxes(draw_graph(chain(4)))
    assert np.ptp(centres[:, 1]) < 1
    assert (np.diff(centres[:, 0]) > 0).all()
    ring = chain(12)
    ring.add_edge(11, 0, "right")
    centres, _ = boxes(draw_graph(ring))
    assert np.ptp(centres[:, 1]) > 50


def test_grids_take_places_from_symbols_and_names():
    graph, named = gtm.Graph(), gtm.Graph()
    for row, column in ((1, 0), (0, 2), (0, 0)):
        graph.add_node(len(graph), [("row", value) for value in range(row + 1)] + [("column", column)])
        named.add_node((row, column))
    for one in (graph, named):
        centres, _ = boxes(draw_graph(one, node_text="names"))
        assert centres[0, 1] < centres[1, 1] == centres[2, 1]
        assert centres[2, 0] == centres[0, 0] < centres[1, 0]
    # Symbols that put two nodes at one place tell no places.
    graph.add_node("again", [("row", 0), ("column", 0)])
    centres, _ = boxes(draw_graph(graph))
    assert len(np.unique(centres.round(), axis=0)) == 4


def test_given_positions_are_kept_on_axes_that_hold_something():
    _, ax = pyplot.subplots()
    ax.imshow(np.zeros((10, 20)))
    limits = ax.get_xlim(), ax.get_ylim()
    assert draw_graph(chain(2), layout=[[3, 3], [15, 8]], ax=ax) is ax
    assert (ax.get_xlim(), ax.get_ylim()) == limits
    assert ax.axison
    centres, _ = boxes(ax)
    np.testing.assert_allclose(ax.transData.inverted().transform(centres), [[3, 3], [15, 8]])


def test_crowded_graphs_show_some_of_the_text():
    ax = draw_graph(chain(310), layout="spring")
    written = of_kind(ax, FancyBboxPatch)
    assert 10 < len(written) < 310
    assert texts(ax)[-1] == f"text of {len(written)} of 310 nodes"
    centres, sizes = boxes(ax)
    assert not overlaps(centres, sizes).any()
    assert len(ax.collections[0].get_offsets()) == 310 - len(written)
    # Arrow heads of this many edges would be a blot.
    assert {type(one) for one in ax.collections[1:]} == {LineCollection}


def test_springs_bring_joined_nodes_together_and_repeat():
    source, destination = np.array([0, 1, 2, 4, 5, 6, 0]), np.array([1, 2, 3, 5, 6, 7, 4])
    places = spring(8, source, destination, seed=1)
    np.testing.assert_array_equal(places, spring(8, source, destination, seed=1))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert distance[source, destination].mean() < 0.6 * distance[np.triu_indices(8, 1)].mean()


def ring(n_nodes):
    source = np.arange(n_nodes)
    return source, (source + 1) % n_nodes


def test_stress_keeps_the_distances_along_edges():
    places = stress(6, *ring(6), seed=1)
    np.testing.assert_array_equal(places, stress(6, *ring(6), seed=1))
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    steps = np.minimum(np.arange(6), 6 - np.arange(6))
    for offset in range(1, 6):
        # A hexagon: chords are a bit shorter than the way around.
        found = distance[np.arange(6), (np.arange(6) + offset) % 6]
        assert np.ptp(found) < 0.02
        assert 0.6 * steps[offset] < found[0] <= 1.2 * steps[offset]
    line = stress(4, np.arange(3), np.arange(1, 4), seed=0)
    assert np.ptp(line[:, 1]) < 0.3 < np.ptp(line[:, 0])


def test_trees_do_not_cross():
    """A molecule-like tree: no two edges cross, which springs do not achieve."""
    source = np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 5, 5])
    destination = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    places = stress(14, source, destination, seed=0)

    def side(a, b, c):
        return np.sign(np.linalg.det([places[b] - places[a], places[c] - places[a]]))

    for (a, b), (c, d) in combinations(zip(source, destination, strict=True), 2):
        if len({a, b, c, d}) == 4:
            assert not (side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b))


def test_parts_of_a_graph_are_side_by_side():
    source, destination = np.array([0, 1, 2, 4]), np.array([1, 2, 0, 5])
    places = stress(8, source, destination, seed=0)
    parts = [[0, 1, 2], [4, 5], [3], [6], [7]]
    extents = [(places[nodes].min(axis=0), places[nodes].max(axis=0)) for nodes in parts]
    for (low, high), (other_low, other_high) in combinations(extents, 2):
        apart = np.maximum(low - other_high, other_low - high)
        assert apart.max() >= 0.9
    assert np.ptp(places, axis=0).max() < 8


def test_texts_are_read_like_texts():
    graph = chain(30)
    ax = draw_graph(graph, layout="text", node_text=[f"{'long' * (node % 3)} word" for node in range(30)])
    centres, sizes = boxes(ax)
    rows = np.unique(centres[:, 1].round())[::-1]
    assert 2 <= len(rows) <= 6
    line = [int(np.flatnonzero(rows == height)[0]) for height in centres[:, 1].round()]
    assert line == sorted(line)
    for number in range(len(rows)):
        assert (np.diff(centres[np.array(line) == number, 0]) > 0).all()
    # Words need different widths, and lines are about equally long.
    lengths = [sizes[np.array(line) == number, 0].sum() for number in range(len(rows))]
    assert max(lengths) < 1.5 * min(lengths)
    # An edge from the end of a line to the start of the next is two ends; each word has two lines to the next.
    assert len(of_kind(ax, FancyArrowPatch)) == 2 * 29 + 2 * (len(rows) - 1)


def test_lines_of_text_are_filled():
    assert text_lines(np.array([3.0, 3.0, 3.0, 7.0, 20.0, 1.0]), 10).tolist() == [0, 0, 0, 1, 2, 3]


def hex_board(n=3, named=True):
    graph = gtm.Graph()
    for row, column in np.ndindex(n, n):
        graph.add_node((row, column) if named else n * row + column, ["X"])
    nodes = graph.nodes
    for row, column in np.ndindex(n, n):
        for down, right in ((0, 1), (1, 0), (1, -1)):
            if row + down < n and 0 <= column + right < n:
                ends = nodes[n * row + column], nodes[n * (row + down) + column + right]
                graph.add_edge(*ends)
                graph.add_edge(*ends[::-1])
    return graph


@pytest.mark.parametrize("layout", ["auto", "hex"])
def test_hex_boards_have_shifted_rows(layout):
    graph = hex_board(named=layout == "auto")
    centres, _ = boxes(draw_graph(graph, layout=layout))
    centres = centres.reshape(3, 3, 2)
    step = centres[0, 1, 0] - centres[0, 0, 0]
    assert step > 0
    np.testing.assert_allclose(centres[1:, 0, 0] - centres[:-1, 0, 0], step / 2)
    assert (np.diff(centres[:, 0, 1]) < 0).all()
    # All six neighbours of the middle are equally far away.
    around = [centres[1, 0], centres[1, 2], centres[0, 1], centres[0, 2], centres[2, 0], centres[2, 1]]
    np.testing.assert_allclose(np.linalg.norm(around - centres[1, 1], axis=1), step, rtol=1e-6)


def test_boards_with_other_neighbours_are_grids():
    for steps in (((0, 1), (1, 0)), ((0, 1), (1, 0), (1, 1), (1, -1))):
        graph = gtm.Graph()
        for row, column in np.ndindex(3, 3):
            graph.add_node((row, column))
        for row, column in np.ndindex(2, 2):
            for down, right in steps:
                if 0 <= column + right < 3:
                    graph.add_edge((row, column), (row + down, column + right))
        centres, _ = boxes(draw_graph(graph))
        assert len(np.unique(centres[:, 0].round())) == 3
    assert places_from_names([()], ["a"]) is None


def test_undirected_graphs_have_no_heads():
    def styles(graph, **options):
        return {arrow.get_arrowstyle().arrow for arrow in of_kind(draw_graph(graph, **options), FancyArrowPatch)}

    graph = hex_board()
    assert styles(graph) == {"-"}
    graph.add_edge((0, 0), (0, 0))
    assert styles(graph) == {"-"}
    graph.add_edge((0, 0), (2, 2))
    assert styles(graph) == {"-|>", "<|-|>"}
    assert styles(chain(3)) == {"-|>"}
    assert styles(hex_board(), highlight_edges=[((0, 0), (0, 1), gtm.graphs.PLAIN)]) == {"-", "-|>"}


def test_titles_widen_new_figures():
    graph = gtm.Graph()
    graph.add_node("a")
    title = "A title that is longer than a single node"
    ax = draw_graph(graph, title=title)
    assert ax.get_title() == title


def test_boxes_are_pushed_apart():
    centres, sizes, room = np.zeros((5, 2)) + 50, np.full((5, 2), 20.0), np.array([200.0, 200.0])
    assert list(without_overlap(centres, sizes)) == [True, False, False, False, False]
    apart = push_apart(centres, sizes, room)
    assert not overlaps(apart, sizes).any()
    assert (apart >= 10).all()


@settings(max_examples=25)
@given(graph_lists(min_size=1, max_size=1), st.sampled_from(["auto", "text", "hex", "circle", "stress", "spring"]))
def test_any_graph_can_be_drawn(graphs, layout):
    _, ax = pyplot.subplots()
    try:
        draw_graph(gtm.GraphBatch.from_graphs(graphs), ax=ax, layout=layout)
        drawn = len(of_kind(ax, FancyBboxPatch)) + sum(len(one.get_offsets()) for one in ax.collections)
        assert drawn == graphs[0].n_nodes
    finally:
        pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"layout": "tree"}, ValueError, "must be one of 'auto', 'chain', .* or an array of positions. Got 'tree'"),
        ({"layout": np.zeros((3, 2))}, ValueError, r"of shape \(2, 2\). Got an array of shape \(3, 2\) instead"),
        ({"layout": np.full((2, 2), np.nan)}, ValueError, "an array of finite positions"),
        ({"node_text": "all"}, ValueError, "'node_text' parameter .* must be 'auto', 'symbols', .* Got 'all' instead"),
        ({"node_text": ["a"]}, ValueError, "must have one string per node, 2 in total. Got 1 instead"),
        ({"max_symbols": -1}, ValueError, "'max_symbols' parameter .* at least 0. Got -1 instead"),
        ({"i": 0}, ValueError, "'i' parameter of draw_graph must be None for a single graph. Got 0 instead"),
    ],
)
def test_draw_graph_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        draw_graph(chain(2), **arguments)


def test_draw_graph_refuses_what_is_no_graph(monkeypatch):
    batch = gtm.GraphBatch.from_arrays([1, 1])
    with pytest.raises(ValueError, match=r"must be the number of a graph unless .* and a batch of 2 graphs"):
        draw_graph(batch)
    with pytest.raises(TypeError, match=r"The 'i' parameter of draw_graph must be an integer. Got \[0\] instead"):
        draw_graph(batch, [0])
    with pytest.raises(IndexError, match=r"The batch has graphs 0..1; got index 2"):
        draw_graph(batch, 2)
    with pytest.raises(TypeError, match=r"must be a Graph or a GraphBatch. Got a 'list' instead"):
        draw_graph([chain(2)])
    with pytest.raises(gtm.GraphError, match="A graph to draw must have at least one node"):
        draw_graph(gtm.Graph())
    many = gtm.GraphBatch.from_arrays([1501], edges=([0], [1]))
    with pytest.raises(ValueError, match=r"must not be 'spring' for more than 1,500 nodes. Got 1,501 instead"):
        draw_graph(many, layout="spring")
    with pytest.raises(ValueError, match=r"must not be 'stress' for more than 200 nodes. Got 1,501 instead; use 'spr"):
        draw_graph(many, layout="stress")
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(gtm.errors.MissingLibraryError, match=r"draw_graph needs .*graphtm\[plots\]"):
        draw_graph(chain(2))
