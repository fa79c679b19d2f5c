"""The page on the architecture, the contract on imports and the folders of the package agree."""

import re
from pathlib import Path

import pytest

tomllib = pytest.importorskip("tomllib", reason="tomllib comes with Python 3.11")

ROOT = Path(__file__).parent.parent


def rooms_on_the_page():
    """Return the rooms of each line of the table, from the lowest up."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    return [set(re.findall(r"\w+", row)) for row in rows]


def test_the_contract_is_the_page():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (layers,) = (one["layers"] for one in settings["contracts"] if one["type"] == "layers")
    assert [set(re.findall(r"\w+", layer)) for layer in reversed(layers)] == rooms_on_the_page()


def test_every_folder_is_a_room():
    package = ROOT / "src" / "graphtm"
    folders = {path.name for path in package.iterdir() if (path / "__init__.py").is_file()} | {"errors"}
    assert folders <= set().union(*rooms_on_the_page())
