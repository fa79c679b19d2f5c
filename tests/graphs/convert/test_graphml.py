"""Folders of GraphML files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.graphs.convert import read_graphml

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
SPACE = 'xmlns="http://graphml.graphdrawing.org/xmlns"'
KEYS = """
<key id="p" for="node" attr.name="properties" attr.type="string"/>
<key id="a" for="node" attr.name="atom" attr.type="string"/>
<key id="c" for="node" attr.name="charge" attr.type="int"><default>0</default></key>
<key id="r" for="node" attr.name="ring" attr.type="boolean"/>
<key id="x" for="node" attr.name="x" attr.type="double"/>
<key id="o" for="node" attr.name="readout" attr.type="boolean"/>
<key id="t" for="all" attr.name="type" attr.type="string"/>
<key id="w" for="edge" attr.name="weight" attr.type="double"/>
<key id="l" for="graph" attr.name="label" attr.type="int"/>
<key id="y" for="node" yfiles.type="nodegraphics"/>
"""


def file(body, direction="directed", space=SPACE):
    return f'{HEAD}<graphml {space}>{KEYS}<graph edgedefault="{direction}">{body}</graph></graphml>'


def folder(tmp_path, *texts):
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.graphml").write_text(text)
    return tmp_path


def test_attributes_types_and_labels(tmp_path):
    body = """<data key="l">7</data>
      <node id="n0"><data key="p">red round</data><data key="a">C</data><data key="r">true</data></node>
      <node id="n1"><data key="p">dark red, round,</data><data key="c">-1</data><data key="r">0</data></node>
      <edge source="n0" target="n1"><data key="t">bond</data></edge><edge id="e" source="n1" target="n1"/>"""
    for space in (SPACE, ""):
        graphs, y = read_graphml(folder(tmp_path, file(body, space=space), file(body, "undirected", space)))
        graphs.validate()
        assert y.tolist() == [7, 7]
        assert set(graphs[0].properties("n0")) == {"red", "round", ("atom", "C"), ("charge", 0), "ring"}
        assert set(graphs[0].properties("n1")) == {"dark red", "round", ("charge", -1)}
        assert sorted(graphs[0].edges) == [("n0", "n1", "bond"), ("n1", "n1", "plain")]
        assert sorted(graphs[1].edges) == [("n0", "n1", "bond"), ("n1", "n0", "bond"), ("n1", "n1", "plain")]


def test_node_types_readout_single_edges_and_several_graphs(tmp_path):
    one = (
        '<node id="a"><data key="t">x</data></node><node id="b"><data key="t">y</data><data key="o">true</data></node>'
    )
    mixed = f'{one}<edge source="a" target="b" directed="false"/>'
    text = file(mixed).replace("</graphml>", f'<graph edgedefault="directed">{one}</graph></graphml>')
    graphs, y = read_graphml(folder(tmp_path, text))
    assert y is None
    assert len(graphs) == 2
    assert [graphs[0].node_type(name) for name in "ab"] == ["x", "y"]
    assert graphs[0].readout == ("b",)
    assert sorted(graphs[0].edges) == [("a", "b", "plain"), ("b", "a", "plain")]


def test_attributes_may_be_left_out(tmp_path):
    body = """<node id="a"><data key="x">0.5</data><data key="y"><Shape/></data></node>
      <edge source="a" target="a"><data key="w">0.5</data></edge>"""
    graphs, _ = read_graphml(folder(tmp_path, file(body)), ignore=["x", "y", "weight", "charge"])
    assert graphs[0].properties("a") == ()


words = st.text("abc", min_size=1, max_size=3)


@given(
    nodes=st.dictionaries(words, st.lists(words, max_size=3, unique=True), min_size=1, max_size=4),
    data=st.data(),
    directed=st.booleans(),
    typed=st.booleans(),
)
def test_what_networkx_writes(tmp_path_factory, nodes, data, directed, typed):
    nx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    for name, symbols in nodes.items():
        graph.add_node(name, properties=" ".join(symbols), charge=data.draw(st.integers(-2, 2)))
        if typed:
            graph.nodes[name].update(type=data.draw(words), readout=name == min(nodes) or data.draw(st.booleans()))
    for _ in range(data.draw(st.integers(0, 4))):
        ends = data.draw(st.sampled_from(sorted(nodes))), data.draw(st.sampled_from(sorted(nodes)))
        graph.add_edge(*ends, type=data.draw(words))
    graph.graph["label"] = data.draw(words)
    path = tmp_path_factory.getbasetemp() / "written"
    path.mkdir(exist_ok=True)
    nx.write_graphml(graph, path / "graph.graphml")
    graphs, y = read_graphml(path)
    for name in graph:
        graph.nodes[name]["properties"] = nodes[name]
    assert list(graphs) == list(gtm.from_networkx(graph, node_attributes=["properties", "charge"]))
    assert y.tolist() == [graph.graph["label"]]


NODE = '<node id="a"/>'
REFUSED = {
    "not XML": ("<graphml>", "0.graphml is not a valid XML file: no element found"),
    "other XML": ("<html/>", "0.graphml: the root element must be 'graphml'; got 'html'"),
    "encoding": (
        file(NODE).replace("UTF-8", "shift_jis"),
        "0.graphml is not a valid XML file: multi-byte encodings are not supported",
    ),
    "many digits": (file(f'<node id="a"><data key="c">{"1" * 5000}</data></node>'), r"got '1{57}'\.\.\."),
    "deep": (file("<a>" * 100_000 + "</a>" * 100_000), "at least one node"),
    "no graph": ("<graphml/>", "there is no element 'graph'"),
    "empty": (file(""), "at least one node; .*0.graphml has none"),
    "no id": (file("<node/>"), "every 'node' element must have 'id'"),
    "same id": (file(NODE * 2), "there is already a node 'a'"),
    "unknown node": (file(f'{NODE}<edge source="a" target="z"/>'), "no node 'z'"),
    "direction": (file(NODE, "up"), "must be 'directed' or 'undirected'"),
    "edge direction": (
        file(f'{NODE}<edge source="a" target="a" directed="up"/>'),
        "must be 'directed' or 'undirected'",
    ),
    "hyperedge": (file(f"{NODE}<hyperedge/>"), "nodes and edges; got an element 'hyperedge'"),
    "port": (
        file('<node id="a"><port name="p"/></node>'),
        "a node must only have data; got an element 'port'",
    ),
    "nested": (file('<node id="a"><graph/></node>'), "got an element 'graph'"),
    "undeclared": (file('<node id="a"><data key="q">1</data></node>'), "by a 'key' element; 'q' is not"),
    "not an int": (file('<node id="a"><data key="c">one</data></node>'), "'charge' must have the declared type"),
    "not a Boolean": (
        file('<node id="a"><data key="r">ja</data></node>'),
        "'ring' must have the declared type; got 'ja'",
    ),
    "unknown type": (file(NODE).replace("double", "complex"), "got 'complex'"),
    "float": (file('<node id="a"><data key="x">0.5</data></node>'), r"'x' of node 'a' is 0.5.* ignore=\['x'\]"),
    "float type": (
        file(f'{NODE}<edge source="a" target="a"><data key="t">1.5</data></edge>').replace(
            'attr.name="type" attr.type="string"', 'attr.name="type" attr.type="double"'
        ),
        "'type' of the edge 'a' -> 'a' is 1.5",
    ),
    "element": (file('<node id="a"><data key="y"><S/></data></node>'), r"has an element 'S'. .*ignore=\['y'\]"),
    "weight": (
        file(f'{NODE}<edge source="a" target="a"><data key="w">1</data></edge>'),
        r"Attribute 'weight' of the edge 'a' -> 'a' is not used: rename it to 'type', or pass ignore=\['weight'\]",
    ),
    "readout": (file('<node id="a"><data key="o">false</data></node>'), "at least one readout node"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_file(tmp_path, case):
    text, message = REFUSED[case]
    with pytest.raises(gtm.GraphFormatError, match=message):
        read_graphml(folder(tmp_path, text))


def test_nan_is_no_type(tmp_path):
    body = '<node id="a"><data key="t">NaN</data></node><edge source="a" target="a"><data key="t">NaN</data></edge>'
    text = file(body).replace('attr.name="type" attr.type="string"', 'attr.name="type" attr.type="double"')
    graph = read_graphml(folder(tmp_path, text))[0][0]
    assert graph.node_type("a") is None
    assert graph.edges == (("a", "a", "plain"),)


def test_missing_files_and_labels(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"The folder .*nowhere does not exist"):
        read_graphml(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"has no \*.graphml files"):
        read_graphml(tmp_path)
    with pytest.raises(gtm.GraphFormatError, match=r"0.graphml has one, .*1.graphml has none"):
        read_graphml(folder(tmp_path, file(f'<data key="l">1</data>{NODE}'), file(NODE)))
    with pytest.raises(TypeError, match=r"'ignore' parameter of read_graphml"):
        read_graphml(tmp_path, ignore="x")


def test_what_is_ignored_must_be_there(tmp_path):
    place = folder(tmp_path, file('<node id="a"><data key="x">0.5</data></node>'))
    with pytest.raises(
        ValueError, match=r"'ignore' parameter of read_graphml .* Got 'wieght' .* Did you mean 'weight'\?"
    ):
        read_graphml(place, ignore=["x", "wieght"])
    assert len(read_graphml(place, ignore=["x", "weight", "readout"])[0]) == 1


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "graph.graphml").write_bytes(b"\xef\xbb\xbf" + file(NODE).encode())
    assert read_graphml(tmp_path)[0][0].nodes == ("a",)


def test_bins_of_nodes_and_edges(tmp_path):
    nodes = "".join(f'<node id="{n}"><data key="x">{n}.5</data></node>' for n in range(4))
    edges = '<edge source="0" target="1"/>'
    graphs, _ = read_graphml(folder(tmp_path, file(nodes + edges)), bins=2)
    reached = [("x", ">=", "2.5") in graphs[0].properties(str(n)) for n in range(4)]
    assert reached == [False, False, True, True]
    later, _ = read_graphml(folder(tmp_path, file('<node id="a"><data key="x">3</data></node>')), bins=graphs)
    assert ("x", ">=", "2.5") in later[0].properties("a")
    with pytest.raises(gtm.GraphFormatError, match="has cuts for 'x', but the nodes have no such attribute"):
        read_graphml(folder(tmp_path, file('<node id="a"/>')), bins=graphs)
