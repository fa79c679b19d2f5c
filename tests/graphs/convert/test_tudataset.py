"""TUDataset folders."""

from types import SimpleNamespace

import numpy as np
import pytest
from archives import zipped
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.encoders import Table
from graphtm.graphs.bins import edge_cuts, node_cuts
from graphtm.graphs.convert import from_pyg, read_tudataset

TINY = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 4",
    "graph_indicator": "1\n1\n1\n2",
    "graph_labels": "1\n-1",
    "node_labels": "0\n6\n0\n3",
    "edge_labels": "0\n0\n2\n2\n1",
}


def write(folder, files, name="TINY"):
    for part, text in files.items():
        (folder / f"{name}_{part}.txt").write_text(text)
    return folder


def test_labels_of_nodes_edges_and_graphs(tmp_path):
    graphs, y = read_tudataset(write(tmp_path, TINY))
    graphs.validate()
    assert y.tolist() == [1, -1]
    assert graphs.node_counts.tolist() == [3, 1]
    assert [graphs[0].properties(node) for node in range(3)] == [(("label", value),) for value in (0, 6, 0)]
    assert sorted(graphs[0].edges) == [(0, 1, 0), (1, 0, 0), (1, 2, 2), (2, 1, 2)]
    assert graphs[1].edges == ((0, 0, 1),)


@st.composite
def tables(draw):
    graph_of = draw(st.lists(st.integers(0, 3), min_size=1, max_size=8))
    graph_of += [graph for graph in range(max(graph_of)) if graph not in graph_of]
    labels = draw(st.lists(st.integers(-2, 2), min_size=len(graph_of), max_size=len(graph_of)))
    edges = []
    for _ in range(draw(st.integers(0, 8))):
        source = draw(st.integers(0, len(graph_of) - 1))
        inside = [node for node, graph in enumerate(graph_of) if graph == graph_of[source]]
        edges.append((source, draw(st.sampled_from(inside)), draw(st.integers(0, 2))))
    return graph_of, labels, edges


@given(tables())
def test_what_is_written_is_read(tmp_path_factory, made):
    graph_of, labels, edges = made
    folder = tmp_path_factory.mktemp("tu")
    n_graphs = max(graph_of) + 1
    write(
        folder,
        {
            "A": "\n".join(f"{source + 1}, {destination + 1}" for source, destination, _ in edges),
            "graph_indicator": "\n".join(str(graph + 1) for graph in graph_of),
            "graph_labels": "\n".join(map(str, range(n_graphs))),
            "node_labels": "\n".join(map(str, labels)),
            "edge_labels": "\n".join(str(label) for _, _, label in edges),
        },
    )
    graphs, y = read_tudataset(folder)
    graphs.validate()
    assert y.tolist() == list(range(n_graphs))
    for number, graph in enumerate(graphs):
        mine = [node for node, owner in enumerate(graph_of) if owner == number]
        assert [graph.properties(place) for place in range(len(mine))] == [(("label", labels[node]),) for node in mine]
        expected = [(mine.index(s), mine.index(d), label) for s, d, label in edges if graph_of[s] == number]
        assert sorted(graph.edges) == sorted(expected)


def test_optional_files(tmp_path):
    bare = {name: TINY[name] for name in ("A", "graph_indicator")}
    graphs, y = read_tudataset(write(tmp_path, bare | {"graph_attributes": "0.5, 1\n2, 3"}))
    assert y.tolist() == [[0.5, 1], [2, 3]]
    assert graphs[0].edges[0].type == "plain"
    assert len(graphs.vocabulary.symbols) == 0
    several = {"graph_labels": "1\n2", "node_labels": "0,1\n6,1\n0,2\n3,2", "edge_labels": "0,1\n0,1\n2,2\n2,2\n1,1"}
    graphs, y = read_tudataset(write(tmp_path, several))
    assert y.tolist() == [1, 2]
    assert graphs[0].properties(1) == (("label", 0, 6), ("label", 1, 1))
    assert {edge.type for edge in graphs[0].edges} == {(0, 1), (2, 2)}
    assert len(read_tudataset(tmp_path, ignore=["node_labels"])[0].vocabulary.symbols) == 0


def test_numbers_on_nodes_become_thermometers(tmp_path):
    values = "\n".join(f"{value}, 7" for value in (0.5, 1.5, 2.5, 3.5))
    write(tmp_path, {**TINY, "node_attributes": values})
    graphs, _ = read_tudataset(tmp_path, bins=4, ignore=["node_labels"])
    limits = [("attribute 0", ">=", value) for value in ("1.5", "2.5", "3.5")]
    constant = ("attribute 1", ">=", 7)
    assert list(graphs.vocabulary.symbols) == [*limits, constant]
    carried = [*map(graphs[0].properties, range(3)), graphs[1].properties(0)]
    assert carried == [(*limits[:n], constant) for n in range(4)]
    assert read_tudataset(tmp_path, booleanise=4, ignore=["node_labels"])[0] == graphs
    halves, _ = read_tudataset(tmp_path, bins=2)
    assert [name for name in halves.vocabulary.symbols if ">=" in name] == [("attribute 0", ">=", "2.5"), constant]
    again, _ = read_tudataset(tmp_path, bins=halves)
    assert again == halves
    with pytest.raises(
        gtm.GraphFormatError, match=r"TINY_node_attributes.txt must be divided into bins or ignored: pass bins=4"
    ):
        read_tudataset(tmp_path)
    with pytest.raises(ValueError, match=r"Either 'bins' or 'booleanise', its former name, must be None. Got 2 and 3"):
        read_tudataset(tmp_path, bins=2, booleanise=3)
    with pytest.raises(
        ValueError, match=r"'bins' parameter of read_tudataset must have names of attributes .* 'x' inst"
    ):
        read_tudataset(tmp_path, bins={"attribute 0": 2, "attribute 1": [5], "x": 3})
    assert read_tudataset(tmp_path, ignore=["node_attributes"])[0] == read_tudataset(write_without(tmp_path))[0]


def test_numbers_are_cut_where_a_table_cuts_them(tmp_path):
    n = 200
    values = np.random.default_rng(0).gamma(1, size=n).round(12)
    rare = np.where(np.arange(n) == 7, 5.0, 1.0)
    columns = np.stack([values, rare], axis=1)
    files = {"A": "", "graph_indicator": "1\n" * n, "graph_labels": "1\n"}
    files["node_attributes"] = "".join(f"{a!r}, {b!r}\n" for a, b in columns.tolist())
    graphs, _ = read_tudataset(write(tmp_path, files), bins=5)
    table = Table(bins=5, encoding="thermometer").fit(columns)
    told = [(f"attribute {column[1:]}", ">=", cut) for column, _, cut in table.vocabulary_.symbols]
    assert list(graphs.vocabulary.symbols) == told
    assert told[-1] == ("attribute 1", ">=", 5)


def test_numbers_on_edges_become_types(tmp_path):
    n_edges = len(TINY["A"].split("\n"))
    lengths = [0.5, 0.5, 1.5, 1.5, 2.5][:n_edges]
    files = {**TINY, "edge_attributes": "\n".join(map(str, lengths))}
    graphs, _ = read_tudataset(write(tmp_path, files), bins={"edge attribute 0": [1, 2]}, ignore=["edge_labels"])
    intervals = [("edge attribute 0", "in", text) for text in ("< 1", "[1, 2)", ">= 2")]
    assert set(graphs.vocabulary.edge_types) <= set(intervals)
    assert sorted(edge.type for graph in graphs for edge in graph.edges) == sorted(
        intervals[int(length >= 1) + int(length >= 2)] for length in lengths
    )
    assert read_tudataset(tmp_path, bins=graphs, ignore=["edge_labels"])[0] == graphs
    both, _ = read_tudataset(write(tmp_path, {"edge_labels": "\n".join(["7"] * n_edges)}), bins=2)
    assert {edge_type[0] for edge_type in both.vocabulary.edge_types} == {("label", 7)}
    assert {edge_type[1][0] for edge_type in both.vocabulary.edge_types} == {"edge attribute 0"}


@pytest.mark.parametrize("bins", [2, 3, {"attribute 0": 4, "edge attribute 0": [1.5]}, {"attribute 0": 3}])
def test_cuts_are_those_of_the_training_graphs(tmp_path, bins):
    """As if the dataset had only these; by numbers or by a mask, in any order."""
    rng = np.random.default_rng(0)
    indicator = rng.permutation(np.repeat(np.arange(10), 6)) + 1
    ends = [(a, b) for a in range(60) for b in range(60) if indicator[a] == indicator[b]]
    values, lengths = rng.normal(indicator), rng.normal([indicator[a] for a, _ in ends])
    files = {
        "A": "\n".join(f"{a + 1}, {b + 1}" for a, b in ends),
        "graph_indicator": "\n".join(map(str, indicator)),
        "graph_labels": "\n".join("01" * 5),
        "node_attributes": "\n".join(map(repr, values.tolist())),
        "edge_attributes": "\n".join(map(repr, lengths.tolist())),
    }
    ignore = [] if not isinstance(bins, dict) or len(bins) == 2 else ["edge_attributes"]
    chosen = np.array([7, 2, 3])
    graphs, _ = read_tudataset(write(tmp_path, files), bins=bins, bins_from=chosen, ignore=ignore)
    data = [
        SimpleNamespace(
            num_nodes=6,
            x=values[indicator == graph + 1][:, None],
            edge_index=np.array([(a, b) for a, b in ends if indicator[a] == graph + 1]).T * 0,
            edge_attr=lengths[[indicator[a] == graph + 1 for a, _ in ends]][:, None],
        )
        for graph in chosen
    ]
    names = {"attribute 0": "x 0", "edge attribute 0": "edge_attr 0"}
    same = {names[name]: value for name, value in bins.items()} if isinstance(bins, dict) else bins
    alone = from_pyg(data, bins=same, edge_features=None if ignore else "auto")
    assert node_cuts(graphs.vocabulary)["attribute 0"].tolist() == node_cuts(alone.vocabulary)["x 0"].tolist()
    if not ignore:
        mine, expected = edge_cuts(graphs.vocabulary), edge_cuts(alone.vocabulary)
        assert mine["edge attribute 0"].tolist() == expected["edge_attr 0"].tolist()
    everything = read_tudataset(tmp_path, bins=bins, ignore=ignore)[0]
    assert everything.vocabulary != graphs.vocabulary
    assert read_tudataset(tmp_path, bins=bins, bins_from=range(10), ignore=ignore)[0] == everything
    mask = np.isin(np.arange(10), chosen)
    assert (
        gtm.datasets.load_tudataset("TINY", data_home=tmp_path, bins=bins, bins_from=mask, ignore=ignore)[0] == graphs
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bins": None}, "be None if 'bins' has no number of bins, since there are no quantiles. Pass bins=4, or omit"),
        ({"bins": {"attribute 0": [1, 2]}}, "be None if 'bins' has no number of bins"),
        ({"bins_from": 0.5}, "be numbers of graphs, or a mask of them. Got 0.5 instead"),
        ({"bins_from": []}, r"be numbers of graphs, or a mask of them. Got \[\] instead"),
        ({"bins_from": [0.0]}, r"be numbers of graphs, or a mask of them. Got \[0.0\] instead"),
        ({"bins_from": [0, 2]}, r"be numbers of graphs in 0..1. Got 2 instead"),
        ({"bins_from": [-1]}, r"be numbers of graphs in 0..1. Got -1 instead"),
        ({"bins_from": [True]}, "for at least one of 2 graphs if it is a mask. Got a mask of length 1 with 1 true"),
        ({"bins_from": [False] * 2}, "if it is a mask. Got a mask of length 2 with 0 true"),
    ],
)
def test_wrong_numbers_of_training_graphs(tmp_path, options, message):
    write(tmp_path, {**TINY, "node_attributes": "1\n2\n3\n4"})
    with pytest.raises(ValueError, match=rf"^The 'bins_from' parameter of read_tudataset must .*{message}"):
        read_tudataset(tmp_path, **{"bins": 2, "bins_from": [0], **options})


def write_without(folder):
    (folder / "TINY_node_attributes.txt").unlink()
    return folder


REFUSED = {
    "node number": ({"A": "1, 2\n0, 1"}, r"TINY_A.txt must be in 1..4, .* row 2 is 0, 1"),
    "node too large": ({"A": "1, 5"}, "row 1 is 1, 5"),
    "between graphs": ({"A": "1, 4"}, "row 1 of TINY_A.txt joins node 1 of graph 1 and node 4 of graph 2"),
    "columns": ({"A": "1\n2"}, "TINY_A.txt must have 2 columns; it has 1"),
    "ragged": ({"A": "1, 2\n3"}, "TINY_A.txt must have rows of integers, separated by commas: "),
    "text": ({"graph_indicator": "1\nx"}, "graph_indicator.txt must have rows of integers.*'x'"),
    "fraction": ({"node_labels": "0.5\n1\n1\n1"}, "node_labels.txt must have rows of integers"),
    "graph number": ({"graph_indicator": "1\n1\n3\n2"}, r"must be in 1..2, the graphs with labels; row 3 is 3"),
    "graph without nodes": ({"graph_indicator": "1\n1\n1\n1", "A": ""}, "graph 2 has none in TINY_graph_indicator"),
    "too few labels": ({"graph_labels": "1"}, "row 4 is 2"),
    "node labels": ({"node_labels": "1\n1"}, "node_labels.txt must have one row per node, 4; got 2"),
    "edge labels": ({"edge_labels": "1\n1"}, "edge_labels.txt must have one row per edge, 5; got 2"),
    "NaN": ({"graph_labels": "1\nnan"}, "must have finite numbers; row 2 has nan"),
    "edge attributes": (
        {"edge_attributes": "1"},
        r"edge_attributes.txt must have one row per edge",
    ),
    "not text": ({"graph_labels": "\udc80"}, "TINY_graph_labels.txt must have rows of numbers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_by_name(tmp_path, case):
    changes, message = REFUSED[case]
    write(tmp_path, {**TINY, **{name: text for name, text in changes.items() if text.isprintable() or "\n" in text}})
    if case == "not text":
        (tmp_path / "TINY_graph_labels.txt").write_bytes(b"\x80")
    with pytest.raises(gtm.GraphFormatError, match=message):
        read_tudataset(tmp_path)


def test_missing_files_and_parameters(tmp_path):
    with pytest.raises(
        gtm.DatasetNotFoundError, match=r"There is no file \*_A.txt, .* in .*nowhere. .* must have DS_A.txt"
    ):
        read_tudataset(tmp_path / "nowhere")
    write(tmp_path, {"A": "1, 1"})
    with pytest.raises(
        gtm.DatasetNotFoundError, match=r"TINY must have the file TINY_graph_indicator.txt, .* it is not in"
    ):
        read_tudataset(tmp_path)
    write(tmp_path, {"graph_indicator": "1"})
    with pytest.raises(gtm.DatasetNotFoundError, match=r"must have the file TINY_graph_labels.txt"):
        read_tudataset(tmp_path)
    write(tmp_path, {"A": "1, 1"}, "OTHER")
    with pytest.raises(gtm.GraphFormatError, match=r"has several datasets: OTHER, TINY. Choose one with name='OTHER'"):
        read_tudataset(tmp_path)
    for wrong in (1, True, 2.5):
        with pytest.raises(ValueError, match=r"'booleanise' parameter of read_tudataset must be an int of at least 2"):
            read_tudataset(tmp_path, booleanise=wrong)
    with pytest.raises(ValueError, match=r"'ignore' parameter of read_tudataset must list .* Got 'labels' instead"):
        read_tudataset(tmp_path, ignore=["labels"])


def test_an_archive_has_every_file_once(tmp_path):
    archive = tmp_path / "both.zip"
    files = {f"{folder}/TINY_{part}.txt": text for folder in ("new", "old") for part, text in TINY.items()}
    archive.write_bytes(zipped({**files, "new/README.txt": "", "old/README.txt": ""}))
    with pytest.raises(gtm.GraphFormatError, match=r"once; .*both.zip has new/TINY_\w+.txt and old/TINY_\w+.txt"):
        read_tudataset(archive)
    files = {f"TINY/TINY_{part}.txt": text for part, text in TINY.items()}
    archive.write_bytes(zipped({**files, "new/README.txt": "", "old/README.txt": ""}))
    assert read_tudataset(archive)[0] == read_tudataset(write(tmp_path, TINY))[0]


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    write(tmp_path, TINY)
    expected = read_tudataset(tmp_path)[0]
    for part, text in TINY.items():
        (tmp_path / f"TINY_{part}.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_tudataset(tmp_path)[0] == expected
    (tmp_path / "TINY_A.txt").write_bytes(b"\xef\xbb\xbf")
    with pytest.raises(gtm.GraphFormatError, match=r"edge_labels.txt must have one row per edge, 0; got 5"):
        read_tudataset(tmp_path)


def test_files_that_are_ignored_need_not_be_there(tmp_path):
    write(tmp_path, TINY)
    assert read_tudataset(tmp_path, ignore=["node_attributes"])[0] == read_tudataset(tmp_path)[0]
    with pytest.raises(ValueError, match=r"Got 'node_atributes' instead. Did you mean 'node_attributes'\?"):
        read_tudataset(tmp_path, ignore=["node_atributes"])
    with pytest.raises(TypeError, match=r"'ignore' parameter of read_tudataset must be a list of names"):
        read_tudataset(tmp_path, ignore={"node_labels": True})
