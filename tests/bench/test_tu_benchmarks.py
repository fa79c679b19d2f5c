"""Benchmarks on TU datasets score the graphs that they should, and their tables have the means of what was measured."""

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from archives import write, zipped
from symbol_counts import symbol_counts
from tu_graded import splits, with_degrees

import graphtm as gtm
from graphtm.datasets import load_tudataset

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run_script(name, monkeypatch, *options):
    monkeypatch.setattr(sys, "argv", [name, *map(str, options)])
    runpy.run_path(str(BENCHMARKS / f"{name}.py"), run_name="__main__")


def tiny_molecules(n):
    """Return the files of a TU dataset of triangles and paths of three nodes, two labels each."""
    triangle, path = [(1, 2), (2, 1), (2, 3), (3, 2), (1, 3), (3, 1)], [(1, 2), (2, 1), (2, 3), (3, 2)]
    edges = [(3 * k + u, 3 * k + v) for k in range(n) for u, v in (triangle if k % 2 else path)]
    return {
        "TINY_A.txt": "".join(f"{u}, {v}\n" for u, v in edges),
        "TINY_graph_indicator.txt": "".join(f"{1 + node // 3}\n" for node in range(3 * n)),
        "TINY_graph_labels.txt": "".join(f"{k % 2}\n" for k in range(n)),
        "TINY_node_labels.txt": "".join(f"{5 + node % 2}\n" for node in range(3 * n)),
        "TINY_node_attributes.txt": "0.5\n" * 3 * n,
    }


def write_molecules(folder, n):
    write(folder / "TINY.zip", zipped({name: text.encode() for name, text in tiny_molecules(n).items()}))


def test_nodes_of_molecules_have_their_degree(tmp_path):
    write_molecules(tmp_path, 2)
    plain, _ = load_tudataset("TINY", data_home=tmp_path, ignore=["node_attributes"])
    path, triangle = with_degrees(plain)
    assert path.properties(0) == (("label", 5), ("degree", 1))
    assert path.properties(1) == (("label", 6), ("degree", 2))
    assert {triangle.properties(node)[1] for node in triangle.nodes} == {("degree", 2)}
    for before, after in zip(plain, (path, triangle), strict=True):
        assert list(after.edges) == list(before.edges)


@pytest.mark.parametrize("extra", [[], ["--validate", "--setting", "graded", "--s", "100", "--max-misses", "2"]])
def test_grading_is_compared_on_molecules(tmp_path, monkeypatch, capsys, extra):
    write_molecules(tmp_path, 40)
    out = tmp_path / "out.json"
    options = ["--data-home", tmp_path, "--folds", "2", "--epochs", "2", "--clauses", "5", "--T", "20"]
    options += ["--engine", "reference"]
    run_script("tu_graded", monkeypatch, *options, *extra, "--json", out)
    results = json.loads(out.read_text())
    settings = ["graded"] if extra else ["ungraded", "graded"]
    assert [(one["set"], one["fold"], one["setting"]) for one in results] == [
        ("TINY", fold, setting) for fold in range(2) for setting in settings
    ]
    assert all(len(one["accuracies"]) == 2 and one["seconds"] > one["learning_seconds"] > 0 for one in results)
    graded = results[-1]["parameters"]
    assert (graded["n_clauses"], graded["max_misses"], graded["s"]) == (5, *((2, 100) if extra else (9, 200)))
    last = 100 * np.mean([one["accuracies"][-1] for one in results if one["setting"] == "graded"])
    row = capsys.readouterr().out.splitlines()[-1]
    assert row.startswith("| TINY | 2 | 50.0 | ")
    assert f"| {last:.1f} ± " in row


def test_validation_leaves_test_graphs_alone():
    y = np.arange(200) % 2
    for (train, test), (learned, held) in zip(splits(y, 10, False), splits(y, 10, True), strict=True):
        assert sorted([*learned, *held]) == train.tolist()
        assert len(held) == 18
        assert y[held].mean() == 0.5
        assert not set(test) & {*learned, *held}


def test_symbols_are_counted():
    graphs = gtm.GraphBatch.from_arrays([2, 1, 1], (np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])), ["a", "b"])
    assert symbol_counts(graphs).toarray().tolist() == [[2, 1], [0, 1], [0, 0]]


METHODS = ["recommended", "WL and linear SVM", "facts and forest", "plain"]


@pytest.mark.parametrize("methods", [METHODS[:3], pytest.param(METHODS, marks=pytest.mark.slow)], ids=["few", "all"])
def test_defaults_are_compared_on_molecules(tmp_path, monkeypatch, capsys, methods):
    write_molecules(tmp_path, 40)
    out = tmp_path / "out.json"
    options = ["--folds", 2, "--seeds", 2, "--method", *methods]
    run_script("tu_defaults", monkeypatch, "--data-home", tmp_path, *options, "--json", out)
    results = json.loads(out.read_text())
    assert [(one["method"], one["fold"], one["seed"]) for one in results] == [
        (method, fold, seed)
        for fold in range(2)
        for method in methods
        for seed in range(1 if method == "WL and linear SVM" else 2)
    ]
    # Triangles and paths differ in what nodes look like with their neighbours.
    assert all(one["accuracy"] == 1 for one in results if one["method"] != "plain")
    row = [cell.strip() for cell in capsys.readouterr().out.splitlines()[-1].split("|")[1:-1]]
    assert row[:6:2] == ["TINY", "50.0", "100.0 ± 0.0"]
    last = [100 * one["accuracy"] for one in results if one["method"] == methods[-1]]
    assert row[-2] == f"{np.mean(last):.1f} ± {np.std(last):.1f}"


def test_models_are_shortened(tmp_path, monkeypatch, capsys):
    write_molecules(tmp_path, 40)
    out = tmp_path / "out.json"
    options = ["--sets", "TINY", "--clauses", 10, "--max-misses", 0, "--counts", 1, "--parts", "--folds", 1]
    run_script("short_models", monkeypatch, "--data-home", tmp_path, *options, "--rules", "--json", out)
    (fold,) = json.loads(out.read_text())
    assert list(fold["steps"])[:3] == ["trained", "pruned", "refitted"]
    trained, pruned, *refitted = fold["steps"].values()
    assert pruned["literals"] < trained["literals"]
    assert trained["accuracy"] == pruned["accuracy"] == 1
    assert [step["rules"] <= n for step, n in zip(refitted[1:], (100, 50, 20, 10, 5), strict=True)] == [True] * 5
    printed = capsys.readouterr().out
    assert "rules; votes for [0, 1]" in printed
    assert f"| TINY | pruned | {pruned['rules']:.1f} | {pruned['literals']} | " in printed
