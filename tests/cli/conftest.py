"""Tiny data in every format, and models of them."""

import pytest
from commands import chain, succeed, words


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Return a folder with the same sixty words in several formats."""
    folder = tmp_path_factory.mktemp("data")
    made, labels = words(60)
    lines = [chain(word, label) for word, label in zip(made, labels, strict=True)]
    (folder / "words.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "unlabelled.jsonl").write_text("\n".join(map(chain, made)) + "\n")
    (folder / "labels.csv").write_text("\n".join(labels) + "\n")
    nodes, edges = ["graph,node,letter,weight"], ["graph,source,destination,kind"]
    for number, word in enumerate(made):
        nodes += [f"w{number},{place},{letter},{place + 0.5}" for place, letter in enumerate(word)]
        edges += [f"w{number},{place - 1},{place},next" for place in range(1, len(word))]
    (folder / "csv").mkdir()
    (folder / "csv" / "nodes.csv").write_text("\n".join(nodes))
    (folder / "csv" / "edges.csv").write_text("\n".join(edges))
    graphs = ["graph,label", *(f"w{number},{label}" for number, label in enumerate(labels))]
    (folder / "csv" / "graphs.csv").write_text("\n".join(graphs))
    rows = [f"{number},{'abc'[number % 3]},{'high' if number >= 30 else 'low'}" for number in range(60)]
    (folder / "table.csv").write_text("\n".join(["size,kind,level", *rows]))
    texts = [f"{'a good' if number % 2 else 'a bad'} film {number % 5}" for number in range(60)]
    moods = ["+" if number % 2 else "-" for number in range(60)]
    both = [f"{text},{mood}" for text, mood in zip(texts, moods, strict=True)]
    (folder / "texts.csv").write_text("\n".join(["text,label", *both]))
    (folder / "texts.txt").write_text("\n".join(texts) + "\n")
    (folder / "moods.csv").write_text("\n".join(moods) + "\n")
    return folder


@pytest.fixture(scope="session")
def model(data, tmp_path_factory):
    """Return a model of the words, as JSON lines."""
    path = tmp_path_factory.mktemp("model") / "words.gtm"
    succeed("fit", data / "words.jsonl", "-o", path, "--validation", "0", "--clauses", "20", "--epochs", "20", "-q")
    return path
