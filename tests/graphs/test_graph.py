import copy
import pickle
from xml.etree import ElementTree

import numpy as np
import pytest

import graphtm as gtm


def small() -> gtm.Graph:
    graph = gtm.Graph()
    graph.add_node("a", properties=["red", "round", "red"], type="thing")
    graph.add_node(7, type="place")
    graph.add_edge("a", 7, type="in")
    graph.add_edge("a", 7, type="in")
    graph.add_edge(7, 7)
    return graph


def test_what_was_added_is_there():
    graph = small()
    assert graph.nodes == ("a", 7)
    assert graph.properties("a") == ("red", "round")
    assert graph.properties(7) == ()
    assert graph.node_type("a") == "thing"
    assert graph.edges == (("a", 7, "in"), ("a", 7, "in"), (7, 7, "plain"))
    assert len(graph) == graph.n_nodes == 2
    assert graph.n_edges == 3
    assert "a" in graph
    assert "b" not in graph
    assert list(graph) == ["a", 7]
    assert repr(graph) == "Graph(n_nodes=2, n_edges=3)"


def test_text_names_everything():
    graph = small()
    graph.set_readout([7])
    assert str(graph) == (
        "Graph with 2 nodes and 3 edges\n"
        "  'a' (thing): 'red', 'round'\n"
        "      in -> 7\n"
        "      in -> 7\n"
        "  7 (place) [readout]: no properties\n"
        "      plain -> 7"
    )


def test_long_text_is_cut_and_says_so():
    graph = gtm.Graph()
    for node in range(25):
        graph.add_node(node)
        graph.add_edge(0, node)
    text = str(graph)
    assert "... and 15 more edges" in text
    assert "... and 5 more nodes" in text


def test_equality_ignores_the_order_of_edges_and_properties_only():
    one, other = gtm.Graph(), gtm.Graph()
    for graph, properties in ((one, ["x", "y"]), (other, ["y", "x"])):
        graph.add_node(0, properties)
        graph.add_node(1)
    one.add_edge(0, 1)
    one.add_edge(1, 0)
    other.add_edge(1, 0)
    assert one != other
    other.add_edge(0, 1)
    assert one == other
    other.add_edge(0, 1)
    assert one != other
    assert one != "graph"
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@pytest.mark.parametrize("change", ["property", "type", "readout", "name"])
def test_equality_sees_every_difference(change):
    one = gtm.Graph()
    one.add_node(0, [1], "t")
    one.add_node(1, [], "t")
    other = gtm.Graph()
    other.add_node(0, [True] if change == "property" else [1], "u" if change == "type" else "t")
    other.add_node(2 if change == "name" else 1, [], "t")
    if change == "readout":
        other.set_readout([0])
    assert one != other


def test_edge_to_a_missing_node():
    graph = small()
    with pytest.raises(gtm.GraphError, match=r"got 'a' -> 'b', but there is no node 'b'. Add the node first"):
        graph.add_edge("a", "b")
    with pytest.raises(gtm.GraphError, match="no node 'z'"):
        graph.add_edge("z", "a")
    assert graph == small()


def test_duplicate_node_name():
    graph = small()
    with pytest.raises(gtm.GraphError, match="there is already a node 'a'"):
        graph.add_node("a")
    assert graph == small()


def test_a_bad_property_leaves_the_graph_as_it_was():
    graph = small()
    with pytest.raises(gtm.GraphError, match="NaN"):
        graph.add_node("b", ["fine", float("nan")])
    with pytest.raises(gtm.GraphError, match="hashable"):
        graph.add_edge("a", 7, type=["list"])
    assert graph == small()


def test_properties_must_be_a_list():
    with pytest.raises(TypeError, match=r"Write \['AB'\] for one symbol"):
        gtm.Graph().add_node("n", properties="AB")


def test_names_of_nodes_keep_their_type():
    graph = gtm.Graph()
    for name in (1, True, "1", 1.0):
        graph.add_node(name)
    graph.add_edge(1, True)
    assert graph.n_nodes == 4
    assert [type(node) for node in graph.edges[0][:2]] == [int, bool]
    ones, truths = gtm.Graph(), gtm.Graph()
    for one, truth in ((0, False), (1, True)):
        ones.add_node(one)
        truths.add_node(truth)
    assert ones != truths
    assert gtm.GraphBatch.from_graphs([ones]) != gtm.GraphBatch.from_graphs([truths])
    assert gtm.GraphBatch.from_graphs([graph]).with_readout([[True]])[0].readout == (True,)


@pytest.mark.parametrize("nodes", ["ab", b"ab"])
def test_a_string_is_no_list_of_nodes(nodes):
    with pytest.raises(TypeError, match="must be a list of names; got the string"):
        small().set_readout(nodes)


def test_things_that_cannot_be_names_of_nodes():
    graph = small()
    for call in (lambda: graph.add_edge(["a"], 7), lambda: graph.set_readout([["a"]]), lambda: graph.properties(["a"])):
        with pytest.raises(gtm.GraphError, match="hashable"):
            call()
    with pytest.raises(TypeError, match="must be a list of symbols; got None"):
        graph.add_node("c", None)
    with pytest.raises(TypeError, match="got the string b'AB'"):
        graph.add_node("c", b"AB")


def test_names_are_bare_only_where_they_cannot_be_misread():
    batch = gtm.GraphBatch.from_arrays([1], [[1] * 6], symbols=[1, "1", True, "True", "red", ""])
    assert "symbols: 1, '1', True, 'True', red, ''" in str(batch)


def test_readout():
    graph = small()
    assert graph.readout is None
    graph.set_readout([7, "a", 7])
    assert graph.readout == ("a", 7)
    with pytest.raises(gtm.GraphError, match="there is no node 'b'"):
        graph.set_readout(["b"])
    with pytest.raises(gtm.GraphError, match="at least one readout node"):
        graph.set_readout([])
    assert graph.readout == ("a", 7)
    graph.set_readout(None)
    assert graph.readout is None


def test_asking_for_a_missing_node():
    with pytest.raises(gtm.GraphError, match="The graph has no node 'q'"):
        small().properties("q")


def test_a_dictionary_of_properties_is_named_values():
    graph = gtm.Graph()
    graph.add_node(
        0,
        {
            "color": "red",
            "size": 3,
            "flat": True,
            "old": False,
            "owner": None,
            "weight": float("nan"),
            "tags": ["a", "b", None],
            "kinds": {"y", "x"},
            "properties": ["plain", "as it is"],
            ("a", 1): np.int64(2),
        },
    )
    assert graph.properties(0) == (
        ("color", "red"), ("size", 3), "flat", ("tags", "a"), ("tags", "b"), ("kinds", "x"), ("kinds", "y"),
        "plain", "as it is", (("a", 1), 2),
    )  # fmt: skip


def test_a_dictionary_of_properties_means_what_converters_mean():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    attributes = {"atom": "C", "ring": True, "charge": -1, "metal": False, "bonds": (1, 2), "properties": "seen"}
    there = networkx.Graph()
    there.add_node("n", **attributes)
    graph = gtm.Graph()
    graph.add_node("n", attributes)
    assert gtm.from_networkx(there, node_attributes=list(attributes))[0] == graph


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.5, "'weight' of node 'n' is 0.5. Divide floats into bins first"),
        ([1, np.float32(2)], "'weight' of node 'n' is 2.0. Divide floats"),
        (b"x", "Attribute 'weight' of node 'n': Names of symbols must be str.*of type 'bytes'. Convert it to a string"),
        ({"a": 1}, "Attribute 'weight' of node 'n': A name must be hashable"),
    ],
)
def test_values_that_cannot_be_symbols_are_refused_by_name(value, message):
    graph = gtm.Graph()
    with pytest.raises(gtm.GraphError, match=message):
        graph.add_node("n", {"weight": value})
    assert graph.n_nodes == 0


def test_a_readout_is_no_mapping():
    with pytest.raises(TypeError, match="Readout nodes must be a list of names; got a 'dict'"):
        small().set_readout({"a": False})
    with pytest.raises(TypeError, match="Readout nodes must be a list of names; got an 'int'"):
        small().set_readout(7)


class Tagged(gtm.Graph):
    """A graph with something of its own."""

    tag = None


def test_a_derived_graph_keeps_what_it_adds():
    graph = Tagged()
    graph.add_node("n")
    graph.tag = "mine"
    assert copy.deepcopy(graph).tag == "mine"
    assert copy.deepcopy(graph) == graph


def test_a_copy_is_a_graph_of_its_own():
    graph = gtm.GraphBatch.from_graphs([small()])[0]
    other = copy.copy(graph)
    other.add_node("b", type="thing")
    assert (graph.n_nodes, other.n_nodes) == (2, 3)
    assert graph == small()
    assert pickle.loads(pickle.dumps(other)) == other


def test_a_graph_as_a_table():
    graph = gtm.Graph()
    graph.add_node("<a>", ["<b>", "&"], type="<i>")
    graph.add_node(1, type="t")
    graph.add_edge("<a>", 1, type="</td>")
    graph.set_readout([1])
    html = graph._repr_html_()
    assert html.startswith("<table><caption>Graph with 2 nodes and 1 edge</caption>")
    assert "&lt;a&gt;" in html
    assert "&lt;b&gt;" in html
    assert "&amp;" in html
    assert "&lt;/td&gt;" in html
    root = ElementTree.fromstring(html)
    assert [cell.text for cell in root.iter("th")] == ["node", "type", "readout", "properties", "edges"]
    assert [cell.text for cell in root.iter("td")] == [
        "'<a>'", "'<i>'", None, "'<b>', '&'", "'</td>' → 1", "1", "t", "yes", None, None,
    ]  # fmt: skip


def test_a_large_graph_as_a_table_is_cut_and_says_so():
    graph = gtm.Graph()
    for node in range(25):
        graph.add_node(node)
        graph.add_edge(0, node)
    root = ElementTree.fromstring(graph._repr_html_())
    assert root.find("caption").text == "Graph with 25 nodes and 25 edges, the first 20 nodes"
    rows = root.find("tbody").findall("tr")
    assert len(rows) == 20
    assert rows[0].findall("td")[-1].text.endswith("plain → 9, ... and 15 more")
