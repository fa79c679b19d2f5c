"""``graphtm explain --plot``: pictures of explanations in files."""

import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from commands import chain, refuse, succeed

import graphtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; --plot needs it")

MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture
def drawn(monkeypatch):
    """Return the arguments and the axes of all pictures."""
    from graphtm.explain.explanation_plots import PlottedExplanation

    found, plot = [], PlottedExplanation.plot

    def watched(self, *arguments, **options):
        ax = plot(self, *arguments, **options)
        found.append((options, ax.get_title(), [text.get_text() for text in ax.texts]))
        return ax

    monkeypatch.setattr(PlottedExplanation, "plot", watched)
    return found


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf", "PNG"])
def test_a_picture_in_a_file(data, model, tmp_path, suffix, drawn):
    path = tmp_path / f"out.{suffix}"
    result = succeed("explain", model, data / "words.jsonl", "-i", "3", "--plot", path)
    assert path.read_bytes().startswith(MAGIC[suffix.lower()])
    assert "".join(result.stderr.split()) == f"Picturewrittento{path}"
    without = succeed("explain", model, data / "words.jsonl", "-i", "3")
    assert result.stdout == without.stdout
    graphs, _ = graphtm.read_jsonl(data / "words.jsonl")
    ex = graphtm.explain(graphtm.load(model), graphs, 3)
    ((options, title, texts),) = drawn
    assert options == {}
    assert title.startswith(f"Votes for {ex.prediction}: {ex.votes[ex.prediction]:+}")
    assert [text.split("\n")[0] for text in texts] == [f"{n}: {graphs[3].properties(n)[0]}" for n in range(3)]
    assert not matplotlib.pyplot.get_fignums()


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_same_command_writes_the_same_file(data, model, tmp_path, suffix):
    paths = [tmp_path / f"{name}.{suffix}" for name in "ab"]
    for path in paths:
        succeed("explain", model, data / "words.jsonl", "--plot", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_other_forms_stay_clean(data, model, tmp_path):
    arguments = ["explain", model, data / "words.jsonl", "--format", "json"]
    result = succeed(*arguments, "--plot", tmp_path / "a.png")
    assert result.stdout == succeed(*arguments).stdout


def test_pipelines_are_drawn_on_the_own_graph(data, tmp_path, drawn):
    """The recommended pipeline of texts ends with WholeGraph; the picture has the words, in reading order."""
    path = tmp_path / "m.gtm"
    options = ["--as", "text", "--clauses", "8", "--epochs", "5", "--validation", "0", "-q"]
    succeed("fit", data / "texts.csv", "-o", path, *options)
    assert hasattr(graphtm.load(path), "steps")
    succeed("explain", path, data / "texts.csv", "-i", "1", "--plot", tmp_path / "a.svg")
    ((chosen, title, texts),) = drawn
    assert chosen["layout"] == "text"
    assert [text.split("\n")[0] for text in texts] == ["a", "good", "film", "1"]
    assert "graph as a whole" in title


@pytest.mark.parametrize(("whole", "nodes", "noted"), [(3.0, -0.5, True), (3.0, 0.5, False), (-1.0, -0.5, False)])
def test_a_note_where_no_node_votes_for_the_class(data, model, tmp_path, monkeypatch, whole, nodes, noted):
    from graphtm.explain import Explanation

    scores = Explanation.scores
    monkeypatch.setattr(
        Explanation,
        "scores",
        lambda self, *classes: replace(found := scores(self, *classes), whole=whole, nodes=0 * found.nodes + nodes),
    )
    result = succeed("explain", model, data / "words.jsonl", "--plot", tmp_path / "a.png")
    said = " ".join(result.stderr.split())
    assert ("from the graph as a whole, mostly from facts that are absent. Short models have" in said) == noted


def test_tables_are_drawn(data, tmp_path, drawn):
    path = tmp_path / "m.gtm"
    options = ["--as", "table", "--label", "level", "--clauses", "8", "--epochs", "5", "--validation", "0", "-q"]
    succeed("fit", data / "table.csv", "-o", path, *options)
    succeed("explain", path, data / "table.csv", "--plot", tmp_path / "a.png")
    assert len(drawn) == 1


def test_targets_that_are_refused(data, model, tmp_path):
    arguments = ["explain", model, data / "words.jsonl", "--plot"]
    message = refuse(*arguments, tmp_path / "out.jpg")
    assert message.startswith(
        "Invalid value for --plot: A picture must be a file that ends in .png, .svg or .pdf; got "
    )
    assert "got -." in refuse(*arguments, "-")
    assert "The folder of" in refuse(*arguments, tmp_path / "none" / "out.png")
    (tmp_path / "folder.png").mkdir()
    assert "is a folder; add a file name" in refuse(*arguments, tmp_path / "folder.png")
    copy = tmp_path / "data.png"
    copy.write_bytes((data / "words.jsonl").read_bytes())
    before = copy.read_bytes()
    message = refuse("explain", model, copy, "--as", "graphs", "--plot", copy)
    assert "It must be another file than those that are read, but " in message
    assert " is DATA; choose another name." in message
    assert copy.read_bytes() == before
    link = tmp_path / "model.png"
    link.symlink_to(model)
    assert "is MODEL; choose another name." in refuse(*arguments, link)


def test_a_wrong_target_is_found_before_the_model_is_read(data, tmp_path):
    message = refuse("explain", tmp_path / "missing.gtm", data / "words.jsonl", "--plot", "out.txt")
    assert "must be a file that ends in" in message


def test_without_matplotlib(data, model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    message = refuse("explain", model, data / "words.jsonl", "--plot", tmp_path / "out.png")
    assert message == ("--plot needs the library 'matplotlib', which is not installed: pip install 'graphtm[plots]'.")
    assert not (tmp_path / "out.png").exists()


def test_a_full_disk_is_reported(data, model, tmp_path, monkeypatch):
    from graphtm.cli import explain

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(explain, "atomic_write", full)
    message = refuse("explain", model, data / "words.jsonl", "--plot", tmp_path / "out.png")
    assert message == f"The picture cannot be written to {tmp_path / 'out.png'}: No space left on device."


def test_hostile_names_are_harmless(tmp_path, drawn):
    names = ["$x$", "*/ import os", "a\nb", "--><script>", "'\""]
    lines = [chain(names if place % 2 else names[:1], "$a$" if place % 2 else "b\n*/") for place in range(20)]
    (tmp_path / "g.jsonl").write_text("\n".join(lines))
    options = ["--clauses", "6", "--epochs", "3", "--validation", "0", "-q"]
    succeed("fit", tmp_path / "g.jsonl", "-o", tmp_path / "m.gtm", *options)
    for suffix in MAGIC:
        succeed("explain", tmp_path / "m.gtm", tmp_path / "g.jsonl", "-i", "1", "--plot", tmp_path / f"a.{suffix}")
    tree = ElementTree.parse(tmp_path / "a.svg")
    assert not [node for node in tree.iter() if node.tag.endswith("script")]
    texts = "\n".join(drawn[0][2])
    assert all(name in texts for name in ("$x$", "*/ import os", "-->"))


def test_help_names_the_option():
    text = " ".join(succeed("explain", "--help").stdout.replace("│", " ").split())
    assert "--plot FILE Draw the graph" in text
