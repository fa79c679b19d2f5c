"""Graph benchmarks: the folds that everybody uses, the recommended pipeline, and what is measured."""

import time
from pathlib import Path

import numpy as np
import pytest
from archives import write
from experiments.standins_graphs import molecules
from scipy.stats import ttest_rel
from shared import shared_data
from sklearn.model_selection import StratifiedKFold

import graphtm as gtm
from graphtm.errors import DatasetNotFoundError
from graphtm.experiments import experiment, read_records, reproduce
from graphtm.experiments.baselines import read_baselines
from graphtm.experiments.comparisons import best_run
from graphtm.experiments.graph_benchmarks import RECOMMENDED, RULES, SECONDS, chosen
from graphtm.experiments.graph_benchmarks_data import SETS, fold_of, load_graphs, some, symbol_counts, with_degrees
from graphtm.experiments.results import results_of

ROOT = Path(__file__).parents[2]
SMALL = dict(n_jobs=1, quick=True, epochs=2)
COMPILING = 0.5
"""Processor seconds that the first training of a process takes longer, in a test."""


@pytest.fixture(scope="module")
def mutag(tmp_path_factory):
    """Return a folder with a TU dataset that the experiment does not know."""
    folder = tmp_path_factory.mktemp("tu")
    write(folder / "MUTAG.zip", molecules("MUTAG", 60))
    return folder


# Data


def test_nodes_have_their_degree(mutag):
    plain, _ = load_graphs("MUTAG", mutag)
    path, triangle = with_degrees(plain)[:2]
    assert path.properties(0) == (("label", 5), ("degree", 1))
    assert path.properties(1) == (("label", 6), ("degree", 2))
    assert {triangle.properties(node)[1] for node in triangle.nodes} == {("degree", 2)}
    for before, after in zip(plain, (path, triangle), strict=False):
        assert list(after.edges) == list(before.edges)


def test_symbols_are_counted():
    graphs = gtm.GraphBatch.from_arrays([2, 1, 1], ([0, 1, 1, 2], [0, 0, 1, 1]), ["a", "b"])
    assert symbol_counts(graphs).toarray().tolist() == [[2, 1], [0, 1], [0, 0]]


def test_folds_are_those_of_the_protocol():
    numbers, y = np.arange(60), np.arange(60) % 2
    folds = list(StratifiedKFold(10, shuffle=True, random_state=0).split(numbers, y))
    for number in (0, 9):
        fold = fold_of(numbers, y, number)
        train, test = (np.sort(part).tolist() for part in folds[number])
        assert (fold.train.tolist(), fold.test.tolist()) == (train, test)
        assert (fold.y.tolist(), fold.y_test.tolist()) == (y[train].tolist(), y[test].tolist())


def test_trials_leave_test_graphs_alone():
    numbers, y = np.arange(200), np.arange(200) % 2
    fold, trial = (fold_of(numbers, y, 3, trial=trial) for trial in (False, True))
    assert sorted([*trial.train, *trial.test]) == fold.train.tolist()
    assert (len(trial.test), trial.y_test.mean()) == (18, 0.5)


def test_a_part_of_the_graphs_has_all_classes(mutag):
    graphs, y = load_graphs("MUTAG", mutag)
    part, y_part = some(graphs, y, 20)
    assert (len(part), np.bincount(y_part).tolist()) == (20, [10, 10])
    assert some(graphs, y, None)[0] is some(graphs, y, 60)[0] is graphs


# The recommended pipeline


@pytest.mark.parametrize("n", sorted({9 * n // 10 for n in SETS.values()}))
def test_the_preset_is_what_is_recommended(n, mutag):
    """Nothing but the seed is given, with the number of training graphs of each set."""
    graphs, _ = load_graphs("MUTAG", mutag)
    machine = gtm.make_classifier(graphs, random_state=3)[-1]
    (name,) = [name for name, size in SETS.items() if 9 * size // 10 == n]
    assert chosen(machine, n) == chosen(machine, n + 1) == RECOMMENDED.of(name).machine


def test_other_sets_by_name(mutag, tmp_path):
    """Their numbers of epochs follow from their numbers of graphs; triangles and paths differ in their neighbours."""
    folders = dict(data_home=mutag, output=tmp_path, models=tmp_path)
    options = dict(preset="best", variants=["MUTAG"], n_jobs=1, seeds=1, first_seed=12)
    (record,) = reproduce("graph_benchmarks", **folders, **options)
    assert record.parameters["epochs"] == len(record.seconds) == 200
    assert record.changes == {}
    assert (record.n_train, record.n_test, record.final["accuracy"]) == (54, 6, 1.0)
    assert 0 < record.final[RULES] <= 1000
    model = gtm.load(tmp_path / "graph_benchmarks-best-MUTAG-seed12.gtm")
    fold = fold_of(*load_graphs("MUTAG", mutag), 2)
    assert model.score(fold.test, fold.y_test) == 1.0
    assert np.array_equal(model.predict(fold.test), fold.y_test)
    expected = gtm.make_classifier(fold.train, random_state=12, n_jobs=1).fit(fold.train, fold.y)
    assert np.array_equal(expected[-1].state_.weights, model[-1].state_.weights)


def test_what_was_asked_for_stays(mutag):
    options = dict(preset="best", variants=["MUTAG"], data_home=mutag, n_jobs=1, seeds=1, epochs=3)
    (record,) = reproduce("graph_benchmarks", **options, changes={"n_clauses": 30})
    assert (record.parameters["epochs"], record.parameters["n_clauses"]) == (3, 30)


def test_a_set_that_is_missing_is_told_before_any_training(mutag):
    with pytest.raises(DatasetNotFoundError, match=r"MUTAGG"):
        reproduce("graph_benchmarks", variants=["MUTAG", "MUTAGG"], data_home=mutag, note=pytest.fail, **SMALL)


# What is measured


def test_seconds_add_up_and_rules_vote(mutag):
    (record,) = reproduce("graph_benchmarks", variants=["MUTAG"], data_home=mutag, **SMALL)
    seconds = record.scores[SECONDS]
    assert 0 < seconds[0] < seconds[1]
    assert all(value == int(value) and 0 < value <= 100 for value in record.scores[RULES])


@pytest.mark.parametrize("preset", ["paper", "best"])
def test_compiling_is_not_measured(preset, mutag, monkeypatch):
    """The first training of a process takes longer; its epochs are those of no run."""
    fit, begun = gtm.GraphTMClassifier.fit, []

    def slow_at_first(self, *args, **options):
        begun.append(time.process_time())
        while len(begun) == 1 and time.process_time() < begun[0] + COMPILING:
            pass
        return fit(self, *args, **options)

    monkeypatch.setattr(gtm.GraphTMClassifier, "fit", slow_at_first)
    options = dict(preset=preset, variants=["MUTAG"], data_home=mutag, seeds=2, **SMALL)
    records = reproduce("graph_benchmarks", **options)
    assert [len(record.seconds) for record in records] == [2, 2]
    assert max(record.final[SECONDS] for record in records) < COMPILING
    assert len(begun) == 3


def test_the_note_says_which_differences_are_beyond_chance():
    """Paired t-tests over folds against the best competitor of each set."""
    benchmarks = experiment("graph_benchmarks")
    best = results_of(benchmarks, "best", read_records(ROOT / "results", benchmarks.name))
    baselines = read_baselines(ROOT / "results", benchmarks.name)
    p_values, gains = {}, {}
    for row in (row for row in benchmarks.reported if row.compared):
        name = best_run(benchmarks, row, baselines).name
        (other,) = [one for one in baselines if (one.system, one.variant) == (name, row.variant)]
        ours = {record.seed: record.final["accuracy"] for record in best if record.variant == row.variant}
        pairs = [(ours[fold], score) for fold, score in zip(other.seeds, other.scores["accuracy"], strict=True)]
        assert len(pairs) == 10
        gains[row.variant] = np.mean([a - b for a, b in pairs])
        p_values[row.variant] = ttest_rel(*zip(*pairs, strict=True)).pvalue
        if row.variant == "NCI109":
            assert name.startswith("random forest")
    assert [name for name, p in p_values.items() if p < 0.05] == ["NCI109"]
    assert gains["NCI109"] < 0
    text = "beyond chance (p < 0.05) only on NCI109, where ours is below the random forest (p = {:.2f})"
    assert text.format(p_values["NCI109"]) in benchmarks.note


def test_the_number_of_graphs_is_as_stated():
    folder = shared_data("tu")
    for name in ("PTC_FM", "COX2"):
        graphs, y = load_graphs(name, folder)
        assert len(graphs) == SETS[name]
        share = 100 * np.unique(y, return_counts=True)[1].max() / len(y)
        assert f"{share:.1f}" in experiment("graph_benchmarks").note
