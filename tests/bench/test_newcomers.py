"""The tasks of newcomers are what they say, and the best setting is chosen without the test part."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import newcomer_tasks
import newcomers
import numpy as np
import pytest
from newcomer_tasks import (
    TAGS,
    TASKS,
    breast_cancer,
    coloured_graphs,
    csv_files,
    karate_nodes,
    letter_words,
    networkx_graphs,
    pipe_networks,
    tagged_texts,
    through_files,
)
from newcomers import BEST, GRAPHS, METHODS, TABLE, TEXTS, representations, run, settings, table

import graphtm as gtm
from graphtm.errors import MissingLibraryError

DRAWS = {
    "csv": partial(csv_files, n_train=20, n_test=10),
    "networkx": partial(networkx_graphs, n_train=20, n_test=10),
    "karate": karate_nodes,
    "texts": partial(tagged_texts, n_train=20, n_test=10),
    "table": breast_cancer,
    "sequences": partial(letter_words, n_train=20, n_test=10),
}


def same(one, other):
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return list(map(str, one)) == list(map(str, other)) if isinstance(one, gtm.GraphBatch) else one == other


@pytest.mark.parametrize("name", TASKS)
def test_a_split_has_the_same_data_each_time(name):
    first, again, other = DRAWS[name](3), DRAWS[name](3), DRAWS[name](4)
    for part in vars(first):
        assert same(getattr(first, part), getattr(again, part))
    assert not same(first.X, other.X)
    assert len(first.X) == len(first.y)
    assert len(first.X_test) == len(first.y_test)


def test_labels_of_csv_files_follow_the_rule():
    graphs, y = through_files(coloured_graphs(200, np.random.default_rng(0), noise=0.0))
    for graph, label in zip(graphs, y, strict=True):
        ends = [
            (graph.properties(source), graph.properties(destination))
            for source, destination, kind in graph.edges
            if kind == "thick"
        ]
        assert (label == "yes") == (((("colour", "red"),), (("colour", "blue"),)) in ends)
    assert 0.15 < np.mean(y == "yes") < 0.35


def test_one_label_in_twenty_of_csv_files_is_wrong():
    graphs = coloured_graphs(1000, np.random.default_rng(0))
    wrong = [(one.graph["label"] == "yes") != newcomer_tasks.has_thick_line(one) for one in graphs]
    assert 0.03 < np.mean(wrong) < 0.07


def test_csv_files_are_the_same_graphs_without_pandas(monkeypatch):
    def missing(*files, **options):
        raise MissingLibraryError("no pandas")

    read = csv_files(0, 20, 10)
    monkeypatch.setattr(gtm, "read_csv", missing)
    converted = csv_files(0, 20, 10)
    assert (read.X, read.X_test) == (converted.X, converted.X_test)
    assert read.y.tolist() == converted.y.tolist()


def test_labels_of_networks_follow_the_rule():
    graphs = pipe_networks(200, np.random.default_rng(0))
    for graph in graphs:
        ends = [(graph.nodes[u], graph.nodes[v]) for edge in graph.edges for u, v in (edge, edge[::-1])]
        leaks = [
            pump["kind"] == "pump"
            and pump["pressure"] >= 7.5
            and (valve["kind"], valve["state"]) == ("valve", "closed")
            for pump, valve in ends
        ]
        assert (graph.graph["label"] == "leak") == any(leaks)
    assert 0.15 < np.mean([graph.graph["label"] == "leak" for graph in graphs]) < 0.35


def test_numbers_are_cut_by_the_training_part():
    few, many = networkx_graphs(0, 20, 10), networkx_graphs(0, 20, 30)
    cuts = [symbol for symbol in few.X.vocabulary.symbols if symbol[0] == "pressure"]
    assert len(cuts) == 3
    for own in (few, many):
        assert [symbol for symbol in own.X_test.vocabulary.symbols if symbol[0] == "pressure"] == cuts


def test_half_of_the_karate_club_is_for_training():
    own = karate_nodes(0)
    members = {
        graph.readout[0]: label for graph, label in zip([*own.X, *own.X_test], [*own.y, *own.y_test], strict=True)
    }
    assert sorted(members) == list(range(34))
    assert (members[0], members[33]) == ("Mr. Hi", "Officer")
    assert sorted(Counter(own.y.tolist()).values()) == [8, 9]
    graph = next(graph for graph in [*own.X, *own.X_test] if graph.readout == (33,))
    assert graph.properties(33)[0] == "member 33"
    assert ("degree", ">=", 8) in graph.properties(33)


def test_a_text_has_a_tag_if_it_has_one_of_its_words():
    own = tagged_texts(0, 200, 0)
    for text, tags in zip(own.X, own.y, strict=True):
        assert tags == {tag for tag, keys in TAGS.items() if any(key in text.split() for key in keys)}
    assert {len(tags) for tags in own.y} >= {0, 1, 2, 3}
    for tag in TAGS:
        assert 0.2 < np.mean([tag in tags for tags in own.y]) < 0.4


def test_other_words_are_not_words_of_tags():
    assert not {key for keys in TAGS.values() for key in keys} & set(newcomer_tasks.OTHER_WORDS.split())


@pytest.mark.parametrize("kind", [GRAPHS, TEXTS, TABLE])
def test_settings_are_drawn_once(kind):
    drawn = settings(kind, 50)
    assert drawn[:7] == settings(kind, 7)
    assert len({str(setting) for setting in drawn}) == 50
    assert {setting["representation"] for setting in drawn} == set(range(len(representations(kind))))
    assert {setting["max_misses"] for setting in drawn} == {0, 4, 9}
    for setting in drawn:
        assert 20 <= setting["n_clauses"] <= 1000
        assert 10 <= setting["epochs"] <= 200
        newcomers.pipeline(kind, setting, 0)[-1].machine_settings()


@pytest.mark.parametrize("kind", [GRAPHS, TEXTS])
def test_settings_are_chosen_without_the_test_part(kind, monkeypatch):
    name = {GRAPHS: "karate", TEXTS: "texts"}[kind]
    own = replace(DRAWS[name](5), X_test=None, y_test=None)
    monkeypatch.setattr(newcomers, "data", lambda task, number: own)
    setting = dict(representation=3, n_clauses=10, max_misses=0, T=10, s=3.0, max_included_literals=3, epochs=5)
    score = newcomers.validate(name, 5, setting)
    assert 0 <= score <= 1
    assert score == newcomers.validate(name, 5, setting)


class Counted:
    """A progress bar that only counts."""

    n = 0

    def update(self):
        self.n += 1


@pytest.mark.slow
def test_methods_are_compared_on_the_karate_club():
    bar, splits = Counted(), [("karate", 0), ("karate", 1)]
    with ThreadPoolExecutor(1) as pool:
        *_, results = run(pool, splits, 2, bar)
    assert bar.n == 2 * (2 + len(METHODS))
    assert [(one["task"], one["split"]) for one in results] == splits
    for one in results:
        assert set(one["methods"]) == set(METHODS)
        assert one["setting"] == settings(GRAPHS, 2)[np.argmax(one["validation"])]
    text = table(results, 2)
    row = [cell.strip() for cell in text.splitlines()[-1].split("|")[1:-1]]
    best, defaults = ([one["methods"][name]["score"] for one in results] for name in (BEST, "defaults"))
    assert row[:2] == ["karate", "2"]
    assert row[5].startswith(f"{100 * np.mean(best):.1f} ± ")
    assert row[7].startswith(f"{100 * (np.mean(best) - np.mean(defaults)):.1f} ± ")
    assert row[8] == "5"


def test_the_largest_class_is_that_of_the_training_part():
    largest = newcomers._LargestClass()
    largest.fit(None, [{"a"}, {"a", "b"}, {"b", "a"}, set()])
    assert largest.score(None, [{"b", "a"}, {"a"}, set(), {"a", "b"}]) == 0.5
