"""The script that runs another system on MNIST, with a stand-in for that system."""

import json
import sys
import types

import numpy as np
import pytest
from baselines import mnist_cotm

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
    assert (line.version, line.seeds, line.result) == ("tmu 9.9", [0, 1], "the mean of the last 5 of 7 epochs")
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
    assert (line.seeds, line.result) == ([3], "the mean of the last 3 of 3 epochs")


def test_a_part_of_the_data_is_no_result(script, tmp_path):
    script("--epochs", "1", "--train-size", "50", "--output", tmp_path)
    assert list(tmp_path.iterdir()) == []
