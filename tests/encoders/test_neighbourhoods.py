"""Looks of nodes and their parts: names, and equality with loops over nodes and edges."""

import logging
import pickle
import re
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_looks import NaiveLooks
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Neighbourhoods, Table, WholeGraph, look_parts, row_tables
from graphtm.errors import GraphError, UnknownNameWarning, UnknownSymbolError
from graphtm.testing import check_encoder

ALL = ("counts", "pairs", "degrees", "paths")
SYMBOLS = {
    "words": ["C", "N", "O"],
    "labels": [("label", 1), ("label", 2), ("label", "2")],
    "awkward": ["C", "C(-C)", "3", 3, True, "", "a,b", ("size", ">=", 3), ("size", 3), ("x", "y", "z"), ("x",), None],
    "cuts": ["C", *[("x", ">=", cut) for cut in (10, "2.5", "-1.5", "!")], ("y", ">=", 3), (1, ">=", 3)],
    "none": [],
}
EDGE_TYPES = {"plain": ["plain"], "bonds": ["single", "double"], "mixed": ["plain", "single", 0, ("near", 1), "a:b"]}
EDGE_TYPES["bins"] = [("w", "in", text) for text in ("< 0.5", "[0.5, 1)", ">= 1", "any")] + [("w", "is", "missing")]


def random_graphs(seed, n_graphs, symbols, edge_types, types, *, several=False, both_ways=False):
    """Return graphs as lists of ``(type, symbols)`` and ``(source, destination, type)``."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n_graphs):
        n = int(rng.integers(1, 7))
        nodes = []
        for _ in range(n):
            most = min(len(symbols), 3 if several else 1)
            chosen = rng.choice(len(symbols), int(rng.integers(0 if several else most, most + 1)), replace=False)
            kind = types[int(rng.integers(len(types)))] if types else None
            nodes.append((kind, [symbols[number] for number in chosen]))
        pairs = rng.integers(0, n, (int(rng.integers(0, 9)), 2)).tolist()
        edges = [(one, other, edge_types[int(rng.integers(len(edge_types)))]) for one, other in pairs]
        graphs.append((nodes, edges + [(other, one, kind) for one, other, kind in edges if both_ways]))
    return graphs


def batch(graphs, rng=None):
    """Return graphs as a batch; with ``rng``, nodes and edges are in random order."""
    made = []
    for nodes, edges in graphs:
        graph = gtm.Graph()
        order = range(len(nodes)) if rng is None else rng.permutation(len(nodes)).tolist()
        for node in order:
            graph.add_node(node, properties=nodes[node][1], type=nodes[node][0])
        for edge in range(len(edges)) if rng is None else rng.permutation(len(edges)).tolist():
            graph.add_edge(*edges[edge][:2], type=edges[edge][2])
        made.append(graph)
    return gtm.GraphBatch.from_graphs(made)


def added(graphs, original):
    """Return the symbols of each node that the original graphs do not have."""
    return [
        {node: set(graph.properties(node)) - set(old.properties(node)) for node in graph.nodes}
        for graph, old in zip(graphs, original, strict=True)
    ]


def naive(train, other, hops, parts, min_graphs):
    """Return the names that nodes of other graphs carry, learned from training graphs."""
    looks = NaiveLooks(train, hops)
    seen = [[looks.names(node, graph, parts) for node in range(len(graph[0]))] for graph in train]
    places = seen[0] if len(train) == 1 else [set().union(*names) for names in seen]
    known = {name for place in places for name in place if sum(name in one for one in places) >= min_graphs}
    return [{node: looks.names(node, graph, parts) & known for node in range(len(graph[0]))} for graph in other]


def names_in(graphs):
    """Return the symbols and edge types of graphs, with their kinds, as texts."""
    symbols = {("symbol", repr(symbol)) for nodes, _ in graphs for _, own in nodes for symbol in own}
    return symbols | {("edge type", repr(kind)) for _, edges in graphs for _, _, kind in edges}


cases = st.tuples(
    st.integers(0, 2**32),
    st.sampled_from(sorted(SYMBOLS)),
    st.sampled_from(sorted(EDGE_TYPES)),
    st.sampled_from([None, ["person", "film|a"]]),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=40)
@given(cases, st.integers(2, 6), st.integers(1, 3), st.integers(1, 3), st.sampled_from([(), ALL, ("pairs",)]))
def test_names_are_those_of_loops(case, n_graphs, hops, min_graphs, parts):
    seed, symbols, edge_types, types, several, both_ways = case
    arguments = (SYMBOLS[symbols], EDGE_TYPES[edge_types], types)
    train = random_graphs(seed, n_graphs, *arguments, several=several, both_ways=both_ways)
    other = random_graphs(seed + 1, 3, *arguments, several=several, both_ways=both_ways)
    encoder = Neighbourhoods(hops, parts, min_graphs)
    graphs = encoder.fit_transform(batch(train))
    graphs.validate()
    assert without_primes(added(graphs, batch(train))) == naive(train, train, hops, parts, min_graphs)
    if types is None or {kind for nodes, _ in other for kind, _ in nodes} <= {
        k for nodes, _ in train for k, _ in nodes
    }:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            later = encoder.transform(batch(other))
        n_unknown = len(names_in(other) - names_in(train))
        assert [str(one.message).partition(": ")[0] for one in caught] == [
            f"Names that are not in the training data are ignored by Neighbourhoods, {n_unknown} in all"
        ] * (n_unknown > 0)
        assert without_primes(added(later, batch(other))) == naive(train, other, hops, parts, min_graphs)


@settings(max_examples=20)
@given(cases, st.integers(1, 3))
def test_nodes_are_counted_in_a_single_graph(case, min_nodes):
    train = random_graphs(
        case[0], 1, SYMBOLS[case[1]], EDGE_TYPES[case[2]], case[3], several=case[4], both_ways=case[5]
    )
    parts = ("counts", "pairs", "degrees")
    graphs = Neighbourhoods(1, parts, min_nodes).fit_transform(batch(train))
    (one,), (other,) = without_primes(added(graphs, batch(train))), naive(train, train, 1, parts, min_nodes)
    own = NaiveLooks(train, 1)
    frequent = Counter(own.own(node, train[0]) for node in range(len(train[0][0])))
    for node, names in other.items():
        around = own.neighbours(node, train[0][1])
        if all(frequent[own.own(near, train[0])] >= min_nodes for near in [node, *(near for _, near in around)]):
            assert one[node] == names
        assert one[node] <= names


def without_primes(names):
    # The symbol "C(-C)" is also the name of a look.
    return [
        {node: {re.sub(r"^(C\(-C\))'$", r"\1", name) for name in own} for node, own in one.items()} for one in names
    ]


@settings(max_examples=20)
@given(cases, st.integers(0, 2**32))
def test_order_of_nodes_and_edges_does_not_matter(case, seed):
    graphs = random_graphs(case[0], 4, SYMBOLS[case[1]], EDGE_TYPES[case[2]], case[3], several=case[4])
    original, shuffled = batch(graphs), batch(graphs, np.random.default_rng(seed))
    encoder, again = Neighbourhoods(parts=ALL), Neighbourhoods(parts=ALL)
    one, other = encoder.fit_transform(original), again.fit_transform(shuffled.with_vocabulary(original.vocabulary))
    assert again.vocabulary_ == encoder.vocabulary_
    assert added(other, shuffled) == added(one, original)


def test_hops_and_directions_have_names():
    g = gtm.Graph()
    for name, symbol in (("a", "C"), ("b", "O"), ("c", "N"), ("d", "H"), ("e", "H"), ("f", "H")):
        g.add_node(name, properties=[symbol])
    g.add_edge("a", "b", type="double")
    g.add_edge("b", "a", type="double")
    g.add_edge("a", "c", type="near")
    for hydrogen in "def":
        g.add_edge(hydrogen, "a", type="plain")
    carried = Neighbourhoods(parts=ALL).fit_transform([g, g])[0]
    assert carried.properties("a")[:3] == (
        "C",
        "C(->near:N,<-H*3,=O)",
        "C(->near:N(<-near:C),<-H(->C)*3,=O(=C))",
    )
    assert set(carried.properties("a")[3:]) == {
        *("C: <-H>=1", "C: <-H>=2", "C: <-H>=3", "C: =O>=1", "C: ->near:N>=1"),
        *("C: <-H & =O", "C: ->near:N & <-H", "C: ->near:N & =O"),
        *("C: <-H of degree 1", "C: =O of degree 1", "C: ->near:N of degree 1"),
    }
    assert {"O=C<-H", "O=C->near:N"} <= set(carried.properties("b"))
    assert "O=C=O" not in carried.properties("b")


def test_graphs_without_symbols_are_known_by_degrees():
    graphs = gtm.GraphBatch.from_arrays([3, 3], edges=([0, 1, 1, 2, 3, 4, 4, 5], [1, 0, 2, 1, 4, 3, 5, 4]))
    carried = Neighbourhoods(hops=1, parts=False).fit_transform(graphs)[1]
    assert [carried.properties(node) for node in range(3)] == [
        ("deg1", "deg1(-deg2)"),
        ("deg2", "deg2(-deg1,-deg1)"),
        ("deg1", "deg1(-deg2)"),
    ]


def test_graphs_keep_everything_else():
    g = gtm.Graph()
    g.add_node("x", properties=["C"], type="atom")
    g.add_node("y", properties=["O", "big"], type="atom")
    g.add_edge("x", "y", type="single")
    g.set_readout(["y"])
    made = Neighbourhoods().fit_transform([g, g])[0]
    assert (made.nodes, made.edges, made.readout, made.node_type("x")) == (g.nodes, g.edges, g.readout, "atom")
    assert made.properties("y")[:2] == ("O", "big")
    assert "atom|{O,big}(<-atom|C)" in made.properties("y")


def test_unknown_looks_are_left_out_and_counted(caplog):
    train = gtm.from_smiles(["CCO", "CCO"], hydrogens=False, rings=False)
    encoder = Neighbourhoods().fit(train)
    later = gtm.from_smiles(["CCO", "CC=O", "CCN", "C"], hydrogens=False, rings=False)
    with caplog.at_level(logging.INFO, "graphtm"), pytest.warns(UnknownNameWarning) as caught:
        graphs = encoder.transform(later)
    assert [str(one.message) for one in caught] == [
        "Names that are not in the training data are ignored by Neighbourhoods, 2 in all: ('element', 'N'), 'double'."
    ]
    assert caught[0].filename == __file__
    with pytest.warns(UnknownNameWarning) as caught:
        make_pipeline(encoder).transform(later)
    assert caught[0].filename == __file__, "not in scikit-learn"
    assert "5 up to 1 hops, 6 up to 2 hops" in caplog.text
    assert encoder.unknown_looks(later).tolist() == [[0, 0, 0], [0, 2, 3], [1, 2, 3], [0, 1, 0]]
    assert graphs.vocabulary == encoder.vocabulary_
    assert graphs[2].properties(2) == ()
    assert graphs[1].edges == graphs[0].edges[:2], "double bonds are unknown"
    assert "C: -C>=1" in graphs[2].properties(1)
    caplog.clear()
    with caplog.at_level(logging.INFO, "graphtm"):
        encoder.transform(train)
    assert not caplog.text


def test_new_arrangements_of_known_names_do_not_warn():
    train = gtm.from_smiles(["CCO", "CCO", "CCN"], hydrogens=False, rings=False)
    encoder = Neighbourhoods().fit(train[:2])
    later = gtm.from_smiles(["CCCCO", "OCO"], hydrogens=False, rings=False)
    assert encoder.unknown_looks(later)[:, 1:].all(), "looks that no training graph had"
    encoder.transform(later)
    encoder.transform(train)  # the batch, and so its training part, has a number for N
    many = gtm.from_smiles(["CCO", "FCCl"], hydrogens=False, rings=False)
    with pytest.warns(UnknownNameWarning, match=r"2 in all: \('element', 'Cl'\), \('element', 'F'\)"):
        encoder.transform(many)
    encoder.transform(many[:1])  # the other graph has the unknown names


def test_pipelines_warn_once_of_unknown_names():
    train = [chain("AAB"), chain("ABZ"), chain("AZB"), chain("ZAB")] * 3
    y = [0, 1, 1, 0] * 3
    classifier = gtm.GraphTMClassifier(n_clauses=4, T=8, s=3.0, depth=1, epochs=1, random_state=0)
    for steps in ([Neighbourhoods()], [WholeGraph()], [Neighbourhoods(), WholeGraph()], [Neighbourhoods()] * 2):
        pipeline = make_pipeline(*map(clone, steps), classifier).fit(train, y)
        pipeline.predict(train)
        with pytest.warns(UnknownNameWarning, match="2 in all: 'XX', 'YY'") as caught:
            pipeline.predict([chain(["XX", "YY"]), chain(["YY", "A"])])
        assert len(caught) == 1
        with pytest.warns(UnknownNameWarning, match="by (Neighbourhoods|WholeGraph), 9 in all.* 'e', ... [(]4 more[)]"):
            pipeline.predict([chain("abcdefghi")])


def chain(symbols):
    graph = gtm.Graph()
    for node, symbol in enumerate(symbols):
        graph.add_node(node, properties=[symbol])
        if node:
            graph.add_edge(node - 1, node)
    return graph


def test_unknown_node_types_are_refused():
    known, new = gtm.Graph(), gtm.Graph()
    known.add_node(0, properties=["C"], type="atom")
    new.add_node(0, properties=["C"], type="ion")
    encoder = Neighbourhoods().fit([known, known])
    with pytest.raises(UnknownSymbolError, match="Unknown node type 'ion': not in the vocabulary"):
        encoder.transform([new])
    assert encoder.unknown_looks([new]).tolist() == [[1, 1, 0]]
    whole = WholeGraph().fit([known, known])
    assert whole.transform([new]) == whole.transform([known]), "it does not use node types"
    with pytest.raises(UnknownSymbolError, match="node type"):
        Neighbourhoods().fit(gtm.from_smiles(["CC"])).transform([new])


def test_a_rare_look_is_not_named():
    graphs = gtm.from_smiles(["CCO", "CCO", "CCN"], hydrogens=False, rings=False)
    for min_graphs, n in ((1, 3), (2, 2), (3, 1)):
        names = Neighbourhoods(hops=1, parts=False, min_graphs=min_graphs).fit(graphs).vocabulary_.symbols
        assert len([name for name in names if name in ("C(-C)", "O(-C)", "N(-C)")]) == n
    chain = gtm.GraphBatch.from_arrays([6], edges=([0, 1, 2, 3, 4], [1, 2, 3, 4, 5]))
    names = list(Neighbourhoods(hops=1, parts=False).fit(chain).vocabulary_.symbols)
    assert names == ["deg1", "deg2", "deg2(->deg2,<-deg2)"], "in a single graph, nodes are counted"


def test_a_symbol_that_is_a_name_is_not_confused_with_it():
    g = gtm.Graph()
    g.add_node(0, properties=["C"])
    g.add_node(1, properties=["C(-C)"])
    g.add_node(2, properties=["C"])
    for one, other in ((0, 2), (2, 0), (1, 2)):
        g.add_edge(one, other)
    made = Neighbourhoods(hops=1, parts=False).fit_transform([g, g])[0]
    assert made.properties(0) == ("C", "C(-C)'")
    assert made.properties(1) == ("C(-C)", r"C\(\-C\)(->C)")


def test_equal_hashes_are_told_apart(monkeypatch):
    """If the hashes of the first seed are all equal, others are used, and nothing else changes."""
    graphs = batch(random_graphs(0, 30, ["C", "N"], ["plain"], None, both_ways=True))
    expected = Neighbourhoods()
    expected_graphs = expected.fit_transform(graphs)
    hashes = row_tables.row_hashes
    monkeypatch.setattr(row_tables, "row_hashes", lambda rows, seed: hashes(rows, seed) * np.uint64(seed > 0))
    encoder = Neighbourhoods().fit(graphs)
    assert encoder._plan.own.seed == 1
    assert encoder.vocabulary_ == expected.vocabulary_
    assert encoder.transform(graphs) == expected_graphs


def test_keys_are_made_in_blocks_and_counted_or_sorted(monkeypatch):
    graphs = batch(random_graphs(1, 30, ["C", "N"], ["a", "b"], None))
    expected = Neighbourhoods(parts=ALL).fit(graphs)
    monkeypatch.setattr(look_parts, "_BLOCK", 7)
    assert Neighbourhoods(parts=ALL).fit_transform(graphs) == expected.transform(graphs)
    monkeypatch.undo()
    assert Neighbourhoods(parts=ALL).fit_transform(graphs) == expected.transform(graphs)
    monkeypatch.setattr(look_parts, "_MARKS", 0)
    assert Neighbourhoods(parts=ALL).fit(graphs).vocabulary_ == expected.vocabulary_
    keys, places = np.array([2**62, 5, 2**62, 5, 5]), np.array([3, 1, 4, 1, 1])
    assert look_parts._frequent(keys, places, 2).tolist() == [2**62]
    assert look_parts._frequent(keys, places, 1).tolist() == [5, 2**62]


@pytest.mark.parametrize("encoder", [Neighbourhoods(), Neighbourhoods(1, ["paths"], 1)])
def test_it_is_an_encoder(encoder):
    graphs = batch(random_graphs(2, 6, ["C", "N"], ["single", "double"], None))
    check_encoder(encoder, graphs, bad=[graphs[:0], [graphs[0], "graph"]])
    check_encoder(encoder, list(graphs))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"hops": 0}, "The 'hops' parameter of Neighbourhoods must be an int in the range [1, 10]. Got 0 instead."),
        (
            {"parts": ["pair"]},
            "The 'parts' parameter of Neighbourhoods must be a bool or a list of different names among",
        ),
        ({"parts": ["pairs", "pairs"]}, "The 'parts' parameter"),
        ({"min_graphs": 0}, "The 'min_graphs' parameter"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Neighbourhoods(**parameters).fit(gtm.from_smiles(["C"]))


def test_no_graphs():
    with pytest.raises(GraphError, match="at least one graph"):
        Neighbourhoods().fit([])


def test_pipelines():
    graphs = gtm.from_smiles(["CCO", "CCCO", "CCCCO", "CC=O", "CCC=O", "CCCC=O"] * 4, hydrogens=False, rings=False)
    y = np.array([0, 0, 0, 1, 1, 1] * 4)
    classifier = gtm.GraphTMClassifier(n_clauses=20, T=40, s=3.0, depth=1, epochs=10, random_state=0)
    for steps in (
        [Neighbourhoods()],
        [Neighbourhoods(), WholeGraph()],
        [Neighbourhoods(hops=1), Neighbourhoods(hops=1)],
    ):
        pipeline = make_pipeline(*steps, classifier)
        assert cross_val_score(clone(pipeline), graphs, y, cv=3).mean() == 1
        fitted = pickle.loads(pickle.dumps(pipeline.fit(graphs, y)))
        assert (fitted.predict(list(graphs)) == y).all()
    rows = make_pipeline(Table(layout="node_per_column"), Neighbourhoods(), classifier)
    assert rows.fit([[0, 1], [1, 0]] * 6, [0, 1] * 6).predict([[0, 1]]).tolist() == [0]


def test_graphs_with_looks_are_saved(tmp_path):
    graphs = Neighbourhoods(parts=ALL).fit_transform(batch(random_graphs(3, 8, SYMBOLS["awkward"], ["a"], None)))
    graphs.save(tmp_path / "looks.gtmg")
    assert gtm.load_graphs(tmp_path / "looks.gtmg") == graphs


@pytest.mark.slow
def test_a_million_nodes():
    """Loops would take minutes; the bound of ten seconds is measured by benchmarks/encoder_speed.py."""
    rng = np.random.default_rng(0)
    graph = rng.integers(0, 10_000, 2_500_000)
    ends = graph * 100 + rng.integers(0, 100, (2, len(graph)))
    graphs = gtm.GraphBatch.from_arrays(
        np.full(10_000, 100),
        (np.arange(1_000_000), rng.integers(0, 5, 1_000_000)),
        list("abcde"),
        (np.concatenate(ends), np.concatenate(ends[::-1])),
    )
    encoder = Neighbourhoods()
    made = encoder.fit_transform(graphs)
    assert made[:20] == encoder.transform(graphs[:20])
