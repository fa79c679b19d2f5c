"""``graphtm predict``: a line per sample, wherever it goes."""

import csv
import json

import pytest
from commands import chain, refuse, succeed, words

import graphtm
from graphtm.foundation import container


def test_predictions_go_to_standard_output_and_notes_elsewhere(data, model):
    result = succeed("predict", model, data / "words.jsonl")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    graphs, _ = graphtm.read_jsonl(data / "words.jsonl")
    assert [row["prediction"] for row in rows] == graphtm.load(model).predict(graphs).tolist()
    assert [int(row["number"]) for row in rows] == list(range(60))
    assert result.stderr == "Accuracy on 60 graphs: 100.0 %\n"


def test_without_labels_there_is_no_accuracy(data, model):
    assert succeed("predict", model, data / "unlabelled.jsonl").stderr == ""
    result = succeed("predict", model, data / "unlabelled.jsonl", "--labels", data / "labels.csv", "--quiet")
    assert result.stderr == ""
    result = succeed("predict", model, data / "unlabelled.jsonl", "--labels", data / "labels.csv")
    assert result.stderr == "Accuracy on 60 graphs: 100.0 %\n"


@pytest.mark.parametrize(
    ("no", "yes", "in_a_file"),
    [("1", "2", "1 2"), (1, 2, "1 2"), ("true", "false", "true false"), (True, False, "True False"), ("1", "b", "1 b")],
)
def test_labels_are_classes_of_the_same_name(tmp_path, no, yes, in_a_file):
    made, labels = words(60)
    classes, names = {"no": no, "yes": yes}, dict(zip(["no", "yes"], in_a_file.split(), strict=True))
    lines = [chain(word, classes[label]) for word, label in zip(made, labels, strict=True)]
    (tmp_path / "words.jsonl").write_text("\n".join(lines))
    (tmp_path / "y.csv").write_text("".join(f"{names[label]}\n" for label in labels))
    path, files = tmp_path / "m.gtm", [tmp_path / "words.jsonl", "--labels", tmp_path / "y.csv"]
    options = ["--clauses", "20", "--epochs", "20", "--validation", "0", "-q"]
    succeed("fit", tmp_path / "words.jsonl", "-o", path, *options)
    assert succeed("predict", path, *files).stderr == "Accuracy on 60 graphs: 100.0 %\n"


def test_labels_that_are_no_class_are_named(data, model, tmp_path):
    labels = (data / "labels.csv").read_text().splitlines()
    (tmp_path / "y.csv").write_text("\n".join(["perhaps", "never", *labels[2:]]))
    result = succeed("predict", model, data / "unlabelled.jsonl", "--labels", tmp_path / "y.csv")
    assert result.stderr == (
        "Warning: Labels that are no class of the model count as errors: perhaps, never. Classes of the model: no, "
        "yes.\nAccuracy on 60 graphs: 96.7 %\n"
    )


def test_labels_of_sets_are_matched_by_name(tmp_path):
    made, _ = words(40)
    numbers = {"A": "1", "B": "2"}
    sets = [sorted(numbers[letter] for letter in set(word) & set("AB")) for word in made]
    lines = [chain(word, labels) for word, labels in zip(made, sets, strict=True)]
    (tmp_path / "words.jsonl").write_text("\n".join(lines))
    (tmp_path / "y.csv").write_text("".join(f"{';'.join(labels)}\n" for labels in sets))
    path, files = tmp_path / "m.gtm", [tmp_path / "words.jsonl", "--labels", tmp_path / "y.csv"]
    options = ["--task", "multilabel", "--clauses", "20", "--epochs", "20", "--validation", "0", "-q"]
    succeed("fit", tmp_path / "words.jsonl", "-o", path, *options)
    expected = succeed("predict", path, tmp_path / "words.jsonl").stderr
    assert "0.0 %" not in expected.replace("100.0", "")
    assert succeed("predict", path, *files).stderr == expected


def test_probabilities(data, model):
    result = succeed("predict", model, data / "words.jsonl", "--proba")
    row = next(csv.DictReader(result.stdout.splitlines()))
    assert list(row) == ["number", "prediction", "probability of no", "probability of yes"]
    assert float(row["probability of no"]) + float(row["probability of yes"]) == pytest.approx(1, abs=1e-4)
    result = succeed("predict", model, data / "words.jsonl", "--proba", "--json")
    line = json.loads(result.stdout.splitlines()[0])
    assert list(line) == ["number", "prediction", "probabilities"]
    assert set(line["probabilities"]) == {"no", "yes"}


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl"])
def test_predictions_in_a_file(data, model, tmp_path, name):
    result = succeed("predict", model, data / "words.jsonl", "-o", tmp_path / name)
    assert result.stdout == ""
    assert "60 predictions written to" in result.stderr
    text = (tmp_path / name).read_text()
    as_json = ["--json"] if name.endswith("jsonl") else []
    assert text == succeed("predict", model, data / "words.jsonl", *as_json).stdout


def test_standard_input(model):
    lines = f"{chain('BAB')}\n{chain('BCB')}\n"
    assert succeed("predict", model, "-", stdin=lines).stdout == "number,prediction\n0,yes\n1,no\n"
    assert succeed("predict", model, "-", "--as", "graphs", stdin=lines).exit_code == 0
    message = refuse("predict", model, "-", stdin=f"{chain('BAB')}\n{{\n")
    assert message.startswith("Line 2 of standard input: It is not valid JSON: ")
    assert refuse("predict", model, "-", stdin="") == "standard input is empty: it has no graphs."


def test_unknown_symbols(data, model, tmp_path):
    path = tmp_path / "plain.gtm"
    options = ["--plain", "--clauses", "6", "--epochs", "2", "--validation", "0", "-q"]
    succeed("fit", data / "words.jsonl", "-o", path, *options)
    assert refuse("predict", path, "-", stdin=chain("AX")).startswith("Unknown symbol 'X': not in the vocabulary")
    result = succeed("predict", path, "-", "--unknown", "ignore", stdin=chain("AX"))
    assert len(result.stdout.splitlines()) == 2
    assert result.stderr == "Warning: Names that are not in the training data are ignored: 'X'.\n"


@pytest.mark.parametrize("command", ["predict", "explain", "export"])
def test_unknown_symbols_are_refused_on_request_also_before_encoders(data, model, tmp_path, command):
    """Encoders ignore them otherwise, with a warning."""
    run = [command, model, "-", *(["-o", tmp_path / "seen.jsonl"] if command == "export" else [])]
    message = refuse(*run, "--unknown", "error", stdin=chain("AX"))
    assert message == (
        "Unknown names: 'X'. To leave out names that are not in the training data, pass --unknown ignore."
    )
    assert succeed(*run, "--unknown", "error", stdin=chain("AB")).exit_code == 0
    for options in ([], ["--unknown", "ignore"]):
        assert "are ignored by Neighbourhoods, 1 in all: 'X'" in succeed(*run, *options, stdin=chain("AX")).stderr


def test_the_engine_is_chosen(data, model):
    expected = succeed("predict", model, data / "words.jsonl").stdout
    options = ["--engine", "reference", "--n-jobs", "1"]
    assert succeed("predict", model, data / "words.jsonl", *options).stdout == expected
    message = refuse("predict", model, data / "words.jsonl", "--engine", "gpu")
    assert message.startswith("--engine must be a str among ")
    assert message.endswith("Got 'gpu' instead.")


def test_the_target_must_be_possible(data, model, tmp_path):
    message = refuse("predict", model, data / "words.jsonl", "-o", tmp_path / "none" / "out.csv")
    assert f"The folder of {tmp_path}/none/out.csv does not exist; create it first." in message
    message = refuse("predict", model, data / "words.jsonl", "-o", tmp_path)
    assert f"{tmp_path} is a folder; add a file name." in message


def test_a_full_disk_leaves_the_old_predictions(data, model, tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    path = tmp_path / "out.csv"
    path.write_text("old")
    monkeypatch.setattr(container.os, "fsync", full)
    message = refuse("predict", model, data / "words.jsonl", "-o", path)
    assert message == f"The predictions cannot be written to {path}: No space left on device."
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_bins_come_from_the_model(data, model):
    message = refuse("predict", model, data / "words.jsonl", "--bins", "3")
    assert "No such option: --bins" in message
