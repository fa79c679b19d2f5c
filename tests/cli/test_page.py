"""The page on the command line: what it shows is what happens."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from commands import succeed

DOCS = Path(__file__).parent.parent.parent / "docs"
_CHANGING = (
    (r"Time: [\d.]+ s, of which [\d.]+ s", "Time: ... s, of which ... s"),
    (r"\([\d.]+ KiB\)", "(... KiB)"),  # compression differs between versions of zlib
)


def steps(page):
    """Return the commands of a page and their output."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    return [part.partition("\n")[::2] for part in parts]


@pytest.fixture
def molecules(tmp_path, monkeypatch):
    """Return a function that writes the files of the page on CSV files, and goes to their folder."""
    examples = doctest.DocTestParser().get_examples((DOCS / "csv.md").read_text())
    (source,) = [one.source for one in examples if one.source.startswith("def write_molecules")]
    names = {"random": __import__("random")}
    exec(source, names)

    def write(n):
        for folder, number, seed in (("molecules", n, 0), ("new", 5, 1)):
            (tmp_path / folder).mkdir()
            names["write_molecules"](tmp_path / folder, number, seed)
        (tmp_path / "new" / "graphs.csv").unlink()  # there are no labels yet
        monkeypatch.chdir(tmp_path)

    return write


def steady(text):
    for pattern, replacement in _CHANGING:
        text = re.sub(pattern, replacement, text)
    return text


@pytest.mark.slow
def test_a_trained_model_in_five_minutes(molecules):
    molecules(600)
    done = steps(DOCS / "command-line.md")
    assert [shlex.split(command)[1] for command, _ in done] == ["data", "fit", "explain", "predict", "fit", "rules"]
    for command, shown in done:
        program, *arguments = shlex.split(command)
        assert program == "graphtm"
        assert steady(succeed(*arguments).stdout) == steady(shown)


def test_its_commands_run_on_fewer_molecules(molecules):
    molecules(40)
    for command, _ in steps(DOCS / "command-line.md") + steps(DOCS / "csv.md"):
        _, *arguments = shlex.split(command)
        fewer = ["--clauses", "10", "--epochs", "3"] if arguments[0] == "fit" else []
        assert succeed(*arguments, *fewer).stdout


def test_screens_fit_eighty_columns():
    for command, shown in steps(DOCS / "command-line.md"):
        assert max(map(len, shown.splitlines())) <= 80, command
