"""Graphs of networkx: there and back, and what is refused."""

import sys

import numpy as np
import pytest
from hypothesis import given
from strategies import batches, holds_none

import graphtm as gtm
from graphtm.errors import MissingLibraryError
from graphtm.graphs.convert import from_networkx, from_pandas, from_polars, to_networkx

nx = pytest.importorskip("networkx", reason="networkx is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")


@given(batches())
def test_round_trip(made):
    graphs, batch = made
    if any(holds_none(graph) or None in graph for graph in graphs):
        with pytest.raises(gtm.GraphError, match=r"has (the (symbol|type) )?None. Rename it first"):
            [to_networkx(batch, number) for number in range(len(batch))]
        return
    there = [to_networkx(batch, number) for number in range(len(batch))]
    again = from_networkx(there)
    again.validate()
    assert list(again) == graphs
    assert again.with_vocabulary(batch.vocabulary) == batch


def test_undirected_edges_go_both_ways_and_self_loops_once():
    for kind in (nx.Graph, nx.MultiGraph):
        graph = kind([("a", "b"), ("b", "b")])
        assert sorted(from_networkx(graph)[0].edges) == [
            ("a", "b", "plain"), ("b", "a", "plain"), ("b", "b", "plain"),
        ]  # fmt: skip
    for kind in (nx.DiGraph, nx.MultiDiGraph):
        assert sorted(from_networkx(kind([("a", "b"), ("b", "b")]))[0].edges) == [
            ("a", "b", "plain"), ("b", "b", "plain"),
        ]  # fmt: skip


def test_parallel_edges_are_kept():
    graph = nx.MultiGraph([(0, 1), (0, 1)])
    graph.add_edge(0, 1, kind="x")
    assert from_networkx(graph, ignore=["kind"]).pack().n_edges == 6
    types = [edge.type for edge in from_networkx(graph, edge_type="kind")[0].edges]
    assert sorted(types) == ["plain"] * 4 + ["x"] * 2


def node(**attributes):
    graph = nx.Graph()
    graph.add_node("n", **attributes)
    return graph


@pytest.mark.parametrize(
    ("attributes", "chosen", "symbols"),
    [
        (dict(atom="C"), ["atom"], {("atom", "C")}),
        (dict(atom=np.int64(6)), ["atom"], {("atom", 6)}),
        (dict(atom=["C", "x"]), ["atom"], {("atom", "C"), ("atom", "x")}),
        (dict(atom={"C", 1}), ["atom"], {("atom", "C"), ("atom", 1)}),
        (dict(atom=np.array([1, 2])), ["atom"], {("atom", 1), ("atom", 2)}),
        (dict(atom=True), ["atom"], {"atom"}),
        (dict(atom=np.bool_(False)), ["atom"], set()),
        (dict(atom="C", charge=1), ["charge", "atom"], {("atom", "C"), ("charge", 1)}),
        (dict(atom="C", properties=["red"]), ["atom", "properties"], {("atom", "C"), "red"}),
        (dict(atom="C"), "atom", {"C"}),
        (dict(atom=["C", 5]), "atom", {"C", 5}),
        (dict(atom={"C": 1}.keys()), ["atom"], {("atom", "C")}),
        (dict(atom=True), "atom", {True}),
        (dict(atom=["C", None, float("nan")]), ["atom"], {("atom", "C")}),
        (dict(atom=["C", pd.NA, pd.NaT]), "atom", {"C"}),
        (dict(atom=["C", None, np.float32("nan")]), "atom", {"C"}),
        (dict(atom=[None]), ["atom"], set()),
        (dict(properties=[("atom", "C"), None]), None, {("atom", "C")}),
    ],
)
def test_attributes_become_symbols(attributes, chosen, symbols):
    assert set(from_networkx(node(**attributes), node_attributes=chosen)[0].properties("n")) == symbols


def test_what_is_not_needed_is_ignored():
    graph = nx.Graph([(0, 1, {"weight": 0.5, "type": "x"})], name="of no interest")
    nx.set_node_attributes(graph, 0.5, "height")
    nx.set_node_attributes(graph, "t", "type")
    made = from_networkx(graph, ignore=["weight", "height", "readout"])[0]
    assert (made.node_type(0), made.edges[0].type) == ("t", "x")
    made = from_networkx(graph, ignore=["weight", "height", "type"])[0]
    assert (made.node_type(0), made.edges[0].type) == (None, "plain")
    for arguments in (dict(node_attributes=["weight"]), dict(node_attributes="weight"), dict(edge_type="weight")):
        with pytest.raises(ValueError, match=r"'ignore' parameter of from_networkx must not list .* Got 'weight'"):
            from_networkx(graph, ignore=["weight", "height", "type"], **arguments)
    with pytest.raises(TypeError, match=r"'ignore' parameter of from_networkx must be a list of names. Got 'weight'"):
        from_networkx(graph, ignore="weight")


def test_none_and_nan_are_no_types():
    edges = [(0, 1, {"type": None, "bond": float("nan")}), (1, 2, {"type": "x", "bond": "y"})]
    for arguments, name in ((dict(ignore=["bond"]), "x"), (dict(edge_type="bond", ignore=["type"]), "y")):
        made = from_networkx(nx.DiGraph(edges), **arguments)[0]
        assert [edge.type for edge in made.edges] == ["plain", name]
    assert from_networkx(node(type=float("nan")))[0].node_type("n") is None


def test_types_labels_and_names():
    graph = nx.DiGraph(label="good")
    graph.add_node((1, "x"), kind="atom")
    batch, y = from_networkx([graph, graph], node_type="kind", label="label")
    assert batch[1].nodes == ((1, "x"),)
    assert batch[1].node_type((1, "x")) == "atom"
    assert y.tolist() == ["good", "good"]
    none, y = from_networkx([], label="label")
    assert (len(none), len(y)) == (0, 0)
    numbers = [nx.Graph([(0, 1)], label=label) for label in (1, 2.5)]
    assert from_networkx(numbers, label="label")[1].tolist() == [1.0, 2.5]


REFUSED = {
    "missing attribute": (node(size="L"), dict(node_attributes=["atom"]), "node 'n' of graph 0 has only 'size'"),
    "missing at all": (node(), dict(node_attributes="atom"), "has no attributes"),
    "missing type": (node(), dict(node_type="kind"), "must have the attribute 'kind'"),
    "missing label": (node(), dict(label="y"), "Every graph must have the attribute 'y'; graph 0 has no attributes"),
    "float": (node(atom=0.5), dict(node_attributes=["atom"]), "'atom' of node 'n' of graph 0 is 0.5. Divide"),
    "float in list": (node(atom=[np.float32(1)]), dict(node_attributes=["atom"]), "is 1.0. Divide floats"),
    "plain float": (node(atom=0.5), dict(node_attributes="atom"), "is 0.5"),
    "float in properties": (node(properties=["C", 0.5]), dict(), "'properties' of node 'n' of graph 0 is 0.5. Divide"),
    "float edge type": (nx.Graph([(0, 1, {"type": 0.5})]), dict(), "'type' of edge 0 -> 1 of graph 0 is 0.5. Divide"),
    "float node type": (node(kind=0.5), dict(node_type="kind"), "'kind' of node 'n' of graph 0 is 0.5. Divide"),
    "bytes": (
        node(atom=b"C"),
        dict(node_attributes=["atom"]),
        "Attribute 'atom' of node 'n' of graph 0: Names of symbols must be str, .* of type 'bytes'. Convert",
    ),
    "bytes as type": (
        nx.Graph([(0, 1, {"bond": b"x"})]),
        dict(edge_type="bond"),
        "Attribute 'bond' of edge 0 -> 1 of graph 0: Names of edge types must be str",
    ),
    "unhashable": (
        node(atom={}),
        dict(node_attributes=["atom"]),
        "Attribute 'atom' of node 'n' of graph 0: .*hashable",
    ),
    "readout": (node(readout=1), dict(), "'readout' of node 'n' of graph 0 must be True or False; got 1"),
    "no readout": (node(readout=False), dict(), "graph 0 has none"),
    "not chosen": (
        [node(atom="C"), node(atom="C", size="L", readout=True, properties=["x"])],
        dict(node_attributes=["atom"]),
        r"Node attributes 'size', 'properties' are not used: .* ignore=\['size', 'properties'\]",
    ),
    "other type": (
        node(type="x", kind="y"),
        dict(node_type="kind"),
        r"Node attribute 'type' is not used: .* ignore=\['type'\]",
    ),
    "edges not chosen": (
        nx.Graph([(0, 1, {"type": "x", "weight": 2})]),
        dict(),
        r"Edge attribute 'weight' is not used: pass edge_type='weight', or ignore=\['weight'\]",
    ),
    "weight as type": (
        nx.Graph([(0, 1, {"weight": 0.5})]),
        dict(edge_type="weight"),
        "'weight' of edge 0 -> 1 of graph 0 is 0.5. Divide",
    ),
    "edge attribute": (nx.Graph([(0, 1)]), dict(edge_type="bond"), "edges have no attributes"),
    "unhashable edge": (nx.Graph([(0, 1, {"type": []})]), dict(), "Attribute 'type' of edge 0 -> 1 of graph 0: "),
    "empty": (nx.Graph(), dict(), "graph 0 has none"),
    "mixed types": ([node(type="x"), node()], dict(), "node 'n' of graph 0 has one, node 'n' of graph 1 has none"),
    "mixed labels": (
        [nx.Graph([(0, 1)], y=1), nx.Graph([(0, 1)], y="a")],
        dict(label="y"),
        "got 1 of graph 0, 'a' of graph 1",
    ),
    "odd label": (nx.Graph([(0, 1)], y={}), dict(label="y"), "Labels must all be strings"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case):
    graphs, arguments, message = REFUSED[case]
    with pytest.raises(gtm.GraphError, match=message):
        from_networkx(graphs, **arguments)


def test_wrong_types():
    with pytest.raises(TypeError, match=r"element 1 is a 'str'"):
        from_networkx([nx.Graph([(0, 1)]), "graph"])
    with pytest.raises(TypeError, match=r"element 0 is an 'int'"):
        from_networkx(3)
    with pytest.raises(TypeError, match=r"'node_attributes' parameter of from_networkx must be a name or a list"):
        from_networkx(node(), node_attributes=3)
    with pytest.raises(
        TypeError, match=r"'graphs' parameter of to_networkx must be a GraphBatch. Got a 'list' instead"
    ):
        to_networkx([], 0)
    with pytest.raises(TypeError, match=r"'i' parameter of to_networkx must be an int. Got 'a' instead"):
        to_networkx(gtm.GraphBatch.from_arrays([1]), "a")
    with pytest.raises(IndexError, match=r"graphs 0..0"):
        to_networkx(gtm.GraphBatch.from_arrays([1]), 1)


def test_names_that_python_holds_to_be_equal_are_refused():
    graph = gtm.Graph()
    graph.add_node(1)
    graph.add_node(True)
    with pytest.raises(gtm.GraphError, match=r"graph 0 has 1 and True"):
        to_networkx(gtm.GraphBatch.from_graphs([graph]), 0)


def test_large_lists_are_packed_in_pieces(monkeypatch):
    graphs = [nx.path_graph(3) for _ in range(10)]
    for number, graph in enumerate(graphs):
        graph.nodes[0]["properties"] = [number % 4]
        graph.edges[0, 1]["type"] = number % 3
    whole = from_networkx(graphs)
    monkeypatch.setattr("graphtm.graphs.convert.collect.CHUNK_NODES", 7)
    assert from_networkx(graphs) == whole


def test_a_missing_library_is_named(monkeypatch):
    for library, convert in (("networkx", from_networkx), ("pandas", from_pandas), ("polars", from_polars)):
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(MissingLibraryError, match=f"{convert.__name__} needs the library '{library}'.*pip install"):
            convert([])


@pytest.mark.parametrize("parameter", ["node_type", "label", "node_label"])
def test_one_name_is_no_list(parameter):
    with pytest.raises(
        TypeError, match=rf"'{parameter}' parameter of from_networkx must be one name, .* Got \['a', 'b'\]"
    ):
        from_networkx(node(), **{parameter: ["a", "b"]})


def test_names_of_attributes_are_no_mapping_and_no_lists():
    with pytest.raises(
        TypeError, match=r"'node_attributes' parameter of from_networkx must be a name or a list of names"
    ):
        from_networkx(node(atom="C"), node_attributes={"atom": "element"})
    with pytest.raises(TypeError, match=r"'node_attributes' parameter .* list of names. Got \['atom'\] instead"):
        from_networkx(node(atom="C"), node_attributes=[["atom"]])
    with pytest.raises(TypeError, match=r"'ignore' parameter of from_networkx must be a list of names. Got \['atom'\]"):
        from_networkx(node(atom="C"), ignore=[["atom"]])


def test_what_is_ignored_must_be_there():
    graph = nx.Graph([(0, 1, {"weight": 0.5})])
    with pytest.raises(
        ValueError,
        match=r"'ignore' parameter of from_networkx must list attributes of nodes or edges: 'weight'. "
        r"Got 'wieght' instead. Did you mean 'weight'\?",
    ):
        from_networkx(graph, ignore=["wieght"])
    with pytest.raises(ValueError, match=r"of nodes or edges: there are none. Got 'weight' instead"):
        from_networkx(node(), ignore=["weight"])
    assert len(from_networkx([], ignore=["weight"])) == 0
    assert len(from_networkx(node(), ignore=["type", "properties", "readout"])) == 1


def test_graphs_are_no_set():
    with pytest.raises(TypeError, match=r"The graphs must be a list, .* Got a 'set' instead"):
        from_networkx({node(), node()})
