"""Scores in pictures: colours of boxes, bands under lines, what is written and refused."""

import numpy as np
import pytest

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; draw_graph is tested with it")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402
from matplotlib.legend import Legend  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from graphtm.encoders import Neighbourhoods, WholeGraph  # noqa: E402
from graphtm.plots import draw_graph, edges  # noqa: E402
from graphtm.plots.edges import lines_of  # noqa: E402
from graphtm.plots.heat import AGAINST, FOR, Heat, colours  # noqa: E402
from graphtm.plots.layouts import overlaps  # noqa: E402


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def square(typed=False):
    graph = gtm.Graph()
    for node in range(4):
        graph.add_node(node, [f"s{node}"] if node < 3 else [], "xy"[node % 2] if typed else None)
    for node in range(4):
        graph.add_edge(node, (node + 1) % 4)
        graph.add_edge((node + 1) % 4, node)
    graph.add_edge(0, 0)
    return graph


def of_kind(ax, kind):
    return [patch for patch in ax.patches if isinstance(patch, kind)]


def bands(ax):
    return [arrow for arrow in of_kind(ax, FancyArrowPatch) if arrow.get_zorder() < 2]


def test_boxes_have_colours_and_scores():
    scores = [2.0, -1.0, 0.001, 0.5]
    ax = draw_graph(square(), node_scores=scores, title="votes for $x_1")
    assert [text.get_text() for text in ax.texts] == ["s0\n+2.00", "s1\n-1.00", "s2", "+0.50"]
    found = [box.get_facecolor()[:3] for box in of_kind(ax, FancyBboxPatch)]
    np.testing.assert_allclose(found, colours(np.array(scores), 2.0))
    assert found[0][0] > found[0][2]
    assert found[1][2] > found[1][0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["+2.00", "-1.00"]
    assert ax.get_title() == "votes for $x_1"
    assert not bands(ax)


def test_large_scores_are_rounded():
    ax = draw_graph(square(), node_scores=[1234.5, -99.4, 0.3, 7])
    assert [text.get_text() for text in ax.texts] == ["s0\n+1,234", "s1\n-99", "s2", "+7"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["+1,234", "-99"]
    assert draw_graph(square(), node_scores=[99.5, 0, 0, 0]).texts[0].get_text() == "s0\n+99.50"


def test_colours_are_white_in_the_middle():
    made = colours(np.array([-4.0, 0.0, 4.0]), 4.0)
    assert made[1].tolist() == [1, 1, 1]
    assert (made[0] - AGAINST).min() >= 0
    assert (made[2] - FOR).min() >= 0


def test_bands_are_as_wide_as_the_scores_of_both_directions():
    graph = square()
    scores = np.array([1.0 if edge[:2] == (0, 1) else 2.0 if edge[:2] == (1, 0) else 0.0 for edge in graph.edges])
    scores[[edge[:2] == (2, 3) for edge in graph.edges]] = -1.0
    ax = draw_graph(graph, edge_scores=scores)
    widths = {(band.get_edgecolor()[0] > band.get_edgecolor()[2]): band.get_linewidth() for band in bands(ax)}
    assert len(bands(ax)) == 2
    assert widths[True] > 2 * widths[False]
    assert len(of_kind(ax, FancyArrowPatch)) == 5 + 2
    assert [text.get_text() for text in ax.texts] == ["s0", "s1", "s2"]


def test_scores_of_lines_are_those_of_their_edges():
    source, destination, types = np.array([0, 1, 0, 0, 2]), np.array([1, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 0])
    lines = lines_of(source, destination, types)
    heat = Heat(None, [1, 3, -1, -1, 0], 3, 5)
    made = heat.bands(lines, np.stack([source, destination, types], axis=1))
    by_line = {(line.source, line.destination, line.type): band for line, band in zip(lines, made, strict=True)}
    assert by_line[0, 1, 0].width > by_line[0, 1, 1].width
    assert by_line[0, 1, 0].colour[0] > by_line[0, 1, 0].colour[2]
    assert by_line[0, 1, 1].colour[2] > by_line[0, 1, 1].colour[0]
    assert by_line[2, 2, 0] is None


def test_node_types_are_borders():
    ax = draw_graph(square(typed=True), node_scores=[1, 0, 0, 0])
    borders = [box.get_edgecolor() for box in of_kind(ax, FancyBboxPatch)]
    assert len(set(borders)) == 2
    shown = [one for one in ax.get_children() if isinstance(one, Legend)]
    found = {one.get_title().get_text(): [text.get_text() for text in one.get_texts()] for one in shown}
    assert found == {"node type": ["x", "y"], "node score": ["+1.00"]}


def test_scores_of_many_edges(monkeypatch):
    monkeypatch.setattr(edges, "MOST_ARROWS", 2)
    graph = square()
    ax = draw_graph(graph, edge_scores=np.arange(9.0))
    (scored, _) = [collection for collection in ax.collections if isinstance(collection, LineCollection)]
    assert len(scored.get_segments()) == 5


def test_dots_stay_dots_and_no_scores_change_nothing():
    ax = draw_graph(square(), node_text=None, node_scores=[1, -1, 0, 0])
    assert not ax.texts
    assert len({tuple(colour) for colour in ax.collections[0].get_facecolors()}) == 3
    assert draw_graph(square(), node_scores=[0] * 4, edge_scores=[0] * 9).get_legend() is None


@pytest.mark.parametrize(
    ("scores", "shape"), [({"node_scores": [1]}, "(1,)"), ({"edge_scores": np.ones((9, 1))}, "(9, 1)")]
)
def test_scores_that_do_not_fit(scores, shape):
    what, n = ("node", 4) if "node_scores" in scores else ("edge", 9)
    with pytest.raises(ValueError, match="one finite number per") as error:
        draw_graph(square(), **scores)
    assert str(error.value) == (
        f"The '{what}_scores' parameter of draw_graph must have one finite number per {what}, {n} in total. Got an "
        f"array of shape {shape} instead."
    )
    with pytest.raises(ValueError, match="one finite number per node"):
        draw_graph(square(), node_scores=[1, 2, 3, np.nan])


@pytest.fixture(scope="module")
def pipeline():
    smiles = ["CCO", "CCCO", "CCN", "CCCN"] * 3
    graphs = gtm.from_smiles(smiles, hydrogens=False, rings=False)
    machine = gtm.GraphTMClassifier(n_clauses=6, T=8, s=2.0, depth=1, epochs=10, random_state=0, engine="reference")
    return make_pipeline(Neighbourhoods(), WholeGraph(), machine).fit(graphs, ["o", "o", "n", "n"] * 3), graphs


def test_explanations_draw_the_own_graph(pipeline):
    ex = gtm.explain(*pipeline, 1)
    scores = ex.scores("o", "n")
    ax = ex.plot("o", "n", max_symbols=1)
    assert len(of_kind(ax, FancyBboxPatch)) == 4
    assert [text.get_text() for text in ax.texts] == [
        f"{node}: element {'CCCO'[node]}" + (f"\n{score:+.2f}" if round(score, 2) else "")
        for node, score in enumerate(scores.nodes.tolist())
    ]
    assert len(bands(ax)) == 3
    vote = ex.votes["o"] - ex.votes["n"]
    parts = f"nodes {scores.nodes.sum():+,.2f}, graph as a whole {scores.whole:+,.2f}"
    assert ax.get_title() == f"Votes for o against n: {vote:+} = {parts}"
    assert ex.plot(ax=pyplot.figure().add_subplot()).get_title().startswith(f"Votes for o: {ex.votes['o']:+}")


def test_plain_explanations_draw_their_graph():
    graphs = gtm.from_smiles(["CCO", "CCN"] * 5, hydrogens=False, rings=False)
    clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=2.0, epochs=5, random_state=0, engine="reference")
    ex = clf.fit(graphs, ["o", "n"] * 5).explain(graphs[0])
    ax = ex.plot()
    assert ax.get_title() == f"Votes for {ex.prediction}: {ex.votes[ex.prediction]:+}"
    assert len(of_kind(ax, FancyBboxPatch)) == 3
    assert [text.get_text()[0] for text in ax.texts] == ["0", "1", "2"]
    ax = ex.plot(node_text=list("CCO"), highlight=[2], title="own")
    assert [text.get_text()[0] for text in ax.texts] == ["C", "C", "O"]
    assert [box.get_linewidth() > 2 for box in of_kind(ax, FancyBboxPatch)] == [False, False, True]
    assert ax.get_title() == "own"


def test_thirty_nodes_do_not_overlap(pipeline):
    ring = "C1CCCCC1"
    graphs = gtm.from_smiles([f"{ring[:-1]}1CC(CO)CC({ring})CC(CN)CCCCCCCCO"], hydrogens=False, rings=False)
    assert graphs.n_nodes >= 30
    ax = gtm.explain(pipeline[0], graphs, 0).plot()
    corners = [ax.transData.transform([box.get_bbox().min, box.get_bbox().max]) for box in of_kind(ax, FancyBboxPatch)]
    centres, sizes = [box.mean(axis=0) for box in corners], [box[1] - box[0] for box in corners]
    assert len(corners) == graphs.n_nodes
    assert not overlaps(np.array(centres), np.array(sizes)).any()
