"""Texts: splits, graphs, facts fitted on training texts, and the phrases that decided."""

import numpy as np
import pytest

import graphtm as gtm
from graphtm.datasets import load_imdb, load_mpqa, load_yelp
from graphtm.experiments import Split, experiment, reproduce
from graphtm.experiments.phrases import Rules, effects, listed, phrase, report, without_each
from graphtm.experiments.sentiment import TASK, beside, encoded, is_new, shuffled, telling, text_facts, word_graphs

NAMES = ("imdb", "yelp", "mpqa")
LOADERS = {"imdb": load_imdb, "yelp": load_yelp}
SPLIT = Split(
    ["a good film", "good", "not good", "bad film", "a good good film"],
    np.array([1, 1, 0, 0, 1]),
    ["a film not new", "new"],
    np.array([0, 1]),
)


def facts_task(**changes):
    return {**TASK, "graphs": "texts", "ngrams": 2, **changes}


# Splits


@pytest.mark.parametrize("name", ["imdb", "yelp"])
def test_the_split_is_that_of_the_files(name, data):
    """Texts keep their labels when they are shuffled, and classes are mixed, so that a part is a sample."""
    split = experiment(name).load(data, False)
    for part, texts, y in (("train", split.train, split.y), ("test", split.test, split.y_test)):
        expected, labels = LOADERS[name](subset=part, data_home=data)
        assert sorted(zip(texts, y.tolist(), strict=True)) == sorted(zip(expected, labels.tolist(), strict=True))
        assert texts != expected
        half = len(y) // 2
        assert 0.2 < y[:half].mean() / y[half:].mean() < 5
    again = experiment(name).load(data, False)
    assert again.train == split.train


def test_three_stars_are_dropped(data):
    split = experiment("yelp").load(data, False)
    _, stars = load_yelp(data_home=data, stars=True)
    assert len(split.train) == len(split.y) == np.count_nonzero(stars != 3) < len(stars)
    assert split.y.sum() == np.count_nonzero(stars > 3)


def test_phrases_of_news_are_split_once_by_class(data):
    """Each of the phrases is in one part only, a fifth of each class in the test set, the same in each run."""
    texts, y = load_mpqa(data_home=data)
    split = experiment("mpqa").load(data, False)
    assert sorted(split.train + split.test) == sorted(texts)
    assert len(split.test) == pytest.approx(len(texts) / 5, abs=1)
    assert split.y_test.mean() == pytest.approx(y.mean(), abs=0.01)
    assert split.y.mean() == pytest.approx(y.mean(), abs=0.01)
    assert experiment("mpqa").load(data, False).test == split.test


def test_texts_of_the_training_set_are_not_new():
    split = Split(["Good  film", "bad"], [1, 0], ["good film", "a good film", "BAD", ""], [1, 1, 0, 0])
    assert is_new(split).tolist() == [False, True, False, True]


def test_shuffled_texts_keep_their_labels():
    texts, y = shuffled([str(n) for n in range(50)], np.arange(50))
    assert texts == [str(n) for n in y]
    assert y.tolist() != list(range(50))


def test_distances_are_compared_on_training_reviews(data):
    """Neither the size of the test set nor its content matters: other training reviews are tested on."""
    (record,) = reproduce(
        "imdb",
        preset="windows",
        variants=("window 2",),
        data_home=data,
        n_jobs=1,
        changes={"texts": 60, "n_clauses": 20, "T": 200, "epochs": 1},
    )
    assert (record.n_train, record.n_test) == (60, 60)


# Presets


@pytest.mark.parametrize("name", NAMES)
def test_settings_of_the_paper(name):
    deep, flat = (experiment(name).presets["paper"].of(variant).machine for variant in ("depth 2", "depth 1"))
    assert (deep["n_clauses"], deep["T"], deep["s"], deep["epochs"]) == (10_000, 100_000, 15.0, 40)
    assert (deep["hypervector_size"], deep["message_size"]) == (2048, 1024)
    assert (deep["depth"], flat["depth"]) == (2, 1)
    assert {**deep, "depth": 1} == flat


def test_the_comparison_of_distances_differs_in_distances():
    preset = experiment("imdb").presets["windows"]
    settings = [preset.of(variant).parameters for variant in preset.only]
    assert [one.pop("window") for one in settings] == [2, 5, 10, 20, None]
    assert all(one == settings[0] for one in settings)
    assert settings[0]["depth"] == 2


# Graphs


@pytest.mark.parametrize("window", [1, 2, None])
def test_edges_lead_to_words_nearby(window):
    train, test = word_graphs(SPLIT, {**TASK, "window": window})
    for texts, graphs in ((SPLIT.train, train), (["a film not", ""], test)):
        for text, graph in zip(texts, graphs, strict=True):
            words = text.split()
            expected = {
                (i, j, ("distance", j - i))
                for i in range(len(words))
                for j in range(len(words))
                if i != j and (window is None or abs(i - j) <= window)
            }
            assert {(one.source, one.destination, one.type) for one in graph.edges} == expected
            for place, word in enumerate(words):
                assert set(graph.properties(place)) == {word, ("position", place)}


def test_facts_are_of_training_texts():
    """Nothing of the test texts enters, neither words nor choices."""
    train, test = text_facts(SPLIT, facts_task())
    names = set(map(phrase, train.vocabulary.symbols))
    assert names == {"a", "good", "film", "not", "bad", "a good", "good film", "good good", "not good", "bad film"}
    assert {phrase(one) for one in test[0].properties(0)} == {"a", "film", "not"}
    other = Split(SPLIT.train, SPLIT.y, ["not not bad"] * 9, np.ones(9))
    for n in (None, 3):
        mine, others = (text_facts(split, facts_task(n_phrases=n))[0] for split in (SPLIT, other))
        assert mine.vocabulary == others.vocabulary
        assert mine == others


def test_telling_facts_are_chosen():
    """A naive chi-square statistic ranks them in the same way."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    has = rng.random((60, 12)) < np.where(rng.random(12) < 0.5, 0.4 + 0.5 * y[:, None] * rng.random(12), 0.3)
    chosen = telling(gtm.GraphBatch.from_arrays([1] * 60, has), y, 4)

    def statistic(column):
        total = 0.0
        for label in (0, 1):
            expected = column.sum() * np.mean(y == label)
            total += (column[y == label].sum() - expected) ** 2 / expected
        return total

    ranked = sorted(range(12), key=lambda n: -statistic(has[:, n]))
    assert set(chosen.symbols) == set(ranked[:4])


def test_rare_phrases_are_left_out():
    train, _ = text_facts(SPLIT, facts_task(min_texts=2))
    assert set(map(phrase, train.vocabulary.symbols)) == {"a", "good", "film", "a good", "good film"}


def test_beginnings_of_words_beside_n_grams():
    train, test = text_facts(SPLIT, facts_task(beginnings=(2, 3), min_texts=2))
    names = {"a", "good", "film", "a good", "good film", "go...", "goo...", "fi...", "fil..."}
    assert set(map(phrase, train.vocabulary.symbols)) == names
    assert {phrase(one) for one in train[2].properties(0)} == {"good", "go...", "goo..."}
    assert {phrase(one) for one in test[0].properties(0)} == {"a", "film", "fi...", "fil..."}
    assert test[1].properties(0) == ()


def test_whole_texts_beside_their_words():
    task = facts_task(window=1)
    words, facts = word_graphs(SPLIT, task)[0], text_facts(SPLIT, task)[0]
    joined = beside(words, facts)
    assert list(joined.vocabulary.node_types) == ["word", "text"]
    for graph, own, whole in zip(joined, words, facts, strict=True):
        n = len(own.nodes)
        assert [graph.node_type(node) for node in graph.nodes] == ["word"] * n + ["text"]
        assert [set(graph.properties(node)) for node in range(n)] == [set(own.properties(node)) for node in own.nodes]
        assert set(graph.properties(n)) == set(whole.properties(0))
        assert set(graph.edges) == set(own.edges)
    train, test = encoded(SPLIT, {**task, "graphs": "both"})
    assert train == joined
    assert test.vocabulary == joined.vocabulary


# Phrases that decided


@pytest.fixture(scope="module", params=["one_hot", "random"])
def trained(request):
    """Return a classifier of one-node texts where only "good" and "bad" count."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    has = np.column_stack([y == 1, y == 0, rng.random(200) < 0.5, rng.random(200) < 0.5])
    symbols = [("good", ">=", 1), ("bad", ">=", 1), (("a", "film"), ">=", 1), ("the", ">=", 1)]
    graphs = gtm.GraphBatch.from_arrays([1] * 200, has, symbols)
    sizes = {} if request.param == "one_hot" else {"hypervector_size": 32}
    clf = gtm.GraphTMClassifier(
        n_clauses=10, T=20, s=3.0, depth=1, epochs=10, random_state=0, symbol_encoding=request.param, **sizes
    )
    return clf.fit(graphs, y), graphs, y


def test_a_phrase_counts_by_the_votes_that_go_without_it(trained):
    classifier, graphs, _ = trained
    for number in range(6):
        graph = graphs[number : number + 1]
        found = effects(classifier, graph)
        for symbol in graph[0].properties(0):
            less = gtm.Graph()
            less.add_node(0, properties=[one for one in graph[0].properties(0) if one != symbol])
            without = gtm.GraphBatch.from_graphs([less], graphs.vocabulary)
            lost = classifier.decision_function(graph) - classifier.decision_function(without)
            assert found[phrase(symbol)] == lost[0]
    assert effects(classifier, graphs[1:2])["good"] > 0 > effects(classifier, graphs[:1])["bad"]


def test_words_are_taken_from_all_nodes():
    graphs = gtm.encoders.Tokens(window=1).fit_transform(["good bad good", "bad"])
    symbols, others = without_each(graphs[:1])
    for symbol, graph in zip(symbols.tolist(), others, strict=True):
        name = graphs.vocabulary.symbols[symbol]
        for node in graph.nodes:
            assert set(graph.properties(node)) == set(graphs[0].properties(node)) - {name}
        assert set(graph.edges) == set(graphs[0].edges)


def test_a_text_without_phrases(trained):
    classifier, graphs, _ = trained
    empty = gtm.GraphBatch.from_arrays([1], [[0, 0, 0, 0]], list(graphs.vocabulary.symbols))
    assert effects(classifier, empty) == {}
    assert listed({}, 1) == "none"


def test_rules_ask_for_what_they_include(trained):
    """A naive look at the automata, with and without shared bits."""
    classifier, _, _ = trained
    model, rules = classifier.model_, Rules(classifier)
    size = model.symbol_code.size
    for rule in range(model.params.n_clauses):
        included = {bit for bit, state in enumerate(model.state.includes(0, 8)[rule].tolist()) if state}
        assert rules.votes[rule] == int(model.state.weights[1, rule]) - int(model.state.weights[0, rule])
        for found, shift in zip(rules.symbols(rule), (0, size), strict=True):
            codes = enumerate(model.symbol_code.positions.tolist())
            assert found == [symbol for symbol, code in codes if {shift + bit for bit in code} <= included]
        asked, refused = {bit for bit in included if bit < size}, {bit - size for bit in included if bit >= size}
        codes = enumerate(map(set, model.symbol_code.positions.tolist()))
        assert rules.satisfying(rule) == [symbol for symbol, code in codes if asked <= code and not code & refused]
    for class_ in (0, 1):
        votes = [(2 * class_ - 1) * rules.votes[number] for number in rules.strongest(class_)]
        assert votes == sorted(votes, reverse=True)
        assert votes[0] == max((2 * class_ - 1) * rules.votes)


def test_the_report_names_what_decides(trained):
    classifier, graphs, _ = trained
    lines = report(classifier, ["It was bad", "It was good"], graphs[:2]).split("\n")
    assert lines[0].startswith("Phrases that made 2 test texts negative, in votes: 'bad' ")
    assert lines[1].startswith("Phrases that made 2 test texts positive, in votes: 'good' ")
    assert lines[2] == "The strongest rules for negative:"
    assert any("asks for 'good'" in line or "refuses 'bad'" in line or "one of 'good'" in line for line in lines)
    assert any(line.startswith("A test text, negative with ") and line.endswith("It was bad") for line in lines)
    assert lines[-2].startswith("  phrases that made it negative: 'bad' ")


@pytest.mark.parametrize("name", NAMES)
def test_polarity_is_learned_and_shown(name, data):
    """The stand-ins say their polarity, so that few epochs suffice; the words that say it are shown."""
    told = []
    changes = dict(n_clauses=40, T=400, s=200.0, max_misses=4, max_included_literals=20, min_texts=1, epochs=15)
    (record,) = reproduce(name, preset="best", data_home=data, n_jobs=1, changes=changes, show=told.append)
    assert record.final["accuracy"] > 0.75
    assert told[0].startswith("depth 1\nPhrases that made ")
    positive = next(line for line in told[0].split("\n") if " test texts positive" in line)
    assert any(repr(word) in positive for word in ("good", "great", "fine", "superb"))
    if name == "mpqa":
        assert 0 <= record.final["accuracy on new phrases"] <= 1
