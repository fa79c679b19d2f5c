"""Rows about things to graphs of typed nodes and edges."""

import gzip
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import shared_data
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Relations
from graphtm.encoders.records import read_cells
from graphtm.testing.encoders import check_encoder

SALES = [("customer", "buys", "product"), ("product", "in", "category")]
cell = st.one_of(st.sampled_from(["u", "v", 1, None]), st.lists(st.sampled_from("uvw"), max_size=2))
rows_of_sales = st.lists(
    st.fixed_dictionaries(
        {"order": st.integers(0, 2), "customer": st.sampled_from("AB"), "product": cell, "tag": cell}
    ),
    min_size=1,
    max_size=6,
)


def listed(value):
    """Return the values of a cell."""
    return [] if value is None else value if isinstance(value, list) else [value]


def things(graph):
    """Return the nodes by what they are, each with its symbols, and the edges between them."""
    names = {node: graph.properties(node)[0] for node in graph.nodes}
    edges = [(names[source], edge_type, names[destination]) for source, destination, edge_type in graph.edges]
    return {names[node]: set(graph.properties(node)) for node in graph.nodes}, sorted(edges, key=repr)


@given(rows_of_sales, st.booleans(), st.booleans())
def test_graphs_are_those_built_row_by_row(rows, grouped, both_ways):
    triples = [("customer", "buys", "product"), ("customer", "then", "customer")]
    encoder = Relations(
        edges=triples, attributes={"product": ["tag"]}, graph="order" if grouped else None, both_ways=both_ways
    )
    graphs = encoder.fit_transform(rows)
    graphs.validate()
    orders = list(dict.fromkeys(row["order"] for row in rows))
    groups = (
        [[row for row in rows if row["order"] == order] for order in orders] if grouped else [[row] for row in rows]
    )
    assert len(graphs) == len(groups)
    if grouped:
        assert encoder.graph_names(rows) == orders
    for graph, group in zip(graphs, groups, strict=True):
        nodes, edges = {}, set()
        for row in group:
            nodes.setdefault(("customer", row["customer"]), {("customer", row["customer"])})
            for product in listed(row["product"]):
                carried = nodes.setdefault(("product", product), {("product", product)})
                carried |= {("tag", tag) for tag in listed(row["tag"])}
                edges.add((("customer", row["customer"]), "buys", ("product", product)))
        for one, other in pairwise(group):
            edges.add((("customer", one["customer"]), "then", ("customer", other["customer"])))
        if both_ways:
            edges |= {(there, ("back", name), here) for here, name, there in edges}
        assert things(graph) == (nodes, sorted(edges, key=repr))


def test_values_of_different_types_are_different_things():
    graphs = Relations(["a"]).fit_transform({"a": [[1, True, "1"]]})
    assert graphs.n_nodes == 3
    assert Relations(["a"]).fit_transform({"a": [1, 1.0, np.int64(1)]}).vocabulary.symbols[:] == (("a", 1),)
    assert Relations(["a"]).fit_transform({"a": [0.5]}).vocabulary.symbols[:] == (("a", "0.5"),)


def test_edge_types_of_different_types_are_different():
    triples = [("a", 1, "b"), ("a", True, "b"), ("a", "1", "b"), ("b", np.int64(1), "a")]
    graphs = Relations(edges=triples, both_ways=False).fit_transform([{"a": "x", "b": "y"}])
    assert [repr(name) for name in graphs.vocabulary.edge_types] == ["1", "True", "'1'"]
    assert sorted(repr(tuple(edge)) for edge in graphs[0].edges) == [
        "(0, 1, '1')",
        "(0, 1, 1)",
        "(0, 1, True)",
        "(1, 0, 1)",
    ]


def test_a_history_is_a_chain():
    rows = {"user": [1, 2, 1, 1], "film": ["a", "b", "c", "a"]}
    graphs = Relations(edges=[("film", "next", "film")], graph="user", both_ways=False).fit_transform(rows)
    assert things(graphs[0])[1] == [
        (("film", "a"), "next", ("film", "c")),
        (("film", "c"), "next", ("film", "a")),
    ]
    assert things(graphs[1]) == ({("film", "b"): {("film", "b")}}, [])


def test_types_and_the_way_back():
    row = [{"customer": "Ann", "product": "lamp", "category": "light"}]
    graphs = Relations(edges=SALES).fit_transform(row)
    assert list(graphs.vocabulary.node_types) == ["customer", "product", "category"]
    assert list(graphs.vocabulary.edge_types) == ["buys", "in", ("back", "buys"), ("back", "in")]
    one_way = Relations(edges=SALES, both_ways=False).fit_transform(row)
    assert list(one_way.vocabulary.edge_types) == ["buys", "in"]
    all_pairs = Relations(["customer", "product", "category"]).fit_transform(row)
    assert all_pairs.pack().n_edges == 6
    assert list(all_pairs.vocabulary.edge_types) == ["with", ("back", "with")]


def test_who_a_node_is_can_be_left_out():
    rows = {"customer": ["Ann", "Ben"], "age": ["old", "young"], "product": ["lamp", "lamp"]}
    encoder = Relations(["customer", "product"], attributes={"customer": ["age"]}, identity=["product"]).fit(rows)
    assert list(encoder.vocabulary_.symbols) == [("product", "lamp"), ("age", "old"), ("age", "young")]
    assert Relations(["customer"], identity=False).fit_transform(rows).pack().properties.n_pairs == 0


def test_unknown_and_rare_values():
    rows = {"a": ["x", "x", "y"]}
    drop = Relations(["a"], min_count=2).fit(rows)
    assert list(drop.vocabulary_.symbols) == [("a", "x")]
    assert drop.transform({"a": ["y", "z"]}).pack().properties.n_pairs == 0
    symbol = Relations(["a"], min_count=2, unknown="symbol").fit(rows)
    assert symbol.transform({"a": ["y"]})[0].properties(0) == (("a", "is", "unknown"),)
    assert symbol.render({("a", "is", "unknown"): 2, ("a", "x"): 3}) == {"a": {"x": 3.0, ("is", "unknown"): 2.0}}
    with pytest.raises(gtm.GraphError, match=r"Values of column 'a' must occur in the training data; got 'z'"):
        Relations(["a"], unknown="error").fit(rows).transform({"a": ["x", "z"]})


def test_missing_things_have_no_node():
    rows = [{"a": "x", "b": None}, {"a": "y"}, {"a": float("nan"), "b": "z"}]
    graphs = Relations(["a", "b"]).fit_transform(rows)
    assert graphs.node_counts.tolist() == [1, 1, 1]
    assert graphs.pack().n_edges == 0
    with pytest.raises(gtm.GraphError, match=r"the graph of row 1 has no value in the columns 'a', 'b'"):
        Relations(["a", "b"]).fit([{"a": 1, "b": 1}, {"a": None, "b": []}])


@pytest.mark.parametrize("library", ["pandas", "polars", "records", "columns"])
def test_rows_may_come_as_anything(library):
    columns = {"order": [1, 1, 2], "who": ["A", None, "B"], "what": [["x", "y"], ["x"], []]}
    rows = columns
    if library in ("pandas", "polars"):
        rows = pytest.importorskip(library).DataFrame(columns)
    elif library == "records":
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    encoder = Relations(["who", "what"], graph="order")
    graphs = encoder.fit_transform(rows)
    assert graphs == clone(encoder).fit_transform(columns)
    assert graphs.node_counts.tolist() == [3, 1]
    assert encoder.graph_names(rows) == [1, 2]


def test_no_rows():
    encoder = Relations(["a"]).fit([{"a": 1}])
    assert len(encoder.transform([])) == 0
    with pytest.raises(gtm.GraphError, match="needs at least one row"):
        Relations(["a"]).fit([])


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ({"a": "xy", "g": [1, 2]}, TypeError, "must be lists of values; column 'a' is 'xy'"),
        ([1, 2], TypeError, "needs a list of records .* record 0 has type 'int'"),
        ("abc", TypeError, "record 0 has type 'str'"),
        (
            {"b": [1]},
            gtm.GraphError,
            "must have the columns 'a', 'g', named by .* or graph; it has 'b'",
        ),
        ([{"b": 1}], gtm.GraphError, "must have the columns 'a'"),
        ({"a": [1], "g": [1, 2]}, gtm.GraphError, r"same length; got \[1, 2\]"),
        (
            {"a": [1, 2], "g": [1, None]},
            gtm.GraphError,
            "'g' must have exactly one value per row; row 1 has None",
        ),
        ({"a": [1, 2], "g": [[1, 2], 1]}, gtm.GraphError, "must have exactly one value per row; row 0"),
        ({"a": [{}], "g": [1]}, TypeError, "must be a string, number or Boolean; column 'a' has {}"),
    ],
)
def test_bad_rows_are_refused(rows, error, message):
    encoder = Relations(["a"], graph="g")
    with pytest.raises(error, match=message):
        encoder.fit(rows)
    assert not hasattr(encoder, "vocabulary_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "'entities' parameter of Relations must be a list of columns, or None if edges are given"),
        ({"entities": "a"}, "'entities' parameter"),
        ({"edges": [("a", "b")]}, "'edges' parameter of Relations must be a list of triples"),
        ({"entities": 5}, "'entities' parameter"),
        ({"entities": [["a"]]}, "'entities' parameter"),
        ({"edges": 5}, "'edges' parameter of Relations must be a list of triples"),
        ({"edges": [("a", ["to"], "b")]}, "'edges' parameter of Relations must be a list of triples"),
        ({"entities": ["a"], "graph": ["b"]}, "'graph' parameter of Relations must be the name of a column, or None"),
        ({"entities": ["a"], "identity": 5}, "'identity' parameter"),
        (
            {"entities": ["a"], "edges": [("a", "to", "b")]},
            "'edges' parameter .* must be triples whose columns are entities",
        ),
        ({"entities": ["a"], "attributes": {"b": ["c"]}}, "'attributes' parameter of Relations must be a mapping"),
        ({"entities": ["a"], "attributes": {"a": "c"}}, "'attributes' parameter"),
        ({"entities": ["a"], "attributes": ["a"]}, "'attributes' parameter"),
        ({"entities": ["a"], "identity": ["b"]}, "'identity' parameter of Relations must be a bool, or a list"),
        ({"entities": ["a"], "identity": "a"}, "'identity' parameter"),
        ({"entities": ["a"], "both_ways": 1}, "'both_ways' parameter"),
        ({"entities": ["a"], "min_count": 0}, "'min_count' parameter"),
        ({"entities": ["a"], "unknown": "keep"}, "'unknown' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Relations(**parameters).fit([{"a": 1, "b": 2}])


def test_it_must_be_fitted_and_graphs_named():
    with pytest.raises(NotFittedError):
        Relations(["a"]).transform([{"a": 1}])
    with pytest.raises(ValueError, match="Graphs have no names, because the 'graph' parameter"):
        Relations(["a"]).fit([{"a": 1}]).graph_names([{"a": 1}])


def test_an_encoder_can_be_pickled():
    encoder = Relations(edges=SALES).fit([{"customer": "A", "product": 1, "category": "x"}])
    row = [{"customer": "B", "product": 1, "category": "x"}]
    assert pickle.loads(pickle.dumps(encoder)).transform(row) == encoder.transform(row)


@pytest.mark.parametrize("unknown", ["drop", "symbol", "error"])
def test_what_every_encoder_must_do(unknown):
    rows = {"a": ["x", "y", "x"], "b": [1, [2, 3], None], "c": [True, False, True], "g": [0, 1, 0]}
    encoder = Relations(
        ["a", "b"], [("a", "to", "b"), ("a", "next", "a")], {"a": ["c"]}, graph="g", identity=["b"], unknown=unknown
    )
    bad = [{**rows, "g": [0, 1, None]}, {**rows, "c": [True, {}, True]}, {"a": ["x"], "b": [1], "c": [1]}]
    check_encoder(encoder, rows, bad=bad)


def test_a_pipeline_learns_who_likes_what():
    rng = np.random.default_rng(0)
    rows = [
        {"customer": str(rng.integers(4)), "product": str(product), "category": "AB"[product % 2]}
        for product in rng.integers(0, 10, 900)
    ]
    y = np.array([(int(row["customer"]) < 2) == (row["category"] == "A") for row in rows])
    machine = gtm.GraphTMClassifier(n_clauses=60, T=120, s=3.0, depth=3, epochs=20, random_state=0)
    pipeline = make_pipeline(Relations(edges=SALES), machine).fit(rows[:600], y[:600])
    assert pipeline.score(rows[600:], y[600:]) > 0.95


def test_sets_are_in_the_same_order_in_every_process():
    """Sets of strings are not; what they name is numbered by it."""
    rows = {"user": ["Ann", "Bob"], "film": ["Up", "Big"], "year": [1, 2], "country": ["x", "y"], "shop": ["s", "t"]}
    names = ["country", "film", "shop", "user", "year"]
    for entities in (set(names), frozenset(names)):
        encoder = Relations(entities, attributes={"film": {"year", "country", "shop"}}, identity=["film"]).fit(rows)
        assert list(encoder.vocabulary_.node_types) == names
        assert [name[0] for name in encoder.vocabulary_.symbols] == [
            *["film"] * 2,
            *["country"] * 2,
            *["shop"] * 2,
            *["year"] * 2,
        ]
    edges = {("user", "sees", "film"), ("film", "of", "year"), ("shop", "sells", "film")}
    assert list(Relations(edges=edges).fit(rows).vocabulary_.node_types) == ["film", "year", "shop", "user"]


def test_histories_of_films():
    folder = shared_data("movielens100k")
    with gzip.open(folder / "u.data.gz", "rt") as lines:
        ratings = [[int(value) for value in line.split("\t")] for line in lines]
    ratings.sort(key=lambda rating: (rating[0], rating[3]))
    columns = dict(zip(["user", "film", "rating", "time"], zip(*ratings, strict=True), strict=True))
    encoder = Relations(edges=[("film", "next", "film")], graph="user")
    graphs = encoder.fit_transform(columns)
    assert len(graphs) == 943
    assert graphs.n_nodes == 100_000
    assert graphs.pack().n_edges == 2 * (100_000 - 943)


def test_sales():
    pandas = pytest.importorskip("pandas")
    sales = pandas.read_csv(shared_data("amazon_sales") / "amazon.csv.gz")
    sales["user_id"] = sales["user_id"].str.split(",")
    sales["category"] = sales["category"].str.split("|").str[0]
    edges = [("user_id", "buys", "product_id"), ("product_id", "in", "category")]
    encoder = Relations(edges=edges)
    graphs = encoder.fit_transform(sales)
    assert len(graphs) == 1465
    names = list(encoder.vocabulary_.symbols)
    assert sum(name[0] == "product_id" for name in names) == 1351
    assert sum(name[0] == "user_id" for name in names) == 9050


def test_a_set_of_values_has_one_order():
    rows = {"film": ["Alien"], "genre": [{"horror", "drama", "war", "crime", "comedy", "western"}]}
    names = read_cells(rows["genre"], "genre").names
    assert names == ("comedy", "crime", "drama", "horror", "war", "western")
    graph = Relations(["film", "genre"]).fit_transform(rows)[0]
    assert [graph.properties(node)[0][1] for node in range(1, 7)] == list(names)


def test_structured_arrays_are_rows():
    rows = np.array([(7, 1), (9, 1), (7, 2)], dtype=[("user", np.int64), ("film", np.int64)])
    encoder = Relations(["user", "film"], graph="user")
    assert encoder.fit_transform(rows) == encoder.fit_transform(
        {name: rows[name].tolist() for name in ("user", "film")}
    )
