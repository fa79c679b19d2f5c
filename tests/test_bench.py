"""Benchmarks run and write what they say; how fast anything is, no test asks."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from graphtm.bench import workloads
from graphtm.bench.images import drawn_digits, load_digits
from graphtm.cli.app import app
from graphtm.errors import GraphTMError

runner = CliRunner()


def test_an_engine_is_timed(tmp_path):
    out = tmp_path / "out.json"
    done = runner.invoke(app, ["bench", "--engine", "cpu", "--workload", "noisy-xor", "--repeats", "1", "--json", out])
    assert done.exit_code == 0, done.output
    assert "microseconds per example" in done.output
    (result,) = json.loads(out.read_text())["results"]
    assert result["name"] == "noisy-xor"
    assert min(result["early"], result["late"], result["predict"]) > 0


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--engine", "cup"], "There is no engine 'cup'"),
        (["--engine", "cpu", "--workload", "mnits"], "There is no workload 'mnits'"),
        (["--engine", "cpu", "--n-jobs", "0"], "Threads must be at least 1"),
        (["--workload", "mnist"], "are those of an engine"),
    ],
)
def test_mistakes_are_told(options, text):
    done = runner.invoke(app, ["bench", *options])
    assert done.exit_code == 2
    assert text in " ".join(done.output.replace("│", " ").split())


def test_workloads_are_what_they_say():
    makers = workloads()
    assert list(makers) == ["noisy-xor", "multivalue-xor", "chain", "mnist", "random-graphs", "many-labels"]
    xor = makers["multivalue-xor"]()
    assert (xor.params.n_clauses, xor.params.hypervector_size, xor.params.message_size, xor.params.depth) == (
        1000,
        2048,
        2048,
        2,
    )
    assert xor.train.n_graphs == xor.targets.n_examples
    assert np.all(np.diff(xor.test.node_ptr) == 2)


def test_drawn_digits_have_as_much_ink_as_real_ones():
    images, y = drawn_digits(500, 0)
    assert images.shape == (500, 28, 28)
    assert 0.13 < images.mean() < 0.17
    assert set(y) == set(range(10))


def test_real_digits_are_found_or_missed_clearly(tmp_path):
    with pytest.raises(GraphTMError, match=r"There must be an mnist.npz .* looked for"):
        load_digits(tmp_path, "train")
    folder = tmp_path / "mnist"
    folder.mkdir()
    np.savez(folder / "mnist.npz", x_train=np.full((3, 28, 28), 200, np.uint8), y_train=np.arange(3))
    images, y = load_digits(tmp_path, "train", 2)
    assert images.all()
    assert y.tolist() == [0, 1]
    with pytest.raises(GraphTMError, match="must hold the arrays x_test and y_test"):
        load_digits(tmp_path, "test")
