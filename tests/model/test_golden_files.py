"""Files that earlier versions wrote: they load, and say the same."""

import json
import struct
from pathlib import Path

import graded
import numpy as np
import pytest

import graphtm as gtm
from graphtm.datasets import sequences
from graphtm.model.file import MODEL_VERSION, VERSION

GOLDEN = Path(__file__).parent / "golden"
FORMAT_2 = GOLDEN / "format_2"
FORMAT_3 = GOLDEN / "format_3"


@pytest.fixture(scope="module")
def expected():
    """What the version that wrote the files said."""
    return json.loads((GOLDEN / "expected.json").read_text())


@pytest.fixture(scope="module")
def expected_graded():
    """The same of the graded models of format 2."""
    return json.loads((FORMAT_2 / "expected.json").read_text())


@pytest.fixture(scope="module")
def data():
    return tuple(sequences(80, noise=0.1, random_state=1))


def format_of(path):
    return struct.unpack("<I", path.read_bytes()[8:12])[0]


def test_files_of_every_format_are_kept():
    assert {format_of(path) for path in GOLDEN.glob("*.gtm")} == {1}
    assert {format_of(path) for path in FORMAT_2.glob("*.gtm")} == {2}
    assert {format_of(path) for path in FORMAT_3.glob("*.gtm")} == {3}
    assert (MODEL_VERSION, VERSION) == (2, 3)


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("folder", [GOLDEN, FORMAT_2])
def test_a_classifier(expected, data, engine, folder):
    clf = gtm.load(folder / "classifier.gtm").set_params(engine=engine)
    assert clf.max_misses == clf.model_.params.max_misses == 0
    assert clf.class_sums(data[0]).tolist() == expected["classifier"]
    assert clf.temperature_ == expected["temperature"]
    assert clf.classes_.tolist() == ["no", "yes"]
    assert clf.class_weight == {"yes": 2.0}


@pytest.mark.parametrize("engine", graded.ENGINES)
def test_a_graded_classifier(expected_graded, data, engine):
    clf = gtm.load(FORMAT_2 / "graded.gtm").set_params(engine=engine)
    assert clf.class_sums(data[0]).tolist() == expected_graded["graded"]
    assert clf.transform(data[0]).tolist() == expected_graded["strengths"]
    assert clf.temperature_ == expected_graded["temperature"]
    assert clf.max_misses == clf.model_.params.max_misses == 5


@pytest.mark.parametrize("engine", graded.ENGINES)
def test_graded_labels_of_typed_graphs_with_hashed_codes(expected_graded, engine):
    clf = gtm.load(FORMAT_2 / "graded_labels.gtm").set_params(engine=engine)
    graphs = gtm.load_graphs(GOLDEN / "graphs.gtmg")
    assert clf.class_sums(graphs).tolist() == expected_graded["labels"]
    assert clf.transform_nodes(graphs).toarray().tolist() == expected_graded["node_strengths"]


@pytest.mark.parametrize("engine", graded.ENGINES)
def test_a_graded_checkpoint_goes_on(expected_graded, data, engine):
    """The file was written inside the third epoch; the fit returned to the first."""
    clf = gtm.GraphTMClassifier(
        n_clauses=6,
        T=60,
        s=(40.0, 30.0),
        max_misses=5,
        max_included_literals=12,
        epochs=5,
        random_state=7,
        engine=engine,
    )
    evaluation, path = sequences(40, random_state=2), FORMAT_2 / "graded_checkpoint.gtm"
    clf.fit(*data, eval_set=evaluation, callbacks=[gtm.EarlyStopping(3)], resume_from=path)
    assert clf.class_sums(data[0]).tolist() == expected_graded["resumed"]
    assert clf.epoch_ == expected_graded["resumed_epoch"]


@pytest.mark.parametrize("engine", graded.ENGINES)
def test_a_regressor(expected_graded, data, engine):
    machine, saved = gtm.load(FORMAT_2 / "regressor.gtm").set_params(engine=engine), expected_graded["regressor"]
    assert machine.predict(data[0]).tolist() == saved["predictions"]
    assert machine.target_range_.tolist() == saved["range"]
    assert machine.target_names_ == saved["names"]


@pytest.mark.parametrize("engine", graded.ENGINES)
def test_an_auto_encoder(expected_graded, data, engine):
    encoder, saved = gtm.load(FORMAT_2 / "autoencoder.gtm").set_params(engine=engine), expected_graded["autoencoder"]
    assert list(encoder.symbols_) == saved["symbols"]
    assert encoder.embeddings_.tolist() == saved["embeddings"]
    assert encoder.reconstruct(data[0][:5]).toarray().astype(int).tolist() == saved["reconstructed"]


@pytest.mark.parametrize("engine", graded.ENGINES)
def test_a_bandit(expected_graded, data, engine):
    """It goes on as it did then: it chooses the same arms, and learns the same."""
    bandit, saved = gtm.load(FORMAT_2 / "bandit.gtm").set_params(engine=engine), expected_graded["bandit"]
    assert bandit.regret_.tolist() == saved["regret"]
    arms = []
    for graph in data[0][60:]:
        arms.append(bandit.act(graph))
        bandit.update(graph, arms[-1], float(arms[-1] == "yes"))
    assert arms == saved["arms"]
    assert bandit.class_sums(data[0]).tolist() == saved["sums"]


@pytest.mark.parametrize("name", json.loads((FORMAT_3 / "expected.json").read_text()))
def test_pipelines_of_encoders(name):
    """Raw data go in; other versions of scikit-image may divide images into other superpixels."""
    saved = json.loads((FORMAT_3 / "expected.json").read_text())[name]
    data = np.array(saved["data"], np.uint8) if name in ("ImagePatches", "Superpixels") else saved["data"]
    pipeline = gtm.load(FORMAT_3 / f"{name}.gtm")
    graphs = pipeline[0].transform(data)
    assert type(pipeline[0]).__name__ == name
    assert pipeline[0].vocabulary_ == pipeline[-1].model_.vocabulary
    if name != "Superpixels":
        assert pipeline[-1].class_sums(graphs).tolist() == saved["class_sums"]


def test_an_encoder_alone():
    encoder, pipeline = gtm.load(FORMAT_3 / "encoder_alone.gtm"), gtm.load(FORMAT_3 / "Tokens.gtm")
    assert encoder.transform(["a good film"]) == pipeline[0].transform(["a good film"])
    assert encoder.get_params() == pipeline[0].get_params()


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
    for path in (*GOLDEN.glob("*.gtm"), *FORMAT_2.glob("*.gtm")):
        first = gtm.load(path)
        first.save(tmp_path / "again.gtm")
        again = gtm.load(tmp_path / "again.gtm")
        assert format_of(tmp_path / "again.gtm") == MODEL_VERSION
        assert again.state_.equals(first.state_)
        assert again.get_params() == first.get_params()
        assert again.history_ == first.history_
