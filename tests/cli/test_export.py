"""``graphtm export``: programs that predict as the model, and the graphs that they read."""

import csv
import json
import re
import subprocess
import sys

import pytest
from commands import chain, refuse, succeed

import graphtm
from graphtm.foundation import container

TAKES = "It takes graphs as graphtm export MODEL DATA -o GRAPHS writes them."


@pytest.fixture(scope="module")
def plain(data, tmp_path_factory):
    """Return a model without encoders."""
    path = tmp_path_factory.mktemp("model") / "plain.gtm"
    options = ["--plain", "--clauses", "10", "--epochs", "10", "--max-misses", "0", "--validation", "0", "-q"]
    succeed("fit", data / "words.jsonl", "-o", path, *options)
    return path


def predictions(model, data, *options):
    rows = csv.DictReader(succeed("predict", model, data, "-q", *options).stdout.splitlines())
    return [row["prediction"] for row in rows]


def notes(*arguments):
    """Return what a command prints on standard error, as one line."""
    result = succeed("export", *arguments)
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def run_module(module, graphs):
    done = subprocess.run([sys.executable, "-I", "-S", module, graphs], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_module_predicts_as_the_model(data, plain, tmp_path):
    said = notes(plain, "-o", tmp_path / "model.py")
    assert re.fullmatch(rf"Python module written to {tmp_path}/model\.py \([\d.]+ KiB\) {TAKES}", said)
    assert run_module(tmp_path / "model.py", data / "words.jsonl") == predictions(plain, data / "words.jsonl")
    assert len(set(predictions(plain, data / "words.jsonl"))) == 2
    assert notes(plain, "-o", tmp_path / "model.py", "--quiet") == ""


def test_a_pipeline_says_which_graphs_the_program_takes(data, model, tmp_path):
    said = notes(model, "-o", tmp_path / "model.py")
    note = (
        "It takes graphs that Neighbourhoods and WholeGraph of this pipeline have made: graphtm export MODEL DATA -o "
        "GRAPHS writes them."
    )
    assert [type(step).__name__ for _, step in graphtm.load(model).steps[:-1]] == ["Neighbourhoods", "WholeGraph"]
    assert said.endswith(f" KiB) {note}")
    said = notes(model, data / "words.jsonl", "-o", tmp_path / "seen.jsonl")
    assert said.startswith(f"60 graphs written to {tmp_path}/seen.jsonl (")
    found = run_module(tmp_path / "model.py", tmp_path / "seen.jsonl")
    assert found == predictions(model, data / "words.jsonl")
    assert len(set(found)) == 2


def test_data_are_read_as_those_of_training(data, tmp_path):
    path = tmp_path / "table.gtm"
    options = ["--as", "table", "--label", "level", "--clauses", "6", "--epochs", "5", "--validation", "0", "-q"]
    succeed("fit", data / "table.csv", "-o", path, *options)
    succeed("export", path, "-o", tmp_path / "table.py", "-q")
    succeed("export", path, data / "table.csv", "-o", tmp_path / "rows.jsonl", "-q")
    assert run_module(tmp_path / "table.py", tmp_path / "rows.jsonl") == predictions(path, data / "table.csv")


def test_every_language(plain, tmp_path):
    kinds = {".json": "JSON", ".py": "Python module", ".h": "C99 header", ".lp": "Logic program"}
    estimator = graphtm.load(plain)
    (tmp_path / "again").mkdir()
    for suffix, kind in kinds.items():
        path = tmp_path / f"model{suffix}"
        assert notes(plain, "-o", path).startswith(f"{kind} written to {path} (")
        estimator[-1].export(tmp_path / "again" / path.name)
        assert path.read_text() == (tmp_path / "again" / path.name).read_text()


def test_graphs_for_every_language(data, plain, tmp_path):
    for suffix, part in ((".jsonl", '"nodes":'), (".h", "model_graphs"), (".lp", "edge")):
        path = tmp_path / f"model_graphs{suffix}"
        assert notes(plain, data / "words.jsonl", "-o", path).startswith("60 graphs written to")
        assert part in path.read_text()


def test_notes_say_what_identifiers_begin_with(data, plain, tmp_path):
    assert notes(plain, "-o", tmp_path / "my-model 2.h").endswith(f"; identifiers begin with my_model_2_ {TAKES}")
    said = notes(plain, data / "words.jsonl", "-o", tmp_path / "my-model 2_graphs.h")
    assert said.endswith("; identifiers begin with my_model_2_")
    said = notes(plain, data / "words.jsonl", "-o", tmp_path / "a.h", "--name", "toxic")
    assert said.endswith("; identifiers begin with toxic_")
    assert notes(plain, "-o", tmp_path / "my-model 2.json").endswith(f"B) {TAKES}")


def test_names_in_c(data, plain, tmp_path):
    succeed("export", plain, "-o", tmp_path / "new model-2.h")
    assert "new_model_2_predict" in (tmp_path / "new model-2.h").read_text()
    succeed("export", plain, "-o", tmp_path / "model.h", "--name", "toxic")
    assert "toxic_predict" in (tmp_path / "model.h").read_text()
    succeed("export", plain, data / "words.jsonl", "-o", tmp_path / "data.h", "--name", "toxic")
    assert "toxic_graphs" in (tmp_path / "data.h").read_text()
    assert "Only C has identifiers to name" in refuse("export", plain, "-o", tmp_path / "m.py", "--name", "a")
    assert "The name of a C header must be" in refuse("export", plain, "-o", tmp_path / "m.h", "--name", "a b")


def test_names_of_new_data(data, plain, tmp_path):
    (tmp_path / "new.jsonl").write_text(chain("AX") + "\n")
    succeed("export", plain, "-o", tmp_path / "strict.py", "-q")
    with pytest.raises(subprocess.CalledProcessError) as error:
        run_module(tmp_path / "strict.py", tmp_path / "new.jsonl")
    assert "Line 1: Unknown symbol 'X'" in error.value.stderr
    succeed("export", plain, "-o", tmp_path / "lenient.py", "--unknown", "ignore", "-q")
    expected = predictions(plain, tmp_path / "new.jsonl", "--unknown", "ignore")
    assert run_module(tmp_path / "lenient.py", tmp_path / "new.jsonl") == expected


@pytest.mark.parametrize(
    ("output", "graphs", "message"),
    [
        (
            "model.txt",
            False,
            "must end with .json (JSON), .py (Python module), .h (C99 header) or .lp (logic program);",
        ),
        ("model", False, "The name of the file must end with .json (JSON),"),
        ("-", False, "The name of the file must end with .json (JSON),"),
        ("seen.py", True, "The name of the file must end with .jsonl (JSON lines), .h (C source) or .lp (facts); got"),
        ("none/model.py", False, "does not exist; create it first."),
    ],
)
def test_the_target_must_be_possible(data, plain, tmp_path, output, graphs, message):
    given = [data / "words.jsonl"] if graphs else []
    assert message in refuse("export", plain, *given, "-o", output if output == "-" else tmp_path / output)
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_is_read_is_replaced(data, plain, tmp_path):
    (tmp_path / "m.py").write_bytes(plain.read_bytes())
    (tmp_path / "words.jsonl").write_bytes((data / "words.jsonl").read_bytes())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    found = refuse("export", tmp_path / "m.py", "-o", tmp_path / "m.py")
    assert f"It must be another file than those that are read, but {tmp_path}/m.py is MODEL" in found
    found = refuse("export", plain, tmp_path / "words.jsonl", "-o", tmp_path / "words.jsonl")
    assert f"but {tmp_path}/words.jsonl is DATA" in found
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_options_about_data_need_data(data, plain, tmp_path):
    for options in (["--labels", data / "labels.csv"], ["--as", "text"], ["--undirected"]):
        found = refuse("export", plain, "-o", tmp_path / "m.py", *options)
        assert "Options about data have no effect without DATA." in found


def test_a_full_disk_leaves_the_old_export(data, plain, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(container.os, "fsync", full)
    for name, given in (("m.py", []), ("m.jsonl", [data / "words.jsonl"])):
        path = tmp_path / name
        path.write_text("old")
        found = refuse("export", plain, *given, "-o", path)
        assert found == f"The export cannot be written to {path}: No space left on device."
        assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
