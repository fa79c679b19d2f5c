"""A batch as a value: indexing, equality, concatenation, readout, vocabularies."""

import dataclasses
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import batches, graph_lists

import graphtm as gtm

from_graphs = gtm.GraphBatch.from_graphs


def words(*texts: str) -> gtm.GraphBatch:
    graphs = []
    for text in texts:
        graph = gtm.Graph()
        for place, letter in enumerate(text):
            graph.add_node(place, [letter])
        for place in range(len(text) - 1):
            graph.add_edge(place, place + 1, "right")
        graphs.append(graph)
    return from_graphs(graphs)


@given(batches(), st.data())
def test_any_indexing_selects_what_a_list_would(graphs_and_batch, data):
    graphs, batch = graphs_and_batch
    n = len(graphs)
    if n:
        place = data.draw(st.integers(-n, n - 1))
        assert batch[place] == graphs[place]
        assert batch[np.int32(place)] == graphs[place]
        assert batch[np.uint8(place % n)] == graphs[place % n]
    window = data.draw(st.slices(n))
    assert list(batch[window]) == graphs[window]
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    for form in (mask, np.array(mask, dtype=bool)) if n else (np.zeros(0, bool),):
        selected = batch[form]
        selected.validate()
        assert list(selected) == [graph for graph, chosen in zip(graphs, mask, strict=True) if chosen]
    places = data.draw(st.lists(st.integers(-n, n - 1), max_size=8)) if n else []
    for form in (places, np.array(places, dtype=np.int64), np.array(places, dtype=np.int8)):
        selected = batch[form]
        selected.validate()
        assert selected.vocabulary == batch.vocabulary
        assert list(selected) == [graphs[place] for place in places]
        assert list(batch[form, ...]) == list(selected)


def test_a_mask_selects_by_truth():
    batch = words("A", "B", "C")
    assert list(batch[[False, True, False]]) == [batch[1]]
    assert list(batch[[0, 1, 0]]) == [batch[0], batch[1], batch[0]]


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (3, "graphs 0..2; got index 3"),
        (-4, "graphs 0..2; got index -4"),
        ([0, 5], "graphs 0..2; got 5"),
        ([True, False], r"one entry per graph, 3; got shape \(2,\)"),
        ([0.0, 1.0], "integers, a slice or a mask"),
        ("A", "integers, a slice or a mask"),
        (1.0, "integers, a slice or a mask"),
        (True, r"one entry per graph, 3; got shape \(\)"),
        ((0, 1), "one dimension"),
        (np.array([2**64 - 1], dtype=np.uint64), "graphs 0..2; got 18446744073709551615"),
    ],
)
def test_wrong_indices_are_refused(index, message):
    with pytest.raises(IndexError, match=message):
        words("A", "B", "C")[index]


@given(graph_lists(min_size=1), graph_lists(min_size=1))
def test_equality(one, other):
    assert from_graphs(one) == from_graphs(one)
    first = from_graphs(one)
    if first == from_graphs(other):
        assert one == other
    assert first != "batch"


def test_equality_sees_every_part():
    base = words("AB", "BA")
    assert base != words("AB", "BB")
    assert base != words("BA", "AB")
    assert base != words("AB")
    assert base != base.with_readout([0, 2])
    assert base == base.with_readout([0, 1, 2, 3])
    typed = gtm.GraphBatch.from_arrays([1], node_types=["x"])
    assert typed != gtm.GraphBatch.from_arrays([1])
    named = gtm.Graph()
    named.add_node("name")
    unnamed = gtm.Graph()
    unnamed.add_node(0)
    assert from_graphs([named]) != from_graphs([unnamed])


@given(st.lists(batches(min_size=1, max_size=3), min_size=1, max_size=3))
def test_concatenation_is_that_of_lists(parts):
    typed = {graph.node_type(graph.nodes[0]) is not None for graphs, _ in parts for graph in graphs}
    assume(len(typed) == 1)
    joined = gtm.GraphBatch.concatenate([batch for _, batch in parts])
    joined.validate()
    assert list(joined) == [graph for graphs, _ in parts for graph in graphs]


def test_layouts_are_chosen_anew_where_sizes_change():
    narrow = gtm.GraphBatch.from_arrays([10_000], np.ones((10_000, 1), bool), symbols=["a"])
    wide = gtm.Vocabulary(["a", *range(100_000)])
    assert narrow.with_vocabulary(wide).pack().nbytes < 10**6
    many = gtm.GraphBatch.from_arrays([1], (np.zeros(100_000, int), np.arange(100_000)))
    joined = gtm.GraphBatch.concatenate([narrow, many])
    joined.validate()
    assert joined.pack().nbytes < 2 * 10**6


def test_too_many_edges_together_are_refused(monkeypatch):
    monkeypatch.setattr("graphtm.foundation.arrays.LIMIT", 3)
    with pytest.raises(gtm.GraphError, match="edges; got 4"):
        gtm.GraphBatch.concatenate([gtm.GraphBatch.from_arrays([1], edges=([0, 0], [0, 0]))] * 2)


def test_concatenation_keeps_the_numbers_of_the_first_batch():
    joined = gtm.GraphBatch.concatenate([words("AB"), words("CB")])
    assert list(joined.vocabulary.symbols) == ["A", "B", "C"]


def test_concatenation_mixes_layouts():
    wide = gtm.GraphBatch.from_arrays([1], ([0], [999]), symbols=[f"w{n}" for n in range(1000)])
    joined = gtm.GraphBatch.concatenate([words("AB"), wide])
    joined.validate()
    assert [joined[1].properties(0), joined[0].properties(1)] == [("w999",), ("B",)]


def test_untyped_graphs_do_not_take_a_typed_vocabulary():
    typed = gtm.Vocabulary(["A"], ["right"], ["x"])
    with pytest.raises(gtm.GraphError, match="since the vocabulary has node types, 'x'"):
        words("A").with_vocabulary(typed)
    with pytest.raises(TypeError, match="must be a Vocabulary; got a 'list'"):
        words("A").with_vocabulary(["A"])


def test_validate_sees_the_batch_as_a_whole():
    packed = words("AB", "CD").pack()
    for broken, message in (
        ({"node_ptr": np.array([1, 2, 4])}, "node_ptr must be int64 and ascend"),
        ({"node_ptr": np.array([0, 2**63 - 1, -(2**63), -(2**62), 4])}, "node_ptr must be int64 and ascend"),
        ({"node_names": (None,) * 9}, "got 9 for 2 graphs"),
        ({"readout": np.ones(4, np.int8)}, "readout must be bool"),
        ({"readout": np.array([2, 1, 1, 255], np.uint8).view(np.bool_)}, "stored as bytes 0 or 1"),
        ({"node_types": np.array([0.5, 1, 1, 1])}, "node types must be int32"),
        ({"node_types": np.zeros(4, np.int32)}, "if and only if the vocabulary has"),
    ):
        with pytest.raises(gtm.GraphError, match=message):
            gtm.GraphBatch(dataclasses.replace(packed, **broken)).validate()


def test_concatenation_refuses():
    with pytest.raises(TypeError, match="must be a list of GraphBatch"):
        gtm.GraphBatch.concatenate(words("A", "B"))
    with pytest.raises(gtm.GraphError, match="batches must not be empty"):
        gtm.GraphBatch.concatenate([])
    typed = gtm.GraphBatch.from_arrays([1], node_types=["x"])
    with pytest.raises(gtm.GraphError, match="batch 1 has node types, batch 0 has none"):
        gtm.GraphBatch.concatenate([words("A"), typed])


def test_readout_in_every_form():
    batch = words("ABC", "DE")
    expected = [("readout of the first", (1, 2)), ("of the second", (0,))]
    mask = np.array([False, True, True, True, False])
    for nodes in ([1, 2, 3], np.array([3, 2, 1, 1]), mask, mask.tolist(), [[1, 2], [0]], [(2, 1), {0}]):
        read = batch.with_readout(nodes)
        read.validate()
        assert [graph.readout for graph in read] == [nodes for _, nodes in expected]
        assert read[[1]][0].readout == (0,)
        assert "readout nodes: 3" in str(read)
        assert read.with_readout(None) == batch
    assert batch[0].readout is None


def test_readout_by_node_name():
    graph = gtm.Graph()
    graph.add_node("left")
    graph.add_node("right")
    assert from_graphs([graph]).with_readout([["right"]])[0].readout == ("right",)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([0], "graph 1 has none. Remove such graphs"),
        ([0, 5], "must be in 0..4; got 5"),
        ([-1, 3], "must be in 0..4; got -1"),
        ([True, False], r"one entry per node, 5; got \(2,\)"),
        ([[0]], "one list per graph, 2; got 1"),
        ([[0], [2]], "graph 1 has no node 2"),
        ([[0], []], "graph 1 has none"),
        ([0.5, 3.0], "readout nodes must be integers"),
        ([None, [0]], "a list of names; got None for graph 0"),
        (["ab", "cd"], r"a list of names; got 'ab' for graph 0"),
    ],
)
def test_wrong_readouts_are_refused(nodes, message):
    with pytest.raises(gtm.GraphError, match=message):
        words("ABC", "DE").with_readout(nodes)


@given(graph_lists(min_size=1))
def test_other_numbers_same_graphs(graphs):
    batch = from_graphs(graphs)
    mine = batch.vocabulary
    other = gtm.Vocabulary(
        ["extra", *reversed(mine.symbols)], [*reversed(mine.edge_types), "more"], list(reversed(mine.node_types))
    )
    assume("extra" not in mine.symbols)
    assume("more" not in mine.edge_types)
    moved = batch.with_vocabulary(other)
    moved.validate()
    assert moved.vocabulary == other
    assert list(moved) == graphs


def test_unknown_names_are_refused_or_dropped():
    batch = words("AB", "AC")
    known = gtm.Vocabulary(["A"], [])
    with pytest.raises(gtm.UnknownSymbolError, match=r"Unknown symbols 'B', 'C': not in the vocabulary, which has 1"):
        batch.with_vocabulary(known)
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown edge type 'right'"):
        batch.with_vocabulary(gtm.Vocabulary(["A", "B", "C"]))
    kept = batch.with_vocabulary(known, unknown="ignore")
    kept.validate()
    assert kept[0].properties(0) == ("A",)
    assert kept[0].properties(1) == ()
    assert kept[0].edges == ()
    with pytest.raises(ValueError, match=r"must be 'error' or 'ignore'\. Got 'drop' instead"):
        batch.with_vocabulary(known, unknown="drop")


def test_unused_names_need_not_be_known():
    batch = words("AB", "AC")[:1]
    assert batch.with_vocabulary(gtm.Vocabulary(["A", "B"], ["right"]))[0] == batch[0]


def test_unknown_node_types_are_always_refused():
    typed = gtm.GraphBatch.from_arrays([2], node_types=["x", "y"])
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown node type 'y'"):
        typed.with_vocabulary(gtm.Vocabulary(node_types=["x"]), unknown="ignore")


def test_chunks_cover_the_batch_in_order():
    batch = words("A", "ABCDE", "AB", "C", "ABC")
    chunks = list(batch.chunks(max_nodes=3))
    assert [chunk.node_counts.tolist() for chunk in chunks] == [[1], [5], [2, 1], [3]]
    assert [graph for chunk in chunks for graph in chunk] == list(batch)


def test_text_forms():
    batch = words("ABCDEFGHIJKL", "AB")
    assert repr(batch) == "GraphBatch(2 graphs, 14 nodes, 12 edges, 12 symbols, 1 edge type)"
    assert str(batch).splitlines()[1:4] == [
        "  symbols: A, B, C, D, E, F, G, H, I, J, ... (12 in all)",
        "  edge types: right",
        "  nodes per graph: 2 to 12",
    ]
    assert repr(gtm.GraphBatch.from_arrays([1], node_types=["x"])).endswith("0 edge types, 1 node type)")


def test_a_batch_is_not_hashable():
    with pytest.raises(TypeError, match="unhashable"):
        hash(words("A"))


def test_a_batch_and_a_vocabulary_as_tables():
    batch = gtm.GraphBatch.from_arrays(
        [2, 1], np.eye(3), ["<b>", ("a", "&"), "c"], edges=([0], [1]), edge_types=["<up>"], node_types=["x", "y", "x"]
    ).with_readout([0, 2])
    html = batch._repr_html_()
    assert "<b>" not in html
    assert "&lt;up&gt;" in html
    root = ElementTree.fromstring(html)
    assert root.find("caption").text == repr(batch)
    facts = dict(line.strip().split(": ", 1) for line in str(batch).splitlines()[1:])
    assert {row.find("th").text: row.find("td").text for row in root.iter("tr")} == facts
    assert facts["symbols"] == "'<b>', a='&', c"
    names = ElementTree.fromstring(batch.vocabulary._repr_html_())
    assert [cell.text for cell in names.iter("td")] == [facts["symbols"], facts["edge types"], facts["node types"]]
    assert "memory" not in batch.node_examples(1)._repr_html_()


@pytest.mark.parametrize("max_nodes", [0, -1, 1.5, True, None])
def test_chunks_have_at_least_one_node(max_nodes):
    with pytest.raises(ValueError, match=r"'max_nodes' parameter of chunks must be an int of at least 1. Got"):
        gtm.GraphBatch.from_arrays([1, 2]).chunks(max_nodes)


def test_readout_by_name_is_no_mapping():
    with pytest.raises(gtm.GraphError, match=r"must be a list of names; got \{0: False\} for graph 0"):
        gtm.GraphBatch.from_arrays([2]).with_readout([{0: False}])
