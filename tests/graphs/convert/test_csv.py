"""CSV files: a cell is the same name in every file, and files that would be read wrongly are refused."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.graphs.convert import from_networkx, read_csv

nx = pytest.importorskip("networkx", reason="networkx is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")

NAMES = {
    "1": 1,
    "-2": -2,
    "0": 0,
    " 3": 3,
    "007": "007",
    "-0": "-0",
    "+1": "+1",
    str(2**63 - 1): 2**63 - 1,
    str(2**63): str(2**63),
    "1" * 5000: "1" * 5000,
    "1.5": "1.5",
    "1e3": "1e3",
    "True": True,
    "TRUE": True,
    "false": False,
    "X": "X",
    "é": "é",
    "": None,
    "NA": None,
}
cells = st.lists(st.sampled_from([*NAMES]), max_size=7)


def write(folder, **files):
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [folder / f"{name}.csv" for name in files]


@given(cells)
def test_the_type_of_a_cell_depends_on_its_text_only(tmp_path_factory, listed):
    """Symbols and edge types are those of networkx; 1 and True, which are equal in Python, stay apart."""
    listed = [*listed, "X"]
    files = write(
        tmp_path_factory.mktemp("csv"),
        nodes=["node,kind", *(f"{node},{cell}" for node, cell in enumerate(listed))],
        edges=["source,destination,bond", *(f"{node},0,{cell}" for node, cell in enumerate(listed))],
    )
    batch = read_csv(*files, graph=None, edge_type="bond")
    graph = nx.DiGraph()
    for node, cell in enumerate(listed):
        graph.add_node(node, kind=NAMES[cell])
        graph.add_edge(node, 0, bond=NAMES[cell])
    expected = from_networkx(graph, node_attributes=["kind"], edge_type="bond", missing="drop")
    for node in graph:
        assert repr(batch[0].properties(node)) == repr(expected[0].properties(node))
    assert sorted(map(repr, batch[0].edges)) == sorted(map(repr, expected[0].edges))


@pytest.mark.parametrize(
    ("train", "test"),
    [(["1", "2", "3", "X"], ["1", "3"]), (["True", "False", "unknown"], ["False", "True"]), (["1", ""], ["1", "1"])],
)
def test_later_files_have_the_names_of_the_training_file(tmp_path, train, test):
    batches = []
    for kinds in (train, test):
        lines = ["graph,node,kind,type", *(f"0,{node},{kind},{kind or 0}" for node, kind in enumerate(kinds))]
        batches.append(read_csv(*write(tmp_path, nodes=lines), type="type"))
    later = batches[1].with_vocabulary(batches[0].vocabulary)
    assert [later[0].properties(node) for node in later[0].nodes] == [
        batches[0][0].properties(train.index(kind)) for kind in test
    ]
    assert [later[0].node_type(node) for node in later[0].nodes] == [
        batches[0][0].node_type(train.index(kind)) for kind in test
    ]


def test_columns_that_are_divided_have_numbers(tmp_path):
    """Also codes with zeros, and integers; without bins, floats raise an error as before."""
    (path,) = write(tmp_path, nodes=["node,age", "0,007", "1,12", "2,", "3, 9.5"])
    assert [read_csv(path, graph=None, bins={"age": [9]})[0].properties(node) for node in range(4)] == [
        (),
        (("age", ">=", 9),),
        (),
        (("age", ">=", 9),),
    ]
    train = read_csv(path, graph=None, bins={"age": [9]})
    (later,) = write(tmp_path, later=["node,age", "0,10", "1,008"])
    assert read_csv(later, graph=None, bins=train)[0].properties(0) == (("age", ">=", 9),)
    assert read_csv(later, graph=None)[0].properties(1) == (("age", "008"),)
    with pytest.raises(gtm.GraphError, match=r"column 'age' of the nodes has floats. Divide floats into bins first"):
        read_csv(path, graph=None)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["1", "0"], [1, 0]),
        (["1", "X"], ["1", "X"]),
        (["1", "0.5"], [1.0, 0.5]),
        (["True", "False"], [True, False]),
        (["True", "1"], ["True", "1"]),
        (["01", "2"], ["01", "2"]),
    ],
)
def test_labels_are_of_one_type(tmp_path, labels, expected):
    lines = ["node,kind,label", *(f"{node},C,{label}" for node, label in enumerate(labels))]
    (path,) = write(tmp_path, nodes=lines)
    _, y = read_csv(path, graph=None, node_label="label")
    assert list(map(repr, y.tolist())) == list(map(repr, expected))
    with_graphs = ["graph,node,kind,label", *(f"{node},0,C,{label}" for node, label in enumerate(labels))]
    _, y = read_csv(*write(tmp_path, nodes=with_graphs), label="label")
    assert y.tolist() == expected
    lines = ["graph,label", *(f"{graph},{label}" for graph, label in enumerate(labels))]
    files = write(tmp_path, nodes=["graph,node", "0,0", "1,0"], graphs=lines)
    assert read_csv(files[0], None, files[1])[1].tolist() == expected


@pytest.mark.parametrize("what", ["nodes", "edges", "graphs"])
@pytest.mark.parametrize("index", ["", " ", "Unnamed: 0"])
def test_columns_without_a_name(tmp_path, what, index):
    lines = {"nodes": ["graph,node", "0,0"], "edges": ["graph,source,destination"], "graphs": ["graph,label", "0,1"]}
    lines[what] = [f"{index},{lines[what][0]}", *(f"0,{line}" for line in lines[what][1:])]
    files = write(tmp_path, **lines)
    message = (
        f"{what}.csv must have a name for each column; column 0 has none. Write data frames with index=False, or pass "
        "ignore=['Unnamed: 0']."
    )
    with pytest.raises(gtm.GraphFormatError, match=re.escape(message)):
        read_csv(*files)
    batch, _ = read_csv(*files, ignore=["Unnamed: 0"])
    assert len(batch.vocabulary.symbols) == 0


def test_a_column_without_a_name_can_be_asked_for(tmp_path):
    (path,) = write(tmp_path, nodes=[",kind", "0,C", "1,O"])
    assert read_csv(path, graph=None, node="Unnamed: 0")[0].properties(1) == (("kind", "O"),)
    (path,) = write(tmp_path, nodes=["node,NA", "0,C"])
    assert read_csv(path, graph=None)[0].properties(0) == (("NA", "C"),)


@pytest.mark.parametrize(
    ("header", "message", "ignore"),
    [
        ("node,atom,atom", "must have different names of columns; it has 'atom' more than once. Rename", "atom"),
        ("node, atom,x", "must have names of columns without spaces around them; it has ' atom'. Remove", " atom"),
        ("node,atom ,x", "must have names of columns without spaces around them; it has 'atom '. Remove", "atom "),
    ],
)
def test_names_of_columns_that_mislead(tmp_path, header, message, ignore):
    (path,) = write(tmp_path, nodes=[header, "0,C,1"])
    with pytest.raises(gtm.GraphFormatError, match=rf"nodes.csv {message} .*, or pass ignore=\['{ignore}'\]"):
        read_csv(path, graph=None)
    assert len(read_csv(path, graph=None, ignore=iter([ignore]))) == 1


@pytest.mark.parametrize(
    ("lines", "separator", "advised"),
    [
        (["node;kind", "0;C"], ",", ";"),
        (["node;kind", "0;0,5"], ",", ";"),
        (["node\tkind", "0\tC"], ",", "\t"),
        (["node,kind", "0,C"], ";", ","),
    ],
)
def test_another_separator(tmp_path, lines, separator, advised):
    (path,) = write(tmp_path, nodes=lines)
    message = f"nodes.csv must have columns separated by {separator!r}; its first line is {lines[0]!r}. Pass separator="
    with pytest.raises(gtm.GraphFormatError, match=re.escape(f"{message}{advised!r}.")):
        read_csv(path, graph=None, separator=separator)


def test_folders_and_other_encodings(tmp_path):
    with pytest.raises(gtm.GraphFormatError, match=r"must be a CSV file; it is a folder. Pass the path of each file"):
        read_csv(tmp_path)
    (tmp_path / "latin.csv").write_bytes("node,kind\n0,caf\xe9\n".encode("latin-1"))
    with pytest.raises(gtm.GraphFormatError, match=r"latin.csv must be a CSV file in UTF-8: .* Save it as UTF-8"):
        read_csv(tmp_path / "latin.csv", graph=None)
