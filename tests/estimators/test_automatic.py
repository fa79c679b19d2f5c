"""Parameters that are "auto": what they become, where they are kept, and warnings of settings that cannot work."""

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split

import graphtm as gtm
from graphtm.estimators.automatic import automatic_epochs, automatic_margin, automatic_specificity


def chains(n=60, seed=0):
    return gtm.datasets.sequences(n, random_state=seed)


def test_auto_is_the_default():
    clf = gtm.GraphTMClassifier()
    assert (clf.T, clf.s, clf.epochs) == ("auto", "auto", "auto")
    assert repr(clf) == "GraphTMClassifier()"


def test_the_margin_follows_the_strength_of_the_clauses():
    assert automatic_margin(1000, 0) == 200
    assert automatic_margin(4, 0) == 10, "few clauses still need room for more than one vote"
    assert automatic_margin(1000, 2) == 4 * 1000 * 3
    assert automatic_margin(2**21, 254) == 2**30 - 1, "the largest T"


def test_the_specificity_follows_the_number_of_graphs():
    assert automatic_specificity(0, 1, 10**6) == 5
    at_depth_1 = [automatic_specificity(2, 1, n) for n in (1, 400, 4000, 10**6)]
    assert at_depth_1 == [100, 200, round(10 * math.sqrt(4000)), 1000]
    assert [automatic_specificity(2, 2, n) for n in (1, 400, 10**6)] == [30, 60, 300]


def test_few_graphs_are_seen_more_often():
    assert [automatic_epochs(1, n) for n in (0, 1, 300, 400, 10**6)] == [200, 200, 40, 30, 30]
    assert [automatic_epochs(2, n) for n in (1, 300, 10**6)] == [200, 134, 30]


@pytest.mark.parametrize("max_misses", [0, 2])
def test_values_used_are_kept(max_misses, tmp_path):
    graphs, y = chains()
    clf = gtm.GraphTMClassifier(n_clauses=10, max_misses=max_misses, random_state=0).fit(graphs, y)
    used = clf.params_
    assert used["T"] == clf.model_.params.T == automatic_margin(10, max_misses)
    assert used["s"] == automatic_specificity(max_misses, 2, 60)
    assert used["epochs"] == clf.epoch_ == len(clf.history_) == 200
    assert (clf.T, clf.s, clf.epochs) == ("auto", "auto", "auto"), "parameters stay as given, as in scikit-learn"
    same = gtm.GraphTMClassifier(**{**used, "engine": "auto"}).fit(graphs, y)
    assert np.array_equal(same.state_.weights, clf.state_.weights)
    clf.save(tmp_path / "m.gtm")
    assert gtm.load(tmp_path / "m.gtm").params_ == used
    assert gtm.load(tmp_path / "m.gtm").get_params() == clf.get_params()


def test_values_of_the_last_training_are_saved(tmp_path):
    graphs, y = chains()
    clf = gtm.GraphTMClassifier(n_clauses=10, depth=1, epochs=5, random_state=0).fit(graphs, y).partial_fit(graphs, y)
    clf.save(tmp_path / "m.gtm")
    assert gtm.load(tmp_path / "m.gtm").params_ == clf.params_
    assert clf.params_["epochs"] == 1
    gtm.GraphTMClassifier(**clf.params_).fit(graphs, y)  # all of them can be given


def test_nothing_is_left_to_choose_in_params():
    graphs, y = chains()
    clf = gtm.GraphTMClassifier(n_clauses=10, epochs=1).fit(graphs, y)
    assert "auto" not in clf.params_.values()
    assert clf.params_["random_state"] == clf.seed_
    assert clf.params_["engine"] == clf.engine_
    assert set(clf.params_) == set(clf.get_params())
    per_layer = gtm.GraphTMClassifier(n_clauses=10, epochs=1, s=(3.0, 4.0)).fit(graphs, y)
    assert per_layer.params_["s"] == (3.0, 4.0)


def test_training_continues_with_what_was_chosen(tmp_path):
    graphs, y = chains(80)
    clf = gtm.GraphTMClassifier(n_clauses=10, max_misses=1, max_included_literals=4, random_state=0, epochs=2)
    clf.fit(graphs[:60], y[:60])
    clf.partial_fit(graphs, y)
    assert clf.params_["s"] == automatic_specificity(1, 2, 60), "80 graphs would give another s"
    assert clf.params_["epochs"] == 1
    clf.set_params(warm_start=True).fit(graphs, y)
    assert clf.epoch_ == 5
    first = gtm.GraphTMClassifier(n_clauses=10, random_state=0)
    path = tmp_path / "checkpoint.gtm"
    clone(first).set_params(epochs=3).fit(graphs, y, callbacks=[gtm.Checkpoint(path)])
    resumed = clone(first).fit(graphs, y, resume_from=path)
    assert resumed.epoch_ == resumed.params_["epochs"] == 200
    assert np.array_equal(resumed.state_.weights, first.fit(graphs, y).state_.weights)


def test_labels_get_the_same_defaults():
    graphs, y = chains(400)
    labels = [{int(label)} for label in y]
    clf = gtm.GraphTMMultiLabelClassifier(random_state=0, n_clauses=100, epochs=20).fit(graphs, labels)
    assert clf.params_["T"] == 20
    assert clf.score(graphs, labels) > 0.95


def test_defaults_learn_few_graphs():
    graphs, y = chains(600)
    train, test, y_train, y_test = train_test_split(graphs, y, train_size=200, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=200, random_state=0).fit(train, y_train)
    assert clf.score(test, y_test) > 0.95


def test_verbose_prints_what_was_chosen(capfd):
    graphs, y = chains()
    gtm.GraphTMClassifier(n_clauses=10, epochs=1, verbose=1).fit(graphs, y)
    assert "Chosen for 60 graphs: T=10, s=5.0\n" in capfd.readouterr().err
    gtm.GraphTMClassifier(n_clauses=10, verbose=1).partial_fit(graphs, y)
    assert "Chosen for 60 graphs: T=10, s=5.0\n" in capfd.readouterr().err, "partial_fit is one epoch in any case"
    gtm.GraphTMClassifier(n_clauses=10, verbose=1, validation_fraction=0.5).fit(graphs, y)
    assert "Chosen for 60 graphs: T=10, s=5.0, epochs=200\n" in capfd.readouterr().err
    gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=1, verbose=1).fit(graphs, y)
    assert "Chosen" not in capfd.readouterr().err
    gtm.GraphTMClassifier(n_clauses=10, epochs=1).fit(graphs, y)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (dict(T=0), r"'T' parameter of GraphTMClassifier must be an int in the range \[1, 1073741823\], or 'auto'"),
        (dict(T="Auto"), r"'T' .* or 'auto'. Got 'Auto' instead"),
        (dict(s=0.0), r"'s' .* must be a number above 0 .*, or 'auto'. Got 0.0 instead"),
        (dict(s=["auto", 3.0]), r"'s' .*, or 'auto'"),
        (dict(epochs=-1), r"'epochs' .* in the range \[0, \d+\], or 'auto'. Got -1 instead"),
        (dict(n_clauses="auto"), r"'n_clauses' .* must be an int in the range \[1, \d+\]. Got 'auto' instead"),
    ],
)
def test_errors(wrong, message):
    graphs, y = chains(20)
    with pytest.raises(ValueError, match=message):
        gtm.GraphTMClassifier(**wrong).fit(graphs, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            dict(T=1001),
            r"T is far above what the clauses can reach: use a T of 10 to 20, or 'auto'. Got T=1001 with 10",
        ),
        (dict(T=3001, max_misses=2, s=100.0), r"use a T of 30 to 120, .* which cast 30 votes in all"),
        (
            dict(max_misses=5, s=100.0, max_included_literals=5),
            r"may miss all .* use a max_included_literals of 15 to 30. Got 5\.",
        ),
        (dict(max_included_literals=0), r"at least 1. Got 0\."),
        (dict(max_misses=2, s=3.0), r"forget what they learn if s is small"),
        (dict(s=1000.0), r"hardly forget .* use an s of 1 to 30, or 'auto'\. Got s=1000\."),
        (dict(s=[5.0, 2000.0]), r"Got s=2000 in layer 1\."),
        (dict(max_misses=2, s=3000.0), r"use an s of 100 to 1,000, or 'auto'"),
        (dict(max_misses=1), r"without a limit .* use a max_included_literals of 3 to 6\. Got None, with 50 literals"),
    ],
)
def test_settings_that_cannot_work(settings, message):
    graphs, y = chains(20)
    with pytest.warns(UserWarning, match=message):
        gtm.GraphTMClassifier(n_clauses=10, epochs=1, **settings).fit(graphs, y)


WARNED = [
    dict(T=1001),
    dict(max_misses=2, s=3.0),
    dict(s=1e6),
    dict(max_misses=5, max_included_literals=5),
    dict(max_misses=1),
    dict(max_included_literals=0),
]


def test_the_table_of_warnings_has_what_is_warned_of():
    page = (Path(__file__).parents[2] / "docs" / "which-machine.md").read_text()
    table = page.partition("| the warning begins |")[2].partition("\n\n")[0]
    listed = [row.split("|")[1].strip() for row in table.splitlines()[2:]]
    graphs, y = chains(20)
    bare = gtm.GraphBatch.from_arrays([1] * 20, np.zeros((20, 0), bool), [])
    given = []
    for settings, some in [*((settings, graphs) for settings in WARNED), (dict(depth=1), bare)]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            gtm.GraphTMClassifier(n_clauses=10, epochs=1, **settings).fit(some, y)
        given += [str(one.message) for one in caught]
    for message in given:
        assert sum(message.startswith(row) for row in listed) == 1, message
    assert len(listed) == len(given)


def test_nodes_without_symbols():
    graphs = gtm.GraphBatch.from_arrays([1] * 6, np.zeros((6, 0), bool), [])
    with pytest.warns(
        UserWarning, match=r"Nothing can be learned from nodes without symbols: .* min_graphs of WholeGraph"
    ):
        gtm.GraphTMClassifier(n_clauses=10, depth=1, epochs=1).fit(graphs, [0, 1] * 3)


def test_graded_clauses_without_a_limit():
    has = np.random.default_rng(0).random((60, 300)) < 0.3
    graphs = gtm.GraphBatch.from_arrays([1] * 60, has, [f"s{n}" for n in range(300)])
    clf = gtm.GraphTMClassifier(n_clauses=10, max_misses=2, epochs=1)
    with pytest.warns(
        UserWarning, match=r"grow until none is true: with max_misses=2, use .* 6 to 12. Got None, with 620"
    ):
        clf.fit(graphs, has[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf.set_params(max_included_literals=8).fit(graphs, has[:, 0])


@pytest.mark.parametrize(
    "settings",
    [
        dict(T=200),
        dict(T=600, max_misses=2),
        dict(s=999.0),
        dict(s=2999.0, max_misses=2),
        dict(max_misses=2, max_included_literals=3),
        dict(max_misses=9),
        {},
    ],
)
def test_settings_that_can(settings):
    graphs, y = chains(20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gtm.GraphTMClassifier(n_clauses=10, epochs=1, **settings).fit(graphs, y)
