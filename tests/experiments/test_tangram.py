"""Tangram pieces: actions, graphs, and worlds that follow from utterances."""

from collections import Counter
from itertools import permutations
from types import SimpleNamespace

import numpy as np
import pytest
from shared import shared_data

import graphtm as gtm
from graphtm.experiments import reproduce
from graphtm.experiments.running import Run
from graphtm.experiments.tangram import final_worlds, load, padded, scores_of, tasks_of
from graphtm.experiments.tangram_actions import Action, Story, Task, facts_of, parse, steps, words_of
from graphtm.experiments.tangram_graphs import action_graphs, state_graphs, training_actions
from graphtm.graphs import Vocabulary

ROW = {
    "id": "train-437",
    "worlds": ("1:2 2:1 3:4 4:0 5:3", "1:2 2:4 3:0 4:3", "1:4 2:0 3:3", "1:3 2:0 3:4", "1:4 2:0 3:3"),
    "utterances": (
        "delete the second object from the left",
        "delete the leftmost object",
        "swap the leftmost and the rightmost objects",
        "swap them again",
        "add back the object we removed on step 1",
    ),
}
LAST = "1:1 2:4 3:0 4:3"
REMOVE_B = Action("remove", (1,), frozenset("b"))


def test_a_row_is_cut_to_its_first_utterances():
    task = Task.of(ROW, LAST, 3)
    assert task.utterances == ROW["utterances"][:3]
    assert task.worlds[-1] == ("3", "0", "4")
    assert Task.of(ROW, LAST, 5).worlds[-1] == ("1", "4", "0", "3")


def test_actions_follow_from_worlds():
    """The row of the real data, by hand."""
    found = [action for _, _, action in steps(Task.of(ROW, LAST, 5))]
    assert [(one.kind, one.places, "".join(sorted(one.pieces))) for one in found] == [
        ("remove", (1,), "1"),
        ("remove", (0,), "2"),
        ("swap", (0, 2), "34"),
        ("swap", (0, 2), "34"),
        ("add", (0,), "1"),
    ]


def test_a_step_that_no_action_explains():
    with pytest.raises(ValueError, match=r"No swap, removal or addition leads from \('a', 'b'\) to \('c',\)"):
        Story((("a", "b"),)).action_to(("c",))


def test_all_possible_actions_differ():
    story = Story((("a", "b", "c"),)).then(REMOVE_B)
    worlds = [action.do(story.world) for action in story.candidates()]
    assert len(set(worlds)) == len(worlds) == 1 + 2 + 3
    assert ("c", "b", "a") not in worlds
    assert {("c", "a"), ("a",), ("b", "a", "c"), ("a", "c", "b")} <= set(worlds)
    assert len(Story((("a",),)).then(Action("remove", (0,), frozenset("a"))).candidates()) == 1


def neighbours(world, pieces):
    """Return the worlds that one swap, removal or return leads to, found among all worlds there are."""

    def is_near(other):
        longer, shorter = sorted((world, other), key=len, reverse=True)
        if len(longer) == len(shorter):
            return set(world) == set(other) and sum(a != b for a, b in zip(world, other, strict=True)) == 2
        return any(longer[:i] + longer[i + 1 :] == shorter for i in range(len(longer)))

    everything = [other for n in range(len(pieces) + 1) for other in permutations(pieces, n)]
    return {other for other in everything if abs(len(other) - len(world)) <= 1 and is_near(other)}


@pytest.mark.parametrize("world", ["abcde", "ecab", "dae", "bc", "d", ""])
def test_possible_actions_by_brute_force(world):
    """They lead to each world that one action leads to, once, and the action that leads to a world is found."""
    story = Story((tuple("abcde"), tuple(world)))
    reached = [action.do(story.world) for action in story.candidates()]
    assert len(reached) == len(set(reached))
    assert set(reached) == neighbours(tuple(world), "abcde")
    for other in reached:
        assert story.action_to(other).do(story.world) == other


def test_facts_do_not_name_pieces():
    """The same story with other pieces has the same facts."""
    task = Task.of(ROW, LAST, 5)
    other = Task(task.utterances, tuple(tuple("cadbe"[int(piece)] for piece in world) for world in task.worlds))
    for (_, story, _), (_, renamed, _) in zip(steps(task), steps(other), strict=True):
        facts, same = (
            Counter(frozenset(facts_of(one, action)) for action in one.candidates()) for one in (story, renamed)
        )
        assert facts == same


@pytest.mark.parametrize(("n", "n_known", "seen", "unchanged"), [(3, 3618, 0.565, 0.656), (5, 5980, 0.405, 0.615)])
def test_the_real_rows(n, n_known, seen, unchanged):
    """What the note of the experiment says; and each step is a single action."""
    rows = load(shared_data("scone").parent, False)
    assert (len(rows.y), len(rows.y_test)) == (4189, 800)
    train, test = tasks_of(rows.train, rows.y, n), tasks_of(rows.test, rows.y_test, n)
    assert sum(len(list(steps(task))) for task in train) == n * 4189
    known = {utterance for task in train for utterance in task.utterances}
    assert len(known) == n_known
    assert np.mean([known.issuperset(task.utterances) for task in test]) == pytest.approx(seen, abs=0.0005)
    stays = [padded(task.worlds[-2])[0] == padded(task.worlds[-1])[0] for task in train]
    assert np.mean(stays) == pytest.approx(unchanged, abs=0.0005)


def test_an_action_relates_to_earlier_ones():
    story = Story((("a", "b", "c", "d"),)).then(REMOVE_B).then(Action("remove", (0,), frozenset("a")))
    back = facts_of(story, Action("add", (1,), frozenset("b")))
    assert {
        ("ago", 2, "undone"),
        ("step", 1, "undone"),
        ("back in place",),
        ("last away", 2),
        ("first away", 1),
    } <= back
    assert ("ago", 1, "undone") not in back
    assert ("only one away",) not in back
    again = facts_of(story, Action("remove", (0,), frozenset("c")))
    assert {("ago", 1, "repeated"), ("step", 2, "same places"), ("ago", 2, "same kind")} <= again
    assert ("ago", 2, "same places") not in again
    swapped = Story((("a", "b", "c"),)).then(Action("swap", (0, 2), frozenset("ac")))
    undo = facts_of(swapped, Action("swap", (0, 2), frozenset("ac")))
    assert {("ago", 1, "undone"), ("ago", 1, "world before"), ("ago", 1, "repeated"), ("mirrored",)} <= undo
    other = facts_of(swapped, Action("swap", (0, 1), frozenset("bc")))
    assert ("ago", 1, "some pieces") in other
    assert not {("ago", 1, "undone"), ("ago", 1, "world before"), ("mirrored",)} & other


def test_the_piece_removed_last_counts_with_its_last_removal():
    """A piece that came back and went again is the one that went last."""
    story = Story((("a", "b", "c"),)).then(Action("remove", (0,), frozenset("a")))
    story = story.then(Action("add", (0,), frozenset("a"))).then(REMOVE_B).then(Action("remove", (0,), frozenset("a")))
    facts = facts_of(story, Action("add", (0,), frozenset("a")))
    assert {("last away", 1), ("first away", 2), ("was at place", 1)} <= facts


def test_words_and_their_neighbours():
    assert words_of("Undo STEP 1!") == {
        ("says", "undo"),
        ("says", "step"),
        ("says", "1"),
        ("says", "undo", "step"),
        ("says", "step", "1"),
        ("says", "undo", "step", "1"),
    }


def test_graphs_of_the_paper():
    """Utterances are edges; the last world is not shown, and with "first" only the first is."""
    task = Task.of(ROW, LAST, 3)
    graph = state_graphs([task, task], "all")[1]
    assert [set(graph.properties(node)) for node in graph.nodes] == [
        {(1, "2"), (2, "1"), (3, "4"), (4, "0"), (5, "3")},
        {(1, "2"), (2, "4"), (3, "0"), (4, "3")},
        {(1, "4"), (2, "0"), (3, "3")},
        {"unknown"},
    ]
    assert list(state_graphs([task], "all").vocabulary.edge_types) == list(ROW["utterances"][:3])
    hidden = state_graphs([task], "first")[0]
    assert [len(hidden.properties(node)) for node in hidden.nodes] == [5, 0, 0, 1]
    assert len(hidden.edges) == 3


def test_a_world_that_comes_back_is_the_same_node():
    """The third world is also the fifth; the last is a node of its own, even if it was there before."""
    graph = state_graphs([Task.of(ROW, LAST, 5)], "all")[0]
    assert len(graph.nodes) == 5
    assert sorted(edge[:2] for edge in graph.edges) == [(0, 1), (1, 2), (2, 3), (2, 4), (3, 2)]
    back = Task(("x", "y"), (("a", "b"), ("b", "a"), ("a", "b")))
    assert len(state_graphs([back], "all")[0].nodes) == 3


def test_graphs_do_not_tell_the_answer():
    tasks = [Task.of(ROW, last, 5) for last in (LAST, "1:4 2:0", "")]
    for shown in ("all", "first"):
        assert len({str(graph) for graph in state_graphs(tasks, shown)}) == 1
    moved = [Task(tasks[0].utterances, (tasks[0].worlds[0], *[("0",)] * 5)), tasks[0]]
    assert len({str(graph) for graph in state_graphs(moved, "first")}) == 1


def test_all_accuracies():
    task = Task(("x",), (("a", "b"), ("a", "b", "c")))
    assert scores_of([("a", "b", "c"), ("b", "a", "c")], [task, task]) == {
        "accuracy": 0.5,
        "position accuracy": pytest.approx(0.8),
        "first place accuracy": 0.5,
    }
    assert scores_of([("a", "b")], [task])["position accuracy"] == pytest.approx(0.8)


class Knows:
    """A machine for a position that answers rightly from some epoch on, and before that with no piece there is."""

    def __init__(self, answers, first_right):
        self.answers, self.first_right = answers, first_right

    def fit(self, graphs, y, *, callbacks):
        self.history_ = []
        for self.epoch in range(2):
            record = {"seconds": 1.5 + self.epoch, "included_literals": 0.0}
            training = SimpleNamespace(estimator=self, record=record, epoch=self.epoch + 1, last_epoch=2, is_over=True)
            for callback in sorted(callbacks, key=lambda one: one.order):
                callback.on_epoch_end(training)
            self.history_.append(record)
        return self

    def predict(self, graphs):
        return self.answers if self.epoch >= self.first_right else np.full(len(graphs), "wrong")


def test_machines_of_all_positions(data, monkeypatch):
    """Each position has its own machine; the whole is right only if all are, and time is that of all."""
    rows = load(data, True)
    answers = np.array([padded(task.worlds[-1]) for task in tasks_of(rows.test, rows.y_test, 3)])
    firsts = iter([1, 0, 1, 0, 0])
    machines = iter([Knows(own, next(firsts)) for own in answers.T])
    monkeypatch.setattr(Run, "classifier", lambda self, variant, seed: next(machines))
    options = dict(variants=("3 utterances",), data_home=data, quick=True, n_jobs=1)
    told = []
    (record,) = reproduce("tangram", **options, note=told.append)
    assert record.scores == {
        "accuracy": [0.0, 1.0],
        "position accuracy": [0.6, 1.0],
        "first place accuracy": [0.0, 1.0],
    }
    assert record.seconds == [7.5, 12.5]
    assert told[0].startswith("tangram, 3 utterances, seed 0, position 1, epoch 1/2: 0.00 %, ")
    assert told[-1].startswith("tangram, 3 utterances, seed 0, position 5, epoch 2/2: 100.00 %, ")


@pytest.mark.filterwarnings("ignore::graphtm.errors.CodeCollisionWarning")
def test_machines_of_positions_are_saved_and_not_trained_again(data, tmp_path, monkeypatch):
    """A seed that has ended before an interruption is not repeated; each position has its own model."""
    fit, n_fits = gtm.GraphTMClassifier.fit, []

    def counted(self, *given, **options):
        if len(n_fits) == 7:
            raise KeyboardInterrupt
        n_fits.append(fit(self, *given, **options))
        return n_fits[-1]

    monkeypatch.setattr(gtm.GraphTMClassifier, "fit", counted)
    for folder in ("models", "checkpoints"):
        (tmp_path / folder).mkdir()
    options = dict(variants=("3 utterances",), data_home=data, quick=True, n_jobs=1, seeds=2)
    options["changes"] = {"n_clauses": 4, "T": 10, "depth": 1, "epochs": 1}
    folders = dict(models=tmp_path / "models", checkpoints=tmp_path / "checkpoints")
    with pytest.raises(KeyboardInterrupt):
        reproduce("tangram", **options, **folders)
    del n_fits[2:]  # room for five more: those of the second seed
    told = []
    first, second = reproduce("tangram", **options, **folders, note=told.append)
    assert len(n_fits) == 7
    assert told[0] == "tangram, 3 utterances, seed 0: done before the interruption"
    assert (first.seed, second.seed) == (0, 1)
    names = {path.name for path in folders["models"].iterdir()}
    assert names == {
        f"tangram-paper-3_utterances_position_{place}-seed{seed}.gtm" for place in range(1, 6) for seed in (0, 1)
    }
    assert gtm.load(folders["models"] / "tangram-paper-3_utterances_position_1-seed0.gtm").epoch_ == 1
    assert not [*folders["checkpoints"].iterdir()]


def test_machines_learn_what_is_shown(data):
    """From the worlds before, the first piece is told better than by the most frequent one."""
    rows = load(data, True)
    tasks = tasks_of(rows.train, rows.y, 3)
    pieces = np.array([padded(task.worlds[-1]) for task in tasks])
    graphs = state_graphs(tasks, "all")
    y = pieces[:, 0]
    classifier = gtm.GraphTMClassifier(n_clauses=60, T=100, s=5.0, depth=3, epochs=20, random_state=0, n_jobs=1)
    most = max(Counter(y.tolist()).values()) / len(y)
    assert classifier.fit(graphs, y).score(graphs, y) > most + 0.25


def test_rare_symbols_and_wrong_actions_are_left_out():
    tasks = [Task.of(ROW, LAST, 5)] * 3
    graphs, y, vocabulary = training_actions(tasks, 1.0, 3)
    assert y.sum() == 15
    assert len(graphs) == len(y) == 3 * (15 + 15 + 14 + 14 + 14)
    assert ("says", "leftmost") in vocabulary.symbols
    few, y, smaller = training_actions(tasks, 0.1, 10)
    assert y.sum() == 15
    assert len(few) < len(graphs) / 3
    assert len(smaller.symbols) < len(vocabulary.symbols)


def test_unknown_symbols_are_ignored():
    graphs = action_graphs([{"a", "b"}, {"c"}], Vocabulary(["a", "b"]))
    assert [graphs[n].properties(graphs[n].nodes[0]) for n in (0, 1)] == [("a", "b"), ()]


def test_only_the_first_world_is_read(data):
    """Worlds that follow are not looked at: what they say changes nothing."""
    rows = load(data, True)
    graphs, y, vocabulary = training_actions(tasks_of(rows.train, rows.y, 5), 1.0, 1)
    classifier = gtm.GraphTMClassifier(
        n_clauses=20, T=200, s=20.0, depth=1, epochs=1, random_state=0, engine="reference"
    )
    chosen = np.arange(0, len(y), 20)
    classifier.fit(graphs[chosen], y[chosen])
    tasks = tasks_of(rows.test, rows.y_test, 3)[:5]
    blind = [Task(task.utterances, task.worlds[:1]) for task in tasks]
    assert final_worlds(classifier, vocabulary, tasks) == final_worlds(classifier, vocabulary, blind)


def test_utterances_are_understood(data):
    """Stories that follow from their utterances, which are the same in both parts, are mostly told."""
    told = []
    (record,) = reproduce(
        "tangram",
        preset="best",
        variants=("3 utterances",),
        data_home=data,
        quick=True,
        n_jobs=1,
        show=told.append,
    )
    assert record.final["accuracy"] > 0.85
    assert told == []


def test_aliases_are_shown(data):
    told = []
    reproduce("tangram", variants=("3 utterances",), data_home=data, quick=True, n_jobs=1, show=told.append)
    assert "share 64 shifts of messages, up to 1 each" in told[0]
    assert told[0].endswith(" % of the test rows have none.")
    assert parse("") == ()
