"""Tables to graphs: what each value says, and what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Table
from graphtm.testing.encoders import check_encoder

tables = st_numpy.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 3)),
    elements=st.one_of(st.integers(-5, 5).map(float), st.sampled_from([0.25, 1e300, np.nan])),
)


def symbols(graphs, row=0, node=0):
    return set(graphs[row].properties(node))


@given(tables, st.integers(2, 5))
def test_thermometer_says_which_cuts_are_reached(X, bins):
    encoder = Table(bins=bins)
    graphs = encoder.fit_transform(X)
    graphs.validate()
    names = list(encoder.vocabulary_.symbols)
    for row, graph in zip(X, graphs, strict=True):
        for column, value in enumerate(row):
            told = {name for name in graph.properties(0) if name[0] == f"x{column}"}
            if np.isnan(value):
                assert told == {(f"x{column}", "is", "missing")}
            else:
                cuts = [name for name in names if name[0] == f"x{column}" and name[1] == ">="]
                assert told == {name for name in cuts if value >= float(name[2])}
                assert len(cuts) < max(bins, 2)


@given(tables, st.integers(2, 5))
def test_quantiles_say_where_a_value_lies(X, bins):
    encoder = Table(bins=bins, encoding="quantile")
    for values, graph in zip(X, encoder.fit_transform(X), strict=True):
        told = [name for column in range(X.shape[1]) for name in graph.properties(0) if name[0] == f"x{column}"]
        for value, (_, _, text) in zip(values, told, strict=True):
            if np.isnan(value):
                assert text == "missing"
            elif text.startswith("["):
                low, high = text[1:-1].split(", ")
                assert float(low) <= value < float(high)
            else:
                sign, cut = text.split()
                assert value < float(cut) if sign == "<" else value >= float(cut)


def test_cuts_have_equal_shares_of_the_training_data():
    X = np.arange(100.0)[:, None]
    encoder = Table(bins=4, encoding="quantile").fit(X)
    assert list(encoder.vocabulary_.symbols) == [
        ("x0", "in", "< 25"),
        ("x0", "in", "[25, 50)"),
        ("x0", "in", "[50, 75)"),
        ("x0", "in", ">= 75"),
    ]
    assert list(encoder.get_feature_names_out()) == ["x0 < 25", "x0 IN [25, 50)", "x0 IN [50, 75)", "x0 >= 75"]
    assert encoder.transform(X).pack().properties.frequencies().tolist() == [25, 25, 25, 25]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cuts_have_few_digits_and_part_the_data_as_quantiles_do(dtype):
    X = np.random.default_rng(0).normal(size=(1000, 1)).astype(dtype)
    encoder = Table(bins=4, encoding="quantile").fit(X)
    assert encoder.transform(X).pack().properties.frequencies().tolist() == [250, 250, 250, 250]
    assert max(len(name[2]) for name in Table(bins=4).fit(X).vocabulary_.symbols) <= 10


def test_few_values_are_all_told_apart():
    assert list(Table().fit([[1], [2.5], [2.5], [4]]).vocabulary_.symbols) == [("x0", ">=", "2.5"), ("x0", ">=", 4)]
    assert list(Table(bins=2).fit([[0], [0], [0], [1], [2]]).vocabulary_.symbols) == [("x0", ">=", 1)]
    assert list(Table().fit([[3], [3]]).vocabulary_.symbols) == [("x0", ">=", 3)]
    one_hot = Table(encoding="one_hot").fit([[1], [2.5], [30]])
    assert list(one_hot.vocabulary_.symbols) == [("x0", 1), ("x0", 30), ("x0", "2.5")]
    assert symbols(one_hot.transform([[2.5]])) == {("x0", "2.5")}
    assert symbols(one_hot.transform([[7]])) == set()


narrow = st.sampled_from([np.float16, np.float32]).flatmap(
    lambda dtype: st_numpy.arrays(dtype, (12, 1), elements=st.floats(-9, 9, width=16).map(lambda value: value / 3))
)
large = st.sampled_from([np.int64, np.uint64, object]).flatmap(
    lambda dtype: st_numpy.arrays(dtype, (12, 1), elements=st.integers(2**53 - 3, 2**53 + 12))
)


@given(st.one_of(narrow, large), st.integers(2, 5))
def test_names_state_exactly_what_is_compared(X, bins):
    encoder = Table(bins=bins)
    cuts = {
        name: float(name[2]) if isinstance(name[2], str) else name[2] for name in encoder.fit(X).vocabulary_.symbols
    }
    for value, graph in zip(X[:, 0].tolist(), encoder.transform(X), strict=True):
        assert set(graph.properties(0)) == {name for name, cut in cuts.items() if value >= cut}


def test_floats_of_32_bits_are_named_as_the_numbers_that_they_are():
    X = np.array([[0.1], [0.7]], np.float32)
    encoder = Table().fit(X)
    assert list(encoder.vocabulary_.symbols) == [("x0", ">=", "0.699999988079071")]
    assert [symbols(encoder.transform([[value]])) != set() for value in (0.7, 0.69999999, 0.69999998)] == [1, 1, 0]
    assert list(Table(encoding="one_hot").fit(X).vocabulary_.symbols)[1] == ("x0", "0.699999988079071")


LARGE = [2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3]


@pytest.mark.parametrize("library", ["numpy", "list", "pandas", "nullable", "polars"])
@pytest.mark.parametrize("gap", [False, True])
def test_large_whole_numbers_are_exact(library, gap):
    values = [*LARGE, None] if gap else LARGE
    if library in ("pandas", "nullable"):
        pandas = pytest.importorskip("pandas")
        X = pandas.DataFrame({"x0": pandas.Series(values, dtype="Int64" if library == "nullable" or gap else "int64")})
    elif library == "polars":
        X = pytest.importorskip("polars").DataFrame({"x0": values})
    else:
        X = np.array(values)[:, None] if library == "numpy" else [[value] for value in values]
    expected = [{("x0", ">=", number) for number in LARGE[1:] if number <= value} for value in LARGE]
    graphs = Table().fit_transform(X)
    assert [symbols(graphs, row) for row in range(4)] == expected
    one_hot = Table(encoding="one_hot").fit_transform(X)
    assert [symbols(one_hot, row) for row in range(4)] == [{("x0", value)} for value in LARGE]
    halves = Table(bins=2, encoding="quantile").fit_transform(X)
    assert symbols(halves, 1) == {("x0", "in", f"< {2**53 + 2}")}
    if gap:
        assert symbols(graphs, 4) == symbols(one_hot, 4) == {("x0", "is", "missing")}


def test_whole_numbers_and_floats_are_compared_as_they_are():
    whole = Table().fit([[number] for number in LARGE])
    assert symbols(whole.transform([[float(2**53 + 2)]])) == {("x0", ">=", 2**53 + 1), ("x0", ">=", 2**53 + 2)}
    floats = Table().fit([[1.5], [float(2**53 + 2)]])
    assert [symbols(floats.transform([[number]])) for number in LARGE[1:3]] == [set(), {("x0", ">=", 2**53 + 2)}]
    huge = Table().fit([[10**400], [0.5], [10**400 + 1]])
    assert list(huge.vocabulary_.symbols) == [("x0", ">=", 10**400), ("x0", ">=", 10**400 + 1)]
    with pytest.raises(ValueError, match="contains infinity"):
        Table().fit([[10**400], [np.inf]])


def test_categories_and_booleans():
    X = [["a", True, 1], ["b", False, 2], [None, None, None]]
    encoder = Table().fit(X)
    assert list(encoder.vocabulary_.symbols) == [
        ("x0", "a"),
        ("x0", "b"),
        ("x0", "is", "missing"),
        ("x1", True),
        ("x1", "is", "missing"),
        ("x2", ">=", 2),
        ("x2", "is", "missing"),
    ]
    assert symbols(encoder.transform([["b", False, 5]])) == {("x0", "b"), ("x2", ">=", 2)}
    assert symbols(encoder.transform([["z", True, 1]])) == {("x1", True)}
    assert list(Table().fit(np.array([["u"], ["v"]])).vocabulary_.symbols) == [("x0", "u"), ("x0", "v")]
    assert list(Table().fit(np.array([[True], [False]])).vocabulary_.symbols) == [("x0", True)]


def test_mixed_values_of_a_column_are_categories():
    encoder = Table().fit([["a"], [1], [True], [2.5], [2.0]])
    assert list(encoder.vocabulary_.symbols) == [("x0", True), ("x0", 1), ("x0", 2), ("x0", "2.5"), ("x0", "a")]


def test_names_survive_files(tmp_path):
    graphs = Table().fit_transform([[0.5, "a", None], [1.5, "b", True]])
    graphs.save(tmp_path / "x.gtmg")
    assert gtm.load_graphs(tmp_path / "x.gtmg") == graphs


def test_missing_values():
    X = [[1.0, "a"], [np.nan, "b"]]
    assert symbols(Table().fit_transform(X), 1) == {("x0", "is", "missing"), ("x1", "b")}
    assert symbols(Table(missing="drop").fit_transform(X), 1) == {("x1", "b")}
    with pytest.raises(ValueError, match="contains NaN or another missing value in column 'x0'"):
        Table(missing="error").fit(X)
    # A value that was never missing in training is unknown when it is.
    assert symbols(Table().fit(X).transform([[1.0, None]])) == {("x0", ">=", 1)}
    with pytest.raises(
        gtm.GraphError, match=r"Values of column 'x1' must occur in the training data, 'a', 'b'; row 0 has"
    ):
        Table(unknown="error").fit(X).transform([[1.0, None]])


def test_unknown_values_are_refused_if_asked():
    encoder = Table(unknown="error").fit([["a"], ["b"]])
    with pytest.raises(gtm.GraphError, match=r"row 1 has 'c'. Choose unknown='drop'"):
        encoder.transform([["a"], ["c"]])


def test_all_missing_is_a_column_without_cuts():
    graphs = Table().fit_transform([[np.nan, 1.0], [np.nan, 2.0]])
    assert symbols(graphs) == {("x0", "is", "missing")}
    for encoding in ("quantile", "one_hot"):
        assert symbols(Table(encoding=encoding).fit_transform([[None], [None]])) == {("x0", "is", "missing")}


def test_a_node_per_column():
    encoder = Table(layout="node_per_column", bins=2).fit([[1, "a", True], [2, "b", False]])
    graph = encoder.transform([[2, "a", True]])[0]
    assert [graph.node_type(node) for node in graph.nodes] == ["x0", "x1", "x2"]
    assert [graph.properties(node) for node in graph.nodes] == [(("x0", ">=", 2),), (("x1", "a"),), (("x2", True),)]
    assert set(graph.edges) == {(i, j, "beside") for i in range(3) for j in range(3) if i != j}
    one = Table(layout="node_per_column").fit_transform([[1], [2]])
    one.validate()
    assert one.pack().n_edges == 0
    assert list(one.vocabulary.node_types) == ["x0"]


def test_columns_are_chosen():
    X = np.arange(12).reshape(4, 3)
    assert {name[0] for name in Table(columns=[2, 0]).fit(X).vocabulary_.symbols} == {"x0", "x2"}
    chosen = Table(columns={1: "category", 0: "quantile"}, bins=2).fit(X)
    assert list(chosen.vocabulary_.symbols) == [
        *[("x1", value) for value in (1, 4, 7, 10)],
        ("x0", "in", "< 6"),
        ("x0", "in", ">= 6"),
    ]
    assert symbols(chosen.transform([[0, 7, 0]])) == {("x1", 7), ("x0", "in", "< 6")}
    assert list(Table(columns={0: "category"}).fit([[True], [False]]).vocabulary_.symbols) == [
        ("x0", False),
        ("x0", True),
    ]


def frames(library):
    data = {"age": [20, 30, None], "city": ["Rome", None, "Oslo"], "ill": [True, False, None], "n": [1, 2, 3]}
    if library == "polars":
        return pytest.importorskip("polars").DataFrame(data)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(data)
    if library == "nullable":
        return frame.astype({"age": "Int64", "ill": "boolean", "city": "string", "n": "Float32"})
    return frame.astype({"city": "category"}) if library == "category" else frame


@pytest.mark.parametrize("library", ["pandas", "nullable", "category", "polars"])
def test_frames_say_the_same(library):
    frame = frames(library)
    encoder = Table()
    graphs = encoder.fit_transform(frame)
    graphs.validate()
    assert encoder.feature_names_in_.tolist() == ["age", "city", "ill", "n"]
    assert [symbols(graphs, row) for row in range(3)] == [
        {("city", "Rome"), ("ill", True)},
        {("age", ">=", 30), ("city", "is", "missing"), ("n", ">=", 2)},
        {("age", "is", "missing"), ("city", "Oslo"), ("ill", "is", "missing"), ("n", ">=", 2), ("n", ">=", 3)},
    ]
    assert {name[0] for name in Table(columns=["n", "city"]).fit(frame).vocabulary_.symbols} == {"n", "city"}
    with pytest.raises(ValueError, match="feature names should match"):
        encoder.transform(frame[["city", "age", "ill", "n"]])
    with pytest.raises(ValueError, match="feature names should match"):
        encoder.transform(frame[["age", "city", "ill"]])
    with pytest.raises(ValueError, match=r"must be columns of the table, 'age', 'city', 'ill', 'n'. Got 'x'"):
        Table(columns=["x"]).fit(frame)
    with pytest.raises(ValueError, match="minimum of 1 row"):
        Table().fit(frame[:0])


@pytest.mark.filterwarnings("ignore:X has feature names:UserWarning")
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_and_arrays_have_the_same_columns_in_the_same_places(library):
    frame = frames(library)[["n", "ill"]]
    encoder = Table(columns=[1]).fit([[1, True], [2, False]])
    assert symbols(encoder.transform(frame)) == {("x1", True)}
    with pytest.raises(ValueError, match="X has 4 features, but Table is expecting 2 features"):
        encoder.transform(frames(library))


def test_frames_with_dates_or_twins_are_refused():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    dates = pandas.DataFrame({"day": pandas.to_datetime(["2020-01-01"])})
    for frame in (dates, polars.DataFrame({"day": dates["day"].tolist()})):
        with pytest.raises(gtm.GraphError, match="column 'day' has dtype"):
            Table().fit(frame)
    with pytest.raises(gtm.GraphError, match="column 'day' has dtype"):
        Table().fit(dates.assign(day=dates["day"].dt.tz_localize("UTC")))
    with pytest.raises(gtm.GraphError, match="Columns must have distinct names"):
        Table().fit(pandas.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(ValueError, match="contains infinity in column 'a'"):
        Table().fit(pandas.DataFrame({"a": [1.0, np.inf]}))


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        ([1.0, 2.0], ValueError, "Reshape your data"),
        (np.zeros((0, 2)), ValueError, "0 sample"),
        (np.zeros((2, 0)), ValueError, "0 feature"),
        ([[1.0, np.inf]], ValueError, "contains infinity"),
        (np.array([[np.inf]]), ValueError, "contains infinity in column 'x0'"),
        (np.array([[1 + 2j]]), ValueError, "Complex data not supported"),
        (sparse.eye(3).tocsr(), TypeError, "Sparse data was passed"),
        ([[{"a": 1}]], TypeError, r"must be a string, number or Boolean; column 'x0' has \{'a': 1\}"),
        (np.zeros((1, 1), "datetime64[D]"), gtm.GraphError, "column 'x0' has dtype datetime64"),
    ],
)
def test_bad_tables_are_refused(X, error, message):
    with pytest.raises(error, match=message):
        Table().fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"layout": "nodes"}, "'layout' parameter of Table must be a str among"),
        ({"bins": 1}, "'bins' parameter of Table must be an int"),
        ({"encoding": "category"}, "'encoding' parameter"),
        ({"missing": "keep"}, "'missing' parameter"),
        ({"unknown": "symbol"}, "'unknown' parameter"),
        ({"columns": "age"}, "'columns' parameter of Table must be a non-empty list of columns"),
        ({"columns": []}, "'columns' parameter of Table must be a non-empty list of columns"),
        ({"columns": [["a"]]}, "'columns' parameter of Table must be a non-empty list of columns"),
        ({"columns": [0, 0]}, "'columns' parameter of Table must be a list of distinct columns"),
        ({"columns": {0: []}}, "'columns' parameter of Table must be a mapping to encodings among"),
        ({"columns": {0: "log"}}, "'columns' parameter of Table must be a mapping to encodings among"),
        ({"columns": [5]}, "must be columns of the table, 0, 1. Got 5 instead"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    encoder = Table(**parameters)
    with pytest.raises(ValueError, match=message):
        encoder.fit([[1, 2], [3, 4]])
    assert not hasattr(encoder, "vocabulary_")


def test_it_must_be_fitted_and_given_the_same_columns():
    with pytest.raises(NotFittedError):
        Table().transform([[1]])
    encoder = Table().fit([[1, 2], [3, 4]])
    assert encoder.n_features_in_ == 2
    with pytest.raises(ValueError, match="X has 3 features, but Table is expecting 2 features"):
        encoder.transform([[1, 2, 3]])
    with pytest.raises(gtm.GraphError, match="Column 'x0' must have number values as in the training data; got cat"):
        encoder.transform([["a", 2]])


def test_weights_of_values():
    encoder = Table(bins=2).fit([[1, "a"], [2, "b"], [None, "c"]])
    weights = {("x0", ">=", 2): 3, ("x1", "b"): -1, ("x0", "is", "missing"): 5}
    assert encoder.render(weights) == {
        "x0": [("< 2", 0.0), (">= 2", 3.0), ("missing", 5.0)],
        "x1": [("a", 0.0), ("b", -1.0), ("c", 0.0)],
    }


def test_an_encoder_can_be_cloned_and_pickled():
    encoder = Table(columns={0: "quantile"}).fit([[1], [2]])
    assert clone(encoder).columns == {0: "quantile"}
    assert pickle.loads(pickle.dumps(encoder)).transform([[1]]) == encoder.transform([[1]])


@pytest.mark.parametrize(
    "encoder",
    [
        Table(missing="error"),
        Table(["a", "c"], "node_per_column", 2, "quantile", "drop", "error"),
        Table({"c": "category", "b": "thermometer", "a": "one_hot"}),
    ],
)
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_what_every_encoder_must_do(encoder, library):
    frame = pytest.importorskip(library).DataFrame
    rows = {"a": [1, 2, 4], "b": ["x", "y", "x"], "c": [True, False, True]}
    bad = [frame({"a": [1.0], "b": ["x"], "c": [np.inf]}), np.zeros((0, 3)), [[1, "x", {}]]]
    check_encoder(encoder, frame(rows), bad=bad)


def test_a_fit_that_fails_changes_nothing():
    encoder = Table(missing="error").fit(np.array([[1.0, 2.0], [3.0, 4.0]]))
    before = dict(vars(encoder))
    pandas = pytest.importorskip("pandas")
    for X in (np.array([[1.0], [np.nan]]), pandas.DataFrame({"a": [1.0, np.nan]}), np.array([[1.0, 2, np.inf]])):
        with pytest.raises(ValueError, match="Input X contains"):
            encoder.fit(X)
        assert vars(encoder) == before
    encoder.fit(pandas.DataFrame({"a": [1.0]}))
    assert encoder.feature_names_in_.tolist() == ["a"]
    assert not hasattr(encoder.fit([[1.0]]), "feature_names_in_")


def test_a_pipeline_learns_irises():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    machine = gtm.GraphTMClassifier(n_clauses=30, T=60, s=3.0, depth=1, epochs=20, random_state=0)
    search = GridSearchCV(make_pipeline(Table(), machine), {"table__bins": [2, 8]}, cv=3)
    search.fit(X[order[:100]], y[order[:100]])
    assert search.score(X[order[100:]], y[order[100:]]) >= 0.9


def test_columns_as_nodes_learn_what_two_columns_say_together():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 2)).astype(bool)
    y = X[:, 0] ^ X[:, 1]
    machine = gtm.GraphTMClassifier(n_clauses=20, T=40, s=2.0, epochs=20, random_state=0)
    pipeline = make_pipeline(Table(layout="node_per_column"), machine).fit(X[:400], y[:400])
    assert pipeline.score(X[400:], y[400:]) == 1.0
