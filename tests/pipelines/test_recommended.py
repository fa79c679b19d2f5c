"""The recommended pipeline: which representation for which data, and how well it does without any parameter."""

import re

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import graphtm as gtm
from graphtm.pipelines.recommended import is_multilabel, least_graphs


def names(pipeline):
    return [name for name, _ in pipeline.steps]


def rings(n, size, properties, symbols):
    nodes = np.arange(n * size)
    edges = nodes, nodes // size * size + (nodes + 1) % size, np.zeros(n * size, int)
    return gtm.GraphBatch.from_arrays([size] * n, properties, symbols, edges=edges, edge_types=["to"])


def test_graphs_become_sets_of_facts():
    graphs, y = gtm.datasets.sequences(300, random_state=0)
    pipeline = gtm.make_classifier(graphs, random_state=3, n_clauses=50)
    assert names(pipeline) == ["neighbourhoods", "wholegraph", "graphtmclassifier"]
    assert pipeline[-1].get_params()["random_state"] == 3
    assert pipeline[-1].n_clauses == 50
    assert pipeline[-1].depth == 1
    assert (pipeline[0].min_graphs, pipeline[1].min_graphs) == (5, 5)
    assert names(gtm.make_classifier(list(graphs[:9]))) == names(pipeline)
    assert cross_val_score(clone(pipeline), graphs, y, cv=3).mean() > 0.95


def test_nodes_without_symbols_have_looks():
    graphs = rings(20, 4, np.zeros((80, 0), bool), [])
    assert names(gtm.make_classifier(graphs))[0] == "neighbourhoods"


def test_nodes_with_many_combinations_of_symbols_are_used_as_they_are():
    has = np.random.default_rng(0).random((800, 6)) < 0.4
    graphs = rings(200, 4, has, list("ABCDEF"))
    pipeline = gtm.make_classifier(graphs)
    assert names(pipeline) == ["graphtmclassifier"]
    assert (pipeline[-1].depth, pipeline[-1].n_clauses) == (2, 300)
    assert gtm.make_classifier(graphs, n_clauses=20, depth=3)[-1].get_params()["depth"] == 3
    one_each = np.eye(6, dtype=bool)[np.random.default_rng(0).integers(6, size=800)]
    assert len(gtm.make_classifier(rings(200, 4, one_each, list("ABCDEF")))) == 3
    rarely = np.where(np.arange(800)[:, None] % 20 == 0, has, one_each)
    assert len(gtm.make_classifier(rings(200, 4, rarely, list("ABCDEF")))) == 3, "rare combinations count little"
    no_edges = gtm.GraphBatch.from_arrays([4] * 200, has, list("ABCDEF"))
    assert len(gtm.make_classifier(no_edges)) == 3, "there are no messages without edges"


def test_single_nodes_need_no_encoder():
    graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], ["a", "b"])
    pipeline = gtm.make_classifier(graphs)
    assert names(pipeline) == ["graphtmclassifier"]
    assert pipeline[-1].depth == 1


@pytest.mark.parametrize("texts", [["good film", "bad film"] * 30, np.array(["good film", "bad film"] * 30)])
def test_texts(texts):
    pipeline = gtm.make_classifier(texts, n_clauses=20, random_state=0)
    assert names(pipeline) == ["tokens", "wholegraph", "graphtmclassifier"]
    assert pipeline.fit(texts, ["+", "-"] * 30).predict(["a good play"]) == ["+"]


def test_tables():
    table = np.random.default_rng(0).random((60, 3))
    y = table[:, 1] > 0.5
    pipeline = gtm.make_classifier(table, n_clauses=20, random_state=0)
    assert names(pipeline) == ["table", "graphtmclassifier"]
    assert pipeline.fit(table, y).score(table, y) > 0.9
    assert names(gtm.make_classifier(table.tolist())) == names(gtm.make_classifier(list(table))) == names(pipeline)
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    assert names(gtm.make_classifier(pandas.DataFrame(table, columns=list("abc")))) == names(pipeline)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (None, False),
        (["a", "b"], False),
        (np.array([0, 1]), False),
        (np.array([[0], [1]]), False),
        ([{"a"}, {"a", "b"}], True),
        ([["a"], []], True),
        (np.array([[0, 1], [1, 1]]), True),
        (sparse.csr_array([[0, 1], [1, 1]]), True),
    ],
)
def test_several_labels(y, expected):
    assert is_multilabel(y) == expected
    last = names(gtm.make_classifier(["a", "b"], y))[-1]
    assert last == ("graphtmmultilabelclassifier" if expected else "graphtmclassifier")


def test_the_limit_of_literals_follows_the_misses():
    limits = [gtm.make_classifier(["a"], max_misses=n)[-1].max_included_literals for n in (0, 2, 9)]
    assert limits == [8, 8, 36]
    assert gtm.make_classifier(["a"], max_misses=9, max_included_literals=None)[-1].max_included_literals is None


def test_lazy_graphs_are_counted_in_part(monkeypatch):
    monkeypatch.setattr("graphtm.pipelines.recommended.ENOUGH_NODES", 10)
    images = np.random.default_rng(0).random((5, 6, 6))
    graphs = gtm.encoders.ImagePatches(patch_size=(3, 3)).fit_transform(images)
    monkeypatch.setattr(gtm.GraphBatch, "pack", None)  # chunks are made, not the whole batch
    assert len(gtm.make_classifier(graphs)) >= 1


def test_few_graphs_keep_rare_facts():
    assert [least_graphs(n) for n in (1, 99, 150, 250, 10**6)] == [2, 2, 3, 5, 5]


def test_nodes_of_one_graph_are_classified():
    rng = np.random.default_rng(0)
    has_phone = rng.random(300) < 0.3
    ends = rng.integers(0, 300, (2, 450))
    graph = gtm.GraphBatch.from_arrays(
        [300], has_phone[:, None], ["phone"], edges=(*ends, np.zeros(450, int)), edge_types=["tells"]
    )
    y = np.isin(np.arange(300), ends[1][has_phone[ends[0]]])
    examples = graph.node_examples(depth=2)
    pipeline = gtm.make_classifier(examples, n_clauses=100, random_state=0).fit(examples[:200], y[:200])
    assert pipeline.score(examples[200:], y[200:]) > 0.95


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([], gtm.GraphError, "At least one sample is needed to recommend a pipeline; got none."),
        (np.zeros((0, 3)), gtm.GraphError, "got none"),
        (5, TypeError, "got an 'int'. For other data, put an encoder of graphtm.encoders first."),
        ("text", TypeError, "got a 'str'"),
        ([{"a": 1}], TypeError, "got a 'list' of 'dict'"),
        (sparse.csr_array((3, 3)), TypeError, "Write X.toarray()"),
        ([nx.path_graph(2)], TypeError, "The data are networkx graphs: convert them by graphtm.from_networkx first."),
        (np.zeros((2, 3, 4)), TypeError, "a 'ndarray' of shape (2, 3, 4)"),
    ],
)
def test_errors(data, error, message):
    with pytest.raises(error, match=re.escape(message)):
        gtm.make_classifier(data)


@pytest.mark.parametrize("y", [np.array([1.0, 0.5]), [1, 0.5], [[1.0, 0.5], [0.5, 2.0]], np.array([[1.0, 0.5]] * 2)])
def test_numbers_are_no_labels(y):
    with pytest.raises(ValueError, match=r"Unknown label type: 0.5\. .*To predict numbers, use GraphTMRegressor"):
        gtm.make_classifier(["a", "b"], y)


@pytest.mark.parametrize("y", [[1.0, 2.0], [{0.5}, {1, 2}], [["a"], ["a", "b"]], ["a", None], None, [np.nan, 1]])
def test_other_labels_are_left_to_fit(y):
    gtm.make_classifier(["a", "b"], y)


def test_a_typo_is_noticed():
    with pytest.raises(TypeError, match=r"has no parameter 'n_clause'\. Did you mean 'n_clauses'\?"):
        gtm.make_classifier(["a", "b"], n_clause=10)
