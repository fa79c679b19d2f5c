"""The regressor: scaled targets, several of them, scores, ranges, short models, rules and explanations."""

import pickle
import re

import counted
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import Table, WholeGraph
from graphtm.estimators.linear_rules import LinearRules

QUICK = dict(n_clauses=20, epochs=3, random_state=0, n_jobs=1)


@pytest.fixture(scope="module")
def data():
    graphs, counts, texts = counted.words(160)
    return graphs, counts, texts


@pytest.fixture(scope="module")
def fitted(data):
    """A machine of both counts, which has learned them."""
    graphs, counts, _ = data
    return gtm.GraphTMRegressor(n_clauses=60, epochs=60, random_state=0, n_jobs=1).fit(graphs, counts)


# What is learned


def test_counts_of_edges_are_learned_where_counts_of_symbols_say_little(data):
    graphs, counts, texts = data
    y = 100 * counts[:, 0] + 7  # in units of the user's
    machine = gtm.GraphTMRegressor(n_clauses=60, epochs=60, random_state=0, n_jobs=1).fit(graphs[:120], y[:120])
    letters = np.array([[text.count("A"), text.count("B")] for text in texts])
    linear = LinearRegression().fit(letters[:120], y[:120])
    assert machine.score(graphs[120:], y[120:]) > 0.9
    assert linear.score(letters[120:], y[120:]) < 0.4
    predicted = machine.predict(graphs[120:])
    assert predicted.dtype == np.float64
    assert predicted.shape == (40,)
    assert machine.score(graphs[120:], y[120:]) == r2_score(y[120:], predicted)
    assert mean_absolute_error(y[120:], predicted) < 25
    assert y.min() <= predicted.min() <= predicted.max() <= y.max()


def test_a_prediction_is_the_intercept_and_the_votes(data, fitted):
    graphs, counts, _ = data
    sums = fitted.class_sums(graphs)
    votes = fitted.intercept_ + fitted.vote_values_ * sums
    assert np.array_equal(fitted.predict(graphs), np.clip(votes, *fitted.target_range_.T))
    assert fitted.target_range_.tolist() == np.stack([counts.min(axis=0), counts.max(axis=0)], axis=1).tolist()
    assert fitted.vote_values_.tolist() == (np.ptp(counts, axis=0) / (2 * fitted.params_["T"])).tolist()


def test_several_targets(data, fitted):
    graphs, counts, _ = data
    assert fitted.predict(graphs).shape == (160, 2)
    assert fitted.target_names_ == ["y0", "y1"]
    assert r2_score(counts, fitted.predict(graphs), multioutput="raw_values").min() > 0.85
    weights = np.random.default_rng(0).random(160)
    expected = r2_score(counts, fitted.predict(graphs), sample_weight=weights)
    assert fitted.score(graphs, counts, sample_weight=weights) == expected


def test_names_of_targets(data):
    pandas = pytest.importorskip("pandas")
    graphs, counts, _ = data
    frame = pandas.DataFrame(counts, columns=["ba", "aa"])
    machine = gtm.GraphTMRegressor(**QUICK)
    assert machine.fit(graphs, frame).target_names_ == ["ba", "aa"]
    assert machine.fit(graphs, frame["aa"]).target_names_ == ["aa"]
    assert machine.predict(graphs).shape == (160,)
    assert machine.fit(graphs, frame[["aa"]].to_numpy()).predict(graphs).shape == (160, 1)
    machine.fit(graphs, frame)
    before, swapped = machine.state_, frame[["aa", "ba"]]
    for call in (machine.partial_fit, machine.score, machine.refit):
        with pytest.raises(ValueError, match="the columns of the first fit, in the same order: 'ba', 'aa'; got 'aa', "):
            call(graphs, swapped)
    with pytest.raises(ValueError, match="An eval_set must have the columns of the first fit"):
        gtm.GraphTMRegressor(**QUICK).fit(graphs, frame, eval_set=(graphs, swapped))
    with pytest.raises(ValueError, match="At least one graph is needed for a score; got none"):
        machine.score(graphs[:0], counts[:0])
    assert machine.state_ is before
    assert machine.score(graphs, counts) == pytest.approx(machine.score(graphs, frame))
    assert machine.fit(graphs, counts).score(graphs, frame) == pytest.approx(machine.score(graphs, counts))


def test_targets_that_never_vary_are_predicted_as_they_are(data):
    graphs, counts, _ = data
    y = np.column_stack([np.full(160, 0.1), counts[:, 0]])
    machine = gtm.GraphTMRegressor(**QUICK).fit(graphs, y)
    assert set(machine.predict(graphs)[:, 0]) == {0.1}
    assert len(set(machine.predict(graphs)[:, 1])) > 1
    with pytest.raises(ValueError, match=re.escape("Predictions are within 0.1 to 0.1; got 5.")):
        machine.explain(graphs[0]).smallest_change("y0", at_least=5)


def test_units_do_not_matter(data):
    """Targets that mean the same in other units teach the same bits."""
    graphs, counts, _ = data
    one = gtm.GraphTMRegressor(**QUICK).fit(graphs, counts[:, 0])
    other = gtm.GraphTMRegressor(**QUICK).fit(graphs, (1024 * counts[:, 0] - 512).tolist())
    assert one.state_.equals(other.state_)
    assert np.allclose(1024 * one.predict(graphs) - 512, other.predict(graphs))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [2.0**990, 2.0**-990])
def test_very_large_and_small_units(data, fitted, unit):
    """Squares of such targets are infinite, or 0."""
    graphs, counts, _ = data
    one = gtm.GraphTMRegressor(**QUICK).fit(graphs, counts)
    other = gtm.GraphTMRegressor(**QUICK).fit(graphs, unit * counts, eval_set=(graphs, unit * counts))
    assert other.history_[-1]["val_r2"] == other.score(graphs, unit * counts) == one.score(graphs, counts)
    one.refit(graphs, counts, n_rules=3)
    assert other.refit(graphs, unit * counts, n_rules=3).state_.equals(one.state_)
    assert np.allclose(other.predict(graphs) / unit, one.predict(graphs))


def test_weights(data):
    graphs, counts, _ = data
    both = gtm.GraphBatch.from_graphs([*graphs[:80], *graphs[:80]])
    y = np.concatenate([counts[:80, 0], counts[:80, 0].max() - counts[:80, 0]])
    right, wrong = np.repeat([1.0, 0.0], 80), np.repeat([0.0, 1.0], 80)
    settings = dict(n_clauses=60, epochs=40, random_state=0, n_jobs=1)
    for weights in (right, wrong):
        machine = gtm.GraphTMRegressor(**settings).fit(both, y, sample_weight=weights)
        assert machine.score(both, y, sample_weight=weights) > 0.8 > 0.2 > machine.score(both, y)


def test_every_engine_learns_the_same(data):
    graphs, counts, _ = data
    settings = dict(n_clauses=6, epochs=2, random_state=3)
    y = counts[:40] * [1.0, -0.3]
    machines = [
        gtm.GraphTMRegressor(engine=engine, n_jobs=jobs, **settings).fit(graphs[:40], y)
        for engine, jobs in (("reference", None), ("cpu", 1), ("cpu", 2))
    ]
    for machine in machines[1:]:
        assert machine.state_.equals(machines[0].state_)
        assert np.array_equal(machine.predict(graphs), machines[0].predict(graphs))


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        (dict(n_clauses=50, depth=1), dict(T=800, s=3.0, max_included_literals=3, epochs=100)),
        (dict(n_clauses=50), dict(T=800, s=1.0, max_included_literals=10, epochs=100)),
        (dict(n_clauses=50, depth=1, max_misses=2), dict(T=2400, s=30.0, max_included_literals=8)),
        (dict(T=90, s=2.0, max_included_literals=None, epochs=1), dict(T=90, s=2.0, max_included_literals=None)),
    ],
)
def test_what_auto_becomes(given, chosen, data):
    graphs, counts, _ = data
    machine = gtm.GraphTMRegressor(**{"n_clauses": 5, **given, "random_state": 0, "n_jobs": 1})
    assert machine.chosen(10**6).get("epochs", 40) == 40
    used = machine.set_params(epochs=chosen.get("epochs", 1)).fit(graphs[:20], counts[:20, 0]).params_
    assert {name: used[name] for name in chosen} == chosen
    assert gtm.GraphTMRegressor().chosen(1000)["epochs"] == 40


def test_advice_on_a_margin_out_of_reach(data):
    graphs, counts, _ = data
    with pytest.warns(UserWarning, match=r"T is far above .*: use a T of 20 to 320, or 'auto'\. Got T=401 with 20 cl"):
        gtm.GraphTMRegressor(**QUICK, T=401).fit(graphs[:20], counts[:20])


# Ranges


def test_training_goes_on_within_the_range_of_the_first_call(data):
    graphs, counts, _ = data
    machine = gtm.GraphTMRegressor(**QUICK).partial_fit(graphs[:80], counts[:80, 0])
    scale = machine.target_range_.tolist()
    message = "1 of 80 graphs have targets outside the range that is learned, such as 99, which is not within 0 to 2. "
    with pytest.warns(UserWarning, match=re.escape(message)):
        machine.partial_fit(graphs[80:], np.append(counts[80:-1, 0], 99))
    assert machine.target_range_.tolist() == scale == [[0, 2]]
    assert machine.epoch_ == 2
    assert machine.predict(graphs).max() <= 2


def test_a_range_can_be_given(data):
    graphs, counts, _ = data
    machine = gtm.GraphTMRegressor(**QUICK, target_range=(-1, 4)).fit(graphs, counts)
    assert machine.target_range_.tolist() == [[-1, 4], [-1, 4]]
    assert machine.set_params(target_range=[(-1, 4), (0, 8)]).fit(graphs, counts).target_range_.tolist()[1] == [0, 8]
    with pytest.raises(ValueError, match=r"must be one pair\. Got 2 pairs instead"):
        machine.fit(graphs, counts[:, 0])
    with pytest.raises(ValueError, match=r"must be one pair, or a pair for each of 2 targets\. Got 1 pair instead"):
        machine.set_params(target_range=[(0, 1)]).fit(graphs, counts)
    with pytest.warns(UserWarning, match="such as 2, which is not within 0 to 1"):
        machine.set_params(target_range=(0, 1)).fit(graphs, counts[:, 0])


@pytest.mark.parametrize(
    "value", [(1, 1), (2, 1), (0, np.inf), [0], "01", [(0, 1), (2, 1)], (0, np.nan), [], (-1e308, 1e308), (0, 10**400)]
)
def test_ranges_that_are_none(value, data):
    with pytest.raises(ValueError, match=r"The 'target_range' parameter of GraphTMRegressor must be a pair of finite"):
        gtm.GraphTMRegressor(target_range=value).fit(data[0], data[1])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", "b"], "Regression targets must be numbers; got 'a'. Labels such as names are learned by GraphTMClassif"),
        ([1.0, None], "Regression targets must be numbers; got None."),
        ([1.0, np.nan], "Input y contains NaN. Targets must be finite; see position 1."),
        ([np.inf, 1.0], "Input y contains infinity or a value too large for dtype('float64'). Targets must be fin"),
        ([1.0], "y must hold one number, or one row of numbers, for each of 2 graphs; got shape (1,)."),
        ([1.0, 2.0, 3.0], "got shape (3,). To predict targets of nodes, use GraphBatch.node_examples."),
        ([[1.0], [1.0, 2.0]], "y must hold one number, or one row of numbers, for each graph; the rows differ."),
        ([[], []], "y must hold at least one target for each graph; got rows without numbers."),
        (None, "y must hold one number for each graph; got None."),
        ("ab", "Targets must be a list or an array of numbers; got a 'str'."),
        (3.5, "Targets must be a list or an array of numbers; got a 'float'."),
        ([-1e308, 1e308], "Targets must differ by less than 1.8e308; got -1e+308 and 1e+308. Scale them first."),
        ([0.0, 1e-306], "Targets must differ by more than floats can divide into 640 votes; got 0.0 to 1e-306. Scale"),
        (sparse.csr_matrix([[1.0], [2.0]]), "Targets must be dense; got a 'csr_matrix'. Write y.toarray()."),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "Targets must all be known; got a masked array. Leave out"),
    ],
)
def test_targets_that_are_none(y, message, data):
    machine = gtm.GraphTMRegressor(**QUICK)
    with pytest.raises(ValueError, match=re.escape(message)):
        machine.fit(data[0][:2], y)
    assert not hasattr(machine, "model_")


def test_the_number_of_targets_is_fixed(data, fitted):
    graphs, counts, _ = data
    before = fitted.state_
    message = "y must hold 2 targets for each graph, as in the first fit; got 1."
    for call in (fitted.partial_fit, fitted.score, fitted.refit):
        with pytest.raises(ValueError, match=message):
            call(graphs, counts[:, 0])
    with pytest.raises(ValueError, match="An eval_set must hold 1 target for each graph, as in the first fit"):
        gtm.GraphTMRegressor(**QUICK).fit(graphs, counts[:, 0], eval_set=(graphs, counts))
    assert fitted.state_ is before


# Training


def test_scores_of_epochs(data):
    graphs, counts, _ = data
    machine = gtm.GraphTMRegressor(**QUICK, validation_fraction=0.25).fit(
        graphs, counts, eval_set=(graphs[:50], counts[:50]), callbacks=[gtm.History()]
    )
    last = machine.history_[-1]
    assert {"r2", "mae", "val_r2", "val_mae", "val2_r2", "val2_mae"} <= set(last)
    assert last["val2_r2"] == machine.score(graphs[:50], counts[:50])
    assert last["val2_mae"] == mean_absolute_error(counts[:50], machine.predict(graphs[:50]))
    assert np.isnan(machine.fit(graphs, counts, eval_set=(graphs[:1], counts[:1])).history_[-1]["val2_r2"])


def test_early_stopping_keeps_the_best_epoch(data):
    graphs, counts, _ = data
    machine = gtm.GraphTMRegressor(**{**QUICK, "epochs": 40}, patience=2)
    machine.fit(graphs[:80], counts[:80], eval_set=(graphs[80:], counts[80:]))
    scores = [record["val_r2"] for record in machine.history_]
    assert machine.score(graphs[80:], counts[80:]) == max(scores)
    assert machine.epoch_ == scores.index(max(scores)) + 1
    least = gtm.EarlyStopping(2, monitor="val_mae")
    machine.set_params(patience=None).fit(
        graphs[:80], counts[:80], eval_set=(graphs[80:], counts[80:]), callbacks=[least]
    )
    assert least.best_score == min(record["val_mae"] for record in machine.history_)
    assert (least.mode, gtm.EarlyStopping(2).mode) == ("min", "max")


def test_an_interrupted_fit_ends_with_the_same_bits(data, tmp_path):
    graphs, counts, _ = data
    whole = gtm.GraphTMRegressor(**QUICK).fit(graphs, counts)

    class Kill(gtm.Callback):
        every_examples = 200

        def on_progress(self, training):
            if training.step == 200:
                raise KeyboardInterrupt

    path = tmp_path / "run.gtm"
    callbacks = [gtm.Checkpoint(path, every=170, unit="examples"), Kill()]
    with pytest.raises(KeyboardInterrupt):
        gtm.GraphTMRegressor(**QUICK).fit(graphs, counts, callbacks=callbacks)
    resumed = gtm.GraphTMRegressor(**QUICK, engine="reference").fit(graphs, counts, resume_from=path)
    assert resumed.state_.equals(whole.state_)
    assert np.array_equal(resumed.predict(graphs), whole.predict(graphs))
    with pytest.raises(ValueError, match="The data has changed"):
        gtm.GraphTMRegressor(**QUICK).fit(graphs, counts[::-1], resume_from=path)


def test_it_travels(data, fitted, tmp_path):
    graphs, counts, _ = data
    fitted.save(tmp_path / "m.gtm")
    for other in (gtm.load(tmp_path / "m.gtm"), pickle.loads(pickle.dumps(fitted))):
        assert np.array_equal(other.predict(graphs), fitted.predict(graphs))
        assert other.target_names_ == fitted.target_names_
        assert other.get_params() == fitted.get_params()
        other.partial_fit(graphs[:20], counts[:20])
        assert other.target_range_.tolist() == fitted.target_range_.tolist()
    assert not hasattr(clone(fitted), "model_")
    rows = np.random.default_rng(0).random((60, 2))
    pipeline = make_pipeline(Table(bins=3), gtm.GraphTMRegressor(**QUICK, depth=1)).fit(rows, rows[:, 0])
    gtm.save(pipeline, tmp_path / "p.gtm")
    assert np.array_equal(gtm.load(tmp_path / "p.gtm").predict(rows), pipeline.predict(rows))


@pytest.mark.parametrize(
    "damage",
    [
        {"targets": ["y0"]},
        {"vector": True},
        {"vector": 1},
        {"scale": {}},
        {"scale": {"intercepts": [0], "values": [0], "lows": [0], "highs": [0]}},
        {"scale": {"intercepts": [0, 0], "values": [-1, 0], "lows": [0, 0], "highs": [0, 0]}},
        {"scale": {"intercepts": [0, 0], "values": [1, float("nan")], "lows": [0, 0], "highs": [0, 0]}},
        {"scale": {"intercepts": [0, 0], "values": [1, 0], "lows": [0, 1], "highs": [0, 0]}},
    ],
)
def test_damaged_files_are_refused(fitted, damage, tmp_path, monkeypatch):
    extra = {**fitted._extra(), **damage}
    monkeypatch.setattr(type(fitted), "_extra", lambda self: extra)
    with pytest.raises((ValueError, KeyError)):
        fitted.save(tmp_path / "m.gtm")
    assert not (tmp_path / "m.gtm").exists()


# Short models


def test_pruning_changes_no_prediction(data, fitted):
    graphs, _, _ = data
    machine = pickle.loads(pickle.dumps(fitted))
    before, literals = fitted.predict(graphs), sum(map(np.sum, _included(fitted)))
    assert np.array_equal(machine.prune(graphs).predict(graphs), before)
    assert sum(map(np.sum, _included(machine))) < literals


def _included(machine):
    params = machine.model_.params
    return [machine.state_.includes(layer, params.state_bits) for layer in range(params.depth)]


def refitted(machine, graphs, y, n_rules=None):
    return pickle.loads(pickle.dumps(machine)).refit(graphs, y, n_rules=n_rules)


def test_refit_chooses_rules_by_least_squares(data, fitted):
    graphs, counts, _ = data
    few = pickle.loads(pickle.dumps(fitted)).refit(graphs, counts, n_rules=4)
    weights = few.state_.weights
    assert 0 < np.count_nonzero(weights.any(axis=0)) <= 4
    chosen = np.flatnonzero(weights.any(axis=0))
    exact = LinearRegression().fit(few.transform(graphs)[:, chosen], counts)
    assert few.score(graphs, counts) == pytest.approx(
        r2_score(counts, np.clip(exact.predict(few.transform(graphs)[:, chosen]), *few.target_range_.T)), abs=2e-3
    )
    every = refitted(fitted, graphs, counts)
    assert every.score(graphs, counts) > max(0.9, few.score(graphs, counts))
    beyond = counts * [1, 99]
    with pytest.warns(UserWarning, match=r"graphs have targets outside the range that is learned, such as 99, which"):
        limited = refitted(fitted, graphs, beyond, n_rules=2)
    assert limited.state_.equals(refitted(fitted, graphs, np.minimum(beyond, counts.max(axis=0)), n_rules=2).state_)
    once = every.predict(graphs)
    assert np.array_equal(every.prune(graphs).predict(graphs), once)
    before = every.class_sums(graphs)
    every.partial_fit(graphs, counts)
    assert not np.array_equal(every.class_sums(graphs), before)


def test_refit_chooses_a_clause_or_its_negation_not_both():
    """What both say differs by a constant, which is in the intercept."""
    outputs = np.random.default_rng(0).random((200, 4)) < 0.5
    outputs[:, 1] = ~outputs[:, 0]
    targets = outputs @ [[3.0], [0.0], [1.0], [0.5]]
    for strengths in (outputs, np.uint8(3) * outputs):
        found = LinearRules(strengths, targets).fit(3)
        assert np.flatnonzero(found.coefficients[0]).tolist() == [0, 2, 3]
        predicted = strengths @ found.coefficients.T + found.intercepts
        assert np.abs(predicted - targets).max() < 0.02


def test_refit_with_weights_is_refit_on_copies(data, fitted):
    graphs, counts, _ = data
    weights = np.arange(160) % 3
    copies = np.repeat(np.arange(160), weights)
    one, other = pickle.loads(pickle.dumps([fitted, fitted]))
    one.refit(graphs, counts, n_rules=5, sample_weight=weights)
    other.refit(graphs[copies], counts[copies], n_rules=5)
    assert np.abs(one.predict(graphs) - other.predict(graphs)).max() < 0.05


def test_refits_that_are_refused(data, fitted):
    graphs, counts, _ = data
    before = fitted.model_
    with pytest.raises(ValueError, match="The 'n_rules' parameter of refit must be an int of at least 1 or None"):
        fitted.refit(graphs, counts, n_rules=0)
    with pytest.raises(ValueError, match="No rule is left: no clause of the model tells anything about the targets"):
        fitted.refit(graphs[:1], counts[:1])
    assert fitted.model_ is before


# Rules and explanations


def test_rules_add_up_to_the_prediction(data, fitted):
    graphs, _, _ = data
    machine = pickle.loads(pickle.dumps(fitted))
    for number in range(5):
        found = machine.explain(graphs[number])
        added = sum(np.array(rule.amounts) for rule in found.rules())
        assert np.allclose(list(found.amounts.values()), added)
        predicted = np.clip(machine.intercept_ + added, *machine.target_range_.T)
        assert np.allclose(list(found.prediction.values()), predicted)
        assert np.allclose(list(found.prediction.values()), machine.predict(graphs[number : number + 1])[0])


def test_scores_are_in_the_units_of_the_targets(data, fitted):
    graphs, _, _ = data
    found = fitted.explain(graphs[0])
    for name, amount in found.amounts.items():
        scores = found.scores(name)
        assert scores.nodes.sum() == pytest.approx(amount)
        parts = scores.symbols.sum() + scores.absences.sum() + scores.silence + scores.existence
        assert parts == pytest.approx(amount)
    assert found.to_dict()["scores"]["y1"]["nodes"] == found.scores("y1").nodes.tolist()
    with pytest.raises(ValueError, match="The 'against' parameter of scores must be None for a regressor"):
        found.scores("y0", "y1")


def test_the_smallest_change_reaches_a_number(data):
    graphs, counts, _ = data
    machine = gtm.GraphTMRegressor(n_clauses=60, epochs=30, random_state=0, n_jobs=1).fit(graphs, counts[:, 0])
    for number in range(6):
        found = machine.explain(graphs[number])
        for goal in ({"at_least": 1.0}, {"at_most": 0.5}):
            (wanted,) = goal.values()
            if found.prediction >= wanted if "at_least" in goal else found.prediction <= wanted:
                with pytest.raises(ValueError, match=r"Nothing need change: .* is predicted, which is at "):
                    found.smallest_change(**goal)
                continue
            change = found.smallest_change(**goal)
            after = machine.predict([change.apply(graphs[number])])[0]
            assert change.found
            assert after == change.after
            assert after >= wanted if "at_least" in goal else after <= wanted
    with pytest.raises(ValueError, match="Pass the number to reach to smallest_change: either at_least or "):
        found.smallest_change()
    with pytest.raises(ValueError, match=r"The 'at_most' parameter of smallest_change must be a number\. Got '1' in"):
        found.smallest_change(at_most="1")
    with pytest.raises(ValueError, match=r"Predictions are within 0 to 2; got 3\."):
        found.smallest_change(at_least=3)


def test_texts(data, fitted):
    graphs, _, _ = data
    rules = fitted.rules("y1", top=3)
    starts = f"{fitted.intercept_[1]:.4g}"
    assert str(rules).startswith(f"3 rules; each adds to [y1], which starts at [{starts}]\n")
    sizes = [abs(rule.amounts[0]) for rule in rules]
    assert sizes == sorted(sizes, reverse=True)
    assert rules[0].amounts[0] == pytest.approx(rules[0].weights[0] * fitted.vote_values_[1])
    assert str(rules[0]).endswith(f"   [{rules[0].amounts[0]:+.3g}]")
    assert "| adds to y1 |" in rules.to_markdown()
    assert "adds to y1" in rules._repr_html_()
    assert rules.to_dict()[0]["amounts"] == {"y1": rules[0].amounts[0]}
    found = fitted.explain(graphs[0])
    assert re.match(r"Predicted y0 [\d.e-]+ = [\d.]+ [+-] [\d.e-]+.*; y1 ", str(found))
    assert "those that add most to y0, or take most from it:" in str(found)
    assert "adds to y0" in found._repr_html_()
    assert "Predicted y0" in found.to_latex()
    with pytest.raises(ValueError, match=r"The target must be one of \['y0', 'y1'\]; got 'y2'."):
        fitted.rules("y2")
    for ask in (rules.filter, lambda name: rules.sort("weight", name)):
        with pytest.raises(ValueError, match=r"The target must be one of \['y1'\]; got 'y2'."):
            ask("y2")


def test_pictures(data, fitted):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    graphs, counts, _ = data
    title = fitted.explain(graphs[0]).plot("y1").get_title()
    assert title.startswith(f"y1 {fitted.predict(graphs[:1])[0, 1]:.4g} = ")
    machine = gtm.GraphTMRegressor(**QUICK).fit(graphs, counts, callbacks=[gtm.History()])
    assert {text.get_text() for text in machine.plot_training().texts} == {"r2", "mae"}
    pyplot.close("all")


def test_explanations_on_the_own_graph(data):
    """The encoder counts nodes of a whole graph; scores and the rest go back to the nodes of the word."""
    graphs, counts, _ = data
    machine = gtm.GraphTMRegressor(n_clauses=20, depth=1, epochs=20, random_state=0, n_jobs=1)
    pipeline = make_pipeline(WholeGraph(counts=(1, 2, 3)), machine).fit(graphs, counts[:, 0])
    found = gtm.explain(pipeline, graphs, 0)
    assert isinstance(found, gtm.explain.OwnGraphRegressionExplanation)
    assert found.prediction == pipeline.predict(graphs[:1])[0]
    scores = found.scores()
    assert scores.nodes.sum() + scores.whole == pytest.approx(found.amounts["y"])
    assert len(scores.nodes) == 5
    assert "The graph as a whole contributes " in str(found)
