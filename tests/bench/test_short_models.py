"""The benchmark of short models prunes and refits, and its table has what was measured."""

import json
import runpy
import sys
from pathlib import Path

from archives import write
from experiments.standins_graphs import molecules

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "short_models.py"


def test_models_are_shortened(tmp_path, monkeypatch, capsys):
    write(tmp_path / "TINY.zip", molecules("TINY", 40))
    out = tmp_path / "out.json"
    options = ["--sets", "TINY", "--clauses", 10, "--max-misses", 0, "--counts", 1, "--parts", "--folds", 1]
    options = ["--data-home", tmp_path, *options, "--rules", "--json", out]
    monkeypatch.setattr(sys, "argv", [SCRIPT.name, *map(str, options)])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    (fold,) = json.loads(out.read_text())
    assert list(fold["steps"])[:3] == ["trained", "pruned", "refitted"]
    trained, pruned, *refitted = fold["steps"].values()
    assert pruned["literals"] < trained["literals"]
    assert trained["accuracy"] == pruned["accuracy"] == 1
    assert [step["rules"] <= n for step, n in zip(refitted[1:], (100, 50, 20, 10, 5), strict=True)] == [True] * 5
    printed = capsys.readouterr().out
    assert "rules; votes for [0, 1]" in printed
    assert f"| TINY | pruned | {pruned['rules']:.1f} | {pruned['literals']} | " in printed
