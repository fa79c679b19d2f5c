"""``export`` of estimators: the suffix says what is written, and an old file is replaced in one step."""

import json

import pytest
from export.trained import trained
from sklearn.exceptions import NotFittedError

import graphtm as gtm
from graphtm.export import c_graphs_text, facts_text, json_text, python_text
from graphtm.export.c_text import identifier
from graphtm.foundation import container


@pytest.mark.parametrize("name", ["sequence", "labels"])
def test_the_suffix_says_what_is_written(name, tmp_path):
    estimator, _ = trained(name)
    estimator.export(tmp_path / "model.json")
    estimator.export(str(tmp_path / "model.py"))
    assert (tmp_path / "model.json").read_text() == json_text(estimator._program())
    assert (tmp_path / "model.py").read_text() == python_text(estimator._program())
    assert json.loads((tmp_path / "model.json").read_text())["format"] == "graphtm-machine"
    estimator.export(tmp_path / "model.h")
    assert "model_predict(" in (tmp_path / "model.h").read_text()
    estimator.export(tmp_path / "model.lp")
    assert ":-" in (tmp_path / "model.lp").read_text()


@pytest.mark.parametrize("name", ["model", "model.txt", "model.gtm", "model.PY", ".py"])
def test_other_suffixes_are_refused(name, tmp_path):
    known = r"\.json \(JSON\), \.py \(Python module\), \.h \(C99 header\) or \.lp \(logic program\)"
    with pytest.raises(ValueError, match=f"The name of the file must end with {known}; got .*{name}"):
        trained("xor")[0].export(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_with_graphs_these_are_written(tmp_path):
    estimator, graphs = trained("labels")
    program = estimator._program()
    for few in (graphs[:3], list(graphs[:3])):
        for name in ("seen.jsonl", "seen.lp", "model_graphs.h"):
            estimator.export(tmp_path / name, few)
        read, _ = gtm.read_jsonl(tmp_path / "seen.jsonl")
        assert facts_text(read) == (tmp_path / "seen.lp").read_text() == facts_text(few, program)
        assert (tmp_path / "model_graphs.h").read_text() == c_graphs_text(graphs[:3], program, "model")
    estimator.export(tmp_path / "model_graphs.h", graphs[:3], name="words")
    assert (tmp_path / "model_graphs.h").read_text() == c_graphs_text(graphs[:3], program, "words")
    estimator.export(tmp_path / "model.h", name="words")
    assert "words_predict(" in (tmp_path / "model.h").read_text()


def test_graphs_that_cannot_be_written(tmp_path):
    estimator, graphs = trained("sequence")
    other = gtm.Graph()
    other.add_node(0, ["new"])
    for name in ("graphs.h", "graphs.lp"):
        with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'new'"):
            estimator.export(tmp_path / name, [other])
    with pytest.raises(
        ValueError, match=r"must end with \.jsonl \(JSON lines\), \.h \(C source\) or \.lp \(facts\); got"
    ):
        estimator.export(tmp_path / "graphs.py", graphs)
    with pytest.raises(TypeError, match=r"got one Graph. Write \[graph\]"):
        estimator.export(tmp_path / "graphs.h", other)
    for given in ([], [graphs]):
        suffix = "lp" if given else "py"
        with pytest.raises(
            ValueError, match=rf"Only C has identifiers to name: leave out the name 'a' for '.*m\.{suffix}'"
        ):
            estimator.export(tmp_path / f"m.{suffix}", *given, name="a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [gtm.GraphTMClassifier, gtm.GraphTMMultiLabelClassifier])
def test_an_estimator_must_be_fitted(kind, tmp_path):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        kind().export(tmp_path / "model.py")


def test_an_old_file_stays_if_the_new_one_is_not_complete(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    path = tmp_path / "model.py"
    path.write_text("old")
    monkeypatch.setattr(container.os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device"):
        trained("xor")[0].export(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_exports_are_the_same_each_time(tmp_path):
    estimator, _ = trained("labels")
    estimator.save(tmp_path / "model.gtm")
    for loaded in (estimator, gtm.load(tmp_path / "model.gtm")):
        assert python_text(loaded._program()) == python_text(estimator._program())
        assert json_text(loaded._program()) == json_text(estimator._program())


def test_pruned_machines_are_exported_as_they_are():
    graphs, y = gtm.datasets.noisy_xor(400, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=20, T=10, s=3.0, depth=1, epochs=3, random_state=0).fit(graphs, y)
    clf.prune(graphs)
    document = json.loads(json_text(clf._program()))
    assert len(document["clauses"]) == clf.state_.weights.shape[1] < 20
    assert [clause["votes"] for clause in document["clauses"]] == clf.state_.weights.T.tolist()


def test_names_of_files_as_names_in_c():
    cases = {"model": "model", "a-b c": "a_b_c", "__x__": "x", "9": "machine_9", "é": "machine", "": "machine"}
    assert {stem: identifier(stem).rstrip("_") for stem in cases} == cases
    assert identifier("a" * 30 + "-" + "b" * 10) == "a" * 30
