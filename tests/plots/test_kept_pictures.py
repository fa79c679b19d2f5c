"""The pictures kept in the documentation: every one is shown, small enough, and made by the script."""

import ast
import re
from pathlib import Path

from graphtm.experiments import NAMES, experiment
from graphtm.experiments.page import SUMMARY

DOCS = Path(__file__).parents[2] / "docs"
KEPT = sorted((DOCS / "pictures").glob("*.png"))


def test_every_picture_is_shown_and_none_is_missing():
    shown = {name for page in DOCS.glob("*.md") for name in re.findall(r"\]\(pictures/([^)]+)\)", page.read_text())}
    assert shown == {path.name for path in KEPT}
    assert len(KEPT) >= 8


def test_pictures_are_small():
    assert {path.name: path.stat().st_size for path in KEPT if path.stat().st_size > 150_000} == {}
    assert all(path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" for path in KEPT)


def test_every_picture_is_made_by_a_function_of_its_name():
    drawn = tuple(f"{name}_{preset}_" for name in NAMES for preset in experiment(name).presets)
    functions = {path.stem for path in KEPT if path.stem.startswith(drawn)}  # by python -m graphtm.experiments
    functions.add(Path(SUMMARY).stem)
    for module in (DOCS / "pictures").glob("*.py"):
        tree = ast.parse(module.read_text())
        functions |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {path.stem for path in KEPT} <= functions
