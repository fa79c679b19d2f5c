"""Exported Python modules predict as the estimator does, on every graph, and hold nothing but data and one program."""

import ast
import json
import os
import re
import subprocess
import sys
from importlib.resources import files

import numpy as np
import pytest
from explained import random_model
from export.odd_machines import as_dicts, machine_for
from export.trained import QUICK, trained
from fitted import estimator_of, model_of
from hypothesis import given
from hypothesis import strategies as st
from machines import cases
from strategies import graph_lists, holds_none

import graphtm as gtm
from graphtm import codes
from graphtm.export import python_text
from graphtm.model import MachineParams, MachineState, Model

STANDARD = {"__future__", "collections", "functools", "itertools", "json", "os", "pathlib", "struct", "sys", "typing"}


def module_of(estimator):
    """Return the names of the exported module."""
    names = {"__name__": "exported"}
    exec(compile(python_text(estimator._program()), "exported.py", "exec"), names)
    return names


def assert_agrees(estimator, graphs):
    """Check that the module has the clause outputs, vote sums and predictions of the estimator."""
    module, dicts = module_of(estimator), as_dicts(graphs)
    assert [module["clause_outputs"](one) for one in dicts] == estimator.transform(graphs).astype(int).tolist()
    assert [module["class_sums"](one) for one in dicts] == estimator.class_sums(graphs).tolist()
    predicted = module["predict_many"](dicts)
    expected = estimator.predict(graphs)
    if isinstance(expected, list):
        assert list(map(set, predicted)) == expected
    else:
        assert predicted == expected.tolist()


@pytest.mark.slow
@given(cases())
def test_random_machines(case):
    model, graphs = model_of(case)
    assert_agrees(estimator_of(model), graphs)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 5, 254]))
def test_machines_whose_clauses_are_true(seed, max_misses):
    model, graphs = random_model(seed, max_misses)
    assert_agrees(estimator_of(model), graphs)


@given(graph_lists(min_size=1), st.integers(0, 2**32 - 1))
def test_graphs_with_any_names(graphs, seed):
    batch = gtm.GraphBatch.from_graphs([graph for graph in graphs if not holds_none(graph)] or [one_node("A")])
    assert_agrees(estimator_of(machine_for(batch, seed)), batch)


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("name", QUICK)
def test_trained_machines(name, graded):
    estimator, graphs = trained(name, graded)
    assert_agrees(estimator, graphs[:30])


@pytest.mark.slow
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("name", QUICK)
def test_trained_machines_on_all_graphs(name, graded):
    assert_agrees(*trained(name, graded))


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("n", [300, pytest.param(2000, marks=pytest.mark.slow)])
def test_digits(graded, n):
    estimator, graphs = trained("digits", graded)
    assert len(graphs) == 2000
    assert_agrees(estimator, graphs[:n])


def one_node(*symbols, **attributes):
    graph = gtm.Graph()
    graph.add_node(0, symbols, **attributes)
    return graph


@pytest.mark.parametrize("n_symbols", [255, 256, 257, pytest.param(2**16, marks=pytest.mark.slow)])
def test_clauses_with_more_literals_than_one_or_two_bytes_can_count(n_symbols):
    has = np.random.default_rng(0).random((2, n_symbols)) < 0.5
    graphs = gtm.GraphBatch.from_arrays([2], has)
    holds = np.concatenate([has, ~has], axis=1)  # which literals hold at each node
    included = np.stack([~holds[0], holds[0], holds[1]])
    included[1, :2] ^= True  # at most two misses at the first node
    params = MachineParams(n_outputs=2, n_clauses=3, hypervector_size=n_symbols, depth=1, max_misses=3)
    state = MachineState((included.astype(np.uint8) * 255,), np.array([[1, 2, 3], [-1, 5, -7]], np.int32))
    estimator = estimator_of(Model(graphs.vocabulary, codes.one_hot(n_symbols), params, state))
    assert estimator.transform(graphs).tolist() == [[0, 4 - (included[1] & ~holds[0]).sum(), 4]]
    assert_agrees(estimator, graphs)


EMPTY = {"nodes": [{"id": 0}], "edges": []}
"""The smallest graph."""


@pytest.fixture(scope="module")
def letters():
    """Return the module of a machine for words with the edge type ``next``, and one that ignores unknown names."""
    graph = gtm.Graph()
    graph.add_node(0, ["A", ("row", 1), "flat"])
    graph.add_node(1, [("row", 2), True, 1])
    graph.add_edge(0, 1, "next")
    graph.add_edge(0, 1, "plain")
    batch = gtm.GraphBatch.from_graphs([graph])
    estimator = estimator_of(machine_for(batch, 7))
    ignoring = estimator_of(estimator.model_).set_params(unknown="ignore")
    return estimator, module_of(estimator), module_of(ignoring)


def node(**attributes):
    return {"nodes": [{"id": 0, **attributes}], "edges": []}


def edge(**attributes):
    return {"nodes": [{"id": 0}, {"id": 1}], "edges": [{"source": 0, "target": 1, **attributes}]}


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ([], "A graph must be a dict with lists of dicts 'nodes' and 'edges'"),
        ({"edges": []}, "A graph must be a dict with lists"),
        ({"nodes": [], "edges": {}}, "A graph must be a dict with lists"),
        ({"nodes": [0], "edges": []}, "A graph must be a dict with lists"),
        ({"nodes": [], "edges": []}, "A graph must have at least one node"),
        ({"nodes": [{"id": 0}], "edges": [], "directed": 1}, "'directed' must be True or False; got 1"),
        ({"nodes": [{}], "edges": []}, "Nodes must have 'id'"),
        ({"nodes": [{"id": 0}, {"id": 0}], "edges": []}, "must be unique within a graph; there are two nodes 0"),
        (node(readout=False), "one whose 'readout' is true"),
        (node(readout=1), "'readout' must be True or False; got 1"),
        (node(properties="A"), "must be a list of symbols; got 'A'"),
        (node(properties=["B"]), "Unknown symbol 'B': the training data had none of this name"),
        (node(properties=[["row", 3]]), r"Unknown symbol \['row', 3\]"),
        (node(properties=[1.5]), "A name must be a string, an integer, a Boolean, None or a list"),
        (node(charge=0.5), "A name must be a string, an integer, .* got 0.5"),
        (node(row=3), r"Unknown symbol \('row', 3\)"),
        (node(type="letter"), "Nodes must have no type; the type of node 0 is 'letter'"),
        (edge(type="left"), "Unknown edge type 'left'"),
        (edge(weight=2), "An edge must have 'source', 'target' and, if need be, 'type' only"),
        ({"nodes": [{"id": 0}], "edges": [{"source": 0}]}, "edges 'source' and 'target'; got {'source': 0}"),
        ({"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 2}]}, "Both ends of an edge must be nodes"),
        ({"nodes": [{"id": 1}], "edges": [{"source": True, "target": 1}]}, "Both ends of an edge must be nodes"),
    ],
)
def test_graphs_that_are_not_valid(letters, graph, message):
    for name in ("predict", "class_sums", "clause_outputs"):
        with pytest.raises(ValueError, match=message):
            letters[1][name](graph)


def test_unknown_names_are_ignored_if_the_estimator_ignores_them(letters):
    _, strict, ignoring = letters
    graph = edge(type="left")
    graph["nodes"][0]["properties"] = ["A", "B", ["row", 3]]
    with pytest.raises(ValueError, match="Unknown symbol 'B'"):
        strict["class_sums"](graph)
    plain = {"nodes": [{"id": 0, "properties": ["A"]}, {"id": 1}], "edges": []}
    assert ignoring["class_sums"](graph) == strict["class_sums"](plain)
    with pytest.raises(ValueError, match="A name must be"):
        ignoring["class_sums"](node(properties=[1.5]))


def test_node_types_are_never_ignored():
    graph = one_node("A", type="letter")
    graph.add_node(1, ["A"], type="digit")
    model = machine_for(gtm.GraphBatch.from_graphs([graph]), 0)
    module = module_of(estimator_of(model).set_params(unknown="ignore"))
    with pytest.raises(ValueError, match="Unknown node type 'word'"):
        module["predict"](node(type="word"))
    with pytest.raises(ValueError, match=r"must have a type, one of \['letter', 'digit'\]; the type of node 0 is None"):
        module["predict"](EMPTY)


FORMS = [
    [{"id": 0, "properties": ["A", ("row", 1), "flat"]}, {"id": 1, "properties": [["row", 2], True, 1]}],
    [{"id": 0, "properties": ["A"], "row": 1, "flat": True}, {"id": 1, "row": [2, None], "properties": [True, 1]}],
    [{"id": 0, "properties": ["A", None], "row": [1], "flat": True}, {"id": 1, "flat": False, "row": 2, "A": None}],
    [{"id": 0, "properties": ["A"], "readout": True}, {"id": 1, "properties": [True, 1]}],
    [{"id": 0, "properties": None, "readout": False}, {"id": 1, "flat": True, "readout": True}],
]
EDGES = [{"source": 0, "target": 1, "type": "next", "key": 0}, {"source": 1, "target": 1, "type": None}]


@pytest.mark.parametrize("directed", [{}, {"directed": True}, {"directed": False, "multigraph": True}])
@pytest.mark.parametrize("key", ["edges", "links"])
def test_graphs_in_any_form_are_read_as_by_the_library(letters, directed, key, tmp_path):
    estimator, module, _ = letters
    graphs = [{"nodes": nodes, **directed, key: EDGES, "graph": {"label": 3}} for nodes in FORMS]
    (tmp_path / "graphs.jsonl").write_text("".join(json.dumps(graph) + "\n" for graph in graphs))
    batch, _ = gtm.read_jsonl(tmp_path / "graphs.jsonl")
    found = [module["clause_outputs"](graph) for graph in graphs]
    assert found == estimator.transform(batch).astype(int).tolist()
    assert len(set(map(tuple, found))) > 2


# What a module consists of


DATA = [
    "TASK",
    "OUTPUTS",
    "SCALE",
    "IS_VECTOR",
    "MAX_MISSES",
    "IGNORES_UNKNOWN",
    "MESSAGE_SIZE",
    "NODE_TYPES",
    "EDGE_TYPES",
    "SYMBOLS",
    "CLAUSES",
]


def data_of(text):
    """Return the data of a module, after checking that everything else is the interpreter."""
    template = ast.parse((files("graphtm.export") / "interpreter.py").read_text()).body[1:]
    tree = ast.parse(text, feature_version=(3, 10))
    assert ast.get_docstring(tree).startswith("A trained Graph Tsetlin Machine, exported by graphtm ")
    data = {one.targets[0].id: ast.literal_eval(one.value) for one in tree.body if _name(one) in DATA}
    assert list(data) == DATA
    rest = [ast.dump(one) for one in tree.body[1:] if _name(one) not in DATA]
    assert rest == [ast.dump(one) for one in template if _name(one) not in DATA]
    return data


def _name(statement):
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return getattr(targets[0], "id", None)


@pytest.mark.parametrize("name", ["sequence", "labels"])
def test_a_module_is_literals_and_the_interpreter(name):
    estimator, graphs = trained(name)
    data = data_of(python_text(estimator._program()))
    assert data["OUTPUTS"] == estimator.classes_.tolist()
    assert [symbol for symbol, _ in data["SYMBOLS"]] == list(graphs.vocabulary.symbols)
    assert len(data["CLAUSES"]) == estimator.n_clauses
    imported = set(re.findall(r"^(?:from|import) (\w+)", python_text(estimator._program()), re.MULTILINE))
    assert imported <= STANDARD


HOSTILE = [
    "import os",
    "__import__('os').system('false')",
    "'",
    '"',
    '"""',
    "'''",
    "\\",
    "\\'",
    "a\nb",
    "\r",
    "\0",
    "*/",
    "/*",
    "#",
    "{x}",
    "%s",
    "# The interpreter.",
    "# The machine.\n",
    "é\u2028\u202e😀",
    "\ud800",
    "",
    1,
    True,
    None,
    -(2**70),
    ("row", ("'", None)),
    (),
]
"""Names that could be mistaken for something else."""


def hostile_estimator(outputs=None):
    """Return an estimator all of whose names are hostile, and graphs with them."""
    names = [name for name in HOSTILE if name is not None]
    graphs = []
    for place, name in enumerate(names):
        graph = gtm.Graph()
        for number, other in enumerate((name, names[place - 1])):
            graph.add_node(number, [other], type=names[number])
        graph.add_edge(0, 1, names[place - 2])
        graphs.append(graph)
    batch = gtm.GraphBatch.from_graphs(graphs)
    estimator = estimator_of(machine_for(batch, 5))
    estimator.classes_ = np.empty(3, dtype=object)
    estimator.classes_[:] = outputs or ["import os", '*/\n"""', "\ud800"]
    return estimator, batch


@pytest.mark.parametrize("outputs", [None, [1, True, 1.0], [None, ("a", ("\n",)), -0.5], [False, 0, "0"]])
def test_hostile_names_are_harmless(outputs, tmp_path):
    estimator, graphs = hostile_estimator(outputs)
    estimator.export(tmp_path / "hostile.py")
    data = data_of((tmp_path / "hostile.py").read_text(encoding="utf-8"))
    assert list(map(repr, data["OUTPUTS"])) == list(map(repr, estimator.classes_.tolist()))
    assert [repr(name) for name, _ in data["SYMBOLS"]] == list(map(repr, graphs.vocabulary.symbols))
    module, dicts = module_of(estimator), as_dicts(graphs)
    assert [module["class_sums"](one) for one in dicts] == estimator.class_sums(graphs).tolist()
    assert len(set(map(tuple, estimator.class_sums(graphs)))) > 1
    predicted, expected = module["predict_many"](dicts), estimator.predict(graphs).tolist()
    assert list(map(repr, predicted)) == list(map(repr, expected))


def test_labels_that_are_not_literals_are_refused(tmp_path):
    class Odd:
        def __repr__(self):
            return "__import__('os')"

    for outputs in ([Odd(), 1, 2], [float("nan"), 1, 2], [float("inf"), 1, 2], [b"a", 1, 2], [(1.5,), 1, 2]):
        estimator, _ = hostile_estimator(outputs)
        with pytest.raises(gtm.GraphTMError, match="Labels must be str, int, float, bool, None or tuples of these"):
            estimator.export(tmp_path / "odd.py")
    assert list(tmp_path.iterdir()) == []


# The module as a command


def run_module(*arguments, stdin=None, python=()):
    """Run Python without this library and anything else that is installed."""
    command = [sys.executable, "-I", "-S", *python, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", input=stdin, check=False)


def test_the_module_runs_without_anything_else(tmp_path):
    estimator, graphs = trained("labels")
    estimator.export(tmp_path / "model.py")
    gtm.write_jsonl(tmp_path / "graphs.jsonl", graphs)
    done = run_module(tmp_path / "model.py", tmp_path / "graphs.jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    predicted = [json.loads(line) for line in done.stdout.splitlines()]
    assert list(map(set, predicted)) == estimator.predict(graphs)
    lines = (tmp_path / "graphs.jsonl").read_text()
    assert run_module(tmp_path / "model.py", "-", stdin="\n" + lines).stdout == done.stdout
    imports = "import sys; sys.path.insert(0, sys.argv[1]); import model; print(sorted(sys.modules))"
    loaded = run_module("-c", imports, tmp_path).stdout
    assert "'model'" in loaded
    assert "numpy" not in loaded


@pytest.fixture
def greek(tmp_path):
    """A module whose machine knows one word, the file of a graph that has it, and the label of that graph."""
    graph = one_node("λόγος")
    estimator = estimator_of(machine_for(gtm.GraphBatch.from_graphs([graph]), 3))
    estimator.export(tmp_path / "model.py")
    gtm.write_jsonl(tmp_path / "graphs.jsonl", [graph])
    return tmp_path / "model.py", tmp_path / "graphs.jsonl", f"{json.dumps(estimator.predict([graph]).tolist()[0])}\n"


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("python", [[], ["-X", "utf8=0"]])
def test_graphs_are_utf_8_with_or_without_a_byte_order_mark(greek, mark, python, monkeypatch):
    module, graphs, label = greek
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("PYTHONCOERCECLOCALE", "0")
    text = mark + graphs.read_text(encoding="utf-8")
    graphs.write_text(text, encoding="utf-8")
    for done in (run_module(module, graphs, python=python), run_module(module, "-", stdin=text, python=python)):
        assert (done.returncode, done.stdout, done.stderr) == (0, label, "")


def test_what_is_no_utf_8_is_an_error_of_its_line(greek):
    module, graphs, _ = greek
    graphs.write_bytes(graphs.read_bytes() + '{"nodes": [{"id": "é"}], "edges": []}\n'.encode("latin-1"))
    done = run_module(module, graphs)
    assert done.returncode == 2
    assert done.stderr.startswith("Line 2: 'utf-8' codec can't decode byte 0xe9")


@pytest.mark.parametrize("times", [3, 5000])
def test_a_reader_may_stop(greek, times):
    module, graphs, _ = greek
    graphs.write_bytes(graphs.read_bytes() * times)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-I", "-S", module, graphs]
    with os.fdopen(writing, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_errors_of_the_command(tmp_path):
    trained("labels")[0].export(tmp_path / "model.py")
    done = run_module(tmp_path / "model.py", "-", stdin='\n{"nodes": [], "edges": []}\n')
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Line 2: A graph must have at least one node")
    assert run_module(tmp_path / "model.py").stderr.startswith("Usage: python MODULE.py GRAPHS.jsonl")
    done = run_module(tmp_path / "model.py", tmp_path / "none.jsonl")
    assert done.returncode == 2
    assert "none.jsonl" in done.stderr
