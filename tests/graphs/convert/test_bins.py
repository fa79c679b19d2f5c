"""Numbers of nodes and edges as names: the same bins in all converters, and the training cuts for later graphs."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Neighbourhoods, WholeGraph
from graphtm.graphs.bins import Cuts, edge_cuts, node_cuts
from graphtm.graphs.convert import from_networkx, from_pandas, from_polars, from_pyg

nx = pytest.importorskip("networkx")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

numbers = st.one_of(st.floats(-5, 5), st.sampled_from([0.5, -0.5, 1e300, 3.0]))
columns = st.lists(numbers, min_size=1, max_size=12)


def path(values, lengths=None):
    graph = nx.DiGraph()
    for node, value in enumerate(values):
        graph.add_node(node, **({} if value is None else {"charge": value}))
    for node, length in enumerate(lengths or ()):
        graph.add_edge(node, node + 1, length=length)
    return graph


def frames(values, lengths):
    nodes = pd.DataFrame({"node": range(len(values)), "charge": np.array(values, float)})
    ends = {"source": range(len(lengths)), "destination": range(1, len(lengths) + 1)}
    return nodes, pd.DataFrame({**ends, "length": np.array(lengths, float)})


def reached(batch, name="charge"):
    """Return, for each node, the cuts of its symbols."""
    return [
        [float(symbol[2]) for symbol in graph.properties(node) if symbol[0] == name]
        for graph in batch
        for node in graph.nodes
    ]


@given(columns, st.integers(2, 5))
def test_nodes_reach_the_quantiles_of_their_graphs(values, bins):
    """Each bin but the last has at least its share of values, counted over all graphs; cuts are the same everywhere."""
    batch = from_networkx(path(values), node_attributes=["charge"], bins=bins)
    cuts = node_cuts(batch.vocabulary)["charge"]
    assert reached(batch) == [[cut for cut in cuts if value >= cut] for value in values]
    if len(set(values)) > bins:
        assert len(cuts) <= bins - 1
    else:
        assert len({tuple(one) for one in reached(batch)}) == len(set(values))
    nodes = frames(values, [])[0]
    assert reached(from_pandas(nodes, graph=None, bins=bins)) == reached(batch)
    assert reached(from_polars(pl.from_pandas(nodes), graph=None, bins=bins)) == reached(batch)
    data = SimpleNamespace(num_nodes=len(values), x=np.array(values)[:, None], edge_index=None)
    if set(values) - {0, 1}:
        assert reached(from_pyg(data, symbols=["charge"], bins=bins)) == reached(batch)


@given(st.lists(numbers, min_size=2, max_size=9), st.lists(numbers, min_size=1, max_size=9), st.integers(2, 4))
def test_later_graphs_are_cut_as_the_training_graphs(train, test, bins):
    """By the batch, by its file, by its vocabulary; also if later numbers are all whole."""
    lengths, later = train[1:], test[1:]
    options = dict(node_attributes=["charge"], edge_type="length")
    batch = from_networkx(path(train, lengths), bins=bins, **options)
    cuts = Cuts("charge", node_cuts(batch.vocabulary)["charge"])
    of_edges = Cuts("length", edge_cuts(batch.vocabulary).get("length", np.zeros(0)))
    test, later = ([round(value) for value in values] if bins == 2 else values for values in (test, later))
    for source in (batch, batch[:1], batch.vocabulary):
        again = from_networkx(path(test, later), bins=source, **options)
        assert reached(again) == [[cut for cut in cuts.values if value >= cut] for value in test]
        assert [edge.type for edge in again[0].edges] == [
            of_edges.intervals()[int(np.sum(of_edges.values <= length))] for length in later
        ]
        assert list(again.vocabulary.symbols) == list(batch.vocabulary.symbols)
    by_frame = from_pandas(*frames(test, later), graph=None, edge_type="length", bins=batch)
    assert reached(by_frame) == reached(again)
    assert [edge.type for edge in by_frame[0].edges] == [edge.type for edge in again[0].edges]


def test_cuts_stay_with_files_and_models(tmp_path):
    graphs = [path([-1.0, 0.25, 2.5]), path([0.25, 3.0])]
    batch = from_networkx(graphs, node_attributes=["charge"], bins=3)
    batch.save(tmp_path / "train.gtmg")
    clf = gtm.GraphTMClassifier(n_clauses=4, T=5, depth=1, epochs=1, random_state=0, engine="reference")
    clf.fit(batch, [0, 1]).save(tmp_path / "m.gtm")
    for bins in (gtm.load_graphs(tmp_path / "train.gtmg"), gtm.load(tmp_path / "m.gtm").model_.vocabulary):
        assert from_networkx(graphs, node_attributes=["charge"], bins=bins) == batch


def test_given_cuts_are_in_the_vocabulary_though_no_node_reaches_them():
    batch = from_networkx(path([0.5, 1.5]), node_attributes=["charge"], bins={"charge": [1, 2, 1e9]})
    assert list(batch.vocabulary.symbols) == [("charge", ">=", cut) for cut in (1, 2, 10**9)]
    assert str(batch[0]).splitlines()[2].strip() == "1: charge>=1"
    frame = frames([0.5, 1.5], [])[0]
    by_frame = from_pandas(frame, graph=None, bins={"charge": [1, 2, 1e9]})
    assert by_frame.vocabulary.symbols == batch.vocabulary.symbols


def test_integers_are_names_unless_they_are_asked_for():
    graph = path([6, 8, 7])
    nx.set_node_attributes(graph, {0: 0.1, 1: 0.2, 2: 0.3}, "weight")
    chosen = dict(node_attributes=["charge", "weight"])
    names = from_networkx(graph, bins=2, **chosen).vocabulary.symbols
    assert list(names) == [("charge", 6), ("charge", 8), ("weight", ">=", "0.2"), ("charge", 7)]
    assert reached(from_networkx(graph, bins={"charge": 2, "weight": [0.25]}, **chosen)) == [[], [7], [7]]
    nodes = pd.DataFrame({"node": [0, 1, 2], "charge": [6, 8, 7], "weight": [0.1, 0.2, 0.3]})
    assert reached(from_pandas(nodes, graph=None, bins={"charge": 2, "weight": 2})) == [[], [7], [7]]
    x = np.array([[6, 1], [8, 0], [7, 1]])
    data = SimpleNamespace(num_nodes=3, x=x, edge_index=None)
    batch = from_pyg(data, bins={"x 0": 2})
    assert reached(batch, "x 0") == [[], [7], [7]]
    assert ("x", 1, 0) in batch.vocabulary.symbols


def test_edges_of_pyg():
    data = SimpleNamespace(
        num_nodes=3,
        edge_index=np.array([[0, 1, 2], [1, 2, 0]]),
        edge_attr=np.array([[0.5, 1], [1.5, 0], [2.5, 1]]),
    )
    graphs = from_pyg(data, bins={"edge_attr 0": [1, 2]})
    intervals = [("edge_attr 0", "in", text) for text in ("< 1", "[1, 2)", ">= 2")]
    assert [edge.type for edge in graphs[0].edges] == [
        (interval, ("edge_attr 1", flag)) for interval, flag in zip(intervals, (1, 0, 1), strict=True)
    ]
    assert from_pyg(data, bins=graphs) == graphs
    data.edge_type = np.array([4, 4, 5])
    typed = from_pyg(data, bins=2, ignore=["x"])
    assert from_pyg(data, bins=typed) == typed
    data.edge_attr = data.edge_attr[:, 0]
    alone = from_pyg(data, bins=2)
    assert {edge.type[1][:2] for edge in alone[0].edges} == {("edge_attr 0", "in")}
    with pytest.raises(gtm.GraphError, match="'edge_types' cannot name bins; 'edge_attr' has columns that are divided"):
        from_pyg(data, bins=2, edge_types=["a"])


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        (1, "number of bins of at least 2.* Got 1 instead"),
        (True, "Got True instead"),
        (2.5, "Got 2.5 instead"),
        ("4", "Got '4' instead"),
        ({"charge": []}, r"Got \[\] for 'charge' instead"),
        ({"charge": [2, 1]}, r"ascending cuts.* Got \[2, 1\] for 'charge'"),
        ({"charge": [1, float("nan")]}, "for 'charge' instead"),
        ({"charge": 1}, "Got 1 for 'charge' instead"),
        ({"charge": "low"}, "Got 'low' for 'charge' instead"),
        ({"chrage": 4}, "have names of attributes that are used: 'charge'.* Got 'chrage' instead"),
    ],
)
def test_what_bins_cannot_be(bins, message):
    nodes = frames([0.5, 1.5], [])[0]
    with pytest.raises(ValueError, match=f"'bins' parameter of from_pandas must .*{message}"):
        from_pandas(nodes, graph=None, bins=bins)
    with pytest.raises(ValueError, match="'bins' parameter of from_networkx must"):
        from_networkx(path([0.5, 1.5]), node_attributes=["charge"], bins=bins)


def test_what_cannot_be_divided():
    must = "Only numbers can be divided into bins; the node attribute 'charge' has"
    with pytest.raises(
        gtm.GraphError, match=rf"{must} 1 value that is not a number: 'C' \(node 1 of graph 0\). Remove it from bins"
    ):
        from_networkx(path([0.5, "C"]), node_attributes=["charge"], bins={"charge": 4})
    train = from_networkx(path([0.5, 1.5]), node_attributes=["charge"], bins=2)
    with pytest.raises(gtm.GraphError, match=rf"{must} 1 value .* 'C' \(row 0\). In the training batch it has numbers"):
        from_pandas(pd.DataFrame({"node": [0], "charge": ["C"]}), graph=None, bins=train)
    with pytest.raises(gtm.GraphError, match=rf"{must} text. Convert it to numbers first"):
        from_pandas(pd.DataFrame({"node": [0], "charge": ["0.5"]}), graph=None, bins=train)
    with pytest.raises(gtm.GraphError, match=rf"{must} other values. Remove it from bins"):
        from_networkx(path([[0.5], 0.5]), node_attributes=["charge"], bins={"charge": 4})
    with pytest.raises(gtm.GraphError, match="must be finite to be divided into bins; the node attribute 'charge'"):
        from_networkx(path([0.5, float("inf")]), node_attributes=["charge"], bins=2)
    with pytest.raises(gtm.GraphError, match=r"is 0.5. Divide floats into bins first"):
        from_networkx(path([0.5]), node_attributes=["charge"])
    with pytest.raises(gtm.GraphError, match=r"'charge' of the nodes has floats. Divide floats into bins first"):
        from_pandas(frames([0.5], [])[0], graph=None)


def test_a_number_must_be_there_unless_it_may_be_missing():
    graph = path([0.5, 1.5, None])
    with pytest.raises(gtm.GraphError, match=r"attribute 'charge'; node 2 of graph 0 has no attributes"):
        from_networkx(graph, node_attributes=["charge"], bins=2)
    assert reached(from_networkx(graph, node_attributes=["charge"], bins=2, missing="drop")) == [[], [1.5], []]


def test_missing_numbers_reach_nothing():
    batch = from_networkx(path([0.5, float("nan"), 1.5]), node_attributes=["charge"], bins=2, missing="drop")
    assert reached(batch) == [[], [], [1.5]]
    nodes = frames([0.5, float("nan"), 1.5], [])[0]
    assert reached(from_pandas(nodes, graph=None, bins=2)) == reached(batch)
    assert reached(from_pandas(nodes.astype({"charge": "Float64"}), graph=None, bins=2)) == reached(batch)
    edges = pd.DataFrame({"source": [0, 1], "destination": [1, 2], "length": [0.5, np.nan]})
    batch = from_pandas(nodes, edges, graph=None, symbols=[], ignore=["charge"], edge_type="length", bins=2)
    assert [edge.type for edge in batch[0].edges] == [("length", "in", ">= 0.5"), "plain"]


def test_an_attribute_whose_values_were_all_missing_in_training():
    """It has no cuts, so later values cannot be divided; without values there is nothing to divide."""
    nan = float("nan")
    message = (
        "^Floats must be divided into the bins of the training batch; it has no cuts for the node attribute 'charge', "
        "whose values were all missing or no floats there. Ignore the attribute, or convert whole numbers to integers. "
        "Of a pipeline, pass the whole: bins=pipeline.$"
    )
    nodes, edges = frames([0.5, 1.5], [])[0], pd.DataFrame({"source": [0], "destination": [1], "length": [nan]})
    gaps = nodes.assign(charge=nan)
    options = dict(graph=None, edge_type="length")
    for missing in ("drop", "symbol"):
        train = from_pandas(gaps, edges, bins=3, missing=missing, **options)
        assert from_pandas(gaps, edges, bins=train, missing=missing, **options) == train
        with pytest.raises(gtm.GraphError, match=message):
            from_pandas(nodes, edges, bins=train, missing=missing, **options)
        later = from_pandas(nodes, edges.assign(length=1.5), bins=train, ignore=["charge"], **options)
        assert later[0].properties(0) == ()
        assert later[0].edges[0].type == ("length", "in", "any")
    train = from_networkx(path([None, nan]), node_attributes=["charge"], bins=3, missing="drop")
    with pytest.raises(gtm.GraphError, match=message):
        from_networkx(path([0.5]), node_attributes=["charge"], bins=train)


MACHINE = dict(n_clauses=4, T=5, depth=1, epochs=1, random_state=0, engine="reference")
FITTED = {
    "estimator": gtm.GraphTMClassifier(**MACHINE),
    "encoder": Neighbourhoods(),
    "facts": WholeGraph(counts=[1, 2]),
    "recommended": make_pipeline(Neighbourhoods(), WholeGraph(), gtm.GraphTMClassifier(**MACHINE)),
    "facts first": make_pipeline(WholeGraph(), gtm.GraphTMClassifier(**MACHINE)),
    "estimator only": make_pipeline(gtm.GraphTMClassifier(**MACHINE)),
    "encoders only": make_pipeline(Neighbourhoods(hops=1), WholeGraph()),
}


@pytest.mark.parametrize("kind", FITTED)
def test_cuts_stay_with_what_is_fitted(kind, tmp_path):
    """With pipelines, encoders and estimators, also in files; for nodes and edges."""
    options = dict(node_attributes=["charge", "mass"], edge_type=["length", "bond"])
    train, later = [path([-1.0, 0.25, 2.5], [0.5, 1.5]), path([0.25, 3.0], [2.5])], [path([0.3, 1e9], [2.0])]
    for graph in train + later:
        nx.set_node_attributes(graph, 6, "mass")
        nx.set_edge_attributes(graph, "single", "bond")
    batch = from_networkx(train, bins=3, **options)
    model = clone(FITTED[kind]).fit(batch, [0, 1])
    expected = from_networkx(later, bins=batch, **options)
    assert ("charge", ">=", "0.25") in expected.vocabulary.symbols
    gtm.save(model, tmp_path / "m.gtm")
    for bins in (model, gtm.load(tmp_path / "m.gtm")):
        assert from_networkx(later, bins=bins, **options) == expected


@pytest.mark.parametrize("kind", FITTED)
def test_what_is_not_fitted_has_no_cuts(kind):
    with pytest.raises(ValueError, match=r"a fitted pipeline, encoder or estimator of graphtm, or None. Got "):
        from_networkx(path([0.5, 1.5]), node_attributes=["charge"], bins=clone(FITTED[kind]))


def test_the_last_step_of_a_pipeline_does_not_know_the_cuts():
    batch = from_networkx([path([0.5, 1.5])] * 2, node_attributes=["charge"], bins=2)
    pipeline = clone(FITTED["recommended"]).fit(batch, [0, 1])
    with pytest.raises(gtm.GraphError, match=r"no cuts for .* 'charge'.* Of a pipeline, pass the whole: bins=pipeline"):
        from_networkx(path([0.5, 1.5]), node_attributes=["charge"], bins=pipeline[-1])
