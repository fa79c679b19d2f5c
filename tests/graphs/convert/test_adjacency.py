"""Adjacency matrices as graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import graphtm as gtm
from graphtm.graphs.convert import from_adjacency

FORMS = (sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array, np.asarray)


def to_adjacency(batch):
    """The way back: per graph a dictionary from edge type to matrix."""
    matrices = []
    for graph in batch:
        place = {name: number for number, name in enumerate(graph.nodes)}
        relations = {name: np.zeros((len(graph), len(graph)), bool) for name in batch.vocabulary.edge_types}
        for source, destination, edge_type in graph.edges:
            relations[edge_type][place[source], place[destination]] = True
        matrices.append(relations)
    return matrices


@st.composite
def relations(draw):
    names = draw(st.lists(st.text(max_size=2), min_size=1, max_size=3, unique=True))
    form = draw(st.sampled_from(FORMS))
    dtype = draw(st.sampled_from([bool, np.int8, float]))
    graphs = []
    for _ in range(draw(st.integers(0, 4))):
        size = draw(st.integers(1, 4))
        cells = st.lists(st.booleans(), min_size=size * size, max_size=size * size)
        graphs.append({name: np.array(draw(cells), dtype=dtype).reshape(size, size) for name in names})
    return names, graphs, form


@given(relations())
def test_round_trip(made):
    names, graphs, form = made
    batch = from_adjacency([{name: form(matrix) for name, matrix in graph.items()} for graph in graphs])
    batch.validate()
    back = to_adjacency(batch)
    assert len(back) == len(graphs)
    for mine, given_ in zip(back, graphs, strict=True):
        for name in names:
            assert np.array_equal(mine[name], given_[name])
    listed = from_adjacency([[form(graph[name]) for name in names] for graph in graphs], edge_types=names)
    assert list(listed) == list(batch)
    undirected = from_adjacency([{name: form(m) for name, m in graph.items()} for graph in graphs], directed=False)
    for mine, given_ in zip(to_adjacency(undirected), graphs, strict=True):
        for name in names:
            assert np.array_equal(mine[name], given_[name].astype(bool) | given_[name].T.astype(bool))


def test_names_of_relations():
    one = np.eye(2)
    assert list(from_adjacency(one).vocabulary.edge_types) == ["plain"]
    assert list(from_adjacency([one, one], edge_types=["up"]).vocabulary.edge_types) == ["up"]
    assert list(from_adjacency([[one, one]]).vocabulary.edge_types) == [0, 1]
    assert list(from_adjacency({"b": one, "a": one}).vocabulary.edge_types) == ["b", "a"]
    assert list(from_adjacency({"b": one}, edge_types=["a", "b"]).vocabulary.edge_types) == ["a", "b"]


def test_self_loops_stay_one_and_entries_given_twice_are_refused_as_two():
    assert from_adjacency(np.eye(2), directed=False).pack().n_edges == 2
    twice = sparse.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(2, 2))
    with pytest.raises(gtm.GraphError, match=r"has 2 in row 0, column 1. Pass `matrix != 0`"):
        from_adjacency(twice)
    assert twice.nnz == 2
    assert from_adjacency(twice.astype(bool)).pack().n_edges == 1
    zero = sparse.coo_array(([0, 1], ([0, 1], [1, 0])), shape=(2, 2))
    assert from_adjacency(zero)[0].edges == ((1, 0, "plain"),)


def test_properties_and_node_types_are_those_of_from_arrays():
    eyes = [np.eye(2), np.eye(1)]
    whole = from_adjacency(eyes, properties=[[1, 0], [0, 1], [1, 1]], symbols=["a", "b"], node_types=["x", "y", "x"])
    parts = [sparse.csr_array([[1, 0], [0, 1]]), np.array([[1, 1]])]
    assert from_adjacency(eyes, properties=parts, symbols=["a", "b"], node_types=["x", "y", "x"]) == whole
    assert whole[1].properties(0) == ("a", "b")
    assert from_adjacency(eyes, properties=([0, 1, 2, 2], [0, 1, 0, 1]), symbols=["a", "b"]).n_nodes == 3


REFUSED = {
    "not square": (np.ones((2, 3)), dict(), r"must be square; the matrix of graph 0 has shape \(2, 3\)"),
    "sizes": (
        [{"a": np.eye(2), "b": np.eye(3)}],
        dict(),
        r"graph 0 for 'a' has shape \(2, 2\), the matrix of graph 0 for 'b'",
    ),
    "weights": ([np.eye(2), 3 * np.eye(2)], dict(), "the matrix of graph 1 has 3.0 in row 0, column 0"),
    "negative": (-np.eye(2), dict(), "has -1.0"),
    "NaN": (np.full((1, 1), np.nan), dict(), "has nan in row 0"),
    "text": (np.array([["a"]]), dict(), "dtype <U1"),
    "empty": (np.zeros((0, 0)), dict(), "graph 0 has 0"),
    "no relations": ([{}], dict(), "graph 0 has none"),
    "names": ([[np.eye(1)] * 2], dict(edge_types=["a"]), "got 1 names, but graph 0 has 2 matrices"),
    "too many names": (np.eye(1), dict(edge_types=["a", "b"]), "must have one edge type; got 2 for graph 0"),
    "property matrices": (
        [np.eye(1)],
        dict(properties=[np.eye(1)] * 2),
        "one matrix per graph, 1; got 2",
    ),
    "property shape": (
        [np.eye(1), np.eye(2)],
        dict(properties=[np.eye(1), np.eye(2)]),
        r"properties of graph 1 .* \(2, 1\); got \(2, 2\)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(case):
    matrices, arguments, message = REFUSED[case]
    with pytest.raises(gtm.GraphError, match=message):
        from_adjacency(matrices, **arguments)


def test_unknown_relation_and_wrong_types():
    with pytest.raises(gtm.UnknownSymbolError, match=r"Unknown edge type 'c'"):
        from_adjacency({"c": np.eye(1)}, edge_types=["a"])
    with pytest.raises(TypeError, match=r"got an 'int'"):
        from_adjacency(3)
    with pytest.raises(TypeError, match=r"the matrix of graph 0 is a 'str'"):
        from_adjacency(["x"])
    with pytest.raises(TypeError, match=r"the matrix of graph 0 for 'a' is a 'list'"):
        from_adjacency({"a": [[1]]})
    with pytest.raises(TypeError, match=r"'directed' parameter of from_adjacency must be True or False. Got 1 instead"):
        from_adjacency(np.eye(1), directed=1)


def test_sets_are_refused_where_places_matter():
    with pytest.raises(TypeError, match=r"'edge_types' parameter of from_adjacency must be a list, .* Got a 'set'"):
        gtm.from_adjacency([[np.eye(2), np.eye(2)]], edge_types={"a", "b"})
    with pytest.raises(TypeError, match=r"The matrices must be a list, .* Got a 'set' instead"):
        gtm.from_adjacency({1, 2})
