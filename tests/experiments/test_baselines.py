"""Scripts that run other systems, with stand-ins for systems that are not installed."""

import json
import sys
import types

import numpy as np
import pytest
from baselines import mnist_cotm, text_linear, text_tm

from graphtm.experiments.baselines import read_baselines


class Machine:
    """Predicts better after each epoch; the second seed is stopped in its third epoch."""

    def __init__(self, n_clauses, T, s, *, patch_dim, weighted_clauses, seed):
        assert (n_clauses, T, s, patch_dim, weighted_clauses) == (2500, 3125, 10.0, (10, 10), True)
        self.seed, self.epoch = seed, 0

    def fit(self, images, y):
        assert set(np.unique(images)) == {0, 1}
        self.epoch += 1
        if (self.seed, self.epoch) == (4, 3):
            raise KeyboardInterrupt

    def predict(self, images):
        return np.full(len(images), self.epoch - 1)


@pytest.fixture
def script(monkeypatch, data):
    """Return a function that runs the script."""
    monkeypatch.setitem(
        sys.modules,
        "tmu.models.classification.coalesced_classifier",
        types.SimpleNamespace(TMCoalescedClassifier=Machine),
    )
    monkeypatch.setattr(mnist_cotm, "version", lambda name: "9.9")

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["mnist_cotm.py", "--data", str(data), *map(str, options)])
        mnist_cotm.main()

    return run


def test_several_seeds_are_one_line(script, tmp_path):
    script("--epochs", "7", "--seeds", "2", "--output", tmp_path)
    (line,) = read_baselines(tmp_path, "mnist")
    assert (line.version, line.seeds, line.result) == (
        "tmu 9.9",
        [0, 1],
        "the mean of the last 5 of 7 epochs, elapsed time",
    )
    assert len(line.scores["accuracy"]) == len(line.seconds) == 2
    assert line.peak_bytes > 2**20
    assert line.device
    assert line.command == "python benchmarks/baselines/mnist_cotm.py --epochs 7 --first-seed 0 --seeds 2"


def test_a_run_that_was_stopped_is_recorded(script, tmp_path):
    """Of two seeds, the first is complete; the second adds nothing, since it has fewer epochs."""
    state = tmp_path / "state.json"
    with pytest.raises(KeyboardInterrupt):
        script("--epochs", "3", "--first-seed", "3", "--seeds", "2", "--state", state, "--output", tmp_path)
    assert read_baselines(tmp_path, "mnist") == []
    assert [len(run["scores"]) for run in json.loads(state.read_text())["runs"].values()] == [3, 2]
    script("--record", state, "--output", tmp_path)
    (line,) = read_baselines(tmp_path, "mnist")
    assert (line.seeds, line.result) == ([3], "the mean of the last 3 of 3 epochs, elapsed time")


def test_a_part_of_the_data_is_no_result(script, tmp_path):
    script("--epochs", "1", "--train-size", "50", "--output", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_state_of_a_part_of_the_data_cannot_be_recorded(script, tmp_path, capsys):
    with pytest.raises(SystemExit):
        script("--epochs", "1", "--train-size", "50", "--state", tmp_path / "state.json")
    assert "leave it out with --train-size, whose result is not recorded." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# Texts


class Standard:
    """Predicts all texts to be positive; it has half of the paper's clauses for each class."""

    def __init__(self, n_clauses, T, s, *, weighted_clauses, seed):
        assert (n_clauses, T, s, weighted_clauses, seed) == (500, 10_000, 15.0, True, 3)

    def fit(self, bags, y):
        assert bags.shape[1] == 12
        assert set(np.unique(bags)) == {0, 1}

    def predict(self, bags):
        return np.ones(len(bags))


def run_script(monkeypatch, script, *options):
    """Run a script, given its options."""
    monkeypatch.setattr(sys, "argv", [script.__name__, *map(str, options)])
    script.main()


@pytest.fixture
def tmu(monkeypatch):
    """Put a stand-in in the place of the standard machine."""
    name = "tmu.models.classification.vanilla_classifier"
    monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(TMClassifier=Standard))
    monkeypatch.setattr(text_tm, "version", lambda name: "9.9")


def test_the_standard_machine_on_texts(tmu, monkeypatch, data, tmp_path):
    """The command has all options that change the result."""
    options = ("--epochs", "2", "--clauses", "1000", "--words", "12", "--seed", "3", "--output", tmp_path)
    run_script(monkeypatch, text_tm, "mpqa", "--data", data, *options)
    (line,) = read_baselines(tmp_path, "mpqa")
    assert (line.system, line.version, line.seeds) == ("standard TM, 1,000 clauses, 12 words", "tmu 9.9", [3])
    assert line.command == ("python benchmarks/baselines/text_tm.py mpqa --epochs 2 --clauses 1000 --words 12 --seed 3")
    assert line.result == "the last of 2 epochs, processor time of one core"
    assert line.scores["accuracy"] == [pytest.approx(1 / 3, abs=0.01)]
    assert list(line.scores) == ["accuracy", "accuracy on new phrases"]


def test_trials_on_texts_are_not_recorded(tmu, monkeypatch, data, tmp_path):
    options = ("--clauses", "1000", "--words", "12", "--seed", "3", "--output", tmp_path, "--epochs", "1")
    run_script(monkeypatch, text_tm, "imdb", "--data", data, "--holdout", "50", *options)
    assert list(tmp_path.iterdir()) == []


def test_a_seed_with_which_the_standard_machine_never_ends(tmu, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run_script(monkeypatch, text_tm, "mpqa", "--seed", "0")
    assert "--seed must be above 0, since tmu never ends with 0; got 0." in capsys.readouterr().err


def test_a_linear_machine_on_n_grams(monkeypatch, data, tmp_path):
    """Words of phrases say their polarity, so that it is learned."""
    monkeypatch.setattr(text_linear, "LENGTHS", (1,))
    monkeypatch.setattr(text_linear, "COSTS", (0.1,))
    run_script(monkeypatch, text_linear, "mpqa", "--data", data, "--min-texts", "2", "--output", tmp_path)
    (line,) = read_baselines(tmp_path, "mpqa")
    assert line.scores["accuracy"][0] > 0.9
    assert line.version.startswith("scikit-learn 1.")
    assert line.command == "python benchmarks/baselines/text_linear.py mpqa --min-texts 2"
    assert line.result.startswith("single words by ")
