"""Every example runs, says how well it learned, and saves its picture."""

import re
import runpy
import sys
from pathlib import Path

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="examples draw pictures")
pytest.importorskip("skimage", reason="superpixels are made by scikit-image")

EXAMPLES = Path(__file__).parents[1] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
SMALL = {name: ["--epochs", "1"] for name in NAMES}
SMALL["image_patches"] += ["--train", "100", "--test", "20", "--clauses", "10"]
SMALL["superpixels"] += ["--images", "30"]
AFTER_ONE_EPOCH = {
    "autoencoder": 0.618,
    "bandit": 0.5,
    "board_game": 0.522,
    "callbacks": 0.996,
    "captured_stones": 0.783,
    "citation_graph": 0.92,
    "class_weights": 0.5,
    "early_stopping": 1.0,
    "explain_graph": 0.522,
    "image_patches": 0.1,
    "kmers": 0.716,
    "probabilities": 0.948,
    "read_rules": 1.0,
    "regression": 0.592,
    "relations": 0.574,
    "search": 0.918,
    "social_graph": 0.772,
    "table": 0.918,
    "tags": 0.951,
    "tokens": 0.984,
}
"""Accuracy, R2 or rank correlation with the small setting. The same seed gives the same bits everywhere."""
LEARNED = {
    "autoencoder": 0.8,
    "bandit": 0.9,
    "citation_graph": 0.9,
    "image_patches": 0.95,
    "regression": 0.8,
    "superpixels": 0.9,
    "table": 0.93,
    "probabilities": 0.96,
    "search": 0.93,
}
"""What an example reaches with its own settings, if that is less than everything."""


def run(name, options, folder, monkeypatch, capsys):
    """Return the accuracy, R2 or rank correlation that an example prints, after a look at its picture."""
    from matplotlib import pyplot

    picture = folder / f"{name}.png"
    monkeypatch.setattr(sys, "argv", [name, "--picture", str(picture), *options])
    matplotlib.use("Agg")
    try:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    finally:
        pyplot.close("all")
    drawn = pyplot.imread(picture)
    assert min(drawn.shape[:2]) > 200
    assert drawn.std() > 0
    said = capsys.readouterr().out.splitlines()[-1]
    share = re.search(r"(?:accuracy:|R2|true similarity:) (-?0\.\d+|1\.0+)|([\d.]+)% of", said)
    return float(share[1]) if share[1] else float(share[2]) / 100


# Segments and their hundreds of arrows take seconds, however few the images; and so do processes to be killed.
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in ("superpixels", "resume") else name for name in NAMES],
)
def test_an_example_runs(name, tmp_path, monkeypatch, capsys):
    accuracy = run(name, SMALL[name], tmp_path, monkeypatch, capsys)
    if name in AFTER_ONE_EPOCH:
        assert accuracy == pytest.approx(AFTER_ONE_EPOCH[name])
    else:  # one that starts processes to be killed, and one that segments with scikit-image, whose versions differ
        assert accuracy > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_example_learns(name, tmp_path, monkeypatch, capsys):
    options = ["--train", "6000", "--test", "1000"] if name == "image_patches" else []
    assert run(name, options, tmp_path, monkeypatch, capsys) >= LEARNED.get(name, 0.99)
