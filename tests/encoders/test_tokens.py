"""Texts to graphs: compared with graphs built word by word."""

import json
import lzma
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import shared_data
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import KMers, Tokens
from graphtm.encoders.words import WordReader
from graphtm.testing.encoders import check_encoder

texts_of_words = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9), min_size=1, max_size=6).filter(any)


def naive(words, known, position, edges, window, ngrams=()):
    """Build the graph of a text of known words node by node."""
    graph = gtm.Graph()
    for place, word in enumerate(words):
        symbols = [word if word in known else ("unknown",)]
        symbols += [tuple(words[place : place + len(n)]) for n in ngrams if tuple(words[place : place + len(n)]) == n]
        graph.add_node(place, [*symbols, ("position", place)] if position else symbols)
    if not words:
        graph.add_node(0)
    for here in range(len(words)):
        for there in range(len(words)):
            step = there - here
            if step and edges == "window" and abs(step) <= window:
                graph.add_edge(here, there, ("distance", step))
            if abs(step) == 1 and edges == "neighbours":
                graph.add_edge(here, there, "right" if step == 1 else "left")
    return graph


def same(made, expected):
    """Compare graphs; properties and edges are sets."""
    assert made.nodes == expected.nodes
    for node in made.nodes:
        assert set(made.properties(node)) == set(expected.properties(node))
    assert sorted(made.edges, key=repr) == sorted(expected.edges, key=repr)


@given(
    texts_of_words,
    st.booleans(),
    st.sampled_from(["window", "neighbours", None]),
    st.integers(1, 4),
    st.sampled_from([None, 3]),
    st.sampled_from(["drop", "symbol"]),
)
def test_graphs_are_those_built_word_by_word(texts, position, edges, window, size, unknown):
    encoder = Tokens(position=position, edges=edges, window=window, vocabulary_size=size, unknown=unknown)
    graphs = encoder.fit_transform(texts)
    graphs.validate()
    assert graphs.is_lazy
    assert graphs == encoder.transform(texts)
    known = [name for name in encoder.vocabulary_.symbols if isinstance(name, str)]
    for made, words in zip(graphs, texts, strict=True):
        kept = words if unknown == "symbol" else [word for word in words if word in known]
        same(made, naive(kept, known, position, edges, window))


@given(texts_of_words, st.integers(2, 4), st.sampled_from([None, 2]), st.integers(1, 2))
def test_ngrams_start_at_their_first_word(texts, n, size, min_count):
    if sum(text.count(word) for text in texts for word in "abcdefg") < 2:
        return
    encoder = Tokens(position=False, edges=None, ngrams=n, vocabulary_size=size, min_count=min_count, unknown="symbol")
    try:
        graphs = encoder.fit_transform(texts)
    except gtm.GraphError:
        return  # no word occurs twice
    names = list(encoder.vocabulary_.symbols)
    words, ngrams = [s for s in names if isinstance(s, str)], [s for s in names if isinstance(s, tuple) and len(s) > 1]
    for made, text in zip(graphs, texts, strict=True):
        same(made, naive(text, words, False, None, 1, ngrams))
    marked = [[word if word in words else None for word in text] for text in texts]
    for length in range(2, n + 1):
        runs = [tuple(text[i : i + length]) for text in marked for i in range(len(text) - length + 1)]
        counts = {run: runs.count(run) for run in set(runs) if None not in run and runs.count(run) >= min_count}
        best = sorted(counts, key=lambda run: (-counts[run], [words.index(word) for word in run]))[:size]
        assert [name for name in ngrams if len(name) == length] == best


@given(texts_of_words)
def test_words_come_back(texts):
    encoder = Tokens(ngrams=2).fit(texts)
    assert encoder.inverse_transform(encoder.transform(texts)) == texts
    joined = [" ".join(text) for text in texts]
    assert Tokens(ngrams=2).fit_transform(joined) == encoder.transform(texts)


def test_words_by_frequency_then_alphabet():
    encoder = Tokens(position=False).fit(["c b a b", "a d", "e c"])
    assert list(encoder.get_feature_names_out()) == ["a", "b", "c", "d", "e"]
    assert encoder.counts_.tolist() == [2, 2, 2, 1, 1]
    assert list(Tokens(min_count=2, position=False).fit(["c b a b", "a d"]).vocabulary_.symbols) == ["a", "b"]
    assert list(Tokens(vocabulary_size=1, position=False).fit(["c b a b", "a d"]).vocabulary_.symbols) == ["a"]


def test_an_edge_leads_as_far_as_it_says():
    graph = Tokens(window=2, position=False).fit_transform(["one two three"])[0]
    assert (0, 2, ("distance", 2)) in graph.edges
    assert (2, 0, ("distance", -2)) in graph.edges
    assert list(Tokens(window=2).fit(["a"]).vocabulary_.edge_types) == [("distance", step) for step in (-2, -1, 1, 2)]


def test_a_window_without_limit_joins_all_words_as_far_as_training_texts_reach():
    encoder = Tokens(window=None, position=False).fit(["a b c", "a"])
    assert len(encoder.vocabulary_.edge_types) == 4
    assert encoder.transform(["a b c"]).pack().n_edges == 6
    assert encoder.transform(["a b c a"]).pack().n_edges == 10


def test_positions():
    encoder = Tokens(edges=None).fit(["a b", "a"])
    assert list(encoder.vocabulary_.symbols) == ["a", "b", ("position", 0), ("position", 1)]
    later = encoder.transform(["a a b"])[0]
    assert [set(later.properties(node)) for node in later.nodes] == [
        {"a", ("position", 0)},
        {"a", ("position", 1)},
        {"b"},
    ]
    parts = Tokens(edges=None, position=2).fit_transform(["a b c", "a"])
    assert [parts[0].properties(node)[-1] for node in range(3)] == [("position", 0), ("position", 0), ("position", 1)]
    assert parts[1].properties(0)[-1] == ("position", 0)


def test_texts_are_cut_folded_and_split_as_asked():
    assert list(Tokens(position=False).fit(["Don't STOP, now"]).vocabulary_.symbols) == ["don't", "now", "stop"]
    assert "STOP" in Tokens(lowercase=False).fit(["Don't STOP"]).vocabulary_.symbols
    assert list(Tokens(pattern="(l)(o)", position=False).fit(["lo love"]).vocabulary_.symbols) == ["lo"]
    assert Tokens(max_length=2).fit(["a b c"]).transform(["c a b c"]).n_nodes == 1
    assert list(Tokens(position=False).fit([["Mixed Case", "x"]]).vocabulary_.symbols) == ["Mixed Case", "x"]
    assert list(Tokens(position=False).fit([np.array(["u", "v"])]).vocabulary_.symbols) == ["u", "v"]


def test_texts_without_known_words_are_a_node_that_carries_nothing():
    encoder = Tokens(ngrams=2).fit(["a b", ""])
    for text in ("", "zzz", []):
        graph = encoder.transform([text])[0]
        assert (graph.n_nodes, graph.n_edges, graph.properties(0)) == (1, 0, ())
    mixed = encoder.transform(["", "a", "", "b a", ""])
    mixed.validate()
    assert encoder.inverse_transform(mixed) == [[], ["a"], [], ["b", "a"], []]
    assert len(encoder.transform([])) == 0


def test_graphs_do_not_change_when_the_encoder_learns_again():
    encoder = Tokens()
    graphs = encoder.fit_transform(["a b", "b"])
    before = [str(graph) for graph in graphs]
    encoder.set_params(edges=None).fit(["x y z"])
    assert [str(graph) for graph in graphs] == before
    assert pickle.loads(pickle.dumps(graphs)) == graphs


def test_lazy_graphs_can_be_chosen_and_joined():
    graphs = Tokens(ngrams=2).fit_transform(["a b c", "", "b", "c c"])
    packed = gtm.GraphBatch.from_graphs(list(graphs), graphs.vocabulary)
    assert graphs[[3, 1, 3]] == packed[[3, 1, 3]]
    assert gtm.GraphBatch.concatenate([graphs[:1], graphs[1:]]) == packed
    assert [len(chunk) for chunk in graphs.chunks(max_nodes=3)] == [1, 2, 1]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"vocabulary_size": 0}, "'vocabulary_size' parameter of Tokens must be an int in the range"),
        ({"min_count": 0}, "'min_count' parameter"),
        ({"lowercase": 1}, "'lowercase' parameter of Tokens must be a bool"),
        ({"ngrams": 0}, "'ngrams' parameter"),
        ({"position": 0}, "'position' parameter of Tokens must be an int"),
        ({"edges": "all"}, "'edges' parameter of Tokens must be a str among {'window', 'neighbours'} or None. Got"),
        ({"window": 0}, "'window' parameter"),
        ({"max_length": 0}, "'max_length' parameter"),
        ({"unknown": "keep"}, "'unknown' parameter"),
        (
            {"pattern": "("},
            "must be a regular expression; '(' is not valid: missing ), unterminated subpattern",
        ),
        ({"pattern": r"\w*"}, "cannot match the empty string"),
        ({"pattern": None}, "'pattern' parameter"),
        ({"pattern": re.compile(b"a")}, "must be a regular expression. Got re.compile"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    encoder = Tokens(**parameters)
    with pytest.raises(ValueError, match=re.escape(message)):
        encoder.fit(["a"])
    assert not hasattr(encoder, "vocabulary_")


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("one text", TypeError, r"got 'str'. Pass a single text as \[text\]"),
        (7, TypeError, "needs a list or a column of texts"),
        (np.array([["a", "b"]]), TypeError, "needs a list or a column of texts"),
        ([], gtm.GraphError, "needs at least one text"),
        (["a", None], gtm.GraphError, "text 1 is None"),
        (["a", 3.5], gtm.GraphError, "a string or a list of strings; text 1 is 3.5"),
        ([["a", 1]], gtm.GraphError, r"text 0 is \['a', 1\]"),
        (["!!", ""], gtm.GraphError, "At least one word must occur 1 times"),
    ],
)
def test_bad_texts_are_refused(texts, error, message):
    with pytest.raises(error, match=message):
        Tokens().fit(texts)


def test_ngrams_that_no_integer_can_hold_are_refused():
    words = [f"w{number}" for number in range(40)]
    with pytest.raises(gtm.GraphError, match=r"N-grams of 31 words allow at most 3 distinct words"):
        Tokens(ngrams=31).fit([words])


def test_it_must_be_fitted():
    for use in (Tokens().transform, Tokens().inverse_transform, Tokens().render):
        with pytest.raises(NotFittedError):
            use(["a"])


def test_weights_of_strangers_are_refused():
    encoder = Tokens().fit(["a"])
    assert encoder.render({}) == ""
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'b'"):
        encoder.render({"b": 1})
    with pytest.raises(TypeError, match=r"mapping from symbols to numbers, .*; got 'list'"):
        encoder.render([1, 2])


def test_frames_give_columns_of_texts():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    texts = ["a b", "b"]
    expected = Tokens().fit_transform(texts)
    assert Tokens().fit_transform(pandas.Series(texts)) == expected
    assert Tokens().fit_transform(polars.Series(texts)) == expected
    assert Tokens().fit_transform(np.array(texts)) == expected
    with pytest.raises(TypeError, match="got 'DataFrame'"):
        Tokens().fit(pandas.DataFrame({"text": texts}))


@pytest.mark.parametrize(
    "encoder",
    [
        Tokens(3, ngrams=2, position=2, window=None, unknown="symbol"),
        Tokens(lowercase=False, pattern=r"[a-zA-Z]", edges="neighbours", max_length=4),
    ],
)
def test_what_every_encoder_must_do(encoder):
    check_encoder(encoder, ["a bb a b", "B a c", "d", ["A", "b"]], bad=[["a", 7], [""]])


def test_a_pipeline_learns_word_order():
    rng = np.random.default_rng(0)
    words = np.array(["cat", "dog", "bites", "sees"])
    texts = [" ".join(words[rng.integers(0, 4, 6)]) for _ in range(600)]
    y = np.array(["cat bites" in text for text in texts])
    machine = gtm.GraphTMClassifier(n_clauses=20, T=40, s=3.0, epochs=15, max_included_literals=6, random_state=1)
    pipeline = clone(make_pipeline(Tokens(window=1, position=False), machine))
    assert pipeline.fit(texts[:400], y[:400]).score(texts[400:], y[400:]) > 0.95


def test_reviews_of_films():
    folder = shared_data("imdb")
    with lzma.open(folder / "train.jsonl.xz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line, _ in zip(lines, range(200), strict=False)]
    encoder = Tokens(vocabulary_size=500, ngrams=2, position=8)
    graphs = encoder.fit_transform(texts)
    graphs.validate()
    read = WordReader(re.compile(r"\w+(?:['\u2019]\w+)*"), True, None)
    counts = [sum(word in encoder.vocabulary_.symbols for word in text) for text in read.words(texts, "Tokens")]
    assert graphs.node_counts.tolist() == counts


def test_graphs_stay_graphs_whatever_scikit_learn_is_asked_to_return():
    with config_context(transform_output="pandas"):
        assert isinstance(Tokens().fit_transform(["a b"]), gtm.GraphBatch)


def test_texts_in_a_set_have_no_order():
    for encoder, texts in ((Tokens(), {"a b", "b c"}), (KMers(k=2), {"acgt", "ggtt"})):
        with pytest.raises(TypeError, match="must be a list, since the order of the items matters"):
            encoder.fit(texts)
    assert len(Tokens().fit_transform({"a b": 1, "b c": 2}.keys())) == 2
    assert Tokens(pattern=re.compile("[a-z]+")).fit(["a b"]).vocabulary_ is not None
