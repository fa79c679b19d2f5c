"""Graphs as lines of JSON."""

import gc
import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import batches, holds_none

import graphtm as gtm
from graphtm.graphs.convert import read_jsonl, to_networkx, write_jsonl

# NumPy cuts NUL characters off the end of a string; such labels are refused.
TEXTS = st.text(max_size=3).filter(lambda text: not text.endswith("\0"))
LABELS = st.sampled_from([TEXTS, st.integers(-9, 9), st.booleans(), st.floats(-1, 1)])


@given(made=batches(min_size=1), data=st.data(), suffix=st.sampled_from([".jsonl", ".jsonl.gz"]))
def test_round_trip(tmp_path_factory, made, data, suffix):
    graphs, batch = made
    path = tmp_path_factory.getbasetemp() / f"graphs{suffix}"
    kind = data.draw(LABELS)
    y = data.draw(st.none() | st.lists(kind, min_size=len(graphs), max_size=len(graphs)))
    if any(map(holds_none, graphs)):
        with pytest.raises(gtm.GraphError, match=r"is a missing value in JSON; graph \d has the"):
            write_jsonl(path, batch, y)
        return
    write_jsonl(path, batch, y)
    again, labels = read_jsonl(path)
    again.validate()
    assert list(again) == graphs
    assert again.with_vocabulary(batch.vocabulary) == batch
    if y is None:
        assert labels is None
    else:
        assert labels.tolist() == y
        assert [type(label) for label in labels.tolist()] == [type(label) for label in y]


def test_networkx_reads_a_line(tmp_path):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = gtm.Graph()
    graph.add_node("a", ["red"], "t")
    graph.add_node(1, [("size", 2)], "u")
    for edge_type in ("x", "x", "y"):
        graph.add_edge("a", 1, edge_type)
    write_jsonl(tmp_path / "graph.jsonl", [graph], ["spam"])
    read = nx.node_link_graph(json.loads((tmp_path / "graph.jsonl").read_text()), edges="edges")
    expected = to_networkx(gtm.GraphBatch.from_graphs([graph]), 0)
    assert read.graph == {"label": "spam"}
    assert list(read.edges(data=True)) == list(expected.edges(data=True))
    assert read.nodes["a"] == expected.nodes["a"]


def test_matrix_of_labels_lists_and_lazy_writing(tmp_path):
    batch = gtm.GraphBatch.from_arrays([1, 1])
    write_jsonl(tmp_path / "a.jsonl", batch, np.array([[0, 1], [1, 1]]))
    assert read_jsonl(tmp_path / "a.jsonl")[1].tolist() == [[0, 1], [1, 1]]
    write_jsonl(tmp_path / "b.jsonl", list(batch), np.array(["a", "b"]))
    assert read_jsonl(str(tmp_path / "b.jsonl"))[1].tolist() == ["a", "b"]
    write_jsonl(tmp_path / "none.jsonl", [])
    assert len(read_jsonl(tmp_path / "none.jsonl")[0]) == 0


def line(**changes):
    return json.dumps({"directed": True, "nodes": [{"id": 0}, {"id": 1}], "edges": [], **changes})


def read(tmp_path, *lines, **arguments):
    path = tmp_path / "graphs.jsonl"
    path.write_text("\n".join(lines))
    return read_jsonl(path, **arguments)


def test_forms_of_a_line(tmp_path):
    edges = [{"source": 0, "target": 1, "key": 0}, {"source": 1, "target": 1, "type": "loop"}]
    directed, _ = read(tmp_path, line(edges=edges), "")
    assert sorted(directed[0].edges) == [(0, 1, "plain"), (1, 1, "loop")]
    links = line(links=edges, directed=False).replace('"edges": [], ', "")
    both, _ = read(tmp_path, links)
    assert sorted(both[0].edges) == [(0, 1, "plain"), (1, 0, "plain"), (1, 1, "loop")]
    assert list(read(tmp_path, links.replace('"directed": false, ', ""))[0]) == list(both)
    graph = read(tmp_path, line(nodes=[{"id": [1, "a"], "atom": "C", "ring": True, "no": False, "l": [1, [2]]}]))[0][0]
    assert set(graph.properties((1, "a"))) == {("atom", "C"), "ring", ("l", 1), ("l", (2,))}
    assert read(tmp_path, line(label=1), line(graph={"label": 2}))[1].tolist() == [1, 2]
    weighted = line(edges=[{"source": 0, "target": 1, "weight": 0.5}], nodes=[{"id": 0, "x": 0.5}, {"id": 1}])
    assert len(read(tmp_path, weighted, ignore=["weight", "x"])[0]) == 1
    named = line(nodes=[{"id": 0, "source": 0.5, "type": "t"}], edges=[{"source": 0, "target": 0, "id": 1}])
    graph = read(tmp_path, named, ignore=["source", "id", "type"])[0][0]
    assert (graph.node_type(0), graph.edges) == (None, ((0, 0, "plain"),))


def test_null_is_a_missing_value(tmp_path):
    nodes = [{"id": 0, "properties": ["a", None], "type": None, "l": ["b", None]}, {"id": 1, "properties": None}]
    graph = read(tmp_path, line(nodes=nodes, edges=[{"source": 0, "target": 1, "type": None}]))[0][0]
    assert set(graph.properties(0)) == {"a", ("l", "b")}
    assert (graph.properties(1), graph.node_type(0), graph.edges) == ((), None, ((0, 1, "plain"),))


REFUSED = {
    "not JSON": (["{}}"], "Line 1 of .*: It is not valid JSON: Extra data"),
    "no object": ([line(), "[1]"], r"Line 2 of .*must be a JSON object with 'nodes' and 'edges'; got \[1\]"),
    "no nodes": (["{}"], "must have a list 'nodes'"),
    "no edges": (['{"nodes": [{"id": 0}]}'], "must have a list 'edges' or 'links'; got"),
    "nodes": ([line(nodes=[1])], r"'nodes' must be a list of objects; got \[1\]"),
    "no id": ([line(nodes=[{"name": 1}])], "Every node must have 'id'; got {"),
    "float id": ([line(nodes=[{"id": 0.5}])], "A name in the file must be a string.*got 0.5"),
    "same id": ([line(nodes=[{"id": 0}, {"id": 0}])], "there is already a node 0"),
    "no target": ([line(edges=[{"source": 0}])], "Every edge must have 'target'"),
    "unknown node": ([line(edges=[{"source": 0, "target": 7}])], "no node 7. Add the node first"),
    "properties": ([line(nodes=[{"id": 0, "properties": "AB"}])], "'properties' of node 0 must be a list"),
    "float": ([line(nodes=[{"id": 0, "x": 0.5}])], r"'x' of node 0 is 0.5. Divide .* Or pass ignore=\['x'\]"),
    "object": ([line(nodes=[{"id": 0, "x": {}}])], "Attribute 'x' of node 0: A name must be hashable"),
    "weight": (
        [line(edges=[{"source": 0, "target": 1, "weight": 1, "w": 2}])],
        r"Attributes 'weight', 'w' of the edge 0 -> 1 are not used: rename them to 'type', or pass ignore=",
    ),
    "directed": ([line(directed="yes")], "'directed' of the graph must be True or False; got 'yes'"),
    "graph": ([line(graph=[])], r"'graph' must be an object with graph attributes; got \[\]"),
    "NaN": (['{"nodes": [NaN]}'], "JSON has no NaN"),
    "empty": ([line(nodes=[])], "at least one node; line 1 of .* has none"),
    "readout": ([line(nodes=[{"id": 0, "readout": False}])], "at least one readout node"),
    "some labels": ([line(label=1), line()], "line 1 of .* has one, line 2 of .* has none"),
    "mixed labels": ([line(label=1), line(label="a")], "got 1 of graph 0, 'a' of graph 1"),
    "ragged labels": ([line(label=[1]), line(label=[1, 2])], r"graph 0 has \[1\] and graph 1 has \[1, 2\]"),
    "some types": ([line(nodes=[{"id": 0, "type": "t"}]), line()], "node 0 of line 1 of .* has one"),
    "NUL": ([line(label="a\0")], r"must not end with a NUL character, which NumPy removes; graph 0 has"),
    "many digits": ([line(), '{"nodes": [' + "1" * 5000], "Line 2 of .*: It is not valid JSON: Exceeds"),
    "large label": ([line(label=2**63)], "Integer labels must fit into 64 bits; the label of graph 0 does"),
    "deep name": (
        [f'{{"nodes": [{{"id": {"[" * 495 + "]" * 495}}}], "edges": []}}'],
        "Line 1 of .*: Lists in a name must be nested at most 100 deep",
    ),
    "deep": (["[" * 100_000], "Line 1 of .* has lists that are nested too deeply"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_line(tmp_path, case):
    lines, message = REFUSED[case]
    with pytest.raises(gtm.GraphFormatError, match=message):
        read(tmp_path, *lines)


def test_damaged_files(tmp_path):
    path = tmp_path / "graphs.jsonl.gz"
    path.write_bytes(gzip.compress((line() * 50).encode())[:-12])
    with pytest.raises(gtm.GraphFormatError, match=r"is damaged after line 0: Compressed file ended"):
        read_jsonl(path)
    path.write_bytes(b"plain text")
    with pytest.raises(gtm.GraphFormatError, match=r"is damaged after line 0: Not a gzipped file"):
        read_jsonl(path)
    (tmp_path / "latin.jsonl").write_bytes(line().encode() + b'\n{"nodes": "\xe9"}')
    with pytest.raises(gtm.GraphFormatError, match=r"Line 2 of .*latin.jsonl: It is not valid UTF-8: 'utf-8' codec"):
        read_jsonl(tmp_path / "latin.jsonl")
    with pytest.raises(FileNotFoundError, match=r"The file .*nowhere.jsonl does not exist"):
        read_jsonl(tmp_path / "nowhere.jsonl")
    with pytest.raises(TypeError, match=r"'ignore' parameter of read_jsonl must be a list of names. Got 'x' instead"):
        read_jsonl(path, ignore="x")


def test_halves_of_surrogate_pairs_are_escaped(tmp_path):
    names = ["\ud800", "\\\udfff", "\udc00\ud800", ("a", "\ud800"), "é😀", "\\ud800"]
    graph = gtm.Graph()
    graph.add_node("\udead", names, type="\udfff")
    graph.add_node("b", type="\udfff")
    graph.add_edge("\udead", "b", "\udbff")
    write_jsonl(tmp_path / "graphs.jsonl", [graph], ["\ud834"])
    assert "é😀" in (tmp_path / "graphs.jsonl").read_text(encoding="utf-8")
    read, y = read_jsonl(tmp_path / "graphs.jsonl")
    assert (read[0].nodes, read[0].properties("\udead"), read[0].edges) == (graph.nodes, tuple(names), graph.edges)
    assert (read[0].node_type("b"), y.tolist()) == ("\udfff", ["\ud834"])


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_what_cannot_be_written_leaves_the_old_file(tmp_path, suffix):
    path = tmp_path / f"graphs{suffix}"
    path.write_text("old")
    graph = gtm.Graph()
    graph.add_node(frozenset())
    odd = gtm.GraphBatch.from_graphs([graph])
    with pytest.raises(gtm.GraphError, match=r"Graph 0 cannot be written as JSON: Names must be str"):
        write_jsonl(path, odd)
    fine = gtm.GraphBatch.from_arrays([1, 1])
    with pytest.raises(gtm.GraphError, match=r"one label per graph, 2; got 1"):
        write_jsonl(path, fine, [1])
    with pytest.raises(gtm.GraphError, match=r"Graph 1 cannot be written as JSON: Out of range float"):
        write_jsonl(path, fine, [1.0, float("nan")])
    with pytest.raises(gtm.GraphError, match=r"Labels must all be strings"):
        write_jsonl(path, fine, [1, None])
    with pytest.raises(gtm.GraphError, match=r"Graph 0 cannot be written as JSON: a name has two halves of a surr"):
        write_jsonl(path, gtm.GraphBatch.from_arrays([1], [[1]], ["\ud83d\ude00"]))
    gc.collect()  # a compressor that was left open would be closed now, and fail
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path, suffix):
    path = tmp_path / f"graphs{suffix}"
    content = b"\xef\xbb\xbf" + line(nodes=[{"id": 0, "properties": ["x"]}], edges=[]).encode()
    path.write_bytes(gzip.compress(content) if suffix.endswith("gz") else content)
    assert list(read_jsonl(path)[0].vocabulary.symbols) == ["x"]


def test_what_is_ignored_must_be_there(tmp_path):
    path = tmp_path / "graphs.jsonl"
    path.write_text(line(nodes=[{"id": 0, "height": 0.5}], edges=[{"source": 0, "target": 0, "weight": 1}]))
    with pytest.raises(
        ValueError, match=r"must list .* edges: 'id', 'height', .* Got 'hieght' .* Did you mean 'height'\?"
    ):
        read_jsonl(path, ignore=["hieght", "weight", "height"])
    assert len(read_jsonl(path, ignore=["weight", "height", "readout", "type"])[0]) == 1
    path.write_text("")
    assert len(read_jsonl(path, ignore=["weight"])[0]) == 0


def test_a_folder_is_no_file_to_write(tmp_path):
    with pytest.raises(IsADirectoryError, match=rf"^{tmp_path} is a folder; add a file name\.$"):
        write_jsonl(tmp_path, gtm.GraphBatch.from_arrays([1]))


# Numbers

CHARGED = line(
    directed=False,
    nodes=[{"id": 0, "charge": -0.4, "n": 1}, {"id": 1, "charge": 0.1, "n": 2}, {"id": 2, "charge": 0.7}],
    edges=[{"source": 0, "target": 1, "type": 0.5}, {"source": 1, "target": 2, "type": 1.5}],
)


def test_bins_of_nodes_and_edges_and_the_same_ones_later(tmp_path):
    graphs, _ = read(tmp_path, CHARGED, bins=2)
    assert [set(graphs[0].properties(node)) for node in range(3)] == [
        {("n", 1)},
        {("n", 2), ("charge", ">=", "0.1")},
        {("charge", ">=", "0.1")},
    ]
    assert {kind for _, _, kind in graphs[0].edges} == {("type", "in", "< 1.5"), ("type", "in", ">= 1.5")}
    low = line(
        nodes=[{"id": 0, "charge": -9.0}, {"id": 1, "charge": None}], edges=[{"source": 0, "target": 1, "type": 9}]
    )
    later, _ = read(tmp_path, low, bins=graphs)
    assert ("charge", ">=", "0.1") in later.vocabulary.symbols
    assert list(later[0].edges) == [(0, 1, ("type", "in", ">= 1.5"))]
    assert later[0].properties(0) == ()


def test_bins_by_name_divide_integers(tmp_path):
    graphs, _ = read(tmp_path, CHARGED, bins={"n": [2], "charge": 2, "type": 2})
    assert ("n", ">=", 2) in graphs.vocabulary.symbols
    with pytest.raises(ValueError, match="bins' parameter of read_jsonl must have names of attributes that are used"):
        read(tmp_path, CHARGED, bins={"mass": 2})


def test_graphs_with_symbols_of_bins_are_read_with_the_training_batch(tmp_path):
    graphs, _ = read(tmp_path, CHARGED, bins=2)
    write_jsonl(tmp_path / "again.jsonl", graphs)
    again, _ = read_jsonl(tmp_path / "again.jsonl", bins=graphs)
    assert str(again[0]) == str(graphs[0])


def test_bins_refuse_values_that_are_no_numbers(tmp_path):
    nodes = [{"id": "a", "x": 0.5}, {"id": "b", "x": "?"}]
    with pytest.raises(gtm.GraphFormatError, match=r"1 value that is not a number: '\?' \(node 'b' of line 1 of "):
        read(tmp_path, line(nodes=nodes), bins=2)
    graphs, _ = read(tmp_path, CHARGED, bins=2)
    with pytest.raises(gtm.GraphFormatError, match="it has cuts for 'charge', but the nodes have no such attribute"):
        read(tmp_path, line(nodes=[{"id": 0, "y": "a"}]), bins=graphs)
    assert len(read(tmp_path, CHARGED, bins=graphs, ignore=["n"])[0]) == 1


def test_bins_tell_the_line_of_what_is_not_valid(tmp_path):
    with pytest.raises(gtm.GraphFormatError, match=r"Line 2 of .* A line must be a JSON object"):
        read(tmp_path, CHARGED, "[]", bins=2)
