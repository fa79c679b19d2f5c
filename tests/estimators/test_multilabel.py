"""The multi-label classifier as a user meets it."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, f1_score, label_ranking_average_precision_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import graphtm as gtm
from graphtm.codes import encode
from graphtm.engines import initial_state, make_engine
from graphtm.engines.random import epoch_order
from graphtm.engines.targets import label_targets, sparse_targets
from graphtm.estimators.multilabel import largest
from graphtm.explain import Change, Edit, LabelChange, Searched
from graphtm.model import read_model, write_model

QUICK = dict(n_clauses=12, T=8, s=3.0, depth=1, epochs=2, random_state=5)
NAMES = ["first", "second", "both", "none"]


def things(n, seed):
    """Graphs of two nodes; labels say which of four symbols are there, two of them together, or none."""
    rng = np.random.default_rng(seed)
    has = rng.random((n, 2, 4)) < 0.3
    graphs = gtm.GraphBatch.from_arrays([2] * n, has.reshape(2 * n, 4), symbols=[*"abcd"])
    there = has.any(axis=1)
    together = (has[:, :, 0] & has[:, :, 1]).any(axis=1)
    return graphs, np.stack([there[:, 0], there[:, 1], together, ~there.any(axis=1)], axis=1)


@pytest.fixture(scope="module")
def data():
    return things(150, 1)


def as_sets(indicator, names):
    return [{names[column] for column in np.flatnonzero(row)} for row in indicator]


def fit(graphs, y, **changes):
    return gtm.GraphTMMultiLabelClassifier(**{**QUICK, **changes}).fit(graphs, y)


def test_it_is_the_machine_with_plus_and_minus_t(data):
    """The estimator against an engine that is told every target by hand."""
    graphs, y = data[0][:40], data[1][:40]
    clf = fit(graphs, y)
    params = clf.model_.params
    engine = make_engine("reference")
    engine.load(params, initial_state(params))
    prepared = engine.prepare(encode(graphs, clf.model_.symbol_code))
    wanted = np.where(y, params.T, -params.T)
    targets = sparse_targets(np.arange(41) * 4, np.tile(np.arange(4), 40), wanted.ravel(), 4, params.T)
    for epoch in range(2):
        engine.fit(prepared, targets, epoch_order(5, epoch, 40))
    assert clf.state_.equals(engine.state())
    assert np.array_equal(clf.predict(graphs), engine.class_sums(prepared) >= 0)


def test_it_learns(data):
    test, truth = things(300, 2)
    clf = fit(*data, n_clauses=60, T=20, epochs=40)
    predicted = clf.predict(test)
    assert f1_score(truth, predicted, average="micro") > 0.97
    assert clf.score(test, truth) == accuracy_score(truth, predicted) > 0.95
    assert label_ranking_average_precision_score(truth, clf.decision_function(test)) > 0.97


FORMS = {
    "bool": lambda y: y,
    "int": lambda y: y.astype(np.int64),
    "float": lambda y: y.astype(float),
    "csr_array": sparse.csr_array,
    "csc_matrix": lambda y: sparse.csc_matrix(y.astype(np.int8)),
    "coo_array": lambda y: sparse.coo_array(y.astype(float)),
    "lil_array": lambda y: sparse.lil_array(y.astype(int)),
    "nested": lambda y: y.astype(int).tolist(),
    "sets": lambda y: as_sets(y, range(4)),
    "frozensets": lambda y: tuple(map(frozenset, as_sets(y, range(4)))),
    "lists": lambda y: [[*one, *one] for one in as_sets(y, range(4))],
    "tuples": lambda y: np.array([*map(tuple, as_sets(y, range(4))), None], dtype=object)[:-1],
    "arrays": lambda y: [np.flatnonzero(row) for row in y],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_means_the_same(data, form):
    graphs, y = data
    given = FORMS[form](y)
    clf, plain = fit(graphs, given), fit(graphs, y)
    assert clf.state_.equals(plain.state_)
    assert clf.classes_.tolist() == [0, 1, 2, 3]
    assert clf.score(graphs, given) == plain.score(graphs, y) == accuracy_score(y, plain.predict(graphs))
    predicted = clf.predict(graphs)
    if form == "bool":
        assert predicted.dtype == np.bool_
    elif form in ("int", "float", "nested"):
        assert predicted.dtype == np.int64
    elif sparse.issparse(given):
        assert isinstance(predicted, sparse.csr_array)
        assert f1_score(given, predicted, average="micro") == f1_score(y, plain.predict(graphs), average="micro")
    else:
        assert predicted == as_sets(plain.predict(graphs), range(4))
        return
    assert np.array_equal(predicted.toarray() if sparse.issparse(predicted) else predicted, plain.predict(graphs))


def test_labels_are_left_as_they_are(data):
    graphs, y = data[0][:2], sparse.csr_array(([True, True, False], [2, 0, 1], [0, 2, 3]), shape=(2, 3))
    fit(graphs, y)
    label_targets(y, 8)
    assert y.indices.tolist() == [2, 0, 1]
    assert y.data.tolist() == [True, True, False]


def test_names_of_columns(data):
    pandas = pytest.importorskip("pandas")
    graphs, y = data
    plain, frame = fit(graphs, y), pandas.DataFrame(y, columns=NAMES)
    clf = fit(graphs, frame)
    assert clf.classes_.tolist() == NAMES
    assert np.array_equal(clf.predict(graphs), plain.predict(graphs))
    mixed = frame[["none", "both", "first", "second"]]
    assert clf.score(graphs, mixed) == plain.score(graphs, y)
    assert clf.partial_fit(graphs, mixed).state_.equals(plain.partial_fit(graphs, y).state_)
    with pytest.raises(ValueError, match=r"one of the 4 classes, 'first', .*; got 'third'"):
        clf.partial_fit(graphs, frame.rename(columns={"second": "third"}))
    named = gtm.GraphTMMultiLabelClassifier(**QUICK).partial_fit(graphs, y, classes=NAMES)
    assert named.classes_.tolist() == NAMES
    assert named.rank(graphs, 4).dtype.kind == "U"


def test_label_sets_are_sorted_and_may_be_announced(data):
    graphs, y = data
    clf = fit(graphs, as_sets(y, NAMES))
    assert clf.classes_.tolist() == sorted(NAMES)
    assert all(isinstance(one, set) and one <= set(NAMES) for one in clf.predict(graphs))
    wider = gtm.GraphTMMultiLabelClassifier(**QUICK).partial_fit(graphs, as_sets(y, NAMES), classes=[*NAMES, "fifth"])
    assert wider.class_sums(graphs).shape == (150, 5)
    with pytest.raises(ValueError, match="one of the 1 classes, 'both'; got"):
        gtm.GraphTMMultiLabelClassifier(**QUICK).partial_fit(graphs, as_sets(y, NAMES), classes=["both"])


def test_whoever_has_a_label_that_training_never_saw_is_wrong(data):
    graphs, y = data
    clf = fit(graphs, as_sets(y, NAMES))
    truth = clf.predict(graphs)
    assert clf.score(graphs, truth) == 1.0
    truth[0] = truth[0] | {"unseen"}
    assert clf.score(graphs, truth) == pytest.approx(149 / 150)
    assert clf.score(graphs, truth, sample_weight=np.arange(150)) == 1.0


def test_rank_is_a_sort(data):
    graphs, _ = data
    rng = np.random.default_rng(0)
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK).fit(graphs, rng.random((150, 40)) < 0.1)
    sums = clf.class_sums(graphs)
    for n in (1, 3, 40):
        expected = [sorted(range(40), key=lambda label: (-row[label], label))[:n] for row in sums.tolist()]
        labels, votes = clf.rank(graphs, n, return_sums=True)
        assert labels.tolist() == expected
        assert np.array_equal(votes, np.take_along_axis(sums, labels, axis=1))
        assert np.array_equal(clf.rank(graphs, n), labels)
    assert clf.rank([], 2).shape == (0, 2)
    for n in (0, 41, 1.5, True):
        with pytest.raises(ValueError, match=r"'n' parameter of rank must be an int in the range \[1, 40\].* Got"):
            clf.rank(graphs, n)


def test_largest_of_many_equals():
    rng = np.random.default_rng(3)
    for _ in range(50):
        sums = rng.integers(-2, 3, (7, 11)) * rng.choice([1, 2**61])
        for n in (1, 4, 11):
            expected = [sorted(range(11), key=lambda label: (-row[label], label))[:n] for row in sums.tolist()]
            assert largest(sums, n).tolist() == expected


def test_parts_are_the_whole(data, monkeypatch):
    from graphtm.estimators import multilabel

    graphs, y = data
    clf = fit(graphs, y)
    whole, ranked = clf.predict(graphs), clf.rank(graphs, 2)
    monkeypatch.setattr(multilabel, "_SUMS_AT_ONCE", 28)
    assert np.array_equal(clf.predict(graphs), whole)
    assert np.array_equal(clf.rank(graphs, 2), ranked)


@pytest.mark.parametrize("form", ["bool", "int", "csr_array", "sets"])
def test_files_and_more_epochs(data, form, tmp_path):
    graphs, y = data
    given = FORMS[form](y)
    clf = fit(graphs, given)
    clf.save(tmp_path / "m.gtm")
    again = gtm.load(tmp_path / "m.gtm")
    predicted, expected = again.predict(graphs), clf.predict(graphs)
    assert type(predicted) is type(expected)
    if form == "sets":
        assert predicted == expected
    else:
        assert predicted.dtype == expected.dtype
        assert (predicted != expected).sum() == 0
    again.partial_fit(graphs, given)
    assert again.state_.equals(fit(graphs, given, epochs=3).state_)


def test_a_damaged_form_is_told(data, tmp_path):
    fit(*data).save(tmp_path / "m.gtm")
    saved = read_model(tmp_path / "m.gtm")
    saved.extra["form"] = "lists"
    write_model(saved.model, tmp_path / "m.gtm", saved.kind, saved.settings, saved.extra)
    with pytest.raises(gtm.ModelFormatError, match="labels of the form 'lists'"):
        gtm.load(tmp_path / "m.gtm")


def test_partial_fit_fixes_the_labels(data):
    graphs, y = data
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK).partial_fit(graphs, [{"a"}] * 150, classes=["b", "a"])
    assert clf.classes_.tolist() == ["b", "a"]
    clf.partial_fit(graphs, y[:, :2], classes=["b", "a"])
    with pytest.raises(ValueError, match="classes must be those of the first fit, 'b', 'a'; got"):
        clf.partial_fit(graphs, y[:, :2], classes=["a", "b"])
    with pytest.raises(ValueError, match="one column per label, 2; got 4"):
        clf.partial_fit(graphs, y)
    assert clf.state_.step == 300


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones((7, 4)), "a row for each of 150 graphs; got 7 rows"),
        (np.full((150, 4), 2), "must hold 0 and 1, or Booleans; got 2 in a matrix of int64"),
        (np.full((150, 4), np.nan), "got nan in a matrix of float64"),
        (np.full((150, 4), "a"), "got a in a matrix of <U1.*use a set per graph"),
        (sparse.csr_array(np.full((150, 4), 3)), "must hold 0 and 1"),
        (np.zeros((150, 0)), "At least one label .*matrix has no column"),
        (None, "set of labels for each graph; got None"),
        ("ab" * 75, "got a 'str'"),
        ({0: {1}}, "got a 'dict'"),
        ([0, 1] * 75, r"graph 0 has 0. Write \{0\} for one label, or use GraphTMClassifier"),
        (["a", "b"] * 75, r"graph 0 has 'a'. Write \{'a'\}"),
        ([set()] * 150, "label sets are all empty"),
        ([{"a"}] * 9, "each of 150 graphs; got 9 rows"),
        ([[0], [1]] * 75, r"numpy.array\(y\) for the first, a list of sets for the second"),
        ([{"a", 1}] * 150, "one sortable type; got int, str"),
        ([{0.5, 1.25}] * 150, "Unknown label type"),
        ([[["a"]]] * 150, "hashable"),
        ([np.ones((2, 2))] * 150, "hashable"),
    ],
)
def test_wrong_labels(data, y, message):
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK)
    with pytest.raises(ValueError, match=message):
        clf.fit(data[0], y)
    assert not hasattr(clf, "model_")


def test_a_failing_fit_leaves_the_old_model(data):
    graphs, y = data
    clf = fit(graphs, as_sets(y, NAMES))
    before = clf.state_
    with pytest.raises(gtm.GraphError, match="At least one graph"):
        clf.fit([], np.zeros((0, 2)))
    assert clf.state_ is before
    assert isinstance(clf.predict(graphs), list)


def test_rules_of_a_label(data):
    graphs, y = data
    clf = fit(graphs, as_sets(y, NAMES), n_clauses=60, T=20, epochs=40)
    assert clf.rules("both")[0].weights[0] == max(sum(rule.weights) for rule in clf.rules("both"))
    rules = clf.rules("both", top=3, simplify=False)
    assert rules.outputs == ("both",)
    assert len(rules) == 3
    number = sorted(NAMES).index("both")
    strongest = np.sort(clf.state_.weights[number])[::-1][:3]
    assert [rule.weights for rule in rules] == [(weight,) for weight in strongest]
    assert {str(literal) for literal in rules[0].layers[0]} >= {"a", "b"}
    assert len(clf.rules()[0].weights) == 4
    assert len(clf.rules(top=5)) == 5
    with pytest.raises(ValueError, match=r"The label must be one of \['both', .*\]; got 'neither'"):
        clf.rules("neither")
    with pytest.raises(ValueError, match=r"The label must be one of \['both', .*\]; got 'neither'"):
        clf.rules()[:3].filter("neither")
    with pytest.raises(ValueError, match="'top' parameter of rules"):
        clf.rules(top=-1)


def test_scikit_learn_conventions(data):
    graphs, y = data
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK)
    assert clone(clf).get_params() == clf.get_params()
    for labels in (y, as_sets(y, NAMES)):  # scikit-learn itself refuses sparse labels here
        assert len(cross_val_score(clf, graphs, labels, cv=3, error_score="raise")) == 3
    best = []
    for labels in (y, sparse.csr_array(y)):
        search = GridSearchCV(clf, {"q": [0.2, 2.0]}, scoring="f1_micro", cv=2, error_score="raise")
        best.append(search.fit(graphs, labels).best_score_)
    assert best[0] == best[1] > 0
    assert cross_val_score(clf, graphs, y, cv=2, scoring="roc_auc", error_score="raise").min() > 0.5
    tags = clf.__sklearn_tags__()
    assert tags.classifier_tags.multi_label
    assert tags.target_tags.multi_output


@pytest.mark.parametrize(
    "check",
    [
        "check_classifier_multioutput",
        "check_classifiers_multilabel_representation_invariance",
        "check_classifiers_multilabel_output_format_predict",
        "check_classifiers_multilabel_output_format_predict_proba",
        "check_classifiers_multilabel_output_format_decision_function",
    ],
)
def test_scikit_learn_checks_of_several_labels(check):
    """Those that are about it; all others give one class per row, which is refused."""
    machine = gtm.GraphTMMultiLabelClassifier(n_clauses=20, T=20, epochs=3, random_state=0)
    getattr(estimator_checks, check)("GraphTMMultiLabelClassifier", make_pipeline(gtm.encoders.Table(), machine))


def test_lists_in_series_and_object_arrays_are_read_as_lists():
    pandas = pytest.importorskip("pandas")
    graphs, _ = things(3, 3)
    rows = [[1, 0], [0, 1], [1, 1]]
    objects = np.empty(3, dtype=object)
    objects[:] = rows
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK)
    for y in (pandas.Series(rows), objects):
        assert np.array_equal(clf.fit(graphs, y)._truth(y, 3).matrix.toarray(), rows)
    objects[:] = [[1, 0, 1], [0, 1], [1, 1, 0]]
    for y in (pandas.Series(objects), objects):
        with pytest.raises(ValueError, match=r"different lengths: they may be rows .* Make the rows equally long"):
            clf.fit(graphs, y)


@pytest.mark.parametrize("y", [[[1, 0, 1], [0, 1]], [[0, 1], []], [(0,), (0, 1)], [[1], [0]], [[0], [0, 1], [1, 0, 1]]])
def test_lists_of_bits_that_may_mean_two_things(y):
    graphs, _ = things(len(y), 3)
    with pytest.raises(ValueError, match=r"y holds lists of .*: they may be rows of an indicator matrix"):
        gtm.GraphTMMultiLabelClassifier(**QUICK).fit(graphs, y)
    sets = [set(row) for row in y]
    assert gtm.GraphTMMultiLabelClassifier(**QUICK).fit(graphs, sets).classes_.tolist() == [0, 1]


def test_an_evaluation_set_with_labels_of_another_type(data):
    graphs, y = data
    names = [{"a", "b"} if row[0] else {"b"} for row in y]
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK)
    with pytest.raises(
        ValueError, match=r"An eval_set must have labels of the same type as the classes, such as 'a'; got [01]"
    ):
        clf.fit(graphs, names, eval_set=(graphs, [{0, 1} if row[0] else {1} for row in y]))
    assert not hasattr(clf, "model_")
    with pytest.raises(ValueError, match="y must have labels of the same type"):
        clf.fit(graphs, names).score(graphs, [{1}] * len(graphs))


def test_weights_of_graphs(data):
    graphs, y = data
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK)
    weightless = clone(clf).fit(graphs, y, np.where(np.arange(150) < 100, 1.0, 0.0))
    scrambled = clone(clf).fit(graphs, np.vstack([y[:100], ~y[100:]]), np.where(np.arange(150) < 100, 1.0, 0.0))
    assert weightless.state_.equals(scrambled.state_)
    assert not weightless.state_.equals(clone(clf).fit(graphs, y).state_)
    assert clone(clf).fit(graphs, y, np.ones(150)).state_.equals(clone(clf).fit(graphs, y).state_)
    with pytest.raises(TypeError, match="GraphTMMultiLabelClassifier has no parameter 'class_weight'"):
        gtm.GraphTMMultiLabelClassifier(class_weight="balanced").fit(graphs, y)


@pytest.mark.parametrize("form", ["int", "csr_array", "sets"])
def test_evaluation_sets(data, form):
    graphs, y = data
    given, (test, truth) = FORMS[form](y), things(100, 3)
    clf = gtm.GraphTMMultiLabelClassifier(**{**QUICK, "validation_fraction": 0.2, "epochs": 4})
    clf.fit(graphs, given, eval_set=[(test, truth), (test, FORMS["sets"](truth))])
    assert clf.state_.step == 4 * 120
    record, predicted = clf.history_[-1], clf.class_sums(test) >= 0
    for name in ("val2_", "val3_"):  # the first is what was held out
        assert record[f"{name}f1"] == pytest.approx(f1_score(truth, predicted, average="micro"))
        assert record[f"{name}accuracy"] == accuracy_score(truth, predicted)
    assert 0 <= record["val_accuracy"] <= record["val_f1"] <= 1


def test_the_best_epoch_is_kept(data):
    graphs, y = data
    clf = gtm.GraphTMMultiLabelClassifier(**{**QUICK, "validation_fraction": 0.3, "epochs": 100, "patience": 3})
    clf.fit(graphs, y)
    scores = [record["val_f1"] for record in clf.history_]
    assert len(scores) < 100
    assert clf.epoch_ == int(np.argmax(scores)) + 1


def test_a_fit_is_resumed_bit_for_bit(data, tmp_path):
    graphs, y = data
    sets = as_sets(y, NAMES)
    path = tmp_path / "part.gtm"
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK).fit(graphs, sets, callbacks=[gtm.Checkpoint(path)])
    resumed = clone(clf).set_params(epochs=5).fit(graphs, sets, resume_from=path)
    assert resumed.state_.equals(fit(graphs, sets, epochs=5).state_)
    assert resumed.predict(graphs) == fit(graphs, sets, epochs=5).predict(graphs)
    warm = clf.set_params(warm_start=True, epochs=3).fit(graphs, sets)
    assert warm.state_.equals(resumed.state_)


def test_probabilities_agree_with_predictions(data):
    graphs, y = data
    clf = fit(graphs, y, n_clauses=2)
    chances, sums = clf.predict_proba(graphs), clf.class_sums(graphs)
    assert np.array_equal(chances > 0.5, clf.predict(graphs))
    assert np.array_equal(clf.decision_function(graphs) > 0, clf.predict(graphs))
    assert np.any(sums == 0)  # where half a vote is needed to say that a label is predicted
    assert chances == pytest.approx(1 / (1 + np.exp(-(2 * sums + 1) / 8)))


# Explanations


@pytest.fixture(scope="module")
def explained(data):
    graphs, y = data
    return fit(graphs, as_sets(y, NAMES), n_clauses=30, depth=2, epochs=8), graphs


def test_explanations_are_exact(explained):
    clf, graphs = explained
    sums, outputs, predicted = clf.class_sums(graphs), clf.transform(graphs), clf.predict(graphs)
    for number in range(20):
        explanation = clf.explain(graphs[number : number + 1])
        assert list(explanation.votes) == clf.classes_.tolist()
        assert list(explanation.votes.values()) == sums[number].tolist()
        assert set(explanation.prediction) == predicted[number]
        strengths = [explanation.votes[label] for label in explanation.prediction]
        assert strengths == sorted(strengths, reverse=True)
        assert sorted(fired.clause for fired in explanation.fired) == np.flatnonzero(outputs[number]).tolist()
        for label, votes in explanation.votes.items():
            scores = explanation.scores(label)
            assert scores.nodes.sum() == pytest.approx(votes)
            owed = scores.symbols.sum() + scores.absences.sum() + scores.silence + scores.existence
            assert owed == pytest.approx(votes)
        for fired in explanation.fired[:3]:
            assert explanation.witness(fired.clause).clause == fired.clause
    assert set(explanation.to_dict()["scores"]) == set(explanation.prediction)
    assert clf.explain(graphs[0]).to_dict() == clf.explain(graphs[:1]).to_dict()


def brute_force_sizes(clf, graph, label):
    """The fewest edits, up to two, that turn a label; tried on whole graphs."""
    before = label in clf.predict([graph])[0]
    edits = [Edit(node, symbol, symbol not in graph.properties(node)) for node in graph.nodes for symbol in "abcd"]
    for size in (1, 2):
        made = [Change(chosen, None, None, {}, ()).apply(graph) for chosen in combinations(edits, size)]
        if any((label in labels) != before for labels in clf.predict(made)):
            return size
    return None


def test_the_smallest_change_of_a_label(explained):
    clf, graphs = explained
    n_found = 0
    for number in range(6):
        graph = graphs[number]
        explanation = clf.explain(graph)
        for label in NAMES:
            change = explanation.smallest_change(label, max_changes=2)
            size = brute_force_sizes(clf, graph, label)
            assert change.found == (size is not None)
            assert change.before == explanation.prediction
            assert change.to == label
            if change.found:
                n_found += 1
                assert len(change.edits) == size
                assert change.is_smallest
                assert (label in change.after) != (label in change.before)
                assert clf.predict([change.apply(graph)]) == [set(change.after)]
                assert list(change.votes.values()) == clf.class_sums([change.apply(graph)])[0].tolist()
                verb = "removes" if label in change.before else "adds"
                assert f"the smallest change that {verb} the label" in str(change)
        anything = explanation.smallest_change(max_changes=2)
        sizes = [brute_force_sizes(clf, graph, label) for label in NAMES]
        assert len(anything.edits) == min(size for size in sizes if size)
        assert set(anything.after) != set(anything.before)
    assert n_found > 5


def test_what_a_change_of_labels_says():
    edits, tried = (Edit(0, ("color", "red"), True),), (Searched(1, 4, 4),)
    change = LabelChange(edits, ("a", "b"), ("b", "c"), {"a": -1}, tried, "c")
    assert str(change) == (
        "add color=red to 0: the smallest change that adds the label 'c' and removes the label 'a'. "
        "Tried: all 4 changes of 1 edit."
    )
    assert "removes the label 'a' and adds the label 'c'" in str(LabelChange(edits, ("a",), ("c",), {}, tried))
    assert str(LabelChange((), ("a",), ("a",), {}, tried, "a")).startswith(
        "No change found that removes the label 'a'."
    )
    assert str(LabelChange((), ("a",), ("a",), {}, tried, "z")).startswith("No change found that adds the label 'z'.")
    assert str(LabelChange((), (), (), {}, tried)).startswith("No change found that adds or removes a label.")
    change = LabelChange(edits, ("a", "b"), ("c",), {}, tried, noun="symbol")
    assert "removes the symbols 'a', 'b' and adds the symbol 'c'" in str(change)


def test_wrong_questions_about_labels(explained):
    clf, graphs = explained
    explanation = clf.explain(graphs[0])
    for ask in (explanation.scores, explanation.smallest_change, explanation.rules, explanation.to_text):
        with pytest.raises(ValueError, match=r"The label must be one of 'both', 'first', .*; got 'all'"):
            ask("all")
    with pytest.raises(ValueError, match=r"The label must be one of \['both', 'first', .*\]; got 'all'"):
        explanation.rules().filter("all")
    with pytest.raises(ValueError, match="'max_changes' parameter of smallest_change must be an int of at least 1"):
        explanation.smallest_change(max_changes=0)
    with pytest.raises(ValueError, match="explain takes one graph; got 2"):
        clf.explain(graphs[:2])


def test_thousands_of_labels_are_explained_in_a_few_lines():
    rng = np.random.default_rng(0)
    has = rng.random((200, 20)) < 0.2
    graphs = gtm.GraphBatch.from_arrays(np.ones(200, int), has, [("word", number) for number in range(20)])
    labels = [{f"tag {number}" for number in np.flatnonzero(row)} for row in has]
    names = [f"tag {number}" for number in range(4000)]
    clf = gtm.GraphTMMultiLabelClassifier(n_clauses=100, T=20, s=3.0, depth=1, random_state=0, q=20)
    for _ in range(5):
        clf.partial_fit(graphs, labels, classes=names)
    explanation = clf.explain(graphs[0])
    text = str(explanation)
    assert len(text) < 2500
    assert text.startswith(f"Predicted {explanation.prediction[0]} +")
    assert "; not predicted: " in text
    assert "... (4,000 labels in all)" in text
    assert f"for or against {explanation.prediction[0]}:" in text
    assert len(explanation._repr_html_()) < 6000
    assert repr(explanation).startswith(f"LabelExplanation({len(explanation.prediction)} predicted label")
    assert explanation.smallest_change("tag 3999", max_changes=1, max_tries=50).before == explanation.prediction


def test_no_label_at_all(data):
    graphs, _ = data
    clf = fit(graphs, [{"never"} if number == 0 else set() for number in range(150)], epochs=20)
    number = next(place for place, labels in enumerate(clf.predict(graphs)) if not labels)
    explanation = clf.explain(graphs[number])
    assert explanation.prediction == ()
    assert str(explanation).startswith("Predicted no label; not predicted: never -")


# Calibration


def test_calibration(data, tmp_path):
    graphs, y = data
    clf = fit(graphs, y, epochs=4, n_clauses=6)
    held, truth = things(200, 7)
    truth = truth ^ (np.random.default_rng(0).random(truth.shape) < 0.1)
    before = clf.predict(held)

    def loss_at(temperature):
        chances = 1 / (1 + np.exp(-(2 * clf.class_sums(held) + 1) / (8 * temperature)))
        return -np.mean(np.log(np.where(truth, chances, 1 - chances)))

    best = minimize_scalar(lambda log: loss_at(np.exp(log)), bounds=(-3, 3), method="bounded")
    assert clf.temperature_ == 1
    assert clf.calibrate(held, truth) is clf
    assert loss_at(clf.temperature_) == pytest.approx(best.fun, rel=1e-6)
    chances = 1 / (1 + np.exp(-(2 * clf.class_sums(held) + 1) / (8 * clf.temperature_)))
    assert clf.predict_proba(held) == pytest.approx(chances)
    assert np.array_equal(clf.predict(held), before)
    found = clf.temperature_
    assert clf.calibrate(held, as_sets(truth, range(4))).temperature_ == found
    assert clf.calibrate(held, sparse.csr_array(truth)).temperature_ == found
    twice = np.concatenate([held[:50].node_counts * 0, np.ones(150)])
    weighted = clf.calibrate(held, truth, sample_weight=twice).temperature_
    assert weighted == pytest.approx(clf.calibrate(held[50:], truth[50:]).temperature_)
    clf.save(tmp_path / "m.gtm")
    again = gtm.load(tmp_path / "m.gtm")
    assert again.temperature_ == clf.temperature_
    assert np.array_equal(again.predict_proba(held), clf.predict_proba(held))
    assert again.partial_fit(graphs, y).temperature_ == 1


def test_calibration_in_parts_is_the_same(data, monkeypatch):
    graphs, y = data
    clf = fit(graphs, y, n_clauses=6)
    whole = clf.calibrate(graphs, y).temperature_
    monkeypatch.setattr("graphtm.estimators.multilabel._SUMS_AT_ONCE", 40)
    assert clf.calibrate(graphs, y).temperature_ == pytest.approx(whole)


@pytest.mark.filterwarnings("ignore:All calibration graphs")
def test_the_scale_of_weights_does_not_matter_for_calibration(data):
    graphs, y = data
    clf = fit(graphs, y)
    for truth in (y, clf.predict(graphs)):
        found = [clf.calibrate(graphs, truth, np.full(len(graphs), w)).temperature_ for w in (1.0, 1e-3, 1e3)]
        assert found == pytest.approx([clf.calibrate(graphs, truth).temperature_] * 3)
    none = np.where(np.arange(len(graphs)) < 5, 1.0, 0.0)
    with pytest.raises(ValueError, match="lack others; they have none of them"):
        clf.calibrate(graphs, np.where(none[:, None], 0, y), none)


def test_calibration_refuses_what_says_nothing(data):
    graphs, y = data
    clf = fit(graphs, y)
    with pytest.raises(ValueError, match="must have some of the labels and lack others; they have none of them"):
        clf.calibrate(graphs, np.zeros_like(y))
    with pytest.raises(ValueError, match="must have some of the labels and lack others; they have all of them"):
        clf.calibrate(graphs, np.ones_like(y))
    with pytest.raises(ValueError, match="At least one graph is needed to calibrate"):
        clf.calibrate(graphs[:0], y[:0])
    assert clf.temperature_ == 1
    with pytest.warns(UserWarning, match="All calibration graphs are predicted correctly"):
        clf.calibrate(graphs, clf.predict(graphs))
    assert 0.001 < clf.temperature_ < 100
    with pytest.warns(UserWarning, match="vote sums contradict"):
        clf.calibrate(graphs, 1 - clf.predict(graphs))


@pytest.mark.parametrize(
    ("temperature", "message"), [(0, "temperature cannot be 0"), (-1.0, "cannot be -1"), ("hot", "is not a model")]
)
def test_forged_temperatures_are_refused(data, tmp_path, temperature, message):
    path = tmp_path / "m.gtm"
    fit(*data).save(path)
    saved = read_model(path)
    saved.extra["temperature"] = temperature
    write_model(saved.model, path, saved.kind, saved.settings, saved.extra)
    with pytest.raises(gtm.ModelFormatError, match=message):
        gtm.load(path)


def test_files_without_a_temperature_load(data, tmp_path):
    path = tmp_path / "m.gtm"
    clf = fit(*data)
    clf.save(path)
    saved = read_model(path)
    del saved.extra["temperature"]
    write_model(saved.model, path, saved.kind, saved.settings, saved.extra)
    again = gtm.load(path)
    assert again.temperature_ == 1
    assert np.array_equal(again.predict_proba(data[0]), clf.predict_proba(data[0]))


def test_unfitted():
    clf = gtm.GraphTMMultiLabelClassifier()
    for use in (
        lambda: clf.predict([]),
        lambda: clf.rank([], 1),
        lambda: clf.rules(),
        lambda: clf.score([], []),
        lambda: clf.explain(gtm.Graph()),
        lambda: clf.calibrate([], []),
    ):
        with pytest.raises(NotFittedError):
            use()


@pytest.mark.slow
def test_thousands_of_labels_cost_what_the_active_few_cost():
    rng = np.random.default_rng(0)
    n, rows = 500, np.repeat(np.arange(500), 3)
    graphs = gtm.GraphBatch.from_arrays(np.ones(n, int), (rows, rng.integers(0, 200, 3 * n)), range(200))
    seconds = {}
    for n_labels in (400, 4000):
        y = sparse.csr_array((np.ones(3 * n), (rows, rng.integers(0, n_labels, 3 * n))), shape=(n, n_labels))
        clf = gtm.GraphTMMultiLabelClassifier(n_clauses=400, T=40, s=2.0, depth=1, epochs=1, n_jobs=1, random_state=0)
        clf.fit(graphs, y.astype(bool))
        seconds[n_labels] = min(record["seconds"] for record in (clf.partial_fit(graphs, y.astype(bool)).history_))
    # Ten times the labels: more of them are drawn for, as many are heard.
    assert seconds[4000] < 4 * seconds[400]
