"""Damaged and forged files end in the library's own error, or in something whole; never in anything else."""

import warnings
from collections import Counter

import numpy as np
import pytest
from forgery import forged, generator, mutated

import graphtm as gtm
from graphtm.datasets import sequences

QUICK = dict(n_clauses=5, T=8, s=3.0, epochs=3, random_state=5, engine="cpu")


@pytest.fixture(scope="module")
def data():
    return tuple(sequences(60, random_state=1))


@pytest.fixture(scope="module")
def contents(data, tmp_path_factory):
    """The bytes of a file of each kind."""
    folder = tmp_path_factory.mktemp("files")
    (graphs, y), evaluation = data, sequences(30, random_state=2)
    clf = gtm.GraphTMClassifier(**QUICK, class_weight={0: 2.0})
    callbacks = [gtm.Checkpoint(folder / "checkpoint.gtm"), gtm.EarlyStopping(1)]
    clf.fit(graphs, y, eval_set=evaluation, callbacks=callbacks).save(folder / "classifier.gtm")
    labels = [{"a", ("b", 1)} if one else {("b", 1)} for one in y]
    hashed = gtm.GraphTMMultiLabelClassifier(**QUICK, hypervector_size=64, message_size=64)
    hashed.partial_fit(graphs, labels, classes=["a", ("b", 1)]).save(folder / "labels.gtm")
    graphs[:6].save(folder / "graphs.gtmg")
    typed = gtm.Graph()
    for node, kind in enumerate(["atom", "atom", "ring"]):
        typed.add_node(node, properties=[("element", "C"), None, 7], type=kind)
    typed.add_edge(0, 2, type=("in", True))
    typed.set_readout([0, 1])
    gtm.GraphBatch.from_graphs([typed] * 3).save(folder / "typed.gtmg")
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


MODELS = ("checkpoint.gtm", "classifier.gtm", "labels.gtm")
BATCHES = ("graphs.gtmg", "typed.gtmg")


def try_model(path, graphs):
    """Load a model and use it in all ways; return it, or ``None`` if it was refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gtm.EngineUnavailableWarning)
            model = gtm.load(path, most_bytes=1 << 26)
    except gtm.ModelFormatError:
        return None
    again = path.with_suffix(".again.gtm")
    model.save(again)
    loaded = gtm.load(again)
    assert loaded.state_.equals(model.state_)
    assert repr((loaded.get_params(), loaded.history_)) == repr((model.get_params(), model.history_))
    try:
        assert np.array_equal(loaded.class_sums(graphs), model.class_sums(graphs))
        assert len(model.predict(graphs)) == len(graphs)
        assert str(model.explain(graphs[:1]))
    except gtm.UnknownSymbolError:
        pass  # a forged vocabulary may lack what the graphs have
    assert str(model.rules())
    return model


def try_resuming(path, data):
    """Go on from a checkpoint; say how it ended."""
    evaluation = sequences(30, random_state=2)
    clf = gtm.GraphTMClassifier(**QUICK, class_weight={0: 2.0})
    try:
        clf.fit(*data, eval_set=evaluation, callbacks=[gtm.EarlyStopping(1)], resume_from=path)
    except (gtm.GraphTMError, ValueError):
        assert not hasattr(clf, "model_")
        return "refused"
    assert len(clf.predict(data[0])) == len(data[0])
    return "resumed"


def try_batch(path):
    """Load graphs in both ways and use them; return them, or ``None`` if they were refused."""
    found = []
    for mmap in (False, True):
        try:
            batch = gtm.load_graphs(path, mmap=mmap)
        except gtm.GraphFormatError:
            found.append(None)
            continue
        batch.validate()
        assert str(batch)
        assert len(list(batch)) == len(batch)
        again = path.with_suffix(".again.gtmg")
        batch.save(again)
        assert list(gtm.load_graphs(again)) == list(batch)
        found.append(batch)
    assert (found[0] is None) == (found[1] is None)
    return found[0]


def outcomes(contents, data, folder, change, n):
    """Change each kind of file so many times; return what came of it, and check what was not refused."""
    counts = Counter()
    for name in (*MODELS, *BATCHES):
        path, original = folder / name, contents[name]
        for number in range(n):
            content = change(original, generator(change.__name__, name, number))
            if content == original:
                continue
            path.write_bytes(content)
            result = try_model(path, data[0]) if name in MODELS else try_batch(path)
            counts[name, "refused" if result is None else "loaded"] += 1
            if name == "checkpoint.gtm":
                counts[name, try_resuming(path, data)] += 1
    return counts


def test_accidents_are_noticed(contents, data, tmp_path):
    counts = outcomes(contents, data, tmp_path, mutated, 60)
    assert {what for _, what in counts} == {"refused"}


def test_forgeries_are_refused_or_whole(contents, data, tmp_path):
    counts = outcomes(contents, data, tmp_path, forged, 60)
    assert {what for _, what in counts} == {"refused", "loaded", "resumed"}


@pytest.mark.slow
def test_ten_thousand_accidents(contents, data, tmp_path):
    counts = outcomes(contents, data, tmp_path, mutated, 2000)
    assert {what for _, what in counts} == {"refused"}
    assert sum(number for (name, _), number in counts.items() if name != "checkpoint.gtm") > 7900


@pytest.mark.slow
def test_ten_thousand_forgeries(contents, data, tmp_path):
    counts = outcomes(contents, data, tmp_path, forged, 2000)
    for name in (*MODELS, *BATCHES):
        assert counts[name, "refused"] > 500
        assert counts[name, "loaded"] > 50
