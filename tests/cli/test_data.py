"""``graphtm data``: what is in a file."""

import json
import shlex

import pytest
from commands import refuse, succeed, words

import graphtm
from graphtm.cli.schema import FORMATS


def test_a_summary(data):
    text = succeed("data", data / "words.jsonl").stdout
    assert "180 nodes, 3 symbols, 1 edge type" in " ".join(text.split())
    assert "Nodes per graph: 3\n" in text
    assert "Edges from a node: 1 to 2, 1.3 on average; to a node: 1 to 2, 1.3 on average" in text
    assert "Nodes by edges from them: 0: 0, 1: 120, 2: 60" in text
    letters = "".join(words(60)[0])
    for letter in "ABC":
        assert f"  {letter:32}  {letters.count(letter):>10}" in text
    assert "Labels (2):\n  yes" in text
    assert "... and 2 more" in succeed("data", data / "words.jsonl", "--top", "1").stdout


def test_one_graph(data):
    graphs, y = graphtm.read_jsonl(data / "words.jsonl")
    text = succeed("data", data / "words.jsonl", "-i", "2").stdout
    assert text == f"Graph 2; label {y[2]}\n{graphs[2]}\n"
    assert succeed("data", data / "texts.txt", "-i", "1").stdout == "Text 1\na good film 1\n"
    row = succeed("data", data / "table.csv", "--as", "table", "--label", "level", "-i", "0").stdout
    assert row == "Row 0; label low\n  size: 0\n  kind: a\n"


def test_json(data):
    found = json.loads(succeed("data", data / "words.jsonl", "--json").stdout)
    assert found["n"] == 60
    assert found["nodes"] == {"sum": 180, "least": 3, "mean": 3.0, "most": 3}
    assert sum(one["n"] for one in found["symbols"]) == 180
    assert sum(one["n"] for one in found["labels"]) == 60
    assert json.loads(succeed("data", data / "words.jsonl", "--json", "-i", "0").stdout)["number"] == 0


def test_tables_and_texts(data):
    text = succeed("data", data / "table.csv", "--as", "table", "--label", "level").stdout
    assert "  size: numbers from 0 to 59\n  kind: 3 categories: a 20, b 20, c 20\n" in text
    assert "Words per text: 4\n" in succeed("data", data / "texts.txt").stdout


def test_graph_files_and_folders(data, tmp_path):
    graphs, _ = graphtm.read_jsonl(data / "words.jsonl")
    graphs.save(tmp_path / "words.gtmg")
    assert "Labels: none" in succeed("data", tmp_path / "words.gtmg").stdout
    text = succeed("data", tmp_path / "words.gtmg", "--labels", data / "labels.csv").stdout
    assert "Labels (2):" in text
    (tmp_path / "empty").mkdir()
    message = refuse("data", tmp_path / "empty")
    assert message == (
        f"The folder {tmp_path / 'empty'} has no nodes.csv, *.graphml or *_A.txt, so there are no graphs."
    )


def test_the_schema_fits_the_screen(data):
    text = succeed("data", "--schema").stdout
    # A line of JSON is data, which cannot be wrapped.
    assert max(len(line) for line in text.splitlines() if not line.startswith("    {")) <= 80
    for one in FORMATS:
        assert one.title in text


@pytest.mark.parametrize("form", [form for form in FORMATS if form.command], ids=lambda form: form.title)
def test_the_examples_of_the_schema_run(form, tmp_path, monkeypatch):
    schema = succeed("data", "--schema").stdout
    assert f"$ graphtm data {form.command}\n" in schema + "\n"
    monkeypatch.chdir(tmp_path)
    for name, content in form.files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
        assert all(f"    {line}\n" in schema for line in content.splitlines())
    text = succeed("data", *shlex.split(form.command)).stdout
    assert "Labels (" in text


def test_what_to_inspect_must_be_said():
    assert "Say which file or folder, or pass --schema." in refuse("data")


def charged(value):
    return json.dumps({"nodes": [{"id": 0, "charge": value}], "edges": [], "label": "high" if value > 0 else "low"})


def test_numbers_of_json_lines_are_divided_into_bins_and_predicted_with_the_same(tmp_path):
    path, model = tmp_path / "charges.jsonl", tmp_path / "m.gtm"
    path.write_text("\n".join(charged(place / 10 - 3.05) for place in range(60)))
    assert len(json.loads(succeed("data", path, "--json").stdout)["symbols"]) == 3
    succeed("fit", path, "--bins", "2", "-o", model, "--clauses", "10", "--epochs", "10", "--plain", "-q")
    (tmp_path / "one.jsonl").write_text(charged(2.5))
    found = succeed("predict", model, tmp_path / "one.jsonl")
    assert found.stdout.splitlines()[1] == "0,high"
    assert found.stderr.splitlines()[-1].startswith("Accuracy on ")
    found = succeed("predict", model, "-", stdin=charged(-2.5))
    assert found.stdout.splitlines()[1] == "0,low"


def test_numbers_of_graphml_are_divided_into_bins(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(5)
    networkx.set_node_attributes(graph, {node: node / 2 for node in graph}, "charge")
    networkx.write_graphml(graph, tmp_path / "a.graphml")
    assert len(json.loads(succeed("data", tmp_path, "--bins", "2", "--json").stdout)["symbols"]) == 1


def test_top_0_lists_all_symbols(tmp_path):
    lines = [json.dumps({"nodes": [{"id": 0, "properties": [f"s{place}"]}], "edges": []}) for place in range(14)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    text = succeed("data", tmp_path / "a.jsonl", "--top", "0").stdout
    assert all(f"  s{place} " in text for place in range(14))
    assert " more" not in text
    text = succeed("data", tmp_path / "a.jsonl").stdout
    assert "... and 4 more" in text
