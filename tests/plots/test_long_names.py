"""Names of any length: pictures keep a usual size, and all that they say stays inside."""

import numpy as np
import pytest

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from matplotlib.patches import FancyBboxPatch  # noqa: E402

from graphtm.explain import Literal, Message  # noqa: E402
from graphtm.plots import WeightsDisplay, draw_graph  # noqa: E402
from graphtm.plots.drawing import MOST_TITLE_LINES, cut_lines, wrapped  # noqa: E402

PICTURES = {
    "scores": lambda clf, ex, *_: ex.plot(),
    "difference": lambda clf, ex, *_: ex.plot(clf.classes_[0], against=clf.classes_[1]),
    "witness": lambda clf, ex, clause, *_: ex.plot(clause=clause),
    "flow": lambda clf, ex, clause, *_: ex.message_flow(clause).plot(),
    "hypervectors": lambda clf, ex, clause, *_: ex.hypervectors(clause).plot(),
    "rules": lambda clf, ex, clause, *data: clf.plot_rules(*data),
    "weights": lambda clf, *_: WeightsDisplay.from_estimator(clf).ax_,
}


def learned(length):
    """A machine and graphs whose classes, nodes, symbols and types of nodes and edges have long names."""
    graphs = [gtm.Graph() for _ in range(40)]
    for number, graph in enumerate(graphs):
        letter = "ab"[number % 2]
        graph.add_node(
            letter * length, [letter.upper() * length, *(f"{n}{'s' * length}" for n in range(9))], "t" * length
        )
        graph.add_node("c", ["z"], "t" * length)
        graph.add_edge("c", letter * length, "e" * length)
        graph.add_edge(letter * length, "c", "e" * length)
    y = np.where(np.arange(40) % 2, "$y$" + "c" * length, "d" * length)
    settings = {"n_clauses": 6, "T": 5, "s": 20.0, "depth": 2, "epochs": 5, "random_state": 0, "engine": "reference"}
    return gtm.GraphTMClassifier(**settings).fit(graphs, y), graphs, y


@pytest.fixture(scope="module", params=[100, 2000])
def made(request):
    clf, graphs, y = learned(request.param)
    ex = clf.explain(graphs[1])
    return clf, ex, max(ex.fired, key=lambda one: len(ex.rule(one.clause).literals)).clause, graphs, y


@pytest.mark.parametrize("kind", PICTURES)
def test_pictures_keep_their_size_and_their_text_inside(made, kind):
    ax = PICTURES[kind](*made)
    assert (ax.figure.get_size_inches() <= (14, 10)).all()
    ax.figure.canvas.draw()
    renderer, (width, height) = ax.figure.canvas.get_renderer(), ax.figure.canvas.get_width_height()
    for text in (*ax.texts, ax.title, *(ax.get_yticklabels() if ax.axison else ())):
        if text.get_text():
            extent = text.get_window_extent(renderer)
            assert min(extent.x0, extent.y0, width - extent.x1, height - extent.y1) >= 0, text.get_text()
    assert ax.get_title().count("\n") < MOST_TITLE_LINES


def test_titles_say_what_follows_a_long_name(made):
    title = made[1].plot().get_title().replace("\n", "")
    name, votes = title.removeprefix("Votes for ").split(": ")
    assert name.endswith("…")
    assert len(name) == 40
    assert int(votes) == max(made[1].votes.values())
    assert "…: " in made[1].plot(clause=made[2]).get_title().replace("\n", " ")


@pytest.mark.parametrize("dpi", [72, 100, 120, 200])
def test_any_text_fits_its_box(dpi):
    graph = gtm.Graph()
    for number, name in enumerate(["__import__('os').system('ls')", "m" * 30, "x" * 30, "W" * 30, "A", "element O"]):
        graph.add_node(number, [name])
    with matplotlib.rc_context({"figure.dpi": dpi}):
        ax = draw_graph(graph, layout="grid")
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    boxes = [patch.get_window_extent(renderer) for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(boxes) == 6
    for text, box in zip(ax.texts, boxes, strict=True):
        assert text.get_window_extent(renderer).width < box.width, text.get_text()


def test_literals_keep_what_tells_them_apart():
    symbol = Literal(0, True, ("s" * 50, "short"))
    assert symbol.text(10) == "NOT ANY OF 2: (" + "s" * 9 + "…, short)"
    assert symbol.text() == str(symbol) == f"NOT ANY OF 2: ({'s' * 50}, short)"
    message = Message("e" * 50, 12)
    assert Literal(1, False, (message,)).text(10) == "e" * 9 + "…:C12"
    assert Literal(3, False, (message,)).text(10) == "e" * 9 + "…(3):C12"
    assert Literal(1, False, (message,)).text() == str(message)


def test_rules_shorten_names(made):
    clf, *_ = made
    rule = max(clf.rules(), key=lambda one: len(one.literals))
    assert max(map(len, rule.conditions(longest=10).replace("NOT ", "").split(" AND "))) <= len("123456789…:C12")
    with pytest.raises(ValueError, match="The 'longest' parameter of conditions must be an int of at least 1"):
        rule.conditions(longest=0)


def test_lines_are_broken_and_cut():
    assert wrapped("one two", 1000, 10, 3) == "one two"
    assert wrapped("one\ntwo", 1000, 10, 3) == "one\ntwo"
    assert wrapped("", 1000, 10, 3) == ""
    assert wrapped("one two three", 1, 10, 100).split("\n") == list("onetwothree")
    assert wrapped("one two three", 1, 10, 4) == "o\nn\ne\nt …"
    assert wrapped("one\ntwo\nthree", 1000, 10, 2) == "one\ntwo …"
    assert cut_lines(["a", "b"], 2) == ["a", "b"]
