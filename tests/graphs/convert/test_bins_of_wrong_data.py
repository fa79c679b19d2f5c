"""Numbers that cannot be divided by mistake: a wrong cell among numbers, an attribute with another name than before."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import graphtm as gtm
from graphtm.graphs.convert import from_networkx, from_pandas, from_polars, from_pyg, read_csv, read_tudataset

nx = pytest.importorskip("networkx", reason="networkx is not installed")
pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")


def one_wrong(owner, others):
    must = (
        f"All values of an attribute must be numbers to divide it into bins; the {owner} attribute 'age' has {others}."
    )
    return re.escape(f"{must} Correct what is wrong or leave it empty; or name the attributes to divide if")


def read_text(values, bins, folder):
    file = folder / "nodes.csv"
    file.write_text("\n".join(["node,age", *(f"{node},{value}" for node, value in enumerate(values))]))
    return read_csv(file, graph=None, bins=bins)


def graph_of(values):
    graph = nx.DiGraph()
    for node, value in enumerate(values):
        graph.add_node(node, age=value)
    return graph


@pytest.mark.parametrize(
    ("values", "others"),
    [
        (["1.5", "?", "2"], "1 value that is not a number: '?' (row 1)"),
        (["1.5", "n/k", "2", "", "n/k"], "2 values that are not numbers, the first is 'n/k' (row 1)"),
        (["0.5", "1,5"], "1 value that is not a number: '1,5' (row 1)"),
    ],
)
def test_a_wrong_cell_among_numbers(tmp_path, values, others):
    texts = [value or None for value in values]
    with pytest.raises(gtm.GraphError, match=one_wrong("node", others)):
        from_pandas(pd.DataFrame({"node": range(len(values)), "age": texts}), graph=None, bins=4)
    with pytest.raises(gtm.GraphError, match=one_wrong("node", others)):
        from_polars(pl.DataFrame({"node": range(len(values)), "age": texts}), graph=None, bins=4)
    with pytest.raises(gtm.GraphError, match=one_wrong("node", others.replace("(row 1)", "(node 1 of graph 1)"))):
        from_networkx([graph_of([7]), graph_of(texts)], node_attributes=["age"], missing="drop", bins=4)
    if "1,5" not in values:
        with pytest.raises(gtm.GraphError, match=one_wrong("node", others)):
            read_text(values, 4, tmp_path)
        assert ("age", values[1]) in read_text(values, {}, tmp_path).vocabulary.symbols


def test_a_wrong_value_among_floats_and_on_edges():
    with pytest.raises(
        gtm.GraphError, match=one_wrong("node", "2 values that are not numbers, the first is '?' (node 0 of graph 0)")
    ):
        from_networkx(graph_of(["?", 0.5, "-"]), node_attributes=["age"], bins=4)
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, {(0, 1): "0.5", (1, 2): "far"}, "age")
    with pytest.raises(
        gtm.GraphError, match=one_wrong("edge", "1 value that is not a number: 'far' (edge 1 -> 2 of graph 0)")
    ):
        from_networkx(graph, edge_type="age", bins=4)
    edges = pd.DataFrame({"source": [0, 1], "destination": [1, 2], "age": ["0.5", "far"]})
    with pytest.raises(gtm.GraphError, match=one_wrong("edge", "1 value that is not a number: 'far' (row 1)")):
        from_pandas(pd.DataFrame({"node": range(3)}), edges, graph=None, edge_type="age", bins=4)


@pytest.mark.parametrize(
    "values", [["1", "2", "3", "X"], ["C", "N", "1.5"], ["C"], ["007", "12", "A"], ["True", "False"], ["1", "2"]]
)
def test_names_stay_names(tmp_path, values):
    """Also names some of which are numbers: codes, and texts with a few decimals."""
    assert len(read_text(values, 4, tmp_path).vocabulary.symbols) == len(set(values) - {"False"})
    frame = pd.DataFrame({"node": range(len(values)), "age": values})
    assert len(from_pandas(frame, graph=None, bins=4).vocabulary.symbols) == len(set(values))
    lists = graph_of([["a", 1], ("b",), "0.5"])
    assert len(from_networkx(lists, node_attributes=["age"], bins=4).vocabulary.symbols) == 4


# Attributes that are not there any more


def lost(owner, name, rest=""):
    must = (
        f"Attributes with cuts in the training batch must be there in later graphs; it has cuts for {name!r}, but the"
    )
    return re.escape(f"{must} {owner}s have no such attribute{rest}")


FIX = "Name it as in the training batch, or add it with missing values. Of a pipeline, pass the whole: bins=pipeline."


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_column_with_another_name(library):
    frame, convert = {"pandas": (pd.DataFrame, from_pandas), "polars": (pl.DataFrame, from_polars)}[library]
    nodes = {"node": [0, 1, 2], "charge": [0.5, 1.5, 2.5]}
    edges = {"source": [0, 1], "destination": [1, 2], "length": [1.2, 1.4]}
    train = convert(frame(nodes), frame(edges), graph=None, edge_type="length", bins=2)
    message = lost("node", "charge", f", only 'atom', 'Charge'. Did you mean 'Charge'? {FIX}")
    later = frame({"node": [0], "atom": ["C"], "Charge": [1]})
    with pytest.raises(gtm.GraphError, match=f"{message}$"):
        convert(later, graph=None, bins=train)
    with pytest.raises(gtm.GraphError, match=lost("node", "charge", f". {FIX}")):
        convert(frame({"node": [0]}), graph=None, bins=train.with_degrees())
    charged = frame({"node": [0, 1], "charge": [1, 2]})
    ends = {"source": [0], "destination": [1]}
    with pytest.raises(gtm.GraphError, match=lost("edge", "length", f". {FIX}")):
        convert(charged, frame(ends), graph=None, bins=train)
    # Nothing is lost without nodes or edges, with missing values, or if the attribute is ignored.
    assert convert(charged, graph=None, bins=train)[0].n_edges == 0
    assert convert(charged, frame(edges)[:0], graph=None, edge_type="length", bins=train)[0].n_edges == 0
    assert convert(charged, frame(ends)[:0], graph=None, bins=train)[0].n_edges == 0
    assert len(convert(frame({"node": [0]})[:0], graph=None, bins=train)) == 0
    assert convert(charged, graph=None, bins=train, ignore=["charge"])[0].properties(0) == ()
    assert convert(frame({"node": [0], "charge": [None]}), graph=None, bins=train)[0].properties(0) == ()


def test_an_attribute_of_networkx_with_another_name():
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, {0: 0.5, 1: 1.5, 2: 2.5}, "charge")
    nx.set_edge_attributes(graph, {(0, 1): 1.2, (1, 2): 1.4}, "length")
    train = from_networkx(graph, node_attributes=["charge"], edge_type="length", bins=2)
    later = nx.path_graph(2)
    nx.set_node_attributes(later, 1, "Charge")
    message = lost("node", "charge", ", only 'Charge'. Did you mean 'Charge'?")
    with pytest.raises(gtm.GraphError, match=message):
        from_networkx(later, node_attributes=["Charge"], bins=train)
    with pytest.raises(gtm.GraphError, match=lost("edge", "length", ", only 'type'.")):
        from_networkx(later, node_attributes=["charge"], missing="drop", ignore=["Charge"], bins=train)
    assert from_networkx([], node_attributes=["Charge"], bins=train).vocabulary is not None
    alone = nx.Graph()
    alone.add_node(0, charge=2.5)
    assert from_networkx(alone, node_attributes=["charge"], bins=train)[0].properties(0) == (("charge", ">=", "1.5"),)


def test_a_column_of_pyg_that_is_not_there():
    data = SimpleNamespace(
        num_nodes=3,
        x=np.array([[0.5], [1.5], [2.5]]),
        edge_index=np.array([[0, 1], [1, 2]]),
        edge_attr=np.array([[1.2], [1.4]]),
    )
    train = from_pyg(data, symbols=["charge"], bins=2)
    whole = SimpleNamespace(num_nodes=1, x=np.array([[2]]), edge_index=None)
    with pytest.raises(gtm.GraphError, match=lost("node", "charge", ", only 'x 0'.")):
        from_pyg(whole, bins=train)
    bare = SimpleNamespace(num_nodes=2, edge_index=np.array([[0], [1]]))
    with pytest.raises(gtm.GraphError, match=lost("node", "charge", ".")):
        from_pyg(bare, bins=train)
    with pytest.raises(gtm.GraphError, match=lost("edge", "edge_attr 0", ".")):
        from_pyg(bare, node_features=None, bins=train)
    assert from_pyg(bare, node_features=None, edge_features=None, bins=train)[0].n_edges == 1
    assert len(from_pyg([], bins=train)) == 0
    alone = SimpleNamespace(num_nodes=1, x=np.array([[2.5]]), edge_index=None)
    assert from_pyg(alone, symbols=["charge"], bins=train)[0].n_edges == 0


def test_a_file_of_a_tudataset_that_is_not_there(tmp_path):
    files = {"A": "1, 2\n2, 1", "graph_indicator": "1\n1", "graph_labels": "1", "node_attributes": "0.5\n1.5"}
    for name, text in {**files, "edge_attributes": "0.1\n0.2"}.items():
        (tmp_path / f"TINY_{name}.txt").write_text(text)
    train, _ = read_tudataset(tmp_path, bins=2)
    (tmp_path / "TINY_edge_attributes.txt").unlink()
    with pytest.raises(gtm.GraphError, match=lost("edge", "edge attribute 0", ".")):
        read_tudataset(tmp_path, bins=train)
    assert len(read_tudataset(tmp_path, bins=train, ignore=["edge_attributes"])[0]) == 1
    (tmp_path / "TINY_node_attributes.txt").unlink()
    with pytest.raises(gtm.GraphError, match=lost("node", "attribute 0", ".")):
        read_tudataset(tmp_path, bins=train, ignore=["edge_attributes"])
    (tmp_path / "TINY_A.txt").write_text("")
    assert len(read_tudataset(tmp_path, bins=train, ignore=["node_attributes"])[0]) == 1
