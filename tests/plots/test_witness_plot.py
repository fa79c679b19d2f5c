"""Witnesses as pictures: which nodes and edges are highlighted, what is written, and what is pale."""

from dataclasses import replace

import numpy as np
import pytest
from drawn import HOSTILE, literal_texts
from explained import chain_machine, graded_machine, random_model

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.legend import Legend  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from graphtm.explain import Explanation  # noqa: E402
from graphtm.foundation.display import bare, cut  # noqa: E402
from graphtm.plots import draw_graph, draw_witness  # noqa: E402
from graphtm.plots.highlight import BORDER, FILL, PALE_TEXT, STRONG  # noqa: E402

SEEDS = (4, 6, 10, 16, 22, 28)
"""Random machines of several layers."""


def boxes(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def node_texts(ax):
    """Texts in boxes, without those on lines."""
    return [text for text in ax.texts if text.get_bbox_patch() is None]


def strong(ax):
    """Highlighted arrows: indices of the nodes at both ends, and whether there is a head at each."""
    centres = [ax.transData.transform((box.get_bbox().min + box.get_bbox().max) / 2) for box in boxes(ax)]
    found = []
    for arrow in ax.patches:
        if isinstance(arrow, FancyArrowPatch) and arrow.get_linewidth() == 2.2:
            ends = ax.transData.transform(arrow._posA_posB)
            nodes = [int(np.linalg.norm(np.array(centres) - end, axis=1).argmin()) for end in ends]
            style = arrow.get_arrowstyle().arrow
            found.append((*nodes, "<" in style, ">" in style))
    return sorted(found)


def bands(ax):
    return [
        arrow
        for arrow in ax.patches
        if isinstance(arrow, FancyArrowPatch) and arrow.get_edgecolor()[:3] == to_rgb(FILL)
    ]


def legends(ax):
    found = [child for child in ax.get_children() if isinstance(child, Legend)]
    return {one.get_title().get_text(): [text.get_text() for text in one.get_texts()] for one in found}


@pytest.fixture
def chain():
    """x: A -red-> z: B, y: A -red-> z; C1 is B AND red:C0 at z."""
    model, graphs = chain_machine()
    return Explanation(model, graphs, ["no", "yes"])


def test_a_witness_on_the_graph(chain):
    ax = chain.plot(clause=1)
    assert [text.get_text() for text in node_texts(ax)] == ["x\nA\nC0, layer 0", "y\nA", "z\nB\nC1"]
    assert [box.get_facecolor()[:3] == to_rgb(FILL) for box in boxes(ax)] == [True, False, True]
    widths = [box.get_linewidth() for box in boxes(ax)]
    assert widths[2] > widths[0] > widths[1]
    assert [text.get_color() for text in node_texts(ax)] == ["black", PALE_TEXT, "black"]
    # The first of both messages is followed, from x to z.
    assert strong(ax) == [(0, 2, False, True)]
    assert len(bands(ax)) == 1
    assert [text.get_text() for text in ax.texts if text.get_bbox_patch() is not None] == ["C0"]
    assert legends(ax) == {"edge type": ["red"], "witness": ["true here", "sends a message", "message"]}
    assert ax.get_title() == "C1 is true at 'z': B AND NOT A AND red:C0"
    pale = [arrow for arrow in ax.patches if isinstance(arrow, FancyArrowPatch) and arrow.get_alpha()]
    assert len(pale) == 1


def test_all_ways_to_the_same_picture(chain):
    def shown(ax):
        return [text.get_text() for text in ax.texts], strong(ax), ax.get_title()

    witness = chain.witness(1)
    expected = shown(chain.plot(clause=1))
    assert shown(witness.plot()) == shown(chain.plot(clause=1, node="z")) == expected
    by_hand = draw_witness(chain.graph, witness.to_dict(), title=expected[2])
    assert shown(by_hand) == expected
    _, given = pyplot.subplots()
    assert witness.plot(ax=given, title="$own$") is given
    assert given.get_title() == "$own$"
    with pytest.raises(gtm.GraphTMError, match=r"plot needs a witness that belongs to an explanation.*draw_witness"):
        replace(witness, explanation=None).plot()


def test_symbols_that_are_required_come_first():
    graph = gtm.Graph()
    graph.add_node("n", list("abcdef"))
    steps = [{"clause": 7, "node": "n", "layer": 0, "conditions": [{"granted_by": ["e"]}, {"granted_by": ["c"]}]}]
    ax = draw_witness(graph, steps, max_symbols=3)
    assert [text.get_text() for text in ax.texts] == ["c\ne\na\n+3 more\nC7"]
    missed = [{"granted_by": ["e"], "missed": True}, {"granted_by": ["f"], "constant": "always"}]
    ax = draw_witness(graph, [{**steps[0], "conditions": missed}], max_symbols=1)
    assert [text.get_text() for text in ax.texts] == ["a\n+5 more\nC7"]


def test_texts_can_be_chosen(chain):
    ax = chain.plot(clause=1, node_text=["one", "two", "three"])
    assert [text.get_text() for text in node_texts(ax)] == ["one\nC0, layer 0", "two", "three\nC1"]
    for wrong, given in ((["one"], "1"), ("names", "'names'")):
        with pytest.raises(ValueError, match=f"must be a list of one string per node, 3 in total. Got {given} instead"):
            chain.plot(clause=1, node_text=wrong)


def test_many_messages_are_counted():
    graph = gtm.Graph()
    graph.add_node("x", [])
    graph.add_node("y", [])
    graph.add_edge("x", "y", "red")
    messages = [
        {"granted_by": [{"edge": ("x", "y", "red"), "clause": clause}], "literal": {"layer": 1}} for clause in range(9)
    ]
    ax = draw_witness(graph, [{"clause": 9, "node": "y", "layer": 1, "conditions": messages}])
    texts = [text.get_text() for text in ax.texts]
    assert texts[0] == "x\nC0, layer 0\nC1, layer 0\nC2, layer 0\nC3, layer 0\n+5 more"
    assert texts[2] == "C0, C1, +7 more"


@pytest.mark.parametrize("seed", SEEDS)
def test_the_highlighted_parts_are_those_of_the_proof(seed):
    """On random deep machines, all nodes and followed edges of a witness are highlighted, and no others."""
    model, graphs = random_model(seed)
    explanation = Explanation(model, graphs[:1], ["a", "b", "c"])
    witnesses = [explanation.witness(fired.clause) for fired in explanation.fired]
    witness = max(witnesses, key=lambda one: len(one.steps))
    nodes = {step.node for step in witness.steps}
    edges = {
        frozenset(condition.granted_by[0].edge[:2])
        for step in witness.steps
        for condition in step.conditions
        if condition.step is not None
    }
    ax = witness.plot(node_text=list(explanation.nodes), layout="circle")
    drawn = zip(explanation.nodes, boxes(ax), strict=True)
    assert {name for name, box in drawn if box.get_facecolor()[:3] == to_rgb(FILL)} == nodes
    assert {frozenset(explanation.nodes[end] for end in arrow[:2]) for arrow in strong(ax)} == edges


def test_random_witnesses_have_messages():
    steps = [
        max(len(explanation.witness(fired.clause).steps) for fired in explanation.fired)
        for explanation in (
            Explanation(model, graphs[:1], ["a", "b", "c"]) for model, graphs in map(random_model, SEEDS)
        )
    ]
    assert sum(n > 2 for n in steps) >= 4


def test_graded_witnesses_name_their_strength():
    model, graphs = graded_machine(2)
    explanation = Explanation(model, graphs, ["no", "yes"])
    witness = explanation.witness(1, "y")
    ax = explanation.plot(clause=1, node="y")
    assert witness.strength == 1
    assert ax.get_title().startswith("C1 has strength 1 of 3 at 'y': ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"clause": 1, "class_": "yes"}, "The 'class_' parameter of plot must be None if 'clause' is given.*Got 'yes'"),
        ({"clause": 1, "highlight": ["x"]}, r"The 'highlight' parameter of plot must be None.*Got \['x'\]"),
        ({"node": "x"}, "The 'node' parameter of plot must be None unless 'clause' is given. Got 'x'"),
        ({"clause": 9}, "The clause must be a number from 0 to 1; got 9"),
        ({"clause": 1, "node": "x"}, "must be true at the node; got 'x', but C1 is true at 'z'"),
    ],
)
def test_plot_refuses(chain, arguments, message):
    with pytest.raises(ValueError, match=message):
        chain.plot(**arguments)


# After encoders


@pytest.fixture(scope="module")
def pipeline():
    smiles = ["CCO", "CCCO", "CCN", "CCCN"] * 3
    graphs = gtm.from_smiles(smiles, hydrogens=False, rings=False)
    machine = gtm.GraphTMClassifier(n_clauses=6, T=8, s=2.0, depth=1, epochs=10, random_state=0, engine="reference")
    return machine, graphs, ["o", "o", "n", "n"] * 3


def test_facts_are_shown_on_the_own_graph(pipeline):
    machine, graphs, y = pipeline
    encoders = gtm.encoders.Neighbourhoods(), gtm.encoders.WholeGraph()
    ex = gtm.explain(make_pipeline(*encoders, machine).fit(graphs, y), graphs, 1)
    clause = next(fired.clause for fired in ex.fired if 0 < len(ex.nodes_of(fired.clause)) < 4)
    ax = ex.plot(clause=clause)
    lit = [place for place, box in enumerate(boxes(ax)) if box.get_facecolor()[:3] == to_rgb(FILL)]
    assert tuple(ex.nodes[place] for place in lit) == ex.nodes_of(clause)
    facts = [fact for step in ex.witness(clause).steps for one in step.conditions for fact in one.granted_by]
    assert facts
    for place, text in enumerate(node_texts(ax)):
        lines = text.get_text().split("\n")
        assert lines[0] == f"{place}: element {'CCCO'[place]}"
        assert (len(lines) > 1) == (place in lit)
        # Facts are written as in the title.
        assert set(lines[1:]) <= {cut(bare(fact), 22) for fact in facts}
    assert ax.get_title().startswith(f"C{clause} is true: ")
    assert ex.witness(clause).plot().get_title() == ax.get_title()
    # A look covers edges at its node, and bonds have no heads.
    assert strong(ax)
    assert all(not head for _, _, *heads in strong(ax) for head in heads)


def test_messages_are_shown_on_the_own_graph(pipeline):
    _, graphs, y = pipeline
    machine = gtm.GraphTMClassifier(n_clauses=8, T=8, s=2.0, depth=2, epochs=10, random_state=0, engine="reference")
    ex = gtm.explain(make_pipeline(gtm.encoders.Neighbourhoods(), machine).fit(graphs, y), graphs, 1)
    deep = [ex.witness(fired.clause) for fired in ex.fired]
    witness = next(one for one in deep if len(one.steps) > 1)
    ax = ex.plot(clause=witness.clause)
    assert len(boxes(ax)) == 4
    assert [text.get_text().split("\n")[0] for text in node_texts(ax)] == [
        f"{n}: element {'CCCO'[n]}" for n in range(4)
    ]
    heads = [arrow[2:] for arrow in strong(ax)]
    assert heads
    # Messages have a direction where bonds have none.
    assert set(heads) == {(False, True)}


# Highlighted parts of any graph


def triangle(both=True):
    graph = gtm.Graph()
    for node in "abc":
        graph.add_node(node, [node.upper()])
    for source, destination in ("ab", "bc", "ca"):
        graph.add_edge(source, destination, "t")
        if both:
            graph.add_edge(destination, source, "t")
    return graph


def test_highlighted_edges_are_arrows_of_their_own():
    ax = draw_graph(triangle(), highlight_edges={("a", "b", "t"): "one"}, layout="circle")
    assert strong(ax) == [(0, 1, False, True)]
    assert [text.get_text() for text in ax.texts] == ["A", "B", "C", "one"]
    assert [text.get_color() for text in ax.texts[:3]] == ["black", "black", PALE_TEXT]
    both = draw_graph(triangle(), highlight_edges=[("a", "b", "t"), ("b", "a", "t")], layout="circle")
    assert strong(both) == [(0, 1, False, False)]
    directed = draw_graph(triangle(both=False), highlight_edges=[("c", "a", "t")], layout="circle")
    assert strong(directed) == [(2, 0, False, True)]


def test_highlighted_nodes_with_scores_keep_their_colours():
    plain = draw_graph(triangle(), node_scores=[1, -1, 0])
    ax = draw_graph(triangle(), node_scores=[1, -1, 0], highlight=["b"])
    assert [box.get_facecolor() for box in boxes(ax)] == [box.get_facecolor() for box in boxes(plain)]
    edges = [matplotlib.colors.to_hex(box.get_edgecolor()) for box in boxes(ax)]
    assert [edge == STRONG for edge in edges] == [False, True, False]
    assert {text.get_color() for text in ax.texts} == {"black"}
    assert legends(ax)["highlighted"] == ["nodes"]


def test_highlighted_nodes_differ_from_readout_nodes():
    graph = triangle()
    graph.set_readout(["a"])
    for scores in (None, [1, 1, 1]):
        ax = draw_graph(graph, highlight=["b"], node_scores=scores)
        assert [box.get_linestyle() for box in boxes(ax)] == ["--", "solid", "solid"]
    assert matplotlib.colors.to_hex(boxes(draw_graph(graph, highlight=["a"]))[0].get_edgecolor()) == BORDER.lower()


def test_labels_of_edges_cover_nothing():
    graph = gtm.Graph()
    for place in range(12):
        graph.add_node(place, ["a long symbol"])
        if place:
            graph.add_edge(place - 1, place, "t")
    texts = {(place, place + 1, "t"): "a label that needs a lot of room" for place in range(11)}
    _, given = pyplot.subplots(figsize=(5, 3))
    ax = draw_graph(graph, ax=given, highlight_edges=texts)
    renderer = ax.figure.canvas.get_renderer()
    shown = [text.get_window_extent(renderer) for text in ax.texts if text.get_text().startswith("a label")]
    nodes = [box.get_window_extent(renderer) for box in boxes(ax)]
    assert not any(label.overlaps(node) for label in shown for node in nodes)
    roomy = draw_graph(graph, highlight_edges={(3, 4, "t"): "C5"})
    assert roomy.texts[-1].get_text() == "C5"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"highlight": ["z"]},
            "'highlight' parameter of draw_graph must have names of nodes, among 'a', 'b', 'c'.*'z'",
        ),
        ({"highlight": "ab"}, r"must be a list of names of nodes. Got the string 'ab' instead; write \['ab'\]"),
        ({"highlight_edges": [("a", "b", "u")]}, r"must have edges of the graph, as .* Got \('a', 'b', 'u'\) instead"),
        ({"highlight_edges": ["ab"]}, r"must have edges of the graph.* Got 'ab' instead"),
        ({"highlight_edges": [("a", "b")]}, r"must have edges of the graph.* Got \('a', 'b'\) instead"),
    ],
)
def test_highlights_that_are_not_there(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_graph(triangle(), **arguments)


def test_hostile_names_are_written_as_they_are():
    graph = gtm.Graph()
    for number, name in enumerate(HOSTILE):
        graph.add_node(name, [name], type=name)
        if number:
            graph.add_edge(HOSTILE[number - 1], name, name)
    last, before = HOSTILE[-1], HOSTILE[-2]
    message = {"granted_by": [{"edge": (before, last, last), "clause": 0}], "literal": {"layer": 1}}
    steps = [{"clause": 1, "node": last, "layer": 1, "conditions": [message, {"granted_by": [last]}]}]
    ax = draw_witness(graph, steps, title="$a$ */ import os", layout="grid")
    written = literal_texts(ax)
    assert "$a$ */ import os" in written
    assert "$x$\n$x$" in written
    assert "'a\\nb'\n'a\\nb'" in written
    assert "naïve ñ Ω\nnaïve ñ Ω" in written
    assert " _hidden" in written  # a legend would hide it without the space
    everything = "\n".join(written)
    assert all(name in everything for name in ("*/ x", "import os", "$\\frac{1}{", "%s {0}", "<b>&amp;"))


def test_letters_that_the_font_lacks_are_harmless():
    graph = gtm.Graph()
    graph.add_node("中文", ["日"])
    ax = draw_graph(graph, node_text="both", highlight=["中文"])
    assert ax.texts[0].get_text() == "中文\n日"
    with pytest.warns(UserWarning, match="missing from font"):
        ax.figure.canvas.draw()
