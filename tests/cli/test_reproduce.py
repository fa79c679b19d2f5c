"""``graphtm reproduce``: experiments of the paper from the command line."""

import json
import shlex
import sys

import pytest
from commands import refuse, run, succeed
from experiments.conftest import data  # noqa: F401 -- a fixture

import graphtm as gtm
from graphtm.experiments import NAMES, read_records

QUICK = ["--quick", "--n-jobs", "1"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Run commands in a folder without results: no test may add to those of the repository."""
    monkeypatch.chdir(tmp_path)


def flat(text):
    return " ".join(text.split())


def test_all_experiments_are_listed():
    listed = succeed("reproduce").stdout
    assert all(name in listed for name in NAMES)
    assert "paper, best" in listed


def test_measured_beside_the_paper(data, tmp_path):  # noqa: F811
    (tmp_path / "results").mkdir()
    done = succeed("reproduce", "mnist", "--data", data, *QUICK)
    text = flat(done.stdout)
    kind = "preset paper, quick run, not a result, with n_clauses=200, T=250, epochs=3"
    assert f"MNIST, disconnected patches: {kind}" in text
    assert "│ 98.42 ± 0.05 │ 98.93 ± 0.02 (CoTM) │" in text
    assert "Ours: the mean of the last 3 of 3 epochs, 1 seed; engine cpu" in text
    assert "The paper states neither its threshold" not in text  # notes are about complete runs
    assert "mnist, seed 0, epoch 3/3: " in done.stderr
    # A quick look leaves no trace.
    assert list((tmp_path / "results").iterdir()) == []
    # The folder of one dataset will do, too.
    quiet = succeed("reproduce", "mnist", "--data", data / "mnist", *QUICK, "-q")
    assert "epoch" not in quiet.stderr
    assert "│ 98.42 ± 0.05 │ 98.93 ± 0.02 (CoTM) │" in flat(quiet.stdout)
    assert quiet.stdout.rstrip().endswith("┘")


def test_notes_are_about_complete_runs():
    text = flat(succeed("reproduce", "sequence", "--seeds", "1", "--n-jobs", "1").stdout)
    assert "The paper gives neither T nor s for this task" in text


def test_results_are_appended_where_there_is_a_folder_for_them(data, tmp_path):  # noqa: F811
    small = ["--set", "n_clauses=20", "--set", "T=20", "--set", "symbol_encoding=one_hot", "--epochs", "2"]
    options = ["--data", data, "--n-jobs", "1", *small, "--set", "hypervector_size=None", "--holdout", "50"]
    done = succeed("reproduce", "mnist", *options)
    assert "The results were not saved; --output DIR" in flat(done.stderr)
    (tmp_path / "results").mkdir()
    done = succeed("reproduce", "mnist", *options, "--seeds", "2")
    assert "Appended to results/mnist.jsonl" in done.stderr
    text = flat(done.stdout)
    assert "preset paper, with n_clauses=20, T=20, symbol_encoding=one_hot, hypervector_size=None, epochs=2, " in text
    assert "holdout=50" in text
    assert "2 seeds, ± standard deviation; engine cpu" in text
    (tmp_path / "other").mkdir()
    succeed("reproduce", "mnist", *options, "--output", "other")
    first, second = read_records("results", "mnist")
    assert (first.seed, second.seed) == (0, 1)
    assert first.changes["hypervector_size"] is None
    assert first.changes["n_clauses"] == 20
    assert str(data) not in first.to_json()
    assert len(json.loads((tmp_path / "other" / "mnist.jsonl").read_text())["seconds"]) == 2


def test_a_command_in_a_record_repeats_the_run(tmp_path):
    command = ["reproduce", "sequence", "--set", "T=20", "--seeds", "2", "--first-seed", "4", "--variant", "", *QUICK]
    succeed(*command, "--output", tmp_path)
    before = read_records(tmp_path, "sequence")
    again = shlex.split(before[0].command)
    assert again[0] == "graphtm"
    succeed(*again[1:], "--output", tmp_path)
    after = read_records(tmp_path, "sequence")[2:]
    assert [one.seed for one in after] == [4, 5]
    assert [(one.scores, one.parameters) for one in after] == [(one.scores, one.parameters) for one in before]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["mnits"], "There is no experiment 'mnits'. Did you mean 'mnist'? Choose from: sequence"),
        (
            ["sequence", "--preset", "bst"],
            "sequence has no preset 'bst'. Did you mean 'best'? Choose from: paper, best.",
        ),
        (["sequence", "--set", "T"], "It must be a name and a value, such as T=50; got 'T'."),
        (
            ["sequence", "--set", "clauses=5"],
            "There is no parameter 'clauses' to set. Did you mean 'n_clauses'? Choose from: 'noise', 'encoded', 'T', ",
        ),
        (["mnist", "--set", "T=-5"], "The parameter 'T' (--set) must be an int"),
        (["mnist", "--set", "n_clauses=many"], "The parameter 'n_clauses' (--set) must be an int in the range [1, "),
        (["mnist", "--n-jobs", "0"], "--n-jobs must be "),
        (["mnist", "--variant", "deep"], "mnist has no variants; got 'deep'. Leave it out."),
        (["multivalue_xor", "--values", "7", "--set", "n_values=5"], "The number of values is given twice"),
        (["sequence", "--engine", "cup"], "--engine must be a str among"),
        (["sequence", "--plot", "."], "sequence has no pictures."),
        (["sequence", "--epochs", "2", "--set", "epochs=3"], "The number of epochs is given twice"),
        (["sequence", "--set", "epochs=auto"], "--epochs must be an int of at least 1. Got 'auto' instead."),
        (["sequence", "--set", "epochs=0"], "--epochs must be an int of at least 1. Got 0 instead."),
        (
            ["mnist", "--set", "patience=2"],
            "The parameter 'patience' cannot be set: every run trains for a fixed number",
        ),
        (["sequence", "--seeds", "0"], "--seeds"),
    ],
)
def test_mistakes_are_told(options, message):
    assert message in refuse("reproduce", *options)


def test_data_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    assert "MNIST" in refuse("reproduce", "mnist", "--quick", "--data", tmp_path)
    assert run("reproduce", "mnist", "--data", tmp_path / "none").exit_code == 2
    assert "(set it with --data or the environment" in refuse("reproduce", "tangram", "--quick", "--data", tmp_path)


def test_few_values_are_the_first_figure(tmp_path):
    """Four clauses of depth 2 find even and odd values by elimination; the picture has both depths."""
    options = ["--values", "10", "--variant", "depth 2, 4 clauses", "--variant", "depth 1, 4 clauses"]
    done = succeed("reproduce", "multivalue_xor", *options, "--seeds", "1", "--n-jobs", "1", "--plot", tmp_path)
    rows = {line.split("│")[1].strip(): line.split("│")[4] for line in done.stdout.splitlines() if "clauses │" in line}
    assert float(rows["depth 2, 4 clauses"]) == 100.0
    assert float(rows["depth 1, 4 clauses"]) < 75.0
    assert "Clauses of depth 2, 4 clauses" in done.stdout
    # A clause of the figure: no even values, or no odd ones.
    clauses = [line for line in done.stdout.splitlines() if line.startswith("C")]
    assert any(all(f"NOT {n}" in one for n in range(first, 10, 2)) for one in clauses for first in (0, 1))
    assert (tmp_path / "elimination-clauses.png").read_bytes().startswith(b"\x89PNG")


def test_numbers_of_values():
    assert "Only multivalue_xor has a number of values" in refuse("reproduce", "mnist", "--values", "10")
    many = succeed("reproduce", "multivalue_xor", "--values", "500", "--variant", "4 clauses, M=2,048", *QUICK)
    assert "Parity of the sum of two of 500 values: preset paper, quick run, not a result, with n_values=4, " in flat(
        many.stdout
    )
    some = succeed("reproduce", "multivalue_xor", "--values", "6", "--variant", "depth 2, 4 clauses", *QUICK)
    title = "Parity of the sum of two of ten values, by elimination: preset paper, quick run, not a result, with "
    assert title in flat(some.stdout)
    assert "n_values=6" in flat(some.stdout)


def test_a_picture_needs_matplotlib_before_the_run(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("graphtm.experiments.reproduce", lambda *given, **options: pytest.fail("it was run"))
    error = refuse("reproduce", "elimination", *QUICK, "--plot", tmp_path)
    assert error == (
        "A picture of results needs the library 'matplotlib', which is not installed: pip install 'graphtm[plots]'."
    )


def test_ctrl_c(tmp_path, monkeypatch):
    """With checkpoints, the same command continues, which is said."""

    def interrupted(*given, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(gtm.GraphTMClassifier, "fit", interrupted)
    for options, text in (([], ""), (["--checkpoints", tmp_path], " The same command continues where it stopped.")):
        done = run("reproduce", "sequence", *QUICK, *options)
        assert done.exit_code == 130
        assert done.stderr == f"Interrupted.{text}\n"


def test_models_are_saved(data, tmp_path):  # noqa: F811
    """From a run to its heat maps: the file takes raw images."""
    (tmp_path / "models").mkdir()
    done = succeed("reproduce", "mnist", "--data", data, *QUICK, "--models", "models")
    assert "Models: models" in done.stderr
    model = gtm.load("models/mnist-paper-seed0.gtm")
    images, _ = gtm.datasets.load_mnist(subset="test", data_home=data)
    assert "votes" in str(gtm.explain(model, images, 3))
