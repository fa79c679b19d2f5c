"""Numbers on the command line: fit, predict, rules and explain, from labels in every place."""

import csv
import io
import json

import counted
import pytest
from commands import chain, refuse, succeed

import graphtm as gtm

QUICK = ["--clauses", "30", "--epochs", "20", "--n-jobs", "1"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Words whose labels are how often an A follows a B, and a half."""
    folder = tmp_path_factory.mktemp("numbers")
    _, counts, texts = counted.words(60)
    numbers = (counts[:, 0] + 0.5).tolist()
    lines = [json.loads(chain(text, "x")) | {"label": number} for text, number in zip(texts, numbers, strict=True)]
    (folder / "words.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "numbers.csv").write_text("\n".join(map(str, numbers)))
    (folder / "whole.csv").write_text("\n".join(str(int(number)) for number in numbers))
    rows = [f"{text.count('A')},{number}" for text, number in zip(texts, numbers, strict=True)]
    (folder / "table.csv").write_text("\n".join(["letters,label", *rows]))
    return folder


@pytest.fixture(scope="module")
def model(files):
    path = files / "m.gtm"
    found = succeed("fit", files / "words.jsonl", "-o", path, "--task", "regression", *QUICK)
    assert "Labels: numbers from 0.5 to 2.5; mean 1." in found.stdout
    assert "class" not in found.stdout
    assert "Score on 12 graphs held out: R2 0." in found.stdout
    assert "always the median would be 0." in " ".join(found.stdout.split())
    assert "each adds to [y], which starts at [1.5]:" in " ".join(found.stdout.split())
    return path


def test_predictions(files, model):
    found = succeed("predict", model, files / "words.jsonl")
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    graphs, _ = gtm.read_jsonl(files / "words.jsonl")
    expected = gtm.load(model).predict(graphs).tolist()
    assert [float(row["prediction"]) for row in rows] == expected
    lines = succeed("predict", model, files / "words.jsonl", "--json").stdout.splitlines()
    assert [json.loads(line)["prediction"] for line in lines] == expected
    assert found.stderr.startswith("Score on 60 graphs: R2 0.")
    same = succeed("predict", model, files / "words.jsonl", "--labels", files / "numbers.csv")
    assert same.stderr == found.stderr
    (files / "names.csv").write_text("\n".join(["many"] * 60))
    lines = (files / "words.jsonl").read_text().splitlines()
    named = [json.dumps(json.loads(line) | {"label": "many"}) for line in lines]
    (files / "named.jsonl").write_text("\n".join(named))
    other = succeed("predict", model, files / "named.jsonl")
    assert other.stdout == found.stdout
    text = "Labels are not compared with predictions. Labels of a regression must be finite numbers; that of graph 0 of"
    assert text in " ".join(other.stderr.split())
    message = refuse("predict", model, files / "words.jsonl", "--labels", files / "names.csv")
    assert "Labels of a regression must be finite numbers; that of graph 0 of" in message
    assert "names.csv is 'many'" in message
    assert "have no probabilities" in refuse("predict", model, files / "words.jsonl", "--proba")


def test_rules(model):
    text = succeed("rules", model, "--top", "2").stdout
    assert text.startswith("The strongest 2 rules, of ")
    assert "each adds to [y], which starts at [1.5]" in " ".join(text.split())
    assert "A rule adds its number to the prediction if its conditions hold." in text
    found = json.loads(succeed("rules", model, "--format", "json", "--class", "y").stdout)
    assert found["classes"] == ["y"]
    assert "There is no target 'z'. Targets of the model: y." in refuse("rules", model, "--class", "z")
    assert found["scale"]["lows"] == [0.5]
    assert all(set(rule["amounts"]) == {"y"} for rule in found["rules"] if not rule["used"])


def test_explanations(files, model):
    text = succeed("explain", model, files / "words.jsonl", "-i", "1").stdout
    assert "its label is 0.5" in text
    assert "Predicted y " in text
    predicted = gtm.load(model).predict(gtm.read_jsonl(files / "words.jsonl")[0][1:2])[0]
    found = json.loads(succeed("explain", model, files / "words.jsonl", "-i", "1", "--format", "json").stdout)
    assert found["prediction"] == predicted
    assert (
        "Smallest change: " in succeed("explain", model, files / "words.jsonl", "-i", "1", "--at-least", "1.5").stdout
    )
    assert "--at-least or --at-most" in refuse("explain", model, files / "words.jsonl", "--change")
    assert "Predictions are within 0.5 to 2.5; got 9." in refuse(
        "explain", model, files / "words.jsonl", "--at-least", "9"
    )


def test_decimals_are_numbers_and_integers_classes_unless_said(files, tmp_path):
    target = tmp_path / "m.gtm"
    fit = ["fit", files / "table.csv", "--as", "table", "-o", target, *QUICK, "--epochs", "2"]
    report = json.loads(succeed(*fit, "--json").stdout)
    assert report["task"] == "regression"
    assert report["range"] == [0.5, 2.5]
    (shown,) = [one for one in succeed("data", *fit[1:4]).stdout.splitlines() if one.startswith("Labels")]
    assert shown.startswith("Labels: numbers from 0.5 to 2.5; mean 1.")
    assert shown in succeed(*fit).stdout.replace("\n    ", " ")
    assert set(report["validation"]) == {"n", "r2", "mae", "baseline", "seconds"}
    assert isinstance(gtm.load(target)[-1], gtm.GraphTMRegressor)
    whole = [*fit, "--ignore", "label", "--labels", files / "whole.csv", "--json"]
    found = succeed(*whole)
    assert json.loads(found.stdout)["task"] == "classification"
    assert "pass --task regression" not in found.stderr
    report = json.loads(succeed(*whole, "--task", "regression", "--folds", "3", "--rules", "4", "--prune").stdout)
    assert report["task"] == "regression"
    assert len(report["folds"]["r2"]) == 3
    assert report["range"] == [0, 2]
    assert 0 < report["clauses"]["n"] <= 4


def test_many_whole_numbers_may_be_meant_as_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("\n".join(["size,price", *(f"{n},{n}" for n in range(30))]))
    fit = ["fit", tmp_path / "t.csv", "--as", "table", "--label", "price", "-o", tmp_path / "m.gtm", *QUICK]
    note = "Note: whole numbers are taken as classes. To predict numbers, pass --task regression."
    assert note in " ".join(succeed(*fit, "--epochs", "1").stderr.split())
    assert note not in " ".join(succeed(*fit, "--epochs", "1", "--task", "classification").stderr.split())
    found = succeed(*fit, "--task", "regression", "--validation", "0")
    assert "each adds to [price], which starts at [14.5]" in " ".join(found.stdout.split())
    shown = succeed("explain", tmp_path / "m.gtm", tmp_path / "t.csv", "-i", "3").stdout
    assert shown.startswith("Row 3; its label is 3\nPredicted price ")


def test_several_numbers_are_refused(tmp_path):
    lines = [json.loads(chain("AB", "x")) | {"label": [1.5, number]} for number in (1, 2)]
    (tmp_path / "two.jsonl").write_text("\n".join(map(json.dumps, lines)))
    message = "a regression needs one number. In Python, GraphTMRegressor predicts several."
    assert message in refuse("fit", tmp_path / "two.jsonl", "-o", tmp_path / "m.gtm", "--task", "regression")


def test_labels_that_are_no_numbers(files, tmp_path):
    (tmp_path / "words.csv").write_text("\n".join(["1.5"] * 59 + ["many"]))
    fit = ["fit", files / "words.jsonl", "-o", tmp_path / "m.gtm", "--labels", tmp_path / "words.csv"]
    message = "Labels of a regression must be finite numbers; that of graph 59 of "
    assert message in refuse(*fit, "--task", "regression")
    (tmp_path / "words.csv").write_text("\n".join(["1.5"] * 59 + ["nan"]))
    assert message in refuse(*fit, "--task", "regression")
    (tmp_path / "numbers.csv").write_text("\n".join(["1", "2.5", "0"] * 20))
    classes = [*fit[:-1], tmp_path / "numbers.csv", "--task", "classification"]
    assert "Labels such as 2.5 are numbers, not classes: pass --task regression" in refuse(*classes)
