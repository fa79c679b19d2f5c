"""Top-N lists of films: what is held out, graphs of histories, metrics, reasons, and other systems."""

import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from baselines import movielens_rankers
from experiments.standins_ratings import N_FILMS, N_USERS, histories
from scipy import sparse
from shared import shared_data
from sklearn.metrics import ndcg_score

from graphtm.datasets import load_movielens
from graphtm.datasets.ratings import Movie
from graphtm.experiments import experiment, read_records, reproduce
from graphtm.experiments.baselines import read_baselines
from graphtm.experiments.movielens import BEST, PAPER, split_of
from graphtm.experiments.movielens_data import ML_1M, ML_100K, SIZES, examples, hold_out, indicators, load_ratings
from graphtm.experiments.movielens_graphs import FILMS as FILMS_AS_TYPES
from graphtm.experiments.movielens_graphs import SEQUENCE, film_graphs, films_of_nodes, frequent_films, sequence_graphs
from graphtm.experiments.movielens_ranking import (
    COVERAGE,
    HIT_RATE,
    NDCG,
    NDCG_OF_STARS,
    RECALL,
    best_new,
    ranking_scores,
)
from graphtm.experiments.results import results_of

ROOT = Path(__file__).parents[2]
ERRORS = {
    ML_1M: {NDCG: 0.00378, NDCG_OF_STARS: 0.00303, HIT_RATE: 0.0089, RECALL: 0.0023},
    ML_100K: {NDCG: 0.00581, NDCG_OF_STARS: 0.00501, HIT_RATE: 0.01438, RECALL: 0.00398},
}
"""Standard errors over users of ours minus ItemKNN with more weight on recent films."""
BY_RANX = {NDCG: 0.22842986930537976, HIT_RATE: 0.8, RECALL: 0.20404884524660064, NDCG_OF_STARS: 0.1559021104475015}
"""What ranx 0.3.21 says of the random lists: ndcg@10, hit_rate@10, recall@10, and ndcg_burges@10 of stars."""

FILMS = [Movie("A", ("Drama",)), Movie("B", ("Comedy", "War")), Movie("C", ("War",)), Movie("B", ())]


def arrays(*lists):
    return [np.array(one) for one in lists]


def lists(some):
    return [one.tolist() for one in some]


# Data


def test_ratings_are_in_the_order_of_time(data):
    ratings = load_ratings(ML_100K, data)
    assert lists(ratings.histories) == lists(histories(0))
    assert [film.title for film in ratings.films] == [f"Film {number}" for number in range(1, N_FILMS + 1)]
    assert ratings.films[1].genres == ("Documentary", "War")


def test_users_whose_times_are_unknown_are_left_out(data):
    ratings = load_ratings(ML_1M, data)
    assert len(ratings.histories) == N_USERS - 1
    assert lists(ratings.histories) == lists(histories(1)[:-1])


def test_ratings_of_the_same_second_stay_in_the_order_of_the_file(tmp_path):
    rows = [(2, 9, 2, 50), (1, 5, 5, 70), (1, 7, 1, 60), (1, 6, 2, 70), (2, 5, 5, 50), (1, 9, 4, 60)]
    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    folder = tmp_path / "movielens100k"
    folder.mkdir()
    (folder / "u.data").write_text(text)
    item = "|Film|01-Jan-1995||url|" + "|".join("0" * 19)
    (folder / "u.item").write_text("".join(f"{film}{item}\n" for film in (5, 6, 7, 9)))
    ratings = load_ratings(ML_100K, tmp_path)
    assert lists(ratings.histories) == [[2, 3, 0, 1], [3, 0]]
    assert lists(ratings.stars) == [[1, 4, 5, 2], [2, 5]]


def n_cut_within_a_second(variant, ratings, folder):
    """Return the number of users whose last known rating is of the same second as the first that is held out."""
    rows, _ = load_movielens(size=SIZES[variant], data_home=folder)
    known, _ = hold_out(ratings.histories)
    times = [np.sort(rows["timestamp"][rows["user_id"] == user]) for user in range(1, len(known) + 1)]
    assert list(map(len, times)) == list(map(len, ratings.histories))
    return sum(own[len(seen) - 1] == own[len(seen)] for own, seen in zip(times, known, strict=True))


@pytest.mark.parametrize(
    ("variant", "n_users", "n_ratings"),
    [pytest.param(ML_1M, 2999, 487_650, marks=pytest.mark.slow), (ML_100K, 943, 100_000)],
)
def test_the_real_data(variant, n_users, n_ratings):
    folder = shared_data("movielens1m" if variant == ML_1M else "movielens100k")
    ratings = load_ratings(variant, folder.parent)
    assert (len(ratings.histories), sum(map(len, ratings.histories))) == (n_users, n_ratings)
    known, held_out = hold_out(ratings.histories)
    assert min(map(len, held_out)) >= 4
    assert f"{sum(map(len, held_out)):,} of {n_ratings:,}" in experiment("movielens").note
    assert (
        f"{n_cut_within_a_second(variant, ratings, folder.parent):,} of the {n_users:,}" in experiment("movielens").note
    )
    assert all(map(np.array_equal, map(np.shape, ratings.stars), map(np.shape, ratings.histories)))
    shares = np.array([len(own) for own in held_out]) / [len(own) for own in ratings.histories]
    assert 0.2 <= shares.min() <= shares.max() < 0.25
    assert all(not np.isin(own, seen).any() for seen, own in zip(known, held_out, strict=True))


def test_a_fifth_is_held_out_rounded_up():
    for n, n_known in [(5, 4), (10, 8), (11, 8), (14, 11), (15, 12)]:
        known, held_out = hold_out([np.arange(n)])
        assert lists(known) == [list(range(n_known))]
        assert lists(held_out) == [list(range(n_known, n))]


def test_trials_leave_alone_what_is_held_out():
    histories = [np.arange(100), np.arange(50)]
    known, held_out = split_of(histories, {"users": None, "trial": False})
    tried, tested = split_of(histories, {"users": None, "trial": True})
    assert [[*a, *b] for a, b in zip(tried, tested, strict=True)] == lists(known)
    assert [len(own) for own in (*tested, *held_out)] == [16, 8, 20, 10]
    assert len(split_of(histories, {"users": 1, "trial": False})[0]) == 1


def test_examples_predict_later_from_earlier():
    """A history that is too short for a cut gives no example, and equal cuts give one."""
    before, after = examples([np.arange(10), np.arange(2), np.arange(1)], [0.4, 0.45, 0.8])
    assert lists(before) == [[0, 1, 2, 3], list(range(8)), [0]]
    assert lists(after) == [[4], [8, 9], [1]]


def test_indicators_are_a_row_for_each_user():
    matrix = indicators(arrays([3, 1], [], [0]), 4)
    assert matrix.toarray().astype(int).tolist() == [[0, 1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]]


# Graphs


def test_sequences_have_edges_to_the_films_before_and_after():
    first, second = sequence_graphs(arrays([2, 0, 1], [3]), FILMS)
    assert [first.properties(node) for node in first.nodes] == [
        ("C", ("genre", "War")),
        ("A", ("genre", "Drama")),
        ("B", ("genre", "Comedy"), ("genre", "War")),
    ]
    edges = {(edge.source, edge.destination, edge.type) for edge in first.edges}
    assert edges == {(0, 1, "later"), (1, 2, "later"), (1, 0, "earlier"), (2, 1, "earlier")}
    assert (second.properties(0), list(second.edges)) == (("B #2",), [])


def test_films_are_types_of_nodes():
    """Films that few users have seen share a type with those of the same first genre, or with those of none."""
    seen = arrays([2, 0, 1], [3, 0])
    frequent = frequent_films(seen, len(FILMS), 2)
    assert frequent.tolist() == [0]
    first, second = film_graphs(seen, FILMS, (1, 5), (1, 2), frequent)
    assert [first.node_type(node) for node in first.nodes] == [
        ("rare in last 1", "Comedy"),
        ("rare in last 5", "War"),
        ("in last 5", "A"),
        ("rare in last 5", "Comedy"),
    ]
    assert [len(first.properties(node)) for node in first.nodes] == [2, 0, 1, 2]
    assert first.properties(2) == (("last", 2),)
    assert [second.node_type(node) for node in second.nodes] == [
        ("in last 1", "A"),
        ("rare in last 5", "without genre"),
        ("in last 5", "A"),
    ]
    assert films_of_nodes(seen[0], {"graphs": FILMS_AS_TYPES, "windows": (1, 5)}).tolist() == [1, 2, 0, 1]
    assert films_of_nodes(seen[0], {"graphs": SEQUENCE}).tolist() == [2, 0, 1]


# Metrics


def test_metrics_of_a_case_worked_by_hand():
    """Two of three held-out films at ranks 1 and 3, none of two, and the only one at rank 2."""
    ten = [list(range(10, 20)), list(range(10, 20)), list(range(20, 30))]
    stars = arrays([3, 5, 4], [1, 2], [2])
    scores = ranking_scores(np.array(ten), arrays([12, 10, 5], [1, 2], [21]), stars)
    first = (1 + 1 / np.log2(4)) / (1 + 1 / np.log2(3) + 1 / np.log2(4))
    assert scores[NDCG] == pytest.approx((first + 0 + 1 / np.log2(3)) / 3)
    assert scores[HIT_RATE] == pytest.approx(2 / 3)
    assert scores[RECALL] == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert scores[COVERAGE] == 20
    first = (31 + 7 / np.log2(4)) / (31 + 15 / np.log2(3) + 7 / np.log2(4))  # gains of 5, 4 and 3 stars
    assert scores[NDCG_OF_STARS] == pytest.approx((first + 0 + 1 / np.log2(3)) / 3)


def test_the_ideal_list_has_ten_films_at_most():
    scores = ranking_scores(np.arange(10)[None, :], [np.arange(30)], [np.where(np.arange(30) < 10, 5, 4)])
    assert scores[NDCG] == pytest.approx(1.0)
    assert scores[NDCG_OF_STARS] == pytest.approx(1.0)
    assert scores[RECALL] == pytest.approx(1 / 3)


def test_lists_have_only_new_films():
    sums = np.array([[3, 9, 3, 7], [0, 1, 2, 3]])
    found = best_new(sums, arrays([1], [0, 1, 2]))
    assert found.tolist() == [[3, 0, 2, -1], [3, -1, -1, -1]]
    assert ranking_scores(found, arrays([2], [0]), arrays([1], [1]))[COVERAGE] == 3


def random_lists():
    """Return lists of ten, the films that are held out of each user, and their stars."""
    rng = np.random.default_rng(0)
    found = np.array([rng.permutation(50)[:10] for _ in range(40)])
    wanted = [rng.permutation(50)[: rng.integers(1, 25)] for _ in range(40)]
    return found, wanted, [rng.integers(1, 6, len(own)) for own in wanted]


def test_ndcg_agrees_with_scikit_learn():
    found, wanted, stars = random_lists()
    shape = (len(wanted), 50)
    users = np.repeat(np.arange(len(wanted)), [len(own) for own in wanted])
    relevant, gains, sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    relevant[users, np.concatenate(wanted)] = 1
    gains[users, np.concatenate(wanted)] = 2.0 ** np.concatenate(stars) - 1
    np.put_along_axis(sums, found, np.arange(20, 10, -1)[None, :] + np.zeros_like(found), axis=1)
    ours = ranking_scores(best_new(sums, [np.zeros(0, np.int64)] * len(wanted)), wanted, stars)
    assert ours == ranking_scores(found, wanted, stars)
    assert ours[NDCG] == pytest.approx(ndcg_score(relevant, sums, k=10))
    assert ours[NDCG_OF_STARS] == pytest.approx(ndcg_score(gains, sums, k=10))


def test_metrics_agree_with_numbers_of_a_library():
    ours = ranking_scores(*random_lists())
    assert {metric: ours[metric] for metric in BY_RANX} == pytest.approx(BY_RANX)


@pytest.mark.filterwarnings("ignore")  # of ranx
def test_metrics_agree_with_a_library():
    """As above, with the library itself, where it is installed."""
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    found, wanted, stars = random_lists()
    truth = {f"u{user}": {f"f{film}": 1 for film in own} for user, own in enumerate(wanted)}
    graded = {
        f"u{user}": {f"f{film}": int(given) for film, given in zip(own, stars[user], strict=True)}
        for user, own in enumerate(wanted)
    }
    ranked = {f"u{user}": {f"f{film}": 10.0 - rank for rank, film in enumerate(own)} for user, own in enumerate(found)}
    theirs = ranx.evaluate(ranx.Qrels(truth), ranx.Run(ranked), ["ndcg@10", "hit_rate@10", "recall@10"])
    ours = ranking_scores(found, wanted, stars)
    assert [ours[metric] for metric in (NDCG, HIT_RATE, RECALL)] == pytest.approx(list(theirs.values()))
    of_stars = ranx.evaluate(ranx.Qrels(graded), ranx.Run(ranked), "ndcg_burges@10")
    assert ours[NDCG_OF_STARS] == pytest.approx(of_stars)


# Runs


def test_presets():
    """The paper's table of hyperparameters, and sampling of absent labels in both."""
    machine = PAPER.machine
    table = [machine[name] for name in ("n_clauses", "hypervector_size", "symbol_bits", "depth", "epochs", "T", "s")]
    assert table == [4096, 2096, 64, 1, 10, 500, 5.0]
    assert machine["max_included_literals"] == 256
    assert {preset.machine["negative_sampling"] for preset in (PAPER, BEST)} == {"class"}


def test_the_best_settings_learn_what_comes_next(data):
    """In the stand-in, users go on with the next film; chance has a hit rate of about 0.8."""
    shown = []
    changes = dict(min_count=1)
    options = dict(preset="best", quick=True, engine="cpu", n_jobs=1, epochs=15, changes=changes)
    (record,) = reproduce("movielens", data_home=data, variants=[ML_100K], show=shown.append, **options)
    assert record.final[HIT_RATE] == 1.0
    assert record.final[NDCG] > 0.8
    assert (record.n_train, record.n_test) == (len(examples(hold_out(histories(0))[0], BEST.task["cuts"])[0]), N_USERS)
    (text,) = shown
    assert text.startswith("ML-100K, first user\nSeen last: Film ")
    assert "seen later), most of them from: Film " in text
    rules = text.partition("Rules that are true for the user, with their votes for Film ")[2]
    assert "TYPE in last 20=Film " in rules


def test_reasons_are_films_that_were_seen_and_short_rules(data):
    """No film that adds nothing to a list is called a reason, and of long rules only some literals are printed."""
    seen = {f"Film {film + 1}" for film in hold_out(histories(0))[0][0].tolist()}
    shown = []
    options = dict(quick=True, engine="cpu", n_jobs=1, epochs=1, data_home=data, variants=[ML_100K])
    for preset in ("paper", "best"):
        changes = dict(n_clauses=4) if preset == "paper" else dict(n_clauses=60)
        reproduce("movielens", preset=preset, changes=changes, show=shown.append, **options)
    lists_of_films = [line for text in shown for line in text.splitlines() if "most of them from: " in line]
    films = [line.partition("most of them from: ")[2].split("; ") for line in lists_of_films]
    names = {film.rpartition(" ")[0] for own in films for film in own if own != ["no film"]}
    assert ["no film"] in films
    assert names
    assert names <= seen
    rules = shown[0].partition("Rules that are true")[2].splitlines()[1:]
    assert any(re.search(r"AND \.\.\. \([\d,]+ more\)   \[", rule) for rule in rules)


def test_a_trial_tests_on_training_data(data):
    options = dict(preset="best", quick=True, engine="cpu", n_jobs=1, epochs=1, variants=[ML_100K], data_home=data)
    (trial,) = reproduce("movielens", changes=dict(trial=True), **options)
    (real,) = reproduce("movielens", **options)
    assert trial.changes == {"epochs": 1, "trial": True}
    assert trial.final != real.final


def test_an_interrupted_run_goes_on(data, tmp_path):
    """Models of several labels are saved, and runs that have ended are not repeated."""
    options = dict(preset="paper", quick=True, engine="cpu", n_jobs=1, data_home=data, epochs=1, variants=[ML_100K])
    notes = []
    whole = reproduce("movielens", models=tmp_path, checkpoints=tmp_path, note=notes.append, **options)
    assert [record.final for record in whole] == [record.final for record in reproduce("movielens", **options)]
    assert "nDCG@10 0." in notes[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["movielens-paper-ML_100K-seed0.gtm"]


# Other systems


def test_the_note_says_which_systems_are_worse():
    movielens = experiment("movielens")
    baselines = read_baselines(ROOT / "results", "movielens")
    best = results_of(movielens, "best", read_records(ROOT / "results", "movielens"))
    others = [one for one in baselines if one.system in ("MostPop", "Random", "ItemKNN", "UserKNN", "BPR")]
    assert len(others) == 10
    ours = {
        (row.variant, row.metric): np.mean([one.final[row.metric] for one in best if one.variant == row.variant])
        for row in movielens.reported
    }
    better = {
        (one.variant, row.metric, one.system)
        for one in others
        for row in movielens.reported
        if row.variant == one.variant and row.compared
        if np.mean(one.scores[row.metric]) > ours[row.variant, row.metric]
    }
    assert better == {(ML_100K, NDCG_OF_STARS, "ItemKNN"), (ML_100K, NDCG_OF_STARS, "UserKNN")}
    assert "but for nDCG of stars on ML-100K, where ItemKNN and UserKNN are above it." in movielens.note


def test_the_note_says_where_recent_films_count_more():
    """Differences are divided by their standard errors over users, of the lists of the first seed and this system."""
    movielens = experiment("movielens")
    baselines = read_baselines(ROOT / "results", "movielens")
    best = results_of(movielens, "best", read_records(ROOT / "results", "movielens"))
    ratios = {}
    for one in (one for one in baselines if one.system == "ItemKNN with more weight on recent films"):
        for metric, error in ERRORS[one.variant].items():
            ours = np.mean([record.final[metric] for record in best if record.variant == one.variant])
            ratios[one.variant, metric] = (ours - np.mean(one.scores[metric])) / error
    short = {(ML_1M, HIT_RATE), (ML_100K, NDCG), (ML_100K, NDCG_OF_STARS), (ML_100K, RECALL)}
    assert {row for row, ratio in ratios.items() if ratio < -2} == short
    assert 1 < ratios.pop((ML_1M, NDCG)) < 2.7  # about two
    assert all(ratio <= 2 for ratio in ratios.values())
    limits = [f"{min(errors.values()):.3f} to {max(errors.values()):.3f}" for errors in ERRORS.values()]
    expected = "which are {} for the differences on ML-1M, and {} for those on ML-100K."
    assert expected.format(*limits) in movielens.note


def test_the_papers_settings_are_below_popularity():
    movielens = experiment("movielens")
    baselines = read_baselines(ROOT / "results", "movielens")
    popular = {one.variant: one.scores for one in baselines if one.system == "MostPop"}
    records = results_of(movielens, "paper", read_records(ROOT / "results", "movielens"))
    assert {record.variant for record in records} == {ML_1M, ML_100K}
    for row in (row for row in movielens.reported if row.compared):
        ours = [record.final[row.metric] for record in records if record.variant == row.variant]
        assert max(ours) < popular[row.variant][row.metric][0]
    assert "to less than MostPop has on the same split, by all compared metrics" in movielens.note


@pytest.fixture
def script(monkeypatch, data):
    """Return a function that runs the script."""

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["movielens_rankers.py", "--data", str(data), *map(str, options)])
        movielens_rankers.main()

    return run


def test_similarities_are_cosines_with_few_neighbours():
    matrix = sparse.csr_array(np.array([[1.0, 1, 0], [1, 1, 1], [0, 1, 0], [0, 0, 0]]))
    found = movielens_rankers.similarities(matrix, movielens_rankers.ALL, 0.0)
    a, b, c = 2 / np.sqrt(6), 1 / np.sqrt(2), 1 / np.sqrt(3)
    np.testing.assert_allclose(found, [[0, a, b], [a, 0, c], [b, c, 0]])
    np.testing.assert_allclose(movielens_rankers.similarities(matrix, 1, 0.0), [[0, a, 0], [a, 0, 0], [b, 0, 0]])
    assert movielens_rankers.similarities(matrix, 3, 1.0)[0, 1] == pytest.approx(2 / (np.sqrt(6) + 1))


def test_neighbours_are_summed():
    seen = arrays([0, 1], [0, 1, 2], [1])
    matrix = indicators(seen, 3).toarray().astype(float)
    near = movielens_rankers.similarities(sparse.csr_array(matrix), 3, 0.0)
    users = movielens_rankers.similarities(sparse.csr_array(matrix.T), 3, 0.0)
    settings = dict(neighbours=3, shrink=0.0)
    np.testing.assert_allclose(movielens_rankers.item_knn(seen, 3, 0, **settings), matrix @ near.T)
    np.testing.assert_allclose(movielens_rankers.user_knn(seen, 3, 0, **settings), users @ matrix)
    recent = movielens_rankers.recent_knn(seen, 3, 0, **settings, memory=2.0)
    np.testing.assert_allclose(recent[0], near.T[1] + np.exp(-0.5) * near.T[0])


def test_systems_are_recorded(script, tmp_path):
    for system in ("mostpop", "random", "itemknn", "userknn", "recent"):
        script("--system", system, "--output", tmp_path)
    found = {(line.system, line.variant): line for line in read_baselines(tmp_path, "movielens")}
    assert len(found) == 10
    ours = found["ItemKNN", ML_100K]
    assert ours.command == "python benchmarks/baselines/movielens_rankers.py --system itemknn"
    assert ours.result.startswith("neighbours ")
    assert found["ItemKNN", ML_100K].scores[NDCG] > found["Random", ML_100K].scores[NDCG]
    assert found["Random", ML_100K].seeds == [0, 1, 2]


def test_a_trial_of_a_system_is_not_recorded(script, tmp_path, capsys):
    script("--system", "mostpop", "--trial", "--output", tmp_path)
    assert read_baselines(tmp_path, "movielens") == []
    assert "MostPop: no settings" in capsys.readouterr().out


def test_factorisation_is_that_of_the_library(script, tmp_path, monkeypatch):
    """Users and films with equal factors: the scores are their products."""

    class Model:
        def __init__(self, factors, **options):
            assert options["num_threads"] == 1
            self.factors = factors

        def fit(self, table, show_progress):
            assert not show_progress
            assert table.dtype == np.float32
            self.user_factors = np.ones((table.shape[0], self.factors))
            self.item_factors = np.arange(table.shape[1])[:, None] * np.ones(self.factors)

    monkeypatch.setitem(sys.modules, "implicit.bpr", types.SimpleNamespace(BayesianPersonalizedRanking=Model))
    monkeypatch.setattr(movielens_rankers, "version", lambda name: "9.9")
    settings = dict(factors=2, rate=0.1, penalty=0.1, epochs=1)
    assert movielens_rankers.bpr(arrays([0, 1]), 3, 0, **settings).tolist() == [[0, 2, 4]]
    script("--system", "bpr", "--output", tmp_path)
    (line, _) = read_baselines(tmp_path, "movielens")
    assert (line.version, line.seeds) == ("implicit 9.9", [0, 1, 2])
