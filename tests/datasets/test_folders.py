"""Which files are taken for which dataset's."""

import gzip
import os

import numpy as np
import pytest
from archives import idx, write, zipped

import graphtm as gtm
from graphtm.errors import DatasetNotFoundError

datasets = gtm.datasets


def write_idx(folder, label):
    write(folder / "train-images-idx3-ubyte.gz", idx(np.full((2, 28, 28), label, np.uint8)))
    write(folder / "train-labels-idx1-ubyte.gz", idx(np.full(2, label, np.uint8)))


def test_digits_are_not_taken_for_clothes(tmp_path):
    write_idx(tmp_path / "mnist", 1)
    for home in (tmp_path, tmp_path / "mnist"):
        assert datasets.load_mnist(data_home=home, download=False)[1].tolist() == [1, 1]
        with pytest.raises(DatasetNotFoundError, match="Fashion-MNIST was not found in"):
            datasets.load_fashion_mnist(data_home=home, download=False)
    write_idx(tmp_path / "fashion_mnist", 2)
    assert datasets.load_fashion_mnist(data_home=tmp_path, download=False)[1].tolist() == [2, 2]
    assert datasets.load_mnist(data_home=tmp_path, download=False)[1].tolist() == [1, 1]


def test_files_of_nobody_are_nobodys(tmp_path):
    write_idx(tmp_path, 1)
    for load, name, folder in (
        (datasets.load_mnist, "MNIST", "mnist"),
        (datasets.load_fashion_mnist, "Fashion-MNIST", "fashion_mnist"),
    ):
        message = f"idx3-ubyte.gz is not used, because .*: move it to {folder}/ if it is {name}"
        with pytest.raises(DatasetNotFoundError, match=message):
            load(data_home=tmp_path, download=False)


@pytest.mark.parametrize(
    ("load", "file", "content", "folder"),
    [
        (datasets.load_imdb, "train.jsonl", '{"text": "good", "label": 1}\n', "imdb"),
        (lambda **given: datasets.load_yelp(subset="test", **given), "test.csv", "text,stars\nx,5\n", "yelp"),
        (datasets.load_movielens, "ratings.dat", "1::2::3::4\n", "ml-1m"),
        (datasets.load_movielens_movies, "movies.dat", "1::Heat::Action\n", "ml-1m"),
    ],
)
def test_names_that_any_dataset_may_use(tmp_path, load, file, content, folder):
    for other in (tmp_path, tmp_path / "snli"):
        write(other / file, content)
        with pytest.raises(DatasetNotFoundError, match="files of other datasets have the same name"):
            load(data_home=other, download=False)
    write(tmp_path / folder / file, content)
    assert len(load(data_home=tmp_path, download=False)) > 0
    assert len(load(data_home=tmp_path / folder, download=False)) > 0


def test_the_folder_itself_under_any_of_its_names(tmp_path, monkeypatch):
    write_idx(tmp_path / "FashionMNIST" / "raw", 3)
    for home in ("", "FashionMNIST", "FashionMNIST/raw"):
        assert datasets.load_fashion_mnist(data_home=tmp_path / home, download=False)[1].tolist() == [3, 3]
    monkeypatch.chdir(tmp_path / "FashionMNIST" / "raw")
    for home in (".", "../raw", "../../FashionMNIST"):
        assert datasets.load_fashion_mnist(data_home=home, download=False)[1].tolist() == [3, 3]
    write_idx(tmp_path / "Fashion-MNIST", 4)
    assert datasets.load_fashion_mnist(data_home=tmp_path / "Fashion-MNIST", download=False)[1].tolist() == [4, 4]
    if hasattr(os, "symlink"):
        (tmp_path / "clothes").symlink_to(tmp_path / "FashionMNIST", target_is_directory=True)
        assert datasets.load_fashion_mnist(data_home=tmp_path / "clothes", download=False)[1].tolist() == [3, 3]


# TU datasets


def tu_files(name, n_graphs=3):
    """Return the files of a dataset of rings: graph k has k + 3 nodes, each with two edges, labelled by its place."""
    sizes = [graph + 3 for graph in range(n_graphs)]
    starts = np.cumsum([1, *sizes])
    ring = [
        (int(start + i), int(start + (i + 1) % n)) for start, n in zip(starts, sizes, strict=False) for i in range(n)
    ]
    return {
        f"{name}_A.txt": "".join(f"{a}, {b}\n{b}, {a}\n" for a, b in ring),
        f"{name}_graph_indicator.txt": "".join(f"{graph + 1}\n" * n for graph, n in enumerate(sizes)),
        f"{name}_graph_labels.txt": "".join(f"{graph % 2}\n" for graph in range(n_graphs)),
        f"{name}_node_labels.txt": "".join(f"{i}\n" for n in sizes for i in range(n)),
        f"{name}_node_attributes.txt": "".join(f"{i / 2}\n" for n in sizes for i in range(n)),
    }


def check_rings(graphs, y, n_graphs=3, n_symbols=5):
    assert len(graphs) == n_graphs
    assert graphs.node_counts.tolist() == [graph + 3 for graph in range(n_graphs)]
    assert [graph.n_edges for graph in graphs] == [2 * (graph + 3) for graph in range(n_graphs)]
    assert len(graphs.vocabulary.symbols) == n_symbols
    assert y.tolist() == [graph % 2 for graph in range(n_graphs)]


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_tu_counts(tmp_path, suffix):
    for name, content in tu_files("RINGS").items():
        write(tmp_path / "RINGS" / f"{name}{suffix}", content)
    check_rings(*datasets.load_tudataset("RINGS", data_home=tmp_path, ignore=["node_attributes"]))
    graphs, y = datasets.load_tudataset("RINGS", data_home=tmp_path, bins=4)
    check_rings(graphs, y, n_symbols=5 + 3)
    with pytest.raises(
        gtm.GraphFormatError,
        match=f"RINGS_node_attributes.txt{suffix} must be divided into bins or ignored: pass bins=4",
    ):
        datasets.load_tudataset("RINGS", data_home=tmp_path)


def test_tu_archives(tmp_path):
    files = tu_files("RINGS")
    packed = {f"{name}.gz": gzip.compress(content.encode()) for name, content in files.items()}
    for number, members in enumerate((files, packed)):
        home = tmp_path / str(number)
        write(home / "RINGS.zip", zipped({f"RINGS/{name}": content for name, content in members.items()}))
        check_rings(*datasets.load_tudataset("RINGS", data_home=home, ignore=["node_attributes"]))
    write(tmp_path / "RINGS.zip", zipped({"RINGS/RINGS_A.txt": files["RINGS_A.txt"]}))
    with pytest.raises(DatasetNotFoundError, match=r"must have the file RINGS_graph_indicator\.txt, .*RINGS\.zip"):
        datasets.load_tudataset("RINGS", data_home=tmp_path)


def test_two_tu_datasets_in_one_folder(tmp_path):
    for name, n_graphs in (("RINGS", 3), ("MORE-RINGS", 4)):
        for file, content in tu_files(name, n_graphs).items():
            write(tmp_path / file, content)
    check_rings(*datasets.load_tudataset("RINGS", data_home=tmp_path, ignore=["node_attributes"]))
    for load in (
        datasets.load_tudataset,
        lambda name, data_home, **given: gtm.read_tudataset(data_home, name=name, **given),
    ):
        check_rings(*load("MORE-RINGS", data_home=tmp_path, ignore=["node_attributes"]), n_graphs=4, n_symbols=6)
    with pytest.raises(
        gtm.GraphFormatError, match=r"has several datasets: MORE-RINGS, RINGS\. Choose one with name='MORE-RINGS'"
    ):
        gtm.read_tudataset(tmp_path)


@pytest.mark.parametrize("part", ["graph_indicator", "graph_labels"])
def test_a_missing_tu_file_is_named(tmp_path, part):
    for name, content in tu_files("RINGS").items():
        write(tmp_path / "RINGS" / name, content)
    (tmp_path / "RINGS" / f"RINGS_{part}.txt").unlink()
    with pytest.raises(DatasetNotFoundError, match=rf"RINGS must have the file RINGS_{part}\.txt, .* it is not in"):
        datasets.load_tudataset("RINGS", data_home=tmp_path)
