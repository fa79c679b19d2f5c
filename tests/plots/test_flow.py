"""Message flows: the data against machines read by sets and loops, and the picture against the data."""

import numpy as np
import pytest
from drawn import HOSTILE, literal_texts
from explained import EDGE_TYPES, Naive, chain_machine, graded_machine, models, random_model
from hypothesis import given, settings
from sklearn.pipeline import make_pipeline

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # noqa: E402

from graphtm.explain import Explanation  # noqa: E402
from graphtm.plots import draw_message_flow  # noqa: E402
from graphtm.plots.flow import FAILS, HOLDS, MOST_COLUMNS, MOST_ROWS, NEEDED  # noqa: E402

# The data


def needed(naive, clause, node, layer, found):
    """Everything that a clause at a node up to a layer depends on: (clause, node, layer), and messages."""
    if (clause, node, layer) in found[0]:
        return found
    found[0].add((clause, node, layer))
    for own in range(1, layer + 1):
        for literal in naive.includes[own][clause]:
            negated, bit = divmod(literal, naive.model.params.layer_size(own))
            for edge, sender in [] if negated else naive.granting(own, bit, node):
                found[1].add((own, sender, edge, clause))
                needed(naive, sender, naive.edges[edge][0], own - 1, found)
    return found


@settings(max_examples=25, deadline=None)
@given(models)
def test_the_flow_has_all_that_a_clause_depends_on(made):
    model, graphs = made
    for number in range(len(graphs)):
        explanation = Explanation(model, graphs[number : number + 1], ["a", "b", "c"])
        naive = Naive(model, graphs[number])
        for fired in explanation.fired:
            flow = explanation.message_flow(fired.clause)
            place = naive.nodes.index(flow.node)
            assert flow.node == fired.nodes[0]
            keys, messages = needed(naive, fired.clause, place, model.params.depth - 1, (set(), set()))
            expected = {(layer, clause, node) for clause, node, top in keys for layer in range(top + 1)}
            found = {(part.layer, part.clause, naive.nodes.index(node)) for part in flow.parts for node in part.needed}
            assert found == expected
            for part in flow.parts:
                at = {naive.nodes.index(node) for node in part.holds}
                assert at == {n for clause, n in naive.true[part.layer] if clause == part.clause}
                assert set(part.needed) <= set(part.holds)
            named = {
                (layer, sender, naive.nodes[naive.edges[edge][0]], naive.nodes[naive.edges[edge][1]], to)
                for layer, sender, edge, to in messages
            }
            assert named == {(one.layer, one.clause, *one.edge[:2], one.to) for one in flow.messages}
            assert {one.edge.type for one in flow.messages} <= set(EDGE_TYPES)
            rows = [(part.layer, part.clause) for part in flow.parts]
            assert len(set(rows)) == len(rows)
            assert rows[-1] == (model.params.depth - 1, fired.clause)


def test_text_and_data():
    model, graphs = chain_machine()
    flow = Explanation(model, graphs, ["no", "yes"]).message_flow(1)
    assert str(flow).splitlines() == [
        "C1 is true at 'z': B AND NOT A AND red:C0",
        "  layer 0",
        "    C0: A   needed at 'x', 'y'",
        "    C1: B AND NOT A   needed at 'z'",
        "  layer 1",
        "    C1: red:C0   needed at 'z'",
        "    message of C0 to C1: 'x' -red-> 'z'",
        "    message of C0 to C1: 'y' -red-> 'z'",
    ]
    data = flow.to_dict()
    assert data["parts"][0] == {"layer": 0, "clause": 0, "text": "A", "holds": ["x", "y"], "needed": ["x", "y"]}
    assert data["messages"][1] == {"layer": 1, "clause": 0, "edge": ("y", "z", "red"), "to": 1}
    assert (data["focus"], data["nodes"], data["node_text"]) == ("z", ["x", "y", "z"], ["x\nA", "y\nA", "z\nB"])
    assert repr(flow).startswith("MessageFlow(clause=1, node='z', nodes=('x', 'y', 'z'), parts=(")
    by_hand = draw_message_flow(**data)
    assert [text.get_text() for text in by_hand.texts] == [text.get_text() for text in flow.plot().texts]


def test_node_types_and_missed_messages():
    model, graphs = graded_machine(2, ("u", "v"))
    ex = Explanation(model, graphs, ["no", "yes"])
    flow = ex.message_flow(1)
    assert flow.parts[0].text.startswith("TYPE v AND ") or flow.parts[-1].text
    assert [part.text for part in flow.parts if part.layer == 0 and part.clause == 1] == ["TYPE v AND B AND NOT A"]
    model, graphs = graded_machine(2)
    flow = Explanation(model, graphs, ["no", "yes"]).message_flow(1, "y")
    # No message arrives at y, so that it depends on none; the clause misses two of its conditions there.
    assert flow.messages == ()
    assert {part.clause for part in flow.parts} == {1}
    assert "has strength 1 of 3 at 'y'" in flow.title
    assert "y" not in flow.parts[-1].holds


@pytest.mark.parametrize("names", [("n", "m"), (0, 1)])
def test_after_whole_graph_the_title_names_no_node_of_the_own_graph(names):
    graphs = [gtm.Graph() for _ in range(40)]
    for number, graph in enumerate(graphs):
        for name, symbol in zip(names, ("ab"[number % 2], "z"), strict=True):
            graph.add_node(name, [symbol])
        graph.add_edge(*names, type="t")
    machine = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=2, epochs=3, random_state=0, engine="reference")
    pipeline = make_pipeline(gtm.encoders.WholeGraph(min_graphs=1), machine).fit(graphs, [0, 1] * 20)
    ex = gtm.explain(pipeline, graphs, 1)
    for fired in ex.fired:
        flow = ex.message_flow(fired.clause)
        assert flow.title.startswith(f"C{fired.clause} is true: ")
        assert flow.title == ex.plot(clause=fired.clause).get_title().replace("\n", " ") == str(flow).splitlines()[0]
        assert flow.plot().get_title().startswith(f"C{fired.clause} is true: ")
    assert ex.fired


def test_wrong_questions():
    model, graphs = chain_machine()
    ex = Explanation(model, graphs, ["no", "yes"])
    with pytest.raises(ValueError, match=r"must be true at the node; got 'x', but C1 is true at 'z'"):
        ex.message_flow(1, "x")
    with pytest.raises(ValueError, match="The clause must be a number from 0 to 1; got 5"):
        ex.message_flow(5)
    with pytest.raises(ValueError, match=r"must have one string per node, 1 in total\. Got 2 instead"):
        draw_message_flow(["x"], [], [], node_text=["a", "b"])


# The picture


def chips(ax):
    """Boxes by the text in them and their place, rows from below: text, look and centre."""
    found = []
    for box in [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]:
        centre = ((box.get_bbox().min + box.get_bbox().max) / 2).round(3)
        near = [text for text in ax.texts if np.allclose(text.get_position(), centre)]
        found.append((near[0].get_text(), to_hex(box.get_facecolor()), *centre, box.get_linewidth()))
    return found


def arrows(ax, style="-|>"):
    return [one for one in ax.patches if isinstance(one, FancyArrowPatch) and one.get_arrowstyle().arrow == style]


def colour(look):
    return to_hex(look["facecolor"])


@pytest.fixture
def flow():
    """C3 is A AND right:C3 AND right(2):C3, on the word BAAAE."""
    names = list(range(5))
    parts = [
        {"layer": 0, "clause": 3, "text": "A", "holds": [1, 2, 3], "needed": [1, 2, 3]},
        {"layer": 1, "clause": 3, "text": "right:C3", "holds": [2, 3], "needed": [2, 3]},
        {"layer": 2, "clause": 3, "text": "right(2):C3", "holds": [3], "needed": [3]},
        {"layer": 0, "clause": 8, "text": "ANY NODE", "holds": names, "needed": [4]},
    ]
    messages = [
        {"layer": 1, "clause": 3, "edge": (1, 2, "right"), "to": 3},
        {"layer": 1, "clause": 3, "edge": (2, 3, "right"), "to": 3},
        {"layer": 2, "clause": 3, "edge": (2, 3, "right"), "to": 3},
        {"layer": 1, "clause": 8, "edge": (4, 3, "left"), "to": 3},
    ]
    return {"nodes": names, "parts": parts, "messages": messages, "focus": 3, "node_text": list("BAAAE")}


def test_boxes_are_filled_where_parts_hold(flow):
    ax = draw_message_flow(**flow, title="C3 is true at 3")
    assert ax.get_title() == "C3 is true at 3"
    found = chips(ax)
    columns = sorted({x for text, _, x, *_ in found if text in "BAAAE"})
    heads = [text for text, *_ in sorted(found, key=lambda chip: chip[2]) if text in "BAE"]
    assert heads == list("BAAAE")
    rows = sorted({y for text, _, _, y, _ in found if text.startswith("C")})
    assert (len(columns), len(rows)) == (5, 4)
    looks = {(columns.index(x), rows.index(y)): (text, look, width) for text, look, x, y, width in found if y in rows}
    # Rows from below: C3 and C8 in layer 0, in the order given, then C3 in layers 1 and 2.
    assert [looks[0, row][0] for row in range(4)] == ["C3", "C8", "C3", "C3"]
    expected = {"needed": colour(NEEDED), "holds": colour(HOLDS), "fails": colour(FAILS)}
    assert len(set(expected.values())) == 3
    states = [["fails", *["needed"] * 3, "fails"], [*["holds"] * 4, "needed"]]
    states += [["fails", "fails", "needed", "needed", "fails"], [*["fails"] * 3, "needed", "fails"]]
    for row, line in enumerate(states):
        assert [looks[column, row][1] for column in range(5)] == [expected[state] for state in line]
    widest = max(looks, key=lambda place: looks[place][2])
    assert widest == (3, 3)


def test_arrows_lead_from_layer_to_layer(flow):
    ax = draw_message_flow(**flow)
    found = chips(ax)
    columns = sorted({x for text, _, x, *_ in found if text in "BAAAE"})
    rows = sorted({y for text, _, _, y, _ in found if text.startswith("C")})
    ends = set()
    for arrow in arrows(ax):
        (x, y), (u, v) = np.round(arrow._posA_posB, 3)
        # Arrows leave at the upper border of a box and end at the lower border of another.
        start = max(row for row in range(4) if rows[row] < y)
        end = min(row for row in range(4) if rows[row] > v)
        ends.add((columns.index(x), start, columns.index(u), end, to_hex(arrow.get_edgecolor())))
    right, left = (to_hex(graphics) for graphics in ("#0072B2", "#D55E00"))
    assert ends == {(1, 0, 2, 2, right), (2, 0, 3, 2, right), (2, 2, 3, 3, right), (4, 1, 3, 2, left)}
    dotted = [one._posA_posB for one in arrows(ax, "-") if one.get_linestyle() == ":"]
    assert sorted(columns.index(round(ends[0][0], 3)) for ends in dotted) == [2, 3, 3]
    legend = [text.get_text() for one in ax.get_children() if hasattr(one, "get_texts") for text in one.get_texts()]
    assert legend == [
        "message over right",
        "message over left",
        "AND",
        "holds, and is needed",
        "holds",
        "does not hold",
    ]


def test_rules_stand_beside_their_rows(flow):
    ax = draw_message_flow(**flow)
    texts = {text.get_text(): text.get_position() for text in ax.texts if text.get_ha() == "left"}
    assert set(texts) == {
        "layer 0", "layer 1", "layer 2", "C3: A", "C8: ANY NODE", "C3: right:C3", "C3: right(2):C3"
    }  # fmt: skip
    order = ["layer 0", "C3: A", "C8: ANY NODE", "layer 1", "C3: right:C3", "layer 2", "C3: right(2):C3"]
    heights = [texts[text][1] for text in order]
    assert heights == sorted(heights)
    renderer = ax.figure.canvas.get_renderer()
    left = min(box.get_window_extent(renderer).x0 for box in ax.patches if isinstance(box, FancyBboxPatch))
    assert all(text.get_window_extent(renderer).x1 < left for text in ax.texts if text.get_ha() == "left")


def test_long_rules_are_cut(flow):
    long = " AND ".join(f"NOT symbol{number}" for number in range(60))
    parts = [{**part, "text": long} for part in flow["parts"]]
    ax = draw_message_flow(**{**flow, "parts": parts})
    rules = [text for text in ax.texts if text.get_text().startswith("C3: NOT")]
    assert [text.get_text().count("\n") for text in rules] == [2, 2, 2]
    assert all(text.get_text().endswith(" …") for text in rules)
    renderer = ax.figure.canvas.get_renderer()
    extents = [text.get_window_extent(renderer) for text in ax.texts if text.get_ha() == "left"]
    assert not any(one.overlaps(other) for place, one in enumerate(extents) for other in extents[:place])


def test_large_flows_are_cut(flow):
    many = {**flow, "nodes": list(range(40)), "node_text": [f"n{number}" for number in range(40)]}
    many["parts"] = [{**part, "needed": [node + 30 for node in part["needed"]]} for part in flow["parts"]]
    many["messages"] = [{**one, "edge": (one["edge"][0] + 30, one["edge"][1] + 30, "t")} for one in flow["messages"]]
    ax = draw_message_flow(**many)
    shown = [text.get_text() for text in ax.texts if text.get_text().startswith("n")]
    assert len(shown) == MOST_COLUMNS
    assert set(shown) >= {"n31", "n32", "n33", "n34"}
    assert f"{MOST_COLUMNS} of 40 nodes" in [text.get_text() for text in ax.texts]
    assert len(arrows(ax)) == 4
    deep = [{**flow["parts"][0], "layer": layer} for layer in range(MOST_ROWS + 5)]
    ax = draw_message_flow(flow["nodes"], deep, [])
    assert "5 parts of lower layers left out" in [text.get_text() for text in ax.texts]
    assert ax.figure.get_size_inches()[1] < 16


def test_given_axes_shrink_the_letters(flow):
    _, ax = pyplot.subplots(figsize=(2.5, 2))
    assert draw_message_flow(**flow, ax=ax) is ax
    assert max(text.get_fontsize() for text in ax.texts) < 8
    renderer, extent = ax.figure.canvas.get_renderer(), ax.get_window_extent()
    for text in ax.texts:
        box = text.get_window_extent(renderer)
        assert box.x0 >= extent.x0 - 2
        assert box.x1 <= extent.x1 + 2


def test_random_flows_can_be_drawn():
    drawn = 0
    for seed in (10, 16):
        model, graphs = random_model(seed)
        ex = Explanation(model, graphs[:1], ["a", "b", "c"])
        flow = max((ex.message_flow(fired.clause) for fired in ex.fired), key=lambda one: len(one.messages))
        ax = flow.plot()
        assert len(chips(ax)) == (len(flow.parts) + 1) * len(flow.nodes)
        assert 0 < len(arrows(ax)) <= len(flow.messages)
        drawn += len(arrows(ax))
    assert drawn > 5


def test_hostile_names_are_written_as_they_are():
    graph = gtm.Graph()
    for name in HOSTILE:
        graph.add_node(name, [name])
    parts = [{"layer": 0, "clause": 0, "text": "$x$ AND 'a\\nb'", "holds": HOSTILE, "needed": HOSTILE[:1]}]
    parts += [{**parts[0], "layer": 1}]
    messages = [{"layer": 1, "clause": 0, "edge": (name, HOSTILE[0], name), "to": 0} for name in HOSTILE[:3]]
    ax = draw_message_flow(HOSTILE, parts, messages, focus=HOSTILE[0], title="$y$ */")
    written = literal_texts(ax)
    assert {"$x$", "*/ x", "import os", "'a\\nb'", "naïve ñ Ω", "''", "C0: $x$ AND 'a\\nb'", "$y$ */"} <= set(written)


def test_without_matplotlib(flow, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(gtm.errors.MissingLibraryError, match=r"graphtm\[plots\]"):
        draw_message_flow(**flow)
