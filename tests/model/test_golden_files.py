"""Files that earlier versions wrote: they load, and say the same."""

import json
from pathlib import Path

import pytest

import graphtm as gtm
from graphtm.datasets import sequences

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def expected():
    """What the version that wrote the files said."""
    return json.loads((GOLDEN / "expected.json").read_text())


@pytest.fixture(scope="module")
def data():
    return tuple(sequences(80, noise=0.1, random_state=1))


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_a_classifier(expected, data, engine):
    clf = gtm.load(GOLDEN / "classifier.gtm").set_params(engine=engine)
    assert clf.class_sums(data[0]).tolist() == expected["classifier"]
    assert clf.temperature_ == expected["temperature"]
    assert clf.classes_.tolist() == ["no", "yes"]
    assert clf.class_weight == {"yes": 2.0}


@pytest.mark.parametrize("mmap", [False, True])
def test_graphs(expected, mmap):
    graphs = gtm.load_graphs(GOLDEN / "graphs.gtmg", mmap=mmap)
    graphs.validate()
    found = [
        [
            list(map(repr, graph.nodes)),
            [list(map(repr, graph.properties(node))) for node in graph.nodes],
            [repr(tuple(edge)) for edge in graph.edges],
            repr(graph.readout),
        ]
        for graph in graphs
    ]
    assert found == expected["graphs"]


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_labels_of_typed_graphs_with_hashed_codes(expected, engine):
    clf = gtm.load(GOLDEN / "labels.gtm").set_params(engine=engine)
    assert clf.class_sums(gtm.load_graphs(GOLDEN / "graphs.gtmg")).tolist() == expected["labels"]


def test_a_checkpoint_goes_on(expected, data):
    """The file was written inside an epoch, by a fit that went on to the end."""
    clf = gtm.GraphTMClassifier(n_clauses=6, T=8, s=(3.0, 2.0), epochs=4, random_state=7)
    evaluation, path = sequences(40, random_state=2), GOLDEN / "checkpoint.gtm"
    clf.fit(*data, eval_set=evaluation, callbacks=[gtm.EarlyStopping(3)], resume_from=path)
    assert clf.class_sums(data[0]).tolist() == expected["resumed"]
    assert clf.epoch_ == expected["resumed_epoch"]


def test_a_model_survives_being_written_again(tmp_path):
    """With the same bytes, but for what later versions may add."""
    gtm.load_graphs(GOLDEN / "graphs.gtmg").save(tmp_path / "graphs.gtmg")
    assert (tmp_path / "graphs.gtmg").read_bytes() == (GOLDEN / "graphs.gtmg").read_bytes()
    for name in ("classifier.gtm", "labels.gtm"):
        first = gtm.load(GOLDEN / name)
        first.save(tmp_path / name)
        again = gtm.load(tmp_path / name)
        assert again.state_.equals(first.state_)
        assert again.get_params() == first.get_params()
        assert again.history_ == first.history_
