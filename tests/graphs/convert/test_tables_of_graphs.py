"""Tables of users: labels in a table of their own, labels of nodes, undirected edges, missing values, CSV files."""

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.graphs.convert import from_networkx, from_pandas, from_polars, read_csv

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

NODES = {"graph": ["b", "b", "a"], "node": [0, 1, 0], "atom": ["C", "O", "C"]}
EDGES = {"graph": ["b"], "source": [0], "destination": [1]}
LIBRARIES = {"pandas": (pd.DataFrame, from_pandas), "polars": (pl.DataFrame, from_polars)}
both = pytest.mark.parametrize("library", LIBRARIES)


@both
def test_labels_in_a_table_of_their_own(library):
    """They are found by the name of the graph, whatever the order of the rows."""
    frame, convert = LIBRARIES[library]
    batch, y = convert(frame(NODES), frame(EDGES), frame({"graph": ["a", "b"], "label": ["no", "yes"]}))
    assert y.tolist() == ["yes", "no"]
    assert batch == convert(frame(NODES), frame(EDGES))
    graphs = frame({"graph": ["a", "b"], "toxic": [0, 1], "lab": ["x", "y"]})
    _, y = convert(frame(NODES), frame(EDGES), graphs, label="toxic", ignore=["lab"])
    assert y.tolist() == [1, 0]


@both
@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ({"graph": ["a"], "label": [1]}, "Every graph must have a label; graph 'b' has no row in the graphs"),
        ({"graph": ["a", "b"], "label": [1, None]}, "graph 'b' has no value in column 'label' of the graphs"),
        ({"graph": ["a", "b", "c"], "label": [1, 2, 3]}, "row 2 of the graphs is 'c', which has no nodes"),
        ({"graph": ["a", "b", None], "label": [1, 2, 3]}, "Column 'graph'|row 2 of the graphs has no name"),
        ({"graph": ["a", "b", "a"], "label": [1, 2, 3]}, "graph 'a' is in rows 0 and 2 of the graphs"),
        ({"graph": ["a", "b"], "y": [1, 2]}, "The graphs have no column 'label'"),
        ({"graph": ["a", "b"], "label": [1, 2], "y": [3, 4]}, "Column 'y' of the graphs is not used: pass label='y'"),
    ],
)
def test_tables_of_graphs_that_do_not_fit(library, graphs, message):
    frame, convert = LIBRARIES[library]
    with pytest.raises(gtm.GraphError, match=message):
        convert(frame(NODES), frame(EDGES), frame(graphs))


def test_choices_that_exclude_each_other():
    nodes, graphs = pd.DataFrame(NODES), pd.DataFrame({"graph": ["a", "b"], "label": [1, 2]})
    with pytest.raises(
        ValueError, match="The 'graph' parameter of from_pandas must be a column if there is a data frame"
    ):
        from_pandas(nodes, None, graphs, graph=None)
    with pytest.raises(
        ValueError, match=r"Either 'label' \(of graphs\) or 'node_label' \(of nodes\) must be None in from_p"
    ):
        from_pandas(nodes, None, graphs, label="label", node_label="atom")
    with pytest.raises(
        ValueError,
        match=r"Either 'graphs' \(with labels of graphs\) or 'node_label' \(labels of nodes\) must be None in "
        r"from_pandas. Got node_label='atom' and graphs.",
    ):
        from_pandas(nodes, None, graphs, node_label="atom")
    with pytest.raises(ValueError, match=r"Either 'label'.*in from_networkx. Got 'a' and 'b' instead"):
        from_networkx(nx.path_graph(2), label="a", node_label="b")
    with pytest.raises(TypeError, match=r"'directed' parameter of from_pandas must be True or False. Got 'no' instead"):
        from_pandas(nodes, directed="no")
    with pytest.raises(
        ValueError, match=r"'missing' parameter of from_pandas must be a str among .* Got 'zero' instead"
    ):
        from_pandas(nodes, missing="zero")
    with pytest.raises(
        ValueError, match=r"'edge_type' parameter of from_pandas must be .* distinct names.* Got \[\] inst"
    ):
        from_pandas(nodes, edge_type=[])


@both
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from("uv")), max_size=8))
def test_undirected_edges_are_those_of_networkx(library, edges):
    frame, convert = LIBRARIES[library]
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(4))
    for source, destination, kind in edges:
        graph.add_edge(source, destination, type=kind)
    source, destination, kinds = zip(*edges, strict=True) if edges else ((), (), ())
    table = {"source": np.array(source, int), "destination": np.array(destination, int), "kind": np.array(kinds, str)}
    batch = convert(frame({"node": [0, 1, 2, 3]}), frame(table), graph=None, edge_type="kind", directed=False)
    assert set(batch[0].edges) == set(from_networkx(graph)[0].edges)
    assert len(set(batch[0].edges)) == batch[0].n_edges


@both
def test_labels_of_nodes(library):
    """Nodes without a label are no readout nodes; labels are in the order of the examples."""
    frame, convert = LIBRARIES[library]
    nodes = {"graph": ["b", "a", "b", "a"], "node": [0, 0, 1, 1], "club": ["x", None, "y", "z"]}
    batch, y = convert(frame(nodes), node_label="club")
    assert y.tolist() == ["x", "y", "z"]
    examples = batch.node_examples(depth=1)
    assert [graph.nodes for graph in examples] == [(0,), (1,), (1,)]
    assert len(batch.vocabulary.symbols) == 0
    with pytest.raises(
        gtm.GraphError, match="At least one node of each graph must have a label; graph 'a' has no value"
    ):
        convert(frame({**nodes, "club": ["x", None, "y", None]}), node_label="club")


def test_labels_of_nodes_of_networkx():
    graph = nx.karate_club_graph()
    batch, y = from_networkx(graph, node_label="club", ignore=["weight"])
    assert y.tolist() == [graph.nodes[node]["club"] for node in graph]
    assert len(batch.node_examples(depth=2)) == len(y) == 34
    del graph.nodes[3]["club"]
    fewer, y = from_networkx(graph, node_label="club", ignore=["weight"])
    assert [example.nodes[0] for example in fewer.node_examples(depth=1)] == [node for node in graph if node != 3]
    with pytest.raises(
        gtm.GraphError, match="At least one node of a graph must have a label, 'side'; graph 0 has none"
    ):
        from_networkx(nx.path_graph(2), node_label="side")


def test_labels_of_nodes_of_pyg():
    from types import SimpleNamespace

    data = [SimpleNamespace(num_nodes=n, x=np.eye(n, 3), edge_index=None, y=np.arange(n)) for n in (2, 3)]
    batch, y = gtm.from_pyg(data, node_label="y")
    assert y.tolist() == [0, 1, 0, 1, 2]
    assert len(batch.node_examples(depth=1)) == 5
    with pytest.raises(
        gtm.GraphError, match=r"per graph \(1\); got shape \(2,\) in item 0. Pass node_label for labels"
    ):
        gtm.from_pyg(data, label="y")
    data[1].y = np.arange(2)
    with pytest.raises(gtm.GraphError, match=r"'y' must have one label, or one row of labels, per node \(3\)"):
        gtm.from_pyg(data, node_label="y")


@both
def test_several_attributes_of_edges(library):
    frame, convert = LIBRARIES[library]
    edges = {
        "source": [0, 1, 0],
        "destination": [1, 2, 2],
        "bond": ["single", "double", None],
        "ring": [True, False, True],
        "length": [1.5, 1.2, 1.4],
    }
    options = dict(edge_type=["bond", "ring", "length"], bins={"length": [1.3]})
    batch = convert(frame({"node": [0, 1, 2]}), frame(edges), graph=None, **options)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(3))
    for source, destination, bond, ring, length in zip(*edges.values(), strict=True):
        graph.add_edge(source, destination, bond=bond, ring=ring, length=length)
    assert set(batch[0].edges) == set(from_networkx(graph, **options)[0].edges)
    assert {edge.type for edge in batch[0].edges} == {
        (("bond", "single"), ("ring", True), ("length", "in", ">= 1.3")),
        (("bond", "double"), ("ring", False), ("length", "in", "< 1.3")),
        (("bond", "is", "missing"), ("ring", True), ("length", "in", ">= 1.3")),
    }
    assert "(bond=double, ring=False, length < 1.3) -> 2" in str(batch[0])
    one = convert(frame({"node": [0, 1, 2]}), frame(edges), graph=None, edge_type=["bond"], ignore=["ring", "length"])
    assert {edge.type for edge in one[0].edges} == {("bond", "single"), ("bond", "double"), ("bond", "is", "missing")}


MISSING = {"node": [0, 1, 2], "atom": ["C", None, "O"], "charge": [0.5, 1.5, None], "flag": [True, None, False]}


@both
def test_missing_values(library):
    frame, convert = LIBRARIES[library]
    symbols = {"drop": [], "symbol": [("atom", "is", "missing"), ("flag", "is", "missing")]}
    for missing, expected in symbols.items():
        batch = convert(frame(MISSING), graph=None, bins={"charge": [1]}, missing=missing)
        assert set(batch[0].properties(1)) == {("charge", ">=", 1), *expected}
    assert ("charge", "is", "missing") in batch[0].properties(2)
    with pytest.raises(
        gtm.GraphError, match=r"Column 'atom' of the nodes must not have missing values .* row 1 has one"
    ):
        convert(frame(MISSING), graph=None, bins={"charge": [1]}, missing="error")


@both
def test_missing_values_of_edges(library):
    """One column: a plain edge. Several: a part that says so. Or an error."""
    frame, convert = LIBRARIES[library]
    nodes = frame({"node": [0, 1]})
    edges = {"source": [0, 1], "destination": [1, 0], "bond": ["single", None], "length": [None, 1.5]}
    gap = {"bond": ("bond", "is", "missing"), "length": ("length", "is", "missing")}
    full = {"bond": "single", "length": ("length", "in", ">= 1")}
    graph = nx.DiGraph([(0, 1, {"bond": "single"}), (1, 0, {"length": 1.5})])
    for name, other in (("bond", "length"), ("length", "bond")):
        options = dict(edge_type=name, ignore=[other], bins={"length": [1]} if name == "length" else None)
        for missing in ("drop", "symbol"):
            batch = convert(nodes, frame(edges), graph=None, missing=missing, **options)
            assert {edge.type for edge in batch[0].edges} == {full[name], "plain"}
        with pytest.raises(
            gtm.GraphError, match=rf"Column '{name}' of the edges must not have missing .* row {int(name == 'bond')} ha"
        ):
            convert(nodes, frame(edges), graph=None, missing="error", **options)
        assert {edge.type for edge in from_networkx(graph, missing="error", **options)[0].edges} == {
            full[name],
            "plain",
        }
    options = dict(edge_type=["bond", "length"], bins={"length": [1]})
    types = {(("bond", "single"), gap["length"]), (gap["bond"], full["length"])}
    for missing in ("drop", "symbol"):
        batch = convert(nodes, frame(edges), graph=None, missing=missing, **options)
        assert {edge.type for edge in batch[0].edges} == types
    assert {edge.type for edge in from_networkx(graph, **options)[0].edges} == types
    with pytest.raises(gtm.GraphError, match="Column 'bond' of the edges must not have missing values"):
        convert(nodes, frame(edges), graph=None, missing="error", **options)


def test_missing_attributes_of_networkx():
    graph = nx.Graph()
    graph.add_node(0, atom="C")
    graph.add_node(2)
    with pytest.raises(
        gtm.GraphError, match=r"node 2 of graph 0 has no attributes. Pass missing='drop' or missing='symb"
    ):
        from_networkx(graph, node_attributes=["atom"])
    graph.add_node(1, atom=None)
    named = from_networkx(graph, node_attributes=["atom"], missing="symbol")
    assert [named[0].properties(node) for node in (1, 2)] == [(("atom", "is", "missing"),)] * 2
    dropped = from_networkx(graph, node_attributes=["atom"], missing="drop")
    assert [dropped[0].properties(node) for node in (0, 1, 2)] == [(("atom", "C"),), (), ()]
    assert len(from_networkx(nx.path_graph(2), missing="symbol").vocabulary.symbols) == 0


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_missing_values_of_networkx(value):
    """None, NaN and the like are missing values too, with and without bins."""
    graph = nx.Graph()
    graph.add_node(0, charge=1.5)
    graph.add_node(1, charge=value)
    options = dict(node_attributes=["charge"], bins={"charge": [1]})
    named = from_networkx(graph, missing="symbol", **options)[0]
    assert (named.properties(0), named.properties(1)) == ((("charge", ">=", 1),), (("charge", "is", "missing"),))
    dropped = from_networkx(graph, missing="drop", **options)[0]
    assert (dropped.properties(0), dropped.properties(1)) == ((("charge", ">=", 1),), ())
    message = (
        "Attribute 'charge' of the nodes must not have missing values with missing='error'; node 1 of graph 0 has "
        f"{value!r}. Pass missing='drop' or missing='symbol'."
    )
    with pytest.raises(gtm.GraphError, match=f"^{re.escape(message)}$"):
        from_networkx(graph, **options)
    graph.nodes[0]["charge"] = "high"
    with pytest.raises(gtm.GraphError, match=f"^{re.escape(message)}$"):
        from_networkx(graph, node_attributes=["charge"])


# CSV files


def write(folder, **files):
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return [folder / f"{name}.csv" for name in files]


def test_files(tmp_path):
    """Integers with gaps stay integers, empty cells are missing, Booleans are Booleans."""
    files = write(
        tmp_path,
        nodes=["graph,node,atom,count,flag,charge", "1,a,C,3,True,0.5", "1,b,,,False,", "2,a,O,4,,1.5"],
        edges=["graph,source,destination,bond", "1,a,b,double"],
        graphs=["graph,label", "2,0", "1,1"],
    )
    batch, y = read_csv(*files, edge_type="bond", directed=False, bins=2)
    assert y.tolist() == [1, 0]
    assert batch[0].properties("a") == (("atom", "C"), ("count", 3), "flag")
    assert batch[0].properties("b") == ()
    assert set(batch[1].properties("a")) == {("atom", "O"), ("count", 4), ("charge", ">=", "1.5")}
    assert set(batch[0].edges) == {("a", "b", "double"), ("b", "a", "double")}
    with pytest.raises(gtm.GraphError, match=r"column 'charge' of the nodes has floats. Divide floats into bins first"):
        read_csv(*files, edge_type="bond")
    with pytest.raises(ValueError, match="'bins' parameter of read_csv must be"):
        read_csv(*files, edge_type="bond", bins=0)
    with pytest.raises(ValueError, match="'ignore' parameter of read_csv must list"):
        read_csv(*files, edge_type="bond", bins=2, ignore=["x"])
    with pytest.raises(TypeError, match="'node' parameter of read_csv must be one name"):
        read_csv(*files, node=["node"])


@pytest.mark.parametrize(
    ("nodes", "ends", "expected"),
    [
        (["1", "2"], ["2", "1"], [1, 2]),
        (["01", "2"], ["2", "01"], ["01", "2"]),
        (["1", "x"], ["1", "1"], ["1", "x"]),
        (["-3", "0"], ["0", "-3"], [-3, 0]),
        (["1", "2.0"], ["1", "2.0"], ["1", "2.0"]),
        (["--5", "1"], ["1", "--5"], ["--5", "1"]),
        (["-0", "-"], ["-", "-0"], ["-0", "-"]),
        ([str(2**63 - 1), str(-(2**63))], [str(2**63 - 1)] * 2, [2**63 - 1, -(2**63)]),
        ([str(2**63), "1"], ["1", "1"], [str(2**63), "1"]),
        (["1" * 5000, "1"], ["1", "1"], ["1" * 5000, "1"]),
    ],
)
def test_names_are_of_one_type_in_all_files(tmp_path, nodes, ends, expected):
    files = write(
        tmp_path, nodes=["node,a", *(f"{name},1" for name in nodes)], edges=["source,destination", ",".join(ends)]
    )
    batch = read_csv(*files, graph=None)
    assert [repr(name) for name in batch[0].nodes] == [repr(name) for name in expected]
    assert batch[0].n_edges == 1


@pytest.mark.parametrize("name", ["--5", "12345678901234567890123"])
def test_odd_names_of_graphs_are_strings(tmp_path, name):
    files = write(tmp_path, nodes=["graph,node,a", f"{name},1,x", "7,1,y"], edges=["graph,source,destination"])
    _, y = read_csv(*files, *write(tmp_path, graphs=["graph,label", "7,no", f"{name},yes"]))
    assert y.tolist() == ["yes", "no"]


def test_files_that_are_no_tables(tmp_path):
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(gtm.GraphFormatError, match=r"empty.csv is empty; its first line must name the columns\."):
        read_csv(tmp_path / "empty.csv")
    (tmp_path / "ragged.csv").write_text("graph,node\n1,2,3\n1,2,3,4\n")
    with pytest.raises(gtm.GraphFormatError, match=r"ragged.csv must be a CSV file"):
        read_csv(tmp_path / "ragged.csv")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(gtm.GraphFormatError, match=r"binary.csv must be a CSV file in UTF-8"):
        read_csv(tmp_path / "binary.csv")
    with pytest.raises(FileNotFoundError):
        read_csv(tmp_path / "none.csv")


def test_other_separators(tmp_path):
    (path,) = write(tmp_path, nodes=["graph;node;atom", "1;0;C"])
    assert read_csv(path, separator=";")[0].properties(0) == (("atom", "C"),)
