"""The benchmark of word embeddings: words that occur in similar sentences are similar."""

import json
import runpy
import sys
from pathlib import Path

import pytest
from shared import shared_data

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "word_embeddings.py"


@pytest.mark.slow
def test_similar_words_are_those_that_occur_alike(tmp_path, monkeypatch, capsys):
    folder, out = shared_data("imdb").parent, tmp_path / "out.json"
    options = ["--words", 100, "--inputs", 500, "--sentences", 40_000, "--clauses", 200, "--T", 200, "--contexts", 500]
    monkeypatch.setattr(sys, "argv", [SCRIPT.name, "--data", str(folder), *map(str, options), "--json", str(out)])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    found = {name: scores for name, scores in json.loads(out.read_text()).items() if isinstance(scores, dict)}
    ours = found["auto-encoder"]["rank correlation"]
    assert abs(found["random"]["rank correlation"]) < 0.05
    assert ours > found["counts of the same sentences"]["rank correlation"] + 0.05
    assert ours > 0.5 * found["PPMI of the same sentences"]["rank correlation"]
    assert "most similar" in capsys.readouterr().out
