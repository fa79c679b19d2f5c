"""Tables of hypervectors: the paper's example bit by bit, machines read by sets and loops, and the picture."""

import numpy as np
import pytest
from drawn import HOSTILE, literal_texts
from explained import Naive, chain_machine, models
from hypothesis import given, settings

import graphtm as gtm
from graphtm import codes
from graphtm.codes import Code
from graphtm.model import MachineParams, MachineState, Model

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

from graphtm.explain import Explanation, Message  # noqa: E402
from graphtm.plots import draw_hypervectors  # noqa: E402
from graphtm.plots.tables import CLEAR, SET, TRUE  # noqa: E402


def paper_machine():
    """The table of hypervectors of BAAAE: A has bits 0 and 1 of 8, the clause bits 4 and 5, left is 0 and right is 1.

    An edge to the right neighbour is called left there, from the view of its destination. The clause is
    C^0 = A and C^1 = l1:0 AND r1:0, a message from both sides.
    """
    symbol = Code("random", 8, np.array([[0, 1]], np.int32))
    message = Code("random", 8, np.array([[4, 5]], np.int32))
    params = MachineParams(n_outputs=2, n_clauses=1, hypervector_size=8, message_code=message, depth=2)
    automata = [np.zeros((1, 16), np.uint8), np.zeros((1, 16), np.uint8)]
    automata[0][0, [0, 1]] = automata[1][0, [4, 5, 6]] = 255
    state = MachineState(tuple(automata), np.array([[-1], [1]], np.int32))
    graph = gtm.Graph()
    for number, letter in enumerate("BAAAE", start=1):
        graph.add_node(number, ["A"] if letter == "A" else [])
    for number in range(1, 5):
        graph.add_edge(number, number + 1, "left")
        graph.add_edge(number + 1, number, "right")
    vocabulary = gtm.Vocabulary(["A"], ["left", "right"])
    return Model(vocabulary, symbol, params, state), gtm.GraphBatch.from_graphs([graph], vocabulary)


def test_the_table_of_the_paper():
    model, graphs = paper_machine()
    found = Explanation(model, graphs, ["no", "yes"]).hypervectors(0)
    rows = found.table().rows
    assert [row[2] for row in rows] == [
        "00000000 11111111", "11000000 00111111", "11000000 00111111", "11000000 00111111", "00000000 11111111"
    ]  # fmt: skip
    assert [row[3] for row in rows] == list("01110")
    assert [row[4] for row in rows] == [
        "00000110 11111001", "00000110 11111001", "00001110 11110001", "00001100 11110011", "00001100 11110011"
    ]  # fmt: skip
    assert [row[5] for row in rows] == list("00100")
    assert found.table().header == ("node", "symbols", "H^0", "C0^0", "H^1", "C0^1")
    line = "2 A 11000000 00111111 1 00000110 11111001 0"
    assert " ".join(str(found).splitlines()[2].split()) == line
    latex = found.table().to_latex()
    assert r"node & symbols & $H^{0}$ & $C_{0}^{0}$ & $H^{1}$ & $C_{0}^{1}$ \\" in latex
    assert r"3 & A & 11000000 00111111 & 1 & 00001110 11110001 & 1 \\" in latex
    assert found.layers[1].set_by[2, 5] == (Message("left", 0), Message("right", 0))
    assert found.layers[1].set_by[2, 4] == (Message("left", 0),)
    assert found._repr_html_().count("<tr>") == 6
    frame = found.table().to_frame()
    assert list(frame["C0^1"]) == list("00100")


def test_without_a_clause_and_for_some_nodes():
    model, graphs = paper_machine()
    ex = Explanation(model, graphs, ["no", "yes"])
    found = ex.hypervectors(nodes=[4, 1])
    assert found.table().header == ("node", "symbols", "H^0", "H^1")
    assert [row[0] for row in found.table().rows] == ["4", "1"]
    assert found.table().rows[0][3] == "00001100 11110011"
    with pytest.raises(ValueError, match=r"Every node must be one of 1, 2, 3, 4, 5; got 9"):
        ex.hypervectors(nodes=[9])
    with pytest.raises(ValueError, match="The clause must be a number from 0 to 0; got 3"):
        ex.hypervectors(3)
    with pytest.raises(ValueError, match=r"'max_bits' parameter .* at least 1"):
        found.plot(max_bits=0)


@settings(max_examples=25, deadline=None)
@given(models)
def test_bits_and_what_sets_them(made):
    model, graphs = made
    naive = Naive(model, graphs[0])
    explanation = Explanation(model, graphs[:1], ["a", "b", "c"])
    clause = model.params.n_clauses - 1
    found = explanation.hypervectors(clause)
    symbols, kinds = model.vocabulary.symbols, model.vocabulary.edge_types
    for layer, table in enumerate(found.layers):
        size = model.params.layer_size(layer)
        assert table.bits.shape == (len(naive.nodes), size)
        for node, bit in np.ndindex(table.bits.shape):
            granting = naive.granting(layer, bit, node)
            assert table.bits[node, bit] == bool(granting)
            if layer == 0:
                expected = {symbols[symbol] for symbol in granting}
            else:
                expected = {Message(kinds[naive.edges[edge][2]], sender) for edge, sender in granting}
            assert set(table.set_by.get((node, bit), ())) == expected
        included = set(naive.includes[layer][clause])
        kinds_of = {(True, False): 1, (False, True): -1, (True, True): 2, (False, False): 0}
        wanted = [kinds_of[bit in included, bit + size in included] for bit in range(size)]
        assert table.wanted.tolist() == wanted
        assert table.holds.tolist() == [(clause, node) in naive.true[layer] for node in range(len(naive.nodes))]
        for bit, owners in table.owners.items():
            assert len(owners) == len(naive.owners(layer, bit))


# The picture


def cells(ax):
    """Texts and colours of boxes by the place of their centres, rows from above."""
    found = []
    for box in [patch for patch in ax.patches if isinstance(patch, Rectangle)]:
        centre = box.get_xy() + np.array([box.get_width(), box.get_height()]) / 2
        (text,) = (text.get_text() for text in ax.texts if np.allclose(text.get_position(), centre))
        found.append((-round(centre[1], 3), round(centre[0], 3), text, to_hex(box.get_facecolor())))
    rows = {}
    for y, x, text, colour in sorted(found):
        rows.setdefault(y, []).append((x, text, colour))
    return [[(text, colour) for _, text, colour in sorted(row)] for row in rows.values()]


def look(style):
    return to_hex(style["facecolor"])


def test_a_picture_of_the_paper_table():
    model, graphs = paper_machine()
    ax = Explanation(model, graphs, ["no", "yes"]).hypervectors(0).plot()
    rows = cells(ax)
    assert len(rows) == 5
    assert [text for text, _ in rows[0]] == ["0"] * 8 + ["0"] + ["0"] * 5 + ["right:C0"] * 2 + ["0"] + ["0"]
    first = rows[2]
    assert [text for text, _ in first[:9]] == ["A", "A", *"000000", "1"]
    assert [text for text, _ in first[9:]] == [
        "0", "0", "0", "0", "left:C0", "left:C0\nright:C0", "right:C0", "0", "1"
    ]  # fmt: skip
    assert [colour for _, colour in first[:9]] == [look(SET)] * 2 + [look(CLEAR)] * 6 + [look(TRUE)]
    assert [row[8][1] == look(TRUE) for row in rows] == [False, True, True, True, False]
    assert [row[17][1] == look(TRUE) for row in rows] == [False, False, True, False, False]
    assert ax.get_title() == "C0: A AND left:C0 AND ANY OF 2: (left:C0, right:C0) AND right:C0"
    texts = [text.get_text() for text in ax.texts]
    assert {"hypervector", "inbox at layer 1", "C0 includes", "1", "2: A", "3: A"} <= set(texts)
    wanted = [text for text in ax.texts if text.get_weight() == "bold" and text.get_text() == "1"]
    assert len(wanted) == 5
    heads = {text.get_position()[0]: text.get_text() for text in ax.texts if text.get_va() == "bottom"}
    assert [heads[text.get_position()[0]] for text in wanted] == ["0", "1", "4", "5", "6"]


def test_bits_with_one_owner_are_named_in_the_heading():
    model, graphs = chain_machine()
    ax = Explanation(model, graphs, ["no", "yes"]).hypervectors(1).plot()
    heads = [text.get_text() for text in ax.texts if text.get_va() == "bottom"]
    assert heads == ["A", "B", "C1", "red:C0", "red:C1", "C1"]
    assert [text for text, _ in cells(ax)[2]] == ["0", "1", "1", "1", "0", "1"]
    bold = [text.get_text() for text in ax.texts if text.get_weight() == "bold"]
    # B must be set and A must not; a message of C0 must arrive.
    assert bold == ["hypervector", "0", "1", "inbox at layer 1", "1"]


def test_texts_do_not_overlap():
    model, graphs = chain_machine()
    ax = Explanation(model, graphs, ["no", "yes"]).hypervectors(1).plot()
    renderer = ax.figure.canvas.get_renderer()
    extents = [text.get_window_extent(renderer) for text in ax.texts]
    assert not any(one.overlaps(other) for place, one in enumerate(extents) for other in extents[:place])
    width, height = ax.figure.canvas.get_width_height()
    assert all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height for box in extents)


def test_large_hypervectors_show_the_bits_that_matter():
    symbols = [f"s{number}" for number in range(200)]
    params = MachineParams(n_outputs=2, n_clauses=1, hypervector_size=200, message_code=None, depth=1)
    automata = np.zeros((1, 400), np.uint8)
    automata[0, [150, 200 + 160]] = 255
    state = MachineState((automata,), np.array([[-1], [1]], np.int32))
    graph = gtm.Graph()
    graph.add_node("x", [f"s{number}" for number in range(0, 80, 2)])
    graph.add_node("y", ["s150", "s8", "s10"])
    vocabulary = gtm.Vocabulary(symbols, [])
    model = Model(vocabulary, codes.one_hot(200), params, state)
    found = Explanation(model, gtm.GraphBatch.from_graphs([graph], vocabulary), ["no", "yes"]).hypervectors(0)
    assert found.layers[0].chosen(4) == [8, 10, 150, 160]
    ax = found.plot(max_bits=4)
    texts = [text.get_text() for text in ax.texts]
    assert "hypervector: 4 of 200 bits" in texts
    assert [[text for text, _ in row] for row in cells(ax)] == [["1", "1", "0", "0", "0"], ["1", "1", "1", "0", "1"]]
    assert len(found.to_dict()["layers"][0]["columns"]) == 200
    many = found.plot()
    assert "hypervector: 24 of 200 bits" in [text.get_text() for text in many.texts]


def test_given_axes():
    _, ax = pyplot.subplots(figsize=(2, 1))
    model, graphs = chain_machine()
    assert Explanation(model, graphs, ["no", "yes"]).hypervectors(1).plot(ax=ax) is ax
    assert max(text.get_fontsize() for text in ax.texts) < 7


def test_hostile_names_are_written_as_they_are():
    layer = {"title": "$t$", "columns": HOSTILE, "cells": [HOSTILE], "wanted": [""] * len(HOSTILE), "holds": [True]}
    ax = draw_hypervectors(["import os: $x$"], [layer], clause="C0", title="$y$")
    written = literal_texts(ax)
    assert {*HOSTILE[:-1], "$t$", "$y$", "import os: $x$"} <= set(written)
    graph = gtm.Graph()
    for name in HOSTILE:
        graph.add_node(name, HOSTILE)
    graphs = gtm.GraphBatch.from_graphs([graph, graph])
    clf = gtm.GraphTMClassifier(n_clauses=2, T=2, s=2.0, depth=1, epochs=1, engine="reference", random_state=0)
    found = clf.fit(graphs, ["$a$", "b"]).explain(graphs[0]).hypervectors(0)
    written = literal_texts(found.plot(max_bits=12))
    assert "'$x$'" in written
    assert "'a\\nb'" in str(found)
    assert len(str(found).splitlines()) == len(HOSTILE) + 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cells": [["A", ""]]}, r"must have a row of 2 cells for each of 2 nodes.* Got rows of \[2, 2\] cells in 'h'"),
        ({"cells": [["A"], ["B"]]}, r"Got rows of \[1, 1, 2\] cells in 'h'"),
        ({"holds": [True]}, "must tell for each of 2 nodes whether the clause holds. Got 1 values in 'h'"),
    ],
)
def test_tables_that_do_not_fit(changes, message):
    layer = {"title": "h", "columns": ["0", "1"], "cells": [["A", ""], ["", "B"]], "wanted": ["1", ""],
             "holds": [True, False]}  # fmt: skip
    with pytest.raises(ValueError, match=message):
        draw_hypervectors(["x", "y"], [layer | changes], clause="C0")
