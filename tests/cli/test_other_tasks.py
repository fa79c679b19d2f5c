"""Auto-encoders and bandits on the command line: fit, predict, rules, explain and export."""

import csv
import io
import json
import re

import numpy as np
import pytest
from commands import FAST, chain, refuse, succeed

import graphtm as gtm
from graphtm.estimators.fit_inputs import held_out

QUICK = ["--clauses", "20", "--epochs", "3", "--n-jobs", "1"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Two nodes that are alike and an edge one way or the other; which arm was taken, and what it paid."""
    folder, rng = tmp_path_factory.mktemp("tasks"), np.random.default_rng(0)
    lines, log = [], ["arm,reward"]
    for number in range(100):
        kind, forward, taken = rng.integers(2, size=3).tolist()
        ends = {"source": "one", "target": "two"} if forward else {"source": "two", "target": "one"}
        nodes = [{"id": name, "properties": [name, f"{name} {'ab'[kind]}"]} for name in ("one", "two")]
        lines.append({"id": f"g{number}", "directed": True, "nodes": nodes, "edges": [ends]})
        log.append(f"{['left', 'right'][taken]},{2.5 * (taken == forward) - 0.5}")
    (folder / "graphs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (folder / "log.csv").write_text("\n".join(log))
    return folder


@pytest.fixture(scope="module")
def encoder(files):
    path = files / "encoder.gtm"
    found = succeed("fit", files / "graphs.jsonl", "-o", path, "--task", "autoencoding", *QUICK, "--T", "20")
    text = " ".join(found.stdout.split())
    assert "Representation: nodes, depth 2. Why: the symbols of a node are expected from those around it." in text
    assert "--clauses 20: Given by --clauses." in text
    assert "--s 5.0: Chosen for 3,000 examples, 500 for each symbol, and exact clauses." in text
    assert "Training on 80 % of them, to measure the accuracy on the rest, then training on all 100 graphs." in text
    assert "Accuracy on 20 graphs held out: " in text
    assert "Most similar to frequent symbols (6 symbols in all): one: " in text
    assert f"graphtm predict {path}" in text
    return path


@pytest.fixture(scope="module")
def bandit(files):
    path = files / "bandit.gtm"
    options = ["--task", "bandit", "--labels", files / "log.csv", *QUICK, "--epochs", "30", "--T", "40", "--s", "3"]
    found = succeed("fit", files / "graphs.jsonl", "-o", path, *options)
    text = " ".join(found.stdout.split())
    assert "Arms that were taken: left " in text
    assert "Representation: nodes, depth 2. Why: a bandit takes graphs as they are, so that it can decide" in text
    assert "--max-misses 0: Clauses are exact: all of their literals must hold." in text
    assert "--epochs 30: Given by --epochs." in text
    assert "Arms: left, right; rewards from -0.5 to 2" in text
    assert re.search(
        r"Mean reward on 1?[0-9] of 20 graphs held out, where the bandit would take the arm of the log: 2; of all 20 "
        r"in the log: [01]\.\d+",
        text,
    )
    return path


def test_symbols_are_predicted_node_by_node(files, encoder):
    graphs, _ = gtm.read_jsonl(files / "graphs.jsonl")
    model = gtm.load(encoder)
    expected = model.reconstruct(graphs).toarray()
    rows = list(csv.DictReader(io.StringIO(succeed("predict", encoder, files / "graphs.jsonl").stdout)))
    assert [row["number"] for row in rows[:3]] == ["0", "0", "1"]
    assert [row["node"] for row in rows[:3]] == ["one", "two", "one"]
    texts = [";".join(str(model.symbols_[column]) for column in np.flatnonzero(row)) for row in expected]
    assert [row["prediction"] for row in rows] == texts
    lines = succeed("predict", encoder, files / "graphs.jsonl", "--json").stdout.splitlines()
    assert [";".join(json.loads(line)["prediction"]) for line in lines] == texts
    assert "no probabilities" in refuse("predict", encoder, files / "graphs.jsonl", "--proba")


def test_rules_and_explanations_of_symbols(files, encoder, tmp_path):
    found = " ".join(succeed("export", encoder, "-o", tmp_path / "encoder.py").stderr.split())
    assert "It takes graphs as graphtm export MODEL DATA -o GRAPHS writes them. It says which symbols are" in found
    assert "This is not what graphtm predict prints" in found
    assert "for one a" in succeed("rules", encoder, "--class", "one a", "--top", "2").stdout
    text = succeed("explain", encoder, files / "graphs.jsonl", "-i", "2", "--node", "two").stdout
    assert "one a" in text
    masked = [
        "explain",
        encoder,
        files / "graphs.jsonl",
        "-i",
        "2",
        "--node",
        "two",
        "--mask",
        "two",
        "--format",
        "json",
    ]
    found = json.loads(succeed(*masked).stdout)
    graphs, _ = gtm.read_jsonl(files / "graphs.jsonl")
    assert list(found["votes"].values()) == list(gtm.load(encoder).explain(graphs[2], "two", "two").votes.values())
    message = "It must name the node whose symbols are expected, one of: one, two."
    assert message in refuse("explain", encoder, files / "graphs.jsonl")
    assert message in refuse("explain", encoder, files / "graphs.jsonl", "--node", "three")
    known = "Symbols of the model: one, one b, two, two b, one a, two a."
    for arguments in (["rules", encoder, "--class", "x"], [*masked[:7], "--mask", "x"]):
        assert f"There is no symbol 'x'. {known}" in " ".join(refuse(*arguments).split())


def test_arms(files, bandit, tmp_path):
    graphs, _ = gtm.read_jsonl(files / "graphs.jsonl")
    arms = gtm.load(bandit).predict(graphs).tolist()
    rows = list(csv.DictReader(io.StringIO(succeed("predict", bandit, files / "graphs.jsonl").stdout)))
    assert [row["prediction"] for row in rows] == arms
    log = list(csv.DictReader((files / "log.csv").read_text().splitlines()))
    right = [row["arm"] if row["reward"] == "2.0" else {"left": "right", "right": "left"}[row["arm"]] for row in log]
    assert np.mean(np.array(right) == arms) > 0.9
    rules = " ".join(succeed("rules", bandit).stdout.split())
    assert "votes for [left, right]" in rules
    assert "A vote above 0 is for an arm, one below 0 against it." in rules
    assert "There is no arm 'up'. Arms of the model: left, right." in refuse("rules", bandit, "--class", "up")
    assert arms[1] in succeed("explain", bandit, files / "graphs.jsonl", "-i", "1").stdout
    assert "the model is no auto-encoder" in refuse("explain", bandit, files / "graphs.jsonl", "--node", "one")
    found = " ".join(succeed("export", bandit, "-o", tmp_path / "bandit.py").stderr.split())
    assert found.endswith("KiB) It takes graphs as graphtm export MODEL DATA -o GRAPHS writes them.")
    assert "TASK" in (tmp_path / "bandit.py").read_text()


def test_labels_are_compared_with_arms_but_not_with_symbols(files, bandit, encoder, tmp_path):
    """The mean reward is that of the rows whose arm is the predicted one."""
    arms = gtm.load(bandit).predict(gtm.read_jsonl(files / "graphs.jsonl")[0]).tolist()
    log = list(csv.DictReader((files / "log.csv").read_text().splitlines()))
    paid = [float(row["reward"]) for row, arm in zip(log, arms, strict=True) if row["arm"] == arm]
    predict = ["predict", bandit, files / "graphs.jsonl", "--labels"]
    found = succeed(*predict, files / "log.csv")
    text = f"Mean reward on {len(paid)} of 100 graphs, where the bandit would take the arm of the log: "
    assert text in " ".join(found.stderr.split())
    mean, of_all = re.search(
        r"log: ([\d.-]+); of all 100 in the log: ([\d.-]+)", " ".join(found.stderr.split())
    ).groups()
    assert float(mean) == pytest.approx(np.mean(paid), rel=1e-3)
    assert float(of_all) == pytest.approx(np.mean([float(row["reward"]) for row in log]), rel=1e-3)
    assert found.stdout == succeed(*predict[:-1]).stdout
    (tmp_path / "log.csv").write_text("\n".join(["arm,reward", *["up,1"] * 100]))
    text = " ".join(succeed(*predict, tmp_path / "log.csv").stderr.split())
    assert "Rows with other arms than those of the model do not count: up. Arms of the model: left, right." in text
    assert "Mean reward on 0 of 100 graphs, where the bandit would take the arm of the log: none has that arm" in text
    (tmp_path / "log.csv").write_text("arm,reward\nleft,1\n")
    assert "has 1 for 100 graphs" in refuse(*predict, tmp_path / "log.csv")
    text = "--labels: It has no effect: the model predicts symbols, not labels."
    assert text in refuse("predict", encoder, files / "graphs.jsonl", "--labels", files / "log.csv")
    text = "--labels: It has no effect: the model predicts arms, not labels."
    assert text in refuse("explain", bandit, files / "graphs.jsonl", "--labels", files / "log.csv")


def test_a_log_without_the_arms_of_the_bandit_has_no_mean_reward(files, tmp_path):
    """The arm that pays was only taken for graphs from which it learns."""
    rows = np.where(held_out(np.zeros(100, int), 0.2, 0), "left,0", ["right,1", "left,0"] * 50)
    fit = ["fit", files / "graphs.jsonl", "-o", tmp_path / "m.gtm", "--task", "bandit", *QUICK, "--T", "20"]
    (tmp_path / "log.csv").write_text("\n".join(["arm,reward", *rows]))
    arguments = [*fit, "--labels", tmp_path / "log.csv"]
    assert "take the arm of the log: none has that arm" in " ".join(succeed(*arguments).stdout.split())
    found = json.loads(succeed(*arguments, "--json").stdout)["validation"]
    assert found == {"n": 20, "n_same_arm": 0, "reward": None, "reward_of_all": 0}


@pytest.mark.parametrize("task", ["autoencoding", "bandit"])
def test_reports_checkpoints_and_pruning(files, task, tmp_path):
    log = ["--labels", files / "log.csv"] if task == "bandit" else []
    fit = ["fit", files / "graphs.jsonl", "-o", tmp_path / "m.gtm", "--task", task, *log, *QUICK, "--prune", "--json"]
    report = json.loads(succeed(*fit, "--checkpoint", tmp_path / "run.gtm").stdout)
    assert report["task"] == task
    assert (report["choice"]["representation"], report["choice"]["encoders"]) == ("nodes, depth 2", [])
    assert report["choice"]["parameters"] == {name: report["used"][name] for name in report["choice"]["parameters"]}
    assert report["validation"]["n"] == 20
    assert not (tmp_path / "run.gtm").exists()
    state = gtm.load(tmp_path / "m.gtm").state_
    report = json.loads(succeed(*fit, "--validation", "0").stdout)
    assert report["validation"] is None
    assert gtm.load(tmp_path / "m.gtm").state_.equals(state)


@pytest.mark.parametrize("options", [[], ["--ignore", "price"], ["--label", "price"]])
def test_labels_of_graphs_are_not_read(data, tmp_path, options):
    """Other columns, and graphs without a row, do not matter."""
    (tmp_path / "csv").mkdir()
    for name in ("nodes", "edges"):
        (tmp_path / "csv" / f"{name}.csv").write_text((data / "csv" / f"{name}.csv").read_text())
    (tmp_path / "csv" / "graphs.csv").write_text("graph,price\nw0,3\n")
    (tmp_path / "log.csv").write_text("\n".join(["arm,reward", *["up,1", "down,0"] * 30]))
    fit = ["fit", tmp_path / "csv", "-o", tmp_path / "m.gtm", "--edge-type", "kind", *FAST, *options]
    succeed(*fit, "--task", "autoencoding")
    assert succeed("predict", tmp_path / "m.gtm", tmp_path / "csv").stdout.startswith("number,graph,node,prediction\n")
    succeed(*fit, "--task", "bandit", "--labels", tmp_path / "log.csv")
    found = succeed("predict", tmp_path / "m.gtm", tmp_path / "csv", "--labels", tmp_path / "log.csv")
    assert len(found.stdout.splitlines()) == 61


def test_labels_of_graphs_in_the_file_of_nodes_are_no_symbols(data, tmp_path):
    fit = ["fit", data / "csv", "-o", tmp_path / "m.gtm", "--task", "autoencoding", "--edge-type", "kind", *FAST]
    assert "letter=" in succeed(*fit).stdout
    assert "letter=" not in succeed(*fit, "--label", "letter").stdout


def test_labels_in_lines_are_not_read(tmp_path):
    lines = [chain("AB", "x"), chain("BA"), chain("BB", 2)] * 5
    (tmp_path / "words.jsonl").write_text("\n".join(lines))
    fit = ["fit", tmp_path / "words.jsonl", "-o", tmp_path / "m.gtm", "--task", "autoencoding", *FAST]
    assert "15 graphs from" in succeed(*fit).stdout
    assert len(succeed("predict", tmp_path / "m.gtm", tmp_path / "words.jsonl").stdout.splitlines()) == 31


def test_what_is_refused(files, tmp_path):
    fit = ["fit", files / "graphs.jsonl", "-o", tmp_path / "m.gtm", *QUICK]
    assert "must name a CSV file with the columns arm and reward" in refuse(*fit, "--task", "bandit")
    (tmp_path / "log.csv").write_text("arm,reward\nleft,1\n")
    message = refuse(*fit, "--task", "bandit", "--labels", tmp_path / "log.csv")
    assert "There must be one row for each graph" in message
    assert "has 1 for 100 graphs" in message
    for row, text in (
        ("left,much", ["Rewards must be finite numbers; that of graph 1 of", "log.csv is 'much'"]),
        (",1", ["Every row must name an arm; that of graph 1 of", "log.csv does not"]),
        ("left,", ["Every row must have a reward; that of graph 1 of", "log.csv does not"]),
    ):
        (tmp_path / "log.csv").write_text(f"arm,reward\nleft,1\n{row}\n")
        message = refuse(*fit, "--task", "bandit", "--labels", tmp_path / "log.csv")
        assert all(part in message for part in text)
    labels = ["--labels", files / "log.csv"]
    assert "--labels: It has no effect with --task autoencoding" in refuse(*fit, "--task", "autoencoding", *labels)
    assert "It has no effect with --task autoencoding" in refuse(*fit, "--task", "autoencoding", "--folds", "3")
    (tmp_path / "rows.csv").write_text("a,label\n1,2\n3,4\n")
    table = ["fit", tmp_path / "rows.csv", "--as", "table", "-o", tmp_path / "m.gtm", "--task", "autoencoding"]
    assert "It takes graphs, not --as table" in refuse(*table)
    assert not (tmp_path / "m.gtm").exists()
