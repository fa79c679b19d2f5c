"""Graphs as single nodes that carry what the graph contains."""

import re
import warnings
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.codes.choice import ONE_HOT_LIMIT
from graphtm.encoders import KMers, Neighbourhoods, Tokens, WholeGraph
from graphtm.errors import GraphError, UnknownSymbolError
from graphtm.testing import check_encoder

symbol_sets = st.sets(st.sampled_from(["A", "B", ("label", 1), 1, True]), max_size=3)
graph_lists = st.lists(st.lists(symbol_sets, min_size=1, max_size=9), min_size=1, max_size=5)


def batch(graphs):
    made = []
    for nodes in graphs:
        graph = gtm.Graph()
        for number, symbols in enumerate(nodes):
            graph.add_node(f"n{number}", properties=symbols)
        made.append(graph)
    return gtm.GraphBatch.from_graphs(made)


def naive_facts(nodes, counts):
    """Return the facts of one graph, as texts, since 1 and True are equal."""
    total = Counter(repr(symbol) for symbols in nodes for symbol in symbols)
    return {f"({symbol}, '>=', {count})" for symbol in total for count in counts if total[symbol] >= count}


@settings(max_examples=50)
@given(graph_lists, graph_lists, st.sets(st.integers(1, 9), min_size=1), st.integers(1, 3))
def test_facts_are_those_of_loops(train, other, counts, min_graphs):
    encoder = WholeGraph(tuple(counts), min_graphs)
    graphs = encoder.fit_transform(batch(train))
    graphs.validate()
    facts = [naive_facts(nodes, counts) for nodes in train]
    known = {fact for own in facts for fact in own if sum(fact in one for one in facts) >= min_graphs}
    assert set(map(repr, encoder.vocabulary_.symbols)) == known
    symbols = {repr(symbol) for own in chain.from_iterable(train) for symbol in own}
    carried = [Counter(map(repr, chain.from_iterable(nodes))) for nodes in other]
    unknown = [{symbol: n for symbol, n in counts.items() if symbol not in symbols} for counts in carried]
    assert encoder.unknown_symbols(batch(other)).tolist() == [sum(counts.values()) for counts in unknown]
    assert not encoder.unknown_symbols(batch(train)).any()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        later = encoder.transform(batch(other))
    assert [str(one.message).partition(": ")[0] for one in caught] == [
        f"Names that are not in the training data are ignored by WholeGraph, {len(set().union(*unknown))} in all"
    ] * any(unknown)
    for nodes, made in zip([*train, *other], [*graphs, *later], strict=True):
        assert (made.n_nodes, made.n_edges) == (1, 0)
        assert set(map(repr, made.properties(0))) == naive_facts(nodes, counts) & known


@settings(max_examples=30)
@given(graph_lists, st.integers(1, 3))
def test_located_nodes_make_facts_true(train, count):
    graphs = batch(train)
    encoder = WholeGraph((count,), 1).fit(graphs)
    for i, nodes in enumerate(train):
        for fact in encoder.vocabulary_.symbols:
            expected = [f"n{n}" for n, own in enumerate(nodes) if repr(fact[0]) in map(repr, own)]
            assert encoder.locate(graphs, i, fact) == (expected if len(expected) >= count else [])
            assert encoder.locate(list(graphs), i, fact) == encoder.locate(graphs, i, fact)


@settings(max_examples=50)
@given(st.data(), graph_lists, st.integers(1, 3))
def test_facts_of_readout_nodes_are_those_of_loops(data, train, min_graphs):
    answering = [sorted(data.draw(st.sets(st.integers(0, len(nodes) - 1), min_size=1))) for nodes in train]
    graphs = batch(train).with_readout([[f"n{n}" for n in own] for own in answering])
    encoder = WholeGraph((1,), min_graphs)
    made = encoder.fit_transform(graphs)
    at_readout = [
        {repr(symbol) for n in own for symbol in nodes[n]} for nodes, own in zip(train, answering, strict=True)
    ]
    some = any(len(own) < len(nodes) for nodes, own in zip(train, answering, strict=True))
    known = {
        one for own in at_readout for one in own if some and sum(one in other for other in at_readout) >= min_graphs
    }
    facts = {repr(fact[1]): fact for fact in encoder.vocabulary_.symbols if len(fact) == 2}
    assert all(fact[0] == "readout" for fact in facts.values())
    assert set(facts) == known
    for i, own in enumerate(at_readout):
        assert {repr(fact[1]) for fact in made[i].properties(0) if len(fact) == 2} == own & known
        for text, fact in facts.items():
            expected = [f"n{n}" for n in answering[i] if text in map(repr, train[i][n])]
            assert encoder.locate(graphs, i, fact) == expected
    everywhere = encoder.transform(batch(train))  # every node is a readout node
    for i, nodes in enumerate(train):
        found = {repr(fact[1]) for fact in everywhere[i].properties(0) if len(fact) == 2}
        assert found == {repr(symbol) for symbols in nodes for symbol in symbols} & known


def test_facts_of_readout_nodes_print_well():
    g = gtm.Graph()
    g.add_node("a", properties=["red"])
    g.add_node("b", properties=[("size", 2)])
    encoder = WholeGraph((1,), 1).fit(gtm.GraphBatch.from_graphs([g]).with_readout([["b"]]))
    assert list(encoder.get_feature_names_out()) == ["red>=1", "(size=2)>=1", "readout=(size=2)"]


def test_looks_are_located_at_the_nodes_of_the_original_graph():
    graphs = gtm.from_smiles(["CCO", "OCCO", "CCN"], hydrogens=False, rings=False)
    looks = Neighbourhoods().fit(graphs)
    whole = WholeGraph().fit(looks.transform(graphs))
    assert whole.locate(looks.transform(graphs), 1, ("O(-C)", ">=", 1)) == [0, 3]
    assert ("O(-C)", ">=", 2) not in whole.vocabulary_.symbols, "one graph has two"
    with pytest.raises(UnknownSymbolError, match=re.escape("('O(-C)', '>=', 2)")):
        whole.locate(looks.transform(graphs), 1, ("O(-C)", ">=", 2))
    assert whole.locate(graphs, 1, ("O(-C)", ">=", 1)) == [], "these graphs do not carry looks"


def test_lazy_graphs_are_read_in_chunks(monkeypatch):
    sequences = ["ACGT" * n for n in range(1, 30)]
    graphs = KMers(k=2).fit_transform(sequences)
    expected = WholeGraph().fit_transform(graphs)
    whole, chunks = type(graphs).chunks, []

    def small_chunks(self):
        chunks.append(self)
        return whole(self, 50)

    monkeypatch.setattr(type(graphs), "chunks", small_chunks)
    made = WholeGraph().fit_transform(graphs)
    monkeypatch.undo()
    assert chunks
    assert made == expected
    assert "AC>=2" in str(made[1])
    assert "AC>=3" not in str(made[1])


def test_texts_become_one_set_of_facts():
    texts = ["not good at all", "good", "very good", "not so good", "bad", "not bad", "not very bad", "so bad"] * 5
    y = np.array([0, 1, 1, 0, 0, 1, 1, 0] * 5)
    machine = gtm.GraphTMClassifier(n_clauses=20, T=40, s=3.0, depth=1, epochs=20, random_state=0)
    pipeline = make_pipeline(Tokens(ngrams=2), WholeGraph(), machine).fit(texts, y)
    assert pipeline.score(texts, y) == 1
    assert (("not", "good"), ">=", 1) in pipeline[1].vocabulary_.symbols


def test_unknown_words_and_rare_facts_do_not_warn():
    """Encoders of raw data leave out new words and k-mers themselves, as is usual with texts."""
    for encoder, known, new in (
        (Tokens(ngrams=2), ["so good", "not so bad"], ["a truly awful film", "so awful"]),
        (KMers(k=2), ["ACAC", "AACC"], ["GGTT", "ACGT"]),
    ):
        whole = WholeGraph().fit(encoder.fit_transform(known))
        assert not whole.unknown_symbols(encoder.transform(new)).any()
        whole.transform(encoder.transform(new))
    graphs = batch([[{"A"}], [{"A"}], [{"B"}]])
    encoder = WholeGraph().fit(graphs[:2])
    encoder.transform(graphs)  # the batch has a number for B
    encoder = WholeGraph().fit(list(graphs))
    assert list(encoder.vocabulary_.symbols) == [("A", ">=", 1)]
    encoder.transform(list(graphs))  # B is too rare for a fact, but known


def test_facts_are_coded_one_hot_at_any_number():
    rng = np.random.default_rng(0)
    n_symbols = ONE_HOT_LIMIT + 100
    graphs = gtm.GraphBatch.from_arrays([8] * 30, rng.random((240, n_symbols)) < 0.3)
    y = np.arange(30) % 2
    facts = WholeGraph(counts=(1, 2)).fit_transform(graphs)
    machine = gtm.GraphTMClassifier(n_clauses=4, depth=1, epochs=1, random_state=0, engine="reference")
    assert machine.fit(facts, y).model_.symbol_code.scheme == "one_hot"
    with pytest.warns(UserWarning, match="collisions|hypervector"):
        assert machine.fit(graphs, y).model_.symbol_code.scheme == "random", (
            "graphs of several nodes are hashed as before"
        )


def test_it_is_an_encoder():
    graphs = batch([[{"A"}, {"A", "B"}], [{"A"}], [{"B"}, {"B"}, {"A"}]])
    check_encoder(WholeGraph(), graphs, bad=[graphs[:0], [graphs[0], "graph"]])
    check_encoder(WholeGraph([3, 1], 1), list(graphs))


@pytest.mark.parametrize("counts", [(), (0,), (1, 1), (1.5,), 3, "12", (True,)])
def test_wrong_counts(counts):
    message = (
        f"The 'counts' parameter of WholeGraph must be a list of different ints of at least 1. Got {counts!r} instead."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        WholeGraph(counts).fit(batch([[{"A"}]]))


def test_no_graphs():
    with pytest.raises(GraphError, match="at least one graph"):
        WholeGraph().fit([])
