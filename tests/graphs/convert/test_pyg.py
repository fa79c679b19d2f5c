"""PyTorch Geometric: what its objects become, the way back, and what is refused.

Most of this needs no PyTorch, since the converter only asks its objects for attributes; what does is skipped without.
"""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import batches

import graphtm as gtm
from graphtm import from_pyg, to_pyg


def plain(n_nodes=2, edges=((0, 1), (1, 0)), **attributes):
    index = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return SimpleNamespace(**{"num_nodes": n_nodes, "edge_index": index, **attributes})


class Hetero:
    """The part of HeteroData that the converter asks for."""

    def __init__(self, nodes, relations):
        self._stores = {name: SimpleNamespace(**store) for name, store in {**nodes, **relations}.items()}
        self.node_types, self.edge_types = list(nodes), list(relations)

    def __getitem__(self, key):
        return self._stores[key]


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed; from_pyg and to_pyg are tested with it")


@pytest.fixture(scope="module")
def geometric(torch):
    return pytest.importorskip(
        "torch_geometric.data", reason="PyTorch Geometric is not installed; from_pyg and to_pyg are tested with it"
    )


# What becomes of features


def test_one_hot_columns_are_symbols():
    x = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    batch = from_pyg(plain(x=x))
    assert list(batch.vocabulary.symbols) == [("x", 0), ("x", 1), ("x", 2)]
    assert [batch[0].properties(node) for node in (0, 1)] == [(("x", 0),), (("x", 1), ("x", 2))]
    assert list(batch.vocabulary.edge_types) == ["plain"]
    assert from_pyg(plain(x=x), symbols=["a", "b", "c"])[0].properties(1) == ("b", "c")
    assert from_pyg(plain(x=x), node_features=None)[0].properties(1) == ()


def test_categories_are_symbols_with_their_column():
    x = np.array([[6, 1], [8, 0]])
    batch = from_pyg([plain(x=x), plain(x=x[::-1])])
    assert list(batch.vocabulary.symbols) == [("x", 0, 6), ("x", 0, 8), ("x", 1, 0), ("x", 1, 1)]
    assert batch[1].properties(0) == (("x", 0, 8), ("x", 1, 0))
    assert from_pyg(plain(x=x), symbols=["atom", "charge"])[0].properties(0) == (("atom", 6), ("charge", 1))
    floats = from_pyg(plain(x=x.astype(float)), node_features="category")
    assert floats[0] == batch[0]
    assert from_pyg(plain(x=np.array([3, 4])))[0].properties(1) == (("x", 0, 4),)


def test_auto_looks_at_all_graphs_and_at_the_type_of_numbers():
    eye, other = np.eye(2, dtype=int), np.array([[1, 1], [0, 1]])
    assert list(from_pyg(plain(x=eye)).vocabulary.symbols) == [("x", 0), ("x", 1)]
    assert ("x", 0, 1) in from_pyg([plain(x=eye), plain(x=other)]).vocabulary.symbols
    assert list(from_pyg(plain(x=other.astype(bool))).vocabulary.symbols) == [("x", 0), ("x", 1)]
    # One column of 0 and 1 cannot be one-hot: that would be a constant.
    assert list(from_pyg(plain(x=np.array([[1], [1]]))).vocabulary.symbols) == [("x", 0, 1)]


def test_edge_features_are_edge_types():
    one_hot, category = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[3, 1], [3, 0]])
    assert [edge.type for edge in from_pyg(plain(edge_attr=one_hot))[0].edges] == [("edge_attr", 1), ("edge_attr", 0)]
    assert [edge.type for edge in from_pyg(plain(edge_attr=one_hot), edge_types=["a", "b"])[0].edges] == ["b", "a"]
    types = [edge.type for edge in from_pyg(plain(edge_attr=category))[0].edges]
    assert types == [("edge_attr", 3, 1), ("edge_attr", 3, 0)]
    assert [edge.type for edge in from_pyg(plain(edge_attr=np.array([1, 0])))[0].edges] == [
        ("edge_attr", 1),
        ("edge_attr", 0),
    ]
    named = from_pyg(plain(edge_attr=np.array([1, 0])), edge_types=["single", "double"])
    assert [edge.type for edge in named[0].edges] == ["double", "single"]
    assert [edge.type for edge in from_pyg(plain(edge_attr=one_hot), edge_features=None)[0].edges] == ["plain"] * 2


def test_edge_types_and_features_make_pairs():
    graph = plain(edge_type=np.array([4, 0]), edge_attr=np.eye(2))
    assert [edge.type for edge in from_pyg(graph)[0].edges] == [
        (("edge_type", 4), "edge_attr", 0),
        (("edge_type", 0), "edge_attr", 1),
    ]
    graph._edge_type_names = ["knows", *"abc", "likes"]
    assert [edge.type for edge in from_pyg(graph, edge_features=None)[0].edges] == ["likes", "knows"]
    assert from_pyg(graph, edge_types=["old", "new"])[0].edges[0].type == ("likes", "old")


def test_node_type_numbers_are_node_types():
    assert from_pyg(plain(node_type=np.array([7, 5])))[0].node_type(0) == ("node_type", 7)
    assert from_pyg(plain(node_type=np.array([1, 0]), _node_type_names=["user", "item"]))[0].node_type(0) == "item"


def test_relations_of_hetero_graphs():
    item = Hetero(
        {"user": {"num_nodes": 2, "x": np.eye(2)}, "item": {"num_nodes": 1, "x": np.array([[7]])}},
        {
            ("user", "buys", "item"): {"edge_index": np.array([[0, 1], [0, 0]]), "edge_attr": np.eye(2)},
            ("item", "rev_buys", "user"): {"edge_index": np.array([[0], [1]])},
        },
    )
    graph = from_pyg([item, item])[1]
    assert [graph.node_type(node) for node in graph] == ["user", "user", "item"]
    assert [graph.properties(node) for node in graph] == [
        (("user", "x", 0),),
        (("user", "x", 1),),
        (("item", "x", 0, 7),),
    ]
    assert set(graph.edges) == {
        (0, 2, ("buys", "edge_attr", 0)),
        (1, 2, ("buys", "edge_attr", 1)),
        (2, 1, "rev_buys"),
    }
    named = from_pyg(item, symbols={"user": ["adult", "child"]}, edge_types={"buys": ["online", "shop"]})[0]
    assert named.properties(1) == ("child",)
    assert (1, 2, ("buys", "shop")) in named.edges


def test_node_types_may_carry_the_same_symbols():
    stores = {kind: {"num_nodes": 2, "x": np.eye(2)} for kind in ("user", "item")}
    batch = from_pyg(Hetero(stores, {}), symbols={"user": ["old", "red"], "item": ["red", "cheap"]})
    assert list(batch.vocabulary.symbols) == ["old", "red", "cheap"]
    assert [batch[0].properties(node) for node in batch[0]] == [("old",), ("red",), ("red",), ("cheap",)]
    with pytest.raises(gtm.GraphError, match="Names of symbols must be unique; got 'red' twice"):
        from_pyg(plain(x=np.eye(2)), symbols=["red", "red"])


def test_what_nodes_and_edges_have_is_read_or_ignored():
    one = plain(pos=np.zeros((2, 3)), edge_weight=np.ones(2), train_mask=np.array([True, False]), tags=["a", "b"])
    message = (
        r"Attributes 'pos', 'edge_weight', 'train_mask', 'tags' of .* not used: encode them in 'x' .* ignore=\['pos', "
    )
    with pytest.raises(gtm.GraphError, match=message):
        from_pyg(one)
    assert from_pyg(one, ignore=["pos", "edge_weight", "train_mask", "tags"]) == from_pyg(plain())
    # A target is no part of the graph, nor is what belongs to the graph as a whole.
    fine = plain(y=np.array([0, 1]), smiles="CO", idx=np.array([7]), energy=0.5, code=np.zeros((1, 2)))
    assert from_pyg(fine) == from_pyg(plain())
    # Its length may happen to be that of the nodes or edges.
    code = np.zeros(2)
    assert from_pyg([plain(code=code), plain(3, [(0, 1)], code=code)]).n_nodes == 5
    assert len(from_pyg(plain(1, [(0, 0)], idx=np.array([7])))) == 1
    with pytest.raises(gtm.GraphError, match="'node_names' of nodes or edges is not used"):
        from_pyg(plain(node_names=["a", "b"]))


def test_attributes_that_are_read_may_be_ignored_too():
    graph = plain(x=np.eye(2), edge_type=np.array([0, 1]), node_type=np.array([0, 1]))
    assert from_pyg(graph, ignore=["x", "edge_type", "node_type"]) == from_pyg(plain())
    stores = {"a": {"num_nodes": 1, "x": np.array([[0.5]]), "pos": np.zeros((1, 3))}}
    relations = {("a", "to", "a"): {"edge_index": np.array([[0], [0]]), "time": np.array([3])}}
    with pytest.raises(gtm.GraphError, match=r"ignore=\['pos', 'time'\]"):
        from_pyg(Hetero(stores, relations), node_features=None)
    assert from_pyg(Hetero(stores, relations), ignore=["x", "pos", "time"])[0].edges == ((0, 0, "to"),)
    with pytest.raises(ValueError, match=r"'ignore' parameter of from_pyg must not list .* Got 'y'"):
        from_pyg(plain(y=1), label="y", ignore=["y"])
    with pytest.raises(TypeError, match=r"'ignore' parameter of from_pyg must be a list of names. Got 'pos'"):
        from_pyg(plain(), ignore="pos")


@st.composite
def featured(draw):
    """Graphs with a category and two one-hot columns: arrays, and what they say, read one by one."""
    data, graphs = [], []
    for _ in range(draw(st.integers(1, 4))):
        n_nodes = draw(st.integers(1, 4))
        node = st.integers(0, n_nodes - 1)
        atoms = draw(st.lists(st.integers(-2, 2), min_size=n_nodes, max_size=n_nodes))
        edges = draw(st.lists(st.tuples(node, node, st.integers(0, 1)), max_size=5))
        bonds = np.eye(2)[[bond for *_, bond in edges]] if edges else np.zeros((0, 2))
        data.append(plain(n_nodes, [edge[:2] for edge in edges], x=np.array(atoms), edge_attr=bonds))
        graph = gtm.Graph()
        for place, atom in enumerate(atoms):
            graph.add_node(place, [("atom", atom)])
        for source, destination, bond in edges:
            graph.add_edge(source, destination, ["single", "double"][bond])
        graphs.append(graph)
    return data, graphs


@given(featured())
def test_lists_and_batches_say_what_their_arrays_say(made):
    data, graphs = made
    arguments = dict(symbols=["atom"], node_features="category")
    if any(graph.n_edges for graph in graphs):
        arguments["edge_types"] = ["single", "double"]
    batch = from_pyg(data, **arguments)
    batch.validate()
    assert list(batch) == graphs
    counts = [one.num_nodes for one in data]
    starts = np.cumsum([0, *counts])
    joined = SimpleNamespace(
        num_nodes=int(starts[-1]),
        ptr=starts,
        x=np.concatenate([one.x for one in data]),
        edge_index=np.concatenate([one.edge_index + start for one, start in zip(data, starts, strict=False)], axis=1),
        edge_attr=np.concatenate([one.edge_attr for one in data]),
    )
    assert from_pyg(joined, **arguments) == batch


def test_odd_graphs():
    batch = from_pyg([plain(1, []), plain(1, [(0, 0), (0, 0)]), SimpleNamespace(num_nodes=1, edge_index=None)])
    assert [graph.n_edges for graph in batch] == [0, 2, 0]
    batch.validate()
    assert from_pyg([]) == gtm.GraphBatch.from_graphs([])
    assert len(from_pyg(plain(3, np.empty((0, 2))))) == 1


def test_labels():
    graphs, y = from_pyg([plain(y=np.array([3])), plain(y=4)], label="y")
    assert (len(graphs), y.tolist()) == (2, [3, 4])
    assert from_pyg([plain(y=np.array([[1, 0]]))] * 2, label="y")[1].tolist() == [[1, 0], [1, 0]]
    assert from_pyg([plain(y=np.array([[1]]))] * 2, label="y")[1].tolist() == [1, 1]
    with pytest.raises(gtm.GraphError, match="must have the attribute 'y' with its label; item 1 has none"):
        from_pyg([plain(y=1), plain()], label="y")
    with pytest.raises(gtm.GraphError, match=r"one row of labels, per graph \(1\); got shape \(2,\) in item 0"):
        from_pyg([plain(y=np.array([1, 2]))], label="y")


def test_a_batch_vector_separates_graphs():
    graph = plain(3, [(2, 2), (0, 1)], batch=np.array([0, 0, 1]), edge_attr=np.eye(2))
    batch = from_pyg(graph)
    assert [one.edges for one in batch] == [((0, 1, ("edge_attr", 1)),), ((0, 0, ("edge_attr", 0)),)]
    with pytest.raises(gtm.GraphError, match="'batch' must be ascending"):
        from_pyg(plain(2, batch=np.array([1, 0])))
    with pytest.raises(gtm.GraphError, match=r"edge 0 of graph 0 has node 2, but that graph has nodes 0..1"):
        from_pyg(plain(3, [(0, 2)], batch=np.array([0, 0, 1])))


# What is refused


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (
            plain(x=np.array([[0.5], [1]])),
            "'x' must have entries 0 and 1 .* got 0.5 in column 0, row 0 of graph 1. Pass bins=4 to divide real",
        ),
        (plain(x=np.array([[np.nan], [1]])), "got nan in column 0"),
        (plain(x=np.array([[2.0], [1]])), "got 2.0 in column 0, row 0 of graph 1. Pass node_features='category'"),
        (plain(x=np.ones((3, 1))), r"'x' must be a matrix with one row per node, 2; got shape \(3, 1\)"),
        (plain(x=np.ones((2, 1, 1))), "'x' must be a matrix"),
        (plain(x=np.ones((2, 2))), "the same number of columns in all graphs; got 1 in graph 0 and 2 in graph 1"),
        (plain(x=np.array([["a"], ["b"]])), "'x' must have numbers; got dtype <U1 in graph 1"),
        (plain(), "Either all graphs or none must have 'x'; graph 1 differs"),
        (
            plain(x=np.ones((2, 1)), edge_index=None, adj_t=1),
            "Edges must be given as 'edge_index'; graph 1 has 'adj_t'",
        ),
        (
            plain(2, [(0, 5)], x=np.ones((2, 1))),
            "edge 0 has node 5, but graph 1 has 2 nodes",
        ),
        (plain(None, x=np.ones((2, 1))), "must have 'num_nodes'; graph 1 has none"),
        (plain(x=np.ones((2, 1)), node_type=np.array([0, 1])), "Either all graphs or none must have 'node_type'"),
    ],
)
def test_from_pyg_refuses(graph, message):
    with pytest.raises(gtm.GraphError, match=message):
        from_pyg([plain(x=np.ones((2, 1))), graph])


@pytest.mark.parametrize(
    ("graph", "arguments", "message"),
    [
        (plain(edge_attr=np.ones((2, 2))), {}, "exactly one 1 per row, .* got 2 in row 0 of graph 0"),
        (
            plain(edge_attr=np.array([[0.5], [1]])),
            {},
            "'edge_attr' must have entries 0 and 1 .* or edge_features=None",
        ),
        (
            plain(edge_attr=np.eye(2)),
            {"edge_types": ["a"]},
            "'edge_types' must have one name per column of 'edge_attr', 2",
        ),
        (plain(edge_attr=np.array([0, 2])), {"edge_types": ["a", "b"]}, "2 names and the value 2 in row 1 of graph 0"),
        (
            plain(edge_attr=np.array([[3, 1], [3, 0]])),
            {"edge_types": ["a", "b"]},
            "needs a single column of categories; 'edge_attr' has 2",
        ),
        (plain(x=np.eye(2)), {"symbols": ["a"]}, "'symbols' must have one name per column of 'x', 2; got 1"),
        (plain(x=np.array([[0.5], [1]])), {"node_features": "category"}, "got 0.5 in column 0"),
        (plain(edge_index=np.zeros((3, 2), int)), {}, r"'edge_index' must have shape \(2, edges\); got \(3, 2\)"),
        (plain(edge_index=np.zeros((2, 2))), {}, "'edge_index' of graph 0 must be integers"),
        (plain(edge_type=np.array([1])), {}, "'edge_type' must have 2 entries in graph 0; got 1"),
        (
            plain(edge_type=np.array([1, 2]), _edge_type_names=["a"]),
            {},
            "in 0..0, the indices of its names; got 1 to 2 in graph 0",
        ),
        (plain(2, ptr=np.array([0, 3])), {}, "must cover all 2 nodes; got offsets"),
        (plain(0, []), {}, "A graph must have at least one node; graph 0 has 0"),
    ],
)
def test_from_pyg_refuses_one_graph(graph, arguments, message):
    with pytest.raises(gtm.GraphError, match=message):
        from_pyg(graph, **arguments)


def test_from_pyg_refuses_hetero_edges_that_leave_the_graph():
    item = Hetero({"a": {"num_nodes": 1}}, {("a", "to", "b"): {"edge_index": np.array([[0], [0]])}})
    with pytest.raises(gtm.GraphError, match=r"edge 0 has node 0, but graph 0 has 0 nodes 'b'"):
        from_pyg(item)
    with pytest.raises(gtm.GraphError, match="Either all graphs or none must have 'node_type'"):
        from_pyg([plain(), Hetero({"a": {"num_nodes": 1}}, {})])


def test_from_pyg_refuses_names_of_what_there_is_not():
    item = Hetero({"a": {"num_nodes": 1, "x": np.ones((1, 1))}, "b": {"num_nodes": 1}}, {})
    assert from_pyg(item, symbols={"a": ["s"]})[0].properties(0) == ("s",)
    with pytest.raises(gtm.GraphError, match=r"'symbols' has names for 'c', .* features of 'a'"):
        from_pyg(item, symbols={"c": ["s"]})
    with pytest.raises(gtm.GraphError, match="has names for homogeneous graphs, but there are only features of 'a'"):
        from_pyg(item, symbols=["s"])
    with pytest.raises(gtm.GraphError, match=r"'edge_types' has names for .* but there are no features"):
        from_pyg(plain(), edge_types=["a"])
    assert from_pyg(plain(1, []), edge_types=["a"]).pack().n_edges == 0


def test_from_pyg_refuses_parameters():
    with pytest.raises(
        ValueError, match=r"The 'node_features' parameter of from_pyg must be 'auto', .* Got 'x' instead"
    ):
        from_pyg(plain(), node_features="x")
    with pytest.raises(TypeError, match=r"must be a Data, HeteroData or Batch .* Got an 'int' instead"):
        from_pyg(3)
    with pytest.raises(TypeError, match="Got a 'str' as element 1 of a 'list' instead"):
        from_pyg([plain(), "graph"])
    with pytest.raises(
        TypeError, match=r"The 'symbols' parameter of from_pyg must be a list of names. Got 'ab' instead"
    ):
        from_pyg(plain(), symbols="ab")


# With PyTorch Geometric


@settings(max_examples=60)
@given(drawn=batches(min_size=1), batched=st.booleans())
def test_there_and_back(geometric, drawn, batched):
    _, batch = drawn
    data = [to_pyg(batch, i) for i in range(len(batch))]
    if batched:
        data = geometric.Batch.from_data_list(data)
    again = from_pyg(data)
    again.validate()
    assert again == batch


def test_to_pyg(geometric, torch):
    graph = gtm.Graph()
    graph.add_node("a", ["red", "round"], "thing")
    graph.add_node("b", ["red"], "person")
    graph.add_edge("b", "a", "has")
    graph.set_readout(["b"])
    data = to_pyg(gtm.GraphBatch.from_graphs([graph]), -1)
    assert data.validate()
    assert data.x.tolist() == [[1, 1], [1, 0]]
    assert data.x.dtype == torch.float32
    assert data.edge_index.tolist() == [[1], [0]]
    assert (data.edge_type.tolist(), data.node_type.tolist()) == ([0], [0, 1])
    assert (data.readout.tolist(), data.node_names) == ([False, True], ["a", "b"])
    assert list(data.vocabulary.symbols) == ["red", "round"]
    assert data.num_nodes == 2
    with pytest.raises(IndexError, match=r"The batch has graphs 0..0; got index 1"):
        to_pyg(gtm.GraphBatch.from_graphs([graph]), 1)


def test_graphs_of_two_vocabularies_are_not_mixed(geometric):
    one, other = (to_pyg(gtm.GraphBatch.from_arrays([1], [[1]], [name]), 0) for name in "ab")
    with pytest.raises(gtm.GraphError, match="the same 'vocabulary', which to_pyg attached; graph 1 has not"):
        from_pyg([one, other])
    with pytest.raises(gtm.GraphError, match="the same 'vocabulary'"):
        from_pyg(geometric.Batch.from_data_list([one, other]))


def test_data_of_pyg(geometric, torch):
    data = geometric.Data(
        x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]]), edge_attr=torch.tensor([1, 2]), y=torch.tensor([1])
    )
    data.x.requires_grad_()
    graphs, y = from_pyg([data, data], label="y")
    assert y.tolist() == [1, 1]
    assert graphs[0].edges == ((0, 1, ("edge_attr", 1)), (1, 2, ("edge_attr", 2)))
    batch = geometric.Batch.from_data_list([data, data])
    assert from_pyg(batch) == graphs
    assert from_pyg([batch, data])[:2] == graphs
    assert from_pyg(batch, label="y")[1].tolist() == [1, 1]
    data.pos, data.train_mask, data.name = torch.zeros(3, 3), torch.ones(3, dtype=torch.bool), "ring"
    for one in (data, geometric.Batch.from_data_list([data, data])):
        with pytest.raises(gtm.GraphError, match=r"nodes or edges have 'pos', 'train_mask'\. "):
            from_pyg(one)
        assert from_pyg(one, ignore=["pos", "train_mask"])[0] == graphs[0]
    del data.pos, data.train_mask
    data.x = torch.eye(3, dtype=torch.bfloat16)
    assert from_pyg(data)[0] == graphs[0]
    data.x = torch.eye(3).to_sparse()
    with pytest.raises(gtm.GraphError, match=r"'x' must be a dense tensor; got the layout torch.sparse_coo"):
        from_pyg(data)


def test_datasets_of_pyg(geometric, torch):
    class Two(geometric.InMemoryDataset):
        def __init__(self):
            super().__init__()
            one = geometric.Data(x=torch.eye(2), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0]))
            self.data, self.slices = self.collate([one, one])

    graphs, y = from_pyg(Two(), label="y")
    assert (len(graphs), graphs.n_nodes, len(y)) == (2, 4, 2)


def test_hetero_data_of_pyg(geometric, torch):
    data = geometric.HeteroData()
    data["user"].x = torch.eye(2)
    data["item"].num_nodes = 1
    data["user", "buys", "item"].edge_index = torch.tensor([[0, 1], [0, 0]])
    data.y = torch.tensor([1])
    graphs, y = from_pyg([data, data], label="y")
    assert y.tolist() == [1, 1]
    assert list(graphs.vocabulary.node_types) == ["user", "item"]
    assert graphs[1].edges == ((0, 2, "buys"), (1, 2, "buys"))
    assert from_pyg(geometric.Batch.from_data_list([data, data])) == graphs
    data["user"].age, data["user", "buys", "item"].time = torch.ones(2), torch.ones(2)
    with pytest.raises(gtm.GraphError, match=r"nodes or edges have 'age', 'time'\. "):
        from_pyg([data, data])
    assert from_pyg([data, data], ignore=["age", "time"]) == graphs
    del data["user"].age, data["user", "buys", "item"].time
    homogeneous = from_pyg(data.to_homogeneous(add_node_type=True, add_edge_type=True), node_features=None)[0]
    assert [homogeneous.node_type(node) for node in homogeneous] == ["user", "user", "item"]
    assert homogeneous.edges[0].type == ("user", "buys", "item")


def test_to_pyg_needs_its_libraries(monkeypatch):
    batch = gtm.GraphBatch.from_arrays([1])
    with pytest.raises(TypeError, match=r"The 'graphs' parameter of to_pyg must be a GraphBatch. Got a 'list' instead"):
        to_pyg([batch], 0)
    with pytest.raises(TypeError, match=r"The 'i' parameter of to_pyg must be an int. Got 'a' instead"):
        to_pyg(batch, "a")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        gtm.errors.MissingLibraryError, match="to_pyg needs the library 'torch', which is not installed"
    ):
        to_pyg(batch, 0)


def test_torch_is_not_imported():
    code = "import graphtm.graphs.convert.pyg, sys; raise SystemExit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_is_ignored_must_be_there():
    graph = plain(pos=np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"'ignore' parameter of from_pyg .* Got 'poss' instead. Did you mean 'pos'\?"):
        from_pyg(graph, ignore=["pos", "poss"])
    # What the function reads by itself may be absent: one setting serves many datasets.
    assert from_pyg(graph, ignore=["pos", "edge_attr", "x"]) == from_pyg(plain())


def test_sets_and_lists_in_place_of_names_are_refused():
    graph = plain(x=np.eye(2, dtype=int), edge_attr=np.eye(2, dtype=int))
    for parameter in ("symbols", "edge_types"):
        with pytest.raises(TypeError, match=rf"'{parameter}' parameter of from_pyg must be a list, .* Got a 'set'"):
            from_pyg(graph, **{parameter: {"a", "b"}})
    with pytest.raises(TypeError, match=r"'data' parameter of from_pyg must be a list, .* Got a 'frozenset'"):
        from_pyg(frozenset([1, 2]))
    with pytest.raises(TypeError, match=r"'label' parameter of from_pyg must be one name, or None. Got \['y'\]"):
        from_pyg(graph, label=["y"])
    with pytest.raises(gtm.GraphError, match=r"Names of symbols must be str, .* got 0.5 of type 'float'"):
        from_pyg(graph, symbols=["a", 0.5])
    with pytest.raises(gtm.GraphError, match=r"Names of edge types must be str, .* got b'x' of type 'bytes'"):
        from_pyg(graph, edge_types=["a", b"x"])
