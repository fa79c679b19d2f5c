"""Texts: splits, graphs, facts fitted on training texts, and the words and rules that decided."""

import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

import graphtm as gtm
from graphtm.codes import Code
from graphtm.datasets import load_imdb, load_mpqa, load_yelp
from graphtm.experiments import Split, experiment, reproduce
from graphtm.experiments.phrases import Rules, effects, listed, phrase, report
from graphtm.experiments.sentiment import (
    TASK,
    encoded,
    is_new,
    most_informative,
    shuffled,
    text_facts,
    with_text_nodes,
    word_graphs,
)

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


def facts_of(split, task):
    """Return the facts of training and test texts."""
    train, encode = text_facts(split.train, split.y, task)
    return train, encode(split.test)


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
    train, encode = word_graphs(SPLIT.train, {**TASK, "window": window})
    for texts, graphs in ((SPLIT.train, train), (["a film not", ""], encode(SPLIT.test))):
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
    train, test = facts_of(SPLIT, facts_task())
    names = set(map(phrase, train.vocabulary.symbols))
    assert names == {"a", "good", "film", "not", "bad", "a good", "good film", "good good", "not good", "bad film"}
    assert {phrase(one) for one in test[0].properties(0)} == {"a", "film", "not"}
    other = Split(SPLIT.train, SPLIT.y, ["not not bad"] * 9, np.ones(9))
    for n in (None, 3):
        mine, others = (facts_of(split, facts_task(n_phrases=n))[0] for split in (SPLIT, other))
        assert mine.vocabulary == others.vocabulary
        assert mine == others


def test_informative_facts_are_chosen():
    """A naive chi-square statistic ranks them in the same way."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    has = rng.random((60, 12)) < np.where(rng.random(12) < 0.5, 0.4 + 0.5 * y[:, None] * rng.random(12), 0.3)
    chosen = most_informative(gtm.GraphBatch.from_arrays([1] * 60, has), y, 4)

    def statistic(column):
        total = 0.0
        for label in (0, 1):
            expected = column.sum() * np.mean(y == label)
            total += (column[y == label].sum() - expected) ** 2 / expected
        return total

    ranked = sorted(range(12), key=lambda n: -statistic(has[:, n]))
    assert set(chosen.symbols) == set(ranked[:4])


def test_equally_many_facts_of_each_class():
    """With one class rare, the most informative symbols are all its own."""
    y = np.array([0] * 10 + [1] * 90)
    has = np.zeros((100, 6), bool)
    for symbol, (rare, common) in enumerate([(9, 9), (8, 8), (7, 7), (0, 50), (0, 40), (0, 30)]):
        has[:rare, symbol] = has[10 : 10 + common, symbol] = True
    graphs = gtm.GraphBatch.from_arrays([1] * 100, has)
    assert list(most_informative(graphs, y, 3).symbols) == [0, 1, 2]
    assert list(most_informative(graphs, y, 4, per_class=True).symbols) == [0, 1, 3, 4]
    assert len(most_informative(graphs, y, None, per_class=True).symbols) == 6
    assert len(most_informative(graphs, y, 5, per_class=True).symbols) == 4
    texts, y = ["bad"] * 2 + ["good fine"] * 2 + ["good", "so"], np.array([0, 0, 1, 1, 1, 1])
    graphs, encode = text_facts(texts, y, facts_task(ngrams=1, n_phrases=2, per_class=True))
    assert set(map(phrase, graphs.vocabulary.symbols)) == {"bad", "good"}
    assert encode(texts) == graphs


def test_rare_phrases_are_left_out():
    train, _ = facts_of(SPLIT, facts_task(min_texts=2))
    assert set(map(phrase, train.vocabulary.symbols)) == {"a", "good", "film", "a good", "good film"}


def test_beginnings_of_words_beside_n_grams():
    train, test = facts_of(SPLIT, facts_task(beginnings=(2, 3), min_texts=2))
    names = {"a", "good", "film", "a good", "good film", "go...", "goo...", "fi...", "fil..."}
    assert set(map(phrase, train.vocabulary.symbols)) == names
    assert {phrase(one) for one in train[2].properties(0)} == {"good", "go...", "goo..."}
    assert {phrase(one) for one in test[0].properties(0)} == {"a", "film", "fi...", "fil..."}
    assert test[1].properties(0) == ()


def test_whole_texts_beside_their_words():
    task = facts_task(window=1)
    words, facts = word_graphs(SPLIT.train, task)[0], facts_of(SPLIT, task)[0]
    joined = with_text_nodes(words, facts)
    assert list(joined.vocabulary.node_types) == ["word", "text"]
    for graph, own, whole in zip(joined, words, facts, strict=True):
        n = len(own.nodes)
        assert [graph.node_type(node) for node in graph.nodes] == ["word"] * n + ["text"]
        assert [set(graph.properties(node)) for node in range(n)] == [set(own.properties(node)) for node in own.nodes]
        assert set(graph.properties(n)) == set(whole.properties(0))
        assert set(graph.edges) == set(own.edges)
    train, encode = encoded(SPLIT, {**task, "graphs": "both"})
    assert train == joined
    assert encode(SPLIT.test).vocabulary == joined.vocabulary


@pytest.mark.parametrize(
    "changes", [{}, {"beginnings": (2, 3), "n_phrases": 12}, {"graphs": "words"}, {"graphs": "both"}]
)
def test_training_texts_are_encoded_as_others(changes):
    train, encode = encoded(SPLIT, facts_task(**changes))
    assert encode(SPLIT.train) == train


# Words that decided

OTHERS = ("a", "film", "the", "goose", "gold")


@pytest.fixture(scope="module", params=["one_hot", "random"])
def trained(request):
    """Return a classifier of texts where only "good" and "bad" count, the texts, and how to encode them."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    texts = [" ".join([*rng.choice(OTHERS, 3), ("bad", "good")[label], str(rng.choice(OTHERS))]) for label in y]
    graphs, encode = text_facts(texts, y, facts_task(beginnings=(2, 3), min_texts=3))
    sizes = {} if request.param == "one_hot" else {"hypervector_size": 256}
    clf = gtm.GraphTMClassifier(
        n_clauses=20, T=40, s=5.0, depth=1, epochs=10, random_state=0, symbol_encoding=request.param, **sizes
    )
    return clf.fit(graphs, y), encode, texts


def test_a_word_counts_by_the_votes_that_go_without_it(trained):
    """All of its n-grams go with it, and new ones arise; prefixes stay if other words have them."""
    classifier, encode, texts = trained
    texts = [*texts[:6], "good goose good", "new good", "bad", ""]
    found = effects(classifier, encode, texts)
    for text, votes in zip(texts, found, strict=True):
        assert list(votes) == list(dict.fromkeys(text.split()))
        for word, lost in votes.items():
            less = re.sub(rf"\b{word}\b", "", text)
            before, after = classifier.decision_function(encode([text, less]))
            assert lost == before - after
    assert found[1]["good"] > 0 > found[0]["bad"]
    assert found[6]["good"] != found[1]["good"]
    assert found[-1] == {}


def test_a_word_takes_its_prefixes_and_n_grams_along():
    """Three votes for "bad": the word, its prefix and its pair. Without the word, all of them go."""

    class Votes:
        def decision_function(self, graphs):
            return np.array([-sum("ba" in phrase(one) for one in graph.properties(0)) for graph in graphs])

    _, encode = text_facts(["a bad film", "a film", "back"], np.array([0, 1, 1]), facts_task(beginnings=(2,)))
    (found,) = effects(Votes(), encode, ["a bad film"])
    assert found == {"a": -1, "bad": -4, "film": -1}
    (both,) = effects(Votes(), encode, ["bad back"])
    assert both == {"bad": -1, "back": -1}


def test_words_leave_chains():
    """The words around a word that is left out become neighbours."""
    seen = []

    class Keep:
        def decision_function(self, graphs):
            seen.append(graphs)
            return np.zeros(len(graphs))

    _, encode = word_graphs(["good bad good film"], {**TASK, "window": 1})
    assert effects(Keep(), encode, ["Good bad good!"]) == [{"good": 0, "bad": 0}]
    assert seen[0] == encode(["good bad good", "bad", "good good"])


def test_a_list_without_words():
    assert listed({}, 1) == "none"


def test_rules_ask_for_what_they_include(trained):
    """A naive look at the automata, with and without shared bits: one negated bit refuses all symbols that have it."""
    classifier, _, _ = trained
    model, rules = classifier.model_, Rules(classifier)
    size = model.symbol_code.size
    for rule in range(model.params.n_clauses):
        included = {bit for bit, state in enumerate(model.state.includes(0, 8)[rule].tolist()) if state}
        assert rules.votes[rule] == int(model.state.weights[1, rule]) - int(model.state.weights[0, rule])
        asked, refused = {bit for bit in included if bit < size}, {bit - size for bit in included if bit >= size}
        codes = list(enumerate(map(set, model.symbol_code.positions.tolist())))
        assert rules.symbols(rule) == (
            [symbol for symbol, code in codes if code <= asked],
            [symbol for symbol, code in codes if code & refused],
        )
        assert rules.satisfying(rule) == [symbol for symbol, code in codes if asked <= code and not code & refused]
    for class_ in (0, 1):
        votes = [(2 * class_ - 1) * rules.votes[number] for number in rules.strongest(class_)]
        assert votes == sorted(votes, reverse=True)
        assert votes[0] == max((2 * class_ - 1) * rules.votes)


def test_phrases_of_a_text_with_the_votes_of_rules(trained):
    """A naive sum over rules and bits; phrases of other texts are not among them, nor are new ones."""
    classifier, encode, texts = trained
    model = classifier.model_
    size, codes = model.symbol_code.size, model.symbol_code.positions.tolist()
    text = f"{texts[0]} unheard"
    expected = Counter()
    for symbol in encode([text])[0].properties(0):
        bits = codes[model.vocabulary.symbols.index(symbol)]
        for votes, included in zip(Rules(classifier).votes.tolist(), model.state.includes(0, 8).tolist(), strict=True):
            expected[phrase(symbol)] += votes * sum(included[bit] - included[size + bit] for bit in bits)
    found = Rules(classifier).phrases(encode([text]))
    assert found == expected
    assert found["bad"] < 0
    assert "good" not in found
    assert any(" " in name for name in found)


CODES = {"bad": (0, 1), "good": (1, 2), "film": (3, 4), ("position", 0): (4, 5)}


@pytest.mark.parametrize(
    ("wanted", "unwanted", "expected"),
    [
        ([0, 1], [], "asks for 'bad'"),
        ([0], [], "asks for 'bad'"),
        ([1], [], "asks for one of 'bad', 'good'"),
        ([4], [], "asks for 'film' or a position"),
        ([0, 1, 3], [], "asks for 'bad'; asks for 1 other bit of codes"),
        ([0, 3], [], "asks for 2 bits that no phrase has alone"),
        ([], [1], "refuses 'bad', 'good'"),
        ([3, 4], [2], "asks for 'film'; refuses 'good'"),
        ([4, 5], [], "no condition on words"),
        ([5], [], "no condition on words"),
        ([], [], "no condition on words"),
    ],
)
def test_rules_in_words(wanted, unwanted, expected):
    includes = np.isin(np.arange(12), [*wanted, *(6 + bit for bit in unwanted)])[None]
    model = SimpleNamespace(
        params=SimpleNamespace(max_misses=0, state_bits=8),
        state=SimpleNamespace(weights=np.array([[0], [1]]), includes=lambda layer, bits: includes),
        vocabulary=SimpleNamespace(symbols=list(CODES)),
        symbol_code=Code("random", 6, np.array(list(CODES.values()), np.int32)),
    )
    rules = Rules(SimpleNamespace(model_=model))
    assert rules.text(0) == f"rule 0, 1 vote; {expected}"
    assert (rules.strongest(0), rules.strongest(1)) == ([], [0])


def test_a_class_without_rules(trained, monkeypatch):
    classifier, encode, texts = trained
    monkeypatch.setattr(Rules, "strongest", lambda self, class_: [2] * class_)
    lines = report(classifier, texts[:1], encode).split("\n")
    assert lines[lines.index("The strongest rules for negative:") + 1] == "  none"
    assert lines[lines.index("The strongest rules for positive:") + 1].startswith("  rule 2, ")


def test_the_report_names_what_decides(trained):
    """What rules ask for or refuse speaks for their class."""
    classifier, encode, texts = trained
    lines = report(classifier, texts[:2], encode).split("\n")
    found = effects(classifier, encode, texts[:2])
    total = {word: sum(one.get(word, 0) for one in found) for one in found for word in one}
    for line, name, sign, word in ((lines[0], "negative", -1, "bad"), (lines[1], "positive", 1, "good")):
        expected = listed(total, sign)
        assert line == f"Words that spoke for {name} in 2 test texts, in votes lost without them: {expected}"
        assert f"'{word}' {sign * total[word]:,.0f}" in expected
    assert lines[2] == "The strongest rules for negative:"
    positive = lines.index("The strongest rules for positive:")
    for rules, own, other in ((lines[3:positive], "ba", "go"), (lines[positive + 1 : positive + 4], "go", "ba")):
        assert 1 <= len(rules) <= 3
        for line in rules:
            wanted = re.search("asks for ([^;]*)", line)
            unwanted = re.search("refuses ([^;]*)", line)
            assert (wanted and own in wanted[1]) or (unwanted and other in unwanted[1]), line
    votes = classifier.decision_function(encode(texts[:1]))[0]
    assert lines[-5] == f"A test text, negative with {-votes:.0f} votes: {texts[0]}"
    assert lines[-4] == f"  words that spoke for negative: {listed(found[0], -1)}"
    asked = Rules(classifier).phrases(encode(texts[:1]))
    assert lines[-2] == f"  phrases that rules for negative ask for, with their votes: {listed(asked, -1)}"
    explained = "  Here, 'gre...' stands for words that begin with these letters and are longer."
    assert lines.count(explained) == any("..." in line for line in lines if line.startswith("  rule "))


@pytest.mark.parametrize("name", NAMES)
def test_polarity_is_learned_and_shown(name, data):
    """The stand-ins say their polarity, so that a quick look suffices; the words that say it are shown."""
    told = []
    record, beside = reproduce(name, preset="best", data_home=data, n_jobs=1, quick=True, show=told.append)
    assert record.final["accuracy"] > 0.85
    assert (beside.variant, beside.parameters["graphs"], beside.parameters["depth"]) == ("depth 2", "both", 2)
    assert beside.final["accuracy"] > 0.85
    assert told[0].startswith("depth 1\nWords that spoke for negative in ")
    words = "(good|great|fine|superb)"
    if name == "mpqa":  # too short for a "not"
        assert re.search(rf"\nWords that spoke for positive in 10 [^:]*: '{words}' ", told[0])
        assert record.final["accuracy on new phrases"] > 0.85
    else:
        rules = told[0].split("strongest rules for positive")[1]
        assert re.search(rf"refuses [^;\n]*'not {words}", rules)
