"""Benchmarks run and report what they measure; no test asserts how fast anything is."""

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from encoder_speed import (
    measure_digits,
    measure_encoders,
    measure_frames,
    measure_genomes,
    measure_neighbourhoods,
    measure_photos,
    measure_reviews,
)
from graph_speed import measure_graphs
from measurements import Measurement, peak_memory, report
from typer.testing import CliRunner

from graphtm.bench import drawn_digits, workloads
from graphtm.cli.app import app
from graphtm.errors import DatasetNotFoundError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
runner = CliRunner()


@pytest.mark.parametrize("engine", [["--engine", "cpu"], []])
def test_an_engine_is_timed(tmp_path, engine):
    out = tmp_path / "out.json"
    done = runner.invoke(app, ["bench", *engine, "--workload", "noisy-xor", "--repeats", "1", "--json", out])
    assert done.exit_code == 0, done.output
    assert "microseconds per example" in done.output
    (result,) = json.loads(out.read_text())["results"]
    assert result["name"] == "noisy-xor"
    assert min(result["early"], result["late"], result["predict"]) > 0
    # "auto" is reported as the engine that was chosen.
    assert f"engine {result['engine']}:" in " ".join(done.output.split())
    assert result["engine"] == "cpu" or not engine


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--engine", "cup"], "Unknown engine 'cup'"),
        (["--engine", "cpu", "--workload", "mnits"], "Unknown workload 'mnits'"),
        (["--workload", "mnits"], "Unknown workload 'mnits'"),
        (["--engine", "cpu", "--n-jobs", "0"], "number of threads must be at least 1"),
        (["--data", "no-such-folder"], "'no-such-folder' does not exist"),
    ],
)
def test_mistakes_are_told(options, text):
    done = runner.invoke(app, ["bench", *options])
    assert done.exit_code == 2
    assert text in " ".join(done.output.replace("│", " ").split())


def test_workloads_are_what_they_say():
    makers = workloads()
    assert list(makers) == [
        "noisy-xor",
        "multivalue-xor",
        "chain",
        "mnist",
        "mnist-graded",
        "random-graphs",
        "many-labels",
        "whole-graph",
    ]
    xor = makers["multivalue-xor"]()
    assert (xor.params.n_clauses, xor.params.hypervector_size, xor.params.message_size, xor.params.depth) == (
        1000,
        2048,
        2048,
        2,
    )
    assert xor.train.n_graphs == xor.targets.n_examples
    assert np.all(np.diff(xor.test.node_ptr) == 2)


def test_graded_workloads_are_what_they_say():
    makers = workloads()
    ungraded, digits, whole = (makers[name]() for name in ("mnist", "mnist-graded", "whole-graph"))
    assert ungraded.params.max_misses == 0
    for one, clauses, limit in ((digits, 250, 60), (whole, 200, 100)):
        params = one.params
        assert (params.n_clauses, params.max_misses, params.max_included_literals) == (clauses, 9, limit)
        assert one.train.n_graphs == one.targets.n_examples
    # The same patches, so that the times of both can be compared.
    assert np.array_equal(digits.train.bits, ungraded.train.bits)
    assert (whole.params.T, whole.params.s_per_layer, whole.params.hypervector_size) == (1000, (500.0,), 2500)
    assert np.all(np.diff(whole.train.node_ptr) == 1)
    per_graph = np.unpackbits(whole.train.bits.view(np.uint8), axis=1).sum(axis=1)
    assert 35 < per_graph.mean() < 45
    assert per_graph.std() > 3


def test_drawn_digits_have_as_much_ink_as_real_ones():
    images, y = drawn_digits(500, 0)
    assert images.shape == (500, 28, 28)
    assert 0.13 < images.mean() < 0.17
    assert set(y) == set(range(10))


def real_digits(folder):
    np.savez(folder / "mnist.npz", x_train=np.full((3, 28, 28), 200, np.uint8), y_train=np.arange(3))


def test_workloads_on_real_digits(tmp_path):
    with pytest.raises(DatasetNotFoundError, match=r"Looked in mnist/.* for mnist\.npz"):
        workloads(tmp_path)["mnist"]()


@pytest.mark.parametrize("place", ["", "mnist", "deep/down/mnist"])
def test_digits_are_real_where_the_loader_finds_them(tmp_path, place):
    folder = tmp_path / place
    folder.mkdir(parents=True, exist_ok=True)
    real_digits(folder)
    measured = measure_digits(2, tmp_path)
    assert measured.data == ("drawn" if "deep" in place else "real")
    assert measured.name == "ImagePatches: 2 images, 361 nodes each, 138 symbols, into 128 bits"
    assert measured.result_bytes == 2 * 361 * 16


def test_encoders_are_measured():
    photos, reviews, genomes = measure_photos(2), measure_reviews(30), measure_genomes(3)
    assert photos.name == "ImagePatches: 4 images, 1,250 nodes each, 2,548 symbols, into 128 bits"
    assert re.fullmatch(r"Tokens\(\): 30 texts, [\d,]+ nodes", reviews.name)
    assert genomes.name == "KMers(): 3 texts, 2,994 nodes"
    looks = measure_neighbourhoods(5)
    assert looks.name == "Neighbourhoods(): 5 graphs, 500 nodes, 2,500 edges"
    for one in (photos, reviews, genomes, looks, measure_frames(200, 10, 10)):
        assert one.data == "drawn"
        assert one.seconds > 0
        # One meaning for all: the whole process, so never less than the interpreter with its libraries.
        assert one.peak_bytes > max(one.result_bytes, 30 << 20)


def test_reviews_are_real_where_the_loader_finds_them(tmp_path):
    (tmp_path / "imdb").mkdir()
    (tmp_path / "imdb" / "train.jsonl").write_text('{"text": "a good film", "label": 1}\n' * 3)
    measured = measure_reviews(2, tmp_path)
    assert (measured.name, measured.data) == ("Tokens(): 2 texts, 6 nodes", "real")


def test_graphs_are_measured():
    measured = list(measure_graphs(1, n_images=3, n_nodes=200, n_edges=1000, n_graphs=10))
    assert len(measured) == 7
    assert all(one.seconds > 0 and one.result_bytes > 0 for one in measured)


def test_the_table_says_what_was_measured(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("COLUMNS", "120")
    measured = Measurement("KMers", 1.5, 3 << 30, 2 << 20), Measurement("Tokens", 2.5, 1 << 30, 2 << 20, "real")
    out = tmp_path / "out.json"
    report("encoders", "peak memory,\nwhole process", iter(measured), out)
    output = capsys.readouterr().out
    assert "whole process" in output
    assert [row["data"] for row in json.loads(out.read_text())["results"]] == ["drawn", "real"]
    assert re.search(r"KMers .* drawn .* 1.500", output)
    assert re.search(r"Tokens .* real .* 2.500", output)


def test_a_folder_that_is_not_there_is_refused_before_anything_is_measured(tmp_path):
    measured = (pytest.fail("it has begun") for _ in range(1))
    with pytest.raises(SystemExit, match=r"does not exist\. Create it first"):
        report("graphs", "peak memory", measured, tmp_path / "none" / "bench.json")


@pytest.mark.parametrize("script", ["encoder_speed", "graph_speed", "short_models", "newcomers", "full_mnist"])
def test_scripts_explain_themselves(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [script, "--help"])
    with pytest.raises(SystemExit) as exit_info:
        runpy.run_path(str(BENCHMARKS / f"{script}.py"), run_name="__main__")
    assert exit_info.value.code == 0
    assert "--json" in capsys.readouterr().out


@pytest.mark.slow
def test_a_script_measures_each_encoder_in_its_own_process(tmp_path):
    out = tmp_path / "out.json"
    command = [sys.executable, BENCHMARKS / "encoder_speed.py", "--scale", "0.0005", "--json", out]
    subprocess.run(command, check=True, capture_output=True)
    assert len(json.loads(out.read_text())["results"]) == 7


@pytest.mark.slow
def test_each_measurement_has_a_process_of_its_own():
    ballast = np.ones(1 << 27)
    measured = list(measure_encoders(None, scale=0.0005))
    assert len(measured) == 7
    assert all(one.peak_bytes < ballast.nbytes < peak_memory() for one in measured)
