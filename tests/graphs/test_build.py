"""Packing: what comes out, and what is refused before anything is built."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from strategies import graph_lists, listed

import graphtm as gtm
from graphtm.foundation.arrays import check_limit
from graphtm.foundation.properties import ListedProperties, PackedProperties
from graphtm.graphs.edges import edge_table

from_arrays = gtm.GraphBatch.from_arrays


@given(graph_lists())
def test_graphs_survive_packing(graphs):
    batch = gtm.GraphBatch.from_graphs(graphs)
    batch.validate()
    assert len(batch) == len(graphs)
    assert batch.shape == (len(graphs),)
    assert list(batch) == graphs


@given(graph_lists(), st.booleans())
def test_layouts_say_the_same(graphs, copied):
    batch = gtm.GraphBatch.from_graphs(graphs)
    wide = listed(batch)
    wide.validate()
    assert not graphs or isinstance(wide.pack().properties, ListedProperties)
    assert list(wide) == graphs
    again = copy.deepcopy(wide) if copied else pickle.loads(pickle.dumps(wide))
    assert again == wide
    assert not again.pack().node_ptr.flags.writeable
    assert not graphs or not again.pack().properties.ids.flags.writeable


@given(graph_lists(many_symbols=True))
def test_graphs_survive_packing_across_words(graphs):
    batch = gtm.GraphBatch.from_graphs(graphs)
    batch.validate()
    assert list(batch) == graphs


def test_numbers_follow_first_appearance_or_declaration():
    graph = gtm.Graph()
    graph.add_node(0, ["late", "early"])
    graph.add_node(1, ["early", "new"])
    graph.add_edge(1, 0, "b")
    graph.add_edge(0, 1, "a")
    vocabulary = gtm.GraphBatch.from_graphs([graph]).vocabulary
    assert list(vocabulary.symbols) == ["late", "early", "new"]
    assert list(vocabulary.edge_types) == ["b", "a"]
    declared = gtm.Vocabulary(["new", "early", "late", "never"], ["a", "b"])
    batch = gtm.GraphBatch.from_graphs([graph], declared)
    assert batch.vocabulary == declared
    assert batch[0] == graph
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'late'"):
        gtm.GraphBatch.from_graphs([graph], gtm.Vocabulary(["new", "early"], ["a", "b"]))


def test_an_empty_batch_may_have_a_typed_vocabulary(tmp_path):
    vocabulary = gtm.Vocabulary(["a"], ["b"], ["x"])
    empty = gtm.GraphBatch.from_graphs([], vocabulary)
    empty.validate()
    empty.save(tmp_path / "empty.gtmg")
    assert gtm.load_graphs(tmp_path / "empty.gtmg") == empty
    typed = from_arrays([1], node_types=["x"])
    for parts in ([gtm.GraphBatch.from_graphs([]), typed], [typed, gtm.GraphBatch.from_graphs([])]):
        assert list(gtm.GraphBatch.concatenate(parts)) == list(typed)
        gtm.GraphBatch.concatenate(parts).validate()


def test_empty_batch():
    batch = gtm.GraphBatch.from_graphs([])
    batch.validate()
    assert len(batch) == 0
    assert list(batch) == []
    assert repr(batch) == "GraphBatch(0 graphs, 0 nodes, 0 edges, 0 symbols, 0 edge types)"
    assert batch == from_arrays([])


def test_from_graphs_refuses():
    empty, typed, untyped = gtm.Graph(), gtm.Graph(), gtm.Graph()
    typed.add_node("t", type="x")
    untyped.add_node("u")
    mixed = gtm.Graph()
    mixed.add_node("t", type="x")
    mixed.add_node("u")
    with pytest.raises(gtm.GraphError, match="graph 1 has none"):
        gtm.GraphBatch.from_graphs([untyped, empty])
    with pytest.raises(gtm.GraphError, match="node 't' of graph 1 has one, node 'u' of graph 0 has none"):
        gtm.GraphBatch.from_graphs([untyped, typed])
    with pytest.raises(gtm.GraphError, match="node 't' of graph 0 has one, node 'u' of graph 0 has none"):
        gtm.GraphBatch.from_graphs([mixed])
    with pytest.raises(TypeError, match=r"got one Graph. Write \[graph\]"):
        gtm.GraphBatch.from_graphs(typed)
    with pytest.raises(TypeError, match="element 1 is a 'str'"):
        gtm.GraphBatch.from_graphs([typed, "graph"])
    with pytest.raises(gtm.GraphError, match="Nodes must have types if and only if the vocabulary has"):
        gtm.GraphBatch.from_graphs([typed], gtm.Vocabulary())


@st.composite
def arrays(draw):
    counts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    n_nodes, n_symbols, n_types = sum(counts), draw(st.integers(1, 70)), draw(st.integers(1, 3))
    pairs = draw(st.lists(st.tuples(st.integers(0, n_nodes - 1), st.integers(0, n_symbols - 1)), max_size=20))
    edges = []
    for graph, count in enumerate(counts):
        node = st.integers(0, count - 1)
        edges += [
            (graph, *edge) for edge in draw(st.lists(st.tuples(node, node, st.integers(0, n_types - 1)), max_size=5))
        ]
    return counts, n_symbols, n_types, pairs, edges


@given(arrays())
def test_arrays_in_every_form_give_what_graphs_give(given_arrays):
    counts, n_symbols, n_types, pairs, edges = given_arrays
    symbols = [f"s{number}" for number in range(n_symbols)]
    types = [f"t{number}" for number in range(n_types)]
    offsets = np.cumsum([0, *counts])
    graphs = []
    for graph, count in enumerate(counts):
        one = gtm.Graph()
        for node in range(count):
            one.add_node(node, [symbols[symbol] for place, symbol in pairs if place == offsets[graph] + node])
        for owner, source, destination, edge_type in edges:
            if owner == graph:
                one.add_edge(source, destination, types[edge_type])
        graphs.append(one)
    expected = gtm.GraphBatch.from_graphs(graphs, gtm.Vocabulary(symbols, types))

    matrix = np.zeros((sum(counts), n_symbols), dtype=bool)
    for node, symbol in pairs:
        matrix[node, symbol] = True
    index_pair = ([node for node, _ in pairs], [symbol for _, symbol in pairs])
    owner, source, destination, edge_type = (np.array([edge[part] for edge in edges], dtype=int) for part in range(4))
    shuffled = np.random.default_rng(0).permutation(len(edges))
    globally = ((source + offsets[owner])[shuffled], (destination + offsets[owner])[shuffled], edge_type[shuffled])
    for properties in (
        matrix,
        matrix.astype(int),
        matrix.astype(float),
        matrix.tolist(),
        sparse.csr_matrix(matrix),
        sparse.csc_array(matrix.astype(float)),
        index_pair,
    ):
        batch = from_arrays(counts, properties, symbols, globally, types)
        batch.validate()
        assert batch == expected
    edge_counts = np.bincount(owner, minlength=len(counts))
    assert from_arrays(counts, index_pair, symbols, (source, destination, edge_type), types, edge_counts) == expected


def test_default_names():
    batch = from_arrays([2], properties=([0, 1], [0, 2]), edges=([0], [1]))
    assert list(batch.vocabulary.symbols) == [0, 1, 2]
    assert list(batch.vocabulary.edge_types) == ["plain"]
    assert list(from_arrays([2], edges=([0], [1], [1])).vocabulary.edge_types) == [0, 1]
    assert from_arrays([2], edges=([0], [1]), edge_types=["up"])[0].edges == ((0, 1, "up"),)


def test_names_may_come_from_anything_iterable():
    batch = from_arrays([1], [[1, 0]], symbols=(name for name in "ab"), edge_types=np.array(["x", "y"]))
    assert list(batch.vocabulary.symbols) == ["a", "b"]
    assert list(batch.vocabulary.edge_types) == ["x", "y"]


def test_node_types_by_name_and_by_number():
    by_name = from_arrays([2, 1], node_types=["b", "a", "b"])
    assert list(by_name.vocabulary.node_types) == ["b", "a"]
    assert by_name == from_arrays([2, 1], node_types=np.array(["b", "a", "b"]))
    by_number = from_arrays([2, 1], node_types=([1, 0, 1], ["a", "b"]))
    assert list(by_number) == list(by_name)


def test_explicit_zeros_of_a_sparse_matrix_are_no_properties():
    matrix = sparse.csr_matrix(([0, 1], ([0, 1], [0, 0])), shape=(2, 1))
    assert from_arrays([2], matrix)[0].properties(0) == ()
    assert from_arrays([2], matrix)[0].properties(1) == (0,)


def test_the_smaller_layout_is_chosen():
    dense = from_arrays([10], np.ones((10, 100), dtype=bool)).pack().properties
    thin = from_arrays([10], ([0], [99_999])).pack().properties
    assert isinstance(dense, PackedProperties)
    assert isinstance(thin, ListedProperties)
    assert thin.nbytes < 10 * 100_000 / 8


def test_given_arrays_stay_writable_and_unchanged():
    counts, node, symbol = np.array([2, 1]), np.array([2, 0]), np.array([1, 0])
    source, destination, types = np.array([1, 0]), np.array([0, 1]), np.array([1, 0])
    kinds = np.array([0, 1, 0], dtype=np.int32)
    given_arrays = (counts, node, symbol, source, destination, types, kinds)
    before = [array.copy() for array in given_arrays]
    from_arrays(counts, (node, symbol), None, (source, destination, types), node_types=(kinds, ["a", "b"]))
    for array, old in zip(given_arrays, before, strict=True):
        assert array.flags.writeable
        assert np.array_equal(array, old)


def test_packed_arrays_cannot_be_written_to():
    packed = from_arrays([2], np.eye(2, dtype=bool), edges=([0], [1])).pack()
    with pytest.raises(ValueError, match="read-only"):
        packed.out_edges.neighbours[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        packed.node_ptr[0] = 5


REFUSED = {
    "empty graph": (dict(node_counts=[2, 0]), "graph 1 has 0"),
    "negative count": (dict(node_counts=[-1]), "node_counts must not be negative; got -1 for graph 0"),
    "float counts": (dict(node_counts=[2.0]), "node_counts must be integers.*float64, starting with 2.0"),
    "NaN count": (dict(node_counts=[float("nan")]), "NaN at index 0"),
    "Boolean counts": (dict(node_counts=[True]), "node_counts must be integers.*bool"),
    "two-dimensional counts": (dict(node_counts=[[1]]), "one-dimensional array; got 2 dimensions"),
    "too many nodes": (dict(node_counts=[2**30, 2**30]), r"at most 2\^31 - 1 nodes; got 2,147,483,648"),
    "huge number": (dict(node_counts=np.array([2**63], dtype=np.uint64)), r"must be below 2\^31"),
    "too few rows": (dict(node_counts=[2], properties=[[1]]), r"one row per node, 2; got shape \(1, 1\)"),
    "vector": (dict(node_counts=[2], properties=[1, 0]), "one row per node"),
    "columns and symbols": (
        dict(node_counts=[1], properties=[[1]], symbols=["a", "b"]),
        "got 1 for 2 symbols",
    ),
    "not Boolean": (
        dict(node_counts=[1], properties=[[0.5]]),
        "must be Boolean.*got 0.5 at node 0 of graph 0.*one per bin",
    ),
    "NaN property": (
        dict(node_counts=[2, 2], properties=[[0, 1], [1, 0], [0, 0], [1, float("nan")]]),
        "got nan at node 1 of graph 1. Fill or drop missing values",
    ),
    "NaN in sparse": (
        dict(node_counts=[1, 1], properties=sparse.csr_matrix([[1.0], [np.nan]])),
        "got nan at node 0 of graph 1",
    ),
    "text": (dict(node_counts=[1], properties=[["a"]]), "must be Boolean.*got dtype <U1"),
    "not a pair": (
        dict(node_counts=[1], properties=([0], [0], [0])),
        r"a tuple must be \(node_index, symbol_index\); got 3",
    ),
    "pair lengths": (dict(node_counts=[1], properties=([0], [0, 1])), "same length; got 1 and 2"),
    "node out of range": (
        dict(node_counts=[1], properties=([1], [0])),
        r"node_index must be in 0..0.*got 1 at index 0",
    ),
    "negative node": (dict(node_counts=[1], properties=([-1], [0])), "got -1 at index 0"),
    "float index": (
        dict(node_counts=[1], properties=([0.0], [0])),
        "node_index of the properties must be integers",
    ),
    "symbol out of range": (
        dict(node_counts=[1, 1], properties=([1], [1]), symbols=["a"]),
        "symbol_index must be in 0..0; got 1 for node 0 of graph 1",
    ),
    "negative symbol": (dict(node_counts=[1], properties=([0], [-1])), "got -1 for node 0 of graph 0"),
    "too many symbols": (dict(node_counts=[1], properties=([0], [2**31])), r"at most 2\^31 - 1 symbols"),
    "array of edges": (
        dict(node_counts=[3], edges=np.zeros((4, 2), int)),
        r"must be a tuple of arrays .* got an array of shape \(4, 2\). Write tuple\(edges.T\) if its rows are edges",
    ),
    "three pairs": (
        dict(node_counts=[3], edges=[(0, 1), (1, 2), (2, 0)]),
        r"must be a tuple of arrays .* a list of 3 items, which may be edges. Write tuple\(zip\(\*edges\)\)",
    ),
    "three triples": (dict(node_counts=[3], edges=[[0, 1, 0], [1, 2, 0], [2, 0, 1]]), "items, which may be edges"),
    "four pairs": (dict(node_counts=[3], edges=[(0, 1), (1, 2), (2, 0), (0, 2)]), "items, which may be edges"),
    "edges as a mapping": (dict(node_counts=[3], edges={0: 1, 1: 2}), "must be a tuple of arrays .* got a 'dict'"),
    "types without numbers": (
        dict(node_counts=[2], edges=([0], [1]), edge_types=["up", "down"]),
        r"if there are 2 edge types; got \(source, destination\). Add edge_type_index, or pass a single edge type",
    ),
    "no types": (dict(node_counts=[2], edges=([0], [1]), edge_types=[]), "if there are 0 edge types"),
    "negative edge count": (
        dict(node_counts=[1, 1], edges=([0], [0]), edge_counts=[2, -1]),
        "edge_counts must not be negative; got -1 for graph 1",
    ),
    "edges of one": (dict(node_counts=[1], edges=([0],)), "of 1 items"),
    "edge lengths": (dict(node_counts=[2], edges=([0], [0, 1])), "same length; got 1, 2 and 1"),
    "edge out of range": (
        dict(node_counts=[2], edges=([0], [2])),
        "destination of an edge must be in 0..1.*has node 2",
    ),
    "negative edge": (dict(node_counts=[2], edges=([-1], [0])), "source of an edge must be in 0..1.*has node -1"),
    "edge to another graph": (
        dict(node_counts=[2, 1], edges=([0, 0], [1, 2])),
        "edge 1 goes from node 0 of graph 0 to node 2 of graph 1",
    ),
    "local edge out of range": (
        dict(node_counts=[2, 1], edges=([0, 0], [1, 1]), edge_counts=[1, 1]),
        "edge 1 of graph 1 has node 1, but that graph has nodes 0..0",
    ),
    "edge_counts": (
        dict(node_counts=[2, 1], edges=([0], [1]), edge_counts=[1]),
        r"one number per graph \(2\) and add up to the number of edges \(1\); got 1 numbers that add up to 1",
    ),
    "edge type out of range": (
        dict(node_counts=[1], edges=([0], [0], [1]), edge_types=["a"]),
        "edge_type_index must be in 0..0; got 1 for edge 0",
    ),
    "float edge": (dict(node_counts=[1], edges=([0.0], [0])), "sources of the edges must be integers"),
    "NaN edge": (dict(node_counts=[1], edges=([0], [np.nan])), "destinations of the edges.*NaN at index 0"),
    "counts that overflow": (dict(node_counts=[2**62] * 4), r"at most 2\^31 - 1 nodes; got 4,611,686,018,427,387,904"),
    "edge counts that overflow": (
        dict(node_counts=[1, 1, 1], edges=([0], [0]), edge_counts=[2**63 - 1, 2**63 - 1, 3]),
        r"at most 2\^31 - 1 edges",
    ),
    "ragged counts": (dict(node_counts=[[1], [1, 2]]), "rows of different lengths"),
    "ragged properties": (dict(node_counts=[2], properties=[[1], [1, 0]]), "rows of different lengths"),
    "absurd symbol number": (
        dict(node_counts=[1], properties=([0], [2**31 - 2])),
        "below 10,000,000 if symbols is not given",
    ),
    "absurd edge type": (
        dict(node_counts=[1], edges=([0], [0], [2**62])),
        "below 10,000,000 if edge_types is not given",
    ),
    "node types as text": (dict(node_counts=[2], node_types="ab"), "one name per node; got the string 'ab'"),
    "NaN node type": (dict(node_counts=[1], node_types=[float("nan")]), "must not be NaN"),
    "symbol twice": (dict(node_counts=[1], properties=[[1, 1]], symbols=["a", "a"]), "got 'a' twice"),
    "too few node types": (dict(node_counts=[2], node_types=["a"]), "one entry per node, 2; got 1"),
    "untyped among typed": (dict(node_counts=[2], node_types=["a", None]), "node 1 of graph 0 has none"),
    "node type number": (
        dict(node_counts=[1], node_types=([1], ["a"])),
        "must be in 0..0; got 1 for node 0 of graph 0",
    ),
    "node type triple": (dict(node_counts=[1], node_types=([0], ["a"], 3)), r"must be \(type_index, names\)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_from_arrays_refuses(case):
    arguments, message = REFUSED[case]
    with pytest.raises(gtm.GraphError, match=message):
        from_arrays(**arguments)


def test_limit_is_that_of_32_bits():
    check_limit(2**31 - 1, "edges")
    with pytest.raises(gtm.GraphError, match="edges; got 2,147,483,648"):
        check_limit(2**31, "edges")


def test_edges_that_do_not_fit_one_integer_are_sorted_all_the_same():
    rng = np.random.default_rng(0)
    near, far, types = rng.integers(0, 5, 300), rng.integers(0, 3, 300), rng.integers(0, 4, 300)
    small = edge_table(near, far, types, 5)
    stretch = 2**29
    large = edge_table(near, far * stretch, types * stretch, 5)
    assert np.array_equal(small.ptr, large.ptr)
    assert np.array_equal(small.neighbours * np.int64(stretch), large.neighbours)
    assert np.array_equal(small.types * np.int64(stretch), large.types)


@pytest.mark.parametrize("given", [([0, 1, 2], [1, 2, 0]), ((0, 1, 2), (1, 2, 0)), [[0, 1, 2, 2], [1, 2, 0, 1]]])
def test_columns_of_edges_may_be_lists_and_tuples(given):
    batch = from_arrays([3], edges=given)
    assert [(edge.source, edge.destination) for edge in batch[0].edges] == sorted(zip(*given, strict=True))


def test_lists_of_arrays_are_columns():
    batch = from_arrays([3], edges=[np.array([0, 1]), np.array([1, 2])])
    assert [(edge.source, edge.destination) for edge in batch[0].edges] == [(0, 1), (1, 2)]


def test_one_name_serves_all_edges():
    assert from_arrays([2], edges=([0], [1]), edge_types=["up"])[0].edges[0].type == "up"
    assert list(from_arrays([2], edge_types=["up", "down"]).vocabulary.edge_types) == ["up", "down"]


class Stranger:
    """A graph of another library, as far as its name goes."""


def strange(module, name):
    return type(name, (Stranger,), {"__module__": module})()


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (strange("networkx.classes.graph", "Graph"), "a 'networkx.Graph'. Convert it with graphtm.from_networkx"),
        (
            strange("torch_geometric.data.data", "BaseData"),
            "a 'torch_geometric.BaseData'. Convert it with graphtm.from_pyg",
        ),
        (sparse.eye_array(2), "a 'scipy.dia_array'. Convert it with graphtm.from_adjacency"),
        (np.eye(2), "a 'numpy.ndarray'. Convert it with graphtm.from_adjacency"),
        (strange("pandas.core.frame", "DataFrame"), "a 'pandas.DataFrame'. Convert it with graphtm.from_pandas"),
        (strange("polars.dataframe.frame", "DataFrame"), "a 'polars.DataFrame'. Convert it with graphtm.from_polars"),
    ],
)
def test_graphs_of_other_libraries_are_told_by_name(graph, message):
    with pytest.raises(TypeError, match=f"must be a list of Graph; element 0 is {message}"):
        gtm.GraphBatch.from_graphs([graph])
    with pytest.raises(TypeError, match=f"must be a list of Graph; got {message}"):
        gtm.GraphBatch.from_graphs(graph)


def test_derived_graphs_of_networkx_are_told_too():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    with pytest.raises(
        TypeError, match=r"element 0 is a 'networkx.MultiDiGraph'. Convert it with graphtm.from_networkx"
    ):
        gtm.GraphBatch.from_graphs([networkx.MultiDiGraph()])


def test_what_is_no_graph_is_named():
    with pytest.raises(TypeError, match="must be a list of Graph; element 0 is an 'int'"):
        gtm.GraphBatch.from_graphs([3])
    with pytest.raises(TypeError, match="must be a list of Graph; got an 'int'"):
        gtm.GraphBatch.from_graphs(3)
