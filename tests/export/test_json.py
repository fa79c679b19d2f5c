"""The JSON document is complete: an evaluator written from its description alone agrees with the estimator."""

import json

import pytest
from explained import random_model
from export.odd_machines import as_dicts, machine_for
from export.trained import QUICK, trained
from fitted import estimator_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import graph_lists, holds_none

import graphtm as gtm
from graphtm.export import JSON_SCHEMA, json_text

# A reader of the document, in sets and loops, which knows nothing but docs/export.md.


def same(name):
    """Return a key that differs for 1, True and "1"."""
    return ("list", *map(same, name)) if isinstance(name, list) else (type(name).__name__, name)


def sums_of(machine, graph):
    """Return the vote sum of each output for a graph as in JSON lines whose edges are directed."""
    bits_of = {same(symbol["name"]): set(symbol["bits"]) for symbol in machine["symbols"]}
    edge_types = list(map(same, machine["edge_types"]))
    node_types = list(map(same, machine["node_types"]))
    nodes = {same(node["id"]): node for node in graph["nodes"]}
    seen = {
        name: {bit for symbol in node["properties"] for bit in bits_of[same(symbol)]} for name, node in nodes.items()
    }

    def serves(clause, name):
        return clause["node_type"] is None or node_types[clause["node_type"]] == same(nodes[name]["type"])

    misses = [dict.fromkeys(nodes, 0) for _ in machine["clauses"]]
    for layer in range(machine["depth"]):
        if layer:
            seen = {name: set() for name in nodes}
            for edge in graph["edges"]:
                shift = edge_types.index(same(edge["type"]))
                for clause, missed in zip(machine["clauses"], misses, strict=True):
                    if serves(clause, same(edge["source"])) and missed[same(edge["source"])] == 0:
                        sent = {(bit + shift) % machine["message_size"] for bit in clause["bits"]}
                        seen[same(edge["target"])] |= sent
        misses = [
            {
                name: missed[name]
                + len(set(clause["layers"][layer]["ones"]) - seen[name])
                + len(set(clause["layers"][layer]["zeros"]) & seen[name])
                for name in nodes
            }
            for clause, missed in zip(machine["clauses"], misses, strict=True)
        ]
    sums = [0] * len(machine["outputs"])
    for clause, missed in zip(machine["clauses"], misses, strict=True):
        at = [missed[name] for name, node in nodes.items() if serves(clause, name) and node.get("readout", True)]
        strength = max(0, machine["max_misses"] + 1 - min(at)) if at else 0
        sums = [total + strength * vote for total, vote in zip(sums, clause["votes"], strict=True)]
    return sums


def answer_of(machine, graph):
    sums = sums_of(machine, graph)
    if machine["task"] == "multilabel":
        return [output for output, total in zip(machine["outputs"], sums, strict=True) if total >= 0]
    return machine["outputs"][sums.index(max(sums))]


def document_of(estimator):
    machine = json.loads(json_text(estimator._program()))
    assert_fits(machine, JSON_SCHEMA)
    return machine


def assert_agrees(estimator, graphs):
    machine = document_of(estimator)
    assert [sums_of(machine, graph) for graph in as_dicts(graphs)] == estimator.class_sums(graphs).tolist()


def assert_fits(value, schema):
    """Check a value against the parts of JSON Schema that ours uses."""
    schema = JSON_SCHEMA["$defs"]["name"] if schema.get("$ref") == "#/$defs/name" else schema
    known = {"$schema", "title", "description", "$defs", "const", "enum", "type", "minimum", "items", "anyOf"}
    assert set(schema) <= known | {"required", "properties", "additionalProperties"}
    if "anyOf" in schema:
        assert any(fits(value, one) for one in schema["anyOf"]), value
        return
    if "const" in schema or "enum" in schema:
        assert value in schema.get("enum", [schema.get("const")])
        return
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "null": type(None)}
    kind = {**kinds, "number": (int, float)}[schema["type"]]
    assert isinstance(value, kind), value
    assert schema["type"] not in ("integer", "number") or not isinstance(value, bool), value
    if "minimum" in schema:
        assert value >= schema["minimum"]
    for item in value if "items" in schema else ():
        assert_fits(item, schema["items"])
    if "properties" in schema:
        assert set(schema["required"]) <= set(value) <= set(schema["properties"])
        assert schema["additionalProperties"] is False
        for key in value:
            assert_fits(value[key], schema["properties"][key])


def fits(value, schema):
    try:
        assert_fits(value, schema)
    except AssertionError:
        return False
    return True


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 5, 254]))
def test_machines_whose_clauses_are_true(seed, max_misses):
    model, graphs = random_model(seed, max_misses)
    assert_agrees(estimator_of(model), graphs)


@given(graph_lists(min_size=1), st.integers(0, 2**32 - 1))
def test_graphs_with_any_names(graphs, seed):
    graphs = [graph for graph in graphs if not holds_none(graph)]
    if graphs:
        batch = gtm.GraphBatch.from_graphs(graphs)
        assert_agrees(estimator_of(machine_for(batch, seed)), batch)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("name", QUICK)
def test_trained_machines(name, graded):
    estimator, graphs = trained(name, graded)
    machine, few = document_of(estimator), graphs[:8]
    found = [answer_of(machine, graph) for graph in as_dicts(few)]
    expected = estimator.predict(few)
    assert (list(map(set, found)) if name == "labels" else found) == list(expected)


@pytest.mark.slow
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("name", QUICK)
def test_trained_machines_on_all_graphs(name, graded):
    assert_agrees(*trained(name, graded))


def test_the_document_says_what_the_machine_is():
    estimator, _ = trained("labels", graded=True)
    machine = document_of(estimator.set_params(unknown="ignore"))
    estimator.set_params(unknown="error")
    assert (machine["format"], machine["format_number"], machine["graphtm"]) == ("graphtm-machine", 1, gtm.__version__)
    assert (machine["task"], machine["outputs"], machine["unknown"]) == (
        "multilabel",
        estimator.classes_.tolist(),
        "ignore",
    )
    assert (machine["depth"], machine["max_misses"], len(machine["clauses"])) == (2, 3, estimator.n_clauses)
    assert machine["node_types"] == ["letter", "mark"]
    assert [clause["node_type"] for clause in machine["clauses"][:4]] == [0, 1, 0, 1]
    assert document_of(estimator)["unknown"] == "error"


def test_names_keep_their_types():
    names = ["1", 1, True, "", 'a"b', "é\n\u2028", "\ud800", ("row", (1, None)), (), -(2**70)]
    graphs = gtm.GraphBatch.from_arrays([1, 1], [[1] * len(names), [0] * len(names)], symbols=names)
    estimator = estimator_of(machine_for(graphs, 0))
    estimator.classes_ = estimator.classes_.astype(object)
    estimator.classes_[:] = [1.0, True, None]
    text = json_text(estimator._program())
    assert "\\ud800" in text
    assert "é" in text
    machine = json.loads(text)
    assert [repr(symbol["name"]) for symbol in machine["symbols"][:7]] == list(map(repr, names[:7]))
    assert [symbol["name"] for symbol in machine["symbols"][7:]] == [["row", [1, None]], [], -(2**70)]
    assert list(map(repr, machine["outputs"])) == ["1.0", "True", "None"]
    assert text.encode().decode() == text


def test_halves_of_surrogate_pairs_side_by_side_are_refused():
    graphs = gtm.GraphBatch.from_arrays([1], [[1]], symbols=["\ud83d\ude00"])
    with pytest.raises(
        gtm.GraphTMError, match="cannot be written as JSON: a name has two halves of a surrogate pair side by side"
    ):
        json_text(estimator_of(machine_for(graphs, 0))._program())


def test_the_schema_refuses_what_it_does_not_describe():
    machine = document_of(trained("sequence")[0])
    for key, value in (("task", "ranking"), ("depth", 0), ("clauses", [{}]), ("format", "other"), ("symbols", [1])):
        assert not fits({**machine, key: value}, JSON_SCHEMA)
    assert not fits({**machine, "more": 1}, JSON_SCHEMA)
