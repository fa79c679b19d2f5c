"""The program on the page about C is compiled, and prints what the page says."""

import doctest
import re
import subprocess
from pathlib import Path

import pytest
from export.compiled import build, needs_cc

PAGE = Path(__file__).parents[2] / "docs" / "export-c.md"


@pytest.fixture(scope="module")
def page():
    """Return the text of the page and the names that its Python examples define."""
    text = PAGE.read_text()
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    for example in test.examples:
        exec(example.source, test.globs)
    return text, test.globs


def block(text, language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return found


@needs_cc
def test_the_program_prints_what_the_page_says(page):
    text, names = page
    folder = names["folder"]
    (folder / "main.c").write_text(block(text, "c"))
    build(folder, "main.c", "-o", "main")
    assert subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout == block(text, "text")


def test_the_page_names_all_errors(page):
    text, names = page
    header = (names["folder"] / "words.h").read_text()
    errors = re.findall(r"words_(ERROR_\w+) = (-\d)", header)
    assert re.findall(r"^\| `NAME_(ERROR_\w+)` \| (-\d) \|", text, re.MULTILINE) == errors


def test_the_page_names_all_fields(page):
    text, names = page
    header = re.sub(r"/\*.*?\*/", "", (names["folder"] / "words.h").read_text(), flags=re.DOTALL)
    struct = re.search(r"typedef struct words_graph \{(.*?)\}", header, re.DOTALL)
    table = text[text.index("| field |") : text.index("`NAME_number")]
    fields = " ".join(re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE))
    assert re.findall(r"(\w+);", struct[1]) == re.findall(r"\w+", fields)
