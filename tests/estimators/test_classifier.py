"""The classifier as a user meets it."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import graphtm as gtm
from graphtm.codes import choice
from graphtm.datasets import sequences
from graphtm.engines.registry import engine_status
from graphtm.foundation import resources as memory

QUICK = dict(n_clauses=6, T=8, s=3.0, epochs=2, random_state=5)


@pytest.fixture(scope="module")
def data():
    return tuple(sequences(120, random_state=1))


@pytest.fixture(scope="module")
def fitted(data):
    return gtm.GraphTMClassifier(**QUICK).fit(*data)


def word(text, extra=()):
    graph = gtm.Graph()
    for place, letter in enumerate(text):
        graph.add_node(place, properties=[letter, *extra])
    for place in range(1, len(text)):
        graph.add_edge(place - 1, place, type="right")
        graph.add_edge(place, place - 1, type="left")
    return graph


def test_shapes_and_agreement(fitted, data):
    graphs, y = data
    sums = fitted.class_sums(graphs)
    assert sums.shape == (120, 2)
    assert sums.dtype == np.int64
    assert np.array_equal(fitted.decision_function(graphs), sums[:, 1] - sums[:, 0])
    assert np.array_equal(fitted.predict(graphs), fitted.classes_[sums.argmax(axis=1)])
    outputs = fitted.transform(graphs)
    assert outputs.shape == (120, 6)
    assert outputs.dtype == bool
    assert np.array_equal(sums, outputs.astype(int) @ fitted.state_.weights.T)
    nodes = fitted.transform_nodes(graphs)
    assert nodes.shape == (600, 6)
    assert nodes.dtype == bool
    assert np.array_equal(nodes.toarray().reshape(120, 5, 6).any(axis=1), outputs)
    assert fitted.score(graphs, y) == np.mean(fitted.predict(graphs) == y)
    assert fitted.engine_ == next(name for name in ("cuda", "cpu") if engine_status(name).available)
    assert fitted.seed_ == 5
    assert [record["epoch"] for record in fitted.history_] == [0, 1]
    assert fitted.history_[-1]["step"] == fitted.state_.step == 240


def test_parameters_that_do_not_exist():
    with pytest.raises(TypeError, match=r"^GraphTMClassifier has no parameter 'clauses'. Did you mean 'n_clauses'\?$"):
        gtm.GraphTMClassifier(clauses=5)
    with pytest.raises(TypeError, match=r"^GraphTMMultiLabelClassifier has no parameter 'colour'.$"):
        gtm.GraphTMMultiLabelClassifier(colour=5)
    with pytest.raises(TypeError, match=r"^GraphTMClassifier takes keyword arguments only; got 0 without a name"):
        gtm.GraphTMClassifier(*range(30))


def test_subclasses_may_hand_on_parameters():
    class Handing(gtm.GraphTMClassifier):
        def __init__(self, extra=1, **parameters):
            super().__init__(**parameters)
            self.extra = extra

    assert Handing(n_clauses=5, extra=2).n_clauses == 5
    assert Handing(2, n_clauses=5).extra == 2
    with pytest.raises(TypeError, match="unexpected keyword argument 'clauses'"):
        Handing(clauses=5)


def test_fractions_are_no_labels(data):
    graphs, _ = data
    for y in (np.array([0.5, 1.5] * 60), np.array([0.5, 1.5] * 60, dtype=object), [0.5, 1] * 60):
        message = "Unknown label type: 0.5. Labels must be classes; .*To predict numbers, use GraphTMRegressor"
        with pytest.raises(ValueError, match=message):
            gtm.GraphTMClassifier(**QUICK).fit(graphs, y)


def test_sparse_labels_are_several(data):
    graphs, _ = data
    with pytest.raises(ValueError, match=r"one label per graph; got a sparse matrix of shape \(120, 3\)\. Several"):
        gtm.GraphTMClassifier(**QUICK).fit(graphs, sparse.eye_array(120, 3).tocsr())


@pytest.mark.parametrize(
    ("size", "least"),
    [
        (dict(n_clauses=2_000_000_000), "2,000,000,000 clauses and 2 layers"),
        (dict(n_clauses=20_000_000), "20,000,000 clauses and 2 layers"),
        (dict(n_clauses=2_000_000_000, depth=1), "2,000,000,000 clauses and 1 layer "),
        (dict(message_size=2**31 - 1), "message_size .now 2,147,483,647"),
        (dict(hypervector_size=2**31 - 1), "hypervector_size .now 2,147,483,647"),
        (dict(message_size=2**31 - 1, message_bits=2**30, n_clauses=1), "message_size .now 2,147,483,647"),
        (dict(depth=10_000), "10,000 layers"),
        (dict(n_clauses=20_000_000, message_size=64, engine="cpu"), "20,000,000 clauses"),
    ],
)
def test_memory_is_asked_for_before_anything_is_made(data, monkeypatch, size, least):
    """At once, also on machines with more memory than this one."""
    monkeypatch.setattr(memory, "free_memory", lambda: 2**34)
    for scheme in ("one_hot", "random", "double_hashing"):
        monkeypatch.setattr(choice, scheme, lambda *args, **kwargs: pytest.fail("a code was made"))
    clf = gtm.GraphTMClassifier(**{"epochs": 1, **size})
    with pytest.raises(gtm.NotEnoughMemoryError, match=least):
        clf.fit(*data)
    assert not hasattr(clf, "model_")


def test_three_classes_keep_all_columns(data):
    graphs, _ = data
    clf = gtm.GraphTMClassifier(**QUICK).fit(graphs, ["a", "b", "c"] * 40)
    assert clf.decision_function(graphs).shape == (120, 3)
    assert clf.classes_.tolist() == ["a", "b", "c"]


def test_names_match_whatever_their_order(fitted):
    forth = gtm.GraphBatch.from_graphs([word("EDCBA"), word("AAAAA")])
    back = gtm.GraphBatch.from_graphs([word("AAAAA"), word("EDCBA")])
    assert forth.vocabulary != back.vocabulary
    assert np.array_equal(fitted.class_sums(forth), fitted.class_sums(back)[::-1])
    assert np.array_equal(fitted.class_sums([word("EDCBA"), word("AAAAA")]), fitted.class_sums(forth))


def test_unknown_names_raise_or_are_ignored(fitted, data):
    strange = [word("AAAZE")]
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'Z'"):
        fitted.predict(strange)
    tolerant = copy.deepcopy(fitted).set_params(unknown="ignore")
    plain = gtm.Graph()
    for place, letter in enumerate("AAA E"):
        plain.add_node(place, [] if letter == " " else [letter])
    for place in range(1, 5):
        plain.add_edge(place - 1, place, type="right")
        plain.add_edge(place, place - 1, type="left")
    with pytest.warns(gtm.UnknownNameWarning, match="not in the training data are ignored: 'Z'") as caught:
        sums = tolerant.class_sums(strange)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert np.array_equal(sums, fitted.class_sums([plain]))
    both = gtm.GraphBatch.from_graphs([word("AAAAE"), *strange])
    assert tolerant.predict(both[:1]).shape == (1,)  # Z is known to the batch, but not used by this graph
    with pytest.warns(gtm.UnknownNameWarning) as caught:
        tolerant.predict(both)
    assert [one.filename for one in caught] == [__file__]
    assert np.array_equal(tolerant.class_sums(data[0]), fitted.class_sums(data[0]))


@pytest.mark.parametrize(
    "labels",
    [
        ["no", "yes"],
        [False, True],
        [-3, 7],
        [1.0, 2.0],
        [("a", 1), ("b", 2)],
        [np.int8(4), np.int8(9)],
        [("a", np.int64(1)), ("b", np.int64(2))],
        [(), ("a",)],
    ],
)
def test_labels_of_any_type(data, labels, tmp_path):
    graphs, y = data
    chosen = [labels[number] for number in y]
    clf = gtm.GraphTMClassifier(**QUICK).fit(graphs, chosen)
    predicted = clf.predict(graphs)
    assert set(predicted.tolist()) <= set(labels)
    assert clf.score(graphs, chosen) == np.mean([a == b for a, b in zip(predicted.tolist(), chosen, strict=True)])
    assert clf.score(graphs, chosen, sample_weight=np.arange(120)) <= 1.0
    clf.save(tmp_path / "m.gtm")
    again = gtm.load(tmp_path / "m.gtm")
    assert again.classes_.tolist() == clf.classes_.tolist()
    assert again.classes_.dtype == clf.classes_.dtype
    assert again.predict(graphs).tolist() == predicted.tolist()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 1], r"one label for each of 120 graphs; got shape \(2,\)"),
        (None, "got None"),
        (np.linspace(0, 2, 120), "Unknown label type: 0.0168.*To predict numbers, use GraphTMRegressor"),
        ([float("nan")] * 120, "Input y contains NaN.*see position 0"),
        (
            [1.0] * 119 + [float("inf")],
            r"contains infinity or a value too large for dtype\('float64'\).*see position 119",
        ),
        ([[0, 1]] * 120, "got shape"),
        (np.array([float("nan"), 1.0] * 60, dtype=object), "hashable and not NaN"),
        ([[1], (2,)] * 60, "hashable"),
        ("ab" * 60, "list or an array; got a 'str'"),
        ({0, 1}, "got a 'set'"),
    ],
)
def test_wrong_labels(data, y, message):
    with pytest.raises(ValueError, match=message):
        gtm.GraphTMClassifier(**QUICK).fit(data[0], y)


def test_unsortable_labels(data):
    labels = np.array([1, "a"] * 60, dtype=object)
    for form in (labels, labels.tolist()):
        with pytest.raises(ValueError, match="one sortable type; got int, str"):
            gtm.GraphTMClassifier(**QUICK).fit(data[0], form)
    clf = gtm.GraphTMClassifier(**QUICK).partial_fit(data[0], labels, classes=np.array(["a", 1], dtype=object))
    assert clf.classes_.tolist() == ["a", 1]
    assert 0 <= clf.score(data[0], labels) <= 1


def test_labels_that_python_holds_equal_are_different(data):
    graphs, y = data
    labels = np.array([1, True], dtype=object)[y]
    clf = gtm.GraphTMClassifier(**QUICK).partial_fit(graphs, labels, classes=np.array([1, True], dtype=object))
    twin = gtm.GraphTMClassifier(**QUICK).partial_fit(graphs, y, classes=[0, 1])
    assert clf.state_.equals(twin.state_)


def test_many_classes_draw_no_warning(data):
    clf = gtm.GraphTMClassifier(**QUICK).partial_fit(*data, classes=range(40))
    assert len(clf.classes_) == 40


def test_a_failing_fit_leaves_the_old_model(data):
    graphs, y = data

    class Broken:
        vocabulary = gtm.Vocabulary(["x"])
        node_counts = np.ones(3, int)

        def make(self, numbers):
            raise gtm.GraphError("the disk is gone")

    clf = gtm.GraphTMClassifier(**QUICK).fit(graphs, y)
    before, history = clf.state_, clf.history_
    with pytest.raises(gtm.GraphError, match="the disk is gone"):
        clf.fit(gtm.GraphBatch.from_source(Broken()), ["a", "b", "c"])
    assert clf.state_ is before
    assert clf.history_ == history
    assert clf.classes_.tolist() == [0, 1]
    fresh = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(gtm.GraphError, match="the disk is gone"):
        fresh.partial_fit(gtm.GraphBatch.from_source(Broken()), ["a", "b", "c"])
    assert not hasattr(fresh, "model_")


def test_a_learning_model_keeps_its_parameters(data):
    for change in (dict(T=3), dict(depth=3), dict(n_clauses=99), dict(s=2.0), dict(state_bits=4)):
        clf = gtm.GraphTMClassifier(**QUICK).fit(*data).set_params(**change)
        (name,) = change
        with pytest.raises(
            ValueError, match=f"The '{name}' parameter of GraphTMClassifier must stay .* Use fit to start"
        ):
            clf.partial_fit(*data)
    clf = gtm.GraphTMClassifier(**QUICK).fit(*data).set_params(shuffle=False, q=2.0, verbose=False, epochs=9)
    assert clf.partial_fit(*data).state_.step == 360


def test_sizes_may_be_numpy_numbers(data, tmp_path):
    settings = dict(hypervector_size=np.int64(64), message_size=np.int64(64), T=np.int32(8), n_clauses=np.int64(6))
    clf = gtm.GraphTMClassifier(**{**QUICK, **settings}).fit(*data)
    clf.save(tmp_path / "m.gtm")
    assert gtm.load(tmp_path / "m.gtm").state_.equals(clf.state_)


def test_same_seed_same_bits(data):
    one, other = (gtm.GraphTMClassifier(**QUICK).fit(*data) for _ in range(2))
    assert one.state_.equals(other.state_)
    different = gtm.GraphTMClassifier(**{**QUICK, "random_state": 6}).fit(*data)
    assert not one.state_.equals(different.state_)


def test_a_seed_is_drawn_once_and_kept(data):
    clf = gtm.GraphTMClassifier(**{**QUICK, "random_state": None}).fit(*data)
    again = gtm.GraphTMClassifier(**{**QUICK, "random_state": clf.seed_}).fit(*data)
    assert clf.state_.equals(again.state_)
    other = gtm.GraphTMClassifier(**{**QUICK, "random_state": None}).fit(*data)
    assert other.seed_ != clf.seed_
    for generator in (np.random.RandomState(3), np.random.default_rng(3)):
        assert 0 <= gtm.GraphTMClassifier(**{**QUICK, "random_state": generator}).fit(*data).seed_ < 2**64


def test_interruption_changes_no_bit(data, tmp_path):
    whole = gtm.GraphTMClassifier(**{**QUICK, "epochs": 4}).fit(*data)
    parts = gtm.GraphTMClassifier(**{**QUICK, "epochs": 2}).fit(*data)
    for number in range(2):
        parts.save(tmp_path / "part.gtm")
        parts = gtm.load(tmp_path / "part.gtm")
        if number:
            parts = pickle.loads(pickle.dumps(parts))
        parts.partial_fit(*data)
    assert parts.state_.equals(whole.state_)
    assert [record["epoch"] for record in parts.history_] == [0, 1, 2, 3]
    lone = gtm.GraphTMClassifier(**QUICK)
    for _ in range(4):
        lone.partial_fit(*data)
    assert lone.state_.equals(whole.state_)


def test_a_second_fit_starts_anew(data):
    graphs, y = data
    clf = gtm.GraphTMClassifier(**QUICK).fit(graphs, 1 - y)
    clf.fit(graphs, y)
    assert clf.state_.equals(gtm.GraphTMClassifier(**QUICK).fit(graphs, y).state_)
    assert len(clf.history_) == 2


def test_partial_fit_with_a_class_missing_is_harmless(data):
    graphs, y = data
    clf = gtm.GraphTMClassifier(**QUICK).partial_fit(graphs[y == 0], y[y == 0], classes=[0, 1])
    assert clf.classes_.tolist() == [0, 1]
    clf.partial_fit(graphs[y == 1], y[y == 1])
    assert clf.state_.step == 120
    with pytest.raises(ValueError, match="one of the 2 classes, 0, 1; got 2"):
        clf.partial_fit(graphs, np.full(120, 2))
    with pytest.raises(ValueError, match="classes must be those of the first fit"):
        clf.partial_fit(graphs, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="each given once"):
        gtm.GraphTMClassifier(**QUICK).partial_fit(graphs, y, classes=[0, 1, 1])
    with pytest.raises(ValueError, match="one of the 1 classes"):
        gtm.GraphTMClassifier(**QUICK).partial_fit(graphs, y, classes=[0])


def test_partial_fit_matches_names(data):
    graphs, y = data
    clf = gtm.GraphTMClassifier(**QUICK).fit(graphs, y)
    other = copy.deepcopy(clf)
    renumbered = gtm.GraphBatch.from_graphs(graphs[::-1])[::-1]
    assert renumbered.vocabulary != graphs.vocabulary
    assert clf.partial_fit(graphs, y).state_.equals(other.partial_fit(renumbered, y).state_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            dict(T=0),
            r"The 'T' parameter of GraphTMClassifier must be an int in the range \[1, 1073741823\], or 'auto'. Got 0",
        ),
        (dict(n_clauses=1.5), "'n_clauses' parameter .* Got 1.5 instead"),
        (dict(n_clauses=True), "Got True instead"),
        (dict(s=0), r"must be a number above 0 and up to 2\^32, or 2 of them, one per layer, or 'auto'. Got 0 instead"),
        (dict(s=(1.0, 2.0, 3.0)), "2 of them, one per layer"),
        (dict(s=10**400), "'s' parameter"),
        (dict(depth=10**9), "'depth' parameter"),
        (dict(engine=["cpu"]), "'engine' parameter of GraphTMClassifier"),
        (dict(unknown=np.array(["error"])), "'unknown' parameter"),
        (dict(s="high"), "Got 'high' instead"),
        (dict(q=-1), "'q' parameter .* finite number above 0 or None"),
        (dict(depth=0), "'depth' parameter"),
        (dict(epochs=-1), "'epochs' parameter"),
        (dict(negative_sampling="none"), "a str among {'auto', 'clause', 'class'}. Got 'none' instead"),
        (dict(symbol_encoding="onehot"), "a str among {'auto', 'one_hot', 'random', 'double_hashing'}"),
        (dict(message_size=0), "'message_size' parameter .* or None"),
        (dict(state_bits=9), "'state_bits' parameter"),
        (dict(boost_true_positive=1), "must be a bool. Got 1 instead"),
        (dict(max_included_literals=-1), "'max_included_literals' parameter"),
        (dict(unknown="drop"), "a str among {'error', 'ignore'}"),
        (dict(random_state="seed"), "'random_state' parameter"),
        (dict(random_state=-1), "'random_state' parameter"),
        (
            dict(engine="gpu"),
            "of GraphTMClassifier must be a str among {'auto', 'cuda', 'cpu', 'reference', .*}. Got 'gpu' instead",
        ),
    ],
)
def test_parameters_in_one_sentence(data, change, message):
    clf = gtm.GraphTMClassifier(**{**QUICK, **change})
    with pytest.raises(ValueError, match=message):
        clf.fit(*data)
    assert not hasattr(clf, "model_")


def test_wrong_graphs(fitted, data):
    for wrong, message in (
        (np.zeros((3, 3)), "got a 'ndarray'. If its rows are samples, use graphtm.encoders.Table"),
        (word("AB"), r"Write \[graph\]"),
        (["AB"], "element 0 is a 'str'"),
        (7, "got an 'int'"),
    ):
        with pytest.raises(TypeError, match=message):
            fitted.predict(wrong)
    with pytest.raises(gtm.GraphError, match="At least one graph is needed"):
        gtm.GraphTMClassifier(**QUICK).fit(gtm.GraphBatch.from_graphs([]), [])
    with pytest.raises(gtm.GraphError, match="graph 0 has none"):
        fitted.predict([gtm.Graph()])
    assert fitted.predict([]).shape == (0,)
    assert fitted.transform_nodes([]).shape == (0, 6)


def test_unfitted():
    clf = gtm.GraphTMClassifier()
    for use in (lambda: clf.predict([]), lambda: clf.save("x"), lambda: clf.rules(), lambda: clf.state_):
        with pytest.raises(NotFittedError):
            use()


def test_hashed_codes_and_their_warning(data):
    settings = {**QUICK, "symbol_encoding": "random", "hypervector_size": 4, "message_size": 3}
    with pytest.warns(gtm.CodeCollisionWarning, match=r"hypervector_size=\d+ or more.*message_size=\d+") as caught:
        clf = gtm.GraphTMClassifier(**settings).fit(*data)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert clf.model_.params.message_size == 3
    assert clf.model_.symbol_code.scheme == "random"


def test_node_types(tmp_path):
    graphs = gtm.GraphBatch.from_arrays([2] * 30, [[1, 0], [0, 1]] * 30, node_types=["x", "y"] * 30, edges=([0], [1]))
    clf = gtm.GraphTMClassifier(n_clauses=4, T=5, epochs=2, random_state=0).fit(graphs, [0, 1] * 15)
    assert clf.transform_nodes(graphs).toarray()[0, 1::2].sum() == 0
    clf.save(tmp_path / "typed.gtm")
    assert np.array_equal(gtm.load(tmp_path / "typed.gtm").class_sums(graphs), clf.class_sums(graphs))
    with pytest.raises(
        ValueError, match="'n_clauses' parameter of GraphTMClassifier must be at least the number of node"
    ):
        gtm.GraphTMClassifier(n_clauses=1, T=5, random_state=0).fit(graphs, [0, 1] * 15)
    with pytest.raises(gtm.GraphError, match="Nodes must have types"):
        clf.predict(gtm.GraphBatch.from_arrays([1], [[1, 0]]))


def test_scikit_learn_conventions(data):
    clf = gtm.GraphTMClassifier(**QUICK)
    assert clone(clf).get_params() == clf.get_params()
    assert "n_clauses=6" in repr(clf)
    assert len(cross_val_score(clf, *data, cv=2)) == 2


def test_an_interrupted_fit_leaves_the_last_whole_epoch(data, monkeypatch):
    from graphtm.engines.reference import ReferenceEngine

    clf = gtm.GraphTMClassifier(**{**QUICK, "epochs": 5, "engine": "reference"})
    whole = ReferenceEngine.fit
    calls = []

    def stopping(self, graphs, targets, order):
        calls.append(1)
        if len(calls) == 3:
            whole(self, graphs, targets, order[:50])
            raise KeyboardInterrupt
        whole(self, graphs, targets, order)

    monkeypatch.setattr(ReferenceEngine, "fit", stopping)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(*data)
    monkeypatch.undo()
    assert clf.state_.step == 240
    assert len(clf.history_) == 2
    clf.partial_fit(*data)
    assert clf.state_.equals(gtm.GraphTMClassifier(**{**QUICK, "epochs": 3}).fit(*data).state_)


def test_a_fit_that_ends_in_its_first_epoch_leaves_what_there_was(data, monkeypatch):
    from graphtm.engines.reference import ReferenceEngine

    graphs, y = data
    new, old = (gtm.GraphTMClassifier(**{**QUICK, "engine": "reference"}) for _ in range(2))
    old.fit(graphs, np.where(y, "yes", "no"))
    before = old.state_

    def stopping(self, graphs, targets, order):
        raise KeyboardInterrupt

    monkeypatch.setattr(ReferenceEngine, "fit", stopping)
    for clf in (new, old):
        with pytest.raises(KeyboardInterrupt):
            clf.fit(graphs, y)
    monkeypatch.undo()
    with pytest.raises(NotFittedError):
        new.predict(graphs)
    assert old.state_ is before
    assert len(old.history_) == 2
    assert set(old.predict(graphs)) <= {"yes", "no"}


def test_progress_bar(data, capsys):
    gtm.GraphTMClassifier(**{**QUICK, "verbose": 1}).fit(*data)
    assert "epoch 2/2: 100%" in capsys.readouterr().err
    gtm.GraphTMClassifier(**QUICK).fit(*data)
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


def test_lazy_graphs(data):
    graphs, y = data

    class Shelf:
        vocabulary = graphs.vocabulary
        node_counts = graphs.node_counts

        def make(self, numbers):
            return graphs.pack().take(numbers)

    lazy = gtm.GraphBatch.from_source(Shelf())
    clf = gtm.GraphTMClassifier(**QUICK).fit(lazy, y)
    assert clf.state_.equals(gtm.GraphTMClassifier(**QUICK).fit(graphs, y).state_)
    assert np.array_equal(clf.class_sums(lazy), clf.class_sums(graphs))


def test_what_was_learned_is_read_only(fitted):
    for again in (fitted, pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        with pytest.raises(ValueError, match="read-only"):
            again.state_.weights[:] = 0
        with pytest.raises(ValueError, match="read-only"):
            again.state_.automata[0][:] = 0
