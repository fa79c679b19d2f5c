"""``graphtm rules`` and ``graphtm explain``: what a model has learned, for people and for machines."""

import json

import pytest
from commands import chain, refuse, succeed

import graphtm


@pytest.fixture(scope="module")
def plain(data, tmp_path_factory):
    """Return a model with messages between nodes."""
    path = tmp_path_factory.mktemp("model") / "plain.gtm"
    options = ["--plain", "--clauses", "10", "--epochs", "10", "--max-misses", "0", "--validation", "0", "-q"]
    succeed("fit", data / "words.jsonl", "-o", path, *options)
    return path


def test_rules_as_text(model):
    text = succeed("rules", model, "--top", "2").stdout
    expected = graphtm.load(model)[-1].rules()
    assert text.startswith(f"The strongest 2 rules, of {len(expected)}; votes for [no, yes]\n")
    assert f"C{expected.sort()[0].clause}" in text
    assert "A vote above 0 is for a class, one below 0 against it." in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    everything = succeed("rules", model, "--top", "0").stdout
    assert everything.startswith(f"{len(expected)} rules; votes for [no, yes]")


def test_rules_of_a_class(model):
    text = succeed("rules", model, "--class", "yes", "--top", "1").stdout
    assert text.startswith("The strongest 1 rule for yes, of ")
    message = refuse("rules", model, "--class", "perhaps")
    assert "There is no class 'perhaps'. Classes of the model: no, yes." in message


def test_rules_in_other_forms(model):
    found = json.loads(succeed("rules", model, "--top", "3", "--format", "json").stdout)
    expected = graphtm.load(model)[-1].rules(top=3)
    assert [rule["clause"] for rule in found["rules"]] == [rule.clause for rule in expected]
    assert found["classes"] == ["no", "yes"]
    assert succeed("rules", model, "--top", "3", "--format", "markdown").stdout == expected.to_markdown() + "\n"
    assert succeed("rules", model, "--top", "3", "--format", "latex").stdout == expected.to_latex() + "\n"


def test_messages_are_written_out(plain):
    text = succeed("rules", plain, "--top", "1").stdout
    assert "Clauses that messages refer to" in text
    assert "--unroll writes this out." in " ".join(text.split())
    text = succeed("rules", plain, "--unroll", "--top", "1").stdout
    assert "EXISTS next: " in text
    assert "Clauses that messages refer to" not in text
    found = json.loads(succeed("rules", plain, "--unroll", "--format", "json", "--top", "1").stdout)
    assert isinstance(found["rules"][0]["formula"], str)
    text = succeed("rules", plain, "--unroll", "--format", "markdown", "--top", "1").stdout
    assert found["rules"][0]["formula"].split("\n")[0] in text.replace(r"\|", "|")
    assert "(used)" not in text
    text = succeed("rules", plain, "--unroll", "--format", "latex", "--top", "1").stdout
    assert r"\exists_{\mathrm{next}}" in text
    assert text.count("C_{") == 1


def test_explain_as_text(data, model):
    text = succeed("explain", model, data / "words.jsonl", "-i", "3").stdout
    _, y = graphtm.read_jsonl(data / "words.jsonl")
    assert text.startswith(f"Graph 3; its label is {y[3]}\nPredicted {y[3]}; votes: ")
    assert f"Nodes that contribute most to {y[3]}" in text
    assert "Graph with 3 nodes" in text
    assert "max_rules" not in text
    assert max(map(len, text.splitlines())) <= 80
    last = succeed("explain", model, data / "words.jsonl", "-i", "-1", "--change").stdout
    assert last.startswith("Graph 59; ")
    assert "Smallest change: " in last


def test_explain_in_other_forms(data, model):
    arguments = ["explain", model, data / "words.jsonl", "-i", "3", "--format"]
    found = json.loads(succeed(*arguments, "json").stdout)
    graphs, y = graphtm.read_jsonl(data / "words.jsonl")
    expected = graphtm.explain(graphtm.load(model), graphs, 3)
    assert found["number"] == 3
    assert found["label"] == y[3]
    assert found["votes"] == expected.votes
    markdown = succeed(*arguments, "markdown").stdout
    assert markdown.startswith(f"## Graph 3; its label is {y[3]}\n\n**Predicted {y[3]}; votes: ")
    assert "| class | votes |" in markdown
    latex = succeed(*arguments, "latex").stdout
    assert latex.startswith("\\paragraph{Graph 3; its label is ")
    assert latex.rstrip().endswith("\\end{itemize}")
    assert "\\begin{align*}" in latex


def test_explain_refuses_a_number_that_is_not_there(data, model):
    message = refuse("explain", model, data / "words.jsonl", "-i", "60")
    assert "It must be a number from 0 to 59, since " in message
    assert "has 60 graphs; got 60." in message


def test_explain_a_graph_from_standard_input(data, model):
    line = (data / "words.jsonl").read_text().splitlines()[0]
    assert succeed("explain", model, "-", stdin=line).stdout.startswith("Graph 0; its label is ")


def test_names_that_are_not_in_the_training_data(data, plain):
    line = chain("AZB")
    for command in ("explain", "predict"):
        message = refuse(command, plain, "-", stdin=line)
        assert message.startswith("Unknown symbol 'Z': ")
        assert message.endswith("To leave out names that are not in the training data, pass --unknown ignore.")
        result = succeed(command, plain, "-", "--unknown", "ignore", stdin=line)
        assert "Names that are not in the training data are ignored" in result.stderr
    assert succeed("explain", plain, data / "words.jsonl", "--engine", "reference").stdout
