"""How to read rules: the legend explains what the rules have, by their own examples."""

import json

import pytest
from commands import chain, succeed, words

import graphtm as gtm
from graphtm.cli.legend import legend
from graphtm.cli.model_files import Loaded
from graphtm.cli.reading import Reading


def legend_of(model, top=None, *, unrolled=False):
    """Return the legend of the rules of a fitted model."""
    loaded = Loaded(model, model[-1] if hasattr(model, "steps") else model, Reading())
    return list(legend(loaded, loaded.estimator.rules(top=top), unrolled=unrolled))


@pytest.fixture(scope="module")
def graphs(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "words.jsonl"
    made, labels = words(60)
    path.write_text("\n".join(map(chain, made, labels)))
    return gtm.read_jsonl(path)


def test_messages_have_an_edge_type_of_the_model(graphs):
    clf = gtm.GraphTMClassifier(n_clauses=20, T=20, s=3.0, depth=2, epochs=3, random_state=0).fit(*graphs)
    (line,) = [one for one in legend_of(clf) if "a node where" in one]
    name = line.split('"')[1]
    assert name.startswith("next:C")
    assert line == (
        f'"{name}": an edge of type next comes from a node where {name[5:]} holds, as far as the layer below. --unroll '
        "writes this out."
    )
    assert any(name in str(rule) for rule in clf.rules())
    assert not any("a node where" in one for one in legend_of(clf, unrolled=True))


def test_numbers_of_equal_clauses_are_those_of_all(graphs):
    X, y = graphs
    clf = gtm.GraphTMClassifier(n_clauses=40, T=20, s=2.0, depth=1, epochs=3, random_state=0).fit(X, y)
    merged = next(rule for rule in clf.rules() if rule.equal)
    name, n = f"C{merged.clause} (and {len(merged.equal)} equal)", len(merged.equal) + 1
    assert f'"{name}": {n} clauses with the same conditions; votes are the sums of theirs.' in legend_of(clf)
    reg = gtm.GraphTMRegressor(n_clauses=40, T=20, s=2.0, depth=1, epochs=3, random_state=0).fit(X, y == "yes")
    assert any(line.endswith("the same conditions; the number is the sum of theirs.") for line in legend_of(reg))


@pytest.mark.parametrize(
    ("is_directed", "ends"),
    [
        (False, ["joined by an edge of type next in both directions."]),
        (True, ["from which an edge of type next comes.", "to which an edge of type next goes."]),
    ],
)
def test_facts_and_neighbourhoods_are_explained(tmp_path, is_directed, ends):
    made, labels = words(60)
    lines = [json.dumps(json.loads(chain(*one)) | {"directed": is_directed}) for one in zip(made, labels, strict=True)]
    (tmp_path / "words.jsonl").write_text("\n".join(lines))
    X, y = gtm.read_jsonl(tmp_path / "words.jsonl")
    pipeline = gtm.make_classifier(X, n_clauses=40, epochs=3, max_misses=0, random_state=0).fit(X, y)
    *_, fact, look = legend_of(pipeline)
    assert '>=2": at least 2 nodes of the graph carry ' in fact
    assert any(f", {end} More on such names: docs/encoders-graphs.md" in look for end in ends)
    assert '>=1": a node ' in look


def test_rules_print_it(model):
    text = " ".join(succeed("rules", model).stdout.split())
    assert '": at least 2 nodes of the graph carry ' in text
    assert text.endswith("More on such names: docs/encoders-graphs.md")
