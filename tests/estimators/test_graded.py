"""Graded clauses in estimators: strengths instead of truth values, and everything else as without grading."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from graded import ENGINES, GRADED, weak_signs
from scipy import sparse
from sklearn.base import clone

import graphtm as gtm
from graphtm.datasets import sequences

DEEP = dict(n_clauses=8, T=40, s=30.0, max_misses=5, max_included_literals=12, depth=2)
"""Parameters of a small machine for :func:`sequences`."""


@pytest.fixture(scope="module")
def signs():
    return weak_signs(120, 0)


@pytest.fixture(scope="module")
def chains():
    return tuple(sequences(40, random_state=1))


def classifier(engine="reference", **parameters):
    return gtm.GraphTMClassifier(**{**GRADED, "depth": 1, "epochs": 2, "random_state": 3, **parameters}, engine=engine)


@pytest.fixture(scope="module", params=ENGINES)
def deep(request, chains):
    """A classifier of chains, with strengths of many kinds."""
    clf = gtm.GraphTMClassifier(**DEEP, epochs=12, random_state=3, engine=request.param).fit(*chains)
    assert len(np.unique(clf.transform(chains[0]))) > 2
    return clf


# Strengths


def test_transform_returns_strengths(deep, chains):
    graphs, _ = chains
    strengths = deep.transform(graphs)
    assert strengths.dtype == np.uint8
    assert strengths.shape == (len(graphs), 8)
    assert strengths.max() <= deep.max_misses + 1
    assert np.array_equal(strengths.astype(np.int64) @ deep.state_.weights.T, deep.class_sums(graphs))
    assert deep.get_feature_names_out().tolist() == [f"C{clause}" for clause in range(8)]


def test_strengths_of_nodes_have_the_strength_of_the_graph_as_maximum(deep, chains):
    graphs, _ = chains
    nodes = deep.transform_nodes(graphs)
    assert isinstance(nodes, sparse.csr_array)
    assert nodes.dtype == np.uint8
    assert nodes.shape == (graphs.n_nodes, 8)
    starts = np.cumsum(graphs.node_counts) - graphs.node_counts
    assert np.array_equal(np.maximum.reduceat(nodes.toarray(), starts), deep.transform(graphs))


def test_no_graphs_have_strengths_of_the_same_type(deep, chains):
    none = chains[0][:0]
    assert deep.transform(none).dtype == np.uint8
    assert deep.transform(none).shape == (0, 8)
    assert deep.transform_nodes(none).dtype == np.uint8
    assert deep.transform_nodes(none).shape == (0, 8)


def test_without_grading_clauses_are_true_or_false(signs):
    clf = classifier(max_misses=0, s=3.0).fit(*signs)
    assert clf.transform(signs[0]).dtype == np.bool_
    assert clf.transform_nodes(signs[0]).dtype == np.bool_
    assert clf.transform(signs[0][:0]).dtype == np.bool_


# Learning


@pytest.mark.parametrize("engine", ENGINES)
def test_many_weak_signs_are_learned_with_few_clauses(engine):
    train, test = weak_signs(200, 1), weak_signs(200, 2)
    clf = classifier(engine, epochs=12).fit(*train, eval_set=test)
    assert clf.history_[0]["val_accuracy"] < 0.85
    assert clf.score(*test) > 0.93


@pytest.mark.parametrize("engine", ENGINES)
def test_epochs_one_by_one_are_the_same(signs, engine):
    whole = classifier(engine, epochs=3).fit(*signs)
    parts, warm = classifier(engine), classifier(engine, epochs=1, warm_start=True)
    for _ in range(3):
        parts.partial_fit(*signs)
        warm.fit(*signs)
    assert parts.state_.equals(whole.state_)
    assert warm.state_.equals(whole.state_)
    with pytest.raises(ValueError, match="'max_misses' parameter of GraphTMClassifier must stay 4"):
        parts.set_params(max_misses=3).partial_fit(*signs)


@pytest.mark.parametrize("engine", ENGINES)
def test_graphs_of_weight_zero_teach_nothing(signs, engine):
    graphs, y = signs
    weights = (np.arange(len(y)) % 2).astype(float)
    other = np.where(weights == 0, 1 - y, y)
    first = classifier(engine).fit(graphs, y, weights)
    assert classifier(engine).fit(graphs, other, weights).state_.equals(first.state_)
    assert not classifier(engine).fit(graphs, other).state_.equals(first.state_)


@pytest.mark.parametrize("engine", ENGINES)
def test_early_stopping_returns_to_the_best_epoch(signs, engine):
    stopped = classifier(engine, epochs=30, validation_fraction=0.3, patience=2).fit(*signs)
    assert stopped.epoch_ < 30
    scores = [record["val_accuracy"] for record in stopped.history_]
    assert scores[stopped.epoch_ - 1] == max(scores)
    again = classifier(engine, epochs=stopped.epoch_, validation_fraction=0.3).fit(*signs)
    assert again.state_.equals(stopped.state_)


class Halt(gtm.Callback):
    """Ends a fit with an error after some examples, once the checkpoint has been written."""

    order = 3

    def __init__(self, step):
        self.every_examples, self.step = step, step

    def on_progress(self, training):
        if training.step == self.step:
            raise InterruptedError


@pytest.mark.parametrize("first", ENGINES)
@pytest.mark.parametrize("second", ENGINES)
def test_a_fit_is_resumed_bit_for_bit(tmp_path, chains, first, second):
    def new(engine):
        return gtm.GraphTMClassifier(**DEEP, epochs=4, random_state=3, engine=engine)

    path = tmp_path / "checkpoint.gtm"
    checkpoint = gtm.Checkpoint(path, every=25, unit="examples")
    with pytest.raises(InterruptedError):
        new(first).fit(*chains, callbacks=[checkpoint, Halt(75)])
    assert gtm.load(path).model_.position == 35
    resumed = new(second).fit(*chains, resume_from=path)
    whole = new(first).fit(*chains)
    assert resumed.state_.equals(whole.state_)
    assert np.array_equal(resumed.class_sums(chains[0]), whole.class_sums(chains[0]))
    with pytest.raises(ValueError, match="'max_misses' parameter of GraphTMClassifier must stay 5"):
        new(second).set_params(max_misses=0).fit(*chains, resume_from=path)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sampling", ["clause", "class"])
def test_negative_classes_are_sampled(signs, engine, sampling):
    graphs, y = signs
    thirds = y + (np.arange(len(y)) % 2) * 2
    states = [
        classifier(engine, q=q, negative_sampling=sampling).fit(graphs, thirds).state_.weights for q in (0.2, 3.0)
    ]
    # A larger q means more feedback for the three other classes, so their weights move further.
    assert np.abs(states[0]).sum() < np.abs(states[1]).sum()


# Predictions


def test_probabilities_follow_the_votes(deep, chains):
    graphs, y = chains
    sums, probabilities = deep.class_sums(graphs), deep.predict_proba(graphs)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(probabilities.argmax(axis=1), sums.argmax(axis=1))
    assert np.array_equal(deep.decision_function(graphs), sums[:, 1] - sums[:, 0])
    before = deep.predict(graphs)
    calibrated = pickle.loads(pickle.dumps(deep)).calibrate(graphs, y)
    assert np.array_equal(calibrated.predict(graphs), before)
    assert calibrated.temperature_ != 1


@pytest.mark.parametrize("engine", ENGINES)
def test_labels(signs, engine):
    graphs, y = signs
    labels = [{"one"} if one else {"zero", "none"} if number % 2 else {"zero"} for number, one in enumerate(y)]
    clf = gtm.GraphTMMultiLabelClassifier(**GRADED, depth=1, epochs=8, random_state=3, engine=engine)
    clf.fit(graphs, labels, eval_set=(graphs, labels))
    sums = clf.class_sums(graphs)
    assert np.array_equal(clf.transform(graphs).astype(np.int64) @ clf.state_.weights.T, sums)
    expected = [set(clf.classes_[row >= 0]) for row in sums]
    assert [set(found) for found in clf.predict(graphs)] == expected
    best, best_sums = clf.rank(graphs, 2, return_sums=True)
    assert np.array_equal(best_sums, -np.sort(-sums, axis=1)[:, :2])
    assert np.array_equal(best[:, 0], clf.classes_[sums.argmax(axis=1)])
    assert clf.calibrate(graphs, labels).temperature_ > 0


@pytest.mark.parametrize("engine", ENGINES)
def test_nodes_are_classified(chains, engine):
    """Neighbourhoods of nodes give the strengths that whole graphs give, with readout at one node."""
    graphs, _ = chains
    examples = graphs.node_examples(depth=2)
    y = np.arange(len(examples)) % 3 > 0
    clf = gtm.GraphTMClassifier(**DEEP, epochs=1, random_state=3, engine=engine).fit(examples, y)
    assert np.array_equal(clf.transform(examples), clf.transform_nodes(graphs).toarray())
    first = np.cumsum(graphs.node_counts) - graphs.node_counts
    assert np.array_equal(clf.transform(graphs.with_readout(first)), clf.transform(examples[first]))


@pytest.mark.filterwarnings("ignore:T is far above", "ignore:Clauses that may miss")
@pytest.mark.parametrize("engine", ENGINES)
def test_the_strongest_votes_that_there_can_be(engine):
    """Class sums are exact where every clause has the largest strength and the largest weight."""
    graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]])
    clf = classifier(engine, n_clauses=2000, max_misses=254, T=2**30 - 1, epochs=0, q=1.0)
    clf.fit(graphs, ["left", "right"])
    most = 2**31 - 1
    weights = np.full((2, 2000), most, np.int32)
    weights[1] *= -1
    clf.model_ = replace(clf.model_, state=replace(clf.state_, weights=weights))
    clf = pickle.loads(pickle.dumps(clf))  # without the engine, which holds the former weights
    votes = 2000 * 255 * most
    assert clf.class_sums(graphs).tolist() == [[votes, -votes]] * 2
    assert clf.predict(graphs).tolist() == ["left", "left"]
    assert clf.predict_proba(graphs).tolist() == [[1, 0]] * 2
    assert clf.decision_function(graphs).tolist() == [-2.0 * votes] * 2


# Copies and files


def test_copies_have_the_parameter(deep, chains, tmp_path):
    graphs, _ = chains
    assert clone(deep).max_misses == 5
    deep.save(tmp_path / "model.gtm")
    for again in (pickle.loads(pickle.dumps(deep)), gtm.load(tmp_path / "model.gtm")):
        assert again.max_misses == again.model_.params.max_misses == 5
        assert np.array_equal(again.transform(graphs), deep.transform(graphs))
        assert np.array_equal(again.class_sums(graphs), deep.class_sums(graphs))


@pytest.mark.parametrize("value", [-1, 255, 1.0, True, None, "9"])
def test_values_that_are_refused(signs, value):
    with pytest.raises(ValueError, match=r"'max_misses' parameter of GraphTMClassifier must be an int in the range"):
        classifier(max_misses=value).fit(*signs)


def test_vote_sums_fit_into_64_bits(signs):
    message = (
        r"'max_misses' parameter of GraphTMClassifier must be at most 63 with 33,554,431 clauses, .* Got 64 instead"
    )
    with pytest.raises(ValueError, match=message):
        classifier(n_clauses=2**25 - 1, max_misses=64).fit(*signs)
    assert gtm.model.MachineParams(n_outputs=2, hypervector_size=1, n_clauses=2**25 - 1, max_misses=63).max_misses == 63
    assert (2**25 - 1) * 64 * (2**31 - 1) * 2 + 1 < 2**63  # margins are up to twice the sum of votes, and one


# Guidance


def small(s, max_misses=2, depth=1):
    return gtm.GraphTMClassifier(
        n_clauses=4, T=10, s=s, max_misses=max_misses, depth=depth, epochs=1, random_state=0, engine="reference"
    )


@pytest.mark.parametrize(
    ("s", "depth", "given"), [(10.0, 1, r"s=10\."), (29, 2, r"s=29\."), ((500.0, 5.0), 2, r"s=5 in layer 1\.")]
)
def test_a_small_s_is_warned_of(chains, s, depth, given):
    clf = small(s, depth=depth)
    with pytest.warns(
        UserWarning, match=rf"Graded clauses \(max_misses=2\) forget .* 100 to 1,000, .* Got {given}"
    ) as got:
        clf.fit(*chains)
    assert len(got) == 1
    assert got[0].filename == __file__
    # What was said once is not said again: pytest makes errors of warnings.
    clf.partial_fit(*chains)
    clf.set_params(warm_start=True).fit(*chains)


@pytest.mark.parametrize(("s", "max_misses"), [(30.0, 2), (500.0, 2), (1.0, 0)])
def test_other_parameters_are_not_warned_of(chains, s, max_misses):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        small(s, max_misses).fit(*chains)


def test_the_first_partial_fit_warns(chains):
    with pytest.warns(UserWarning, match="Graded clauses"):
        small(3.0).partial_fit(*chains)
