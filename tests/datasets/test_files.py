"""Loaders: every official format in miniature, and what they say when something is wrong. Nothing is downloaded."""

import gzip
import json
import lzma
import os
import pickle
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from archives import binary_batch, idx, python2_batch, tar_gz, write, zipped

import graphtm as gtm
from graphtm.datasets import files
from graphtm.datasets.images import MNIST
from graphtm.errors import DatasetNotFoundError

datasets = gtm.datasets
LOADERS = {
    "mnist": datasets.load_mnist,
    "fashion_mnist": datasets.load_fashion_mnist,
    "cifar10": datasets.load_cifar10,
    "imdb": datasets.load_imdb,
    "yelp": datasets.load_yelp,
    "mpqa": datasets.load_mpqa,
    "scone": datasets.load_scone,
    "movielens1m": datasets.load_movielens,
    "amazon_sales": datasets.load_amazon_sales,
    "viral_genomes": datasets.load_viral_genomes,
}


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """No test may reach the network or the user's own files."""
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("GRAPHTM_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def damaged(message):
    return pytest.raises(gtm.GraphFormatError, match=message)


# Where files are looked for


def test_the_data_folder(tmp_path, monkeypatch):
    write(tmp_path / "mpqa" / "mpqa.all", "1 good\n0 bad\n")
    for home in (tmp_path, str(tmp_path), tmp_path / "mpqa"):
        assert datasets.load_mpqa(data_home=home)[0] == ["good", "bad"]
    monkeypatch.setenv("GRAPHTM_DATA", str(tmp_path))
    assert datasets.load_mpqa()[0] == ["good", "bad"]
    monkeypatch.delenv("GRAPHTM_DATA")
    write(tmp_path / "cache" / "graphtm" / "mpqa" / "mpqa.all", "1 cached\n")
    assert datasets.load_mpqa()[0] == ["cached"]
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert files.data_folder(None) == Path.home() / ".cache" / "graphtm"


@pytest.mark.parametrize("name", LOADERS)
def test_nothing_there(name, tmp_path):
    with pytest.raises(DatasetNotFoundError, match="Looked in") as caught:
        LOADERS[name](data_home=tmp_path, download=False)
    message = str(caught.value)
    assert isinstance(caught.value, gtm.GraphTMError)
    assert isinstance(caught.value, FileNotFoundError)
    assert f"was not found in the data folder {tmp_path} (set it with data_home= or the environment variable" in message
    assert f"{name}/" in message
    assert any(
        advice in message
        for advice in ("Use download=True to download https://", "Get ", "get ", "Download ", "Create it from")
    )
    with pytest.raises(DatasetNotFoundError, match="which does not exist"):
        LOADERS[name](data_home=tmp_path / "nowhere", download=False)


def test_files_are_named(tmp_path):
    with pytest.raises(
        DatasetNotFoundError,
        match=r"Looked in mnist/, MNIST/raw/ for mnist\.npz or train-images-idx3-ubyte, also with \.gz or \.xz, "
        r"and in the data folder itself for mnist\.npz\. Use download=True to "
        r"download https://\S+/train-images-idx3-ubyte\.gz",
    ):
        datasets.load_mnist(data_home=tmp_path, download=False)
    with pytest.raises(DatasetNotFoundError, match=r"for test\.jsonl or aclImdb/test or aclImdb_v1\.tar\.gz"):
        datasets.load_imdb(subset="test", data_home=tmp_path, download=False)
    with pytest.raises(
        DatasetNotFoundError, match=r"ratings\.npz or ratings\.dat or ml-1m\.zip.*download=True .*/ml-1m\.zip"
    ):
        datasets.load_movielens(data_home=tmp_path, download=False)
    with pytest.raises(DatasetNotFoundError, match=r"u\.data or ml-100k\.zip"):
        datasets.load_movielens(size="100k", data_home=tmp_path, download=False)


# Downloads, without a network


def fake_pooch(monkeypatch, retrieve):
    """Replace pooch, and return what it notes."""
    notes = []
    logger = types.SimpleNamespace(info=notes.append)
    monkeypatch.setitem(sys.modules, "pooch", types.SimpleNamespace(retrieve=retrieve, get_logger=lambda: logger))
    return notes


def test_downloads_are_checked_and_kept(tmp_path, monkeypatch):
    asked = []

    def retrieve(url, known_hash, fname, path):
        asked.append((url, known_hash))
        content = idx(np.zeros((3, 28, 28), np.uint8)) if "images" in fname else idx(np.arange(3, dtype=np.uint8))
        write(Path(path) / fname, content)
        return str(Path(path) / fname)

    notes = fake_pooch(monkeypatch, retrieve)
    for _ in range(2):
        X, y = datasets.load_mnist(data_home=tmp_path)
        assert X.shape == (3, 28, 28)
        assert y.tolist() == [0, 1, 2]
    assert [known for _, known in asked] == [f"md5:{remote.md5}" for remote in MNIST.remotes[:2]]
    assert [url for url, _ in asked] == [remote.url for remote in MNIST.remotes[:2]]
    assert (tmp_path / "mnist" / "train-images-idx3-ubyte.gz").exists()
    assert notes == [f"No MNIST in {tmp_path}; downloading it there."]
    datasets.load_mnist(data_home=tmp_path / "new")
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionError("no route\nto host"), r"failed \(ConnectionError: no route\)"),
        (
            ValueError("MD5 hash of downloaded file (a.gz) does not match the known hash: expected md5:1 but got 2."),
            r"failed \(ValueError: MD5 hash of downloaded file does not match the known hash\)",
        ),
        (OSError("404 Client Error: Not Found for url: https://a.b/c.gz"), r"failed \(OSError: 404 Client Error\)"),
        (
            ConnectionError(
                "HTTPSConnectionPool(host='a.b', port=443): Max retries exceeded with url: /c.gz (Caused by "
                "NameResolutionError(\"HTTPSConnection(host='a.b', port=443): Failed to resolve 'a.b' ([Errno -2] Name "
                'or service not known)"))'
            ),
            r"failed \(ConnectionError: Failed to resolve 'a\.b'\)",
        ),
        (PermissionError(), r"failed \(PermissionError: no reason given\)"),
    ],
)
def test_failed_downloads(tmp_path, monkeypatch, error, reason):
    def retrieve(*_, path, **__):
        path.mkdir(parents=True)
        raise error

    fake_pooch(monkeypatch, retrieve)
    for load in (datasets.load_mnist, datasets.load_cifar10, datasets.load_imdb, datasets.load_movielens):
        with pytest.raises(DatasetNotFoundError, match=reason) as caught:
            load(data_home=tmp_path)
        assert "Looked in" in str(caught.value)
        assert "Download it manually and put it there" in str(caught.value)
        # The traceback of the network library is not shown.
        assert caught.value.__suppress_context__
        assert caught.value.__cause__ is None
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_there_stays(tmp_path, monkeypatch):
    def retrieve(*_, **__):
        raise ConnectionError("no route")

    fake_pooch(monkeypatch, retrieve)
    (tmp_path / "mnist").mkdir()
    with pytest.raises(DatasetNotFoundError):
        datasets.load_mnist(data_home=tmp_path)
    assert (tmp_path / "mnist").is_dir()


def test_downloads_need_pooch(tmp_path):
    with pytest.raises(
        gtm.GraphTMError, match="The download of MNIST needs the library 'pooch', which is not installed"
    ):
        datasets.load_mnist(data_home=tmp_path)


def test_sources_without_checksum_are_not_downloaded(tmp_path, monkeypatch):
    fake_pooch(monkeypatch, lambda *_, **__: pytest.fail("a download without a checksum"))
    for name in ("yelp", "mpqa", "scone", "amazon_sales", "viral_genomes"):
        with pytest.raises(DatasetNotFoundError):
            LOADERS[name](data_home=tmp_path)


# Subsets and damaged files


@pytest.mark.parametrize("name", LOADERS)
def test_wrong_subsets(name, tmp_path):
    load = LOADERS[name]
    with pytest.raises(ValueError, match=f"The 'subset' parameter of {load.__name__} must be .*Got 'tain' instead"):
        load(subset="tain", data_home=tmp_path)
    if name in ("mpqa", "movielens1m", "amazon_sales", "viral_genomes"):
        with pytest.raises(
            ValueError, match=r"must be 'all': .* has no official split; split it yourself. Got 'train'"
        ):
            load(subset="train", data_home=tmp_path)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("mnist", "train-images-idx3-ubyte"),
        ("imdb", "train.jsonl"),
        ("yelp", "yelp.csv"),
        ("mpqa", "mpqa.all"),
        ("scone", "tangrams-train.tsv"),
        ("movielens1m", "ratings.dat"),
        ("amazon_sales", "amazon.csv"),
        ("viral_genomes", "viral_genomes.tsv"),
    ],
)
def test_damaged_compression(name, file, tmp_path):
    for suffix, pack in ((".gz", gzip.compress), (".xz", lzma.compress)):
        path = tmp_path / name / f"{file}{suffix}"
        path.parent.mkdir(exist_ok=True)
        for content in (b"this is not packed", pack(bytes(range(256)) * 40)[:-20]):
            path.write_bytes(content)
            with damaged("is damaged or has another format: it cannot be decompressed"):
                LOADERS[name](data_home=tmp_path)
        path.unlink()


def test_text_in_another_encoding(tmp_path):
    write(tmp_path / "tangrams-train.tsv", b"a\t\xff\tb\tc\n")
    with damaged(r"tangrams-train\.tsv is damaged or has another format: it is not utf-8 text \(invalid start byte at"):
        datasets.load_scone(data_home=tmp_path)


# Images


def test_idx(tmp_path):
    rng = np.random.default_rng(0)
    x = {part: rng.integers(0, 256, (n, 28, 28), dtype=np.uint8) for part, n in (("train", 5), ("t10k", 3))}
    y = {part: rng.integers(0, 10, len(images), dtype=np.uint8) for part, images in x.items()}
    for folder, suffix in (("mnist", ".gz"), ("FashionMNIST/raw", "")):
        for part in x:
            write(tmp_path / folder / f"{part}-images-idx3-ubyte{suffix}", idx(x[part]))
            write(tmp_path / folder / f"{part}-labels-idx1-ubyte{suffix}", idx(y[part]))
    for load in (datasets.load_mnist, datasets.load_fashion_mnist):
        for subset, used in (("train", ["train"]), ("test", ["t10k"]), ("all", ["train", "t10k"])):
            images, labels = load(subset=subset, data_home=tmp_path, download=False)
            assert np.array_equal(images, np.concatenate([x[part] for part in used]))
            assert np.array_equal(labels, np.concatenate([y[part] for part in used]))
            assert images.dtype == np.uint8
            assert labels.dtype == np.int64
            assert images.flags.writeable


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an IDX file of images or labels must start with 00 00 08 03 or 01; got nothing"),
        (b"\x00\x00\x0d\x01", "must start with 00 00 08 03 or 01; got 00 00 0d 01"),
        (b"\x00\x00\x08\xc8" + bytes(800), "must start with 00 00 08 03 or 01; got 00 00 08 c8"),
        (b"\x00\x00\x08\x03\x00\x00", "the IDX header is incomplete"),
        (idx(np.zeros((2, 28, 28), np.uint8))[:-1], "declares 1,568 bytes of values; got 1,567"),
        (idx(np.zeros(4, np.uint8)), r"must have one 28 x 28 uint8 image per label; got shapes \(4,\) and \(2,\)"),
        (idx(np.zeros((3, 28, 28), np.uint8)), r"got shapes \(3, 28, 28\) and \(2,\)"),
    ],
)
def test_damaged_idx(tmp_path, content, message):
    write(tmp_path / "mnist" / "train-images-idx3-ubyte", content)
    write(tmp_path / "mnist" / "train-labels-idx1-ubyte", idx(np.zeros(2, np.uint8)))
    with damaged(message):
        datasets.load_mnist(data_home=tmp_path)


def test_npz(tmp_path):
    np.savez(tmp_path / "mnist.npz", x_train=np.ones((2, 28, 28), np.uint8), y_train=np.array([1, 2], np.uint8))
    assert datasets.load_mnist(data_home=tmp_path)[1].tolist() == [1, 2]
    with damaged("it must contain the arrays x_test, y_test"):
        datasets.load_mnist(data_home=tmp_path, subset="test")
    np.savez(tmp_path / "mnist.npz", x_train=np.array([{}], dtype=object), y_train=np.zeros(1))
    with damaged("it is not an NPZ file"):
        datasets.load_mnist(data_home=tmp_path)
    (tmp_path / "mnist.npz").write_bytes(b"PK")
    with damaged("it is not an NPZ file"):
        datasets.load_mnist(data_home=tmp_path)


@pytest.fixture(scope="module")
def pictures():
    rng = np.random.default_rng(1)
    names = [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]
    return {
        name: (rng.integers(0, 256, (4, 32, 32, 3), dtype=np.uint8), rng.integers(0, 10, 4, dtype=np.uint8))
        for name in names
    }


def check_cifar(pictures, home):
    for subset, used in (("train", list(pictures)[:5]), ("test", ["test_batch"]), ("all", list(pictures))):
        X, y = datasets.load_cifar10(subset=subset, data_home=home, download=False)
        assert np.array_equal(X, np.concatenate([pictures[name][0] for name in used]))
        assert np.array_equal(y, np.concatenate([pictures[name][1] for name in used]))
        assert X.dtype == np.uint8
        assert X.flags.c_contiguous


@pytest.mark.parametrize(("suffix", "pack"), [(".bin", binary_batch), ("", python2_batch)])
def test_cifar_batches_and_archives(tmp_path, pictures, suffix, pack):
    form = "bin" if suffix else "py"
    members = {f"cifar-10-batches-{form}/{name}{suffix}": pack(*batch) for name, batch in pictures.items()}
    for path, content in members.items():
        write(tmp_path / "unpacked" / "cifar10" / path, content)
    check_cifar(pictures, tmp_path / "unpacked")
    check_cifar(pictures, tmp_path / "unpacked" / "cifar10")
    check_cifar(pictures, tmp_path / "unpacked" / "cifar10" / f"cifar-10-batches-{form}")
    archive = f"cifar-10-{'binary' if suffix else 'python'}.tar.gz"
    write(tmp_path / "packed" / archive, tar_gz({**members, f"cifar-10-batches-{form}/readme.html": b"x"}))
    check_cifar(pictures, tmp_path / "packed")

    write(tmp_path / "short" / archive, tar_gz(dict(list(members.items())[:3])))
    with damaged("data_batch_4 is missing"):
        datasets.load_cifar10(data_home=tmp_path / "short")
    write(tmp_path / "cut" / archive, tar_gz(members)[:-300])
    with damaged("it is not an archive of the batches"):
        datasets.load_cifar10(data_home=tmp_path / "cut")


def test_cifar_mosaics(tmp_path, pictures):
    image = pytest.importorskip("PIL.Image", reason="pictures are read by Pillow")
    home = tmp_path / "cifar10"
    home.mkdir()
    for name, (images, _) in pictures.items():
        tiles = images.reshape(2, 2, 32, 32, 3).transpose(0, 2, 1, 3, 4).reshape(64, 64, 3)
        image.fromarray(tiles).save(home / f"{name}.webp", lossless=True)
    with pytest.raises(DatasetNotFoundError, match=r"for labels\.npz or data_batch_1\.bin or data_batch_1 or"):
        datasets.load_cifar10(data_home=home, download=False)
    train = np.concatenate([labels for name, (_, labels) in pictures.items() if name != "test_batch"])
    np.savez(home / "labels.npz", y_train=train, y_test=pictures["test_batch"][1])
    check_cifar(pictures, home)

    np.savez(home / "labels.npz", y_train=train[:-1], y_test=pictures["test_batch"][1])
    with damaged(r"one label per tile; got 19 for 4 in data_batch_1\.webp"):
        datasets.load_cifar10(data_home=home)
    image.fromarray(np.zeros((33, 64, 3), np.uint8)).save(home / "test_batch.webp", lossless=True)
    with damaged("must consist of tiles of 32 x 32; got 33 x 64"):
        datasets.load_cifar10(data_home=home, subset="test")
    (home / "test_batch.webp").write_bytes(b"no picture")
    with damaged("it is not an image"):
        datasets.load_cifar10(data_home=home, subset="test")
    (home / "data_batch_3.webp").unlink()
    with pytest.raises(DatasetNotFoundError, match=r"for data_batch_3\.webp or data_batch_1\.bin"):
        datasets.load_cifar10(data_home=home, download=False)


def test_mosaics_need_pillow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    home = tmp_path / "cifar10"
    write(home / "test_batch.webp", b"RIFF")
    np.savez(home / "labels.npz", y_train=np.zeros(5, np.uint8), y_test=np.zeros(1, np.uint8))
    with pytest.raises(gtm.GraphTMError, match=r"Reading mosaics of CIFAR-10 needs the library 'PIL\.Image'"):
        datasets.load_cifar10(subset="test", data_home=home)


class Evil:
    def __reduce__(self):
        return os.mkdir, ("executed",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pickle.dumps({b"data": Evil(), b"labels": []}), "contain nothing else .it asks for (posix|nt).mkdir"),
        (pickle.dumps({b"data": np.zeros((1, 3072), np.float64), b"labels": [1]}, 2), "contain nothing else"),
        (pickle.dumps({b"labels": [1]}, 2), "it asks for _codecs.encode|contain nothing else"),
        (pickle.dumps([1]), "contain nothing else"),
        (b"", "contain nothing else"),
    ],
)
def test_pickles_of_unknown_origin(tmp_path, monkeypatch, content, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "test_batch", content)
    with damaged(message):
        datasets.load_cifar10(subset="test", data_home=tmp_path)
    assert not (tmp_path / "executed").exists()


def test_damaged_binary_batch(tmp_path):
    for content in (b"", b"x" * 3072):
        write(tmp_path / "test_batch.bin", content)
        with damaged(f"must have 3,073 bytes per image; got {len(content):,} bytes"):
            datasets.load_cifar10(subset="test", data_home=tmp_path)


# Texts

REVIEWS = {"train/pos/10_9": "héllo<br />", "train/pos/2_7": "good", "train/neg/0_1": "bad", "test/neg/3_4": "awful"}


def check_imdb(home):
    X, y = datasets.load_imdb(data_home=home, download=False)
    assert X == ["bad", "good", "héllo<br />"]
    assert y.tolist() == [0, 1, 1]
    X, y = datasets.load_imdb(subset="all", data_home=home, download=False)
    assert X == ["bad", "good", "héllo<br />", "awful"]
    assert y.tolist() == [0, 1, 1, 0]


def test_imdb_folder_and_archive(tmp_path):
    members = {f"aclImdb/{name}.txt": text.encode() for name, text in REVIEWS.items()}
    members |= {"aclImdb/train/unsup/5_0.txt": b"no label", "aclImdb/train/urls_pos.txt": b"http"}
    for name, content in members.items():
        write(tmp_path / "imdb" / name, content)
    check_imdb(tmp_path)
    check_imdb(tmp_path / "imdb")
    write(tmp_path / "packed" / "aclImdb_v1.tar.gz", tar_gz(members))
    check_imdb(tmp_path / "packed")
    write(tmp_path / "empty" / "aclImdb_v1.tar.gz", tar_gz({"aclImdb/README": b"x"}))
    with damaged(r"it must contain reviews such as pos/127_8\.txt"):
        datasets.load_imdb(data_home=tmp_path / "empty")
    write(tmp_path / "cut" / "aclImdb_v1.tar.gz", tar_gz(members)[:-40])
    with damaged("it is not an archive of the reviews"):
        datasets.load_imdb(data_home=tmp_path / "cut")


def test_imdb_json_lines(tmp_path):
    rows = [{"label": int("pos" in name), "text": text} for name, text in REVIEWS.items()]
    write(tmp_path / "imdb" / "train.jsonl.xz", "\n".join(json.dumps(rows[n]) for n in (2, 1, 0)))
    write(tmp_path / "imdb" / "test.jsonl", json.dumps(rows[3]) + "\n")
    check_imdb(tmp_path)
    write(tmp_path / "imdb" / "test.jsonl", json.dumps(rows[3]) + '\n{"text": "x"}\n')
    with damaged("line 2 must be a JSON object with a 'text' and a 'label', 0 or 1"):
        datasets.load_imdb(subset="test", data_home=tmp_path)


def test_yelp_stars(tmp_path):
    kaggle = 'stars,text,type\n5,"so, good\nreally",review\n3,fine,review\n1,bad,review\n'
    write(tmp_path / "yelp" / "yelp.csv", kaggle)
    write(tmp_path / "yelp" / "dev.csv.gz", "text,label1,label2\r\nnice,Business Category: Bars,Review Stars: 4.0\r\n")
    write(tmp_path / "yelp" / "test.csv", "text,label1,label2\r\nmeh,Business Category: Bars,Review Stars: 2.0\r\n")
    X, y = datasets.load_yelp(data_home=tmp_path)
    assert X == ["so, good\nreally", "bad", "nice"]
    assert y.tolist() == [1, 0, 1]
    X, y = datasets.load_yelp(data_home=tmp_path, subset="all", stars=True)
    assert X == ["so, good\nreally", "fine", "bad", "nice", "meh"]
    assert y.tolist() == [5, 3, 1, 4, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("stars,body\n1,x\n", r"column 'text' is missing; it has \['stars', 'body'\]"),
        ("", r"column 'text' is missing; it has \[\]"),
        ("stars,text\n6,x\n", "stars must be 1 to 5; got '6'"),
        ("stars,text\nmany,x\n", "stars must be 1 to 5; got 'many'"),
        ("stars,text\n4\n", "the row ending at line 2 must have as many cells as the header, 2"),
        ("stars,text\n4,x,y\n", "the row ending at line 2 must have as many cells"),
        ('stars,text\n4,"x\n', "line 2 is not valid CSV .unexpected end of data"),
    ],
)
def test_damaged_csv(tmp_path, content, message):
    write(tmp_path / "yelp.csv", content)
    with damaged(message):
        datasets.load_yelp(data_home=tmp_path)


def test_yelp_of_zhang(tmp_path):
    write(tmp_path / "yelp_review_full_csv" / "train.csv", '"5","great\\nplace"\n"3","so so"\n"2","a ""bad"" one"\n')
    X, y = datasets.load_yelp(data_home=tmp_path)
    assert X == ["great\nplace", 'a "bad" one']
    assert y.tolist() == [1, 0]
    write(tmp_path / "yelp_review_polarity_csv" / "train.csv", '"1","bad"\n"2","good"\n')
    X, y = datasets.load_yelp(data_home=tmp_path)
    assert X == ["bad", "good"]
    assert y.tolist() == [0, 1]
    assert datasets.load_yelp(data_home=tmp_path, stars=True)[1].tolist() == [5, 3, 2]
    write(tmp_path / "yelp_review_polarity_csv" / "train.csv", '"1"\n')
    with damaged("every row must have a label and a text"):
        datasets.load_yelp(data_home=tmp_path)
    write(tmp_path / "yelp_review_polarity_csv" / "train.csv", '"1","x')
    with damaged("it is not valid CSV"):
        datasets.load_yelp(data_home=tmp_path)


def test_mpqa(tmp_path):
    write(tmp_path / "mpqa.pos.txt.gz", "to win\n\n")
    write(tmp_path / "mpqa.neg.txt.gz", "failing\n")
    assert datasets.load_mpqa(data_home=tmp_path)[0] == ["failing", "to win", ""]
    assert datasets.load_mpqa(data_home=tmp_path)[1].tolist() == [0, 1, 1]
    write(tmp_path / "mpqa.all", "1 to win\r\n0 failing to\n0 \n")
    assert datasets.load_mpqa(data_home=tmp_path)[0] == ["to win", "failing to", ""]
    write(tmp_path / "mpqa.all", "1 to win\n2 what\n")
    with damaged("line 2 must be a label .0 or 1., a space and a text"):
        datasets.load_mpqa(data_home=tmp_path)


def test_scone(tmp_path):
    write(tmp_path / "rlong" / "tangrams-train.tsv", "t-1\t1:2 2:1\tswap them\t1:1 2:2\tremove it\t1:1\n")
    write(tmp_path / "rlong" / "tangrams-dev.tsv", "d-1\t1:4\tdelete it\t\n")
    write(tmp_path / "rlong" / "rlong-tangrams-test.tsv.gz", "e-1\t1:4\tleave it\t1:4\n")
    X, y = datasets.load_scone(data_home=tmp_path)
    assert X == [{"id": "t-1", "worlds": ("1:2 2:1", "1:1 2:2"), "utterances": ("swap them", "remove it")}]
    assert y.tolist() == ["1:1"]
    X, y = datasets.load_scone(data_home=tmp_path / "rlong", subset="all")
    assert [row["id"] for row in X] == ["t-1", "d-1", "e-1"]
    assert y.tolist() == ["1:1", "", "1:4"]
    with pytest.raises(ValueError, match=r"The 'domain' parameter of load_scone must be .* Got 'chess' instead"):
        datasets.load_scone(data_home=tmp_path, domain="chess")
    for line in ("t-1", "t-1\t1:2", "t-1\t1:2\tswap", "t-1\t1:2\tswap\t1:1\tagain"):
        write(tmp_path / "rlong" / "tangrams-train.tsv", f"{line}\n")
        with damaged("line 1 must have an id, a world, and pairs of an utterance and a world; got . fields"):
            datasets.load_scone(data_home=tmp_path)


# Tables

RATINGS = b"1::1193::5::978300760\n1::661::3::978302109\n6040::1::1::956703932\n"
MOVIES = "1::Toy Story (1995)::Animation|Comedy\n2::Caf\xe9 (1995)::Drama\n".encode("latin-1")
USERS = b"1::F::1::10::48067\n2::M::56::16::70072\n"


def check_movielens_1m(home):
    X, y = datasets.load_movielens(data_home=home, download=False)
    assert X["user_id"].tolist() == [1, 1, 6040]
    assert X["movie_id"].tolist() == [1193, 661, 1]
    assert X["timestamp"].tolist() == [978300760, 978302109, 956703932]
    assert y.tolist() == [5, 3, 1]
    assert datasets.load_movielens_movies(data_home=home) == {
        1: ("Toy Story (1995)", ("Animation", "Comedy")),
        2: ("Café (1995)", ("Drama",)),
    }
    users = datasets.load_movielens_users(data_home=home)
    assert users[2] == ("M", 56, "16", "70072")
    assert users[1].zip_code == "48067"


def test_movielens_1m(tmp_path):
    members = {"ratings.dat": RATINGS, "movies.dat": MOVIES, "users.dat": USERS}
    for name, content in members.items():
        write(tmp_path / "a" / "ml-1m" / name, content)
        write(tmp_path / "b" / "movielens1m" / f"{name}.gz", content)
    check_movielens_1m(tmp_path / "a")
    check_movielens_1m(tmp_path / "b")
    check_movielens_1m(tmp_path / "b" / "movielens1m")
    write(tmp_path / "c" / "ml-1m.zip", zipped({f"ml-1m/{name}": content for name, content in members.items()}))
    check_movielens_1m(tmp_path / "c")
    numbers = np.array([[1, 1193, 5, 978300760], [1, 661, 3, 978302109], [6040, 1, 1, 956703932]])
    (tmp_path / "b" / "movielens1m" / "ratings.dat.gz").unlink()
    named = dict(zip(("user_id", "movie_id", "rating", "timestamp"), numbers.T, strict=True))
    np.savez(tmp_path / "b" / "movielens1m" / "ratings.npz", **named)
    check_movielens_1m(tmp_path / "b")
    np.savez(tmp_path / "b" / "movielens1m" / "ratings.npz", **{**named, "rating": numbers[:2, 2]})
    with damaged("its columns differ in length"):
        datasets.load_movielens(data_home=tmp_path / "b")


def test_movielens_100k(tmp_path):
    items = "1|Toy Story (1995)|01-Jan-1995||http://x|" + "|".join("0001110000000000000") + "\n"
    members = {"u.data": b"196\t242\t3\t881250949\n186\t302\t5\t891717742\n", "u.item": items.encode()}
    members["u.user"] = b"1|24|M|technician|85711\n"
    for name, content in members.items():
        write(tmp_path / "a" / "movielens100k" / f"{name}.gz", content)
    write(tmp_path / "b" / "ml-100k.zip", zipped({f"ml-100k/{name}": content for name, content in members.items()}))
    for home in (tmp_path / "a", tmp_path / "b"):
        X, y = datasets.load_movielens(size="100k", data_home=home, download=False)
        assert X.tolist() == [(196, 242, 881250949), (186, 302, 891717742)]
        assert y.tolist() == [3, 5]
        movies = datasets.load_movielens_movies(size="100k", data_home=home)
        assert movies == {1: ("Toy Story (1995)", ("Animation", "Children's", "Comedy"))}
        assert datasets.load_movielens_users(size="100k", data_home=home) == {1: ("M", 24, "technician", "85711")}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1::2::3\n", "every line must have 4 integers; got 3"),
        (b"1::2::3\n4::5::4::7::8\n", "every line must have 4 integers and nothing else .*row 2"),
        (b"1::2::x::4\n", "every line must have 4 integers and nothing else .*'x'"),
        (b"1::2::3::\xff\n", "every line must have 4 integers and nothing else"),
        (b"1::2::3::99999999999999999999\n", "every line must have 4 integers and nothing else"),
        (b"1::2::6::4\n", "stars must be 1 to 5; got 6 to 6"),
    ],
)
def test_damaged_ratings(tmp_path, content, message):
    write(tmp_path / "ml-1m" / "ratings.dat", content)
    with damaged(message):
        datasets.load_movielens(data_home=tmp_path)


def test_other_damage_to_movielens(tmp_path):
    with pytest.raises(ValueError, match=r"The 'size' parameter of load_movielens must be '1m' or '100k'. Got '10m'"):
        datasets.load_movielens(size="10m", data_home=tmp_path)
    write(tmp_path / "ml-1m" / "movies.dat", b"1::Heat::Action\ntwo::x::y\n")
    with damaged(r"line 2 of movies\.dat must have 3 fields, a number first"):
        datasets.load_movielens_movies(data_home=tmp_path)
    write(tmp_path / "ml-1m" / "movies.dat", b"1::Heat\x85::Action\n1::Speed::Action\n")
    with damaged(r"line 2 of movies\.dat repeats the id 1"):
        datasets.load_movielens_movies(data_home=tmp_path)
    write(tmp_path / "ml-100k" / "u.user", b"1|old|M|x|85711\n")
    with damaged(r"line 1 of u\.user must have 5 fields, with numbers as field 1 \(id\) and field 2 \(age\)"):
        datasets.load_movielens_users(size="100k", data_home=tmp_path)
    write(tmp_path / "ml-1m.zip", zipped({"ml-1m/README": b"x"}))
    with damaged(r"it has no readable ml-1m/users\.dat"):
        datasets.load_movielens_users(data_home=tmp_path)
    write(tmp_path / "ml-1m.zip", b"PK no zip")
    with damaged(r"it has no readable ml-1m/users\.dat"):
        datasets.load_movielens_users(data_home=tmp_path)


def test_amazon_sales(tmp_path):
    text = '\ufeffproduct_id,category,user_id,rating,actual_price\nB1,A|B,"U1,U2",4.2,"₹1,099"\nB2,A,U3,|,₹5\n'
    write(tmp_path / "amazon.csv", text)
    X, y = datasets.load_amazon_sales(data_home=tmp_path)
    assert X[0] == {"product_id": "B1", "category": "A|B", "user_id": "U1,U2", "actual_price": "₹1,099"}
    assert y[0] == 4.2
    assert np.isnan(y[1])
    write(tmp_path / "amazon.csv", "product_id,category,rating\n")
    with damaged("column 'user_id' is missing"):
        datasets.load_amazon_sales(data_home=tmp_path)


def test_viral_genomes(tmp_path):
    rows = ["label\tname\tsequence", "Zika\ta\tACGTA", "Zika\tb\tACGTC", "Dengue\tc\tGGG", "Dengue\td\tGGGG"]
    write(tmp_path / "viral_genomes.tsv.xz", "\n".join(rows) + "\n")
    X, y = datasets.load_viral_genomes(data_home=tmp_path)
    assert X == ["ACGTA", "ACGTC", "GGG", "GGGG"]
    assert y.tolist() == ["Zika", "Zika", "Dengue", "Dengue"]
    X, y = datasets.load_viral_genomes(data_home=tmp_path, length=4)
    assert X == ["ACGT", "GGGG"]
    assert y.tolist() == ["Zika", "Dengue"]
    with pytest.raises(ValueError, match=r"'length' parameter of load_viral_genomes must be an integer >= 1. Got 0"):
        datasets.load_viral_genomes(data_home=tmp_path, length=0)
    write(tmp_path / "viral_genomes.tsv", "label\tsequence\nZika\n")
    with damaged("line 2 must have 2 fields"):
        datasets.load_viral_genomes(data_home=tmp_path)
    write(tmp_path / "viral_genomes.tsv", "")
    with damaged("it must have the columns 'label' and 'sequence'; got"):
        datasets.load_viral_genomes(data_home=tmp_path)


# Graphs

TINY = {
    "TINY_A.txt": b"1, 2\n2, 1\n3, 4\n4, 3\n",
    "TINY_graph_indicator.txt": b"1\n1\n2\n2\n",
    "TINY_graph_labels.txt": b"1\n-1\n",
    "TINY_node_labels.txt": b"0\n1\n1\n1\n",
}


def test_tudataset(tmp_path):
    for name, content in TINY.items():
        write(tmp_path / "a" / "TINY" / name, content)
    write(tmp_path / "b" / "TINY.zip", zipped({f"TINY/{name}": content for name, content in TINY.items()}))
    first, labels = datasets.load_tudataset("TINY", data_home=tmp_path / "a")
    assert len(first) == 2
    assert first.node_counts.tolist() == [2, 2]
    assert labels.tolist() == [1, -1]
    for home in (tmp_path / "a" / "TINY", tmp_path / "b"):
        graphs, labels = datasets.load_tudataset("TINY", data_home=home)
        assert graphs == first
        assert labels.tolist() == [1, -1]
    with pytest.raises(
        DatasetNotFoundError, match=r"for MUTAG_A\.txt or MUTAG\.zip.* Download MUTAG\.zip from https://"
    ):
        datasets.load_tudataset("MUTAG", data_home=tmp_path)
    with pytest.raises(ValueError, match=r"must be a dataset name such as 'MUTAG'. Got '../MUTAG' instead"):
        datasets.load_tudataset("../MUTAG", data_home=tmp_path)
    with pytest.raises(ValueError, match="must be 'all': the TU datasets have no official split"):
        datasets.load_tudataset("MUTAG", data_home=tmp_path, subset="train")
    write(tmp_path / "BAD.zip", b"no zip")
    with damaged("it is not a zip archive"):
        datasets.load_tudataset("BAD", data_home=tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "text.txt").write_bytes(b"\xef\xbb\xbffirst\nsecond\n")
    assert files.read_lines(tmp_path / "text.txt") == ["first", "second"]
    (tmp_path / "text.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(gtm.GraphFormatError, match="it is not utf-8 text"):
        files.read_lines(tmp_path / "text.txt")
