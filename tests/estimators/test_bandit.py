"""The contextual bandit as a user meets it."""

import dataclasses
import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphtm as gtm
from graphtm.codes import encode
from graphtm.engines import initial_state, make_engine
from graphtm.engines.random import Purpose, mix, step_key
from graphtm.engines.targets import sparse_targets
from graphtm.estimators.bandit_log import Draws
from graphtm.estimators.bandit_targets import ArmOutputs, one_target

QUICK = dict(arms=["tea", "ice", "soup"], n_clauses=12, T=20, s=3.0, random_state=5, n_jobs=1)
EXPLORATIONS = ["epsilon", "thompson"]


def arrows(n, seed):
    """Two nodes A and B with an edge one way or the other, among others; the way decides, symbols do not."""
    rng = np.random.default_rng(seed)
    graphs, forward = [], rng.random(n) < 0.5
    for way in forward.tolist():
        graph = gtm.Graph()
        for name in "AB":
            graph.add_node(name, properties=[name])
        graph.add_edge("A" if way else "B", "B" if way else "A")
        graphs.append(graph)
    return gtm.GraphBatch.from_graphs(graphs), forward.astype(int)


@pytest.fixture(scope="module")
def data():
    return arrows(60, 1)


def make(**changes):
    return gtm.GraphTMBandit(**{**QUICK, **changes})


def play(bandit, graphs, best_arm, start=0, stop=None):
    """Act and update graph by graph; a wrong arm pays nothing. Return the arms."""
    names, arms = bandit.arm_names.tolist(), []
    for graph, best in list(zip(graphs, best_arm.tolist(), strict=True))[start:stop]:
        arms.append(bandit.act(graph))
        bandit.update(graph, arms[-1], float(arms[-1] == names[best]), best=1.0)
    return arms


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("exploration", EXPLORATIONS)
def test_it_is_the_machine_with_silent_arms(data, exploration, engine):
    """The bandit against an engine that is told every target and every choice by hand."""
    graphs = data[0][:30]
    bandit = make(exploration=exploration, n_heads=3, epsilon=0.3, engine=engine)
    arms = play(bandit, graphs, data[1][:30])
    params, heads = bandit.model_.params, 3 if exploration == "thompson" else 1
    oracle = make_engine("reference")
    oracle.load(params, initial_state(params))
    words = [mix(step_key(5, purpose, np.arange(30))).tolist() for purpose in (Purpose.DECISION, Purpose.BOOTSTRAP)]
    for step, (decision, halves) in enumerate(zip(*words, strict=True)):
        one = oracle.prepare(encode(graphs[step : step + 1], bandit.model_.symbol_code))
        sums, low, high = oracle.class_sums(one)[0].reshape(3, heads), decision % 2**32, decision // 2**32
        if exploration == "thompson":
            arm = int(np.argmax(sums[:, low * heads // 2**32]))
        else:
            arm = low * 3 // 2**32 if high < int(0.3 * 2**32) else int(np.argmax(sums[:, 0]))
        assert arms[step] == QUICK["arms"][arm]
        listed = [arm * heads + head for head in range(heads) if heads == 1 or halves >> head & 1]
        y = params.T if arm == data[1][step] else -params.T
        targets = sparse_targets([0, len(listed)], listed, [y] * len(listed), 3 * heads, params.T, silent=True)
        oracle.fit(one, targets, np.zeros(1, np.int64))
    assert bandit.state_.equals(oracle.state())
    assert bandit.state_.step == 30


@pytest.mark.parametrize("exploration", EXPLORATIONS)
def test_it_learns_which_arm_an_edge_means(exploration):
    graphs, best = arrows(600, 2)
    bandit = make(arms=2, n_clauses=40, exploration=exploration)
    play(bandit, bandit.prepare(graphs), best)
    late = np.diff(bandit.regret_)[300:]
    assert late.mean() < 0.12
    test, truth = arrows(100, 3)
    assert np.mean(bandit.predict(test) == truth) == 1.0
    expected = bandit.expected_rewards(test)
    right = expected[np.arange(100), truth]
    assert right.mean() > 0.75
    if exploration == "epsilon":  # Thompson sampling stops trying the wrong arm before it is known well
        assert expected[np.arange(100), 1 - truth].mean() < 0.35
    assert np.array_equal(bandit.expected_rewards(test).argmax(axis=1), bandit.predict(test))


@pytest.mark.parametrize("exploration", EXPLORATIONS)
def test_graphs_prepared_graphs_and_batches_are_the_same(data, exploration):
    graphs, best = data
    one, ready, batch = (make(exploration=exploration, epsilon=0.5) for _ in range(3))
    arms = play(one, graphs, best)
    assert play(ready, ready.prepare(graphs), best) == arms
    assert ready.state_.equals(one.state_)
    rewards = one.rewards_
    batch.act(graphs[0])
    batch.update(graphs[:40], arms[:40], rewards[:40], best=1).update(graphs[40:], arms[40:], rewards[40:].tolist())
    assert batch.state_.equals(one.state_)
    assert batch.rewards_.tolist() == rewards.tolist()
    assert batch.regret_.tolist() == one.regret_[:40].tolist()
    together = make(exploration=exploration, epsilon=0.5).act(graphs)
    alone = make(exploration=exploration, epsilon=0.5)
    assert together.tolist() == [alone.act(graph) for graph in graphs]
    assert set(together) <= set(QUICK["arms"])


@pytest.mark.parametrize("exploration", EXPLORATIONS)
@pytest.mark.parametrize("how", ["file", "pickle", "engine"])
def test_it_goes_on_exactly(data, tmp_path, exploration, how):
    graphs, best = data
    whole, bandit = make(exploration=exploration), make(exploration=exploration)
    arms = play(whole, graphs, best)
    first = play(bandit, graphs, best, stop=25)
    if how == "file":
        bandit.save(tmp_path / "bandit.gtm")
        bandit = gtm.load(tmp_path / "bandit.gtm")
    elif how == "pickle":
        bandit = pickle.loads(pickle.dumps(bandit))
    else:
        bandit.set_params(engine="reference")
    assert first + play(bandit, graphs, best, start=25) == arms
    assert bandit.state_.equals(whole.state_)
    assert bandit.regret_.tolist() == whole.regret_.tolist()
    assert np.array_equal(bandit.class_sums(graphs), whole.class_sums(graphs))


def test_a_file_holds_the_epsilon_of_now(data, tmp_path):
    """It may change at any time, and decides what a loaded bandit does."""
    graphs, best = data
    bandit = make(epsilon=1.0)
    play(bandit, graphs, best, stop=10)
    bandit.set_params(epsilon=0.0)
    bandit.save(tmp_path / "bandit.gtm")
    loaded = gtm.load(tmp_path / "bandit.gtm")
    assert loaded.epsilon == bandit.params_["epsilon"] == 0.0
    assert play(loaded, graphs, best, start=10) == play(bandit, graphs, best, start=10)
    bandit.set_params(epsilon=2.0)
    with pytest.raises(ValueError, match="'epsilon' parameter of GraphTMBandit must be a number in the range"):
        bandit.save(tmp_path / "bandit.gtm")
    assert gtm.load(tmp_path / "bandit.gtm").epsilon == 0.0


@pytest.mark.parametrize("names", [np.array([4, 3]), np.array(["ice", "tea"]), np.array([True, False])])
def test_arms_may_come_from_an_array(data, tmp_path, names):
    for arms in (names, list(names)):
        bandit = make(arms=arms)
        arm = bandit.update(data[0][0], names[0], 1.0).act(data[0][0])
        assert type(arm) is type(names.tolist()[0])
        bandit.save(tmp_path / "bandit.gtm")
        assert gtm.load(tmp_path / "bandit.gtm").arms_.tolist() == names.tolist()


def test_prepared_graphs_follow_the_engine_and_the_model(data):
    graphs, best = data
    bandit, other = make(), make()
    ready = bandit.prepare(graphs)
    assert (len(ready), ready[-1].number, repr(ready)) == (60, 59, "PreparedGraphs(60 graphs)")
    with pytest.raises(gtm.GraphTMError, match="prepared for another bandit; this one has no model yet"):
        other.act(ready[0])
    play(bandit, ready, best)
    sums = bandit.class_sums(graphs)
    bandit.prune(graphs)
    assert np.array_equal(bandit.class_sums(graphs), sums)
    bandit.set_params(engine="reference").update(ready[0], "tea", 1.0)
    strangers = gtm.GraphBatch.from_arrays([1], [[1]], symbols=["A"])
    strange = other.prepare(strangers)
    with pytest.raises(gtm.GraphTMError, match=r"prepared for another bandit.*Prepare them again"):
        bandit.act(strange[0])
    for call in (bandit.predict, bandit.explain, bandit.transform):
        for given in (ready, ready[0], ready[:2], tuple(ready[:2])):
            with pytest.raises(TypeError, match="Prepared graphs are for act and update, one by one"):
                call(given)


def single(symbols, rows, types=("plain",)):
    """Pairs of a node with one of the symbols and a node without, joined by edges of the first and second type."""
    edges = ([0, 0], [1, 1], [0, len(types) - 1])
    has = [row for index in rows for row in (np.arange(len(symbols)) == index, np.zeros(len(symbols), bool))]
    return gtm.GraphBatch.from_arrays([2, 2], has, symbols, edges=edges, edge_counts=[1, 1], edge_types=types)


SAME_CODE = {
    "other symbols": single(["cat", "dog"], [0, 1], ["to", "of"]),
    "another order of symbols": single(["cold", "hot"], [1, 0], ["to", "of"]),
    "another order of edge types": single(["hot", "cold"], [0, 1], ["of", "to"]),
}


@pytest.mark.parametrize("others", SAME_CODE.values(), ids=SAME_CODE)
def test_prepared_graphs_of_other_names_are_refused(others):
    graphs = single(["hot", "cold"], [0, 1], ["to", "of"])
    bandit, other = make(epochs=1), make()
    ready, strange = bandit.prepare(graphs), other.prepare(others)
    assert bandit.model_.symbol_code == other.model_.symbol_code
    message = r"prepared for another bandit, or before this one was fitted again\. Prepare them again"
    with pytest.raises(gtm.GraphTMError, match=message):
        bandit.act(strange[0])
    with pytest.raises(gtm.GraphTMError, match=message):
        bandit.update(strange[0], "tea", 1.0)
    assert len(bandit.rewards_) == 0
    bandit.fit(others, (["tea", "ice"], [1.0, 1.0]))
    with pytest.raises(gtm.GraphTMError, match=message):
        bandit.act(ready[0])
    bandit.fit(graphs, (["tea", "ice"], [1.0, 1.0])).act(ready[0])  # the first names again


def test_bandits_can_share_prepared_graphs(data, monkeypatch):
    graphs, _ = data
    bandits = make(epsilon=0.0), make(epsilon=0.0, random_state=6)
    ready = bandits[0].prepare(graphs[:10])
    bandits[1].prepare(graphs[:10])
    prepared = []
    for bandit in bandits:
        engine = bandit._loaded_engine()
        once = engine.prepare
        monkeypatch.setattr(engine, "prepare", lambda graph, once=once: prepared.append(graph) or once(graph))
    for graph in ready:
        for bandit in bandits:
            bandit.update(graph, bandit.act(graph), 1.0)
    assert len(prepared) == 10  # those of the second bandit, once
    again = pickle.loads(pickle.dumps(ready))
    assert [bandits[0].act(graph) for graph in again] == bandits[0].predict(graphs[:10]).tolist()


def test_prepared_graphs_are_numbered(data):
    ready = make().prepare(data[0][:5])
    assert [ready[np.int64(2)].number, ready[np.array(3)].number, len(ready[1:3])] == [2, 3, 2]
    for wrong in (2.0, True, np.True_, [1, 2], "1", None):
        with pytest.raises(TypeError, match=r"number of a prepared graph must be an int, or a slice for several; got"):
            ready[wrong]
    with pytest.raises(IndexError, match="There are 5 prepared graphs; got number 5"):
        ready[5]


def test_nothing_changes_if_an_update_is_refused(data):
    graphs, best = data
    bandit = make()
    play(bandit, graphs, best, stop=5)
    before, rewards = bandit.model_, bandit.rewards_
    unknown = gtm.Graph()
    unknown.add_node(0, properties=["C"])
    for wrong, message in [
        ((graphs[0], "beer", 1.0), r"arm must be one of 'tea', 'ice', 'soup'; got 'beer'"),
        ((graphs[0], ["tea"], 1.0), r"arm must be one of .*; got \['tea'\]"),
        ((graphs[0], "tea", 1.5), r"reward must be a number in reward_range, \[0, 1\]. Got 1.5"),
        ((graphs[0], "tea", np.nan), r"reward must be .* Got nan"),
        ((graphs[0], "tea", "much"), r"Got 'much'"),
        ((graphs[0], "tea", 1.0, 2.0), r"The best reward must be .* Got 2.0"),
        ((graphs[:2], ["tea", "ice"], [1.0, 1.0], [1.0, 2.0]), r"The best reward at place 1 must be .* Got 2.0"),
        ((graphs[:2], ["tea"], [1.0, 1.0]), r"one arm for each of 2 graphs; got 1"),
        ((graphs[:2], ["tea", "ice"], [1.0]), r"one reward for each of 2 graphs; got shape \(1,\)"),
        ((graphs[:2], ["tea", "ice"], [1.0, -1.0]), r"reward at place 1 must be .* Got -1.0"),
        ((graphs[:2], ["tea", "ice"], [1.0, "much"]), r"reward at place 1 must be .* Got 'much'"),
        ((graphs[:2], ["tea", "ice"], [1.0, None]), r"reward at place 1 must be .* Got None"),
        ((graphs[:2], ["tea", "ice"], [[1.0], [1.0, 0.0]]), r"one reward for each of 2 graphs; got nested lists"),
        ((unknown, "tea", 1.0), r"Unknown symbol 'C'.*The first graphs fix the names: start with prepare"),
        ((3, "tea", 1.0), "must be a GraphBatch or a list of Graph"),
    ]:
        with pytest.raises((ValueError, TypeError, gtm.GraphTMError), match=message):
            bandit.update(*wrong)
    bandit.set_params(n_clauses=13)
    advice = "Use sklearn.base.clone to start from scratch, or fit to learn from a log"
    with pytest.raises(ValueError, match=f"'n_clauses' parameter of GraphTMBandit must stay 12.*{advice}"):
        bandit.update(graphs[0], "tea", 1.0)
    bandit.set_params(n_clauses=12, arms=2)
    with pytest.raises(ValueError, match=f"'arms' parameter of GraphTMBandit must stay.*{advice}"):
        bandit.act(graphs[0])
    bandit.set_params(arms=QUICK["arms"], epsilon=0.0)
    assert bandit.model_ is before
    assert bandit.rewards_.tolist() == rewards.tolist()
    assert bandit.act(graphs[0]) == bandit.predict(graphs[:1])[0]


def test_an_interrupt_leaves_whole_updates(data, monkeypatch):
    graphs, best = data
    bandit, whole = make(), make()
    arms = play(whole, graphs, best, stop=20)
    play(bandit, graphs, best, stop=10)
    engine = bandit._loaded_engine()
    learn = engine.fit

    def interrupted(prepared, targets, order):
        learn(prepared, targets, order[:4])
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bandit.update(graphs[10:20], arms[10:], whole.rewards_[10:])
    assert (bandit.state_.step, len(bandit.rewards_)) == (14, 14)
    monkeypatch.undo()
    bandit.update(graphs[14:20], arms[14:], whole.rewards_[14:])
    assert bandit.state_.equals(whole.state_)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"arms": 0}, r"'arms' parameter of GraphTMBandit must be an int in the range \[1, "),
        ({"arms": ["a", "a"]}, "'arms' parameter .* list of different names"),
        ({"arms": [0.5]}, "'arms' parameter .* each a str or an int"),
        ({"reward_range": (1, 0)}, r"'reward_range' parameter .* \(low, high\) with low < high"),
        ({"reward_range": (-1e308, 1e308)}, r"'reward_range' parameter .* pair of finite numbers"),
        ({"epsilon": 1.5}, r"'epsilon' parameter .* number in the range \[0, 1\]"),
        ({"exploration": "ucb"}, r"'exploration' parameter .* among \{'epsilon', 'thompson'\}"),
        ({"n_heads": 65}, r"'n_heads' parameter .* \[2, 64\]"),
    ],
)
def test_parameters_are_checked(data, wrong, message):
    with pytest.raises(ValueError, match=message):
        make(**wrong).act(data[0][0])


def test_it_is_an_estimator_of_scikit_learn(data):
    bandit = make()
    assert clone(bandit).get_params() == bandit.get_params()
    message = "This GraphTMBandit has no model yet. Call act, update, prepare or fit first."
    for call in (lambda: bandit.predict(data[0]), lambda: bandit.regret_, lambda: bandit.prune(data[0])):
        with pytest.raises(NotFittedError, match=message):
            call()
    with pytest.raises(AttributeError, match=message):
        _ = bandit.model_
    bandit.act(data[0][0])
    assert bandit.params_["arms"] == QUICK["arms"]
    assert not hasattr(clone(bandit), "model_")


@pytest.mark.parametrize("exploration", EXPLORATIONS)
def test_rules_explanations_exports_and_pruning(data, tmp_path, exploration):
    graphs, best = data
    bandit = make(exploration=exploration, n_heads=4)
    play(bandit, graphs, best)
    sums, arms = bandit.class_sums(graphs), bandit.predict(graphs)
    outputs = bandit.transform(graphs).astype(int)
    rules = bandit.rules(simplify=False)
    votes = np.zeros((12, 3), int)
    for rule in rules:
        votes[rule.clause] = rule.weights
    assert np.array_equal(outputs @ votes, sums)
    assert all(rule.weights[1] > 0 for rule in bandit.rules("ice", top=2))
    ex = bandit.explain(graphs[0])
    assert list(ex.votes.values()) == sums[0].tolist()
    assert ex.prediction == arms[0]
    with pytest.raises(ValueError, match="The arm must be one of"):
        ex.scores("beer")
    for found in (rules, ex.rules()):
        with pytest.raises(ValueError, match=r"The arm must be one of \['tea', 'ice', 'soup'\]; got 'beer'"):
            found.sort("weight", "beer")
    with pytest.raises(ValueError, match="The arm to reach must differ from the predicted one"):
        ex.smallest_change(ex.prediction)
    assert "another arm" in str(dataclasses.replace(ex.smallest_change(max_changes=1), edits=()))
    bandit.export(tmp_path / "bandit.py")
    space = {}
    exec((tmp_path / "bandit.py").read_text(), space)
    bandit.export(tmp_path / "graphs.jsonl", graphs)
    lines = (tmp_path / "graphs.jsonl").read_text().splitlines()
    assert [space["predict"](json.loads(line)) for line in lines] == arms.tolist()
    assert np.array_equal(bandit.prune(graphs).class_sums(graphs), sums)
    bandit.update(graphs[0], "tea", 1.0)
    assert bandit.state_.step == 61


@pytest.mark.parametrize("exploration", EXPLORATIONS)
def test_learning_from_a_log(data, tmp_path, exploration):
    graphs, best = data
    rng = np.random.default_rng(0)
    taken = rng.integers(2, size=60)
    log = (np.array(["tea", "ice"])[taken], (taken == best).astype(float))
    bandit = make(exploration=exploration, epochs=4, validation_fraction=0.2)
    bandit.fit(graphs, log, callbacks=[gtm.Checkpoint(tmp_path / "run.gtm", every=70, unit="examples")])
    assert 0 <= bandit.history_[-1]["val_reward"] <= 1
    resumed = make(exploration=exploration, epochs=4, validation_fraction=0.2)
    resumed.fit(graphs, log, resume_from=tmp_path / "run.gtm")
    assert resumed.state_.equals(bandit.state_)
    assert len(bandit.rewards_) == 0
    bandit.update(graphs[0], "tea", 0.5)
    bandit.save(tmp_path / "bandit.gtm")
    assert gtm.load(tmp_path / "bandit.gtm").rewards_.tolist() == [0.5]
    with pytest.raises(TypeError, match=r"y must be a pair \(arms, rewards\)"):
        bandit.fit(graphs, [1, 2, 3])
    with pytest.raises(TypeError, match=r"y must be a pair \(arms, rewards\), .* a list of two pairs, one per graph"):
        bandit.fit(graphs[:2], [(0, 1.0), (1, 0.0)])


def test_a_log_teaches_the_best_arm():
    graphs, best = arrows(300, 4)
    taken = np.random.default_rng(0).integers(2, size=300)
    bandit = make(arms=2, n_clauses=20, epochs=10).fit(graphs, (taken, (taken == best).astype(float)))
    test, truth = arrows(50, 5)
    assert np.array_equal(bandit.predict(test), truth)


@pytest.mark.parametrize("arms", [["ice", "tea"], ["cola", "milk"]])
def test_a_fit_from_scratch_may_have_other_arms(data, arms):
    graphs, best = data
    taken = np.random.default_rng(0).integers(2, size=60)
    rewards = (taken == best).astype(float)
    bandit = make(arms=["tea", "ice"], epochs=2).fit(graphs, (np.array(["tea", "ice"])[taken], rewards))
    log = (np.array(arms)[taken], rewards)
    again, new = bandit.set_params(arms=arms).fit(graphs, log), make(arms=arms, epochs=2).fit(graphs, log)
    assert again.state_.equals(new.state_)
    assert again.predict(graphs).tolist() == new.predict(graphs).tolist()


@pytest.mark.parametrize(
    "changes", [{"arms": ["ice", "tea", "soup"]}, {"reward_range": (0, 2)}, {"exploration": "thompson"}]
)
def test_training_goes_on_with_the_same_arms_and_rewards(data, tmp_path, changes):
    graphs, _ = data
    (name,) = changes
    log = (["tea", "ice"] * 30, [1.0, 0.0] * 30)
    bandit = make(epochs=2, warm_start=True).fit(graphs, log, callbacks=[gtm.Checkpoint(tmp_path / "run.gtm")])
    sums, expected, before = bandit.class_sums(graphs), bandit.expected_rewards(graphs), bandit.state_
    with pytest.raises(ValueError, match=f"The {name!r} parameter of GraphTMBandit must stay"):
        bandit.set_params(**changes).fit(graphs, log)
    with pytest.raises(ValueError, match=f"The {name!r} parameter of GraphTMBandit must stay"):
        make(epochs=3, **changes).fit(graphs, log, resume_from=tmp_path / "run.gtm")
    assert bandit.state_ is before
    assert np.array_equal(bandit.class_sums(graphs), sums)
    assert np.array_equal(bandit.expected_rewards(graphs), expected)


def test_random_words_do_not_depend_on_how_they_are_asked():
    draws = Draws(7, Purpose.DECISION)
    numbers = np.array([0, 1023, 1024, 5, 2**40 + 3], dtype=np.uint64)
    assert [draws[int(number)] for number in numbers] == draws.words(numbers).tolist()


def test_damaged_logs_are_refused(data):
    bandit = make()
    play(bandit, data[0], data[1], stop=6)
    extra = bandit._extra()
    for change in (
        {"n_updates": 7},
        {"n_updates": 5},
        {"n_decisions": -1},
        {"n_decisions": True},
        {"arms": extra["log"]["rewards"]},
        {"rewards": "!"},
    ):
        with pytest.raises(ValueError):  # noqa: PT011 -- any damage
            pickle.loads(pickle.dumps(bandit))._restore_extra({**extra, "log": {**extra["log"], **change}})
    with pytest.raises(ValueError, match="the arms must be those of the settings"):
        bandit.set_params(arms=3)._restore_extra(extra)


def test_targets_of_one_update_are_those_of_a_batch():
    """Made in a quicker way, with the same arrays."""
    outputs = ArmOutputs(np.array(["a", "b", "c"]), 4)
    for word in (0b0000, 0b1010, 0b1111):
        listed = tuple(4 + head for head in range(4) if word >> head & 1)
        quick = one_target(listed, -3, len(outputs), 9)
        batch = outputs.targets(np.array([1]), np.array([-3]), np.array([word], np.uint64), 9)
        for field in dataclasses.fields(batch):
            mine, other = getattr(quick, field.name), getattr(batch, field.name)
            assert np.array_equal(mine, other)
            assert getattr(mine, "dtype", type(mine)) == getattr(other, "dtype", type(other))
            assert not isinstance(mine, np.ndarray) or not mine.flags.writeable
