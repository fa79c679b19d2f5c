"""Ratings of products: labels, noise, copies on both sides of the split or on one, graphs and the picture."""

import csv
import json
import sys
import types
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from baselines import amazon_tm
from shared import shared_data
from sklearn.model_selection import train_test_split

import graphtm as gtm
from graphtm.experiments import experiment, read_records, reproduce
from graphtm.experiments.amazon import BEST, COPIED, FIRST, NOISES, OF_PRODUCTS, PAPER, PAPER_TABLE, SPLIT_FIRST, draw
from graphtm.experiments.amazon_rows import CATEGORY, COPIES, PRODUCT, RATINGS, graphs_of, load, split_of
from graphtm.experiments.baselines import read_baselines
from graphtm.experiments.results import results_of
from graphtm.experiments.summary import measured

AMAZON = experiment("amazon")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def rows(data):
    return load(data, False)


def task(**changes):
    return {**PAPER.task, **changes}


def products(names):
    return set(names[:, PRODUCT].tolist())


# Rows, noise and splits


def test_labels_are_ratings_without_fractions(data, rows):
    """The row without a rating is left out."""
    with (data / "amazon_sales" / "amazon.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["rating"] for row in table if not row["rating"].replace(".", "").isdigit()] == ["|"]
    assert rows.y.tolist() == [int(row["rating"][0]) for row in table if row["rating"] != "|"]
    assert rows.names[:, PRODUCT].tolist() == [row["product_id"] for row in table if row["rating"] != "|"]


@pytest.mark.parametrize("split_first", [False, True])
def test_a_share_of_copies_is_changed(rows, split_first):
    """Without noise, each part has ten copies of its rows; with it, only ratings and categories of a share differ."""
    split = split_of(rows, task(noise=0.2, split_first=split_first))
    clean = dict(zip(rows.names[:, PRODUCT].tolist(), rows.y.tolist(), strict=True))
    category = dict(zip(rows.names[:, PRODUCT].tolist(), rows.names[:, CATEGORY].tolist(), strict=True))
    names, y = np.concatenate([split.train, split.test]), np.concatenate([split.y, split.y_test])
    assert len(y) == COPIES * len(rows.y)
    assert len(split.y_test) == pytest.approx(len(y) / 4, abs=COPIES)
    other_category = np.array([category[row[PRODUCT]] != row[CATEGORY] for row in names.tolist()])
    other_rating = np.array([clean[row[PRODUCT]] != rating for row, rating in zip(names.tolist(), y, strict=True)])
    # A random rating is that of the row in one case of five, a random category of the seven in one of seven.
    assert other_rating.mean() == pytest.approx(0.2 * 4 / 5, abs=0.03)
    assert other_category.mean() == pytest.approx(0.2 * 6 / 7, abs=0.03)
    assert (other_rating | other_category).mean() <= 0.2
    assert set(y[other_rating].tolist()) == set(RATINGS)


def test_copies_of_test_rows_are_in_training_unless_split_first(rows):
    copied, first = (split_of(rows, task(split_first=value)) for value in (False, True))
    assert products(copied.test) <= products(copied.train)
    assert not products(first.test) & products(first.train)


@pytest.mark.parametrize("split_first", [False, True])
def test_trials_never_see_the_test_rows(rows, split_first):
    split, trial = (split_of(rows, task(noise=0.2, split_first=split_first, trial=trial)) for trial in (False, True))
    assert len(trial.y) + len(trial.y_test) == pytest.approx(len(split.y), abs=COPIES)
    assert products(trial.train) | products(trial.test) == products(split.train)
    if split_first:
        assert not products(trial.test) & products(trial.train)
        assert not products(trial.test) & products(split.test)
    else:
        whole = [*map(tuple, trial.train.tolist()), *map(tuple, trial.test.tolist())]
        assert sorted(whole) == sorted(map(tuple, split.train.tolist()))


def test_a_holdout_is_a_trial(data):
    message = r"The data of amazon cannot be cut by train_size and holdout\. Use --set trial=True to test on other data"
    with pytest.raises(ValueError, match=message):
        reproduce("amazon", data_home=data, quick=True, holdout=5)


# The real data: what the note says


@pytest.fixture(scope="module")
def real():
    return load(shared_data("amazon_sales"), False)


def test_the_real_ratings(real):
    """26 values of 1,465 rows, one of which is no number, are four classes; a product has one class."""
    _, stars = gtm.datasets.load_amazon_sales(data_home=shared_data("amazon_sales"))
    assert (len(stars), int(np.isnan(stars).sum())) == (1465, 1)
    assert len(np.unique(stars[~np.isnan(stars)])) == 25
    assert [int(np.sum(real.y == rating)) for rating in RATINGS] == [0, 6, 348, 1107, 3]
    assert f"{100 * np.mean(real.y == 4):.1f} %" in AMAZON.note
    pairs = set(zip(real.names[:, PRODUCT].tolist(), real.y.tolist(), strict=True))
    assert len(pairs) == len(products(real.names)) == 1350


def test_the_real_splits(real):
    """All products of the test set are in training, or a tenth of the rows with split first."""
    for split_first, share in ((False, 1.0), (True, 0.104)):
        split = split_of(real, task(noise=0.2, split_first=split_first))
        assert (len(split.y), len(split.y_test)) == (10_980, 3660)
        known = products(split.train)
        assert np.mean([name in known for name in split.test[:, PRODUCT]]) == pytest.approx(share, abs=0.0005)


def test_the_real_draws_are_those_of_the_published_code(real):
    """It seeds NumPy's generator once, with 42; the ceilings of the note follow from the rows that it changes."""
    ceilings, chances, clean, n = [], [], [], COPIES * len(real.y)
    for noise in NOISES:
        rng = np.random.RandomState(42)
        order = np.random.RandomState(42).choice(n, n, replace=False) % len(real.y)
        names, y = real.names[order], real.y[order]
        changed = rng.choice(n, int(noise * n), replace=False)
        y[changed] = rng.choice(range(1, 6), len(changed))
        categories = list(dict.fromkeys(names[:, CATEGORY].tolist()))
        names[changed, CATEGORY] = rng.choice(categories, len(changed))
        train, test = train_test_split(np.arange(n), random_state=rng)
        split = split_of(real, task(noise=noise))
        assert np.array_equal(split.train, names[train])
        assert np.array_equal(split.y, y[train])
        assert np.array_equal(split.test, names[test])
        assert np.array_equal(split.y_test, y[test])
        right = np.mean(real.y[order][test] == split.y_test)  # what remembers the ratings that rows have without noise
        assert right == pytest.approx(1 - 0.8 * noise, abs=0.01)
        clean.append(f"{100 * right:.2f}")
        n_changed = np.isin(test, changed).sum()  # one in five of these has the rating that the row had, on average
        ceilings.append(f"{100 * (1 - 0.8 * n_changed / len(test)):.2f}")
        chances.append(f"{100 * np.sqrt(0.2 * 0.8 * n_changed) / len(test):.2f}")
    *first, last = ceilings
    assert f"its ceilings are {', '.join(first)} and {last} %" in AMAZON.note
    assert f"{', '.join(clean[:-1])} and {clean[-1]} %" in AMAZON.note
    assert f"with a standard deviation of {chances[0]} to {chances[-1]} points" in AMAZON.note
    assert f"One of the {len(test):,} test rows is {100 / len(test):.2f} points" in AMAZON.note


def test_the_note_says_what_was_measured():
    """Ours is below the Fuzzy-Pattern machine, and the best settings are not always best where products are new."""
    records = read_records(ROOT / "results", "amazon")
    paper, best = (
        {row.variant: measured(AMAZON, row, results_of(AMAZON, preset, records)).value for row in AMAZON.reported}
        for preset in ("paper", "best")
    )
    assert f"Ours has {85.22 - best['noise 0.2']:.2f} points less" in AMAZON.note
    assert sum(paper[name] > best[name] for name in SPLIT_FIRST) == 4
    assert "With the paper's settings, ours are above the best settings in four of six rows" in AMAZON.note
    chosen = [
        [json.dumps(one.parameters, sort_keys=True) for one in records if (one.preset, one.variant) == ("best", name)]
        for name in SPLIT_FIRST
    ]
    assert {len(set(parameters)) for parameters in chosen} == {2}
    assert "they are the second of two whose test results are recorded" in AMAZON.note
    used = results_of(AMAZON, "paper", records) + results_of(AMAZON, "best", records)
    assert {one.engine for one in used} == {"cpu"}
    assert "on CPU cores" in AMAZON.note


def test_the_note_says_what_the_papers_standard_machine_lacks():
    """It hardly passes a constant prediction with the least noise, and with more noise not at all."""
    baselines = read_baselines(ROOT / "results", "amazon")
    constant = {
        one.variant: 100 * one.scores["accuracy"][0] for one in baselines if one.system == "most frequent rating"
    }
    standard = dict(zip(COPIED, PAPER_TABLE["StdTM"][0], strict=True))
    assert [name for name in COPIED if standard[name] > constant[name]] == [FIRST]
    for name, noise in ((FIRST, 0.005), ("noise 0.2", 0.2)):
        beside = f"{standard[name]:.2f} beside {constant[name]:.2f} %"
        assert beside in AMAZON.note
        assert f"noise {noise}" in AMAZON.note


# Other systems


def test_a_variant_that_does_not_exist_is_no_row_with_little_noise(data, tmp_path, monkeypatch, capsys):
    """A name with a typing error must not be trained and recorded with the settings of another variant."""
    module = types.SimpleNamespace(TMClassifier=None)
    monkeypatch.setitem(sys.modules, "tmu.models.classification.vanilla_classifier", module)
    options = ["--data", str(data), "--variants", "noise .2", "--output", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["amazon_tm.py", *options])
    with pytest.raises(SystemExit):
        amazon_tm.main()
    assert "invalid choice: 'noise .2'" in capsys.readouterr().err


# Graphs, presets and the picture


def test_graphs_are_chains_or_single_nodes():
    names = np.array([["Ann", "kettle", "kitchen"], ["Ben", "lamp", "kitchen"]])
    chain, row = graphs_of(names)[1], graphs_of(names, chain=False)[1]
    assert [chain.properties(node) for node in chain.nodes] == [
        (("customers", "Ben"),),
        (("product", "lamp"),),
        (("category", "kitchen"),),
    ]
    assert sorted((edge[0], edge[1]) for edge in chain.edges) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert len(row.nodes) == 1
    assert set(row.properties(0)) == {("customers", "Ben"), ("product", "lamp"), ("category", "kitchen")}


def test_a_product_that_is_known_is_remembered(data):
    """The class of a product of the stand-in is as its number, even or odd, so that copies reveal it."""
    variants = [name for name in (*COPIED, *SPLIT_FIRST) if "0.005" in name]
    options = dict(preset="best", data_home=data, n_jobs=1, variants=variants)
    options |= dict(epochs=20, changes={"n_clauses": 100, "T": 1000, "s": 300.0})
    copied, first = reproduce("amazon", **options)
    assert max(copied.scores["accuracy"]) > 0.97
    assert max(first.scores["accuracy"]) < 0.8


def test_variants_are_noises_in_both_protocols():
    assert AMAZON.variants == (*COPIED, *SPLIT_FIRST)
    for preset in (PAPER, BEST):
        for variants, split_first in ((COPIED, False), (SPLIT_FIRST, True)):
            for name, noise in variants.items():
                settings = preset.of(name).task
                assert (settings["noise"], settings["split_first"], settings["trial"]) == (noise, split_first, False)


def test_the_picture(data):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    variants = [*list(COPIED)[:2], *list(SPLIT_FIRST)[:1]]
    records = reproduce("amazon", preset="best", data_home=data, quick=True, n_jobs=1, variants=variants)
    baselines = [one for one in read_baselines(ROOT / "results", "amazon") if one.variant in SPLIT_FIRST]
    figures = draw(records, baselines)
    copied, first = (
        {line.get_label(): line for line in figures[name].axes[0].get_lines()} for name in ("noise", "split_first")
    )
    assert list(copied) == ["ours", "GCN, paper", "GraphTM, paper", "StdTM, paper"]
    assert list(copied["ours"].get_xdata()) == list(NOISES[:2])
    assert list(copied["ours"].get_ydata()) == pytest.approx([100 * one.final["accuracy"] for one in records[:2]])
    assert list(copied["GCN, paper"].get_ydata())[-1] == 83.45
    assert list(first) == ["ours", OF_PRODUCTS]
    assert list(first["ours"].get_ydata()) == pytest.approx([100 * records[2].final["accuracy"]])
    assert list(first[OF_PRODUCTS].get_xdata()) == list(NOISES)
    alone = draw(records[:2], [])
    assert list(alone) == ["noise"]
    again = [replace(one, final={"accuracy": one.final["accuracy"] - 0.1}, seed=1) for one in records[:2]]
    (ax,) = draw([*records[:2], *again], [])["noise"].axes
    assert ax.get_ylabel() == "accuracy, %, and standard deviation"
    assert alone["noise"].axes[0].get_ylabel() == "accuracy, %"
    for figure in (*figures.values(), *alone.values()):
        pyplot.close(figure)
