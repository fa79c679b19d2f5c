"""Data frames as graphs: pandas and polars alike."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.graphs.convert import from_pandas, from_polars

pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")

LIBRARIES = {"pandas": (pd.DataFrame, from_pandas), "polars": (pl.DataFrame, from_polars)}
both = pytest.mark.parametrize("library", LIBRARIES)


@st.composite
def named_graphs(draw):
    """Graphs whose names are all strings or all integers, as columns hold them, and a typed node or not."""
    names = draw(st.sampled_from([st.text(max_size=2), st.integers(-3, 3)]))
    symbols = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    typed = draw(st.booleans())
    graphs = []
    for _ in range(draw(st.integers(1, 4))):
        graph = gtm.Graph()
        ordinary = draw(st.booleans())
        nodes = draw(st.lists(names, min_size=1, max_size=4, unique=True))
        for node in range(len(nodes)) if ordinary and isinstance(nodes[0], int) else nodes:
            graph.add_node(node, draw(st.lists(st.sampled_from(symbols), max_size=3)), "t" if typed else None)
        ends = st.sampled_from(graph.nodes)
        for _ in range(draw(st.integers(0, 5))):
            graph.add_edge(draw(ends), draw(ends), draw(st.sampled_from(symbols)))
        graphs.append(graph)
    return graphs, typed


def to_columns(graphs):
    """The way back: a column of lists for the symbols."""
    nodes = {"graph": [], "node": [], "properties": [], "type": []}
    edges = {"graph": [], "source": [], "destination": [], "type": []}
    for number, graph in enumerate(graphs):
        for name in graph.nodes:
            row = (f"g{number}", name, list(graph.properties(name)), graph.node_type(name))
            for column, value in zip(nodes.values(), row, strict=True):
                column.append(value)
        for edge in graph.edges:
            for column, value in zip(edges.values(), (f"g{number}", *edge), strict=True):
                column.append(value)
    return nodes, edges


@both
@given(made=named_graphs(), seed=st.integers(0, 3))
def test_round_trip(library, made, seed):
    frame, convert = LIBRARIES[library]
    graphs, typed = made
    nodes, edges = to_columns(graphs)
    # Rows of different graphs may be mixed, and edges be in any order.
    order = np.argsort(np.random.default_rng(seed).random(len(edges["graph"])))
    edges = {name: [values[row] for row in order] for name, values in edges.items()}
    arguments = dict(symbols="properties", edge_type="type", type="type" if typed else None)
    if not typed:
        del nodes["type"]
    if not len(order):
        edges = None
    batch = convert(frame(nodes), None if edges is None else frame(edges), **arguments)
    batch.validate()
    assert list(batch) == graphs


@both
def test_rows_of_graphs_may_be_mixed(library):
    frame, convert = LIBRARIES[library]
    nodes = frame({"graph": ["b", "a", "b", "a"], "node": [5, 7, 6, 5], "letter": ["x", "y", "y", None]})
    edges = frame({"graph": ["a", "b", "b"], "source": [5, 6, 6], "destination": [7, 6, 5]})
    batch = convert(nodes, edges)
    batch.validate()
    assert batch[0].nodes == (5, 6)
    assert batch[1].nodes == (7, 5)
    assert [batch[0].properties(name) for name in (5, 6)] == [(("letter", "x"),), (("letter", "y"),)]
    assert batch[1].properties(5) == ()
    assert sorted(batch[0].edges) == [(6, 5, "plain"), (6, 6, "plain")]
    assert batch[1].edges == ((5, 7, "plain"),)


@both
def test_symbols_by_kind_of_column(library):
    frame, convert = LIBRARIES[library]
    nodes = frame(
        {
            "graph": [0, 0, 0],
            "node": [0, 1, 2],
            "atom": ["C", "N", None],
            "charge": [1, 0, -1],
            "ring": [True, False, None],
            "never": [False, False, False],
            "tags": [["a"], [], None],
            "properties": [["p"], ["q", "p"], None],
        }
    )
    batch = convert(nodes)
    assert batch[0].nodes == (0, 1, 2)
    assert set(batch[0].properties(0)) == {("atom", "C"), ("charge", 1), "ring", ("tags", "a"), "p"}
    assert set(batch[0].properties(1)) == {("atom", "N"), ("charge", 0), "p", "q"}
    assert set(batch[0].properties(2)) == {("charge", -1)}
    assert "never" not in batch.vocabulary.symbols

    def only(symbols, *used):
        others = [name for name in nodes.columns[2:] if name not in used]
        return set(convert(nodes, symbols=symbols, ignore=others).vocabulary.symbols)

    assert only("atom", "atom") == {"C", "N"}
    assert only("tags", "tags") == {"a"}
    assert only([]) == set()
    assert only(["tags"], "tags") == {("tags", "a")}
    assert only(None, "tags") == {("tags", "a")}


@both
def test_missing_items_of_lists_are_no_symbols(library):
    frame, convert = LIBRARIES[library]
    nodes = frame({"graph": [0, 0], "node": [0, 1], "tags": [["a", None], [None]]})
    assert [convert(nodes)[0].properties(node) for node in (0, 1)] == [(("tags", "a"),), ()]
    assert [convert(nodes, symbols="tags")[0].properties(node) for node in (0, 1)] == [("a",), ()]


@both
def test_labels_types_and_one_graph(library):
    frame, convert = LIBRARIES[library]
    nodes = frame({"graph": [3, 1, 3], "node": ["x", "y", "z"], "kind": ["k", "l", "l"], "y": [0.5, 1.0, 0.5]})
    edges = frame({"graph": [3], "source": ["x"], "destination": ["z"], "bond": [None]})
    bond = dict(edge_type="bond") if library == "polars" else dict(ignore=["bond"])
    batch, y = convert(nodes, edges, symbols=[], type="kind", label="y", **bond)
    assert y.tolist() == [0.5, 1.0]
    assert batch[0].node_type("z") == "l"
    assert batch[0].edges == (("x", "z", "plain"),)
    without = dict(symbols=[], ignore=["kind", "y", "bond"])
    assert len(convert(nodes, edges, graph=None, symbols=[], ignore=["graph", "kind", "y", "bond"])) == 1
    assert len(convert(nodes[:0], edges[:0], **without)) == 0


@both
def test_a_missing_edge_type_is_plain(library):
    frame, convert = LIBRARIES[library]
    nodes = frame({"graph": [0, 0], "node": [0, 1]})
    edges = frame({"graph": [0, 0], "source": [0, 1], "destination": [1, 0], "bond": ["up", None]})
    assert sorted(convert(nodes, edges, edge_type="bond")[0].edges) == [(0, 1, "up"), (1, 0, "plain")]


def test_categories_and_nullable_columns_of_pandas():
    nodes = pd.DataFrame({"graph": [0, 0, 0], "node": pd.array([1, 2, 3], dtype="Int64")})
    nodes["size"] = pd.Categorical(["S", None, "L"], categories=["S", "M", "L"])
    nodes["age"] = pd.array([1, None, 2], dtype="Int64")
    nodes["old"] = pd.array([True, None, False], dtype="boolean")
    graph = from_pandas(nodes)[0]
    assert graph.nodes == (1, 2, 3)
    assert set(graph.properties(1)) == {("size", "S"), ("age", 1), "old"}
    assert graph.properties(2) == ()
    assert set(graph.properties(3)) == {("size", "L"), ("age", 2)}
    binned = pd.DataFrame({"graph": [0], "node": [0], "bin": pd.cut([1.0], [0, 2])})
    with pytest.raises(gtm.GraphError, match=r"column 'bin' of the nodes has dtype interval"):
        from_pandas(binned)


def test_names_that_python_holds_to_be_equal_stay_apart():
    nodes = pd.DataFrame({"graph": [0] * 3, "node": [1, True, "1"], "value": [1, True, "1"]}, dtype=object)
    edges = pd.DataFrame({"graph": [0], "source": [True], "destination": [1]}, dtype=object)
    batch = from_pandas(nodes, edges)
    assert [type(name) for name in batch[0].nodes] == [int, bool, str]
    assert len(batch.vocabulary.symbols) == 3
    ((source, destination, _),) = batch[0].edges
    assert (source, type(destination)) == (True, int)
    sets = pd.DataFrame({"graph": [0], "node": [0], "s": [{("a", 1), "b"}]})
    assert set(from_pandas(sets, symbols="s")[0].properties(0)) == {("a", 1), "b"}


def test_columns_of_different_types_are_matched_by_name():
    nodes = pd.DataFrame({"graph": ["a", "a"], "node": np.array([1, 2], dtype=np.uint8)})
    edges = pd.DataFrame({"graph": pd.Categorical(["a"]), "source": [1], "destination": np.array([2], dtype=np.int16)})
    assert from_pandas(nodes, edges)[0].edges == ((1, 2, "plain"),)
    table = (
        pl.DataFrame({"graph": ["a"], "node": [1]}),
        pl.DataFrame({"graph": ["a"], "source": [1], "destination": [1]}),
    )
    cast = table[1].with_columns(pl.col("graph").cast(pl.Categorical), pl.col("source").cast(pl.UInt64))
    assert from_polars(table[0], cast)[0].edges == ((1, 1, "plain"),)


def test_nodes_are_found_by_table_and_by_bisection_alike():
    from graphtm.graphs.convert.frame_rows import RowFinder

    keys = np.array([5, 900, 3])
    for n_keys in (901, 10**9):
        rows = RowFinder(keys, n_keys, 1000 if n_keys == 901 else 0)
        assert rows(np.array([3, 4, 900, 5, 0])).tolist() == [2, -1, 1, 0, -1]
        assert rows.twice is None
        assert RowFinder(np.array([5, 3, 5]), n_keys, 1000 if n_keys == 901 else 0).twice == [0, 2]
    assert RowFinder(np.zeros(0, np.int64), 100, 0)(np.array([3])).tolist() == [-1]


NODES = {"graph": [0, 0], "node": [0, 1]}
EDGES = {"graph": [0], "source": [0], "destination": [1]}
REFUSED = {
    "unknown node": (
        NODES,
        EDGES | {"destination": [7]},
        {},
        r"row 0 of the edges is 0 -> 7, but graph 0 has no node 7 \(1 such edge\)",
    ),
    "unknown graph": (NODES, EDGES | {"graph": [9]}, {}, "0 -> 1, but graph 9 has no node 0"),
    "text for numbers": (NODES, EDGES | {"source": ["0"]}, {}, "no node '0'"),
    "twice": (NODES | {"node": [1, 1]}, None, {}, "node 1 of graph 0 is in rows 0 and 1 of the nodes"),
    "no column": (
        NODES,
        None,
        dict(node="name"),
        r"The nodes have no column 'name' \(columns: graph, node\). If it has another name, pass node=NAME.$",
    ),
    "no edge column": (NODES, {"source": [0], "destination": [1]}, {}, "The edges have no column 'graph'"),
    "no symbols": (NODES, None, dict(symbols=["atom"]), r"no column 'atom' \(columns: graph, node\). Correct symbols."),
    "not chosen": (
        NODES | {"x": [1, 2], "z": [1, 2], "a": ["b", "b"]},
        None,
        dict(symbols=["a"]),
        r"Columns 'x', 'z' of the nodes are not used: add them to symbols, or pass ignore=\['x', 'z'\]",
    ),
    "edges not chosen": (
        NODES,
        EDGES | {"weight": [0.5], "bond": ["x"]},
        dict(edge_type="bond"),
        r"Column 'weight' of the edges is not used: pass edge_type='weight', or ignore=\['weight'\]",
    ),
    "float symbols": (
        NODES | {"x": [0.5, 1.5]},
        None,
        {},
        r"column 'x' of the nodes has floats. Divide floats into bins .* Or pass ignore=\['x'\]",
    ),
    "float node": (NODES | {"node": [0.5, 1.5]}, None, {}, "column 'node' of the nodes has floats"),
    "floats in lists": (NODES | {"x": [[0.5], []]}, None, {}, "'x' of the nodes is 0.5"),
    "missing node": (
        NODES | {"node": ["a", None]},
        None,
        {},
        "Column 'node' of the nodes must not have missing values; row 1 has one",
    ),
    "missing graph": (
        NODES | {"graph": ["a", None]},
        None,
        {},
        "of the nodes must not have missing values; row 1 has one",
    ),
    "missing end": (
        NODES | {"node": ["a", "b"]},
        EDGES | {"source": ["a"], "destination": [None]},
        {},
        "Column 'destination'",
    ),
    "missing type": (
        NODES | {"t": ["a", None]},
        None,
        dict(type="t"),
        "Column 't' of the nodes must not have missing values",
    ),
    "lists as types": (
        NODES | {"t": [["a"], ["b"]]},
        None,
        dict(type="t"),
        "column 't' of the nodes has dtype list",
    ),
    "label": (NODES | {"y": [1, 2]}, None, dict(label="y"), "in graph 0 row 0 has 1 and row 1 has 2"),
    "missing label": (
        NODES | {"y": ["a", None]},
        None,
        dict(label="y"),
        "row 1 of the nodes has no value in column 'y'",
    ),
    "dates": (
        NODES | {"d": np.array(["2020-01-01"] * 2, dtype="datetime64[ms]")},
        None,
        {},
        "'d' of the nodes has dtype [dD]atetime",
    ),
}


@both
@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(library, case):
    frame, convert = LIBRARIES[library]
    nodes, edges, arguments, message = REFUSED[case]
    with pytest.raises(gtm.GraphError, match=message):
        convert(frame(nodes), None if edges is None else frame(edges), **arguments)


@both
def test_what_is_asked_for_is_not_ignored(library):
    frame, convert = LIBRARIES[library]
    for name, arguments in (("graph", {}), ("x", dict(symbols=["x"])), ("x", dict(symbols="x"))):
        with pytest.raises(ValueError, match=f"'ignore' parameter of from_{library} must not list .* Got '{name}'"):
            convert(frame(NODES | {"x": [1, 2]}), ignore=[name], **arguments)
    with pytest.raises(TypeError, match=f"'ignore' parameter of from_{library} must be a list of names. Got 'x'"):
        convert(frame(NODES), ignore="x")


def test_wrong_frames():
    with pytest.raises(TypeError, match=r"The nodes must be a pandas DataFrame; got a 'dict'"):
        from_pandas(NODES)
    with pytest.raises(TypeError, match=r"The edges must be a polars DataFrame; got a 'LazyFrame'. Call collect"):
        from_polars(pl.DataFrame(NODES), pl.DataFrame(EDGES).lazy())
    with pytest.raises(TypeError, match=r"The nodes must be a polars DataFrame; got a 'DataFrame' of pandas"):
        from_polars(pd.DataFrame(NODES))
    doubled = pd.concat([pd.DataFrame(NODES), pd.DataFrame({"node": [3, 4]})], axis=1)
    with pytest.raises(gtm.GraphError, match=r"The nodes have more than one column 'node'. Rename the others."):
        from_pandas(doubled)


@both
def test_all_wrong_columns_are_told_at_once(library):
    frame, convert = LIBRARIES[library]
    nodes = frame({"graf": [0], "node": [0], "x": [0.5], "z": [1]})
    edges = frame({"graf": [0], "source": [0.5], "target": [0], "w": [1]})
    with pytest.raises(gtm.GraphError) as caught:
        convert(nodes, edges, symbols=["x", "atom"])
    lines = str(caught.value).splitlines()
    assert lines[0] == "There are 6 problems with the columns:"
    assert [line.partition(";")[0].partition(" (")[0] for line in lines[1:]] == [
        "- The nodes have no column 'graph'",
        "- The edges have no column 'graph'",
        "- The edges have no column 'destination'",
        "- The nodes have no column 'atom'",
        "- Names must be strings, integers or Booleans",
        "- Names must be strings, integers or Booleans",
    ]
    assert "column 'source' of the edges has floats" in lines[5]
    assert "column 'x' of the nodes has floats" in lines[6]


@both
def test_what_is_ignored_must_be_there(library):
    frame, convert = LIBRARIES[library]
    with pytest.raises(
        ValueError, match=rf"'ignore' parameter of from_{library} must list .* Got 'wieght' .* Did you mean 'weight'\?"
    ):
        convert(frame(NODES), frame(EDGES | {"weight": [0.5]}), ignore=["wieght"])
    assert len(convert(frame(NODES), frame(EDGES | {"weight": [0.5]}), ignore={"weight"})) == 1


@both
@pytest.mark.parametrize("parameter", ["graph", "node", "type", "source", "destination", "label", "node_label"])
def test_one_name_is_no_list(library, parameter):
    frame, convert = LIBRARIES[library]
    with pytest.raises(TypeError, match=rf"'{parameter}' parameter of from_{library} must be one name, .* Got \['a'\]"):
        convert(frame(NODES), **{parameter: ["a"]})


@both
def test_symbols_are_no_mapping(library):
    frame, convert = LIBRARIES[library]
    with pytest.raises(TypeError, match=r"'symbols' parameter of .* must be the name of a column or a list of them"):
        convert(frame(NODES | {"x": [1, 2]}), symbols={"x": "atom"})


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(
    ("value", "message"),
    [(0.5, "'x' of the nodes is 0.5. Divide"), (b"y", "Column 'x' of the nodes: Names of symbols must be str")],
)
def test_odd_values_in_lists_are_told_by_their_column(value, message, plain):
    nodes = pd.DataFrame(NODES | {"x": [["a", value], []]})
    with pytest.raises(gtm.GraphError, match=message):
        from_pandas(nodes, symbols="x" if plain else ["x"])


def test_odd_types_are_told_by_their_column():
    nodes, edges = (
        pd.DataFrame(NODES | {"t": ["a", b"b"]}),
        pd.DataFrame({"graph": [0, 0], "source": [0, 0], "destination": [1, 1], "e": ["a", b"b"]}),
    )
    with pytest.raises(gtm.GraphError, match=r"Column 't' of the nodes: Names of node types must be str"):
        from_pandas(nodes, type="t")
    with pytest.raises(gtm.GraphError, match=r"Column 'e' of the edges: Names of edge types must be str"):
        from_pandas(nodes, edges, edge_type="e", ignore=["t"])
